# Two commands on a fresh machine with Python 3.11 or newer: `make run` and `make test`.
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
export PUBLIC_URL ?= http://localhost:$(PORT)
# Many processes start: each would compile all modules anew, if it were told to keep none.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test test-llm suite setup lint types contracts migrations audit
.DEFAULT_GOAL := run

# A stamp a requirements file, so that a second `make` installs nothing.
.venv/run.stamp: requirements.txt requirements-parser.txt constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rarrweb needs Python 3.11 or newer: set PYTHON=/path/to/python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install --disable-pip-version-check -q -r requirements.txt
	$(BIN)/pip install --disable-pip-version-check -q --no-deps --require-hashes -r requirements-parser.txt
	touch $@

.venv/test.stamp: .venv/run.stamp requirements-dev.txt
	$(BIN)/pip install --disable-pip-version-check -q -r requirements-dev.txt
	touch $@

setup: .venv/run.stamp

run: setup
	$(BIN)/python manage.py migrate -v 0
	$(BIN)/python manage.py demo
	$(BIN)/python manage.py serve --port $(PORT)

lint: .venv/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/djlint --quiet --lint templates

types: .venv/test.stamp
	$(BIN)/mypy

contracts: .venv/test.stamp
	$(BIN)/lint-imports

migrations: setup
	$(BIN)/python manage.py makemigrations --check --dry-run -v 1

# mypy fills one processor, and the rest another.
test: .venv/test.stamp
	$(MAKE) --no-print-directory -j2 types lint contracts migrations
	$(MAKE) --no-print-directory suite

# Three run side by side, each with a database and a folder of its own (and what SITE=NAME=value and
# OTHERS=NAME=value set, such as another queue): the browsers' tests, which wait most of the time,
# those of these folders, and all others, about as long. Each is run to the end, whatever becomes
# of the rest.
OF_SITE := $(addprefix tests/,annotation rarrweb) \
  $(addprefix tests/pipeline/,importing jobs workers)
suite:
	logs=$$(mktemp -d); trap 'kill $$site $$others; rm -rf "$$logs"; exit 1' INT TERM; \
	TEST_PART=_site $(SITE) $(BIN)/pytest $(OF_SITE) \
	  >"$$logs/site" 2>&1 & site=$$!; \
	TEST_PART=_others $(OTHERS) $(BIN)/pytest --ignore tests/browser $(OF_SITE:%=--ignore %) \
	  >"$$logs/others" 2>&1 & others=$$!; \
	$(BIN)/pytest tests/browser; browser=$$?; \
	wait $$site; ofsite=$$?; wait $$others; rest=$$?; \
	cat "$$logs/site" "$$logs/others"; rm -rf "$$logs"; \
	test $$browser -eq 0 && test $$ofsite -eq 0 && test $$rest -eq 0

# Not part of `make test`, as it asks PyPI for known weaknesses of what is installed, and fails where
# it gets no answer. Before that Bandit reads our code, and OUT/sbom.cdx.json lists every package.
OUT ?= var
AUDIT := .venv/audit/bin
.venv/audit.stamp: requirements-audit.txt .venv/run.stamp
	test -x $(AUDIT)/python || $(PYTHON) -m venv .venv/audit
	$(AUDIT)/pip install --disable-pip-version-check -q -r requirements-audit.txt
	touch $@

audit: .venv/audit.stamp
	$(AUDIT)/bandit -q -ll -c pyproject.toml -r rarrweb pipeline annotation
	$(AUDIT)/cyclonedx-py environment $(BIN)/python --of JSON --output-reproducible -o $(OUT)/sbom.cdx.json
	$(AUDIT)/pip-audit --strict --path "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"

# Not part of `make test`: builds a llama.cpp server, and asks a real language model through it for
# everything that rarrweb asks. GGML_NATIVE=OFF: code for AMX crashes on some virtual machines.
LLM := .venv-llm/bin
.venv-llm/stamp: requirements-llm.txt
	test -x $(LLM)/python || $(PYTHON) -m venv .venv-llm
	CMAKE_ARGS=-DGGML_NATIVE=OFF $(LLM)/pip install --disable-pip-version-check -q -r requirements-llm.txt
	touch $@

test-llm: .venv/test.stamp .venv-llm/stamp
	$(BIN)/python -m tests.bench.language_model --server $(LLM)/python
