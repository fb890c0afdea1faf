//! How long the engine takes, on recorded data.

use fast::microcode::{Room, Wanted, assemble};
use fast::{Settings, Templates};

use super::common::{Random, all_widths};
use super::fast_sim::{Lockstep, Width, Wire};
use super::recorded::{micex_packets, moex_packets};

/// The fields that the event table needs of MICEX data: action, side, security, price and size, level, sequence numbers, time.
const MICEX_TAGS: [u32; 12] = [34, 268, 279, 269, 48, 83, 1023, 278, 270, 271, 273, 346];
/// Those of MOEX trades.
const MOEX_TAGS: [u32; 10] = [34, 268, 269, 278, 55, 83, 273, 270, 271, 10504];

/// Minimum, mean, 99th percentile, maximum.
fn distribution(mut values: Vec<u64>) -> (u64, f64, u64, u64) {
    values.sort_unstable();
    let mean = values.iter().sum::<u64>() as f64 / values.len() as f64;
    (
        values[0],
        mean,
        values[values.len() * 99 / 100],
        values[values.len() - 1],
    )
}

/// Sends packets that are alone, without gaps, and gives the cycles from the last beat to the last field.
fn measure(width: Width, templates: &Templates, wanted: &Wanted, packets: &[&[u8]]) -> Vec<u64> {
    let program = assemble(templates, wanted, Room::default());
    let mut both = Lockstep::new(width, templates, &program, wanted, Settings::default());
    for packet in packets {
        both.packet(packet, Wire::default())
            .unwrap_or_else(|error| panic!("{packet:02x?}: {error}"));
        both.engine().run(20);
    }
    both.statistics.last_field.clone()
}

#[test]
fn the_last_field_leaves_six_cycles_after_the_last_byte_where_the_engine_is_not_behind() {
    let xml = r#"<templates><template name="A" id="1"><uInt32 name="X" id="7"/><uInt32 name="Y" id="8"/></template></templates>"#;
    let templates = Templates::parse(xml).expect("well-formed");
    let wanted = Wanted::All;
    let program = assemble(&templates, &wanted, Room::default());
    let packet = [0xc0, 0x81, 0x0f, 0x7f, 0x7f, 0x7f, 0xff, 0x01, 0x00, 0x80];
    for width in all_widths() {
        let mut both = Lockstep::new(width, &templates, &program, &wanted, Settings::default());
        let mut random = Random(3);
        for _ in 0..200 {
            // Long pauses in the packet let the engine catch up.
            let wire = Wire {
                gaps: 230,
                random: random.next(),
                ..Wire::default()
            };
            both.packet(&packet, wire).expect("as in software");
            both.engine().run(20);
        }
        let (least, _, _, most) = distribution(both.statistics.last_field.clone());
        assert_eq!(least, 6, "{width:?}");
        // Three tokens came with the beat before, and the template's first group costs a cycle of its own (fast-microcode.md, "How it runs").
        let behind = if width == Width::W64 { 2 + 1 } else { 0 };
        assert_eq!(most, 6 + behind, "{width:?}");
        let (least, _, _, most) = distribution(both.statistics.verdict.clone());
        println!("{width:?}: last beat to verdict {least} to {most} cycles");
        assert_eq!(least, 10, "{width:?}");
    }
}

/// Messages of tokens of one byte, back to back in a packet: how long after its last beat the last field leaves.
fn short_messages(width: Width, messages: &[&[u8]]) -> u64 {
    let few = r#"<template name="A" id="1"><uInt32 name="X" id="7"/></template>"#;
    // More than one group of instructions.
    let names: String = (0..6)
        .map(|number| format!(r#"<uInt32 name="Y{number}" id="{}"/>"#, 10 + number))
        .collect();
    let xml =
        format!(r#"<templates>{few}<template name="B" id="2">{names}</template></templates>"#);
    let templates = Templates::parse(&xml).expect("well-formed");
    let packet = messages.concat();
    measure(width, &templates, &Wanted::All, &[&packet])[0]
}

#[test]
fn a_message_of_the_same_template_as_the_one_before_it_begins_without_a_pause() {
    const COUNT: u64 = 60;
    let one: &[u8] = &[0xc0, 0x81, 0x85];
    let six: &[u8] = &[0xc0, 0x82, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a];
    for width in all_widths() {
        for message in [one, six] {
            let cycles = short_messages(width, &vec![message; COUNT as usize]);
            let tokens = COUNT * message.len() as u64;
            let beats = match width {
                Width::W8 => tokens,
                Width::W64 => tokens.div_ceil(8),
            };
            // The first message of the packet has its pause: of a group with one instruction two cycles.
            let first = tokens - beats + 6..=tokens - beats + 6 + 2;
            assert!(
                first.contains(&cycles),
                "{width:?}, {message:?}: {cycles}, {first:?}"
            );
        }
        // By turns each has it.
        let turns = [one, six].repeat(COUNT as usize / 2);
        let tokens = COUNT / 2 * (one.len() + six.len()) as u64;
        let beats = match width {
            Width::W8 => tokens,
            Width::W64 => tokens.div_ceil(8),
        };
        let cycles = short_messages(width, &turns);
        let pauses = cycles - 6 - (tokens - beats);
        println!("{width:?}: {pauses} cycles of pause in {COUNT} messages by turns");
        assert!(pauses >= COUNT - 1, "{width:?}: {pauses}");
    }
}

#[test]
fn at_a_byte_a_cycle_only_values_that_are_not_in_the_stream_put_the_engine_behind() {
    let Some((templates, bytes)) = micex_packets("increment_a.dat") else {
        return;
    };
    let packets: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
    let cycles = measure(
        Width::W8,
        &templates,
        &Wanted::Tags(MICEX_TAGS.to_vec()),
        &packets,
    );
    let (least, mean, p99, most) = distribution(cycles);
    println!(
        "MICEX, W=8: last byte to last field {least} / {mean:.2} / {p99} / {most} cycles (min, mean, p99, max)"
    );
    assert!(mean < 8.5 && most <= 20, "{mean}, {most}");
}

#[test]
fn at_eight_bytes_a_cycle_the_lag_is_that_of_one_token_a_cycle() {
    for (name, tags, data, limit) in [
        (
            "MICEX",
            MICEX_TAGS.as_slice(),
            micex_packets("increment_a.dat"),
            50.0,
        ),
        ("MOEX trades", MOEX_TAGS.as_slice(), moex_packets(), 35.0),
    ] {
        let Some((templates, bytes)) = data else {
            return;
        };
        let packets: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
        let cycles = measure(
            Width::W64,
            &templates,
            &Wanted::Tags(tags.to_vec()),
            &packets,
        );
        let (least, mean, p99, most) = distribution(
            cycles
                .iter()
                .map(|cycles| cycles.saturating_sub(6))
                .collect(),
        );
        println!(
            "{name}, W=64: behind at the packet's end {least} / {mean:.1} / {p99} / {most} cycles (min, mean, p99, max)"
        );
        assert!(mean < limit, "{name}: {mean}");
    }
}
