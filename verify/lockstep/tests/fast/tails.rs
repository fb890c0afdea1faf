//! The operator tail on strings (6.3.8 of the specification): the bytes and what they say are written here by hand.

use cosim::fast_items::FromDecoder;
use fast::microcode::{Room, Wanted, assemble};
use fast::{Decoder, ErrorCode, Settings, Templates};

use super::common::all_widths;
use super::fast_sim::Item::{self, Absent, Message, MessageEnd};
use super::fast_sim::{Lockstep, Wire};

/// `Shared` has its fields in one group and in one dictionary entry, so that each has its base from the one before it.
const XML: &str = r#"<templates>
  <template name="Single" id="1"><string name="A" id="1"><tail/></string></template>
  <template name="Optional" id="2"><string name="B" id="2" presence="optional"><tail value="abcd"/></string></template>
  <template name="Shared" id="3">
    <string name="C" id="3"><tail key="K" value="12345678"/></string><string name="D" id="4"><tail key="K" value="12345678"/></string>
    <string name="E" id="5"><tail key="K" value="12345678"/></string><string name="F" id="6"><copy key="K" value="12345678"/></string></template>
  <template name="Empty" id="4"><string name="O" id="7" presence="optional"><tail key="X"/></string><string name="P" id="8"><tail key="X"/></string></template>
</templates>"#;

fn text(tag: u32, text: &str) -> Item {
    Item::Text(tag, text.as_bytes().to_vec())
}

/// Gives the packets, each of one message, to engines of both widths; each says what is meant.
fn check(packets: &[(&[u8], Vec<Item>)]) {
    let templates = Templates::parse(XML).unwrap();
    let program = assemble(&templates, &Wanted::All, Room::default());
    assert_eq!(program.refused, []);
    for width in all_widths() {
        let settings = Settings::default();
        let mut both = Lockstep::new(width, &templates, &program, &Wanted::All, settings);
        let (mut one, mut all) = (Vec::new(), Vec::new());
        for (packet, meant) in packets {
            let found = both.items(packet, Wire::default());
            let found = found.unwrap_or_else(|difference| panic!("{packet:02x?}: {difference}"));
            assert_eq!(found, *meant, "{packet:02x?}");
            one.extend_from_slice(packet);
            all.extend_from_slice(meant);
        }
        // And all of them in one packet, without a pause.
        let mut both = Lockstep::new(width, &templates, &program, &Wanted::All, settings);
        let found = both.items(&one, Wire::default());
        assert_eq!(
            found.unwrap_or_else(|difference| panic!("{difference}")),
            all
        );
    }
}

#[test]
fn a_tail_takes_the_place_of_the_bases_last_characters() {
    let says = |value: &str| vec![Message(1), text(1, value), MessageEnd];
    check(&[
        (&[0b1110_0000, 0x81, b'a', b'b', b'c' | 0x80], says("abc")),
        (&[0b1010_0000, b'X' | 0x80], says("abX")),
        (&[0b1000_0000], says("abX")),
        // The empty string, and one NUL.
        (&[0b1010_0000, 0x80], says("abX")),
        (&[0b1010_0000, 0x00, 0x80], says("ab\0")),
        (&[0b1010_0000, b'1', b'2', b'3' | 0x80], says("123")),
        (&[0b1010_0000, b'1', b'2', b'3', b'4' | 0x80], says("1234")),
        (
            &[
                0b1010_0000,
                b'q',
                b'r',
                b's',
                b't',
                b'u',
                b'v',
                b'w',
                b'x' | 0x80,
            ],
            says("qrstuvwx"),
        ),
        (&[0b1010_0000, b'!' | 0x80], says("qrstuvw!")),
        (&[0b1010_0000, b'+', b'-' | 0x80], says("qrstuv+-")),
        (&[0b1000_0000], says("qrstuv+-")),
    ]);
}

#[test]
fn where_there_is_no_previous_value_the_base_is_the_initial_one() {
    let says = |value: Option<&str>| {
        let item = value.map_or(Absent(2), |value| text(2, value));
        vec![Message(2), item, MessageEnd]
    };
    check(&[
        (&[0b1100_0000, 0x82], says(Some("abcd"))),
        (&[0b1010_0000, b'Z' | 0x80], says(Some("abcZ"))),
        // NULL: it is empty from here on.
        (&[0b1010_0000, 0x80], says(None)),
        (&[0b1000_0000], says(None)),
        (&[0b1010_0000, b'Y' | 0x80], says(Some("abcY"))),
        // The empty string, which is not NULL, and one NUL.
        (&[0b1010_0000, 0x00, 0x80], says(Some("abcY"))),
        (&[0b1010_0000, 0x00, 0x00, 0x80], says(Some("abc\0"))),
    ]);
    check(&[(&[0b1110_0000, 0x82, b'y', b'z' | 0x80], says(Some("abyz")))]);
}

#[test]
fn fields_in_one_entry_have_their_base_from_the_one_before() {
    let says = |[c, d, e, f]: [&str; 4]| {
        vec![
            Message(3),
            text(3, c),
            text(4, d),
            text(5, e),
            text(6, f),
            MessageEnd,
        ]
    };
    check(&[
        (
            &[0b1111_1000, 0x83, b'x' | 0x80, b'y', b'z' | 0x80, 0x80],
            says(["1234567x", "123456yz", "123456yz", "123456yz"]),
        ),
        (
            &[
                0b1001_1100,
                b'A',
                b'B',
                b'C',
                b'D',
                b'E',
                b'F',
                b'G',
                b'H' | 0x80,
                b'q' | 0x80,
                b'z',
                b'z' | 0x80,
            ],
            says(["123456yz", "ABCDEFGH", "ABCDEFGq", "zz"]),
        ),
        (
            &[0b1011_0000, b'y' | 0x80, b'a', b'b', b'c' | 0x80],
            says(["zy", "abc", "abc", "abc"]),
        ),
        (
            &[0b1010_1000, b'1' | 0x80, b'2' | 0x80],
            says(["ab1", "ab1", "ab2", "ab2"]),
        ),
    ]);
}

#[test]
fn errors_are_those_of_the_section_on_the_operator() {
    let templates = Templates::parse(XML).unwrap();
    let program = assemble(&templates, &Wanted::All, Room::default());
    let cases: [(&[u8], ErrorCode); 3] = [
        // Undefined; empty.
        (&[0b1100_0000, 0x81], ErrorCode::D6),
        (&[0b1110_0000, 0x84, 0x80], ErrorCode::D7),
        (&[0b1110_0000, 0x81, 0x00, b'a' | 0x80], ErrorCode::R9),
    ];
    for width in all_widths() {
        for (packet, code) in cases {
            let settings = Settings::default();
            let mut both = Lockstep::new(width, &templates, &program, &Wanted::All, settings);
            let mut all = FromDecoder::new(&templates, &Wanted::All);
            let error = Decoder::new(&templates).packet(packet, &mut all);
            assert_eq!(error.unwrap_err().code, code, "{packet:02x?}");
            let said = both.packet(packet, Wire::default());
            said.unwrap_or_else(|difference| panic!("{width:?}, {packet:02x?}: {difference}"));
            assert_eq!(both.statistics.bad, 1);
        }
        let settings = Settings::default();
        let mut both = Lockstep::new(width, &templates, &program, &Wanted::All, settings);
        let longest = [&[0b1110_0000, 0x81][..], &[b'x'; 63], &[0x80 | b's']].concat();
        let found = both.items(&longest, Wire::default());
        let value = "x".repeat(63) + "s";
        let meant = [Message(1), text(1, &value), MessageEnd];
        assert_eq!(found.expect("it is good"), meant);
        let long = [&[0b1110_0000, 0x81][..], &[b'y'; 64], &[0x80 | b's']].concat();
        both.packet(&long, Wire::default()).expect("it is refused");
        assert_eq!(both.statistics.too_long, 1);
        // It has left nothing: the base is the one before.
        let packet = [0b1110_0000, 0x81, b'a' | 0x80];
        let found = both.items(&packet, Wire::default()).expect("it is good");
        let value = "x".repeat(63) + "a";
        assert_eq!(found, [Message(1), text(1, &value), MessageEnd]);
    }
}
