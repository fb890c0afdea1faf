//! The path behind the UDP payload: MoldUDP64, ITCH, filter, tracker, statistics, report. One datagram, one commitment.

use serde::{Deserialize, Serialize};
use thiserror::Error;
use wire::counters::FeedCounters;
use wire::itch::{self, Version};
use wire::mold::{self, Packet};
use wire::report::{self, SYMBOLS_PER_PART};
use wire::{Side, Symbol};

use crate::statistics::Statistics;
use crate::symbol_table::{MAX_SYMBOLS, SymbolTable};
use crate::tracker::{Step, Tracker};

/// What the handler does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// The ITCH of the feed.
    pub version: Version,
    /// Whether statistics go on over heartbeats instead of starting anew.
    pub accumulate: bool,
    /// The symbol slots that are reported, at most 256.
    pub symbols: Vec<Option<Symbol>>,
}

/// Why a configuration is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// More than 256 symbol slots.
    #[error("{0} symbols: at most 256")]
    TooManySymbols(usize),
    /// One symbol in two slots.
    #[error("symbol {symbol} is in slots {first} and {second}")]
    Duplicate {
        /// The symbol.
        symbol: Symbol,
        /// The slot it is in.
        first: usize,
        /// The other slot it is in.
        second: usize,
    },
}

/// What became of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What it was.
    pub mold: mold::Cause,
    /// Whether it began a second and a report waits in [`Handler::report`].
    pub report_due: bool,
}

/// The payloads of a report, part by part.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Report<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        const FULL: usize = report::HEADER + SYMBOLS_PER_PART * report::ROW;
        let (part, rest) = self.rest.split_at_checked(FULL.min(self.rest.len()))?;
        self.rest = rest;
        (!part.is_empty()).then_some(part)
    }
}

/// The handler. After [`Handler::new`] it allocates nothing.
#[derive(Clone, Debug)]
pub struct Handler {
    version: Version,
    session: Option<[u8; 10]>,
    expected: u64,
    state: State,
}

/// What messages change.
#[derive(Clone, Debug)]
struct State {
    accumulate: bool,
    itch_50: bool,
    table: SymbolTable,
    statistics: Statistics,
    tracker: Tracker,
    counters: FeedCounters,
    session: [u8; 10],
    first_sequence: u64,
    /// Number of the message at hand.
    sequence: u64,
    /// Number of the last report.
    number: u32,
    /// The last report; all parts, back to back.
    report: Vec<u8>,
    /// Whether nobody took it yet.
    pending: bool,
    /// Whether the last one is still on its way out.
    busy: bool,
    /// Whether this datagram wrote it.
    due: bool,
}

impl Handler {
    /// A handler that has seen nothing yet.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        let symbols = &config.symbols;
        if symbols.len() > MAX_SYMBOLS {
            return Err(ConfigError::TooManySymbols(symbols.len()));
        }
        let table = SymbolTable::new(symbols);
        for (second, symbol) in symbols.iter().enumerate() {
            let Some(symbol) = *symbol else { continue };
            if let Some(first) = table.find(symbol).filter(|first| *first != second) {
                return Err(ConfigError::Duplicate {
                    symbol,
                    first,
                    second,
                });
            }
        }
        let parts = parts(symbols.len());
        let state = State {
            accumulate: config.accumulate,
            itch_50: config.version == Version::V50,
            statistics: Statistics::new(symbols.len()),
            table,
            tracker: Tracker::new(),
            counters: FeedCounters::default(),
            session: [0; 10],
            first_sequence: 0,
            sequence: 0,
            number: 0,
            report: Vec::with_capacity(parts * report::HEADER + symbols.len() * report::ROW),
            pending: false,
            busy: false,
            due: false,
        };
        Ok(Handler {
            version: config.version,
            session: None,
            expected: 0,
            state,
        })
    }

    /// Takes a UDP payload: counts and uses all of it, or nothing.
    #[inline]
    pub fn datagram(&mut self, payload: &[u8]) -> Outcome {
        let Ok(packet) = Packet::parse(payload) else {
            count(&mut self.state.counters.mold_malformed);
            return Outcome {
                mold: mold::Cause::Malformed,
                report_due: false,
            };
        };
        let header = packet.header;
        let counters = &mut self.state.counters;
        if self.session == Some(header.session) {
            if header.sequence < self.expected {
                count(&mut counters.mold_old);
                return Outcome {
                    mold: mold::Cause::Old,
                    report_due: false,
                };
            }
            if header.sequence > self.expected {
                count(&mut counters.mold_gap);
                counters.mold_lost = counters
                    .mold_lost
                    .wrapping_add(header.sequence - self.expected);
            }
        } else {
            self.session = Some(header.session);
            self.state.session = header.session;
            self.state.tracker.new_session();
            count(&mut counters.mold_new_session);
        }
        let mold = packet.cause();
        count(match mold {
            mold::Cause::Heartbeat => &mut counters.mold_heartbeat,
            mold::Cause::EndOfSession => &mut counters.mold_end_of_session,
            _ => &mut counters.mold_packet,
        });
        self.expected = header.sequence.wrapping_add(u64::from(header.messages()));
        self.state.begin_packet(header.sequence);
        match self.version {
            Version::V41 => packet.messages().for_each(|message| {
                itch::visit_v41(message, &mut Messages::<false>(&mut self.state));
                self.state.sequence = self.state.sequence.wrapping_add(1);
            }),
            Version::V50 => packet.messages().for_each(|message| {
                itch::visit_v50(message, &mut Messages::<true>(&mut self.state));
                self.state.sequence = self.state.sequence.wrapping_add(1);
            }),
        }
        let messages = self.state.sequence.wrapping_sub(header.sequence) as u32;
        self.state.counters.itch_messages =
            self.state.counters.itch_messages.wrapping_add(messages);
        Outcome {
            mold,
            report_due: self.state.due,
        }
    }

    /// The report that is due, once: as long as it is not taken, further heartbeats count in `report_missed`.
    pub fn report(&mut self) -> Option<Report<'_>> {
        std::mem::take(&mut self.state.pending).then_some(Report {
            rest: &self.state.report,
        })
    }

    /// Loads or clears a symbol slot and its statistics; `false` if there is no such slot.
    pub fn load_symbol(&mut self, slot: usize, symbol: Option<Symbol>) -> bool {
        self.state.statistics.clear_slot(slot);
        self.state.table.set(slot, symbol)
    }

    /// Whether statistics go on over heartbeats.
    pub fn set_accumulate(&mut self, accumulate: bool) {
        self.state.accumulate = accumulate;
    }

    /// Says whether the last report is still on its way out, as a core whose transmit side takes its time would: heartbeats
    /// until it is not count in `report_missed`.
    pub fn set_report_busy(&mut self, busy: bool) {
        self.state.busy = busy;
    }

    /// The symbol slots.
    pub fn symbols(&self) -> &[Option<Symbol>] {
        self.state.table.slots()
    }

    /// The statistics as they stand.
    pub fn rows(&self) -> impl Iterator<Item = report::Row> + '_ {
        self.state.statistics.rows(self.state.table.slots())
    }

    /// What was counted so far.
    pub fn counters(&self) -> FeedCounters {
        self.state.counters
    }
}

impl State {
    #[inline(always)]
    fn begin_packet(&mut self, sequence: u64) {
        self.first_sequence = sequence;
        self.sequence = sequence;
        self.tracker.new_frame();
        self.due = false;
    }

    #[inline(always)]
    fn time(&mut self, step: Step) {
        if step.backwards {
            count(&mut self.counters.time_backwards);
        }
        if let Some(second) = step.begins {
            self.heartbeat(second);
        }
    }

    #[inline(always)]
    fn order(&mut self, stock: Symbol, side: Side, price: u32, shares: u32) {
        if let Some(slot) = self.table.find(stock) {
            count(&mut self.counters.filter_hit);
            self.statistics.add(slot, side, price, shares);
        } else {
            count(&mut self.counters.filter_miss);
        }
    }

    #[cold]
    fn heartbeat(&mut self, second: u32) {
        count(&mut self.counters.heartbeat);
        if self.pending || self.busy {
            count(&mut self.counters.report_missed);
            return;
        }
        self.number = self.number.wrapping_add(1);
        count(&mut self.counters.report_sent);
        self.write_report(second);
        self.pending = true;
        self.due = true;
        if !self.accumulate {
            self.statistics.clear();
        }
    }

    fn write_report(&mut self, second: u32) {
        let symbols = self.table.slots();
        let parts = parts(symbols.len());
        self.report.clear();
        let mut rows = self.statistics.rows(symbols);
        for part in 0..parts {
            let first = part * SYMBOLS_PER_PART;
            let here = SYMBOLS_PER_PART.min(symbols.len() - first);
            // At most 256 symbols in 16 parts: the casts lose nothing.
            let header = report::Header {
                accumulate: self.accumulate,
                itch_50: self.itch_50,
                part: part as u8,
                parts: parts as u8,
                number: self.number,
                second,
                first_symbol: first as u16,
                symbols: here as u16,
                total_symbols: symbols.len() as u16,
                session: self.session,
                sequence: self.sequence,
                lost: self.counters.mold_lost,
                first_sequence: self.first_sequence,
            };
            header.emit(&mut self.report);
            rows.by_ref()
                .take(here)
                .for_each(|row| row.emit(&mut self.report));
        }
    }

    #[inline(always)]
    fn refuse(&mut self, error: itch::Error) {
        count(match error {
            itch::Error::UnknownType(_) => &mut self.counters.itch_unknown_type,
            itch::Error::BadLength { .. } => &mut self.counters.itch_bad_length,
        });
    }
}

/// The messages of ITCH 5.0 or 4.1.
struct Messages<'a, const V50: bool>(&'a mut State);

impl<const V50: bool> itch::Visitor for Messages<'_, V50> {
    #[inline(always)]
    fn head(&mut self, _: u8, head: itch::Head) {
        let step = if V50 {
            self.0.tracker.message_v50(head.nanoseconds)
        } else {
            self.0.tracker.message_v41(head.nanoseconds)
        };
        self.0.time(step);
    }

    #[inline(always)]
    fn seconds(&mut self, m: itch::Seconds) {
        let step = self.0.tracker.seconds_v41(m.seconds);
        self.0.time(step);
    }

    #[inline(always)]
    fn add_order(&mut self, m: itch::AddOrder) {
        self.0.order(m.stock, m.side, m.price, m.shares);
    }

    #[inline(always)]
    fn add_order_mpid(&mut self, m: itch::AddOrderMpid) {
        self.0.order(m.stock, m.side, m.price, m.shares);
    }

    #[inline(always)]
    fn refused(&mut self, error: itch::Error) {
        self.0.refuse(error);
    }
}

/// A report has a part even without symbols: it is the answer to the heartbeat.
fn parts(symbols: usize) -> usize {
    symbols.div_ceil(SYMBOLS_PER_PART).max(1)
}

#[inline(always)]
fn count(counter: &mut u32) {
    *counter = counter.wrapping_add(1);
}
