"""A line of docs/reference/figures.md, and how its figure is written."""

from collections.abc import Callable
from dataclasses import dataclass

from measured import Measured


@dataclass(frozen=True)
class Row:
    """A line of the page: what it is, the figure or none, what it is compared with, seeds or sample, the command, the file it is from."""

    what: str
    figure: Callable[[Measured], str | None]
    published: str
    seeds: str
    command: str
    file: str


def number(value: float) -> str:
    """As a person writes it: at most three decimals, thousands apart."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.3f}".rstrip("0") if value < 1 else f"{value:,.1f}"


def values(file: str, text: str, *paths: str) -> Callable[[Measured], str | None]:
    """The text with the values at these paths; none if one of them is absent."""

    def figure(measured: Measured) -> str | None:
        found = [measured.get(file, path) for path in paths]
        if any(value is None for value in found):
            return None
        return text.format(*(number(value) if isinstance(value, int | float) else value for value in found))

    return figure


def latency(file: str, path: str, preset: str) -> Callable[[Measured], str | None]:
    """Cycles, and nanoseconds at the clock that the preset reached."""

    def figure(measured: Measured) -> str | None:
        cycles = measured.get(file, path)
        if cycles is None:
            return None
        placed, clock = measured.nanoseconds(preset, cycles), measured.clock(preset)
        at = (
            f"{placed:.1f} ns at {clock:.1f} MHz (`{preset}`, slowest seed)" if placed else f"`{preset}` not placed here, so no nanoseconds"
        )
        return f"{number(cycles)} cycles, {at}"

    return figure
