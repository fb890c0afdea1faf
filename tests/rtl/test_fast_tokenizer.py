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
FRAME, OVERFLOW = 17, 18


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

    What is left at the packet's end has no stop bit: its last piece is none.
    """
    words: list[Word] = []
    begin = 0
    for at, byte in enumerate(packet):
        if byte & 0x80 or at + 1 == len(packet):
            entity = packet[begin : at + 1]
            for piece in range(0, len(entity), 8):
                end = min(piece + 8, len(entity))
                last = end == len(entity) and byte & 0x80 != 0
                words.append(Word(entity[piece:end], entity[:end], piece == 0, last, begin + end))
            begin = at + 1
    return [*words, Word(error=FRAME if err else 0)]


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
        dut.put(rst=1, in_valid=0, in_data=0, in_keep=0, in_last=0, in_err=0, token_take=0, token_cut=0, cut_count=0)
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

    async def cycle_without_a_look(self) -> None:
        self.dut.put(token_take=0)
        await RisingEdge(self.dut.design.clk)

    def _compare(self) -> None:
        dut = self.dut
        assert self.expected, "a token too many"
        if int(dut.token_finish.value):
            want = self.expected.popleft()
            assert want.error is not None, f"the packet ends before {want}"
            assert int(dut.token_error.value) == want.error
            return
        last = bool(dut.token_last.value)
        want = self.expected.popleft()
        assert want.error is None, f"no end after the last token, {want}"
        count = int(dut.token_count.value)
        data = int(dut.token_data.value).to_bytes(10, "big")
        assert count == len(want.piece)
        assert data[-count:] == want.piece
        covered = min(len(want.entity), 10) if last else count
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


class Vectors:
    """Takes a packet's tokens as the walker does, and byte vectors between them: off the front of what looks like tokens."""

    def __init__(self, bench: Bench, packet: bytes) -> None:
        self.bench, self.packet = bench, packet
        self.at = 0

    async def see(self) -> bool:
        """Waits for a token; false: the packet is over."""
        for _ in range(50):
            await self.bench.cycle_without_a_look()
            if int(self.bench.dut.token_valid.value):
                return not int(self.bench.dut.token_finish.value)
        raise AssertionError(f"no token after byte {self.at}")

    async def take(self, count: int, cut: bool) -> None:
        """The first bytes of the token, which must be the packet's next ones."""
        dut = self.bench.dut
        whole = int(dut.token_count.value)
        data = int(dut.token_data.value).to_bytes(10, "big")[10 - whole :]
        assert data[:count] == self.packet[self.at : self.at + count]
        self.at += count
        dut.put(token_take=int(not cut), token_cut=int(cut), cut_count=count if cut else 0)
        await RisingEdge(dut.design.clk)
        dut.put(token_take=0, token_cut=0)

    async def vector(self, length: int) -> None:
        while length > 0:
            if not await self.see():
                return
            count, last = int(self.bench.dut.token_count.value), bool(self.bench.dut.token_last.value)
            cut = count > length or (count == length and not last)
            await self.take(min(count, length), cut)
            length -= min(count, length)

    async def entity(self) -> bool:
        """An entity: of up to eight bytes it comes at once. False: the packet is over."""
        begin, pieces = self.at, 0
        while await self.see():
            dut = self.bench.dut
            count, last = int(dut.token_count.value), bool(dut.token_last.value)
            assert bool(dut.token_first.value) == (pieces == 0)
            assert bool(dut.token_null.value) == (last and self.packet[begin : self.at + count] == b"\x80")
            await self.take(count, False)
            pieces += 1
            if last:
                assert pieces == 1 or self.at - begin > 8
                return True
        return False


@cocotb.test()
async def bytes_are_cut_off_and_what_is_left_is_a_token(dut):
    bench = Bench(dut)
    await bench.start()
    for _ in range(cases(300, 4000)):
        stops = bench.rng.choice([0.0, 0.1, 0.5, 1.0])
        packet = bytes(bench.rng.randrange(0x80) | 0x80 * (bench.rng.random() < stops) for _ in range(bench.rng.randrange(1, 60)))
        await bench.send(packet, take=0.0, empty_end=bench.rng.random() < 0.3)
        vectors = Vectors(bench, packet)
        while True:
            await vectors.vector(bench.rng.choice([0, 1, 3, 7, 8, 9, 16, 20]))
            if not await vectors.entity():
                break
        assert vectors.at == len(packet)
        bench.dut.put(token_take=1)  # the packet's end
        await RisingEdge(bench.dut.design.clk)
        bench.dut.put(token_take=0)


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
