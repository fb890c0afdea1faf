"""The presets of rtl/presets.toml, checked, for the tools."""

import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "rtl" / "presets.toml"
FEEDS = ("none", "itch", "fast")
STRATEGIES = ("none", "best_price", "processor", "external")
PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "presets.md"


@dataclass(frozen=True)
class Placement:
    """A part, and the clock required there in MHz."""

    part: str
    clock_mhz: float


@dataclass(frozen=True)
class Preset:
    """A core that is shipped."""

    name: str
    summary: str
    top: str
    width: int
    lines: int
    feed: str
    statistics: bool
    packet: int
    host: int
    sessions: int
    session_prices: bool
    stops: int
    book: int
    book_levels: int
    strategy: str
    own_orders: bool
    level_reads: bool
    each_change: bool
    trades: bool
    timers: bool
    ring: bool
    feeds: int
    built_in: bool
    place: tuple[Placement, ...]
    parameters: dict[str, int]  # of its top

    @property
    def prices(self) -> str:
        """Where its prices come from."""
        return " and ".join([self.feed.upper()] * (self.feed != "none") + ["FIX"] * self.session_prices)

    @property
    def module(self) -> str:
        """Its top with plain ports, for tools: a shell (sources.py)."""
        return f"{self.top}_shell"


def load(file: Path = FILE) -> list[Preset]:
    """All presets. A member that is missing, unknown or impossible ends the program with a sentence."""
    with file.open("rb") as text:
        tables = tomllib.load(text)
    defaults, tops = tables.pop("defaults", {}), tables.pop("tops", {})
    return [_preset(name, table, defaults, tops) for name, table in tables.items()]


def _preset(name: str, own: dict[str, object], defaults: dict[str, object], tops: dict[str, dict[str, object]]) -> Preset:
    def fail(what: str) -> SystemExit:
        return SystemExit(f"rtl/presets.toml: {name}: {what}")

    if own.get("top") not in tops:
        raise fail(f"top is one of {', '.join(tops)}")
    top = dict(tops[str(own["top"])])
    members: dict[str, str] = top.pop("parameters")  # type: ignore[assignment]
    table = defaults | top | own
    wanted = set(Preset.__dataclass_fields__) - {"name", "parameters"}
    if missing := wanted - set(table):
        raise fail(f"lacks {', '.join(sorted(missing))}")
    if unknown := set(own) - {"summary", "top", "built_in", "place", *members.values()}:
        raise fail(f"says {', '.join(sorted(unknown))}, which is no parameter of {own['top']}")
    places = table.pop("place")
    if not isinstance(places, list) or not places:
        raise fail("place is a list of parts, each with its clock_mhz")
    parameters = {parameter: int(table[member]) for parameter, member in members.items()}  # type: ignore[call-overload]
    preset = Preset(name=name, place=tuple(Placement(**place) for place in places), parameters=parameters, **table)  # type: ignore[arg-type]
    if preset.width not in (8, 64):
        raise fail("width is 8 or 64")
    if preset.stops not in (0, 8, 16, 32, 64) or (preset.stops == 0 and "stops" in members.values()):
        raise fail("stops are 8, 16, 32 or 64")
    if not 1 <= preset.feeds <= 4:
        raise fail("feeds are 1 to 4")
    if not 64 <= preset.packet <= 9000 and (preset.packet or "packet" in members.values()):
        raise fail("packet is 64 to 9000 bytes")
    if preset.host not in (256, 512, 1024, 2048):
        raise fail("host is 256, 512, 1024 or 2048 beats")
    if preset.book_levels not in ((4, 8) if "book_levels" in members.values() else (0,)):
        raise fail("book_levels are 4 or 8")
    return preset


def page(presets: list[Preset]) -> str:
    """docs/reference/presets.md."""
    rows = [
        f"| `{preset.name}` | {preset.summary} | `{preset.top}` | {preset.width} | {preset.lines} | {preset.prices} "
        f"| {'yes' if preset.statistics else 'no'} | {preset.packet or 'none'} | {preset.sessions} | {preset.stops} "
        f"| {preset.book} | {preset.book_levels} "
        f"| {preset.strategy} | {'yes' if preset.own_orders else 'no'} "
        f"| {'yes' if preset.level_reads else 'no'} | {'yes' if preset.each_change else 'no'} | {'yes' if preset.trades else 'no'} "
        f"| {'yes' if preset.timers else 'no'} | {'yes' if preset.ring else 'no'} "
        f"| {preset.feeds} | {', '.join(f'{place.part} at {place.clock_mhz:g} MHz' for place in preset.place)} |"
        for preset in presets
    ]
    return "\n".join(
        [
            "# Presets",
            "",
            "Every core that is shipped, by name. Written by `make docs` from `rtl/presets.toml`: change that file, not this page.",
            "",
            "Each is linted, simulated against software in `make test`, and placed by `make pnr DESIGN=name` where it has a part.",
            "`tickwire sim --preset name` runs one; `tickwire info --presets` lists them, and says which the program has built in.",
            "",
            "| preset | what it is | top | width | lines | prices | statistics | longest packet | sessions | stops "
            "| orders in the book | its levels kept ready "
            "| strategy on it | own orders followed | deeper levels | each change | trades | timers "
            "| ring | feeds | part and clock wanted |",
            "|---|---|---|--:|--:|---|---|--:|--:|--:|--:|--:|---|---|---|---|---|---|---|--:|---|",
            *rows,
            "",
        ]
    )


def main() -> int:
    """Writes the page; with --check says whether the existing one is current."""
    text = page(load())
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text() != text:
            print("docs/reference/presets.md is not what rtl/presets.toml says: run make docs", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
