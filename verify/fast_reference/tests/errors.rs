//! Every error of a stream: its code and its place, by hand from the specification.

use crate::common;
use common::{decoder, decoder_of, error, hex, templates};
use fast_reference::Value;
use fast_reference::reference::{Code, Decoder, Options, Reportable};

fn check(content: &str, packet: &str, code: Code, offset: usize) {
    assert_eq!(
        error(&mut decoder(content), packet),
        (code, offset),
        "{content} {packet}"
    );
}

/// The only field, where reportable errors are ignored.
fn lenient(content: &str, packet: &str) -> Value {
    let xml = templates(&format!(
        r#"<template name="T" id="1">{content}</template>"#
    ));
    let options = Options {
        reportable: Reportable::Ignore,
        ..Options::default()
    };
    let mut decoder = Decoder::with_options(&xml, options).unwrap();
    let message = decoder.packet(&hex(packet)).remove(0).unwrap();
    message.fields[0].1.clone()
}

#[test]
fn d2_for_an_integer_outside_its_type() {
    // One more than the greatest and one less than the least, at once after the greatest and the least, which are right.
    for (kind, good, bad) in [
        ("uInt8", "01 ff", "02 80"),
        ("int8", "00 ff", "01 80"),
        ("int8", "7f 80", "7e ff"),
        ("uInt16", "03 7f ff", "04 00 80"),
        ("int16", "7e 00 80", "7d 7f ff"),
        ("uInt32", "0f 7f 7f 7f ff", "10 00 00 00 80"),
        ("int32", "07 7f 7f 7f ff", "08 00 00 00 80"),
        ("int32", "78 00 00 00 80", "77 7f 7f 7f ff"),
        (
            "uInt64",
            "01 7f 7f 7f 7f 7f 7f 7f 7f ff",
            "02 00 00 00 00 00 00 00 00 80",
        ),
        (
            "int64",
            "00 7f 7f 7f 7f 7f 7f 7f 7f ff",
            "01 00 00 00 00 00 00 00 00 80",
        ),
        (
            "int64",
            "7f 00 00 00 00 00 00 00 00 80",
            "7e 7f 7f 7f 7f 7f 7f 7f 7f ff",
        ),
    ] {
        let packet = format!("c0 81 {good} 80 {bad}");
        let offset = hex(&packet).len() - hex(bad).len();
        check(&format!(r#"<{kind} name="V"/>"#), &packet, Code::D2, offset);
    }
    // 11 bytes and more.
    let long = "01 01 01 01 01 01 01 01 01 01 01 01 81";
    check(
        r#"<uInt64 name="V"/>"#,
        &format!("c0 81 {long}"),
        Code::D2,
        2,
    );
    check(
        r#"<int64 name="V"/>"#,
        &format!("c0 81 40 {long}"),
        Code::D2,
        2,
    );
    // The nullable greatest takes one bit more; one more than that is too much.
    let optional = r#"<uInt32 name="V" presence="optional"/>"#;
    check(
        optional,
        "c0 81 10 00 00 00 80 80 10 00 00 00 81",
        Code::D2,
        8,
    );
    // A length field is a uInt32, the size of a byte vector too.
    let sequence = r#"<sequence name="S"><uInt8 name="A"/></sequence>"#;
    check(sequence, "c0 81 10 00 00 00 80", Code::D2, 2);
    check(
        r#"<byteVector name="V"/>"#,
        "c0 81 10 00 00 00 80",
        Code::D2,
        2,
    );
}

#[test]
fn d4_for_an_entry_of_another_type() {
    let fields = r#"<uInt32 name="A"><copy key="K" value="1"/></uInt32>
        <uInt64 name="B"><copy key="K" value="1"/></uInt64>"#;
    check(fields, "c0 81", Code::D4, 2);
    // To write is an access too.
    check(fields, "d0 81 85", Code::D4, 2);
    let fields = r#"<string name="A" presence="optional"><copy key="K"/></string>
        <string name="B" charset="unicode"><tail key="K"/></string>"#;
    // The entry is empty, and still that of an ASCII string.
    check(fields, "f0 81 80 81 41", Code::D4, 3);
}

#[test]
fn d5_for_a_first_identifier_that_is_left_out() {
    check(r#"<uInt8 name="V"/>"#, "80 85", Code::D5, 1);
}

#[test]
fn d7_for_subtracting_more_than_there_is() {
    let string = r#"<string name="V"><delta value="abc"/></string>"#;
    check(string, "c0 81 84 80", Code::D7, 2);
    // Four from the front are -5.
    check(string, "c0 81 fb 80", Code::D7, 2);
    // More than an int32.
    check(string, "c0 81 08 00 00 00 80 80", Code::D7, 2);
    let bytes = r#"<byteVector name="V"><delta/></byteVector>"#;
    check(bytes, "c0 81 81 80", Code::D7, 2);
    // All of it may go, from either end.
    assert_eq!(
        common::values(&mut decoder(string), "c0 81 83 d8 80 fe d9"),
        [common::ascii("X"), common::ascii("Y")]
    );
}

#[test]
fn d8_and_d9_for_templates_that_are_not_there() {
    check(
        r#"<uInt8 name="A"/><templateRef name="X"/>"#,
        "c0 81 85",
        Code::D8,
        3,
    );
    check(r#"<uInt8 name="A"/>"#, "c0 82 85", Code::D9, 1);
    check(r#"<uInt8 name="A"/>"#, "c0 10 00 00 00 81 85", Code::D9, 1);
    check(
        r#"<uInt8 name="A"/><templateRef/>"#,
        "c0 81 85 c0 82",
        Code::D9,
        4,
    );
    // A template without identifier cannot be named by a stream.
    let mut without = decoder_of(r#"<template name="T"><uInt8 name="A"/></template>"#);
    assert_eq!(error(&mut without, "c0 81 85"), (Code::D9, 1));
}

#[test]
fn r1_for_a_decimal_out_of_its_bounds() {
    let plain = r#"<decimal name="V"/>"#;
    // Exponents 63 and -63 are right, 64 and -64 are not.
    check(plain, "c0 81 bf 81 80 00 c0 81", Code::R1, 5);
    check(plain, "c0 81 c1 81 80 c0 81", Code::R1, 5);
    let mantissa = "01 00 00 00 00 00 00 00 00 80";
    check(plain, &format!("c0 81 80 {mantissa}"), Code::R1, 2);
    let delta = r#"<decimal name="V"><delta value="10"/></decimal>"#;
    check(delta, "c0 81 bf 80", Code::R1, 2);
    let greatest = "00 7f 7f 7f 7f 7f 7f 7f 7f ff";
    check(delta, &format!("c0 81 80 {greatest}"), Code::R1, 2);
    let parts = r#"<decimal name="V"><exponent><increment value="63"/></exponent><mantissa><delta/></mantissa></decimal>"#;
    check(parts, "c0 81 81 80", Code::R1, 4);
    // The parts are integers of their types before that.
    let parts =
        r#"<decimal name="V"><exponent><delta/></exponent><mantissa><copy/></mantissa></decimal>"#;
    check(parts, "e0 81 08 00 00 00 80 80", Code::R4, 2);
    check(parts, &format!("e0 81 80 {mantissa}"), Code::D2, 3);
}

#[test]
fn r2_for_a_unicode_string_that_is_not_utf_8() {
    check(
        r#"<string name="V" charset="unicode"><delta value="é"/></string>"#,
        "c0 81 81 80",
        Code::R2,
        2,
    );
    check(
        r#"<string name="V" charset="unicode"><tail value="é"/></string>"#,
        "e0 81 81 41",
        Code::R2,
        2,
    );
    check(
        r#"<string name="V" charset="unicode"/>"#,
        "c0 81 82 c3 28",
        Code::R2,
        2,
    );
}

#[test]
fn r4_for_a_sum_outside_the_type() {
    let delta =
        |kind: &str, value: &str| format!(r#"<{kind} name="V"><delta value="{value}"/></{kind}>"#);
    check(&delta("uInt8", "255"), "c0 81 81", Code::R4, 2);
    check(&delta("uInt8", "0"), "c0 81 ff", Code::R4, 2);
    check(&delta("int8", "-128"), "c0 81 ff", Code::R4, 2);
    check(
        &delta("int64", "9223372036854775807"),
        "c0 81 81",
        Code::R4,
        2,
    );
    // So large that 128 bits do not hold it.
    let huge = "3f".repeat(30);
    check(
        &delta("uInt64", "5"),
        &format!("c0 81 {huge} ff"),
        Code::R4,
        2,
    );
    check(
        &delta("uInt64", "5"),
        &format!("c0 81 40 {huge} ff"),
        Code::R4,
        2,
    );
}

#[test]
fn r6_to_r9_for_what_is_longer_than_needed() {
    let unsigned = r#"<uInt8 name="V"/>"#;
    check(unsigned, "c0 00 81 85", Code::R6, 1);
    check(unsigned, "c0 81 00 85", Code::R6, 2);
    check(r#"<int8 name="V"/>"#, "c0 81 7f ff", Code::R6, 2);
    check(unsigned, "40 80 81 85", Code::R7, 0);
    // The second bit, and one of a second byte, when there is only one.
    check(unsigned, "e0 81 85", Code::R8, 0);
    check(unsigned, "40 81 81 85", Code::R8, 0);
    let group = r#"<group name="G" presence="optional"><uInt8 name="V"><copy/></uInt8></group>"#;
    check(group, "e0 81 e0 85", Code::R8, 2);
    check(r#"<string name="V"/>"#, "c0 81 00 c1", Code::R9, 2);
    check(
        r#"<string name="V"><delta/></string>"#,
        "c0 81 80 00 c1",
        Code::R9,
        2,
    );

    let five = Value::Unsigned(5);
    for packet in [
        "c0 00 81 85",
        "c0 81 00 85",
        "40 80 81 85",
        "e0 81 85",
        "40 81 81 85",
    ] {
        assert_eq!(lenient(unsigned, packet), five, "{packet}");
    }
    assert_eq!(
        lenient(r#"<int8 name="V"/>"#, "c0 81 7f ff"),
        Value::Signed(-1)
    );
    assert_eq!(
        lenient(r#"<string name="V"/>"#, "c0 81 00 c1"),
        common::ascii("A")
    );
}

#[test]
fn truncation_is_found_at_every_byte() {
    let content = r#"<uInt32 name="A"/><string name="B"/><byteVector name="C"/><decimal name="D"/>
        <sequence name="E"><uInt8 name="F"><copy/></uInt8></sequence>"#;
    let bytes = hex("c0 81 01 81 41 c2 82 01 02 80 01 81 82 c0 85 80");
    // Where the field begins that is not there as a whole; bytes 1 to 4, say, end in field A, which begins at 2.
    let starts = [0, 1, 2, 2, 4, 4, 6, 6, 6, 9, 9, 9, 12, 13, 14, 15];
    for (length, &start) in starts.iter().enumerate().skip(1) {
        let result = decoder(content).packet(&bytes[..length]);
        let error = result[0].as_ref().unwrap_err();
        assert_eq!(
            (error.code, error.offset),
            (Code::Truncated, start),
            "{length}"
        );
    }
    assert!(decoder(content).packet(&bytes)[0].is_ok());
    assert!(decoder(content).packet(&[]).is_empty());
    // Without a stop bit.
    check(
        r#"<string name="A"/>"#,
        &format!("c0 81 {}", "41".repeat(1_000)),
        Code::Truncated,
        2,
    );
    check(
        r#"<string name="A"/>"#,
        &"00".repeat(1_000),
        Code::Truncated,
        0,
    );
}
