"""The control plane's ARP: answers, announcements, peers; scapy makes and reads the frames."""

import cocotb
import pytest
from control_bench import BROADCAST, LOCAL_IP, LOCAL_MAC, OTHER_IP, OTHER_MAC, PEER_IP, PEER_MAC, Bench, arp, number
from harness import simulate
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Raw

NOBODY = "00:00:00:00:00:00"
AGE = 60
SECOND = 100  # milliseconds, of which the bench has one a cycle


def check(frame: Packet, op: int, dst: str, hwdst: str, pdst: str) -> None:
    """ARP from us, as RFC 826 has it; nothing after it (mac_tx pads)."""
    assert len(bytes(frame)) == 42
    assert (frame.src, frame.dst, frame.type) == (LOCAL_MAC, dst, 0x0806)
    fields = frame[ARP]
    assert (fields.hwtype, fields.ptype, fields.hwlen, fields.plen) == (1, 0x0800, 6, 4)
    assert (fields.op, fields.hwsrc, fields.psrc, fields.hwdst, fields.pdst) == (op, LOCAL_MAC, LOCAL_IP, hwdst, pdst)


async def seconds(bench: Bench, count: float) -> list[Packet]:
    """Lets the time pass; what was sent in it."""
    before = len(bench.sent)
    bench.tick_every = 1
    await bench.run(int(count * SECOND * bench.tick_every))
    bench.tick_every = 0
    await bench.run(100)
    return [Ether(frame) for _, frame in bench.sent[before:]]


def peer(bench: Bench, number_: int = 0) -> str | None:
    """The MAC of a peer, as the design knows it."""
    if not int(bench.dut.peer_mac_valid.value) >> number_ & 1:
        return None
    return (int(bench.dut.peer_mac.value) >> 48 * number_ & (1 << 48) - 1).to_bytes(6, "big").hex(":")


@cocotb.test()
async def requests_for_our_address_are_answered_to_their_sender(dut):
    bench = Bench(dut)
    await bench.start()
    for dst in (BROADCAST, LOCAL_MAC):
        for mac, ip in ((PEER_MAC, PEER_IP), (OTHER_MAC, OTHER_IP), ("fe:ff:ff:ff:ff:ff", "255.255.255.254"), (PEER_MAC, "0.0.0.0")):
            bench.put(arp(dst=dst, hwsrc=mac, psrc=ip))
            (answer,) = await bench.play(200)
            check(answer, 2, mac, mac, ip)
    assert bench.events == {"arp_answer": 8}
    assert not bench.host
    assert peer(bench) is None


@cocotb.test()
async def requests_one_behind_the_other_are_all_answered(dut):
    bench = Bench(dut, 2)
    await bench.start()
    macs = [f"02:00:00:00:01:{i:02x}" for i in range(30 if bench.width == 8 else 12)]
    for mac in macs:
        bench.put(arp(hwsrc=mac))
    answers = await bench.play(3000)
    assert [answer.dst for answer in answers] == macs
    assert bench.events == {"arp_answer": len(macs)}


@cocotb.test()
async def what_is_not_for_us_is_left_to_the_host(dut):
    bench = Bench(dut)
    await bench.start()
    frames = {
        "for another": arp(pdst=OTHER_IP),
        "an announcement of another": arp(psrc=OTHER_IP, pdst=OTHER_IP),
        "tagged": Ether(dst=BROADCAST, src=PEER_MAC) / Dot1Q(vlan=3) / arp()[ARP],
        "another hardware": arp(hwtype=6),
        "another protocol": arp(ptype=0x86DD),
        "long MACs": arp(hwlen=8),
        "long addresses": arp(plen=16),
        "reverse ARP": arp(op=4),
        "operation 257": arp(op=257),
        "another ethertype": Ether(dst=LOCAL_MAC, src=PEER_MAC, type=0x88CC) / Raw(bytes(arp()[ARP])),
    }
    for name, frame in frames.items():
        bench.put(frame)
        assert await bench.play(200) == [], name
    assert [frame[:-4] for frame in bench.host] == [bytes(frame).ljust(60, b"\0") for frame in frames.values()]
    assert not bench.events


@cocotb.test()
async def damaged_and_malformed_requests_are_not_answered(dut):
    bench = Bench(dut)
    await bench.start()
    bench.put(bytes(arp()).ljust(64, b"\0"), fcs=False)
    bench.put(arp(), error=30)
    bench.put(arp(dst="33:33:00:00:00:01"))
    bench.put(arp(dst=OTHER_MAC))
    assert await bench.play() == []
    assert not bench.events
    malformed = [arp(hwsrc=mac) for mac in (BROADCAST, "01:00:5e:00:00:01", "03:00:00:00:00:99", NOBODY)]
    for frame in [*malformed, arp(op=0), arp(op=3)]:
        bench.put(frame)
        assert await bench.play(200) == []
    assert bench.events == {"arp_refused": 6}


@cocotb.test()
async def our_address_is_announced_when_we_come_up_and_when_it_changes(dut):
    bench = Bench(dut)
    await bench.start(quiet=False, enable=0)
    bench.put(arp())
    assert await bench.play() == []
    assert await seconds(bench, 3) == []
    dut.enable.value = 1
    await bench.run(100)
    assert len(bench.sent) == 1
    rest = await seconds(bench, 10)
    assert len(rest) == 1
    for frame in [Ether(bench.sent[0][1]), *rest]:
        check(frame, 1, BROADCAST, NOBODY, LOCAL_IP)
    dut.local_ip.value = 0
    assert await seconds(bench, 3) == []
    bench.put(arp(pdst="0.0.0.0"))
    assert await bench.play() == []
    dut.local_ip.value = number(OTHER_IP)
    frames = await seconds(bench, 5)
    assert [(frame[ARP].psrc, frame[ARP].pdst) for frame in frames] == [(OTHER_IP, OTHER_IP)] * 2
    dut.local_mac.value = number(OTHER_MAC)
    frames = await seconds(bench, 5)
    assert [(frame.src, frame[ARP].hwsrc) for frame in frames] == [(OTHER_MAC, OTHER_MAC)] * 2
    assert bench.events == {"arp_request": 6}


@cocotb.test()
async def a_peer_is_asked_for_until_it_answers(dut):
    bench = Bench(dut)
    await bench.start()
    dut.resolve_ip.value = number(PEER_IP)
    dut.resolve_valid.value = 1
    await bench.run(100)
    check(Ether(bench.sent[-1][1]), 1, BROADCAST, NOBODY, PEER_IP)
    again = await seconds(bench, 20)
    assert 10 <= len(again) <= 20  # every one to two seconds
    for frame in again:
        check(frame, 1, BROADCAST, NOBODY, PEER_IP)
    assert peer(bench) is None
    bench.put(arp(op=2, dst=LOCAL_MAC, psrc=OTHER_IP, hwdst=LOCAL_MAC))  # an answer of another peer
    await bench.play(200)
    assert peer(bench) is None
    bench.put(arp(op=2, dst=LOCAL_MAC, hwdst=LOCAL_MAC))
    assert await bench.play(200) == []
    assert peer(bench) == PEER_MAC
    assert await seconds(bench, AGE - 2) == []


@cocotb.test()
async def a_peer_that_is_silent_is_asked_again_and_forgotten(dut):
    bench = Bench(dut)
    await bench.start()
    dut.resolve_ip.value = number(PEER_IP)
    dut.resolve_valid.value = 1
    bench.put(arp(op=2, dst=LOCAL_MAC))
    await bench.play(200)
    assert peer(bench) == PEER_MAC
    for _ in range(2):
        frames = await seconds(bench, AGE + 1)
        assert len(frames) == 1
        check(frames[0], 1, BROADCAST, NOBODY, PEER_IP)
        assert peer(bench) == PEER_MAC  # it stays meanwhile
        bench.put(arp(op=2, dst=LOCAL_MAC))
        await bench.play(200)
    await seconds(bench, AGE + 1)
    assert peer(bench) == PEER_MAC
    frames = await seconds(bench, 7)
    assert 2 <= len(frames) <= 7
    assert peer(bench) is None


@cocotb.test()
async def a_peer_that_lives_with_a_session_is_not_overwritten(dut):
    bench = Bench(dut)
    await bench.start()
    dut.resolve_ip.value = number(PEER_IP)
    dut.resolve_valid.value = 1
    bench.put(arp(op=2, dst=LOCAL_MAC))
    await bench.play(200)
    dut.pinned.value = 1
    for op in (1, 2):
        for dst in (BROADCAST, LOCAL_MAC):
            bench.put(arp(op=op, dst=dst, hwsrc=OTHER_MAC))
            answers = await bench.play(200)
            assert len(answers) == (op == 1)
            for answer in answers:  # the peer may have moved: it hears of us, and is asked after the session
                check(answer, 2, OTHER_MAC, OTHER_MAC, PEER_IP)
            assert peer(bench) == PEER_MAC
    assert bench.events["arp_poison"] == 4
    bench.put(arp())  # of the peer itself
    assert len(await bench.play(200)) == 1
    assert bench.events["arp_poison"] == 4
    assert await seconds(bench, 3 * AGE) == []
    assert peer(bench) == PEER_MAC
    # After the session it is asked for again, and may be another.
    dut.pinned.value = 0
    await bench.run(100)
    assert peer(bench) is None
    check(Ether(bench.sent[-1][1]), 1, BROADCAST, NOBODY, PEER_IP)
    bench.put(arp(op=2, dst=LOCAL_MAC, hwsrc=OTHER_MAC))
    await bench.play(200)
    assert peer(bench) == OTHER_MAC
    # Nor does a session hold it: then RFC 826 has it that the last one counts.
    bench.put(arp())
    await bench.play(200)
    assert peer(bench) == PEER_MAC
    assert bench.events["arp_poison"] == 4


@cocotb.test()
async def peers_are_learnt_each_for_itself_and_nobody_else(dut):
    bench = Bench(dut)
    await bench.start()
    dut.resolve_ip.value = number(OTHER_IP) << 32 | number(PEER_IP)
    dut.resolve_valid.value = 3
    await bench.run(300)
    assert [Ether(frame)[ARP].pdst for _, frame in bench.sent] == [PEER_IP, OTHER_IP]
    bench.put(arp(psrc="10.0.0.50"))
    await bench.play(200)
    assert (peer(bench), peer(bench, 1)) == (None, None)
    bench.put(arp(op=2, dst=LOCAL_MAC, psrc=OTHER_IP, hwsrc=OTHER_MAC))
    bench.put(arp())  # a request counts as well
    await bench.play(200)
    assert (peer(bench), peer(bench, 1)) == (PEER_MAC, OTHER_MAC)
    dut.resolve_ip.value = number("10.0.0.9") << 32 | number(PEER_IP)
    await bench.run(100)
    assert (peer(bench), peer(bench, 1)) == (PEER_MAC, None)
    assert Ether(bench.sent[-1][1])[ARP].pdst == "10.0.0.9"
    dut.enable.value = 0
    await bench.run(10)
    assert (peer(bench), peer(bench, 1)) == (None, None)


@cocotb.test()
async def our_address_is_defended_once_in_ten_seconds(dut):
    bench = Bench(dut)
    await bench.start()
    claim = arp(hwsrc=OTHER_MAC, psrc=LOCAL_IP)
    for _ in range(5):
        bench.put(claim)
    frames = await bench.play(400)
    assert len(frames) == 1
    check(frames[0], 1, BROADCAST, NOBODY, LOCAL_IP)
    assert bench.events == {"arp_conflict": 5, "arp_request": 1}
    assert await seconds(bench, 11) == []
    bench.put(claim)
    assert len(await bench.play(200)) == 1
    bench.put(arp(hwsrc=LOCAL_MAC, psrc=LOCAL_IP))  # our own announcement, come back
    assert await bench.play(200) == []
    assert bench.events["arp_conflict"] == 6
    assert peer(bench) is None


@pytest.mark.parametrize("w", [8, 64])
def test_arp(w: int) -> None:
    simulate("control_plane_tb", "test_arp", {"W": w})
