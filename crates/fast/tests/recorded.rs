//! The recorded data decodes to the facts that are known about it.

use crate::common;
use std::collections::BTreeSet;

use common::{recorded, templates};
use fast::{
    Decoder, Encoder, Error, Field, Fields, Framing, Json, Message, MessageBuilder, Node,
    Templates, Value, Visitor,
};

#[test]
fn every_template_file_compiles() {
    for (file, count) in [
        ("moex-templates/asts-2017-03.xml", 18),
        ("moex-templates/asts-2020-12.xml", 18),
        ("moex-templates/spectra-2020-12.xml", 14),
        ("moex-templates/forts-2017.xml", 13),
        ("micex-2013-08-01/templates.xml", 12),
        ("fast-spec/templates.xml", 16),
    ] {
        let Some(templates) = templates(file) else {
            return;
        };
        assert_eq!(templates.all().len(), count, "{file}");
    }
}

/// Message sequence numbers of the incrementals, and where each message of the file begins.
#[derive(Default)]
struct Incrementals {
    template: usize,
    first: Option<u64>,
    last: u64,
    count: u64,
    resets: u64,
    gaps: u64,
}

impl Visitor for Incrementals {
    fn message_start(&mut self, index: usize) {
        self.template = index;
    }

    fn field(&mut self, field: Field, value: Value<'_>) {
        const MSG_SEQ_NUM: u32 = 34;
        if let (MSG_SEQ_NUM, Value::Unsigned(number)) = (field.tag, value) {
            self.first.get_or_insert(number);
            self.gaps += u64::from(self.last != 0 && number != self.last + 1);
            self.last = number;
            self.count += 1;
        }
    }

    fn message_end(&mut self) {
        self.resets += u64::from(self.template == 7);
    }
}

fn decode_all(
    templates: &Templates,
    bytes: &[u8],
    visitor: &mut impl Visitor,
) -> Result<usize, Error> {
    let mut decoder = Decoder::new(templates);
    let (mut at, mut frames) = (0, 0);
    while at < bytes.len() {
        at = Framing::None.next(&mut decoder, bytes, at, visitor)?.end;
        frames += 1;
    }
    Ok(frames)
}

#[test]
fn both_micex_lines_decode_without_a_gap() {
    let Some(templates) = templates("micex-2013-08-01/templates.xml") else {
        return;
    };
    for (file, first, last, count) in [
        ("micex-2013-08-01/increment_a.dat", 482_727, 490_827, 8_101),
        ("micex-2013-08-01/increment_b.dat", 482_751, 490_838, 8_088),
    ] {
        let bytes = recorded(file).expect("the templates are there");
        let mut seen = Incrementals::default();
        decode_all(&templates, &bytes, &mut seen)
            .unwrap_or_else(|error| panic!("{file}: {}", error.describe(&templates)));
        assert_eq!(
            (seen.first, seen.last, seen.count, seen.gaps),
            (Some(first), last, count, 0),
            "{file}"
        );
        assert_eq!(seen.resets, count, "each is preceded by a reset");
    }
}

/// Symbols and entries of a message.
fn entries(message: &Message, symbols: &mut BTreeSet<Vec<u8>>, templates: &Templates) -> usize {
    let instructions = &templates.all()[message.template].instructions;
    let mut count = 0;
    for (_, node) in &message.fields {
        let Node::Sequence(entries) = node else {
            continue;
        };
        count += entries.len();
        for (index, value) in entries.iter().flatten() {
            if let (55, Node::Bytes(symbol)) = (instructions[*index as usize].tag, value) {
                symbols.insert(symbol.clone());
            }
        }
    }
    count
}

#[test]
fn moex_trades_have_their_entries_and_symbols() {
    let Some(templates) = templates("moex-templates/asts-2017-03.xml") else {
        return;
    };
    let bytes = recorded("moex-fond-trades-2019-04-04/data.dat").expect("the templates are there");
    let mut decoder = Decoder::new(&templates);
    let mut builder = MessageBuilder::new(&templates);
    let (mut at, mut datagrams, mut count, mut symbols) = (0, 0, 0, BTreeSet::new());
    while at < bytes.len() {
        let frame = Framing::Preamble.next(&mut decoder, &bytes, at, &mut builder);
        let frame = frame.unwrap_or_else(|error| panic!("{}", error.describe(&templates)));
        at = frame.end;
        datagrams += 1;
        for message in builder.take() {
            count += entries(&message, &mut symbols, &templates);
        }
    }
    assert_eq!((datagrams, count, symbols.len()), (5_020, 6_737, 99));
}

/// Decodes every frame and encodes it again: how many there are, and how many differ.
fn encode_again(templates: &Templates, framing: Framing, bytes: &[u8]) -> (usize, usize) {
    let mut decoder = Decoder::new(templates);
    let mut encoder = Encoder::new(templates);
    let mut builder = MessageBuilder::new(templates);
    let json = Json::new(templates);
    let (mut at, mut count, mut different) = (0, 0, 0);
    let mut out = Vec::new();
    while at < bytes.len() {
        let frame = framing
            .next(&mut decoder, bytes, at, &mut builder)
            .expect("the data is good");
        for message in builder.take() {
            let line = json.write(&message);
            assert_eq!(
                json.read(&line).expect("our own JSON"),
                without_absent(&message)
            );
            out.clear();
            if framing == Framing::Preamble {
                // Moscow Exchange resets the dictionaries at each datagram.
                encoder.reset();
            }
            encoder
                .message(&message, &mut out)
                .unwrap_or_else(|error| panic!("{}", error.describe(templates)));
            let sent = &bytes[frame.end - out.len().min(frame.end)..frame.end];
            different += usize::from(
                sent != out
                    || frame.end - at - usize::from(framing == Framing::Preamble) * 4 != out.len(),
            );
            count += 1;
        }
        at = frame.end;
    }
    (count, different)
}

/// JSON leaves out what is absent.
fn without_absent(message: &Message) -> Message {
    fn fields(fields: &Fields) -> Fields {
        let there = fields.iter().filter(|(_, node)| *node != Node::Absent);
        there
            .map(|(index, node)| {
                let node = match node {
                    Node::Sequence(entries) => {
                        Node::Sequence(entries.iter().map(self::fields_of).collect())
                    }
                    Node::Group(inner) => Node::Group(fields_of(inner)),
                    other => other.clone(),
                };
                (*index, node)
            })
            .collect()
    }
    Message {
        template: message.template,
        fields: fields(&message.fields),
    }
}

fn fields_of(fields: &Fields) -> Fields {
    without_absent(&Message {
        template: 0,
        fields: fields.clone(),
    })
    .fields
}

#[test]
fn the_recorded_messages_encode_byte_for_byte() {
    let (Some(micex), Some(moex)) = (
        templates("micex-2013-08-01/templates.xml"),
        templates("moex-templates/asts-2017-03.xml"),
    ) else {
        return;
    };
    for (templates, framing, file, meant) in [
        (
            &micex,
            Framing::None,
            "micex-2013-08-01/increment_a.dat",
            (16_202, 0),
        ),
        (
            &micex,
            Framing::None,
            "micex-2013-08-01/increment_b.dat",
            (16_176, 0),
        ),
        (
            &moex,
            Framing::Preamble,
            "moex-fond-trades-2019-04-04/data.dat",
            (5_020, 0),
        ),
    ] {
        let bytes = recorded(file).expect("the templates are there");
        assert_eq!(encode_again(templates, framing, &bytes), meant, "{file}");
    }
}
