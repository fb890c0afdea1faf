"""Registers of the receive side and of feeds side by side: every pulse is in the counter of its name and feed; settings reach all."""

import logging
import random
import re
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster
from harness import simulate
from net_model import CAUSES
from session_bench import PAGE, address

BY_LINE = (
    *("host_frame", "host_overflow", "passed", "refused", "missed", "bad", "malformed"),
    *("far", "stale", "cut_through", "kept", "too_long", "overflow", "silent"),
)
NET = (*CAUSES, *(f"b_{cause}" for cause in CAUSES), *(f"{line}_{name}" for name in BY_LINE[:2] for line in "ab"))
# arbiter_pkg::arbiter_event_t, from the highest bits down: two bits by line, then the single ones.
ARBITER = (*BY_LINE[2:], "released", "session_reset")
MOLD = ("mold_malformed", "mold_old", "mold_heartbeat", "mold_end_of_session", "mold_packet")
# Ports of feed_status_t that are counted, by the name of their counter.
PULSES = {
    "mold_new_session": "new_session",
    "mold_gap": "mold_gap",
    "fast_overflow": "overflow",
    "fast_wire_rate": "wire_rate",
    "fast_unread": "unread",
}
AMOUNTS = {"itch_messages": "messages", "itch_unknown_type": "unknown_type", "itch_bad_length": "bad_length"}
ERRORS = {1: "fast_d2", 9: "fast_r4", 16: "fast_truncated", 20: "fast_too_deep"}
FAULTS = {0: "fast_unknown_action", 5: "fast_no_symbol", 15: "fast_fields_overflow"}
NEAR_BITS, BITS = 20, 64
FEED = (
    *(f"{line}_{name}" for name in BY_LINE[2:] for line in "ab"),
    *("released", "session_reset", "feed_overflow", "low_gap", "high_gap", "low_lost", "high_lost"),
    *MOLD,
    *PULSES,
    *AMOUNTS,
    *ERRORS.values(),
    *FAULTS.values(),
)


class Bench:
    """Drives every input and adds up what the counters must be: of the lines, and of each feed."""

    def __init__(self, dut: Any) -> None:
        self.dut, self.rng = dut, random.Random(3)
        self.host = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "axil"), dut.clk, dut.rst)
        self.cycle = 0
        self.clear()

    def clear(self) -> None:
        self.net = dict.fromkeys(NET, 0)
        self.feeds = [dict.fromkeys(FEED, 0) for _ in range(2)]
        self.last_gap = [(0, 0)] * 2
        self.lag = [(0, 0)] * 2

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 8, "ns").start())
        logging.getLogger("cocotb").setLevel(logging.WARNING)
        self.dut.time_ns.value = self.dut.frame_start.value = self.dut.lost.value = 0
        self.nothing()
        await self.reset()

    async def reset(self) -> None:
        self.dut.rst.value = 1
        for _ in range(4):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0
        self.clear()
        for _ in range(70):  # the memories of rare causes are cleared
            await FallingEdge(self.dut.clk)

    def nothing(self) -> None:
        for name in ("cause_valid", "host_frame", "host_overflow", "arbiter_events", "feed_overflow", "gap", "packet_valid", "commit"):
            getattr(self.dut, name).value = 0
        for name in (*PULSES.values(), "error_valid", "fault_valid", "lag_valid"):
            getattr(self.dut, name).value = 0

    def pulse(self, rate: float) -> None:
        """Pulses of all kinds, each with this probability; what is beside one that is low is noise."""
        dut, rng = self.dut, self.rng
        self.cycle += 1

        def happens() -> bool:
            return rng.random() < rate

        causes, valid = [rng.randrange(len(CAUSES)) for _ in range(2)], [happens(), happens()]
        dut.cause_a.value, dut.cause_b.value = causes
        dut.cause_valid.value = valid[0] | valid[1] << 1
        for line, prefix in enumerate(("", "b_")):
            self.net[prefix + CAUSES[causes[line]]] += valid[line]
        for name in BY_LINE[:2]:
            lines = [happens(), happens()]
            getattr(dut, name).value = lines[0] | lines[1] << 1
            for line, prefix in enumerate("ab"):
                self.net[f"{prefix}_{name}"] += lines[line]
        ports: dict[str, list[int]] = {}
        for feed in range(2):
            for name, value in self.pulses_of_feed(feed, happens).items():
                ports.setdefault(name, []).append(value)
        widths = {"arbiter_events": 2 * 12 + 2, "gap": 2, "gap_from": 128, "gap_to": 128, "packet": 3, "error": 5, "fault": 4, "lag": 24}
        for name, values in ports.items():
            width = widths.get(name, 16 if name in AMOUNTS.values() else 1)
            getattr(dut, name).value = values[0] | values[1] << width

    def pulses_of_feed(self, feed: int, happens: Any) -> dict[str, int]:
        rng, counts = self.rng, self.feeds[feed]
        ports: dict[str, int] = {}
        packed = 0
        for name in ARBITER:
            if name in ("released", "session_reset"):
                one = happens()
                counts[name] += one
                packed = packed << 1 | one
            else:
                lines = [happens(), happens()]
                counts[f"a_{name}"] += lines[0]
                counts[f"b_{name}"] += lines[1]
                packed = packed << 2 | lines[0] | lines[1] << 1
        ports["arbiter_events"] = packed
        ports["feed_overflow"] = happens()
        counts["feed_overflow"] += ports["feed_overflow"]
        begin = [rng.choice((rng.getrandbits(BITS), (1 << BITS) - 1, rng.randrange(1 << NEAR_BITS))) for _ in range(2)]
        end = [(number + rng.choice((1, rng.randrange(1, 1 << NEAR_BITS), (1 << NEAR_BITS) - 1))) % (1 << BITS) for number in begin]
        gaps = [happens(), happens()]
        ports["gap"] = gaps[0] | gaps[1] << 1
        ports["gap_from"], ports["gap_to"] = (numbers[0] | numbers[1] << BITS for numbers in (begin, end))
        for output, name in enumerate(("low", "high")):
            counts[f"{name}_gap"] += gaps[output]
            counts[f"{name}_lost"] += (end[output] - begin[output]) % (1 << BITS) if gaps[output] else 0
        if gaps[1]:
            self.last_gap[feed] = begin[1], end[1]
        ports["packet_valid"], ports["packet"] = happens(), rng.randrange(len(MOLD))
        counts[MOLD[ports["packet"]]] += ports["packet_valid"]
        for name, port in PULSES.items():
            ports[port] = happens()
            counts[name] += ports[port]
        ports["commit"] = happens()
        for name, port in AMOUNTS.items():
            ports[port] = rng.choice((0, 1, 0xFFFF, rng.randrange(1 << 16)))
            counts[name] += ports[port] if ports["commit"] else 0
        # FAST ends no two packets in so few cycles.
        at_all = self.cycle % 4 == 0
        ports["error_valid"], ports["error"] = at_all and happens(), rng.choice(list(ERRORS))
        counts[ERRORS[ports["error"]]] += ports["error_valid"]
        ports["fault_valid"], ports["fault"] = at_all and happens(), rng.choice(list(FAULTS))
        counts[FAULTS[ports["fault"]]] += ports["fault_valid"]
        ports["lag_valid"], ports["lag"] = happens(), rng.randrange(1 << 24)
        if ports["lag_valid"]:
            self.lag[feed] = ports["lag"], max(self.lag[feed][1], ports["lag"])
        return ports

    async def read(self, name: str) -> int:
        return int.from_bytes((await self.host.read(address(name), 4)).data, "little")

    async def write(self, name: str, value: int, place: int = 0) -> None:
        await self.host.write(address(name) + 4 * place, value.to_bytes(4, "little"))

    async def check(self) -> None:
        self.nothing()
        for _ in range(8):
            await FallingEdge(self.dut.clk)
        for name, count in self.net.items():
            assert await self.read(name) == count, name
        # A feed that there is not: the first.
        for shown, feed in ((1, 1), (0, 0), (3, 0)):
            await self.write("feed_shown", shown)
            assert await self.read("feed_shown") == shown
            for name, count in self.feeds[feed].items():
                assert await self.read(name) == count % (1 << 32), (feed, name)
            for end, number in zip(("gap_from", "gap_to"), self.last_gap[feed], strict=True):
                assert await self.read(f"{end}_high") << 32 | await self.read(f"{end}_low") == number
            assert (await self.read("fast_lag_last"), await self.read("fast_lag_most")) == self.lag[feed]
        await self.write("feed_shown", 0)
        await FallingEdge(self.dut.clk)  # the bus ends at a rising one


@cocotb.test()
async def every_pulse_is_in_the_counter_of_its_name(dut: Any) -> None:
    bench = Bench(dut)
    await bench.start()
    for rate, cycles in ((0.05, 400), (0.5, 400), (1, 200), (0, 10), (0.01, 1000)):
        for _ in range(cycles):
            bench.pulse(rate)
            await FallingEdge(dut.clk)
        await bench.check()
    counted = [count for counts in (bench.net, *bench.feeds) for name, count in counts.items() if not name.endswith("_lost")]
    assert min(counted) > 10  # none is left out
    assert len(set(counted)) > len(counted) // 3  # nor easily taken for another


@cocotb.test()
async def a_reset_forgets_all(dut: Any) -> None:
    bench = Bench(dut)
    await bench.start()
    for _ in range(100):
        bench.pulse(0.5)
        await FallingEdge(dut.clk)
    bench.nothing()
    await bench.reset()
    await bench.check()


@cocotb.test()
async def a_slot_without_a_counter_reads_0(dut: Any) -> None:
    bench = Bench(dut)
    await bench.start()
    for _ in range(50):
        bench.pulse(0.9)
        await FallingEdge(dut.clk)
    bench.nothing()
    named = {int(found, 16) for found in re.findall(r"^\| (0x[0-9a-f]+)", (PAGE / "registers.md").read_text(), re.MULTILINE)}
    for at in range(0x100, 0x400, 4):
        if at not in named:
            assert (await bench.host.read(at, 4)).data == bytes(4), hex(at)


@cocotb.test()
async def settings_reach_all_who_have_them_and_are_read_back(dut: Any) -> None:
    bench = Bench(dut)
    await bench.start()
    assert (int(dut.itch50.value), int(dut.enable.value), await bench.read("control")) == (3, 0, 2)
    await bench.write("control", 0x00FF0001)
    assert (int(dut.itch50.value), int(dut.enable.value), await bench.read("control")) == (0, 1, 1)
    for name, value in (("local_mac_high", 0x0201), ("local_mac_low", 0x03040506), ("local_ip", 0x0A000001), ("feeds", 0x12345678)):
        await bench.write(name, value)
        assert await bench.read(name) == value
    for place in range(4):
        await bench.write("group", 0xEF000000 + place, place)
        await bench.write("port", 100 + place, place)
    await bench.write("time_window", 7)
    await bench.write("arbitration", 2 << 4 | 3)
    assert await bench.read("arbitration") == 2 << 4 | 3
    await FallingEdge(dut.clk)
    # Members of arbiter_config_t, the first one highest.
    wanted = ((3 << 2 | 2) << 32 | 7) << 16 | 1
    assert int(dut.setting.value) == (wanted << 33) << 85 | wanted << 33
    config = int(dut.net_config.value)
    for value, width in ((0x020103040506, 48), (0x0A000001, 32), (0xEF000003, 32), (103, 16), (0x12345678, 32)):
        assert any(config >> at & (1 << width) - 1 == value for at in range(400)), hex(value)


@cocotb.test()
async def times_are_of_the_first_and_of_the_last_byte(dut: Any) -> None:
    bench = Bench(dut)
    await bench.start()
    dut.time_ns.value, dut.frame_start.value = 1 << 32 | 100, 2
    await FallingEdge(dut.clk)
    dut.time_ns.value, dut.frame_start.value, dut.cause_valid.value = 5 << 32, 0, 1
    await FallingEdge(dut.clk)
    dut.cause_valid.value = 0
    first = await bench.read("frame_first_time_high") << 32 | await bench.read("frame_first_time_low")
    last = await bench.read("frame_last_time_high") << 32 | await bench.read("frame_last_time_low")
    assert (first, last) == ((1 << 32 | 100) - 8, (5 << 32) - 24)


def test_feed_registers() -> None:
    simulate("feed_registers_tb", "test_feed_registers")
