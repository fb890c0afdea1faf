//! The Verilated engine against the software decoder, and how long it takes.

use fast::microcode::{Room, Wanted, assemble};
use fast::{Settings, Templates};
use lockstep::fast::{Lockstep, Width, Wire, random};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use report::fast_lines::recorded::{self, Recording};
use report::placed;
use serde_json::{Map, Value, json};

use super::bypass::bypass;
use super::{Error, Options};
use crate::Progress;

/// Cycles from a message's last byte to its last field, where the engine is not behind.
pub(super) const PIPELINE: u64 = 6;

/// What was compared and measured.
#[derive(Debug, Default)]
pub struct Findings {
    /// Members of the figures.
    pub figures: Map<String, Value>,
    /// Differences between hardware and software.
    pub mismatches: u64,
    /// What they were.
    pub faults: Vec<String>,
}

impl Findings {
    fn count<T>(&mut self, result: Result<T, String>) -> Option<T> {
        result
            .map_err(|fault| {
                self.mismatches += 1;
                self.faults.push(fault);
            })
            .ok()
    }
}

fn distribution(mut values: Vec<u64>) -> Value {
    values.sort_unstable();
    let at = |share: usize| values.get(values.len().saturating_sub(1) * share / 100);
    json!({
        "min": values.first(),
        "mean": values.iter().sum::<u64>() as f64 / values.len().max(1) as f64,
        "p50": at(50),
        "p99": at(99),
        "max": values.last(),
    })
}

/// A packet after the other, each alone; the cycles from the last beat to the last field of each.
fn alone(
    width: Width,
    templates: &Templates,
    wanted: &Wanted,
    packets: &[&[u8]],
    wire: impl Fn(u64) -> Wire,
) -> Result<Vec<u64>, String> {
    let program = assemble(templates, wanted, Room::default());
    let mut both = Lockstep::new(width, templates, &program, wanted, Settings::default());
    for (index, packet) in packets.iter().enumerate() {
        both.packet(packet, wire(index as u64))
            .map_err(|error| format!("{packet:02x?}: {error}"))?;
        both.engine().run(20);
    }
    Ok(both.statistics.last_field.clone())
}

/// Recorded packets with gaps and bad frames among them: every field and verdict. The number of messages of good packets.
fn recorded_messages(width: Width, recording: &Recording) -> Result<u64, String> {
    let wanted = Wanted::All;
    let program = assemble(&recording.templates, &wanted, Room::default());
    let settings = Settings::default();
    let mut both = Lockstep::new(width, &recording.templates, &program, &wanted, settings);
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for (index, packet) in recording.packets().iter().enumerate() {
        let wire = random::wire(&mut random);
        both.packet(packet, wire)
            .map_err(|error| format!("{}, {width:?}, packet {index}: {error}", recording.name))?;
    }
    Ok(both.statistics.messages)
}

/// A packet of so many small messages, of three tokens each.
fn many_messages(count: usize) -> Result<(Templates, Vec<u8>), Error> {
    const XML: &str =
        r#"<templates><template name="A" id="1"><uInt32 name="X" id="7"/></template></templates>"#;
    let templates = Templates::parse(XML)?;
    Ok((templates, [0xc0, 0x81, 0x85].repeat(count)))
}

/// Compares and measures.
///
/// # Errors
/// A file of the recorded data is not what it should be.
pub fn engine(options: &Options, progress: Progress) -> Result<Findings, Error> {
    let mut findings = Findings::default();
    findings.idle()?;
    findings.tokens()?;
    let mut lag = Map::new();
    for recording in recorded::all(&options.data)? {
        for width in [Width::W64, Width::W8] {
            progress(&format!("{}, {width:?}", recording.name), 0, 1);
            let messages = findings.count(recorded_messages(width, &recording));
            if width == Width::W64 {
                findings
                    .figures
                    .insert(format!("{}_messages", recording.key), json!(messages));
            }
        }
        if recording.key == "micex" {
            progress("FAST, the three ways into a program", 0, 1);
            let clock = placed::reached(&options.out.join("pnr"), "fast_w64", cosim::Width::Xgmii);
            if let Some(bypass) = findings.count(bypass(&recording, clock)) {
                let ns = ["kernel", "udp", "fast"]
                    .map(|way| (way.to_owned(), bypass[way]["ns"].clone()));
                let ns: Map<_, _> = ns.into_iter().collect();
                findings.figures.insert("bypass_ns".into(), ns.into());
                findings.figures.insert("bypass".into(), bypass);
            }
        }
        if let Some(name) = recording.lag {
            let wanted = Wanted::Tags(recording.wanted.to_vec());
            let packets = recording.packets();
            let alone = |width| {
                alone(width, &recording.templates, &wanted, &packets, |_| {
                    Wire::default()
                })
            };
            if let Some(cycles) = findings.count(alone(Width::W64)) {
                let behind = cycles.iter().map(|cycles| cycles.saturating_sub(PIPELINE));
                lag.insert(name.to_owned(), distribution(behind.collect()));
            }
            if let Some(cycles) = findings.count(alone(Width::W8)) {
                lag.insert(format!("{name}_w8"), distribution(cycles));
            }
        }
    }
    findings.figures.insert("lag_cycles".into(), lag.into());
    findings.random(options, progress);
    Ok(findings)
}

impl Findings {
    /// Last byte to last field, where long pauses let the engine catch up.
    fn idle(&mut self) -> Result<(), Error> {
        const XML: &str = r#"<templates><template name="A" id="1"><uInt32 name="X" id="7"/><uInt32 name="Y" id="8"/></template></templates>"#;
        let templates = Templates::parse(XML)?;
        let packet: &[u8] = &[0xc0, 0x81, 0x0f, 0x7f, 0x7f, 0x7f, 0xff, 0x01, 0x00, 0x80];
        let wire = |random| Wire {
            gaps: 230,
            random: random + 1,
            ..Wire::default()
        };
        for (width, key) in [
            (Width::W64, "last_field_cycles"),
            (Width::W8, "last_field_cycles_w8"),
        ] {
            let cycles = alone(width, &templates, &Wanted::All, &[packet; 200], wire);
            if let Some(cycles) = self.count(cycles) {
                self.figures.insert(key.into(), distribution(cycles));
            }
        }
        Ok(())
    }

    /// Tokens a cycle from the first to the last, of a packet with nothing but short messages.
    fn tokens(&mut self) -> Result<(), Error> {
        let (templates, packet) = many_messages(500)?;
        let cycles = alone(Width::W64, &templates, &Wanted::All, &[&packet], |_| {
            Wire::default()
        });
        if let Some(after_last) = self
            .count(cycles)
            .and_then(|cycles| cycles.first().copied())
        {
            let beats = packet.len().div_ceil(8) as u64;
            let cycles = beats + after_last - PIPELINE;
            self.figures.insert(
                "tokens_per_cycle".into(),
                json!(packet.len() as f64 / cycles as f64),
            );
        }
        Ok(())
    }

    fn random(&mut self, options: &Options, progress: Progress) {
        for (mutated, key) in [(false, "random_messages"), (true, "mutated_messages")] {
            let mut compared = 0;
            for width in [Width::W64, Width::W8] {
                let count = options.random_messages / 2;
                let what = format!("FAST, {}, {width:?}", key.replace('_', " "));
                let seed = if mutated { 1_000_000 } else { 0 };
                let done = random::compare(width, seed, count, mutated, |done| {
                    progress(&what, done.min(count), count);
                });
                if let Some(done) = self.count(done) {
                    compared += done.messages + done.bad_packets;
                }
            }
            self.figures.insert(key.into(), json!(compared));
        }
    }
}
