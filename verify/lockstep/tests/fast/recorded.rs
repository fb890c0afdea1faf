//! Recorded data.

use fast::microcode::{Room, Wanted, assemble};
use fast::{Framing, Settings, Templates};

use super::common::{Random, all_widths, recorded};
use super::fast_sim::Lockstep;

/// The messages of a file, each with the bytes of its framing before it taken off.
fn messages(templates: &Templates, framing: Framing, bytes: &[u8]) -> Vec<Vec<u8>> {
    let preamble = if framing == Framing::Preamble { 4 } else { 0 };
    let frames = framing.split(templates, bytes).expect("the data is good");
    frames
        .iter()
        .map(|frame| frame[preamble..].to_vec())
        .collect()
}

fn templates(path: &str) -> Option<Templates> {
    let xml = String::from_utf8(recorded(path)?).expect("templates are UTF-8");
    Some(Templates::parse(&xml).expect("well-formed"))
}

/// The packets of a line of MICEX: a reset, and the message after it.
pub fn micex_packets(file: &str) -> Option<(Templates, Vec<Vec<u8>>)> {
    let templates = templates("micex-2013-08-01/templates.xml")?;
    let bytes = recorded(&format!("micex-2013-08-01/{file}"))?;
    let messages = messages(&templates, Framing::None, &bytes);
    let packets = messages.chunks(2).map(<[_]>::concat).collect();
    Some((templates, packets))
}

/// The packets of MOEX trades.
pub fn moex_packets() -> Option<(Templates, Vec<Vec<u8>>)> {
    let templates = templates("moex-templates/asts-2017-03.xml")?;
    let bytes = recorded("moex-fond-trades-2019-04-04/data.dat")?;
    let packets = messages(&templates, Framing::Preamble, &bytes);
    Some((templates, packets))
}

/// Sends all packets, with gaps and bad frames between them, and returns how many were good and bad.
fn compare(name: &str, templates: &Templates, packets: &[Vec<u8>], settings: Settings) {
    let wanted = Wanted::All;
    let program = assemble(templates, &wanted, Room::default());
    for width in all_widths() {
        let mut both = Lockstep::new(width, templates, &program, &wanted, settings);
        let mut random = Random(7);
        for (index, packet) in packets.iter().enumerate() {
            let wire = random.wire();
            both.packet(packet, wire).unwrap_or_else(|error| {
                panic!("{name}, {width:?}, packet {index}, {wire:?}, {packet:02x?}: {error}")
            });
            if random.below(4) == 0 {
                both.rest();
            }
        }
        let statistics = &both.statistics;
        println!(
            "{name} {width:?}: {} packets good, {} bad, {} messages, {} fields",
            statistics.good, statistics.bad, statistics.messages, statistics.fields
        );
        assert_eq!(statistics.good + statistics.bad, packets.len() as u64);
        assert!(statistics.bad < statistics.good / 5);
    }
}

#[test]
fn both_lines_of_micex_decode_as_in_software() {
    for (file, count) in [("increment_a.dat", 8_101), ("increment_b.dat", 8_088)] {
        let Some((templates, packets)) = micex_packets(file) else {
            return;
        };
        assert_eq!(packets.len(), count);
        compare(file, &templates, &packets, Settings::default());
    }
}

#[test]
fn moex_trades_decode_as_in_software() {
    let Some((templates, packets)) = moex_packets() else {
        return;
    };
    assert_eq!(packets.len(), 5_020);
    for reset_each_packet in [false, true] {
        let settings = Settings {
            reset_each_packet,
            ..Settings::default()
        };
        compare("MOEX trades", &templates, &packets, settings);
    }
}
