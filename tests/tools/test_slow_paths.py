"""slow_paths: netlists of a few cells, whose paths are computed by hand.

On grade 8: out of a flip-flop 0.35 ns, through a LUT 0.18; a wire that drives one cell 0.45 + 0.13 * log2(2) = 0.58, three 0.71, seven
0.84.
"""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from slow_paths import Group, module_of, show, slow_paths

OUTPUTS = {"TRELLIS_FF": "Q", "LUT4": "Z", "PFUMX": "Z", "L6MUX21": "Z", "CCU2C": "COUT S0 S1", "DP16KD": "DOA0 DOB0", "MULT18X18D": "P0"}
CLOCK = 1


def cell(kind: str, parameters: dict[str, str] | None = None, **pins: int | str | list[int]) -> dict[str, Any]:
    outputs = [*OUTPUTS.get(kind, "").split(), "DO"]
    return {
        "type": kind,
        "parameters": parameters or {},
        "connections": {pin: bits if isinstance(bits, list) else [bits] for pin, bits in pins.items()},
        "port_directions": {pin: "output" if pin in outputs else "input" for pin in pins},
    }


def flip_flop(data: int | str, q: int, **pins: int) -> dict[str, Any]:
    return cell("TRELLIS_FF", None, CLK=CLOCK, DI=data, Q=q, **pins)


def lut(z: int, *inputs: int) -> dict[str, Any]:
    return cell("LUT4", None, Z=z, **dict(zip("ABCD", inputs, strict=False)))


class Paths:
    """The groups of a netlist; what ends outside `limit` is not reported."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "netlist.json"

    def __call__(
        self, cells: dict[str, Any], names: dict[str, list[int]] | None = None, device: str = "um5g-85k", limit: float = 0.0
    ) -> list[Group]:
        nets = {name: {"bits": bits} for name, bits in (names or {}).items()}
        modules = {"LUT4": {"netnames": {}}, "top": {"cells": cells, "netnames": nets}}
        self.file.write_text(json.dumps({"modules": modules}))
        return slow_paths(self.file, device, limit)

    def longest(self, cells: dict[str, Any], device: str = "um5g-85k") -> float:
        return self(cells, device=device)[0].ns


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(tmp_path)


def test_a_path_is_its_cells_and_its_wires_and_on_grade_6_it_is_slower(paths: Paths) -> None:
    cells = {"a": flip_flop("x", 10), "l": lut(11, 10), "b": flip_flop(11, 12)}
    # Into the flip-flop after a LUT there is no wire.
    assert paths.longest(cells) == pytest.approx(0.35 + 0.58 + 0.18)
    assert paths.longest(cells, "25k") == pytest.approx(1.3 * (0.35 + 0.58 + 0.18))


def test_a_wire_is_slower_the_more_it_drives(paths: Paths) -> None:
    cells = {"a": flip_flop("x", 10), "l": lut(11, 10), "b": flip_flop(11, 12)}
    others = {f"o{i}": lut(20 + i, 10) for i in range(2)}
    assert paths.longest(cells | others) == pytest.approx(0.35 + 0.71 + 0.18)
    others = {f"o{i}": lut(20 + i, 10, 10, 10) for i in range(2)}
    assert paths.longest(cells | others) == pytest.approx(0.35 + 0.84 + 0.18)


def test_the_latest_input_counts(paths: Paths) -> None:
    cells = {"a": flip_flop("x", 10), "b": flip_flop("x", 11), "l": lut(12, 10), "m": lut(13, 11, 12), "c": flip_flop(13, 14)}
    assert paths.longest(cells) == pytest.approx(0.35 + 0.58 + 0.18 + 0.58 + 0.18)


def test_controls_come_over_a_wire_and_clocks_are_no_ends(paths: Paths) -> None:
    cells = {"a": flip_flop("x", 10), "b": flip_flop("x", 11, CE=10), "clock": flip_flop("x", CLOCK)}
    assert [(group.count, pytest.approx(group.ns)) for group in paths(cells)] == [(1, 0.35 + 0.58 + 0.2)]
    cells = {"a": flip_flop("x", 10), "r": cell("TRELLIS_DPR16X4", WCK=CLOCK, WRE=10, DO=[11])}
    assert paths.longest(cells) == pytest.approx(0.35 + 0.58 + 0.2)


def test_a_carry_is_entered_passed_and_left(paths: Paths) -> None:
    chain = {
        "a": flip_flop("x", 10),
        "c0": cell("CCU2C", A0=10, COUT=11),
        "c1": cell("CCU2C", CIN=11, COUT=12),
        "c2": cell("CCU2C", CIN=12, S0=13),
        "b": flip_flop(13, 14),
    }
    assert paths.longest(chain) == pytest.approx(0.35 + 0.58 + 0.35 + 0.05 + 0.35)
    short = {"a": flip_flop("x", 10), "c": cell("CCU2C", A0=10, S0=13), "b": flip_flop(13, 14)}
    assert paths.longest(short) == pytest.approx(0.35 + 0.58 + 0.4)


def test_a_chain_of_carries_leaves_its_column_for_a_net_that_others_want(paths: Paths) -> None:
    chain = {"a": flip_flop("x", 10), "c0": cell("CCU2C", A0=10, COUT=11)}
    # A carry alone goes out through a sum.
    assert paths.longest(chain | {"l": lut(12, 11), "b": flip_flop(12, 13)}) == pytest.approx(0.35 + 0.58 + 0.35 + 0.4 + 0.58 + 0.18)
    both = {"l": lut(12, 11), "c1": cell("CCU2C", CIN=11, S0=14), "b": flip_flop(14, 15)}
    assert paths.longest(chain | both) == pytest.approx(0.35 + 0.58 + 0.35 + 0.4 + 0.45 + 0.13 * 1.584962500721156 + 0.35 + 0.35)
    # One that begins with a net comes in the same way.
    begins = {"a": flip_flop("x", 10), "c": cell("CCU2C", CIN=10, S0=14), "b": flip_flop(14, 15)}
    assert paths.longest(begins) == pytest.approx(0.35 + 0.58 + 0.35 + 0.35)


def test_multiplexers_behind_luts_are_inside_the_slice(paths: Paths) -> None:
    cells = {
        "a": flip_flop("x", 10),
        "l": lut(11, 10),
        "p": cell("PFUMX", ALUT=11, Z=12),
        "x": cell("L6MUX21", D0=12, Z=13),
        "b": flip_flop(13, 14),
    }
    assert paths.longest(cells) == pytest.approx(0.35 + 0.58 + 0.18 + 2 * (0.05 + 0.1))


@pytest.mark.parametrize(
    ("source", "ns"),
    [
        (cell("DP16KD", {"REGMODE_A": "NOREG", "REGMODE_B": "NOREG"}, CLKA=CLOCK, DOA0=10), 4.3),
        (cell("DP16KD", {"REGMODE_A": "NOREG", "REGMODE_B": "OUTREG"}, CLKA=CLOCK, DOA0=10), 0.7),
        (cell("MULT18X18D", CLKA=CLOCK, P0=10), 2.0),
        (cell("TRELLIS_FF", CLK=CLOCK, Q=10), 0.35),
    ],
)
def test_what_has_a_clock_begins_a_path(paths: Paths, source: dict[str, Any], ns: float) -> None:
    assert paths.longest({"s": source, "l": lut(11, 10), "b": flip_flop(11, 12)}) == pytest.approx(ns + 0.58 + 0.18)


def test_distributed_ram_is_read_like_a_lut_and_ends_what_is_written_to_it(paths: Paths) -> None:
    ram = cell("TRELLIS_DPR16X4", WCK=CLOCK, RAD=[10], DO=[11])
    cells = {"a": flip_flop("x", 10), "ram": ram, "b": flip_flop(11, 12)}
    assert [(group.count, pytest.approx(group.ns)) for group in paths(cells)] == [(1, 0.35 + 0.58 + 0.18)]
    # Its data comes over a wire.
    cells = {"a": flip_flop("x", 10), "l": lut(20, 10), "m": cell("TRELLIS_DPR16X4", WCK=CLOCK, DI=[20], DO=[11])}
    assert paths.longest(cells) == pytest.approx(0.35 + 0.58 + 0.18 + 0.58)


def test_a_loop_is_broken_and_told(paths: Paths) -> None:
    cells = {"a": flip_flop("x", 10), "l": lut(11, 10, 12), "m": lut(12, 11), "b": flip_flop(12, 13)}
    (group,) = paths(cells)
    # 11 drives m, 12 drives l and b.
    assert group.ns == pytest.approx(0.35 + 0.58 + 0.18 + 0.58 + 0.18)


def test_paths_are_grouped_by_their_modules_and_the_slowest_is_shown(paths: Paths) -> None:
    cells = {
        "design.tx.queue[0].q": flip_flop("x", 10),
        "design.tx.queue[1].q": flip_flop("x", 11),
        "design.l": lut(12, 10),
        "design.m": lut(13, 12, 11),
        "design.rx.one": flip_flop(12, 20),
        "design.rx.two": flip_flop(13, 21),
        "design.n": lut(14, 2),
        "design.other": flip_flop(14, 22),
    }
    names = {"design.tx.value": [11, 10], "a_much_longer_name_of_it": [10], "design.sum": [12], "design.last": [13]}
    first, second = paths(cells, names)
    # 12 drives the LUT and a flip-flop: 0.45 + 0.13 * log2(3).
    slowest = 0.35 + 0.58 + 0.18 + 0.45 + 0.13 * 1.584962500721156 + 0.18
    assert (first.source, first.sink, first.count, first.ns) == ("tx.queue[]", "rx", 2, pytest.approx(slowest))
    assert first.nets == [("value[1]", 1), ("sum", 2), ("last", 1)]
    # From a port: nothing before its wire.
    assert (second.source, second.sink, second.count, second.ns) == ("(ports)", "(top)", 1, pytest.approx(0.58 + 0.18))
    assert [group.count for group in paths(cells, names, limit=1.2)] == [1]
    assert paths(cells, names, limit=2.0) == []


def test_what_is_shown_tells_of_what_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    groups = [Group("a", "b", 7.5, 3, [("x", 1), ("y", 20)]), Group("c", "d", 6.5, 2, [("z", 4)])]
    show(groups, 6.4, most=1)
    told = capsys.readouterr().out
    assert "5 paths over 6.4 ns" in told
    assert "7.50 ns      3  a -> b" in told
    assert "x(1) > y(20)" in told
    assert "c -> d" not in told
    assert "and 1 pairs of modules more" in told


def test_a_cells_module_is_its_name_without_the_last_part() -> None:
    assert module_of("design.g_session.path[12].fifo.q_TRELLIS_FF_Q") == "g_session.path[].fifo"
    assert module_of("q") == "(top)"
