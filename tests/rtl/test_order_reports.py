"""order_reports: each order is reported once, in sequence, with what became of it; what finds no room is counted."""

from collections import deque
from random import Random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from harness import simulate

DEPTH = 8
SENT, DROPPED, REFUSED = range(3)
TIME_BITS, NUMBER_BITS = 64, 36
UTC_BITS = 68
TEXT_BITS = 11  # order_t ends with what is not reported: the text's index, whether the price is computed, whether a strategy's


class Bench:
    def __init__(self, dut) -> None:
        self.dut = dut
        self.now = 1000
        self.told: list[tuple[int, int, int, int, int]] = []  # what, reason, client_id, number, time
        self.lost = 0
        self.ready = True

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        dut.sent_valid.value = dut.dropped_valid.value = dut.refused_valid.value = dut.report_ready.value = 0
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0

    @staticmethod
    def order(client_id: int) -> int:
        """order_t with this client_id, and a text that must not show."""
        return client_id << TEXT_BITS | 0x2AB

    async def cycle(self, stage: tuple[int, int, int, int] | None = None, refusal: tuple[int, int] | None = None) -> None:
        """`stage` is what, reason, client_id, number; the refusal's reason and order stay until the next."""
        dut = self.dut
        self.now += 8
        dut.time_ns.value = self.now
        dut.sent_valid.value = stage is not None and stage[0] == SENT
        dut.dropped_valid.value = stage is not None and stage[0] == DROPPED
        if stage and stage[0] == SENT:
            dut.sent.value = ((self.order(stage[2]) << NUMBER_BITS | stage[3]) << UTC_BITS) << TIME_BITS | self.now - 8
        elif stage:
            dut.dropped_reason.value, dut.dropped_order.value = stage[1], self.order(stage[2])
        dut.refused_valid.value = refusal is not None
        if refusal:
            dut.refused_reason.value, dut.refused_order.value = refusal[0], self.order(refusal[1])
        dut.report_ready.value = self.ready
        await ReadOnly()
        if self.ready and int(dut.report_valid.value):
            report = int(dut.report.value)
            time, report = report % (1 << TIME_BITS), report >> TIME_BITS
            number, report = report % (1 << NUMBER_BITS), report >> NUMBER_BITS
            client_id, report = report % (1 << 32), report >> 32
            self.told.append((report >> 4, report % 16, client_id, number, time))
        await FallingEdge(dut.clk)
        self.lost += int(dut.overflow.value)

    async def drain(self) -> None:
        self.ready = True
        for _ in range(3 * DEPTH):
            await self.cycle()


@cocotb.test()
async def each_is_told_with_what_became_of_it_and_when(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.cycle()
    await bench.cycle((SENT, 0, 0xFFFF_FFFF, 0x987654321))
    sent = bench.now - 8
    await bench.drain()
    await bench.cycle((DROPPED, 4, 77, 0x123))
    dropped = bench.now - 8
    await bench.drain()
    await bench.cycle(refusal=(8, 0x8000_0001))
    refused = bench.now - 8
    await bench.drain()
    assert bench.told == [
        (SENT, 0, 0xFFFF_FFFF, 0x987654321, sent),
        (DROPPED, 4, 77, 0, dropped),
        (REFUSED, 8, 0x8000_0001, 0, refused),
    ]


@cocotb.test()
async def an_order_and_a_refusal_of_one_cycle_are_both_told_the_order_first(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.cycle((SENT, 0, 5, 9), (3, 6))
    await bench.drain()
    assert [report[:3] for report in bench.told] == [(SENT, 0, 5), (REFUSED, 3, 6)]


@cocotb.test()
async def what_finds_no_room_is_lost_and_said_so(dut):
    bench = Bench(dut)
    await bench.start()
    bench.ready = False
    for number in range(DEPTH + 3):
        await bench.cycle((SENT, 0, number, number))
        await bench.cycle()
    assert bench.lost == 3
    await bench.drain()
    assert [report[2] for report in bench.told] == list(range(DEPTH))
    await bench.cycle((SENT, 0, 99, 0))
    await bench.drain()
    assert bench.told[-1][2] == 99


@cocotb.test()
async def at_any_pace_none_is_lost_doubled_or_out_of_order(dut):
    bench = Bench(dut)
    rng = Random(2)
    await bench.start()
    stage_due: deque[int] = deque()
    refused_due: deque[int] = deque()
    for number in range(800):
        bench.ready = rng.random() < 0.9
        stage = rng.random() < 0.3
        refusal = rng.random() < 0.3
        if stage:
            stage_due.append(number)
        if refusal:
            refused_due.append(number)
        await bench.cycle((rng.choice([SENT, DROPPED]), 1, number, 1) if stage else None, (2, number) if refusal else None)
        for _ in range(rng.choice([1, 1, 1, 4])):
            await bench.cycle()
    await bench.drain()
    assert not bench.lost
    assert [report[2] for report in bench.told if report[0] != REFUSED] == list(stage_due)
    assert [report[2] for report in bench.told if report[0] == REFUSED] == list(refused_due)
    assert len(stage_due) > 100


def test_order_reports() -> None:
    simulate("order_reports", "test_order_reports", {"DEPTH": DEPTH})
