//! Fields of random messages: what value, and by which of the encodings that its operator allows.

use rand::Rng;
use rand::seq::IndexedRandom;

use super::encode::{DeadEnd, Encoder, Place};
use super::model::{Initial, Item, Kind, Operator, Primitive, Slot};
use super::values;
use super::write::{self, NULL, Segment};

/// The state of a previous value.
enum Previous {
    Undefined,
    Empty,
    Assigned(Item),
}

impl Encoder<'_> {
    /// Chooses a value that the field may have, or absence, and writes it.
    pub(super) fn field(
        &mut self,
        field: &Primitive,
        place: Place,
        segment: &mut Segment,
    ) -> Result<Option<Item>, DeadEnd> {
        match &field.operator {
            Operator::None => {
                let item = self.choose(field, None, None);
                self.write(field, item.as_ref(), segment);
                Ok(item)
            }
            Operator::Constant(initial) => {
                let is_there = !field.optional || self.chance(0.6);
                if field.optional {
                    segment.bits.push(is_there);
                }
                Ok(is_there.then(|| initial.item.clone()))
            }
            Operator::Default(initial) => {
                let implied = self.implied(field, initial.as_ref().map(item_of));
                Ok(self.write_unless_implied(field, implied, None, segment))
            }
            Operator::Copy(slot) => {
                let implied = match self.previous(slot, place) {
                    Previous::Assigned(item) => self.implied(field, Some(item)),
                    Previous::Undefined => self.implied(field, slot.initial.as_ref().map(item_of)),
                    Previous::Empty => self.implied(field, None),
                };
                let item = self.write_unless_implied(field, implied, Some((slot, place)), segment);
                self.assign(slot, place, item.clone());
                Ok(item)
            }
            Operator::Increment(slot) => {
                let implied = match self.previous(slot, place) {
                    Previous::Assigned(item) => self.implied(field, Some(next(item, field.kind))),
                    Previous::Undefined => self.implied(field, slot.initial.as_ref().map(item_of)),
                    Previous::Empty => self.implied(field, None),
                };
                let item = self.write_unless_implied(field, implied, Some((slot, place)), segment);
                self.assign(slot, place, item.clone());
                Ok(item)
            }
            Operator::Delta(slot) => self.delta(field, slot, place, segment),
            Operator::Tail(slot) => Ok(self.tail(field, slot, place, segment)),
        }
    }

    fn previous(&self, slot: &Slot, place: Place) -> Previous {
        let entry = slot.entry(place.template, place.application_type);
        match self.entries.get(&entry) {
            None => Previous::Undefined,
            Some(None) => Previous::Empty,
            Some(Some(item)) => Previous::Assigned(item.clone()),
        }
    }

    /// Assigns a value, or makes the entry empty.
    fn assign(&mut self, slot: &Slot, place: Place, item: Option<Item>) {
        let entry = slot.entry(place.template, place.application_type);
        self.entries.insert(entry, item);
    }

    /// What a bit that is not set means: `Some(None)` is absence, `None` that the bit must be set.
    fn implied(&self, field: &Primitive, item: Option<Item>) -> Option<Option<Item>> {
        match item {
            Some(item) if field.allows(&item) => Some(Some(item)),
            Some(_) => None,
            None => field.optional.then_some(None),
        }
    }

    /// What is implied, often; else absence or a value, at times one near the previous.
    fn choose(
        &mut self,
        field: &Primitive,
        implied: Option<&Option<Item>>,
        previous: Option<&Item>,
    ) -> Option<Item> {
        match implied {
            Some(implied) if self.chance(0.45) => implied.clone(),
            _ if field.optional && self.chance(0.2) => None,
            _ => Some(values::item(
                self.rng,
                field,
                previous,
                self.limits.string_bytes,
            )),
        }
    }

    /// Writes a value with its bit; a value that is implied goes without, but not always.
    fn write_unless_implied(
        &mut self,
        field: &Primitive,
        implied: Option<Option<Item>>,
        slot: Option<(&Slot, Place)>,
        segment: &mut Segment,
    ) -> Option<Item> {
        let previous = match slot.map(|(slot, place)| self.previous(slot, place)) {
            Some(Previous::Assigned(item)) => Some(item),
            _ => None,
        };
        let item = self.choose(field, implied.as_ref(), previous.as_ref());
        let is_implied = implied.as_ref() == Some(&item) && self.chance(0.75);
        segment.bits.push(!is_implied);
        if !is_implied {
            self.write(field, item.as_ref(), segment);
        }
        item
    }

    /// A value in the representation of its type, nullable if the field is optional.
    fn write(&mut self, field: &Primitive, item: Option<&Item>, segment: &mut Segment) {
        let nullable = field.optional;
        let number = |value: i128| {
            if nullable {
                write::nullable(value)
            } else {
                value
            }
        };
        match item {
            None => segment.body.push(NULL),
            Some(Item::Integer(value)) => {
                let is_signed = matches!(field.kind, Kind::Integer { signed: true, .. });
                segment.body.extend(if is_signed {
                    write::signed(number(*value))
                } else {
                    write::unsigned(number(*value))
                });
            }
            Some(Item::Decimal(exponent, mantissa)) => {
                segment
                    .body
                    .extend(write::signed(number((*exponent).into())));
                segment.body.extend(write::signed((*mantissa).into()));
            }
            Some(Item::Text(text)) => segment.body.extend(write_text(field.kind, text, nullable)),
        }
    }

    /// Section 6.3.7: any value can be told as the difference to the base, unless the previous value is empty.
    fn delta(
        &mut self,
        field: &Primitive,
        slot: &Slot,
        place: Place,
        segment: &mut Segment,
    ) -> Result<Option<Item>, DeadEnd> {
        let (base, is_empty) = match self.previous(slot, place) {
            Previous::Assigned(item) => (item, false),
            Previous::Undefined => (base_of(field, slot), false),
            Previous::Empty => (base_of(field, slot), true),
        };
        let item = if is_empty {
            None
        } else {
            self.choose(field, None, Some(&base))
        };
        let Some(item) = item else {
            segment.body.push(NULL);
            return if field.optional {
                Ok(None)
            } else {
                Err(DeadEnd)
            };
        };
        // The first number of a delta is the one that can be NULL.
        let first = |value: i128| {
            write::signed(if field.optional {
                write::nullable(value)
            } else {
                value
            })
        };
        match (&base, &item) {
            (Item::Integer(base), Item::Integer(value)) => {
                segment.body.extend(first(value - base));
            }
            (Item::Decimal(exponent, mantissa), Item::Decimal(e, m)) => {
                segment.body.extend(first(i128::from(e - exponent)));
                let difference = i128::from(*m) - i128::from(*mantissa);
                segment.body.extend(write::signed(difference));
            }
            (Item::Text(base), Item::Text(text)) => {
                let (subtraction, added) = self.splice(base, text);
                segment.body.extend(first(subtraction));
                segment.body.extend(write_text(field.kind, added, false));
            }
            _ => return Err(DeadEnd),
        }
        self.assign(slot, place, Some(item.clone()));
        Ok(Some(item))
    }

    /// One of the ways to make `text` of `base`: the subtraction length, in its excess-1 encoding, and what is added.
    fn splice<'t>(&mut self, base: &[u8], text: &'t [u8]) -> (i128, &'t [u8]) {
        let mut ways = Vec::new();
        for kept in 0..=base.len().min(text.len()) {
            let removed = (base.len() - kept) as i128;
            if base[..kept] == text[..kept] {
                ways.push((removed, &text[kept..]));
            }
            if base[base.len() - kept..] == text[text.len() - kept..] {
                ways.push((-removed - 1, &text[..text.len() - kept]));
            }
        }
        // The shortest way half of the time: else nearly all would replace the whole text.
        if self.chance(0.5) {
            ways.sort_by_key(|(_, added)| added.len());
            ways.truncate(1);
        }
        // To keep nothing is always a way.
        *ways.choose(self.rng).unwrap_or(&(base.len() as i128, text))
    }

    /// Section 6.3.8: the value is never shorter than its base, unless it is absent.
    fn tail(
        &mut self,
        field: &Primitive,
        slot: &Slot,
        place: Place,
        segment: &mut Segment,
    ) -> Option<Item> {
        let (base, implied) = match self.previous(slot, place) {
            Previous::Assigned(item) => (item.clone(), self.implied(field, Some(item))),
            Previous::Undefined => {
                let initial = slot.initial.as_ref().map(item_of);
                (base_of(field, slot), self.implied(field, initial))
            }
            Previous::Empty => (base_of(field, slot), self.implied(field, None)),
        };
        let base = match base {
            Item::Text(base) => base,
            _ => Vec::new(),
        };
        let previous = Item::Text(base.clone());
        let item = self
            .choose(field, implied.as_ref(), Some(&previous))
            .map(|item| self.lengthened(field.kind, item, base.len()));
        let is_implied = implied.as_ref() == Some(&item) && self.chance(0.75);
        segment.bits.push(!is_implied);
        if !is_implied {
            match &item {
                Some(Item::Text(text)) => {
                    let tail = self.tail_of(&base, text);
                    let written = write_text(field.kind, tail, field.optional);
                    segment.body.extend(written);
                }
                _ => segment.body.push(NULL),
            }
        }
        self.assign(slot, place, item.clone());
        item
    }

    /// The text with as many characters added that it has `length` bytes at least.
    fn lengthened(&mut self, kind: Kind, item: Item, length: usize) -> Item {
        match item {
            Item::Text(mut text) if text.len() < length => {
                let missing = length - text.len();
                text.extend(values::of_length(self.rng, kind, missing));
                Item::Text(text)
            }
            item => item,
        }
    }

    /// One of the tails that make `text` of `base`: all of it if it is longer; else any that leaves only what both have.
    fn tail_of<'t>(&mut self, base: &[u8], text: &'t [u8]) -> &'t [u8] {
        if text.len() > base.len() {
            return text;
        }
        let common = base.iter().zip(text).take_while(|(a, b)| a == b).count();
        let kept = if self.chance(0.5) {
            common
        } else {
            self.rng.random_range(0..=common)
        };
        &text[kept..]
    }
}

fn item_of(initial: &Initial) -> Item {
    initial.item.clone()
}

/// The initial value, or the default base value of the type.
fn base_of(field: &Primitive, slot: &Slot) -> Item {
    match (&slot.initial, field.kind) {
        (Some(initial), _) => initial.item.clone(),
        (None, Kind::Integer { .. }) => Item::Integer(0),
        (None, Kind::Decimal) => Item::Decimal(0, 0),
        (None, _) => Item::Text(Vec::new()),
    }
}

/// One more, as section 6.3.6 has it.
fn next(item: Item, kind: Kind) -> Item {
    let (least, greatest) = kind.range();
    match item {
        Item::Integer(value) if value < greatest => Item::Integer(value + 1),
        Item::Integer(_) => Item::Integer(least),
        other => other,
    }
}

fn write_text(kind: Kind, text: &[u8], is_nullable: bool) -> Vec<u8> {
    if kind == Kind::Ascii {
        write::ascii(text, is_nullable)
    } else {
        write::byte_vector(text, is_nullable)
    }
}
