"""fast_dictionary: what a packet wrote stays if it is good, and is taken back whole if it is not."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import cases, simulate

ENTRIES = 256
BITS = 113
STATE, KEPT, BANK, PACKET = 0b11 << 32, 0b11 << 38, 0b11 << 40, (1 << 10) - 1  # members of entry_t (fast_pkg)


class Bench:
    """Drives the module, and knows what its entries are; what no packet has written yet has only a state."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.entries: list[int | None] = [None] * ENTRIES

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 2, "ns").start())
        for name in ("write", "log", "clear", "commit", "undo", "slot"):
            getattr(self.dut, name).value = 0
        self.dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0
        await self.rest()

    async def rest(self) -> int:
        """Until it is not busy: the cycles that takes."""
        cycles = 0
        while self.dut.busy.value:
            await FallingEdge(self.dut.clk)
            cycles += 1
            assert cycles <= ENTRIES + 3
        return cycles

    async def pulse(self, name: str) -> int:
        getattr(self.dut, name).value = 1
        await FallingEdge(self.dut.clk)
        getattr(self.dut, name).value = 0
        return await self.rest()

    async def read(self, slot: int) -> int:
        self.dut.slot.value = slot
        await FallingEdge(self.dut.clk)
        return int(self.dut.entry.value)

    async def check(self, slots) -> None:
        for slot in slots:
            found, expected = await self.read(slot), self.entries[slot]
            if expected is None:
                assert found & (STATE | KEPT | BANK | PACKET) == 0, slot
            else:
                assert found == expected, slot

    async def packet(self, slots: list[int], good: bool, rng: random.Random) -> int:
        """Writes them, each with the entry that it was before, and ends: the cycles that the end takes."""
        dut, before = self.dut, list(self.entries)
        changed: set[int] = set()
        for slot in slots:
            old = await self.read(slot)
            dut.write.value, dut.log.value = 1, slot not in changed
            dut.write_slot.value, dut.old_entry.value = slot, old
            if self.entries[slot] is None:
                before[slot] = old
            self.entries[slot] = rng.getrandbits(BITS)
            dut.write_entry.value = self.entries[slot]
            await FallingEdge(dut.clk)
            dut.write.value = 0
            changed.add(slot)
        if not good:
            self.entries = before
        return await self.pulse("commit" if good else "undo")


@cocotb.test()
async def a_bad_packet_is_taken_back_and_a_good_one_stays(dut):
    bench, rng = Bench(dut), random.Random(4)
    await bench.start()
    for _ in range(cases(150, 3_000)):
        few = rng.random() < 0.7
        slots = [rng.randrange(8) if few else rng.randrange(ENTRIES) for _ in range(rng.randrange(30))]
        good = rng.random() < 0.5
        cycles = await bench.packet(slots, good, rng)
        assert cycles <= (0 if good or not slots else len(set(slots)) + 2)
        await bench.check({*slots, *(rng.randrange(ENTRIES) for _ in range(8))})
    await bench.check(range(ENTRIES))


@cocotb.test()
async def a_bad_packet_that_changed_every_entry_is_taken_back(dut):
    bench, rng = Bench(dut), random.Random(5)
    await bench.start()
    for good in (True, False, True):
        await bench.packet([*range(ENTRIES), *range(40)], good, rng)
        await bench.check(range(ENTRIES))


@cocotb.test()
async def clear_makes_all_undefined_and_forgets_what_a_packet_changed(dut):
    bench, rng = Bench(dut), random.Random(6)
    await bench.start()
    await bench.packet(list(range(0, ENTRIES, 3)), True, rng)
    assert await bench.pulse("clear") <= ENTRIES + 2
    bench.entries = [None] * ENTRIES
    await bench.check(range(ENTRIES))
    await bench.packet([3, 4], False, rng)
    await bench.check(range(ENTRIES))


def test_fast_dictionary() -> None:
    simulate("fast_dictionary", "test_fast_dictionary")
