"""The lines of docs/reference/figures.md: what each is, and where its figure comes from."""

from collections.abc import Callable
from dataclasses import dataclass

import presets
from measured import Measured


@dataclass(frozen=True)
class Row:
    """A line of the page: what it is, the figure or none, what it is compared with, seeds or sample, the command, the file it is from."""

    what: str
    figure: Callable[[Measured], str | None]
    published: str
    seeds: str
    command: str
    file: str


def number(value: float) -> str:
    """As a person writes it: at most three decimals, thousands apart."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.3f}".rstrip("0") if value < 1 else f"{value:,.1f}"


def values(file: str, text: str, *paths: str) -> Callable[[Measured], str | None]:
    """The text with the values at these paths; none if one of them is absent."""

    def figure(measured: Measured) -> str | None:
        found = [measured.get(file, path) for path in paths]
        if any(value is None for value in found):
            return None
        return text.format(*(number(value) if isinstance(value, int | float) else value for value in found))

    return figure


def latency(file: str, path: str, preset: str) -> Callable[[Measured], str | None]:
    """Cycles, and nanoseconds at the clock that the preset reached."""

    def figure(measured: Measured) -> str | None:
        cycles = measured.get(file, path)
        if cycles is None:
            return None
        placed, clock = measured.nanoseconds(preset, cycles), measured.clock(preset)
        at = (
            f"{placed:.1f} ns at {clock:.1f} MHz (`{preset}`, slowest seed)" if placed else f"`{preset}` not placed here, so no nanoseconds"
        )
        return f"{number(cycles)} cycles, {at}"

    return figure


def placed(name: str) -> Callable[[Measured], str | None]:
    """Clock, size and verdict of a design."""

    def figure(measured: Measured) -> str | None:
        design = measured.file(f"pnr/{name}")
        if design is None:
            return None
        clocks = ", ".join(f"{clock:.1f}" for clock in design["fmax_mhz"])
        verdict = "met" if design["met"] else "MISSED"
        text = f"{clocks} MHz on the {design['device']}, {design['target_mhz']:g} wanted: {verdict}"
        if "lut4" in design:
            text += f"; {design['lut4']:,} LUT4, {design['ff']:,} flip-flops, {design['ebr']} block RAMs, {design['dsp']} DSPs"
        return text

    return figure


GENERATED = "generated data seed 16, AAPL hour where it is"
ROWS = (
    Row(
        "ITCH: last byte of the tick in → first byte of the report out, W = 64, two lines",
        latency("bench/foundation", "w64.last_first_cycles.max", "itch_10g_two_lines"),
        "2.7 µs (system B, 2011)",
        GENERATED,
        "tickwire bench foundation",
        "bench/foundation",
    ),
    Row(
        "the same, W = 8",
        latency("bench/foundation", "w8.last_first_cycles.max", "itch_1g_two_lines"),
        "",
        GENERATED,
        "tickwire bench foundation",
        "bench/foundation",
    ),
    Row(
        "reports of hardware and software compared, W = 8 / W = 64",
        values("bench/foundation", "{} / {}", "w8.reports_compared", "w64.reports_compared"),
        "",
        GENERATED,
        "tickwire bench foundation",
        "bench/foundation",
    ),
    Row(
        "mutated frames through hardware and software; differences of any kind",
        values("bench/foundation", "{}; {}", "fuzz_frames", "mismatches"),
        "",
        "1000 to 1003",
        "tickwire bench foundation",
        "bench/foundation",
    ),
    Row(
        "ITCH in software, one thread, a message: parse / parse and filter / the complete pipeline",
        values("bench/foundation", "{} / {} / {} ns", "itch.0.parse_ns", "itch.0.parse_filter_ns", "itch.0.handler_ns"),
        "6.8 to 6.9 ns to parse and filter, the best open parsers",
        "AAPL hour, or generated seed 8000",
        "tickwire bench foundation",
        "bench/foundation",
    ),
    Row(
        "order book in software at 8,000 symbols, with queues, one thread, parse included, a message; as a multiple of the parse",
        values("bench/book", "{} ns; {}", "ns_per_message", "of_parse"),
        "51 ns (itch-order-book, levels only, another run)",
        "8000; processor time, least of 7 passes",
        "tickwire bench book",
        "bench/book",
    ),
    Row(
        "order book in software against a plain one after every message; differences",
        values("bench/book", "{}; {}", "messages_compared", "mismatches"),
        "",
        "16; the AAPL hour where it is",
        "tickwire bench book",
        "bench/book",
    ),
    Row(
        "order book in hardware against software, bad frames and a rebuild included: messages; all differences of the book",
        values("bench/book", "{}; {}", "hardware.messages_compared", "mismatches"),
        "",
        "16, 18; the AAPL hour where it is",
        "make bench",
        "bench/book",
    ),
    Row(
        "order book in hardware: an event to the best price; between two events",
        values("bench/book", "{} cycles; {}", "best_price_cycles", "interval_cycles"),
        "11 cycles, one a cycle (vendor's claim)",
        "80 events",
        "make bench",
        "bench/book",
    ),
    Row(
        "mutated frames through the book, bad verdicts included; of these through the cores that trade; differences of the book",
        values("bench/book", "{}; {}; {}", "fuzz_frames", "fuzz.core_frames", "mismatches"),
        "",
        "101 on",
        "make bench",
        "bench/book",
    ),
    Row(
        "tick to trade: last byte of a message that changes the best price in → first byte of the order out, W = 64, any message",
        latency("bench/book", "w64.last_first_cycles.max", "itch_trader_10g"),
        "561 ns least, 640 mean, 1,163 most (system E, 2018)",
        "AAPL; generated, seed 16",
        "make bench",
        "bench/book",
    ),
    Row(
        "the same where an add improves the best price",
        latency("bench/book", "w64.improving_add_cycles.max", "itch_trader_10g"),
        "",
        "AAPL; generated, seed 16",
        "make bench",
        "bench/book",
    ),
    Row(
        "tick to trade, W = 8, any message",
        latency("bench/book", "w8.last_first_cycles.max", "itch_trader_1g"),
        "",
        "AAPL; generated, seed 16",
        "make bench",
        "bench/book",
    ),
    Row(
        "tick to trade: orders of hardware and software compared, W = 64 / W = 8; most cycles between two messages of a kind",
        values("bench/book", "{} / {}; {} / {}", *(f"{w}.{key}" for key in ("orders_compared", "jitter_cycles") for w in ("w64", "w8"))),
        "",
        "AAPL; generated, seed 16",
        "make bench",
        "bench/book",
    ),
    Row(
        "tick to trade in software on sockets, busy-poll, p50; as a multiple of a bare echo from UDP to TCP in the same run",
        values("bench/book", "{} ns; {}", "tick_to_trade.busy_poll.order_ns.p50", "software_over_echo"),
        "",
        "20,000 orders",
        "tickwire bench book",
        "bench/book",
    ),
    Row(
        "tick to trade on an order log in FAST (system E's test), W = 64, the strategy as hardware (`wire`): mean",
        latency("bench/tick_to_trade", "fpga_w64_wire.cycles.mean", "moex_wire_10g"),
        "640 ns (system E, 2018)",
        "90,000 generated packets",
        "make bench",
        "bench/tick_to_trade",
    ),
    Row(
        "the same: half of the orders (a packet of one entry)",
        latency("bench/tick_to_trade", "fpga_w64_wire.cycles.p50", "moex_wire_10g"),
        "",
        "90,000 generated packets",
        "make bench",
        "bench/tick_to_trade",
    ),
    Row(
        "the same, any packet: most",
        latency("bench/tick_to_trade", "fpga_w64_wire.cycles.max", "moex_wire_10g"),
        "1,163 ns (system E, 2018)",
        "90,000 generated packets",
        "make bench",
        "bench/tick_to_trade",
    ),
    Row(
        "the same, mean cycles of each stage: receive, decode, book, strategy, risk, send",
        values(
            "bench/tick_to_trade",
            "{} + {} + {} + {} + {} + {}",
            *(f"fpga_w64_wire.stages.{stage}.mean" for stage in ("receive", "decode", "book", "strategy", "risk", "send")),
        ),
        "",
        "90,000 generated packets",
        "make bench",
        "bench/tick_to_trade",
    ),
    Row(
        "the same, packets eight times as fast as recorded: mean",
        latency("bench/open_loop", "fpga_w64_wire_8x.cycles.mean", "moex_wire_10g"),
        "",
        "the first 5,000 generated packets",
        "make bench",
        "bench/open_loop",
    ),
    Row(
        "the same with the wire-rate FAST engine: mean",
        latency("bench/tick_to_trade", "fpga_w64_wire_wire_rate.cycles.mean", "moex_wire_rate_10g_one_line"),
        "640 ns (system E, 2018)",
        "90,000 generated packets",
        "make bench",
        "bench/tick_to_trade",
    ),
    Row(
        "the same, any packet: most",
        latency("bench/tick_to_trade", "fpga_w64_wire_wire_rate.cycles.max", "moex_wire_rate_10g_one_line"),
        "1,163 ns (system E, 2018)",
        "90,000 generated packets",
        "make bench",
        "bench/tick_to_trade",
    ),
    Row(
        "the same, the strategy as a program of the processor (`alu`): mean",
        latency("bench/tick_to_trade", "fpga_w64_alu.cycles.mean", "moex_10g_one_line"),
        "1,125 ns (system E's language, 2018)",
        "90,000 generated packets",
        "make bench",
        "bench/tick_to_trade",
    ),
    Row(
        "`alu` with the wire-rate FAST engine: mean",
        latency("bench/tick_to_trade", "fpga_w64_alu_wire_rate.cycles.mean", "moex_alu_rate_10g_one_line"),
        "1,125 ns (system E's language, 2018)",
        "90,000 generated packets",
        "make bench",
        "bench/tick_to_trade",
    ),
    Row(
        "the packets of that test through the simulated core, the software beside it: seconds, with the microcode engine / at wire rate",
        values(
            "bench/tick_to_trade",
            "{} / {} s for {} packets",
            "fpga_w64_wire.simulation_seconds",
            "fpga_w64_wire_wire_rate.simulation_seconds",
            "packets",
        ),
        "",
        "90,000 generated packets",
        "make bench",
        "bench/tick_to_trade",
    ),
    Row(
        "FAST in software, one thread, a message of 67 bytes and 3 entries, every field to a value",
        values("bench/fast", "{} ns", "software_ns_per_message"),
        "344 ns (mFAST, generated, another run)",
        "2013; processor time, least of 41 passes",
        "tickwire bench fast",
        "bench/fast",
    ),
    Row(
        "FAST in hardware: a message's last byte → its last field, where the engine is not behind, W = 64 / W = 8",
        values("bench/fast", "{} / {} cycles", "last_field_cycles.min", "last_field_cycles_w8.max"),
        "173 to 720 ns a message (2016 to 2023)",
        "200 packets",
        "make bench",
        "bench/fast",
    ),
    Row(
        "FAST in hardware, W = 64: tokens a cycle, messages of three tokens back to back",
        values("bench/fast", "{}", "tokens_per_cycle"),
        "",
        "500 messages",
        "make bench",
        "bench/fast",
    ),
    Row(
        "FAST in hardware, W = 64: cycles behind the wire at a packet's end, mean / p99 / most: MICEX derivatives; MOEX trades",
        values(
            "bench/fast",
            "{} / {} / {}; {} / {} / {}",
            *(f"lag_cycles.{d}.{key}" for d in ("micex", "trades") for key in ("mean", "p99", "max")),
        ),
        "50.6 / 194 / 315; 28.9 / 64 / 106, one instruction a cycle (system A)",
        "recorded data",
        "make bench",
        "bench/fast",
    ),
    Row(
        "a MICEX packet on the wire → the values of its fields in a program: kernel socket / frames in memory / decoded fields in memory",
        values("bench/fast", "{} / {} / {} ns", *(f"bypass_ns.{way}" for way in ("kernel", "udp", "fast"))),
        "12,800 / 4,100 / 2,600 ns (system A, 2011)",
        "recorded data; the bus to memory is not in it",
        "make bench",
        "bench/fast",
    ),
    Row(
        "FAST, hardware against software: random messages; mutated; of the MICEX line, good; differences",
        values("bench/fast", "{}; {}; {}; {}", "random_messages", "mutated_messages", "micex_messages", "mismatches"),
        "",
        "1 on, 1,000,001 on",
        "make bench",
        "bench/fast",
    ),
    Row(
        "FAST at wire rate: a packet's last byte → its last entry, least / most; behind the wire on recorded data, at most",
        values("bench/fast_wire", "{} / {} cycles; {} cycles", "last_entry_cycles.min", "last_entry_cycles.max", "lag_cycles.trades.max"),
        "50.6 / 194 / 315 behind, one instruction a cycle (system A)",
        "recorded, generated, random and mutated packets",
        "tickwire bench fast-wire",
        "bench/fast_wire",
    ),
    Row(
        "FAST at wire rate, hardware against software: random messages; mutated; handed over; entries compared; differences",
        values(
            "bench/fast_wire",
            "{}; {}; {}; {}; {}",
            *(f"{what}_messages" for what in ("random", "mutated", "trapped")),
            "entries_compared",
            "mismatches",
        ),
        "",
        "1 on, 1,000,000 on",
        "tickwire bench fast-wire",
        "bench/fast_wire",
    ),
    Row(
        "FAST at wire rate, a set of eight templates: a packet's last byte → its last entry; random messages; mutated; handed over",
        values(
            "bench/fast_wire",
            "{} cycles; {}; {}; {}",
            "set.last_entry_cycles.max",
            *(f"set.{what}_messages" for what in ("random", "mutated", "trapped")),
        ),
        "",
        "2,000,000 on, 3,000,000 on",
        "tickwire bench fast-wire",
        "bench/fast_wire",
    ),
    Row(
        "software pipeline on sockets, busy-poll, last→first p50; as a multiple of a bare UDP echo",
        values("bench/foundation", "{} ns; {}", "software.handler.0.last_first_ns.p50", "software.handler.0.of_echo"),
        "",
        GENERATED,
        "tickwire bench foundation",
        "bench/foundation",
    ),
    Row(
        "price in → stop order out, W = 64, most of all rounds",
        latency("bench/session", "stop_last_first_cycles.w64.max", "stops_10g"),
        "640 ns mean, 780 most (system C, 2018)",
        "1,000 rounds",
        "tickwire bench session",
        "bench/session",
    ),
    Row(
        "the same, W = 8",
        latency("bench/session", "stop_last_first_cycles.w8.max", "stops_1g"),
        "",
        "1,000 rounds",
        "tickwire bench session",
        "bench/session",
    ),
    Row(
        "the software client in the same market, p50",
        values("bench/session", "{} ns", "stop_software_ns.p50"),
        "",
        "1,000 rounds",
        "tickwire bench session",
        "bench/session",
    ),
    Row(
        "decision of a strategy → first byte of the order, W = 64 / W = 8",
        values("bench/decision_first_byte", "{} / {} cycles", "w64", "w8"),
        "",
        "cocotb seed 1",
        "pytest tests/rtl/test_order_path.py",
        "bench/decision_first_byte",
    ),
    Row(
        "orders over lines that lose, reorder, double, corrupt, delay: sent, lost, doubled",
        values("bench/bad_lines", "{}, {}, {}", "orders", "lost", "doubled"),
        "",
        "",
        "make orders",
        "bench/bad_lines",
    ),
    Row(
        "orders of hardware and software compared; differences",
        values("bench/orders", "{}; {}", "orders_compared", "mismatches"),
        "",
        "",
        "make bench",
        "bench/orders",
    ),
    Row(
        "FIX: encode an order / parse a report, CheckSum verified",
        values("bench/session", "{} / {} ns", "fix_encode_order_ns", "fix_parse_report_ns"),
        "59 / 119 ns (hffix, another run)",
        "best of 4,000 passes",
        "tickwire bench session",
        "bench/session",
    ),
    Row(
        "FIX order over loopback to its report, p50: in memory / QuickFIX C++, same run",
        values("bench/session", "{} / {} µs", "fix_ack.memory.p50", "fix_ack.quickfix.p50"),
        "",
        "5,000 orders",
        "tickwire bench session",
        "bench/session",
    ),
    Row(
        "with journal and sessions on disk / QuickFIX with its file store, same run",
        values("bench/session", "{} / {} µs", "fix_ack.durable.p50", "fix_ack.quickfix_file.p50"),
        "",
        "5,000 orders",
        "tickwire bench session",
        "bench/session",
    ),
    Row(
        "FIX 4.4 acceptance scripts of QuickFIX: passed, of",
        values("bench/fix_acceptance", "{}, {}", "passed", "scripts"),
        "",
        "",
        "cargo test -p session --test acceptance",
        "bench/fix_acceptance",
    ),
    Row(
        "matching engine, one thread",
        values("bench/session", "{} operations/s", "match_orders_per_s"),
        "22 million/s (best open engine)",
        "4",
        "tickwire bench session",
        "bench/session",
    ),
    Row(
        "A/B arbiter, an expected packet: low latency / high reliability",
        values("bench/arbiter", "{} / {} cycles", "low_latency_cycles.max", "expected_cycles.max"),
        "1 / 7 cycles (system D, 2014)",
        "1",
        "tickwire bench arbiter",
        "bench/arbiter",
    ),
    Row(
        "A/B arbiter against its rules / against its software, packets; differences",
        values("bench/arbiter", "{} / {}; {}", "random_packets", "lockstep_packets", "mismatches"),
        "",
        "10,000 on",
        "tickwire bench arbiter",
        "bench/arbiter",
    ),
    Row(
        "`make test`: minutes, processor minutes",
        values("test_times", "{}, {} on {} processors", "minutes", "processor_minutes", "processors"),
        "",
        "",
        "make test",
        "test_times",
    ),
)
BLOCKS = (
    ("arbiter_w8", "the arbiter alone, W = 8", ""),
    ("arbiter_w64", "the arbiter alone, W = 64", "one policy, 64 bits, 1,609 LUT4, 94 to 101 MHz"),
    ("arbiter_w128_seq64", "the arbiter alone, W = 128, 64-bit numbers", "166 MHz on a Virtex-6 (system D)"),
    ("arbiter_w128_seq32", "the arbiter alone, W = 128, 32-bit numbers", "190 MHz on a Virtex-6 (system D)"),
    ("book", "the order book alone, 12,288 orders", "10,262 LUT4 and 42 MHz, price ladder of the best open trading core"),
    ("fast_w8", "the FAST engine alone, W = 8", ""),
    ("fast_w64", "the FAST engine alone, W = 64", "5,630 LUTs (system A)"),
    ("fast_wire", "the wire-rate FAST engine alone, ten wanted fields", ""),
    ("fast_wire_set", "the same for a set of eight templates, with its scout", ""),
    ("fast_wire_constants", "the same with the order log's tables as constants, seven fields", ""),
    ("fast_wire_nexus", "the same with ten fields, tables that are loaded", ""),
    ("alu", "the strategy processor alone", ""),
    ("tcp_w8", "the TCP client alone, W = 8", ""),
    ("tcp_w64", "the TCP client alone, W = 64", "2,219 LUT4 and 97 MHz, TCP transmit of the best open trading core"),
)


def placed_rows() -> list[Row]:
    """A row a preset and part, then the blocks alone."""
    rows = []
    for preset in presets.load():
        for index, place in enumerate(preset.place):
            name = preset.name if index == 0 else f"{preset.name}_{place.part.lower().replace('-', '_')}"
            rows.append(Row(f"`{name}`: {preset.summary}", placed(name), "", "", f"make pnr DESIGN={name}", f"pnr/{name}"))
    return rows + [Row(what, placed(name), beside, "", f"make pnr DESIGN={name}", f"pnr/{name}") for name, what, beside in BLOCKS]
