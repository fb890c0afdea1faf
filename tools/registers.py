#!/usr/bin/env python3
"""Generates what depends on the register maps: the RTL packages, the Rust constants and the reference pages.

The sources are rtl/host/registers.rdl and order_registers.rdl (SystemRDL 2.0). Outputs of each NAME, all committed:

    rtl/host/generated/STAGE_csr_pkg.sv        a stage's registers: types, where their fields are, its counters (rtl/host/csr)
    crates/device/src/NAME.rs                  addresses, fields, a table of all registers
    docs/reference/NAME.md                     the reference page, its underscores as hyphens

`--check` writes nothing and fails where a committed file is not what the source gives today. `--free` lists the addresses that no
register has.

Constants and pages are written here, not by PeakRDL's exporters: those were tried and gave less. peakrdl-rust 0.7.4: 55 files with 375
`unsafe` (crates/device forbids it), registers behind a `*mut u8`, and no table of names that a program could print. peakrdl-markdown 1.0.3:
3,433 lines where the two pages have 289, each register of an array again, pulses as `rw` or `w`, the order path's registers from 0x000 on.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from systemrdl import RDLCompileError, RDLCompiler
from systemrdl.node import AddrmapNode, FieldNode, MemNode, RegNode

ROOT = Path(__file__).resolve().parents[1]
RTL = Path("rtl/host/generated")


@dataclass(frozen=True)
class Block:
    """A register block: its source, and where it begins in the core's address space."""

    source: Path
    base: int

    @property
    def name(self) -> str:
        return self.source.stem

    @property
    def rust(self) -> Path:
        return Path("crates/device/src") / f"{self.name}.rs"

    @property
    def page(self) -> Path:
        return Path("docs/reference") / f"{self.name.replace('_', '-')}.md"


BLOCKS = (Block(Path("rtl/host/registers.rdl"), 0x000), Block(Path("rtl/host/order_registers.rdl"), 0x400))


@dataclass(frozen=True)
class Field:
    """A field of a register."""

    name: str
    low: int
    width: int
    access: str
    reset: int | None
    description: str
    stages: tuple[str, ...]  # that have it
    constant: bool  # to the hardware too

    @property
    def bits(self) -> str:
        return f"{self.low + self.width - 1}:{self.low}" if self.width > 1 else f"{self.low}"


@dataclass(frozen=True)
class Register:
    """A register, or an array of equal ones."""

    name: str
    title: str
    description: str
    address: int
    count: int
    stride: int
    fields: tuple[Field, ...]
    memory: str | None  # of counters, in which it is

    @property
    def writable(self) -> bool:
        return any("w" in field.access for field in self.fields)


@dataclass(frozen=True)
class Map:
    """The whole register map."""

    title: str
    description: str
    size: int
    registers: tuple[Register, ...]


def plain(text: object) -> str:
    """One line of text; nothing for nothing."""
    return re.sub(r"\s+", " ", str(text)).strip() if text else ""


def line_of(node: RegNode | FieldNode) -> int:
    """Where it stands in its source."""
    place = node.inst.inst_src_ref
    return place.line if place is not None and place.line is not None else 0


def stages_at(source: Path) -> list[tuple[int, tuple[str, ...]]]:
    """Whose the registers from a line on are, as comments in the source say."""
    lines = (ROOT / source).read_text().splitlines()
    marks = ((number, re.fullmatch(r"\s*// stage: (\w+(?: \w+)*)", line)) for number, line in enumerate(lines, 1))
    return [(number, tuple(mark[1].split())) for number, mark in marks if mark]


def read_field(node: FieldNode, stages: list[tuple[int, tuple[str, ...]]]) -> Field:
    # The fields of a common type stand above all stages: they are of the stage of the register.
    line = line_of(node) if line_of(node) > stages[0][0] else line_of(node.parent)
    if line < stages[0][0]:
        raise SystemExit(f"{node.get_path()} is of no stage: put it under a `// stage:`")
    reset = node.get_property("reset")
    access = node.get_property("sw").name
    if node.get_property("singlepulse"):
        access = "w1p"
    return Field(
        name=node.inst_name,
        low=node.low,
        width=node.width,
        access=access,
        reset=reset if isinstance(reset, int) else None,
        description=plain(node.get_property("desc")),
        stages=[names for number, names in stages if number < line][-1],
        constant=node.get_property("hw").name == "na",
    )


def title_of(node: RegNode | AddrmapNode) -> str:
    """The `name` given in the source; a default one is only the instance's name again, so nothing."""
    return plain(node.get_property("name", default=""))


def comment(node: RegNode) -> str:
    """What stands after a register without a description on its line. A property of each would make a type of each in the RTL."""
    place = node.inst.inst_src_ref
    text = plain(place.line_text.partition("//")[2]) if place is not None and place.line_text else ""
    return text[:1].upper() + text[1:]


def registers_in(parent: AddrmapNode | MemNode) -> Iterator[RegNode]:
    """The registers, those that stand in a memory too: to the host they are all alike."""
    for node in parent.children(unroll=False):
        if isinstance(node, MemNode) and not node.is_array:
            yield from registers_in(node)
        elif isinstance(node, RegNode):
            yield node
        elif not isinstance(node, FieldNode):
            raise SystemExit(f"{node.get_path()} is no register: only registers, arrays of registers and memories are supported")


def read_map(top: AddrmapNode, block: Block) -> Map:
    registers = []
    stages = stages_at(block.source)
    for node in registers_in(top):
        dimensions = node.array_dimensions or [1]
        if len(dimensions) > 1:
            raise SystemExit(f"{node.get_path()} has more than one dimension")
        registers.append(
            Register(
                name=node.inst_name,
                title=title_of(node),
                description=plain(node.get_property("desc")) or comment(node),
                address=block.base + (node.raw_absolute_address if node.is_array else node.absolute_address),
                count=dimensions[0],
                stride=node.array_stride if node.is_array and node.array_stride is not None else node.get_property("regwidth") // 8,
                fields=tuple(read_field(field, stages) for field in node.fields()),
                memory=node.parent.inst_name if isinstance(node.parent, MemNode) else None,
            )
        )
    return Map(title_of(top), plain(top.get_property("desc")), top.size, tuple(registers))


# A stage has no use for each of its counters' names, and some fields have names that C++ has too.
LINT_OFF = ("// verilator lint_off UNUSEDPARAM", "// verilator lint_off SYMRSVDWORD")


def member(width: int, name: str) -> str:
    return f"logic [{width - 1}:0] {name};" if width > 1 else f"logic {name};"


def fields_of(registers: list[Register], stage: str, writable: bool) -> list[tuple[Register, list[Field]]]:
    """What of the registers is the stage's, to be written or only to be read."""
    found = []
    for register in registers:
        fields = [field for field in register.fields if stage in field.stages and ("w" in field.access) is writable]
        if fields and register.memory is None:
            found.append((register, fields))
    return found


def structure(name: str, registers: list[tuple[Register, list[Field]]]) -> list[str]:
    """A type with a member a register: of a field alone, or a type of its own of all the stage has of it."""
    parts, members = [], []
    for register, fields in registers:
        array = f"[{register.count - 1}:0]" if register.count > 1 else ""
        if len(register.fields) == 1 and fields[0].name == "value":
            members.append(
                f"    {member(fields[0].width, register.name)}"
                if not array
                else f"    logic {array}[{fields[0].width - 1}:0] {register.name};"
            )
        else:
            parts += [
                "  typedef struct packed {",
                *(f"    {member(field.width, field.name)}" for field in fields),
                f"  }} {register.name}_fields_t;",
            ]
            members.append(f"    {register.name}_fields_t {array}{' ' if array else ''}{register.name};")
    return [*parts, "  typedef struct packed {", *members, f"  }} {name};"]


def field_map(name: str, registers: list[tuple[Register, list[Field]]]) -> list[str]:
    """Where each member of the type is: in the order of its members."""
    lines = []
    for register, fields in registers:
        for index in reversed(range(register.count)):
            address = (register.address + index * register.stride) // 4
            for field in fields:
                readable = int("r" in field.access)
                pulse = int(field.access == "w1p")
                place = f"9'h{address:03x}, 5'd{field.low}, 6'd{field.width}, 1'b{readable}, 1'b{pulse}, 32'h{field.reset or 0:x}"
                lines.append((f"    '{{{place}}}", f"  // {register.name}" + (f".{field.name}" if len(register.fields) > 1 else "")))
    rows = [f"{place},{name}" for place, name in lines[:-1]] + ["".join(lines[-1])]
    head = [f"  localparam int {name}Fields = {len(lines)};", f"  localparam csr_field_t [{name}Fields-1:0] {name}Map = '{{"]
    return [*head, *rows, "  };"]


def package(stage: str, registers: list[Register]) -> str:
    """The registers of a stage: types of what is written and of what is read, where their fields are, and its counters."""
    sources = " and ".join(str(block.source) for block in BLOCKS)
    lines = [
        f"// Generated by tools/registers.py from {sources}: do not edit.",
        *LINT_OFF,
        f"package {stage}_csr_pkg;",
        "  import csr_pkg::*;",
    ]
    settings, status = (fields_of(registers, stage, writable) for writable in (True, False))
    if settings:
        lines += ["", "  // What the host writes.", *structure("setting_t", settings), *field_map("Setting", settings)]
    if status:
        lines += ["", "  // What it reads.", *structure("status_t", status), *field_map("Status", status)]
        constants = [(register, field) for register, fields in status for field in fields if field.constant]
        lines += [f"  localparam logic [{field.width - 1}:0] {r.name.title()} = {field.width}'h{field.reset:x};" for r, field in constants]
    counters = [register for register in registers if register.memory and stage in register.fields[0].stages]
    if counters:
        first, last = counters[0].address // 4, counters[-1].address // 4
        # A slot's number is the lower bits of its address.
        width = next(bits for bits in range(9) if first >> bits == last >> bits)
        taken, first = first, first >> width << width
        width = max(1, width)
        others = [register.name for register in registers if register not in counters and first <= register.address // 4 <= last]
        if others:
            raise SystemExit(f"{stage}: among its {last - taken + 1} counters is {others[0]}, which is of another stage")
        names = [(f"COUNT_{register.name.upper()}", register.address // 4 - first) for register in counters]
        longest = max(len(name) for name, _ in names)
        lines += [
            "",
            "  // Its counters, from this address on.",
            f"  localparam logic [8:0] CountersAt = 9'h{first:03x};",
            f"  localparam int Counters = {last - first + 1};",
            f"  typedef enum logic [{width - 1}:0] {{",
            ",\n".join(f"    {name:{longest}} = {width}'d{slot}" for name, slot in names),
            "  } counter_e;",
        ]
    return "\n".join([*lines, "endpackage", ""])


def packages(maps: list[Map]) -> dict[Path, str]:
    registers = [register for each in maps for register in each.registers]
    stages = dict.fromkeys(stage for register in registers for field in register.fields for stage in field.stages)
    return {RTL / f"{stage}_csr_pkg.sv": package(stage, registers) for stage in stages}


RUST_TYPES = [
    "/// A field of a 32-bit register.",
    "#[derive(Clone, Copy, Debug, PartialEq, Eq)]",
    "pub struct Field {",
    "    /// Name, as in the register map.",
    "    pub name: &'static str,",
    "    /// Position of the least significant bit.",
    "    pub low: u32,",
    "    /// Bits.",
    "    pub width: u32,",
    "}",
    "",
    "impl Field {",
    "    pub(crate) const fn new(name: &'static str, low: u32, width: u32) -> Self {",
    "        Self { name, low, width }",
    "    }",
    "",
    "    /// The bits of the register that belong to the field.",
    "    pub const fn mask(self) -> u32 {",
    "        (u32::MAX >> (32 - self.width)) << self.low",
    "    }",
    "",
    "    /// The field's value in a register's value.",
    "    pub const fn get(self, register: u32) -> u32 {",
    "        (register & self.mask()) >> self.low",
    "    }",
    "",
    "    /// A register's value with the field set to `value` (bits that do not fit are dropped).",
    "    pub const fn set(self, register: u32, value: u32) -> u32 {",
    "        (register & !self.mask()) | ((value << self.low) & self.mask())",
    "    }",
    "}",
    "",
    "/// A register, or an array of equal ones.",
    "#[derive(Clone, Copy, Debug, PartialEq, Eq)]",
    "pub struct Register {",
    "    /// Name, as in the register map.",
    "    pub name: &'static str,",
    "    /// Byte address of the (first) register.",
    "    pub address: u32,",
    "    /// Registers in the array; 1 for a single one.",
    "    pub count: u32,",
    "    /// Bytes from one register of the array to the next.",
    "    pub stride: u32,",
    "    /// Whether a write changes anything.",
    "    pub writable: bool,",
    "    /// The fields, in the order of the register map.",
    "    pub fields: &'static [Field],",
    "}",
]


def rust(register_map: Map, block: Block) -> str:
    """The constants: a module a register, and a table of all registers for printing them."""
    lines = [
        f"//! Generated by `tools/registers.py` from `{block.source}`: do not edit.",
        "//!",
        f"//! {register_map.title}: {register_map.description}",
        "",
        *(RUST_TYPES if block is BLOCKS[0] else ["pub use crate::registers::{Field, Register};"]),
        "",
        "/// Bytes of the address space.",
        f"pub const SIZE: u32 = 0x{register_map.size:x};",
    ]
    for register in register_map.registers:
        what = ": ".join(filter(None, [register.title, register.description])) or f"`{register.name}`."
        lines += ["", f"/// {what}", f"pub mod {register.name} {{", "    use super::Field;", ""]
        lines += ["    /// Byte address.", f"    pub const ADDRESS: u32 = 0x{register.address:03x};"]
        if register.count > 1:
            lines += ["    /// Registers in the array.", f"    pub const COUNT: u32 = {register.count};"]
            lines += ["    /// Bytes from one to the next.", f"    pub const STRIDE: u32 = {register.stride};"]
        for field in register.fields:
            lines += [f"    /// {field.description or f'`{field.name}`, bits {field.bits}.'}"]
            lines += [f'    pub const {field.name.upper()}: Field = Field::new("{field.name}", {field.low}, {field.width});']
        lines += ["}"]
    lines += ["", "/// Every register, by address.", "pub const REGISTERS: &[Register] = &["]
    for register in register_map.registers:
        names = [f"{register.name}::{field.name.upper()}" for field in register.fields]
        fields = f"        fields: &[{', '.join(names)}],"
        if len(fields) > 100 or len(", ".join(names)) > 60:
            fields = "\n".join(["        fields: &[", *(f"            {name}," for name in names), "        ],"])
        lines += [
            "    Register {",
            f'        name: "{register.name}",',
            f"        address: {register.name}::ADDRESS,",
            f"        count: {register.count},",
            f"        stride: {register.stride},",
            f"        writable: {'true' if register.writable else 'false'},",
            fields,
            "    },",
        ]
    return "\n".join([*lines, "];", ""])


def page(register_map: Map, block: Block) -> str:
    """The reference page, in Markdown."""
    access = {"r": "read", "rw": "read, write", "w": "write", "w1p": "write 1: a pulse of one cycle"}
    lines = [
        f"# {block.name.replace('_', ' ').capitalize()}",
        "",
        f"<!-- Generated by tools/registers.py from {block.source}: do not edit. -->",
        "",
        f"{register_map.title}. {register_map.description} {register_map.size} bytes of address space, 32-bit accesses, AXI4-Lite.",
        "",
        "| address | register | bits | field | access | reset | |",
        "|---|---|---|---|---|---|---|",
    ]
    for register in register_map.registers:
        last = register.address + (register.count - 1) * register.stride
        address = f"0x{register.address:03x}" + (f" to 0x{last:03x}, step {register.stride}" if register.count > 1 else "")
        name = f"`{register.name}`" + (f" [{register.count}]" if register.count > 1 else "")
        # A register with a single field takes one row.
        whole = len(register.fields) == 1 and register.fields[0].name in ("value", "count")
        if not whole:
            lines.append(f"| {address} | {name} | | | | | {sentences(register.title, register.description)} |")
        for field in register.fields:
            reset = "" if field.reset is None or field.access == "w1p" else f"0x{field.reset:x}" if field.reset > 9 else str(field.reset)
            about = sentences(register.title, register.description, field.description) if whole else field.description
            head = f"| {address} | {name} | {field.bits} | |" if whole else f"| | | {field.bits} | `{field.name}` |"
            lines.append(f"{head} {access.get(field.access, field.access)} | {reset} | {about} |".replace("  |", " |"))
    return "\n".join([*lines, ""])


def sentences(*parts: str) -> str:
    return " ".join(part if part.endswith(".") else f"{part}." for part in parts if part)


def compiled(block: Block) -> AddrmapNode:
    compiler = RDLCompiler()
    compiler.compile_file(str(ROOT / block.source))
    return cast(AddrmapNode, compiler.elaborate().top)


def free(block: Block) -> Iterator[str]:
    """Where a register may still stand, a range of addresses a line; in a memory of counters, a counter."""
    top = compiled(block)
    taken = {register.address + index * register.stride for register in read_map(top, block).registers for index in range(register.count)}
    memories = {
        block.base + node.absolute_address + word: node.inst_name
        for node in top.children()
        if isinstance(node, MemNode)
        for word in range(0, node.size, 4)
    }
    begun: int | None = None
    end = block.base + top.size
    for address in range(block.base, end + 4, 4):
        if begun is not None and (address >= end or address in taken or memories.get(address) != memories.get(begun)):
            yield f"0x{begun:03x} to 0x{address - 4:03x}" + (f"  ({memories[begun]})" if begun in memories else "")
            begun = None
        if begun is None and address < end and address not in taken:
            begun = address


def generate() -> dict[Path, str]:
    """Every output's text, by its path in the repository."""
    maps = [read_map(compiled(block), block) for block in BLOCKS]
    outputs = packages(maps)
    for block, register_map in zip(BLOCKS, maps, strict=True):
        outputs |= {block.rust: rust(register_map, block), block.page: page(register_map, block)}
    return outputs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only check that the committed files are current")
    parser.add_argument("--free", action="store_true", help="only list the addresses that are free")
    parser.add_argument("--root", type=Path, default=ROOT, help="write below this folder instead of the repository")
    arguments = parser.parse_args()
    if arguments.free:
        for block in BLOCKS:
            print(block.source, *free(block), sep="\n  ")
        return 0
    try:
        outputs = generate()
    except RDLCompileError:
        return 1  # the compiler has printed file, line and cause
    stale = [path for path, text in outputs.items() if not (arguments.root / path).exists() or (arguments.root / path).read_text() != text]
    if arguments.check:
        for path in stale:
            print(f"{path} is not what the register maps give: run `make registers` and commit the result", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        target = arguments.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(outputs[path])
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
