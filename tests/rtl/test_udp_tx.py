"""udp_tx: frames are what scapy builds from the same fields; with mac_tx after it, nothing starves and the preamble comes at once."""

import os
import random
import zlib
from dataclasses import dataclass
from pathlib import Path

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import simulate
from mii_record import MiiRecord
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

HERE = Path(__file__).parent
WIDTH = int(os.environ.get("W", "64"))
WITH_MAC = os.environ.get("MAC", "0") == "1"
SIZE = WIDTH // 8
# Cycles from the one in which a request is accepted to the one in which the first payload beat is taken.
PAYLOAD_AFTER = {8: 41, 64: 4}[WIDTH]
ADDRESSES_BEFORE = 4  # cycles that the addresses must be there before the request


@dataclass
class Datagram:
    """One request and its payload."""

    source_mac: int
    destination_mac: int
    source_ip: int
    destination_ip: int
    source_port: int
    destination_port: int
    payload: bytes

    @staticmethod
    def random(rng: random.Random, length: int, ones: bool = False) -> "Datagram":
        def bits(n: int) -> int:
            return (1 << n) - 1 if ones else rng.getrandbits(n)

        return Datagram(bits(48), bits(48), bits(32), bits(32), bits(16), bits(16), rng.randbytes(length))

    def frame(self) -> bytes:
        """As scapy, the independent model, builds it (without padding)."""

        def mac(value: int) -> str:
            return value.to_bytes(6).hex(":")

        def ip(value: int) -> str:
            return ".".join(str(b) for b in value.to_bytes(4))

        return bytes(
            Ether(dst=mac(self.destination_mac), src=mac(self.source_mac), type=0x0800)
            / IP(src=ip(self.source_ip), dst=ip(self.destination_ip), id=0, flags="DF", ttl=64, tos=0)
            / UDP(sport=self.source_port, dport=self.destination_port, chksum=0)
            / Raw(self.payload)
        )


class Bench:
    """Sends datagrams one after another and records frames; may hold back `ready` and payload."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.cycle = 0
        self.frames: list[bytes] = []
        self.frame = bytearray()
        self.mii = MiiRecord(WIDTH)
        self.underruns = 0
        self.ready_share = 1.0  # of the cycles in which `out` is ready
        self.rng = random.Random(0)
        self.stalls = 0  # cycles in which `out` was ready within a frame and had nothing
        self.taken_at: list[int] = []  # payload beats

    async def reset(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        dut.request_valid.value = 0
        dut.payload_valid.value = 0
        dut.out_ready.value = 0
        dut.rst.value = 1
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        for _ in range(20):
            await self.step()

    async def step(self) -> tuple[bool, bool]:
        """One cycle; returns whether the request was accepted and whether a payload beat was taken in it."""
        dut = self.dut
        dut.out_ready.value = self.rng.random() < self.ready_share
        await RisingEdge(dut.clk)
        if WITH_MAC:
            self.mii.cycle(int(dut.mii_data.value), int(dut.mii_control.value), int(dut.mii_error.value))
            self.underruns += int(dut.underrun.value)
        elif dut.out_ready.value:
            if dut.out_valid.value:
                keep = int(dut.out_keep.value)
                count = keep.bit_count()
                assert count > 0
                assert keep == (1 << count) - 1
                assert dut.out_last.value or count == SIZE
                self.frame += int(dut.out_data.value).to_bytes(SIZE, "little")[:count]
                if dut.out_last.value:
                    self.frames.append(bytes(self.frame))
                    self.frame.clear()
            elif self.frame:
                self.stalls += 1
        self.cycle += 1
        accepted = bool(dut.request_valid.value) and bool(dut.request_ready.value)
        taken = bool(dut.payload_valid.value) and bool(dut.payload_ready.value)
        return accepted, taken

    async def send(self, datagram: Datagram, payload_delay: int = 0, hold: int = -1) -> tuple[int, int]:
        """Returns the cycles in which the request was first valid and in which it was accepted.

        The payload is offered `payload_delay` cycles after the request is accepted; before its beat number `hold`, one cycle is left out.
        """
        dut = self.dut
        settle = 0
        for name in ("source_mac", "destination_mac", "source_ip", "destination_ip", "source_port", "destination_port"):
            if int(getattr(dut, name).value) != getattr(datagram, name):
                getattr(dut, name).value = getattr(datagram, name)
                settle = ADDRESSES_BEFORE
        for _ in range(settle):
            await self.step()
        dut.payload_length.value = len(datagram.payload)
        dut.request_valid.value = 1
        asked, accepted_at = self.cycle, -1
        parts = [datagram.payload[i : i + SIZE] for i in range(0, len(datagram.payload), SIZE)]
        self.taken_at.clear()
        at = 0
        held = False
        while accepted_at < 0 or at < len(parts):
            dut.payload_valid.value = 0
            if at == hold and not held:
                held = True
            elif at < len(parts) and accepted_at >= 0 and self.cycle > accepted_at + payload_delay:
                part = parts[at]
                dut.payload_valid.value = 1
                dut.payload_data.value = int.from_bytes(part + self.rng.randbytes(SIZE - len(part)), "little")
                dut.payload_keep.value = (1 << len(part)) - 1
                dut.payload_last.value = at == len(parts) - 1
            accepted, taken = await self.step()
            if accepted:
                accepted_at = self.cycle - 1
                dut.request_valid.value = 0
                dut.payload_length.value = self.rng.getrandbits(16)  # only the addresses must stay
            if taken:
                self.taken_at.append(self.cycle - 1)
                at += 1
        dut.payload_valid.value = 0
        return asked, accepted_at

    async def finish(self) -> None:
        self.ready_share = 1.0
        for _ in range(200):
            await self.step()


def only(with_mac: bool):
    """Marks a test for the bench with mac_tx after udp_tx, or for the one without."""
    return cocotb.test(skip=with_mac != WITH_MAC)


async def idle_until_over(bench: Bench) -> None:
    """Wait out the frame: the addresses may only change then."""
    for _ in range(100 if WIDTH == 8 else 20):
        await bench.step()


@only(with_mac=False)
async def every_length_to_130_is_the_frame_scapy_builds(dut):
    rng = random.Random(1)
    bench = Bench(dut)
    await bench.reset()
    expected = []
    for length in range(131):
        datagram = Datagram.random(rng, length, ones=length == 65)
        expected.append(datagram.frame())
        await bench.send(datagram)
        await idle_until_over(bench)
    assert bench.frames == expected
    assert bench.stalls == 0
    for frame in bench.frames:  # and the other way round: scapy finds nothing to correct
        packet = Ether(frame)
        checksum = packet[IP].chksum
        del packet[IP].chksum
        assert Ether(bytes(packet))[IP].chksum == checksum


@only(with_mac=False)
async def header_checksums_are_right_where_carries_run_through(dut):
    rng = random.Random(2)
    bench = Bench(dut)
    await bench.reset()
    expected = []
    words = [0, 1, 0xFFFF, 0xFFFE, 0x3AEE, 0x3AD2, 0x8000]
    for _ in range(150):
        datagram = Datagram.random(rng, rng.choice([1, 2, 65]))
        datagram.source_ip = rng.choice(words) << 16 | rng.choice(words)
        datagram.destination_ip = rng.choice(words) << 16 | rng.choice(words)
        expected.append(datagram.frame())
        await bench.send(datagram)
        await idle_until_over(bench)
    assert bench.frames == expected


@only(with_mac=False)
async def frames_survive_a_receiver_that_is_seldom_ready_and_a_late_payload(dut):
    rng = random.Random(3)
    bench = Bench(dut)
    await bench.reset()
    expected = []
    for length in [0, 1, 5, 6, 7, 8, 13, 14, 15, 16, 64, 65, 1472, *(rng.randint(1, 300) for _ in range(40))]:
        datagram = Datagram.random(rng, length)
        expected.append(datagram.frame())
        bench.ready_share = rng.choice([0.1, 0.5, 0.9, 1.0])
        await bench.send(datagram, payload_delay=rng.choice([0, 1, 5, 60]), hold=rng.randint(-1, 5))
        bench.ready_share = 1.0
        await idle_until_over(bench)
    assert bench.frames == expected


@only(with_mac=False)
async def the_first_beat_comes_with_the_request_and_payload_when_stated(dut):
    rng = random.Random(4)
    bench = Bench(dut)
    await bench.reset()
    for length in (1, 6, 7, 100):
        asked, accepted = await bench.send(Datagram.random(rng, length))
        assert asked == accepted  # `out` was ready: the request is taken as its first beat is
        beats = len(bench.taken_at)
        assert bench.taken_at == list(range(accepted + PAYLOAD_AFTER, accepted + PAYLOAD_AFTER + beats))
        await idle_until_over(bench)
    assert len(bench.frames) == 4
    assert bench.stalls == 0


@only(with_mac=False)
async def a_payload_beat_left_out_leaves_one_beat_of_out_not_valid(dut):
    rng = random.Random(5)
    bench = Bench(dut)
    await bench.reset()
    for hold in range(1, 5):
        datagram = Datagram.random(rng, 64)
        await bench.send(datagram, hold=hold)
        await idle_until_over(bench)
        assert bench.frames.pop() == datagram.frame()
        assert bench.stalls == 1
        bench.stalls = 0


@only(with_mac=True)
async def datagrams_back_to_back_leave_whole_and_without_underrun(dut):
    rng = random.Random(6)
    bench = Bench(dut)
    await bench.reset()
    base = Datagram.random(rng, 0)
    expected = []
    for length in [*range(1, 60), 64, 1088, 1472, 8972]:
        base.payload = rng.randbytes(length)
        padded = base.frame().ljust(60, b"\0")
        expected.append(padded + zlib.crc32(padded).to_bytes(4, "little"))
        await bench.send(base)
    await bench.finish()
    assert [sent.data for sent in bench.mii.frames] == expected
    assert not any(sent.error for sent in bench.mii.frames)
    assert all(sent.gap >= 12 for sent in bench.mii.frames[1:])
    assert bench.underruns == 0


@only(with_mac=True)
async def the_preamble_follows_the_request_by_one_cycle(dut):
    rng = random.Random(7)
    bench = Bench(dut)
    await bench.reset()
    for length in (0, 17, 18, 100):
        asked, _ = await bench.send(Datagram.random(rng, length))
        await bench.finish()
        assert bench.mii.frames[-1].cycle == asked + 1
    assert bench.underruns == 0


@only(with_mac=True)
async def a_starved_datagram_ends_in_an_error_and_the_next_is_good(dut):
    rng = random.Random(8)
    bench = Bench(dut)
    await bench.reset()
    datagram = Datagram.random(rng, 200)
    await bench.send(datagram, hold=3)
    await bench.send(datagram)
    await bench.finish()
    assert [sent.error for sent in bench.mii.frames] == [True, False]
    assert bench.mii.frames[1].data[:-4] == datagram.frame()
    assert bench.underruns == 1


@pytest.mark.parametrize("mac", [0, 1])
@pytest.mark.parametrize("width", [8, 64])
def test_udp_tx(width: int, mac: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(width))
    monkeypatch.setenv("MAC", str(mac))
    simulate("udp_tx_tb", "test_udp_tx", {"W": width, "MAC": mac}, [HERE / "udp_tx_tb.sv"])
