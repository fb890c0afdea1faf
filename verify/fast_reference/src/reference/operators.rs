//! The field operators (section 6.3, with the use of presence map and NULL of section 10.5.1).

use super::decode::Walk;
use super::dictionary::{Context, State};
use super::error::Code;
use super::input::PresenceMap;
use super::template::{Access, Data, Kind, Operator, Primitive};

/// A delta value (section 10.7).
enum Delta {
    Integer(i128),
    Decimal { exponent: i128, mantissa: i128 },
    Text { subtraction: i128, added: Vec<u8> },
}

impl Walk<'_> {
    /// The value of a field after its operator; `None` is absent.
    pub(super) fn operate(
        &mut self,
        field: &Primitive,
        context: Context,
        map: &mut PresenceMap,
    ) -> Result<Option<Data>, Code> {
        match &field.operator {
            Operator::None => self.read(field.kind, field.optional),
            Operator::Constant(_) if field.optional && !map.take() => Ok(None),
            Operator::Constant(value) => Ok(Some(value.clone())),
            Operator::Default(_) if map.take() => self.read(field.kind, field.optional),
            Operator::Default(initial) => Ok(initial.clone()),
            Operator::Copy(access) => self.copy(field, access, context, map),
            Operator::Increment(access) => self.increment(field, access, context, map),
            Operator::Delta(access) => self.delta(field, access, context),
            Operator::Tail(access) => self.tail(field, access, context, map),
        }
    }

    /// Section 6.3.5.
    fn copy(
        &mut self,
        field: &Primitive,
        access: &Access,
        context: Context,
        map: &mut PresenceMap,
    ) -> Result<Option<Data>, Code> {
        let entry = context.entry(access);
        let previous = self.dictionaries.state(&entry, field.kind)?;
        let value = if map.take() {
            self.read(field.kind, field.optional)?
        } else {
            match previous {
                State::Assigned(value) => Some(value),
                State::Undefined => initial_value(field, access, Code::D5)?,
                State::Empty => absent(field, Code::D6)?,
            }
        };
        self.dictionaries.set(entry, field.kind, value.clone());
        Ok(value)
    }

    /// Section 6.3.6.
    fn increment(
        &mut self,
        field: &Primitive,
        access: &Access,
        context: Context,
        map: &mut PresenceMap,
    ) -> Result<Option<Data>, Code> {
        let entry = context.entry(access);
        let previous = self.dictionaries.state(&entry, field.kind)?;
        let value = if map.take() {
            self.read(field.kind, field.optional)?
        } else {
            match previous {
                State::Assigned(value) => Some(incremented(value, field.kind)),
                State::Undefined => initial_value(field, access, Code::D5)?,
                State::Empty => absent(field, Code::D6)?,
            }
        };
        self.dictionaries.set(entry, field.kind, value.clone());
        Ok(value)
    }

    /// Section 6.3.7. Absence leaves the previous value alone (10.5.1).
    fn delta(
        &mut self,
        field: &Primitive,
        access: &Access,
        context: Context,
    ) -> Result<Option<Data>, Code> {
        let entry = context.entry(access);
        let previous = self.dictionaries.state(&entry, field.kind)?;
        let Some(delta) = self.read_delta(field.kind, field.optional)? else {
            return Ok(None);
        };
        let base = match previous {
            State::Assigned(value) => value,
            State::Undefined => base_value(field, access),
            State::Empty => return Err(Code::D6),
        };
        let value = combined(base, delta, field.kind)?;
        self.dictionaries
            .set(entry, field.kind, Some(value.clone()));
        Ok(Some(value))
    }

    /// Section 6.3.8, with its own numbers for the errors.
    fn tail(
        &mut self,
        field: &Primitive,
        access: &Access,
        context: Context,
        map: &mut PresenceMap,
    ) -> Result<Option<Data>, Code> {
        let entry = context.entry(access);
        let previous = self.dictionaries.state(&entry, field.kind)?;
        let value = if map.take() {
            let tail = self.read(field.kind, field.optional)?;
            tail.map(|tail| {
                let base = match previous {
                    State::Assigned(value) => value,
                    State::Undefined | State::Empty => base_value(field, access),
                };
                with_tail(base, tail)
            })
        } else {
            match previous {
                State::Assigned(value) => Some(value),
                State::Undefined => initial_value(field, access, Code::D6)?,
                State::Empty => absent(field, Code::D7)?,
            }
        };
        self.dictionaries.set(entry, field.kind, value.clone());
        Ok(value)
    }

    /// A value from the stream (section 10.6); `None` is NULL.
    fn read(&mut self, kind: Kind, nullable: bool) -> Result<Option<Data>, Code> {
        Ok(match kind {
            Kind::Integer { signed, .. } => {
                let value = if signed {
                    self.input.nullable_signed(nullable)?
                } else {
                    self.input.nullable_unsigned(nullable)?
                };
                let (least, greatest) = kind.range();
                match value {
                    Some(value) if value < least || value > greatest => return Err(Code::D2),
                    value => value.map(Data::Integer),
                }
            }
            Kind::Decimal => {
                let Some(exponent) = self.input.nullable_signed(nullable)? else {
                    return Ok(None);
                };
                let mantissa = self.input.signed()?;
                Some(decimal(exponent, mantissa)?)
            }
            Kind::Ascii => self.input.ascii(nullable)?.map(Data::Text),
            Kind::Unicode | Kind::Bytes => self.input.byte_vector(nullable)?.map(Data::Text),
        })
    }

    /// A delta from the stream (section 10.7); `None` is NULL.
    fn read_delta(&mut self, kind: Kind, nullable: bool) -> Result<Option<Delta>, Code> {
        let Some(first) = self.input.nullable_signed(nullable)? else {
            return Ok(None);
        };
        Ok(Some(match kind {
            Kind::Integer { .. } => Delta::Integer(first),
            Kind::Decimal => Delta::Decimal {
                exponent: first,
                mantissa: self.input.signed()?,
            },
            Kind::Ascii => Delta::Text {
                subtraction: first,
                added: self.input.ascii(false)?.unwrap_or_default(),
            },
            Kind::Unicode | Kind::Bytes => Delta::Text {
                subtraction: first,
                added: self.input.byte_vector(false)?.unwrap_or_default(),
            },
        }))
    }
}

/// The value of a field whose previous value is undefined: the initial value; absent if it has none and is optional.
fn initial_value(field: &Primitive, access: &Access, code: Code) -> Result<Option<Data>, Code> {
    match &access.initial {
        Some(value) => Ok(Some(value.clone())),
        None => absent(field, code),
    }
}

/// No value, which is an error if the field is mandatory.
fn absent(field: &Primitive, code: Code) -> Result<Option<Data>, Code> {
    if field.optional { Ok(None) } else { Err(code) }
}

/// The initial value, or the default base value of the type (sections 6.3.7 and 6.3.8).
fn base_value(field: &Primitive, access: &Access) -> Data {
    access.initial.clone().unwrap_or(match field.kind {
        Kind::Integer { .. } => Data::Integer(0),
        Kind::Decimal => Data::Decimal {
            exponent: 0,
            mantissa: 0,
        },
        Kind::Ascii | Kind::Unicode | Kind::Bytes => Data::Text(Vec::new()),
    })
}

/// One more; after the maximum comes the minimum (section 6.3.6).
fn incremented(value: Data, kind: Kind) -> Data {
    let (least, greatest) = kind.range();
    match value {
        Data::Integer(value) if value == greatest => Data::Integer(least),
        Data::Integer(value) => Data::Integer(value + 1),
        other => other,
    }
}

/// A decimal within its bounds, or R1.
fn decimal(exponent: i128, mantissa: i128) -> Result<Data, Code> {
    if !(-63..=63).contains(&exponent) {
        return Err(Code::R1);
    }
    Ok(Data::Decimal {
        exponent: exponent as i32,
        mantissa: i64::try_from(mantissa).map_err(|_| Code::R1)?,
    })
}

/// Base value and delta value (sections 6.3.7.1 to 6.3.7.5).
fn combined(base: Data, delta: Delta, kind: Kind) -> Result<Data, Code> {
    match (base, delta) {
        (Data::Integer(base), Delta::Integer(delta)) => {
            let value = base.saturating_add(delta);
            let (least, greatest) = kind.range();
            if value < least || value > greatest {
                return Err(Code::R4);
            }
            Ok(Data::Integer(value))
        }
        (
            Data::Decimal { exponent, mantissa },
            Delta::Decimal {
                exponent: e,
                mantissa: m,
            },
        ) => decimal(
            e.saturating_add(i128::from(exponent)),
            m.saturating_add(i128::from(mantissa)),
        ),
        (Data::Text(base), Delta::Text { subtraction, added }) => {
            spliced(base, subtraction, added).map(Data::Text)
        }
        // The dictionary gives no value of another type (D4).
        _ => Err(Code::D4),
    }
}

/// Removes from the back and adds there; or, where the subtraction length is negative, at the front (section 6.3.7.3).
fn spliced(base: Vec<u8>, subtraction: i128, added: Vec<u8>) -> Result<Vec<u8>, Code> {
    let subtraction = i32::try_from(subtraction).map_err(|_| Code::D7)?;
    let at_front = subtraction < 0;
    // Excess-1: -1 removes nothing from the front.
    let removed = if at_front {
        -(i64::from(subtraction) + 1)
    } else {
        i64::from(subtraction)
    };
    let kept = usize::try_from(removed)
        .ok()
        .and_then(|removed| base.len().checked_sub(removed))
        .ok_or(Code::D7)?;
    Ok(if at_front {
        [&added[..], &base[base.len() - kept..]].concat()
    } else {
        [&base[..kept], &added[..]].concat()
    })
}

/// The tail in place of as many bytes at the end of the base (sections 6.3.8.1 to 6.3.8.3).
fn with_tail(base: Data, tail: Data) -> Data {
    match (base, tail) {
        (Data::Text(base), Data::Text(tail)) => {
            let kept = base.len().saturating_sub(tail.len());
            Data::Text([&base[..kept], &tail[..]].concat())
        }
        (_, tail) => tail,
    }
}
