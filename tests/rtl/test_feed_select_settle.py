"""feed_select with SETTLE: a packet's first message is held back until the packet before is settled; only time is lost by that."""

from itertools import pairwise

import cocotb
from feed_select_bench import LIMIT, LINE_A, LOW_LATENCY, SOURCES, Play, played, reset, run, start
from harness import simulate

SETTLE = 9
HEADER = 22  # bytes before the first message


def back_to_back(play: Play, packets: int, beats: int, message: int, err: bool = False) -> int:
    """Packets on the low-latency output without a pause, from cycle 2; returns the cycle after them."""
    play.choices[0] = LOW_LATENCY
    at = 2
    for _ in range(packets):
        at = play.packet(LOW_LATENCY, at, beats, message=message, err=err)
    return at


@cocotb.test()
async def the_beat_in_which_the_first_message_ends_waits_for_the_packet_before(dut):
    await start(dut)
    for beats, message, held in [(4, 5, 3), (6, 10, 3), (6, 11, 4), (6, 18, 4), (6, 19, 5), (12, 42, 7), (12, 43, 8), (12, 0xFFFF, 8)]:
        play = await reset(dut)
        back_to_back(play, 2, beats, message)
        seen, _ = await run(dut, play, 20)
        first, second = list(seen)[:beats], list(seen)[beats:]
        assert first == list(range(3, 3 + beats))  # nothing was before it
        begin = first[-1] + 1
        assert second[:held] == list(range(begin, begin + held))
        assert second[held:] == list(range(first[-1] + SETTLE, first[-1] + SETTLE + beats - held)), f"{message} bytes"


@cocotb.test()
async def packets_far_enough_apart_pass_a_cycle_later(dut):
    play = await start(dut)
    play.choices[0] = LOW_LATENCY
    at = 2
    for _ in range(30):
        # The fourth beat, in which the message ends, is SETTLE cycles after the end of the packet before.
        at = play.packet(LOW_LATENCY, at, 4, message=5) + SETTLE - 4
    seen, _ = await run(dut, play)
    assert seen == {cycle + 1: (beat, True) for cycle, beat in play.streams[LOW_LATENCY].items()}


@cocotb.test()
async def packets_without_a_message_and_packets_that_end_in_err_within_their_header_hold_nothing_back(dut):
    play = await start(dut)
    at = back_to_back(play, 20, 3, 0)  # heartbeats: they have no fourth beat
    for _ in range(20):
        at = play.packet(LOW_LATENCY, at + SETTLE, 4, message=5)
        for _ in range(3):
            at = play.packet(LOW_LATENCY, at + SETTLE, 3, err=True)
            at = play.packet(LOW_LATENCY, at, 4, message=5)  # no wait for the one that was cut off
    seen, _ = await run(dut, play)
    assert seen == {cycle + 1: (beat, True) for cycle, beat in play.streams[LOW_LATENCY].items()}


@cocotb.test()
async def packets_back_to_back_all_come_in_order(dut):
    play = await start(dut)
    packets = 20
    back_to_back(play, packets, 4, 5)
    seen, overflows = await run(dut, play, packets * SETTLE)
    assert [beat for beat, _ in seen.values()] == list(play.streams[LOW_LATENCY].values())
    assert overflows == 0
    ends = [cycle for cycle, (beat, _) in seen.items() if beat.last]
    assert [behind - before for before, behind in pairwise(ends)] == [SETTLE] * (packets - 1)


@cocotb.test()
async def a_packet_that_finds_no_room_is_dropped_whole_and_counted(dut):
    play = await start(dut)
    # Of 9 beats that come 4 leave: 128 wait, and the next one is the first to be dropped.
    back_to_back(play, 200, 4, 5)
    seen, overflows = await run(dut, play, 400)
    packets = [[play.streams[LOW_LATENCY][cycle] for cycle in cycles] for cycles in play.packets[LOW_LATENCY]]
    came: list[list] = [[]]
    for beat, _ in seen.values():
        came[-1].append(beat)
        if beat.last:
            came.append([])
    assert came.pop() == []
    assert [packet for packet in packets if packet in came] == came
    assert overflows == len(packets) - len(came) > 50
    assert came[:50] == packets[:50]
    # What waits leaves: later packets pass as before.
    play.streams, play.packets = [{} for _ in SOURCES], [[] for _ in SOURCES]
    back_to_back(play, 5, 8, 0xFFFF)
    await played(dut, play)


@cocotb.test()
async def the_longest_packet_finds_room_behind_all_that_may_wait(dut):
    play = await start(dut)
    at = back_to_back(play, LIMIT * 9 // 5 // 4, 4, 5)
    at = play.packet(LOW_LATENCY, at, 1128, message=5)
    play.packet(LOW_LATENCY, at, 1128, message=5)
    seen = await played(dut, play)
    assert sum(beat.last for beat, _ in seen.values()) == len(play.packets[LOW_LATENCY]) - 1  # the other one did not


@cocotb.test()
async def what_waits_keeps_its_source(dut):
    play = await start(dut)
    at = back_to_back(play, 12, 4, 5)
    play.choices[at - 2] = LINE_A
    play.packet(LINE_A, at, 6, message=5)
    seen = await played(dut, play)
    assert [arbitrated for _, arbitrated in seen.values()] == [True] * 48 + [False] * 6
    assert max(seen) > at + 20  # they do wait


@cocotb.test()
async def random_changes_on_random_streams_come_out_to_the_cycle(dut):
    await start(dut)
    overflows = 0
    for length, stalls, pauses, changes in [
        (4, 0, (0,), 0.1),
        (6, 0, (0, 0, 1, 2, 9), 0.05),
        (12, 0.3, (0, 0, 4), 0.02),
        (12, 0, (0,), 0.004),
        (40, 0, (0, 9), 0.01),
    ]:
        play = await reset(dut)
        for source in SOURCES:
            at = play.rng.randrange(4)
            while at < 1500:
                beats = play.rng.randrange(1, length + 1)
                message = play.rng.choice((0, 5, 12, 36, 44, 60, 1000)) if beats * 8 >= HEADER + 8 else None
                at = play.packet(source, at, beats, stalls, message) + play.rng.choice(pauses)
        play.choices = {now: play.rng.choice(SOURCES) for now in range(1500) if play.rng.random() < changes}
        await played(dut, play)
        overflows += play.expected()[1]
    assert overflows > 10  # they do exercise it


def test_feed_select_settle() -> None:
    simulate("feed_select_tb", "test_feed_select_settle", {"W": 64, "SETTLE": SETTLE})
