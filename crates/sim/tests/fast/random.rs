//! Random messages of random templates, and mutated ones.

use std::collections::BTreeMap;

use fast::microcode::{Program, Room, Wanted, assemble};
use fast::{Settings, Templates};
use fast_reference::random::{Case, Limits, mutate};
use fast_reference::reference::Reset;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::common::{Random, all_widths};
use crate::fast_sim::{Lockstep, Width, Wire};

/// Messages to compare.
fn wanted_messages() -> u64 {
    let long = std::env::var_os("TICKWIRE_LONG").is_some();
    std::env::var("FAST_MESSAGES")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(if long { 200_000 } else { 4_000 })
}

/// Small files: the engine does not have all of FAST, and takes a file whole or not at all.
fn limits(seed: u64) -> Limits {
    Limits {
        templates: 1 + (seed % 3) as usize,
        instructions: 3 + (seed % 6) as usize,
        reset: if seed.is_multiple_of(4) {
            Reset::EachPacket
        } else {
            Reset::Never
        },
        ..Limits::hardware(8)
    }
}

/// A file that the engine can take, its program, and what its packets are decoded with.
fn case(
    seed: u64,
    refused: &mut BTreeMap<String, u64>,
) -> Option<(Case, Templates, Program, Wanted, Settings)> {
    let case = Case::new(seed, &limits(seed));
    let templates = Templates::parse(&case.xml).expect("generated");
    let wanted = if seed.is_multiple_of(5) {
        let fields = templates.all().iter().flat_map(|one| &one.instructions);
        let tags = fields
            .map(|one| one.tag)
            .filter(|tag| (u64::from(*tag) ^ seed).is_multiple_of(3));
        Wanted::Tags(tags.collect())
    } else {
        Wanted::All
    };
    let program = assemble(&templates, &wanted, Room::default());
    for one in &program.refused {
        let text = format!("{:?}", one.limit);
        let kind = text.split('(').next().unwrap_or_default().to_owned();
        *refused.entry(kind).or_default() += 1;
    }
    if !program.refused.is_empty() {
        return None;
    }
    let settings = Settings {
        reset_each_packet: case.reset == Reset::EachPacket,
        ..Settings::default()
    };
    Some((case, templates, program, wanted, settings))
}

/// Compares until enough messages were, each packet in one or more ways.
fn compare(
    width: Width,
    first_seed: u64,
    mut packets: impl FnMut(&[u8], &mut ChaCha8Rng) -> Vec<Vec<u8>>,
) -> (u64, u64) {
    let (mut seed, mut messages, mut bad, mut cases, mut too_long) = (first_seed, 0, 0, 0_u64, 0);
    let mut refused = BTreeMap::new();
    while messages + bad < wanted_messages() {
        seed += 1;
        let Some((case, templates, program, wanted, settings)) = case(seed, &mut refused) else {
            continue;
        };
        cases += 1;
        let mut both = Lockstep::new(width, &templates, &program, &wanted, settings);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut random = Random(seed);
        for packet in &case.packets {
            for bytes in packets(&packet.bytes, &mut rng) {
                let wire: Wire = random.wire();
                both.packet(&bytes, wire).unwrap_or_else(|error| {
                    panic!(
                        "seed {seed}, {width:?}, {wire:?}, {bytes:02x?}: {error}\n{}\n{}",
                        case.xml,
                        templates.listing()
                    )
                });
            }
        }
        messages += both.statistics.messages;
        bad += both.statistics.bad;
        too_long += both.statistics.too_long;
    }
    eprintln!(
        "{width:?}: {cases} files, {messages} messages, {bad} bad packets, {too_long} with strings that are too long; refused {refused:?}"
    );
    (messages, bad)
}

#[test]
fn random_messages_decode_as_in_software() {
    for width in all_widths() {
        compare(width, 0, |bytes, _| vec![bytes.to_vec()]);
    }
}

#[test]
fn mutated_messages_fail_as_in_software_and_leave_the_dictionary_as_it_was() {
    for width in all_widths() {
        let (messages, bad) = compare(width, 1_000_000, |bytes, rng| {
            vec![mutate(bytes, rng), bytes.to_vec()]
        });
        assert!(bad > messages / 10, "the mutations are too kind");
    }
}
