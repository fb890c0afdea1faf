//! A core with lines A and B, a FAST decoder and a ring in host memory ([`Preset::with_ring`](crate::Preset::with_ring)), and the program that reads it.

use device::driver::Error;
use device::{Arbitration, Driver, FastWord, Producers, RingCounters};
use fast::Templates;
use fast::microcode::{Numbering, Room, TooManyFields, Wanted, assemble};

use crate::core::{AxiError, Core, Frame, Sent};
use crate::fast_items::{FromRing, RingPacket};
use crate::lockstep::{Setup, SetupError};
use crate::preset::Preset;

/// Where the ring is, in the core's view of host memory.
const BASE: u64 = 0x0123_4567_8000;
/// Cycles between two looks at the ring.
const SLICE: u64 = 200;

/// Why a core with a ring cannot be set up, or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RingError {
    /// The core refuses its setup.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The core does not answer, or refuses what it is told.
    #[error(transparent)]
    Core(#[from] Error<AxiError>),
    /// The templates have more fields than a line can tell apart.
    #[error(transparent)]
    Numbering(#[from] TooManyFields),
    /// The preset has none.
    #[error("preset {0} has no ring in host memory")]
    NoRing(&'static str),
    /// The core has no engine of that number.
    #[error("the core has no feed {0}")]
    NoFeed(u8),
    /// The ring has what the program cannot have written.
    #[error("{0}")]
    Line(&'static str),
}

/// A feed of a core: its templates, and whether every packet begins with empty dictionaries.
#[derive(Clone, Copy, Debug)]
pub struct FeedTemplates<'t> {
    /// Every field of them is wanted.
    pub templates: &'t Templates,
    /// Every packet begins with empty dictionaries.
    pub reset_each_packet: bool,
}

/// A packet out of a ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// Whose it is.
    pub feed: u8,
    /// What it says.
    pub packet: RingPacket,
    /// The cycle in which its last line was in memory.
    pub cycle: u64,
}

/// A core, its memory, and the reader of its ring.
pub struct RingCore {
    driver: Driver<Core>,
    ring: FromRing,
}

impl RingCore {
    /// With the templates' program loaded, every field of them wanted, and a ring of 2^`size_log2` lines. `reset_each_packet`: every packet begins with empty
    /// dictionaries.
    ///
    /// # Errors
    /// The core cannot be set up so.
    pub fn new(
        preset: &'static Preset,
        setup: &Setup,
        arbitration: &Arbitration,
        templates: &Templates,
        reset_each_packet: bool,
        size_log2: u32,
    ) -> Result<Self, RingError> {
        let feed = FeedTemplates {
            templates,
            reset_each_packet,
        };
        Self::of_feeds(preset, setup, arbitration, &[feed], size_log2)
    }

    /// The same with a program for each of these feeds; which datagrams are whose is for the caller to say ([`Driver::set_feeds`]).
    ///
    /// # Errors
    /// As [`RingCore::new`]; the core has fewer feeds.
    pub fn of_feeds(
        preset: &'static Preset,
        setup: &Setup,
        arbitration: &Arbitration,
        feeds: &[FeedTemplates<'_>],
        size_log2: u32,
    ) -> Result<Self, RingError> {
        let mut driver = setup.core_of(preset)?;
        driver.set_arbitration(arbitration)?;
        let mut numberings = Vec::new();
        for (number, feed) in (0..).zip(feeds) {
            numberings.push(load(&mut driver, number, feed)?);
        }
        driver.registers().begin_memory(BASE, 8 << size_log2);
        let fields = Producers {
            fields: true,
            ..Producers::default()
        };
        if !driver.begin_ring(BASE, size_log2, fields)? {
            return Err(RingError::NoRing(preset.name));
        }
        Ok(RingCore {
            driver,
            ring: FromRing::of_feeds(size_log2, numberings),
        })
    }

    /// The core.
    pub const fn driver(&mut self) -> &mut Driver<Core> {
        &mut self.driver
    }

    /// Sends frames, and lets so many cycles pass after them.
    pub fn send(&mut self, frames: &[Frame<'_>], after: u64) -> Vec<Sent> {
        let core = self.driver.registers();
        let sent = core.send_all(frames);
        core.run(after);
        sent
    }

    /// Reads what the core has written, packet by packet, each with the cycle in which its last line was in memory, until nothing comes for `quiet` cycles; tells
    /// the core how far it has read.
    ///
    /// # Errors
    /// The core does not answer; a line is none of the program's.
    pub fn read(&mut self, quiet: u64) -> Result<Vec<(RingPacket, u64)>, RingError> {
        let read = self.read_feeds(quiet)?.into_iter();
        Ok(read.map(|read| (read.packet, read.cycle)).collect())
    }

    /// The same, and whose each packet is.
    ///
    /// # Errors
    /// As [`RingCore::read`].
    pub fn read_feeds(&mut self, quiet: u64) -> Result<Vec<Read>, RingError> {
        let mut packets = Vec::new();
        let mut position = self.ring.position();
        let mut silence = 0;
        let mut ends = Vec::new();
        while silence < quiet {
            let memory: &Core = self.driver.registers();
            while let Some(packet) = self.ring.packet_of_feed(memory).map_err(RingError::Line)? {
                packets.push(packet);
                ends.push(self.ring.position());
            }
            if self.ring.position() == position {
                silence += SLICE;
            } else {
                silence = 0;
                position = self.ring.position();
                self.driver.set_ring_position(position)?;
            }
            self.driver.registers().run(SLICE);
        }
        let memory: &Core = self.driver.registers();
        let cycle = |end: u32| memory.line_cycle(end as usize - 1).unwrap_or_default();
        let read = |((feed, packet), end)| Read {
            feed,
            packet,
            cycle: cycle(end),
        };
        Ok(packets.into_iter().zip(ends).map(read).collect())
    }

    /// What became of the ring.
    ///
    /// # Errors
    /// The core does not answer.
    pub fn counters(&mut self) -> Result<RingCounters, RingError> {
        Ok(self.driver.ring_counters()?)
    }
}

/// Loads a feed's program into its engine.
///
/// # Errors
/// The core refuses it, or has no engine of that number; the templates have too many fields.
pub fn load(
    driver: &mut Driver<Core>,
    number: u8,
    feed: &FeedTemplates<'_>,
) -> Result<Numbering, RingError> {
    let mut program = assemble(feed.templates, &Wanted::All, Room::default());
    let numbering = Numbering::number(&mut program)?;
    let words = program.loads().into_iter().map(FastWord::from);
    if driver.load_fast(number, words, feed.reset_each_packet)? {
        Ok(numbering)
    } else {
        Err(RingError::NoFeed(number))
    }
}
