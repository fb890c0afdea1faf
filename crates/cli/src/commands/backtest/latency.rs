//! How long an order of a backtest is on its way: a time, or what was measured.

use std::path::PathBuf;
use std::time::Duration;

use backtest::{Latency, Measured};
use clap::Args;
use report::profit;
use report::trading::read_latencies;

use crate::error::Error;

/// From a decision to the market.
#[derive(Args, Debug)]
pub struct LatencyOptions {
    /// From the strategy's decision to the market, in the feed's time: a time, or a row of --measured by its key (fpga_w64_module, software_busy_poll, …). Several, to
    /// compare them
    #[arg(long, value_name = "TIME|KEY,…", value_delimiter = ',', value_parser = source, default_value = "0ns")]
    latency: Vec<Source>,
    /// The folder that tickwire measure wrote to: each order's latency is one of those there
    #[arg(long, value_name = "FOLDER")]
    measured: Option<PathBuf>,
    /// What the way to the exchange adds to a measured latency
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "0ns")]
    line: Duration,
    /// The clock of measured cores [default: the one that each was placed at]
    #[arg(long, value_name = "MHZ", value_parser = clock)]
    clock_mhz: Option<f64>,
    /// Which of the measured latencies an order gets: the same seed, the same ones
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Debug)]
enum Source {
    Time(Duration),
    /// A key of `tick_to_trade.json`.
    Key(String),
}

fn source(text: &str) -> Result<Source, humantime::DurationError> {
    match text.starts_with("fpga_") || text.starts_with("software_") {
        true => Ok(Source::Key(text.to_owned())),
        false => humantime::parse_duration(text).map(Source::Time),
    }
}

fn clock(text: &str) -> Result<f64, String> {
    let mhz: f64 = text.parse().map_err(|_| "write MHz, like 156.25")?;
    match mhz.is_finite() && mhz > 0.0 {
        true => Ok(mhz),
        false => Err("a clock is more than 0".to_owned()),
    }
}

/// A latency of a run.
pub struct Named {
    /// The time, or the key of what was measured.
    pub name: String,
    /// In nanoseconds; of what was measured the mean.
    pub mean_ns: u64,
    pub latency: Latency,
}

impl LatencyOptions {
    /// Those of each run.
    ///
    /// # Errors
    /// What was measured is wanted, but there is no folder, or it does not have it.
    pub fn runs(&self) -> Result<Vec<Named>, Error> {
        self.latency
            .iter()
            .map(|source| self.named(source))
            .collect()
    }

    fn named(&self, source: &Source) -> Result<Named, Error> {
        let nanoseconds = |time: &Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let key = match source {
            Source::Time(time) => {
                let mean_ns = nanoseconds(time);
                return Ok(Named {
                    name: profit::time(mean_ns),
                    mean_ns,
                    latency: Latency::Fixed(mean_ns),
                });
            }
            Source::Key(key) => key,
        };
        let refused = |text: String| Error::Latency { text };
        let folder = self.measured.as_ref().ok_or_else(|| {
            refused(format!(
                "{key}: say with --measured where tickwire measure wrote it"
            ))
        })?;
        let orders = read_latencies(folder, key, self.clock_mhz);
        let orders = orders.map_err(|error| refused(error.to_string()))?;
        let line_ns = nanoseconds(&self.line);
        let sum: u128 = orders.iter().copied().map(u128::from).sum();
        let mean = sum / (orders.len().max(1) as u128);
        let measured = Measured::new(orders, line_ns, self.seed);
        let measured = measured.ok_or_else(|| refused(format!("{key}: no order was measured")))?;
        Ok(Named {
            name: key.clone(),
            mean_ns: u64::try_from(mean)
                .unwrap_or(u64::MAX)
                .saturating_add(line_ns),
            latency: Latency::Measured(measured),
        })
    }
}
