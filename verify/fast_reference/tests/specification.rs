//! The worked examples of the specification's appendix 3.

use crate::common;
use std::fs;

use common::{ascii, data, decimal, decoder, hex, values};
use fast_reference::Value;
use fast_reference::reference::Decoder;

/// The value that `vectors.json` expects.
fn expected(value: &serde_json::Value) -> Value {
    if let Some(value) = value.get("uint32") {
        Value::Unsigned(value.as_u64().unwrap())
    } else if let Some(value) = value.get("int32") {
        Value::Signed(value.as_i64().unwrap())
    } else if let Some(value) = value.get("ascii") {
        ascii(value.as_str().unwrap())
    } else if let Some(value) = value.get("decimal") {
        decimal(
            value["exponent"].as_i64().unwrap().try_into().unwrap(),
            value["mantissa"].as_i64().unwrap(),
        )
    } else {
        assert!(value.is_null(), "{value}");
        Value::Absent
    }
}

#[test]
fn the_vectors_decode_to_what_they_say() {
    let Some(folder) = data("fast-spec") else {
        return;
    };
    let xml = fs::read_to_string(folder.join("templates.xml")).unwrap();
    let vectors = fs::read_to_string(folder.join("vectors.json")).unwrap();
    let cases: serde_json::Value = serde_json::from_str(&vectors).unwrap();
    let mut count = 0;
    for case in cases.as_array().unwrap() {
        let mut decoder = Decoder::new(&xml).unwrap();
        let messages = case["messages"].as_array().unwrap();
        let answers = case["expected"].as_array().unwrap();
        for (bytes, answer) in messages.iter().zip(answers) {
            let bytes = hex(bytes.as_str().unwrap());
            let (message, length) = decoder.message(&bytes).unwrap();
            assert_eq!(length, bytes.len(), "{case}");
            assert_eq!(message.template, answer["template"], "{case}");
            let fields = [("Value".to_owned(), expected(&answer["value"]))];
            assert_eq!(message.fields, fields, "{case}");
            count += 1;
        }
    }
    // shared/data/README.md: 20 cases, 37 messages.
    assert_eq!((cases.as_array().unwrap().len(), count), (20, 37));
}

/// The messages of a template with one field, the identifier only in the first.
fn check(field: &str, packet: &str, expected: &[Value]) {
    assert_eq!(values(&mut decoder(field), packet), expected, "{field}");
}

#[test]
fn integers_of_3_1_1_and_3_1_2() {
    let optional = r#"<int32 name="V" presence="optional"/>"#;
    let mandatory = r#"<int32 name="V"/>"#;
    let positive = Value::Signed(942_755);
    check(optional, "c0 81 39 45 a4", std::slice::from_ref(&positive));
    check(mandatory, "c0 81 39 45 a3", &[positive]);
    check(optional, "c0 81 46 3a dd", &[Value::Signed(-942_755)]);
    check(mandatory, "c0 81 7c 1b 1b 9d", &[Value::Signed(-7_942_755)]);
    check(mandatory, "c0 81 00 40 81", &[Value::Signed(8_193)]);
    check(mandatory, "c0 81 7f 3f ff", &[Value::Signed(-8_193)]);
    check(
        r#"<uInt32 name="V" presence="optional"/>"#,
        "c0 81 80 80 81 80 82 80 39 45 a4",
        &[
            Value::Absent,
            Value::Unsigned(0),
            Value::Unsigned(1),
            Value::Unsigned(942_755),
        ],
    );
    check(
        r#"<uInt32 name="V"/>"#,
        "c0 81 80 80 81 80 39 45 a3",
        &[
            Value::Unsigned(0),
            Value::Unsigned(1),
            Value::Unsigned(942_755),
        ],
    );
}

#[test]
fn strings_and_byte_vectors_of_3_1_3_and_3_1_4() {
    check(
        r#"<string name="V" presence="optional"/>"#,
        "c0 81 80 80 41 42 c3 80 00 80",
        &[Value::Absent, ascii("ABC"), ascii("")],
    );
    check(
        r#"<string name="V"/>"#,
        "c0 81 41 42 c3 80 80",
        &[ascii("ABC"), ascii("")],
    );
    check(
        r#"<byteVector name="V" presence="optional"/>"#,
        "c0 81 80 80 84 41 42 43 80 81",
        &[
            Value::Absent,
            Value::Bytes(b"ABC".to_vec()),
            Value::Bytes(vec![]),
        ],
    );
    check(
        r#"<byteVector name="V"><length name="N"/></byteVector>"#,
        "c0 81 83 41 42 43 80 80",
        &[Value::Bytes(b"ABC".to_vec()), Value::Bytes(vec![])],
    );
}

#[test]
fn constant_and_default_of_3_2_1_and_3_2_2() {
    let zero = Value::Unsigned(0);
    let flag = |presence: &str, operator: &str| {
        format!(r#"<uInt32 name="Flag" presence="{presence}">{operator}</uInt32>"#)
    };
    let constant = r#"<constant value="0"/>"#;
    check(
        &flag("mandatory", constant),
        "c0 81",
        std::slice::from_ref(&zero),
    );
    let optional = flag("optional", constant);
    check(&optional, "e0 81 80", &[zero.clone(), Value::Absent]);
    check(
        &flag("mandatory", r#"<default value="0"/>"#),
        "c0 81 a0 81",
        &[zero, Value::Unsigned(1)],
    );
    let optional = flag("optional", "<default/>");
    check(&optional, "c0 81", &[Value::Absent]);
}

#[test]
fn copy_and_increment_of_3_2_3_and_3_2_4() {
    check(
        r#"<string name="Flag"><copy/></string>"#,
        "e0 81 43 4d c5  80  a0 49 53 c5",
        &[ascii("CME"), ascii("CME"), ascii("ISE")],
    );
    check(
        r#"<string name="Flag" presence="optional"><copy/></string>"#,
        "e0 81 80  80  a0 43 4d c5",
        &[Value::Absent, Value::Absent, ascii("CME")],
    );
    check(
        r#"<uInt32 name="Flag"><increment value="1"/></uInt32>"#,
        "c0 81  80  a0 84  80",
        &[1, 2, 4, 5].map(Value::Unsigned),
    );
}

#[test]
fn delta_of_3_2_5() {
    check(
        r#"<int32 name="Price"><delta/></int32>"#,
        "c0 81 39 45 a3  80 fb  80 fb  80 80",
        &[942_755, 942_750, 942_745, 942_745].map(Value::Signed),
    );
    check(
        r#"<decimal name="Price"><delta/></decimal>"#,
        "c0 81 fe 39 45 a3  80 80 fc  80 80 fb",
        &[
            decimal(-2, 942_755),
            decimal(-2, 942_751),
            decimal(-2, 942_746),
        ],
    );
    // The initial value 12000 is 12 times 1000: the example's second to fourth row.
    check(
        r#"<decimal name="Price"><delta value="12000"/></decimal>"#,
        "c0 81 fe 09 ae  80 80 85  80 80 85",
        &[decimal(1, 1_210), decimal(1, 1_215), decimal(1, 1_220)],
    );
    check(
        r#"<string name="Security"><delta/></string>"#,
        "c0 81 80 47 45 48 b6  80 82 4d b6  80 fd 45 d3  80 ff 52 d3",
        &[ascii("GEH6"), ascii("GEM6"), ascii("ESM6"), ascii("RSESM6")],
    );
}

/// The example encodes the mantissa as nullable (0x39 0x45 0xa4), against section 10.5.1, which makes it a mandatory field; the
/// appendix is not normative. The bits of its presence maps are right.
#[test]
fn a_decimal_in_two_parts_has_the_bits_of_3_2_6() {
    check(
        r#"<decimal name="Value" presence="optional">
            <exponent><copy/></exponent><mantissa><copy/></mantissa>
        </decimal>"#,
        "f0 81 fe 39 45 a3  90 39 45 a8  a0 80  80",
        &[
            decimal(-2, 942_755),
            decimal(-2, 942_760),
            Value::Absent,
            Value::Absent,
        ],
    );
}
