//! The map as the hardware has it: members marked in the engine's program, and the table of `fast_events`.

use ::fast::Templates;
use ::fast::microcode::{Numbering, Program, Room, TooManyFields, Wanted, assemble};
use thiserror::Error;

use super::map::{ABSENT, Coded, Map, MapError, Meaning, TemplateMap};
use super::plan::{Member, Plan, plans};

/// Templates that the table holds.
const MOST_TEMPLATES: usize = 8;

/// A write into the table of `fast_events`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableLoad {
    /// 0: a template; 1: the meaning of a value; 2: the scales.
    pub what: u8,
    /// Which one.
    pub index: u16,
    /// The word, its lowest 32 bits first.
    pub data: [u32; 3],
}

/// What the hardware is loaded with.
#[derive(Clone, Debug)]
pub struct Hardware {
    /// The engine's program: only fields of the map leave it, each with its member.
    pub program: Program,
    /// The table: all that is not in it is cleared.
    pub table: Vec<TableLoad>,
    /// The numbers of its fields in a ring in host memory.
    pub numbering: Numbering,
}

/// Why the hardware cannot have a map that the software can.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum HardwareError {
    /// The map is none for these templates.
    #[error(transparent)]
    Map(
        /// What is wrong with it.
        #[from]
        MapError,
    ),
    /// More templates than there is room for.
    #[error("the map has {0} templates; the hardware has room for {MOST_TEMPLATES}")]
    Templates(
        /// How many.
        usize,
    ),
    /// The engine does not take a template of the map.
    #[error("template {0}: the engine does not take it")]
    Refused(
        /// Its identifier.
        u32,
    ),
    /// A value of more than a byte.
    #[error("template {template}: \"{value}\" is no single character, nor a number from 0 to 255")]
    Value {
        /// The template's identifier.
        template: u32,
        /// The value.
        value: String,
    },
    /// Decimals of a second other than 0, 3, 6 and 9.
    #[error("template {template}: a time has 0, 3, 6 or 9 decimals, not {decimals}")]
    Decimals {
        /// The template's identifier.
        template: u32,
        /// How many.
        decimals: u8,
    },
    /// A further sequence, whose entries look like those of the map.
    #[error("template {0}: it has other sequences than that of the map")]
    Sequences(
        /// Its identifier.
        u32,
    ),
    /// A dynamic template reference, whose fields and entries look like its own.
    #[error("template {0}: it has a dynamic template reference")]
    Reference(
        /// Its identifier.
        u32,
    ),
    /// More fields than a ring's lines have numbers for.
    #[error(transparent)]
    Numbering(
        /// How many.
        #[from]
        TooManyFields,
    ),
    /// Some of action, entry type and side are in the sequence and others are not.
    #[error("template {0}: action, entry type and side are not in the same place")]
    Apart(
        /// Its identifier.
        u32,
    ),
}

/// Puts members together, the highest first.
#[derive(Default)]
struct Word(u128);

impl Word {
    fn put(&mut self, value: u64, bits: u32) {
        self.0 = self.0 << bits | u128::from(value & ((1 << bits) - 1));
    }

    fn load(&self, what: u8, index: usize) -> TableLoad {
        TableLoad {
            what,
            index: index as u16,
            data: [0, 32, 64].map(|at| (self.0 >> at) as u32),
        }
    }
}

/// What the hardware calls a meaning; 0 is none.
fn code(meaning: Option<Meaning>) -> u64 {
    meaning.map_or(0, |meaning| meaning as u64 + 1)
}

impl Hardware {
    /// The map for these templates and an engine of this size.
    ///
    /// # Errors
    /// The map does not fit the templates, or the hardware.
    pub fn new(templates: &Templates, map: &Map, room: Room) -> Result<Self, HardwareError> {
        let plans = plans(map, templates)?;
        if map.templates.len() > MOST_TEMPLATES {
            return Err(HardwareError::Templates(map.templates.len()));
        }
        let mut wanted = Vec::new();
        let mut table = vec![scales(map)];
        for number in 0..MOST_TEMPLATES {
            let Some(one) = map.templates.get(number) else {
                table.push(Word::default().load(0, number));
                table.extend((0..3).flat_map(|which| clear(number, which)));
                continue;
            };
            let found = templates.by_id(one.id);
            let (index, template) = found.ok_or(MapError::Template(one.id))?;
            let plan = plans.get(index).and_then(Option::as_ref);
            let plan = plan.ok_or(MapError::Template(one.id))?;
            for (instruction, member) in template.instructions.iter().zip(&plan.members) {
                if *member != Member::Other {
                    wanted.push(instruction.tag);
                }
            }
            let sequences = template.instructions.iter().enumerate().any(|(at, one)| {
                let others = plan.sequence.is_some_and(|start| start != at as u32);
                one.kind == ::fast::Kind::SequenceStart && others
            });
            if sequences {
                return Err(HardwareError::Sequences(one.id));
            }
            let mut instructions = template.instructions.iter();
            if instructions.any(|one| one.kind == ::fast::Kind::TemplateReference) {
                return Err(HardwareError::Reference(one.id));
            }
            table.push(row(number, one, plan)?);
            for (which, coded) in [&one.action, &one.entry_type, &one.side]
                .into_iter()
                .enumerate()
            {
                table.extend(clear(number, which));
                table.extend(values(number, which, one.id, coded, template)?);
            }
        }
        let mut program = assemble(templates, &Wanted::Tags(wanted), room);
        for one in &map.templates {
            if !program.subroutines.iter().any(|each| each.row.id == one.id) {
                return Err(HardwareError::Refused(one.id));
            }
        }
        let numbering = Numbering::number(&mut program)?;
        program.mark(|id, number| {
            let plan = templates.by_id(id).and_then(|(index, template)| {
                let (tag, _) = numbering.field(u8::try_from(number).ok()?)?;
                let plan = plans.get(index)?.as_ref()?;
                let mut all = template.instructions.iter().zip(&plan.members);
                let found = all.find(|(one, member)| one.tag == tag && **member != Member::Other);
                found.map(|(_, member)| *member as u8)
            });
            plan.unwrap_or(0)
        });
        Ok(Hardware {
            program,
            table,
            numbering,
        })
    }
}

/// The scales: five bits each, the price's lowest.
fn scales(map: &Map) -> TableLoad {
    let mut word = Word::default();
    word.put(map.quantity_scale.into(), 5);
    word.put(map.price_scale.into(), 5);
    word.load(2, 0)
}

/// A template (`event_row_t`).
pub(super) fn row(
    number: usize,
    one: &TemplateMap,
    plan: &Plan,
) -> Result<TableLoad, HardwareError> {
    if !plan.time_decimals.is_multiple_of(3) {
        return Err(HardwareError::Decimals {
            template: one.id,
            decimals: plan.time_decimals,
        });
    }
    let sequence = plan.sequence.map(|start| start as usize);
    let mut in_entry = 0_u64;
    let mut all = 0_u64;
    for (index, member) in plan.members.iter().enumerate() {
        if *member != Member::Other {
            all |= 1 << *member as u64;
            if sequence
                .is_some_and(|start| index > start && plan.ends.is_some_and(|end| index < end))
            {
                in_entry |= 1 << *member as u64;
            }
        }
    }
    let coded =
        1 << Member::Action as u64 | 1 << Member::EntryType as u64 | 1 << Member::Side as u64;
    if in_entry & coded != 0 && in_entry & coded != all & coded {
        return Err(HardwareError::Apart(one.id));
    }
    let mut word = Word::default();
    word.put(1, 1);
    word.put(one.id.into(), 32);
    word.put(one.message_type as u64, 8);
    word.put(code(plan.kind), 4);
    for codes in [&plan.side, &plan.entry_type, &plan.action] {
        word.put(code(codes.absent), 4);
    }
    word.put(in_entry, 12);
    word.put(u64::from(sequence.is_some()), 1);
    word.put(u64::from(plan.time_decimals / 3), 2);
    Ok(word.load(0, number))
}

fn place(number: usize, which: usize, value: usize) -> usize {
    (number * 4 + which) * 256 + value
}

fn clear(number: usize, which: usize) -> impl Iterator<Item = TableLoad> {
    (0..256).map(move |value| Word::default().load(1, place(number, which, value)))
}

/// The meanings of a field's values.
fn values(
    number: usize,
    which: usize,
    template: u32,
    coded: &Option<Coded>,
    of: &::fast::Template,
) -> Result<Vec<TableLoad>, HardwareError> {
    let mut loads = Vec::new();
    let Some(coded) = coded else { return Ok(loads) };
    let field = of.instructions.iter().find(|one| one.tag == coded.field);
    let text =
        field.is_some_and(|one| matches!(one.kind, ::fast::Kind::Ascii | ::fast::Kind::Unicode));
    for (value, meaning) in &coded.values {
        if value == ABSENT {
            continue;
        }
        let byte = match value.as_bytes() {
            [character] if text => Some(*character),
            _ if text => None,
            _ => value.parse().ok(),
        };
        let byte = byte.ok_or_else(|| HardwareError::Value {
            template,
            value: value.clone(),
        })?;
        let mut word = Word::default();
        word.put(code(Some(*meaning)), 4);
        loads.push(word.load(1, place(number, which, byte.into())));
    }
    Ok(loads)
}
