//! What the gateway stores of every order beyond what the engine needs, and the names clients gave them.

use std::collections::HashMap;

use wire::Side;
use wire::fix::{Decimal, OrdType, TimeInForce};

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

/// What is known about a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// The order is there; its place.
    Live(u32),
    /// There was an order today.
    Done,
    /// Never used, or not today.
    Unknown,
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
}

impl Records {
    pub(crate) fn known(&self, client: u32, name: &Name) -> Known {
        match self.live.get(&(client, *name)) {
            Some(place) => Known::Live(*place),
            None if self.done.contains(client, name.bytes()) => Known::Done,
            None => Known::Unknown,
        }
    }

    /// How many names were used.
    pub(crate) fn names(&self) -> usize {
        self.live.len() + self.done.len()
    }

    /// Names of orders that are gone.
    pub(crate) const fn done(&self) -> &Names {
        &self.done
    }

    /// A name that was used before.
    pub(crate) fn insert_done(&mut self, client: u32, name: &[u8]) {
        if !self.done.contains(client, name) {
            self.done.insert(client, name);
        }
    }

    /// Another day: names of orders that are done may be used again.
    pub(crate) fn begin_day(&mut self) {
        self.done.clear();
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
            let (client, old) = (record.client, record.name);
            record.name = name;
            self.live.remove(&(client, old));
            self.live.insert((client, name), place);
            self.insert_done(client, old.bytes());
        }
    }

    /// An order is done; its name stays used.
    pub(crate) fn remove(&mut self, place: u64) {
        let Ok(place) = u32::try_from(place) else {
            return;
        };
        if let Some(record) = self.records.get_mut(place as usize).and_then(Option::take) {
            self.live.remove(&(record.client, record.name));
            self.insert_done(record.client, record.name.bytes());
            self.free.push(place);
        }
    }
}
