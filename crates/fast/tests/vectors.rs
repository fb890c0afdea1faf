//! The worked examples of the specification's appendix 3.

use crate::common;
use common::{recorded, templates};
use fast::{Decimal, Decoder, Encoder, Message, MessageBuilder, Node, Templates};
use serde_json::Value;

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let pairs = (0..hexadecimal.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&hexadecimal[at..at + 2], 16).expect("digits"))
        .collect()
}

/// What the vector says the field's value is.
fn expected(value: &Value) -> Node {
    let integer = |value: &Value| value.as_i64().expect("an integer");
    if value.is_null() {
        return Node::Absent;
    }
    let (kind, value) = value
        .as_object()
        .expect("a value with its type")
        .iter()
        .next()
        .expect("one type");
    match kind.as_str() {
        "uint32" => Node::Unsigned(integer(value) as u64),
        "int32" => Node::Signed(integer(value)),
        "ascii" => Node::Bytes(value.as_str().expect("text").as_bytes().to_vec()),
        "decimal" => Node::Decimal(Decimal {
            exponent: integer(&value["exponent"]) as i32,
            mantissa: integer(&value["mantissa"]),
        }),
        other => panic!("a type without a test: {other}"),
    }
}

/// A case: its name, and each message's bytes and meaning.
type Case = (String, Vec<(Vec<u8>, Message)>);

/// Each case: its name, its messages, and what they are.
fn cases(templates: &Templates) -> Vec<Case> {
    let text = recorded("fast-spec/vectors.json").expect("the templates are there");
    let cases: Vec<Value> = serde_json::from_slice(&text).expect("JSON");
    let message = |value: &Value| {
        let (template, _) = templates
            .by_name(value["template"].as_str().expect("a name"))
            .expect("a template");
        Message {
            template,
            fields: vec![(0, expected(&value["value"]))],
        }
    };
    let strings = |case: &Value| -> Vec<Vec<u8>> {
        case["messages"]
            .as_array()
            .expect("messages")
            .iter()
            .map(|text| bytes(text.as_str().expect("digits")))
            .collect()
    };
    cases
        .iter()
        .map(|case| {
            let meant = case["expected"]
                .as_array()
                .expect("values")
                .iter()
                .map(message);
            (
                case["name"].as_str().expect("a name").into(),
                strings(case).into_iter().zip(meant).collect(),
            )
        })
        .collect()
}

#[test]
fn the_examples_of_the_specification_decode() {
    let Some(templates) = templates("fast-spec/templates.xml") else {
        return;
    };
    let (mut case_count, mut message_count) = (0, 0);
    for (name, messages) in cases(&templates) {
        let mut decoder = Decoder::new(&templates);
        let mut builder = MessageBuilder::new(&templates);
        for (bytes, meant) in messages {
            assert_eq!(decoder.packet(&bytes, &mut builder), Ok(1), "{name}");
            assert_eq!(builder.take(), [meant], "{name}");
            message_count += 1;
        }
        case_count += 1;
    }
    assert_eq!((case_count, message_count), (20, 37));
}

#[test]
fn the_examples_of_the_specification_encode_byte_for_byte() {
    let Some(templates) = templates("fast-spec/templates.xml") else {
        return;
    };
    for (name, messages) in cases(&templates) {
        // This sender's map was not truncated to what the message needs: it has no field that is there (appendix 3.2.3).
        let mut encoder = Encoder::new(&templates);
        for (bytes, meant) in messages {
            let mut out = Vec::new();
            encoder
                .message(&meant, &mut out)
                .unwrap_or_else(|error| panic!("{name}: {}", error.describe(&templates)));
            assert_eq!(out, bytes, "{name}");
        }
    }
}
