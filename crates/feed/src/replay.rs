//! Packets onto lines A and B at their times, with what networks do to them: loss, duplication, reordering, skew.

mod impairment;
mod pace;

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::PacketSource;
use crate::source::SourceError;
pub use impairment::{Impairer, Impairment, LineCounters};
use pace::Schedule;
pub use pace::{Pace, wire_bytes};

/// A line of the feed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Line {
    /// Its delay against the schedule. Wall-clock time where packets are paced, market time where they are not.
    pub delay: Duration,
    /// What happens to its packets.
    pub impairment: Impairment,
}

/// The progress of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Packets taken from the source.
    pub packets: u64,
    /// Bytes of the source read, and its length where it is known.
    pub position: (u64, Option<u64>),
    /// The largest delay of a packet, in nanoseconds.
    pub latest: u64,
    /// What happened on each line.
    pub lines: Vec<LineCounters>,
}

/// Why a replay ends early.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// The source.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The pace is not a positive number.
    #[error("the pace must be a positive number")]
    Pace,
    /// A probability is not between 0 and 1.
    #[error("line {0}: a probability must lie between 0 and 1")]
    Probability(usize),
    /// A packet could not be sent.
    #[error("line {line}: cannot send a packet of {length} bytes: {cause}")]
    Send {
        /// Index of the line.
        line: usize,
        /// The UDP payload's length, in bytes.
        length: usize,
        /// What the system says.
        cause: io::Error,
    },
}

/// Time, so that tests need not wait for it.
pub trait Clock {
    /// Nanoseconds since some moment.
    fn now(&self) -> u64;
    /// Waits at most until then.
    fn wait(&mut self, until: u64);
}

/// The system's monotonic clock. It sleeps up to the last tenth of a millisecond, which it spins: a sleep alone wakes too late.
#[derive(Debug)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }

    fn wait(&mut self, until: u64) {
        const SPIN: u64 = 100_000;
        let left = until.saturating_sub(self.now());
        if left > SPIN {
            std::thread::sleep(Duration::from_nanos(left - SPIN));
        }
        while self.now() < until {
            std::hint::spin_loop();
        }
    }
}

struct LineState {
    delay: u64,
    impairer: Impairer,
    queue: VecDeque<(u64, Vec<u8>)>,
    /// Buffers to use again.
    spare: Vec<Vec<u8>>,
}

struct Replay<'a, C, T, P> {
    clock: &'a mut C,
    transmit: T,
    progress: P,
    lines: Vec<LineState>,
    state: Progress,
    paced: bool,
    start: u64,
    stopped: bool,
}

/// Sends the packets of `source` on `lines` at `pace`. `transmit` is given the line's index and the payload; `progress` is asked
/// with every packet, and at least every 50 ms while waiting, whether to go on.
///
/// # Errors
/// Those of the source, of the transmission, or a pace or probability out of bounds.
pub fn run<S, C, T, P>(
    source: &mut S,
    pace: Pace,
    lines: &[Line],
    clock: &mut C,
    transmit: T,
    progress: P,
) -> Result<Progress, ReplayError>
where
    S: PacketSource + ?Sized,
    C: Clock,
    T: FnMut(usize, &[u8]) -> io::Result<()>,
    P: FnMut(&Progress) -> ControlFlow<()>,
{
    let mut schedule = Schedule::new(pace).ok_or(ReplayError::Pace)?;
    if let Some(line) = lines.iter().position(|line| !line.impairment.is_valid()) {
        return Err(ReplayError::Probability(line));
    }
    let start = clock.now();
    let mut replay = Replay {
        clock,
        transmit,
        progress,
        lines: lines
            .iter()
            .map(|line| LineState {
                delay: u64::try_from(line.delay.as_nanos()).unwrap_or(u64::MAX),
                impairer: Impairer::new(line.impairment),
                queue: VecDeque::new(),
                spare: Vec::new(),
            })
            .collect(),
        state: Progress {
            lines: vec![LineCounters::default(); lines.len()],
            ..Progress::default()
        },
        paced: !matches!(pace, Pace::Unpaced),
        start,
        stopped: false,
    };
    while !replay.stopped {
        let Some(packet) = source.next_packet()? else {
            break;
        };
        let due = schedule.due(&packet);
        replay.release(due)?;
        replay.wait(due);
        if replay.stopped {
            break;
        }
        replay.offer(due, packet.payload)?;
        replay.state.packets += 1;
        replay.state.position = source.position();
        replay.ask();
    }
    replay.finish()
}

impl<C, T, P> Replay<'_, C, T, P>
where
    C: Clock,
    T: FnMut(usize, &[u8]) -> io::Result<()>,
    P: FnMut(&Progress) -> ControlFlow<()>,
{
    fn ask(&mut self) {
        for (counters, line) in self.state.lines.iter_mut().zip(&self.lines) {
            *counters = line.impairer.counters();
        }
        self.stopped |= (self.progress)(&self.state).is_break();
    }

    fn wait(&mut self, due: u64) {
        const SLICE: u64 = 50_000_000;
        if !self.paced {
            return;
        }
        let until = self.start.saturating_add(due);
        loop {
            let now = self.clock.now();
            if now >= until {
                self.state.latest = self.state.latest.max(now - until);
                return;
            }
            if until - now <= SLICE {
                self.clock.wait(until);
                return;
            }
            self.clock.wait(now + SLICE);
            self.ask();
            if self.stopped {
                return;
            }
        }
    }

    /// Gives a packet to every line: at once, or into its queue.
    fn offer(&mut self, due: u64, payload: &[u8]) -> Result<(), ReplayError> {
        for index in 0..self.lines.len() {
            let line = &mut self.lines[index];
            if line.delay == 0 {
                self.send(index, payload)?;
            } else {
                let mut copy = line.spare.pop().unwrap_or_default();
                copy.clear();
                copy.extend_from_slice(payload);
                line.queue.push_back((due.saturating_add(line.delay), copy));
            }
        }
        Ok(())
    }

    /// Sends what is queued up to `due`, in the order of its times.
    fn release(&mut self, due: u64) -> Result<(), ReplayError> {
        loop {
            let heads = self.lines.iter().enumerate().filter_map(|(index, line)| {
                line.queue
                    .front()
                    .map(|(queued, _)| (*queued, index))
                    .filter(|(queued, _)| *queued <= due)
            });
            let Some((queued, index)) = heads.min() else {
                return Ok(());
            };
            self.wait(queued);
            if self.stopped {
                return Ok(());
            }
            let Some((_, payload)) = self.lines[index].queue.pop_front() else {
                return Ok(());
            };
            self.send(index, &payload)?;
            self.lines[index].spare.push(payload);
        }
    }

    fn send(&mut self, line: usize, payload: &[u8]) -> Result<(), ReplayError> {
        let transmit = &mut self.transmit;
        self.lines[line].impairer.pass(payload, &mut |payload| {
            transmit(line, payload).map_err(|cause| ReplayError::Send {
                line,
                length: payload.len(),
                cause,
            })
        })
    }

    fn finish(mut self) -> Result<Progress, ReplayError> {
        self.release(u64::MAX)?;
        for line in 0..self.lines.len() {
            let transmit = &mut self.transmit;
            self.lines[line].impairer.flush(&mut |payload| {
                transmit(line, payload).map_err(|cause| ReplayError::Send {
                    line,
                    length: payload.len(),
                    cause,
                })
            })?;
        }
        self.ask();
        Ok(self.state)
    }
}

#[cfg(test)]
mod tests;
