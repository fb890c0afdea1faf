//! The wire-rate FAST engine of `rtl/decoder/fast/wire` against the software decoder: every wanted field of every entry.

use std::collections::BTreeMap;
use std::path::PathBuf;

use exchange::publish::fast::LayoutError;
use exchange::publish::fast::generate::{self, generate};
use fast::wire_rate::{Room, Tables, Wanted, compile};
use fast::{Framing, Settings, Templates};
use sim::fast_wire::{Arrival, Lockstep, Trap};

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
    let xml = std::fs::read_to_string(root().join("desks/fast/order-log.xml")).expect("it is there");
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

fn order_log_wanted() -> Wanted {
    Wanted {
        header: vec![34, 52],
        fields: vec![278, 55, 269, 279, 83, 272, 273, 9412, 270, 271],
    }
}

/// How packets arrive.
#[derive(Clone, Copy, Debug)]
enum Spacing {
    BackToBack,
    Apart,
    Gaps,
}

fn tables(templates: &Templates, id: u32, wanted: &Wanted, settings: Settings) -> Tables {
    compile(templates, id, wanted, &Room::default(), settings.reset_each_packet)
        .unwrap_or_else(|refusals| panic!("template {id}: {refusals:?}"))
}

/// All packets at every alignment, in every spacing. Returns traps by reason.
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
    let (mut entries, mut fields, mut good) = (0, 0, 0);
    for spacing in [Spacing::BackToBack, Spacing::Apart, Spacing::Gaps] {
        for skip in 0..8 {
            let mut both = Lockstep::new(templates, id, wanted, &tables, settings);
            let mut random = Random(7 + u64::from(skip));
            for (index, packet) in packets.iter().enumerate() {
                let arrival = Arrival {
                    skip,
                    empty_end: random.below(6) == 0,
                    gaps: if matches!(spacing, Spacing::Gaps) { 128 } else { 0 },
                    random: random.next(),
                    err: false,
                };
                let sent = both.packet(packet, arrival).and_then(|()| match spacing {
                    Spacing::Apart => both.rest(random.below(3)),
                    _ => Ok(()),
                });
                sent.unwrap_or_else(|error| {
                    panic!("{name}, {spacing:?}, {arrival:?}, packet {index}: {error}")
                });
            }
            both.rest(0)
                .unwrap_or_else(|error| panic!("{name}, {spacing:?}, skip {skip}: {error}"));
            let statistics = &both.statistics;
            for (trap, count) in &statistics.trapped {
                *traps.entry(*trap).or_default() += count;
            }
            entries += statistics.entries;
            fields += statistics.fields;
            good += statistics.good;
            // Constant: whatever the packet, its alignment, and what is before it.
            assert_eq!(statistics.last_entry.keys().collect::<Vec<_>>(), [&15]);
            assert_eq!(statistics.verdict.keys().collect::<Vec<_>>(), [&17]);
        }
    }
    println!("{name}: {good} packets good, {traps:?}, {entries} entries, {fields} fields; last byte in to last entry out: 15 cycles");
    assert_eq!(good + traps.values().sum::<u64>(), 24 * packets.len() as u64);
    traps
}

#[test]
fn the_generated_order_log_decodes_as_in_software() {
    let templates = desk_templates();
    let packets = order_log(&templates, 3_000);
    let traps = compare("order log", &templates, 3610, &order_log_wanted(), RESET, &packets);
    assert_eq!(traps, BTreeMap::new());
}

#[test]
fn the_order_log_in_the_exchanges_templates_decodes_as_in_software() {
    let Some(templates) = recorded_templates("moex-templates/asts-2017-03.xml") else {
        return;
    };
    let packets = order_log(&templates, 3_000);
    let traps = compare("X-OLR-CURR", &templates, 3610, &order_log_wanted(), RESET, &packets);
    assert_eq!(traps, BTreeMap::new());
}

#[test]
fn recorded_trades_decode_as_in_software() {
    let Some(templates) = recorded_templates("moex-templates/asts-2017-03.xml") else {
        return;
    };
    let Some(bytes) = recorded("moex-fond-trades-2019-04-04/data.dat") else {
        return;
    };
    let frames = Framing::Preamble.split(&templates, &bytes).expect("the data is good");
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
        assert!(traps.keys().all(|trap| *trap == Trap::Template), "{traps:?}");
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
        let messages = Framing::None.split(&templates, &bytes).expect("the data is good");
        let packets: Vec<Vec<u8>> = messages.chunks(2).map(<[_]>::concat).collect();
        let (_, template) = templates.by_id(74).expect("it is there");
        println!("{:?}", template.instructions.iter().map(|each| (each.tag, &each.name.local, each.kind, each.operator, each.nullable)).collect::<Vec<_>>());
        let wanted = Wanted {
            header: vec![34, 52],
            fields: vec![55, 269, 279, 83, 264, 1023, 270, 48],
        };
        let traps = compare(file, &templates, 74, &wanted, Settings::default(), &packets);
        assert!(traps.keys().all(|trap| *trap == Trap::Template), "{traps:?}");
    }
}
