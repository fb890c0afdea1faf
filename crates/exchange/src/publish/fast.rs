//! The feed as an order log in FAST 1.1, as the currency market of the Moscow Exchange has it: X-OLR-CURR, the same packets on lines A and
//! B, and snapshots of the books in a cycle on lines of their own (W-OLS-CURR).
//!
//! ```text
//!  event ── entry ─┐                        ┌─ line A
//!  event ── entry ─┴ commit ─ X-OLR-CURR ───┴─ line B
//!  books ── each instrument in turn ─ W-OLS-CURR ─ lines of the snapshots
//! ```
//! An entry is an order that enters (MDUpdateAction 0), has another quantity left (1), or leaves (2); MDEntryType is its side, MDEntryID its
//! number. Orders that never enter the book are not published. At the beginning each book is cleared (MDEntryType `J`), and its orders enter.
//! The templates are read from a file of the exchange's; [`LayoutError`] says what is wrong with one that cannot be used.
//!
//! Every packet is its number (four bytes, little-endian, equal to MsgSeqNum) and one message, encoded with empty dictionaries.

pub mod generate;
mod layout;
mod packets;
mod snapshots;

use fast::{Decimal, Encoder, Fields, Templates};
use wire::Side;
use wire::fix::Timestamp;

use super::Publisher;
use super::line::Line;
use crate::engine::Engine;
use crate::listing::{Listing, PRICE_SCALE};
use crate::order::{Event, OrderId};
use crate::report::Digits;

pub use layout::LayoutError;
use layout::{Datum, Layout, Values, Wanted, values_error};
use packets::Packets;
use snapshots::Snapshots;

/// The template of the order log, and its name.
const LOG: (u32, &str) = (3610, "X-OLR-CURR");
/// That of a snapshot.
const SNAPSHOT: (u32, &str) = (3600, "W-OLS-CURR");
/// That of a heartbeat.
const HEARTBEAT: (u32, &str) = (2108, "0");

/// Numbers of fields, as in the FIX dictionary and in the Moscow Exchange's.
mod tag {
    pub(super) const MSG_SEQ_NUM: u32 = 34;
    pub(super) const SENDING_TIME: u32 = 52;
    pub(super) const SYMBOL: u32 = 55;
    pub(super) const RPT_SEQ: u32 = 83;
    pub(super) const ENTRY_TYPE: u32 = 269;
    pub(super) const PRICE: u32 = 270;
    pub(super) const SIZE: u32 = 271;
    pub(super) const ENTRY_DATE: u32 = 272;
    pub(super) const ENTRY_TIME: u32 = 273;
    pub(super) const ENTRY_ID: u32 = 278;
    pub(super) const UPDATE_ACTION: u32 = 279;
    pub(super) const LAST_PROCESSED: u32 = 369;
    pub(super) const LAST_FRAGMENT: u32 = 893;
    pub(super) const ROUTE_FIRST: u32 = 7944;
    pub(super) const ORIG_TIME: u32 = 9412;
}

const fn wanted(tag: u32, name: &'static str, values: Values, needed: bool) -> Wanted {
    Wanted {
        tag,
        name,
        values,
        needed,
    }
}

const SEQUENCE: Wanted = wanted(tag::MSG_SEQ_NUM, "MsgSeqNum", Values::Numbers, true);
const SENDING_TIME: Wanted = wanted(tag::SENDING_TIME, "SendingTime", Values::Numbers, false);
const SYMBOL: Wanted = wanted(tag::SYMBOL, "Symbol", Values::Text, true);
const RPT_SEQ: Wanted = wanted(tag::RPT_SEQ, "RptSeq", Values::Numbers, false);
const ENTRY_TYPE: Wanted = wanted(tag::ENTRY_TYPE, "MDEntryType", Values::Text, true);
const ENTRY_ID: Wanted = wanted(tag::ENTRY_ID, "MDEntryID", Values::Text, true);
const PRICE: Wanted = wanted(tag::PRICE, "MDEntryPx", Values::Decimals, true);
const SIZE: Wanted = wanted(tag::SIZE, "MDEntrySize", Values::Decimals, true);

/// What an entry does (MDUpdateAction, 279).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Add = 0,
    Change = 1,
    Delete = 2,
}

/// An order at a price, in ticks.
#[derive(Clone, Copy, Debug)]
struct Told {
    instrument: u32,
    order: OrderId,
    side: Side,
    price: i64,
}

/// The publisher.
pub struct FastPublisher {
    log: Layout,
    heartbeat: Option<Layout>,
    templates: Templates,
    packets: Packets,
    lines: Vec<Box<dyn Line>>,
    snapshots: Option<Snapshots>,
    listings: Vec<Listing>,
    /// RptSeq (83) of each instrument's last entry.
    reports: Vec<u64>,
    /// What happened since the last commit.
    entries: Vec<Fields>,
    /// The time of the last of it.
    sending_time: Timestamp,
}

impl FastPublisher {
    /// An order log on these lines, in the templates of an exchange. Messages are numbered from 1.
    ///
    /// # Errors
    /// Template 3610 is not there, or cannot carry what is published.
    pub fn new(templates: &Templates, lines: Vec<Box<dyn Line>>) -> Result<Self, LayoutError> {
        let header = [SEQUENCE, SENDING_TIME];
        let entry = [
            wanted(tag::UPDATE_ACTION, "MDUpdateAction", Values::Numbers, true),
            ENTRY_TYPE,
            ENTRY_ID,
            SYMBOL,
            RPT_SEQ,
            wanted(tag::ENTRY_DATE, "MDEntryDate", Values::Numbers, false),
            wanted(tag::ENTRY_TIME, "MDEntryTime", Values::Numbers, false),
            wanted(tag::ORIG_TIME, "OrigTime", Values::Numbers, false),
            PRICE,
            SIZE,
        ];
        let mut publisher = FastPublisher {
            log: Layout::new(templates, LOG, &header, &entry)?,
            // A feed without heartbeats is one, too.
            heartbeat: Layout::new(templates, HEARTBEAT, &header, &[]).ok(),
            templates: templates.clone(),
            packets: Packets::new(Encoder::new(templates)),
            lines,
            snapshots: None,
            listings: vec![],
            reports: vec![],
            entries: vec![],
            sending_time: Timestamp(0),
        };
        publisher.try_values()?;
        Ok(publisher)
    }

    /// It sends snapshots of the books to these lines, each instrument once in `cycle` nanoseconds, or later where books
    /// are large: 40 µs for each order, and 16 packets a millisecond at most.
    ///
    /// # Errors
    /// Template 3600 is not there, or cannot carry what is published.
    pub fn with_snapshots(
        mut self,
        lines: Vec<Box<dyn Line>>,
        cycle: u64,
    ) -> Result<Self, LayoutError> {
        self.snapshots = Some(Snapshots::new(&self.templates, lines, cycle)?);
        Ok(self)
    }

    /// The number of the next message (MsgSeqNum).
    pub const fn next_sequence(&self) -> u32 {
        self.packets.next()
    }

    /// Encodes a message of extreme values, to find out before the market begins.
    fn try_values(&mut self) -> Result<(), LayoutError> {
        let order = |number: u64, price: i64, quantity: u64| {
            let id = Digits::new(number);
            let values = [
                (tag::UPDATE_ACTION, Datum::Number(Action::Delete as u64)),
                (tag::ENTRY_TYPE, Datum::Text(b"1")),
                (tag::ENTRY_ID, Datum::Text(id.bytes())),
                (tag::SYMBOL, Datum::Text(b"SYMBOL_8")),
                (tag::RPT_SEQ, Datum::Number(i32::MAX as u64)),
                (tag::ENTRY_DATE, Datum::Number(25_541_231)),
                (tag::ENTRY_TIME, Datum::Number(235_959_999)),
                (tag::ORIG_TIME, Datum::Number(999_999)),
                (tag::PRICE, decimal(price, PRICE_SCALE)),
                (tag::SIZE, decimal(quantity as i64, 0)),
            ];
            self.log.entry(&values)
        };
        let entries = vec![
            order(u64::MAX, u32::MAX.into(), u32::MAX.into()),
            order(1, 1, 1),
            self.log.entry(&cleared(b"SYMBOL_8")),
        ];
        let header = [
            (tag::MSG_SEQ_NUM, Datum::Number(u32::MAX.into())),
            (tag::SENDING_TIME, Datum::Number(991_231_235_959_999_999)),
        ];
        self.packets
            .try_message(&self.log, &header, entries)
            .map_err(|error| values_error(&error, &self.templates))?;
        if let Some(heartbeat) = &self.heartbeat
            && self
                .packets
                .try_message(heartbeat, &header, vec![])
                .is_err()
        {
            self.heartbeat = None;
        }
        Ok(())
    }

    /// Adds an entry about an order; `quantity` is what is left of it.
    fn push(&mut self, action: Action, told: Told, quantity: Option<u64>, now: Timestamp) {
        let Some(listing) = self.listings.get(told.instrument as usize) else {
            return;
        };
        let id = Digits::new(told.order.0);
        let clock = Clock::of(now);
        let report = self.reports.get_mut(told.instrument as usize);
        let report = report.map_or(0, |report| {
            // It has 31 bits.
            *report = (*report + 1) & i32::MAX as u64;
            *report
        });
        let mut values = vec![
            (tag::UPDATE_ACTION, Datum::Number(action as u64)),
            (tag::ENTRY_TYPE, entry_type(told.side)),
            (tag::ENTRY_ID, Datum::Text(id.bytes())),
            (tag::SYMBOL, Datum::Text(listing.symbol.0.trim_ascii_end())),
            (tag::RPT_SEQ, Datum::Number(report)),
            (tag::ENTRY_DATE, Datum::Number(clock.date)),
            (tag::ENTRY_TIME, Datum::Number(clock.time * 1_000)),
            (tag::ORIG_TIME, Datum::Number(clock.microseconds)),
            (tag::PRICE, decimal(listing.price(told.price), PRICE_SCALE)),
        ];
        if let Some(quantity) = quantity {
            values.push((tag::SIZE, decimal(quantity as i64, 0)));
        }
        self.entries.push(self.log.entry(&values));
        self.sending_time = now;
    }

    /// Sends what happened.
    fn flush(&mut self) {
        if self.entries.is_empty() {
            return;
        }
        let entries = std::mem::take(&mut self.entries);
        let (packets, lines) = (&mut self.packets, &mut self.lines);
        publish(packets, lines, &self.log, entries, self.sending_time);
    }
}

impl Publisher for FastPublisher {
    fn begin(&mut self, listings: &[Listing], engine: &Engine, now: Timestamp) {
        self.listings = listings.to_vec();
        self.reports = vec![0; listings.len()];
        self.sending_time = now;
        for (instrument, listing) in (0..).zip(listings) {
            let symbol = listing.symbol.0.trim_ascii_end();
            self.entries.push(self.log.entry(&cleared(symbol)));
            for side in [Side::Buy, Side::Sell] {
                for order in engine.orders(instrument, side) {
                    let told = Told {
                        instrument,
                        order: order.party.id,
                        side,
                        price: order.price,
                    };
                    self.push(Action::Add, told, Some(order.party.remaining), now);
                }
            }
        }
        self.flush();
    }

    fn event(&mut self, event: &Event, now: Timestamp) {
        let (action, told, quantity) = match *event {
            Event::Rested {
                instrument,
                order,
                side,
                price,
            } => {
                let told = Told {
                    instrument,
                    order: order.id,
                    side,
                    price,
                };
                (Action::Add, told, order.remaining)
            }
            Event::Traded {
                instrument,
                price,
                side,
                maker,
                ..
            } => {
                let told = Told {
                    instrument,
                    order: maker.id,
                    // The event has the taker's.
                    side: opposite(side),
                    price,
                };
                (Action::Change, told, maker.remaining)
            }
            Event::Reduced {
                instrument,
                order,
                side,
                price,
                displayed: true,
                removed,
            } if removed > 0 => {
                let told = Told {
                    instrument,
                    order: order.id,
                    side,
                    price,
                };
                (Action::Change, told, order.remaining)
            }
            // The log has no replacement: the order leaves, and what enters the book of the one after it enters.
            Event::Replaced {
                instrument,
                old,
                side,
                old_price,
                displayed: true,
                ..
            } => {
                let told = Told {
                    instrument,
                    order: old,
                    side,
                    price: old_price,
                };
                (Action::Delete, told, 0)
            }
            Event::Removed {
                instrument,
                order,
                side,
                price,
                displayed: true,
                ..
            } => {
                let told = Told {
                    instrument,
                    order: order.id,
                    side,
                    price,
                };
                (Action::Delete, told, 0)
            }
            _ => return,
        };
        match quantity {
            0 => self.push(Action::Delete, told, None, now),
            _ => self.push(action, told, Some(quantity), now),
        }
    }

    fn end(&mut self) {
        self.flush();
    }

    fn snapshot(&mut self, engine: &Engine, now: Timestamp) {
        // A snapshot is of the books after the last message that left.
        if let Some(snapshots) = self.snapshots.as_mut().filter(|_| self.entries.is_empty()) {
            let last = self.packets.next().wrapping_sub(1);
            snapshots.turn(engine, &self.listings, &self.reports, last, now);
        }
    }

    fn heartbeat(&mut self, now: Timestamp) {
        // What is not committed yet goes before it.
        let Some(layout) = self.heartbeat.as_ref().filter(|_| self.entries.is_empty()) else {
            return;
        };
        publish(&mut self.packets, &mut self.lines, layout, vec![], now);
    }
}

/// Sends entries to the lines, in as many messages as they need.
fn publish(
    packets: &mut Packets,
    lines: &mut [Box<dyn Line>],
    layout: &Layout,
    entries: Vec<Fields>,
    now: Timestamp,
) {
    let time = Clock::of(now).sending_time();
    let header = |part: packets::Part| {
        vec![
            (tag::MSG_SEQ_NUM, Datum::Number(part.number.into())),
            (tag::SENDING_TIME, Datum::Number(time)),
        ]
    };
    packets.make(layout, entries, header, &mut |packet: &[u8]| {
        send(lines, packet);
    });
}

/// The values of an entry that says a book is empty.
fn cleared(symbol: &[u8]) -> [(u32, Datum<'_>); 3] {
    [
        (tag::UPDATE_ACTION, Datum::Number(Action::Add as u64)),
        (tag::ENTRY_TYPE, Datum::Text(b"J")),
        (tag::SYMBOL, Datum::Text(symbol)),
    ]
}

const fn entry_type(side: Side) -> Datum<'static> {
    match side {
        Side::Buy => Datum::Text(b"0"),
        Side::Sell => Datum::Text(b"1"),
    }
}

const fn opposite(side: Side) -> Side {
    match side {
        Side::Buy => Side::Sell,
        Side::Sell => Side::Buy,
    }
}

const fn decimal(mantissa: i64, decimals: u8) -> Datum<'static> {
    Datum::Decimal(Decimal {
        exponent: -(decimals as i32),
        mantissa,
    })
}

fn send(lines: &mut [Box<dyn Line>], packet: &[u8]) {
    for line in lines {
        line.send(packet);
    }
}

/// A time as the fields have it, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Clock {
    /// YYYYMMDD.
    date: u64,
    /// HHMMSS.
    time: u64,
    /// Of the second.
    microseconds: u64,
}

impl Clock {
    fn of(now: Timestamp) -> Self {
        // YYYYMMDD-HH:MM:SS.sss
        let text = now.text();
        let digits = |part: &[u8]| {
            let digits = part.iter().filter(|byte| byte.is_ascii_digit());
            digits.fold(0, |number, byte| number * 10 + u64::from(byte - b'0'))
        };
        let (date, rest) = text.split_at(8);
        let (time, _) = rest.split_at(9);
        Clock {
            date: digits(date),
            time: digits(time),
            microseconds: now.0 % 1_000_000_000 / 1_000,
        }
    }

    /// SendingTime: YYMMDDHHMMSSuuuuuu.
    const fn sending_time(self) -> u64 {
        (self.date % 1_000_000 * 1_000_000 + self.time) * 1_000_000 + self.microseconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_the_digits_of_the_exchange() {
        // 2026-11-21 16:56:14.123456789 UTC.
        let clock = Clock::of(Timestamp(1_795_280_174_123_456_789));
        assert_eq!(
            (clock.date, clock.time, clock.microseconds),
            (20_261_121, 165_614, 123_456)
        );
        assert_eq!(clock.sending_time(), 261_121_165_614_123_456);
    }
}
