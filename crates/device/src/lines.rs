//! The two lines of a core: what arbitrates them, and what became of their packets.

use formats::counters::{ArbiterCounters, LineCounters, NetCounters};

use crate::driver::{Driver, Error, Registers};
use crate::registers as map;

/// What the decoder gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// Line A alone.
    #[default]
    LineA,
    /// Line B alone.
    LineB,
    /// The arbiter's low-latency output.
    LowLatency,
    /// The arbiter's high-reliability output.
    HighReliability,
}

/// What ends the wait for a missing packet on the high-reliability output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Window {
    /// Time.
    #[default]
    Time,
    /// Messages that wait.
    Count,
    /// Whichever comes first.
    TimeAndCount,
}

/// How the lines are arbitrated (`docs/reference/arbitration.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arbitration {
    /// What the decoder gets.
    pub source: Source,
    /// The window's kind.
    pub window: Window,
    /// Clock cycles a packet waits.
    pub time: u32,
    /// Messages that may wait.
    pub count: u16,
    /// Clock cycles of silence after which a line counts as silent; 0: never.
    pub idle_limit: u32,
}

/// Messages the high-reliability output lost in one gap: `from` up to, not including, `to`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gap {
    /// The first that is missing.
    pub from: u64,
    /// The first that is not.
    pub to: u64,
}

impl<R: Registers> Driver<R> {
    /// Sets how the lines are arbitrated. It may change while frames come in; the source changes between two packets.
    ///
    /// # Errors
    /// A source that the core does not have, and then nothing is set; or the core did not answer.
    pub fn set_arbitration(&mut self, arbitration: &Arbitration) -> Result<(), Error<R::Error>> {
        if arbitration.source == Source::HighReliability && self.low_latency_alone() {
            return Err(Error::LowLatencyAlone);
        }
        use map::arbitration::{ADDRESS, SOURCE, WINDOW};
        self.write(map::time_window::ADDRESS, arbitration.time)?;
        self.write(map::count_window::ADDRESS, u32::from(arbitration.count))?;
        self.write(map::idle_limit::ADDRESS, arbitration.idle_limit)?;
        let source = SOURCE.set(0, arbitration.source as u32);
        self.write(ADDRESS, WINDOW.set(source, arbitration.window as u32))
    }

    /// How the lines are arbitrated.
    pub fn arbitration(&mut self) -> Result<Arbitration, Error<R::Error>> {
        use map::arbitration::{ADDRESS, SOURCE, WINDOW};
        let register = self.read(ADDRESS)?;
        Ok(Arbitration {
            source: match SOURCE.get(register) {
                0 => Source::LineA,
                1 => Source::LineB,
                2 => Source::LowLatency,
                _ => Source::HighReliability,
            },
            window: match WINDOW.get(register) {
                0 => Window::Time,
                1 => Window::Count,
                _ => Window::TimeAndCount,
            },
            time: self.read(map::time_window::ADDRESS)?,
            count: self.read(map::count_window::ADDRESS)? as u16,
            idle_limit: self.read(map::idle_limit::ADDRESS)?,
        })
    }

    /// Lets everything leave that the high-reliability output keeps.
    pub fn flush(&mut self) -> Result<(), Error<R::Error>> {
        use map::arbitration::{ADDRESS, FLUSH};
        let register = self.read(ADDRESS)?;
        self.write(ADDRESS, FLUSH.set(register, 1))
    }

    /// Frames by cause on line B. Those of line A are in [`Driver::counters`].
    pub fn line_b(&mut self) -> Result<NetCounters, Error<R::Error>> {
        self.net_counters(map::b_mii_error::ADDRESS)
    }

    /// What became of the packets of each line, and of both together.
    pub fn arbiter_counters(
        &mut self,
    ) -> Result<([LineCounters; 2], ArbiterCounters), Error<R::Error>> {
        let both = ArbiterCounters {
            released: self.read(map::released::ADDRESS)?,
            session_reset: self.read(map::session_reset::ADDRESS)?,
            low_gap: self.read(map::low_gap::ADDRESS)?,
            high_gap: self.read(map::high_gap::ADDRESS)?,
            low_lost: self.read(map::low_lost::ADDRESS)?,
            high_lost: self.read(map::high_lost::ADDRESS)?,
            feed_overflow: self.read(map::feed_overflow::ADDRESS)?,
        };
        let a = self.line_counters(map::a_passed::ADDRESS, map::a_host_frame::ADDRESS)?;
        let b = self.line_counters(map::b_passed::ADDRESS, map::b_host_frame::ADDRESS)?;
        Ok(([a, b], both))
    }

    /// A line's counters: what the arbiter did with its packets is in consecutive registers; the host port's are separate, two lines each.
    fn line_counters(
        &mut self,
        first: u32,
        host_frame: u32,
    ) -> Result<LineCounters, Error<R::Error>> {
        let host_overflow =
            host_frame + (map::a_host_overflow::ADDRESS - map::a_host_frame::ADDRESS);
        let mut addresses = (first..).step_by(4);
        let mut next = || self.read(addresses.next().unwrap_or(first));
        Ok(LineCounters {
            passed: next()?,
            refused: next()?,
            missed: next()?,
            bad: next()?,
            malformed: next()?,
            far: next()?,
            stale: next()?,
            cut_through: next()?,
            kept: next()?,
            too_long: next()?,
            overflow: next()?,
            silent: next()?,
            host_frame: self.read(host_frame)?,
            host_overflow: self.read(host_overflow)?,
        })
    }

    /// The last gap on the high-reliability output; nothing before the first.
    pub fn last_gap(&mut self) -> Result<Option<Gap>, Error<R::Error>> {
        let gap = Gap {
            from: self.read_wide(map::gap_from_high::ADDRESS, map::gap_from_low::ADDRESS)?,
            to: self.read_wide(map::gap_to_high::ADDRESS, map::gap_to_low::ADDRESS)?,
        };
        Ok((gap != Gap::default()).then_some(gap))
    }
}
