//! Groups, sequences, references, dictionaries, keys, names, resets and blocks, by hand.

use crate::common;
use common::{decoder, decoder_of, error, hex, messages, templates};
use fast_reference::reference::{AfterError, Code, Decoder, Options, Reset};
use fast_reference::{Fields, Value};

fn fields(of: &[(&str, Value)]) -> Fields {
    of.iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect()
}

fn unsigned(value: u64) -> Value {
    Value::Unsigned(value)
}

#[test]
fn a_group_has_a_presence_map_only_if_a_field_in_it_has_a_bit() {
    let mut plain = decoder(
        r#"<group name="G" presence="optional"><uInt8 name="A"/></group><uInt8 name="B"/>"#,
    );
    let decoded = messages(&mut plain, "e0 81 85 86  80 87");
    let group = Value::Group(fields(&[("A", unsigned(5))]));
    assert_eq!(
        decoded[0].fields,
        fields(&[("G", group), ("B", unsigned(6))])
    );
    assert_eq!(
        decoded[1].fields,
        fields(&[("G", Value::Absent), ("B", unsigned(7))])
    );
    let mut mapped = decoder(
        r#"<group name="G"><uInt8 name="A"><copy value="1"/></uInt8></group><uInt8 name="B"><copy value="2"/></uInt8>"#,
    );
    // The message's map has the bit of B, the group's own that of A.
    let decoded = messages(&mut mapped, "e0 81 c0 85 86  80 80");
    for message in decoded {
        let group = Value::Group(fields(&[("A", unsigned(5))]));
        assert_eq!(message.fields, fields(&[("G", group), ("B", unsigned(6))]));
    }
}

#[test]
fn an_optional_group_in_a_group_needs_a_bit_and_a_mandatory_one_does_not() {
    let nested = |presence: &str| {
        decoder(&format!(
            r#"<group name="G"><group name="H" presence="{presence}"><uInt8 name="A"/></group></group>"#
        ))
    };
    let h = Value::Group(fields(&[("A", unsigned(5))]));
    let g = |h: Value| fields(&[("G", Value::Group(fields(&[("H", h)])))]);
    assert_eq!(
        messages(&mut nested("mandatory"), "c0 81 85")[0].fields,
        g(h.clone())
    );
    assert_eq!(
        messages(&mut nested("optional"), "c0 81 c0 85")[0].fields,
        g(h)
    );
    assert_eq!(
        messages(&mut nested("optional"), "c0 81 80")[0].fields,
        g(Value::Absent)
    );
}

#[test]
fn a_sequence_has_as_many_elements_as_its_length_says() {
    let mut optional =
        decoder(r#"<sequence name="S" presence="optional"><uInt8 name="A"/></sequence>"#);
    let element = |value| fields(&[("A", unsigned(value))]);
    let decoded = messages(&mut optional, "c0 81 80  80 81  80 83 85 86");
    let sequences = [
        Value::Absent,
        Value::Sequence(vec![]),
        Value::Sequence(vec![element(5), element(6)]),
    ];
    for (message, sequence) in decoded.iter().zip(sequences) {
        assert_eq!(message.fields, fields(&[("S", sequence)]));
    }
    // The length with an operator has a bit in the map around; the elements have maps of their own.
    let mut mapped = decoder(
        r#"<sequence name="S"><length name="N"><copy value="2"/></length><uInt8 name="A"><copy value="1"/></uInt8></sequence>"#,
    );
    let decoded = messages(&mut mapped, "c0 81 c0 85 80  a0 81 80");
    let of = |values: &[u64]| Value::Sequence(values.iter().map(|&v| element(v)).collect());
    assert_eq!(decoded[0].fields, fields(&[("S", of(&[5, 5]))]));
    assert_eq!(decoded[1].fields, fields(&[("S", of(&[5]))]));
}

#[test]
fn the_length_of_a_sequence_has_its_name_as_key_or_a_generated_one() {
    // The named length shares its entry with a field of that name; the other two lengths are apart.
    let mut decoder = decoder(
        r#"<uInt32 name="N"><copy value="1"/></uInt32>
           <sequence name="S"><length name="N"><copy/></length><uInt8 name="A"/></sequence>
           <sequence name="R"><length><increment value="0"/></length><uInt8 name="A"/></sequence>
           <uInt32 name="R"><copy value="3"/></uInt32>"#,
    );
    let decoded = messages(&mut decoder, "c0 81 85");
    let element = fields(&[("A", unsigned(5))]);
    assert_eq!(
        decoded[0].fields,
        fields(&[
            ("N", unsigned(1)),
            ("S", Value::Sequence(vec![element])),
            ("R", Value::Sequence(vec![])),
            ("R", unsigned(3)),
        ])
    );
}

#[test]
fn a_static_reference_uses_the_presence_map_around_it() {
    let mut decoder = decoder_of(
        r#"<template name="Outer" id="1"><uInt8 name="A"><copy value="1"/></uInt8>
               <templateRef name="Inner"/><uInt8 name="C"><copy value="3"/></uInt8></template>
           <template name="Inner"><uInt8 name="B"><copy value="2"/></uInt8></template>"#,
    );
    let decoded = messages(&mut decoder, "d0 81 85");
    assert_eq!(decoded[0].template, "Outer");
    assert_eq!(
        decoded[0].fields,
        fields(&[("A", unsigned(1)), ("B", unsigned(5)), ("C", unsigned(3))])
    );
}

#[test]
fn a_dynamic_reference_brings_presence_map_and_identifier() {
    let mut decoder = decoder_of(
        r#"<template name="Outer" id="1"><templateRef/><uInt8 name="C"/></template>
           <template name="Inner" id="2"><uInt8 name="B"><copy value="2"/></uInt8></template>"#,
    );
    // The second message: what was the template before is Inner, so that Outer is told again, and Inner again in it.
    let decoded = messages(&mut decoder, "c0 81 e0 82 85 86  c0 81 c0 82 86");
    let inner = Value::Group(fields(&[("B", unsigned(5))]));
    for message in &decoded {
        assert_eq!(message.template, "Outer");
        assert_eq!(
            message.fields,
            fields(&[("Inner", inner.clone()), ("C", unsigned(6))])
        );
    }
    // Without the identifier it is Inner that is copied: a message of Inner.
    assert_eq!(messages(&mut decoder, "80")[0].template, "Inner");
}

#[test]
fn dictionaries_are_shared_as_far_as_they_reach() {
    // Two templates with a field of one name each, and one dictionary after the other for both: does the second see 5?
    for (dictionary, second) in [("global", 5), ("template", 1), ("type", 1), ("book", 5)] {
        let mut decoder = decoder_of(&format!(
            r#"<template name="T" id="1" dictionary="{dictionary}"><typeRef name="X"/><uInt8 name="A"><copy value="1"/></uInt8></template>
               <template name="U" id="2" dictionary="{dictionary}"><typeRef name="Y"/><uInt8 name="A"><copy value="1"/></uInt8></template>"#
        ));
        let decoded = messages(&mut decoder, "e0 81 85 c0 82 c0 81");
        let values: Vec<_> = decoded.iter().map(|m| m.field("A").cloned()).collect();
        let expected = [5, second, 5].map(|value| Some(unsigned(value)));
        assert_eq!(values, expected, "{dictionary}");
    }
}

#[test]
fn templates_of_one_type_share_its_dictionary() {
    let mut decoder = decoder_of(
        r#"<template name="T" id="1" dictionary="type"><typeRef name="X"/><uInt8 name="A"><copy value="1"/></uInt8></template>
           <template name="U" id="2" dictionary="type"><typeRef name="X"/><uInt8 name="A"><copy value="1"/></uInt8>
               <group name="G"><typeRef name="Y"/><uInt8 name="A"><copy value="2"/></uInt8></group></template>"#,
    );
    let decoded = messages(&mut decoder, "e0 81 85 c0 82 80");
    let group = Value::Group(fields(&[("A", unsigned(2))]));
    assert_eq!(
        decoded[1].fields,
        fields(&[("A", unsigned(5)), ("G", group)])
    );
}

#[test]
fn the_template_dictionary_is_that_of_the_referred_template() {
    let mut decoder = decoder_of(
        r#"<template name="T" id="1" dictionary="template"><uInt8 name="A"><copy value="1"/></uInt8><templateRef name="U"/></template>
           <template name="U" id="2"><uInt8 name="A"><copy dictionary="template" value="2"/></uInt8></template>"#,
    );
    let decoded = messages(&mut decoder, "d0 81 87 c0 82");
    assert_eq!(
        decoded[0].fields,
        fields(&[("A", unsigned(1)), ("A", unsigned(7))])
    );
    assert_eq!(decoded[1].fields, fields(&[("A", unsigned(7))]));
}

#[test]
fn the_nearest_dictionary_attribute_applies() {
    let mut decoder = Decoder::new(
        r#"<templates xmlns="http://www.fixprotocol.org/ns/fast/td/1.1" dictionary="one">
             <template name="T" id="1">
               <uInt8 name="A"><copy key="K" value="1"/></uInt8>
               <group name="G" dictionary="two"><uInt8 name="B"><copy key="K" value="2"/></uInt8>
                 <uInt8 name="C"><copy key="K" dictionary="one" value="3"/></uInt8></group>
             </template></templates>"#,
    )
    .unwrap();
    let decoded = messages(&mut decoder, "e0 81 85 80");
    let group = Value::Group(fields(&[("B", unsigned(2)), ("C", unsigned(5))]));
    assert_eq!(
        decoded[0].fields,
        fields(&[("A", unsigned(5)), ("G", group)])
    );
}

#[test]
fn names_are_equal_only_in_one_namespace() {
    let mut decoder = decoder(
        r#"<uInt8 name="A" ns="x"><copy value="1"/></uInt8>
           <uInt8 name="A"><copy value="2"/></uInt8>
           <uInt8 name="B"><copy key="A" ns="x" value="3"/></uInt8>"#,
    );
    let decoded = messages(&mut decoder, "e0 81 85");
    assert_eq!(
        decoded[0].fields,
        fields(&[("A", unsigned(5)), ("A", unsigned(2)), ("B", unsigned(5))])
    );
    let mut decoder = decoder_of(
        r#"<template name="T" id="1" templateNs="x"><templateRef name="U"/></template>
           <template name="U" templateNs="x"><uInt8 name="A"/></template>
           <template name="U"><uInt8 name="B"/></template>
           <template name="V" id="2" templateNs="x"><templateRef name="U" templateNs=""/></template>"#,
    );
    let decoded = messages(&mut decoder, "c0 81 85 c0 82 86");
    assert_eq!(decoded[0].fields, fields(&[("A", unsigned(5))]));
    assert_eq!(decoded[1].fields, fields(&[("B", unsigned(6))]));
}

/// A counter, and a message that resets.
const COUNTER: &str = r#"<template name="T" id="1"><uInt8 name="A"><increment value="1"/></uInt8></template>
    <template name="Reset" id="120" reset="yes"/>"#;

fn counted(decoder: &mut Decoder, packet: &str) -> Vec<Option<Value>> {
    messages(decoder, packet)
        .iter()
        .map(|message| message.field("A").cloned())
        .collect()
}

fn counts(values: &[u64]) -> Vec<Option<Value>> {
    values.iter().map(|&value| Some(unsigned(value))).collect()
}

#[test]
fn a_reset_message_makes_all_entries_undefined() {
    let mut decoder = decoder_of(COUNTER);
    assert_eq!(counted(&mut decoder, "c0 81 80"), counts(&[1, 2]));
    let mut expected = counts(&[3]);
    expected.push(None);
    expected.extend(counts(&[1]));
    assert_eq!(counted(&mut decoder, "80 c0 f8 c0 81"), expected);
    // The identifier is undefined too.
    assert_eq!(error(&mut decoder, "c0 f8 80"), (Code::D5, 3));
}

#[test]
fn a_reference_to_a_template_that_resets_does_not_reset() {
    let mut decoder = decoder_of(&format!(
        r#"{COUNTER}<template name="Outer" id="2"><uInt8 name="A"><increment/></uInt8><templateRef/><templateRef name="Reset"/></template>"#
    ));
    let packet = "c0 81 c0 82 c0 f8 c0 81";
    assert_eq!(counted(&mut decoder, packet), counts(&[1, 2, 3]));
}

#[test]
fn dictionaries_are_reset_when_the_options_say_so() {
    let with = |reset| {
        let options = Options {
            reset,
            ..Options::default()
        };
        Decoder::with_options(&templates(COUNTER), options).unwrap()
    };
    let packet = "c0 81 c0 81";
    let mut never = with(Reset::Never);
    assert_eq!(counted(&mut never, packet), counts(&[1, 2]));
    assert_eq!(counted(&mut never, packet), counts(&[3, 4]));
    never.reset();
    assert_eq!(counted(&mut never, packet), counts(&[1, 2]));
    let mut each_packet = with(Reset::EachPacket);
    assert_eq!(counted(&mut each_packet, packet), counts(&[1, 2]));
    assert_eq!(counted(&mut each_packet, packet), counts(&[1, 2]));
    let mut each_message = with(Reset::EachMessage);
    assert_eq!(counted(&mut each_message, packet), counts(&[1, 1]));
}

#[test]
fn after_an_error_the_dictionaries_are_what_the_options_say() {
    let with = |after_error| {
        let options = Options {
            after_error,
            ..Options::default()
        };
        Decoder::with_options(&templates(COUNTER), options).unwrap()
    };
    for (after_error, next) in [(AfterError::Restore, 2), (AfterError::Reset, 1)] {
        let mut decoder = with(after_error);
        assert_eq!(counted(&mut decoder, "c0 81"), counts(&[1]));
        // Two good messages, then an unknown template.
        let results = decoder.packet(&hex("80 80 c0 ff"));
        assert_eq!(results.len(), 3);
        assert!(results[0].is_ok() && results[1].is_ok() && results[2].is_err());
        assert_eq!(counted(&mut decoder, "c0 81"), counts(&[next]));
    }
}

#[test]
fn blocks_are_sizes_with_messages() {
    let mut decoder = decoder_of(COUNTER);
    // Two blocks, the size of the second overlong; then one of size zero.
    let results = decoder.blocks(&hex("83 c0 81 80  00 81 80  80 80"));
    assert_eq!(results.len(), 4);
    assert!(results[..3].iter().all(Result::is_ok));
    let error = results[3].as_ref().unwrap_err();
    assert_eq!((error.code, error.offset), (Code::D12, 7));
    // A message that is longer than its block, and a block that is longer than the bytes; the place counts from the start.
    for (bytes, offset) in [("81 80  81 c0 81", 4), ("81 80 84 80", 2)] {
        let error = decoder.blocks(&hex(bytes)).pop().unwrap().unwrap_err();
        assert_eq!((error.code, error.offset), (Code::Truncated, offset));
    }
}

#[test]
fn a_single_template_foreign_elements_and_prefixes_are_read() {
    let xml = r#"<td:template xmlns:td="http://www.fixprotocol.org/ns/fast/td/1.1" xmlns:n="urn:n" name="T" id="1" n:a="b">
            <n:note><td:uInt8/></n:note><other/>
            <td:uInt8 name="A" unheard="of"><n:x/><td:copy value="4"><n:y/></td:copy></td:uInt8>
        </td:template>"#;
    let decoded = messages(&mut Decoder::new(xml).unwrap(), "c0 81");
    assert_eq!(decoded[0].fields, fields(&[("A", unsigned(4))]));
}
