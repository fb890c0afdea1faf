"""fix_repeated: which messages with prices are sent again, by PossDupFlag and MsgSeqNum (FIX 4.4), and what a bad segment takes back.

The bench plays the beats of a stream, and fix_commit: a cycle after a message's last beat it says whether the message is taken.
"""

import random
from dataclasses import dataclass, replace
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import cases, simulate
from pins import Pins

PAUSE = 3  # cycles without a beat after a segment's end
NEAR = 2  # beats from a message's end to the next MsgSeqNum, 20 bytes: the fewest at 8 bytes a beat


@dataclass(frozen=True)
class Message:
    """What of a message matters here; Logon and SequenceReset have no `number`, theirs is not looked at."""

    number: int | None = None
    duplicate: bool = False  # PossDupFlag is not N
    good: bool = True
    begins_anew: bool = False


@dataclass
class Numbers:
    """A receiver's state (FIX 4.4, volume 2, message sequence numbers): the highest MsgSeqNum that was taken."""

    highest: int = 0

    def is_repeated(self, message: Message) -> bool:
        return message.duplicate or (message.number is not None and message.number <= self.highest)

    def take(self, message: Message) -> None:
        if not message.good or self.is_repeated(message):
            return
        if message.begins_anew:
            self.highest = 0
        elif message.number is not None:
            self.highest = message.number


@dataclass(frozen=True)
class Part:
    """A beat: what of which message lies in it."""

    begins: bool = False
    number: int | None = None
    duplicate: bool = False
    ends: Message | None = None


def parts(message: Message, rng: random.Random, near: bool) -> list[Part]:
    """A message's beats, the beat in which the one before it ends not among them."""
    before = [Part() for _ in range(NEAR - 1 if near else rng.randrange(NEAR - 1, 6))]
    after = [Part() for _ in range(rng.randrange(1, 4))]
    beats = [*before, Part(number=message.number), *after, Part(ends=message)]
    # 8=FIX ends in a beat before MsgSeqNum's; PossDupFlag stands anywhere after that.
    start = rng.randrange(len(before))
    beats[start] = replace(beats[start], begins=True)
    if message.duplicate:
        flag = rng.randrange(start + 1, len(beats))
        beats[flag] = replace(beats[flag], duplicate=True)
    return beats


def digits(number: int) -> int:
    """In decimal, four bits a digit."""
    return int(str(number), 16)


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = Pins(dut)
        self.rng = random.Random(3)
        self.numbers = Numbers()
        self.ended: Message | None = None  # in the beat before
        self.repeated = 0
        self.passed = 0

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 2, "ns").start())
        self.dut.put(in_valid=0, taken=0, begins_anew=0)
        await self.reset()

    async def reset(self) -> None:
        """A new connection."""
        self.dut.put(rst=1)
        await self.step()
        self.dut.put(rst=0)
        self.numbers = Numbers()
        await self.step()

    async def step(self, part: Part | None = None, last: bool = False, err: bool = False) -> None:
        """A cycle, with a beat or without one; noise where nothing may be read."""
        dut, rng = self.dut, self.rng
        if part is None:
            dut.put(in_valid=0, in_last=rng.getrandbits(1), in_err=rng.getrandbits(1), in_begins=rng.getrandbits(1))
            dut.put(in_has_number=rng.getrandbits(1), in_duplicate=rng.getrandbits(1), in_number=rng.getrandbits(36))
        else:
            dut.put(in_valid=1, in_last=last, in_err=last and err, in_begins=part.begins, in_duplicate=part.duplicate)
            dut.put(in_has_number=part.number is not None, in_number=rng.getrandbits(36) if part.number is None else digits(part.number))
        message = self.ended
        repeats = message is not None and self.numbers.is_repeated(message)
        takes = message is not None and message.good and not repeats
        dut.put(taken=takes and message is not None and message.number is not None)
        dut.put(begins_anew=takes and message is not None and message.begins_anew)
        await RisingEdge(dut.clk)
        if message is not None:
            assert dut.repeated.value == repeats, f"{message}, after {self.numbers}"
            if message.number is not None:
                assert int(dut.number.value) == digits(message.number)
            self.numbers.take(message)
            self.repeated += repeats
            self.passed += takes
        self.ended = part.ends if part else None

    async def segment(self, beats: list[Part], good: bool = True, stall: float = 0.0) -> None:
        before = replace(self.numbers)
        for at, part in enumerate(beats):
            while self.rng.random() < stall:
                await self.step()
            await self.step(part, at + 1 == len(beats), not good)
        for _ in range(PAUSE):
            await self.step()
        if not good:
            self.numbers = before

    async def messages(self, *messages: Message, good: bool = True, near: bool = True) -> None:
        """One segment that begins with the first, and ends with the last of them."""
        await self.segment([Part(), *(part for message in messages for part in parts(message, self.rng, near))], good)


async def bench(dut: Any) -> Bench:
    made = Bench(dut)
    await made.start()
    return made


LOGON = Message(begins_anew=True)


@cocotb.test()
async def only_a_number_above_all_that_were_taken_is_new(dut: Any) -> None:
    b = await bench(dut)
    for number in (5, 5, 4, 6, 1, 7, 9, 8, 10, 99, 100, 20, 900, 899, 999_999_999, 999_999_998, 123_456_789):
        await b.messages(Message(number))
    assert (b.passed, b.repeated) == (9, 8)


@cocotb.test()
async def every_digit_of_the_number_counts(dut: Any) -> None:
    b = await bench(dut)
    for place in range(9):
        for below, above in ((1, 2), (7, 8), (8, 9)):
            await b.reset()
            await b.messages(Message(below * 10**place), Message(above * 10**place), Message(below * 10**place), Message(above * 10**place))
    assert (b.passed, b.repeated) == (2 * 27, 2 * 27)


@cocotb.test()
async def a_message_right_after_another_is_compared_with_it(dut: Any) -> None:
    b = await bench(dut)
    for number in range(1, 40):
        await b.messages(Message(number), Message(number), Message(number + 1), Message(number + 1), LOGON, Message(number), LOGON)
    assert (b.passed, b.repeated) == (39 * 5, 39 * 2)


@cocotb.test()
async def possdupflag_makes_a_new_number_old_and_is_forgotten_with_the_message(dut: Any) -> None:
    b = await bench(dut)
    for number in range(10, 200, 10):
        await b.messages(Message(number, duplicate=True), Message(number), Message(number + 1, duplicate=True), Message(number + 2))
    assert (b.passed, b.repeated) == (38, 38)


@cocotb.test()
async def what_is_not_good_is_not_taken(dut: Any) -> None:
    b = await bench(dut)
    await b.messages(Message(3), Message(8, good=False), Message(4), replace(LOGON, good=False), Message(4), Message(5))
    assert (b.passed, b.repeated) == (3, 1)


@cocotb.test()
async def logon_restarts_the_numbers_unless_it_is_sent_again_and_so_does_a_new_connection(dut: Any) -> None:
    b = await bench(dut)
    await b.messages(Message(50), replace(LOGON, duplicate=True), Message(2), LOGON, Message(2), Message(2))
    await b.reset()
    await b.messages(Message(1), Message(1))
    assert (b.passed, b.repeated) == (4, 4)


@cocotb.test()
async def other_messages_change_nothing(dut: Any) -> None:
    b = await bench(dut)
    await b.messages(Message(7), Message(), Message(7), Message(), Message(8))
    assert b.repeated == 1


def open_after(beats: list[Part]) -> Message | None:
    """The message that these beats leave open, as far as it has come."""
    opened: Message | None = None
    for part in beats:
        if part.begins:
            opened = Message()
        if opened and part.number is not None:
            opened = replace(opened, number=part.number)
        if opened and part.duplicate:
            opened = replace(opened, duplicate=True)
        if part.ends:
            opened = None
    return opened


@cocotb.test()
async def a_bad_segment_changes_nothing_wherever_it_is_cut(dut: Any) -> None:
    b = await bench(dut)
    number = 100
    for cut in range(1, 9):
        for duplicate in (False, True):
            for wrong in ([Message(number + 5000)], [LOGON], [Message(number + 5000), LOGON], []):
                beats = [Part(), *parts(Message(number, duplicate), b.rng, True), *parts(Message(number + 1), b.rng, True)]
                beats += parts(Message(number + 1), b.rng, True)
                await b.segment(beats[:cut])
                # What comes in between ends the open message, brings others, and leaves the last one open.
                ended = open_after(beats[:cut])
                others = [part for message in wrong for part in parts(message, b.rng, True)]
                await b.segment([Part(ends=ended), *others], good=False)
                await b.segment([Part(duplicate=True)], good=False)
                await b.segment([Part(begins=True)], good=False)
                await b.segment(beats[cut:])
                await b.messages(Message(number + 1))
                number += 10
    assert b.passed > 100
    assert b.repeated > 100


@cocotb.test()
@cocotb.parametrize(seed=[1, 2])
async def random_messages_in_random_segments_equal_the_model(dut: Any, seed: int) -> None:
    b = await bench(dut)
    b.rng = rng = random.Random(seed)
    beats: list[Part] = [Part()]
    number = 1
    for _ in range(cases(1500, 20000)):
        number = max(1, number + rng.choice([-2, 0, 0, 1, 1, 1, 2, 9]))
        kind = rng.random()
        message = Message(number, rng.random() < 0.1, rng.random() < 0.9) if kind < 0.85 else Message()
        if kind > 0.95:
            message, number = replace(LOGON, duplicate=rng.random() < 0.3), 1
        beats += parts(message, rng, rng.random() < 0.5)
    while beats:
        size = rng.choice([1, 1, 2, 3, rng.randrange(1, 40)])
        if rng.random() < 0.2:
            await b.segment(beats[:size], good=False, stall=rng.choice([0, 0.3]))
        await b.segment(beats[:size], stall=rng.choice([0, 0, 0.3]))
        del beats[:size]
    assert b.passed > 100
    assert b.repeated > 100


def test_fix_repeated() -> None:
    simulate("fix_repeated_tb", "test_fix_repeated")
