"""feed_select cycle by cycle: what it is to pass passes a cycle later, and a change of source never cuts or joins packets."""

import cocotb
import pytest
from feed_select_bench import HIGH_RELIABILITY, LINE_A, LINE_B, LOW_LATENCY, SOURCES, Play, played, reset, run, start
from harness import simulate


@cocotb.test()
async def every_source_passes_unchanged_a_cycle_later(dut):
    await start(dut)
    for source in SOURCES:
        play = await reset(dut)
        play.choices[0] = source
        for other in SOURCES:
            at = 2
            for _ in range(60):
                at = play.packet(other, at, play.rng.randrange(1, 6), play.rng.choice((0, 0, 0.5))) + play.rng.choice((0, 0, 1, 3))
        seen, _ = await run(dut, play)
        assert seen == {cycle + 1: (beat, source >= LOW_LATENCY) for cycle, beat in play.streams[source].items()}


@cocotb.test()
async def a_packet_on_its_way_is_finished_and_the_next_is_of_the_new_source(dut):
    play = await start(dut)
    play.choices = {0: LINE_A, 5: HIGH_RELIABILITY}
    play.packet(LINE_A, 4, 4)  # cycles 4 to 7
    play.packet(LINE_A, 8, 2)
    play.packet(HIGH_RELIABILITY, 8, 3)  # begins as soon as it may
    seen, _ = await run(dut, play)
    assert sorted(seen) == [*range(5, 9), *range(9, 12)]
    assert [seen[cycle][0] for cycle in range(9, 12)] == [play.streams[HIGH_RELIABILITY][cycle] for cycle in range(8, 11)]
    assert [arbitrated for _, arbitrated in seen.values()] == [False] * 4 + [True] * 3


@cocotb.test()
async def a_stream_within_a_packet_is_taken_when_neither_is(dut):
    play = await start(dut)
    play.choices = {0: LINE_A, 6: LINE_B}
    play.packet(LINE_A, 2, 3)
    play.packet(LINE_B, 4, 6)  # cycles 4 to 9
    play.packet(LINE_A, 7, 9)  # cycles 7 to 15
    play.packet(LINE_B, 12, 2)
    play.packet(LINE_B, 16, 2)
    seen, _ = await run(dut, play)
    assert sorted(seen) == [3, 4, 5, *range(8, 17), 17, 18]
    assert seen[16][0] == play.streams[LINE_A][15]
    assert seen[17][0] == play.streams[LINE_B][16]


@cocotb.test()
async def between_a_line_and_the_arbiter_nothing_is_lost_and_nothing_comes_twice_whenever_it_changes(dut):
    await start(dut)
    for before, behind in ((LINE_A, LOW_LATENCY), (LOW_LATENCY, LINE_A), (HIGH_RELIABILITY, LINE_A), (LINE_A, HIGH_RELIABILITY)):
        for when in range(8, 24):
            play = await reset(dut)
            play.choices = {0: before, when: behind}
            at = 10
            for _ in range(3):
                at = play.packet(LINE_A, at, 5) + 4
            for output in (LOW_LATENCY, HIGH_RELIABILITY):
                play.copy(LINE_A, output, 1)
            seen, _ = await run(dut, play)
            assert [beat for beat, _ in seen.values()] == list(play.streams[LINE_A].values()), f"{before} to {behind} in cycle {when}"
            assert [arbitrated for _, arbitrated in seen.values()][-1] == (behind != LINE_A)


def never_apart(play: Play, cycles: int) -> None:
    """Lines A and B at full rate, each within a packet when the other's ends."""
    for source, at in ((LINE_A, 0), (LINE_B, 5)):
        while at < cycles:
            at = play.packet(source, at, 10)


@cocotb.test()
async def a_choice_waits_for_streams_at_full_rate_no_longer_than_its_patience(dut):
    play = await start(dut)
    play.choices = {0: LINE_A, 21: LINE_B}
    never_apart(play, 300)
    seen, _ = await run(dut, play)
    # It has waited for 100 cycles in cycle 121: the packet of A that ends in 129 is the last, and the first of B begins in 135.
    assert [cycle for cycle in seen if cycle < 160] == [*range(1, 131), *range(136, 160)]
    assert seen[130][0] == play.streams[LINE_A][129]
    assert seen[136][0] == play.streams[LINE_B][135]
    # Each choice has its own patience, even in the cycle after the one in which the one before was taken.
    for again in (130, 131, 140):
        play = await reset(dut)
        play.choices = {0: LINE_A, 21: LINE_B, again: LINE_A, 350: LINE_B, 360: LINE_A}
        never_apart(play, 600)
        await played(dut, play)


@cocotb.test()
async def what_does_not_pass_is_left_at_once_for_a_silent_stream(dut):
    play = await start(dut)
    play.choices = {0: LINE_A, 4: LINE_B, 120: LOW_LATENCY}
    play.packet(LINE_B, 2, 140)  # from cycle 104 on line B is chosen, and silent
    play.packet(LOW_LATENCY, 121, 3)
    seen, _ = await run(dut, play)
    assert sorted(seen) == [122, 123, 124]


@cocotb.test()
async def a_silent_stream_is_left_at_once_for_another(dut):
    play = await start(dut)
    play.choices = {0: LINE_A, 4: LINE_B, 6: LOW_LATENCY}
    play.packet(LINE_B, 2, 20)
    play.packet(LOW_LATENCY, 7, 3)
    seen, _ = await run(dut, play)
    assert sorted(seen) == [8, 9, 10]


@cocotb.test()
async def a_packet_that_stalls_keeps_its_place(dut):
    play = await start(dut)
    play.choices = {0: LINE_A, 6: LINE_B}
    play.packet(LINE_A, 4, 2)
    play.streams[LINE_A][40] = play.streams[LINE_A].pop(5)  # its last beat comes late
    play.packets[LINE_A][0][1] = 40
    play.packet(LINE_B, 10, 5)
    play.packet(LINE_B, 41, 5)
    seen, _ = await run(dut, play)
    assert sorted(seen) == [5, 41, *range(42, 47)]


@cocotb.test()
async def random_changes_on_random_streams_back_to_back(dut):
    await start(dut)
    for length, stalls, pauses, changes in [
        (1, 0, (0,), 1),
        (3, 0, (0,), 0.5),
        (6, 0, (0, 0, 1, 2), 0.2),
        (5, 0.3, (0, 0, 4), 0.1),
        (9, 0, (0,), 0.02),
        (40, 0, (0,), 0.004),
    ]:
        play = await reset(dut)
        for source in SOURCES:
            at = play.rng.randrange(4)
            while at < 1200:
                at = play.packet(source, at, play.rng.randrange(1, length + 1), stalls) + play.rng.choice(pauses)
        play.choices = {now: play.rng.choice(SOURCES) for now in range(1200) if play.rng.random() < changes}
        seen = await played(dut, play)
        assert len({beat.data for beat, _ in seen.values()}) > 50


@pytest.mark.parametrize("w", [8, 64])
def test_feed_select(w: int) -> None:
    simulate("feed_select_tb", "test_feed_select", {"W": w})
