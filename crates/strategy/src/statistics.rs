//! The statistics of the orders that enter, reported at each second: the twin of `statistics`, `second_tracker` and `statistics_slot`.

mod report;
mod sums;
mod tracker;

use formats::itch::Version;
use formats::report::Row;
use formats::{Event, FeedInfo, Head, Kind, Listener, Symbol};
use serde::{Deserialize, Serialize};

use report::Buffer;
use sums::Sums;
use tracker::Tracker;

pub use report::Report;

/// What the statistics are to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// The ITCH of the feed.
    pub version: Version,
    /// Whether statistics go on over heartbeats instead of starting again.
    pub accumulate: bool,
    /// The symbol slots that are reported, at most 256.
    pub symbols: Vec<Option<Symbol>>,
}

/// What is counted here. 32 bits, wrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Orders that enter, of an instrument of ours.
    pub filter_hit: u32,
    /// Orders that enter, of any other.
    pub filter_miss: u32,
    /// Messages whose time is below that of the message before.
    pub time_backwards: u32,
    /// Seconds begun.
    pub heartbeat: u32,
    /// Reports sent.
    pub report_sent: u32,
    /// Heartbeats without a report, since one was still being read out.
    pub report_missed: u32,
}

/// Statistics by symbol slot, which is the instrument's index, and their report. After [`Statistics::new`] it allocates nothing.
#[derive(Clone, Debug)]
pub struct Statistics {
    config: Config,
    sums: Sums,
    tracker: Tracker,
    counters: Counters,
    info: FeedInfo,
    /// Number of the message that begins the second, if one does.
    sequence: u64,
    /// Number of the last report.
    number: u32,
    /// The last report.
    report: Buffer,
    /// Whether it has not been taken yet.
    pending: bool,
    /// Whether the last one is still on its way out.
    busy: bool,
    /// Whether this frame wrote it.
    due: bool,
}

impl Statistics {
    /// Statistics that have seen nothing yet.
    pub fn new(config: Config) -> Self {
        Statistics {
            sums: Sums::new(config.symbols.len()),
            tracker: Tracker::new(config.version),
            counters: Counters::default(),
            info: FeedInfo::default(),
            sequence: 0,
            number: 0,
            report: Buffer::new(config.symbols.len()),
            pending: false,
            busy: false,
            due: false,
            config,
        }
    }

    /// Whether the last frame began a second and a report waits in [`Statistics::report`].
    #[inline]
    pub const fn report_due(&self) -> bool {
        self.due
    }

    /// The report that is due, once: until it is taken, further heartbeats count in `report_missed`.
    pub fn report(&mut self) -> Option<Report<'_>> {
        std::mem::take(&mut self.pending).then_some(self.report.parts())
    }

    /// Names or clears a symbol slot and restarts its statistics; `false` if there is no such slot.
    pub fn set_symbol(&mut self, slot: usize, symbol: Option<Symbol>) -> bool {
        let Some(place) = self.config.symbols.get_mut(slot) else {
            return false;
        };
        *place = symbol;
        self.sums.clear_slot(slot);
        true
    }

    /// Whether statistics go on over heartbeats.
    pub fn set_accumulate(&mut self, accumulate: bool) {
        self.config.accumulate = accumulate;
    }

    /// Says whether the last report is still on its way out, as a core whose transmit side takes its time would: heartbeats
    /// until it is not count in `report_missed`.
    pub fn set_report_busy(&mut self, busy: bool) {
        self.busy = busy;
    }

    /// The symbol slots.
    pub fn symbols(&self) -> &[Option<Symbol>] {
        &self.config.symbols
    }

    /// The present statistics.
    pub fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.sums.rows(&self.config.symbols)
    }

    /// What was counted so far.
    pub const fn counters(&self) -> Counters {
        self.counters
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
        let header = formats::report::Header {
            accumulate: self.config.accumulate,
            itch_50: self.config.version == Version::V50,
            number: self.number,
            second,
            session: self.info.session,
            sequence: self.sequence,
            lost: self.info.lost,
            first_sequence: self.info.first_sequence,
            ..formats::report::Header::default()
        };
        self.report
            .write(header, self.sums.rows(&self.config.symbols));
        self.pending = true;
        self.due = true;
        if !self.config.accumulate {
            self.sums.clear();
        }
    }
}

impl Listener for Statistics {
    #[inline(always)]
    fn frame(&mut self, info: &FeedInfo) {
        self.info = *info;
        self.due = false;
        if info.new_session {
            self.tracker.new_session();
        }
        self.tracker.new_frame();
    }

    #[inline(always)]
    fn head(&mut self, head: &Head) {
        let step = self.tracker.message(head.seconds, head.nanoseconds);
        if step.backwards {
            count(&mut self.counters.time_backwards);
        }
        self.sequence = head.sequence;
        if let Some(second) = step.begins {
            self.heartbeat(second);
        }
    }

    #[inline(always)]
    fn event(&mut self, event: &Event) {
        match (event.kind, event.instrument) {
            (Kind::Add, Some(slot)) => {
                count(&mut self.counters.filter_hit);
                // As the hardware, which has 32 bits for both; ITCH has no more.
                let (price, quantity) = (event.price as u32, event.quantity as u32);
                self.sums.add(slot.into(), event.side, price, quantity);
            }
            (Kind::Add, None) => count(&mut self.counters.filter_miss),
            (Kind::Time, _) => {
                if let Some(second) = self.tracker.second(event.seconds) {
                    self.heartbeat(second);
                }
            }
            _ => {}
        }
    }
}

#[inline(always)]
fn count(counter: &mut u32) {
    *counter = counter.wrapping_add(1);
}
