//! The wire-rate FAST engine of `rtl/decoder/fast/wire` against the software decoder: every wanted field of every entry.

use std::collections::BTreeMap;
use std::path::PathBuf;

use exchange::publish::fast::LayoutError;
use exchange::publish::fast::generate::{self, generate};
use fast::wire_rate::{Room, Tables, Wanted, compile};
use fast::{Decoder, Encoder, Framing, Instruction, MessageBuilder, Node, Settings, Templates};
use fast_reference::random::mutate;
use lockstep::fast_wire::random::Random;
use lockstep::fast_wire::{Arrival, LAST_ENTRY, Lockstep, SAVED, SCOUT, Shape, Trap, VERDICT};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

mod late_bit;
mod random;
mod several;
mod traps;

const RESET: Settings = Settings {
    report: fast::Reportable::ALL,
    reset_each_packet: true,
};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of the recorded data; `None`, and a line that says so, where it is absent.
fn recorded(path: &str) -> Option<Vec<u8>> {
    let path = root().join("../shared/data").join(path);
    let bytes = std::fs::read(&path).ok();
    if bytes.is_none() {
        eprintln!("skipped: {} is not there", path.display());
    }
    bytes
}

fn recorded_templates(path: &str) -> Option<Templates> {
    let xml = String::from_utf8(recorded(path)?).expect("templates are UTF-8");
    Some(Templates::parse(&xml).expect("well-formed"))
}

fn desk_templates() -> Templates {
    let xml =
        std::fs::read_to_string(root().join("desks/fast/order-log.xml")).expect("it is there");
    Templates::parse(&xml).expect("well-formed")
}

/// The generated order log, without preambles.
fn order_log(templates: &Templates, packets: u32) -> Vec<Vec<u8>> {
    let settings = generate::Settings {
        packets,
        seconds: 60,
        seed: 1,
    };
    let mut all = vec![];
    generate::<LayoutError>(templates, &settings, |_, packet| {
        all.push(packet[4..].to_vec());
        Ok(())
    })
    .expect("the templates can carry it");
    all
}

/// The same with the exchange's order numbers, which have twelve digits.
fn order_log_of_long_numbers(templates: &Templates, packets: u32) -> Vec<Vec<u8>> {
    let (_, template) = templates.by_id(3610).expect("it is there");
    let is_id = |each: &Instruction| each.tag == 278;
    let id = template
        .instructions
        .iter()
        .position(is_id)
        .expect("it is there");
    let mut decoder = Decoder::with(templates, RESET);
    let mut messages = MessageBuilder::new(templates);
    let mut encoder = Encoder::new(templates);
    let longer = |packet: &Vec<u8>| {
        decoder.packet(packet, &mut messages).expect("it is good");
        let mut all = messages.take();
        let entries = all.iter_mut().flat_map(|message| &mut message.fields);
        for (_, node) in entries {
            let Node::Sequence(entries) = node else {
                continue;
            };
            for (index, node) in entries.iter_mut().flatten() {
                if *index as usize == id
                    && let Node::Bytes(bytes) = node
                {
                    let digits = String::from_utf8(std::mem::take(bytes)).expect("digits");
                    *bytes = format!("7{digits:0>11}").into_bytes();
                }
            }
        }
        let mut bytes = vec![];
        encoder.reset();
        for message in &all {
            encoder
                .message(message, &mut bytes)
                .expect("it can be carried");
        }
        bytes
    };
    order_log(templates, packets).iter().map(longer).collect()
}

fn order_log_wanted() -> Wanted {
    Wanted {
        header: vec![34, 52],
        fields: vec![278, 55, 269, 279, 83, 272, 273, 9412, 270, 271],
    }
}

fn tables(templates: &Templates, id: u32, wanted: &Wanted, settings: Settings) -> Tables {
    compile(
        templates,
        id,
        wanted,
        &Room::default(),
        settings.reset_each_packet,
    )
    .unwrap_or_else(|refusals| panic!("template {id}: {refusals:?}"))
}

/// How much earlier everything leaves an engine of this shape than one of one template.
fn saved(shape: Shape) -> u64 {
    if shape == Shape::Short { SAVED } else { 0 }
}

/// All packets at every alignment back to back, and a part of them with beats and packets apart, to both engines of one template. Returns traps by reason, of
/// which both find the same.
fn compare(
    name: &str,
    templates: &Templates,
    id: u32,
    wanted: &Wanted,
    settings: Settings,
    packets: &[Vec<u8>],
) -> BTreeMap<Trap, u64> {
    let [one, short] = [Shape::One, Shape::Short]
        .map(|shape| compare_of(shape, name, (templates, id), wanted, settings, packets));
    assert_eq!(one, short, "{name}");
    one
}

fn compare_of(
    shape: Shape,
    name: &str,
    (templates, id): (&Templates, u32),
    wanted: &Wanted,
    settings: Settings,
    packets: &[Vec<u8>],
) -> BTreeMap<Trap, u64> {
    let [last_entry, last_verdict] = [LAST_ENTRY, VERDICT].map(|cycles| cycles - saved(shape));
    let tables = tables(templates, id, wanted, settings);
    let mut traps = BTreeMap::new();
    let (mut entries, mut fields, mut good, mut sent) = (0, 0, 0, 0);
    for (apart, skip) in (0..16_u8).map(|run| (run >= 8, run % 8)) {
        let mut both = Lockstep::of_one(shape, templates, id, wanted, &tables, settings);
        let mut random = Random(7 + u64::from(skip));
        let packets = packets.iter().enumerate();
        for (index, packet) in packets.filter(|(index, _)| !apart || index % 4 == 0) {
            sent += 1;
            let arrival = Arrival {
                skip,
                empty_end: random.below(6) == 0,
                gaps: if apart {
                    [0, 128][random.below(2) as usize]
                } else {
                    0
                },
                random: random.next_bits(),
                err: false,
            };
            let mut result = both.packet(packet, arrival);
            if apart && random.below(2) == 0 {
                result = result.and_then(|()| both.rest(random.below(3)));
            }
            result.unwrap_or_else(|error| panic!("{name}, {arrival:?}, packet {index}: {error}"));
        }
        both.rest(0)
            .unwrap_or_else(|error| panic!("{name}, skip {skip}: {error}"));
        let statistics = &both.statistics;
        for (trap, count) in &statistics.trapped {
            *traps.entry(*trap).or_default() += count;
        }
        entries += statistics.entries;
        fields += statistics.fields;
        good += statistics.good;
        // Constant: whatever the packet, its alignment, and what is before it.
        if statistics.good > 0 {
            assert_eq!(
                statistics.last_entry.keys().collect::<Vec<_>>(),
                [&last_entry]
            );
        }
        assert_eq!(
            statistics.verdict.keys().collect::<Vec<_>>(),
            [&last_verdict]
        );
    }
    println!(
        "{name}: {good} packets good, not done {traps:?}, {entries} entries, {fields} fields; last byte in to last entry out: {last_entry} cycles"
    );
    assert_eq!(good + traps.values().sum::<u64>(), sent);
    traps
}

/// The packets of the recorded order log, without preambles.
fn recorded_order_log() -> Option<Vec<Vec<u8>>> {
    let bytes = recorded("moex-order-log/packets.bin")?;
    let (mut rest, mut packets) = (bytes.as_slice(), vec![]);
    while let Some((length, after)) = rest.split_first_chunk() {
        let (packet, after) = after.split_at(u16::from_be_bytes(*length).into());
        packets.push(packet[4..].to_vec());
        rest = after;
    }
    Some(packets)
}

/// The generated order log, with the numbers it has and with longer ones: all is done but the first packet, at most of its 16 arrivals. There all books are
/// empty, and entries without order and price have nulls where others have exponents.
fn compare_order_log(name: &str, templates: &Templates) {
    let wanted = order_log_wanted();
    for (name, packets) in [
        (name.to_owned(), order_log(templates, 3_000)),
        (
            format!("{name}, long numbers"),
            order_log_of_long_numbers(templates, 3_000),
        ),
    ] {
        for (packets, most) in [(&packets[..1], 16), (&packets[1..], 0)] {
            let traps = compare(&name, templates, 3610, &wanted, RESET, packets);
            let late = traps.get(&Trap::Late).copied().unwrap_or(0);
            assert_eq!(traps.values().sum::<u64>(), late, "{name}: {traps:?}");
            assert!(late <= most, "{name}: {traps:?}");
        }
    }
}

#[test]
fn every_packet_of_the_recorded_order_log_goes_at_wire_rate() {
    let Some(packets) = recorded_order_log() else {
        return;
    };
    assert_eq!(packets.len(), 150);
    let wanted = order_log_wanted();
    let mut files = vec![desk_templates()];
    files.extend(recorded_templates("moex-templates/asts-2017-03.xml"));
    for templates in &files {
        let traps = compare("recorded", templates, 3610, &wanted, RESET, &packets);
        assert_eq!(traps, BTreeMap::new());
    }
}

#[test]
fn the_order_log_decodes_as_in_software() {
    compare_order_log("order log", &desk_templates());
}

#[test]
fn the_order_log_in_the_exchanges_templates_decodes_as_in_software() {
    let Some(templates) = recorded_templates("moex-templates/asts-2017-03.xml") else {
        return;
    };
    compare_order_log("X-OLR-CURR", &templates);
}

#[test]
fn recorded_trades_decode_as_in_software() {
    let Some(templates) = recorded_templates("moex-templates/asts-2017-03.xml") else {
        return;
    };
    let Some(bytes) = recorded("moex-fond-trades-2019-04-04/data.dat") else {
        return;
    };
    let frames = Framing::Preamble
        .split(&templates, &bytes)
        .expect("the data is good");
    let packets: Vec<Vec<u8>> = frames.iter().map(|frame| frame[4..].to_vec()).collect();
    assert_eq!(packets.len(), 5_020);
    for fields in [
        vec![278, 55, 269, 279, 83, 272, 273, 9412, 270, 271],
        vec![336, 625, 10504, 64, 5459, 423, 5559, 5384, 6143],
        vec![1080, 236, 44, 83],
        vec![5677, 5558, 625],
    ] {
        let wanted = Wanted {
            header: vec![34, 52],
            fields,
        };
        let traps = compare("trades", &templates, 2521, &wanted, RESET, &packets);
        // What is not a trade.
        assert!(
            traps.keys().all(|trap| *trap == Trap::Template),
            "{traps:?}"
        );
    }
}

#[test]
fn both_lines_of_micex_decode_as_in_software() {
    let Some(templates) = recorded_templates("micex-2013-08-01/templates.xml") else {
        return;
    };
    for file in ["increment_a.dat", "increment_b.dat"] {
        let Some(bytes) = recorded(&format!("micex-2013-08-01/{file}")) else {
            return;
        };
        let messages = Framing::None
            .split(&templates, &bytes)
            .expect("the data is good");
        let packets: Vec<Vec<u8>> = messages.chunks(2).map(<[_]>::concat).collect();
        let wanted = Wanted {
            header: vec![34, 52],
            fields: vec![55, 269, 279, 83, 264, 1023, 270, 48],
        };
        let traps = compare(file, &templates, 74, &wanted, Settings::default(), &packets);
        assert!(
            traps.keys().all(|trap| *trap == Trap::Template),
            "{traps:?}"
        );
    }
}
