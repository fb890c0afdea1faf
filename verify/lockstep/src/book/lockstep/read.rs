//! Reads of a side's best levels, at random moments while events come, and when none do.

use formats::Side;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Lockstep;
use crate::book::model::{Output, READ_LEVELS, Read, ReadLevel};

/// Ticks are given modulo this.
const TICKS: i64 = 1 << 14;
/// A read of a side that rests ends within so many cycles.
const ENDS: u64 = 4_000;
/// Cycles between two reads, at most.
const PAUSE: u64 = 400;

/// What is read.
pub(super) struct Reader {
    random: ChaCha8Rng,
    /// What is being read.
    line: Option<(usize, Side)>,
    /// Since when.
    begun: u64,
    /// The cycle in which the next read begins.
    next: u64,
    /// What the one that has ended must have given; `None`: that is not certain.
    expected: Option<[ReadLevel; READ_LEVELS]>,
}

impl Reader {
    pub fn new(seed: u64) -> Self {
        Reader {
            random: ChaCha8Rng::seed_from_u64(seed),
            line: None,
            begun: 0,
            next: 0,
            expected: None,
        }
    }
}

impl Lockstep {
    /// Now and then a side of an instrument that has changed is read.
    pub(super) fn read_at_random(&mut self) {
        if self.reader.line.is_some() || self.cycle < self.reader.next {
            return;
        }
        let recent = self.reader.random.random_range(0..8);
        let Some(&(_, instrument)) = self.recent.get(recent) else {
            return;
        };
        let buys = self.reader.random.random::<bool>();
        self.begin_read(instrument, if buys { Side::Buy } else { Side::Sell });
    }

    fn begin_read(&mut self, instrument: usize, side: Side) {
        self.hardware.read(&Read {
            instrument: instrument as u8,
            sell: side as u8,
        });
        self.reader.line = Some((instrument, side));
        self.reader.begun = self.cycle;
    }

    /// Reads a side while nothing else happens; it must not be given up.
    pub(super) fn read_at_rest(&mut self, instrument: usize, side: Side) {
        self.reader.next = u64::MAX;
        self.until_read();
        self.begin_read(instrument, side);
        let given_up = self.stats.reads_given_up;
        self.until_read();
        if self.reader.line.is_some() || self.stats.reads_given_up != given_up {
            self.fail(format!("{side:?} of instrument {instrument} was not read"));
        }
        self.reader.next = self.cycle;
    }

    fn until_read(&mut self) {
        let until = self.cycle + ENDS;
        while self.reader.line.is_some() && self.cycle < until && self.failure.is_none() {
            self.step(None, None);
        }
    }

    /// All levels were found: what the side was before this cycle is what they have to be.
    pub(super) fn expect_read(&mut self) {
        let Some((instrument, side)) = self.reader.line else {
            return;
        };
        // While a frame is taken back, or a book cleared, the twin is ahead.
        let ahead = !self.undoing.is_empty() || self.host.is_ahead(self.cycle);
        if ahead || self.twin.wrong[instrument] {
            return;
        }
        let tick = self.twin.window(instrument).tick;
        let mut expected = [ReadLevel::default(); READ_LEVELS];
        let levels = self.twin.book.levels(instrument as u32, side);
        for (place, level) in expected.iter_mut().zip(levels) {
            *place = ReadLevel {
                shares: level.quantity as u32,
                tick: (level.price / tick).rem_euclid(TICKS) as u16,
                orders: level.orders as u16,
            };
        }
        self.reader.expected = Some(expected);
    }

    /// What the host reads, a cycle later.
    pub(super) fn compare_read(&mut self, output: &Output) -> Result<(), String> {
        let line = self.reader.line.take();
        let (instrument, side) = line.ok_or_else(|| "a read that nobody began".to_owned())?;
        self.reader.next = self.cycle + self.reader.random.random_range(0..PAUSE);
        let expected = self.reader.expected.take();
        self.stats.reads_given_up += u64::from(output.read_done == 0);
        let Some(expected) = expected.filter(|_| output.read_done != 0) else {
            return Ok(());
        };
        if output.read != expected {
            return Err(format!(
                "{side:?} of instrument {instrument} was read as {:?}; it is {expected:?}",
                output.read
            ));
        }
        let count = expected.iter().filter(|level| level.orders != 0).count();
        self.stats.reads += 1;
        self.stats.levels_read += count as u64;
        self.stats.full_reads += u64::from(count == READ_LEVELS);
        self.stats.reads_meanwhile += u64::from(self.last_event > self.reader.begun);
        Ok(())
    }
}
