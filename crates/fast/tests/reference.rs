//! Held against the decoder that was written apart, plainly, from the specification: on random messages of random templates, and on
//! mutated ones.
//!
//! `TICKWIRE_LONG=1` takes ten times as many.

use fast::{
    Decoder, Encoder, ErrorCode, Json, Kind, Message, MessageBuilder, Node, Settings, Templates,
};
use fast_reference::random::{Case, Limits, mutate};
use fast_reference::reference::{self, Code, Reset};
use fast_reference::{Fields, Value};
use rand::SeedableRng;
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
