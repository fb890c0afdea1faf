"""From the MII through tcp_engine to decoder_fix: how long a price takes, and that frames back to back lose none."""

import os
import random
import zlib
from collections import deque

import cocotb
import pytest
from fix_model import encode
from harness import simulate
from tcp_bench import Bench
from tcp_peer import build

WIDTH = int(os.environ.get("W", "64"))
LANES = WIDTH // 8
IDLE = 0x107 if LANES == 8 else 0
LEAST_GAP = 5 if LANES == 8 else 1  # what the receivers accept, below the 12 of the standard


class MiiBench(Bench):
    """Frames come on the MII, `gap` bytes apart: of octets with their control bit (W = 8: valid) in bit 8."""

    gap = 12
    lane: int | None = None  # of the start; else whichever comes first

    def __init__(self, dut, seed: int = 1) -> None:
        super().__init__(dut, seed)
        self.octets: deque[int] = deque()
        self.frame_ends: deque[int] = deque()  # octets of the queue up to a frame's last
        self.played = self.queued = 0
        self.ended: list[int] = []  # cycle of a frame's last byte
        self.prices: list[tuple[int, int]] = []  # cycle, price

    def put_on_line(self, frame: bytes) -> None:
        data = frame.ljust(60, b"\0")
        self.on_mii(data + zlib.crc32(data).to_bytes(4, "little"))

    def on_mii(self, data: bytes) -> None:
        preamble = bytes([0x55] * 6 + [0xD5])
        if LANES == 8:
            lanes = (0, 4) if self.lane is None else (self.lane,)
            fill = next(count for count in range(8) if (self.queued + count) % 8 in lanes)
            frame = [IDLE] * fill + [0x1FB, *preamble, *data, 0x1FD]
            self.frame_ends.append(self.queued + len(frame) - 2)
            frame += [IDLE] * (self.gap - 1)
        else:
            frame = [0x100 | octet for octet in b"\x55" + preamble + data]
            self.frame_ends.append(self.queued + len(frame) - 1)
            frame += [IDLE] * self.gap
        self.octets += frame
        self.queued += len(frame)

    def drive_line(self) -> None:
        if self.octets:
            while len(self.octets) < LANES:
                self.octets.append(IDLE)
                self.queued += 1
        beat = [self.octets.popleft() for _ in range(LANES)] if self.octets else [IDLE] * LANES
        if self.frame_ends and self.played <= self.frame_ends[0] < self.played + LANES:
            self.ended.append(self.cycle)
            self.frame_ends.popleft()
        self.played += LANES if self.queued > self.played else 0
        self.dut.rx_data.value = int.from_bytes(bytes(octet & 255 for octet in beat), "little")
        self.dut.rx_control.value = sum((octet >> 8) << lane for lane, octet in enumerate(beat))

    async def step(self) -> None:
        await super().step()
        if self.dut.event_valid.value:
            self.prices.append((self.cycle - 1, int(self.dut.event_price.value)))


def trade(price: int, text: int = 0, quantity: bool = False) -> bytes:
    fields: list[tuple[int, bytes | str | int]] = [
        (35, "W"),
        (58, "x" * (1 + text)),
        (55, "A"),
        (268, 1),
        (269, 2),
        (270, f"{price // 100}.{price % 100:02d}"),
    ]
    return encode([*fields, (271, 5)] if quantity else fields)


async def opened(dut) -> MiiBench:
    bench = MiiBench(dut)
    await bench.start(rx_data=int.from_bytes(bytes([IDLE & 255] * LANES), "little"), rx_control=(1 << LANES) - 1 if IDLE else 0)
    await bench.connect()
    await bench.run(300)
    bench.to_peer.deliver = lambda _: None
    bench.ended.clear()
    return bench


@cocotb.test()
async def a_price_is_an_event_nine_cycles_behind_the_last_byte_of_its_frame(dut):
    bench = await opened(dut)
    peer = bench.peer
    late = set()
    for options in ([], [("NOP", None)] * 4, [("Timestamp", (1, 2)), ("NOP", None), ("NOP", None)]):
        for lane in (0, 4):
            for quantity in (False, True):
                for text in range(8):
                    price = 100 + len(bench.prices)
                    payload = trade(price, text, quantity)
                    frame = build(peer.nxt, peer.expected, "PA", payload, options=options)
                    bench.lane = lane if LANES == 8 else None
                    bench.put_on_line(frame)
                    peer.nxt += len(payload)
                    count = len(bench.prices)
                    await bench.until(lambda at=count: len(bench.prices) > at, 3000)
                    await bench.run(30)
                    at, got = bench.prices[-1]
                    assert got == price
                    end = bench.ended[-1]
                    if LANES == 1:
                        assert at == end + 7
                    else:
                        last = (lane + len(frame) - 1) % 8  # the lane of the payload's last byte
                        # The four bytes of the FCS are in the same beat, or in the next. In lane 7 the number ends in the same beat.
                        assert at == end + (9 if last < 4 else 8 if last < 7 else 9), (lane, last)
                    late.add(at - end)
    assert max(late) <= 9
    assert bytes(bench.received) == bytes(bench.passed)


@cocotb.test()
async def segments_back_to_back_lose_no_price_and_bad_ones_between_leave_no_trace(dut):
    bench = await opened(dut)
    rng, peer = random.Random(5), bench.peer
    stream = b""
    prices = []
    for gap in (12, LEAST_GAP):
        bench.gap = gap
        for turn in range(150 if LANES == 8 else 40):
            price = rng.randrange(1, 10**6)
            prices.append(price)
            stream += trade(price, rng.randrange(20), rng.random() < 0.5)
            while stream:
                size = rng.choice([1, 2, 5, 7, rng.randrange(1, 40), 200, len(stream)])
                part, kind = stream[:size], rng.randrange(10)
                seq, ack = peer.nxt, peer.expected
                if kind == 0:  # FCS
                    bench.on_mii(build(seq, ack, "PA", part).ljust(60, b"\0") + b"bad!")
                elif kind == 1:  # checksum
                    frame = bytearray(build(seq, ack, "PA", part))
                    frame[54 + rng.randrange(len(part))] ^= 1 << rng.randrange(8)
                    bench.put_on_line(bytes(frame))
                elif kind == 2:  # not next
                    bench.put_on_line(build(seq + rng.choice([-1, 1, -100, 5000]), ack, "PA", part))
                elif kind == 3:  # another's
                    bench.put_on_line(build(seq, ack, "PA", part, tcp_fields={"dport": 7}))
                elif kind == 4:  # no payload
                    bench.put_on_line(build(seq, ack, "A"))
                else:
                    options = [("NOP", None)] * rng.choice([0, 0, 4, 12])
                    bench.put_on_line(build(seq, ack, "PA", part, options=options))
                    peer.nxt += len(part)
                    stream = stream[size:]
                if rng.random() < 0.3:
                    break
            if turn % 10 == 9:
                await bench.until(lambda: not bench.octets, 100_000)
    while stream:
        bench.put_on_line(build(peer.nxt, peer.expected, "PA", stream[:300]))
        peer.nxt += len(stream[:300])
        stream = stream[300:]
    await bench.until(lambda: not bench.octets, 100_000)
    await bench.run(60)
    assert [price for _, price in bench.prices] == prices
    assert int(dut.messages.value) == len(prices)
    assert bytes(bench.received) == bytes(bench.passed)


@pytest.mark.parametrize("width", [8, 64])
def test_tcp_prices(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(width))
    simulate("tcp_engine_tb", "test_tcp_prices", {"W": width, "PRICES": 1})
