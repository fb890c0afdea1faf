//! The demo's order log: from FAST to orders in FIX over TCP, in hardware and in software, and what their latencies cost a strategy.
//!
//! It runs what the commands run, with the arguments that a user would give.

use std::fmt;
use std::path::Path;

use cosim::Preset;
use live::desk::Desk;
use report::trading::Series;
use serde::Serialize;

use crate::commands::backtest::{self, Latencies};
use crate::commands::measure::{self, Orders};
use crate::commands::{generate, generate::moex, given};
use crate::console::Console;
use crate::error::Error;

/// The desk that trades on the order log, from the project's folder.
const DESK: &str = "desks/moex-best-offer";

/// The desk of the backtest, which makes a market.
const MARKET_MAKER: &str = "desks/market-maker";

/// The clock of cores that were never placed: the line's at 64 bits.
const LINE_MHZ: &str = "156.25";

/// The cores that trade on the order log: by a program of the strategy processor, and by a module.
const PRESETS: [&str; 2] = ["order_log_processor_10g", "order_log_module_10g"];

/// Makes the models that [`trade`] needs. What fails here fails again there, which says why.
pub fn make_models() {
    for preset in PRESETS.iter().filter_map(|name| Preset::by_name(name)) {
        let _ = preset.model();
    }
}

/// What was shown.
#[derive(Serialize)]
pub struct Traded {
    tick_to_trade: Orders,
    backtest: Latencies,
}

impl fmt::Display for Traded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.tick_to_trade)?;
        write!(
            f,
            "\nwhat a latency costs a market maker\n{}",
            self.backtest
        )
    }
}

/// Generates `packets` of an order log, measures a desk on them, and runs a backtest of the hour, or of generated data where it is not there, with the latencies that were
/// measured. `None`: the desks are not there.
///
/// # Errors
/// Hardware and software differ; a file cannot be written; a model cannot be built.
pub fn trade(
    packets: u32,
    hour: &Path,
    out: &Path,
    console: Console,
) -> Result<Option<Traded>, Error> {
    if ![DESK, MARKET_MAKER]
        .iter()
        .all(|desk| Path::new(desk).exists())
    {
        return Ok(None);
    }
    let (log, folder) = (
        text(&out.join("order_log.pcap")),
        text(&out.join("trading")),
    );
    // As many a second as the recorded order log has in a busy one.
    let (count, seconds) = (packets.to_string(), packets.div_ceil(1_500).to_string());
    let size = ["--packets", &count, "--seconds", &seconds, "--out", &log];
    moex::make(&given(&size), console)?;
    let presets = PRESETS.join(",");
    let line = [
        &[
            &log,
            "--desk",
            DESK,
            "--target",
            "module,processor",
            "--preset",
            &presets,
        ][..],
        &["--wait", "busy-poll", "--out", &folder],
    ];
    let measured = measure::tick_to_trade(
        &given(&line.concat()),
        &Desk::open(Path::new(DESK))?,
        console,
    )?;

    let series = &measured.comparison.series;
    let keys: Vec<_> = series.iter().map(|one| one.key.as_str()).collect();
    let latencies = format!("0,{},1ms", keys.join(","));
    let strategy = format!("{MARKET_MAKER}/strategy.py");
    let (generated, chart) = (text(&out.join("day.itch50")), out.join("cost.svg"));
    let day = match hour.to_str().filter(|_| hour.exists()) {
        Some(hour) => vec![hour, "--desk", MARKET_MAKER],
        None => {
            let size = ["--symbols", "2", "--messages", "50000", "--out", &generated];
            generate::itch(&given(&size), console)?;
            vec![&generated, "--strategy", &strategy, "--symbols", "A"]
        }
    };
    let clock: &[&str] = match series.iter().all(Series::has_length) {
        true => &[],
        false => &["--clock-mhz", LINE_MHZ],
    };
    let picture = text(&chart);
    let line = [
        &day[..],
        &["--latency", &latencies, "--measured", &folder],
        &["--line", "5us", "--chart", &picture],
        clock,
    ]
    .concat();
    let runs = backtest::runs(&given(&line), console)?;
    let profits = runs.iter().map(|run| (run.latency.clone(), run.profit()));
    let tick_to_trade = measured.with_profits(profits.collect())?;
    Ok(Some(Traded {
        tick_to_trade,
        backtest: Latencies {
            runs,
            chart: Some(chart),
        },
    }))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
