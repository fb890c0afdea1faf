//! Dynamic template references (6.3.9 and 10 of the specification): the bytes and what they say are written here by hand.

use cosim::fast_items::FromDecoder;
use fast::microcode::{Room, Wanted, assemble};
use fast::{Decoder, ErrorCode, Settings, Templates};

use super::common::all_widths;
use super::fast_sim::Item::{self, EntryEnd, Message, MessageEnd, Reference, Unsigned};
use super::fast_sim::{Lockstep, Wire};

/// `Around` refers between its fields, in a group with a presence map and in the entries of a sequence; `Leaf` has a bit of its own; `Itself` refers to anything,
/// and so to itself; `Reset` resets dictionaries as a message, and not where it is referred to.
pub const XML: &str = r#"<templates>
  <template name="Around" id="1"><uInt32 name="A" id="11"/><templateRef/><uInt32 name="B" id="12"><copy/></uInt32>
    <group name="G" id="20" presence="optional"><uInt32 name="C" id="13"><copy/></uInt32><templateRef/><uInt32 name="D" id="14"><copy/></uInt32></group>
    <sequence name="S" id="21"><length name="N" id="22"/><templateRef/><uInt32 name="E" id="15"><increment/></uInt32></sequence></template>
  <template name="Leaf" id="2"><uInt32 name="F" id="31"><copy/></uInt32><uInt32 name="H" id="32" presence="optional"/></template>
  <template name="Empty" id="3"/>
  <template name="Itself" id="4"><uInt32 name="I" id="41"><increment/></uInt32><templateRef/><uInt32 name="J" id="42"/></template>
  <template name="Reset" id="5" reset="yes"><uInt32 name="K" id="51"/></template>
</templates>"#;

/// What the packets say, one after the other; to engines of both widths, with gaps and without, the same.
fn items(packets: &[&[u8]]) -> Vec<Vec<Item>> {
    let templates = Templates::parse(XML).unwrap();
    let program = assemble(&templates, &Wanted::All, Room::default());
    assert_eq!(program.refused, []);
    let mut all = Vec::new();
    for width in all_widths() {
        for gaps in [0, 220] {
            let settings = Settings::default();
            let mut both = Lockstep::new(width, &templates, &program, &Wanted::All, settings);
            let wire = Wire {
                gaps,
                random: 5,
                ..Wire::default()
            };
            let said: Vec<Vec<Item>> = packets
                .iter()
                .map(|packet| {
                    let items = both.items(packet, wire);
                    items.unwrap_or_else(|difference| panic!("{width:?}: {difference}"))
                })
                .collect();
            assert_eq!(both.statistics.good, packets.len() as u64, "{said:?}");
            assert!(all.is_empty() || all == said);
            all = said;
        }
    }
    all
}

#[rustfmt::skip]
pub const MESSAGE: &[u8] = &[
    0b1111_0000, 0x81,             // Around: its identifier, B and G
    0x85,                          // A
    0b1110_0000, 0x82, 0x87, 0x80, // Leaf: its identifier, F; no H
    0x89,                          // B
    0b1110_0000, 0x8A,             // G: C and D have bits
    0b1000_0000, 0x8F,             // Leaf once more: F as before, H
    0x8C,                          // D
    0x83,                          // three entries
    0b1100_0000,                   // E has a bit
    0b1100_0000, 0x83,             // Empty
    0x8B,                          // E
    0b1000_0000,                   // E is one more
    0b1000_0000,                   // Empty once more
    0b1000_0000,                   // E is one more
    0b1100_0000, 0x82, 0x80,       // Leaf: F as before; no H
];

#[test]
fn what_is_referred_to_has_its_own_presence_map_and_identifier_and_then_the_walk_returns() {
    let leaf = |f, h: Option<u64>| {
        let h = h.map_or(Item::Absent(32), |value| Unsigned(32, value));
        [Reference(2), Unsigned(31, f), h]
    };
    let mut meant = vec![Message(1), Unsigned(11, 5)];
    meant.extend(leaf(7, None));
    meant.extend([Unsigned(12, 9), Unsigned(13, 10)]);
    meant.extend(leaf(7, Some(14)));
    meant.extend([Unsigned(14, 12), Unsigned(22, 3)]);
    meant.extend([Reference(3), Unsigned(15, 11), EntryEnd]);
    meant.extend([Reference(3), Unsigned(15, 12), EntryEnd]);
    meant.extend(leaf(7, None));
    meant.extend([Unsigned(15, 13), EntryEnd, MessageEnd]);
    assert_eq!(items(&[MESSAGE]), [meant]);
}

#[test]
fn a_reference_resets_nothing_and_its_template_is_the_last_one() {
    #[rustfmt::skip]
    let packet = [
        0b1100_0000, 0x81, 0x81,       // Around, A; B as before, no G
        0b1100_0000, 0x85, 0xAA,       // Reset, K
        0x80,                          // no entries
        0b1000_0000, 0xAB,             // the last template: Reset, K
        0b1110_0000, 0x81, 0x81,       // Around, B has a bit: it is not there any more
        0b1100_0000, 0x83, 0x82, 0x80, // Empty, B, no entries
    ];
    let meant = vec![
        Message(1),
        Unsigned(11, 1),
        Reference(5),
        Unsigned(51, 42),
        Unsigned(12, 9),
        Item::Absent(20),
        Unsigned(22, 0),
        MessageEnd,
        Message(5),
        Unsigned(51, 43),
        MessageEnd,
        Message(1),
        Unsigned(11, 1),
        Reference(3),
        Unsigned(12, 2),
        Item::Absent(20),
        Unsigned(22, 0),
        MessageEnd,
    ];
    assert_eq!(items(&[MESSAGE, &packet])[1], meant);
}

/// A message with so many references in each other.
fn nested(references: usize) -> Vec<u8> {
    // Itself; I is 1, and one more in each further one; Empty is the innermost.
    let mut bytes = vec![0b1110_0000, 0x84, 0x81];
    bytes.extend(vec![0b1000_0000; references - 1]);
    bytes.extend([0b1100_0000, 0x83]);
    bytes.extend((0..references).map(|level| 0x80 | level as u8));
    bytes
}

#[test]
fn eight_references_may_be_in_each_other() {
    let mut meant = vec![Message(4), Unsigned(41, 1)];
    for level in 2..=8 {
        meant.extend([Reference(4), Unsigned(41, level)]);
    }
    meant.push(Reference(3));
    meant.extend((0..8).map(|level| Unsigned(42, level)));
    meant.push(MessageEnd);
    assert_eq!(items(&[&nested(8)]), [meant]);
}

#[test]
fn a_ninth_is_an_error_and_leaves_nothing() {
    let templates = Templates::parse(XML).unwrap();
    let program = assemble(&templates, &Wanted::All, Room::default());
    for width in all_widths() {
        let settings = Settings::default();
        let mut both = Lockstep::new(width, &templates, &program, &Wanted::All, settings);
        both.packet(MESSAGE, Wire::default()).expect("it is good");
        for references in [9, 10, 20] {
            let said = both.packet(&nested(references), Wire::default());
            said.unwrap_or_else(|difference| panic!("{width:?}, {references}: {difference}"));
        }
        assert_eq!(both.statistics.too_deep, 3);
        // All entries are as they were: this message has none of its own.
        #[rustfmt::skip]
        let packet = [
            0b1100_0000, 0x81, 0x81, 0b1100_0000, 0x82, 0x80, 0x81, 0b1000_0000, 0b1100_0000, 0x83,
        ];
        let found = both.items(&packet, Wire::default()).expect("it is good");
        let meant = [
            Message(1),
            Unsigned(11, 1),
            Reference(2),
            Unsigned(31, 7),
            Item::Absent(32),
            Unsigned(12, 9),
            Item::Absent(20),
            Unsigned(22, 1),
            Reference(3),
            Unsigned(15, 14),
            EntryEnd,
            MessageEnd,
        ];
        assert_eq!(found, meant);
    }
}

#[test]
fn what_is_wrong_inside_a_reference_is_reported_as_in_software() {
    let templates = Templates::parse(XML).unwrap();
    let program = assemble(&templates, &Wanted::All, Room::default());
    let around = [0b1100_0000, 0x81, 0x81];
    let cases: [(&[u8], ErrorCode); 6] = [
        (&[0b1100_0000, 0xFF], ErrorCode::D9),
        (&[0b1100_0000, 0x10, 0x00, 0x00, 0x00, 0x83], ErrorCode::D9),
        (&[0b1100_0000, 0x00, 0x83], ErrorCode::R6),
        (&[0b0100_0000, 0x80, 0x83], ErrorCode::R7),
        (&[0b1110_0000, 0x83], ErrorCode::R8),
        (&[0b1100_0000, 0x82, 0x80], ErrorCode::D5),
    ];
    for width in all_widths() {
        let settings = Settings::default();
        for (inside, code) in cases {
            let mut both = Lockstep::new(width, &templates, &program, &Wanted::All, settings);
            let packet = [&around, inside].concat();
            let mut software = Decoder::new(&templates);
            let mut all = FromDecoder::new(&templates, &Wanted::All);
            let error = software.packet(&packet, &mut all).unwrap_err();
            assert_eq!(error.code, code, "{packet:02x?}");
            let said = both.packet(&packet, Wire::default());
            said.unwrap_or_else(|difference| panic!("{width:?}, {packet:02x?}: {difference}"));
            assert_eq!(both.statistics.bad, 1);
        }
        let mut both = Lockstep::new(width, &templates, &program, &Wanted::All, settings);
        for end in 1..MESSAGE.len() {
            let said = both.packet(&MESSAGE[..end], Wire::default());
            said.unwrap_or_else(|difference| panic!("{width:?}, {end} bytes: {difference}"));
        }
        assert_eq!(both.statistics.bad, MESSAGE.len() as u64 - 1);
    }
}

/// Each template has nine bytes, of which each is a token; the engine is behind at eight a cycle.
#[test]
fn a_reference_takes_three_cycles_more_than_as_many_tokens_without_it() {
    let field = |id: u32| format!(r#"<uInt32 name="F{id}" id="{id}"/>"#);
    let fields = |ids: std::ops::Range<u32>| ids.map(field).collect::<String>();
    let xml = format!(
        r#"<templates><template name="Around" id="1">{}<templateRef/>{}</template><template name="Inner" id="2">{}</template>
        <template name="Flat" id="3">{}</template></templates>"#,
        fields(11..13),
        fields(13..14),
        fields(21..23),
        fields(31..38),
    );
    let templates = Templates::parse(&xml).unwrap();
    let program = assemble(&templates, &Wanted::All, Room::default());
    let around = [0xC0, 0x81, 0x81, 0x82, 0xC0, 0x82, 0x83, 0x84, 0x85];
    let flat = [0xC0, 0x83, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87];
    let settings = Settings::default();
    let width = super::fast_sim::Width::W64;
    let mut both = Lockstep::new(width, &templates, &program, &Wanted::All, settings);
    both.packet(&around, Wire::default()).expect("it is good");
    both.rest();
    both.packet(&flat, Wire::default()).expect("it is good");
    let cycles = &both.statistics.last_field;
    assert_eq!(cycles[0], cycles[1] + 3);
}
