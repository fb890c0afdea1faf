//! The exchange's state at the beginning of a journal, in parts that do not depend on each other's numbers.
//!
//! | first byte | part |
//! |---|---|
//! | 1 | counters: requests, OrderID, ExecID, trades, day |
//! | 2 | an instrument: symbol, tick, lowest and highest price, largest quantity, last price |
//! | 3 | a client: version, CompID |
//! | 4 | an order; those of a book in the order in which they would trade |
//! | 5 | ClOrdIDs of a client that are used and that no order there has now; after each, OrderID and how the order ended |
//!
//! Numbers are little-endian. An order's instrument and client are named, so that a file can be read with other instruments and clients than
//! it was written with.

use formats::fix::{Decimal, OrdType, Value, Version};
use formats::{Side, Symbol};

use crate::exchange::Exchange;
use crate::listing::Listing;
use crate::order::{Kind, NewOrder, OrderId};
use crate::records::{Name, NameState, Past, Record};

const COUNTERS: u8 = 1;
const INSTRUMENT: u8 = 2;
const CLIENT: u8 = 3;
const ORDER: u8 = 4;
const NAMES: u8 = 5;
/// A part with names has about so many bytes.
const PART: usize = 4_096;

/// No last price.
const NONE: i64 = i64::MIN;

fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    // No name here is longer than 255 bytes; a CompID has at most 32.
    out.push(text.len() as u8);
    out.extend_from_slice(text);
}

fn put_price(out: &mut Vec<u8>, price: Option<Decimal>) {
    let price = price.map_or((0, u8::MAX), |price| (price.mantissa, price.scale));
    out.extend_from_slice(&price.0.to_le_bytes());
    out.push(price.1);
}

/// Reads a part.
struct Part<'a>(&'a [u8]);

impl<'a> Part<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take().map(|[byte]| byte)
    }

    fn number(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn signed(&mut self) -> Option<i64> {
        self.take().map(i64::from_le_bytes)
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let length = self.byte()?;
        let (text, rest) = self.0.split_at_checked(length.into())?;
        self.0 = rest;
        Some(text)
    }

    fn price(&mut self) -> Option<Option<Decimal>> {
        let (mantissa, scale) = (self.signed()?, self.byte()?);
        Some((scale != u8::MAX).then(|| Decimal::new(mantissa, scale)))
    }

    /// One of the codes of FIX.
    fn code<V: for<'v> Value<'v>>(&mut self) -> Option<V> {
        V::read(&[self.byte()?]).ok()
    }
}

const fn side_code(side: Side) -> u8 {
    match side {
        Side::Buy => b'1',
        Side::Sell => b'2',
    }
}

impl Exchange {
    /// Gives the state, part by part.
    pub fn state(&self, put: &mut dyn FnMut(&[u8])) {
        let mut part = vec![COUNTERS];
        for number in [
            self.requests,
            self.orders,
            self.executions,
            self.engine.matches(),
            self.day,
        ] {
            part.extend_from_slice(&number.to_le_bytes());
        }
        put(&part);
        for client in &self.clients {
            part.clear();
            part.push(CLIENT);
            part.push(u8::from(client.version == Version::Fix44));
            put_text(&mut part, &client.name);
            put(&part);
        }
        for (number, listing) in (0..).zip(&self.listings) {
            part.clear();
            part.push(INSTRUMENT);
            part.extend_from_slice(&listing.symbol.0);
            let last = self.engine.last_price(number);
            for value in [
                listing.tick,
                listing.lowest_price,
                listing.highest_price,
                listing.largest_quantity as i64,
                last.unwrap_or(NONE),
            ] {
                part.extend_from_slice(&value.to_le_bytes());
            }
            put(&part);
            for side in [Side::Buy, Side::Sell] {
                let book = self.engine.orders(number, side);
                for order in book.chain(self.engine.stops(number, side)) {
                    part.clear();
                    self.put_order(&mut part, order.party.tag, order.waiting);
                    put(&part);
                }
            }
        }
        self.put_names(put);
    }

    fn put_order(&self, part: &mut Vec<u8>, tag: u64, waits: bool) {
        let Some(record) = self.records.get(tag) else {
            return;
        };
        let client = self.clients.get(record.client as usize);
        let symbol = self.listings.get(record.instrument as usize);
        part.push(ORDER);
        put_text(part, client.map_or(&[], |client| &client.name));
        part.extend_from_slice(&symbol.map_or([0; 8], |listing| listing.symbol.0));
        put_text(part, record.name.bytes());
        part.push(side_code(record.side));
        part.push(record.order_type as u8);
        part.push(record.time_in_force as u8);
        part.push(u8::from(waits));
        put_price(part, record.price);
        put_price(part, record.stop_price);
        for number in [record.number, record.quantity, record.traded] {
            part.extend_from_slice(&number.to_le_bytes());
        }
        part.extend_from_slice(&record.notional.to_le_bytes());
    }

    fn put_names(&self, put: &mut dyn FnMut(&[u8])) {
        let mut part = vec![];
        let mut of = None;
        for (client, name, past) in self.records.done() {
            if part.len() > PART || of != Some(client) {
                if !part.is_empty() {
                    put(&part);
                }
                let name = self.clients.get(client as usize);
                part.clear();
                part.push(NAMES);
                put_text(&mut part, name.map_or(&[], |client| &client.name));
                of = Some(client);
            }
            put_text(&mut part, name);
            part.extend_from_slice(&past.packed().to_le_bytes());
        }
        if !part.is_empty() {
            put(&part);
        }
    }

    /// Takes a part of the state of an exchange; `None` if it makes no sense. Instruments that are not traded here are listed, unless
    /// `listed` says that all are there: then they are left out.
    pub(crate) fn restore(&mut self, part: &[u8], listed: bool) -> Option<()> {
        let mut part = Part(part);
        match part.byte()? {
            COUNTERS => {
                self.requests = part.number()?;
                self.orders = part.number()?;
                self.executions = part.number()?;
                self.engine.restore_matches(part.number()?);
                self.day = part.number()?;
            }
            CLIENT => {
                let version = match part.byte()? {
                    0 => Version::Fix42,
                    _ => Version::Fix44,
                };
                self.client(part.text()?, version);
            }
            INSTRUMENT => self.restore_instrument(&mut part, listed)?,
            ORDER => self.restore_order(&mut part)?,
            NAMES => {
                let client = self.client_of(part.text()?)?;
                while !part.0.is_empty() {
                    let (name, past) = (part.text()?, Past::unpacked(part.number()?));
                    self.records.insert_done(client, name, past)?;
                }
            }
            _ => return None,
        }
        part.0.is_empty().then_some(())
    }

    fn client_of(&self, name: &[u8]) -> Option<u32> {
        let mut clients = (0..).zip(&self.clients);
        Some(clients.find(|(_, client)| client.name == name)?.0)
    }

    fn restore_instrument(&mut self, part: &mut Part<'_>, listed: bool) -> Option<()> {
        let listing = Listing {
            symbol: Symbol(part.take()?),
            tick: part.signed()?,
            lowest_price: part.signed()?,
            highest_price: part.signed()?,
            largest_quantity: part.number()?,
        };
        let last = part.signed()?;
        if !listed {
            self.list(&listing).ok()?;
        }
        let instrument = self.symbols.get(&listing.symbol);
        if let Some(instrument) = instrument
            && last != NONE
        {
            self.engine.restore_last(*instrument, last);
        }
        (instrument.is_some() || listed).then_some(())
    }

    fn restore_order(&mut self, part: &mut Part<'_>) -> Option<()> {
        let client = self.client_of(part.text()?)?;
        let instrument = *self.symbols.get(&Symbol(part.take()?))?;
        let name = Name::new(part.text()?)?;
        let side = match part.byte()? {
            b'1' => Side::Buy,
            b'2' => Side::Sell,
            _ => return None,
        };
        let (order_type, time_in_force) = (part.code()?, part.code()?);
        let waits = part.byte()? != 0;
        let (price, stop_price) = (part.price()?, part.price()?);
        let (number, quantity, traded) = (part.number()?, part.number()?, part.number()?);
        let notional = i128::from_le_bytes(part.take()?);
        if self.records.known(client, &name) != NameState::Unknown {
            return None;
        }
        let listing = *self.listings.get(instrument as usize)?;
        let kind = match order_type {
            // One that was triggered is in the book as a limit order.
            _ if !waits => Kind::Limit,
            OrdType::Stop => Kind::Stop,
            OrdType::StopLimit => Kind::StopLimit,
            _ => return None,
        };
        let ticks = |price: Option<Decimal>| price.and_then(|price| listing.ticks(price));
        let place = self.records.insert(Record {
            id: OrderId::default(),
            number,
            client,
            instrument,
            name,
            side,
            order_type,
            time_in_force,
            price,
            stop_price,
            quantity,
            traded,
            notional,
        });
        let order = NewOrder {
            instrument,
            client,
            tag: u64::from(place),
            side,
            kind,
            time_in_force: crate::gateway::time_in_force(time_in_force)?,
            price: ticks(price).unwrap_or_default(),
            trigger: ticks(stop_price).unwrap_or_default(),
            quantity,
        };
        self.records.restored(place, number);
        let id = self.engine.restore(&order, traded, waits)?;
        self.records.get_mut(u64::from(place))?.id = id;
        Some(())
    }
}
