//! Every operator in every state of its previous value (sections 6.3 and 10.5.1), by hand.

use crate::common;
use common::{ascii, decimal, decoder, error, values};
use fast_reference::Value;
use fast_reference::reference::Code;

fn integer(presence: &str, operator: &str) -> String {
    format!(r#"<uInt8 name="V" presence="{presence}">{operator}</uInt8>"#)
}

fn string(presence: &str, operator: &str) -> String {
    format!(r#"<string name="V" presence="{presence}">{operator}</string>"#)
}

fn check(field: &str, packet: &str, expected: &[Value]) {
    assert_eq!(values(&mut decoder(field), packet), expected, "{field}");
}

fn fails(field: &str, packet: &str, code: Code, offset: usize) {
    assert_eq!(
        error(&mut decoder(field), packet),
        (code, offset),
        "{field}"
    );
}

#[test]
fn a_default_leaves_no_trace_and_null_is_absent() {
    // Bit set: a value. Then not set: the initial value again.
    check(
        &integer("optional", r#"<default value="7"/>"#),
        "e0 81 84  80  a0 80  80",
        &[
            Value::Unsigned(3),
            Value::Unsigned(7),
            Value::Absent,
            Value::Unsigned(7),
        ],
    );
}

#[test]
fn a_copy_begins_with_the_initial_value_and_may_be_emptied() {
    check(
        &integer("optional", r#"<copy value="7"/>"#),
        "c0 81  a0 89  80  a0 80  80",
        &[
            Value::Unsigned(7),
            Value::Unsigned(8),
            Value::Unsigned(8),
            Value::Absent,
            // Empty is not undefined: the initial value does not come back.
            Value::Absent,
        ],
    );
    check(
        &integer("optional", "<copy/>"),
        "c0 81  80  a0 81",
        &[Value::Absent, Value::Absent, Value::Unsigned(0)],
    );
    fails(&integer("mandatory", "<copy/>"), "c0 81", Code::D5, 2);
}

#[test]
fn a_mandatory_copy_of_an_emptied_entry_is_d6() {
    let fields = format!(
        "{}{}",
        integer("optional", r#"<copy key="K"/>"#),
        integer("mandatory", r#"<copy key="K"/>"#).replace("\"V\"", "\"W\"")
    );
    // The first empties the entry, the second has no bit.
    fails(&fields, "e0 81 80", Code::D6, 3);
    // With its bit it is assigned again.
    let mut decoder = decoder(&fields);
    assert!(decoder.packet(&[0xf0, 0x81, 0x80, 0x85])[0].is_ok());
}

#[test]
fn an_increment_counts_and_wraps() {
    check(
        &integer("mandatory", "<increment/>"),
        "e0 81 01 fe  80  80",
        &[254, 255, 0].map(Value::Unsigned),
    );
    check(
        r#"<int8 name="V"><increment/></int8>"#,
        "e0 81 00 ff  80",
        &[Value::Signed(127), Value::Signed(-128)],
    );
    // The first is the initial value, not the one after it.
    check(
        &integer("optional", r#"<increment value="7"/>"#),
        "c0 81  80  a0 80  80",
        &[
            Value::Unsigned(7),
            Value::Unsigned(8),
            Value::Absent,
            Value::Absent,
        ],
    );
    fails(&integer("mandatory", "<increment/>"), "c0 81", Code::D5, 2);
}

#[test]
fn a_delta_begins_at_the_initial_value_and_survives_absence() {
    check(
        &integer("optional", r#"<delta value="7"/>"#),
        "c0 81 84  80 80  80 ff",
        &[Value::Unsigned(10), Value::Absent, Value::Unsigned(9)],
    );
    check(
        r#"<decimal name="V" presence="optional"><delta/></decimal>"#,
        "c0 81 83 85  80 80  80 ff 81",
        &[decimal(2, 5), Value::Absent, decimal(1, 6)],
    );
    check(
        &string("optional", r#"<delta value="abc"/>"#),
        // Take off one and add "X" (1 is sent as 2); take off two at the front and add "Y".
        "c0 81 82 d8  80 80  80 fd d9",
        &[ascii("abX"), Value::Absent, ascii("YX")],
    );
}

#[test]
fn a_delta_may_be_wider_than_its_type() {
    // The note in section 6.3.7.1: base 4294967295, new value 17.
    check(
        r#"<uInt32 name="V"><delta value="4294967295"/></uInt32>"#,
        "c0 81 70 00 00 00 92",
        &[Value::Unsigned(17)],
    );
    check(
        r#"<uInt64 name="V"><delta/></uInt64>"#,
        "c0 81 01 7f 7f 7f 7f 7f 7f 7f 7f ff  80 7e 00 00 00 00 00 00 00 00 81",
        &[Value::Unsigned(u64::MAX), Value::Unsigned(0)],
    );
}

#[test]
fn a_delta_out_of_an_empty_entry_is_d6_unless_it_is_null() {
    let fields = format!(
        "{}{}",
        string("optional", r#"<copy key="K"/>"#),
        string("optional", r#"<delta key="K"/>"#).replace("\"V\"", "\"W\"")
    );
    fails(&fields, "e0 81 80 81 c1", Code::D6, 3);
    assert!(decoder(&fields).packet(&[0xe0, 0x81, 0x80, 0x80])[0].is_ok());
}

#[test]
fn a_tail_replaces_as_many_characters_as_it_has() {
    check(
        &string("mandatory", r#"<tail value="abc"/>"#),
        // "X" for the last; the previous value; longer than the base: all of it; an empty tail.
        "e0 81 d8  80  a0 50 51 52 d3  a0 80",
        &[ascii("abX"), ascii("abX"), ascii("PQRS"), ascii("PQRS")],
    );
    check(
        &string("mandatory", r#"<tail value="abc"/>"#),
        "c0 81",
        &[ascii("abc")],
    );
}

#[test]
fn a_tail_after_null_begins_at_the_initial_value_again() {
    check(
        &string("optional", r#"<tail value="abc"/>"#),
        "e0 81 d8  a0 80  80  a0 d9",
        &[ascii("abX"), Value::Absent, Value::Absent, ascii("abY")],
    );
    check(
        &string("optional", "<tail/>"),
        "c0 81  a0 d9",
        &[Value::Absent, ascii("Y")],
    );
}

#[test]
fn a_mandatory_tail_raises_the_codes_of_section_6_3_8() {
    fails(&string("mandatory", "<tail/>"), "c0 81", Code::D6, 2);
    let fields = format!(
        "{}{}",
        string("optional", r#"<copy key="K"/>"#),
        string("mandatory", r#"<tail key="K"/>"#).replace("\"V\"", "\"W\"")
    );
    fails(&fields, "e0 81 80", Code::D7, 3);
}

#[test]
fn byte_vectors_and_unicode_are_spliced_by_bytes() {
    check(
        r#"<byteVector name="V"><delta value="0102"/></byteVector>"#,
        "c0 81 81 82 ff 80  80 fe 80",
        &[
            Value::Bytes(vec![0x01, 0xff, 0x80]),
            Value::Bytes(vec![0xff, 0x80]),
        ],
    );
    // é is c3 a9; a tail of its second byte makes it ê (c3 aa), section 6.3.8.2.
    check(
        r#"<string name="V" charset="unicode"><tail value="é"/></string>"#,
        "e0 81 81 aa",
        &[Value::Unicode("ê".to_owned())],
    );
    check(
        r#"<string name="V" charset="unicode" presence="optional"><length name="N"/></string>"#,
        "c0 81 83 c3 a9  80 80",
        &[Value::Unicode("é".to_owned()), Value::Absent],
    );
}

#[test]
fn a_mantissa_without_exponent_takes_no_bit_and_no_bytes() {
    let fields = r#"<decimal name="V" presence="optional">
            <exponent><default value="-2"/></exponent><mantissa><copy value="5"/></mantissa>
        </decimal><uInt8 name="W"><default value="9"/></uInt8>"#;
    let decoded = |packet| {
        common::messages(&mut decoder(fields), packet)[0]
            .fields
            .clone()
    };
    let field = |name: &str, value| (name.to_owned(), value);
    // Identifier; exponent's bit, NULL; then at once the bit of W.
    assert_eq!(
        decoded("f0 81 80 83"),
        [field("V", Value::Absent), field("W", Value::Unsigned(3))]
    );
    // Exponent implied; mantissa's bit not set, W's set.
    assert_eq!(
        decoded("c8 81 83"),
        [field("V", decimal(-2, 5)), field("W", Value::Unsigned(3))]
    );
}

#[test]
fn a_part_of_a_decimal_without_operator_is_a_plain_integer() {
    check(
        r#"<decimal name="V"><mantissa><delta/></mantissa></decimal>"#,
        "c0 81 fe 85  80 fe 81",
        &[decimal(-2, 5), decimal(-2, 6)],
    );
    check(
        r#"<decimal name="V"><exponent><constant value="-2"/></exponent></decimal>"#,
        "c0 81 85",
        &[decimal(-2, 5)],
    );
}
