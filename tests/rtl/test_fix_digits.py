"""fix_digits, with fix_marks before it: the digits of a number, its decimals and sign, and which texts are no number (FIX 4.4: float).

A value begins after the "=", has at most 16 characters and 8 decimals: digits, one point, a minus in front; at least one digit.
"""

import random
import re
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import cases, simulate
from pins import Pins

CHARACTERS = 16  # of a number
DECIMALS = 8
LATENCY = 1  # of fix_marks
FLOAT = re.compile(rb"(-?)(\d*)(?:\.(\d*))?")  # FIX 4.4: leading zeros and an absent part are allowed

Number = tuple[int, int, bool]  # digits, decimals, minus


def number(value: bytes) -> Number | None:
    """What the text is as a number; None if it is none, or does not fit."""
    found = FLOAT.fullmatch(value)
    if found is None or len(value) > CHARACTERS:
        return None
    before, after = found[2], found[3] or b""
    if not before + after or len(after) > DECIMALS:
        return None
    return int(before + after), len(after), bool(found[1])


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = Pins(dut)
        self.rng = random.Random(7)
        self.good = 0

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 2, "ns").start())
        await RisingEdge(self.dut.clk)

    async def reads(self, value: bytes, before: bytes | None = None) -> None:
        """The field `before`=`value`; what stands in front of its tag is of other fields."""
        tag = self.rng.choice([b"270", b"271", b"34"]) if before is None else before
        front = bytes(self.rng.choices(b"0123456789.-=\x01A", k=20))
        text = (front + b"\x01" + tag + b"=" + value)[-CHARACTERS - 1 :]
        self.dut.put(chars=int.from_bytes(text, "big"))
        await RisingEdge(self.dut.clk)
        for _ in range(LATENCY):
            await RisingEdge(self.dut.clk)
        want = number(value)
        assert self.dut.good.value == (want is not None), value
        if want is not None:
            self.good += 1
            got = (int(f"{int(self.dut.value.value):x}"), int(self.dut.decimals.value), bool(self.dut.minus.value))
            assert got == want, value


async def bench(dut: Any) -> Bench:
    made = Bench(dut)
    await made.start()
    return made


@cocotb.test()
async def numbers_of_every_length_with_the_point_anywhere(dut: Any) -> None:
    b = await bench(dut)
    for length in range(1, CHARACTERS + 2):
        for sign in (b"", b"-"):
            digits = bytes(b.rng.choices(b"0123456789", k=length))
            await b.reads(sign + digits)
            for point in range(length + 1):
                await b.reads(sign + digits[:point] + b"." + digits[point:])
    assert b.good > 200


@cocotb.test()
async def each_digit_is_read_at_its_place(dut: Any) -> None:
    b = await bench(dut)
    for place in range(CHARACTERS):
        for digit in b"0123456789":
            await b.reads(bytes([digit]) + b"0" * place)
            await b.reads(b"9" * (CHARACTERS - 1 - place) + bytes([digit]) + b"9" * place)
    assert b.good == 2 * 10 * CHARACTERS


@cocotb.test()
async def what_is_no_number_is_not_good(dut: Any) -> None:
    b = await bench(dut)
    for value in (
        b"",
        b".",
        b"-",
        b"-.",
        b"--1",
        b"1-",
        b"1-2",
        b"-1-",
        b".-1",
        b"1..2",
        b"1.2.3",
        b"..",
        b"+1",
        b" 1",
        b"1 ",
        b"1e5",
        b"0x1",
    ):
        await b.reads(value)
    assert b.good == 0
    for other in range(256):
        if bytes([other]) in b"0123456789.=":
            continue
        for value in (b"12%b34", b"1234%b", b"12.%b4", b"%b"):
            await b.reads(value % bytes([other]))
    assert b.good == 0
    for value in (b"%b1234", b"-%b1"):
        for other in range(256):
            if other != ord("="):
                await b.reads(value % bytes([other]))
    assert b.good == 10 + 2 + 10 + 1  # a digit, a point or a minus in front; after the minus a digit or a point


@cocotb.test()
async def what_stands_before_the_value_is_not_part_of_it(dut: Any) -> None:
    b = await bench(dut)
    for front in (b"1.5\x01270", b"-\x01271", b"8=FIX.4.4\x019", b"270=1.25\x01271", b"\x01\x0134", b"-", b".", b""):
        for value in (b"1", b"-2", b".5", b"5.", b"12.25", b"-0.001"):
            await b.reads(value, front)
    assert b.good == 8 * 6


@cocotb.test()
async def random_texts_equal_the_model(dut: Any) -> None:
    b = await bench(dut)
    for _ in range(cases(2000, 20000)):
        alphabet = b.rng.choice([b"0123456789", b"0123456789.", b"0123456789.-", b"00019.-x"])
        await b.reads(bytes(b.rng.choices(alphabet, k=b.rng.randrange(CHARACTERS + 3))))
    assert b.good > 500


def test_fix_digits() -> None:
    simulate("fix_digits_tb", "test_fix_digits")
