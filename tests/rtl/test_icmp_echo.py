"""The control plane's answers to echo requests; scapy makes the requests and reads the answers."""

import random

import cocotb
import pytest
from control_bench import BROADCAST, LOCAL_IP, LOCAL_MAC, OTHER_IP, OTHER_MAC, PEER_IP, PEER_MAC, Bench, arp, ping
from harness import simulate
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet, Raw


def check(answer: Packet, request: Packet) -> None:
    """The request's data, back to its sender; everything else as RFC 792 has it."""
    request = Ether(bytes(request))
    assert (answer.src, answer.dst, answer.type) == (LOCAL_MAC, request.src, 0x0800)
    assert (answer[IP].src, answer[IP].dst, answer[IP].ttl, answer[IP].proto) == (request[IP].dst, request[IP].src, 64, 1)
    assert (answer[IP].tos, answer[IP].flags, answer[IP].frag) == (request[IP].tos, request[IP].flags, 0)
    assert (answer[ICMP].type, answer[ICMP].code) == (0, 0)
    assert (answer[ICMP].id, answer[ICMP].seq) == (request[ICMP].id, request[ICMP].seq)
    assert bytes(answer[ICMP].payload) == bytes(request[ICMP].payload)


@cocotb.test()
async def requests_of_any_length_are_answered(dut):
    bench = Bench(dut)
    await bench.start()
    for size in [*range(40), 56, 255, 1000, 1471, 1472]:
        request = ping(bench.rng.randbytes(size), ttl=bench.rng.randrange(1, 256), id=bench.rng.randrange(1 << 16))
        bench.put(request)
        answers = await bench.play(100 + 2 * size)
        assert len(answers) == 1, f"{size} bytes"
        check(answers[0], request)
    assert bench.events == {"icmp_answer": 45}
    assert not bench.host


@cocotb.test()
async def the_checksums_are_right_where_their_sums_are_at_the_edge(dut):
    """RFC 1624: a sum that becomes zero is where the difference goes wrong. Checksums at and beside it."""
    bench = Bench(dut)
    await bench.start()
    requests = []
    for want in (0x0000, 0x0001, 0x07FF, 0x0800, 0x0801, 0xF7FE, 0xF7FF, 0xF800, 0xFFFE):
        rest = ping(b"\0\0", icmp={"id": 0, "seq": 0})
        sum_ = Ether(bytes(rest))[ICMP].chksum
        word = (sum_ - want) % 0xFFFF  # more in the data means less in the checksum
        requests.append(ping(word.to_bytes(2, "big"), icmp={"id": 0, "seq": 0}))
        assert Ether(bytes(requests[-1]))[ICMP].chksum in (want, want ^ 0xFFFF if want in (0, 0xFFFF) else want)
    for want in (0x0000, 0x0001, 0xFFFE, 0xC0FF, 0x3F00, 0xBFFE):
        sum_ = Ether(bytes(ping(id=0)))[IP].chksum
        requests.append(ping(id=(sum_ - want) % 0xFFFF))
    for request in requests:
        bench.put(request)
        (answer,) = await bench.play(200)
        check(answer, request)


@cocotb.test()
async def what_is_no_good_request_is_not_answered(dut):
    bench = Bench(dut)
    await bench.start()
    data = bench.rng.randbytes(48)
    to_host = {
        "to all": ping(data, dst=BROADCAST),
        "to another address": ping(data, ip=OTHER_IP),
        "a reply": ping(data, icmp={"type": 0}),
        "another code": ping(data, icmp={"code": 1}),
        "a first fragment": ping(data, flags="MF"),
        "a later fragment": ping(data, frag=5),
        "options": ping(data, options=[b"\x01\x01\x01\x00"]),
        "another protocol": ping(data, proto=6),
    }
    for name, frame in to_host.items():
        bench.put(frame)
        assert await bench.play() == [], name
    assert [frame[:-4] for frame in bench.host] == [bytes(frame).ljust(60, b"\0") for frame in to_host.values()]
    assert not bench.events
    bench.host.clear()
    nobodys = {
        "to another MAC": ping(data, dst=OTHER_MAC),
        "wrong IPv4 checksum": ping(data, chksum=0x1234),
        "longer than the frame": ping(data, len=200),
        "shorter than a header": ping(data, len=19),
    }
    for name, frame in nobodys.items():
        bench.put(frame)
        assert await bench.play() == [], name
    bench.put(ping(data), error=50)
    bad = bytearray(bytes(ping(data)) + b"\0\0\0\0")
    bench.put(bytes(bad), fcs=False)
    assert await bench.play() == []
    assert not bench.host
    assert not bench.events
    refused = {
        "wrong ICMP checksum": ping(data, icmp={"chksum": 0x1234}),
        "its own checksum off by one": ping(data, icmp={"chksum": Ether(bytes(ping(data)))[ICMP].chksum - 1}),
        "cut short": ping(data, len=60),
        "no whole ICMP header": ping(data, len=27),
        "no ICMP": ping(data, len=20),
        "too long": ping(bench.rng.randbytes(1473)),
        "much too long": ping(bench.rng.randbytes(1900)),
    }
    for name, frame in refused.items():
        bench.put(frame)
        assert await bench.play(3000) == [], name
    assert bench.events == {"icmp_refused": len(refused)}
    good = ping(data)
    bench.put(good)
    (answer,) = await bench.play()
    check(answer, good)
    assert not bench.host


@cocotb.test()
async def a_tagged_request_is_the_hosts(dut):
    bench = Bench(dut)
    await bench.start()
    inner = ping(b"0123456789")
    frame = Ether(dst=LOCAL_MAC, src=PEER_MAC) / Dot1Q(vlan=5) / inner[IP]
    bench.put(frame)
    assert await bench.play() == []
    assert len(bench.host) == 1
    assert not bench.events


@cocotb.test()
async def a_flood_is_answered_in_order_and_what_finds_no_room_is_counted(dut):
    bench = Bench(dut, 3)
    await bench.start()
    bench.ready = 0.3
    requests = []
    for seq in range(60):
        requests.append(ping(bench.rng.randbytes(bench.rng.choice((0, 10, 300, 1472))), icmp={"seq": seq}))
        bench.put(requests[-1])
        if seq % 7 == 0:
            bench.put(arp())
    answers = await bench.play(30_000)
    pings = [answer for answer in answers if ICMP in answer]
    by_seq = {request[ICMP].seq: request for request in requests}
    for answer in pings:
        check(answer, by_seq[answer[ICMP].seq])
    order = [answer[ICMP].seq for answer in pings]
    assert order == sorted(set(order))
    assert bench.events["icmp_answer"] == len(pings)
    assert bench.events["arp_answer"] == len(answers) - len(pings)
    assert bench.events["overflow"] + len(answers) == 69
    assert bench.events["overflow"] > 5
    assert len(pings) > 5


@cocotb.test()
async def at_eight_bits_the_longest_requests_are_answered_at_line_rate(dut):
    if len(dut.mii_data) != 8:
        return
    bench = Bench(dut, 4)
    await bench.start()
    requests = [ping(bench.rng.randbytes(1472), icmp={"seq": seq}) for seq in range(6)]
    for request in requests:
        bench.put(request)
    answers = await bench.play(4000)
    assert len(answers) == 6
    for answer, request in zip(answers, requests, strict=True):
        check(answer, request)
    assert bench.events == {"icmp_answer": 6}


@cocotb.test()
async def market_data_is_neither_claimed_nor_the_hosts(dut):
    bench = Bench(dut)
    await bench.start()
    bench.put(Ether(dst=LOCAL_MAC, src=PEER_MAC) / IP(src=PEER_IP, dst=LOCAL_IP) / UDP(sport=1, dport=26400) / Raw(random.randbytes(50)))
    assert await bench.play() == []
    assert not bench.events
    assert not bench.host


@pytest.mark.parametrize("w", [8, 64])
def test_icmp_echo(w: int) -> None:
    simulate("control_plane_tb", "test_icmp_echo", {"W": w})
