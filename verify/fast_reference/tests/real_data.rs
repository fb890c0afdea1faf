//! Real feeds: what is known of them (`../shared/data/README.md`, and the table in `FAST.md`) comes out of the reference.

use crate::common;
use std::collections::HashSet;
use std::fs;

use common::data;
use fast_reference::message::field;
use fast_reference::reference::{Decoder, Reset};
use fast_reference::{Fields, Message, Value};

fn unsigned(message: &Message, name: &str) -> u64 {
    match message.field(name) {
        Some(Value::Unsigned(value)) => *value,
        other => panic!("{name}: {other:?}"),
    }
}

fn entries<'a>(message: &'a Message, name: &str) -> &'a [Fields] {
    match message.field(name) {
        Some(Value::Sequence(entries)) => entries,
        other => panic!("{name}: {other:?}"),
    }
}

/// The messages of a line of MICEX without the resets, with their bytes, the reset before them included.
fn micex(line: &str) -> Option<Vec<(Message, Vec<u8>)>> {
    let folder = data("micex-2013-08-01")?;
    let xml = fs::read_to_string(folder.join("templates.xml")).unwrap();
    let bytes = fs::read(folder.join(line)).unwrap();
    let mut decoder = Decoder::new(&xml).unwrap();
    let (mut messages, mut rest, mut start) = (Vec::new(), &bytes[..], &bytes[..]);
    let mut was_reset = false;
    while !rest.is_empty() {
        let (message, length) = decoder.message(rest).unwrap();
        rest = &rest[length..];
        let is_reset = message.template == "Reset";
        assert!(is_reset || was_reset, "each is preceded by a reset");
        was_reset = is_reset;
        if !is_reset {
            messages.push((message, start[..start.len() - rest.len()].to_vec()));
            start = rest;
        }
    }
    Some(messages)
}

#[test]
fn micex_lines_have_the_known_messages_in_order() {
    let mut lines = Vec::new();
    for (name, first, last, count) in [
        ("increment_a.dat", 482_727, 490_827, 8_101),
        ("increment_b.dat", 482_751, 490_838, 8_088),
    ] {
        let Some(messages) = micex(name) else {
            return;
        };
        assert_eq!(messages.len(), count);
        let numbers: Vec<u64> = messages
            .iter()
            .map(|(message, _)| unsigned(message, "MsgSeqNum"))
            .collect();
        assert_eq!(numbers, (first..=last).collect::<Vec<_>>());
        for (message, _) in &messages {
            assert_eq!(message.template, "DefaultIncrementalRefreshMessage");
            assert_eq!(
                message.field("MessageType"),
                Some(&Value::Ascii("X".into()))
            );
        }
        lines.push(messages);
    }
    // What both lines have was sent from 14:24:38 to 14:31:00.
    let time = |message: &Message| unsigned(message, "SendingTime") / 1_000 % 1_000_000;
    assert_eq!(time(&lines[1][0].0), 142_438);
    assert_eq!(time(&lines[0].last().unwrap().0), 143_100);
    let (a, b): (Vec<_>, Vec<_>) = (
        lines[0].iter().skip(24).collect(),
        lines[1].iter().take(8_077).collect(),
    );
    assert!(
        a.len() == 8_077 && a == b,
        "the common messages are the same"
    );
    let counts: Vec<usize> = lines[0]
        .iter()
        .map(|(message, _)| entries(message, "MDEntries").len())
        .collect();
    // FAST.md: 2.7 on average, 18 at most, in both lines; packets of 428 bytes at most.
    let mean = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
    println!(
        "line A: {} entries, {mean:.2} a message",
        counts.iter().sum::<usize>()
    );
    assert!((2.65..2.75).contains(&mean), "{mean}");
    assert_eq!(counts.iter().max(), Some(&18));
    let longest = lines[0].iter().map(|(_, bytes)| bytes.len()).max();
    assert_eq!(longest, Some(428));
}

#[test]
fn moex_trades_have_the_known_entries_and_symbols() {
    let (Some(xml), Some(bytes)) = (
        data("moex-templates/asts-2017-03.xml"),
        data("moex-fond-trades-2019-04-04/data.dat"),
    ) else {
        return;
    };
    let xml = fs::read_to_string(xml).unwrap();
    let bytes = fs::read(bytes).unwrap();
    let options = fast_reference::reference::Options {
        reset: Reset::EachPacket,
        ..Default::default()
    };
    let mut decoder = Decoder::with_options(&xml, options).unwrap();
    let (mut rest, mut messages, mut count, mut symbols) = (&bytes[..], 0, 0, HashSet::new());
    let mut last = 0;
    while let Some((preamble, after)) = rest.split_first_chunk::<4>() {
        let (message, length) = decoder.message(after).unwrap();
        rest = &after[length..];
        messages += 1;
        assert_eq!(message.template, "X-TLR-FOND");
        // The preamble repeats the sequence number, little-endian.
        let number = u64::from(u32::from_le_bytes(*preamble));
        assert_eq!(unsigned(&message, "MsgSeqNum"), number);
        assert!(number > last);
        last = number;
        for entry in entries(&message, "GroupMDEntries") {
            count += 1;
            match field(entry, "Symbol") {
                Some(Value::Ascii(symbol)) => symbols.insert(symbol.clone()),
                other => panic!("{other:?}"),
            };
        }
    }
    assert!(rest.is_empty());
    assert_eq!((messages, count, symbols.len()), (5_020, 6_737, 99));
}
