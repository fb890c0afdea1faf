//! The pipeline in software, from a UDP payload to a report or to an order: the stages put together, nothing else.
//!
//! ```text
//!  lines A, B ─ Lines ─ datagram ─ decoder ─ instrument ─┬ statistics ───────────────────────────────────── report
//!                                                        └ book ─ best_price, Programs, stops ─ risk ─ order ─ message
//!                      session ─ 35=W, 35=X ─ last prices ──────────────────────┘
//! ```
//! `Trading` is all of it, of ITCH or of an order log in FAST; `Pipeline` makes reports alone. Programs are strategies in the language.
//! Each stage obeys `docs/reference/rules.md`; one datagram is one commitment.
#![forbid(unsafe_code)]

mod best_price;
mod config;
mod lines;
mod order_log;
mod own_orders;
mod programmed;
mod programs;
mod rebuild;
mod reports;
mod sink;
mod stop_orders;
mod trading;

use decoder::Itch;
use formats::counters::FeedCounters;
use formats::{Symbol, mold, report};
use reports::Reports;
use strategy::statistics::Report;

pub use config::{BestPrice, OnFeed, Traded, TradingConfig, TradingError};
pub use lines::{Lines, LinesConfig, LinesStatus, SEQUENCE_RESET};
pub use order_log::{OrderLog, Recovered, Since, rebuild_book};
pub use own_orders::{Executed, UNKNOWN_ORDER};
pub use programmed::NOT_SENT;
pub use programs::{Added, ProgramCounts, Programs};
pub use rebuild::{Backlog, Fit, RebuildError, Rebuilt};
pub use reports::ConfigError;
pub use sink::{Decision, EndReason, NoOrders, OrderSink, Origin};
pub use strategy::events::trade_of;
pub use strategy::statistics::Config;
pub use trading::Trading;

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
    reports: Reports,
}

impl Pipeline {
    /// A pipeline that has seen nothing yet.
    ///
    /// # Errors
    /// Too many symbols, or one twice.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        Ok(Pipeline {
            decoder: Itch::new(config.version),
            reports: Reports::new(config)?,
        })
    }

    /// Takes a UDP payload: counts and uses all of it, or nothing.
    pub fn datagram(&mut self, payload: &[u8]) -> Outcome {
        let mold = self.decoder.datagram(payload, &mut self.reports);
        let good = !matches!(mold, mold::Cause::Malformed | mold::Cause::Old);
        Outcome {
            mold,
            report_due: good && self.reports.is_due(),
        }
    }

    /// The report that is due, once: until it is taken, further heartbeats count in `report_missed`.
    pub fn report(&mut self) -> Option<Report<'_>> {
        self.reports.report()
    }

    /// Loads or clears a symbol slot and its statistics; `false` if there is no such slot.
    pub fn load_symbol(&mut self, slot: usize, symbol: Option<Symbol>) -> bool {
        self.reports.load_symbol(slot, symbol)
    }

    /// Whether statistics go on over heartbeats.
    pub fn set_accumulate(&mut self, accumulate: bool) {
        self.reports.statistics.set_accumulate(accumulate);
    }

    /// Says whether the last report is still on its way out: see `Statistics::set_report_busy`.
    pub fn set_report_busy(&mut self, busy: bool) {
        self.reports.statistics.set_report_busy(busy);
    }

    /// The symbol slots.
    pub fn symbols(&self) -> &[Option<Symbol>] {
        self.reports.statistics.symbols()
    }

    /// The present statistics.
    pub fn rows(&self) -> impl Iterator<Item = report::Row> + '_ {
        self.reports.statistics.rows()
    }

    /// What the stages counted so far.
    pub fn counters(&self) -> FeedCounters {
        self.reports.counters(&self.decoder.counters())
    }
}
