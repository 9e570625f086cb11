# make demo | make test-all | make lab, on Debian or Ubuntu with Python 3.11+, venv, make and git. No Node needed.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
# Where the CPU build of torch comes from, besides PyPI. Empty: only where pip looks anyway.
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu

# The other version that the simulated device is for; tests run on the one of the extra `torch`.
TORCH_NEXT ?= 2.14.1

VENV := .venv
NEXT := .venv-torch-next
BIN := $(VENV)/bin
NOTEBOOK := notebooks/00_click_a_chain.ipynb
WHEEL = $(VENV)/wheel/$$(ls $(VENV)/wheel)
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

PRUNED := -name node_modules -o -name .yarn -o -name lib -o -name tests-built -o -name _frontend -o -name __pycache__
SOURCES := pyproject.toml README.md LICENSE \
  $(shell find neuron_nbprof frontend \( $(PRUNED) \) -prune -o -type f -print)

# Where the tests leave the notebooks as they executed them, for the documentation.
EXECUTED := build/notebooks
export NBPROF_NOTEBOOKS_OUT := $(CURDIR)/$(EXECUTED)
NOTEBOOKS := $(shell find notebooks -name .ipynb_checkpoints -prune -o -name '*.ipynb' -print)

# Node, npm and jlpm of the virtual environment, before those of the machine.
JLPM := cd frontend && PATH="$(CURDIR)/$(BIN):$$PATH" jlpm

.PHONY: help
help:
	@echo 'make demo   run three RMSNorms on the simulated device; print the tables, write a page for each'
	@echo 'make lab    open JupyterLab with $(NOTEBOOK)'
	@echo 'make test   install what the tests need and run all checks and tests'
	@echo 'make docs   build the documentation into site/, with the executed notebooks'
	@echo 'make binder build the environment of Binder and try it'
	@echo 'make test-all  everything: test, docs and binder'
	@echo 'make oldest-lab-test  the tests of the JupyterLab extension, in the oldest JupyterLab that it supports'
	@echo 'make next-torch-test  the simulated device and recording with torch $(TORCH_NEXT) (about 6 GB, removed again)'
	@echo 'make lint   only the checks that run nothing; make format puts right what can be'
	@echo 'make clean  remove what was built, the virtual environment too'

.PHONY: demo
demo: $(VENV)/torch
	@$(BIN)/neuron-nbprof demo --live --out demo

.PHONY: lab
lab: $(VENV)/lab
	@$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) $(NOTEBOOK)

.PHONY: test-all
test-all: test docs docs-test binder

.PHONY: test
test: lint frontend-test chromium python-test

.PHONY: python-test
python-test: $(VENV)/test
	$(BIN)/pytest
	@mkdir -p $(EXECUTED) && touch $(EXECUTED)/done

.PHONY: docs
docs: $(VENV)/docs $(EXECUTED)/done
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

.PHONY: docs-test
docs-test: docs chromium
	$(BIN)/pytest tests/site

.PHONY: binder
binder: $(VENV)/test chromium
	TORCH_INDEX='$(TORCH_INDEX)' PYTHON='$(PYTHON)' tools/repo2docker.sh build/binder
	$(BIN)/pytest tests/binder

# Executed by the tests, which `make test` has done already.
$(EXECUTED)/done: $(VENV)/test $(NOTEBOOKS)
	$(BIN)/pytest tests/notebooks
	@mkdir -p $(EXECUTED) && touch $@

# In a virtual environment of its own; make VENV=... python-test would test the current JupyterLab.
.PHONY: oldest-lab-test
oldest-lab-test: chromium
	@$(MAKE) --no-print-directory VENV=$(VENV)-jupyterlab-4.2 lab-test LAB='jupyterlab==4.2.* notebook==7.2.*'

.PHONY: lab-test
lab-test: $(VENV)/test
	@$(PIP) install $(LAB)
	$(BIN)/jupyter lab --version
	$(BIN)/pytest tests/lab

# In an environment of its own, which does not outlive the tests.
.PHONY: next-torch-test
next-torch-test: $(VENV)/installed
	@echo 'installing torch $(TORCH_NEXT) (large) ...'
	@trap 'rm -rf $(NEXT)' EXIT; $(PYTHON) -m venv --clear $(NEXT); \
	  $(NEXT)/bin/python -m pip --disable-pip-version-check --quiet install torch==$(TORCH_NEXT) "$(WHEEL)[test]"; \
	  $(NEXT)/bin/pytest tests/simulator tests/capture

.PHONY: frontend-test
frontend-test: $(VENV)/frontend
	$(JLPM) run test

.PHONY: lint
lint: $(VENV)/test frontend-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy

.PHONY: frontend-lint
frontend-lint: $(VENV)/frontend
	$(JLPM) run typecheck
	$(JLPM) run lint
	$(JLPM) run format:check

.PHONY: format
format: $(VENV)/test $(VENV)/frontend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(JLPM) run format

.PHONY: chromium
chromium:
	@tools/chromium.sh

.PHONY: clean
clean:
	rm -rf $(VENV) $(VENV)-jupyterlab-4.2 $(NEXT) build dist demo site neuron_nbprof/_frontend frontend/lib frontend/node_modules frontend/tests-built

# --- the virtual environment: each file below says that something has been installed in it ---

$(VENV)/created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	  || { echo 'neuron_nbprof needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ...' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo 'Python comes without venv and pip here; they are in: sudo apt install python3-venv' >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $@

# The product is installed as its users get it: as a wheel, its frontend built on the way.
$(VENV)/installed: $(VENV)/created $(SOURCES)
	@echo 'building the wheel ...'
	@rm -rf $(VENV)/wheel
	@$(PIP) wheel --no-deps --wheel-dir $(VENV)/wheel .
	@$(PIP) install "$(WHEEL)"
	@$(PIP) install --force-reinstall --no-deps "$(WHEEL)"
	@touch $@

$(VENV)/torch: $(VENV)/installed
	@echo 'installing torch (about 200 MB) ...'
	@$(PIP) install $$(tools/torch_index.sh $(BIN)/python $(TORCH_INDEX)) "$(WHEEL)[torch]"
	@touch $@

$(VENV)/lab: $(VENV)/torch
	@echo 'installing JupyterLab ...'
	@$(PIP) install "$(WHEEL)[lab]"
	@touch $@

$(VENV)/test: $(VENV)/lab
	@echo 'installing the tools of the tests ...'
	@$(PIP) install "$(WHEEL)[test,dev]"
	@touch $@

$(VENV)/docs: $(VENV)/test
	@echo 'installing the tools of the documentation ...'
	@$(PIP) install "$(WHEEL)[docs]"
	@touch $@

$(VENV)/frontend: $(VENV)/test frontend/package.json frontend/yarn.lock
	@$(JLPM) install --immutable >/dev/null
	@touch $@
