//! What the gateway stores of every order beyond what the engine needs, and the names clients gave them.

use std::collections::HashMap;
use std::fmt;

use formats::Side;
use formats::fix::{Decimal, OrdType, TimeInForce};

use crate::names::Names;

/// The longest ClOrdID taken, in bytes.
pub const LONGEST_NAME: usize = 32;

/// A ClOrdID.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Name {
    bytes: [u8; LONGEST_NAME],
    length: u8,
}

impl Name {
    pub(crate) fn new(text: &[u8]) -> Option<Self> {
        let mut bytes = [0; LONGEST_NAME];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        Some(Name {
            bytes,
            length: text.len() as u8,
        })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes
            .get(..usize::from(self.length))
            .unwrap_or_default()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        String::from_utf8_lossy(self.bytes()).fmt(f)
    }
}

/// An order, as its client knows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    /// The engine's id; it changes with a replacement.
    pub(crate) id: crate::OrderId,
    /// OrderID; it does not.
    pub(crate) number: u64,
    pub(crate) client: u32,
    pub(crate) instrument: u32,
    pub(crate) name: Name,
    pub(crate) side: Side,
    pub(crate) order_type: OrdType,
    pub(crate) time_in_force: TimeInForce,
    pub(crate) price: Option<Decimal>,
    pub(crate) stop_price: Option<Decimal>,
    pub(crate) quantity: u64,
    pub(crate) traded: u64,
    /// The sum of price times quantity of its trades, in ticks.
    pub(crate) notional: i128,
}

/// How an order ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It traded completely.
    Filled,
    /// It was cancelled.
    Canceled,
}

/// What is known about a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameState {
    /// The order is there; its place.
    Live(u32),
    /// The order is there, and has another name since it was replaced; its place.
    Replaced(u32),
    /// There was an order today: OrderID, and how it ended.
    Done(u64, End),
    /// Never used, or not today.
    Unknown,
}

/// What a name that is used no more named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Past {
    /// OrderID.
    pub(crate) order: u64,
    /// How the order ended under this name; `None` if it was replaced.
    pub(crate) end: Option<End>,
}

impl Past {
    /// As one number.
    pub(crate) const fn packed(self) -> u64 {
        let end = match self.end {
            None => 0,
            Some(End::Filled) => 1,
            Some(End::Canceled) => 2,
        };
        self.order << 2 | end
    }

    /// The inverse of [`Past::packed`].
    pub(crate) const fn unpacked(number: u64) -> Self {
        let end = match number & 3 {
            0 => None,
            1 => Some(End::Filled),
            _ => Some(End::Canceled),
        };
        Past {
            order: number >> 2,
            end,
        }
    }
}

/// What became of an order that was replaced.
#[derive(Clone, Copy, Debug)]
enum Latest {
    /// It is there.
    Live(u32),
    Done(End),
}

/// The orders that are there, and every name of the day. An order that is done leaves; its name stays used until the day ends.
#[derive(Debug, Default)]
pub(crate) struct Records {
    records: Vec<Option<Record>>,
    free: Vec<u32>,
    /// Names of orders that are there.
    live: HashMap<(u32, Name), u32>,
    /// Names that were used today, of orders that are done or have another name now.
    done: Names,
    /// Orders that have, or may have, names of before a replacement, by OrderID.
    replaced: HashMap<u64, Latest>,
}

impl Records {
    pub(crate) fn known(&self, client: u32, name: &Name) -> NameState {
        if let Some(place) = self.live.get(&(client, *name)) {
            return NameState::Live(*place);
        }
        let Some(past) = self.done.get(client, name.bytes()).map(Past::unpacked) else {
            return NameState::Unknown;
        };
        match (past.end, self.replaced.get(&past.order)) {
            (Some(end), _) | (None, Some(&Latest::Done(end))) => NameState::Done(past.order, end),
            (None, Some(&Latest::Live(place))) => NameState::Replaced(place),
            (None, None) => NameState::Unknown,
        }
    }

    /// How many names were used.
    pub(crate) fn names(&self) -> usize {
        self.live.len() + self.done.len()
    }

    /// Names that are used no more, what each named, and its client.
    pub(crate) fn done(&self) -> impl Iterator<Item = (u32, &[u8], Past)> {
        self.done.iter().map(|used| {
            let past = Past::unpacked(used.named);
            let end = match self.replaced.get(&past.order) {
                Some(Latest::Done(end)) => Some(*end),
                _ => past.end,
            };
            (used.client, used.name, Past { end, ..past })
        })
    }

    /// A name that was used before; `None` if it makes no sense.
    pub(crate) fn insert_done(&mut self, client: u32, name: &[u8], past: Past) -> Option<()> {
        if past.end.is_none() && !self.replaced.contains_key(&past.order) {
            return None;
        }
        if self.done.get(client, name).is_none() {
            self.done.insert(client, name, past.packed());
        }
        Some(())
    }

    /// An order that was there before a restart: names that are used no more may be its.
    pub(crate) fn restored(&mut self, place: u32, order: u64) {
        self.replaced.insert(order, Latest::Live(place));
    }

    /// Another day: names of orders that are done may be used again.
    pub(crate) fn begin_day(&mut self) {
        self.done.clear();
        self.replaced.clear();
    }

    /// Orders that are there.
    pub(crate) fn len(&self) -> usize {
        self.live.len()
    }

    /// Adds an order and its name.
    pub(crate) fn insert(&mut self, record: Record) -> u32 {
        let place = self.free.pop().unwrap_or(self.records.len() as u32);
        self.live.insert((record.client, record.name), place);
        match self.records.get_mut(place as usize) {
            Some(free) => *free = Some(record),
            None => self.records.push(Some(record)),
        }
        place
    }

    pub(crate) fn get(&self, place: u64) -> Option<&Record> {
        self.records.get(usize::try_from(place).ok()?)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, place: u64) -> Option<&mut Record> {
        self.records.get_mut(usize::try_from(place).ok()?)?.as_mut()
    }

    /// Gives an order another name.
    pub(crate) fn rename(&mut self, place: u32, name: Name) {
        if let Some(Some(record)) = self.records.get_mut(place as usize) {
            let (client, old, order) = (record.client, record.name, record.number);
            record.name = name;
            self.live.remove(&(client, old));
            self.live.insert((client, name), place);
            self.replaced.insert(order, Latest::Live(place));
            let past = Past { order, end: None };
            self.insert_done(client, old.bytes(), past);
        }
    }

    /// An order is done; its name stays used.
    pub(crate) fn remove(&mut self, place: u64, end: End) {
        let Ok(place) = u32::try_from(place) else {
            return;
        };
        if let Some(record) = self.records.get_mut(place as usize).and_then(Option::take) {
            self.live.remove(&(record.client, record.name));
            let order = record.number;
            if let Some(latest) = self.replaced.get_mut(&order) {
                *latest = Latest::Done(end);
            }
            let end = Some(end);
            let past = Past { order, end };
            self.insert_done(record.client, record.name.bytes(), past);
            self.free.push(place);
        }
    }
}
