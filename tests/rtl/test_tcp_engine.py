"""tcp_engine against a peer in Python (tcp_peer.py) over a network that delays, loses, doubles, overtakes and damages."""

import os
import random

import cocotb
import pytest
from harness import simulate
from tcp_bench import PAYLOAD_AFTER, Bench
from tcp_peer import parse

WIDTH = int(os.environ.get("W", "64"))


@cocotb.test()
async def a_session_is_opened_and_an_order_leaves_in_the_cycle_it_is_accepted(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.connect()
    syn = parse(bench.frames[0][1])
    assert (syn.flags, syn.payload, syn.options, syn.ack) == ("S", b"", (("MSS", 1460),), 0)
    order = random.Random(1).randbytes(200)
    bench.orders.append(order)
    await bench.until(lambda: len(bench.peer.received) == 200)
    assert bytes(bench.peer.received) == order
    at, frame = bench.frames[-1]
    assert at == bench.accepted[0]
    assert parse(frame).flags == "PA"
    await bench.until(lambda: int(dut.outstanding.value) == 0, 200)  # the peer's acknowledgment has arrived
    assert bench.events["retransmission"] == 0
    assert bench.stalled == 0


@pytest.mark.parametrize("width", [8, 64])
def test_tcp_engine(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(width))
    simulate("tcp_engine_tb", "test_tcp_engine", {"W": width})
