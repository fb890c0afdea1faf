//! Random messages of random templates, and mutated ones.

use lockstep::fast_wire::random::{self, Compared, How};

use super::*;

const PLAIN: How = How {
    several: false,
    mutated: false,
    outlive: false,
};
const MUTATED: How = How {
    mutated: true,
    ..PLAIN
};

/// Without further messages, which a mutated length may seem to leave, no packet waits for another one.
fn is_constant(how: How) -> bool {
    !how.several && (how.outlive || !how.mutated)
}

/// In a short engine first, half as many.
fn random(seed: u64, packets: u64, how: How) -> Compared {
    random_of(Shape::Short, seed, packets / 2, how);
    random_of(Shape::One, seed, packets, how)
}

fn random_of(shape: Shape, seed: u64, packets: u64, how: How) -> Compared {
    let compared = random::compare(shape, seed, packets, how, |_| {});
    let compared = compared.unwrap_or_else(|difference| panic!("{shape:?}: {difference}"));
    println!("{shape:?}, {how:?}: {compared:?}");
    let saved = saved(shape);
    if is_constant(how) {
        let verdict = compared.statistics.verdict.keys();
        assert_eq!(verdict.collect::<Vec<_>>(), [&(VERDICT - saved)]);
    }
    let last_entry = compared.statistics.last_entry.keys();
    assert_eq!(last_entry.collect::<Vec<_>>(), [&(LAST_ENTRY - saved)]);
    assert!(compared.late_bits > compared.files / 20, "{compared:?}");
    compared
}

#[test]
fn random_messages_of_random_templates_decode_as_in_software() {
    let statistics = random(1, 22_000, PLAIN).statistics;
    let traps = &statistics.trapped;
    // A header value of ten bytes is more than there is room for.
    for trap in [Trap::Template, Trap::Map, Trap::End, Trap::Length] {
        assert!(!traps.contains_key(&trap), "{traps:?}");
    }
    assert!(
        statistics.good > 4 * traps.values().sum::<u64>(),
        "{traps:?}"
    );
}

#[test]
fn mutated_messages_are_never_given_as_good_with_something_wrong() {
    let statistics = random(1_000, 44_000, MUTATED).statistics;
    assert!(statistics.trapped.len() > 5, "{statistics:?}");
}

#[test]
fn mutated_order_logs_are_never_given_as_good_with_something_wrong() {
    for shape in [Shape::One, Shape::Short] {
        mutated_order_logs(shape);
    }
}

fn mutated_order_logs(shape: Shape) {
    let templates = desk_templates();
    let wanted = order_log_wanted();
    let tables = tables(&templates, 3610, &wanted, RESET);
    let mut both = Lockstep::of_one(shape, &templates, 3610, &wanted, &tables, RESET);
    let mut chacha = ChaCha8Rng::seed_from_u64(3);
    // There are more fields than places: an error in one that nobody wants is not seen.
    let (_, template) = templates.by_id(3610).expect("it is there");
    let mut messages = MessageBuilder::new(&templates);
    let mut is_seen = |bytes: &[u8]| {
        let mut decoder = Decoder::with(&templates, RESET);
        let error = decoder.packet(bytes, &mut messages).err();
        messages.take();
        let at = error.and_then(|error| error.instruction);
        let field = at.and_then(|index| template.instructions.get(index));
        field.is_none_or(|field| ![10_505, 336, 625].contains(&field.tag))
    };
    let mut seen = 0;
    for (index, packet) in order_log(&templates, 20_000).iter().enumerate() {
        let mutated = mutate(packet, &mut chacha);
        let mutated = is_seen(&mutated).then_some(&mutated);
        seen += u32::from(mutated.is_some());
        for bytes in mutated.into_iter().chain([packet]) {
            let arrival = Arrival {
                skip: (index % 8) as u8,
                ..Arrival::default()
            };
            both.packet(bytes, arrival)
                .unwrap_or_else(|error| panic!("packet {index}, {arrival:?}: {error}"));
            // Entries that a mutated length leaves out look like a further message.
            if both.waits() {
                both.rest(0).expect("nothing wrong is given as good");
            }
        }
    }
    both.rest(0).expect("the last one");
    println!("{:?}", both.statistics);
    assert!(seen > 18_000, "{seen}");
    assert!(both.statistics.good >= 19_999);
}

/// As [`random`], of sets of eight templates.
fn random_sets(seed: u64, packets: u64, how: How) -> Compared {
    let compared = random::compare_sets(seed, packets, how, |_| {});
    let compared = compared.unwrap_or_else(|difference| panic!("{difference}"));
    println!("sets, {how:?}: {compared:?}");
    if is_constant(how) {
        let verdict = compared.statistics.verdict.keys();
        assert_eq!(verdict.collect::<Vec<_>>(), [&(VERDICT + SCOUT)]);
    }
    let last_entry = compared.statistics.last_entry.keys();
    assert_eq!(last_entry.collect::<Vec<_>>(), [&(LAST_ENTRY + SCOUT)]);
    assert!(compared.late_bits > compared.files / 2, "{compared:?}");
    compared
}

#[test]
fn random_messages_of_a_set_of_templates_decode_as_in_software() {
    let statistics = random_sets(1, 12_000, PLAIN).statistics;
    let traps = &statistics.trapped;
    for trap in [Trap::Map, Trap::End, Trap::Length] {
        assert!(!traps.contains_key(&trap), "{traps:?}");
    }
    // Of the template that is not loaded; one packet in sixteen.
    let other = traps.get(&Trap::Template).copied().unwrap_or(0);
    assert!((500..1_000).contains(&other), "{traps:?}");
    assert!(
        statistics.good > 3 * traps.values().sum::<u64>(),
        "{traps:?}"
    );
}

#[test]
fn mutated_messages_of_a_set_are_never_given_as_good_with_something_wrong() {
    let statistics = random_sets(1_000, 12_000, MUTATED).statistics;
    assert!(statistics.trapped.len() > 5, "{statistics:?}");
}

/// Traps of packets that depend on dictionaries which are not known, after a bad frame or a trap, do not count against the engine.
fn mostly_good(compared: &Compared) {
    let statistics = &compared.statistics;
    let traps = &statistics.trapped;
    for trap in [Trap::Map, Trap::End, Trap::Length] {
        assert!(!traps.contains_key(&trap), "{traps:?}");
    }
    // A packet in eight has a Reset: with fewer good ones than that nothing would have been kept.
    assert!(statistics.good > compared.packets / 3, "{statistics:?}");
}

#[test]
fn dictionaries_outlive_a_packet_as_in_software() {
    let outlive = How {
        outlive: true,
        ..PLAIN
    };
    mostly_good(&random(5_000, 22_000, outlive));
}

#[test]
fn each_template_of_a_set_keeps_its_dictionary_as_in_software() {
    let outlive = How {
        outlive: true,
        ..PLAIN
    };
    mostly_good(&random_sets(5_000, 12_000, outlive));
}

#[test]
fn after_mutated_messages_no_dictionary_is_trusted_until_a_reset() {
    let outlive = How {
        outlive: true,
        ..MUTATED
    };
    let one = random(6_000, 22_000, outlive).statistics;
    let set = random_sets(6_000, 12_000, outlive).statistics;
    for statistics in [one, set] {
        assert!(statistics.good > 1_000, "{statistics:?}");
        let unknown = statistics.trapped.get(&Trap::Template);
        assert!(
            unknown.is_some_and(|count| *count > 1_000),
            "{statistics:?}"
        );
    }
}

const SEVERAL: How = How {
    several: true,
    ..PLAIN
};

/// Of packets with more messages than one that the engine takes most, and not those that need what dictionaries say of the message before.
fn several(compared: &Compared) {
    let statistics = &compared.statistics;
    let traps = &statistics.trapped;
    assert!(
        statistics.several > compared.packets / 6,
        "{} of {}: {traps:?}",
        statistics.several,
        compared.packets
    );
}

#[test]
fn several_messages_of_a_packet_decode_as_in_software() {
    several(&random(8_000, 12_000, SEVERAL));
}

#[test]
fn several_messages_of_a_set_of_templates_decode_as_in_software() {
    several(&random_sets(8_000, 12_000, SEVERAL));
}

#[test]
fn several_mutated_messages_are_never_given_as_good_with_something_wrong() {
    let how = How {
        mutated: true,
        ..SEVERAL
    };
    for statistics in [
        random(9_000, 22_000, how).statistics,
        random_sets(9_000, 12_000, how).statistics,
    ] {
        assert!(statistics.several > 500, "{statistics:?}");
        assert!(statistics.trapped.len() > 5, "{statistics:?}");
    }
}

#[test]
fn where_dictionaries_outlive_a_packet_several_messages_are_not_done() {
    let how = How {
        outlive: true,
        ..SEVERAL
    };
    let statistics = random(10_000, 6_000, how).statistics;
    assert_eq!(statistics.several, 0);
    assert!(statistics.good > 100, "{statistics:?}");
}
