"""Stop orders on the trades of a feed, in the core of ITCH with an order book."""

import cocotb
import pytest
from harness import cases, core_widths, simulate
from session_bench import FEED_SYMBOL, LIMIT, REFUSED, SENT, TRADER, Order, Stop, W
from test_order_path import ready

TRADE_TO_ORDER = {8: 17, 64: 16}[W]  # last FCS byte of the trade's frame to the first preamble byte of the order's, in cycles


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_trade_of_the_market_data_fires_a_stop_when_its_frame_proves_good(dut):
    bench = await ready(dut)
    assert await bench.arm(Stop(slot=18, trigger=150_0000, quantity=40, instrument=1, sell=False)) & 2
    bench.trades(("AAPL", 149_9999), ("MSFT", 151_0000))  # not there yet; and another's
    bench.trades(("AAPL", 151_0000), damaged=True)
    await bench.until(lambda: not bench.to_core and not bench.words)
    await bench.rest(1500)
    assert len(bench.messages()) == 1
    fired = bench.trades(("MSFT", 100_0000), ("AAPL", 150_0000))
    await bench.until(lambda: len(bench.messages()) == 2)
    order = bench.messages()[1]
    assert {tag: order[tag] for tag in (35, 54, 40, 38, 55)} == {35: "D", 54: "1", 40: "1", 38: "00000040", 55: FEED_SYMBOL}
    assert max(bench.arrivals) - bench.last_in(fired) == TRADE_TO_ORDER


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def the_last_trade_of_the_longest_frame_fires_a_stop_and_none_is_lost(dut):
    bench = await ready(dut)
    trades = (9022 - 4 - 18 - 28 - 20) // 46  # of ITCH 5.0 `P` with its length, in Ethernet, IPv4, UDP and MoldUDP64
    for count in range(1, cases(1, 2) + 1):
        assert await bench.arm(Stop(slot=18, trigger=150_0000, quantity=40, instrument=1, sell=False, client_id=count << 7)) & 2
        bench.trades(*[("AAPL", 149_9999)] * trades)
        fired = bench.trades(*[("AAPL", 149_9999)] * (trades - 1), ("AAPL", 150_0000))
        await bench.until(lambda count=count: len(bench.messages()) == 1 + count)
        waited = max(bench.arrivals) - bench.last_in(fired) - TRADE_TO_ORDER
        assert waited <= {8: 18, 64: 4}[W] * (trades - 1), "a trade is compared in so many cycles"
        await bench.until(lambda: not bench.peer.flight)
    assert await bench.read("trade_overflow") == 0
    assert await bench.read("risk_state") & 0xF == 0


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_living_session_does_not_hide_a_dead_feed(dut):
    bench = await ready(dut)
    await bench.operate(LIMIT, 1, [1 | 1 << 1, 1_000_000, 0, 1_000_000, 0])  # it depends on the market data
    await bench.write("stale_limit", 2_000)
    await bench.write("kill_switch", 0x102)  # only the session turns it on
    of_feed = Order(quantity=10, price=150_0000, instrument=1, limit=False)
    for count, (feed, expected) in enumerate(((True, (SENT, 0)), (False, (REFUSED, 3)), (True, (SENT, 0))), 1):
        for _ in range(3):
            bench.peer.send(bench.text(0))  # no price, but the peer is there
            if feed:
                bench.trades(("AAPL", 150_0000))
            await bench.rest(800)
        assert await bench.send(of_feed) & 2
        if feed:
            bench.trades(("AAPL", 150_0000))
        await bench.until(lambda count=count: len(bench.reports) == count)
        assert (bench.reports[-1].what, bench.reports[-1].reason) == expected, feed
    assert await bench.read("refused_stale") == 1
    assert await bench.read("risk_state") & 0xF == 0, "not a matter of the kill switch"


@pytest.mark.parametrize("w", core_widths())
def test_feed_stops(w: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(w))
    simulate("itch_trader_shell", "test_feed_stops", {"W": w} | TRADER)
