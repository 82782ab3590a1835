# `make run` and `make test` need Python 3.11 or newer and nothing else; the rest is for development.
# Setting up is quick when the lock files have not changed.

PY := .venv/bin/python
TYPED := contract domain kernel players review machi_koro_rules runtime events service workers training ops bench client
TEST_PROCESSES ?= 4
UV_VERSION := 0.13.8
UV_COMPILE := $(PY) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"

# Beside the environment, which it must not change: it brings versions of its own.
MUTMUT := var/mutmut
MUTMUT_PACKAGES := mutmut==3.8.1 libcst==1.9.0 coverage==7.17.3 setproctitle==1.3.8

SBOM := var/cyclonedx
SBOM_PACKAGE := cyclonedx-bom==7.5.0

.PHONY: help dataset dist sbom run cluster reload test test-long test-all check lint format bench compiled test-compiled mutants golden lock setup-run setup-test

help:
	@echo "make run     set up and serve on http://127.0.0.1:8000 (PORT, HOST, VAR_DIR, WORKERS); Ctrl-C ends it"
	@echo "make cluster  the same with two nodes on a cluster of six servers, on PORT and the port after it"
	@echo "make reload  set up, and replace the processes of the running service one by one; no request is refused"
	@echo "make test    set up and run the tests, without the long ones (ARGS=... goes to pytest)"
	@echo "make test-long  run the long ones: fault injection, fits, generated clients, processes, and variants"
	@echo "make test-all  run all of them"
	@echo "make check   format, lint (with Node, openapi.yaml, the pages and client-ts too), types and the tests of make test"
	@echo "make format  format the code"
	@echo "make bench   run the benchmarks (ARGS=... chooses some)"
	@echo "make compiled  compile the rules now, which makes them about twice as fast; needs a C compiler"
	@echo "make test-compiled  run the tests of the rules on the compiled rules"
	@echo "make mutants  change the rules in small ways, and show which changes no test notices; takes hours, resumes"
	@echo "              where it was stopped (ARGS='domain.match.decide.*' chooses some, ARGS=none shows what is known)"
	@echo "make golden  record the golden samples again, after an intended change"
	@echo "make dataset  play a data set, 1,000 matches of each of three rulesets, into var/dataset (ARGS=... for others)"
	@echo "make sbom    write var/sbom.cdx.json, the software bill of materials (CycloneDX) of what the service installs"
	@echo "make dist    build the wheels and source distributions of the rules and the client in dist/, and check them"
	@echo "make lock    pin the newest versions that requirements*.in allow"

run: setup-run
	@$(PY) -m ops.run

cluster: setup-run
	@$(PY) -m ops.cluster

reload: setup-run
	@kill -USR2 "$$(cat "$${VAR_DIR:-var}/run.pid")"

test: CHOSEN = -m "not long"
test-long: CHOSEN = -m long
# Where Python is told to keep no bytecode, each test process would compile all tests anew.
test test-long test-all: export PYTHONDONTWRITEBYTECODE =
test test-long test-all: setup-test
	@$(PY) -m ops.compiled drop >/dev/null
	@$(PY) -m pytest -q -n $(TEST_PROCESSES) --dist worksteal $(CHOSEN) $(ARGS)

check: lint test

lint: setup-test
	@$(PY) -m ruff format --check .
	@$(PY) -m ruff check .
	@$(PY) -m mypy --strict $(TYPED)
	@$(PY) -m ops.lint

format: setup-test
	@$(PY) -m ruff format .
	@$(PY) -m ruff check --fix --select I .
	@$(PY) -m ops.lint format

bench: setup-run
	@$(PY) -m bench $(ARGS)

compiled: setup-test
	@$(PY) -m ops.compiled build

test-compiled: setup-test
	@if command -v cc >/dev/null; then \
		$(PY) -m ops.compiled build && \
		$(PY) -m pytest -q -n $(TEST_PROCESSES) tests/domain; \
		status=$$?; $(PY) -m ops.compiled drop; exit $$status; \
	else echo "no C compiler here: the compiled rules were not tested"; fi

mutants: setup-test
	@test -d $(MUTMUT) || $(PY) -m pip install --quiet --disable-pip-version-check --no-deps --target $(MUTMUT) \
		$(MUTMUT_PACKAGES)
	@PYTHONPATH=$(MUTMUT) $(PY) -m tests.mutants $(ARGS)

golden: setup-test
	@$(PY) -m tests.golden.regenerate

dataset: setup-test
	@$(PY) -m training.dataset var/dataset $(ARGS)

sbom: setup-run
	@test -d $(SBOM) || $(PY) -m pip install --quiet --disable-pip-version-check --target $(SBOM) $(SBOM_PACKAGE)
	@PYTHONPATH=$(SBOM) $(PY) -m cyclonedx_py requirements requirements.lock --output-reproducible \
		--output-format JSON --output-file var/sbom.cdx.json && echo var/sbom.cdx.json

dist: setup-test
	@rm -rf dist
	@$(PY) -m build --no-isolation --outdir dist .
	@$(PY) -m build --no-isolation --outdir dist client
	@$(PY) -m twine check --strict dist/*

lock: setup-run
	@$(PY) -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@$(UV_COMPILE) --upgrade --output-file requirements.lock requirements.in
	@$(UV_COMPILE) --upgrade --output-file requirements-tracing.lock requirements-tracing.in
	@$(UV_COMPILE) --upgrade --output-file requirements-dev.lock requirements-dev.in
	@$(UV_COMPILE) --upgrade --output-file requirements-build.lock requirements-build.in

setup-run:
	@sh ops/setup.sh run

setup-test:
	@sh ops/setup.sh test
