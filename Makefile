# One way in: every target works from a fresh clone, again at once when repeated, and from a path with spaces.
.DEFAULT_GOAL := help
SHELL := /bin/sh
PY := .venv/bin/python
STAMP := .venv/.installed
DEMO_STAMP := .venv/.installed-for-demo
TESTS ?= tests
MODEL ?= 1.5b
QUESTIONS ?= 40
OF_EACH ?= 20
DATA ?= ../shared/data
SETS = $(foreach f,$(wildcard $(DATA)/grounding/*.jsonl),--data "$(f)")
DRAFTS = $(foreach f,$(filter-out $(wildcard $(DATA)/drafts/verdicts-*),$(wildcard $(DATA)/drafts/*.jsonl)),--data "$(f)")
VERDICTS = $(foreach f,$(wildcard $(DATA)/drafts/verdicts-*.jsonl),--replay "$(f)")
MEMORIES = $(foreach f,$(wildcard $(DATA)/memory/*.json),--data "$(f)")
PYTEST = $(PY) -m pytest -q --dist loadgroup --max-worker-restart=4
COMPILE = $(PY) -m uv pip compile --quiet --python-version 3.11 --universal --no-strip-extras --generate-hashes --no-header
COVERAGE ?=
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Without compiled files, each of some thousand processes that tests start compiles the program again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo test slow rest check lint format types coverage bench grounding e2e-llm soak docs pictures site wheel lock clean

help: ## list what can be made
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do printf '  make %-9s %s\n' "$$name" "$$text"; done

setup: $(STAMP) ## make .venv with everything, extras and development tools included

$(STAMP): requirements.lock requirements-uv.lock pyproject.toml tools/install
	@UV_COMPILE_BYTECODE=1 sh tools/install requirements.lock
	@$(PY) -m voice models install reranker || echo "Without the re-ranker search is less sharp; once you are online: .venv/bin/voice models install reranker"
	@touch $(STAMP) $(DEMO_STAMP)
	@echo "Ready. Next: make demo, or .venv/bin/voice init"

demo: $(DEMO_STAMP) ## hold a grounded conversation with an example memory (no key, no network; installs what that takes)
	@$(PY) -m voice demo

$(DEMO_STAMP): requirements-demo.lock requirements-uv.lock pyproject.toml tools/install
	@UV_NO_CACHE=1 sh tools/install requirements-demo.lock
	@touch $(DEMO_STAMP)
	@echo "Starting voice for the first time, which takes a few seconds …"

test: setup ## run the fast tests, which is most of them, in a few minutes (COVERAGE=1 measures what they reach)
	$(if $(COVERAGE),@$(PY) -m coverage erase)
	$(PYTEST) -n 2 -m "not slow" $(if $(COVERAGE),--cov=voice --cov-branch --cov-report=) $(TESTS)

# One worker more than the cores of a small machine: while processes, browsers and deadlines are waited for, it works.
slow: setup ## run the slow tests alone (COVERAGE=1 adds what they reach)
	$(PYTEST) -n 3 -m slow --durations=40 --durations-min=10 $(if $(COVERAGE),--cov=voice --cov-branch --cov-append --cov-report=) $(TESTS)

check: ## all there is to check: linters, types, all tests, and how much of the code they reach
	@$(MAKE) --no-print-directory COVERAGE=1 test
	@$(MAKE) --no-print-directory rest

rest: ## what `make check` has beyond `make test COVERAGE=1`
	@$(MAKE) --no-print-directory lint types
	@$(MAKE) --no-print-directory COVERAGE=1 slow
	@$(MAKE) --no-print-directory coverage

lint: setup ## style, import contracts, unused dependencies
	$(PY) -m ruff format --check src tests bench tools
	$(PY) -m ruff check src tests bench tools
	.venv/bin/lint-imports --no-cache
	.venv/bin/deptry src

format: setup ## rewrite the sources in the project's format
	$(PY) -m ruff format src tests bench tools
	$(PY) -m ruff check --fix src tests bench tools

types: setup ## strict types on sources and tests
	$(PY) -m basedpyright

coverage: setup ## hold what the last `make check` reached: core 100 %, whole at least 95 %
	$(PY) -m coverage report --fail-under=95
	$(PY) -m coverage report --include='src/voice/core/*' --fail-under=100

bench: setup ## print the benchmarks of docs/benchmarks.md (DATA=../shared/data for the public sets)
	$(PY) -m bench.turn --rows 2000 --json
	$(PY) -m bench.store --json
	$(PY) -m bench.scale --rows 100000 --growth
	@for f in $(DATA)/memory/*.json; do test -e "$$f" || continue; echo "== $$f"; $(PY) -m bench.locomo --data "$$f" --json; done

grounding: setup ## print the figures of docs/grounding-measured.md again (DATA=../shared/data; half an hour of one core)
	$(if $(and $(SETS),$(DRAFTS),$(wildcard $(DATA)/memory/locomo-dev.json)),,$(error no data in $(DATA): it must hold \
		grounding/*.jsonl, drafts/*.jsonl and memory/locomo-dev.json; name another place with DATA=))
	$(PY) -m bench.drafts $(DRAFTS)
	$(PY) -m bench.drafts $(DRAFTS) $(VERDICTS)
	$(PY) -m bench.admission
	$(PY) -m bench.admission $(DRAFTS) $(SETS)
	$(PY) -m bench.grounding $(SETS)
	$(PY) -m bench.lexical $(SETS)
	$(PY) -m bench.support $(foreach set,ragtruth-qa lfqa begin,--data "$(DATA)/grounding/$(set)-dev.jsonl")
	$(PY) -m bench.quotes --data "$(DATA)/memory/locomo-dev.json" --turns 2500
	$(PY) -m bench.adversary --data "$(DATA)/memory/locomo-dev.json" --trials 10000
	$(PY) -m bench.instructions $(MEMORIES)
	$(PY) -m bench.answerability --data "$(DATA)/memory/locomo-dev.json"

e2e-llm: setup ## ask a real model (MODEL=1.5b, QUESTIONS=40, OF_EACH=20, REJUDGE=1, PAGE=docs/real-model.md)
	$(if $(MEMORIES),,$(error no data in $(DATA): it must hold memory/*.json; name another place with DATA=))
	nice -n 19 $(PY) -m bench.real_model --model $(MODEL) --questions $(QUESTIONS) --of-each $(OF_EACH) \
		$(if $(REJUDGE),--rejudge) $(if $(PAGE),--page "$(PAGE)") \
		$(MEMORIES)

soak: setup ## the long trials: hundreds of kill -9 of store, index and turns, open and close cycles
	$(PY) -m bench.crash --trials 100 --cycles 100 --json
	$(PY) -m bench.index_crash --trials 500 --json
	$(PY) -m bench.turn_crash --trials 500 --json
	$(PY) -m bench.torn --trials 200 --json
	$(PY) -m bench.forget --trials 200 --json
	$(PY) -m bench.clients --clients 20 --operations 200 --json
	$(PY) -m bench.clients --clients 20 --operations 200 --kill 20 --json
	$(PY) -m bench.http_fuzz --examples 300

docs: setup ## write the generated pages of docs/
	$(PY) tools/docs.py
	$(PY) tools/example_sessions.py
	$(PY) -m voice demo --record docs/demo.svg >/dev/null

pictures: setup ## take the pictures of the pages in docs/img again, with Chromium
	PYTHONPATH=src:tests $(PY) tools/screenshots.py

site: setup ## build docs/ as a site into site/, to be read from the disk (site/index.html)
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict --site-dir site
	@echo "Built: site/index.html"

wheel: setup ## build the wheel into dist/
	$(PY) -m build --wheel --no-isolation --outdir dist .

lock: setup ## resolve the dependencies again, with hashes: all, those of the demo among them, and uv
	$(COMPILE) pyproject.toml --group dev --all-extras --output-file requirements.lock
	$(COMPILE) pyproject.toml --group build --constraints requirements.lock --output-file requirements-demo.lock
	echo uv | $(COMPILE) - --constraints requirements.lock --output-file requirements-uv.lock

clean: ## remove .venv and everything made
	rm -rf .venv dist build site .coverage .coverage.* .pytest_cache .ruff_cache .hypothesis .import_linter_cache
