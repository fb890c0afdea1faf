"""The lines of docs/reference/figures.md about place and route: a design each."""

from collections.abc import Callable

import presets
from figure_row import Row
from measured import Measured

BLOCKS = (
    ("arbiter_w8", "the arbiter alone, W = 8", ""),
    ("arbiter_w64", "the arbiter alone, W = 64", "one policy, 64 bits, 1,609 LUT4, 94 to 101 MHz"),
    ("arbiter_w128_seq64", "the arbiter alone, W = 128, 64-bit numbers", "166 MHz on a Virtex-6 (system D)"),
    ("arbiter_w128_seq32", "the arbiter alone, W = 128, 32-bit numbers", "190 MHz on a Virtex-6 (system D)"),
    ("arbiter_w128_nexus", "the arbiter alone, W = 128, 64-bit numbers, on the LIFCL-40-9", ""),
    ("book", "the order book alone, 12,288 orders", "10,262 LUT4 and 42 MHz, price ladder of the best open trading core"),
    ("fast_w8", "the FAST engine alone, W = 8", ""),
    ("fast_w64", "the FAST engine alone, W = 64", "5,630 LUTs (system A)"),
    ("fast_wire", "the wire-rate FAST engine alone, ten wanted fields", ""),
    ("fast_wire_set", "the same for a set of eight templates, with its scout", ""),
    ("fast_wire_constants", "the same with the order log's tables as constants, seven fields", ""),
    ("fast_wire_nexus", "the same with ten fields, tables that are loaded", ""),
    ("strategy_processor", "the strategy processor alone", ""),
    ("tcp_w8", "the TCP client alone, W = 8", ""),
    ("tcp_w64", "the TCP client alone, W = 64", "2,219 LUT4 and 97 MHz, TCP transmit of the best open trading core"),
)


def placed(name: str) -> Callable[[Measured], str | None]:
    """Clock, size and verdict of a design."""

    def figure(measured: Measured) -> str | None:
        design = measured.file(f"pnr/{name}")
        if design is None:
            return None
        clocks = ", ".join(f"{clock:.1f}" for clock in design["fmax_mhz"])
        verdict = "met" if design["met"] else "MISSED"
        text = f"{clocks} MHz on the {design['device']}, {design['target_mhz']:g} wanted: {verdict}"
        if "lut4" in design:
            text += f"; {design['lut4']:,} LUT4, {design['ff']:,} flip-flops, {design['ebr']} block RAMs, {design['dsp']} DSPs"
        return text

    return figure


def areas(measured: Measured) -> list[str]:
    """For each preset that was placed, where its logic is: a tree of its stages and their parts, in Markdown."""
    text = []
    for preset in presets.load():
        stages = measured.placed.get(preset.name, {}).get("stages", {})
        if not stages:
            continue
        total = sum(stage["lut4"] for name, stage in stages.items() if "." not in name)
        text += [f"### `{preset.name}`", "", "| stage | LUT4 | share | flip-flops | block RAMs |", "|---|--:|--:|--:|--:|"]
        for name, stage in stages.items():
            *above, own = name.split(".")
            share = f"{100 * stage['lut4'] / total:.0f} %"
            text.append(f"| {'&emsp;' * len(above)}{own} | {stage['lut4']:,} | {share} | {stage['ff']:,} | {stage['ebr']} |")
        text.append("")
    return text


def placed_rows() -> list[Row]:
    """A row a preset and part, then the blocks alone."""
    rows = []
    for preset in presets.load():
        for index, place in enumerate(preset.place):
            name = preset.name if index == 0 else f"{preset.name}_{place.part.lower().replace('-', '_')}"
            rows.append(Row(f"`{name}`: {preset.summary}", placed(name), "", "", f"make pnr DESIGN={name}", f"pnr/{name}"))
    return rows + [Row(what, placed(name), beside, "", f"make pnr DESIGN={name}", f"pnr/{name}") for name, what, beside in BLOCKS]
