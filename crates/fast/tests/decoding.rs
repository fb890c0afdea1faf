//! Errors, what is left after them, limits, and allocation.

use crate::common;
use common::{recorded, templates};
use fast::{
    Decoder, Encoder, ErrorCode, Field, Framing, MessageBuilder, Node, Reportable, Settings,
    Templates, Value, Visitor,
};
use proptest::prelude::*;

fn one(fields: &str) -> Templates {
    let xml = format!(
        r#"<templates xmlns="http://www.fixprotocol.org/ns/fast/td/1.1"><template name="T" id="1">{fields}</template></templates>"#
    );
    Templates::parse(&xml).unwrap_or_else(|error| panic!("{error}"))
}

fn code(fields: &str, bytes: &[u8]) -> Option<ErrorCode> {
    let templates = one(fields);
    let mut builder = MessageBuilder::new(&templates);
    Decoder::new(&templates)
        .packet(bytes, &mut builder)
        .err()
        .map(|error| error.code)
}

/// Appendix 4. Each packet begins with the map and identifier of template 1.
#[test]
fn every_error_has_its_code() {
    let wide = "<sequence name='s'><length name='n'/><uInt32 name='a'/></sequence>";
    for (fields, bytes, meant) in [
        (
            "<uInt32 name='a'/>",
            &[0xc0, 0x81, 0x10, 0x00, 0x00, 0x00, 0x80][..],
            ErrorCode::D2,
        ),
        ("<int8 name='a'/>", &[0xc0, 0x81, 0x01, 0x80], ErrorCode::D2),
        (
            "<uInt32 name='a'><copy key='k'/></uInt32><string name='b'><copy key='k'/></string>",
            &[0xe0, 0x81, 0x85],
            ErrorCode::D4,
        ),
        (
            "<uInt32 name='a'><copy/></uInt32>",
            &[0xc0, 0x81],
            ErrorCode::D5,
        ),
        (
            "<uInt32 name='a' presence='optional'><copy key='k'/></uInt32><uInt32 name='b'><copy key='k'/></uInt32>",
            &[0xc0, 0x81],
            ErrorCode::D6,
        ),
        (
            "<string name='a'><delta/></string>",
            &[0xc0, 0x81, 0x81, 0x80],
            ErrorCode::D7,
        ),
        (
            "<string name='a'><delta/></string>",
            &[0xc0, 0x81, 0x08, 0x00, 0x00, 0x00, 0x80, 0x80],
            ErrorCode::D7,
        ),
        ("", &[0xc0, 0x82], ErrorCode::D9),
        ("", &[0x80], ErrorCode::D5),
        (
            "<decimal name='a'/>",
            &[0xc0, 0x81, 0x00, 0xc0, 0x81],
            ErrorCode::R1,
        ),
        (
            "<string name='a' charset='unicode'/>",
            &[0xc0, 0x81, 0x81, 0xff],
            ErrorCode::R2,
        ),
        (
            "<uInt32 name='a'><delta/></uInt32>",
            &[0xc0, 0x81, 0xff],
            ErrorCode::R4,
        ),
        (
            "<uInt32 name='a'/>",
            &[0xc0, 0x81, 0x00, 0x81],
            ErrorCode::R6,
        ),
        ("", &[0x40, 0x80, 0x81], ErrorCode::R7),
        ("", &[0xe0, 0x81], ErrorCode::R8),
        (
            "<string name='a'/>",
            &[0xc0, 0x81, 0x00, 0xc1],
            ErrorCode::R9,
        ),
        ("<uInt32 name='a'/>", &[0xc0, 0x81], ErrorCode::Truncated),
        (
            wide,
            &[0xc0, 0x81, 0x0f, 0x7f, 0x7f, 0x7f, 0xff, 0x81],
            ErrorCode::Truncated,
        ),
        (
            "<sequence name='s'/>",
            &[0xc0, 0x81, 0x0f, 0x7f, 0x7f, 0x7f, 0xff],
            ErrorCode::TooManyEntries,
        ),
        ("<templateRef/>", &[0xc0, 0x81, 0x80], ErrorCode::Truncated),
    ] {
        assert_eq!(code(fields, bytes), Some(meant), "{fields} {bytes:02x?}");
    }
    let mut recursion = vec![0xc0, 0x81];
    recursion.extend([0x80; 100]);
    assert_eq!(code("<templateRef/>", &recursion), Some(ErrorCode::TooDeep));
    let templates = one("");
    let found = Framing::Block.next(
        &mut Decoder::new(&templates),
        &[0x80],
        0,
        &mut MessageBuilder::new(&templates),
    );
    assert_eq!(found.unwrap_err().code, ErrorCode::D12);
}

#[test]
fn a_reportable_error_that_is_not_reported_is_passed_over() {
    let passed = |fields: &str, bytes: &[u8], code, value: Node| {
        let templates = one(fields);
        let report = Reportable::ALL.without(code);
        let mut decoder = Decoder::with(
            &templates,
            Settings {
                report,
                ..Settings::default()
            },
        );
        let mut builder = MessageBuilder::new(&templates);
        assert_eq!(decoder.packet(bytes, &mut builder), Ok(1), "{code}");
        assert_eq!(builder.take()[0].fields, [(0, value)], "{code}");
    };
    passed(
        "<uInt32 name='a'/>",
        &[0xc0, 0x81, 0x00, 0x81],
        ErrorCode::R6,
        Node::Unsigned(1),
    );
    passed(
        "<uInt32 name='a'/>",
        &[0x40, 0x80, 0x81, 0x82],
        ErrorCode::R7,
        Node::Unsigned(2),
    );
    passed(
        "<uInt32 name='a'/>",
        &[0xe0, 0x81, 0x82],
        ErrorCode::R8,
        Node::Unsigned(2),
    );
    passed(
        "<string name='a'/>",
        &[0xc0, 0x81, 0x00, 0xc1],
        ErrorCode::R9,
        Node::Bytes(b"A".to_vec()),
    );
    passed(
        "<uInt8 name='a'><delta/></uInt8>",
        &[0xc0, 0x81, 0xff],
        ErrorCode::R4,
        Node::Unsigned(255),
    );
    passed(
        "<string name='a' charset='unicode'/>",
        &[0xc0, 0x81, 0x81, 0xff],
        ErrorCode::R2,
        Node::Bytes(vec![0xff]),
    );
}

/// One packet, whatever is in it: the copy of its first message reaches its second, and no other datagram's.
#[test]
fn a_datagram_is_one_preamble_and_messages_to_its_end() {
    let templates = one("<uInt32 name='a'><copy/></uInt32>");
    let settings = Settings {
        reset_each_packet: true,
        ..Settings::default()
    };
    let mut decoder = Decoder::with(&templates, settings);
    let mut builder = MessageBuilder::new(&templates);
    let preamble = 0x0102_0304_u32.to_le_bytes();
    let of = |messages: &[u8]| [&preamble, messages].concat();
    let (said, copied) = ([0xe0, 0x81, 0x85], [0xc0, 0x81]);

    let two = of(&[&said[..], &copied].concat());
    let frame = Framing::Preamble.datagram(&mut decoder, &two, &mut builder);
    let frame = frame.unwrap();
    assert_eq!(frame.sequence, Some(0x0102_0304));
    assert_eq!((frame.end, frame.messages), (two.len(), 2));
    let values = builder.take();
    assert_eq!(values[0].fields.len(), 1);
    assert_eq!(values[0].fields, values[1].fields);

    // A file has a preamble before each.
    let end = Framing::Preamble.next(&mut decoder, &two, 0, &mut builder);
    assert_eq!(end.unwrap().end, preamble.len() + said.len());

    for (bytes, code) in [
        (of(&copied), ErrorCode::D5),
        (of(&[]), ErrorCode::Truncated),
        (preamble[..3].to_vec(), ErrorCode::Truncated),
        (
            of(&[&said[..], &copied[..1]].concat()),
            ErrorCode::Truncated,
        ),
    ] {
        let error = Framing::Preamble.datagram(&mut decoder, &bytes, &mut builder);
        assert_eq!(error.unwrap_err().code, code, "{bytes:02x?}");
    }
}

#[test]
fn after_an_error_everything_is_as_before_the_packet() {
    let templates = one(
        "<uInt32 name='n'><increment value='1'/></uInt32><string name='s'><copy value='longer than eight'/></string><uInt32 name='x'/>",
    );
    let mut decoder = Decoder::new(&templates);
    let mut builder = MessageBuilder::new(&templates);
    let fields = |number, text: &str, x| {
        vec![
            (0, Node::Unsigned(number)),
            (1, Node::Bytes(text.into())),
            (2, Node::Unsigned(x)),
        ]
    };
    decoder.packet(&[0xc0, 0x81, 0x85], &mut builder).unwrap();
    assert_eq!(builder.take()[0].fields, fields(1, "longer than eight", 5));
    // Two good messages, one with a new string, then one that is cut off: all three are dropped.
    let mut packet = vec![0x80, 0x85, 0x90];
    packet.extend(b"another string");
    packet.extend([0xa1, 0x86, 0x80]);
    assert_eq!(
        decoder.packet(&packet, &mut builder).unwrap_err().code,
        ErrorCode::Truncated
    );
    assert_eq!(builder.take(), []);
    decoder.packet(&[0x80, 0x87], &mut builder).unwrap();
    assert_eq!(builder.take()[0].fields, fields(2, "longer than eight", 7));
}

#[test]
fn a_reset_template_makes_every_entry_undefined() {
    let xml = r#"<templates xmlns="http://www.fixprotocol.org/ns/fast/td/1.1" xmlns:scp="http://www.fixprotocol.org/ns/fast/scp/1.1">
        <template name="T" id="1"><uInt32 name="n"><increment value="1"/></uInt32></template>
        <template name="Reset" id="2" scp:reset="yes"/></templates>"#;
    let templates = Templates::parse(xml).unwrap();
    let mut decoder = Decoder::new(&templates);
    let mut builder = MessageBuilder::new(&templates);
    assert_eq!(
        decoder.packet(&[0xc0, 0x81, 0x80, 0xc0, 0x82, 0xc0, 0x81], &mut builder),
        Ok(4)
    );
    let numbers: Vec<_> = builder
        .take()
        .into_iter()
        .flat_map(|message| message.fields)
        .collect();
    assert_eq!(
        numbers,
        [
            (0, Node::Unsigned(1)),
            (0, Node::Unsigned(2)),
            (0, Node::Unsigned(1))
        ]
    );
}

/// The template identifier is a field with the operator copy (10.3): what is known of the stream is its value before the first message.
#[test]
fn a_stream_that_names_no_template_is_of_the_one_that_is_assumed() {
    let xml = r#"<templates xmlns="http://www.fixprotocol.org/ns/fast/td/1.1" xmlns:scp="http://www.fixprotocol.org/ns/fast/scp/1.1">
        <template name="T" id="1"><uInt32 name="n"/></template><template name="U" id="2"><uInt32 name="n"/></template>
        <template name="Reset" id="3" scp:reset="yes"/></templates>"#;
    let templates = Templates::parse(xml).unwrap();
    // Two without, one that names the other, one without, a reset, one without.
    let bytes = [
        0x80, 0x81, 0x80, 0x82, 0xc0, 0x82, 0x83, 0x80, 0x84, 0xc0, 0x83, 0x80, 0x85,
    ];
    let mut decoder = Decoder::new(&templates);
    let mut builder = MessageBuilder::new(&templates);
    let error = decoder.packet(&bytes, &mut builder).unwrap_err();
    assert_eq!(error.code, ErrorCode::D5);
    builder.take();
    let mut found = Vec::new();
    let expected = [
        (0, Some(1)),
        (0, Some(2)),
        (1, Some(3)),
        (1, Some(4)),
        (2, None),
        (0, Some(5)),
    ];
    for reset_each_packet in [false, true] {
        let settings = Settings {
            reset_each_packet,
            ..Settings::default()
        };
        let mut decoder = Decoder::with(&templates, settings);
        decoder.assume_template(1);
        // An error does not change it.
        assert!(decoder.packet(&[0xc0, 0x89], &mut builder).is_err());
        builder.take();
        assert_eq!(decoder.packet(&bytes, &mut builder), Ok(6));
        let messages = builder.take();
        found.clear();
        found.extend(messages.iter().map(|message| {
            let number = message.fields.first().map(|(_, value)| value);
            let number = number.map(|value| match value {
                Node::Unsigned(number) => *number,
                other => panic!("{other:?}"),
            });
            (message.template, number)
        }));
        assert_eq!(found, expected);
        // A packet of its own: after the reset each names none again, without it the last holds.
        assert_eq!(decoder.packet(&bytes[..2], &mut builder), Ok(1));
        assert_eq!(builder.take()[0].template, 0);
        let mut encoder = Encoder::new(&templates);
        encoder.assume_template(1);
        let mut encoded = vec![];
        for message in &messages {
            encoder.message(message, &mut encoded).unwrap();
        }
        assert_eq!(encoded, bytes);
    }
}

/// Uses every value without keeping one.
struct Last(usize);

impl Visitor for Last {
    fn field(&mut self, field: Field, value: Value<'_>) {
        self.0 ^= field.tag as usize ^ format_args!("{value:?}").as_str().map_or(0, str::len);
    }
}

#[test]
fn nothing_is_allocated_after_the_first_messages() {
    let Some(templates) = templates("micex-2013-08-01/templates.xml") else {
        return;
    };
    let bytes = recorded("micex-2013-08-01/increment_a.dat").expect("the templates are there");
    let mut decoder = Decoder::new(&templates);
    let mut last = Last(0);
    let mut at = 0;
    for _ in 0..100 {
        at += decoder.message(&bytes[at..], &mut last).unwrap();
    }
    let allocated = allocation_counter::measure(|| {
        while at < bytes.len() {
            at += decoder.message(&bytes[at..], &mut last).unwrap();
        }
    });
    assert_eq!(allocated.count_total, 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_bytes_make_it_panic_and_a_truncated_packet_is_an_error(start in 0_usize..300, cut in 0_usize..200, noise: Vec<u8>) {
        let Some(templates) = templates("micex-2013-08-01/templates.xml") else {
            return Ok(());
        };
        let bytes = recorded("micex-2013-08-01/increment_a.dat").expect("the templates are there");
        let mut decoder = Decoder::new(&templates);
        let mut builder = MessageBuilder::new(&templates);
        let mut at = 0;
        for _ in 0..start {
            at += decoder.message(&bytes[at..], &mut builder).unwrap();
        }
        let length = decoder.clone().message(&bytes[at..], &mut builder).unwrap();
        let cut = cut % length;
        let error = decoder.message(&bytes[at..at + cut], &mut builder).unwrap_err();
        prop_assert_eq!(error.code, ErrorCode::Truncated);
        let _ = decoder.packet(&noise, &mut builder);
        // Restored: the message decodes all the same.
        let mut noisy = bytes[at..at + cut].to_vec();
        noisy.extend(&noise);
        let _ = decoder.clone().packet(&noisy, &mut builder);
        if cut > 0 && noise.len() < 2 {
            prop_assert_eq!(decoder.message(&bytes[at..], &mut builder), Ok(length));
        }
    }
}
