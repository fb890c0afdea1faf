//! The wire-rate FAST engine of `rtl/decoder/fast/wire` against the software decoder: every wanted field of every entry.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::PathBuf;

use exchange::publish::fast::LayoutError;
use exchange::publish::fast::generate::{self, generate};
use fast::wire_rate::{Room, Tables, Wanted, compile};
use fast::{
    Decimal, Decoder, Encoder, Framing, Instruction, Kind, Message, MessageBuilder, Node, Operator,
    Settings, Templates, Width,
};
use fast_reference::random::mutate;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sim::fast_wire::{Arrival, LAST_ENTRY, Lockstep, Trap, VERDICT};

const RESET: Settings = Settings {
    report: fast::Reportable::ALL,
    reset_each_packet: true,
};

/// A plain generator of random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit
    }
}

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

/// All packets at every alignment back to back, and a part of them with beats and packets apart. Returns traps by reason.
fn compare(
    name: &str,
    templates: &Templates,
    id: u32,
    wanted: &Wanted,
    settings: Settings,
    packets: &[Vec<u8>],
) -> BTreeMap<Trap, u64> {
    let tables = tables(templates, id, wanted, settings);
    let mut traps = BTreeMap::new();
    let (mut entries, mut fields, mut good, mut sent) = (0, 0, 0, 0);
    for (apart, skip) in (0..16_u8).map(|run| (run >= 8, run % 8)) {
        let mut both = Lockstep::new(templates, id, wanted, &tables, settings);
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
                random: random.next(),
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
        assert_eq!(
            statistics.last_entry.keys().collect::<Vec<_>>(),
            [&LAST_ENTRY]
        );
        assert_eq!(statistics.verdict.keys().collect::<Vec<_>>(), [&VERDICT]);
    }
    println!(
        "{name}: {good} packets good, handed over {traps:?}, {entries} entries, {fields} fields; last byte in to last entry out: {LAST_ENTRY} cycles"
    );
    assert_eq!(good + traps.values().sum::<u64>(), sent);
    traps
}

/// Of the generated log alone: numbers of one or two digits make entries of five bytes, of which two begin in a beat, and null exponents near their beginning.
fn is_few(traps: &BTreeMap<Trap, u64>, packets: usize) -> bool {
    let few = traps.values().sum::<u64>() < packets as u64 / 2;
    few && traps
        .keys()
        .all(|trap| matches!(trap, Trap::Starts | Trap::Late))
}

/// The order log: of the exchange's long order numbers nothing is handed over.
fn compare_order_log(name: &str, templates: &Templates) {
    let wanted = order_log_wanted();
    let packets = order_log_of_long_numbers(templates, 3_000);
    let traps = compare(name, templates, 3610, &wanted, RESET, &packets);
    assert_eq!(traps, BTreeMap::new());
    let packets = order_log(templates, 3_000);
    let name = format!("{name}, short numbers");
    let traps = compare(&name, templates, 3610, &wanted, RESET, &packets);
    assert!(is_few(&traps, packets.len()), "{traps:?}");
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

fn packets_of(templates: &Templates, id: u32, random: &mut Random, count: usize) -> Vec<Vec<u8>> {
    let (index, template) = templates.by_id(id).expect("it is there");
    let mut encoder = Encoder::new(templates);
    let start = template
        .instructions
        .iter()
        .position(|each| each.kind == Kind::SequenceStart);
    let start = start.expect("it has a sequence");
    let fields = |range: Range<usize>, random: &mut Random, before: &mut HashMap<usize, Node>| {
        let mut fields = vec![];
        for at in range {
            let instruction = &template.instructions[at];
            if !instruction.kind.is_field()
                || instruction.kind == Kind::Length
                || instruction.operator == Operator::Constant
            {
                continue;
            }
            let node = match before.get(&at) {
                Some(node) if random.below(3) == 0 => node.clone(),
                Some(Node::Unsigned(value)) if random.below(2) == 0 && *value < 255 => {
                    Node::Unsigned(value + 1)
                }
                _ => value(instruction, random),
            };
            before.insert(at, node.clone());
            fields.push((at as u32, node));
        }
        fields
    };
    let mut packets = vec![];
    for _ in 0..count {
        encoder.reset();
        let mut before = HashMap::new();
        let mut all = fields(0..start, random, &mut before);
        let length = match random.below(8) {
            0 => 0,
            1 => random.below(40),
            _ => 1 + random.below(5),
        };
        let entries = (0..length).map(|_| {
            fields(
                start + 1..template.instructions[start].partner,
                random,
                &mut before,
            )
        });
        all.push((start as u32, Node::Sequence(entries.collect())));
        let message = Message {
            template: index,
            fields: all,
        };
        let mut bytes = vec![];
        // A delta may be too large for an encoder; then another message.
        if encoder.message(&message, &mut bytes).is_ok() {
            packets.push(bytes);
        }
    }
    packets
}

/// A random value of a field: mostly small, at times absent, at times the extremes.
fn value(instruction: &Instruction, random: &mut Random) -> Node {
    let rarely = if instruction.kind == Kind::Decimal {
        12
    } else {
        4
    };
    if instruction.nullable && random.below(rarely) == 0 {
        return Node::Absent;
    }
    let raw = random.next() >> random.below(64);
    match instruction.kind {
        // The engine has 63 bits.
        Kind::Unsigned(Width::W64) if random.below(32) != 0 => Node::Unsigned(raw >> 3),
        Kind::Unsigned(width) => Node::Unsigned(raw & (u64::MAX >> (64 - width.bits()))),
        Kind::Signed(width) => {
            let unused = 64 - width.bits();
            let signed = if random.below(2) == 0 { raw } else { !raw };
            Node::Signed(((signed << unused) as i64) >> unused)
        }
        Kind::Decimal => Node::Decimal(Decimal {
            exponent: random.below(20) as i32 - 10,
            mantissa: (raw >> 2) as i64 * if random.below(2) == 0 { 1 } else { -1 },
        }),
        _ => {
            // Longer than a place at times.
            let most = if random.below(200) == 0 { 15 } else { 6 };
            let length = random.below(most);
            Node::Bytes((0..length).map(|_| 33 + random.below(90) as u8).collect())
        }
    }
}

/// A template with fields of these kinds in its entries.
fn random_templates(random: &mut Random) -> String {
    let mut fields = String::new();
    let (decimals, many) = (1 + random.below(2), 3 + random.below(11));
    let mut number = 0;
    let mut add = |text: &str| {
        number += 1;
        fields += &text.replace('@', &format!("name='f{number}' id='{number}'"));
    };
    for _ in 0..many {
        add(match random.below(13) {
            0 => "<uInt32 @/>",
            1 => "<uInt32 @ presence='optional'/>",
            2 => "<uInt32 @ presence='optional'><copy/></uInt32>",
            3 => "<uInt32 @><increment value='3'/></uInt32>",
            4 => "<uInt32 @ presence='optional'><increment/></uInt32>",
            5 => "<int32 @><delta/></int32>",
            6 => "<uInt32 @ presence='optional'><delta value='100'/></uInt32>",
            7 => "<string @/>",
            8 => "<string @ presence='optional'><copy value='abc'/></string>",
            9 => "<string @ presence='optional'><default value='x'/></string>",
            10 => "<uInt8 @><default value='9'/></uInt8>",
            11 => "<int16 @ presence='optional'/>",
            _ => "<uInt32 @ presence='optional'><constant value='7'/></uInt32>",
        });
    }
    for _ in 0..decimals {
        add(match random.below(7) {
            0 => "<decimal @/>",
            1 => "<decimal @ presence='optional'><copy/></decimal>",
            2 => "<decimal @><delta/></decimal>",
            3 => "<int64 @ presence='optional'><delta/></int64>",
            4 => "<uInt64 @><increment value='5'/></uInt64>",
            _ => "<decimal @ presence='optional'/>",
        });
    }
    for _ in 0..random.below(4) {
        add("<decimal @ presence='optional'/>");
    }
    for _ in 0..random.below(3) {
        add("<uInt32 @ presence='optional'/>");
    }
    let header = match random.below(3) {
        0 => "<uInt32 name='a' id='1000'/>",
        1 => "<uInt32 name='a' id='1000'><increment/></uInt32>",
        _ => "<string name='z' id='1003'/><uInt32 name='a' id='1000' presence='optional'/>",
    };
    let id = [5, 127, 128, 3_610, 16_384][random.below(5) as usize];
    format!(
        "<templates xmlns='http://www.fixprotocol.org/ns/fast/td/1.1'><template name='t' id='{id}'>{header}\
         <uInt64 name='b' id='1001'><delta/></uInt64><sequence name='s'><length name='n' id='1002'/>{fields}</sequence></template></templates>"
    )
}

/// Tables with as many wanted fields as there is room for, and whether these are all.
fn tables_of_most(templates: &Templates) -> Option<(u32, Wanted, Tables, bool)> {
    let template = &templates.all()[0];
    let id = template.id?;
    let mut wanted = Wanted {
        header: vec![1000, 1001],
        fields: vec![],
    };
    let room = Room {
        watches: 2,
        ..Room::default()
    };
    let mut tables = compile(templates, id, &wanted, &room, true).ok()?;
    let mut all = true;
    for instruction in &template.instructions {
        if instruction.tag >= 1000
            || !instruction.kind.is_field()
            || instruction.operator == Operator::Constant
        {
            continue;
        }
        wanted.fields.push(instruction.tag);
        match compile(templates, id, &wanted, &room, true) {
            Ok(more) => tables = more,
            Err(_) => {
                all = false;
                wanted.fields.pop();
            }
        }
    }
    Some((id, wanted, tables, all))
}

/// Random messages of random templates; with `mutated` each of them comes mutated before it comes as it was. A template's packets are sent in one go.
fn random(seeds: Range<u64>, mutated: bool) {
    let mut traps: BTreeMap<Trap, u64> = BTreeMap::new();
    let (mut files, mut good, mut entries, mut fields, mut trapped_good) = (0, 0, 0, 0, 0);
    for seed in seeds {
        let mut random = Random(seed * 2 + 1);
        let xml = random_templates(&mut random);
        let templates = Templates::parse(&xml).expect("it is well-formed");
        let Some((id, wanted, tables, all)) = tables_of_most(&templates) else {
            continue;
        };
        // An error in a field that nobody wants is not seen.
        if mutated && (!all || xml.contains("id='1003'")) {
            continue;
        }
        files += 1;
        let mut chacha = ChaCha8Rng::seed_from_u64(seed);
        let mut both = Lockstep::new(&templates, id, &wanted, &tables, RESET);
        for packet in packets_of(&templates, id, &mut random, 40) {
            let worse = mutated.then(|| mutate(&packet, &mut chacha));
            for bytes in worse.iter().chain([&packet]) {
                let arrival = Arrival {
                    skip: random.below(8) as u8,
                    empty_end: random.below(6) == 0,
                    gaps: [0, 0, 40, 128][random.below(4) as usize],
                    random: random.next(),
                    err: random.below(20) == 0,
                };
                both.packet(bytes, arrival)
                    .and_then(|()| {
                        if random.below(8) == 0 {
                            both.rest(0)
                        } else {
                            Ok(())
                        }
                    })
                    .unwrap_or_else(|error| {
                        panic!(
                            "seed {seed}, {arrival:?}: {error}\n{xml}\n{wanted:?}\n{tables:?}\n{}",
                            templates.listing()
                        )
                    });
            }
        }
        both.rest(0)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{xml}"));
        let statistics = &both.statistics;
        for (trap, count) in &statistics.trapped {
            *traps.entry(*trap).or_default() += count;
        }
        good += statistics.good;
        entries += statistics.entries;
        fields += statistics.fields;
        trapped_good += statistics.trapped_good;
        assert!(
            statistics
                .last_entry
                .keys()
                .all(|cycles| *cycles == LAST_ENTRY)
        );
    }
    println!(
        "{files} templates, mutated: {mutated}: {good} packets good, {entries} entries, {fields} fields; handed over {traps:?}, of these good in software {trapped_good}"
    );
    if !mutated {
        // A header value of ten bytes is more than there is room for.
        for trap in [Trap::Template, Trap::Map, Trap::End, Trap::Length] {
            assert!(!traps.contains_key(&trap), "{traps:?}");
        }
        assert!(good > 4 * traps.values().sum::<u64>(), "{traps:?}");
    }
}

#[test]
fn random_messages_of_random_templates_decode_as_in_software() {
    random(1..600, false);
}

#[test]
fn mutated_messages_are_never_given_as_good_with_something_wrong() {
    random(1_000..2_500, true);
}

#[test]
fn mutated_order_logs_are_never_given_as_good_with_something_wrong() {
    let templates = desk_templates();
    let wanted = order_log_wanted();
    let tables = tables(&templates, 3610, &wanted, RESET);
    let mut both = Lockstep::new(&templates, 3610, &wanted, &tables, RESET);
    let mut chacha = ChaCha8Rng::seed_from_u64(3);
    for (index, packet) in order_log(&templates, 20_000).iter().enumerate() {
        for bytes in [&mutate(packet, &mut chacha), packet] {
            let arrival = Arrival {
                skip: (index % 8) as u8,
                ..Arrival::default()
            };
            both.packet(bytes, arrival)
                .unwrap_or_else(|error| panic!("packet {index}, {arrival:?}: {error}"));
        }
    }
    both.rest(0).expect("the last one");
    println!("{:?}", both.statistics);
    assert!(both.statistics.good >= 20_000);
}

/// One packet, alone: why it is handed over, if it is.
fn trap(templates: &Templates, id: u32, wanted: &Wanted, bytes: &[u8]) -> Option<Trap> {
    let tables = tables(templates, id, wanted, RESET);
    let mut both = Lockstep::new(templates, id, wanted, &tables, RESET);
    let mut found = vec![];
    for skip in 0..8 {
        let arrival = Arrival {
            skip,
            ..Arrival::default()
        };
        both.packet(bytes, arrival)
            .expect("nothing wrong is given as good");
        both.rest(1).expect("nothing wrong is given as good");
    }
    found.extend(both.statistics.trapped.keys().copied());
    found.first().copied()
}

#[test]
fn what_it_does_not_do_is_handed_over_with_a_reason() {
    let templates = desk_templates();
    let wanted = order_log_wanted();
    let log = order_log(&templates, 40);
    let of = |bytes: &[u8]| trap(&templates, 3610, &wanted, bytes);
    let packet = &log[20];
    assert_eq!(of(packet), None);
    // Cut short anywhere.
    for end in 0..packet.len() {
        assert!(of(&packet[..end]).is_some(), "{end}");
    }
    // Two messages; a heartbeat; something after the message.
    assert_eq!(of(&[packet.as_slice(), &log[21]].concat()).is_some(), true);
    assert_eq!(of(&[0xc0, 0x10, 0xbc, 0x81, 0x81]), Some(Trap::Template));
    assert!(of(&[packet.as_slice(), &[0x80]].concat()).is_some());
    // One entry more or less than there are.
    let length = 3
        + packet[3..]
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte & 0x80 != 0)
            .map(|(at, _)| at)
            .nth(1)
            .unwrap()
        + 1;
    for wrong in [packet[length] - 1, packet[length] + 1] {
        let mut bytes = packet.clone();
        bytes[length] = wrong;
        assert!(of(&bytes).is_some());
    }

    // Templates of one's own: the header is presence map, identifier, length.
    let one = |fields: &str| {
        let xml = format!(
            "<templates xmlns='http://www.fixprotocol.org/ns/fast/td/1.1'><template name='t' id='5'><sequence name='s'>\
             <length name='n' id='1002'/>{fields}</sequence></template></templates>"
        );
        Templates::parse(&xml).expect("well-formed")
    };
    let number = |id: usize| format!("<uInt32 name='f{id}' id='{id}'/>");
    let optional = |id: usize| format!("<decimal name='d{id}' id='{id}' presence='optional'/>");
    let first = Wanted {
        header: vec![],
        fields: vec![1],
    };
    // Entries of a byte: two begin in a beat.
    let short = one(&number(1));
    assert_eq!(
        trap(&short, 5, &first, &[0xc0, 0x85, 0x83, 0x81, 0x82, 0x83]),
        Some(Trap::Starts)
    );
    // Eight null exponents in a row.
    let numbers: String = (1..9).map(number).collect();
    let nulls = one(&(numbers + &(9..17).map(optional).collect::<String>()));
    let entry = [
        0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
        0x80,
    ];
    assert_eq!(
        trap(
            &nulls,
            5,
            &first,
            &[&[0xc0, 0x85, 0x81], entry.as_slice()].concat()
        ),
        Some(Trap::Nulls)
    );
    // A null exponent near the entry's beginning.
    let late = one(&(number(1) + &optional(2) + &(3..12).map(number).collect::<String>()));
    let entry = [
        0x81, 0x80, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b,
    ];
    assert_eq!(
        trap(
            &late,
            5,
            &first,
            &[&[0xc0, 0x85, 0x81], entry.as_slice()].concat()
        ),
        Some(Trap::Late)
    );
    let entry = [
        0x81, 0x82, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b,
    ];
    assert_eq!(
        trap(
            &late,
            5,
            &first,
            &[&[0xc0, 0x85, 0x81], entry.as_slice()].concat()
        ),
        None
    );
    // A value outside its type, and an overlong one.
    let plain = one(&(1..10).map(number).collect::<String>());
    let rest = [0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89];
    for value in [
        [0x7f, 0x7f, 0x7f, 0x7f, 0xff].as_slice(),
        &[0x00, 0x81],
        &[1, 1, 1, 1, 1, 1, 0x81],
    ] {
        let bytes = [&[0xc0, 0x85, 0x81], value, &rest].concat();
        assert_eq!(trap(&plain, 5, &first, &bytes), Some(Trap::Value));
    }
    // A presence map with a bit that nothing takes, an overlong one, and one of three bytes.
    let mapped = one(
        &("<uInt32 name='f1' id='1'><copy value='1'/></uInt32>".to_owned()
            + &(2..11).map(number).collect::<String>()),
    );
    let rest = [0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89];
    assert_eq!(
        trap(
            &mapped,
            5,
            &first,
            &[&[0xc0, 0x85, 0x81, 0x80], rest.as_slice()].concat()
        ),
        None
    );
    for map in [[0xa0].as_slice(), &[0x00, 0x80], &[0x00, 0x00, 0x81]] {
        let bytes = [&[0xc0, 0x85, 0x81], map, &rest].concat();
        assert_eq!(trap(&mapped, 5, &first, &bytes), Some(Trap::Map));
    }
}
