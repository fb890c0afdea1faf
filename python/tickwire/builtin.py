"""Python's functions as the strategy language has them, and what its literals become."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from tickwire.context import CONTEXT
from tickwire.values import UNITS, Int, Literal, Point, Time, is_literal, number_of


def literal(value: Any) -> Any:
    """A number of the source; text is one with a decimal point, so that none of its digits is lost."""
    if isinstance(value, str):
        return Point(Decimal(value.replace("_", "")))
    if isinstance(value, float):
        return Point(Decimal(repr(value)))
    return Literal.of(value) if type(value) is int else value


def unit(name: str, value: Any) -> Any:
    """A value in a place that is annotated with a type: a literal gets its unit."""
    of = UNITS.get(name)
    if of is None or not is_literal(value):
        return value
    return of.of(of.literal(value))


def same_unit(values: tuple[Any, ...]) -> list[Any]:
    """The values, with literals in the unit of the others."""
    others = [type(value) for value in values if not is_literal(value)]
    if not others:
        return list(values)
    return [others[0].of(others[0].literal(value)) if is_literal(value) else value for value in values]


def minimum(*values: Any) -> Any:
    """min(a, b, …)."""
    best, *others = same_unit(values)
    for value in others:
        best = value if value < best else best
    return best


def maximum(*values: Any) -> Any:
    """max(a, b, …)."""
    best, *others = same_unit(values)
    for value in others:
        best = value if value > best else best
    return best


def as_int(value: Any) -> Int:
    """int(a): the number without its unit."""
    return Int.of(number_of(value))


def length(values: Any) -> Int:
    """len(a)."""
    return Int.of(len(values))


def numbers(*bounds: Any) -> Iterator[Int]:
    """range(…)."""
    for number in range(*(number_of(bound) for bound in bounds)):
        yield Int.of(number)


def time() -> Time:
    """now: the time of the event."""
    return Time.of(CONTEXT.now)


FUNCTIONS = {"min": "minimum", "max": "maximum", "int": "as_int", "len": "length", "range": "numbers"}
