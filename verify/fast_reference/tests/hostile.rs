//! Whatever the bytes: an end in bounded time and memory, and no panic.

use crate::common;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use common::{decoder, decoder_of, error};
use fast_reference::random::{Case, Limits, mutate};
use fast_reference::reference::{Code, Decoder, NESTING, Options, Reportable};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn mutated_packets_end_and_reach_every_code() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let (mut packets, mut good, mut codes) = (0, 0, BTreeMap::new());
    let start = Instant::now();
    for seed in 0..1_000 {
        let case = Case::new(seed, &Limits::default());
        let options = Options {
            reportable: if rng.random() {
                Reportable::Signal
            } else {
                Reportable::Ignore
            },
            ..case.options()
        };
        let mut decoder = Decoder::with_options(&case.xml, options).unwrap();
        for packet in case.packets.iter().cycle().take(10) {
            let bytes = mutate(&packet.bytes, &mut rng);
            packets += 1;
            let results = decoder.packet(&bytes);
            good += results.iter().filter(|result| result.is_ok()).count();
            if let Some(Err(error)) = results.last() {
                assert!(error.offset <= bytes.len());
                *codes.entry(error.code).or_insert(0) += 1;
            }
        }
    }
    println!(
        "{packets} packets, {good} good messages, {:?}: {codes:?}",
        start.elapsed()
    );
    assert!(packets > 9_000 && good > 1_000);
    // D8 and D12 cannot come of these bytes, D4 not of these templates; the bounds have tests of their own below.
    use Code::*;
    for code in [D2, D5, D6, D7, D9, R1, R2, R4, R6, R7, R8, R9, Truncated] {
        assert!(codes.contains_key(&code), "{code:?}");
    }
}

#[test]
fn random_bytes_end() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    for seed in 0..300 {
        let case = Case::new(seed, &Limits::default());
        let mut decoder = Decoder::new(&case.xml).unwrap();
        for _ in 0..10 {
            let mut bytes: Vec<u8> = (0..rng.random_range(0..200))
                .map(|_| rng.random())
                .collect();
            // A template that exists, half of the time.
            if let (Some(packet), true) = (case.packets.first(), rng.random()) {
                let known = packet.bytes.len().min(6);
                bytes.splice(..0, packet.bytes[..known].to_vec());
            }
            decoder.packet(&bytes);
            decoder.blocks(&bytes);
        }
    }
}

/// What `packet` ends with, and that it does within two seconds.
fn ends_with(decoder: &mut Decoder, packet: &str) -> Code {
    let start = Instant::now();
    let (code, _) = error(decoder, packet);
    let elapsed = start.elapsed();
    assert!(elapsed < Duration::from_secs(2), "{elapsed:?}");
    code
}

#[test]
fn a_sequence_of_billions_ends() {
    let length = "c0 81 0f 7f 7f 7f ff";
    let mut of_fields = decoder(r#"<sequence name="S"><uInt8 name="A"/></sequence>"#);
    assert_eq!(ends_with(&mut of_fields, length), Code::Truncated);
    // Elements that take no bytes.
    let mut of_nothing = decoder(r#"<sequence name="S"><group name="G"/></sequence>"#);
    assert_eq!(ends_with(&mut of_nothing, length), Code::Work);
    let text = "x".repeat(100_000);
    let mut of_text = decoder(&format!(
        r#"<sequence name="S"><string name="A"><constant value="{text}"/></string></sequence>"#
    ));
    assert_eq!(ends_with(&mut of_text, length), Code::Work);
    // A few of them are a message.
    assert!(of_nothing.packet(&[0xc0, 0x81, 0x85])[0].is_ok());
}

#[test]
fn references_that_lead_to_themselves_end() {
    let mut decoder = decoder_of(r#"<template name="T" id="1"><templateRef/></template>"#);
    assert_eq!(
        ends_with(&mut decoder, &"c0 81".repeat(10_000)),
        Code::Nesting
    );
    let mut decoder = decoder_of(
        r#"<template name="T" id="1"><sequence name="S"><templateRef/></sequence></template>"#,
    );
    assert_eq!(
        ends_with(&mut decoder, &"c0 81 81".repeat(10_000)),
        Code::Nesting
    );
    // As deep as allowed: half of the levels are sequences.
    let depth = NESTING / 2 - 1;
    let packet = format!("{} c0 81 80", "c0 81 81".repeat(depth));
    assert_eq!(common::messages(&mut decoder, &packet).len(), 1);
}

#[test]
fn a_long_text_copied_by_many_messages_ends() {
    let mut decoder = decoder(r#"<string name="A"><copy/></string>"#);
    let packet = format!("e0 81 {} c1 {}", "41".repeat(60_000), "80".repeat(60_000));
    assert_eq!(ends_with(&mut decoder, &packet), Code::Work);
}
