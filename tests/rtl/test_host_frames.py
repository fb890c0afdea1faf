"""host_frames after net_rx: frames that no module takes come out complete and in order, nothing else does; the excess is lost by frame."""

import random
from itertools import pairwise

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import simulate
from net_model import GROUPS, LOCAL_IP, LOCAL_MAC, PORTS, VERDICT, Mii, build, group_mac, with_fcs
from pins import Pins

MEMORY = 2048  # bytes
OURS = (LOCAL_MAC, group_mac(GROUPS[0]))
BROADCAST = "ff:ff:ff:ff:ff:ff"
OTHER_GROUP = "239.77.66.55"
PULSE = VERDICT + 2  # from the last byte on the MII to `kept` or `overflow`
FIRST_BEAT = VERDICT + 3  # and to the frame's first beat


def ethernet(mac: str, ethertype: int, body: bytes) -> bytes:
    return bytes.fromhex(mac.replace(":", "")) + bytes.fromhex("020000000099") + ethertype.to_bytes(2, "big") + body


def arp(rng: random.Random) -> bytes:
    return ethernet(BROADCAST, 0x0806, bytes.fromhex("0001080006040001") + rng.randbytes(20)).ljust(60, b"\0")


def udp(rng: random.Random, size: int | None = None, **changed) -> bytes:
    return build(rng.randbytes(rng.randrange(100) if size is None else size), **changed)


# Frames without FCS. What each is, and whether it is the host's, is defined here and not by the model.
NOBODYS = {
    "arp": arp,
    "ipv6": lambda rng: ethernet("33:33:00:00:00:01", 0x86DD, rng.randbytes(rng.randrange(46, 120))),
    "unknown ethertype to us": lambda rng: ethernet(LOCAL_MAC, 0x88CC, rng.randbytes(rng.randrange(46, 120))),
    "other port": lambda rng: udp(rng, port=5353),
    "other port, to our group": lambda rng: udp(rng, mac=OURS[1], ip=GROUPS[0], port=5353, vlan=7),
    "other group": lambda rng: udp(rng, mac=group_mac(OTHER_GROUP), ip=OTHER_GROUP),
    "other group of the same MAC": lambda rng: udp(rng, mac=OURS[1], ip="225.1.2.3"),
    "broadcast": lambda rng: udp(rng, mac=BROADCAST, ip="255.255.255.255"),
    "tcp": lambda rng: udp(rng, ip_fields={"proto": 6}),
    "icmp": lambda rng: udp(rng, ip_fields={"proto": 1}),
    "igmp": lambda rng: udp(rng, mac=group_mac("224.0.0.22"), ip="224.0.0.22", ip_fields={"proto": 2}),
    "fragment": lambda rng: udp(rng, ip_fields={"flags": "MF"}),
    "later fragment": lambda rng: udp(rng, ip_fields={"frag": 5}),
    "ip options": lambda rng: udp(rng, ip_fields={"options": [b"\x01\x01\x01\x00"]}),
    "other address at our MAC": lambda rng: udp(rng, ip="10.0.0.77"),
}
OTHERS = {
    "accepted": lambda rng: udp(rng),
    "accepted of the group": lambda rng: udp(rng, mac=OURS[1], ip=GROUPS[0], vlan=rng.randrange(4096)),
    "another's": lambda rng: udp(rng, mac="02:00:00:00:00:02", ip="10.0.0.3"),
    "another's arp": lambda rng: ethernet("02:00:00:00:00:02", 0x0806, rng.randbytes(46)),
    "bad ip checksum": lambda rng: udp(rng, ip_fields={"chksum": 1}),
    "bad ip version": lambda rng: udp(rng, ip_fields={"version": 6}),
    "bad ip length": lambda rng: udp(rng, 40, ip_fields={"len": 3000}),
    "bad udp length": lambda rng: udp(rng, 40, udp_fields={"len": 9}),
    "bad udp checksum": lambda rng: udp(rng, 40, udp_fields={"chksum": 1}),
    "runt": lambda rng: arp(rng)[: rng.randrange(1, 60)],
    "oversize": lambda rng: ethernet(BROADCAST, 0x0806, rng.randbytes(9005)),
}


class Bench:
    """Frames on the MII, and what the host read. `wanted`: of each sent, whether it is the host's."""

    def __init__(self, dut, seed: int) -> None:
        self.dut = Pins(dut)
        self.w = len(dut.mii_data)
        self.rng = random.Random(seed)
        self.now = 0
        self.pulses: list[tuple[int, bool]] = []  # cycle; kept, or lost
        self.accepted = 0
        self.frames: list[tuple[int, bytes]] = []  # first beat's cycle, what came out
        self.beats = b""
        self.begun = 0
        self.unread = {-1: 0}  # words stored that are not read, by cycle

    async def start(self, clock: bool = True) -> None:
        dut = self.dut
        if clock:
            Clock(dut.clk, 2, "ns").start()
        dut.local_mac.value = int(LOCAL_MAC.replace(":", ""), 16)
        dut.local_ip.value, dut.group.value = (int.from_bytes(bytes(map(int, ip.split("."))), "big") for ip in (LOCAL_IP, GROUPS[0]))
        dut.port.value = PORTS[0]
        dut.put(out_ready=0)
        self.idle()
        dut.rst.value = 1
        for _ in range(4):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        await RisingEdge(dut.clk)
        self.mii = Mii(self.w)
        self.wanted: list[bool] = []
        self.first_frame = 0

    def idle(self) -> None:
        data, control = (0, 0) if self.w == 8 else (0x0707070707070707, 0xFF)
        self.dut.put(mii_data=data, mii_control=control, mii_error=0)

    def send(self, wanted: bool, frame: bytes, **how) -> None:
        """A frame without FCS."""
        self.mii.frame(with_fcs(frame), **how)
        self.wanted.append(wanted)

    def kept(self) -> list[bytes]:
        """The host's frames that found room, as the pulses say; each pulse in the cycle its frame's verdict asks for."""
        theirs = [sent for sent, wanted in zip(self.mii.sent, self.wanted, strict=True) if wanted]
        assert [cycle for cycle, _ in self.pulses] == [sent.last + PULSE for sent in theirs]
        lanes = self.w // 8
        for sent, (cycle, kept) in zip(theirs, self.pulses, strict=True):
            unread = max(self.unread[at] for at in range(sent.first, cycle))
            assert kept or unread + -(-len(sent.frame) // lanes) > MEMORY // lanes, (
                f"frame lost in cycle {cycle} with {unread} words unread"
            )
        return [sent.frame for sent, (_, kept) in zip(theirs, self.pulses, strict=True) if kept]

    async def play(self, ready: float = 1, drain: int = 0, stop: int | None = None) -> None:
        """What was put on the MII since the last call, then idle for `drain` cycles more than the verdict takes; or up to `stop`."""
        lanes = self.w // 8
        self.mii.idle(-len(self.mii.octets) % lanes + 12 * lanes)
        dut, rng = self.dut, self.rng
        held = None
        stop = len(self.mii.octets) // lanes + drain if stop is None else stop
        words = {sent.last + PULSE: -(-len(sent.frame) // lanes) for sent in self.mii.sent}
        while self.now < stop:
            beat = self.mii.octets[self.now * lanes : (self.now + 1) * lanes]
            if beat:
                dut.put(
                    mii_data=int.from_bytes(bytes(octet & 255 for octet in beat), "little"),
                    mii_control=sum((octet >> 8 & 1) << lane for lane, octet in enumerate(beat)),
                    mii_error=int(self.w == 8 and beat[0] >> 9),
                )
            else:
                self.mii.idle(lanes)
                self.idle()
            is_ready = rng.random() < ready
            dut.put(out_ready=is_ready)
            await RisingEdge(dut.clk)
            unread = self.unread[self.now - 1]
            self.accepted += int(dut.accepted.value)
            if dut.kept.value or dut.overflow.value:
                assert not (dut.kept.value and dut.overflow.value)
                self.pulses.append((self.now, bool(dut.kept.value)))
                unread += words[self.now] if dut.kept.value else 0
            on_out = None
            if dut.out_valid.value:
                on_out = (int(dut.out_data.value), int(dut.out_keep.value), bool(dut.out_last.value))
            assert held is None or on_out == held, f"cycle {self.now}: a beat that waited changed"
            held = None if is_ready else on_out
            if on_out and is_ready:
                self.take(*on_out)
                unread -= 1
            self.unread[self.now] = unread
            self.now += 1

    def take(self, data: int, keep: int, last: bool) -> None:
        lanes = self.w // 8
        assert keep in [(1 << count) - 1 for count in range(1, lanes + 1)], f"keep {keep:b}"
        assert last or keep == (1 << lanes) - 1, f"keep {keep:b} within a frame"
        if not self.beats:
            self.begun = self.now
        self.beats += data.to_bytes(lanes, "little")[: keep.bit_length()]
        if last:
            self.frames.append((self.begun, self.beats))
            self.beats = b""

    def check(self, lost: int | None = None) -> None:
        """All that was stored came out, nothing else did; `lost` were not stored."""
        want = self.kept()
        found = [frame for _, frame in self.frames]
        for number, (one, other) in enumerate(zip(found, want, strict=False)):
            assert one == other, f"frame {number}:\n{one.hex()}\n{other.hex()}"
        assert (len(found), self.beats) == (len(want), b"")
        if lost is not None:
            assert len(self.pulses) - len(want) == lost


@cocotb.test()
async def every_length_from_either_lane_comes_out_whole(dut):
    bench = Bench(dut, 1)
    await bench.start()
    for size in [*range(64, 201), 1518, MEMORY]:
        for lane in (0, 4) if bench.w == 64 else (0,):
            bench.send(True, ethernet(BROADCAST, 0x0806, bench.rng.randbytes(size - 18)), lane=lane, gap=5)
            if size > 200:
                await bench.play(drain=size)
    await bench.play(drain=300)
    bench.check(lost=0)


@cocotb.test()
async def only_what_is_nobodys_comes_out(dut):
    bench = Bench(dut, 2)
    await bench.start()
    lanes = (0, 4) if bench.w == 64 else (0,)
    for name, frame in OTHERS.items():
        for before in lanes:
            for behind in lanes:
                bench.send(True, bench.rng.choice(list(NOBODYS.values()))(bench.rng), lane=before, gap=5)
                if name != "oversize" or (before, behind) == (0, 0):
                    bench.send(False, frame(bench.rng), lane=behind, gap=5)
    for frame in NOBODYS.values():
        for lane in lanes:
            bench.send(True, frame(bench.rng), lane=lane, gap=5)
            bad = bytearray(with_fcs(frame(bench.rng)))
            bad[bench.rng.randrange(6, len(bad))] ^= 1 << bench.rng.randrange(8)
            bench.mii.frame(bytes(bad), gap=5)
            bench.wanted.append(False)
            bench.send(False, frame(bench.rng), error=bench.rng.randrange(1, 60), gap=5)
    await bench.play(drain=200)
    bench.check(lost=0)
    assert bench.accepted == sum(sent.cause == "accepted" for sent in bench.mii.sent) == 2 * len(lanes) ** 2


@cocotb.test()
async def the_first_beat_comes_three_cycles_behind_the_verdict(dut):
    bench = Bench(dut, 3)
    await bench.start()
    for size in range(64, 81):
        for lane in (0, 4):
            bench.send(True, ethernet(BROADCAST, 0x0806, bench.rng.randbytes(size - 18)), lane=lane, gap=200)
    await bench.play()
    bench.check(lost=0)
    assert [cycle for cycle, _ in bench.frames] == [sent.last + FIRST_BEAT for sent in bench.mii.sent]


@cocotb.test()
async def smallest_frames_at_line_rate_all_come_out(dut):
    bench = Bench(dut, 4)
    await bench.start()
    for gap in (5, 12):
        for _ in range(100):
            bench.send(True, arp(bench.rng), gap=gap)
    await bench.play(drain=100)
    bench.check(lost=0)
    # As fast as they come in: each begins before the next one's end.
    for (begin, _), (next_, _) in pairwise(bench.frames):
        assert next_ - begin <= (64 + 8 + 12) * 8 // bench.w + 1


@cocotb.test()
async def a_full_memory_loses_whole_frames_and_says_so(dut):
    """Nothing reads: what fits is stored, to the last word; what does not is lost, and a smaller one after it may still fit."""
    bench = Bench(dut, 5)
    await bench.start()
    lanes = bench.w // 8
    room, fates = MEMORY // lanes, []
    for size in [1200, 500, *[100] * 4, 64, 65, 66, 200, 64, 9000, 64]:
        words = -(-size // lanes)
        fates.append(words <= room)
        room -= words if words <= room else 0
        bench.send(True, ethernet(BROADCAST, 0x0806, bench.rng.randbytes(size - 18)), gap=5)
        # Neither what is taken back nor what is lost costs room; the largest of them fill it in passing.
        for frame in (
            OTHERS["accepted"](bench.rng),
            udp(bench.rng, 3000),
            ethernet("02:00:00:00:00:02", 0x0806, bench.rng.randbytes(2500)),
        ):
            bench.send(False, frame, lane=bench.rng.choice((0, 4)), gap=5)
    bench.send(True, ethernet(BROADCAST, 0x0806, bench.rng.randbytes(room * lanes - 18 if room * lanes >= 64 else 46)), gap=5)
    fates.append(room * lanes >= 64)
    await bench.play(ready=0)
    assert [kept for _, kept in bench.pulses] == fates
    assert fates.count(False) >= 4
    assert not bench.frames
    await bench.play(drain=MEMORY // lanes + 10)
    bench.check(lost=fates.count(False))
    for _ in range(5):
        bench.send(True, arp(bench.rng))
    await bench.play(drain=100)
    bench.check(lost=fates.count(False))


@cocotb.test()
async def a_frame_as_large_as_the_memory_is_kept_and_a_larger_one_lost(dut):
    bench = Bench(dut, 6)
    await bench.start()
    for size in (MEMORY, MEMORY + 1, MEMORY + 1, MEMORY, MEMORY - 1):
        bench.send(True, ethernet(BROADCAST, 0x0806, bench.rng.randbytes(size - 18)), lane=bench.rng.choice((0, 4)), gap=5)
        await bench.play(drain=MEMORY * 8 // bench.w + 10)
    bench.check(lost=2)


@cocotb.test()
async def a_reader_with_pauses_gets_whole_frames_in_order(dut):
    bench = Bench(dut, 7)
    await bench.start()
    for ready in (0.9, 0.5, 0.2, 0.05, 1, 0.3):
        for _ in range(120 if bench.w == 64 else 40):
            wanted = bench.rng.random() < 0.8
            kinds = NOBODYS if wanted else {name: frame for name, frame in OTHERS.items() if name != "oversize"}
            frame = bench.rng.choice(list(kinds.values()))(bench.rng)
            bench.send(wanted, frame, lane=bench.rng.choice((0, 4)), gap=bench.rng.choice((5, 5, 12, 40)))
        await bench.play(ready)
    await bench.play(drain=MEMORY)
    bench.check()
    lost = sum(not kept for _, kept in bench.pulses)
    assert 10 < lost < len(bench.pulses) - 50


@cocotb.test()
async def a_reset_forgets_all_frames_even_one_half_way(dut):
    rng = random.Random(8)
    for run, behind_end in enumerate((-60, -8, -1, 0, 1, 2, 3, 4, 5, 6, 7)):
        before = Bench(dut, run)
        await before.start(clock=run == 0)
        for _ in range(6):
            before.send(True, arp(rng), gap=5)
        await before.play(rng.choice((0, 0.1)), stop=before.mii.sent[-1].last + behind_end)
        after = Bench(dut, 100 + run)
        await after.start(clock=False)
        for _ in range(6):
            after.send(True, arp(rng), gap=5)
        await after.play(drain=200)
        after.check(lost=0)


@pytest.mark.parametrize("w", [8, 64])
def test_host_frames(w: int) -> None:
    simulate("host_frames_tb", "test_host_frames", {"W": w, "WORDS": MEMORY * 8 // w})
