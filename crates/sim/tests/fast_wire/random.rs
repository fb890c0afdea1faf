//! Random messages of random templates, and mutated ones.

use super::*;

/// Packets of one random message each.
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
