"""arbiter against the rules of docs/reference/arbitration.md: random lines, and one test a rule."""

import os
import random
from collections.abc import Callable

import cocotb
import pytest
from arbiter_model import PROTOCOLS, LowLatency, Seen, Sent, check_high_reliability
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import cases, simulate
from pins import Pins

PULSES = (
    "passed",
    "refused",
    "missed",
    "bad",
    "malformed",
    "distant",
    "stale",
    "cut_through",
    "kept",
    "too_long",
    "overflow",
    "line_silent",
)
TIME, COUNT, TIME_AND_COUNT = 0, 1, 2


class Bench:
    """The arbiter, with packets put on its lines at given cycles and what comes out written down."""

    def __init__(self, dut) -> None:
        self.dut = Pins(dut)
        self.beat = len(dut.a_keep)
        self.protocol = PROTOCOLS[int(dut.PRESET.value)]
        self.header_beats = -(-self.protocol.header // self.beat)
        self.rng = random.Random(int(os.environ.get("RANDOM_SEED", "1")))
        self.now = 0
        self.low: list[Seen] = []
        self.high: list[Seen] = []
        self.counts = dict.fromkeys(PULSES, 0)
        self.resets = 0
        self.gaps: list[tuple[int, int, int]] = []

    async def start(self, mode: int = TIME, time_window: int = 1000, count_window: int = 100) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 2, "ns").start())
        self.dut.put(a_valid=0, b_valid=0, a_last=0, b_last=0, a_err=0, b_err=0)
        self.dut.flush.value = self.dut.idle_limit.value = 0
        self.window(mode, time_window, count_window)
        self.dut.rst.value = 1
        for _ in range(4):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0
        await RisingEdge(self.dut.clk)

    def window(self, mode: int, time_window: int, count_window: int) -> None:
        self.dut.mode.value = mode
        self.dut.time_window.value = time_window
        self.dut.count_window.value = count_window

    def packet(self, line: int, begin: int, number: int, count: int = 1, length: int | None = None, good: bool = True) -> Sent:
        """One to be sent; its count on the wire is what the protocol can say."""
        if not self.protocol.count_bytes:
            count = 1
        length = self.protocol.header + 10 if length is None else length
        data = self.protocol.packet(number % (1 << self.protocol.sequence_bits), count, length, self.rng)
        ends = self.protocol.count_end and count == self.protocol.count_end
        end = begin + -(-length // self.beat) - 1
        number %= 1 << self.protocol.sequence_bits
        return Sent(line, begin, data, number, 0 if ends else count, good, length < self.protocol.header, end)

    def copy(self, packet: Sent, line: int, begin: int, good: bool = True) -> Sent:
        """The same packet on another line."""
        return Sent(line, begin, packet.data, packet.number, packet.count, good, packet.malformed, begin + packet.end - packet.begin)

    async def run(self, packets: list[Sent], until: int, also: Callable[[int], None] | None = None) -> None:
        """Drives cycles `now` to `until`; the first beat of a packet is sampled at the end of cycle `begin`."""
        dut = self.dut
        beats: dict[tuple[int, int], tuple[bytes, bool, bool]] = {}
        for packet in packets:
            parts = [packet.data[i : i + self.beat] for i in range(0, len(packet.data), self.beat)]
            for i, part in enumerate(parts):
                last = i + 1 == len(parts)
                at = packet.begin + i + (packet.pause if i > packet.pause_behind else 0)
                assert (packet.line, at) not in beats, "two packets at once on a line"
                beats[packet.line, at] = (part, last, last and not packet.good)
        open_low, open_high = bytearray(), bytearray()
        begin = {"low": 0, "high": 0}
        while self.now <= until:
            for line, name in ((0, "a"), (1, "b")):
                beat = beats.get((line, self.now))
                dut.put(**{f"{name}_valid": beat is not None})
                if beat is not None:
                    data, last, err = beat
                    values = {"data": int.from_bytes(data, "little"), "keep": (1 << len(data)) - 1, "last": last, "err": err}
                    dut.put(**{f"{name}_{port}": value for port, value in values.items()})
            if also:
                also(self.now)
            await RisingEdge(dut.clk)
            for name, opened, done in (("low", open_low, self.low), ("high", open_high, self.high)):
                if getattr(dut, f"{name}_valid").value:
                    if not opened:
                        begin[name] = self.now
                    data = int(getattr(dut, f"{name}_data").value).to_bytes(self.beat, "little")
                    opened += data[: int(getattr(dut, f"{name}_keep").value).bit_length()]
                    if getattr(dut, f"{name}_last").value:
                        done.append(Seen(begin[name], self.now, bytes(opened), bool(getattr(dut, f"{name}_err").value)))
                        opened.clear()
            for name in PULSES:
                self.counts[name] += int(getattr(dut, name).value).bit_count()
            self.resets += int(dut.session_reset.value)
            gaps = int(dut.gap.value)
            for output in range(2):
                if gaps >> output & 1:
                    width = self.protocol.sequence_bits
                    first, behind = (int(signal.value) >> (width * output) & ((1 << width) - 1) for signal in (dut.gap_from, dut.gap_to))
                    self.gaps.append((output, first, behind))
            self.now += 1


def good(out: list[Seen]) -> list[bytes]:
    return [seen.data for seen in out if not seen.err]


def random_lines(bench: Bench, packets: int, loss: float, skew: int, bad: float, first: int, recut: float) -> list[Sent]:
    """A feed on two lines: each loses packets, B follows A by a skew that wanders, and cuts some at other places; some frames are bad,
    some only heartbeats."""
    rng = bench.rng
    gap = -(-84 // bench.beat)  # smallest distance of two frames
    number, at = first, 5
    free = [0, 0]
    sent: list[Sent] = []
    for _ in range(packets):
        count = 0 if bench.protocol.count_bytes and rng.random() < 0.05 else rng.choice([1, 1, 2, 5])
        length = bench.protocol.header + rng.choice([0, 1, 7, 30, 60, 200]) + rng.randrange(bench.beat)
        original = bench.packet(0, at, number, count, length)
        for line in (0, 1):
            if rng.random() < loss:
                continue
            begin = max(free[line], at + (rng.randrange(skew + 1) if line == 1 else 0))
            packet = bench.copy(original, line, begin, good=rng.random() >= bad)
            if line == 1 and original.count and bench.protocol.count_bytes and rng.random() < recut:
                earlier = rng.choice([0, 1, 2, 5, 9])
                count = max(1, earlier + original.count + rng.choice([-2, -1, 0, 1, 3, 8]))
                packet = bench.packet(line, begin, number - earlier, count, length, packet.good)
            free[line] = packet.end + 1 + gap
            sent.append(packet)
        number += original.count
        at += rng.choice([gap, gap + 1, gap + 3, 30, 100])
    return sent


@cocotb.test()
async def random_lines_obey_the_rules(dut):
    bench = Bench(dut)
    await bench.start(time_window=400, count_window=40)
    first = (1 << bench.protocol.sequence_bits) - 40  # it wraps
    sent: list[Sent] = []
    bad_lines = [(0, 0, 0, 0), (0.1, 3, 0.02, 0.1), (0.3, 30, 0.05, 0.5), (0.5, 150, 0.1, 0.2), (0.02, 400, 0, 0.9), (0.2, 40, 0.02, 1)]
    for loss, skew, bad, recut in bad_lines:
        lines = random_lines(bench, cases(60, 120), loss, skew, bad, first, recut)
        for packet in lines:
            packet.begin += bench.now
            packet.end += bench.now
        first = lines[-1].number + lines[-1].count
        modes = {bench.now + 300: (COUNT, 400, 10), bench.now + 900: (TIME_AND_COUNT, 150, 6), bench.now + 2000: (TIME, 50, 6)}

        def also(now: int, modes: dict[int, tuple[int, int, int]] = modes) -> None:
            if now in modes:
                bench.window(*modes[now])

        await bench.run(lines, max(p.end for p in lines) + 1500, also)
        sent += lines
    model = LowLatency(bench.protocol, bench.beat)
    model.run(sent)
    for got, want in zip(bench.low, model.out, strict=False):
        assert got == want, f"low latency: {got} instead of {want}"
    assert len(bench.low) == len(model.out)
    assert (bench.counts["refused"], bench.counts["missed"]) == (model.refused, model.missed)
    assert sum(bench.protocol.distance(a, b) for output, a, b in bench.gaps if output == 0) == model.lost
    check_high_reliability(bench.protocol, sent, bench.high, bench.counts["overflow"])
    assert bench.counts["kept"] > cases(25, 50)  # the test does cover it
    assert bench.counts["cut_through"] > cases(25, 50)


@cocotb.test()
async def an_expected_packet_takes_one_cycle_on_both_outputs(dut):
    bench = Bench(dut)
    await bench.start()
    sent = [bench.packet(i % 2, 10 + 150 * i, 100 + i, 1, 100) for i in range(8)]
    await bench.run(sent, 1500)
    for out in (bench.low, bench.high):
        assert [(seen.begin, seen.end) for seen in out] == [(p.begin + 1, p.end + 1) for p in sent]
        assert good(out) == [p.data for p in sent]


@cocotb.test()
async def what_one_line_lost_the_other_brings_though_it_is_cut_at_other_places(dut):
    bench = Bench(dut)
    if not bench.protocol.count_bytes:
        return
    await bench.start(time_window=100000)
    cuts = {0: [(0, 4), (8, 4)], 1: [(0, 2), (2, 4), (6, 4), (10, 2)]}  # A has lost 4 to 7
    first = (1 << bench.protocol.sequence_bits) - 5  # it wraps in the middle
    sent = [bench.packet(0, 10 + 150 * i, first + at, count, 90) for i, (at, count) in enumerate(cuts[0])]
    sent += [bench.packet(1, 400 + 150 * i, first + at, count, 90) for i, (at, count) in enumerate(cuts[1])]
    await bench.run(sent, 1400)
    a, kept, _, b2, b6, _ = sent
    assert good(bench.high) == [a.data, b2.data, b6.data, kept.data]
    assert bench.gaps == [(0, (first + 4) % (1 << bench.protocol.sequence_bits), kept.number)]
    assert (bench.counts["kept"], bench.counts["cut_through"]) == (1, 3)
    # In one cycle, and the kept one as soon as what was before it has come.
    begins = [seen.begin for seen in bench.high if not seen.err]
    assert begins[:3] == [a.begin + 1, b2.begin + 1, b6.begin + 1]
    assert b6.end < begins[3] < b6.end + 32


@cocotb.test()
async def a_packet_that_goes_back_is_taken_if_its_last_message_is_the_expected_one(dut):
    bench = Bench(dut)
    if not bench.protocol.count_bytes:
        return
    await bench.start(time_window=100000)
    expected = 3  # so that packets begin before the numbers wrap
    first = bench.packet(0, 10, expected - 2, 2, 60)
    sent, taken = [first], [first]
    for i, count in enumerate([1, 2, 3, 200]):
        for more in (0, 1):
            packet = bench.packet(i % 2, 150 + 300 * i + 150 * more, expected - count, count + more, 60)
            sent.append(packet)
            if more:
                taken.append(packet)
                expected += 1
    await bench.run(sent, 1600)
    assert good(bench.low) == good(bench.high) == [p.data for p in taken]
    assert bench.gaps == []
    assert (bench.counts["refused"], bench.counts["distant"]) == (4, 0)


@cocotb.test()
async def of_two_kept_with_the_same_number_the_later_is_kept_too_if_it_has_more_messages(dut):
    bench = Bench(dut)
    if not bench.protocol.count_bytes:
        return
    await bench.start(time_window=100000)
    first = bench.packet(0, 10, 50, 1)
    counts = [3, 2, 3, 7, 7, 4]
    behind = [bench.packet(i % 2, 200 + 100 * i, 60, count) for i, count in enumerate(counts)]
    await bench.run([first, *behind], 900)
    assert bench.counts["kept"] == 2
    missing = bench.packet(0, 1000, 51, 9)
    await bench.run([missing], 1300)
    assert good(bench.high) == [first.data, missing.data, behind[0].data, behind[3].data]
    assert [gap for gap in bench.gaps if gap[0] == 1] == []


@cocotb.test()
async def what_is_kept_is_freed_when_all_of_it_has_come_and_not_before(dut):
    bench = Bench(dut)
    if not bench.protocol.count_bytes:
        return
    await bench.start(time_window=100000)
    number = 50
    for i, count in enumerate([3, 4]):  # up to the last of the cut-through packet, and one more
        at = bench.now + 10
        first = bench.packet(0, at, number, 1)
        kept = bench.packet(0, at + 100, number + 2, count)
        through = bench.packet(1, at + 200, number + 1, 4)
        await bench.run([first, kept, through], at + 400)
        assert good(bench.high)[-2 - i :] == [p.data for p in (first, through, kept)[: 2 + i]]
        number += 5 + i
    assert [gap for gap in bench.gaps if gap[0] == 1] == []


@cocotb.test()
async def the_other_line_stands_in_for_a_bad_frame(dut):
    bench = Bench(dut)
    await bench.start()
    one, two, three = (bench.packet(0, 10 + 150 * i, 7 + i, 1, 90) for i in range(3))
    two.good = False
    sent = [one, two, three, bench.copy(two, 1, two.begin + 3)]  # B's copy begins while A's, bad, is on its way
    await bench.run(sent, 600)
    assert good(bench.high) == [one.data, two.data, three.data]
    assert bench.counts["bad"] == 1
    assert [gap for gap in bench.gaps if gap[0] == 1] == []


@cocotb.test()
async def a_missing_packet_is_waited_for_as_long_as_the_time_window(dut):
    bench = Bench(dut)
    await bench.start(TIME, time_window=200)
    first, lost, third, fourth = (bench.packet(0, 10 + 60 * i, 50 + i, 1, 60) for i in range(4))
    await bench.run([first, third, fourth], 700)
    assert good(bench.high) == [first.data, third.data, fourth.data]
    waited = bench.high[-2].begin - third.end
    assert 200 <= waited <= 220, waited
    beats = -(-60 // bench.beat)
    assert bench.high[-1].begin == bench.high[-2].begin + beats  # back to back
    assert (1, lost.number, third.number) in bench.gaps
    # In time from the other line:
    again = [bench.packet(0, 1000 + 60 * i, 54 + i, 1, 60) for i in range(3)]
    late = bench.copy(again[1], 1, again[2].begin + 100)
    await bench.run([again[0], again[2], late], 1500)
    assert good(bench.high)[3:] == [p.data for p in (again[0], again[1], again[2])]
    assert len([gap for gap in bench.gaps if gap[0] == 1]) == 1


@cocotb.test()
async def a_missing_packet_is_waited_for_until_the_count_window_is_full(dut):
    bench = Bench(dut)
    if not bench.protocol.count_bytes:
        return
    await bench.start(COUNT, count_window=9)
    first = bench.packet(0, 10, 50, 2)
    behind = [bench.packet(i % 2, 100 + 100 * i, 60 + 10 * i, 4) for i in range(3)]  # 4, 8, 12 messages
    await bench.run([first, *behind], 1000)
    assert good(bench.high) == [first.data, behind[0].data]  # 12 are 9 or more; the 8 left are not
    assert behind[2].end < bench.high[-1].begin <= behind[2].end + 20
    dut.flush.value = 1
    await bench.run([], 1001)
    dut.flush.value = 0
    await bench.run([], 1200)
    assert good(bench.high) == [first.data, *(p.data for p in behind)]


@cocotb.test()
async def residual_packets_leave_when_both_lines_are_silent(dut):
    bench = Bench(dut)
    await bench.start(COUNT, count_window=1000)
    dut.idle_limit.value = 300
    first, second = bench.packet(0, 10, 50), bench.packet(1, 100, 60)
    await bench.run([first, second], 700)
    assert good(bench.high) == [first.data, second.data]
    assert second.end + 300 < bench.high[-1].begin < second.end + 330
    assert bench.counts["line_silent"] == 2


@cocotb.test()
async def an_idle_limit_below_the_present_silence_counts_at_once_and_once(dut):
    bench = Bench(dut)
    await bench.start(COUNT, count_window=1000)
    dut.idle_limit.value = 5000
    first, second = bench.packet(0, 10, 50), bench.packet(1, 100, 60)
    await bench.run([first, second], 1000)
    assert (good(bench.high), bench.counts["line_silent"]) == ([first.data], 0)
    dut.idle_limit.value = 300
    await bench.run([], 1100)
    assert (good(bench.high), bench.counts["line_silent"]) == ([first.data, second.data], 2)
    await bench.run([], 2000)
    assert bench.counts["line_silent"] == 2


@cocotb.test()
async def a_new_session_is_taken_up_by_its_second_packet(dut):
    bench = Bench(dut)
    await bench.start()
    old = [bench.packet(0, 10 + 60 * i, 5_000_000 + i) for i in range(3)]
    new = [bench.packet(0, 300 + 60 * i, 1 + i) for i in range(4)]
    copies = [bench.copy(p, 1, p.begin + 7) for p in new]
    straggler = bench.packet(1, 600, 5_000_003)
    await bench.run([*old, *new, *copies, straggler], 900)
    assert bench.resets == 1
    assert good(bench.high) == [p.data for p in old + new]
    assert good(bench.low) == [p.data for p in old + new[1:]]
    assert (bench.counts["distant"], bench.counts["stale"]) == (2, 1)
    # Once is not enough:
    stray = bench.packet(0, 1000, 1 << 30)
    more = [bench.packet(0, 1100 + 60 * i, 5 + i) for i in range(2)]
    await bench.run([stray, *more], 1400)
    assert bench.resets == 1
    assert good(bench.high)[-2:] == [p.data for p in more]


@cocotb.test()
async def nothing_of_a_new_session_is_lost_while_the_old_one_is_flushed(dut):
    bench = Bench(dut)
    await bench.start(time_window=100000)
    base = 3 << 20  # by the low bits, which order what is kept, the new numbers come before it
    old = [bench.packet(0, 10, base)]
    for i in range(1, 3):
        old.append(bench.packet(0, old[-1].end + 60, base + 2 * i, 1, 500))
    at = old[-1].end + 60
    new = [bench.packet(1, at + 70 * i, 70 + i) for i in range(4)]
    copies = [bench.copy(p, 0, p.begin + 95) for p in new]  # the first was the candidate: it comes again while the old ones leave
    await bench.run([*old, *new, *copies], at + 2500)
    assert bench.resets == 1
    assert good(bench.high) == [p.data for p in old + new]
    assert [gap[1:] for gap in bench.gaps if gap[0] == 1] == [(p.number - 1, p.number) for p in old[1:]]
    left = [seen.end for seen in bench.high if not seen.err]
    assert left[2] > copies[0].end + 10 or bench.beat > 1  # at W = 8 the old ones do leave meanwhile


@cocotb.test()
async def what_is_kept_of_the_old_session_does_not_keep_out_the_same_number_of_the_new_one(dut):
    bench = Bench(dut)
    await bench.start(time_window=100000)
    base = 1 << 23  # the low bits, by which what is kept is compared, are the same
    old = [bench.packet(0, 10, base), bench.packet(0, 200, base + 71)]
    at = old[-1].end + 60
    new = [bench.packet(1, at + 70 * i, 70 + i) for i in range(2)]  # the second is put in its place while the old one still has its own
    copy = bench.copy(new[0], 0, new[1].end + 60)  # the first was the candidate
    await bench.run([*old, *new, copy], at + 1000)
    assert bench.resets == 1
    assert good(bench.high) == [p.data for p in old + new]


@cocotb.test()
async def a_packet_of_the_old_session_that_begins_at_the_reset_does_not_call_it_back(dut):
    bench = Bench(dut)
    await bench.start()
    first = bench.packet(0, 10, 1)
    await bench.run([first], first.end + 40)
    expected = first.number + first.count
    for i, shift in enumerate(range(-bench.header_beats - 8, 16)):
        bench.high.clear()
        begin = bench.now + 40 + bench.header_beats
        new = [bench.packet(1, begin, 5_000_000 * (i + 1))]
        for j in range(1, 4):
            new.append(bench.packet(1, new[-1].end + 100, new[0].number + j))
        straggler = bench.packet(0, new[1].end + shift, expected)
        copy = bench.copy(new[0], 0, new[1].end + 60)
        await bench.run([*new, straggler, copy], new[-1].end + 60)
        delivered = good(bench.high)
        assert delivered[-4:] == [p.data for p in new], f"begun {shift} cycles behind the second packet's end"
        assert delivered[:-4] in ([], [straggler.data])
        expected = new[-1].number + new[-1].count
    assert bench.resets == i + 1


@cocotb.test()
async def an_end_of_session_leaves_once_and_lets_everything_go(dut):
    bench = Bench(dut)
    if not bench.protocol.count_end:
        return
    await bench.start(time_window=100000)
    first = bench.packet(0, 10, 50)
    end = bench.packet(0, 200, 51, bench.protocol.count_end)
    await bench.run([first, end], 600)
    assert good(bench.high) == [first.data, end.data]  # cut through, and not kept as well
    # After a gap it is kept, and forces what is missing.
    kept = bench.packet(1, 700, 60)
    last = bench.packet(1, 900, 61, bench.protocol.count_end)
    await bench.run([kept, last], 1300)
    assert good(bench.high)[2:] == [kept.data, last.data]
    assert (1, 51, 60) in bench.gaps


@cocotb.test()
async def what_is_on_its_way_at_a_session_reset_is_cut_off_on_the_low_latency_output(dut):
    bench = Bench(dut)
    await bench.start()
    old = bench.packet(0, 10, 5_000_000)
    new = [bench.packet(1, 200 + 100 * i, 1 + i) for i in range(2)]
    through = bench.packet(0, new[1].begin - 5, 5_000_001, 1, 1000)  # of the old session, while the new one is confirmed
    behind = [bench.packet(1, through.end + 100 * i, 3 + i) for i in range(2)]
    await bench.run([old, *new, through, *behind], behind[-1].end + 100)
    assert bench.resets == 1
    assert good(bench.low) == [p.data for p in (old, *behind)]
    assert any(seen.err and through.data.startswith(seen.data) and len(seen.data) < len(through.data) for seen in bench.low)
    # The old session's number no longer counts: the next is no gap.
    assert [gap[1:] for gap in bench.gaps if gap[0] == 0] == [(1, 3)]


@cocotb.test()
async def a_session_reset_between_two_beats_of_a_packet_cuts_it_off_at_the_second(dut):
    bench = Bench(dut)
    await bench.start()
    old = bench.packet(0, 10, 5_000_000)
    new = [bench.packet(1, 200 + 100 * i, 1 + i) for i in range(2)]
    through = bench.packet(0, new[1].begin - 5, 5_000_001, 1, 1000)
    through.pause_behind, through.pause = new[1].end - through.begin, 40  # the reset falls into it
    through.end += through.pause
    behind = bench.packet(1, through.end + 100, 3)
    await bench.run([old, *new, through, behind], behind.end + 100)
    assert bench.resets == 1
    assert good(bench.low) == [old.data, behind.data]
    assert [seen.data for seen in bench.low if seen.err][-1] == through.data[: (through.pause_behind + 2) * bench.beat]


@cocotb.test()
async def what_is_too_short_or_too_long_is_told(dut):
    bench = Bench(dut)
    await bench.start()
    first = bench.packet(0, 10, 50)
    short = bench.packet(1, 100, 51, 1, bench.protocol.header - 1)
    long = bench.packet(0, 200, 52, 1, bench.protocol.maximum + bench.beat)  # not expected: it would have to be kept
    missing = bench.packet(1, long.end + 50, 51)
    await bench.run([first, short, long, missing], missing.end + 100)
    assert (bench.counts["malformed"], bench.counts["too_long"]) == (1, 1)
    assert good(bench.high) == [first.data, missing.data]
    assert good(bench.low) == [first.data, long.data]


@pytest.mark.parametrize(("width", "preset"), [(8, 0), (64, 0), (128, 0), (64, 1), (64, 2), (8, 3), (64, 3), (128, 3)])
def test_arbiter(width: int, preset: int) -> None:
    simulate("arbiter_tb", "test_arbiter", {"W": width, "PRESET": preset})
