"""tcp_sessions: four sessions on one line, which must not disturb each other; and one, which must be as tcp_engine alone."""

import os
from collections import Counter
from itertools import pairwise

import cocotb
import pytest
from harness import simulate
from tcp_peer import Peer, build, parse
from tcp_sessions_bench import ENDS, Session, Sessions

WIDTH = int(os.environ.get("W", "64"))
ONE = os.environ.get("SESSIONS") == "1"
BUFFER = 4096


def nobody(*_: object) -> None:
    """Takes a frame and does nothing."""


def load(session: Session, orders: int, length: int) -> bytes:
    """Something to do: orders, host messages, and what the peer is to say (returned)."""
    rng = session.rng
    session.orders += [rng.randbytes(length) for _ in range(orders)]
    session.host += [rng.randbytes(rng.randint(1, 300)) for _ in range(orders // 3)]
    session.peer.segment_size = lambda: rng.randint(1, 250)
    data = rng.randbytes(orders * 40)
    session.peer.send(data)
    return data


def done(session: Session, data: bytes) -> bool:
    return (
        not (session.orders or session.host or session.host_offered)
        and session.order is None
        and len(session.received) == len(data)
        and len(session.peer.received) == len(session.sent)
        and session.dut.outstanding.value == 0
    )


def check(session: Session, data: bytes) -> None:
    assert session.peer.received == session.sent
    assert session.received == data
    assert session.passed == data


@cocotb.test()
async def sessions_are_opened_at_once_and_data_cross_both_ways_on_all_of_them(dut):
    sessions = Sessions(dut, 1)
    await sessions.start(order_length=123)
    await sessions.connect()
    assert [[parse(frame, s.ends).flags for _, frame in s.frames] for s in sessions] == [["S", "A"]] * len(sessions.each)
    data = [load(session, 15, 123) for session in sessions]
    sessions.order_of_frames.clear()
    await sessions.until(lambda: all(map(done, sessions, data)), 200_000)
    for session, received in zip(sessions, data, strict=True):
        check(session, received)
        assert session.events["retransmission"] == session.events["checksum_error"] == session.events["out_of_order"] == 0
    if not ONE:
        changes = sum(a != b for a, b in pairwise(sessions.order_of_frames))
        assert changes > len(sessions.order_of_frames) // 2  # interleaved, not one after the other


@cocotb.test()
async def nothing_is_lost_or_doubled_on_bad_lines_with_a_transmitter_that_is_seldom_ready(dut):
    sessions = Sessions(dut, 2, loss=0.1, double=0.1, damage=0.05, jitter=400, delay=100)
    sessions.ready_share = 0.7
    await sessions.start(order_length=77, retries=15, rto_maximum=8000)
    await sessions.connect()
    data = [load(session, 12, 77) for session in sessions]
    await sessions.until(lambda: all(map(done, sessions, data)), 1_500_000)
    for session, received in zip(sessions, data, strict=True):
        check(session, received)
    assert sum(session.events["retransmission"] for session in sessions) > 0


@cocotb.test(skip=ONE)
async def loss_on_one_does_not_hold_the_others_up(dut):
    # Whoever is busy at all takes its turns, so the time to compare with is that of four that lose nothing.
    took = []
    for lossy in (False, True):
        sessions = Sessions(dut, 3)
        await sessions.start(order_length=150)
        await sessions.connect()
        if lossy:
            sessions[1].to_peer.put = nobody
        data = [load(session, 12, 150) for session in sessions]
        others = [(session, received) for session, received in zip(sessions, data, strict=True) if session is not sessions[1]]
        begin = sessions[0].cycle
        await sessions.until(lambda others=others: all(done(session, received) for session, received in others), 200_000)
        took.append(sessions[0].cycle - begin)
        for session, received in others:
            check(session, received)
            assert session.events["retransmission"] == 0
        if lossy:
            assert sessions[1].dut.outstanding.value > 0
            await sessions.until(lambda s=sessions[1]: s.events["retransmission"] > 1, 20_000)
            assert sessions[1].state == "established"
    assert took[1] < 1.2 * took[0]  # it sends again, too


@cocotb.test(skip=ONE)
async def a_reset_of_one_leaves_the_others_alone_and_it_can_connect_again(dut):
    sessions = Sessions(dut, 4)
    await sessions.start(order_length=60)
    await sessions.connect()
    data = [load(session, 12, 60) for session in sessions]
    await sessions.run(600)
    assert not any(map(done, sessions, data))
    victim = sessions[2]
    peer = victim.peer
    await sessions.until(lambda: victim.order is None and not peer.flight)
    peer.take = peer.tick = nobody
    victim.orders.clear()
    victim.put_on_line(build(peer.nxt, peer.expected, "RA", ends=victim.ends))
    await sessions.until(lambda: victim.state == "closed", 5000)
    assert victim.events["reset_received"] == 1
    others = [(session, received) for session, received in zip(sessions, data, strict=True) if session is not victim]
    await sessions.until(lambda: all(done(session, received) for session, received in others), 200_000)
    for session, received in others:
        assert session.state == "established"
        check(session, received)
        assert session.events["retransmission"] == session.events["reset_received"] == 0
    assert victim.state == "closed"
    victim.peer = Peer(lambda frame: victim.to_client.put(victim.cycle, frame), ends=victim.ends)
    victim.sent.clear()
    victim.received.clear()
    victim.passed.clear()
    await victim.connect()
    again = load(victim, 5, 60)
    await sessions.until(lambda: done(victim, again), 50_000)
    check(victim, again)


@cocotb.test(skip=ONE)
async def a_segment_is_of_one_session_or_of_none(dut):
    sessions = Sessions(dut, 5)
    await sessions.start()
    await sessions.connect()
    await sessions.run(100)
    for session in sessions:
        session.peer.take = nobody
        session.events.clear()
    count = len(sessions.order_of_frames)
    # What every session expects next, from addresses and ports of which each occurs in some session, but not together.
    for session in sessions:
        seq, ack, ends = session.peer.nxt, session.peer.expected, session.ends
        for fields in (
            {"tcp_fields": {"dport": 40003}},
            {"tcp_fields": {"sport": 9878}},
            {"tcp_fields": {"sport": 9877, "dport": 40002}},
            {"ip_fields": {"src": "10.0.0.4"}},
            {"ip_fields": {"src": "10.0.0.3"}, "tcp_fields": {"dport": 40002}},
            {"ip_fields": {"src": "10.0.0.3"}, "tcp_fields": {"sport": 9877}},
            {"ip_fields": {"dst": "10.0.0.9"}},
            {"mac": "02:00:00:00:00:02"},
        ):
            for flags in ("PA", "S", "R"):
                session.put_on_line(build(seq, ack, flags, b"payload", ends=ends, **fields))
    await sessions.until(lambda: not sessions.beats)
    await sessions.run(400)
    assert [session.events for session in sessions] == [Counter()] * 4
    assert len(sessions.order_of_frames) == count
    assert [session.state for session in sessions] == ["established"] * 4
    # Each its own: one answers.
    for index, session in enumerate(sessions):
        session.put_on_line(build(session.peer.nxt, session.peer.expected, "PA", b"for %d" % index, ends=session.ends))
    await sessions.run(1000)
    assert [bytes(session.received) for session in sessions] == [b"for %d" % index for index in range(4)]
    assert sorted(sessions.order_of_frames[count:]) == [0, 1, 2, 3]
    # Closed: one RST, and the others do not hear of it.
    await sessions[1].pulse("reset_session")
    await sessions.run(300)
    assert sessions[1].state == "closed"
    for session in sessions:
        session.events.clear()
    count = len(sessions.order_of_frames)
    sessions[1].put_on_line(build(500, 1234, "A", ends=ENDS[1]))
    await sessions.run(400)
    assert sessions.order_of_frames[count:] == [1]
    reset = parse(sessions[1].frames[-1][1], ENDS[1])
    assert (reset.flags, reset.seq, reset.ack) == ("RA", 1234, 500)
    assert [dict(session.events) for session in sessions] == [{}, {"segment": 1, "reset_sent": 1, "sent": 1}, {}, {}]
    assert [session.state for session in sessions] == ["established", "closed", "established", "established"]


@cocotb.test(skip=ONE)
async def orders_of_all_in_one_cycle_leave_one_after_the_other_and_each_has_its_turn(dut):
    sessions = Sessions(dut, 6)
    await sessions.start(order_length=90, rto_initial=200_000, rto_minimum=200_000)
    await sessions.connect()
    await sessions.run(300)
    for session in sessions:
        session.peer.take = nobody
        session.orders += [session.rng.randbytes(90) for _ in range(8)]
        session.host += [session.rng.randbytes(90) for _ in range(2)]
    count = len(sessions.order_of_frames)
    begin = sessions[0].cycle
    await sessions.until(lambda: not any(s.orders or s.host or s.host_offered or s.order for s in sessions), 30_000)
    assert [session.accepted[0] for session in sessions] == [begin] * 4  # none of them waits for another to be accepted
    whose = sessions.order_of_frames[count:]
    assert len(whose) == 40
    # While all of them have something to send, whoever was served is served again in four frames at the soonest.
    for at in range(0, 28, 4):
        assert sorted(whose[at : at + 4]) == [0, 1, 2, 3]


@cocotb.test()
async def an_order_alone_waits_for_the_merges_only(dut):
    sessions = Sessions(dut, 7)
    await sessions.start(order_length=90)
    await sessions.connect()
    await sessions.run(300)
    for session in list(sessions)[::-1]:
        session.orders.append(session.rng.randbytes(90))
        await sessions.run(600)
    rests = [0, 0, 0]  # where each merge rests: which of its two it sent last; of sessions 0 and 1, of 2 and 3, of both
    for index in [0] * 3 if ONE else [0, 0, 1, 2, 0, 1, 3, 3, 2, 0, 3, 1]:
        session = sessions[index]
        session.orders.append(session.rng.randbytes(90))
        await sessions.until(lambda s=session: not s.orders and s.order is None, 1000)
        late = session.frames[-1][0] - session.accepted[-1]
        pair, which = divmod(index, 2)
        assert late == (rests[pair] != which) + (rests[2] != pair)
        rests[pair], rests[2] = which, pair
        await sessions.run(300)


@pytest.mark.parametrize("sessions", [4, 1])
@pytest.mark.parametrize("width", [8, 64])
def test_tcp_sessions(width: int, sessions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(width))
    monkeypatch.setenv("SESSIONS", str(sessions))
    simulate("tcp_sessions_tb", "test_tcp_sessions", {"W": width, "SESSIONS": sessions, "BUFFER": BUFFER})
