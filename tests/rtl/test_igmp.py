"""The control plane's IGMP: joins, leaves and answers to queries; scapy reads the reports, checksums are verified."""

from dataclasses import dataclass

import cocotb
import pytest
from control_bench import LOCAL_IP, LOCAL_MAC, OTHER_MAC, Bench, number, read
from harness import simulate
from net_model import group_mac
from scapy.layers.igmp import IGMPv2_LG, IGMPv2_MR, IGMPv3_MR
from scapy.layers.inet import IP, IPOption_Router_Alert
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw
from scapy.utils import checksum

A, B, C = "239.1.2.3", "224.0.129.5", "232.255.255.254"
ROUTER = "10.0.0.254"
ALL_SYSTEMS = "224.0.0.1"
HUNDREDTH = 40  # cycles in ten milliseconds: a scan of the rows takes about 34
LATE = 0.25  # seconds: what a few reports take when time runs so fast
OLDER = 12  # seconds, in the bench
IS_EXCLUDE, TO_INCLUDE, TO_EXCLUDE = 2, 3, 4


@dataclass(frozen=True)
class Report:
    """What the hardware reported about a group, and when in seconds."""

    version: int
    kind: str | int  # version 2: report or leave; version 3: the record's type
    group: str
    at: float


def parse(at: int, frame: bytes) -> Report:
    packet = read(frame)
    ip = packet[IP]
    assert (packet.src, packet.dst, ip.src, ip.ttl, ip.tos, ip.proto) == (LOCAL_MAC, group_mac(ip.dst), LOCAL_IP, 1, 0xC0, 2)
    assert [type(option) for option in ip.options] == [IPOption_Router_Alert]
    assert (ip.options[0].alert, ip.ihl, ip.flags, ip.frag) == (0, 6, "DF", 0)
    when = at / HUNDREDTH / 100
    message = ip.payload
    if isinstance(message, IGMPv3_MR):
        assert (ip.dst, message.numgrp, len(message.records), len(frame)) == ("224.0.0.22", 1, 1, 54)
        record = message.records[0]
        assert (record.numsrc, record.auxdlen) == (0, 0)
        return Report(3, record.rtype, record.maddr, when)
    assert len(frame) == 46
    if isinstance(message, IGMPv2_LG):
        assert ip.dst == "224.0.0.2"
        return Report(2, "leave", message.gaddr, when)
    assert isinstance(message, IGMPv2_MR)
    assert ip.dst == message.gaddr
    return Report(2, "report", message.gaddr, when)


def query(group: str = "0.0.0.0", code: int = 100, version: int = 3, sources: tuple[str, ...] = (), **changed) -> Packet:
    """A router's. `changed`: fields of the IPv4 header; `to` a MAC; `body` or `sum`, of the message."""
    destination = changed.pop("dst", ALL_SYSTEMS if group == "0.0.0.0" else group)
    mac = changed.pop("to", group_mac(destination))
    message = bytes([0x11, code, 0, 0]) + number(group).to_bytes(4, "big")
    if version == 3:
        message += bytes([2, 125]) + len(sources).to_bytes(2, "big") + b"".join(number(source).to_bytes(4, "big") for source in sources)
    message = changed.pop("body", message)
    sum_ = changed.pop("sum", checksum(message))
    message = message[:2] + sum_.to_bytes(2, "big") + message[4:]
    fields = {"src": ROUTER, "dst": destination, "ttl": 1, "proto": 2, "tos": 0xC0, "options": [IPOption_Router_Alert()], **changed}
    return Ether(dst=mac, src=OTHER_MAC) / IP(**fields) / Raw(message)


class Member(Bench):
    """Joined to nothing yet, and time running."""

    async def begin(self, *groups: str, settle: float = 1.2) -> list[Report]:
        await self.start()
        self.dut.group.value = self.slots(*groups)
        return await self.seconds(settle)

    def slots(self, *groups: str) -> int:
        return sum((number(group) if group else 0) << 32 * i for i, group in enumerate(groups))

    async def seconds(self, count: float) -> list[Report]:
        """Time passes; what was reported in it."""
        self.tick_every = HUNDREDTH
        before = len(self.sent)
        await self.run(int(count * 100 * HUNDREDTH))
        return [parse(at, frame) for at, frame in self.sent[before:] if frame[12:14] == b"\x08\x00"]

    @property
    def time(self) -> float:
        return self.now / HUNDREDTH / 100


def said(reports: list[Report]) -> list[tuple[int, str | int, str]]:
    return [(report.version, report.kind, report.group) for report in reports]


@cocotb.test()
async def a_group_is_reported_at_once_and_again_within_a_second(dut):
    bench = Member(dut)
    begun = bench.time
    reports = await bench.begin(A, "", C)
    assert sorted(said(reports)) == sorted([(3, TO_EXCLUDE, A), (3, TO_EXCLUDE, C)] * 2)
    assert {report.group for report in reports[:2]} == {A, C}
    first = [report.at for report in reports[:2]]
    again = [report.at for report in reports[2:]]
    assert max(first) - begun < 0.6  # the bench's own beginning
    assert max(again) - min(first) < 1.05
    assert await bench.seconds(3) == []
    assert bench.events == {"igmp_report": 4}


@cocotb.test()
async def a_group_is_left_when_its_register_changes_unless_another_has_it(dut):
    bench = Member(dut)
    await bench.begin(A, B)
    dut.group.value = bench.slots(C, B)
    reports = await bench.seconds(1.2)
    assert sorted(said(reports)) == sorted([(3, TO_INCLUDE, A), (3, TO_EXCLUDE, C)] * 2)
    dut.group.value = bench.slots("", B)
    reports = await bench.seconds(1.2)
    assert said(reports) == [(3, TO_INCLUDE, C)] * 2
    dut.group.value = bench.slots("", B, B)  # twice
    assert said(await bench.seconds(1.2)) == [(3, TO_EXCLUDE, B)] * 2
    dut.group.value = bench.slots("", "", B)
    assert await bench.seconds(1.2) == []
    dut.group.value = 0
    assert said(await bench.seconds(1.2)) == [(3, TO_INCLUDE, B)] * 2
    # Left and joined again before the leave's repetition.
    dut.group.value = bench.slots(A)
    await bench.seconds(1.2)
    dut.group.value = 0
    assert said(await bench.seconds(LATE))[:1] == [(3, TO_INCLUDE, A)]
    dut.group.value = bench.slots("", A)
    reports = await bench.seconds(1.2)
    assert said(reports) == [(3, TO_EXCLUDE, A)] * 2
    # Nothing is left of the leave that was not repeated.
    dut.group.value = 0
    assert said(await bench.seconds(1.2)) == [(3, TO_INCLUDE, A)] * 2


@cocotb.test()
async def what_is_no_group_is_not_reported(dut):
    bench = Member(dut)
    assert await bench.begin("10.1.2.3", ALL_SYSTEMS, "255.255.255.255", "223.255.255.255") == []
    bench.put(query())
    assert await bench.seconds(11) == []
    dut.group.value = 0
    assert await bench.seconds(1.2) == []


@cocotb.test()
async def queries_are_answered_within_their_time_by_whom_they_ask(dut):
    bench = Member(dut)
    await bench.begin(A, B)
    delays: list[float] = []
    for code, limit in ((100, 10.0), (10, 1.0), (1, 0.1), (0, 0.1), (30, 3.0)):
        for asked, version in (("0.0.0.0", 3), (A, 3), (B, 3)):
            if asked == "0.0.0.0" or code in (10, 0):
                begin = bench.time
                bench.put(query(asked, code, version))
                reports = await bench.seconds(limit + LATE)
                assert sorted(said(reports)) == sorted((3, IS_EXCLUDE, group) for group in ((A, B) if asked == "0.0.0.0" else (asked,)))
                assert all(0 <= report.at - begin <= limit + LATE for report in reports)
                delays += [(report.at - begin) / limit for report in reports if limit >= 1]
    assert max(delays) > 0.5
    assert max(delays) - min(delays) > 0.3
    assert len(set(delays)) == len(delays)
    bench.put(query(C, 10))
    assert await bench.seconds(1.2) == []
    # All sources of the group are wanted: this is the answer when some are asked for.
    bench.put(query(A, 10, sources=("10.1.1.1", "10.1.1.2")))
    assert said(await bench.seconds(1.2)) == [(3, IS_EXCLUDE, A)]
    bench.put(query(A, 10, dst=LOCAL_IP, to=LOCAL_MAC))
    assert said(await bench.seconds(1.2)) == [(3, IS_EXCLUDE, A)]


@cocotb.test()
async def a_second_query_hastens_the_answer_and_does_not_double_it(dut):
    bench = Member(dut)
    await bench.begin(A)
    bench.put(query(code=255))
    assert await bench.seconds(0.05) == []
    begin = bench.time
    bench.put(query(code=10))
    reports = await bench.seconds(1 + LATE)
    assert said(reports) == [(3, IS_EXCLUDE, A)]
    assert reports[0].at - begin < 1 + LATE
    assert await bench.seconds(26) == []


@cocotb.test()
async def silly_times_are_bounded(dut):
    """Version 3 can ask for an answer within 53 minutes: 25.5 seconds are all it gets."""
    bench = Member(dut)
    await bench.begin(A)
    for code, limit in ((255, 25.5), (0x8F, 24.8), (0xA0, 25.5)):
        bench.put(query(code=code))
        begin = bench.time
        reports: list[Report] = []
        while not reports:
            reports += await bench.seconds(1)
            assert bench.time - begin < limit + 1.1
        assert said(reports) == [(3, IS_EXCLUDE, A)]


@cocotb.test()
async def an_older_querier_makes_us_older_for_a_while(dut):
    bench = Member(dut)
    await bench.begin(A, B)
    bench.put(query(A, 10, version=2))  # not a general one
    assert said(await bench.seconds(1.2)) == [(3, IS_EXCLUDE, A)]
    bench.put(query(code=10, version=2))
    assert sorted(said(await bench.seconds(1.2))) == sorted([(2, "report", A), (2, "report", B)])
    dut.group.value = bench.slots(A, C)
    reports = await bench.seconds(LATE)
    assert sorted(said(reports)) == sorted([(2, "leave", B), (2, "report", C)])
    bench.put(query(code=10, version=3))  # from a newer router: still answered in the old way
    reports = await bench.seconds(1.2)
    assert {(2, "report", A), (2, "report", C)} <= set(said(reports)) <= {(2, "report", A), (2, "report", C), (2, "leave", B)}
    await bench.seconds(OLDER)
    bench.put(query(code=10, version=3))
    assert sorted(said(await bench.seconds(1.2))) == sorted([(3, IS_EXCLUDE, A), (3, IS_EXCLUDE, C)])
    begin = bench.time
    bench.put(query(code=0, version=2))  # version 1: 10 s
    reports = await bench.seconds(10.2)
    assert sorted(said(reports)) == sorted([(2, "report", A), (2, "report", C)])
    assert max(report.at for report in reports) - begin > 0.3


@cocotb.test()
async def what_is_no_good_query_is_not_answered(dut):
    bench = Member(dut)
    await bench.begin(A)
    v3 = bytes([0x11, 10, 0, 0, 0, 0, 0, 0, 2, 125, 0, 0])
    refused = {
        "TTL 2": query(code=1, ttl=2),
        "TTL 0": query(code=1, ttl=0),
        "another option": query(code=1, options=[b"\x94\x04\x00\x01"]),
        "no option, but room for it": query(code=1, options=[b"\x01\x01\x01\x01"]),
        "wrong checksum": query(code=1, sum=0x1234),
        "checksum off by one": query(code=1, sum=checksum(v3[:1] + b"\1" + v3[2:]) - 1),
        "wrong IPv4 checksum": query(code=1, chksum=0x1234),
        "10 bytes": query(body=v3[:10]),
        "4 bytes": query(body=v3[:4]),
        "longer than the frame": query(code=1, len=200),
        "no message": query(code=1, len=24),
        "shorter than its header": query(code=1, len=3),
        "fewer sources than it says": query(body=v3[:11] + b"\5" + bytes(16)),
        "65535 sources": query(body=v3[:10] + b"\xff\xff"),
        "for a group, to another": query(A, 1, dst=B),
        "general, to the group": query(code=1, dst=A),
        "for no group": query("10.0.0.9", 1, dst=ALL_SYSTEMS),
        "a fragment": query(code=1, flags="MF"),
    }
    for name, frame in refused.items():
        bench.put(frame)
        assert await bench.seconds(0.2) == [], name
        assert bench.events["igmp_query"] == 0, name
    bench.put(query(code=1, dst=ALL_SYSTEMS), error=40)
    bench.put(bytes(query(code=1)).ljust(64, b"\0"), fcs=False)
    assert await bench.seconds(0.2) == []
    assert bench.events["igmp_refused"] == len(refused)
    assert not bench.host
    to_host = {
        "no router alert": query(code=1, options=[]),
        "a report": query(body=b"\x16" + v3[1:8]),
        "another protocol": query(code=1, proto=103),
    }
    for name, frame in to_host.items():
        bench.put(frame)
        assert await bench.seconds(0.2) == [], name
    assert [frame[:-4] for frame in bench.host] == [bytes(frame).ljust(60, b"\0") for frame in to_host.values()]
    assert bench.events["igmp_refused"] == len(refused)
    bench.put(query(code=1))
    assert said(await bench.seconds(0.2)) == [(3, IS_EXCLUDE, A)]


@cocotb.test()
async def groups_are_joined_anew_when_we_come_up_or_our_address_changes(dut):
    bench = Member(dut)
    await bench.begin(A)
    dut.enable.value = 0
    bench.put(query(code=1))
    assert await bench.seconds(0.5) == []
    dut.enable.value = 1
    assert said(await bench.seconds(1.2)) == [(3, TO_EXCLUDE, A)] * 2
    for _ in range(30):  # at any moment of a frame: what leaves is complete and right
        dut.local_ip.value = number("10.0.0.5")
        await bench.run(bench.rng.randrange(1, 400))
        dut.local_ip.value = number(LOCAL_IP)
        await bench.run(bench.rng.randrange(1, 400))
    for _, frame in bench.sent:
        packet = read(frame)
        assert packet.src == LOCAL_MAC
        assert IP not in packet or packet[IP].src in (LOCAL_IP, "10.0.0.5")


@pytest.mark.parametrize("w", [8, 64])
def test_igmp(w: int) -> None:
    simulate("control_plane_tb", "test_igmp", {"W": w})
