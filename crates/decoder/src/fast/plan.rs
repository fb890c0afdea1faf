//! The map, worked out for the templates: a look-up by the place of an instruction instead of by the number of a field.

use ::fast::{Instruction, Kind, Template, Templates};
use formats::Event;

use super::map::{ABSENT, Coded, Map, MapError, Meaning, TemplateMap};

/// What a field is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Member {
    /// None of ours.
    #[default]
    Other,
    Sequence,
    Time,
    Symbol,
    OrderId,
    Price,
    Quantity,
    Orders,
    Status,
    Action,
    EntryType,
    Side,
}

impl Member {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Member::Other => "",
            Member::Sequence => "sequence",
            Member::Time => "time",
            Member::Symbol => "symbol",
            Member::OrderId => "order_id",
            Member::Price => "price",
            Member::Quantity => "quantity",
            Member::Orders => "orders",
            Member::Status => "status",
            Member::Action => "action",
            Member::EntryType => "entry_type",
            Member::Side => "side",
        }
    }

    /// Whether it can come from a field of this kind.
    const fn takes(self, kind: Kind) -> bool {
        match kind {
            Kind::Unsigned(_) | Kind::Signed(_) => !matches!(self, Member::Other),
            Kind::Decimal | Kind::Exponent => matches!(self, Member::Price | Member::Quantity),
            Kind::Ascii | Kind::Unicode => matches!(
                self,
                Member::Symbol
                    | Member::OrderId
                    | Member::Action
                    | Member::EntryType
                    | Member::Side
            ),
            _ => false,
        }
    }
}

/// The meanings of a field's values.
#[derive(Clone, Debug, Default)]
pub struct Codes {
    values: Vec<(u64, Meaning)>,
    pub absent: Option<Meaning>,
}

impl Codes {
    /// What a value means: an integer, or up to eight characters with the last in the lowest byte.
    #[inline]
    pub fn of(&self, value: u64) -> Option<Meaning> {
        let found = self.values.iter().find(|(known, _)| *known == value);
        found.map(|(_, meaning)| *meaning)
    }
}

/// Up to eight characters as one number, the last in the lowest byte.
#[inline]
pub fn characters(text: &[u8]) -> Option<u64> {
    let fits = text.len() <= 8 && text.first() != Some(&0);
    fits.then(|| {
        text.iter()
            .fold(0, |value, byte| value << 8 | u64::from(*byte))
    })
}

/// A template.
#[derive(Clone, Debug)]
pub struct Plan {
    /// By the index of the instruction.
    pub members: Vec<Member>,
    /// The start of the sequence whose entries are events; `None`: the message is one.
    pub sequence: Option<u32>,
    /// The end of that sequence.
    pub ends: Option<usize>,
    /// An event that nothing is known of.
    pub blank: Event,
    pub kind: Option<Meaning>,
    pub time_decimals: u8,
    pub action: Codes,
    pub entry_type: Codes,
    pub side: Codes,
}

/// The plans by the index of the template; `None`: not in the map.
pub fn plans(map: &Map, templates: &Templates) -> Result<Vec<Option<Plan>>, MapError> {
    let mut plans = vec![None; templates.all().len()];
    for one in &map.templates {
        let missing = MapError::Template(one.id);
        let (index, template) = templates.by_id(one.id).ok_or(missing.clone())?;
        let place = plans.get_mut(index).filter(|place| place.is_none());
        *place.ok_or(missing)? = Some(plan(one, template)?);
    }
    Ok(plans)
}

fn plan(map: &TemplateMap, template: &Template) -> Result<Plan, MapError> {
    let coded = |coded: &Option<Coded>| coded.as_ref().map(|coded| coded.field);
    let fields = [
        (Member::Sequence, map.sequence),
        (Member::Time, map.time.map(|time| time.field)),
        (Member::Symbol, map.symbol),
        (Member::OrderId, map.order_id),
        (Member::Price, map.price),
        (Member::Quantity, map.quantity),
        (Member::Orders, map.orders),
        (Member::Status, map.status),
        (Member::Action, coded(&map.action)),
        (Member::EntryType, coded(&map.entry_type)),
        (Member::Side, coded(&map.side)),
    ];
    let mut plan = Plan {
        members: vec![Member::Other; template.instructions.len()],
        sequence: None,
        ends: None,
        blank: Event::new(formats::Kind::Status, map.message_type as u8),
        kind: map.kind,
        time_decimals: map.time.map_or(0, |time| time.decimals),
        action: codes(map.id, &map.action, template)?,
        entry_type: codes(map.id, &map.entry_type, template)?,
        side: codes(map.id, &map.side, template)?,
    };
    for (member, field) in fields {
        if let Some(field) = field {
            place(map.id, template, member, field, &mut plan)?;
        }
    }
    let start = plan
        .sequence
        .and_then(|start| template.instructions.get(start as usize));
    plan.ends = start.map(|start| start.partner);
    Ok(plan)
}

/// Enters the places of a field.
fn place(
    id: u32,
    template: &Template,
    member: Member,
    field: u32,
    plan: &mut Plan,
) -> Result<(), MapError> {
    // The sequences that are open.
    let mut open: Vec<u32> = Vec::new();
    let mut found = false;
    for (index, instruction) in template.instructions.iter().enumerate() {
        match instruction.kind {
            Kind::SequenceStart => open.push(index as u32),
            Kind::SequenceEnd => {
                open.pop();
            }
            _ => {}
        }
        if !is_field(instruction, field) {
            continue;
        }
        found = true;
        let taken = plan.members.get_mut(index);
        let free = taken.filter(|taken| **taken == Member::Other && member.takes(instruction.kind));
        *free.ok_or(MapError::Type {
            template: id,
            field,
            member: member.name(),
        })? = member;
        match open[..] {
            [] => {}
            [sequence] if plan.sequence.is_none_or(|other| other == sequence) => {
                plan.sequence = Some(sequence);
            }
            _ => {
                return Err(MapError::Sequence {
                    template: id,
                    field,
                });
            }
        }
    }
    if found {
        return Ok(());
    }
    Err(MapError::Field {
        template: id,
        field,
    })
}

/// Whether it gives the values of the field of this number. Exponent and mantissa give one, with the exponent.
fn is_field(instruction: &Instruction, field: u32) -> bool {
    instruction.tag == field
        && !matches!(
            instruction.kind,
            Kind::Mantissa
                | Kind::Length
                | Kind::GroupStart
                | Kind::GroupEnd
                | Kind::SequenceStart
                | Kind::SequenceEnd
                | Kind::TemplateReference
        )
}

fn codes(id: u32, coded: &Option<Coded>, template: &Template) -> Result<Codes, MapError> {
    let mut codes = Codes::default();
    let Some(coded) = coded else {
        return Ok(codes);
    };
    let mut all = template.instructions.iter();
    let field = all.find(|instruction| is_field(instruction, coded.field));
    let text = field.is_some_and(|one| matches!(one.kind, Kind::Ascii | Kind::Unicode));
    for (value, meaning) in &coded.values {
        if value == ABSENT {
            codes.absent = Some(*meaning);
            continue;
        }
        let number = if text {
            characters(value.as_bytes())
        } else {
            value.parse::<i64>().ok().map(|value| value as u64)
        };
        let wrong = || MapError::Value {
            template: id,
            field: coded.field,
            value: value.clone(),
        };
        codes.values.push((number.ok_or_else(wrong)?, *meaning));
    }
    Ok(codes)
}
