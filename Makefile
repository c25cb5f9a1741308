# make run    the main job          make test    ruff and the test suite
# make train  every learned mind that ships, again from nothing: twenty minutes on two cores; each step goes on where it was stopped
# All make the virtual environment first, once: it is made again only when what it must hold changes.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
INSTALLED := $(VENV)/.installed

run: $(INSTALLED)
	$(VENV)/bin/python -m evo.run --generations 200

# Each mind is made by the commands of one rule; the metadata of its file repeats them.
LEARN := $(VENV)/bin/python -m
train: $(INSTALLED)
	$(LEARN) selfplay.dataset --positions 24000 --seed 0 --store runs/train/dataset
	$(LEARN) selfplay.fit_reward runs/train/dataset --method ridge --seed 0 --store runs/train/reward
	cp runs/train/reward/reward.parquet agents/beam/reward.parquet
	$(LEARN) evo.run --genome beam --generations 14 --population 8 --offspring 12 --games 48 --again 144 --tournament 3 --seed 1 --store runs/train/beam
	cp runs/train/beam/champion.parquet agents/beam/genes.parquet
	$(LEARN) selfplay.run --learner beam --games 8000 --seed 0 --store runs/train/badmoves
	cp runs/train/badmoves/policy.parquet agents/beam/cache.parquet
	$(LEARN) selfplay.run --learner rl --games 1000000 --seed 0 --store runs/train/policy
	cp runs/train/policy/policy.parquet agents/policy.parquet

test: $(INSTALLED)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/python -m pytest

# A real cluster of namespaces on this machine, and every way that it can fail; needs root, says what else is missing, installs nothing.
test-cluster: $(INSTALLED)
	$(VENV)/bin/python -m tests.cluster.hosts
	$(VENV)/bin/python -m pytest -m cluster -n 0 -s tests/cluster

benchmark: $(INSTALLED)
	$(VENV)/bin/python -m benchmarks.engine
	$(VENV)/bin/python -m benchmarks.players
	$(VENV)/bin/python -m benchmarks.published
	$(VENV)/bin/python -m benchmarks.arena
	$(VENV)/bin/python -m benchmarks.evolution
	$(VENV)/bin/python -m benchmarks.learning

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; $(PYTHON) is older: make PYTHON=/path/to/python3.11" >&2; exit 2; }
	@echo "installing into $(VENV), once (a minute or two)"
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .ruff_cache

.PHONY: run train test test-cluster benchmark clean
