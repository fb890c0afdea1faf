"""fast_buffer, fast_tokenizer and fast_token_queue against a plain model: every token, its flags, the first one's cycle, lost packets."""

import os
import random
from collections import deque
from dataclasses import dataclass

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import cases, simulate
from pins import Pins

W = int(os.environ.get("W", "64"))
DEPTH = int(os.environ.get("DEPTH", str(2048 // (W // 8))))
LANES = W // 8
TRUNCATED, FRAME, OVERFLOW = 16, 17, 18


@dataclass
class Word:
    """What must be at `token`: a piece of an entity, or the end of a packet."""

    piece: bytes = b""
    entity: bytes = b""  # up to the piece's end
    first: bool = False
    last: bool = False
    offset: int = 0
    error: int | None = None  # the end of a packet


def words_of(packet: bytes, err: bool) -> list[Word]:
    """Entities end with their stop bit; one of more than eight bytes comes in pieces, the first ones of eight bytes.

    What is left at the packet's end has no stop bit: it may come in pieces or not.
    """
    words: list[Word] = []
    begin = 0
    for at, byte in enumerate(packet):
        if byte & 0x80:
            entity = packet[begin : at + 1]
            for piece in range(0, len(entity), 8):
                end = min(piece + 8, len(entity))
                words.append(Word(entity[piece:end], entity[:end], piece == 0, end == len(entity), begin + end))
            begin = at + 1
    error = FRAME if err else TRUNCATED if begin < len(packet) else 0
    return [*words, Word(error=error)]


class Bench:
    def __init__(self, dut) -> None:
        self.dut = Pins(dut)
        self.expected: deque[Word] = deque()
        self.taken = self.overflows = 0
        self.hashed = 0
        self.rng = random.Random(int(os.environ.get("COCOTB_RANDOM_SEED", "1")))

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.design.clk, 2, "ns").start())
        dut.put(rst=1, in_valid=0, in_data=0, in_keep=0, in_last=0, in_err=0, token_take=0)
        for _ in range(3):
            await RisingEdge(dut.design.clk)
        dut.put(rst=0)
        await RisingEdge(dut.design.clk)

    async def cycle(self, take: bool) -> None:
        dut = self.dut
        dut.put(token_take=int(take))
        await RisingEdge(dut.design.clk)
        if take and int(dut.token_valid.value):
            self._compare()
        # The lowest bits of a token are there in the cycle before it comes.
        if take or not int(dut.token_valid.value):
            self.hashed = int(dut.ahead.value)
        self.overflows += int(dut.overflow.value)

    def _compare(self) -> None:
        dut = self.dut
        assert self.expected, "a token too many"
        if int(dut.token_finish.value):
            want = self.expected.popleft()
            assert want.error is not None, f"the packet ends before {want}"
            assert int(dut.token_error.value) == want.error
            return
        last = bool(dut.token_last.value)
        if self.expected[0].error is not None and not last:
            return  # of an entity that never ends
        want = self.expected.popleft()
        assert want.error is None, f"no end after the last token, {want}"
        count = int(dut.token_count.value)
        data = int(dut.token_data.value).to_bytes(10, "big")
        assert count == len(want.piece)
        assert data[-count:] == want.piece
        covered = min(len(want.entity), 10)
        assert data[-covered:] == want.entity[-covered:]
        assert bool(dut.token_first.value) == want.first
        assert last == want.last
        assert bool(dut.token_null.value) == (want.entity == b"\x80")
        assert int(dut.token_offset.value) == want.offset
        if want.last and len(want.entity) <= 8:
            value = 0
            for byte in want.entity[-2:]:
                value = value << 7 | byte & 0x7F
            assert self.hashed == value
        self.taken += 1

    async def send(self, packet: bytes, err: bool = False, gaps: float = 0.0, take: float = 1.0, empty_end: bool = False) -> None:
        beats = [packet[at : at + LANES] for at in range(0, len(packet), LANES)]
        if (empty_end and len(packet) % LANES == 0) or not beats:  # all beats but the last are full
            beats.append(b"")
        for index, beat in enumerate(beats):
            while self.rng.random() < gaps:
                await self.cycle(self.rng.random() < take)
            filler = self.rng.randbytes(LANES - len(beat))  # bytes that are not kept may be anything
            last = index + 1 == len(beats)
            self.dut.put(
                in_valid=1,
                in_data=int.from_bytes(beat + filler, "little"),
                in_keep=(1 << len(beat)) - 1,
                in_last=int(last),
                in_err=int(last and err),
            )
            await self.cycle(self.rng.random() < take)
            self.dut.put(in_valid=0)

    async def drain(self, take: float = 1.0) -> None:
        for _ in range(20_000):
            if not self.expected:
                break
            await self.cycle(self.rng.random() < take)
        assert not self.expected, f"{len(self.expected)} tokens are missing: {self.expected[0]}"
        for _ in range(5):
            await self.cycle(True)


def random_packet(rng: random.Random) -> bytes:
    """Entities of all lengths, short ones most often; sometimes unfinished."""
    packet = b""
    for _ in range(rng.choice([0, 1, 3, 10, 40])):
        length = rng.choice([1, 1, 1, 2, 2, 3, 4, 5, 7, 8, 9, 10, 11, 16, 17, 30])
        entity = bytearray(rng.randrange(0x80) for _ in range(length))
        entity[-1] |= 0x80
        if rng.random() < 0.2:
            entity = bytearray(b"\x80")
        packet += entity
    if rng.random() < 0.2:
        packet += bytes(rng.randrange(0x80) for _ in range(rng.randrange(1, 30)))
    return packet


@cocotb.test()
async def entities_come_as_tokens_whatever_the_gaps_and_pauses(dut):
    bench = Bench(dut)
    await bench.start()
    for _ in range(cases(400, 4000)):
        packet, err = random_packet(bench.rng), bench.rng.random() < 0.1
        bench.expected.extend(words_of(packet, err))
        gaps, take = bench.rng.choice([0.0, 0.3, 0.8]), bench.rng.choice([1.0, 0.7, 0.3])
        await bench.send(packet, err, gaps, take, bench.rng.random() < 0.2)
        if bench.rng.random() < 0.5:
            await bench.drain(take)
        while len(bench.expected) > 200:
            await bench.cycle(True)
    await bench.drain()
    assert bench.overflows == 0
    assert bench.taken > 1000


@cocotb.test()
async def a_token_is_there_two_cycles_after_its_last_byte(dut):
    bench = Bench(dut)
    await bench.start()
    for length in (1, 2, 8):
        packet = bytes(length - 1) + b"\x81"
        bench.expected.extend(words_of(packet, False))
        await bench.send(packet, take=0.0)
        cycles = 1
        while not int(bench.dut.token_valid.value):
            await bench.cycle(False)
            cycles += 1
        # The loop sees a cycle's values at its end, when the beat's own cycle is over.
        assert cycles == 3
        await bench.drain()


@cocotb.test()
async def single_byte_tokens_leave_one_a_cycle_without_a_pause(dut):
    bench = Bench(dut)
    await bench.start()
    packet = bytes(0x80 | n % 0x80 for n in range(256))
    bench.expected.extend(words_of(packet, False))
    await bench.send(packet)
    before = len(bench.expected)
    for _ in range(before):
        await bench.cycle(True)
    assert len(bench.expected) == 0


@cocotb.test()
async def what_finds_no_room_is_broken_off_and_counted(dut):
    bench = Bench(dut)
    await bench.start()
    # Out of the buffer: at W = 64 two beats, tokens of the first wait in the queue, at W = 8 those of two more. One beat more fits.
    whole = b"\x81" * (LANES * (DEPTH - 2 + (2 if LANES == 8 else 4)))
    bench.expected.extend(words_of(whole, False))
    await bench.send(whole, take=0.0)
    assert bench.overflows == 0
    # Broken off: its first beat fits. Lost: not even that.
    bench.expected.extend([*words_of(b"\x82" * LANES, False)[:-1], Word(error=OVERFLOW)])
    await bench.send(b"\x82" * LANES * 3, take=0.0)
    await bench.send(b"\x83" * LANES * 3, take=0.0)
    for _ in range(3):
        await bench.cycle(False)
    assert bench.overflows == 2
    await bench.drain()
    packet = b"\x84\x85"
    bench.expected.extend(words_of(packet, False))
    await bench.send(packet)
    await bench.drain()
    assert bench.overflows == 2


@pytest.mark.parametrize("width", [8, 64])
def test_fast_tokenizer(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    depth = 2048 // (width // 8)
    monkeypatch.setenv("W", str(width))
    monkeypatch.setenv("DEPTH", str(depth))
    simulate("fast_tokenizer_tb", "test_fast_tokenizer", {"W": width})
