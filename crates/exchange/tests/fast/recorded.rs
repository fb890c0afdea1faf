//! The order log as it was on the line (X-OLR-CURR, `../shared/data/moex-order-log`), with the templates that this project ships and with the exchange's own.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs;
use std::path::Path;

use fast::{Decoder, Framing, Instruction, Message, MessageBuilder, Node, Templates};

use crate::fast::{SETTINGS, of_project};

/// A file of the recorded data; `None`, and a line that says so, where it is absent.
fn recorded(path: &str) -> Option<Vec<u8>> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let read = fs::read(data.join(path)).ok();
    if read.is_none() {
        eprintln!("skipped: {path} is absent");
    }
    read
}

fn exchanges() -> Option<Templates> {
    let xml = recorded("moex-templates/asts-2017-03.xml")?;
    Some(Templates::parse(std::str::from_utf8(&xml).unwrap()).unwrap())
}

fn ours() -> Templates {
    Templates::parse(&of_project("desks/fast/order-log.xml")).unwrap()
}

/// Each after its length in two bytes.
fn packets() -> Option<Vec<Vec<u8>>> {
    let bytes = recorded("moex-order-log/packets.bin")?;
    let (mut rest, mut packets) = (bytes.as_slice(), vec![]);
    while let Some((length, after)) = rest.split_first_chunk() {
        let (packet, after) = after.split_at(u16::from_be_bytes(*length).into());
        packets.push(packet.to_vec());
        rest = after;
    }
    Some(packets)
}

fn decode(templates: &Templates, packet: &[u8]) -> Message {
    let mut messages = MessageBuilder::new(templates);
    let mut decoder = Decoder::with(templates, SETTINGS());
    let frame = Framing::Preamble.next(&mut decoder, packet, 0, &mut messages);
    assert_eq!(frame.unwrap().end, packet.len());
    messages.take().pop().unwrap()
}

/// What a reader of the bytes has to know of a field; of structure no number, which is made from a name.
fn format(each: &Instruction) -> impl PartialEq + Debug {
    let tag = each.kind.is_field().then_some(each.tag);
    let presence = (each.nullable, each.map_bit, each.own_map, each.map_bits);
    (
        each.kind,
        tag,
        each.operator,
        presence,
        each.initial.clone(),
    )
}

#[test]
fn the_shipped_templates_have_the_exchanges_fields_in_its_order() {
    let Some(exchanges) = exchanges() else { return };
    let ours = ours();
    assert_eq!(ours.all().len(), 4);
    for template in ours.all() {
        let (_, other) = exchanges.by_id(template.id.unwrap()).unwrap();
        let [mine, other] = [template, other].map(|template| {
            let fields = template.instructions.iter().map(format);
            (template.map_bits, fields.collect::<Vec<_>>())
        });
        assert_eq!(mine, other, "{:?}", template.id);
    }
}

#[test]
fn recorded_packets_have_the_same_values_in_the_shipped_templates_as_in_the_exchanges() {
    let (Some(exchanges), Some(packets)) = (exchanges(), packets()) else {
        return;
    };
    let ours = ours();
    assert_eq!(packets.len(), 150);
    // What an independent decoder found: adds, changes, deletes; exponents of prices.
    let (mut actions, mut exponents) = ([0; 3], BTreeMap::new());
    for packet in &packets {
        let (mine, other) = (decode(&ours, packet), decode(&exchanges, packet));
        assert_eq!(mine.fields, other.fields);
        let (_, template) = ours.by_id(3610).unwrap();
        for (_, node) in &mine.fields {
            let Node::Sequence(entries) = node else {
                continue;
            };
            for entry in entries {
                let of = |tag| {
                    let is_it = |(index, _): &&(u32, Node)| {
                        template.instructions[*index as usize].tag == tag
                    };
                    let found = entry.iter().find(is_it).map(|(_, node)| node);
                    found.filter(|node| **node != Node::Absent)
                };
                let Some(Node::Unsigned(action)) = of(279) else {
                    panic!("{entry:?}")
                };
                actions[*action as usize] += 1;
                assert!(of(269).is_some(), "a side");
                let Some(Node::Decimal(price)) = of(270) else {
                    panic!("{entry:?}")
                };
                *exponents.entry(price.exponent).or_insert(0) += 1;
                assert_eq!(of(271).is_some(), *action != 2);
                assert_eq!(of(10_505).is_some(), *action != 2);
            }
        }
    }
    assert_eq!(actions, [79, 1, 115]);
    let expected = [
        (-6, 2),
        (-5, 2),
        (-4, 79),
        (-3, 56),
        (-2, 51),
        (-1, 1),
        (0, 3),
        (1, 1),
    ];
    assert_eq!(exponents, BTreeMap::from(expected));
}
