//! An event that is being put together from fields.

use ::fast::{Decimal, Value};
use formats::{Event, Kind, Symbol};

use super::fault::Fault;
use super::map::Meaning;
use super::number::{at_scale, digits, since_midnight};
use super::plan::{Codes, Member, Plan, characters};

/// What has come of an entry. One is begun from what the message says before its entries.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    event: Event,
    /// Members that have come, a bit each.
    has: u16,
    /// What the action says, or the entry's type.
    action: Option<Meaning>,
    entry_type: Option<Meaning>,
    ignored: bool,
    /// Of its faults the one with the lowest number.
    fault: Option<Fault>,
    /// A symbol has come that has no key.
    keyless: bool,
    orders: u64,
    status: u64,
}

const fn bit(member: Member) -> u16 {
    1 << member as u16
}

impl Entry {
    pub const fn new(blank: Event) -> Self {
        Entry {
            event: blank,
            has: 0,
            action: None,
            entry_type: None,
            ignored: false,
            fault: None,
            keyless: false,
            orders: 0,
            status: 0,
        }
    }

    /// The number of the message, if it has come.
    pub const fn sequence(&self) -> Option<u64> {
        if self.has(Member::Sequence) {
            Some(self.event.sequence)
        } else {
            None
        }
    }

    /// The time of the message, in nanoseconds after midnight; 0 if none has come.
    pub const fn nanoseconds(&self) -> u64 {
        self.event.nanoseconds
    }

    const fn has(&self, member: Member) -> bool {
        self.has & bit(member) != 0
    }

    /// Its symbol, `Some(None)`: one that has no key; `None`: it does not say whose it is.
    pub const fn symbol(&self) -> Option<Option<Symbol>> {
        match (self.has(Member::Symbol), self.keyless) {
            (true, _) => Some(self.event.symbol),
            (false, false) => None,
            (false, true) => Some(None),
        }
    }

    /// Takes a field.
    #[inline]
    pub fn field(&mut self, member: Member, value: Value<'_>, plan: &Plan, scales: (u8, u8)) {
        let taken = match member {
            Member::Other => return,
            Member::Action => self.code(value, &plan.action, Fault::UnknownAction),
            Member::EntryType => self.code(value, &plan.entry_type, Fault::UnknownEntryType),
            Member::Side => self.code(value, &plan.side, Fault::UnknownSide),
            _ if value == Value::Absent => return,
            Member::Sequence => set(&mut self.event.sequence, unsigned(value), Fault::Number),
            Member::Orders => set(&mut self.orders, unsigned(value), Fault::Number),
            Member::Status => set(&mut self.status, unsigned(value), Fault::Number),
            Member::Time => {
                let time = unsigned(value).and_then(|v| since_midnight(v, plan.time_decimals));
                set(&mut self.event.nanoseconds, time, Fault::Time)
            }
            Member::Symbol => {
                let key = match value {
                    Value::Ascii(name) | Value::Unicode(name) => Symbol::of_name(name),
                    _ => unsigned(value).and_then(Symbol::of_id),
                };
                self.event.symbol = key;
                self.keyless |= key.is_none();
                key.map(|_| ()).ok_or(Fault::Symbol)
            }
            Member::OrderId => {
                let id = match value {
                    Value::Ascii(text) | Value::Unicode(text) => digits(text),
                    _ => unsigned(value),
                };
                set(&mut self.event.order_id, id, Fault::OrderId)
            }
            Member::Price => {
                let price = decimal(value).and_then(|value| at_scale(value, scales.0));
                set(&mut self.event.price, price, Fault::PriceScale)
            }
            Member::Quantity => {
                let quantity = decimal(value).and_then(|value| at_scale(value, scales.1));
                let quantity = quantity.and_then(|quantity| u64::try_from(quantity).ok());
                set(&mut self.event.quantity, quantity, Fault::QuantityScale)
            }
        };
        match taken {
            // What a code says sets its own.
            Ok(()) if matches!(member, Member::Action | Member::EntryType | Member::Side) => {}
            Ok(()) => self.has |= bit(member),
            Err(fault) => self.fail(fault),
        }
    }

    fn fail(&mut self, fault: Fault) {
        self.fault = Some(self.fault.map_or(fault, |other| other.min(fault)));
    }

    /// Takes a field whose values the map names.
    fn code(&mut self, value: Value<'_>, codes: &Codes, unknown: Fault) -> Result<(), Fault> {
        let meaning = match value {
            Value::Absent => match codes.absent {
                None => return Ok(()),
                absent => absent,
            },
            Value::Unsigned(value) => codes.of(value),
            Value::Signed(value) => codes.of(value as u64),
            Value::Ascii(text) | Value::Unicode(text) => {
                characters(text).and_then(|value| codes.of(value))
            }
            _ => None,
        };
        let meaning = meaning.ok_or(unknown)?;
        if let Some(side) = meaning.side() {
            self.event.side = side;
            self.has |= bit(Member::Side);
        } else if meaning == Meaning::Ignore {
            self.ignored = true;
        } else if unknown == Fault::UnknownEntryType {
            self.entry_type = Some(meaning);
        } else {
            self.action = Some(meaning);
        }
        Ok(())
    }

    /// The event; `None`: the map ignores the entry.
    pub fn event(&self, plan: &Plan) -> Result<Option<Event>, Fault> {
        if self.ignored {
            return Ok(None);
        }
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let meaning = self.entry_type.or(self.action).or(plan.kind);
        let meaning = meaning.ok_or(Fault::NoAction)?;
        let kind = meaning.kind().ok_or(Fault::NoAction)?;
        let mut event = Event { kind, ..self.event };
        // What is needed; and what the kind has besides. The rest is 0.
        let (needed, possible): (&[Member], &[Member]) = match kind {
            Kind::Add => (
                &[
                    Member::Side,
                    Member::Symbol,
                    Member::OrderId,
                    Member::Price,
                    Member::Quantity,
                ],
                &[],
            ),
            Kind::Modify => (
                &[Member::OrderId, Member::Quantity],
                &[Member::Side, Member::Price],
            ),
            Kind::Execute => (&[Member::OrderId, Member::Quantity], &[Member::Price]),
            Kind::Reduce => (&[Member::OrderId, Member::Quantity], &[]),
            Kind::Delete => (&[Member::OrderId], &[]),
            Kind::Trade => (
                &[Member::Symbol, Member::Price, Member::Quantity],
                &[Member::Side, Member::OrderId],
            ),
            Kind::Level if meaning == Meaning::RemoveLevel => {
                (&[Member::Side, Member::Symbol, Member::Price], &[])
            }
            Kind::Level => (
                &[
                    Member::Side,
                    Member::Symbol,
                    Member::Price,
                    Member::Quantity,
                ],
                &[],
            ),
            Kind::Clear => (&[Member::Symbol], &[]),
            _ => (&[], &[]),
        };
        for (member, fault) in [
            (Member::Side, Fault::NoSide),
            (Member::Symbol, Fault::NoSymbol),
            (Member::OrderId, Fault::NoOrderId),
            (Member::Price, Fault::NoPrice),
            (Member::Quantity, Fault::NoQuantity),
        ] {
            if needed.contains(&member) {
                if !self.has(member) {
                    return Err(fault);
                }
            } else if !possible.contains(&member) {
                match member {
                    Member::Side => event.side = formats::Side::Buy,
                    Member::OrderId => event.order_id = 0,
                    Member::Price => event.price = 0,
                    Member::Quantity => event.quantity = 0,
                    _ => {}
                }
            }
        }
        match kind {
            Kind::Level if event.quantity > 0 => event.order_id = self.orders,
            Kind::Status => event.quantity = self.status,
            Kind::Trade => event.kind = Kind::of_trade(event.price, event.quantity),
            // Nothing is left of it.
            Kind::Modify if event.quantity == 0 => event.kind = Kind::Delete,
            _ => {}
        }
        Ok(Some(event))
    }
}

fn set<T>(place: &mut T, value: Option<T>, fault: Fault) -> Result<(), Fault> {
    *place = value.ok_or(fault)?;
    Ok(())
}

fn unsigned(value: Value<'_>) -> Option<u64> {
    match value {
        Value::Unsigned(value) => Some(value),
        Value::Signed(value) => value.try_into().ok(),
        _ => None,
    }
}

fn decimal(value: Value<'_>) -> Option<Decimal> {
    let mantissa = match value {
        Value::Decimal(value) => return Some(value),
        Value::Unsigned(value) => value.try_into().ok()?,
        Value::Signed(value) => value,
        _ => return None,
    };
    Some(Decimal {
        exponent: 0,
        mantissa,
    })
}
