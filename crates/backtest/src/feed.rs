//! The feed of a day: what decodes it, where its times come from, and what was wrong with it.

use std::collections::BTreeMap;
use std::num::NonZeroU8;

use book::{Book, Cause};
use decoder::fast::Fault;
use decoder::{Fast, Itch};
use formats::Listener;
use formats::itch::Version;
use serde::Serialize;

/// What decodes a feed.
#[derive(Clone, Debug)]
enum Decoder {
    Itch(Itch),
    Fast(Box<Fast>),
}

/// A feed: its decoder, and whether its messages tell the time.
#[derive(Clone, Debug)]
pub struct Feed {
    decoder: Decoder,
    tells_time: bool,
}

impl Feed {
    /// A feed in ITCH.
    pub fn itch(version: Version) -> Self {
        Feed {
            decoder: Decoder::Itch(Itch::new(version)),
            tells_time: true,
        }
    }

    /// A feed in FAST. If it does not tell the time, that is when each packet was captured.
    pub fn fast(decoder: Fast, tells_time: bool) -> Self {
        Feed {
            decoder: Decoder::Fast(Box::new(decoder)),
            tells_time,
        }
    }

    /// Whether the time of its events is that of the messages.
    pub(crate) const fn tells_time(&self) -> bool {
        self.tells_time
    }

    /// Price levels of a side that it gives; `None`: it gives orders.
    pub(crate) fn depth(&self) -> Option<NonZeroU8> {
        match &self.decoder {
            Decoder::Itch(_) => None,
            Decoder::Fast(fast) => fast.depth(),
        }
    }

    /// The number of its next message; `None`: none has come.
    pub(crate) fn expected(&self) -> Option<u64> {
        match &self.decoder {
            Decoder::Itch(itch) => itch.position().map(|(_, next)| next),
            Decoder::Fast(fast) => fast.expected(),
        }
    }

    /// Gives the events of a packet. What is wrong with one is counted.
    pub fn datagram(&mut self, payload: &[u8], listener: &mut impl Listener) {
        match &mut self.decoder {
            Decoder::Itch(itch) => {
                itch.datagram(payload, listener);
            }
            Decoder::Fast(fast) => {
                fast.datagram(payload, listener);
            }
        }
    }

    /// What was wrong so far, in these books too.
    pub(crate) fn wrong(&self, book: &Book) -> Wrong {
        let booked = book.counters();
        let causes = Cause::ALL.map(|cause| (cause.to_string(), booked.faults(cause)));
        let wrong = match &self.decoder {
            Decoder::Itch(itch) => {
                let counted = itch.counters();
                Wrong {
                    good: counted.mold_packet,
                    malformed: counted.mold_malformed,
                    old: counted.mold_old,
                    gaps: counted.mold_gap,
                    lost: counted.mold_lost,
                    unknown: counted
                        .itch_unknown_type
                        .wrapping_add(counted.itch_bad_length),
                    ..Wrong::default()
                }
            }
            Decoder::Fast(fast) => {
                let counted = fast.counters();
                let faults = Fault::ALL.map(|fault| (fault.name(), counted.faults(fault)));
                Wrong {
                    good: counted.fast_packets,
                    malformed: counted.fast_malformed,
                    faulty: faults.into_iter().filter(|(_, count)| *count > 0).collect(),
                    old: counted.fast_old,
                    gaps: counted.fast_gap,
                    lost: counted.fast_lost,
                    unknown: counted.fast_unmapped,
                    ..Wrong::default()
                }
            }
        };
        Wrong {
            books: causes.into_iter().filter(|(_, count)| *count > 0).collect(),
            ..wrong
        }
    }
}

/// What was wrong with a feed, and with the books of the instruments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Wrong {
    /// Packets that were used.
    #[serde(skip)]
    pub good: u32,
    /// Packets that are not what the feed's format says: nothing of them was used.
    pub malformed: u32,
    /// Of a feed in FAST: packets with an entry that is not what the map says, by [`Fault::name`]. Nothing of them was used.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub faulty: BTreeMap<&'static str, u32>,
    /// Packets whose messages had been there already: those of another line, as a rule.
    pub old: u32,
    /// Gaps in the numbers of the messages.
    pub gaps: u32,
    /// Messages that are missing there.
    pub lost: u64,
    /// Messages that were passed over: of a type or a length that ITCH does not have, or of a template that the map does not have.
    pub unknown: u32,
    /// What the books could not book, by [`Cause`] in words: each made an instrument untradable. Gaps and sessions count once for each instrument.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub books: BTreeMap<String, u32>,
}

impl Wrong {
    /// Packets with an entry that is not what the map says.
    pub fn faulty(&self) -> u32 {
        self.faulty
            .values()
            .fold(0, |sum, count| sum.wrapping_add(*count))
    }
}
