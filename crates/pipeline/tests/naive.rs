//! The pipeline against statistics computed the slow and plain way, out of the bytes of the messages alone.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use formats::itch::Version;
use formats::report::Part;
use formats::{Symbol, binary_file, mold};
use pipeline::{Config, Pipeline};
use proptest::prelude::*;

const AAPL: Symbol = Symbol(*b"AAPL    ");

fn data(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: no {name} in ../shared/data");
    None
}

/// Symbol and side: count, minimum, maximum, volume, sum.
type Orders = HashMap<([u8; 8], bool), (u64, u64, u64, u64, u64)>;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Expected {
    second: u64,
    sequence: u64,
    first_sequence: u64,
    orders: Orders,
}

fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// What the reports must say, by the words of docs/reference/rules.md: packets of messages, numbered from 1.
fn naive(version: Version, packets: &[Vec<&[u8]>], accumulate: bool) -> Vec<Expected> {
    let (mut reports, mut orders, mut current, mut sequence) = (vec![], Orders::new(), None, 1);
    for packet in packets {
        let first_sequence = sequence;
        let mut begun = false;
        for message in packet {
            let second = match version {
                Version::V50 => Some(number(&message[5..11]) / 1_000_000_000),
                Version::V41 => (message[0] == b'T').then(|| number(&message[1..5])),
            };
            if let Some(second) =
                second.filter(|second| !begun && current.is_none_or(|current| *second > current))
            {
                current = Some(second);
                begun = true;
                reports.push(Expected {
                    second,
                    sequence,
                    first_sequence,
                    orders: orders.clone(),
                });
                if !accumulate {
                    orders.clear();
                }
            }
            if matches!(message[0], b'A' | b'F') {
                let body = if version == Version::V50 {
                    &message[11..]
                } else {
                    &message[5..]
                };
                let (buy, shares, price) =
                    (body[8] == b'B', number(&body[9..13]), number(&body[21..25]));
                let entry = orders
                    .entry((body[13..21].try_into().unwrap(), buy))
                    .or_insert((0, u64::MAX, 0, 0, 0));
                *entry = (
                    entry.0 + 1,
                    entry.1.min(price),
                    entry.2.max(price),
                    entry.3 + shares,
                    entry.4 + price,
                );
            }
            sequence += 1;
        }
    }
    reports
}

/// Runs the pipeline over the packets and compares every byte of its reports with what is expected.
fn check(
    version: Version,
    packets: &[Vec<&[u8]>],
    accumulate: bool,
    symbols: Vec<Option<Symbol>>,
) -> usize {
    let mut expected = naive(version, packets, accumulate).into_iter();
    let mut pipeline = Pipeline::new(Config {
        version,
        accumulate,
        symbols: symbols.clone(),
    })
    .unwrap();
    let mut builder = mold::Builder::new(*b"NAIVE     ", 1);
    let mut reports = 0;
    for packet in packets {
        packet
            .iter()
            .for_each(|message| builder.push(message).unwrap());
        let outcome = pipeline.datagram(builder.bytes());
        builder.next_packet();
        assert_eq!(
            outcome.mold,
            if packet.is_empty() {
                mold::Cause::Heartbeat
            } else {
                mold::Cause::Packet
            }
        );
        if !outcome.report_due {
            continue;
        }
        reports += 1;
        let expected = expected.next().expect("a report too many");
        let parts: Vec<Part> = pipeline
            .report()
            .unwrap()
            .map(|part| Part::parse(part).unwrap())
            .collect();
        assert_eq!(parts.len(), symbols.len().div_ceil(16));
        assert!(pipeline.report().is_none(), "a report is taken once");
        for (index, part) in parts.iter().enumerate() {
            let h = part.header;
            assert_eq!(
                (h.accumulate, h.itch_50),
                (accumulate, version == Version::V50)
            );
            assert_eq!(
                (usize::from(h.part), usize::from(h.parts)),
                (index, parts.len())
            );
            assert_eq!(
                (usize::from(h.first_symbol), usize::from(h.total_symbols)),
                (16 * index, symbols.len())
            );
            assert_eq!(
                (h.number as usize, h.session, h.lost),
                (reports, *b"NAIVE     ", 0)
            );
            let found = (u64::from(h.second), h.sequence, h.first_sequence);
            assert_eq!(
                found,
                (expected.second, expected.sequence, expected.first_sequence)
            );
        }
        let rows: Vec<_> = parts.into_iter().flat_map(|part| part.rows).collect();
        assert_eq!(rows.len(), symbols.len());
        for (row, symbol) in rows.iter().zip(&symbols) {
            assert_eq!(row.symbol, *symbol);
            for (buy, side) in [(true, row.buy), (false, row.sell)] {
                let orders = symbol.and_then(|symbol| expected.orders.get(&(symbol.0, buy)));
                let found = (
                    u64::from(side.count),
                    u64::from(side.minimum),
                    u64::from(side.maximum),
                    side.volume,
                    side.sum,
                );
                assert_eq!(
                    found,
                    orders.copied().unwrap_or_default(),
                    "second {}",
                    expected.second
                );
            }
        }
    }
    assert_eq!(expected.next(), None);
    let counters = pipeline.counters();
    let messages: Vec<_> = packets.iter().flatten().collect();
    let orders = messages.iter().filter(|m| matches!(m[0], b'A' | b'F'));
    let of_table = |m: &&&&[u8]| {
        let offset = if version == Version::V50 { 24 } else { 18 };
        symbols.contains(&m[offset..offset + 8].try_into().ok().map(Symbol))
    };
    assert_eq!(
        counters.filter_hit as usize,
        orders.clone().filter(of_table).count()
    );
    assert_eq!(
        (counters.filter_hit + counters.filter_miss) as usize,
        orders.count()
    );
    assert_eq!(counters.itch_messages as usize, messages.len());
    assert_eq!(
        (
            counters.heartbeat as usize,
            counters.report_sent as usize,
            counters.report_missed
        ),
        (reports, reports, 0)
    );
    assert_eq!(
        (
            counters.itch_unknown_type,
            counters.itch_bad_length,
            counters.mold_lost
        ),
        (0, 0, 0)
    );
    reports
}

#[test]
fn reports_of_the_aapl_hour_are_those_of_the_plain_computation() {
    let Some(folder) = data("nasdaq-aapl-2012-06-21") else {
        return;
    };
    for (name, version) in [("aapl.itch50", Version::V50), ("aapl.itch41", Version::V41)] {
        let file = fs::read(folder.join(name)).unwrap();
        let messages: Vec<_> = binary_file::Messages::new(&file)
            .map(Result::unwrap)
            .collect();
        for size in [1, 2, 20, 500] {
            for accumulate in [false, true] {
                let packets: Vec<_> = messages.chunks(size).map(<[_]>::to_vec).collect();
                let mut symbols = vec![None; 20];
                symbols[17] = Some(AAPL);
                symbols[2] = "MSFT".parse().ok();
                let reports = check(version, &packets, accumulate, symbols);
                if size == 1 {
                    assert_eq!(reports, 3_486, "{name}");
                }
            }
        }
    }
}

/// Order flow of a few symbols with jumps in time of every kind, forwards and backwards.
fn flow(version: Version) -> impl Strategy<Value = Vec<Vec<u8>>> {
    let symbol = prop::sample::select(vec![*b"AAPL    ", *b"MSFT    ", *b"ZVZZT   "]);
    let price = prop_oneof![Just(0), Just(u32::MAX), any::<u32>()];
    let step = prop_oneof![
        Just(0_i64),
        0..400_000_000_i64,
        900_000_000..3_000_000_000_i64,
        -1_500_000_000..0_i64
    ];
    let message = (
        prop::sample::select(b"AFDT".to_vec()),
        symbol,
        any::<bool>(),
        any::<u32>(),
        price,
        step,
    );
    prop::collection::vec(message, 0..200).prop_map(move |messages| {
        let mut time = 34_200_000_000_000_i64;
        let write =
            |(kind, symbol, buy, shares, price, step): (u8, [u8; 8], bool, u32, u32, i64)| {
                time += step;
                let mut bytes = match version {
                    Version::V41 if kind == b'T' => {
                        return [b"T", &((time / 1_000_000_000) as u32).to_be_bytes()[..]].concat();
                    }
                    Version::V41 => {
                        [&[kind], &((time % 1_000_000_000) as u32).to_be_bytes()[..]].concat()
                    }
                    Version::V50 => [
                        &[if kind == b'T' { b'D' } else { kind }, 0, 1, 0, 2],
                        &time.to_be_bytes()[2..],
                    ]
                    .concat(),
                };
                bytes.extend_from_slice(&[7; 8]);
                if matches!(kind, b'A' | b'F') {
                    bytes.push(if buy { b'B' } else { b'S' });
                    bytes.extend_from_slice(&shares.to_be_bytes());
                    bytes.extend_from_slice(&symbol);
                    bytes.extend_from_slice(&price.to_be_bytes());
                }
                if kind == b'F' {
                    bytes.extend_from_slice(b"MPID");
                }
                bytes
            };
        messages.into_iter().map(write).collect()
    })
}

proptest! {
    #[test]
    fn reports_of_any_flow_are_those_of_the_plain_computation(v50 in flow(Version::V50), v41 in flow(Version::V41), size in 1_usize..30, accumulate: bool) {
        let symbols = vec![Some(AAPL), None, Some(Symbol(*b"ZVZZT   "))];
        for (version, messages) in [(Version::V50, v50), (Version::V41, v41)] {
            let packets: Vec<Vec<&[u8]>> = messages.chunks(size).map(|chunk| chunk.iter().map(Vec::as_slice).collect()).collect();
            check(version, &packets, accumulate, symbols.clone());
        }
    }
}
