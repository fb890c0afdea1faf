//! The figures of the wire-rate FAST engine, as `make bench` writes them to `out/bench/fast_wire.json`: the Verilated engine held against the software decoder on
//! recorded, generated, random and mutated packets, with its cycles, and what place and route reached.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use exchange::publish::fast::LayoutError;
use exchange::publish::fast::generate::{self, generate};
use fast::wire_rate::{MOST_TEMPLATES, Room, Wanted, compile};
use fast::{Reportable, Settings, Templates};
use lockstep::fast_wire::random::{self, How};
use lockstep::fast_wire::{Arrival, Lockstep, Shape, Statistics, VERDICT};
use report::fast_lines::recorded;
use report::placed::place_and_route;
use serde_json::{Map, Value, json};

use crate::Progress;
use crate::fast::Error;

/// What to compare.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder with the recorded data; what is absent there is left out.
    pub data: PathBuf,
    /// The template file of the generated order log.
    pub order_log: PathBuf,
    /// Packets of the generated order log.
    pub log_packets: u32,
    /// Random messages, and as many packets of which every other one is mutated.
    pub messages: u64,
    /// Folder with what place and route left.
    pub out: PathBuf,
}

impl Options {
    /// As `make bench` has it, in the project's root.
    pub fn in_project(root: &Path) -> Self {
        Options {
            data: root.join("../shared/data"),
            order_log: root.join("desks/fast/order-log.xml"),
            log_packets: 20_000,
            messages: 500_000,
            out: root.join("out"),
        }
    }
}

/// Of a recording: the template that the engine has, and its wanted fields: header, entries.
const TEMPLATES: [(&str, u32, &[u32]); 3] = [
    ("micex", 74, &[55, 269, 279, 83, 264, 1023, 270, 48]),
    ("micex_b", 74, &[55, 269, 279, 83, 264, 1023, 270, 48]),
    (
        "trades",
        2521,
        &[278, 55, 269, 279, 83, 272, 273, 9412, 270, 271],
    ),
];
const ORDER_LOG: (u32, &[u32]) = (3610, &[278, 55, 269, 279, 83, 272, 273, 9412, 270, 271]);
const HEADER: [u32; 2] = [34, 52];

/// What was compared so far.
#[derive(Default)]
struct Findings {
    statistics: Statistics,
    lag: Map<String, Value>,
    faults: Vec<String>,
    /// Random packets whose dictionaries outlive them.
    outliving: u64,
    /// Random packets of up to four messages.
    several: u64,
}

impl Findings {
    /// Packets back to back, at all alignments in turn.
    fn packets<'a>(
        &mut self,
        name: &str,
        templates: &Templates,
        (id, fields): (u32, &[u32]),
        settings: Settings,
        packets: impl Iterator<Item = &'a [u8]>,
    ) {
        let wanted = Wanted {
            header: HEADER.to_vec(),
            fields: fields.to_vec(),
        };
        let room = Room::default();
        let tables = match compile(templates, id, &wanted, &room, settings.reset_each_packet) {
            Ok(tables) => tables,
            Err(refusals) => return self.faults.push(format!("{name}: {refusals:?}")),
        };
        let mut both = Lockstep::new(templates, id, &wanted, &tables, settings);
        for (index, packet) in packets.enumerate() {
            let arrival = Arrival {
                skip: (index % 8) as u8,
                ..Arrival::default()
            };
            if let Err(fault) = both.packet(packet, arrival) {
                return self.faults.push(format!("{name}, packet {index}: {fault}"));
            }
        }
        if let Err(fault) = both.rest(0) {
            return self.faults.push(format!("{name}: {fault}"));
        }
        // Behind the wire is what is later than with nothing before it: the verdict comes with the last entry, or two cycles later.
        let last = both.statistics.verdict.keys().next_back();
        let most = last.map(|cycles| cycles.saturating_sub(VERDICT));
        self.lag.insert(name.to_owned(), json!({ "max": most }));
        self.statistics.add(&both.statistics);
    }

    /// Of an engine with one template, or with a set of eight: so many packets of a message, whose dictionaries begin empty; a fifth as many whose dictionaries outlive them, and as
    /// many of several messages.
    fn random(
        &mut self,
        seed: u64,
        count: u64,
        (mutated, set): (bool, bool),
        progress: Progress,
    ) -> u64 {
        let what = match (mutated, set) {
            (false, false) => "FAST at wire rate, random messages",
            (true, false) => "FAST at wire rate, mutated messages",
            (false, true) => "FAST at wire rate, random messages of a set of templates",
            (true, true) => "FAST at wire rate, mutated messages of a set of templates",
        };
        let fifth = count / 5;
        let all = count + 2 * fifth;
        let mut packets = 0;
        for (outlive, several, count) in [
            (false, false, count),
            (true, false, fifth),
            (false, true, fifth),
        ] {
            let how = How {
                mutated,
                outlive,
                several,
            };
            let each = |done: u64| progress(what, (packets + done).min(all), all);
            let compared = if set {
                random::compare_sets(seed, count, how, each)
            } else {
                random::compare(Shape::One, seed, count, how, each)
            };
            match compared {
                Ok(compared) => {
                    self.statistics.add(&compared.statistics);
                    packets += compared.packets;
                    self.outliving += if outlive { compared.packets } else { 0 };
                    self.several += if several { compared.packets } else { 0 };
                }
                Err(fault) => self.faults.push(fault),
            }
        }
        packets
    }
}

/// Compares and measures; the result is the complete JSON object.
///
/// # Errors
/// Recorded data that is there is not good, or the order log's templates are not. Hardware and software that differ are not an error here: they are counted in
/// `mismatches`.
pub fn bench_fast_wire(options: &Options, progress: Progress) -> Result<Value, Error> {
    let mut findings = Findings::default();
    for recording in recorded::all(&options.data)? {
        progress(&format!("{} at wire rate", recording.name), 0, 1);
        let found = TEMPLATES.iter().find(|(key, ..)| *key == recording.key);
        let Some((key, id, fields)) = found else {
            continue;
        };
        // Moscow's packets begin with empty dictionaries; MICEX sends a Reset.
        let settings = Settings {
            report: Reportable::ALL,
            reset_each_packet: *key == "trades",
        };
        let packets = recording.packets();
        findings.packets(
            key,
            &recording.templates,
            (*id, fields),
            settings,
            packets.iter().copied(),
        );
    }
    progress("an order log at wire rate", 0, 1);
    let xml = std::fs::read_to_string(&options.order_log)?;
    let templates = Templates::parse(&xml)?;
    let settings = generate::Settings {
        packets: options.log_packets,
        seconds: 60,
        seed: 1,
    };
    let mut packets = vec![];
    generate::<LayoutError>(&templates, &settings, |_, packet| {
        packets.extend(packet.get(4..).map(<[u8]>::to_vec));
        Ok(())
    })?;
    let settings = Settings {
        report: Reportable::ALL,
        reset_each_packet: true,
    };
    let each = packets.iter().map(Vec::as_slice);
    findings.packets("order_log", &templates, ORDER_LOG, settings, each);
    let random = findings.random(1, options.messages, (false, false), progress);
    let mutated = findings.random(1_000_000, options.messages, (true, false), progress);
    // On its own: its entries leave later.
    let mut set = Findings::default();
    let of_set = [(false, 2_000_000), (true, 3_000_000)];
    let [set_random, set_mutated] =
        of_set.map(|(mutated, seed)| set.random(seed, options.messages, (mutated, true), progress));

    let placed =
        |name: &str| place_and_route(&options.out.join("pnr").join(format!("{name}.json")));
    let [loaded, constants, nexus, of_set] = [
        "fast_wire",
        "fast_wire_constants",
        "fast_wire_nexus",
        "fast_wire_set",
    ]
    .map(placed);
    let Findings {
        statistics,
        mut lag,
        mut faults,
        outliving,
        several,
    } = findings;
    faults.extend(set.faults);
    let most_behind = lag.values().filter_map(|one| one["max"].as_u64()).max();
    lag.insert("max".to_owned(), json!(most_behind));
    let most = statistics.last_entry.keys().next_back();
    let slowest = loaded["fmax_mhz"].as_array().into_iter().flatten();
    let slowest = slowest.filter_map(Value::as_f64).reduce(f64::min);
    let nanoseconds = most
        .zip(slowest)
        .map(|(cycles, mhz)| (*cycles as f64 * 1e3 / mhz).round());
    Ok(json!({
        "last_entry_cycles": least_and_most(&statistics.last_entry),
        "last_entry_ns": nanoseconds,
        "verdict_cycles": least_and_most(&statistics.verdict),
        "lag_cycles": lag,
        "lut4": loaded["lut4"],
        "lut4_constants": constants["lut4"],
        "fmax_mhz": loaded["fmax_mhz"],
        "fmax_mhz_constants": constants["fmax_mhz"],
        "fmax_mhz_nexus": nexus["fmax_mhz"],
        "packets_good": statistics.good,
        "entries_compared": statistics.entries,
        "random_messages": random,
        "mutated_messages": mutated,
        "outliving_messages": outliving + set.outliving,
        "several_messages": several + set.several,
        "several_messages_good": statistics.several + set.statistics.several,
        "trapped_messages": statistics.trapped.values().sum::<u64>(),
        "trapped": statistics.trapped.iter().map(|(trap, count)| (format!("{trap:?}"), json!(count))).collect::<Map<_, _>>(),
        "set": {
            "templates": MOST_TEMPLATES,
            "last_entry_cycles": least_and_most(&set.statistics.last_entry),
            "entries_compared": set.statistics.entries,
            "random_messages": set_random,
            "mutated_messages": set_mutated,
            "trapped_messages": set.statistics.trapped.values().sum::<u64>(),
            "lut4": of_set["lut4"],
            "fmax_mhz": of_set["fmax_mhz"],
        },
        "mismatches": faults.len(),
        "faults": faults,
    }))
}

fn least_and_most(cycles: &BTreeMap<u64, u64>) -> Value {
    json!({"min": cycles.keys().next(), "max": cycles.keys().next_back()})
}

/// The figures for a person.
pub fn table(figures: &Value) -> String {
    let cycles = &figures["last_entry_cycles"];
    let mut text = format!(
        "last byte in to last entry out: {} to {} cycles\n{} packets good, {} entries; {} packets not done\n{} packets of random messages, {} of mutated ones; of these and of the set's {} with dictionaries that outlive a packet, {} of up to four messages: {} of several were decoded\n",
        cycles["min"],
        cycles["max"],
        figures["packets_good"],
        figures["entries_compared"],
        figures["trapped_messages"],
        figures["random_messages"],
        figures["mutated_messages"],
        figures["outliving_messages"],
        figures["several_messages"],
        figures["several_messages_good"],
    );
    let set = &figures["set"];
    text += &format!(
        "a set of {} templates: {} cycles; {} packets of random messages, {} of mutated ones; {} not done\n",
        set["templates"],
        set["last_entry_cycles"]["max"],
        set["random_messages"],
        set["mutated_messages"],
        set["trapped_messages"],
    );
    for (name, lag) in figures["lag_cycles"].as_object().into_iter().flatten() {
        if let Some(most) = lag.get("max") {
            text += &format!("{name}: at most {most} cycles behind the wire\n");
        }
    }
    text += &format!("{} differences from software", figures["mismatches"]);
    for fault in figures["faults"].as_array().into_iter().flatten() {
        text += &format!("\n{}", fault.as_str().unwrap_or_default());
    }
    text
}
