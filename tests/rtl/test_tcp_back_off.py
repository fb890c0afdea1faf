"""How the retransmission time of tcp_engine grows where nothing arrives, and what undoes that."""

import os

import cocotb
import pytest
from harness import simulate
from tcp_bench import Bench
from tcp_peer import parse

WIDTH = int(os.environ.get("W", "64"))
BUFFER = 4096


async def opened(dut, bench: Bench, **settings: int) -> None:
    """A session whose round trip was measured."""
    await bench.start(order_length=100, retries=15, **settings)
    await bench.connect()
    await order(dut, bench)


async def order(dut, bench: Bench, limit: int = 100_000) -> None:
    """One, until it is acknowledged."""
    bench.orders.append(bench.rng.randbytes(100))
    await bench.until(lambda: not bench.orders and bench.order is None, limit)
    await bench.run(10)
    await bench.until(lambda: int(dut.outstanding.value) == 0, limit)
    await bench.run(20)


def losing(bench: Bench, frames: int) -> None:
    """The next so many frames with payload do not arrive."""
    put = bench.to_peer.put
    left = frames

    def lossy(now: int, frame: bytes) -> None:
        nonlocal left
        if left and parse(frame).payload:
            left -= 1
        else:
            put(now, frame)

    bench.to_peer.put = lossy  # type: ignore[method-assign]


@cocotb.test()
async def an_acknowledgment_of_what_was_sent_again_takes_the_back_off_back(dut):
    bench = Bench(dut, 31, delay=200)
    await opened(dut, bench, rto_minimum=500, rto_maximum=60_000)
    measured = int(dut.rto.value)
    assert 500 <= measured < 6000
    losing(bench, 3)
    bench.orders.append(bytes(100))
    await bench.until(lambda: bench.events["retransmission"] == 3)
    await bench.run(20)
    assert int(dut.rto.value) == 8 * measured
    await bench.until(lambda: int(dut.outstanding.value) == 0)
    await bench.run(20)
    assert int(dut.rto.value) == measured, "what was sent again says nothing of the round trip, but that the line works"
    # The next loss is repaired as soon as the first was.
    losing(bench, 1)
    count = len(bench.frames)
    bench.orders.append(bytes(100))

    def sent() -> list[int]:
        return [at for at, frame in bench.frames[count:] if parse(frame).payload]

    await bench.until(lambda: len(sent()) == 2)
    first, second = sent()
    assert measured <= second - first < measured + 300


@cocotb.test()
async def the_timer_that_starts_with_a_measurement_starts_without_the_back_off(dut):
    bench = Bench(dut, 32, delay=200)
    await opened(dut, bench, rto_minimum=500)
    measured = int(dut.rto.value)
    losing(bench, 2)
    bench.orders.append(bytes(100))
    await bench.until(lambda: bench.events["retransmission"] == 2)
    bench.orders.append(bytes(100))  # sent once: its acknowledgment measures, together with the other's
    await bench.until(lambda: int(dut.dut.control.timer.measure_end.value) == 1)
    for cycle in range(16):
        await bench.step()
        assert int(dut.rto.value) >= 500, "a time that is being computed is not shown"
        if cycle >= 5:
            assert int(dut.rto.value) < 2 * measured


@cocotb.test()
async def a_round_trip_that_became_longer_than_the_time_is_measured_in_the_end(dut):
    bench = Bench(dut, 33, delay=100)
    await opened(dut, bench, rto_minimum=500, rto_initial=500)
    assert int(dut.rto.value) < 1000
    bench.to_peer.delay = bench.to_client.delay = 1500
    counts = []
    for _ in range(12):
        before = bench.events["retransmission"]
        await order(dut, bench)
        counts.append(bench.events["retransmission"] - before)
        await bench.run(3200)  # what was sent for nothing has been answered too
    assert counts[0] >= 2
    assert counts[-4:] == [0] * 4, counts
    assert sum(counts) < 20, counts
    assert int(dut.rto.value) > 3000


@pytest.mark.parametrize("width", [8, 64])
def test_tcp_back_off(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(width))
    simulate("tcp_engine_tb", "test_tcp_back_off", {"W": width, "BUFFER": BUFFER})
