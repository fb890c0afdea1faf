//! `tickwire-verify fuzz`: mutated frames or random orders, hardware against software.

use std::fmt;

use clap::Args;
use cosim::{Preset, Width};
use formats::itch::Version;
use lockstep::orders::Summary;
use lockstep::{fuzz, orders};
use serde::Serialize;
use tickwire::{Console, version_name};

use crate::error::Error;

/// Send mutated frames through the Verilated core and its software twin, and compare everything
///
/// The frames are shared out over both widths and both ITCH versions. With --orders, at 64 bits, prices, stop orders, orders of the host and
/// limits are random, and every order, report and counter is compared. A difference prints what is at fault and the seed that makes it happen
/// again.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  tickwire-verify fuzz --frames 5000000 --seed 7\n  tickwire-verify fuzz --orders 100000 --seed 7"
)]
pub struct Arguments {
    /// Frames in all
    #[arg(long, default_value_t = 200_000)]
    frames: u64,
    /// Compare so many orders in all, instead of frames
    #[arg(long, conflicts_with = "frames")]
    orders: Option<u64>,
    /// Another seed, other frames or orders
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What the runs met.
#[derive(Serialize)]
struct Fuzzed {
    frames: u64,
    reports: u64,
    mismatches: u64,
    seed: u64,
    runs: Vec<Run>,
}

#[derive(Serialize)]
struct Run {
    width: u32,
    itch: &'static str,
    frames: u64,
    reports: u64,
    counters: formats::counters::Counters,
}

impl fmt::Display for Fuzzed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} frames, {} reports: no difference",
            self.frames, self.reports
        )?;
        for run in &self.runs {
            let accepted = run.counters.net.accepted;
            write!(
                f,
                "\n  {:>2} bits, ITCH {}: {} frames, ",
                run.width, run.itch, run.frames
            )?;
            write!(f, "{accepted} accepted, {} reports", run.reports)?;
        }
        Ok(())
    }
}

/// What the run with orders met.
#[derive(Serialize)]
struct Ordered {
    /// On prices of the session, and on trades of the feed.
    presets: [&'static str; 2],
    orders_compared: u64,
    mismatches: u64,
    seed: u64,
    #[serde(flatten)]
    summary: Summary,
}

impl fmt::Display for Ordered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ordered { summary, .. } = self;
        let refused: u64 = summary.refused.iter().sum();
        write!(
            f,
            "{} orders: no difference\n  {} sent, {refused} refused, {} dropped; {} prices of the session, {} of the feed",
            self.orders_compared,
            summary.sent,
            summary.dropped,
            summary.fix_prices,
            summary.feed_prices
        )
    }
}

fn run_orders(count: u64, seed: u64, console: Console) -> Result<(), Error> {
    let mut progress = console.phases();
    let presets = [Preset::with_session(Width::Xgmii), Preset::with_book()];
    let mut summary = Summary::default();
    for preset in presets {
        let part = orders::run(preset, seed, count.div_ceil(2), |done| {
            progress(preset.name, done.min(count.div_ceil(2)), count.div_ceil(2));
        })?;
        summary.add(&part);
    }
    drop(progress);
    Ok(console.print(&Ordered {
        presets: presets.map(|preset| preset.name),
        orders_compared: summary.orders,
        mismatches: 0,
        seed,
        summary,
    })?)
}

/// Runs the command.
///
/// # Errors
/// The first difference.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    if let Some(count) = arguments.orders {
        return run_orders(count, arguments.seed, console);
    }
    let mut progress = console.phases();
    let (share, mut runs) = (arguments.frames.div_ceil(4), Vec::new());
    for width in Width::ALL {
        for version in [Version::V41, Version::V50] {
            let itch = version_name(version);
            let name = format!("{} bits, ITCH {itch}", width.bits());
            let summary = fuzz::run(width, version, arguments.seed, share, |done| {
                progress(&name, done, share)
            })?;
            let (frames, reports, counters) = (summary.frames, summary.reports, summary.counters);
            runs.push(Run {
                width: width.bits(),
                itch,
                frames,
                reports,
                counters,
            });
        }
    }
    drop(progress);
    Ok(console.print(&Fuzzed {
        frames: runs.iter().map(|run| run.frames).sum(),
        reports: runs.iter().map(|run| run.reports).sum(),
        mismatches: 0,
        seed: arguments.seed,
        runs,
    })?)
}
