//! Snapshots of the books in a cycle: W-OLS-CURR, one instrument after the other, each complete as of one message of the log.

use std::collections::VecDeque;

use fast::{Encoder, Templates};
use formats::Side;
use formats::fix::Timestamp;

use super::layout::{Datum, Layout, LayoutError, Values, values_error};
use super::packets::{Packets, Part};
use super::{
    ACTIVE, Clock, ENTRY_ID, ENTRY_TYPE, IN_PART, IN_SESSION, ORDER_STATUS, PRICE, RPT_SEQ,
    SENDING_TIME, SEQUENCE, SESSION, SESSION_PART, SIZE, SNAPSHOT, SYMBOL, cleared, decimal,
    entry_type, send, tag, wanted,
};
use crate::engine::Engine;
use crate::listing::{Listing, PRICE_SCALE};
use crate::publish::line::Line;
use crate::report::Digits;

/// Packets that leave together at most, so that the buffers of a reader hold them.
const BURST: usize = 16;
/// Nanoseconds between two bursts at least.
const PAUSE: u64 = 1_000_000;
/// Nanoseconds until the next instrument's turn at least, for each order of a snapshot: so that the exchange spends a small part of its time on
/// snapshots, however large its books are.
const PAUSE_OF_ORDER: u64 = 40_000;

/// The cycle.
pub(super) struct Snapshots {
    layout: Layout,
    packets: Packets,
    lines: Vec<Box<dyn Line>>,
    /// Nanoseconds in which each instrument has its turn.
    cycle: u64,
    /// The instrument whose turn is next, and when that is.
    instrument: usize,
    due: u64,
    /// Packets of the last instrument that have not left, and when they may.
    waiting: VecDeque<Vec<u8>>,
    burst: u64,
}

impl Snapshots {
    pub(super) fn new(
        templates: &Templates,
        lines: Vec<Box<dyn Line>>,
        cycle: u64,
    ) -> Result<Self, LayoutError> {
        let header = [
            SEQUENCE,
            SENDING_TIME,
            wanted(
                tag::LAST_PROCESSED,
                "LastMsgSeqNumProcessed",
                Values::Numbers,
                true,
            ),
            RPT_SEQ,
            wanted(tag::LAST_FRAGMENT, "LastFragment", Values::Numbers, true),
            wanted(tag::ROUTE_FIRST, "RouteFirst", Values::Numbers, true),
            SESSION,
            SYMBOL,
        ];
        let entry = [
            ENTRY_TYPE,
            ENTRY_ID,
            PRICE,
            SIZE,
            ORDER_STATUS,
            SESSION_PART,
        ];
        let mut snapshots = Snapshots {
            layout: Layout::new(templates, SNAPSHOT, &header, &entry)?,
            packets: Packets::new(Encoder::new(templates)),
            lines,
            cycle,
            instrument: 0,
            due: 0,
            waiting: VecDeque::new(),
            burst: 0,
        };
        snapshots
            .try_values()
            .map_err(|error| values_error(&error, templates))?;
        Ok(snapshots)
    }

    /// Encodes a message of extreme values, to find out before the market begins.
    fn try_values(&mut self) -> Result<usize, fast::EncodeError> {
        let id = Digits::new(u64::MAX);
        let order = [
            (tag::ENTRY_TYPE, Datum::Text(b"1")),
            (tag::ENTRY_ID, Datum::Text(id.bytes())),
            (tag::PRICE, decimal(u32::MAX.into(), PRICE_SCALE)),
            (tag::SIZE, decimal(u32::MAX.into(), 0)),
            (tag::ORDER_STATUS, ACTIVE),
            IN_PART,
        ];
        let entries = vec![
            self.layout.entry(&order),
            self.layout.entry(&cleared(b"SYMBOL_8")),
        ];
        let header = [
            (tag::MSG_SEQ_NUM, Datum::Number(u32::MAX.into())),
            (tag::SENDING_TIME, Datum::Number(991_231_235_959_999_999)),
            (tag::LAST_PROCESSED, Datum::Number(u32::MAX.into())),
            (tag::RPT_SEQ, Datum::Number(i32::MAX as u64)),
            (tag::LAST_FRAGMENT, Datum::Number(1)),
            (tag::ROUTE_FIRST, Datum::Number(1)),
            IN_SESSION,
            (tag::SYMBOL, Datum::Text(b"SYMBOL_8")),
        ];
        self.packets.try_message(&self.layout, &header, entries)
    }

    /// Does what is due: sends a burst, or makes the snapshot of the next instrument. `last` is the number of the log's last message, which is in
    /// the books.
    pub(super) fn turn(
        &mut self,
        engine: &Engine,
        listings: &[Listing],
        reports: &[u64],
        last: u32,
        now: Timestamp,
    ) {
        if self.waiting.is_empty() && now.0 >= self.due && !listings.is_empty() {
            self.instrument %= listings.len();
            let mut orders = 0;
            if let Some(listing) = listings.get(self.instrument) {
                let report = reports.get(self.instrument).copied().unwrap_or(0);
                orders = self.make(engine, listing, report, last, now);
            }
            let pause = self.cycle / listings.len() as u64;
            self.due = now.0.saturating_add(pause.max(orders * PAUSE_OF_ORDER));
            self.instrument += 1;
        }
        if !self.waiting.is_empty() && now.0 >= self.burst {
            self.burst = now.0.saturating_add(PAUSE);
            let burst = self.waiting.len().min(BURST);
            for packet in self.waiting.drain(..burst) {
                send(&mut self.lines, &packet);
            }
        }
    }

    /// Makes the packets of an instrument: each side by price and time, so that a reader has the orders in the order in which they trade. Returns
    /// how many orders that are.
    fn make(
        &mut self,
        engine: &Engine,
        listing: &Listing,
        report: u64,
        last: u32,
        now: Timestamp,
    ) -> u64 {
        let instrument = self.instrument as u32;
        let symbol = listing.symbol.0.trim_ascii_end();
        let mut entries = vec![];
        for side in [Side::Buy, Side::Sell] {
            for order in engine.orders(instrument, side) {
                let id = Digits::new(order.party.id.0);
                let values = [
                    (tag::ENTRY_TYPE, entry_type(side)),
                    (tag::ENTRY_ID, Datum::Text(id.bytes())),
                    (tag::PRICE, decimal(listing.price(order.price), PRICE_SCALE)),
                    (tag::SIZE, decimal(order.party.remaining as i64, 0)),
                    (tag::ORDER_STATUS, ACTIVE),
                    IN_PART,
                ];
                entries.push(self.layout.entry(&values));
            }
        }
        let orders = entries.len() as u64;
        if entries.is_empty() {
            entries.push(self.layout.entry(&cleared(symbol)));
        }
        let time = Clock::of(now).sending_time();
        let header = |part: Part| {
            vec![
                (tag::MSG_SEQ_NUM, Datum::Number(part.number.into())),
                (tag::SENDING_TIME, Datum::Number(time)),
                (tag::LAST_PROCESSED, Datum::Number(last.into())),
                (tag::RPT_SEQ, Datum::Number(report)),
                (tag::LAST_FRAGMENT, Datum::Number(part.last.into())),
                (tag::ROUTE_FIRST, Datum::Number(part.first.into())),
                IN_SESSION,
                (tag::SYMBOL, Datum::Text(symbol)),
            ]
        };
        let waiting = &mut self.waiting;
        self.packets
            .make(&self.layout, entries, header, &mut |packet: &[u8]| {
                waiting.push_back(packet.to_vec());
            });
        orders
    }
}
