//! The packets on lines A and B, each with its own losses, through a core that trades and through software: each arbitrates them, and every order is the same.

use std::convert::Infallible;
use std::path::Path;

use cosim::orders::{Desk, FastFeed, LineCopy, SentOrder, Trader};
use feed::replay::{Impairer, Impairment};
use serde::Serialize;

use super::InCore;
use crate::distribution::{Distribution, Summary};
use crate::packets::Packets;
use crate::{Error, Progress, placed};

/// Cycles by which line B comes after line A.
const SKEW: u64 = 100;
/// Cycles that a packet waits for the one before it; more than line B comes late, and the longest packet takes.
const WINDOW: u32 = 400;
/// Cycles between two packets, besides one for each byte: the engine takes a byte a cycle at least.
const GAP: u64 = 500;
/// Packets sent at once.
const BATCH: usize = 8;

/// What became of packets on two lines.
#[derive(Clone, Debug, Serialize)]
pub struct TradedLines {
    /// The core.
    pub preset: String,
    /// Packets of the feed.
    pub packets: u64,
    /// The probability with which each line loses a packet that the other does not lose.
    pub loss: f64,
    /// What each line lost.
    pub lost: [u64; 2],
    /// Of these, packets that the other line brought: all, or this would be an error.
    pub recovered: u64,
    /// Messages that came on neither line: those that the recording itself lacks.
    pub missing: u64,
    /// Orders that left, each equal to the software's.
    pub orders: u64,
    /// From the last byte of the first copy that came to the first byte of the order, in cycles.
    pub cycles: Option<Summary>,
    /// The clock in MHz at which that is a time; `None`: the core was never placed.
    pub clock_mhz: Option<f64>,
}

impl TradedLines {
    /// In words.
    pub fn text(&self) -> String {
        let cycles = self.cycles.unwrap_or_default();
        let time = match self.clock_mhz {
            Some(mhz) => {
                let ns = cycles.scaled(1_000.0 / mhz);
                format!("{:.0} ns p50, {:.0} most at {mhz:.1} MHz", ns.p50, ns.max)
            }
            None => format!("{:.0} cycles p50, {:.0} most", cycles.p50, cycles.max),
        };
        let [a, b] = self.lost;
        let neither = match self.missing {
            0 => "none was lost on both".to_owned(),
            missing => format!("{missing} messages came on neither, for the recording lacks them"),
        };
        format!(
            "{} packets on lines A and B: A lost {a}, B lost {b}, {neither}; the arbiters of {} and of the software took all {} from the other line. \
             {} orders, the same from both; last byte of the first copy in to first byte out: {time}",
            self.packets, self.preset, self.recovered, self.orders
        )
    }
}

/// Two lines of which each loses packets, but never both the same: a book that has lost one stays untradable until its next snapshot, and there is none here.
struct Losses([Impairer; 2]);

impl Losses {
    fn new(loss: f64) -> Self {
        Losses([1, 2].map(|seed| {
            Impairer::new(Impairment {
                loss,
                seed,
                ..Impairment::default()
            })
        }))
    }

    /// Whether each line brings a packet.
    fn next(&mut self, payload: &[u8]) -> [bool; 2] {
        let [a, b] = self.0.each_mut().map(|line| {
            let mut came = false;
            let passed: Result<(), Infallible> = line.pass(payload, &mut |_: &[u8]| {
                came = true;
                Ok(())
            });
            let Ok(()) = passed;
            came
        });
        [a, b || !a]
    }
}

/// Plays the packets on two lines that each lose so many of them, with a core and with the software beside it.
///
/// # Errors
/// Hardware and software differ; the core refuses the desk; a packet is there twice, or was lost after all.
pub fn on_two_lines(
    desk: &Desk,
    fast: &FastFeed<'_>,
    core: &InCore,
    packets: &Packets,
    loss: f64,
    progress: Progress,
) -> Result<TradedLines, Error> {
    const NAME: &str = "core, 64 bits, lines A and B";
    let desk = Desk {
        program: core.program.clone(),
        ..desk.clone()
    };
    let mut trader = Trader::of_order_log(core.preset, &desk, fast)?;
    trader.arbitrate(WINDOW)?;
    let bytes_a_cycle = u64::from(core.preset.width.bits() / 8);
    let mut losses = Losses::new(loss);
    let (mut lost, mut from_b, mut missing) = ([0; 2], 0, 0);
    let mut orders = Distribution::default();
    let all: Vec<&[u8]> = packets.iter().map(|packet| packet.payload).collect();
    for (batch, payloads) in all.chunks(BATCH).enumerate() {
        if batch % 32 == 0 {
            progress(NAME, (batch * BATCH) as u64, all.len() as u64);
        }
        let (mut at, mut copies) = (0, vec![]);
        for payload in payloads {
            let came = losses.next(payload);
            for (line, came) in came.into_iter().enumerate() {
                if came {
                    copies.push(LineCopy {
                        line,
                        at: at + line as u64 * SKEW,
                        payload: payload.to_vec(),
                    });
                } else {
                    lost[line] += 1;
                }
            }
            let length = payload.len() as u64;
            at += length / bytes_a_cycle + SKEW + GAP + length;
        }
        let arbitrated = trader.copies(&copies)?;
        trader.end_not_followed()?;
        let passed: u64 = arbitrated.passed.iter().sum();
        if passed != payloads.len() as u64 {
            return Err(Error::Orders(format!(
                "of {} packets on two lines {passed} went on: a recording of both lines has each twice, --port chooses one",
                payloads.len()
            )));
        }
        missing += arbitrated.lost;
        from_b += arbitrated.passed[1];
        let left = arbitrated.orders.iter();
        left.for_each(|order: &SentOrder| orders.add(order.last_first));
    }
    progress(NAME, all.len() as u64, all.len() as u64);
    let sent = trader.compared().sent;
    let pnr = Path::new(placed::FOLDER);
    Ok(TradedLines {
        preset: core.preset.name.to_owned(),
        packets: all.len() as u64,
        loss,
        lost,
        // What B lost, A brought.
        recovered: from_b + lost[1],
        missing,
        orders: sent,
        cycles: (sent > 0).then(|| orders.summary()),
        clock_mhz: placed::reached(pnr, core.preset.name, core.preset.width),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_loses_about_as_many_as_its_probability_says_and_never_both_the_same() {
        let mut losses = Losses::new(0.1);
        let mut lost = [0; 2];
        for _ in 0..10_000 {
            let came = losses.next(b"packet");
            assert!(came[0] || came[1]);
            for (lost, came) in lost.iter_mut().zip(came) {
                *lost += u32::from(!came);
            }
        }
        let [a, b] = lost;
        assert!((900..1_100).contains(&a), "{a}");
        // One in ten of the nine in ten that A brings.
        assert!((800..1_000).contains(&b), "{b}");
    }
}
