//! Frames that are hardest on a receiver: a feed that is alive (seconds pass, sequence numbers run on), spoilt at every
//! layer, most of it with the checksums above and below corrected, so that each fault is met alone.

mod fault;
mod fuzzer;
mod market;

use std::fmt;

use formats::Symbol;
use formats::counters::Counters;
use formats::itch::Version;

use cosim::Width;
use cosim::{Frame, StartLane};
use cosim::{Lockstep, Mismatch, Setup, SetupError};

pub use fault::Fault;
pub use fuzzer::Fuzzer;
pub use market::{MarketFuzzer, Share};

/// A frame with the way it is put on the line.
#[derive(Clone, Debug)]
pub struct Spoilt {
    /// The frame with its FCS, right or wrong.
    pub bytes: Vec<u8>,
    /// What was done to it.
    pub fault: Fault,
    gap: u32,
    lane: StartLane,
    error_at: Option<u32>,
}

impl Spoilt {
    /// As the core takes it.
    pub fn frame(&self) -> Frame<'_> {
        Frame {
            gap: self.gap,
            lane: self.lane,
            error_at: self.error_at,
            ..Frame::new(&self.bytes)
        }
    }

    /// The same with at least so many idle bytes before it.
    pub fn apart(&self, gap: u32) -> Frame<'_> {
        Frame {
            gap: self.gap.max(gap),
            ..self.frame()
        }
    }

    /// Whether the PHY flags an error in it.
    pub const fn is_flagged(&self) -> bool {
        self.error_at.is_some()
    }
}

/// What a run met.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Frames compared.
    pub frames: u64,
    /// Reports compared.
    pub reports: u64,
    /// The counters at the end, equal on both sides.
    pub counters: Counters,
}

/// Where a run failed.
#[derive(Debug)]
pub struct Failure {
    /// The seed that makes it happen again.
    pub seed: u64,
    /// Width of the core.
    pub width: Width,
    /// ITCH of the feed.
    pub version: Version,
    /// What differed.
    pub mismatch: Mismatch,
    /// Index of the first of [`Failure::frames`].
    pub first: u64,
    /// The frames since the last good check: the one at fault is among them.
    pub frames: Vec<Spoilt>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.mismatch)?;
        writeln!(
            f,
            "seed {}, {:?}, ITCH {:?}; frames {} on:",
            self.seed, self.width, self.version, self.first
        )?;
        for frame in &self.frames {
            writeln!(
                f,
                "{:?} lane {:?} gap {} error {:?}:",
                frame.fault, frame.lane, frame.gap, frame.error_at
            )?;
            for byte in &frame.bytes {
                write!(f, "{byte:02x}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// Runs `frames` frames through a core and its twin; `progress` gets how many are done. A run that fails is repeated
/// with a check after every frame, to show the one at fault.
///
/// # Errors
/// The first difference, boxed for its size.
///
/// # Panics
/// Never: the setup is its own, and good.
pub fn run(
    width: Width,
    version: Version,
    seed: u64,
    frames: u64,
    mut progress: impl FnMut(u64),
) -> Result<Summary, Box<Failure>> {
    const INTERVAL: u64 = 1_000;
    let setup = setup(version);
    let coarse = attempt(width, &setup, seed, 0..frames, INTERVAL, &mut progress)
        .expect("the setup is good");
    coarse.map_err(|failure| {
        let end = failure.first + failure.frames.len() as u64;
        let fine = attempt(width, &setup, seed, failure.first..end, 1, &mut |_| ())
            .expect("the setup is good");
        fine.err().unwrap_or(failure)
    })
}

/// Sixteen symbols, most of them; an empty slot among them.
fn setup(version: Version) -> Setup {
    let symbols: Vec<Symbol> = (0..16_u64)
        .map(|i| Symbol(*b"FUZZ    ").to_u64() + (i << 24))
        .map(Symbol::from_u64)
        .collect();
    let mut setup = Setup::example(version, &symbols);
    setup.pipeline.symbols[5] = None;
    setup
}

/// Runs to `range.end`; checks every `interval` frames, from `range.start` on.
fn attempt(
    width: Width,
    setup: &Setup,
    seed: u64,
    range: std::ops::Range<u64>,
    interval: u64,
    progress: &mut impl FnMut(u64),
) -> Result<Result<Summary, Box<Failure>>, SetupError> {
    let mut lockstep = Lockstep::new(width, setup)?;
    let mut fuzzer = Fuzzer::new(seed, setup);
    let mut recent = vec![];
    let mut summary = Summary::default();
    for index in 0..range.end {
        let spoilt = fuzzer.next_frame();
        let heartbeat = lockstep.frame(spoilt.frame());
        recent.push(spoilt);
        let checked = heartbeat.and_then(|heartbeat| {
            summary.frames += 1;
            summary.reports += u64::from(heartbeat.is_some());
            if index + 1 == range.end
                || index >= range.start && summary.frames.is_multiple_of(interval)
            {
                summary.counters = lockstep.check()?;
                return Ok(true);
            }
            Ok(index + 1 == range.start)
        });
        match checked {
            Ok(true) => {
                recent.clear();
                progress(summary.frames);
            }
            Ok(false) => {}
            Err(mismatch) => {
                let first = index + 1 - recent.len() as u64;
                let version = setup.pipeline.version;
                return Ok(Err(Box::new(Failure {
                    seed,
                    width,
                    version,
                    mismatch,
                    first,
                    frames: recent,
                })));
            }
        }
    }
    Ok(Ok(summary))
}
