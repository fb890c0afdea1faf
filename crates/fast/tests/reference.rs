//! Held against the decoder that was written apart, plainly, from the specification: on random messages of random templates, and on
//! mutated ones.
//!
//! `TICKWIRE_LONG=1` takes ten times as many.

use fast::{
    Decimal, Decoder, Encoder, ErrorCode, Json, Kind, Message, MessageBuilder, Node, Settings,
    Templates,
};
use fast_reference::random::{Case, Limits, mutate};
use fast_reference::reference::{self, Code, Reset};
use fast_reference::{Fields, Value};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Messages to compare.
fn wanted() -> usize {
    if std::env::var_os("TICKWIRE_LONG").is_some() {
        200_000
    } else {
        20_000
    }
}

/// A message in the terms of the reference, which names every field.
fn plain(message: &Message, templates: &Templates) -> fast_reference::Message {
    let template = &templates.all()[message.template];
    let last = template.instructions.len();
    fast_reference::Message {
        template: template.name.local.clone(),
        fields: fields(message.template, 0, last, &message.fields, templates),
    }
}

fn fields(
    template: usize,
    from: usize,
    to: usize,
    given: &fast::Fields,
    templates: &Templates,
) -> Fields {
    let instructions = &templates.all()[template].instructions;
    let (mut out, mut at) = (Fields::new(), from);
    while at < to {
        let instruction = &instructions[at];
        let found = given.iter().find(|(index, _)| *index as usize == at);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
        let body = |given| fields(template, at + 1, instruction.partner, given, templates);
        if !matches!(instruction.kind, Kind::Length | Kind::Mantissa) {
            let mut name = instruction.name.local.clone();
            let value = match found.map_or(&Node::Absent, |(_, node)| node) {
                Node::Absent => Value::Absent,
                Node::Unsigned(value) => Value::Unsigned(*value),
                Node::Signed(value) => Value::Signed(*value),
                Node::Decimal(value) => Value::Decimal {
                    exponent: value.exponent,
                    mantissa: value.mantissa,
                },
                Node::Bytes(bytes) => match instruction.kind {
                    Kind::Ascii => Value::Ascii(text(bytes)),
                    Kind::Unicode => Value::Unicode(text(bytes)),
                    _ => Value::Bytes(bytes.clone()),
                },
                Node::Group(given) => Value::Group(body(given)),
                Node::Sequence(entries) => Value::Sequence(entries.iter().map(body).collect()),
                Node::Message(message) => {
                    let message = plain(message, templates);
                    name = message.template;
                    Value::Group(message.fields)
                }
            };
            out.push((name, value));
        }
        if matches!(instruction.kind, Kind::GroupStart | Kind::SequenceStart) {
            at = instruction.partner;
        }
        at += 1;
    }
    out
}

fn limits(seed: u64) -> Limits {
    Limits {
        reset: match seed % 3 {
            0 => Reset::EachPacket,
            _ => Reset::Never,
        },
        ..Limits::default()
    }
}

fn decoder(case: &Case, templates: &Templates) -> Decoder {
    let settings = Settings {
        reset_each_packet: case.reset == Reset::EachPacket,
        ..Settings::default()
    };
    Decoder::with(templates, settings)
}

#[test]
fn random_messages_are_what_they_mean_and_encode_to_what_means_the_same() {
    let (mut seed, mut count) = (0, 0);
    while count < wanted() {
        seed += 1;
        let case = Case::new(seed, &limits(seed));
        let templates = Templates::parse(&case.xml)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", case.xml));
        let mut decoder = decoder(&case, &templates);
        let mut again = self::decoder(&case, &templates);
        let mut encoder = Encoder::new(&templates);
        let mut builder = MessageBuilder::new(&templates);
        let json = Json::new(&templates);
        for packet in &case.packets {
            let decoded = decoder.packet(&packet.bytes, &mut builder);
            decoded.unwrap_or_else(|error| {
                panic!("seed {seed}: {}\n{}", error.describe(&templates), case.xml)
            });
            let messages = builder.take();
            let found: Vec<_> = messages
                .iter()
                .map(|message| plain(message, &templates))
                .collect();
            assert_eq!(found, packet.messages, "seed {seed}\n{}", case.xml);
            // The encoder's bytes may be shorter; what they mean is the same, and so is the way through JSON.
            let mut bytes = Vec::new();
            if case.reset == Reset::EachPacket {
                encoder.reset();
            }
            for message in &messages {
                let read = json.read(&json.write(message)).expect("our own JSON");
                let encoded = encoder.message(&read, &mut bytes);
                encoded.unwrap_or_else(|error| {
                    panic!("seed {seed}: {}\n{}", error.describe(&templates), case.xml)
                });
            }
            assert!(
                bytes.len() <= packet.bytes.len(),
                "seed {seed}: longer than need be"
            );
            let decoded = again.packet(&bytes, &mut builder);
            decoded.unwrap_or_else(|error| {
                panic!(
                    "seed {seed}: encoded again: {}\n{}",
                    error.describe(&templates),
                    case.xml
                )
            });
            assert_eq!(
                builder.take(),
                messages,
                "seed {seed}: encoded again\n{}",
                case.xml
            );
            count += messages.len();
        }
    }
}

/// The code as both name it; none for the limits, which are not the same.
fn name(code: ErrorCode) -> Option<String> {
    match code {
        ErrorCode::Truncated => Some("Truncated".into()),
        code => code.code().map(str::to_owned),
    }
}

#[test]
fn mutated_messages_give_the_same_values_or_the_same_error() {
    let (mut seed, mut count, mut errors, mut early) = (1_000_000, 0, 0, 0);
    while count < wanted() {
        seed += 1;
        let case = Case::new(seed, &limits(seed));
        let templates = Templates::parse(&case.xml).expect("generated");
        let mut decoder = decoder(&case, &templates);
        let mut reference =
            reference::Decoder::with_options(&case.xml, case.options()).expect("generated");
        let mut builder = MessageBuilder::new(&templates);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for packet in &case.packets {
            // Good ones between them show that the dictionary is restored.
            for bytes in [mutate(&packet.bytes, &mut rng), packet.bytes.clone()] {
                let expected = reference.packet(&bytes);
                count += expected.len();
                let found = decoder.packet(&bytes, &mut builder);
                let messages = builder.take();
                match expected.last() {
                    Some(Err(error)) => {
                        errors += 1;
                        if matches!(error.code, Code::Work | Code::Nesting) {
                            break;
                        }
                        let found = found.map_err(|error| name(error.code));
                        if found == Err(Some("Truncated".into())) && error.code != Code::Truncated {
                            // A sequence longer than the bytes is refused before its first entry, the reference finds what is wrong in one.
                            early += 1;
                            continue;
                        }
                        let code = Some(format!("{:?}", error.code));
                        assert_eq!(
                            found,
                            Err(code),
                            "seed {seed}: {error} {bytes:02x?}\n{}",
                            case.xml
                        );
                    }
                    _ => {
                        let found = found.map_err(|error| error.describe(&templates));
                        assert_eq!(
                            found,
                            Ok(expected.len()),
                            "seed {seed} {bytes:02x?}\n{}",
                            case.xml
                        );
                        let expected: Vec<_> = expected.into_iter().flatten().collect();
                        let found: Vec<_> = messages
                            .iter()
                            .map(|message| plain(message, &templates))
                            .collect();
                        assert_eq!(found, expected, "seed {seed} {bytes:02x?}\n{}", case.xml);
                    }
                }
            }
        }
    }
    assert!(
        early < errors / 20,
        "{early} of {errors} errors are another one"
    );
    assert!(errors > count / 100, "the mutations are too kind");
}

/// Steps that often stand one after the other are one instruction of the decoder: all of them are here, one after the other, in a header and
/// in entries.
const PAIRS: &str = r#"
<templates xmlns="http://www.fixprotocol.org/ns/fast/td/1.1">
  <template name="Pairs" id="1">
    <string name="H0"><constant value="X"/></string>
    <string name="H1"><constant value="RTS"/></string>
    <uInt32 name="H2"><increment/></uInt32>
    <uInt64 name="H3"><delta/></uInt64>
    <sequence name="Entries">
      <length name="Count"/>
      <uInt32 name="F0"><copy value="0"/></uInt32>
      <string name="F1"/>
      <uInt64 name="F2" presence="optional"><delta/></uInt64>
      <uInt32 name="F3"><constant value="8"/></uInt32>
      <string name="F4" presence="optional"><copy/></string>
      <uInt32 name="F5" presence="optional"><copy/></uInt32>
      <uInt32 name="F6"/>
      <uInt32 name="F7" presence="optional"><copy value="1"/></uInt32>
      <uInt32 name="F8" presence="optional"/>
      <int64 name="F9" presence="optional"/>
      <decimal name="F10" presence="optional"/>
      <int64 name="F11" presence="optional"/>
      <uInt32 name="F12" presence="optional"><delta/></uInt32>
      <uInt32 name="F13"><delta/></uInt32>
      <int32 name="F14" presence="optional"/>
    </sequence>
  </template>
</templates>"#;

/// A message of [`PAIRS`] whose values are as usual, or not: absent, at the ends of their types, as before.
fn pairs(rng: &mut ChaCha8Rng) -> Message {
    let mut number = |most: u64| match rng.random_range(0..6) {
        0 => 0,
        1 => most,
        2 => rng.random_range(0..=most),
        3 => rng.random_range(60..70),
        _ => rng.random_range(0..3),
    };
    let wide = |number: u64| Node::Signed(number as i64);
    let (small, large) = (u64::from(u32::MAX), u64::MAX);
    let mut entries = Vec::new();
    for _ in 0..number(3) {
        let text = b"0123456789AB"[..1 + number(11) as usize % 12].to_vec();
        let mut entry = vec![
            (6, Node::Unsigned(number(small))),
            (7, Node::Bytes(text.clone())),
            (8, Node::Unsigned(number(large))),
            (10, Node::Bytes(text)),
            (11, Node::Unsigned(number(small))),
            (12, Node::Unsigned(number(small))),
            (13, Node::Unsigned(number(small))),
            (14, Node::Unsigned(number(small))),
            (15, wide(number(large))),
            (
                16,
                Node::Decimal(Decimal {
                    exponent: number(63) as i32 % 64 - 32,
                    mantissa: number(large) as i64,
                }),
            ),
            (17, wide(number(large))),
            (18, Node::Unsigned(number(small))),
            (19, Node::Unsigned(number(small))),
            (20, Node::Signed(i64::from(number(small) as i32))),
        ];
        // Mandatory are the action, the first string, the number and the time.
        entry.retain(|(index, _)| matches!(index, 6 | 7 | 12 | 19) || number(4) > 0);
        entries.push(entry);
    }
    Message {
        template: 0,
        fields: vec![
            (2, Node::Unsigned(number(small))),
            (3, Node::Unsigned(number(large))),
            (5, Node::Sequence(entries)),
        ],
    }
}

#[test]
fn steps_that_are_one_instruction_are_two_fields() {
    let templates = Templates::parse(PAIRS).expect("our own");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut encoder = Encoder::new(&templates);
    // Each packet stands alone, so that what follows a mutated one is good again.
    let settings = Settings {
        reset_each_packet: true,
        ..Settings::default()
    };
    let mut decoder = Decoder::with(&templates, settings);
    let options = reference::Options {
        reset: Reset::EachPacket,
        ..reference::Options::default()
    };
    let mut reference = reference::Decoder::with_options(PAIRS, options).expect("our own");
    let mut builder = MessageBuilder::new(&templates);
    let (mut good, mut errors) = (0, 0);
    for _ in 0..wanted() / 4 {
        let mut packet = Vec::new();
        encoder.reset();
        for _ in 0..4 {
            let encoded = encoder.message(&pairs(&mut rng), &mut packet);
            encoded.expect("of the types");
        }
        for bytes in [packet.clone(), mutate(&packet, &mut rng)] {
            let expected: Result<Vec<_>, _> = reference.packet(&bytes).into_iter().collect();
            let found = decoder.packet(&bytes, &mut builder);
            let messages = builder.take();
            match expected {
                Ok(expected) => {
                    good += 1;
                    assert_eq!(
                        found.map_err(|error| error.code),
                        Ok(expected.len()),
                        "{bytes:02x?}"
                    );
                    let found: Vec<_> = messages
                        .iter()
                        .map(|message| plain(message, &templates))
                        .collect();
                    assert_eq!(found, expected, "{bytes:02x?}");
                }
                Err(_) => {
                    errors += 1;
                    assert!(found.is_err(), "{bytes:02x?}");
                }
            }
        }
    }
    assert!(
        good > wanted() / 4 && errors > wanted() / 40,
        "{good} good, {errors} errors"
    );
}
