"""The core with its order book: a message of the feed changes the best price, and an order at that price leaves on the session."""

import struct

import cocotb
import fix_order as fix
import pytest
from harness import core_widths, simulate
from session_bench import BOOK, FEED_SYMBOL, LIMIT, PREFIX, REFUSED, SENT, STRATEGY, TRADER, Bench, W

TICK = 100  # a cent, in 1/10,000
LOW = 20_000  # ticks: the window of the book begins at 200 dollars
WINDOW_TICKS = 8190
INSTRUMENT = 1  # of FEED_SYMBOL
WINDOW, CLEAR, RESTORE, TRADABLE = range(4)
# Last FCS byte of the frame that changed the best price to the first preamble byte of the order's, in cycles.
BOOK_TO_ORDER = {8: 19, 64: 18}[W]
IMPROVING_ADD_TO_ORDER = BOOK_TO_ORDER - 3


def head(kind: bytes, id_: int) -> bytes:
    return kind + bytes(4) + bytes(6) + struct.pack(">Q", id_)


def add(id_: int, side: str, quantity: int, price: int, symbol: str = FEED_SYMBOL) -> bytes:
    return head(b"A", id_) + side.encode() + struct.pack(">I", quantity) + symbol.ljust(8).encode() + struct.pack(">I", price)


def delete(id_: int) -> bytes:
    return head(b"D", id_)


def execute(id_: int, quantity: int) -> bytes:
    return head(b"E", id_) + struct.pack(">IQ", quantity, 0)


def replace(id_: int, new_id: int, quantity: int, price: int) -> bytes:
    return head(b"U", id_) + struct.pack(">QII", new_id, quantity, price)


async def ready(dut, *, sell: bool = False, quantity: int = 7) -> Bench:
    """Logged on, the book of one instrument tradable, the strategy watching it."""
    bench = Bench(dut)
    await bench.start()
    await bench.configure()
    await bench.load_template(fix.COMPUTED, INSTRUMENT, FEED_SYMBOL, decimals=4)
    shift = (TICK & -TICK).bit_length() - 1
    window = [LOW * TICK, LOW, (LOW + WINDOW_TICKS) * TICK, pow(TICK >> shift, -1, 1 << 24) | shift << 24, TICK]
    assert await bench.operate(BOOK, INSTRUMENT | WINDOW << 8, window) & 2
    assert await bench.operate(BOOK, INSTRUMENT | TRADABLE << 8, [1, 0]) & 2
    # The collar is around the last price: a trade gives it.
    await bench.operate(LIMIT, INSTRUMENT, [1, 100_000, 0, 1_000_000, 0])
    await bench.log_on()
    await strategy(bench, sell=sell, quantity=quantity)
    bench.trades((FEED_SYMBOL, 221_00_00))
    await bench.rest(400)
    return bench


async def strategy(bench: Bench, *, sell: bool = False, quantity: int = 7, enabled: bool = True, single: bool = False) -> None:
    operands = [int(sell) | enabled << 4 | single << 5 | INSTRUMENT << 8, 0, 0, 0, 0, quantity, 0x5EED]
    assert await bench.operate(STRATEGY, 0, operands) & 2


def orders(bench: Bench) -> list[tuple[str, str, str]]:
    """Side, price and quantity of each new order so far."""
    return [(message[54], message[44], message[38]) for message in bench.messages() if message[35] == "D"]


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def the_best_ask_is_bought_when_it_changes(dut):
    bench = await ready(dut)
    frames = [
        bench.feed(add(1, "S", 100, 221_50_00)),  # the first best ask
        bench.feed(add(2, "S", 100, 221_49_00)),  # a better one
        bench.feed(add(3, "B", 100, 221_40_00)),  # the other side
        bench.feed(add(4, "S", 50, 221_49_00)),  # the same price
        bench.feed(delete(2), delete(4)),  # back to the first
        bench.feed(add(5, "S", 10, 221_45_00), delete(5)),  # no change at the frame's end
        bench.feed(replace(1, 6, 100, 221_48_00)),
    ]
    await bench.until(lambda: len(orders(bench)) == 4)
    await bench.rest(1500)
    assert orders(bench) == [("1", f"00{price}", "00000007") for price in ("000221.5000", "000221.4900", "000221.5000", "000221.4800")]
    assert [report.what for report in bench.reports] == [SENT] * 4
    assert {report.client_id for report in bench.reports} == {0x5EED}
    assert await bench.operate(BOOK, INSTRUMENT | TRADABLE << 8, [1, 0]) & 2 == 0, "it is not being rebuilt"
    del frames


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def every_change_has_the_same_latency_and_an_add_that_improves_the_best_price_a_shorter_one(dut):
    bench = await ready(dut)
    late = []
    # An add to an empty side takes as long as any change, and one that comes soon after another message of its instrument.
    changes = [
        (add(1, "S", 100, 221_50_00),),
        (add(2, "S", 100, 221_49_00),),
        (delete(2),),
        (add(5, "B", 100, 221_40_00), add(6, "S", 100, 221_48_00)),
        (add(3, "S", 100, 221_47_00), add(4, "S", 100, 221_46_00)),
        (execute(4, 100),),
    ]
    for count, messages in enumerate(changes, 1):
        payload = bench.feed(*messages)
        await bench.until(lambda count=count: len(orders(bench)) == count)
        late.append(max(bench.arrivals) - bench.last_in(payload))
        await bench.rest(300)
    others, improving = BOOK_TO_ORDER, IMPROVING_ADD_TO_ORDER
    soon_after = {8: improving, 64: others}[W]
    assert late == [others, improving, others, soon_after, soon_after, others], late


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_damaged_frame_changes_nothing_and_sends_nothing(dut):
    bench = await ready(dut, sell=True)
    bench.feed(add(1, "B", 100, 221_40_00))
    await bench.until(lambda: len(orders(bench)) == 1)
    bench.feed(add(2, "B", 100, 221_41_00), damaged=True)
    await bench.rest(1500)
    assert len(orders(bench)) == 1
    # Its number was not used: the same message comes again.
    bench.feed(add(2, "B", 100, 221_41_00))
    await bench.until(lambda: len(orders(bench)) == 2)
    assert orders(bench) == [("2", "00000221.4000", "00000007"), ("2", "00000221.4100", "00000007")]


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_price_above_what_the_notional_allows_is_refused(dut):
    bench = await ready(dut, quantity=1000)
    # The limit is 221.4999 dollars for 1,000, in 1/10,000.
    limit = 221_49_99 * 1000
    await bench.write("max_notional_low", limit)
    await bench.write("max_notional_high", 0)
    # Until the order is prepared again, it is of another limit.
    bench.feed(add(1, "S", 100, 221_49_00))
    await bench.until(lambda: len(bench.reports) == 1)
    assert (bench.reports[0].what, bench.reports[0].reason) == (REFUSED, 1), "record"
    await strategy(bench, quantity=1000)
    bench.feed(add(2, "S", 100, 221_48_00))
    await bench.until(lambda: len(orders(bench)) == 1)
    bench.feed(delete(1), delete(2), add(3, "S", 100, 221_50_00))
    await bench.until(lambda: len(bench.reports) == 3)
    assert (bench.reports[2].what, bench.reports[2].reason) == (REFUSED, 5), "notional"
    assert len(orders(bench)) == 1


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def nothing_is_sent_while_the_book_cannot_be_relied_on_or_the_strategy_is_off(dut):
    bench = await ready(dut)
    bench.feed(add(1, "S", 100, 221_50_00))
    await bench.until(lambda: len(orders(bench)) == 1)
    await strategy(bench, enabled=False)
    bench.feed(add(2, "S", 100, 221_49_00))
    await bench.rest(1000)
    assert len(orders(bench)) == 1
    await strategy(bench)
    # An order id twice: the book is not right any more.
    bench.feed(add(2, "S", 100, 221_48_00))
    bench.feed(add(3, "S", 100, 221_47_00))
    await bench.rest(1500)
    assert len(orders(bench)) == 1


async def exchange_says(bench: Bench, message: bytes) -> None:
    bench.peer.send(message)
    await bench.until(lambda: not bench.peer.flight)
    await bench.rest(600)


async def open_orders(bench: Bench) -> int:
    return (await bench.read("risk_state")) >> 16


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def fills_and_ends_change_positions_and_open_orders_without_the_host(dut):
    bench = await ready(dut)
    await bench.load_prefix()
    await bench.operate(LIMIT, INSTRUMENT, [1, 100_000, 0, 13, 0])  # one order of 7, not two
    bench.trades((FEED_SYMBOL, 221_00_00))
    prices = iter(range(221_50_00, 200_00_00, -100))

    async def asks(what: int) -> None:
        """The best ask improves; this becomes of the strategy's order."""
        count = len(bench.reports)
        bench.feed(add(next(prices), "S", 100, next(prices)))
        await bench.until(lambda: len(bench.reports) > count)
        assert bench.reports[-1].what == what
        if what == REFUSED:
            assert bench.reports[-1].reason == 10, "position"
        await bench.rest(600)

    await asks(SENT)
    assert await open_orders(bench) == 1
    await asks(REFUSED)
    # Nothing that is not about an order of ours changes anything.
    await exchange_says(bench, bench.execution(2, "4", "4", prefix="OTHER"))
    await exchange_says(bench, bench.execution(3, "F", "2", 7))
    await exchange_says(bench, bench.execution(2, "0", "0"))
    assert await open_orders(bench) == 1
    assert await bench.read("execution_unknown") == 1
    await asks(REFUSED)
    # 3 were bought, the rest is cancelled: 7 more fit in 13.
    await exchange_says(bench, bench.execution(2, "F", "1", 3))
    await exchange_says(bench, bench.execution(9, "4", "4", 3, original=2))
    assert await open_orders(bench) == 0
    await asks(SENT)
    await exchange_says(bench, bench.execution(3, "F", "2", 7))
    assert await open_orders(bench) == 0
    # 10 are bought: another 7 do not fit, but as many can be sold as lead to 13 short.
    await asks(REFUSED)
    await strategy(bench, sell=True)
    for place, price in enumerate((219_00_00, 219_01_00, 219_02_00, 219_03_00)):
        count = len(bench.reports)
        bench.feed(add(10_000 + place, "B", 100, price))
        await bench.until(lambda count=count: len(bench.reports) > count)
        assert bench.reports[-1].what == (SENT if place < 3 else REFUSED)
    assert await open_orders(bench) == 3
    # A report that is not good, or lacks something, is told, and is a gap to risk.
    await exchange_says(bench, bench.execution(4, "4", "4").replace(b"TICK", b"TOCK"))
    assert await open_orders(bench) == 3
    assert await bench.read("execution_unreadable") == 0
    assert await bench.read("risk_state") & 1 == 0
    await exchange_says(bench, bench.execution(4, "4", "4", traded=1 << 31))
    assert await open_orders(bench) == 3
    assert await bench.read("execution_unreadable") == 1
    assert await bench.read("risk_state") & 1 == 1


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def with_one_order_in_the_market_a_new_price_replaces_it_and_after_its_end_a_new_one_is_sent(dut):
    bench = await ready(dut)
    await bench.load_template(fix.COMPUTED_REPLACE, INSTRUMENT, FEED_SYMBOL, decimals=4)
    await bench.load_prefix()
    await strategy(bench, single=True)
    late: list[int] = []
    price = 221_50_00

    async def asks() -> dict[int, str] | None:
        """The best ask improves; the order or the replacement that follows."""
        nonlocal price
        price -= TICK
        count = len(bench.messages())
        payload = bench.feed(add(price, "S", 100, price))
        await bench.rest(2500)
        found = bench.messages()[count:]
        assert len(found) <= 1
        if not found:
            return None
        late.append(max(bench.arrivals) - bench.last_in(payload))
        assert (found[0][44], found[0][54], found[0][38]) == (f"00{price // 10_000:06d}.{price % 10_000:04d}", "1", "00000007")
        return found[0]

    def is_new(order: dict[int, str] | None) -> int:
        assert order
        assert order[35] == "D"
        return int(order[34])

    def replaces(order: dict[int, str] | None, number: int) -> int:
        assert order
        assert (order[35], order[41]) == ("G", f"{PREFIX}{number:09d}")
        return int(order[34])

    async def says(message: bytes) -> None:
        await exchange_says(bench, message)
        await bench.rest(1200)  # the replacement is prepared

    first = is_new(await asks())
    assert await asks() is None, "the exchange has not answered"
    await says(bench.execution(first, "0", "0"))
    # What it did not ask for is still another price than its order's.
    second = replaces(await asks(), first)
    assert await asks() is None
    await says(bench.execution(second, "5", "0", original=first))
    third = replaces(await asks(), second)
    await says(bench.change_refused(third, second))
    fourth = replaces(await asks(), second)
    assert await open_orders(bench) == 1
    # It is filled before it could be replaced.
    await says(bench.execution(second, "F", "2", 7))
    assert await asks() is None, "the replacement has no answer"
    await says(bench.change_refused(fourth, second))
    assert await open_orders(bench) == 0
    fifth = is_new(await asks())
    # Of an order that it no longer follows, nothing counts.
    await says(bench.execution(second, "F", "2", 7))
    await says(bench.execution(first, "4", "4"))
    assert await asks() is None
    await says(bench.execution(fifth, "8", "8"))
    sixth = is_new(await asks())
    await says(bench.execution(sixth, "0", "0"))
    # Risk refuses the replacement: the order stays, and the next price is asked for.
    await bench.write("max_quantity", 6)
    assert await asks() is None
    assert bench.reports[-1].what == REFUSED
    await bench.write("max_quantity", 1000)
    replaces(await asks(), sixth)
    assert set(late) == {BOOK_TO_ORDER}, "no later than without"


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def without_a_prefix_the_host_corrects_alone(dut):
    bench = await ready(dut)
    bench.feed(add(1, "S", 100, 221_50_00))
    await bench.until(lambda: len(orders(bench)) == 1)
    await exchange_says(bench, bench.execution(2, "4", "4"))
    assert await open_orders(bench) == 1


@pytest.mark.parametrize("width", core_widths())
def test_tick_to_trade(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(width))
    simulate("itch_trader_shell", "test_tick_to_trade", {"W": width} | TRADER)
