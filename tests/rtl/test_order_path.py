"""The core of stop orders: it finds its peer, logs on for the host, and a price on the session becomes an order on the session."""

import json

import cocotb
import fix_order as fix
import pytest
from cocotb.triggers import FallingEdge, Timer
from harness import ROOT, core_widths, simulate
from scapy.layers.inet import ICMP, IP
from scapy.layers.l2 import ARP, Ether
from session_bench import CLIENT_IP, CLIENT_MAC, LIMIT, PEER_IP, PEER_MAC, PREFIX, REFUSED, SENT, SYMBOL, Bench, Order, Stop, W

# Last FCS byte of the price's frame to the first preamble byte of the order's, in cycles.
# The stops are compared in groups, a cycle each: these are of the first, in the quarter of the price's instrument.
PRICE_TO_ORDER = {8: 15, 64: 16}[W]
GROUPS = {8: 16, 64: 4}[W]  # the last slot is of the last group for instrument 0
EVENT = GROUPS  # cycles from one event to the next
DECISION_TO_ORDER = 3  # from the cycle in which the order that fires stands complete before risk's check
HELD_BY_HEARTBEAT = {8: 240, 64: 190}[W]  # cycles
RECORD = ROOT / "out" / "bench" / "decision_first_byte.json"  # for `tickwire-verify bench session`


async def decision(dut, bench: Bench) -> int:
    """The next cycle in which risk compares an order with its limits."""
    request_valid = dut.core.order_path.risk_stage.risk.shown
    while True:
        await FallingEdge(dut.clk)
        await Timer(1, "ns")  # the bench has counted this cycle
        if request_valid.value:
            return bench.cycle - 1


def keep(cycles: int) -> None:
    """The figure of this width, beside that of the other."""
    figures = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    RECORD.write_text(json.dumps(figures | {f"w{W}": cycles}) + "\n")


async def ready(dut) -> Bench:
    bench = Bench(dut)
    await bench.start()
    await bench.configure()
    await bench.log_on()
    return bench


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_stop_becomes_one_order_on_the_session_when_its_trigger_is_reached(dut):
    bench = await ready(dut)
    # Number 1 was the host's Logon; nothing is armed yet, so a price is only the last one.
    assert [message[35] for message in bench.messages()] == ["A"]
    bench.peer.send(bench.price("101.00"))
    assert await bench.arm(Stop(slot=3, trigger=99_50, quantity=250, client_id=7 << 7)) & 2
    bench.peer.send(bench.price("99.51"))
    await bench.rest(2000)
    assert len(bench.messages()) == 1
    fired = bench.price("99.50")
    decided = cocotb.start_soon(decision(dut, bench))
    bench.peer.send(fired)
    await bench.until(lambda: len(bench.messages()) == 2)
    # And only once.
    bench.peer.send(bench.price("98.00"))
    await bench.rest(3000)
    messages = bench.messages()
    assert len(messages) == 2
    order = messages[1]
    wanted = {35: "D", 34: "000000002", 49: "TICK", 56: "EXCH", 55: SYMBOL, 54: "2", 40: "1", 38: "00000250"}
    assert {tag: order[tag] for tag in wanted} == wanted
    assert order[11] == PREFIX + order[34]
    assert fix.moment_of(order[52]) == fix.moment_of(order[60])
    (report,) = bench.reports
    assert (report.what, report.number) == (SENT, 2)
    assert report.client_id >> 7 == 7
    # What the peer said is the host's too, whole.
    assert bytes(bench.session).count(b"35=X") == 4
    cycles = max(bench.arrivals) - bench.last_in(fired)
    assert cycles == PRICE_TO_ORDER
    from_decision = max(bench.arrivals) - await decided
    assert from_decision == DECISION_TO_ORDER
    keep(from_decision)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_stop_of_the_last_group_leaves_a_cycle_later_for_each_group_before_it(dut):
    bench = await ready(dut)
    assert await bench.arm(Stop(slot=63, trigger=99_50, quantity=250)) & 2
    fired = bench.price("99.50")
    bench.peer.send(fired)
    await bench.until(lambda: len(bench.messages()) == 2)
    assert max(bench.arrivals) - bench.last_in(fired) == PRICE_TO_ORDER + GROUPS - 1


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def the_latency_depends_on_the_frames_length_and_on_a_trade_before_it_in_the_frame(dut):
    bench = await ready(dut)
    orders = 0
    late: dict[bool, set[int]] = {}
    # A quantity's digits move the end of the frame through all lanes. A trade before the one that fires is compared with every group first.
    for another in (False, True):
        late[another] = set()
        for digits in range(1, 9 if W == 64 else 3):
            orders += 1
            assert await bench.arm(Stop(slot=3, trigger=99_50, quantity=250, client_id=orders)) & 2
            fired = bench.price("101.00" if another else "99.50", size=10 ** (digits - 1))
            fired += bench.price("99.50") if another else b""
            bench.peer.burst(fired)
            await bench.until(lambda orders=orders: len(bench.messages()) == 1 + orders)
            late[another].add(max(bench.arrivals) - bench.last_in(fired) - PRICE_TO_ORDER)
            await bench.until(lambda: not bench.peer.flight)
    if W == 64:
        assert late == {False: {-1, 0}, True: {GROUPS - 1, GROUPS}}
    else:
        assert late[False] == {0}
        assert late[True] <= set(range(1, EVENT + 1))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_price_that_is_sent_again_fires_no_stop(dut):
    bench = await ready(dut)
    news = bench.price("101.00")
    bench.peer.send(news)
    await bench.until(lambda: not bench.peer.flight)
    assert await bench.arm(Stop(slot=3, trigger=99_50, quantity=250, client_id=1 << 7)) & 2
    number = bench.prices
    bench.peer.send(news + bench.price("99.50", number=number) + bench.price("99.50", number=number - 1))
    bench.peer.send(bench.price("99.50", duplicate="Y"))
    await bench.until(lambda: not bench.peer.flight)
    await bench.rest(1000)
    assert len(bench.messages()) == 1, "the host's Logon"
    assert await bench.read("fix_repeated") == 4
    assert await bench.read("fix_prices") == 1
    bench.peer.send(bench.price("99.50", duplicate="N"))
    await bench.until(lambda: len(bench.messages()) == 2)
    assert bench.messages()[1][35] == "D"


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def an_order_never_waits_for_an_acknowledgment(dut):
    bench = await ready(dut)
    late = {}
    for count, length in enumerate(range(0, 500, 40 if W == 64 else 120), 1):
        assert await bench.arm(Stop(slot=3, trigger=99_50, quantity=250, client_id=count << 7)) & 2
        fired = bench.text(length) + bench.price("99.50")
        # The first is acknowledged while, or before, the second comes in.
        bench.peer.burst(bench.text(0), fired)
        await bench.until(lambda count=count: len(bench.messages()) == 1 + count)
        cycles = max(bench.arrivals) - bench.last_in(fired)
        if cycles != PRICE_TO_ORDER:
            late[length] = cycles
        await bench.until(lambda: not bench.peer.flight)
    assert not late


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def an_acknowledgment_leaves_after_2048_cycles_where_the_line_is_never_quiet(dut):
    bench = await ready(dut)
    text = bench.text(0)
    bench.peer.burst(text)
    for _ in range(4096 // 1000 if W == 8 else 4096 // 20):
        bench.transmit(bytes(Ether(src=PEER_MAC, dst="02:00:00:00:00:77", type=0x88B5)) + bytes(1000 if W == 8 else 100))
    await bench.until(lambda: not bench.peer.flight)
    acknowledged = bench.cycle - bench.last_in(text)
    assert bench.to_core, "the line is still busy"
    # Behind the 2,048: the verdict on its segment, and its own frame.
    assert 2048 < acknowledged < 2048 + (120 if W == 8 else 40)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def an_order_does_not_wait_for_an_answer_to_arp_or_a_short_ping(dut):
    bench = await ready(dut)
    to_core = Ether(src=PEER_MAC, dst=CLIENT_MAC)
    arp = to_core / ARP(op=1, hwsrc=PEER_MAC, psrc=PEER_IP, hwdst="00:00:00:00:00:00", pdst=CLIENT_IP)
    ping = to_core / IP(src=PEER_IP, dst=CLIENT_IP) / ICMP(id=3, seq=9) / b"tick"
    for count, question in enumerate((arp, ping), 1):
        assert await bench.arm(Stop(slot=3, trigger=99_50, quantity=250, client_id=count << 7)) & 2
        bench.transmit(bytes(question))
        fired = bench.price("99.50")
        bench.peer.burst(fired)
        await bench.until(lambda count=count: len(bench.messages()) == 1 + count)
        # At W = 8 the answer's interframe gap may not be over yet when the shortest message with a price is.
        assert 0 <= max(bench.arrivals) - bench.last_in(fired) - PRICE_TO_ORDER <= {8: 3, 64: 0}[W]
        await bench.until(lambda count=count: len(bench.others) == count)
        await bench.until(lambda: not bench.peer.flight)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def a_heartbeat_holds_orders_no_longer_than_it_takes_to_send_it(dut):
    bench = await ready(dut)
    hold = dut.core.order_path.order_stage.order_messages.hold
    said = cocotb.start_soon(bench.say("0"))
    held = 0
    while not said.done():
        await FallingEdge(dut.clk)
        held += bool(hold.value)
    await bench.until(lambda: bench.messages()[-1][35] == "0")
    assert 0 < held <= HELD_BY_HEARTBEAT


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def an_order_against_a_limit_is_refused_and_told(dut):
    bench = await ready(dut)
    assert await bench.arm(Stop(slot=0, trigger=99_50, quantity=1001)) & 2
    assert await bench.arm(Stop(slot=1, trigger=99_50, quantity=1000, price=200_01, limit=True)) & 2
    bench.peer.send(bench.price("99.50"))
    await bench.until(lambda: len(bench.reports) == 2)
    assert [(report.what, report.reason) for report in bench.reports] == [(REFUSED, 4), (REFUSED, 7)]  # quantity, collar
    assert [message[35] for message in bench.messages()] == ["A"]
    assert await bench.read("refused_quantity") == 1
    assert await bench.read("refused_collar") == 1


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def orders_of_the_host_leave_through_risk_and_a_stop_beside_them_is_as_it_was(dut):
    bench = await ready(dut)
    for form in (fix.CANCEL_FORM, fix.REPLACE_FORM):
        await bench.load_template(form, 0, SYMBOL)
    assert await bench.arm(Stop(slot=0, trigger=99_50, quantity=250, client_id=1 << 7)) & 2
    bench.peer.send(bench.price("101.00"))
    orders = [
        Order(kind=fix.NEW, quantity=30, price=100_99, client_id=2 << 7),
        Order(kind=fix.REPLACE, quantity=20, price=101_05, original=2, client_id=3 << 7),
        Order(kind=fix.CANCEL, quantity=20, price=0, original=3, client_id=4 << 7),
        Order(kind=fix.NEW, quantity=40, price=101_00, limit=False, sell=True, client_id=5 << 7),
    ]
    for count, order in enumerate(orders, 1):
        assert await bench.send(order) & 2
        await bench.until(lambda count=count: len(bench.reports) == count)
    assert [(report.what, report.number, report.client_id >> 7) for report in bench.reports] == [(SENT, n, n) for n in range(2, 6)]
    await bench.until(lambda: len(bench.messages()) == 5)
    texts = [{tag: message.get(tag) for tag in (35, 34, 41, 54, 38, 44, 40)} for message in bench.messages()[1:]]
    common = {41: None, 44: None}
    assert texts == [
        common | {35: "D", 34: "000000002", 54: "1", 38: "00000030", 44: "0000000100.99", 40: "2"},
        {35: "G", 34: "000000003", 41: f"{PREFIX}000000002", 54: "1", 38: "00000020", 44: "0000000101.05", 40: "2"},
        common | {35: "F", 34: "000000004", 41: f"{PREFIX}000000003", 54: "1", 38: "00000020", 40: None},
        common | {35: "D", 34: "000000005", 54: "2", 38: "00000040", 40: "1"},
    ]
    assert await bench.read("risk_state") >> 16 == 2, "two new orders"
    bench.peer.send(bench.price("99.50"))
    await bench.until(lambda: len(bench.messages()) == 6)
    assert {tag: bench.messages()[5][tag] for tag in (35, 38, 54)} == {35: "D", 38: "00000250", 54: "2"}


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def an_order_of_the_host_against_a_limit_is_refused_and_told(dut):
    bench = await ready(dut)
    bench.peer.send(bench.price("101.00"))
    orders = [
        Order(quantity=1001, price=101_00),
        Order(quantity=10, price=201_01),
        Order(quantity=10, price=0, limit=False),  # a market order without a price of its notional
        Order(quantity=10, price=201_01, kind=fix.REPLACE, original=2),
        Order(quantity=10, price=100, instrument=2),
    ]
    for count, order in enumerate(orders, 1):
        assert await bench.send(order) & 2
        await bench.until(lambda count=count: len(bench.reports) == count)
    # quantity, collar, instrument
    assert [(report.what, report.reason) for report in bench.reports] == [(REFUSED, reason) for reason in (4, 7, 7, 7, 2)]
    assert await bench.send(Order(quantity=10, price=1 << 47)) >> 8 & 3 == 2, "too wide a price"
    assert not await bench.send(Order(quantity=10, price=1, kind=3)) & 2
    await bench.write("kill_switch", 0x001)
    assert await bench.send(Order(quantity=10, price=101_00)) & 2
    await bench.until(lambda: len(bench.reports) == len(orders) + 1)
    assert (bench.reports[-1].what, bench.reports[-1].reason) == (REFUSED, 0)
    assert [message[35] for message in bench.messages()] == ["A"]


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def while_the_session_is_silent_an_order_on_its_prices_is_refused(dut):
    bench = await ready(dut)
    await bench.operate(LIMIT, 0, [1 | 1 << 2, 10_000, 0, 1_000_000, 0])  # it depends on the session
    await bench.write("session_stale_limit", 8_000)
    await bench.write("kill_switch", 0x102)  # only the session's end turns it on
    bench.peer.send(bench.price("101.00"))
    await bench.until(lambda: not bench.to_core and not bench.words)
    for count, (alive, expected) in enumerate(((True, (SENT, 0)), (False, (REFUSED, 3)), (True, (SENT, 0))), 1):
        for _ in range(12):
            if alive:
                bench.peer.send(bench.text(0))  # no price, but the peer is there
            await bench.rest(800)
        assert await bench.send(Order(quantity=10, price=101_00)) & 2
        await bench.until(lambda count=count: len(bench.reports) == count)
        assert (bench.reports[-1].what, bench.reports[-1].reason) == expected, alive
    assert await bench.read("refused_stale") == 1
    assert await bench.read("risk_state") & 0xF == 0, "not a matter of the kill switch"


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def ping_is_answered_and_what_is_answered_is_not_the_hosts(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.configure()
    echo = Ether(src=PEER_MAC, dst=CLIENT_MAC) / IP(src=PEER_IP, dst=CLIENT_IP) / ICMP(id=3, seq=9) / b"tick"
    bench.transmit(bytes(echo))
    await bench.until(lambda: bool(bench.others))
    answer = Ether(bench.others[0])
    assert (answer[IP].src, answer[IP].dst, answer[ICMP].type, answer[ICMP].seq) == (CLIENT_IP, PEER_IP, 0, 9)
    assert await bench.read("icmp_answer") == 1
    assert await bench.read("a_host_frame") == 0


@pytest.mark.parametrize("w", core_widths())
def test_order_path(w: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(w))
    simulate("fix_stops_shell", "test_order_path", {"W": w})
