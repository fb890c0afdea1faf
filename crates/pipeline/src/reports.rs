//! Statistics by symbol, and a report at each second (system B).

use decoder::itch::Counters;
use formats::counters::FeedCounters;
use formats::{Event, FeedInfo, Head, Listener, Source, Symbol};
use instrument::{Listing, MAX_INSTRUMENTS, Table};
use strategy::Statistics;
use strategy::statistics::{Config, Report};
use thiserror::Error;

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

/// What makes reports: it listens to the decoder of ITCH.
#[derive(Clone, Debug)]
pub(crate) struct Reports {
    instruments: Table,
    pub(crate) statistics: Statistics,
}

impl Listener for Reports {
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

impl Reports {
    pub(crate) fn new(config: Config) -> Result<Self, ConfigError> {
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
        Ok(Reports {
            instruments,
            statistics: Statistics::new(config),
        })
    }

    /// An event, where orders come first: out of line, to be small.
    #[inline(never)]
    pub(crate) fn take(&mut self, event: &Event) {
        self.event(event);
    }

    #[inline(always)]
    pub(crate) fn is_due(&self) -> bool {
        self.statistics.report_due()
    }

    pub(crate) fn report(&mut self) -> Option<Report<'_>> {
        self.statistics.report()
    }

    pub(crate) fn load_symbol(&mut self, slot: usize, symbol: Option<Symbol>) -> bool {
        let listing = symbol.map(Listing::itch);
        self.instruments.set(Source::Feed, slot, listing)
            && self.statistics.set_symbol(slot, symbol)
    }

    /// With those of the decoder that it listens to.
    pub(crate) fn counters(&self, decoded: &Counters) -> FeedCounters {
        let counted = self.statistics.counters();
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
