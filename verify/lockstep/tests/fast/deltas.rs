//! The operator delta on strings and byte vectors, and strings of more than eight bytes (6.3.7.3 to 6.3.7.5 of the specification): the bytes and what they
//! say are written here by hand.

use fast::microcode::{Room, Wanted, assemble};
use fast::{Settings, Templates};

use super::common::all_widths;
use super::fast_sim::Item::{self, Absent, Message, MessageEnd};
use super::fast_sim::{Lockstep, Wire};

const XML: &str = r#"<templates>
  <template name="Mandatory" id="1"><string name="A" id="1"><delta/></string></template>
  <template name="Optional" id="2"><string name="B" id="2" presence="optional"><delta value="one two three"/></string></template>
  <template name="Vector" id="3"><byteVector name="C" id="3" presence="optional"><delta/></byteVector><uInt32 name="N" id="9"/></template>
  <template name="Copy" id="4"><string name="D" id="4"><copy key="K"/></string><string name="E" id="5"><copy key="K"/></string></template>
  <template name="Constant" id="5"><string name="F" id="6" presence="optional"><constant value="a long constant"/></string>
    <string name="G" id="7" charset="unicode"><default value="a default, longer"/></string></template>
</templates>"#;

fn text(tag: u32, text: &str) -> Item {
    Item::Text(tag, text.as_bytes().to_vec())
}

/// A message: presence map, identifier, and parts, of which the strings get a stop bit.
fn message(map: u8, id: u8, parts: &[&[u8]]) -> Vec<u8> {
    let mut packet = vec![map | 0xC0, id | 0x80];
    packet.extend(parts.concat());
    packet
}

/// A string with its stop bit.
fn stop(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    if let Some(last) = bytes.last_mut() {
        *last |= 0x80;
    }
    bytes
}

/// Gives the packets to engines of both widths; each says what is meant, or is in a bad frame.
fn check(packets: &[(Vec<u8>, Option<Vec<Item>>)]) {
    let templates = Templates::parse(XML).unwrap();
    let program = assemble(&templates, &Wanted::All, Room::default());
    assert_eq!(program.refused, []);
    for width in all_widths() {
        let settings = Settings::default();
        let mut both = Lockstep::new(width, &templates, &program, &Wanted::All, settings);
        for (packet, meant) in packets {
            let wire = Wire {
                err: meant.is_none(),
                ..Wire::default()
            };
            let found = both.items(packet, wire);
            let found = found.unwrap_or_else(|difference| panic!("{packet:02x?}: {difference}"));
            if let Some(meant) = meant {
                assert_eq!(found, *meant, "{width:?}, {packet:02x?}");
            }
        }
    }
}

#[test]
fn a_delta_takes_characters_off_the_back_or_the_front() {
    let says = |value: &str| Some(vec![Message(1), text(1, value), MessageEnd]);
    let delta = |length: u8, string: &str| message(0, 1, &[&[length], &stop(string)]);
    check(&[
        (delta(0x80, "GEH6"), says("GEH6")),
        (delta(0x82, "M6"), says("GEM6")),
        // -1 takes nothing off the front, -3 two characters.
        (delta(0xFF, "ES-"), says("ES-GEM6")),
        (delta(0xFD, "+"), says("+-GEM6")),
        (delta(0x80, "0123456789"), says("+-GEM60123456789")),
        (
            delta(0xFD, "the front: "),
            says("the front: GEM60123456789"),
        ),
        (delta(0x8C, "."), says("the front: GE.")),
        // All of it, off either end.
        (delta(0x8E, "x"), says("x")),
        (delta(0xFE, "y"), says("y")),
        // The empty string.
        (message(0, 1, &[&[0x81, 0x80]]), says("")),
    ]);
}

#[test]
fn where_there_is_no_previous_value_the_base_is_the_initial_one_and_null_leaves_it() {
    let says = |value: Option<&str>| {
        let item = value.map_or(Absent(2), |value| text(2, value));
        Some(vec![Message(2), item, MessageEnd])
    };
    // An optional length is one higher from 0 on.
    let delta = |length: u8, string: &str| message(0, 2, &[&[length], &stop(string)]);
    check(&[
        (message(0, 2, &[&[0x80]]), says(None)),
        (delta(0x86, "3"), says(Some("one two 3"))),
        (message(0, 2, &[&[0x80]]), says(None)),
        (delta(0xFB, "ein "), says(Some("ein two 3"))),
    ]);
}

#[test]
fn a_vectors_delta_has_a_length_for_its_bytes_too_and_null_skips_both() {
    let says = |value: Option<&[u8]>| {
        let item = value.map_or(Absent(3), |value| Item::Text(3, value.to_vec()));
        Some(vec![Message(3), item, Item::Unsigned(9, 5), MessageEnd])
    };
    let delta = |length: u8, bytes: &[u8]| {
        message(0, 3, &[&[length, bytes.len() as u8 | 0x80], bytes, &[0x85]])
    };
    check(&[
        (message(0, 3, &[&[0x80, 0x85]]), says(None)),
        (
            delta(0x81, &[0x80, 0x00, 0xFF]),
            says(Some(&[0x80, 0x00, 0xFF])),
        ),
        (delta(0x82, &[]), says(Some(&[0x80, 0x00]))),
        (message(0, 3, &[&[0x80, 0x85]]), says(None)),
        (
            delta(0xFE, &[0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88]),
            says(Some(&[
                0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x00,
            ])),
        ),
        (delta(0x8A, &[0x80; 64]), says(Some(&[0x80; 64]))),
    ]);
}

#[test]
fn a_bad_frame_leaves_the_long_string_that_was_there_whatever_it_changed() {
    let says = |[first, second]: [&str; 2]| {
        Some(vec![
            Message(4),
            text(4, first),
            text(5, second),
            MessageEnd,
        ])
    };
    let (long, other) = ("a string of many words", "and another one");
    let both = |first: &str, second: &str| message(0b011_0000, 4, &[&stop(first), &stop(second)]);
    let none = || message(0, 4, &[]);
    check(&[
        (both(long, other), says([long, other])),
        (none(), says([other, other])),
        (both("what is forgotten", "this as well, of course"), None),
        (none(), says([other, other])),
        ([both("short", long), both(long, "short")].concat(), None),
        (both("short", "short"), None),
        // More long strings than there are banks.
        (
            [
                both("what comes and goes", "comes again"),
                both("and once more", "then no more"),
            ]
            .concat(),
            None,
        ),
        (none(), says([other, other])),
        (none(), says([other, other])),
        (both("short", long), says(["short", long])),
        (none(), says([long, long])),
    ]);
}

#[test]
fn constants_and_defaults_of_any_length_come_from_the_text_memory() {
    let says = |f: Option<&str>, g: &str| {
        let f = f.map_or(Absent(6), |value| text(6, value));
        Some(vec![Message(5), f, text(7, g), MessageEnd])
    };
    let (constant, default) = ("a long constant", "a default, longer");
    check(&[
        (message(0b010_0000, 5, &[]), says(Some(constant), default)),
        (message(0, 5, &[]), says(None, default)),
        (
            message(0b001_0000, 5, &[&[0x8B], b"eleven char"]),
            says(None, "eleven char"),
        ),
        (message(0b010_0000, 5, &[]), says(Some(constant), default)),
    ]);
}

#[test]
fn a_long_string_with_copy_costs_nothing_in_the_stream_and_six_cycles_and_one_a_piece_more_from_its_entry()
 {
    let xml = r#"<templates>
      <template name="Short" id="1"><uInt32 name="N" id="1"><copy/></uInt32><uInt32 name="M" id="2"/></template>
      <template name="Text" id="2"><string name="A" id="3"><copy/></string><uInt32 name="M" id="2"/></template>
      <template name="Other" id="3"><string name="B" id="4"><copy/></string><uInt32 name="M" id="2"/></template>
      <template name="Tail" id="5"><string name="D" id="7"><tail/></string><uInt32 name="M" id="2"/></template>
      <template name="Plain" id="4"><string name="C" id="6"/><uInt32 name="M" id="2"/></template>
      </templates>"#;
    let templates = Templates::parse(xml).unwrap();
    let program = assemble(&templates, &Wanted::All, Room::default());
    for width in all_widths() {
        let settings = Settings::default();
        let mut both = Lockstep::new(width, &templates, &program, &Wanted::All, settings);
        let mut cycles = |packet: &[u8]| {
            both.packet(packet, Wire::default())
                .expect("as in software");
            both.engine().run(20);
            both.statistics.last_field.last().copied().unwrap_or(0)
        };
        let sets = |text: &str| message(0b010_0000, 2, &[&stop(text), &[0x81]]);
        let copies = message(0, 2, &[&[0x81]]);
        cycles(&message(0b010_0000, 1, &[&[0x85, 0x81]]));
        let one = cycles(&message(0, 1, &[&[0x81]]));
        cycles(&sets("short"));
        assert_eq!(cycles(&copies), one, "{width:?}");
        let other = message(0b010_0000, 3, &[&stop("other"), &[0x81]]);
        cycles(&other);
        // As it takes without an operator.
        let text = "sixteen charact.";
        let plain = cycles(&message(0, 4, &[&stop(text), &[0x81]]));
        assert_eq!(cycles(&sets(text)), plain, "{width:?}");
        // Two pieces; the walk waits six cycles, in which the first leaves.
        assert_eq!(cycles(&copies), one + 6, "{width:?}");
        cycles(&sets("and of twenty-six charact."));
        assert_eq!(cycles(&copies), one + 8, "{width:?}");
        cycles(&sets("short"));
        // The entry may still have a long one: that it has not is found out.
        assert_eq!(cycles(&copies), one + 6, "{width:?}");
        // Put together of two pieces of the entry, of which one goes as it is, and one of the stream: 8 bytes one by one, into two pieces.
        let tail = |text: &str| message(0b010_0000, 5, &[&stop(text), &[0x81]]);
        cycles(&tail(text));
        let short = cycles(&message(0, 4, &[&stop("!?"), &[0x81]]));
        assert_eq!(cycles(&tail("!?")), short + 8 + 3 * 3 + 8 + 2, "{width:?}");
        // Another entry has none.
        assert_eq!(cycles(&message(0, 3, &[&[0x81]])), one, "{width:?}");
    }
}
