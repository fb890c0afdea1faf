//! Both lines of a real market, Moscow's derivatives on 2013-08-01, one FAST message a datagram after its number as the exchange's preamble.

use std::path::Path;

use arbiter::Mode;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::compare::compare;
use super::lines::{Arrival, Lines, Original, Setting};
use super::{Change, Design, Settings};

/// The datagrams of each line: number and bytes.
pub type Recorded = [Vec<(u32, Vec<u8>)>; 2];

/// A Reset, template 120, comes before every message of the recording, and nowhere else.
const RESET: [u8; 2] = [0xc0, 0x80 | 120];

/// Reads `increment_a.dat` and `increment_b.dat`; `None` where they are absent or something else.
pub fn read(folder: &Path) -> Option<Recorded> {
    let line = |name: &str| {
        let bytes = std::fs::read(folder.join(name)).ok()?;
        let starts: Vec<usize> = (0..bytes.len())
            .filter(|at| bytes[*at..].starts_with(&RESET))
            .collect();
        let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
        let datagrams = starts.iter().zip(ends).map(|(start, end)| {
            let message = &bytes[*start..end];
            let (_presence_map, rest) = stop_bit_number(&message[RESET.len()..])?;
            let (_template, rest) = stop_bit_number(rest)?;
            let (number, _) = stop_bit_number(rest)?;
            Some((number, [&number.to_le_bytes()[..], message].concat()))
        });
        let datagrams: Vec<(u32, Vec<u8>)> = datagrams.collect::<Option<_>>()?;
        // That they count up by one proves the boundaries.
        let counts = datagrams
            .windows(2)
            .all(|pair| pair[1].0 == pair[0].0.wrapping_add(1));
        (counts && !datagrams.is_empty()).then_some(datagrams)
    };
    Some([line("increment_a.dat")?, line("increment_b.dat")?])
}

/// A number of FAST: seven bits a byte, the last with its stop bit set.
fn stop_bit_number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let end = bytes.iter().position(|byte| byte & 0x80 != 0)? + 1;
    let (number, rest) = bytes.split_at(end);
    let value = number
        .iter()
        .fold(0_u32, |value, byte| value << 7 | u32::from(byte & 0x7f));
    Some((value, rest))
}

/// What both lines gave together.
#[derive(Clone, Copy, Debug)]
pub struct Merged {
    /// Numbers that left the high-reliability output, once each, in order.
    pub union: usize,
    /// Packets that were taken from each line.
    pub lost: [usize; 2],
    /// On the high-reliability output.
    pub gaps: usize,
}

/// Sends both lines through the hardware at one width, a share of each lost, never the same number on both; line B is up to 700 cycles behind.
///
/// # Errors
/// The hardware does not obey the rules, or what left differs from what either line has.
pub fn merge(design: Design, recorded: &Recorded, loss: f64, seed: u64) -> Result<Merged, String> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let first = recorded[0][0].0.min(recorded[1][0].0);
    let last = recorded
        .iter()
        .filter_map(|line| line.last())
        .map(|packet| packet.0);
    let last = last.max().unwrap_or(first);
    let (mut originals, mut arrivals, mut lost, mut free) = (vec![], vec![], [0; 2], [0; 2]);
    let mut time = 5;
    for number in first..=last {
        let at = |line: usize| {
            let index = number.checked_sub(recorded[line][0].0)? as usize;
            recorded[line].get(index).map(|packet| &packet.1)
        };
        let copies = [at(0), at(1)];
        let Some(bytes) = copies[0].or(copies[1]) else {
            return Err(format!("number {number} is on neither line"));
        };
        let luck: f64 = random.random();
        for line in 0..2 {
            let unlucky = (line as f64 * loss..(line + 1) as f64 * loss).contains(&luck);
            if unlucky && copies[1 - line].is_some() {
                lost[line] += usize::from(copies[line].is_some());
                continue;
            }
            if copies[line].is_none() {
                continue;
            }
            let behind = line as u64 * random.random_range(0..700);
            let begin = (time + behind).max(free[line]);
            free[line] = begin + Setting::pitch(design, bytes.len());
            arrivals.push(Arrival {
                line,
                begin,
                end: begin + design.beats(bytes.len()) - 1,
                original: originals.len(),
                length: bytes.len(),
                good: true,
            });
        }
        originals.push(Original {
            session: 0,
            id: u64::from(number),
            count: 1,
            end_of_session: false,
            stray: false,
            number: u64::from(number),
            bytes: bytes.clone(),
        });
        time += Setting::pitch(design, bytes.len()) + 350;
    }
    arrivals.sort_by_key(|arrival| (arrival.begin, arrival.line));
    let settings = Settings {
        mode: Mode::Time,
        time_window: 5_000,
        count_window: 0,
        idle_limit: 0,
    };
    let lines = Lines {
        design,
        originals,
        arrivals,
        changes: vec![Change {
            cycle: 0,
            settings,
            flush: false,
        }],
        until: time + 20_000,
    };
    let compared = compare(&lines).map_err(|fault| format!("{design:?}, seed {seed}: {fault}"))?;
    let left = compared.record.high.iter().filter(|seen| !seen.err);
    let same = left
        .clone()
        .zip(&lines.originals)
        .take_while(|(seen, sent)| seen.bytes == sent.bytes)
        .count();
    if same != left.count() {
        return Err(format!(
            "{design:?}, seed {seed}: behind {same} packets another leaves than was sent"
        ));
    }
    Ok(Merged {
        union: same,
        lost,
        gaps: compared.record.high_gaps.len(),
    })
}
