//! Both lines of a real market: what one of them lost comes from the other.

use std::path::Path;

use arbiter::{Arbiter, Config, Delivery, Event, Mode, Output, Protocol, Sink, Window};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const A: (u32, usize) = (482_727, 8_101);
const B: (u32, usize) = (482_751, 8_088);
const UNION: std::ops::Range<u32> = 482_727..490_839;

/// A number of FAST: seven bits a byte, the last with its stop bit set.
fn stop_bit_number(bytes: &[u8]) -> (u32, &[u8]) {
    let end = bytes.iter().position(|byte| byte & 0x80 != 0).unwrap() + 1;
    let (number, rest) = bytes.split_at(end);
    let value = number
        .iter()
        .fold(0, |value, byte| value << 7 | u32::from(byte & 0x7f));
    (value, rest)
}

/// The datagrams of a line: each message after its sequence number, as the exchange's preamble; `None` where the data are absent.
///
/// The recording has no lengths, but a Reset (template 120) before every message, so a Reset begins one. Then come presence map,
/// template 74 and MsgSeqNum, in full since the dictionary is empty. That these count up by one proves the boundaries.
fn line(name: &str, (first, messages): (u32, usize)) -> Option<Vec<(u32, Vec<u8>)>> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/micex-2013-08-01");
    let Ok(bytes) = std::fs::read(folder.join(name)) else {
        eprintln!("SKIPPED: no micex-2013-08-01/{name} in ../shared/data");
        return None;
    };
    const RESET: [u8; 2] = [0xc0, 0x80 | 120];
    let starts: Vec<usize> = bytes
        .windows(2)
        .enumerate()
        .filter_map(|(at, pair)| (pair == RESET).then_some(at))
        .collect();
    assert_eq!((starts[0], starts.len()), (0, messages));
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    let datagrams = (first..)
        .zip(starts.iter().zip(ends))
        .map(|(expected, (start, end))| {
            let message = &bytes[*start..end];
            let (_presence_map, rest) = stop_bit_number(&message[RESET.len()..]);
            let (template, rest) = stop_bit_number(rest);
            let (sequence, _) = stop_bit_number(rest);
            assert_eq!((template, sequence), (74, expected));
            (sequence, [&sequence.to_le_bytes()[..], message].concat())
        });
    Some(datagrams.collect())
}

/// What left each output: number and payload.
#[derive(Default)]
struct Left {
    low: Vec<(u64, Vec<u8>)>,
    high: Vec<(u64, Vec<u8>)>,
    gaps: u32,
}

impl Sink for Left {
    fn packet(&mut self, delivery: Delivery<'_>) {
        let left = match delivery.output {
            Output::LowLatency => &mut self.low,
            Output::HighReliability => &mut self.high,
        };
        left.push((delivery.sequence, delivery.payload.to_vec()));
    }

    fn event(&mut self, event: Event) {
        let high = Output::HighReliability;
        self.gaps += u32::from(matches!(event, Event::Gap { output, .. } if output == high));
    }
}

/// A fifth of each line lost, never the same number on both; line B up to 3 ms late; a message a millisecond.
fn arrivals(lines: &[Vec<(u32, Vec<u8>)>; 2], seed: u64) -> Vec<(u64, usize, &[u8])> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let luck: Vec<f64> = UNION.map(|_| random.random()).collect();
    let mut arrivals = vec![];
    for (index, line) in lines.iter().enumerate() {
        let other = &lines[1 - index];
        for (number, payload) in line {
            let position = number - UNION.start;
            let elsewhere = (other[0].0..=other[other.len() - 1].0).contains(number);
            let unlucky = index as f64 * 0.2..(index + 1) as f64 * 0.2;
            if elsewhere && unlucky.contains(&luck[position as usize]) {
                continue;
            }
            let skew = index as u64 * random.random_range(0..3_000_000);
            arrivals.push((u64::from(position) * 1_000_000 + skew, index, &payload[..]));
        }
    }
    arrivals.sort_by_key(|(time, index, _)| (*time, *index));
    arrivals
}

#[test]
fn the_union_of_both_lines_comes_out_once_each_in_order_though_each_lost_a_fifth() {
    let (Some(a), Some(b)) = (line("increment_a.dat", A), line("increment_b.dat", B)) else {
        return;
    };
    let lines = [a, b];
    for seed in 0..5 {
        let arrivals = arrivals(&lines, seed);
        let of_line = |line| arrivals.iter().filter(|(_, of, _)| *of == line).count();
        assert!((6_300..6_650).contains(&of_line(0)) && (6_300..6_650).contains(&of_line(1)));
        for (mode, time, count) in [
            (Mode::Time, 4_000_000, 0),
            (Mode::Count, 0, 5),
            (Mode::TimeAndCount, 4_000_000, 5),
        ] {
            let mut config = Config::new(Protocol::MOEX);
            config.window = Window { mode, time, count };
            // Four packets of a line are the default; line A is at most three in front.
            let mut arbiter = Arbiter::new(config).unwrap();
            let mut left = Left::default();
            for (time, line, payload) in &arrivals {
                arbiter.push(*line, *time, payload, true, &mut left);
            }
            assert!(left.high.iter().map(|(number, _)| *number as u32).eq(UNION));
            let sent = |number: u64, payload: &Vec<u8>| {
                let mut of_both = lines.iter().flatten();
                of_both.any(|(sent, bytes)| u64::from(*sent) == number && bytes == payload)
            };
            if seed == 0 {
                assert!(
                    left.high
                        .iter()
                        .all(|(number, payload)| sent(*number, payload))
                );
            }
            assert_eq!(
                (left.gaps, arbiter.counters().high_reliability.lost),
                (0, 0)
            );
            assert!(left.low.windows(2).all(|pair| pair[0].0 < pair[1].0));
            let lost = arbiter.counters().low_latency.lost;
            assert_eq!(left.low.len() as u64 + lost, UNION.len() as u64);
            assert!(
                lost > 500,
                "line B is behind: low latency does not wait for it"
            );
        }
    }
}
