"""The register map's pages: each word of the address space is a register's or free, and each register says what it is."""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import registers

ROOT = registers.ROOT
ROW = re.compile(r"^\| 0x([0-9a-f]+)(?: to 0x([0-9a-f]+), step (\d+))? \| `(\w+)`(?: \[\d+\])? \|(?: [^|]*\|){4} ?(.*) ?\|$", re.M)


@pytest.mark.parametrize("block", registers.BLOCKS, ids=lambda block: block.name)
def test_a_free_address_is_no_register_of_the_page(block: registers.Block) -> None:
    page = (ROOT / block.page).read_text()
    size = int(re.search(r"(\d+) bytes of address space", page)[1])  # type: ignore[index]
    taken = [
        address
        for first, last, step, *_ in ROW.findall(page)
        for address in range(int(first, 16), int(last or first, 16) + 1, int(step or 4))
    ]
    ranges = [re.match(r"0x([0-9a-f]+) to 0x([0-9a-f]+)", line) for line in registers.free(block)]
    free = [address for found in ranges if found for address in range(int(found[1], 16), int(found[2], 16) + 1, 4)]
    assert sorted(taken + free) == list(range(block.base, block.base + size, 4))


@pytest.mark.parametrize("block", registers.BLOCKS, ids=lambda block: block.name)
def test_each_register_of_the_page_says_what_it_is(block: registers.Block) -> None:
    rows = ROW.findall((ROOT / block.page).read_text())
    assert rows
    assert [name for *_, name, text in rows if not text.strip()] == []


def test_each_register_is_of_a_stage_and_each_counter_of_one() -> None:
    """The packages that the RTL is made with name the words of the pages, and no other."""
    fields: set[int] = set()
    counters: list[int] = []
    for path in sorted((ROOT / registers.RTL).glob("*_csr_pkg.sv")):
        text = path.read_text()
        fields |= {int(word, 16) for word in re.findall(r"'\{9'h([0-9a-f]+), 5'd\d+, 6'd\d+, ", text)}
        first = re.search(r"CountersAt = 9'h([0-9a-f]+);", text)
        counters += [int(first[1], 16) + int(slot) for slot in re.findall(r"COUNT_\w+\s*= \d+'d(\d+)", text) if first]
    assert len(set(counters)) == len(counters)
    assert not fields & set(counters)
    words = {
        address // 4
        for block in registers.BLOCKS
        for first, last, step, *_ in ROW.findall((ROOT / block.page).read_text())
        for address in range(int(first, 16), int(last or first, 16) + 1, int(step or 4))
    }
    assert fields | set(counters) == words
