//! The figures of the foundation, as `make bench` writes them to `out/bench/foundation.json`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use cosim::{Preset, Setup, Width};
use feed::generate;
use feed::socket::Wait;
use formats::itch::Version;
use serde::Serialize;
use serde_json::{Map, Value, json};

use report::distribution::{Distribution, Summary};
use report::packets::{Packets, generated, generated_bytes};
use report::placed::{at_placed_clock, place_and_route};
use report::{hardware, software};

use crate::rate::{self, Rate};
use crate::{Error, Progress};

/// What to measure, and with what.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder with `aapl.itch41` and `aapl.itch50`; where they are absent, generated data takes their place.
    pub aapl: PathBuf,
    /// Folder with the presets' results of `tools/pnr.py`; where they are absent, `null` says so.
    pub place_and_route: PathBuf,
    /// Frames fuzzed in all.
    pub fuzz_frames: u64,
    /// Messages of the generated day.
    pub generated_messages: u64,
}

impl Options {
    /// As `make bench` has it, in the project's root.
    pub fn in_project(root: &Path) -> Self {
        Options {
            aapl: root.join("../shared/data/nasdaq-aapl-2012-06-21"),
            place_and_route: root.join("out/pnr"),
            fuzz_frames: 200_000,
            generated_messages: 5_000_000,
        }
    }
}

/// Least and most.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Range {
    pub(crate) min: u64,
    pub(crate) max: u64,
}

/// Runs every measurement; the result is the complete JSON object.
///
/// # Errors
/// A socket or a file; hardware and software that differ are not an error here: they are counted in `mismatches`.
pub fn bench_foundation(options: &Options, progress: Progress) -> Result<Value, Error> {
    let mut mismatches = 0;
    let mut faults = vec![];
    let recordings = recordings(options)?;
    let mut cores = Map::new();
    for width in Width::ALL {
        let mut cycles: Vec<u64> = vec![];
        let mut reports = 0;
        for packets in &recordings {
            let setup = Setup::example(packets.version, &packets.symbols(16));
            for pace in [
                hardware::Pace::Times(1.0),
                hardware::Pace::Times(8.0),
                hardware::Pace::LineRate,
            ] {
                match hardware::run(width, &setup, packets, pace, progress) {
                    Ok(run) => {
                        reports += run.answers.len();
                        cycles.extend(run.answers.iter().map(|answer| answer.cycles));
                    }
                    Err(Error::Mismatch(mismatch)) => {
                        mismatches += 1;
                        faults.push(format!("{width:?} {} {pace:?}: {mismatch}", packets.name));
                    }
                    Err(other) => return Err(other),
                }
            }
        }
        let name = format!("w{}", width.bits());
        let range = Range {
            min: cycles.iter().copied().min().unwrap_or(0),
            max: cycles.iter().copied().max().unwrap_or(0),
        };
        let preset = Preset::two_lines(width).name;
        let placed = place_and_route(&options.place_and_route.join(format!("{preset}.json")));
        let nanoseconds = |cycles| at_placed_clock(&placed, cycles);
        cores.insert(
            name,
            json!({
                "last_first_cycles": range,
                "last_first_ns": {"min": nanoseconds(range.min), "max": nanoseconds(range.max)},
                "reports_compared": reports,
                "fmax_mhz": placed["fmax_mhz"],
                "lut4": placed["lut4"],
                "ff": placed["ff"],
                "ebr": placed["ebr"],
            }),
        );
    }
    let mut fuzzed = 0;
    for (run, (width, version)) in every_core().enumerate() {
        let frames = options.fuzz_frames.div_ceil(4);
        let name = format!("fuzz, {} bits", width.bits());
        match lockstep::fuzz::run(width, version, 1_000 + run as u64, frames, |done| {
            progress(&name, done, frames)
        }) {
            Ok(summary) => fuzzed += summary.frames,
            Err(failure) => {
                mismatches += 1;
                faults.push(failure.to_string());
            }
        }
    }
    let sockets = recordings
        .first()
        .map(|packets| sockets(packets, progress))
        .transpose()?;
    let rates = rates(options, progress)?;
    let mut result = Map::new();
    result.extend(cores);
    result.insert(
        "itch_messages_per_s".into(),
        json!(
            rates
                .last()
                .map_or(0.0, |rate| rate.messages_per_s().round())
        ),
    );
    result.insert("mismatches".into(), json!(mismatches));
    result.insert("fuzz_frames".into(), json!(fuzzed));
    result.insert("faults".into(), json!(faults));
    result.insert("itch".into(), json!(rates));
    result.insert("software".into(), json!(sockets));
    result.insert(
        "published".into(),
        json!({"system_b": {"fpga_us": 2.7, "cpu_us": {"mean": 38, "sd": 22}}}),
    );
    Ok(Value::Object(result))
}

fn every_core() -> impl Iterator<Item = (Width, Version)> {
    Width::ALL
        .into_iter()
        .flat_map(|width| [(width, Version::V41), (width, Version::V50)])
}

/// The AAPL hour in both versions, or a generated quarter of an hour where it is absent; and 16 generated symbols.
fn recordings(options: &Options) -> Result<Vec<Packets>, Error> {
    let mut recordings = vec![];
    for (name, version) in [("aapl.itch50", Version::V50), ("aapl.itch41", Version::V41)] {
        let path = options.aapl.join(name);
        let symbols = if path.exists() {
            let options = feed::source::Options {
                version: Some(version),
                ..feed::source::Options::default()
            };
            recordings.push(Packets::read(&path, options)?);
            16
        } else {
            1
        };
        let settings = generate::Settings {
            version,
            symbols,
            messages: 40_000,
            seconds: 600,
            seed: 16,
        };
        recordings.push(generated(&settings)?);
    }
    Ok(recordings)
}

fn rates(options: &Options, progress: Progress) -> Result<Vec<Rate>, Error> {
    let mut rates = vec![];
    for (name, version) in [("aapl.itch41", Version::V41), ("aapl.itch50", Version::V50)] {
        progress("ITCH, the AAPL hour", rates.len() as u64, 2);
        if let Ok(file) = std::fs::read(options.aapl.join(name)) {
            let symbols: Vec<_> = ["AAPL", "MSFT", "GOOG"]
                .iter()
                .filter_map(|symbol| symbol.parse().ok())
                .collect();
            rates.push(rate::measure(name, version, &file, &symbols, 41));
        }
    }
    progress("ITCH, a generated day", 0, 1);
    let settings = generate::Settings {
        version: Version::V50,
        symbols: 8_000,
        messages: options.generated_messages,
        seconds: 23_400,
        seed: 8_000,
    };
    let file = generated_bytes(&settings)?;
    let symbols: Vec<_> = (0..16).map(generate::symbol).collect();
    let name = format!("generated, {} messages, 8,000 symbols", settings.messages);
    rates.push(rate::measure(&name, Version::V50, &file, &symbols, 5));
    progress("ITCH, a generated day", 1, 1);
    Ok(rates)
}

/// The handler and the bare echo, in the same run.
#[derive(Debug, Serialize)]
struct Sockets {
    data: String,
    handler: Vec<HandlerLatency>,
    echo: Vec<EchoLatency>,
}

#[derive(Debug, Serialize)]
struct HandlerLatency {
    wait: &'static str,
    speed: f64,
    last_first_ns: Summary,
    missed: u64,
    /// Median, as a multiple of the echo's.
    of_echo: f64,
}

#[derive(Debug, Serialize)]
struct EchoLatency {
    wait: &'static str,
    round_trip_ns: Summary,
}

fn sockets(packets: &Packets, progress: Progress) -> Result<Sockets, Error> {
    let setup = Setup::example(packets.version, &packets.symbols(16));
    let heartbeats = packets
        .heartbeats(&setup.pipeline)
        .map_err(cosim::SetupError::from)?;
    let (mut handler, mut echo) = (vec![], vec![]);
    for (name, wait) in [("busy_poll", Wait::BusyPoll), ("blocking", Wait::Blocking)] {
        let trips = software::echo(wait, &[0; 64], 10_000, Duration::from_micros(100))?;
        let round_trip_ns = trips.into_iter().collect::<Distribution>().summary();
        for speed in [1.0, 8.0] {
            let pace = software::Pace {
                speed,
                longest: Duration::from_micros(100),
            };
            let run = software::run(&setup.pipeline, packets, &heartbeats, wait, pace, progress)?;
            let last_first_ns = run
                .answers
                .iter()
                .map(|answer| answer.nanoseconds)
                .collect::<Distribution>()
                .summary();
            let missed = run.heartbeats - run.answers.len() as u64;
            handler.push(HandlerLatency {
                wait: name,
                speed,
                last_first_ns,
                missed,
                of_echo: last_first_ns.p50 / round_trip_ns.p50,
            });
        }
        echo.push(EchoLatency {
            wait: name,
            round_trip_ns,
        });
    }
    Ok(Sockets {
        data: packets.name.clone(),
        handler,
        echo,
    })
}
