//! Recorded data.

use fast::microcode::{Room, Wanted, assemble};
use fast::decode::Nobody;
use fast::{Decoder, Framing, Settings, Templates};

use crate::common::{Random, all_widths, recorded};
use crate::fast_sim::{Lockstep};

/// The packets of a file.
fn packets<'b>(templates: &Templates, framing: Framing, bytes: &'b [u8]) -> Vec<&'b [u8]> {
    let mut decoder = Decoder::new(templates);
    let (mut at, mut packets) = (0, Vec::new());
    while at < bytes.len() {
        let end = framing
            .next(&mut decoder, bytes, at, &mut Nobody)
            .expect("the data is good")
            .end;
        let from = if framing == Framing::Preamble { at + 4 } else { at };
        packets.push(&bytes[from..end]);
        at = end;
    }
    packets
}

#[test]
fn micex_lines_decode_as_in_software() {
    let Some(xml) = recorded("micex-2013-08-01/templates.xml") else {
        return;
    };
    let templates = Templates::parse(&String::from_utf8(xml).unwrap()).unwrap();
    let wanted = Wanted::All;
    let program = assemble(&templates, &wanted, Room::default());
    eprintln!("{} groups, refused {:?}", program.groups.len(), program.refused);
    for (file, count) in [("increment_a.dat", 8_101), ("increment_b.dat", 8_088)] {
        let bytes = recorded(&format!("micex-2013-08-01/{file}")).expect("the templates are there");
        let single = packets(&templates, Framing::None, &bytes);
        // A reset, and what comes after it.
        let mut pairs = Vec::new();
        let mut at = 0;
        for pair in single.chunks(2) {
            let length = pair.iter().map(|one| one.len()).sum::<usize>();
            pairs.push(&bytes[at..at + length]);
            at += length;
        }
        for width in all_widths() {
            let mut both = Lockstep::new(width, &templates, &program, &wanted, Settings::default());
            let mut random = Random(7);
            for (index, packet) in pairs.iter().enumerate() {
                let wire = random.wire();
                both.packet(packet, wire)
                    .unwrap_or_else(|error| panic!("{file}, {width:?}, packet {index}, {wire:?}, {packet:02x?}: {error}"));
                if random.below(4) == 0 {
                    both.rest();
                }
            }
            let statistics = &both.statistics;
            eprintln!("{file} {width:?}: {} good {} bad {} fields", statistics.good, statistics.bad, statistics.fields);
            assert_eq!(statistics.good + statistics.bad, count);
        }
    }
}
