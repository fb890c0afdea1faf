//! The pipeline in software, from a UDP payload to a report or to an order: the stages put together, nothing else.
//!
//! ```text
//!  datagram ─ decoder ─ instrument ─ statistics ─ report                          Pipeline
//!  datagram ─ decoder ─ instrument ─ book ─ best_price ─ risk ─ order ─ message   Trading, of ITCH or of an order log in FAST
//!                                         └ Programs, strategies in the language ┘
//! ```
//! Each stage obeys `docs/reference/rules.md`; one datagram is one commitment.
#![forbid(unsafe_code)]

mod best_price;
mod order_log;
mod own_orders;
mod programmed;
mod programs;
mod rebuild;
mod trading;

use decoder::Itch;
use instrument::{Listing, MAX_INSTRUMENTS, Table};
use strategy::Statistics;
use strategy::statistics::Report;
use thiserror::Error;
use wire::counters::FeedCounters;
use wire::{Event, FeedInfo, Head, Listener, Source, Symbol, mold, report};

pub use order_log::{OrderLog, Recovered, Since, rebuild_book};
pub use own_orders::{Executed, UNKNOWN_ORDER};
pub use programmed::NOT_SENT;
pub use programs::{Added, ProgramCounts, Programs};
pub use rebuild::{Backlog, Fit, RebuildError, Rebuilt};
pub use strategy::events::trade_of;
pub use strategy::statistics::Config;
pub use trading::{
    BestPrice, Decision, Ended, OrderSink, Traded, Trading, TradingConfig, TradingError,
};

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
    /// Whether it began a second and a report waits in [`Pipeline::report`].
    pub report_due: bool,
}

/// The pipeline. After [`Pipeline::new`] it allocates nothing.
#[derive(Clone, Debug)]
pub struct Pipeline {
    decoder: Itch,
    listeners: Listeners,
}

/// What the decoder's events pass through.
#[derive(Clone, Debug)]
struct Listeners {
    instruments: Table,
    statistics: Statistics,
}

impl Listener for Listeners {
    #[inline(always)]
    fn frame(&mut self, info: &FeedInfo) {
        self.statistics.frame(info);
    }

    #[inline(always)]
    fn head(&mut self, head: &Head) {
        self.statistics.head(head);
    }

    #[inline(always)]
    fn event(&mut self, event: &Event) {
        self.statistics.event(&self.instruments.resolve(event));
    }
}

impl Pipeline {
    /// A pipeline that has seen nothing yet.
    ///
    /// # Errors
    /// Too many symbols, or one twice.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        let symbols = &config.symbols;
        if symbols.len() > MAX_INSTRUMENTS {
            return Err(ConfigError::TooManySymbols(symbols.len()));
        }
        let instruments = Table::of_feed(symbols);
        for (second, symbol) in symbols.iter().enumerate() {
            let Some(symbol) = *symbol else { continue };
            let first = instruments.index(Source::Feed, symbol).map(usize::from);
            if let Some(first) = first.filter(|first| *first != second) {
                return Err(ConfigError::Duplicate {
                    symbol,
                    first,
                    second,
                });
            }
        }
        Ok(Pipeline {
            decoder: Itch::new(config.version),
            listeners: Listeners {
                instruments,
                statistics: Statistics::new(config),
            },
        })
    }

    /// Takes a UDP payload: counts and uses all of it, or nothing.
    #[inline]
    pub fn datagram(&mut self, payload: &[u8]) -> Outcome {
        let mold = self.decoder.datagram(payload, &mut self.listeners);
        let good = !matches!(mold, mold::Cause::Malformed | mold::Cause::Old);
        Outcome {
            mold,
            report_due: good && self.listeners.statistics.report_due(),
        }
    }

    /// The report that is due, once: until it is taken, further heartbeats count in `report_missed`.
    pub fn report(&mut self) -> Option<Report<'_>> {
        self.listeners.statistics.report()
    }

    /// Loads or clears a symbol slot and its statistics; `false` if there is no such slot.
    pub fn load_symbol(&mut self, slot: usize, symbol: Option<Symbol>) -> bool {
        let listing = symbol.map(Listing::itch);
        self.listeners.instruments.set(Source::Feed, slot, listing)
            && self.listeners.statistics.set_symbol(slot, symbol)
    }

    /// Whether statistics go on over heartbeats.
    pub fn set_accumulate(&mut self, accumulate: bool) {
        self.listeners.statistics.set_accumulate(accumulate);
    }

    /// Says whether the last report is still on its way out: see [`Statistics::set_report_busy`].
    pub fn set_report_busy(&mut self, busy: bool) {
        self.listeners.statistics.set_report_busy(busy);
    }

    /// The symbol slots.
    pub fn symbols(&self) -> &[Option<Symbol>] {
        self.listeners.statistics.symbols()
    }

    /// The present statistics.
    pub fn rows(&self) -> impl Iterator<Item = report::Row> + '_ {
        self.listeners.statistics.rows()
    }

    /// What the stages counted so far.
    pub fn counters(&self) -> FeedCounters {
        let decoded = self.decoder.counters();
        let counted = self.listeners.statistics.counters();
        FeedCounters {
            mold_malformed: decoded.mold_malformed,
            mold_old: decoded.mold_old,
            mold_heartbeat: decoded.mold_heartbeat,
            mold_end_of_session: decoded.mold_end_of_session,
            mold_packet: decoded.mold_packet,
            mold_new_session: decoded.mold_new_session,
            mold_gap: decoded.mold_gap,
            mold_lost: decoded.mold_lost,
            itch_messages: decoded.itch_messages,
            itch_unknown_type: decoded.itch_unknown_type,
            itch_bad_length: decoded.itch_bad_length,
            filter_hit: counted.filter_hit,
            filter_miss: counted.filter_miss,
            time_backwards: counted.time_backwards,
            heartbeat: counted.heartbeat,
            report_sent: counted.report_sent,
            report_missed: counted.report_missed,
        }
    }
}
