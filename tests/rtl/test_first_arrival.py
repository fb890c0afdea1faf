"""first_arrival by the rules of the low-latency output (docs/reference/arbitration.md); model and lines are those of the arbiter."""

import cocotb
import pytest
from arbiter_model import LowLatency, Sent
from harness import cases, simulate
from test_arbiter import Bench, good, random_lines


@cocotb.test()
async def random_lines_obey_the_rules(dut):
    bench = Bench(dut)
    await bench.start()
    first = (1 << bench.protocol.sequence_bits) - 40  # it wraps
    sent: list[Sent] = []
    for loss, skew, bad, recut in [(0, 0, 0, 0), (0.1, 3, 0.02, 0.1), (0.3, 30, 0.05, 0.5), (0.5, 150, 0.1, 0.2), (0.2, 40, 0.02, 1)]:
        lines = random_lines(bench, cases(60, 120), loss, skew, bad, first, recut)
        for packet in lines:
            packet.begin += bench.now
            packet.end += bench.now
        first = lines[-1].number + lines[-1].count
        await bench.run(lines, max(p.end for p in lines) + 300)
        sent += lines
    model = LowLatency(bench.protocol, bench.beat)
    model.run(sent)
    for got, want in zip(bench.low, model.out, strict=False):
        assert got == want, f"{got} instead of {want}"
    assert len(bench.low) == len(model.out)
    assert (bench.counts["refused"], bench.counts["missed"]) == (model.refused, model.missed)
    assert sum(bench.protocol.distance(a, b) for _, a, b in bench.gaps) == model.lost


@cocotb.test()
async def a_packet_takes_one_cycle_and_its_copy_does_not_pass(dut):
    bench = Bench(dut)
    await bench.start()
    sent = [bench.packet(i % 2, 10 + 150 * i, 100 + i, 1, 100) for i in range(6)]
    copies = [bench.copy(packet, 1 - packet.line, packet.begin + 3) for packet in sent]
    await bench.run([*sent, *copies], 1500)
    assert [(seen.begin, seen.end) for seen in bench.low] == [(p.begin + 1, p.end + 1) for p in sent]
    assert good(bench.low) == [p.data for p in sent]
    assert bench.counts["passed"] == len(sent)
    assert bench.gaps == []


@cocotb.test()
async def a_session_that_begins_again_is_followed_from_its_second_packet_on(dut):
    bench = Bench(dut)
    await bench.start()
    old = bench.packet(0, 10, 5_000_000)
    new = [bench.packet(1, 200 + 150 * i, 1 + i) for i in range(4)]
    late = bench.packet(0, new[2].begin + 60, 5_000_001)  # of the old session
    await bench.run([old, *new, late], late.end + 400)
    assert bench.resets == 1
    assert good(bench.low) == [p.data for p in (old, *new[2:])]
    assert bench.counts["stale"] == 1
    assert bench.gaps == [(0, 1, 3)]


@cocotb.test()
async def each_line_is_told_silent_once(dut):
    bench = Bench(dut)
    await bench.start()
    dut.idle_limit.value = 200
    first = bench.packet(0, 10, 50)
    await bench.run([first, bench.copy(first, 1, 12), bench.packet(0, 900, 51)], 2000)
    assert bench.counts["line_silent"] == 3
    short = bench.packet(1, 2010, 52, 1, bench.protocol.header - 1)
    await bench.run([short], 2200)
    assert bench.counts["malformed"] == 1


@pytest.mark.parametrize(("width", "preset"), [(8, 0), (64, 0), (8, 3), (64, 3)])
def test_first_arrival(width: int, preset: int) -> None:
    simulate("arbiter_tb", "test_first_arrival", {"W": width, "PRESET": preset, "FIRST_ARRIVAL": 1})
