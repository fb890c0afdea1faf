//! Mutated frames: the book in software against a plain one after every event and every frame, bad frames undone; and the core that trades against the
//! software on frames like them.

use std::collections::BTreeMap;

use book::{Book, Cause, Limits};
use cosim::orders::{Market, Trader};
use cosim::{Preset, Setup};
use decoder::Itch;
use formats::itch::Version;
use formats::{Event, FeedInfo, Listener, Side, Symbol, fcs, frame, mold};
use instrument::{Locates, Table};
use lockstep::fuzz::{MarketFuzzer, Share, Spoilt};
use serde::Serialize;

use crate::Progress;

#[path = "../../../../crates/book/tests/book/naive.rs"]
#[allow(dead_code)]
mod naive;

use naive::Naive;

/// Symbols of the market; the last ones are not ours.
const SYMBOLS: usize = 6;
const OURS: usize = 4;
const TICK: i64 = 100;
/// Headers of a frame without a VLAN tag: Ethernet, IPv4, UDP.
const HEADERS: usize = 42;
/// A book that is full now and then, in a window that the market leaves now and then.
const SMALL: Limits = Limits {
    orders: 90,
    levels: 80,
    window: Some(40),
    level_orders: 4,
    log: 8,
    ..Limits::HARDWARE
};

/// One in which levels are short.
const FEW_LEVELS: Limits = Limits {
    orders: 200,
    levels: 50,
    level_orders: 12,
    ..SMALL
};

/// What was met.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Fuzzed {
    /// Frames that were mutated, or had mutated messages: to the software alone.
    pub frames: u64,
    /// Of them, frames whose changes were undone.
    pub undone: u64,
    /// Messages that did not fit the book, by cause.
    pub faults: BTreeMap<String, u64>,
    /// Mutated frames that the core that trades had, and the software beside it.
    pub core_frames: u64,
    /// Orders that left there, equal in both.
    pub core_orders: u64,
    /// Runs that ended with a difference.
    pub mismatches: u64,
    /// Each difference, in words.
    pub differences: Vec<String>,
}

/// Both books, and the decoder before them.
struct Books {
    setup: Setup,
    table: Table,
    locates: Locates,
    book: Book,
    naive: Naive,
    /// The first difference.
    difference: Option<String>,
}

/// What listens to good frames.
struct Good<'a> {
    books: &'a mut Books,
    lost: u64,
}

impl Books {
    fn new(version: Version, limits: Limits) -> Self {
        let ours: Vec<_> = (0..OURS)
            .map(|index| Some(feed::generate::symbol(index)))
            .collect();
        let symbols: Vec<Symbol> = ours.iter().flatten().copied().collect();
        let mut books = Books {
            setup: Setup::example(version, &symbols),
            table: Table::of_feed(&ours),
            locates: Locates::new(OURS),
            book: Book::new(OURS, limits),
            naive: Naive::new(OURS, limits),
            difference: None,
        };
        for (index, market) in books.naive.markets.iter_mut().enumerate() {
            market.tick = TICK;
            // No order is in it yet.
            let _ = books.book.set_tick(index as u32, TICK);
        }
        books
    }

    fn differ(&mut self, what: impl FnOnce() -> String) {
        self.difference.get_or_insert_with(what);
    }

    fn apply(&mut self, event: &Event) {
        let event = self.locates.resolve(&self.table, event);
        let (found, expected) = (self.book.apply(&event), self.naive.apply(&event));
        if found != expected {
            self.differ(|| format!("{event:?}: {found:?}, {expected:?}"));
        }
    }

    /// The frame's end. A log that was full stays on record in the book, whatever became of the frame; so it does in the plain one.
    fn verdict(&mut self, good: bool) {
        let full: Vec<bool> = self
            .naive
            .markets
            .iter()
            .map(|market| market.full)
            .collect();
        let count = self.naive.counts.get(&Cause::LogFull).copied();
        self.book.verdict(good);
        self.naive.verdict(good);
        for (market, full) in self.naive.markets.iter_mut().zip(full) {
            market.full = false;
            if full && !good {
                market.fault.get_or_insert(Cause::LogFull);
            }
        }
        if let Some(count) = count {
            self.naive.counts.insert(Cause::LogFull, count);
        }
        self.compare();
    }

    /// All that can be read out of the book, but for the queues of orders.
    fn compare(&mut self) {
        for (index, market) in self.naive.markets.iter().enumerate() {
            let at = index as u32;
            let levels = |side| {
                self.book.levels(at, side).eq(market.levels(side, true))
                    && self
                        .book
                        .levels_outside(at, side)
                        .eq(market.levels(side, false))
            };
            let equal = self.book.top(at) == market.top()
                && self.book.status(at) == Some(market.status())
                && self.book.last_trade(at) == market.last_trade
                && levels(Side::Buy)
                && levels(Side::Sell);
            if !equal {
                let (found, expected) = (self.book.status(at), market.status());
                let (top, naive) = (self.book.top(at), market.top());
                self.difference.get_or_insert_with(|| {
                    format!("instrument {index}: {found:?} {top:?}, {expected:?} {naive:?}")
                });
            }
        }
        let (orders, expected) = (self.book.orders() as usize, self.naive.orders());
        if orders != expected {
            self.differ(|| format!("{orders} orders, {expected}"));
        }
    }

    /// A frame, its FCS included.
    fn frame(&mut self, decoder: &mut Itch, spoilt: &Spoilt) {
        let payload = frame::classify(&spoilt.bytes, &self.setup.net);
        match payload {
            Ok(datagram) if !spoilt.is_flagged() => {
                let lost = decoder.counters().mold_lost;
                self.naive.begin();
                decoder.datagram(datagram.payload, &mut Good { books: self, lost });
                self.verdict(true);
            }
            _ => self.bad(&spoilt.bytes),
        }
    }

    /// What hardware books of a bad frame before it knows.
    fn bad(&mut self, bytes: &[u8]) {
        let end = bytes.len().saturating_sub(fcs::LENGTH);
        let Some(Ok(packet)) = bytes.get(HEADERS..end).map(mold::Packet::parse) else {
            return;
        };
        let locates = self.locates.clone();
        self.naive.begin();
        let version = self.setup.pipeline.version;
        for message in packet.messages() {
            if let Ok(event) = decoder::itch::event(version, message, 0, 0, true) {
                self.apply(&event);
            }
        }
        self.verdict(false);
        self.locates = locates;
    }
}

impl Listener for Good<'_> {
    fn frame(&mut self, info: &FeedInfo) {
        let Books {
            book,
            naive,
            locates,
            ..
        } = &mut *self.books;
        let empty = naive.orders() == 0;
        if info.new_session {
            locates.clear();
            for market in &mut naive.markets {
                match info.first_sequence == 1 && empty {
                    true => market.fault = None,
                    false => drop(market.fault.get_or_insert(Cause::NewSession)),
                }
            }
        } else if info.lost != self.lost {
            for market in &mut naive.markets {
                market.fault.get_or_insert(Cause::Gap);
            }
        }
        book.frame(info);
    }

    fn event(&mut self, event: &Event) {
        self.books.apply(event);
    }
}

impl Fuzzed {
    /// So many mutated frames through the software, for each version of ITCH and each size of book a part of them.
    pub fn software(&mut self, frames: u64, progress: Progress) {
        const NAME: &str = "mutated frames, software";
        let runs = [
            (Version::V50, Limits::HARDWARE),
            (Version::V41, Limits::HARDWARE),
            (Version::V50, SMALL),
            (Version::V41, FEW_LEVELS),
        ];
        let each = frames.div_ceil(runs.len() as u64);
        for (seed, (version, limits)) in (0..).zip(runs) {
            let share = Share {
                messages: 0.02,
                frames: 0.5,
                odd: 0.4,
                lost: 0.1,
            };
            let (mut done, mut part) = (0, 0);
            while done < each && self.mismatches == 0 {
                // New books, as what was not in the first of them never is again.
                part += 1;
                let mut books = Books::new(version, limits);
                let mut decoder = Itch::new(version);
                let mut fuzzer = MarketFuzzer::new(100 * part + seed, &books.setup, SYMBOLS, share);
                let mut given = 0;
                while given < 1_000 && done < each {
                    let (spoilt, mutated) = fuzzer.next_frame();
                    books.frame(&mut decoder, &spoilt);
                    given += 1;
                    done += u64::from(mutated);
                    if let Some(text) = books.difference.take() {
                        self.mismatches += 1;
                        let text = format!("{version:?}, seed {}: {text}", 100 * part + seed);
                        self.differences.push(text);
                        break;
                    }
                }
                progress(NAME, seed * each + done, frames);
                self.undone += u64::from(books.book.counters().undone);
                for cause in Cause::ALL {
                    let count = books.naive.counts.get(&cause).copied().unwrap_or(0);
                    if count > 0 {
                        *self.faults.entry(cause.to_string()).or_default() += u64::from(count);
                    }
                }
            }
            self.frames += done;
        }
        progress(NAME, frames, frames);
    }

    /// So many mutated frames through the core that trades, with the software beside it; a new core every few hundred, as an instrument is
    /// not tradable any more after the first message that does not fit its book.
    pub fn core(&mut self, frames: u64, progress: Progress) {
        let name = "mutated frames, core";
        let (mut done, mut seed) = (0, 0);
        while done < frames && self.mismatches == 0 {
            progress(name, done, frames);
            seed += 1;
            match self.core_run(seed, &mut done) {
                Ok(()) => {}
                Err(text) => {
                    self.mismatches += 1;
                    self.differences
                        .push(format!("{name}, seed {seed}: {text}"));
                }
            }
        }
        self.core_frames += done;
        progress(name, frames, frames);
    }

    fn core_run(&mut self, seed: u64, done: &mut u64) -> Result<(), String> {
        let versions = [Version::V50, Version::V41];
        let version = versions[seed as usize % 2];
        let symbol = feed::generate::symbol(0);
        let setup = Setup::example(version, &[symbol]);
        let share = Share {
            messages: 0.000_3,
            frames: 0.5,
            odd: 0.005,
            lost: 0.002,
        };
        let mut fuzzer = MarketFuzzer::new(seed, &setup, 2, share);
        let mut first = fuzzer.clone();
        let price = (0..100).find_map(|_| price(&setup, &first.next_frame().0, symbol));
        let market = Market {
            version,
            symbol,
            tick: TICK as u32,
            price: price.ok_or("no order enters")?,
            side: [Side::Buy, Side::Sell][(seed / 2 % 2) as usize],
            quantity: 100,
            max_notional: u64::MAX,
        };
        let mut trader = Trader::new(Preset::with_book(), &market);
        let trader = trader.as_mut().map_err(|problem| problem.to_string())?;
        for _ in 0..40 {
            let some: Vec<_> = (0..8).map(|_| fuzzer.next_frame()).collect();
            *done += some.iter().filter(|(_, mutated)| *mutated).count() as u64;
            let some: Vec<_> = some.iter().map(|(spoilt, _)| spoilt.frame()).collect();
            trader
                .frames(&some)
                .map_err(|problem| problem.to_string())?;
        }
        self.core_orders += trader.compared().sent;
        Ok(())
    }
}

/// The price at which an order of the symbol enters with a frame.
fn price(setup: &Setup, spoilt: &Spoilt, symbol: Symbol) -> Option<u32> {
    let datagram = frame::classify(&spoilt.bytes, &setup.net).ok()?;
    let packet = mold::Packet::parse(datagram.payload).ok()?;
    packet.messages().find_map(|message| {
        match formats::itch::Message::parse(setup.pipeline.version, message).ok()? {
            formats::itch::Message::AddOrder(add) if add.stock == symbol => Some(add.price),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutated_frames_meet_every_fault_and_the_book_is_the_plain_one_after_each() {
        let mut fuzzed = Fuzzed::default();
        fuzzed.software(4_000, &mut |_, _, _| ());
        assert_eq!(fuzzed.differences, [""; 0]);
        assert!(fuzzed.frames >= 4_000 && fuzzed.undone > 200, "{fuzzed:?}");
        let possible = Cause::ALL.iter().filter(|cause| {
            // Not of this feed; not counted by the plain book.
            !matches!(cause, Cause::Unsupported | Cause::Gap | Cause::NewSession)
        });
        let missing: Vec<_> = possible
            .filter(|cause| !fuzzed.faults.contains_key(&cause.to_string()))
            .collect();
        assert_eq!(missing, [&Cause::UnknownId; 0], "{fuzzed:?}");
    }

    #[test]
    fn the_core_sends_the_same_orders_as_the_software_on_mutated_frames() {
        let mut fuzzed = Fuzzed::default();
        fuzzed.core(150, &mut |_, _, _| ());
        assert_eq!(fuzzed.differences, [""; 0]);
        assert!(
            fuzzed.core_frames >= 150 && fuzzed.core_orders >= 5,
            "{fuzzed:?}"
        );
    }
}
