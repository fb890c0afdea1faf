//! FAST 1.1 to events, by a map of the feed: the twin of `rtl/decoder/fast` with `fast_events`.
//!
//! ```text
//!  datagram ─ fast::Decoder ─ fields ─┬─ message ─┐
//!                                     └─ entry ───┴─ event ─ the packet is good? ─ Listener
//!                         map, templates ─ plan ──┘
//! ```
//! `docs/reference/fast-events.md` says which field becomes what. A packet stands or falls as one: where a message of it is not what the
//! templates say, or an entry not what the map says, none of its events is given, its number does not count, and what is missing then is a
//! gap at the next packet.

mod collect;
mod entry;
mod fault;
mod hardware;
mod map;
mod number;
mod plan;
mod snapshot;
mod wire_rate;

use std::num::NonZeroU8;

use ::fast::{Decoder, Framing, Settings, Templates};
use formats::Listener;

pub use collect::{Cause, Collector};
pub use fault::{Counters, Fault};
pub use hardware::{Hardware, HardwareError, TableLoad};
pub use map::{Coded, Map, MapError, Meaning, SnapshotMap, TemplateMap, Time};
pub use snapshot::{Snapshot, SnapshotCounters, Snapshots};
pub use wire_rate::{WireRate, WireRateError};

/// The decoder of a feed.
#[derive(Clone, Debug)]
pub struct Fast {
    decoder: Decoder,
    framing: Framing,
    collector: Collector,
    depth: Option<NonZeroU8>,
    /// Dictionaries outlive a packet.
    outlive: bool,
    /// The number after that of the last packet, in its preamble; `None`: nothing has come.
    next: Option<u32>,
}

impl Fast {
    /// A decoder that has seen nothing yet.
    ///
    /// # Errors
    /// The map does not fit the templates.
    pub fn new(
        templates: &Templates,
        settings: Settings,
        framing: Framing,
        map: &Map,
    ) -> Result<Self, MapError> {
        Ok(Fast {
            decoder: Decoder::with(templates, settings),
            framing,
            collector: Collector::new(templates, map)?,
            depth: map.depth,
            outlive: !settings.reset_each_packet,
            next: None,
        })
    }

    /// Takes a UDP payload: gives the events of all of it, or none.
    pub fn datagram(&mut self, payload: &[u8], listener: &mut impl Listener) -> Cause {
        if self.is_old(payload) {
            return self.collector.old();
        }
        let (decoder, collector) = (&mut self.decoder, &mut self.collector);
        // The collector gets the error.
        let _ = self.framing.datagram(decoder, payload, collector);
        collector.finish(listener)
    }

    /// Whether its preamble says that it came before. What such a packet says of a dictionary that outlives it is said already.
    fn is_old(&mut self, payload: &[u8]) -> bool {
        let (Framing::Preamble, true) = (self.framing, self.outlive) else {
            return false;
        };
        let Some((number, [_, ..])) = payload.split_first_chunk() else {
            return false;
        };
        let number = u32::from_le_bytes(*number);
        let is_old = self.next.is_some_and(|next| number < next);
        if !is_old {
            self.next = Some(number.wrapping_add(1));
        }
        is_old
    }

    /// The feed begins again: dictionaries are empty, and the next message may have any number.
    pub fn restart(&mut self) {
        self.decoder.reset();
        self.collector.restart();
        self.next = None;
    }

    /// The number of the next message; `None`: nothing has come.
    pub const fn expected(&self) -> Option<u64> {
        self.collector.expected()
    }

    /// Price levels of a side that the feed gives; `None`: it gives orders.
    pub const fn depth(&self) -> Option<NonZeroU8> {
        self.depth
    }

    /// What was counted so far.
    pub const fn counters(&self) -> Counters {
        self.collector.counters()
    }
}
