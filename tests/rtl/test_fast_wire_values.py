"""fast_wire_name, _digits, _scale and _time: a value a cycle, with constant latency (docs/reference/fast-events.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import cases, simulate
from test_fast_event_texts import BASE_38, key, number

LATENCY = {"name": 4, "digits": 4, "scale": 3, "time": 4}  # cycles to the value; whether it is wrong is told one before
SECOND = 1_000_000_000
Given = tuple[dict[str, int], tuple[int, ...] | None]


async def stream(dut, given: Iterable[Given], name: str, values: Callable[[], tuple[int, ...]]) -> int:
    """One a cycle. What is expected is None, or the values as many cycles later as `LATENCY` says. Returns how many were right."""
    latency = LATENCY[name]
    wrong = getattr(dut, f"{name}_wrong")
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    waiting: list[tuple[dict[str, int], tuple[int, ...] | None]] = []
    told: list[int] = []
    right = 0
    given = list(given)
    for cycle in range(len(given) + latency - 1):
        if cycle < len(given):
            for port, value in given[cycle][0].items():
                getattr(dut, port).value = value
            waiting.append(given[cycle])
        await FallingEdge(dut.clk)
        if cycle >= latency - 2:
            told.append(int(wrong.value))
        if cycle >= latency - 1:
            inputs, expected = waiting[cycle - latency + 1]
            assert told[cycle - latency + 1] == (expected is None), (inputs, expected)
            if expected is not None:
                assert values() == expected, (inputs, expected, values())
                right += 1
    return right


def text(characters: str) -> dict[str, int]:
    """A text as the engine gives it: seven bits a character, the last one lowest, no more than fifteen counted."""
    bits = 0
    for character in characters[-12:]:
        bits = bits << 7 | ord(character)
    return {"text": bits, "count": min(len(characters), 15)}


@cocotb.test
async def names_have_the_keys_of_the_reference_or_none(dut) -> None:
    rng = Random(1)
    names = [
        "USD000UTSTOM",
        "EUR_RUB__TOM",
        "A",
        "ABCDEFGH",
        "ABCDEFGHI",
        "____________",
        "",
        " A",
        "A ",
        "A A",
        " ",
        "ABCDEFGHIJKLM",
        "abcdefghi",
        "~!",
    ]
    for _ in range(cases(2_000, 50_000)):
        characters = BASE_38[1:] if rng.random() < 0.7 else "".join(map(chr, range(0x1E, 0x80)))
        names.append("".join(rng.choice(characters) for _ in range(rng.randrange(14))))
    given = [(text(name), None if (found := key(name)) is None else (found,)) for name in names]
    assert await stream(dut, given, "name", lambda: (int(dut.name_key.value),)) > 1_000


@cocotb.test
async def digits_are_a_number_in_its_shortest_form_or_wrong(dut) -> None:
    rng = Random(2)
    texts = ["0", "00", "01", "7", "10", "999999999999", "100000000000", "1234567890123", "", "1a", "-1", " 1", "/", ":"]
    for _ in range(cases(2_000, 50_000)):
        characters = "0123456789" if rng.random() < 0.8 else "0123456789/:a"
        texts.append("".join(rng.choice(characters) for _ in range(rng.randrange(14))))
    given = [(text(digits), None if len(digits) > 12 or (found := number(digits)) is None else (found,)) for digits in texts]
    assert await stream(dut, given, "digits", lambda: (int(dut.digits.value),)) > 1_000


@cocotb.test
async def a_decimal_is_exact_at_its_scale_or_wrong(dut) -> None:
    rng = Random(3)
    limit = 1 << 39
    given: list[Given] = []
    for _ in range(cases(3_000, 50_000)):
        mantissa = rng.choice(
            [
                0,
                1,
                -1,
                limit - 1,
                limit,
                -limit,
                -limit - 1,
                (1 << 62) - 1,
                rng.randrange(-limit, limit),
                rng.randrange(1 << rng.randrange(1, 63)),
            ]
        )
        scale = rng.randrange(19)
        exponent = rng.randrange(-63, 64) if rng.random() < 0.1 else max(-63, rng.randrange(-2, 10) - scale)
        shift = exponent + scale
        fits = -limit <= mantissa < limit and 0 <= shift <= 7
        inputs = {"mantissa": mantissa % (1 << 64), "exponent": exponent % 128, "scale": scale}
        given.append((inputs, (mantissa * 10**shift % (1 << 64),) if fits else None))
    assert await stream(dut, given, "scale", lambda: (int(dut.scaled.value),)) > 1_000


@cocotb.test
async def a_time_of_the_known_second_or_the_next_is_nanoseconds_and_one_of_another_is_wrong(dut) -> None:
    rng = Random(4)
    given: list[Given] = []
    for _ in range(cases(3_000, 50_000)):
        groups = rng.randrange(4)
        of_day = rng.randrange(86_400)
        clock = of_day // 3600 * 10_000 + of_day // 60 % 60 * 100 + of_day % 60
        fraction = 1000**groups
        digits = (20_261_126_000_000 % 10 ** (14 if groups < 2 else 12) + clock) * fraction if groups < 3 else clock * fraction
        value = digits + rng.choice(
            [0, fraction - 1, fraction, -1, rng.randrange(fraction), rng.randrange(3 * fraction), -rng.randrange(1, 2 * fraction)]
        )
        value = max(0, value)
        known, same = rng.random() < 0.9, rng.random() < 0.9
        told = groups if same else (groups + 1) % 4
        inputs = {"value": value, "decimals": groups, "second_known": int(known), "second_groups": told}
        inputs |= {"second_digits": digits, "second_nanoseconds": of_day * SECOND}
        # The next second, in which there may be seconds between the two; or what is left of another one.
        further, next_known = rng.choice([1, 1, 41]), rng.random() < 0.8
        following = digits + further * fraction if next_known or rng.random() < 0.5 else rng.randrange(digits + 2)
        inputs |= {"next_known": int(next_known), "next_digits": following, "next_nanoseconds": (of_day + 1) * SECOND}
        if rng.random() < 0.3:
            inputs["value"] = value = following + rng.choice([0, fraction - 1, fraction, rng.randrange(fraction)])
        expected: tuple[int, ...] | None = None
        for is_known, begins, seconds in ((known, digits, of_day), (next_known, following, of_day + 1)):
            if is_known and same and 0 <= value - begins < fraction:
                expected = (seconds * SECOND + (value - begins) * SECOND // fraction, int(seconds > of_day))
        given.append((inputs, expected))
    # What the second is, is steady while a time is worked out.
    right = 0
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    for inputs, expected in given:
        for name, what in inputs.items():
            getattr(dut, name).value = what
        for cycle in range(1, LATENCY["time"] + 1):
            await FallingEdge(dut.clk)
            if cycle == LATENCY["time"] - 1:
                assert int(dut.time_wrong.value) == (expected is None), (inputs, expected)
                assert expected is None or int(dut.time_in_next.value) == expected[1], (inputs, expected)
        if expected is not None:
            assert int(dut.nanoseconds.value) == expected[0], (inputs, expected)
            right += 1
    assert right > 1_000


def test_fast_wire_values() -> None:
    simulate("fast_wire_values_tb", "test_fast_wire_values")
