"""line_rx: market data and frames that no module takes part ways, each frame has one cause, and a line that is not enabled is idle."""

import random
from collections.abc import Container

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import simulate
from net_model import CAUSES, GROUPS, LOCAL_IP, LOCAL_MAC, PORTS, VERDICT, Mii, build, with_fcs

HOST_WORDS = 256  # of line_rx_tb


def arp(rng: random.Random, size: int = 46) -> bytes:
    """To all, and so the host's."""
    return with_fcs(bytes.fromhex("ffffffffffff0200000000990806") + rng.randbytes(size))


def market_data(rng: random.Random, size: int = 60) -> bytes:
    """Without the byte that ends a preamble: it is no frame when its beginning is not seen."""
    return with_fcs(build(rng.randbytes(size).replace(b"\xd5", b"\x2d")))


class Bench:
    """Frames on the MII, and all that came out."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.w = len(dut.mii_data)
        self.rng = random.Random(7)
        self.mii = Mii(self.w)
        self.starts = 0
        self.causes: list[str] = []
        self.verdicts: list[int] = []  # their cycles
        self.payloads: list[tuple[bytes, bool]] = []
        self.frames: list[bytes] = []
        self.kept, self.overflows = 0, 0
        self.payload, self.frame = b"", b""

    async def start(self) -> None:
        dut = self.dut
        Clock(dut.clk, 2, "ns").start()
        dut.local_mac.value = int(LOCAL_MAC.replace(":", ""), 16)
        dut.local_ip.value, dut.group.value = (int.from_bytes(bytes(map(int, ip.split("."))), "big") for ip in (LOCAL_IP, GROUPS[0]))
        dut.port.value = PORTS[0]
        dut.enable.value, dut.claimed.value = 1, 0
        dut.host_ready.value = 0
        self.drive([])
        dut.rst.value = 1
        for _ in range(4):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        await RisingEdge(dut.clk)

    def drive(self, beat: list[int]) -> None:
        beat = beat or [0x107 if self.w == 64 else 0] * (self.w // 8)
        self.dut.mii_data.value = int.from_bytes(bytes(octet & 255 for octet in beat), "little")
        self.dut.mii_control.value = sum((octet >> 8 & 1) << lane for lane, octet in enumerate(beat))
        self.dut.mii_error.value = self.w == 8 and beat[0] >> 9

    async def play(self, disabled: Container[int] = (), ready: float = 1, drain: int = 40) -> None:
        """What has been put on the MII, then idle; not enabled in the cycles `disabled`."""
        dut, lanes = self.dut, self.w // 8
        self.mii.idle(-len(self.mii.octets) % lanes)
        beats = len(self.mii.octets) // lanes
        for now in range(beats + drain):
            self.drive(self.mii.octets[now * lanes : (now + 1) * lanes])
            dut.enable.value = now not in disabled
            is_ready = self.rng.random() < ready
            dut.host_ready.value = is_ready
            await RisingEdge(dut.clk)
            self.starts += int(dut.frame_start.value)
            self.kept += int(dut.host_kept.value)
            self.overflows += int(dut.host_overflow.value)
            if dut.cause_valid.value:
                self.causes.append(CAUSES[int(dut.cause.value)])
                self.verdicts.append(now)
            if dut.out_valid.value:
                self.payload += self.octets("out")
                if dut.out_last.value:
                    self.payloads.append((self.payload, bool(dut.out_err.value)))
                    self.payload = b""
            if dut.host_valid.value and is_ready:
                self.frame += self.octets("host")
                if dut.host_last.value:
                    self.frames.append(self.frame)
                    self.frame = b""
        self.mii = Mii(self.w)

    def octets(self, stream: str) -> bytes:
        data, keep = (int(getattr(self.dut, f"{stream}_{name}").value) for name in ("data", "keep"))
        return data.to_bytes(self.w // 8, "little")[: keep.bit_length()]

    def good(self) -> list[bytes]:
        return [payload for payload, err in self.payloads if not err]


@cocotb.test()
async def market_data_goes_on_and_what_is_nobodys_to_the_host(dut):
    bench = Bench(dut)
    await bench.start()
    for _ in range(40):
        size = bench.rng.randrange(18, 120)
        kind = bench.rng.randrange(3)
        frame = arp(bench.rng, 28 + size) if kind == 0 else market_data(bench.rng, size)
        if kind == 2:
            frame = frame[:-1] + bytes([frame[-1] ^ 1])
        bench.mii.frame(frame, gap=bench.rng.choice((12, 12, 60)))
    sent = bench.mii.sent
    assert {frame.cause for frame in sent} == {"accepted", "fcs_error", "other_mac"}
    await bench.play(ready=0.9, drain=400)
    assert (bench.causes, bench.starts) == ([frame.cause for frame in sent], len(sent))
    assert bench.good() == [frame.payload for frame in sent if frame.cause == "accepted"]
    assert bench.frames == [frame.frame for frame in sent if frame.cause == "other_mac"]
    assert (bench.kept, bench.overflows) == (len(bench.frames), 0)


@cocotb.test()
async def a_line_that_is_not_enabled_is_idle_whatever_is_on_it(dut):
    bench = Bench(dut)
    await bench.start()
    for frame in (market_data(bench.rng), arp(bench.rng)):
        bench.mii.frame(frame)
    bench.mii.frame(market_data(bench.rng), error=20)
    bench.mii.raw(bench.rng.choice((0x0D5, 0x055, 0x1D5, 0x155, 0x1FB, 0x1FE, 0x3FF if bench.w == 8 else 0x1FF)) for _ in range(800))
    await bench.play(disabled=range(10_000))
    assert (bench.starts, bench.causes, bench.payloads, bench.frames, bench.kept + bench.overflows) == (0, [], [], [], 0)
    # And then it is not.
    bench.mii.frame(market_data(bench.rng))
    sent = bench.mii.sent
    await bench.play()
    assert (bench.causes, bench.good()) == (["accepted"], [sent[0].payload])


@cocotb.test()
async def a_frame_during_which_the_line_is_switched_off_is_bad_and_one_during_which_it_is_switched_on_is_none(dut):
    bench = Bench(dut)
    await bench.start()
    for make in (market_data, arp):
        bench.causes, bench.verdicts, bench.starts = [], [], 0
        frames = [make(bench.rng, 200), make(bench.rng, 200), market_data(bench.rng), arp(bench.rng)]
        for frame in frames:
            bench.mii.frame(frame, gap=40)
        off, on = ((sent.first + sent.last) // 2 for sent in bench.mii.sent[:2])
        payload = bench.mii.sent[2].payload
        await bench.play(disabled=range(off, on))
        # GMII has no way to say that it is not the end of the frame.
        assert bench.causes == ["fcs_error" if bench.w == 8 else "mii_error", "accepted", "other_mac"]
        assert bench.starts == 3
        assert bench.verdicts[0] == off - 1 + VERDICT  # at once, not when the frame on the line ends
        assert (bench.good()[-1], bench.frames[-1]) == (payload, frames[-1])
    assert (len(bench.good()), len(bench.frames)) == (2, 2)


@cocotb.test()
async def frames_for_the_host_that_find_no_room_are_told(dut):
    bench = Bench(dut)
    await bench.start()
    frames = [arp(bench.rng, bench.w * 6) for _ in range(8)]
    for frame in frames:
        bench.mii.frame(frame)
    await bench.play(ready=0)
    fit = HOST_WORDS * bench.w // 8 // len(frames[0])
    assert (bench.kept, bench.overflows) == (fit, len(frames) - fit)
    await bench.play(drain=3000)
    assert bench.frames == frames[:fit]


@pytest.mark.parametrize("w", [8, 64])
def test_line_rx(w: int) -> None:
    simulate("line_rx_tb", "test_line_rx", {"W": w})
