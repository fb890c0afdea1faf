//! How long the engine takes, on recorded data.

use fast::microcode::{Room, Wanted, assemble};
use fast::{Settings, Templates};

use crate::common::{Random, all_widths};
use crate::fast_sim::{Lockstep, Width, Wire};
use crate::recorded::{micex_packets, moex_packets};

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
