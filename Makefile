# make run    the main job          make test    ruff and the test suite
# Both make the virtual environment first, once: it is made again only when what it must hold changes.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
INSTALLED := $(VENV)/.installed

run: $(INSTALLED)
	$(VENV)/bin/python -m evo.run --generations 200

test: $(INSTALLED)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/python -m pytest

benchmark: $(INSTALLED)
	$(VENV)/bin/python -m benchmarks.engine
	$(VENV)/bin/python -m benchmarks.players
	$(VENV)/bin/python -m benchmarks.reports
	$(VENV)/bin/python -m benchmarks.arena
	$(VENV)/bin/python -m benchmarks.evolution

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; $(PYTHON) is older: make PYTHON=/path/to/python3.11" >&2; exit 2; }
	@echo "installing into $(VENV), once (a minute or two)"
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .ruff_cache

.PHONY: run test benchmark clean
