//! The entries of a message with prices (NoMDEntries, 268): the twin of `fix_entries`.

use formats::fix::Message;
use formats::{Event, Kind, Listener, Side, Source};
use instrument::{Listing, Table, symbol_of_text};

use super::number::{digits, fixed_point, without_zeros};

/// MDEntryType (269), as far as it becomes an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryType {
    Bid,
    Offer,
    Trade,
    Other,
}

/// An entry that is not complete yet.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// MDUpdateAction (279).
    action: Option<u8>,
    entry_type: Option<EntryType>,
    instrument: Option<(u8, Listing)>,
    price: Option<i64>,
    quantity: Option<i64>,
}

/// Follows the entries of 35=W and 35=X.
///
/// In 35=W an entry begins with 269, in 35=X with 279; in it 269, the instrument, 270 and 271 come once at most, and 270 and 271 after both
/// others. An instrument holds for the next entries too, until another is named; of 55 and 48 in one entry, either may be in the table.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    /// The message is 35=X.
    increment: bool,
    /// NoMDEntries: its value, `None` where that is no number, and whether it is just 0.
    announced: Option<(Option<u32>, bool)>,
    count: u32,
    entry: Option<Entry>,
    instrument: Option<(u8, Listing)>,
    /// An instrument was named in this message, and in this entry.
    named: bool,
    named_here: bool,
    malformed: bool,
    bad_number: bool,
    unknown: u32,
    events: Vec<Event>,
}

impl Entries {
    /// Gives the events of a message that a FIX session has taken: framing and MsgSeqNum are good. Returns whether its entries are good, too.
    /// A message that is sent again (PossDupFlag) gives none: its prices are no news.
    ///
    /// Zeros at a number's end change nothing, however many decimals the instrument has: exchanges write as many for all. The core wants no more decimals
    /// than its own.
    pub fn message(
        &mut self,
        message: &Message<'_>,
        instruments: &Table,
        listener: &mut impl Listener,
    ) -> bool {
        let increment = match message.msg_type() {
            b"W" => false,
            b"X" => true,
            _ => return false,
        };
        let (mut sequence, mut repeated) = (0, false);
        self.begin(increment);
        for field in message.fields() {
            match field {
                Ok(field) if field.tag == 34 => sequence = digits(field.value, 9).unwrap_or(0),
                Ok(field) if field.tag == 43 => repeated |= field.value != b"N",
                Ok(field) if matches!(field.tag, 270 | 271) => {
                    self.field(field.tag, without_zeros(field.value), instruments);
                }
                Ok(field) => self.field(field.tag, field.value, instruments),
                Err(_) => self.malformed = true,
            }
        }
        let good = self.end() && !self.bad_number && !repeated;
        if good {
            self.give(sequence.into(), listener);
        }
        good
    }

    /// A message begins; `increment`: it is 35=X.
    pub fn begin(&mut self, increment: bool) {
        let mut events = std::mem::take(&mut self.events);
        events.clear();
        *self = Entries {
            increment,
            events,
            ..Entries::default()
        };
    }

    /// A field of the message, in order.
    pub fn field(&mut self, tag: u32, value: &[u8], instruments: &Table) {
        match tag {
            48 | 55 => self.symbol(value, instruments),
            268 => {
                self.malformed |= self.begun();
                self.announced = Some((digits(value, 5), value == b"0"));
            }
            279 => {
                self.malformed |= !self.increment || !matches!(value, b"0" | b"1" | b"2");
                self.open().action = value.first().copied();
            }
            269 => {
                if !self.increment {
                    self.open();
                }
                let entry_type = match value {
                    b"0" => EntryType::Bid,
                    b"1" => EntryType::Offer,
                    b"2" => EntryType::Trade,
                    _ => EntryType::Other,
                };
                match &mut self.entry {
                    Some(entry) if entry.entry_type.is_none() => {
                        entry.entry_type = Some(entry_type)
                    }
                    _ => self.malformed = true,
                }
            }
            270 | 271 => self.number(tag == 270, value),
            _ => {}
        }
    }

    /// Whether NoMDEntries has come.
    pub const fn begun(&self) -> bool {
        self.announced.is_some()
    }

    /// The message ends; returns whether its entries are in order, and as many as announced.
    pub fn end(&mut self) -> bool {
        let before = self.events.len();
        self.close();
        if self.events.len() > before
            && let Some(event) = self.events.last_mut()
        {
            event.last = true;
        }
        let complete = match self.announced {
            Some((Some(count), zero)) => count == self.count && (count > 0 || zero),
            _ => false,
        };
        complete && !self.malformed
    }

    /// Whether a price or a quantity of an instrument of ours is not a number at its scale.
    pub const fn bad_number(&self) -> bool {
        self.bad_number
    }

    /// Entries that would be events, were their instrument in the table.
    pub const fn unknown(&self) -> u32 {
        self.unknown
    }

    /// The events of the message that ended, whose MsgSeqNum this is.
    pub fn give(&mut self, sequence: u64, listener: &mut impl Listener) {
        for event in &self.events {
            listener.event(&Event { sequence, ..*event });
        }
    }

    /// The entry before is complete, and another begins.
    fn open(&mut self) -> &mut Entry {
        self.malformed |= !self.begun();
        self.close();
        self.count += 1;
        self.named_here = false;
        self.entry.insert(Entry {
            instrument: self.instrument,
            ..Entry::default()
        })
    }

    fn symbol(&mut self, value: &[u8], instruments: &Table) {
        if !self.named_here || self.instrument.is_none() {
            let symbol = symbol_of_text(value);
            self.instrument = symbol.and_then(|symbol| instruments.find(Source::Session, symbol));
        }
        (self.named, self.named_here) = (true, true);
        if let Some(entry) = &mut self.entry {
            self.malformed |= entry.price.is_some() || entry.quantity.is_some();
            entry.instrument = self.instrument;
        }
    }

    fn number(&mut self, price: bool, value: &[u8]) {
        let Some(entry) = &mut self.entry else {
            self.malformed = true;
            return;
        };
        let place = if price {
            &mut entry.price
        } else {
            &mut entry.quantity
        };
        self.malformed |= entry.entry_type.is_none() || !self.named || place.is_some();
        let of_ours = entry
            .instrument
            .filter(|_| entry.entry_type != Some(EntryType::Other));
        let number = match of_ours {
            None => Some(0),
            Some((_, listing)) if price => fixed_point(value, listing.price_scale),
            Some(_) if value.first() == Some(&b'-') => None,
            Some((_, listing)) => fixed_point(value, listing.quantity_scale),
        };
        self.bad_number |= number.is_none();
        *place = Some(number.unwrap_or(0));
    }

    /// The open entry is complete.
    fn close(&mut self) {
        let Some(entry) = self.entry.take() else {
            return;
        };
        let deleted = entry.action == Some(b'2');
        let complete = self.named && (entry.price.is_some() || deleted);
        let Some(entry_type) = entry.entry_type.filter(|_| complete) else {
            self.malformed = true;
            return;
        };
        if entry_type == EntryType::Other {
            return;
        }
        let Some((index, _)) = entry.instrument else {
            self.unknown += 1;
            return;
        };
        let price = entry.price.unwrap_or(0);
        let quantity = entry.quantity.map(i64::unsigned_abs);
        let kind = match entry.action {
            Some(b'1') => Kind::Modify,
            Some(b'2') => Kind::Delete,
            // A trade may come without MDEntrySize: it has traded something then.
            _ if entry_type == EntryType::Trade => Kind::of_trade(price, quantity.unwrap_or(1)),
            _ => Kind::Add,
        };
        let message_type = if self.increment { b'X' } else { b'W' };
        self.events.push(Event {
            source: Source::Session,
            instrument: Some(index),
            side: match entry_type {
                EntryType::Offer => Side::Sell,
                _ => Side::Buy,
            },
            price,
            quantity: quantity.unwrap_or(0),
            ..Event::new(kind, message_type)
        });
    }
}
