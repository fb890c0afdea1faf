"""The presets of rtl/presets.toml, checked, for the tools."""

import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "rtl" / "presets.toml"
# By their numbers in rtl/core.sv.
FEEDS = ("none", "itch", "fast")
WIRE_RATES = ("none", "loaded", "constants")  # in the order of WIRE_RATE in rtl/core.sv
STRATEGIES = ("none", "best_price", "processor", "external")  # in the order of STRATEGY in rtl/core.sv
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
    wire_rate: str
    feeds: int
    built_in: bool
    place: tuple[Placement, ...]

    @property
    def prices(self) -> str:
        """Where its prices come from."""
        return " and ".join([self.feed.upper()] * (self.feed != "none") + ["FIX"] * self.session_prices)

    @property
    def parameters(self) -> dict[str, int]:
        """Of its top."""
        if self.top == "order_log_trader":
            return {"W": self.width, "LEVELS": self.book_levels, "HOST_WORDS": self.host}
        return {
            "W": self.width,
            "LINES": self.lines,
            "FEED": FEEDS.index(self.feed),
            "STATISTICS": int(self.statistics),
            "PACKET_BYTES": self.packet,
            "HOST_WORDS": self.host,
            "SESSIONS": self.sessions,
            "SESSION_PRICES": int(self.session_prices),
            "BOOK_ORDERS": self.book,
            "BOOK_LEVELS": self.book_levels if self.book else 8,
            "STRATEGY": STRATEGIES.index(self.strategy),
            "OWN_ORDERS": int(self.own_orders),
            "LEVEL_READS": int(self.level_reads),
            "EACH_CHANGE": int(self.each_change),
            "TRADES": int(self.trades),
            "TIMERS": int(self.timers),
            "STOPS": self.stops if self.sessions else 64,
            "RING": int(self.ring),
            "WIRE_RATE": WIRE_RATES.index(self.wire_rate),
            "FEEDS": self.feeds,
        }


def load(file: Path = FILE) -> list[Preset]:
    """All presets. A member that is missing, unknown or impossible ends the program with a sentence."""
    with file.open("rb") as text:
        tables = tomllib.load(text)
    defaults = tables.pop("defaults", {})
    return [_preset(name, defaults | table) for name, table in tables.items()]


def _preset(name: str, table: dict[str, object]) -> Preset:
    def fail(what: str) -> SystemExit:
        return SystemExit(f"rtl/presets.toml: {name}: {what}")

    wanted = set(Preset.__dataclass_fields__) - {"name"}
    if missing := wanted - set(table):
        raise fail(f"lacks {', '.join(sorted(missing))}")
    if unknown := set(table) - wanted:
        raise fail(f"has {', '.join(sorted(unknown))}, which no preset has")
    places = table["place"]
    if not isinstance(places, list):
        raise fail("place is a list of parts, each with its clock_mhz")
    members = {key: value for key, value in table.items() if key != "place"}
    preset = Preset(name=name, place=tuple(Placement(**place) for place in places), **members)  # type: ignore[arg-type]
    if preset.width not in (8, 64) or preset.lines not in (1, 2) or preset.sessions not in (0, 1):
        raise fail("width is 8 or 64, lines 1 or 2, sessions 0 or 1")
    if preset.feed not in FEEDS:
        raise fail(f"feed is one of {', '.join(FEEDS)}")
    if preset.feed == "none" and not preset.session_prices:
        raise fail("without a feed and without prices on a session it would do nothing")
    if preset.session_prices and not preset.sessions:
        raise fail("prices of a session need one")
    if preset.stops and not preset.sessions:
        raise fail("stops need a session")
    if preset.stops not in (0, 8, 16, 32, 64):
        raise fail("stops are 0, 8, 16, 32 or 64")
    if preset.ring and preset.feed == "none":
        raise fail("a ring needs a feed")
    if preset.wire_rate not in WIRE_RATES:
        raise fail(f"wire_rate is one of {', '.join(WIRE_RATES)}")
    if preset.wire_rate != "none" and (preset.feed != "fast" or preset.width != 64):
        raise fail("a wire-rate engine needs FAST at 64 bits")
    if not 1 <= preset.feeds <= 4:
        raise fail("feeds are 1 to 4")
    if preset.feeds > 1 and (not preset.ring or preset.sessions or preset.book):
        raise fail("feeds side by side need a ring, and neither a session nor a book")
    if preset.statistics and preset.feed != "itch":
        raise fail("statistics need ITCH")
    if not 64 <= preset.packet <= 9000:
        raise fail("packet is 64 to 9000 bytes")
    if preset.host not in (256, 512, 1024, 2048):
        raise fail("host is 256, 512, 1024 or 2048 beats")
    if preset.book < 0 or (preset.book and preset.feed == "none"):
        raise fail("a book needs a feed")
    if preset.book_levels not in ((4, 8) if preset.book else (0,)):
        raise fail("book_levels are 4 or 8, and 0 without a book")
    if preset.strategy not in STRATEGIES:
        raise fail(f"strategy is one of {', '.join(STRATEGIES)}")
    if preset.strategy != "none" and not (preset.book and preset.sessions):
        raise fail("a strategy needs a book and a session")
    if preset.own_orders and preset.strategy not in ("processor", "external"):
        raise fail("own orders are followed of a strategy in the language: processor or external")
    if preset.level_reads and preset.strategy not in ("processor", "external"):
        raise fail("levels are read by a strategy in the language: processor or external")
    if preset.each_change and not (preset.level_reads and not preset.statistics):
        raise fail("each_change needs level_reads, and no statistics")
    if preset.trades and not (preset.sessions and preset.feed != "none"):
        raise fail("trades need a feed, and a session for what is done with them")
    if preset.stops and preset.feed != "none" and not preset.trades:
        raise fail("stops need the trades of the feed")
    if preset.timers and preset.strategy not in ("processor", "external"):
        raise fail("timers are of a strategy in the language: processor or external")
    return preset


def page(presets: list[Preset]) -> str:
    """docs/reference/presets.md."""
    rows = [
        f"| `{preset.name}` | {preset.summary} | {preset.width} | {preset.lines} | {preset.prices} "
        f"| {'yes' if preset.statistics else 'no'} | {preset.packet} | {preset.sessions} | {preset.stops} "
        f"| {preset.book} | {preset.book_levels} "
        f"| {preset.strategy} | {'yes' if preset.own_orders else 'no'} "
        f"| {'yes' if preset.level_reads else 'no'} | {'yes' if preset.each_change else 'no'} | {'yes' if preset.trades else 'no'} "
        f"| {'yes' if preset.timers else 'no'} | {'yes' if preset.ring else 'no'} | {preset.wire_rate} "
        f"| {preset.feeds} | {', '.join(f'{place.part} at {place.clock_mhz:g} MHz' for place in preset.place) or 'simulation only'} |"
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
            "| preset | what it is | width | lines | prices | statistics | longest packet | sessions | stops "
            "| orders in the book | its levels kept ready "
            "| strategy on it | own orders followed | deeper levels | each change | trades | timers "
            "| ring | wire rate | feeds | part and clock wanted |",
            "|---|---|--:|--:|---|---|--:|--:|--:|--:|--:|---|---|---|---|---|---|--:|---|",
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
