"""A limit order book as plain as can be: dictionaries, best prices looked for anew each time, a bad frame undone with a copy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

ADD, MODIFY, EXECUTE, REDUCE, DELETE, REPLACE, TRADE, TIME, STATUS, CLEAR = range(10)
BUY, SELL = 0, 1
(
    QUANTITY_ZERO,
    QUANTITY_TOO_LARGE,
    ID_TOO_LONG,
    REPLACES_ITSELF,
    LOG_FULL,
    UNKNOWN_ID,
    DUPLICATE_ID,
    TOO_MUCH,
    OFF_TICK,
    OUTSIDE_WINDOW,
    ORDERS_FULL,
    LEVELS_FULL,
    LEVEL_OVERFLOW,
    UNSUPPORTED,
    GAP,
    NEW_SESSION,
) = range(16)
WINDOW_TICKS = 8190


@dataclass(frozen=True)
class Event:
    kind: int
    instrument: int | None = None
    side: int = BUY
    price: int = 0
    quantity: int = 0
    id: int = 0
    new_id: int = 0
    sequence: int = 0
    has_symbol: bool = False  # without an instrument: it names one that is none of ours


@dataclass
class Order:
    instrument: int
    side: int
    price: int
    left: int


@dataclass(frozen=True)
class Best:
    """Price in ticks, quantity, orders; nothing: all 0."""

    tick: int = 0
    quantity: int = 0
    orders: int = 0


@dataclass(frozen=True)
class Trade:
    instrument: int
    side: int
    price: int
    quantity: int


@dataclass(frozen=True)
class Change:
    instrument: int
    fault: int | None
    bid: Best = Best()
    ask: Best = Best()
    tradable: bool = False
    trade: Trade | None = None
    levels: tuple[list[Best], list[Best]] = field(default_factory=lambda: ([], []))  # inside of the window


@dataclass
class Window:
    tick: int = 100
    low: int = 0  # in ticks

    @property
    def high(self) -> int:
        return self.low + WINDOW_TICKS - 1


@dataclass
class Book:
    instruments: int = 16
    capacity: int = 12288
    log: int = 512
    windows: dict[int, Window] = field(default_factory=dict)
    orders: dict[int, Order] = field(default_factory=dict)
    causes: dict[int, int] = field(default_factory=dict)  # of untradable instruments
    rebuilding: set[int] = field(default_factory=set)
    operations: int = 0
    not_ours: int = 0
    before: Book | None = None

    def levels(self, instrument: int, side: int) -> list[Best]:
        """All levels inside of the window, the best first."""
        found: dict[int, tuple[int, int]] = {}
        window = self.windows[instrument]
        for order in self.orders.values():
            tick, rest = divmod(order.price, window.tick)
            if (order.instrument, order.side) == (instrument, side) and window.low <= tick <= window.high and not rest:
                quantity, orders = found.get(tick, (0, 0))
                found[tick] = quantity + order.left, orders + 1
        return [Best(tick, *found[tick]) for tick in sorted(found, reverse=side == BUY)]

    def best(self, instrument: int, side: int) -> Best:
        return next(iter(self.levels(instrument, side)), Best())

    def hidden(self, instrument: int) -> bool:
        """A side has orders, all of them beyond the window."""
        return any(
            not self.levels(instrument, side) and any((o.instrument, o.side) == (instrument, side) for o in self.orders.values())
            for side in (BUY, SELL)
        )

    def tradable(self, instrument: int) -> bool:
        return instrument not in self.causes and instrument not in self.rebuilding and not self.hidden(instrument)

    def begin(self) -> None:
        self.before = None
        self.before = replace(self, orders=dict(self.orders), causes=dict(self.causes))
        self.operations = 0

    def verdict(self, good: bool) -> None:
        """A full log stays on record, whatever the verdict."""
        before = self.before
        if not good and before is not None:
            full = {i: cause for i, cause in self.causes.items() if cause == LOG_FULL}
            self.orders, self.causes = before.orders, full | before.causes
        self.before = None
        self.operations = 0

    def apply(self, event: Event) -> Change | None:
        named = event.instrument
        if event.kind in (TIME, STATUS) or (named is not None and named >= self.instruments):
            return None
        if event.kind in (ADD, TRADE, CLEAR):
            if named is None:
                return None
            instrument = named
            order = None
        else:
            if named is None and event.has_symbol:
                return None
            order = self.orders.get(event.id)
            if order is not None and named is not None and order.instrument != named:
                order = None
            if order is None and named is None:
                self.not_ours += 1
                return None
            instrument = named if named is not None else order.instrument if order else 0
        if instrument in self.rebuilding and event.kind != TRADE:
            return None
        if event.kind == CLEAR and not any(order.instrument == instrument for order in self.orders.values()):
            return None
        cause, trade = self._act(instrument, event, order)
        if cause is not None:
            self.causes.setdefault(instrument, cause)
            return Change(instrument, cause)
        return self.change(instrument, trade)

    def change(self, instrument: int, trade: Trade | None = None) -> Change:
        levels = self.levels(instrument, BUY), self.levels(instrument, SELL)
        bid, ask = (next(iter(side), Best()) for side in levels)
        return Change(instrument, None, bid, ask, self.tradable(instrument), trade, levels)

    def _seen(self, event: Event) -> Iterator[int]:
        enters = event.kind in (ADD, REPLACE, MODIFY)
        if event.kind == CLEAR or (event.kind == MODIFY and event.price == 0):
            yield UNSUPPORTED
        if event.quantity == 0 and event.kind not in (DELETE, TRADE):
            yield QUANTITY_ZERO
        if enters and event.quantity >= 1 << 24:
            yield QUANTITY_TOO_LARGE
        if enters and (event.new_id if event.kind == REPLACE else event.id) >= 1 << 48:
            yield ID_TOO_LONG
        if event.kind == REPLACE and event.id == event.new_id:
            yield REPLACES_ITSELF
        if self.operations + (2 if event.kind in (REPLACE, MODIFY) else 1) > self.log:
            yield LOG_FULL

    def _act(self, instrument: int, event: Event, order: Order | None) -> tuple[int | None, Trade | None]:
        for cause in self._seen(event):
            return cause, None
        if event.kind == TRADE:
            self.operations += 1
            return None, Trade(instrument, event.side, event.price, event.quantity)
        if event.kind == ADD:
            return self._enter(instrument, event.side, event.id, event), None
        if order is None:
            return UNKNOWN_ID, None
        if event.kind in (DELETE, REPLACE, MODIFY):
            del self.orders[event.id]
            self.operations += 1
            if event.kind == DELETE:
                return None, None
            return self._enter(instrument, order.side, event.new_id if event.kind == REPLACE else event.id, event), None
        if event.quantity > order.left:
            return TOO_MUCH, None
        self.operations += 1
        if event.quantity == order.left:
            del self.orders[event.id]
        else:
            self.orders[event.id] = replace(order, left=order.left - event.quantity)
        price = event.price or order.price
        return None, Trade(instrument, order.side, price, event.quantity) if event.kind == EXECUTE else None

    def _enter(self, instrument: int, side: int, id_: int, event: Event) -> int | None:
        window = self.windows[instrument]
        tick, rest = divmod(event.price, window.tick)
        inside = window.low * window.tick <= event.price < (window.high + 1) * window.tick
        if id_ in self.orders:
            return DUPLICATE_ID
        if inside and rest:
            return OFF_TICK
        if not inside and (tick > window.high) == (side == BUY):
            return OUTSIDE_WINDOW
        if len(self.orders) >= self.capacity:
            return ORDERS_FULL
        self.orders[id_] = Order(instrument, side, event.price, event.quantity)
        self.operations += 1
        return None

    def restore(self, instrument: int, side: int, id_: int, price: int, quantity: int) -> int | None:
        cause = self._enter(instrument, side, id_, Event(ADD, instrument, side, price, quantity, id_))
        self.operations = 0
        if cause is not None:
            self.causes[instrument] = cause
            self.rebuilding.discard(instrument)
        return cause

    def clear(self, instrument: int) -> None:
        self.orders = {id_: order for id_, order in self.orders.items() if order.instrument != instrument}
        self.causes.pop(instrument, None)
        self.rebuilding.add(instrument)
