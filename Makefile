# Tickwire. `make` alone lists the targets; each sets up what it needs, and does nothing twice.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
PYTHON := $(VENV)/bin/python
STAMP := $(VENV)/.stamp
CARGO ?= cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)
TICKWIRE := $(TARGET)/release/tickwire
VERIFY := $(TARGET)/release/tickwire-verify
JOBS ?= 2
# make demo: a BinaryFILE, pcap or pcapng of your own; without it the AAPL hour, or generated data where that is absent.
DATA ?=
# An hour of real ITCH, for make bench.
HOUR := ../shared/data/nasdaq-aapl-2012-06-21/aapl.itch50
# make pnr: presets of rtl/presets.toml or blocks of tools/pnr.py; without it every preset.
DESIGN ?=

# Adds date and revision to a file of figures.
STAMP_FIGURES := $(PYTHON) tools/figures.py --stamp

export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export CARGO_BUILD_JOBS ?= $(JOBS)

.PHONY: help prerequisites setup build verify-program demo test long orders lint format formal formal-quick pnr bench fuzz registers docs clean

help: ## list the targets (default)
	@echo "make demo and make test are the two to start with."
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do printf '  make %-10s %s\n' "$$name" "$$text"; done

prerequisites:
	@sh tools/check_prerequisites.sh

$(STAMP): requirements.txt tools/setup_venv.sh | prerequisites
	@sh tools/setup_venv.sh
	@sh tools/check_prerequisites.sh --optional
	@touch $@

setup: $(STAMP) ## Python environment and crates, downloaded and pinned (first time: 1 to 3 minutes)
	@$(CARGO) fetch --quiet --locked

# With the models that make demo runs; another is built when it is first run.
build: $(STAMP) ## the command tickwire, with the simulated cores of make demo in it
	@$(CARGO) build --release --locked --package tickwire --features built-in-models

# And what only those who change Tickwire need: figures, fuzzing, formulas.
verify-program: $(STAMP)
	@$(CARGO) build --release --locked --package tickwire --package tickwire-verify --features tickwire/built-in-models

demo: build ## an hour of market through hardware and software; DATA=file for your own; writes out/demo/report.html
	@$(TICKWIRE) demo $(if $(DATA),--data "$(DATA)") --out out/demo

test: $(STAMP) ## everything: lint, Rust, RTL, system tests, quick proofs (35 to 45 minutes on 2 cores from nothing); writes out/test_times.json
	@$(PYTHON) tools/run_tests.py

# What make test counts in thousands, in millions.
long: verify-program ## the long counts: 5 million fuzzed frames, 5 million packets through the arbiters, a million orders, the long counts of all tests, all proofs (hours; root)
	@$(VERIFY) fuzz --frames 5000000
	@$(VERIFY) bench arbiter --packets 20000000
	@TICKWIRE_LONG=1 $(CARGO) test --locked --package lockstep --package figures
	@$(CARGO) test --locked --package language_jit --package language_processor --package language_module -- --ignored
	@TICKWIRE_LONG=1 $(PYTHON) -m pytest tests/rtl
	@FRAMES=20000 $(PYTHON) -m pytest tests/rtl/test_statistics_slot.py
	@$(PYTHON) tools/formal.py
	@$(PYTHON) tools/lint.py
	@TICKWIRE_ORDERS=1000000 $(PYTHON) -m pytest tests/system/test_bad_lines.py

orders: build ## a million orders over bad lines (ORDERS=100000 for fewer), in network namespaces; needs root; writes out/bench/bad_lines.json
	@TICKWIRE_ORDERS=$(or $(ORDERS),1000000) $(PYTHON) -m pytest tests/system/test_bad_lines.py
	@$(STAMP_FIGURES) out/bench/bad_lines.json

# What tests leave for the figures: counted by make test, make orders, or now.
SOURCES := $(shell find rtl crates verify -name '*.sv' -o -name '*.rs' -o -name '*.inc' -o -name '*.toml')
out/bench/bad_lines.json: $(SOURCES) | build
	@$(PYTHON) -m pytest -q tests/system/test_bad_lines.py && $(STAMP_FIGURES) $@ || echo "orders over bad lines: see above"

out/bench/decision_first_byte.json: $(filter %.sv,$(SOURCES)) | $(STAMP)
	@$(PYTHON) -m pytest -q tests/rtl/test_order_path.py && $(STAMP_FIGURES) $@ || echo "decision to first byte: see above"

# A hundred random strategies as modules in Verilator: minutes.
out/bench/strategy_modules.json: $(filter crates/language% verify/language_random/%,$(SOURCES)) | $(STAMP)
	@$(CARGO) test --quiet --locked --package language_module --test random -- --ignored && $(STAMP_FIGURES) $@ || echo "random strategies as modules: see above"

out/bench/fix_acceptance.json: $(filter crates/session/% crates/formats/%,$(SOURCES)) | $(STAMP)
	@$(CARGO) test --quiet --locked --package session --test tests acceptance:: && $(STAMP_FIGURES) $@ || echo "FIX acceptance scripts: see above"

lint: $(STAMP) ## format and lint of SystemVerilog, Rust and Python; generated files current
	@$(PYTHON) tools/lint.py

format: $(STAMP) ## format everything in place
	@$(PYTHON) tools/lint.py --fix

formal: $(STAMP) ## all formal proofs
	@$(PYTHON) tools/formal.py

formal-quick: $(STAMP)
	@$(PYTHON) tools/formal.py --quick

pnr: $(STAMP) ## synthesis, place and route of every preset, three seeds each (hours); DESIGN="stops_1g arbiter_w64 ..." for some; writes out/pnr/
	@$(PYTHON) tools/pnr.py $(addprefix --design ,$(DESIGN))

# Place and route is not run here: its figures are those of the last make pnr. What is missing is null, with a reason, and stops nothing; a
# part that fails lets the others run, and the exit code says so.
bench: verify-program out/bench/bad_lines.json out/bench/decision_first_byte.json out/bench/fix_acceptance.json out/bench/strategy_modules.json ## latency, rates, sizes (about 45 minutes); writes out/bench/ and docs/reference/figures.md
	@failed=0; mkdir -p out/bench; \
	$(VERIFY) fuzz --orders 20000 --json > out/bench/orders.new && mv out/bench/orders.new out/bench/orders.json && $(STAMP_FIGURES) out/bench/orders.json || { echo "orders compared: see above"; rm -f out/bench/orders.json; failed=1; }; \
	for part in foundation arbiter session book fast fast-wire strategy; do \
	  file=out/bench/$$(echo $$part | tr - _).json; \
	  $(VERIFY) bench $$part --json-out $$file && $(STAMP_FIGURES) $$file || { echo "bench $$part: see above"; rm -f $$file; failed=1; }; \
	done; \
	$(TICKWIRE) generate moex --out out/bench/moex.pcap >/dev/null && \
	$(TICKWIRE) measure out/bench/moex.pcap --desk desks/moex-best-offer --target module,processor --preset order_log_module_10g,order_log_processor_10g,moex_10g_one_line --out out/bench/order_log && \
	mv out/bench/order_log/tick_to_trade.json out/bench/order_log.json && $(STAMP_FIGURES) out/bench/order_log.json || { echo "tick to trade on an order log: see above"; rm -f out/bench/order_log.json; failed=1; }; \
	$(TICKWIRE) measure out/bench/moex.pcap --desk desks/moex-best-price.toml --preset order_log_trader_10g --wait busy-poll --out out/bench/order_log_prices && \
	mv out/bench/order_log_prices/tick_to_trade.json out/bench/order_log_prices.json && $(STAMP_FIGURES) out/bench/order_log_prices.json || { echo "tick to trade in the core of best prices: see above"; rm -f out/bench/order_log_prices.json; failed=1; }; \
	$(TICKWIRE) measure out/bench/moex.pcap --desk desks/moex-best-offer --target module --width 64 --packets 5000 --open-loop 1,8 --out out/bench/open_loop && \
	mv out/bench/open_loop/tick_to_trade.json out/bench/open_loop.json && $(STAMP_FIGURES) out/bench/open_loop.json || { echo "tick to trade at the recorded pace: see above"; rm -f out/bench/open_loop.json; failed=1; }; \
	if test -f $(HOUR); then \
	  $(TICKWIRE) measure $(HOUR) --desk desks/best-price.toml --width 64 --packets 10000 --open-loop 1,8 --wait busy-poll --out out/bench/itch && \
	  mv out/bench/itch/tick_to_trade.json out/bench/itch.json && $(STAMP_FIGURES) out/bench/itch.json || { echo "tick to trade on ITCH: see above"; rm -f out/bench/itch.json; failed=1; }; \
	else echo "tick to trade on ITCH is not measured: no $(HOUR)"; fi; \
	$(PYTHON) tools/house.py >/dev/null || failed=1; \
	$(PYTHON) tools/figures.py || failed=1; \
	exit $$failed

fuzz: verify-program ## hardware against software on mutated frames; FRAMES=5000000
	@$(VERIFY) fuzz --frames $(or $(FRAMES),5000000)

registers: $(STAMP) ## RTL block, Rust constants and page from rtl/host/registers.rdl
	@$(PYTHON) tools/registers.py

docs: build ## the generated reference pages (registers, presets, command line)
	@$(PYTHON) tools/registers.py
	@$(PYTHON) tools/presets.py
	@$(PYTHON) tools/cli_reference.py $(TICKWIRE)

clean: ## remove everything that was built (not .venv: remove that by hand)
	rm -rf build out target
