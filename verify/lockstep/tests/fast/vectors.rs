//! The worked examples of the specification's appendix 3: what the engine gives is compared with what the specification says, not with the software.

use fast::microcode::{Room, Wanted, assemble};
use fast::{Decimal, Settings, Templates};
use serde_json::Value;

use super::common::{all_widths, recorded};
use super::fast_sim::{Item, Lockstep, Wire};

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let pairs = (0..hexadecimal.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&hexadecimal[at..at + 2], 16).expect("digits"))
        .collect()
}

/// What the vector says about the only field, whose number is 1.
fn expected(value: &Value) -> Item {
    let Some(object) = value.as_object() else {
        return Item::Absent(1);
    };
    let (kind, value) = object.iter().next().expect("one type");
    let integer = |value: &Value| value.as_i64().expect("an integer");
    match kind.as_str() {
        "uint32" => Item::Unsigned(1, integer(value) as u64),
        "int32" => Item::Signed(1, integer(value)),
        "ascii" => Item::Text(1, value.as_str().expect("text").as_bytes().to_vec()),
        "decimal" => Item::Decimal(
            1,
            Decimal {
                exponent: integer(&value["exponent"]) as i32,
                mantissa: integer(&value["mantissa"]),
            },
        ),
        other => panic!("a type without a test: {other}"),
    }
}

#[test]
fn the_examples_of_the_specification_give_its_values() {
    let (Some(xml), Some(vectors)) = (
        recorded("fast-spec/templates.xml"),
        recorded("fast-spec/vectors.json"),
    ) else {
        return;
    };
    let templates = Templates::parse(&String::from_utf8(xml).expect("UTF-8")).expect("well-formed");
    let program = assemble(&templates, &Wanted::All, Room::default());
    let cases: Vec<Value> = serde_json::from_slice(&vectors).expect("JSON");
    assert_eq!(program.refused, []);
    let mut decoded = 0;
    for case in &cases {
        let strings = case["messages"].as_array().expect("messages");
        let meant = case["expected"].as_array().expect("what they are");
        let template = |value: &Value| {
            let name = value["template"].as_str().expect("a name");
            let (_, template) = templates.by_name(name).expect("a template");
            template.id.expect("an identifier")
        };
        for width in all_widths() {
            let wanted = Wanted::All;
            let mut both = Lockstep::new(width, &templates, &program, &wanted, Settings::default());
            for (text, value) in strings.iter().zip(meant) {
                let packet = bytes(text.as_str().expect("digits"));
                let found = both
                    .items(&packet, Wire::default())
                    .unwrap_or_else(|error| panic!("{}: {error}", case["name"]));
                let id = template(value);
                let meant = [
                    Item::Message(id),
                    expected(&value["value"]),
                    Item::MessageEnd,
                ];
                assert_eq!(found, meant, "{width:?}, {}", case["name"]);
                decoded += 1;
            }
        }
    }
    println!("{decoded} messages decoded, {} cases", cases.len());
    assert!(decoded > 40, "{decoded}");
}
