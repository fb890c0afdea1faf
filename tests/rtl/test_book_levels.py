"""best_levels against a sorted list: the best levels of each line, exact, as long as nothing after them is missing."""

import random
from collections import deque
from dataclasses import dataclass, field

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import cases, simulate

K = 4
RANKS = 1 << 14
ENTRY = [("live", 1), ("outside", 1), ("orders", 12), ("shares", 32), ("rank", 14), ("price", 32)]
WIDTH = sum(width for _, width in ENTRY)


@dataclass
class Line:
    """All levels of a side: rank to [orders, shares]; `shown`: those the line must have, a prefix."""

    levels: dict[int, list[int]] = field(default_factory=dict)
    shown: list[int] = field(default_factory=list)
    incomplete: bool = False
    last: int = -1  # of an empty line, the level that was the last to go: what is not after it is the best


def price_of(rank: int) -> int:
    """Any price that tells its level."""
    return (rank * 262_147 + 5) % (1 << 32)


def unpack(value: int) -> dict[str, int]:
    out = {}
    for name, width in reversed(ENTRY):
        out[name] = value & ((1 << width) - 1)
        value >>= width
    return out


class Bench:
    def __init__(self, dut, origin: int) -> None:
        self.dut = dut
        self.origin = origin  # ranks count from here, modulo RANKS
        self.lines = {(i, s): Line() for i in range(16) for s in range(2)}
        self.due: deque[tuple | None] = deque([None] * 2)
        self.address: tuple[int, int] = (0, 0)
        self.compared = 0
        self.cleared = False

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        names = (
            "instrument3",
            "side3",
            "valid4",
            "acts4",
            "instrument4",
            "side4",
            "rank4",
            "price4",
            "enters4",
            "leaves4",
            "appends4",
            "found4",
        )
        for name in (*names, "price4", "clears4", "outside4", "shares4", "less4", "orders4", "complete4"):
            getattr(dut, name).value = 0
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0
        for line in self.lines:
            await self.operate(line, "clear")
        await self.rest(4)
        self.cleared = True

    async def cycle(self, expected: tuple | None = None) -> None:
        self.due.append(expected)
        due = self.due.popleft()
        if due:
            self._compare(*due)
        await FallingEdge(self.dut.clk)

    async def rest(self, cycles: int) -> None:
        for _ in range(cycles):
            await self.cycle()

    def _compare(self, line: tuple[int, int], entries: list[tuple[int, int, int]], incomplete: bool, other: tuple | None) -> None:
        dut = self.dut
        assert dut.valid6.value
        assert (int(dut.instrument6.value), int(dut.side6.value)) == line
        packed = int(dut.line6.value)
        found = [unpack(packed >> k * WIDTH & ((1 << WIDTH) - 1)) for k in range(K)]
        live = [(e["rank"], e["orders"], e["shares"]) for e in found if e["live"]]
        assert live == entries
        assert [e["price"] for e in found if e["live"]] == [price_of(rank) for rank, _, _ in entries]
        assert [e["live"] for e in found] == [1] * len(live) + [0] * (K - len(live))
        assert bool(dut.incomplete6.value) == incomplete
        if not self.cleared:
            return
        best = unpack(int(dut.other6.value))
        if best["live"]:
            assert best["price"] == price_of(best["rank"])
        assert ((best["rank"], best["orders"], best["shares"]) if best["live"] else None) == other
        self.compared += 1

    async def operate(self, at: tuple[int, int], kind: str, offset: int = 0, shares: int = 0) -> None:
        """The line's address a cycle ahead, then the operation; at least 2 cycles each."""
        dut, line = self.dut, self.lines[at]
        rank = (self.origin + offset) % RANKS
        dut.valid4.value = 0
        dut.instrument3.value, dut.side3.value = at
        await self.cycle()
        levels, shown = line.levels, line.shown
        level = levels.get(offset)
        dut.less4.value, dut.complete4.value, dut.found4.value = 0, 0, 1
        if kind == "enter":
            if offset in shown or offset < (shown[-1] if shown else line.last + 1) or not line.incomplete:
                line.shown = sorted({*shown, offset})[:K]
                line.incomplete |= len({*shown, offset}) > K
            else:
                line.incomplete = True
            orders, left = level or (0, 0)
            levels[offset] = [orders + 1, left + shares]
        elif kind == "leave" and level:
            level[0], level[1] = level[0] - 1, level[1] - shares
            dut.less4.value = 1
            if level[0] == 0:
                del levels[offset]
                if offset in shown:
                    shown.remove(offset)
                    line.last = offset
        elif kind == "change" and level:
            level[1] += shares
        elif kind == "append":
            after = sorted(o for o in levels if not shown or o > shown[-1])
            dut.found4.value = bool(after)
            offset = after[0] if after else 0
            rank = (self.origin + offset) % RANKS
            dut.complete4.value = len(after) <= 1
            if after:
                dut.orders4.value, shares = levels[offset]
            if line.incomplete and len(shown) < K:
                line.shown = [*shown, *after[:1]]
                line.incomplete = len(after) > 1
            elif line.incomplete and not after:
                line.incomplete = False
        elif kind == "clear":
            self.lines[at] = line = Line()
        acts = kind != "read"
        dut.valid4.value, dut.acts4.value = 1, acts
        dut.instrument4.value, dut.side4.value, dut.rank4.value, dut.shares4.value = *at, rank, shares
        # Only a level that comes into the line brings its price.
        dut.price4.value = price_of(rank) if kind in ("enter", "append") else 0
        dut.enters4.value = kind in ("enter", "read")
        dut.leaves4.value, dut.appends4.value, dut.clears4.value = kind == "leave", kind == "append", kind == "clear"
        opposite = self.lines[at[0], 1 - at[1]]
        other = opposite.shown[0] if opposite.shown else None
        line = self.lines[at]
        entries = [((self.origin + o) % RANKS, *line.levels[o]) for o in line.shown]
        await self.cycle(
            (at, entries, line.incomplete, None if other is None else ((self.origin + other) % RANKS, *opposite.levels[other]))
        )
        dut.valid4.value = 0


@cocotb.test()
async def lines_are_the_best_levels(dut):
    for seed, origin in enumerate((0, RANKS - 20, RANKS // 2 - 10)):
        b, rng = Bench(dut, origin), random.Random(seed)
        await b.start()
        for _ in range(cases(1500, 100_000)):
            at = (rng.choice([3, 3, 3, 9]), rng.randrange(2))
            line = b.lines[at]
            kind = rng.choice(["enter", "enter", "leave", "leave", "change", "append", "read"] + ["clear"] * (rng.random() < 0.02))
            offset, shares = rng.randrange(12), rng.randrange(1, 1000)
            if kind in ("leave", "change"):
                if not line.levels:
                    kind = "enter"
                else:
                    offset = rng.choice(list(line.levels))
                    orders, left = line.levels[offset]
                    shares = left if orders == 1 else rng.randrange(left // 2 + 1)
            if kind == "append" and not line.incomplete:
                continue  # nobody looks for more
            await b.operate(at, kind, offset, shares)
            await b.rest(rng.choice([0, 0, 0, 1, 2, 5]))
        await b.rest(4)
        assert b.compared > 1000


def test_book_levels() -> None:
    simulate("best_levels", "test_book_levels", parameters={"K": K})
