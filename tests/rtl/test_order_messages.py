"""order_messages: every order leaves as a complete FIX message, numbered in sequence with the host's, with the time at which it leaves."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from random import Random

import cocotb
import fix_order as fix
import pytest
from harness import ROOT, simulate
from order_bench import (
    BUSY_AFTER,
    BYTES,
    COMPUTED,
    DATE_MISSING,
    DECIMALS,
    EXHAUSTED,
    HOST_NO_SESSION,
    LENGTH,
    MALFORMED,
    NO_INSTRUMENT,
    NO_SESSION,
    NO_TEMPLATE,
    PAYLOAD_AFTER,
    PRICE_TOO_WIDE,
    QUANTITY_TOO_WIDE,
    SENT,
    TIME_UNKNOWN,
    TOO_LONG,
    WHOLE,
    Bench,
    HostMessage,
    Order,
    host_message,
    price_text,
)

NOON = datetime(2026, 11, 21, 12, 0, 0)


def random_order(rng: Random, text: int) -> Order:
    instrument = rng.randrange(3)
    widest = 10 ** (fix.PRICE_WIDTH - 1 - (DECIMALS[instrument] > 0))
    return Order(
        kind=rng.choice([fix.NEW, fix.NEW, fix.NEW, fix.CANCEL, fix.REPLACE]),
        market=rng.random() < 0.3,
        sell=rng.random() < 0.5,
        instrument=instrument,
        price=rng.choice([1, -1]) * rng.choice([0, 1, 99, rng.randrange(10**6), widest - 1, rng.randrange(widest)]),
        quantity=rng.choice([1, 100, rng.randrange(10**8), 10**8 - 1]),
        text=text,
        original=f"{rng.randrange(10**9):09}",
        generation=rng.randrange(2**28),
        time_in_force=rng.choice([0, 1, 3, 4]),
    )


async def ready(dut, seed: int = 1, number: int = 1, moment: datetime = NOON) -> Bench:
    bench = Bench(dut, seed)
    await bench.start()
    await bench.set_number(number)
    await bench.set_time(moment, "20261122")
    await bench.cycles(40)
    return bench


@cocotb.test(skip=not COMPUTED)
async def a_computed_order_has_the_price_that_came_with_it(dut):
    rng = Random(7)
    bench = await ready(dut)
    highest = (1 << 32) - 1
    prices = [1, 9, 10, 99_999, 100_000, highest, *(rng.randrange(1, 1 << rng.randint(1, 32)) for _ in range(20))]
    for batch in range(0, len(prices), 6):
        bench.stall = [0.0, 0.4][batch // 6 % 2]
        orders = []
        for at, price in enumerate(prices[batch : batch + 6]):
            order = random_order(rng, text=at)
            if at % 4 != 3:  # others between them
                order = replace(order, kind=fix.NEW, market=False, price=price, computed=True)
            assert await bench.write_text(order) == WHOLE
            orders.append(order)
        for order in orders:
            if rng.random() < 0.3:
                bench.host_queue.append(host_message("0", NOON))
                await bench.cycle()
            bench.give_order(order)
            while bench.order:
                await bench.cycle()
        await bench.settle()
    left = [message for message in bench.stream if message.order]
    assert len(left) == len(prices)
    for message in left:
        bench.check_order(message)


@cocotb.test()
async def every_order_and_host_message_is_whole_and_the_numbers_are_one_run(dut):
    rng = Random(5)
    bench = await ready(dut, number=999_980)
    bench.time_step = 4_999  # a millisecond every 200 cycles
    expected = 999_980
    for batch in range(6):
        bench.stall = [0.0, 0.3, 0.0, 0.6, 0.1, 0.0][batch]
        orders = [random_order(rng, text) for text in range(6)]
        for order in orders:
            assert await bench.write_text(order) == WHOLE
        for order in rng.choices(orders, k=10):
            if rng.random() < 0.4:
                bench.host_queue.append(host_message(rng.choice("0A5"), NOON, extra="108=30|" * rng.randrange(2)))
            for _ in range(rng.choice([0, 0, 1, 40, 200])):
                await bench.cycle()
            bench.give_order(order)
            while bench.order:
                await bench.cycle()
        await bench.settle()
    assert [int(f"{number:x}") for _, number, _, _ in bench.sent] == [int(fix.parse(m.data)[34]) for m in bench.stream if m.order]
    told_orders = iter(bench.sent)
    answers = iter(bench.answers)
    for message in bench.stream:
        if message.order:
            fields = bench.check_order(message)
            client_id, number, utc, time_ns = next(told_orders)
            assert client_id == message.order.client_id
            assert f"{number:09x}" == fields[34]
            assert f"{utc:017x}" == "".join(filter(str.isdigit, fields[52]))
            true = bench.moment + timedelta(milliseconds=(time_ns - bench.moment_ns) // 1_000_000)
            assert true - fix.moment_of(fields[52]) in (timedelta(0), timedelta(milliseconds=1))
        else:
            fields = fix.parse(message.data)
            assert next(answers) == (SENT, int(fields[34]))
        assert int(fields[34]) == expected
        expected += 1
    assert len(bench.stream) > 70
    assert len([m for m in bench.stream if not m.order]) > 10
    assert not bench.dropped


@cocotb.test()
async def an_order_reaches_tcp_in_the_next_cycle_and_the_next_two_cycles_after_tcp_could_take_it(dut):
    bench = await ready(dut)
    orders = [Order(fix.NEW, False, False, 0, 12345, 100, text) for text in range(4)]
    for order in orders:
        assert await bench.write_text(order) == WHOLE
    for order in orders * 3:
        bench.give_order(order)
        while bench.order:
            await bench.cycle()
    await bench.settle()
    assert set(bench.latencies) == {1}
    assert len(bench.stream) == 12
    for message in bench.stream:
        bench.check_order(message)
    # What TCP sends before the payload, the payload, the cycles in which it is busy after it; two until the next order is seen.
    payload = -(-LENGTH // BYTES)
    assert {after - before for before, after in pairwise(bench.accepted)} == {PAYLOAD_AFTER + payload + BUSY_AFTER + 2}


@cocotb.test()
async def the_message_has_the_time_at_which_it_left_over_second_minute_hour_and_midnight(dut):
    order = Order(fix.NEW, False, True, 1, 5, 7, 0)
    bench = await ready(dut)
    assert await bench.write_text(order) == WHOLE
    bench.time_step = 2_500
    for moment in (
        datetime(2026, 11, 21, 12, 34, 58, 997000),
        datetime(2026, 11, 21, 9, 59, 59, 998000),
        datetime(2026, 11, 21, 19, 59, 59, 998000),
        datetime(2026, 11, 21, 23, 59, 59, 997000),
    ):
        await bench.set_time(moment, "20261122")
        await bench.cycles(40)
        bench.stream.clear()
        bench.sent.clear()
        for _ in range(16):
            bench.give_order(order)
            await bench.settle()
        times = [fix.moment_of(bench.check_order(message)[52]) for message in bench.stream]
        assert times == sorted(times)
        assert times[-1] - times[0] >= timedelta(milliseconds=2)
        for told, shown in zip(bench.sent, times, strict=True):
            true = moment + timedelta(milliseconds=(told[3] - bench.moment_ns) // 1_000_000)
            assert true - shown in (timedelta(0), timedelta(milliseconds=1))


@cocotb.test()
async def without_the_next_date_orders_stop_at_midnight_until_there_is_a_time(dut):
    bench = Bench(dut)
    await bench.start()
    order = Order(fix.NEW, False, True, 1, 5, 7, 0)
    await bench.set_number(1)
    await bench.cycles(30)
    assert bench.stopped() == TIME_UNKNOWN
    await bench.set_time(datetime(2026, 12, 31, 23, 59, 59, 999000))
    await bench.cycles(30)
    assert bench.stopped() == 0
    assert await bench.write_text(order) == WHOLE
    bench.time_step = 500_000
    await bench.cycles(40)
    assert bench.stopped() == DATE_MISSING
    bench.time_step = 8
    bench.give_order(order)
    await bench.cycles(500)
    assert bench.order
    assert not bench.stream, "nothing leaves"
    await bench.set_time(datetime(2027, 1, 1, 0, 0, 1))
    await bench.settle()
    assert bench.check_order(bench.stream[0])[52] == "20270101-00:00:01.000"


@cocotb.test()
async def time_that_was_moved_is_caught_up_with_before_an_order_leaves(dut):
    bench = await ready(dut)
    order = Order(fix.NEW, False, True, 1, 5, 7, 0)
    assert await bench.write_text(order) == WHOLE
    bench.now += 50_000_000
    await bench.cycles(30)
    assert bench.stopped() == TIME_UNKNOWN
    bench.give_order(order)
    await bench.settle()
    assert bench.check_order(bench.stream[0])[52] == "20261121-12:00:00.050"


@cocotb.test()
async def behind_the_last_number_nothing_leaves(dut):
    bench = await ready(dut, number=999_999_998)
    order = Order(fix.NEW, True, True, 2, 5, 7, 0)
    assert await bench.write_text(order) == WHOLE
    bench.give_order(order)
    await bench.settle()
    bench.host_queue.append(host_message("0", NOON))
    await bench.settle()
    assert [fix.parse(message.data)[34] for message in bench.stream] == ["999999998", "999999999"]
    assert bench.stopped() & EXHAUSTED
    bench.give_order(order)
    await bench.cycles(400)
    assert bench.order
    assert len(bench.stream) == 2
    await bench.set_number(7)
    await bench.settle()
    assert bench.check_order(bench.stream[2])[34] == "000000007"


@cocotb.test()
async def what_does_not_fit_its_field_is_refused(dut):
    bench = await ready(dut)
    good = Order(fix.NEW, False, False, 0, -(10**11 - 1), 10**8 - 1, 3)
    assert await bench.write_text(good) == WHOLE
    for change, answer in (
        ({"quantity": 10**8}, QUANTITY_TOO_WIDE),
        ({"quantity": 2**32 - 1}, QUANTITY_TOO_WIDE),
        ({"price": 10**11}, PRICE_TOO_WIDE),
        ({"price": -(10**11)}, PRICE_TOO_WIDE),
        ({"price": -(2**47)}, PRICE_TOO_WIDE),
        ({"price": 2**47 - 1, "kind": fix.REPLACE}, PRICE_TOO_WIDE),
        ({"instrument": 4}, NO_INSTRUMENT),
        ({"instrument": 255}, NO_INSTRUMENT),
    ):
        assert await bench.write_text(Order(**(good.__dict__ | change))) == answer
    assert await bench.write_text(Order(**(good.__dict__ | {"price": 10**11, "market": True}))) == WHOLE, "a market order has no price"
    assert await bench.write_text(good) == WHOLE
    bench.give_order(good)
    await bench.settle()
    assert bench.check_order(bench.stream[0])[44] == price_text(good.price, 2) == "-999999999.99"
    assert bench.check_order(bench.stream[0])[34] == "000000001"


@cocotb.test()
async def an_order_without_a_template_is_dropped_and_told(dut):
    bench = await ready(dut)
    order = Order(fix.NEW, False, False, 0, 1, 1, 0)
    assert await bench.write_text(order) == WHOLE
    for instrument in (3, 4, 128):
        bench.give_order(Order(**(order.__dict__ | {"instrument": instrument})))
        await bench.settle()
        assert bench.dropped.pop() == (order.client_id, NO_TEMPLATE)
    await bench.pulse("template_clear", template_index=0)
    bench.give_order(order)
    await bench.settle()
    assert bench.dropped.pop() == (order.client_id, NO_TEMPLATE)
    assert not bench.stream


@cocotb.test()
async def nothing_leaves_without_a_connection(dut):
    bench = await ready(dut)
    order = Order(fix.NEW, False, False, 0, 1, 1, 0)
    assert await bench.write_text(order) == WHOLE
    bench.connected = False
    await bench.cycles(3)
    bench.give_order(order)
    bench.host_queue.append(host_message("0", NOON))
    await bench.cycles(400)
    assert bench.order
    assert bench.answers == [(HOST_NO_SESSION, 0)]
    bench.connected = True
    await bench.settle()
    assert [fix.parse(message.data)[34] for message in bench.stream] == ["000000001"]


@cocotb.test()
async def an_order_that_has_passed_leaves_before_the_hosts_message_or_is_dropped_with_the_connection(dut):
    bench = await ready(dut)
    order = Order(fix.NEW, False, False, 0, 1, 1, 0)
    assert await bench.write_text(order) == WHOLE
    for lost in (False, True):
        bench.give_order(order)
        while bench.order:
            await bench.cycle()
        bench.tcp_busy = True
        bench.host_queue.append(host_message("0", NOON))
        await bench.cycles(300)
        assert not bench.stream
        assert not bench.answers
        bench.connected = not lost
        bench.tcp_busy = False
        await bench.settle()
        if lost:
            assert bench.dropped == [(order.client_id, NO_SESSION)]
            assert bench.answers == [(HOST_NO_SESSION, 0)]
            assert int(dut.number.value) == 3, "neither took a number"
        else:
            assert [fix.parse(message.data)[35] for message in bench.stream] == ["D", "0"]
            assert [fix.parse(message.data)[34] for message in bench.stream] == ["000000001", "000000002"]
            assert bench.answers == [(SENT, 2)]
        bench.stream.clear()
        bench.answers.clear()


@cocotb.test()
async def a_host_message_that_cannot_be_completed_is_refused_and_takes_no_number(dut):
    bench = await ready(dut)
    good = host_message("A", NOON, extra="98=0|108=30|")
    data, at = good.data, good.number_at
    for bad in (
        HostMessage(data[:-1] + b"|", True, at),
        HostMessage(data[:-2] + b"1\x01", True, at),
        HostMessage(data + b"\x01", True, at),
        HostMessage(data, True, at + 1),
        HostMessage(data, True, at - 1),
        HostMessage(data, True, len(data) - 15),
        HostMessage(data, True, 2047),
        HostMessage(b"\x01", True, 0),
        HostMessage(b"000000000" + b"10=000\x01"[1:], True, 0),
    ):
        bench.host_queue.append(bad)
        await bench.settle()
        assert bench.answers.pop() == (MALFORMED, 0), bad
    bench.host_queue.append(HostMessage(data + b"x" * (2049 - len(data)), True, at))
    await bench.settle()
    assert bench.answers.pop() == (TOO_LONG, 0)
    assert not bench.stream
    # As it is, its own number in it; then a long one, and the shortest.
    again = host_message("D", NOON, "000000055", "43=Y|122=20261121-11:00:00.000|")
    bench.host_queue.append(again)
    await bench.settle()
    assert bench.stream.pop().data == again.data
    assert bench.answers.pop() == (SENT, 0)
    for message in (host_message("B", NOON, extra="58=" + "t" * 1900 + "|"), good, HostMessage(b"000000000" + b"10=000\x01", True, 0)):
        bench.host_queue.append(message)
        await bench.settle()
    assert [fix.parse(message.data)[34] for message in bench.stream[:2]] == ["000000001", "000000002"]
    assert bench.stream[2].data == b"00000000310=" + f"{(9 * 48 + 3) % 256:03}".encode() + b"\x01"


@pytest.mark.parametrize(("w", "length", "computed"), [(8, 229, 1), (64, 224, 0), (64, 227, 0), (64, 229, 1)])
def test_order_messages(w: int, length: int, computed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(w))
    monkeypatch.setenv("LENGTH", str(length))
    monkeypatch.setenv("COMPUTED", str(computed))
    simulate("order_messages_tb", "test_order_messages", {"W": w, "COMPUTED": computed}, [ROOT / "tests/rtl/order_messages_tb.sv"])
