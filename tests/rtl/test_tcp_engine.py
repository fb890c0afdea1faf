"""tcp_engine against a peer in Python (tcp_peer.py) over a network that delays, loses, doubles, overtakes and damages."""

import os
import random
from collections import deque
from itertools import pairwise

import cocotb
import pytest
from harness import cases, simulate
from tcp_bench import PAYLOAD_AFTER, Bench
from tcp_peer import build, distance, parse

WIDTH = int(os.environ.get("W", "64"))
BUFFER = 4096
ROOM = BUFFER - WIDTH // 8
# Cycles from the line's beat that holds the payload's first byte to the first payload beat: as udp_rx.
PAYLOAD_LATENCY = {8: 1, 64: 2}[WIDTH]
VERDICT = 2  # cycles of `lanes`, after the frame's last beat


def nobody(*_: object) -> None:
    """Takes a frame and does nothing."""


async def opened(_dut, bench: Bench, **settings: int) -> None:
    await bench.start(**settings)
    await bench.connect()
    await bench.run(100)


def last_segments(bench: Bench, since: int) -> list:
    return [parse(frame) for _, frame in bench.frames[since:]]


@cocotb.test()
async def a_session_is_opened_and_an_order_leaves_in_the_cycle_it_is_accepted(dut):
    bench = Bench(dut)
    await opened(dut, bench)
    syn = parse(bench.frames[0][1])
    assert (syn.flags, syn.payload, syn.options, syn.ack) == ("S", b"", (("MSS", 1460),), 0)
    assert [parse(frame).flags for _, frame in bench.frames] == ["S", "A"]
    order = random.Random(1).randbytes(200)
    bench.orders.append(order)
    await bench.until(lambda: len(bench.peer.received) == 200)
    assert bytes(bench.peer.received) == order
    at, frame = bench.frames[-1]
    assert at == bench.accepted[0]
    assert parse(frame).flags == "PA"
    late = WIDTH == 8  # this bench takes the first byte at once
    assert bench.payload_taken == [at + PAYLOAD_AFTER[WIDTH] + late + i for i in range(200 * 8 // WIDTH)]
    await bench.until(lambda: int(dut.outstanding.value) == 0, 200)  # the peer's acknowledgment has arrived
    assert bench.events["retransmission"] == 0
    assert bench.stalled == (len(bench.frames) if late else 0)


async def exchange(dut, bench: Bench, orders: int, limit: int) -> None:
    """Orders, host messages and data of the peer at once; all of it arrives, once and in order."""
    rng = bench.rng
    length = int(dut.order_length.value)
    bench.orders += [rng.randbytes(length) for _ in range(orders)]
    bench.host += [rng.randbytes(rng.randint(1, 400)) for _ in range(orders // 4)]
    data = rng.randbytes(orders * 40)
    bench.peer.segment_size = lambda: rng.randint(1, 300)
    bench.peer.send(data)
    await bench.until(
        lambda: (
            not bench.orders
            and not bench.host
            and not bench.host_offered
            and bench.order is None
            and len(bench.received) == len(data)
            and len(bench.peer.received) == len(bench.sent)
            and int(dut.outstanding.value) == 0
        ),
        limit,
    )
    assert bench.peer.received == bench.sent
    assert bench.received == data
    assert bench.passed == data


@cocotb.test()
async def orders_host_messages_and_data_of_the_peer_cross_without_loss(dut):
    for length in (1, 7, 64, 253):
        bench = Bench(dut, length)
        await opened(dut, bench, order_length=length)
        await exchange(dut, bench, cases(12, 24), 200_000)
        assert bench.events["retransmission"] == 0
        assert bench.events["checksum_error"] == 0


@cocotb.test()
async def nothing_is_lost_or_doubled_when_frames_are_lost_doubled_overtaken_and_damaged(dut):
    for seed, (loss, double, damage, jitter) in enumerate([(0.1, 0, 0, 0), (0.0, 0.2, 0, 800), (0.15, 0.1, 0.1, 500)]):
        bench = Bench(dut, 10 + seed, loss=loss, double=double, damage=damage, jitter=jitter, delay=200)
        await opened(dut, bench, order_length=100 + 31 * seed, retries=15, rto_maximum=8000)
        await exchange(dut, bench, cases(24 if WIDTH == 8 else 36, 100), 3_000_000)
        if loss:
            assert bench.events["retransmission"] > 1
            assert bench.to_peer.lost >= cases(2, 6)  # or nothing was tried


@cocotb.test()
async def a_transmitter_that_is_seldom_ready_changes_nothing(dut):
    bench = Bench(dut, 5, loss=0.05)
    bench.ready_share = 0.6
    await opened(dut, bench, order_length=90)
    await exchange(dut, bench, 16, 500_000)


@cocotb.test()
async def sequence_numbers_wrap_both_ways(dut):
    bench = Bench(dut, 6, loss=0.05, jitter=200)
    bench.peer.initial = (1 << 32) - 700
    await opened(dut, bench, secret=(1 << 32) - 1500, order_length=120)
    assert distance(parse(bench.frames[0][1]).seq, 0) > 300
    await exchange(dut, bench, cases(24, 40), 1_500_000)
    assert bench.peer.expected < 1 << 20
    assert bench.peer.nxt < 1 << 20


@cocotb.test()
async def the_payload_of_any_length_behind_any_header_is_passed_on_as_fast_as_udp(dut):
    bench = Bench(dut, 7)
    await opened(dut, bench)
    peer, rng = bench.peer, random.Random(7)
    for options in (
        [],
        [("NOP", None)] * 4,
        [("NOP", None)] * 8,
        [("Timestamp", (1, 2)), ("NOP", None), ("NOP", None)],
        [("NOP", None)] * 40,
    ):
        for vlan in (None, 5):
            # Of all offsets in a beat; where a beat is a byte there is one, and only `make long` tries every length.
            for length in [*range(1, 20, cases(6, 1) if WIDTH == 8 else 1), 64, 65, 255]:
                payload = rng.randbytes(length)
                bench.received.clear()
                bench.passed.clear()
                bench.payload_at.clear()
                bench.to_client.put(bench.cycle, build(peer.nxt, peer.expected, "PA", payload, options=options, vlan=vlan))
                count = len(bench.frames)
                await bench.until(lambda at=count: len(bench.frames) > at, 3000)
                assert bench.received == payload
                peer.nxt = peer.una = (peer.nxt + length) % (1 << 32)
                first = 54 + 4 * -(-len(options) // 4 if not options or options[0][0] == "NOP" else -3) + 4 * (vlan is not None)
                beat = bench.line_at + (first + 4 * bench.line_offset) * 8 // WIDTH
                if length > WIDTH // 8:
                    assert bench.payload_at == [beat + PAYLOAD_LATENCY]
                assert bench.passed == payload
                end = max(first + length, 60) + 4
                assert bench.passed_at == [
                    bench.line_at + (byte + 4 * bench.line_offset - 1) * 8 // WIDTH + late
                    for byte, late in ((first + length, 0), (end, VERDICT))
                ]
                assert parse(bench.frames[-1][1]).ack == peer.nxt
    assert bench.refused == 0


@cocotb.test()
async def what_is_not_expected_next_is_dropped_and_asked_for(dut):
    bench = Bench(dut, 8)
    await opened(dut, bench)
    peer = bench.peer
    peer.take = nobody
    seq, ack = peer.nxt, peer.expected

    async def answer(*frames: bytes) -> list:
        count = len(bench.frames)
        for frame in frames:
            bench.put_on_line(frame)
            await bench.run(300)
        return last_segments(bench, count)

    assert [s.ack for s in await answer(build(seq + 10, ack, "PA", b"x" * 20))] == [seq]  # early
    assert bench.events["out_of_order"] == 1
    assert [s.ack for s in await answer(build(seq, ack, "PA", b"0123456789"))] == [seq + 10]
    assert [s.ack for s in await answer(build(seq, ack, "PA", b"0123456789"))] == [seq + 10]  # old
    assert [s.ack for s in await answer(build(seq + 5, ack, "PA", b"56789abcde"))] == [seq + 10]  # partly new: asked for again
    assert [s.ack for s in await answer(build(seq - 1, ack, "A"))] == [seq + 10]  # a keep-alive
    assert await answer(build(seq + 10, ack, "A")) == []
    assert await answer(build(seq + 10, ack, "", b"no acknowledgment")) == []
    assert [s.ack for s in await answer(build(seq + 10, ack, "PA", b"abcde"))] == [seq + 15]
    assert bytes(bench.received) == b"0123456789abcde"
    # Too long for what is left of the window we announced.
    dut.receive_window.value = 30
    assert [s.ack for s in await answer(build(seq + 15, ack, "PA", b"y" * 31))] == [seq + 15]
    assert [s.ack for s in await answer(build(seq + 15, ack, "PA", b"y" * 30))] == [seq + 45]
    assert bytes(bench.received) == b"0123456789abcde" + b"y" * 30


@cocotb.test()
async def frames_that_are_of_no_session_or_malformed_leave_no_trace(dut):
    bench = Bench(dut, 9)
    await opened(dut, bench)
    bench.peer.take = nobody
    seq, ack = bench.peer.nxt, bench.peer.expected
    good = build(seq, ack, "PA", b"payload of twenty b.")
    count = len(bench.frames)
    strays = [
        build(seq, ack, "PA", b"a", mac="02:00:00:00:00:02"),
        build(seq, ack, "PA", b"a", ip_fields={"src": "10.0.0.3"}),
        build(seq, ack, "PA", b"a", ip_fields={"dst": "10.0.0.3"}),
        build(seq, ack, "PA", b"a", ip_fields={"frag": 1}),
        build(seq, ack, "PA", b"a", ip_fields={"flags": "MF"}),
        build(seq, ack, "PA", b"a", ip_fields={"proto": 17}),
        build(seq, ack, "PA", b"a", ip_fields={"chksum": 1}),
        build(seq, ack, "PA", b"a", tcp_fields={"sport": 1}),
        build(seq, ack, "PA", b"a", tcp_fields={"dport": 1}),
        build(seq, ack, "PA", b"a", tcp_fields={"dataofs": 4}),
        build(seq, ack, "PA", b"a", tcp_fields={"dataofs": 8}),
        build(seq, ack, "PA", b"a" * 30, ip_fields={"len": 39}),
        build(seq, ack, "PA", b"a" * 30, ip_fields={"len": 75}),
        good[:12] + b"\x08\x06" + good[14:],
    ]
    for frame in strays:
        bench.put_on_line(frame)
    await bench.run(4000)
    assert bench.events["segment"] == 1  # the SYN
    bench.put_on_line(good[:50] + bytes([good[50] ^ 1]) + good[51:])
    await bench.run(300)
    assert bench.events["checksum_error"] == 1
    assert len(bench.frames) == count
    assert (bench.received, bench.refused) == (b"", 2)  # the other was longer than its frame
    bench.put_on_line(good)
    await bench.run(300)
    assert bytes(bench.received) == b"payload of twenty b."


@cocotb.test()
async def blind_resets_syns_and_data_get_challenges_and_do_nothing(dut):
    bench = Bench(dut, 11)
    await opened(dut, bench)
    seq, ack = bench.peer.nxt, bench.peer.expected
    attacks = {
        "refused_rst": [build(seq + 1, 0, "R"), build(seq + 39999, ack, "RA"), build(seq - 1, 0, "R"), build(seq + 40000, 0, "R")],
        "refused_syn": [build(seq, 0, "S"), build(seq + 5, 0, "S"), build(seq + (1 << 31), 0, "S")],
        "refused_ack": [build(seq, ack + 1, "PA", b"evil data"), build(seq, ack - 60001, "PA", b"evil data")],
    }
    challenges = 0
    for event, frames in attacks.items():
        for number, frame in enumerate(frames, 1):
            count = len(bench.frames)
            bench.put_on_line(frame)
            await bench.run(1100)
            assert bench.events[event] == number, (event, number)
            answered = not (event == "refused_rst" and number > 2)  # those are outside the window
            challenges += answered
            assert [(s.flags, s.seq, s.ack) for s in last_segments(bench, count)] == [("A", ack, seq)] * answered
    assert bench.state == "established"
    assert bench.events["challenge"] == challenges
    assert bench.received == b""
    # Only one challenge a while.
    dut.tick.value = 0
    count = len(bench.frames)
    for _ in range(6):
        bench.put_on_line(build(seq + 1, 0, "R"))
    await bench.run(800)
    assert len(bench.frames) == count + 1
    # The peer's own reset is exactly next.
    bench.put_on_line(build(seq, 0, "R"))
    await bench.run(300)
    assert bench.state == "closed"
    assert bench.events["reset_received"] == 1


@cocotb.test()
async def a_lost_syn_is_sent_again_later_and_later_until_it_is_given_up(dut):
    bench = Bench(dut, 12)
    await bench.start(retries=3, rto_initial=1500)
    bench.peer.take = nobody
    await bench.pulse("connect")
    await bench.until(lambda: bench.state == "syn_sent")
    await bench.until(lambda: bench.state == "closed", 200_000)
    times = [at for at, _ in bench.frames]
    assert [round((b - a) / 1500, 1) for a, b in pairwise(times)] == [1, 2, 4]
    assert len({parse(frame).seq for _, frame in bench.frames}) == 1
    assert bench.events["given_up"] == 1


@cocotb.test()
async def a_session_is_opened_whatever_came_for_it_before(dut):
    bench = Bench(dut, 28)
    await bench.start()
    # Of a session before our reset: there is no MAC yet to answer it with.
    bench.put_on_line(build(500, 1234, "PA", b"still there?"))
    await bench.run(300)
    assert bench.frames == []
    await bench.connect()


@cocotb.test()
async def what_began_before_a_session_does_not_acknowledge_its_syn(dut):
    bench = Bench(dut, 29)
    await opened(dut, bench)
    old = bench.peer.expected
    await bench.pulse("reset_session")
    await bench.until(lambda: bench.peer.state == "reset", 1000)
    bench.peer.take = nobody
    # On the line while connect is followed and the SYN leaves: its acknowledgment is that of a SYN with the last session's number.
    bench.put_on_line(build(900, old + 1, "SA", b"x" * 1400))
    await bench.run(20 if WIDTH == 64 else 80)
    await bench.pulse("connect")
    await bench.until(lambda: bench.beats == deque() and parse(bench.frames[-1][1]).flags != "S", 3000)
    assert bench.state == "syn_sent"
    reset = parse(bench.frames[-1][1])
    assert (reset.flags, reset.seq) == ("R", old + 1)


@cocotb.test()
async def answers_to_a_syn_are_judged_as_the_rfc_says(dut):
    bench = Bench(dut, 13)
    await bench.start()
    bench.peer.take = nobody
    await bench.pulse("connect")
    await bench.until(lambda: len(bench.frames) == 1)
    syn = parse(bench.frames[0][1])
    bench.put_on_line(build(77, syn.seq, "SA"))  # acknowledges nothing
    await bench.run(300)
    reset = parse(bench.frames[-1][1])
    assert (reset.flags, reset.seq) == ("R", syn.seq)
    bench.put_on_line(build(77, syn.seq, "RA"))  # a reset that acknowledges nothing
    bench.put_on_line(build(77, 0, "R"))
    await bench.run(600)
    assert bench.state == "syn_sent"
    bench.put_on_line(build(77, syn.seq + 1, "RA"))
    await bench.run(300)
    assert bench.state == "closed"
    # Closed: everything but a reset is answered with one.
    count = len(bench.frames)
    bench.put_on_line(build(500, 1234, "A"))
    await bench.run(300)
    bench.put_on_line(build(500, 1234, "S", b"abc"))
    await bench.run(300)
    bench.put_on_line(build(500, 1234, "R"))
    await bench.run(300)
    assert [(s.flags, s.seq, s.ack) for s in last_segments(bench, count)] == [("RA", 1234, 500), ("RA", 0, 504)]
    # Both begin at once.
    await bench.pulse("connect")
    await bench.until(lambda: bench.state == "syn_sent" and len(bench.frames) == count + 3)
    syn = parse(bench.frames[-1][1])
    bench.put_on_line(build(900, 0, "S", options=[("MSS", 1000)]))
    await bench.run(300)
    assert bench.state == "syn_received"
    both = parse(bench.frames[-1][1])
    assert (both.flags, both.seq, both.ack) == ("SA", syn.seq, 901)
    bench.put_on_line(build(901, syn.seq + 1, "A"))
    await bench.run(300)
    assert bench.state == "established"


@cocotb.test()
async def an_order_longer_than_the_peers_segment_is_not_taken(dut):
    for mss, length, taken in ((None, 536, True), (None, 537, False), (600, 600, True), (600, 601, False)):
        bench = Bench(dut, 14)
        bench.peer.mss = mss
        await opened(dut, bench, order_length=length)
        bench.orders.append(bytes(length))
        await bench.run(2000)
        assert len(bench.accepted) == taken
        bench.host += [bytes(length)]
        await bench.run(2000)
        assert len(bench.peer.received) == length * 2 * taken


@cocotb.test()
async def a_full_window_or_buffer_stops_orders_and_what_is_not_acknowledged_is_kept(dut):
    for window in (1000, 60000):
        bench = Bench(dut, 15)
        bench.peer.window = window
        await opened(dut, bench, order_length=150, rto_minimum=8000, rto_initial=8000)
        bench.peer.ack_data = False
        bench.orders += [bench.rng.randbytes(150) for _ in range(40)]
        await bench.run(cases(9_000, 14_000) if WIDTH == 8 else 2500)  # the last of them leave, and one is sent again
        room = min(window, ROOM)
        assert int(dut.outstanding.value) == room // 150 * 150
        assert dut.order_full.value
        assert bench.events["full"] == 1
        bench.peer.ack_data = True
        await bench.until(lambda b=bench: len(b.peer.received) == 40 * 150 and int(dut.outstanding.value) == 0, 400_000)
        assert bench.peer.received == bench.sent


@cocotb.test()
async def a_closed_window_is_probed_until_it_opens(dut):
    bench = Bench(dut, 16)
    await opened(dut, bench, order_length=150, rto_minimum=800)
    bench.peer.window = 0
    bench.orders.append(bytes(150))
    await bench.until(lambda: len(bench.peer.received) == 150 and int(dut.outstanding.value) == 0, 2000)
    await bench.run(20)
    bench.orders.append(bytes(range(150)))
    count = len(bench.frames)
    await bench.run(8000)
    probes = bench.frames[count:]
    assert len(probes) >= 3
    assert {(s.flags, s.seq, s.length) for s in last_segments(bench, count)} == {("A", bench.peer.expected - 150, 0)}
    assert len(bench.accepted) == 1
    bench.peer.window = 150
    await bench.until(lambda: len(bench.peer.received) == 300, 100_000)


@cocotb.test()
async def the_window_is_that_of_the_acknowledgment_also_with_an_early_segment(dut):
    bench = Bench(dut, 25)
    await opened(dut, bench, order_length=150)
    peer = bench.peer
    peer.take = nobody
    bench.orders.append(bytes(150))
    await bench.until(lambda: len(bench.accepted) == 1)
    await bench.run(300)
    # All is acknowledged, but the peer has no more room than 100: what comes before the segment was lost.
    bench.put_on_line(build(peer.nxt + 10, peer.expected + 150, "PA", b"early", window=100))
    await bench.run(300)
    assert int(dut.outstanding.value) == 0
    bench.orders.append(bytes(150))
    await bench.run(300)
    assert len(bench.accepted) == 1
    bench.put_on_line(build(peer.nxt, peer.expected + 150, "A", window=150))
    await bench.until(lambda: len(bench.accepted) == 2, 1000)


@cocotb.test()
async def an_acknowledgment_is_within_a_window_that_was_taken_back(dut):
    bench = Bench(dut, 26)
    await opened(dut, bench, order_length=150)
    peer = bench.peer
    peer.take = nobody
    bench.orders += [bytes(150)] * 2
    await bench.until(lambda: len(bench.accepted) == 2)
    await bench.run(300)
    # The peer took the first order in, has no more room, and sends something. RFC 9293 3.4: then only RCV.NXT is acceptable.
    count = len(bench.frames)
    bench.put_on_line(build(peer.nxt, peer.expected + 150, "PA", b"news", window=0))
    await bench.run(300)
    (answer,) = last_segments(bench, count)
    assert (answer.flags, answer.seq, answer.ack, answer.length) == ("A", peer.expected + 150, peer.nxt + 4, 0)


@cocotb.test()
async def three_duplicates_send_a_lost_segment_again_at_once(dut):
    bench = Bench(dut, 17, delay=30)
    await opened(dut, bench, order_length=100, rto_minimum=200_000, rto_initial=200_000)
    drop = [2, 5]  # of the orders
    put = bench.to_peer.put

    def lossy(now: int, frame: bytes) -> None:
        if parse(frame).payload and drop and len(bench.accepted) - 1 == drop[0]:
            drop.pop(0)
        else:
            put(now, frame)

    bench.to_peer.put = lossy
    bench.orders += [bench.rng.randbytes(100) for _ in range(20)]
    await bench.until(lambda: len(bench.peer.received) == 2000 and int(dut.outstanding.value) == 0, 50_000)
    assert bench.peer.received == bench.sent
    assert bench.events["fast"] >= 1


@cocotb.test()
async def what_is_sent_again_is_what_was_sent_also_while_a_message_waits_to_leave(dut):
    bench = Bench(dut, 27)
    await opened(dut, bench, order_length=40, rto_minimum=2000)
    take, bench.peer.take = bench.peer.take, nobody
    bench.orders.append(bench.rng.randbytes(40))
    await bench.until(lambda: len(bench.sent) == 40)
    # The second is accepted and counted, but its bytes stay with their writer until the first is to be sent again.
    bench.orders.append(bench.rng.randbytes(40))
    await bench.until(lambda: len(bench.accepted) == 2)
    bench.ready_share = 0.0
    await bench.until(lambda: bench.events["retransmission"] == 1)
    await bench.run(300)
    bench.ready_share = 1.0
    dut.out_ready.value = 1
    bench.peer.take = take
    await bench.until(lambda: len(bench.peer.received) == 80, 20_000)
    assert bench.peer.received == bench.sent


@cocotb.test()
async def an_order_that_is_lost_is_sent_again_whenever_a_segment_came_before_it(dut):
    bench = Bench(dut, 30)
    await opened(dut, bench, order_length=50, rto_minimum=400, rto_initial=400, rto_maximum=400)
    put = bench.to_peer.put
    for late in range(16):
        segments, frames, repeated = bench.events["segment"], len(bench.frames), bench.events["retransmission"]
        bench.put_on_line(build(bench.peer.nxt, bench.peer.expected, "A"))
        await bench.until(lambda n=segments: bench.events["segment"] > n, 1000)
        await bench.run(late)
        bench.to_peer.put = nobody
        bench.orders.append(bench.rng.randbytes(50))
        await bench.until(lambda n=frames: len(bench.frames) > n, 1000)
        bench.to_peer.put = put
        await bench.until(lambda: len(bench.peer.received) == len(bench.sent) and int(dut.outstanding.value) == 0, 5000)
        assert bench.events["retransmission"] == repeated + 1
    assert bench.peer.received == bench.sent


@cocotb.test()
async def the_retransmission_time_is_that_of_rfc_6298(dut):
    bench = Bench(dut, 18, delay=100, jitter=300)
    await bench.start(rto_minimum=1, order_length=50, rto_maximum=1 << 17)
    timer = dut.dut.control.timer
    srtt = variation = None
    samples = 0
    await bench.pulse("connect")
    bench.orders += [bytes(50) for _ in range(60)]
    gate = 0
    while samples < 15:
        if bench.cycle < gate:
            bench.orders, held = type(bench.orders)(), bench.orders
            await bench.step()
            bench.orders = held
        else:
            await bench.step()
        if bench.order is not None:
            gate = bench.cycle + 1300  # one at a time
        if timer.measure_end.value and int(timer.state_reg.value) == 0:
            sample = int(timer.elapsed_reg.value)
            if srtt is None:
                srtt, variation = sample * 8, sample * 2
            else:
                difference = sample - srtt // 8
                srtt += difference
                variation = variation - variation // 4 + abs(difference)
            samples += 1
            await bench.run(12)
            assert int(dut.rto.value) == srtt // 8 + variation
            assert 200 < sample < 1300
        assert bench.cycle < 100_000


@cocotb.test()
async def a_session_closes_in_every_order(dut):
    # We first.
    bench = Bench(dut, 19)
    await opened(dut, bench, order_length=50)
    bench.host.append(b"a last message")
    await bench.run(20)
    await bench.pulse("close")
    await bench.until(lambda: bench.state == "fin_wait_2", 3000)
    assert bytes(bench.peer.received) == b"a last message"
    bench.peer.send(b"still talking")
    await bench.until(lambda: bytes(bench.received) == b"still talking", 3000)
    bench.peer.fin_wanted = True
    await bench.until(lambda: bench.state == "time_wait", 3000)
    begun = bench.cycle
    bench.put_on_line(build(bench.peer.fin_seq, bench.peer.expected, "FA"))  # once more
    await bench.until(lambda: bench.state == "closed", 20_000)
    assert 5000 < bench.cycle - begun < 5600
    assert bench.peer.una == bench.peer.nxt

    # The peer first; our FIN is lost once.
    bench = Bench(dut, 20)
    await opened(dut, bench, order_length=50)
    bench.peer.fin_wanted = True
    await bench.until(lambda: bench.state == "close_wait", 3000)
    bench.orders.append(b"x" * 50)  # half closed: we may go on
    await bench.until(lambda: len(bench.peer.received) == 50, 3000)
    await bench.run(300)
    put, bench.to_peer.put = bench.to_peer.put, nobody
    await bench.pulse("close")
    await bench.run(400)
    assert bench.state == "last_ack"
    bench.to_peer.put = put
    await bench.until(lambda: bench.state == "closed", 20_000)
    assert bench.peer.state == "half"

    # Both at once.
    bench = Bench(dut, 21)
    await opened(dut, bench)
    await bench.pulse("close")
    await bench.until(lambda: bench.state == "fin_wait_1", 300)
    bench.peer.take = nobody
    bench.put_on_line(build(bench.peer.nxt, bench.peer.expected, "FA"))
    await bench.until(lambda: bench.state == "closing", 300)
    bench.put_on_line(build(bench.peer.nxt + 1, bench.peer.expected + 1, "A"))
    await bench.until(lambda: bench.state == "time_wait", 300)

    # In no order at all.
    bench = Bench(dut, 22)
    await opened(dut, bench)
    await bench.pulse("reset_session")
    await bench.until(lambda: bench.peer.state == "reset", 1000)
    assert bench.state == "closed"
    assert bench.peer.segments[-1].seq == bench.peer.expected


@cocotb.test()
async def a_silent_peer_is_probed_and_given_up(dut):
    bench = Bench(dut, 23)
    await opened(dut, bench, keep_alive=4000, retries=3)
    await bench.run(10_000)
    assert len(bench.frames) == 2 + 2
    assert bench.state == "established"
    bench.peer.take = nobody
    await bench.until(lambda: bench.state == "closed", 40_000)
    await bench.run(300)
    assert bench.events["given_up"] == 1
    assert parse(bench.frames[-1][1]).flags == "RA"


@cocotb.test()
async def host_messages_that_cannot_be_sent_are_refused_and_counted(dut):
    bench = Bench(dut, 24)
    await bench.start()
    bench.host.append(b"no session")
    await bench.run(100)
    assert bench.events["host_refused"] == 1
    await bench.connect()
    bench.host += [bytes(1461), b"good", bytes(5000), b" and well"]
    await bench.until(lambda: len(bench.peer.received) == 13, 30_000)
    assert bytes(bench.peer.received) == b"good and well"
    assert bench.events["host_refused"] == 3


@pytest.mark.parametrize("width", [8, 64])
def test_tcp_engine(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(width))
    simulate("tcp_engine_tb", "test_tcp_engine", {"W": width, "BUFFER": BUFFER})
