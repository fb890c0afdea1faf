"""fast_event_name and fast_event_digits: texts in pieces, and integers, to a key or a number (docs/reference/fast-events.md, "Keys")."""

from __future__ import annotations

from random import Random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import cases, simulate

UNSIGNED, SIGNED, TEXT = 3, 4, 6
BASE_38 = " ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
PATIENCE = 40


def key(text: str) -> int | None:
    """The key of a name; None: it has none."""
    if 1 <= len(text) <= 8:
        printable = all(" " <= character <= "~" for character in text) and text.strip(" ") == text
        return int.from_bytes(text.ljust(8).encode("latin-1"), "big") if printable else None
    if 9 <= len(text) <= 12 and all(character in BASE_38[1:] for character in text):
        number = 0
        for character in text:
            number = number * 38 + BASE_38.index(character)
        return 1 << 63 | number
    return None


def number(text: str) -> int | None:
    """A number in its shortest form of 64 bits at most."""
    if text.isascii() and text.isdigit() and str(int(text)) == text and int(text) < 1 << 64:
        return int(text)
    return None


class Bench:
    """Gives fields to one of the two, as fast as it takes them."""

    def __init__(self, dut, unit: str) -> None:
        self.dut, self.unit = dut, unit

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        for name in ("start_name", "start_digits", "kind", "value", "count", "first", "last", "drop"):
            getattr(dut, name).value = 0
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0
        await FallingEdge(dut.clk)

    def out(self, what: str) -> int:
        return int(getattr(self.dut, f"{self.unit}_{what}").value)

    async def give(self, kind: int, value: int, count: int = 0, first: bool = True, last: bool = True) -> None:
        dut = self.dut
        dut.kind.value, dut.value.value, dut.count.value, dut.first.value, dut.last.value = kind, value, count, first, last
        for _ in range(PATIENCE):
            await FallingEdge(dut.clk)
            if self.out("room"):
                break
        start = getattr(dut, f"start_{self.unit}")
        start.value = 1
        await FallingEdge(dut.clk)
        start.value = 0

    async def text(self, text: str, uneven: int = 0) -> int:
        """Gives a text in pieces of eight, the first one shorter by `uneven`; returns the cycles from its last piece to `done`."""
        data = text.encode("latin-1")
        ends = [*range(8 - uneven, len(data), 8), len(data)]
        begin = 0
        for end in ends:
            piece = data[begin:end]
            await self.give(TEXT, int.from_bytes(piece, "big"), len(piece), begin == 0, end == len(data))
            begin = end
        return await self.done()

    async def done(self) -> int:
        for cycles in range(1, PATIENCE):
            if self.out("done"):
                assert self.out("busy")
                return cycles
            assert self.out("busy"), "it is busy until it is done"
            await FallingEdge(self.dut.clk)
        raise AssertionError("it is never done")

    def result(self) -> int | None:
        return None if self.out("wrong") else self.out("value")


@cocotb.test
async def names_have_the_keys_of_the_reference_or_none(dut) -> None:
    bench = Bench(dut, "name")
    await bench.start()
    rng = Random(1)
    names = [
        "USD000UTSTOM",
        "EUR_RUB__TOM",
        "GLDRUB_TOM",
        "A",
        "AAPL",
        "ABCDEFGH",
        "ABCDEFGHI",
        "_________",
        "____________",
        "",
        " A",
        "A ",
        "A A",
    ]
    names += ["ABCDEFGHIJKLM", "ABCDEFGHIJKLMNOPQRST", "abcdefghi", "GLDRUB TOM", "A\x1f", "\x7f", "~!", "AAAAAAAAAA\xff"]
    for _ in range(cases(400, 20_000)):
        characters = BASE_38[1:] if rng.random() < 0.7 else "".join(map(chr, range(0x1E, 0x82)))
        names.append("".join(rng.choice(characters) for _ in range(rng.randrange(1, 15))))
    for name in names:
        cycles = await bench.text(name)
        assert bench.result() == key(name), name
        if name and len(name) <= 8:
            assert cycles == 9, name
    assert sum(key(name) is not None for name in names) > 200


@cocotb.test
async def digits_are_a_number_of_64_bits_in_its_shortest_form_or_wrong(dut) -> None:
    bench = Bench(dut, "digits")
    await bench.start()
    rng = Random(2)
    texts = [
        "0",
        "00",
        "01",
        "7",
        "10",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
        "",
        "1a",
        "a1",
        "12 3",
        "123456789",
        "-1",
    ]
    texts += ["123456789012345678901234567890", "0" * 9, "1" + "0" * 16, "12345678x"]
    for _ in range(cases(400, 20_000)):
        text = str(rng.randrange(1 << rng.randrange(1, 68)))
        if rng.random() < 0.1:
            # What was beyond 64 bits two digits ago need not be any more: 2^64 and zeros are 0 there.
            text = str((1 << 64) + rng.choice([0, 0, 1, rng.randrange(1 << 60)])) + "0" * rng.randrange(8)
        if rng.random() < 0.2:
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice("/:x0 ") + text[at + 1 :]
        texts.append(text)
    for text in texts:
        # Its first piece may be short, after a byte vector.
        uneven = rng.choice([0, 0, 1, 5]) if len(text) > 8 else 0
        cycles = await bench.text(text, uneven)
        assert bench.result() == number(text), text
        if 0 < len(text) <= 8:
            assert cycles == 1 + (len(text) + 1) // 2, text
    assert sum(number(text) is not None for text in texts) > 200


@cocotb.test
async def integers_are_taken_as_they_are_and_refused_where_they_do_not_fit(dut) -> None:
    name, digits = Bench(dut, "name"), Bench(dut, "digits")
    await name.start()
    for value, as_name, as_digits in [(5, True, True), ((1 << 56) - 1, True, True), (1 << 56, False, True), ((1 << 64) - 1, False, True)]:
        for bench, fits in [(name, as_name), (digits, as_digits)]:
            await bench.give(UNSIGNED, value)
            assert await bench.done() == 1
            assert bench.result() == (value if fits else None), (bench.unit, value)
    for bench in [name, digits]:
        await bench.give(SIGNED, (1 << 64) - 3)
        await bench.done()
        assert bench.result() is None, bench.unit


@cocotb.test
async def a_text_that_is_dropped_is_forgotten(dut) -> None:
    for unit in ("name", "digits"):
        bench = Bench(dut, unit)
        await bench.start()
        await bench.give(TEXT, int.from_bytes(b"12345678", "big"), 8, True, False)
        dut.drop.value = 1
        await FallingEdge(dut.clk)
        dut.drop.value = 0
        for _ in range(PATIENCE):
            assert not bench.out("done")
            assert not bench.out("busy")
            await FallingEdge(dut.clk)
        await bench.text("42")
        assert bench.result() == (key("42") if unit == "name" else 42)


def test_fast_event_texts() -> None:
    simulate("fast_event_texts_tb", "test_fast_event_texts")
