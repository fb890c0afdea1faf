"""The core's kill switch, from its cause on the wire to the order that does not leave.

Each test sends a price that fires a stop, or an order of the host, while the switch is on: it is refused, and nothing leaves.
"""

import cocotb
import fix_order as fix
import pytest
from harness import core_widths, simulate
from session_bench import FEED_SYMBOL, REFUSED, SENT, SYMBOL, TRADER, Bench, Order, Stop
from test_order_path import ready

KILLED = 0  # the reason
BY_GAP, BY_FEED, BY_SESSION, BY_HOST = (1 << bit for bit in range(4))  # risk_state
ON_SESSION, ON_FEED, ON_GAP, CLEAR = 1 << 1, 1 << 2, 1 << 3, 1 << 8  # kill_switch
BUY_ABOVE = 150_0000  # trigger of the feed's instrument


async def killed_by(bench: Bench) -> int:
    return await bench.read("risk_state") & 0xF


async def settled(bench: Bench) -> None:
    """All frames are in, and what follows from them has left."""
    await bench.until(lambda: not bench.to_core and not bench.words)
    await bench.rest(1500)


async def outcome(bench: Bench) -> tuple[int, int]:
    """What became of the one order requested since the last call."""
    expected = getattr(bench, "outcomes", 0) + 1
    await bench.until(lambda: len(bench.reports) >= expected)
    await settled(bench)
    assert len(bench.reports) == expected, "one report for one order"
    bench.outcomes = expected  # type: ignore[attr-defined]
    return bench.reports[-1].what, bench.reports[-1].reason


async def stop_fires(bench: Bench, slot: int) -> tuple[int, int]:
    """A stop on the feed's instrument is armed and reached."""
    assert await bench.arm(Stop(slot=slot, trigger=BUY_ABOVE, quantity=10, instrument=1, sell=False)) & 2
    bench.trades((FEED_SYMBOL, BUY_ABOVE))
    return await outcome(bench)


def orders_out(bench: Bench) -> int:
    return sum(message[35] in "DFG" for message in bench.messages())


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def after_the_session_is_lost_a_price_that_reaches_a_trigger_sends_nothing(dut):
    bench = await ready(dut)
    assert await stop_fires(bench, 0) == (SENT, 0)
    bench.peer.reply("R")
    await settled(bench)
    while await bench.read("session_state") & 15:
        pass
    assert await killed_by(bench) == BY_SESSION
    assert await bench.read("tcp_reset_received") == 1
    frames = len(bench.arrivals)
    assert await stop_fires(bench, 1) == (REFUSED, KILLED)
    assert await bench.read("refused_killed") == 1
    assert len(bench.arrivals) == frames


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_gap_in_the_feed_stops_orders_until_it_is_cleared(dut):
    bench = await ready(dut)
    assert await stop_fires(bench, 0) == (SENT, 0)
    bench.sequence += 1  # a message is lost
    # The packet that shows the gap brings a price too.
    assert await stop_fires(bench, 1) == (REFUSED, KILLED)
    assert await killed_by(bench) == BY_GAP
    # The feed goes on without a gap: the switch stays on.
    assert await stop_fires(bench, 2) == (REFUSED, KILLED)
    assert orders_out(bench) == 1
    await bench.write("kill_switch", CLEAR | ON_GAP | ON_FEED | ON_SESSION)
    assert await killed_by(bench) == 0
    assert await stop_fires(bench, 3) == (SENT, 0)
    # And where a gap is not to count, it does not.
    await bench.write("kill_switch", ON_FEED | ON_SESSION)
    bench.sequence += 1
    assert await stop_fires(bench, 4) == (SENT, 0)
    assert await bench.read("mold_gap") == 2
    assert orders_out(bench) == 3


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_silent_feed_stops_orders_until_it_is_cleared(dut):
    bench = await ready(dut)
    limit = 6000
    await bench.write("stale_limit", limit)
    bench.trades((FEED_SYMBOL, BUY_ABOVE))
    await bench.until(lambda: not bench.to_core and not bench.words)
    order = Order(quantity=10, price=0, limit=False, instrument=1, sell=True)
    order.price = BUY_ABOVE
    assert await bench.send(order) & 2
    assert await outcome(bench) == (SENT, 0)
    assert await killed_by(bench) == 0, "not silent for long enough"
    await bench.rest(limit)
    assert await killed_by(bench) == BY_FEED
    assert await bench.send(order) & 2
    assert await outcome(bench) == (REFUSED, KILLED)
    # The feed sends again: its price fires a stop, but the switch stays on.
    assert await stop_fires(bench, 0) == (REFUSED, KILLED)
    assert orders_out(bench) == 1
    bench.trades((FEED_SYMBOL, BUY_ABOVE - 1))
    await bench.until(lambda: not bench.to_core and not bench.words)
    await bench.write("kill_switch", CLEAR | ON_GAP | ON_FEED | ON_SESSION)
    assert await killed_by(bench) == 0
    assert await stop_fires(bench, 1) == (SENT, 0)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def while_the_host_holds_the_switch_a_cancel_leaves_and_a_stop_does_not(dut):
    bench = await ready(dut)
    await bench.load_template(fix.CANCEL_FORM, 0, SYMBOL)
    assert await stop_fires(bench, 0) == (SENT, 0)
    await bench.write("kill_switch", 1 | ON_GAP | ON_FEED | ON_SESSION)
    assert await killed_by(bench) == BY_HOST
    assert await stop_fires(bench, 1) == (REFUSED, KILLED)
    assert await bench.send(Order(kind=fix.CANCEL, quantity=10, price=0, original=2)) & 2
    assert await outcome(bench) == (SENT, 0)
    assert [message[35] for message in bench.messages()] == ["A", "D", "F"]
    await bench.write("kill_switch", ON_GAP | ON_FEED | ON_SESSION)
    assert await stop_fires(bench, 2) == (SENT, 0)


@pytest.mark.parametrize("w", core_widths())
def test_order_kill(w: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(w))
    simulate("itch_trader_shell", "test_order_kill", {"W": w} | TRADER)
