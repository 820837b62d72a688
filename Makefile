# Every target makes its own environment in .venv; nothing else on the machine is touched.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
FOLDERS := cli domain evaluation graph models nodes sources

# The strict editable form links files one by one: a new file needs a new link.
MODULES := $(shell find $(FOLDERS) -name '*.py' | sort | cksum | cut -d' ' -f1)
READY := $(VENV)/ready-$(MODULES)
TESTED := $(VENV)/tested-$(MODULES)

.PHONY: demo test check bench docs-check clean

demo: $(READY)  ## Ingest the example knowledge base and ask it three questions.
	$(BIN)/python examples/demo.py

test: check  ## Everything that must hold: check, then all tests with coverage.
	$(BIN)/python -m pytest --cov --cov-report=term:skip-covered

check: $(TESTED)  ## Format, lint, types and the direction of imports.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy -p headwater
	$(BIN)/mypy tests benchmarks examples
	$(BIN)/lint-imports --no-cache

bench: $(TESTED)  ## The benchmarks that need no data; minutes, so not part of test.
	$(BIN)/python -m benchmarks.overhead
	$(BIN)/python -m benchmarks.federation
	$(BIN)/python -m benchmarks.ingestion
	$(BIN)/python -m benchmarks.ask

docs-check: $(TESTED)  ## The commands and examples in README and docs.
	$(BIN)/python -m pytest tests/docs

clean:
	rm -rf $(VENV) build *.egg-info

$(VENV)/pip:
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(READY): $(VENV)/pip pyproject.toml constraints.txt
	$(PIP) install -q -c constraints.txt -e . --config-settings editable_mode=strict
	@touch $@

$(TESTED): $(READY)
	$(PIP) install -q -c constraints.txt -e '.[test]' --config-settings editable_mode=strict
	@touch $@
