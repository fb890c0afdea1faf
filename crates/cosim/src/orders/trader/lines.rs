//! The feed on lines A and B: the core's arbiter makes one of them, and the software's does.
//!
//! ```text
//!  copies ─┬─ lines A and B ─ core: arbiter, book, strategy, risk, order ─┐
//!          └─ arbiter::Arbiter ─ pipeline::Trading ───────────────────────┴─ equal?
//! ```

use arbiter::{Arbiter, Config, Delivery, Mode, Output, Protocol, Window as SoftwareWindow};
use device::{Arbitration, Source, Window};

use super::{Problem, SentOrder, Trader};
use crate::core::{Frame, Sent};

/// A copy of a packet of the feed.
#[derive(Clone, Debug)]
pub struct LineCopy {
    /// The line: 0 is A, 1 is B.
    pub line: usize,
    /// Cycles from now on before which it does not begin.
    pub at: u64,
    /// The UDP payload.
    pub payload: Vec<u8>,
}

/// What the arbiters made of copies: the same, the core's and the software's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arbitrated {
    /// The orders that left; `packet` is the place among the packets that went on.
    pub orders: Vec<SentOrder>,
    /// Packets that went on, by the line whose copy did.
    pub passed: [u64; 2],
    /// Messages that came on neither line in time.
    pub lost: u64,
}

/// The arbiter in software.
#[derive(Debug)]
pub(super) struct Lines {
    arbiter: Arbiter,
    /// That of the window.
    window_ns: u64,
    /// Packets that went on so far, by line, and messages lost.
    passed: [u64; 2],
    lost: u64,
}

/// What leaves the high-reliability output.
#[derive(Default)]
struct Sink {
    payloads: Vec<Vec<u8>>,
    passed: [u64; 2],
    lost: u64,
}

impl arbiter::Sink for Sink {
    fn packet(&mut self, delivery: Delivery<'_>) {
        if delivery.output == Output::HighReliability {
            self.payloads.push(delivery.payload.to_vec());
            if let Some(passed) = self.passed.get_mut(delivery.line) {
                *passed += 1;
            }
        }
    }

    fn event(&mut self, event: arbiter::Event) {
        if let arbiter::Event::Gap { output, from, to } = event
            && output == Output::HighReliability
        {
            self.lost += to - from;
        }
    }
}

impl Trader {
    /// From here on lines A and B of a feed in FAST are one feed, with high reliability: a packet waits so many cycles for those before it.
    ///
    /// # Errors
    /// The core has one line.
    pub fn arbitrate(&mut self, window_cycles: u32) -> Result<(), Problem> {
        self.testbench.driver.set_arbitration(&Arbitration {
            source: Source::HighReliability,
            window: Window::Time,
            time: window_cycles,
            count: 1,
            idle_limit: 0,
        })?;
        let window_ns = self.nanoseconds(window_cycles.into());
        let mut config = Config::new(Protocol::MOEX);
        config.window = SoftwareWindow {
            mode: Mode::Time,
            time: window_ns,
            count: 1,
        };
        config.idle_limit = 0;
        let arbiter =
            Arbiter::new(config).map_err(|error| Problem::Testbench(error.to_string()))?;
        self.lines = Some(Lines {
            arbiter,
            window_ns,
            passed: [0; 2],
            lost: 0,
        });
        Ok(())
    }

    fn nanoseconds(&mut self, cycles: u64) -> u64 {
        let width = self.testbench.driver.registers().width();
        cycles * width.cycle_picoseconds() / 1_000
    }

    /// Copies of packets on the lines, in the order of their times, and of the packets' numbers; both are run until nothing moves, and compared. A window closes before the next copies come.
    ///
    /// # Errors
    /// The first difference, of the orders or of what the arbiters lost; [`Trader::arbitrate`] was not called; a packet is too long for a frame.
    pub fn copies(&mut self, copies: &[LineCopy]) -> Result<Arbitrated, Problem> {
        let no_lines = || Problem::Testbench("the lines are not arbitrated".into());
        let mut lines = self.lines.take().ok_or_else(no_lines)?;
        let begin = self.testbench.cycle() + START;
        let mut sink = Sink::default();
        for copy in copies {
            let now = self.nanoseconds(begin + copy.at);
            lines
                .arbiter
                .push(copy.line, now, &copy.payload, true, &mut sink);
        }
        let last = copies.last().map_or(0, |copy| copy.at);
        let end = self.nanoseconds(begin + last) + lines.window_ns;
        lines.arbiter.poll(end, &mut sink);
        lines.lost += sink.lost;
        let payloads = sink.payloads;
        let orders = self.given(&payloads, |testbench, _| {
            let sent = testbench.send_copies(copies, begin)?;
            let first = |payload: &Vec<u8>| {
                let copies = copies.iter().zip(&sent);
                let of = copies.filter(|(copy, _)| copy.payload == *payload);
                let first = of.map(|(_, sent)| *sent).min_by_key(|sent| sent.last);
                first.unwrap_or(Sent { first: 0, last: 0 })
            };
            Ok(payloads.iter().map(first).collect())
        })?;
        for (all, passed) in lines.passed.iter_mut().zip(sink.passed) {
            *all += passed;
        }
        // The core counts packets that pass on its low-latency output. Where no packet overtakes another, these are the same.
        let ([a, b], both) = self.testbench.driver.arbiter_counters()?;
        let hardware = (a.passed, b.passed, u64::from(both.high_lost));
        let software = (lines.passed[0] as u32, lines.passed[1] as u32, lines.lost);
        if hardware != software {
            return Err(Problem::Testbench(format!(
                "packets passed of lines A and B, and messages lost: by the core's arbiter {hardware:?}, by the software's {software:?}"
            )));
        }
        self.lines = Some(lines);
        Ok(Arbitrated {
            orders,
            passed: sink.passed,
            lost: sink.lost,
        })
    }
}

/// Cycles from a request to the first copy.
const START: u64 = 16;

impl super::Testbench {
    /// Sends copies of packets on their lines; `begin`: the cycle that their times count from.
    ///
    /// # Errors
    /// A packet is too long for a frame.
    fn send_copies(&mut self, copies: &[LineCopy], begin: u64) -> Result<Vec<Sent>, Problem> {
        let headers = [self.setup().feed(), self.setup().feed_on_b()];
        let mut bytes = Vec::with_capacity(copies.len());
        for copy in copies {
            let mut frame = Vec::new();
            let emitted = headers[copy.line % 2].emit(&copy.payload, &mut frame);
            emitted.map_err(|error| Problem::Testbench(error.to_string()))?;
            bytes.push(frame);
        }
        let frames: Vec<Frame<'_>> = copies
            .iter()
            .zip(&bytes)
            .map(|(copy, bytes)| Frame {
                line: copy.line % 2,
                at: begin + copy.at,
                ..Frame::new(bytes)
            })
            .collect();
        Ok(self.driver.registers().send_all(&frames))
    }
}
