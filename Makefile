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
JOBS ?= 2
# make demo: a BinaryFILE, pcap or pcapng of your own; without it the AAPL hour, or generated data where that is absent.
DATA ?=
# make pnr: designs of tools/pnr.py; without it the core at both widths.
DESIGN ?=

export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export CARGO_BUILD_JOBS ?= $(JOBS)

.PHONY: help prerequisites setup build demo test orders lint format formal formal-quick pnr bench fuzz registers docs clean

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

build: $(STAMP) ## the command tickwire, with both Verilated cores inside (first time: about 3 minutes)
	@$(CARGO) build --release --locked --package tickwire

demo: build ## an hour of market through hardware and software; DATA=file for your own; writes out/demo/report.html
	@$(TICKWIRE) demo $(if $(DATA),--data "$(DATA)") --out out/demo

test: $(STAMP) ## everything: lint, Rust, RTL, system tests, quick proofs (30 to 45 minutes on 2 cores from nothing)
	@$(PYTHON) tools/run_tests.py

orders: build ## a million orders over bad lines (ORDERS=100000 for fewer), in network namespaces; needs root; writes out/bench/bad_lines.json
	@TICKWIRE_ORDERS=$(or $(ORDERS),1000000) $(PYTHON) -m pytest tests/system/test_bad_lines.py

# Orders over bad lines have been counted with this tickwire: by make test, make orders, or now.
$(TICKWIRE): build ;
out/bench/bad_lines.json: $(TICKWIRE)
	@$(PYTHON) -m pytest -q tests/system/test_bad_lines.py || echo "orders over bad lines: see above"

out/bench/decision_first_byte.json: $(STAMP) $(shell find rtl -name '*.sv')
	@$(PYTHON) -m pytest -q tests/rtl/test_order_path.py || echo "decision to first byte: see above"

lint: $(STAMP) ## format and lint of SystemVerilog, Rust and Python; generated files current
	@$(PYTHON) tools/lint.py

format: $(STAMP) ## format everything in place
	@$(PYTHON) tools/lint.py --fix

formal: $(STAMP) ## all formal proofs
	@$(PYTHON) tools/formal.py

formal-quick: $(STAMP)
	@$(PYTHON) tools/formal.py --quick

pnr: $(STAMP) ## synthesis, place and route of the W=8 and W=64 core, of one line and of two, three seeds each; DESIGN="arbiter_w64 ..." for others; writes out/pnr/
	@$(PYTHON) tools/pnr.py $(addprefix --design ,$(DESIGN))

out/bench/fix_acceptance.json: $(shell find crates/session crates/wire -name '*.rs')
	@$(CARGO) test --quiet --locked --package session --test acceptance || echo "FIX acceptance scripts: see above"

# What is missing stands in the figures as null, with a reason, as does a clock that is missed: neither stops the bench.
bench: build out/bench/bad_lines.json out/bench/decision_first_byte.json out/bench/fix_acceptance.json ## latency, rates, resources (after make pnr: 15 minutes more); writes out/bench/
	@$(PYTHON) tools/pnr.py || echo "place and route did not meet every clock: see above"
	@$(PYTHON) tools/pnr.py --design w8_orders --design w64_orders --design tcp_w8 --design tcp_w64 || echo "place and route did not meet every clock: see above"
	@$(TICKWIRE) bench foundation --json-out out/bench/foundation.json
	@$(TICKWIRE) bench arbiter --json-out out/bench/arbiter.json
	@$(TICKWIRE) bench session --json-out out/bench/session.json

fuzz: build ## hardware against software on mutated frames; FRAMES=5000000
	@$(TICKWIRE) fuzz --frames $(or $(FRAMES),5000000)

registers: $(STAMP) ## RTL block, Rust constants and page from rtl/host/registers.rdl
	@$(PYTHON) tools/registers.py

docs: build ## the generated reference pages (registers, command line)
	@$(PYTHON) tools/registers.py
	@$(PYTHON) tools/cli_reference.py $(TICKWIRE)

clean: ## remove everything that was built (not .venv: remove that by hand)
	rm -rf build out target
