"""Numbers of the strategy language: 64-bit integers in two's complement that wrap, with a unit.

The meaning is that of docs/reference/strategy-language.md. What the checker refuses raises a TypeError here, where it is noticed.
"""

from decimal import Decimal
from typing import Any, ClassVar, Self

from tickwire.context import CONTEXT


def wrap(value: int) -> int:
    """The number in two's complement that has the same lowest 64 bits."""
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def quotient(a: int, b: int) -> int:
    """a // b; 0 and a fault by zero."""
    if b == 0:
        CONTEXT.faults["division"] += 1
        return 0
    return wrap(a // b)


def rest(a: int, b: int) -> int:
    """a % b; 0 and a fault by zero."""
    if b == 0:
        CONTEXT.faults["division"] += 1
        return 0
    return wrap(a % b)


def shifted_left(a: int, b: int) -> int:
    """a << b; 0 unless b is in 0 to 63."""
    return wrap(a << b) if 0 <= b <= 63 else 0


def shifted_right(a: int, b: int) -> int:
    """a >> b; the sign alone unless b is in 0 to 63."""
    return a >> b if 0 <= b <= 63 else a >> 63


class Value:
    """A value with a unit. Values of two units have nothing to do with each other."""

    __slots__ = ("number",)

    def __init__(self, raw: Any = 0) -> None:
        self.number = wrap(self.literal(raw) if is_literal(raw) else self.unwrap(raw))

    @classmethod
    def of(cls, raw: int) -> Self:
        """The value with that number inside, in the smallest steps."""
        made = cls.__new__(cls)
        made.number = wrap(raw)
        return made

    @classmethod
    def literal(cls, literal: Any) -> int:
        """What a number in the source is in this unit."""
        return whole(literal)

    @classmethod
    def unwrap(cls, value: Any) -> int:
        """The number inside a value that may get this unit."""
        if type(value) is cls or type(value) is Int:
            return int(value.number)
        raise TypeError(f"{type(value).__name__} is no {cls.__name__}")

    def same(self, other: Any) -> int | None:
        """The number inside another value of this unit, or what a literal is in it; None for anything else."""
        if type(other) is type(self):
            return int(other.number)
        return self.literal(other) if is_literal(other) else None

    def __eq__(self, other: object) -> bool:
        number = self.same(other)
        if number is None:
            raise TypeError(f"{type(self).__name__} is compared with {type(other).__name__}")
        return bool(self.number == number)

    def __hash__(self) -> int:
        return hash(self.number)

    def __bool__(self) -> bool:
        raise TypeError(f"a {type(self).__name__} is no condition: write != 0")

    def __int__(self) -> int:
        return int(self.number)

    def __repr__(self) -> str:
        return f"{type(self).__name__}.of({self.number})"


class Amount(Value):
    """A value that is added, compared, multiplied."""

    __slots__ = ()

    def result(self, raw: int, _other: Any) -> Self:
        """A value of this unit."""
        return self.of(raw)

    def __add__(self, other: Any) -> Self:
        number = self.same(other)
        return NotImplemented if number is None else self.result(self.number + number, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Self:
        number = self.same(other)
        return NotImplemented if number is None else self.result(self.number - number, other)

    def __rsub__(self, other: Any) -> Self:
        number = self.same(other)
        return NotImplemented if number is None else self.result(number - self.number, other)

    def __mul__(self, other: Any) -> Any:
        if {type(self), type(other)} == {Price, Quantity}:
            return Int.of(self.number * other.number)
        number = plain(other)
        return NotImplemented if number is None else self.result(self.number * number, other)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        if type(other) is type(self) and not isinstance(self, Int):
            return Int.of(quotient(self.number, other.number))
        number = plain(other)
        return NotImplemented if number is None else self.result(quotient(self.number, number), other)

    def __mod__(self, other: Any) -> Any:
        number = other.number if type(other) is type(self) else plain(other)
        return NotImplemented if number is None else self.result(rest(self.number, number), other)

    def __lshift__(self, other: Any) -> Any:
        number = plain(other)
        return NotImplemented if number is None else self.result(shifted_left(self.number, number), other)

    def __rshift__(self, other: Any) -> Any:
        number = plain(other)
        return NotImplemented if number is None else self.result(shifted_right(self.number, number), other)

    def __neg__(self) -> Self:
        return self.of(-self.number)

    def __abs__(self) -> Self:
        return self.of(abs(self.number))

    def __lt__(self, other: Any) -> bool:
        number = self.same(other)
        return NotImplemented if number is None else bool(self.number < number)

    def __le__(self, other: Any) -> bool:
        number = self.same(other)
        return NotImplemented if number is None else bool(self.number <= number)

    def __gt__(self, other: Any) -> bool:
        number = self.same(other)
        return NotImplemented if number is None else bool(self.number > number)

    def __ge__(self, other: Any) -> bool:
        number = self.same(other)
        return NotImplemented if number is None else bool(self.number >= number)


class Int(Amount):
    """A number without a unit: what int is in a strategy."""

    __slots__ = ()

    def same(self, other: Any) -> int | None:
        """The number inside another one without a unit."""
        return plain(other)

    def result(self, raw: int, other: Any) -> Any:
        """A literal if both are, so that it still adapts to its place."""
        literal = isinstance(self, Literal) and (isinstance(other, Literal) or type(other) is int)
        return Literal.of(raw) if literal else Int.of(raw)

    def __eq__(self, other: object) -> bool:
        # The other side may be a value with a unit, and this one a literal, which has that unit then.
        number = plain(other)
        if number is None and not isinstance(self, Literal):
            raise TypeError(f"Int is compared with {type(other).__name__}")
        return NotImplemented if number is None else bool(self.number == number)

    __hash__ = Amount.__hash__

    def __rfloordiv__(self, other: Any) -> Any:
        number = plain(other)
        return NotImplemented if number is None else self.result(quotient(number, self.number), other)

    def __rmod__(self, other: Any) -> Any:
        number = plain(other)
        return NotImplemented if number is None else self.result(rest(number, self.number), other)

    def __rlshift__(self, other: Any) -> Any:
        number = plain(other)
        return NotImplemented if number is None else self.result(shifted_left(number, self.number), other)

    def __rrshift__(self, other: Any) -> Any:
        number = plain(other)
        return NotImplemented if number is None else self.result(shifted_right(number, self.number), other)

    def __and__(self, other: Any) -> Any:
        number = plain(other)
        return NotImplemented if number is None else self.result(self.number & number, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        number = plain(other)
        return NotImplemented if number is None else self.result(self.number | number, other)

    __ror__ = __or__

    def __xor__(self, other: Any) -> Any:
        number = plain(other)
        return NotImplemented if number is None else self.result(self.number ^ number, other)

    __rxor__ = __xor__

    def __invert__(self) -> Any:
        return Int.of(~self.number)

    def __index__(self) -> int:
        return int(self.number)


class Literal(Int):
    """A whole number as it stands in the source: it takes the unit of its place."""

    __slots__ = ()


class Point:
    """A number with a decimal point as it stands in the source: a price where one is wanted."""

    __slots__ = ("value",)

    def __init__(self, value: Decimal) -> None:
        self.value = value

    def __neg__(self) -> "Point":
        return Point(-self.value)

    def __abs__(self) -> "Point":
        return Point(abs(self.value))


class Price(Amount):
    """A price, in the smallest steps that the desk's prices have."""

    __slots__ = ()

    @classmethod
    def literal(cls, literal: Any) -> int:
        """The literal's whole prices, in smallest steps."""
        if isinstance(literal, Point):
            value = literal.value
        elif isinstance(literal, float):
            value = Decimal(repr(literal))
        else:
            value = Decimal(whole(literal))
        scaled = value.scaleb(CONTEXT.price_decimals)
        if scaled != int(scaled):
            raise TypeError(f"{value} has more than {CONTEXT.price_decimals} decimals")
        return int(scaled)

    @classmethod
    def unwrap(cls, value: Any) -> int:
        """Only a price is one already: a number might count whole prices, or steps."""
        if type(value) is cls:
            return int(value.number)
        raise TypeError("write Price.raw(…) for a number of smallest steps")

    @classmethod
    def raw(cls, number: Any) -> "Price":
        """Under its name in a strategy: Price.raw(n), n smallest steps."""
        steps = plain(number)
        if steps is None:
            raise TypeError(f"{type(number).__name__} is no int")
        return cls.of(steps)


class Quantity(Amount):
    """A quantity."""

    __slots__ = ()


class Time(Amount):
    """A time or a duration, in ns."""

    __slots__ = ()


class Side(Value):
    """Buy or sell."""

    __slots__ = ()
    BUY: ClassVar["Side"]
    SELL: ClassVar["Side"]

    def same(self, other: Any) -> int | None:
        """A side has no literals."""
        return int(other.number) if type(other) is type(self) else None


class Instrument(Value):
    """An instrument of the desk."""

    __slots__ = ()


class OrderRef(Value):
    """An order of this strategy. OrderRef(0) is none."""

    __slots__ = ()


class ReportKind(Value):
    """What became of an order."""

    __slots__ = ()
    ACCEPTED: ClassVar["ReportKind"]
    FILLED: ClassVar["ReportKind"]
    CANCELLED: ClassVar["ReportKind"]
    REPLACED: ClassVar["ReportKind"]
    REJECTED: ClassVar["ReportKind"]
    REFUSED: ClassVar["ReportKind"]


Side.BUY, Side.SELL = Side.of(0), Side.of(1)
REPORTS = ("ACCEPTED", "FILLED", "CANCELLED", "REPLACED", "REJECTED", "REFUSED")
for _number, _name in enumerate(REPORTS):
    setattr(ReportKind, _name, ReportKind.of(_number))

NANOSECOND = Time.of(1)
MICROSECOND = Time.of(1_000)
MILLISECOND = Time.of(1_000_000)
SECOND = Time.of(1_000_000_000)
MINUTE = Time.of(60_000_000_000)
HOUR = Time.of(3_600_000_000_000)

UNITS: dict[str, type[Value]] = {of.__name__: of for of in (Price, Quantity, Time, Side, Instrument, OrderRef, ReportKind)} | {"int": Int}


def is_literal(value: Any) -> bool:
    """Whether it stands in the source as it is."""
    return type(value) in (Literal, Point, int, float)


def whole(literal: Any) -> int:
    """The number of a literal without a decimal point."""
    if type(literal) in (Point, float):
        raise TypeError("a number with a decimal point is a price")
    return literal if type(literal) is int else int(literal.number)


def plain(value: Any) -> int | None:
    """The number of what has no unit; None for anything else."""
    if isinstance(value, Int):
        return int(value.number)
    return value if type(value) is int else None


def number_of(value: Any) -> int:
    """The number inside any value."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, Value):
        return int(value.number)
    return whole(value)
