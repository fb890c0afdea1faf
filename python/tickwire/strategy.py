"""The class that a strategy is derived from, and what its handlers are given."""

import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, TypeVar

from tickwire.context import CONTEXT
from tickwire.fields import Array, Declaration, PerInstrument, Ring, Scalar, numbers_of, typed
from tickwire.source import rewrite
from tickwire.values import Instrument, Int, OrderRef, Price, Quantity, ReportKind, Side, Time, Value, number_of, plain

INTENTS = 4
LEVELS = 16

Method = TypeVar("Method", bound=Callable[..., None])


class Level:
    """A price level; without orders it does not exist."""

    def __init__(self, held: dict[str, int]) -> None:
        self.price = Price.of(held["price"])
        self.quantity = Quantity.of(held["quantity"])
        self.orders: int = Int.of(held["orders"])  # type: ignore[assignment]
        self.exists: bool = held["orders"] != 0


class Book:
    """A book after a change."""

    def __init__(self, held: dict[str, Any]) -> None:
        self.instrument = Instrument.of(held["instrument"])
        self.bid = Level(held["bid"])
        self.ask = Level(held["ask"])
        self.changed = bool(held["changed"])
        self.tradable = bool(held["tradable"])

    def level(self, side: Side, number: Any) -> Level:
        """A level of a side; 0 is the best."""
        index = plain(number)
        empty = {"price": 0, "quantity": 0, "orders": 0}
        if index is None or not 0 <= index < LEVELS:
            CONTEXT.faults["index"] += 1
            return Level(empty)
        levels = CONTEXT.depth[number_of(side)]
        return Level(levels[index] if index < len(levels) else empty)


class Trade:
    """A trade."""

    def __init__(self, held: dict[str, Any]) -> None:
        self.instrument = Instrument.of(held["instrument"])
        self.price = Price.of(held["price"])
        self.quantity = Quantity.of(held["quantity"])
        self.side = side_of(held["side"])


class Report:
    """What became of an order."""

    def __init__(self, held: dict[str, Any]) -> None:
        self.kind: ReportKind = getattr(ReportKind, held["kind"].upper())
        self.order = OrderRef.of(held["order"])
        self.instrument = Instrument.of(held["instrument"])
        self.side = side_of(held["side"])
        self.price = Price.of(held["price"])
        self.quantity = Quantity.of(held["quantity"])
        self.remaining = Quantity.of(held["remaining"])
        self.reason: int = Int.of(held["reason"])  # type: ignore[assignment]


def side_of(text: str) -> Side:
    """The side of that name."""
    return Side.BUY if text == "buy" else Side.SELL


class Instruments:
    """All instruments of the desk."""

    def __iter__(self) -> Iterator[Instrument]:
        return (Instrument.of(number) for number in range(CONTEXT.instruments))


class Market:
    """In place of a price: whatever it is."""


class TimeInForce:
    """How long an order stays in the market."""

    DAY: ClassVar[str] = "day"
    GTC: ClassVar[str] = "good_till_cancel"
    IOC: ClassVar[str] = "immediate_or_cancel"
    FOK: ClassVar[str] = "fill_or_kill"


# In a method it is the time of the event: tickwire.source sees to that.
now = Time.of(0)
instruments = Instruments()
MARKET = Market()


def each_change(method: Method) -> Method:
    """on_book runs at each change within a frame."""
    method.each_change = True  # type: ignore[attr-defined]
    return method


def timer(*, every: Time) -> Callable[[Method], Method]:
    """on_timer runs each time that this has gone by."""

    def keep(method: Method) -> Method:
        method.every = every  # type: ignore[attr-defined]
        return method

    return keep


def send(intent: dict[str, Any]) -> bool:
    """Keeps an intent; drops it, as a fault, if the handler has sent its four."""
    if len(CONTEXT.intents) >= INTENTS:
        CONTEXT.faults["intents"] += 1
        return False
    CONTEXT.intents.append(intent)
    return True


def in_unit(of: type[Value], value: Any) -> int:
    """The number of an argument that has this unit."""
    return number_of(typed(of, value))


def new_order(side: str, instrument: Any, price: Any, quantity: Any, time_in_force: str) -> OrderRef:
    """Asks for a new order."""
    number = CONTEXT.orders + 1
    intent = {
        "order": number,
        "side": side,
        "instrument": in_unit(Instrument, instrument),
        "price": None if isinstance(price, Market) else in_unit(Price, price),
        "quantity": in_unit(Quantity, quantity),
        "time_in_force": time_in_force,
    }
    if not send({"new": intent}):
        return OrderRef.of(0)
    CONTEXT.orders = number
    return OrderRef.of(number)


# A strategy may give its fields any name but those of buy, sell and so on: what the package needs besides has names that no field has.


class Strategy:
    """What every strategy is derived from."""

    __declared__: ClassVar[dict[str, tuple[Declaration, type[Any]]]] = {}

    def __init_subclass__(cls) -> None:
        declared = {}
        space = vars(sys.modules[cls.__module__])
        for name, annotation in inspect.get_annotations(cls).items():
            declaration = cls.__dict__.get(name)
            if not isinstance(declaration, Declaration):
                raise TypeError(f"{name} has no state(…) or param(…)")
            of = eval(annotation, space) if isinstance(annotation, str) else annotation
            of = of.__args__[0] if hasattr(of, "__args__") else of
            declared[name] = (declaration, Int if of is int else of)
            if declaration.shape in ("state", "param"):
                setattr(cls, name, Scalar(name, declared[name][1]))
            else:
                delattr(cls, name)
        cls.__declared__ = declared
        rewrite(cls)

    def __init__(self, parameters: dict[str, int]) -> None:
        self.__held__: dict[str, Any] = {}
        for name, (declaration, of) in self.__declared__.items():
            shape = declaration.shape
            if shape == "ring":
                setattr(self, name, Ring[Any](of, declaration.length))
            elif shape == "array":
                setattr(self, name, Array[Any](of, [typed(of, declaration.initial)] * declaration.length))
            elif shape == "per_instrument":
                setattr(self, name, PerInstrument[Any](of, [typed(of, declaration.initial)] * CONTEXT.instruments))
            elif shape == "param" and name in parameters:
                set_parameter(self, name, parameters[name])
            elif shape == "param" and declaration.initial is None:
                raise ValueError(f"parameter {name} has no value")
            else:
                self.__held__[name] = typed(of, declaration.initial)

    @property
    def open_orders(self) -> int:
        """How many orders of its own are open."""
        return Int.of(CONTEXT.open_orders)  # type: ignore[return-value]

    def position(self, instrument: Instrument) -> Quantity:
        """Bought less sold."""
        number = in_unit(Instrument, instrument)
        if not 0 <= number < CONTEXT.instruments:
            CONTEXT.faults["index"] += 1
            return Quantity.of(0)
        return Quantity.of(CONTEXT.positions[number] if number < len(CONTEXT.positions) else 0)

    def buy(self, instrument: Any, price: Any, quantity: Any, time_in_force: str = TimeInForce.DAY) -> OrderRef:
        """A new order to buy; returns its number, 0 if it was dropped."""
        return new_order("buy", instrument, price, quantity, time_in_force)

    def sell(self, instrument: Any, price: Any, quantity: Any, time_in_force: str = TimeInForce.DAY) -> OrderRef:
        """A new order to sell; returns its number, 0 if it was dropped."""
        return new_order("sell", instrument, price, quantity, time_in_force)

    def cancel(self, order: Any) -> None:
        """The cancel of an order."""
        send({"cancel": {"order": in_unit(OrderRef, order)}})

    def replace(self, order: Any, price: Any, quantity: Any) -> None:
        """Another price and quantity of an order."""
        numbers = {"order": in_unit(OrderRef, order), "price": in_unit(Price, price), "quantity": in_unit(Quantity, quantity)}
        send({"replace": numbers})

    def emit(self, tag: Any, *values: Any) -> None:
        """A record for the host."""
        CONTEXT.records.append({"tag": number_of(tag), "values": [number_of(value) for value in values]})


def set_parameter(strategy: Strategy, name: str, number: int) -> None:
    """The host gives a parameter a value."""
    of = strategy.__declared__[name][1]
    strategy.__held__[name] = bool(number) if of is bool else of.of(number)


def parameters_of(strategy: Strategy) -> list[str]:
    """The names of the parameters."""
    return [name for name, (declaration, _) in strategy.__declared__.items() if declaration.shape == "param"]


def state_of(strategy: Strategy) -> list[list[int]]:
    """The numbers in each field."""
    names = [name for name, (declaration, _) in strategy.__declared__.items() if declaration.shape != "param"]
    return [numbers_of(getattr(strategy, name)) for name in names]
