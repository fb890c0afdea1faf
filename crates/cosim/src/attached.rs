//! The core with a session on a TAP interface: simulated cycles where there is something to do, wall time for its clock and its timers.

use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use device::Driver;
use formats::fix::Timestamp;
use formats::frame;

use crate::core::{Core, Frame, Received};
use crate::tap::{now, whole};

/// Cycles between two looks at the interface.
const SLICE: u64 = 128;
/// Slices without a frame until the core counts as idle: longer than any answer of the control plane takes.
const IDLE_SLICES: u32 = 24;
/// Cycles from a move of the clock until its digits say so: 21, and some to reach them.
const CLOCK_CYCLES: u64 = 24;
/// Moves of the clock between two looks at the network: on a machine that simulates too slowly the core's clock falls back, but frames do not wait. Further
/// than [`MOST_BEHIND`] it does not fall back.
const MOST_CLOCK_STEPS: u32 = 100;
/// How far the clock is moved at once, in nanoseconds: the digits (rtl/order/wall_clock.sv) follow a millisecond at a time, and after more than one
/// there is no valid time for a while, which would drop an order.
const CLOCK_STEP: u64 = 900_000;
/// How far the clock may be behind, in nanoseconds: then it is set, and the time of orders has to be loaded anew.
const MOST_BEHIND: u64 = 1_000_000_000;
/// Cycles in which an order that is on its way has left.
const LEAVING: u64 = 1_000;
/// Frames taken in before the core's are looked at.
const BURST: usize = 16;
/// A tick of TCP's timers, in nanoseconds.
const TICK: u64 = 256_000;
const MILLISECOND: u64 = 1_000_000;
/// Ticks that are caught up at once: after a longer stop (a debugger, a laptop's lid) not everything times out at once.
const MOST_TICKS: u64 = 4_000;

/// What is between wall time and the core's timers.
#[derive(Debug)]
struct Timers {
    ticked: u64,
    milliseconds: u64,
}

impl Timers {
    /// Advances the core's time by what has passed outside.
    fn follow(&mut self, core: &mut Core, now: u64) {
        let ticks = now.saturating_sub(self.ticked) / TICK;
        let milliseconds = now.saturating_sub(self.milliseconds) / MILLISECOND;
        self.ticked += ticks * TICK;
        self.milliseconds += milliseconds * MILLISECOND;
        core.pass_time(ticks.min(MOST_TICKS), milliseconds.min(MOST_TICKS));
    }
}

/// The core's clock: what it was set to, and in which cycle.
#[derive(Debug, Default)]
struct Clock {
    set: u64,
    cycle: u64,
}

impl Clock {
    /// What the core's clock is at; 0: it was never set.
    fn time(&self, core: &Core) -> u64 {
        let passed = (core.cycle() - self.cycle) * core.width().cycle_picoseconds() / 1_000;
        match self.set {
            0 => 0,
            set => set + passed,
        }
    }

    /// Sets the core's clock, if it is too far behind; returns how far that was.
    fn set(&mut self, core: &mut Core, now: u64) -> Option<Duration> {
        let behind = now.saturating_sub(self.time(core));
        if self.set == 0 || behind <= MOST_BEHIND {
            return None;
        }
        core.run(LEAVING);
        (self.set, self.cycle) = (now, core.cycle());
        core.set_time(now);
        Some(Duration::from_nanos(behind))
    }

    /// Moves the core's clock to a time, in steps that its digits can follow. No order may be on its way meanwhile.
    fn follow(&mut self, core: &mut Core, now: u64) {
        let mut time = match self.set {
            0 => now,
            _ => self.time(core),
        };
        for _ in 0..MOST_CLOCK_STEPS {
            if time + CLOCK_STEP >= now {
                break;
            }
            time += CLOCK_STEP;
            core.set_time(time);
            core.run(CLOCK_CYCLES);
        }
        // Never back, even if the wall clock goes back.
        if time <= now {
            time = now.min(time + CLOCK_STEP);
            self.cycle = core.cycle();
            self.set = time;
            core.set_time(time);
        }
        core.run(CLOCK_CYCLES);
    }
}

/// What a core is attached to: a network with peers in it.
pub trait Network {
    /// The next frame for the core, without FCS, into `buffer`: its length. `None` if none came within so many milliseconds.
    ///
    /// # Errors
    /// The network is gone.
    fn receive(&mut self, buffer: &mut [u8], wait: i32) -> io::Result<Option<usize>>;

    /// Takes a frame of the core; a broken one is lost, as on a wire.
    ///
    /// # Errors
    /// The network is gone.
    fn transmit(&mut self, frame: &Received) -> io::Result<()>;
}

/// A frame on the core's line.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The core sent it.
    pub by_core: bool,
    /// It, with FCS.
    pub bytes: &'a [u8],
    /// Cycle of its first preamble byte.
    pub first: u64,
    /// Cycle of its last byte.
    pub last: u64,
}

/// A core on a network.
#[derive(Debug)]
pub struct Attached<N> {
    network: N,
    timers: Timers,
    clock: Clock,
    /// How far behind the clock was when it was set.
    clock_set: Rc<Cell<Option<Duration>>>,
    buffer: Vec<u8>,
    bytes: Vec<u8>,
    quiet: u32,
}

impl<N: Network> Attached<N> {
    /// On this network.
    pub fn new(network: N) -> Self {
        let now = now();
        Attached {
            network,
            timers: Timers {
                ticked: now,
                milliseconds: now,
            },
            clock: Clock::default(),
            clock_set: Rc::default(),
            buffer: vec![0; 65_536],
            bytes: Vec::with_capacity(frame::MAXIMUM),
            // The first step sets the clock.
            quiet: 1,
        }
    }

    /// How far behind the core's clock was when it was set last, until it is taken: then the host loads the time of orders anew. While it is not, there is
    /// none for a while.
    pub fn clock_set(&self) -> Rc<Cell<Option<Duration>>> {
        self.clock_set.clone()
    }

    /// Runs the core until `stop` is set or `host` is done. `host` is called again and again, with the time, and says whether to go on;
    /// `seen` gets each frame.
    ///
    /// # Errors
    /// The interface's, or what `host` gives.
    pub fn run<E: From<io::Error>>(
        &mut self,
        core: &mut Driver<Core>,
        stop: &AtomicBool,
        mut host: impl FnMut(&mut Driver<Core>, Timestamp) -> Result<bool, E>,
        mut seen: impl FnMut(&Seen<'_>),
    ) -> Result<(), E> {
        while !stop.load(Ordering::Relaxed) {
            self.step(core.registers(), &mut seen)?;
            if !host(core, Timestamp(now()))? {
                break;
            }
        }
        Ok(())
    }

    fn step(&mut self, core: &mut Core, seen: &mut impl FnMut(&Seen<'_>)) -> io::Result<()> {
        let now = now();
        self.timers.follow(core, now);
        if let Some(behind) = self.clock.set(core, now) {
            self.clock_set.set(Some(behind));
            // No frame before the host has loaded the time.
            return Ok(());
        }
        // The clock is moved only while no order can be on its way: its digits follow a few cycles later.
        if self.quiet > 0 {
            self.clock.follow(core, now);
        }
        let mut wait = i32::from(self.quiet >= IDLE_SLICES);
        for _ in 0..BURST {
            let Some(length) = self.network.receive(&mut self.buffer, wait)? else {
                break;
            };
            wait = 0;
            self.quiet = 0;
            whole(&self.buffer[..length], &mut self.bytes);
            let sent = core.send(Frame::new(&self.bytes));
            seen(&Seen {
                by_core: false,
                bytes: &self.bytes,
                first: sent.first,
                last: sent.last,
            });
        }
        core.run(SLICE);
        let sent = core.take();
        self.quiet = if sent.is_empty() {
            self.quiet.saturating_add(1)
        } else {
            0
        };
        for frame in sent {
            seen(&Seen {
                by_core: true,
                bytes: &frame.bytes,
                first: frame.first,
                last: frame.last,
            });
            self.network.transmit(&frame)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preset::Preset;
    use crate::width::Width;

    const NOON: &[u8] = b"20240228-12:00:00.000";
    /// How far the wall clock is ahead: with no bound a single look would simulate 26,000 cycles, and frames wait meanwhile.
    const AHEAD: u64 = MOST_BEHIND;
    /// Cycles that a frame may wait for the clock.
    const MOST_CYCLES: u64 = 4_000;

    #[test]
    fn a_clock_that_fell_back_catches_up_over_many_looks_and_never_lacks_a_time_for_orders() {
        for width in Width::ALL {
            let mut driver = Driver::new(Core::of(Preset::with_session(width)).unwrap()).unwrap();
            let mut clock = Clock::default();
            let begin = Timestamp::parse(NOON).unwrap().0;
            clock.follow(driver.registers(), begin);
            driver
                .load_utc(Timestamp(begin), begin + MILLISECOND)
                .unwrap();
            driver.registers().run(100);
            assert!(!driver.stopped().unwrap().time_unknown);
            let now = begin + AHEAD;
            let mut looks = 0;
            while driver.time().unwrap() < now {
                let before = driver.registers().cycle();
                clock.follow(driver.registers(), now);
                let cycles = driver.registers().cycle() - before;
                assert!(cycles <= MOST_CYCLES, "{cycles} cycles in one look");
                assert!(!driver.stopped().unwrap().time_unknown);
                looks += 1;
                assert!(looks < 1_000, "it does not catch up");
            }
            assert!(looks > 10, "{looks} looks");
            assert!(driver.time().unwrap() < now + MILLISECOND);
        }
    }

    /// The fault: on a busy machine the time of orders fell behind without bound.
    #[test]
    fn a_clock_more_than_a_second_behind_is_set_and_tells_so() {
        for width in Width::ALL {
            let mut driver = Driver::new(Core::of(Preset::with_session(width)).unwrap()).unwrap();
            let mut clock = Clock::default();
            let begin = Timestamp::parse(NOON).unwrap().0;
            assert_eq!(clock.set(driver.registers(), begin), None, "no time yet");
            clock.follow(driver.registers(), begin);
            assert_eq!(clock.set(driver.registers(), begin + MOST_BEHIND), None);
            let now = begin + 120 * MOST_BEHIND;
            let behind = clock.set(driver.registers(), now).unwrap();
            assert_eq!(behind.as_secs(), 119);
            driver.load_utc(Timestamp(now), now + MILLISECOND).unwrap();
            driver.registers().run(100);
            assert!(!driver.stopped().unwrap().time_unknown);
            let time = driver.time().unwrap();
            assert!((now..now + MILLISECOND).contains(&time), "{time}");
            assert_eq!(clock.set(driver.registers(), now), None);
        }
    }
}
