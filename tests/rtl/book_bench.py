"""Drives book_tb and compares everything that leaves it with the plain book of book_model.py."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import cocotb
from book_model import ADD, BUY, DELETE, REPLACE, SELL, TRADE, WINDOW_TICKS, Best, Book, Change, Event, Trade, Window
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from pins import Pins

LATENCY = 6
TRADE_LATENCY = 8
IMPROVING_LATENCY = 2
LEVELS = 8
RESTORE_ADD, RESTORE_REDUCE, RESTORE_DELETE = range(3)
LEVEL_BITS = 1 + 32 + 32 + 12
HOST_WINDOW, HOST_CLEAR, HOST_RESTORE, HOST_TRADABLE = range(4)
NO_INSTRUMENT = 0xA5  # what is driven where the event names none


def buy(instrument: int, id_: int, tick: int, quantity: int = 100) -> Event:
    return Event(ADD, instrument, BUY, 100 * tick, quantity, id_)


def sell(instrument: int, id_: int, tick: int, quantity: int = 100) -> Event:
    return replace(buy(instrument, id_, tick, quantity), side=SELL)


def delete(id_: int, instrument: int | None = None) -> Event:
    return Event(DELETE, instrument, id=id_)


def change_to(id_: int, new_id: int, tick: int, quantity: int, instrument: int | None = None) -> Event:
    return Event(REPLACE, instrument, price=100 * tick, quantity=quantity, id=id_, new_id=new_id)


class Bench:
    """Events go in as they are called for; the model follows at once, and what it expects is compared when the design tells it."""

    def __init__(self, dut, log: int = 512, capacity: int = 12288) -> None:
        self.dut = Pins(dut)
        self.cycle = 0
        self.model = Book(log=log, capacity=capacity)
        self.changes: deque[tuple[Change, int]] = deque()  # with the cycle of the event
        self.trades: deque[Trade] = deque()
        self.verdicts: deque[bool] = deque()
        self.shown: dict[int, tuple[Best, Best]] = {}
        self.expected_shown: deque[dict[int, tuple[Best, Best]]] = deque()  # at each verdict
        self.touched: set[int] = set()
        self.latencies: list[int] = []
        self.waits: list[int] = []  # from the cycle of the verdict
        self.verdict_cycles: deque[int] = deque()
        self.unknown_best = self.compared = self.not_ours = self.faults = self.undone = self.overflows = 0
        self.improving: deque[tuple[int, ...]] = deque()  # cycle, instrument, side, price, quantity: known early
        self.early = 0
        self.levels_compared = 0
        self.next_event: tuple[Event | None, bool | None] = (None, None)
        self.sequence = 0
        self.compares = True
        self.after_gap = False  # of the frame that comes
        self.begins_session = (False, False)  # it begins a session; from message 1
        self.is_of_another_session = False  # what is to come of it: no change is tradable

    async def start(self, windows: dict[int, Window]) -> None:
        """Resets, sets windows and makes these instruments tradable."""
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        inputs = "event_valid event_non_printable verdict_valid verdict_good after_gap begins_session from_first gap gap_next"
        inputs += " new_session session_first host_valid read_start host_restore level_one_by_one level_busy level_asks"
        for name in inputs.split():
            getattr(dut, name).value = 0
        dut.early_id.value = 0
        dut.event_sequence.value = 0
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0
        self.model.rebuilding = set(range(16))
        for instrument, window in windows.items():
            assert await self.window(instrument, window)
            assert await self.rebuilt(instrument, 0)

    async def host(self, request: int, instrument: int, **values: int) -> bool:
        dut = self.dut
        dut.host_valid.value, dut.host_request.value, dut.host_instrument.value = 1, request, instrument
        for name, value in values.items():
            getattr(dut, name).value = value
        for _ in range(60_000):
            await self.step()
            if dut.host_ready.value:
                done = bool(dut.host_done.value)
                dut.host_valid.value = 0
                await self.step()
                return done
        raise AssertionError("the host gets no answer")

    async def window(self, instrument: int, window: Window) -> bool:
        shift = (window.tick & -window.tick).bit_length() - 1
        values = {
            "window_low_price": window.low * window.tick,
            "window_low_tick": window.low,
            "window_end_price": (window.low + WINDOW_TICKS) * window.tick,
            "window_shift": shift,
            "window_inverse": pow(window.tick >> shift, -1, 1 << 24),
            "window_size": window.tick,
        }
        done = await self.host(HOST_WINDOW, instrument, **values)
        if done:
            self.model.windows[instrument] = window
        return done

    async def clear(self, instrument: int) -> None:
        assert await self.host(HOST_CLEAR, instrument)
        self.model.clear(instrument)
        self.shown.pop(instrument, None)

    async def restore(self, instrument: int, side: int, id_: int, price: int, quantity: int) -> bool:
        """The model follows, if the instrument is being rebuilt."""
        model = self.model
        if instrument in model.rebuilding:
            cause = model.restore(instrument, side, id_, price, quantity)
            change = model.change(instrument) if cause is None else Change(instrument, cause)
            self.changes.append((change, self.cycle))
        order = {"host_sell": side, "host_id": id_, "host_price": price, "host_shares": quantity}
        return await self.host(HOST_RESTORE, instrument, **order)

    async def rebuilt(self, instrument: int, next_: int) -> bool:
        done = await self.host(HOST_TRADABLE, instrument, host_next=next_)
        if done:
            self.model.rebuilding.discard(instrument)
        return done

    async def step(self, event: Event | None = None, verdict: bool | None = None) -> None:
        """A cycle. What is given goes in a cycle later: the id comes first."""
        dut = self.dut
        now, self.next_event = self.next_event, (event, verdict)
        dut.early_id.value = event.id & ((1 << 48) - 1) if event else 0
        await self._cycle(*now)

    async def _cycle(self, event: Event | None, verdict: bool | None) -> None:
        dut = self.dut
        dut.event_valid.value, dut.after_gap.value = event is not None, self.after_gap
        dut.begins_session.value, dut.from_first.value = self.begins_session
        if event:
            dut.event_kind.value, dut.event_known.value = event.kind, event.instrument is not None
            dut.event_has_symbol.value = event.has_symbol
            dut.event_instrument.value = NO_INSTRUMENT if event.instrument is None else event.instrument
            dut.event_sell.value, dut.event_price.value = event.side, event.price & ((1 << 64) - 1)
            dut.event_quantity.value, dut.event_id.value, dut.event_new_id.value = event.quantity, event.id, event.new_id
            dut.event_sequence.value = event.sequence
            self._expect(event)
        dut.verdict_valid.value, dut.verdict_good.value = verdict is not None, bool(verdict)
        if verdict is not None:
            self._expect_verdict(verdict)
        await dut.settled()
        self._compare()
        await FallingEdge(dut.clk)
        self.cycle += 1

    # ---- the model

    def _expect(self, event: Event) -> None:
        model = self.model
        if model.before is None:
            model.begin()
        change = model.apply(event)
        if change is not None:
            self.touched.add(change.instrument)
            self.changes.append(
                (replace(change, tradable=change.tradable and not (self.after_gap or self.is_of_another_session)), self.cycle)
            )
            if change.trade:
                self.trades.append(change.trade)

    def _expect_verdict(self, good: bool) -> None:
        model = self.model
        if model.before is None:
            model.begin()
        model.verdict(good)
        self.verdicts.append(good)
        self.verdict_cycles.append(self.cycle)
        tops = {i: (model.best(i, BUY), model.best(i, SELL)) for i in self.touched}
        self.expected_shown.append(tops)
        self.touched.clear()

    # ---- the design

    def _best(self, side: str) -> Best:
        dut = self.dut
        best = Best(*(int(getattr(dut, f"{side}_{name}").value) for name in ("tick", "shares", "orders")))
        assert bool(getattr(dut, f"{side}_live").value) == (best.orders != 0)
        return best

    def _compare(self) -> None:
        dut = self.dut
        self.not_ours += int(dut.count_not_ours.value)
        self.faults += int(dut.count_fault.value)
        self.undone += int(dut.count_undone.value)
        self.overflows += int(dut.count_overflow.value)
        if not self.compares:
            return
        if dut.improving.value:
            names = ("instrument", "sell", "price", "shares")
            self.improving.append((self.cycle, *(int(getattr(dut, f"improving_{name}").value) for name in names)))
        if dut.change_valid.value:
            self._compare_change()
        if dut.trade_valid.value:
            found = [int(getattr(dut, f"trade_{name}").value) for name in ("instrument", "sell", "price", "quantity")]
            assert self.trades, f"a trade that nobody made: {found}"
            expected = self.trades.popleft()
            if dut.trade_priced.value:
                assert Trade(*found) == expected
            else:
                window = self.model.windows[expected.instrument]
                assert not window.low * window.tick <= expected.price <= window.high * window.tick
        if dut.out_verdict_valid.value:
            assert bool(dut.out_verdict_good.value) == self.verdicts.popleft()
            self.waits.append(self.cycle - self.verdict_cycles.popleft())
            for instrument, tops in self.expected_shown.popleft().items():
                if instrument in self.shown:
                    assert self.shown[instrument] == tops, f"instrument {instrument} after the verdict"

    def _compare_change(self) -> None:
        dut = self.dut
        instrument = int(dut.change_instrument.value)
        complete = bool(dut.change_complete.value)
        tops = self._best("bid"), self._best("ask")
        fault = int(dut.change_cause.value) if dut.change_fault.value else None
        if dut.change_shown.value:
            if complete:
                self.shown[instrument] = tops
            else:
                self.shown.pop(instrument, None)
        if dut.change_undo.value:
            return
        assert self.changes, "a change that nobody made"
        expected, cycle = self.changes.popleft()
        self.latencies.append(self.cycle - cycle)
        assert (instrument, fault) == (expected.instrument, expected.fault)
        self._compare_improving(expected, tops)
        if fault is not None:
            assert not dut.change_tradable.value
        elif complete:
            assert tops == (expected.bid, expected.ask), f"cycle {self.cycle}"
            assert bool(dut.change_tradable.value) == expected.tradable
            self._compare_levels(expected.levels[int(dut.change_sell.value)])
            self.compared += 1
        else:
            assert not dut.change_tradable.value
            self.unknown_best += 1

    def _compare_levels(self, expected: list[Best]) -> None:
        """Those that are known are the best ones."""
        packed = int(self.dut.change_levels.value)
        levels = []
        for k in range(LEVELS):
            value = packed >> k * LEVEL_BITS
            if value >> (LEVEL_BITS - 1) & 1:
                levels.append(Best(value >> 44 & 0xFFFF_FFFF, value >> 12 & 0xFFFF_FFFF, value & 0xFFF))
        assert levels == expected[: len(levels)]
        if self.dut.change_levels_all.value:
            assert levels == expected
        self.levels_compared += len(levels)

    def _compare_improving(self, expected: Change, tops: tuple[Best, Best]) -> None:
        """What was given 4 cycles ago of this event: the same best price, or it is a fault."""
        if not self.improving or self.improving[0][0] != self.cycle - (LATENCY - IMPROVING_LATENCY):
            return
        _, instrument, side, price, quantity = self.improving.popleft()
        assert instrument == expected.instrument
        if expected.fault is None:
            window = self.model.windows[instrument]
            assert tops[side] == Best(price // window.tick, quantity, 1)
            self.early += 1

    async def rest(self, cycles: int = 40) -> None:
        for _ in range(cycles):
            await self.step()

    async def settle(self, cycles: int = 4000) -> None:
        """Until everything that was expected has come."""
        await self.step()
        for _ in range(cycles):
            if not (self.changes or self.trades or self.verdicts):
                break
            await self.step()
        assert not self.changes, self.changes[0]
        assert not self.trades, self.trades[0]
        assert not self.verdicts
        assert not self.improving
        await self.rest(12)
        for i in self.model.windows:
            assert bool(int(self.dut.all_tradable.value) >> i & 1) == (i not in self.model.causes and i not in self.model.rebuilding), i

    async def frame(self, events: list[Event], good: bool = True, gap: int = 1, with_last: bool = False) -> None:
        """Events so many idle cycles apart, then the verdict, with the last one or two cycles later."""
        for index, event in enumerate(events):
            self.sequence += 1
            ends = with_last and index == len(events) - 1
            await self.step(replace(event, sequence=self.sequence), good if ends else None)
            if not ends:
                await self.rest(gap)
        if not (with_last and events):
            await self.step(None, good)
        await self.rest(10)


__all__ = ["TRADE", "Bench", "Event", "buy", "change_to", "delete", "sell"]
