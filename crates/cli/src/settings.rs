//! What the pipeline is to do, from a desk or from the command line.

use std::path::PathBuf;

use clap::Args;
use formats::Symbol;
use formats::itch::Version;
use live::desk::Desk;
use pipeline::Config;

use crate::error::Error;

/// The options that `run` and `sim` share.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "What to do with the feed")]
pub struct PipelineOptions {
    /// Take everything from a desk, a file or a folder with a desk.toml; options given as well take precedence
    #[arg(long, value_name = "DESK")]
    desk: Option<PathBuf>,
    /// The symbols to keep statistics of, in the order of the report
    #[arg(long, value_name = "SYMBOL,…", value_delimiter = ',')]
    symbols: Vec<Symbol>,
    /// Statistics go on over the seconds instead of starting again each second
    #[arg(long)]
    accumulate: bool,
}

impl PipelineOptions {
    /// The desk, if there is one.
    ///
    /// # Errors
    /// It cannot be read, or is wrong.
    pub fn desk(&self) -> Result<Option<Desk>, Error> {
        Ok(self.desk.as_deref().map(Desk::open).transpose()?)
    }

    /// The pipeline's configuration: the command line takes precedence over the desk.
    pub fn config(&self, desk: Option<&Desk>, itch: Option<Version>) -> Config {
        let base = desk.map(Desk::pipeline);
        let (version, accumulate, symbols) = match base {
            Some(base) => (base.version, base.accumulate, base.symbols),
            None => (Version::V50, false, Vec::new()),
        };
        let named = self.symbols.iter().copied().map(Some);
        let symbols = if self.symbols.is_empty() {
            symbols
        } else {
            named.collect()
        };
        Config {
            version: itch.unwrap_or(version),
            accumulate: accumulate || self.accumulate,
            symbols,
        }
    }
}
