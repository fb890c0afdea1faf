//! Random valid messages: the reference decoder gives what the generator meant; and the generator makes all that there is.

use std::collections::{BTreeMap, BTreeSet};

use fast_reference::random::{Case, Limits};
use fast_reference::reference::{Decoder, Reset};
use fast_reference::{Fields, Value};
use roxmltree::{Document, Node};

/// Cases of these limits from a seed on, until so many messages have come back as they were meant.
fn round_trip(limits: &Limits, mut seed: u64, messages: usize) {
    let mut count = 0;
    while count < messages {
        let case = Case::new(seed, limits);
        let mut decoder = Decoder::with_options(&case.xml, case.options())
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", case.xml));
        for packet in &case.packets {
            let decoded: Vec<_> = decoder.packet(&packet.bytes);
            for (index, meant) in packet.messages.iter().enumerate() {
                assert_eq!(
                    decoded[index].as_ref(),
                    Ok(meant),
                    "seed {seed}: {:02x?}\n{}",
                    packet.bytes,
                    case.xml
                );
            }
            assert_eq!(decoded.len(), packet.messages.len(), "seed {seed}");
            count += decoded.len();
        }
        seed += 1;
    }
}

#[test]
fn twenty_thousand_messages_come_back_as_they_were_meant() {
    round_trip(&Limits::default(), 0, 20_000);
}

#[test]
fn messages_come_back_with_every_reset_policy() {
    for (seed, reset) in [(1 << 20, Reset::EachPacket), (2 << 20, Reset::EachMessage)] {
        let limits = Limits {
            reset,
            ..Limits::default()
        };
        round_trip(&limits, seed, 2_000);
    }
}

#[test]
fn messages_within_hardware_limits_come_back() {
    for (seed, string_bytes) in [(3 << 20, 0), (4 << 20, 8), (5 << 20, 64)] {
        round_trip(&Limits::hardware(string_bytes), seed, 1_000);
    }
}

/// How deep groups, sequences and dynamic references are, and how many bytes the longest text has.
fn depth_and_longest(fields: &Fields) -> (usize, usize) {
    let of = |value: &Value| match value {
        Value::Ascii(text) | Value::Unicode(text) => (0, text.len()),
        Value::Bytes(bytes) => (0, bytes.len()),
        Value::Group(fields) => {
            let (depth, longest) = depth_and_longest(fields);
            (depth + 1, longest)
        }
        Value::Sequence(elements) => elements
            .iter()
            .map(depth_and_longest)
            .fold((1, 0), |(deepest, longest), (depth, length)| {
                (deepest.max(depth + 1), longest.max(length))
            }),
        _ => (0, 0),
    };
    fields
        .iter()
        .fold((0, 0), |(deepest, longest), (_, value)| {
            let (depth, length) = of(value);
            (deepest.max(depth), longest.max(length))
        })
}

#[test]
fn cases_stay_within_their_limits_and_reach_them() {
    let limits = Limits {
        templates: 6,
        instructions: 4,
        dictionary_entries: 10,
        nesting: 2,
        string_bytes: 12,
        elements: 2,
        packets: 3,
        messages: 2,
        packet_bytes: 100,
        ..Limits::default()
    };
    let mut greatest = [0; 8];
    for seed in 0..1_000 {
        let case = Case::new(seed, &limits);
        let document = Document::parse(&case.xml).unwrap();
        let named = |name: &str| {
            let of = |node: &Node| node.tag_name().name() == name;
            document.descendants().filter(of).count()
        };
        // Each operator with a previous value needs one entry at most in each type; few templates have types that reach them.
        let mut sizes = [named("template"), case.packets.len(), 0, 0, 0, 0, 0, 0];
        for packet in &case.packets {
            sizes[2] = sizes[2].max(packet.messages.len());
            sizes[7] = sizes[7].max(packet.bytes.len());
            for message in &packet.messages {
                let (depth, longest) = depth_and_longest(&message.fields);
                sizes[3] = sizes[3].max(depth);
                sizes[4] = sizes[4].max(longest);
                sizes[5] = sizes[5].max(longest_sequence(&message.fields));
            }
        }
        if !case.xml.contains("<typeRef") && !case.xml.contains(":typeRef") {
            let keys: BTreeSet<_> = document.descendants().filter_map(entry_of).collect();
            sizes[6] = keys.len() + 1;
        }
        for (greatest, size) in greatest.iter_mut().zip(sizes) {
            *greatest = size.max(*greatest);
        }
    }
    // Templates, packets, messages, nesting, bytes of a string, elements, entries; bytes of a packet.
    assert_eq!(greatest[..7], [6, 3, 2, 2, 12, 2, 10]);
    assert!((80..=100).contains(&greatest[7]), "{}", greatest[7]);
}

fn longest_sequence(fields: &Fields) -> usize {
    let of = |value: &Value| match value {
        Value::Group(fields) => longest_sequence(fields),
        Value::Sequence(elements) => {
            let inside = elements.iter().map(longest_sequence).max();
            elements.len().max(inside.unwrap_or(0))
        }
        _ => 0,
    };
    fields.iter().map(|(_, value)| of(value)).max().unwrap_or(0)
}

/// The entry that an operator uses, if it has a previous value: dictionary, its template if that matters, namespace and key.
fn entry_of(node: Node) -> Option<[String; 4]> {
    if !["copy", "increment", "delta", "tail"].contains(&node.tag_name().name()) {
        return None;
    }
    let inherited = |of: Node, attribute: &str| {
        of.ancestors()
            .find_map(|ancestor| ancestor.attribute(attribute))
            .map(str::to_owned)
    };
    let dictionary = inherited(node, "dictionary").unwrap_or("global".to_owned());
    let template = match dictionary.as_str() {
        "template" => {
            let of = |ancestor: &Node| ancestor.tag_name().name() == "template";
            let template = node.ancestors().find(of)?;
            template.attribute("name")?.to_owned()
        }
        _ => String::new(),
    };
    let parent = node.parent()?;
    let (of, key) = match (node.attribute("key"), parent.attribute("name")) {
        (Some(key), _) => (node, key.to_owned()),
        (None, Some(name)) => (parent, name.to_owned()),
        (None, None) => {
            let part = parent.tag_name().name();
            let around = parent.parent()?;
            (around, format!("{part} of {}", around.attribute("name")?))
        }
    };
    let namespace = inherited(of, "ns").unwrap_or_default();
    Some([dictionary, template, namespace, key])
}

/// The type of a field, or of what stands for one.
fn type_of(node: Node) -> String {
    let name = node.tag_name().name();
    match node.attribute("charset") {
        Some("unicode") => "unicode".to_owned(),
        _ => name.to_owned(),
    }
}

#[test]
fn every_type_has_every_operator_mandatory_and_optional_with_and_without_value() {
    let integers = [
        "int8", "int16", "int32", "int64", "uInt8", "uInt16", "uInt32", "uInt64",
    ];
    let parts = ["exponent", "length"];
    let texts = ["string", "unicode", "byteVector"];
    let mut expected = BTreeSet::new();
    let mut expect = |kind: &str, operators: &[&str], presences: &[&str]| {
        for operator in operators {
            for presence in presences {
                for value in [true, false] {
                    let is_impossible = match *operator {
                        "constant" => !value,
                        "default" => !value && *presence == "mandatory",
                        "none" => value,
                        _ => false,
                    };
                    if !is_impossible {
                        expected.insert(
                            [kind, operator, presence, if value { "value" } else { "" }]
                                .map(str::to_owned),
                        );
                    }
                }
            }
        }
    };
    let both = ["mandatory", "optional"];
    for kind in integers.into_iter().chain(parts) {
        let operators = ["none", "constant", "default", "copy", "increment", "delta"];
        expect(kind, &operators, &both);
    }
    let mantissa = ["none", "constant", "default", "copy", "increment", "delta"];
    expect("mantissa", &mantissa, &["mandatory"]);
    expect("decimal", &["constant", "default", "copy", "delta"], &both);
    for kind in texts {
        let operators = ["none", "constant", "default", "copy", "delta", "tail"];
        expect(kind, &operators, &both);
    }

    let mut found: BTreeMap<[String; 4], usize> = BTreeMap::new();
    let (mut references, mut features) = ([0, 0], BTreeMap::new());
    for seed in 0..600 {
        let case = Case::new(seed, &Limits::default());
        let document = Document::parse(&case.xml).unwrap();
        for node in document.descendants().filter(Node::is_element) {
            for attribute in ["dictionary", "key", "ns", "templateNs", "reset", "id"] {
                if node.has_attribute(attribute) {
                    *features.entry(attribute).or_insert(0) += 1;
                }
            }
            let kind = type_of(node);
            if kind == "templateRef" {
                references[usize::from(node.has_attribute("name"))] += 1;
            }
            if !expected.iter().any(|[of, ..]| *of == kind) {
                continue;
            }
            let around = match kind.as_str() {
                "exponent" | "length" => node.parent().unwrap(),
                _ => node,
            };
            let presence = match kind.as_str() {
                "mantissa" => "mandatory",
                _ => around.attribute("presence").unwrap_or("mandatory"),
            };
            let operator = node
                .children()
                .find(|child| child.is_element() && child.tag_name().name() != "length");
            let (operator, has_value) = operator.map_or(("none", false), |operator| {
                (operator.tag_name().name(), operator.has_attribute("value"))
            });
            let value = if has_value { "value" } else { "" };
            *found
                .entry([&kind, operator, presence, value].map(str::to_owned))
                .or_insert(0) += 1;
        }
    }
    let missing: Vec<_> = expected
        .iter()
        .filter(|key| !found.contains_key(*key))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    println!(
        "{} combinations, references {references:?}, {features:?}",
        expected.len()
    );
    assert!(references.iter().all(|&count| count > 50), "{references:?}");
    assert_eq!(features.len(), 6, "{features:?}");
}

#[test]
fn a_case_is_the_same_for_the_same_seed() {
    let limits = Limits::default();
    assert_eq!(Case::new(5, &limits), Case::new(5, &limits));
    assert_ne!(Case::new(5, &limits).xml, Case::new(6, &limits).xml);
}
