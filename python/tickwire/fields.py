"""State and parameters of a strategy: what is declared in the class, and what an instance holds."""

from typing import Any, Generic, TypeVar

from tickwire.context import CONTEXT
from tickwire.values import Instrument, Int, number_of, plain

Held = TypeVar("Held")


class Declaration:
    """What state(…), param(…), array(…), ring(…) and per_instrument(…) give: only the class reads it."""

    def __init__(self, shape: str, initial: Any, length: int) -> None:
        self.shape = shape
        self.initial = initial
        self.length = length


def state(initial: Any = 0) -> Any:
    """A value that lasts."""
    return Declaration("state", initial, 1)


def param(default: Any = None) -> Any:
    """A value that the host sets; without a default the desk must give it."""
    return Declaration("param", default, 1)


def array(length: int, initial: Any = 0) -> Any:
    """That many values, by a number from 0."""
    return Declaration("array", initial, number_of(length))


def ring(length: int) -> Any:
    """The last values that were pushed, at most this many."""
    return Declaration("ring", 0, number_of(length))


def per_instrument(initial: Any = 0) -> Any:
    """A value for each instrument of the desk."""
    return Declaration("per_instrument", initial, 0)


def typed(of: type[Any], value: Any) -> Any:
    """A value that a field of this type gets."""
    if of is bool:
        if type(value) is not bool and value not in (0, 1):
            raise TypeError(f"{type(value).__name__} is no bool")
        return bool(value)
    if issubclass(of, Int):
        number = plain(value)
        if number is None:
            raise TypeError(f"{type(value).__name__} is no int")
        return Int.of(number)
    number = of.of(0).same(value)
    if number is None:
        raise TypeError(f"{type(value).__name__} is no {of.__name__}")
    return of.of(number)


def nothing(of: type[Any]) -> Any:
    """What there is where nothing is: 0 and a fault."""
    CONTEXT.faults["index"] += 1
    return False if of is bool else of.of(0)


class Array(Generic[Held]):
    """Values by a number from 0."""

    def __init__(self, of: type[Any], values: list[Any]) -> None:
        self.of = of
        self.values = values

    def number(self, index: Any) -> int:
        """The number that an index is."""
        number = plain(index)
        if number is None:
            raise TypeError(f"{type(index).__name__} is no index")
        return number

    def __getitem__(self, index: Any) -> Held:
        number = self.number(index)
        return self.values[number] if 0 <= number < len(self.values) else nothing(self.of)  # type: ignore[no-any-return]

    def __setitem__(self, index: Any, value: Any) -> None:
        number = self.number(index)
        held = typed(self.of, value)
        if 0 <= number < len(self.values):
            self.values[number] = held
        else:
            nothing(self.of)

    def __len__(self) -> int:
        return len(self.values)


class PerInstrument(Array[Held]):
    """A value for each instrument."""

    def number(self, index: Any) -> int:
        """The number of an instrument."""
        if not isinstance(index, Instrument):
            raise TypeError(f"{type(index).__name__} is no Instrument")
        return int(index.number)


class Ring(Generic[Held]):
    """The last values that were pushed; number 0 is the newest."""

    def __init__(self, of: type[Any], length: int) -> None:
        self.of = of
        self.length = length
        self.values: list[Any] = []

    def push(self, value: Held | float) -> None:
        """Adds a newest value; a full ring loses its oldest."""
        self.values = [typed(self.of, value), *self.values][: self.length]

    def __getitem__(self, index: Any) -> Held:
        number = plain(index)
        if number is None:
            raise TypeError(f"{type(index).__name__} is no index")
        return self.values[number] if 0 <= number < len(self.values) else nothing(self.of)  # type: ignore[no-any-return]

    @property
    def count(self) -> int:
        """How many values it has."""
        return Int.of(len(self.values))  # type: ignore[return-value]

    @property
    def sum(self) -> Held:
        """Their sum, which wraps."""
        return self.of.of(sum(value.number for value in self.values))  # type: ignore[no-any-return]

    @property
    def minimum(self) -> Held:
        """The smallest; 0 if there is none."""
        return self.of.of(min((value.number for value in self.values), default=0))  # type: ignore[no-any-return]

    @property
    def maximum(self) -> Held:
        """The largest; 0 if there is none."""
        return self.of.of(max((value.number for value in self.values), default=0))  # type: ignore[no-any-return]


class Scalar:
    """The field of an instance, or a parameter."""

    def __init__(self, name: str, of: type[Any]) -> None:
        self.name = name
        self.of = of

    def __get__(self, owner: Any, _: type[Any] | None = None) -> Any:
        return owner.__held__[self.name]

    def __set__(self, owner: Any, value: Any) -> None:
        owner.__held__[self.name] = typed(self.of, value)


def numbers_of(held: Any) -> list[int]:
    """The numbers in a field, as other targets give them."""
    if isinstance(held, Array | Ring):
        return [number_of(value) for value in held.values]
    return [number_of(held)]
