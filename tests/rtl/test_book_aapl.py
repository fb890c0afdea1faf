"""The beginning of the AAPL hour through book_stage in its default sizes: after every event the book is the plain one."""

from pathlib import Path

import cocotb
import pytest
from book_bench import Bench
from book_model import ADD, BUY, DELETE, EXECUTE, REDUCE, REPLACE, SELL, TRADE, Event, Window
from harness import cases, simulate
from mold_itch_model import BODY

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "nasdaq-aapl-2012-06-21"
KINDS = {"A": ADD, "F": ADD, "E": EXECUTE, "C": EXECUTE, "X": REDUCE, "D": DELETE, "U": REPLACE, "P": TRADE, "Q": TRADE}
INSTRUMENT = 5
TICK = 100
LOW = 586_00 - 4095  # AAPL stood at 586 dollars


def events(version: str, most: int) -> list[Event]:
    """As the decoder and the instrument table give them: in 5.0 every message names its instrument, in 4.1 only those with a symbol."""
    data = (DATA / f"aapl.itch{version}").read_bytes()
    head = 11 if version == "50" else 5
    found: list[Event] = []
    at = 0
    while at < len(data) and len(found) < most:
        length = int.from_bytes(data[at : at + 2], "big")
        message = data[at + 2 : at + 2 + length]
        at += 2 + length
        type_ = chr(message[0])
        if type_ not in KINDS:
            continue
        values: dict[str, bytes] = {}
        place = head
        for name, size in BODY[type_]:
            values[name] = message[place : place + size]
            place += size
        number = {name: int.from_bytes(value, "big") for name, value in values.items() if name != "side"}
        named = version == "50" or "symbol" in values
        event = Event(
            KINDS[type_],
            INSTRUMENT if named else None,
            SELL if values.get("side", b"B") != b"B" else BUY,
            number.get("price", 0),
            number.get("quantity", 0),
            number.get("order_id", 0),
            number.get("new_order_id", 0),
        )
        found.append(event)
    return found


async def run(dut, version: str, most: int) -> None:
    """Frames of 1 to 20 messages, as near together as they may come; every fifth is given twice, first with a bad verdict."""
    b = Bench(dut)
    await b.start({INSTRUMENT: Window(TICK, LOW)})
    rest = events(version, most)
    count = len(rest)
    number = 0
    while rest:
        size = number % 20 + 1
        frame, rest = rest[:size], rest[size:]
        for good in (False, True) if number % 5 == 4 else (True,):
            await b.frame(frame, good, gap=4)
        number += 1
    await b.settle(10_000)
    assert b.faults == b.overflows == b.not_ours == 0
    assert b.compared + b.unknown_best >= count
    dut._log.info("ITCH %s: %d events compared, best unknown in %d", version, b.compared, b.unknown_best)
    assert b.unknown_best < count // 10  # a bad frame that is undone empties lines


@cocotb.test()
async def the_hour_in_5_0(dut):
    await run(dut, "50", cases(1500, 100_000))


@cocotb.test()
async def the_hour_in_4_1(dut):
    await run(dut, "41", cases(1000, 100_000))


@pytest.mark.data
def test_book_aapl() -> None:
    if not DATA.exists():
        pytest.skip(f"no {DATA.name} in ../shared/data")
    simulate("book_tb", "test_book_aapl")
