//! From a template to tables.

use super::exponents::Exponents;
use super::word::{FieldWord, HeaderWord, InitialWord, Place, TemplateWord, Tokens, map_mask};
use super::{
    CHARACTERS, MOST_HEADER_BITS, MOST_HEADER_TOKENS, Refusal, Room, SHORT_CHARACTERS, Tables,
    Wanted,
};
use crate::template::{
    Initial, Instruction, Kind, Operator, Template, Templates, eligible, tokens,
};

fn name(instruction: &Instruction) -> String {
    instruction.name.local.clone()
}

impl Tokens {
    /// Those of one more field.
    fn add(&mut self, instruction: &Instruction) {
        let tokens = tokens(instruction) as u8;
        match instruction.map_bit.map(map_mask) {
            None => self.base += tokens,
            Some(mask) => {
                self.one |= if tokens > 0 { mask } else { 0 };
                self.two |= if tokens > 1 { mask } else { 0 };
            }
        }
    }
}

/// The header: what is before the entries, every bit of the presence map set.
struct Header<'t> {
    tokens: usize,
    map: u8,
    length_at: usize,
    length: Option<&'t Instruction>,
    /// Fields, and which token each is.
    fields: Vec<(&'t Instruction, usize)>,
}

fn header<'t>(
    template: &Template,
    before: &'t [Instruction],
    refusals: &mut Vec<Refusal>,
) -> Header<'t> {
    if template.map_bits > MOST_HEADER_BITS {
        refusals.push(Refusal::HeaderBits(template.map_bits));
    }
    // The identifier has the first bit.
    let mut header = Header {
        tokens: 2,
        map: 0x40,
        length_at: 0,
        length: None,
        fields: vec![],
    };
    for instruction in before {
        if instruction.kind == Kind::Decimal
            && instruction.nullable
            && instruction.operator != Operator::Constant
        {
            refusals.push(Refusal::HeaderDecimal(name(instruction)));
        }
        if let Some(bit @ 0..MOST_HEADER_BITS) = instruction.map_bit {
            header.map |= map_mask(bit) as u8;
        }
        if instruction.kind == Kind::Length {
            header.length_at = header.tokens;
            header.length = Some(instruction);
        }
        header.fields.push((instruction, header.tokens));
        header.tokens += tokens(instruction);
    }
    if header.tokens > MOST_HEADER_TOKENS {
        refusals.push(Refusal::HeaderTokens(header.tokens));
    }
    header
}

/// The size of an integer, and whether it is signed.
fn integer(kind: Kind) -> Option<(u8, bool)> {
    match kind {
        Kind::Unsigned(width) => Some((width as u8, false)),
        Kind::Signed(width) => Some((width as u8, true)),
        Kind::Decimal => Some((3, true)),
        _ => None,
    }
}

fn field_word(instruction: &Instruction, place: Place) -> Option<FieldWord> {
    if instruction.operator == Operator::Constant {
        return None;
    }
    let text = instruction.kind == Kind::Ascii;
    let (size, type_signed) = integer(instruction.kind).or(text.then_some((3, false)))?;
    Some(FieldWord {
        place,
        nullable: instruction.nullable,
        signed: !text && (type_signed || instruction.operator == Operator::Delta),
        type_signed,
        size,
        text,
        decimal: instruction.kind == Kind::Decimal,
        operator: instruction.operator,
    })
}

fn initial_word(instruction: &Instruction, characters: usize) -> Option<InitialWord> {
    let mut word = InitialWord {
        present: instruction.initial.is_some(),
        ..InitialWord::default()
    };
    match &instruction.initial {
        None => {}
        Some(Initial::Unsigned(value)) => word.value = i64::try_from(*value).ok()?.into(),
        Some(Initial::Signed(value)) => word.value = (*value).into(),
        Some(Initial::Decimal(value)) => {
            word.exponent = i8::try_from(value.exponent).ok()?;
            word.value = value.mantissa.into();
        }
        Some(Initial::Bytes(bytes)) => {
            if bytes.len() > characters || !bytes.is_ascii() {
                return None;
            }
            word.count = bytes.len() as u8;
            word.value = bytes
                .iter()
                .fold(0, |value, byte| value << 7 | i128::from(*byte));
        }
    }
    Some(word)
}

/// The byte of a template that resets all dictionaries and has no fields.
fn reset_id(templates: &Templates) -> u8 {
    let mut all = templates.all().iter();
    let reset = all.find(|each| each.reset && each.instructions.is_empty() && each.map_bits == 1);
    let id = reset.and_then(|each| each.id).filter(|id| *id < 0x80);
    id.map_or(0, |id| 0x80 | id as u8)
}

/// Bytes of an unsigned integer.
const fn bytes_of(value: u32) -> u8 {
    match value {
        0..=0x7f => 1,
        0x80..=0x3fff => 2,
        0x4000..=0x1f_ffff => 3,
        _ => 4,
    }
}

/// Takes a place: numbers, longs, texts.
fn take(room: &Room, taken: &mut [bool], word: &FieldWord) -> Option<usize> {
    let longs = room.numbers..room.numbers + room.longs;
    let texts = longs.end..room.fields();
    let numbers = 0..room.numbers;
    let mut order: Vec<usize> = if word.text {
        texts.chain(numbers).collect()
    } else if word.decimal || word.size == 3 {
        longs.collect()
    } else {
        numbers.chain(longs).collect()
    };
    order.retain(|place| taken.get(*place) == Some(&false));
    let place = *order.first()?;
    *taken.get_mut(place)? = true;
    Some(place)
}

/// As many wanted fields of the template's entries as an engine of the usual room takes. `longest`: characters of the longest text of a field, by tag; texts
/// that need a long place come first while there is one, then all but these in their order.
pub fn fitting(
    templates: &Templates,
    id: u32,
    reset_each_packet: bool,
    longest: impl Fn(u32) -> usize,
) -> Wanted {
    let mut wanted = Wanted::default();
    let instructions = templates
        .by_id(id)
        .map_or(&[][..], |(_, template)| &template.instructions);
    let is_long = |each: &&Instruction| {
        each.kind == Kind::Ascii && (SHORT_CHARACTERS + 1..=CHARACTERS).contains(&longest(each.tag))
    };
    let others =
        |each: &&Instruction| each.kind != Kind::Ascii || longest(each.tag) <= SHORT_CHARACTERS;
    let room = Room::default();
    let in_turn = instructions.iter().filter(is_long).take(room.texts);
    for instruction in in_turn.chain(instructions.iter().filter(others)) {
        let mut with = wanted.clone();
        with.fields.push(instruction.tag);
        let is_new = !wanted.fields.contains(&instruction.tag);
        if is_new && compile(templates, id, &with, &room, reset_each_packet).is_ok() {
            wanted = with;
        }
    }
    wanted
}

/// Makes the tables of the template with this identifier. `reset_each_packet`: every packet begins with empty dictionaries; else those of wanted fields outlive a
/// packet, if no other template has them too.
///
/// # Errors
/// Every reason why the engine cannot take it.
pub fn compile(
    templates: &Templates,
    id: u32,
    wanted: &Wanted,
    room: &Room,
    reset_each_packet: bool,
) -> Result<Tables, Vec<Refusal>> {
    let Some((_, template)) = templates.by_id(id) else {
        return Err(vec![Refusal::NoTemplate(id)]);
    };
    if let Err(reasons) = eligible(template) {
        return Err(reasons.into_iter().map(Refusal::Template).collect());
    }
    let instructions = &template.instructions;
    let mut numbered = instructions.iter().enumerate();
    let Some((start, sequence)) = numbered.find(|(_, each)| each.kind == Kind::SequenceStart)
    else {
        return Err(vec![Refusal::Template(crate::template::Reason::NoSequence)]);
    };
    let mut refusals = vec![];
    if bytes_of(id) > 3 {
        refusals.push(Refusal::Identifier(id));
    }
    let header = header(
        template,
        instructions.get(..start).unwrap_or(&[]),
        &mut refusals,
    );
    let length = header.length;
    if length.is_none_or(|length| length.operator != Operator::None) {
        refusals.push(Refusal::LengthOperator);
    }

    // The entries: tokens before each field, and those that are left with it.
    let entries = instructions.get(start + 1..sequence.partner).unwrap_or(&[]);
    let mut tokens = Tokens::default();
    let mut known = 0;
    let mut places = vec![];
    for instruction in entries {
        let bit = instruction.map_bit.map_or(0, map_mask);
        known |= bit;
        places.push(Place {
            used: true,
            before: tokens,
            bit,
            always: instruction.map_bit.is_none(),
        });
        tokens.add(instruction);
    }
    if !sequence.own_map && tokens.base == 0 {
        refusals.push(Refusal::NoTokens);
    }
    let exponents = Exponents::new(template, start, entries, room);
    if exponents.watched.len() > room.watches {
        refusals.push(Refusal::Watches(exponents.watched.len(), room.watches));
    }
    let watched = exponents.watched.iter();
    let mut watches: Vec<Option<Place>> = watched.map(|at| places.get(*at).copied()).collect();
    watches.resize(room.watches, None);

    // Wanted fields.
    let shared = |instruction: &Instruction| {
        let same = |other: &&Instruction| other.slot == instruction.slot;
        instruction.slot.is_some() && instructions.iter().filter(same).count() > 1
    };
    let reset_id = reset_id(templates);
    let (mut needs_reset, mut outlives) = (false, false);
    let elsewhere = |instruction: &Instruction| {
        let others = templates.all().iter().filter(|other| other.id != Some(id));
        let mut fields = others.flat_map(|other| &other.instructions);
        fields.any(|each| each.slot == instruction.slot)
    };
    // The engine keeps dictionary entries of wanted fields of the entries, for each template its own.
    let mut remembers = |instruction: &Instruction, kept: bool, refusals: &mut Vec<Refusal>| {
        if instruction.slot.is_none() || reset_each_packet {
            return;
        }
        if kept && !elsewhere(instruction) {
            outlives = true;
            return;
        }
        needs_reset = true;
        if reset_id == 0 {
            refusals.push(Refusal::Remembers(name(instruction)));
        }
    };
    let mut taken = vec![false; room.fields()];
    let mut fields = vec![None; room.fields()];
    let mut wanted_places = vec![];
    for tag in &wanted.fields {
        let mut both = entries.iter().zip(&places);
        let Some((instruction, place)) = both.find(|(each, _)| each.tag == *tag) else {
            refusals.push(Refusal::NoField(*tag));
            continue;
        };
        let Some(word) = field_word(instruction, *place) else {
            refusals.push(Refusal::Kind(name(instruction)));
            continue;
        };
        if shared(instruction) {
            refusals.push(Refusal::Shared(name(instruction)));
        }
        remembers(instruction, true, &mut refusals);
        let Some(at) = take(room, &mut taken, &word) else {
            refusals.push(Refusal::Full(name(instruction)));
            continue;
        };
        let characters = if at < room.numbers {
            SHORT_CHARACTERS
        } else {
            CHARACTERS
        };
        let Some(initial) = initial_word(instruction, characters) else {
            refusals.push(Refusal::Initial(name(instruction)));
            continue;
        };
        if let Some(field) = fields.get_mut(at) {
            *field = Some((word, initial));
        }
        wanted_places.push(at);
    }
    let mut headers = vec![];
    for tag in &wanted.header {
        let mut all = header.fields.iter();
        let Some((instruction, at)) = all.find(|(each, _)| each.tag == *tag) else {
            refusals.push(Refusal::NoField(*tag));
            continue;
        };
        let word = field_word(instruction, Place::default())
            .filter(|word| !word.text && !word.decimal && instruction.kind != Kind::Length);
        let Some(word) = word else {
            refusals.push(Refusal::Kind(name(instruction)));
            continue;
        };
        if word.operator == Operator::Delta && instruction.initial.is_some() {
            refusals.push(Refusal::Initial(name(instruction)));
        }
        if word.operator == Operator::Delta {
            remembers(instruction, false, &mut refusals);
            if shared(instruction) {
                refusals.push(Refusal::Shared(name(instruction)));
            }
        }
        if headers.len() == room.headers {
            refusals.push(Refusal::Full(name(instruction)));
            continue;
        }
        headers.push(Some(HeaderWord {
            used: true,
            at: *at as u8,
            nullable: word.nullable,
            signed: word.signed,
            type_signed: word.type_signed,
            size: word.size,
        }));
    }
    headers.resize(room.headers, None);
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let no_map = !sequence.own_map;
    Ok(Tables {
        template: TemplateWord {
            tokens: Tokens {
                // The token that begins an entry is a field then.
                base: tokens.base.saturating_sub(u8::from(no_map)),
                ..tokens
            },
            known,
            no_map,
            exponents: exponents.rows,
            guessed: exponents.guessed,
            late: exponents.late,
            late_row: exponents.late_row,
            header: header.tokens as u8,
            header_map: header.map,
            id_bytes: bytes_of(id),
            id,
            reset_id,
            needs_reset,
            outlives,
            length_at: header.length_at as u8,
            length_nullable: length.is_some_and(|length| length.nullable),
        },
        fields,
        headers,
        watches,
        places: wanted_places,
    })
}
