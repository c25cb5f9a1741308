# `make help` lists the targets. Each creates the virtual environment that it needs once: the base
# install, or the development install. The environment is updated when its requirements change.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
INSTALLED := $(VENV)/.installed
DEVELOP := $(VENV)/.develop
SITE := $(VENV)/.site
PLAYER ?= rulebased
# optional dependencies of pyproject.toml: make install EXTRAS='[env,s3]'
EXTRAS ?=

run: $(INSTALLED)  ## evolve a player: half a minute on two cores
	$(VENV)/bin/python -m evo.run --generations 200

install: $(INSTALLED)  ## only install; then: . .venv/bin/activate, and quarto-evo --help
	@echo "installed; type: . $(VENV)/bin/activate, then: quarto-evo --help"

play: $(INSTALLED)  ## play a game on the terminal (make play PLAYER=perfect)
	@$(VENV)/bin/python -m terminal human $(PLAYER)

web: $(INSTALLED)  ## play, analyse, follow runs and read the league in the browser
	@trap : INT; $(VENV)/bin/python -m web || test $$? -eq 130

site: $(SITE)  ## write a static site into the folder site: play, analyse, league, documentation
	$(VENV)/bin/python -m web.site

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-14s%s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The commands that make the learned data of each player; the metadata of its file repeats them.
LEARN := $(VENV)/bin/python -m
train: $(INSTALLED)  ## make all learned data that ships, from nothing: up to an hour
	$(LEARN) evo.run --genome evolved --fitness accuracy+games --opponents pro --positions 8000 --generations 150 --population 20 --offspring 20 --games 50 --again 100 --tournament 3 --fresh 4000 --seed 1 --store runs/train/evolved
	cp runs/train/evolved/mind.parquet agents/evolved.parquet
	$(LEARN) selfplay.fit.dataset --positions 24000 --seed 0 --store runs/train/dataset
	$(LEARN) selfplay.fit.fit_reward runs/train/dataset --method ridge --seed 0 --store runs/train/reward
	cp runs/train/reward/mind.parquet agents/beam/reward.parquet
	$(LEARN) selfplay.fit.turns --positions 24000 --seed 0 --store runs/train/turns
	$(LEARN) selfplay.fit.fit_net runs/train/turns --seed 0 --store runs/train/net
	cp runs/train/net/mind.parquet agents/sprint/net.parquet
	$(LEARN) evo.run --genome beam --strategy nsga2 --positions 12000 --generations 16 --population 12 --offspring 12 --games 300 --again 300 --tournament 2 --fresh 1000 --seed 1 --store runs/train/beam
	cp runs/train/beam/mind.parquet agents/beam/genes.parquet
	$(LEARN) evo.run --genome rules --strategy nsga2 --fitness accuracy+brevity --positions 12000 --generations 120 --population 100 --offspring 200 --games 50 --again 100 --tournament 3 --fresh 1000 --seed 1 --store runs/train/rules
	cp runs/train/rules/front.parquet agents/rules/strategies.parquet
	$(LEARN) selfplay.run --learner beam --games 8000 --seed 0 --store runs/train/badmoves
	cp runs/train/badmoves/mind.parquet agents/beam/cache.parquet
	$(LEARN) selfplay.run --learner rl --games 1000000 --seed 0 --store runs/train/policy
	cp runs/train/policy/mind.parquet agents/policy.parquet
	$(LEARN) selfplay.run --learner zero --games 500000 --seed 0 --store runs/train/zero
	cp runs/train/zero/mind.parquet agents/zero.parquet

test: $(DEVELOP)  ## run linter, type checker and tests
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/python -m engine.compile
	$(VENV)/bin/python -m pytest

RUNS ?= 20
steady: $(DEVELOP)  ## repeat the tests in random order, also on a busy machine (make steady RUNS=20)
	$(VENV)/bin/python -m engine.compile
	$(VENV)/bin/python -m tests.steady --runs $(RUNS)

coverage: $(DEVELOP)  ## print the lines and branches that the tests reach, by package
	$(VENV)/bin/python -m engine.compile
	$(VENV)/bin/python -m pytest -q --cov --cov-report=json:.coverage.json
	$(VENV)/bin/python -m tests.coverage_table .coverage.json

MUTANTS ?= 66
mutants: $(DEVELOP)  ## count wrong lines that no test notices: a quarter of an hour (make mutants MUTANTS=66)
	$(VENV)/bin/python -m engine.compile
	$(VENV)/bin/python -m tests.mutants --count $(MUTANTS)

# Needs root; names missing programs and installs nothing.
test-cluster: $(DEVELOP)  ## build a cluster of namespaces on this machine and break it
	$(VENV)/bin/python -m tests.cluster.hosts
	$(VENV)/bin/python -m pytest -m cluster -n 0 -s tests/cluster

MINUTES ?= 3
chaos: $(DEVELOP)  ## run every kind of job under injected faults (make chaos MINUTES=3)
	$(VENV)/bin/python -m pytest -m chaos -n 2 tests/chaos tests/agents/guests/test_program.py
	$(VENV)/bin/python -m tests.chaos --minutes $(MINUTES)

audit: $(INSTALLED)  ## list pinned dependencies with known vulnerabilities; asks pypi.org
	$(PIP) pip-audit
	@$(VENV)/bin/python -m tests.audit

# make results ONLY=field,web     only these, as python -m benchmarks.results --list names them
# make results FORCE=1            also those that are up to date
results: $(DEVELOP)  ## measure what docs/results.md shows and is out of date; up to an hour (make results ONLY=field)
	$(VENV)/bin/python -m benchmarks.results $(if $(ONLY),--only $(ONLY)) $(if $(FORCE),--force) $(if $(YARDSTICK),--yardstick $(YARDSTICK))
	$(VENV)/bin/python -m benchmarks.render

screenshots: $(DEVELOP)  ## make the pictures of the pages in docs/; needs Chromium
	$(VENV)/bin/python -m benchmarks.screenshots

# setuptools prints long warnings about editable installations
PIP := PYTHONWARNINGS=ignore $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; $(PYTHON) is older: make PYTHON=/path/to/python3.11" >&2; exit 2; }
	@echo "installing into $(VENV), once (a minute or two)"
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip setuptools
	$(PIP) -e '.$(EXTRAS)'
	@touch $@

$(DEVELOP): $(INSTALLED)
	@echo "installing the test dependencies, once (a minute or two)"
	$(PIP) -e '.[dev]'
	@touch $@

$(SITE): $(INSTALLED)
	$(PIP) -e '.[site]'
	@touch $@

clean:  ## remove the environment and build products
	rm -rf $(VENV) build *.egg-info .pytest_cache .ruff_cache

.PHONY: run install play web site help train test steady coverage mutants test-cluster chaos audit results screenshots clean
