//! Random messages of random templates, and mutated ones, through engine and software.

use std::collections::BTreeMap;

use fast::microcode::{Program, Room, Wanted, assemble};
use fast::{Kind, Settings, Templates};
use fast_reference::random::{Case, Limits, mutate};
use fast_reference::reference::Reset;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Lockstep, Width, Wire};

/// What was compared.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// Template files that the engine takes.
    pub files: u64,
    /// Messages of good packets.
    pub messages: u64,
    /// Template references in them.
    pub references: u64,
    /// Packets that both refused.
    pub bad_packets: u64,
    /// Packets that the engine refused for a string that its dictionary has no room for.
    pub too_long: u64,
    /// In the files, strings and byte vectors with an operator, by type, operator and presence.
    pub texts: BTreeMap<(String, String, bool), u64>,
    /// Template files that the engine does not take, by the limit that they break.
    pub refused: BTreeMap<String, u64>,
}

/// How a packet arrives: with gaps or without, in a bad frame now and then.
pub fn wire(random: &mut ChaCha8Rng) -> Wire {
    Wire {
        err: random.random_ratio(1, 10),
        empty_end: random.random_ratio(1, 6),
        gaps: [0, 40, 128, 220][random.random_range(0..4)],
        random: random.random(),
    }
}

/// Bytes of the longest string: of one word, of a few, more than the dictionary has room for.
const LONGEST: [usize; 4] = [8, 20, 40, 80];

/// Small files: the engine does not have all of FAST, and takes all of a file or nothing.
fn limits(seed: u64) -> Limits {
    Limits {
        templates: 1 + (seed % 3) as usize,
        instructions: 3 + (seed % 6) as usize,
        reset: if seed.is_multiple_of(4) {
            Reset::EachPacket
        } else {
            Reset::Never
        },
        ..Limits::hardware(LONGEST[(seed / 3 % 4) as usize])
    }
}

/// A file that the engine can take.
struct Subject {
    case: Case,
    templates: Templates,
    program: Program,
    wanted: Wanted,
    settings: Settings,
}

fn subject(seed: u64, refused: &mut BTreeMap<String, u64>) -> Result<Option<Subject>, String> {
    let case = Case::new(seed, &limits(seed));
    let templates = Templates::parse(&case.xml).map_err(|error| format!("seed {seed}: {error}"))?;
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
        return Ok(None);
    }
    let settings = Settings {
        reset_each_packet: case.reset == Reset::EachPacket,
        ..Settings::default()
    };
    Ok(Some(Subject {
        case,
        templates,
        program,
        wanted,
        settings,
    }))
}

/// Compares until so many messages and bad packets were, from this seed on; with `mutated` every packet twice, mutated and as it was, so that what the
/// mutated one left in the dictionaries would show. `progress` is called now and then with how many were.
///
/// # Errors
/// A sentence about the first difference, with what is needed to see it again.
pub fn compare(
    width: Width,
    first_seed: u64,
    count: u64,
    mutated: bool,
    mut progress: impl FnMut(u64),
) -> Result<Compared, String> {
    let mut compared = Compared::default();
    let mut seed = first_seed;
    while compared.messages + compared.bad_packets < count {
        seed += 1;
        let Some(subject) = subject(seed, &mut compared.refused)? else {
            continue;
        };
        let Subject {
            case,
            templates,
            program,
            wanted,
            settings,
        } = subject;
        let mut both = Lockstep::new(width, &templates, &program, &wanted, settings);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        for packet in &case.packets {
            let worse = mutated.then(|| mutate(&packet.bytes, &mut random));
            for bytes in worse.iter().chain([&packet.bytes]) {
                let wire = wire(&mut random);
                both.packet(bytes, wire).map_err(|error| {
                    format!(
                        "seed {seed}, {width:?}, {wire:?}, {bytes:02x?}: {error}\n{}\n{}",
                        case.xml,
                        templates.listing()
                    )
                })?;
            }
        }
        compared.files += 1;
        let fields = templates.all().iter().flat_map(|one| &one.instructions);
        for one in
            fields.filter(|one| matches!(one.kind, Kind::Ascii | Kind::Unicode | Kind::Bytes))
        {
            let kind = (
                format!("{:?}", one.kind),
                format!("{:?}", one.operator),
                one.nullable,
            );
            *compared.texts.entry(kind).or_default() += 1;
        }
        compared.messages += both.statistics.messages;
        compared.references += both.statistics.references;
        compared.bad_packets += both.statistics.bad;
        compared.too_long += both.statistics.too_long;
        progress(compared.messages + compared.bad_packets);
    }
    Ok(compared)
}
