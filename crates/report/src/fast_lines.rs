//! A FAST feed on lines A and B, each with its own losses, through the core that writes what it decodes into host memory: every field against the software decoder.
//!
//! ```text
//!  packets ─┬─ line A, loses ─┐
//!           ├─ line B, loses ─┴ core: arbiter ─ FAST ─ ring ─ memory ─ reader ─┐
//!           └─ software decoder ──────────────────────────────────────────────┴─ equal?
//! ```
//! Each packet has the exchange's preamble, a number of four bytes. Where the recording is not there, packets like it are made.

pub mod market;
pub mod recorded;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;

use cosim::fast_items::{FromDecoder, Item, RingPacket};
use cosim::fast_ring::RingCore;
use cosim::{Frame, Preset, Setup};
use device::{Arbitration, Source, Window};
use fast::microcode::Wanted;
use fast::{Decoder, Field, Framing, Settings, Templates, Value, Visitor};
use feed::replay::{Impairer, Impairment};
use formats::Symbol;
use formats::itch::Version;
use serde::{Deserialize, Serialize};

use crate::distribution::{Distribution, Summary};
use crate::lines::Options as Lines;
use crate::{Error, Progress, placed};

/// MsgSeqNum.
const NUMBER: u32 = 34;
/// Probability that a packet is lost, on each line by itself.
const LOSS: f64 = 0.05;
/// Cycles from a packet to the next: more than the longest takes.
const SPACING: u64 = 1_200;
/// Cycles by which line B comes after line A.
const SKEW: u64 = 100;
/// Cycles that a packet waits for the one before it; more than line B comes late.
const WINDOW: u32 = 400;
/// Packets sent at once.
const BATCH: usize = 64;
/// Lines of the ring: those of a batch have room.
const RING_LOG2: u32 = 14;
/// Why a packet does not count: its frame was bad (`fast_pkg::FAST_FRAME`).
const FRAME: u8 = 17;
/// Cycles without a line after which nothing comes any more.
const QUIET: u64 = 2_000;
/// Packets that are made where there is no recording.
const MADE: usize = 2_000;

/// A feed, by number: what is sent on each line.
struct Feed {
    name: &'static str,
    templates: Templates,
    reset_each_packet: bool,
    lines: [BTreeMap<u32, Vec<u8>>; 2],
}

/// What became of the packets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FastLines {
    /// The data.
    pub data: String,
    /// The core.
    pub preset: String,
    /// Packets that came on at least one line, as the exchange sent them.
    pub packets: u64,
    /// What each line lost of them.
    pub lost: [u64; 2],
    /// What both lost.
    pub lost_on_both: u64,
    /// Packets that were decoded, their fields equal to the software's.
    pub compared: u64,
    /// Fields in them.
    pub fields: u64,
    /// From the last byte of a packet's first copy to the last of its fields in memory, in cycles.
    pub cycles: Summary,
    /// The clock in MHz at which that is a time; `None`: the core was never placed.
    pub clock_mhz: Option<f64>,
}

impl FastLines {
    /// For a terminal.
    pub fn table(&self) -> String {
        let Summary { p50, p99, max, .. } = self.cycles;
        let time = match self.clock_mhz {
            Some(mhz) => {
                let ns = self.cycles.scaled(1_000.0 / mhz);
                format!(
                    "{:.0} ns p50, {:.0} p99, {:.0} most at {mhz:.1} MHz",
                    ns.p50, ns.p99, ns.max
                )
            }
            None => format!("{} was never placed, so no nanoseconds", self.preset),
        };
        format!(
            "FAST on lines A and B: {}\n\
             {} packets; line A lost {}, line B {}, both {}; {} decoded by {} and in software: {} fields, all equal\n\
             last byte of the first copy in to all fields in host memory: {p50:.0} cycles p50, {p99:.0} p99, {max:.0} most; {time}",
            self.data,
            self.packets,
            self.lost[0],
            self.lost[1],
            self.lost_on_both,
            self.compared,
            self.preset,
            self.fields,
        )
    }
}

/// The recording of MICEX in `folder`, or what is made in its place, at most so many packets of it, on two lines that each lose one packet in twenty.
///
/// # Errors
/// The recording is damaged; the core cannot be set up; hardware and software differ.
pub fn fast_lines(folder: &Path, most: usize, progress: Progress) -> Result<FastLines, Error> {
    let preset = Preset::with_ring();
    let feed = match recording(folder)? {
        Some(feed) => feed,
        None => made()?,
    };
    let pnr = Path::new(placed::FOLDER);
    let mut player = Player::new(preset, &feed)?;
    let numbers: Vec<u32> = feed.lines[0]
        .keys()
        .chain(feed.lines[1].keys())
        .copied()
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .take(most)
        .collect();
    let total = numbers.len() as u64;
    for (index, batch) in numbers.chunks(BATCH).enumerate() {
        progress(
            "FAST on two lines, core of 64 bits",
            (index * BATCH) as u64,
            total,
        );
        player.batch(batch)?;
    }
    progress("FAST on two lines, core of 64 bits", total, total);
    let mut done = player.done;
    done.packets = total;
    done.cycles = player.cycles.summary();
    done.clock_mhz = placed::reached(pnr, preset.name, preset.width);
    Ok(done)
}

/// A line's packets, by the number in them.
fn numbered(templates: &Templates, packets: &[&[u8]]) -> Result<BTreeMap<u32, Vec<u8>>, Error> {
    struct Number(Option<u64>);
    impl Visitor for Number {
        fn field(&mut self, field: Field, value: Value<'_>) {
            if let (NUMBER, Value::Unsigned(value)) = (field.tag, value) {
                self.0 = Some(value);
            }
        }
    }
    let mut decoder = Decoder::new(templates);
    let mut found = BTreeMap::new();
    for packet in packets {
        let mut number = Number(None);
        decoder
            .packet(packet, &mut number)
            .map_err(|error| Error::FastLines(format!("software: {error}")))?;
        let number = number.0.and_then(|number| u32::try_from(number).ok());
        let number =
            number.ok_or_else(|| Error::FastLines("a packet without MsgSeqNum (34)".to_owned()))?;
        found.insert(number, packet.to_vec());
    }
    Ok(found)
}

fn recording(folder: &Path) -> Result<Option<Feed>, Error> {
    let recordings = recorded::all(folder).map_err(|error| Error::FastLines(error.to_string()))?;
    let of = |key: &str| recordings.iter().find(|recording| recording.key == key);
    let (Some(a), Some(b)) = (of("micex"), of("micex_b")) else {
        return Ok(None);
    };
    Ok(Some(Feed {
        name: "derivatives of MICEX, 2013-08-01, as both lines sent it",
        templates: a.templates.clone(),
        reset_each_packet: false,
        lines: [
            numbered(&a.templates, &a.packets())?,
            numbered(&b.templates, &b.packets())?,
        ],
    }))
}

fn made() -> Result<Feed, Error> {
    let wrong = |error: String| Error::FastLines(error);
    let templates = Templates::parse(market::TEMPLATE).map_err(|error| wrong(error.to_string()))?;
    let packets = market::packets(&templates, MADE).map_err(|error| wrong(error.to_string()))?;
    let line: BTreeMap<u32, Vec<u8>> = (1..).zip(packets).collect();
    Ok(Feed {
        name: "generated refreshes of price levels, seed 2013",
        templates,
        reset_each_packet: true,
        lines: [line.clone(), line],
    })
}

struct Player<'f> {
    feed: &'f Feed,
    setup: Lines,
    core: RingCore,
    software: Decoder,
    losses: [Impairer; 2],
    cycles: Distribution,
    done: FastLines,
}

impl<'f> Player<'f> {
    fn new(preset: &'static Preset, feed: &'f Feed) -> Result<Self, Error> {
        let setup = Setup::example(Version::V50, &[Symbol(*b"ABC     ")]);
        let arbitration = Arbitration {
            source: Source::HighReliability,
            window: Window::Time,
            time: WINDOW,
            count: 1,
            idle_limit: 0,
        };
        let settings = Settings {
            reset_each_packet: feed.reset_each_packet,
            ..Settings::default()
        };
        let core = RingCore::new(
            preset,
            &setup,
            &arbitration,
            &feed.templates,
            feed.reset_each_packet,
            RING_LOG2,
        );
        let losses = [1, 2].map(|seed| {
            Impairer::new(Impairment {
                loss: LOSS,
                seed,
                ..Impairment::default()
            })
        });
        Ok(Player {
            feed,
            setup: Lines::new(&setup),
            core: core?,
            software: Decoder::with(&feed.templates, settings),
            losses,
            cycles: Distribution::default(),
            done: FastLines {
                data: feed.name.to_owned(),
                preset: preset.name.to_owned(),
                packets: 0,
                lost: [0; 2],
                lost_on_both: 0,
                compared: 0,
                fields: 0,
                cycles: Summary::default(),
                clock_mhz: None,
            },
        })
    }

    /// Sends these packets, those that a line does not lose, and compares what comes of them.
    fn batch(&mut self, numbers: &[u32]) -> Result<(), Error> {
        let mut copies = Vec::new();
        for (place, number) in (0..).zip(numbers) {
            let mut came = false;
            for line in 0..2 {
                let Some(messages) = self.feed.lines[line].get(number) else {
                    continue;
                };
                let mut kept = false;
                let passed: Result<(), Infallible> =
                    self.losses[line].pass(messages, &mut |_: &[u8]| {
                        kept = true;
                        Ok(())
                    });
                let Ok(()) = passed;
                if !kept {
                    self.done.lost[line] += 1;
                    continue;
                }
                came = true;
                let mut payload = Vec::new();
                Framing::Preamble.put(*number, messages, &mut payload);
                let mut frame = Vec::new();
                self.setup.headers[line].emit(&payload, &mut frame)?;
                copies.push((line, place * SPACING + line as u64 * SKEW, *number, frame));
            }
            self.done.lost_on_both += u64::from(!came);
        }
        let start = self.core.driver().registers().cycle() + 16;
        let frames: Vec<Frame<'_>> = copies
            .iter()
            .map(|(line, at, _, frame)| Frame {
                line: *line,
                at: start + at,
                ..Frame::new(frame)
            })
            .collect();
        let sent = self.core.send(&frames, 0);
        let mut first = BTreeMap::new();
        for ((_, _, number, _), sent) in copies.iter().zip(sent) {
            let last = first.entry(*number).or_insert(sent.last);
            *last = sent.last.min(*last);
        }
        // The arbiter takes a packet back that it began to pass: a frame without a good end.
        let read = self.core.read(QUIET)?.into_iter();
        let mut read = read.filter(|(packet, _)| *packet != RingPacket::Bad(FRAME));
        for (number, last) in first {
            self.compare(number, last, read.next())?;
        }
        match read.next() {
            None => Ok(()),
            Some(more) => Err(Error::FastLines(format!(
                "the core gave a packet more: {more:?}"
            ))),
        }
    }

    fn compare(
        &mut self,
        number: u32,
        last: u64,
        read: Option<(RingPacket, u64)>,
    ) -> Result<(), Error> {
        let [a, b] = &self.feed.lines;
        let Some(messages) = a.get(&number).or_else(|| b.get(&number)) else {
            return Ok(());
        };
        let mut software = FromDecoder::new(&self.feed.templates, &Wanted::All);
        self.software
            .packet(messages, &mut software)
            .map_err(|error| Error::FastLines(format!("software, packet {number}: {error}")))?;
        // A field without a value is not in the ring.
        let items: Vec<Item> = software
            .items
            .into_iter()
            .filter(|item| !matches!(item, Item::Absent(_)))
            .collect();
        let fields = items.iter().filter(|item| item.is_field()).count() as u64;
        match read {
            Some((RingPacket::Good(hardware), cycle)) if hardware == items => {
                self.done.compared += 1;
                self.done.fields += fields;
                self.cycles.add(cycle.saturating_sub(last));
                Ok(())
            }
            other => Err(Error::FastLines(format!(
                "packet {number}: the core has {other:?}, software {items:?}"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::data_in;

    /// Recorded packets where they are, and packets that are made: all that comes on a line is decoded, and what both lose is not.
    #[test]
    fn what_comes_on_either_line_is_decoded_as_in_software_and_nothing_else() {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for folder in [data_in(&project), project.join("none")] {
            let done = fast_lines(&folder, 300, &mut |_, _, _| {}).unwrap_or_else(|error| {
                panic!("{}: {error}", folder.display());
            });
            println!("{}", done.table());
            assert_eq!(done.packets, 300);
            assert!(done.lost.iter().all(|lost| (5..30).contains(lost)));
            assert_eq!(done.compared + done.lost_on_both, done.packets);
            assert!(done.fields > 5 * done.compared, "{done:?}");
            assert!(done.cycles.min >= 10.0, "{done:?}");
        }
    }
}
