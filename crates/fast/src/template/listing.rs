//! The listing: what the compiler made of a file, next to its lines.

use std::fmt::Write;

use super::{
    Initial, Instruction, Kind, LateBits, Operator, Template, Templates, eligible, late_bits,
    watched_exponents,
};

/// Reasons that are listed, one by one.
const MOST_REASONS: usize = 3;

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Kind::Unsigned(width) => return f.pad(&format!("uInt{}", width.bits())),
            Kind::Signed(width) => return f.pad(&format!("int{}", width.bits())),
            _ => {}
        }
        f.pad(match self {
            Kind::Decimal => "decimal",
            Kind::Exponent => "exponent",
            Kind::Mantissa => "mantissa",
            Kind::Ascii => "ascii",
            Kind::Unicode => "unicode",
            Kind::Bytes => "bytes",
            Kind::Length => "length",
            Kind::GroupStart => "group",
            Kind::GroupEnd => "end group",
            Kind::SequenceStart => "sequence",
            Kind::SequenceEnd => "end sequence",
            _ => "templateRef",
        })
    }
}

impl std::fmt::Display for Initial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Initial::Unsigned(value) => write!(f, "{value}"),
            Initial::Signed(value) => write!(f, "{value}"),
            Initial::Decimal(value) => write!(f, "{}e{}", value.mantissa, value.exponent),
            Initial::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => write!(f, "{text:?}"),
                Err(_) => {
                    f.write_str("0x")?;
                    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
                }
            },
        }
    }
}

const fn plural(bits: u16) -> &'static str {
    if bits == 1 { "bit" } else { "bits" }
}

fn operator(instruction: &Instruction) -> String {
    let mut text = match instruction.operator {
        Operator::None => "-".to_owned(),
        operator => operator.name().to_owned(),
    };
    if let Some(initial) = &instruction.initial {
        let _ = write!(text, " {initial}");
    }
    text
}

/// One row.
fn row(
    out: &mut String,
    templates: &Templates,
    index: usize,
    depth: usize,
    instruction: &Instruction,
) {
    let optional = if instruction.nullable { "?" } else { "" };
    let indent = "  ".repeat(depth);
    let structure = !instruction.kind.is_field();
    let tag = if structure {
        "-".to_owned()
    } else {
        instruction.tag.to_string()
    };
    let map = match instruction.kind {
        Kind::GroupStart | Kind::SequenceStart if instruction.own_map => {
            format!(
                ", own map of {} {}",
                instruction.map_bits,
                plural(instruction.map_bits)
            )
        }
        _ => String::new(),
    };
    let bit = instruction
        .map_bit
        .map_or_else(|| "-".to_owned(), |bit| bit.to_string());
    let slot = match instruction.slot {
        None => "-".to_owned(),
        Some(slot) => {
            let described = templates.describe_slot(slot).unwrap_or_default();
            format!("{} {described}", slot.0)
        }
    };
    let name = format!("{indent}{}{map}", instruction.name.local);
    let kind = format!("{}{optional}", instruction.kind);
    let line = format!(
        "  {index:>4} {:>5} {tag:>10} {name:<34} {kind:<13} {:<20} {bit:>3} {slot}",
        instruction.place.line,
        operator(instruction),
    );
    out.push_str(line.trim_end());
    out.push('\n');
}

fn one(out: &mut String, templates: &Templates, template: &Template) {
    let id = template
        .id
        .map_or_else(|| "none".to_owned(), |id| id.to_string());
    let reset = if template.reset {
        ", resets the dictionaries"
    } else {
        ""
    };
    let bits = if template.map_bits == 1 {
        "bit"
    } else {
        "bits"
    };
    let _ = writeln!(
        out,
        "template {} id {id} (line {}): presence map of {} {bits}{reset}",
        template.name.local, template.place.line, template.map_bits
    );
    match eligible(template) {
        Ok(()) => {
            let watched = watched_exponents(template);
            out.push_str("  engine: wire-rate");
            let name = |index: usize| {
                let instruction = template.instructions.get(index);
                instruction.map_or("", |each| &each.name.local)
            };
            if let LateBits::One(index) = late_bits(template) {
                let _ = write!(
                    out,
                    "; {} moves the exponents before it by one",
                    name(index)
                );
            }
            for index in watched {
                let name = name(index);
                let _ = write!(out, "; not sure of a packet with a null {name}");
            }
            out.push('\n');
        }
        Err(reasons) => {
            let shown: Vec<String> = reasons
                .iter()
                .take(MOST_REASONS)
                .map(ToString::to_string)
                .collect();
            let _ = write!(out, "  engine: microcode: {}", shown.join("; "));
            if reasons.len() > MOST_REASONS {
                let _ = write!(out, "; and {} more reasons", reasons.len() - MOST_REASONS);
            }
            out.push('\n');
        }
    }
    let _ = writeln!(
        out,
        "  {:>4} {:>5} {:>10} {:<34} {:<13} {:<20} {:>3} slot",
        "no.", "line", "tag", "name", "type", "operator", "bit"
    );
    let mut depth = 0_usize;
    for (index, instruction) in template.instructions.iter().enumerate() {
        if matches!(instruction.kind, Kind::GroupEnd | Kind::SequenceEnd) {
            depth = depth.saturating_sub(1);
        }
        row(out, templates, index, depth, instruction);
        if matches!(instruction.kind, Kind::GroupStart | Kind::SequenceStart) {
            depth += 1;
        }
    }
}

/// Every template.
pub(super) fn listing(templates: &Templates) -> String {
    let mut out = String::new();
    for (index, template) in templates.all().iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        one(&mut out, templates, template);
    }
    out
}
