# Everything runs in .venv with PostgreSQL and Valkey from wheels: nothing else needs to be installed.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
# Tests and checks get services of their own, without fsync, beside those of a running demo.
LOCAL = BAKERY_LOCAL_DIR=$(CURDIR)/.local/test BAKERY_LOCAL_FSYNC=off $(BIN)/python -m bakery.local
# What a turn costs is measured with fsync too.
DURABLE = BAKERY_LOCAL_DIR=$(CURDIR)/.local/bench $(BIN)/python -m bakery.local

.PHONY: demo test crash mutations outages chaos coverage lint types bench messages pictures lock browser fuzz clean
.DEFAULT_GOAL := demo

demo: $(VENV)/installed-local
	@exec $(BIN)/python -m bakery.demo

test: $(VENV)/installed-dev browser
	$(BIN)/python -m pytest

# A worker dies before and after every statement, commit, model call, handler and send of a conversation, or its
# connection is cut there; tells how many such points there are.
crash: $(VENV)/installed-dev
	$(BIN)/python -m pytest -m crash --dist=worksteal -p tests.crash_report tests/aitools tests/orders

# Bugs planted one at a time in a copy of the project: the crash tests must catch each.
mutations: $(VENV)/installed-dev
	$(BIN)/python -m tests.aitools.crash_mutations

# Fifty thousand signed webhooks, broken in every way: none may be an error.
fuzz: $(VENV)/installed-dev
	FUZZ_INPUTS=25000 $(BIN)/python -m pytest -n2 --dist=load tests/aitools/channels/test_fuzzed_webhooks.py

# A thousand customers order while workers, web, Redis, PostgreSQL, the model and Twilio fail, on servers of its own;
# CHAOS="--conversations 10000 --seed 7" makes it longer, or the same again.
chaos: $(VENV)/installed-dev
	$(BIN)/python -m bench.chaos $(CHAOS)

# A whole desk under load, whose servers, workers and clocks break, and statements that fail; prints its figures.
outages: $(VENV)/installed-dev
	$(BIN)/python -m pytest -m outage tests/outages tests/aitools tests/e2e

# The tests with the share of lines and branches that the tests reach; a good third slower.
coverage: $(VENV)/installed-dev browser
	$(BIN)/python -m pytest --cov --cov-report=term:skip-covered

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/installed-dev
	$(LOCAL) $(BIN)/mypy
	$(LOCAL) $(BIN)/python manage.py makemigrations --check --dry-run
	$(LOCAL) $(BIN)/python manage.py check

bench: $(VENV)/installed-dev
	$(LOCAL) $(BIN)/python bench/score_utterances.py
	$(LOCAL) $(BIN)/python -m bench.score_guard
	$(LOCAL) $(BIN)/python -m bench.large_menu
	$(LOCAL) $(BIN)/python -m bench.prompt_size
	$(LOCAL) $(BIN)/python -m bench.prompt_cache
	$(LOCAL) $(BIN)/python -m bench.recovery
	$(DURABLE) $(BIN)/python -m bench.webhooks
	$(DURABLE) $(BIN)/python -m bench.turn_cost

# Needs GNU gettext. New texts then stand in locale/es/LC_MESSAGES/django.po, to be translated.
messages: $(VENV)/installed-dev
	$(LOCAL) $(BIN)/python manage.py makemessages --locale es --no-location --no-obsolete \
		--ignore .venv --ignore tests --ignore bench --ignore docs
	$(LOCAL) $(BIN)/python manage.py compilemessages --locale es

pictures: $(VENV)/installed-dev browser
	$(BIN)/python docs/pictures.py

# Chromium for the browser tests; says what it could not get, and the tests that need it then say so too.
browser: $(VENV)/installed-dev
	@sh .ci/browser

# The locks hold no index address, no path and no header, so that they mean the same everywhere.
UV_COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-emit-index-url --no-annotate pyproject.toml
lock: $(VENV)/installed-dev
	$(UV_COMPILE) --output-file requirements.txt
	$(UV_COMPILE) --group local --output-file requirements-local.txt
	$(UV_COMPILE) --group gemini --output-file requirements-gemini.txt
	$(UV_COMPILE) --group dev --output-file requirements-dev.txt

$(VENV)/installed-%: requirements-%.txt
	@test -n "$(PYTHON)" && $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed; name it with PYTHON=…"; exit 1; }
	@echo "Installing what $< names into $(VENV); this takes a minute or two."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --requirement $<
	@touch $@

clean:
	rm -rf .local staticfiles htmlcov .coverage .mypy_cache .ruff_cache .pytest_cache .import_linter_cache test-results
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
