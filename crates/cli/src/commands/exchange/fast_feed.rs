//! The order log in FAST: options, and the publisher that they ask for.

use std::cell::Cell;
use std::path::PathBuf;
use std::rc::Rc;

use clap::Args;
use exchange::{FastPublisher, Line};
use feed::socket::Endpoint;
use live::desk::read_templates;

use super::line;
use crate::console::Console;
use crate::error::Error;
use crate::impairment::ImpairmentOptions;
use crate::input::nanoseconds;

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Order log in FAST")]
pub struct FastOptions {
    /// Publish the books as an order log in FAST 1.1 too, with the templates of this file: 3610 (X-OLR-CURR), 3600 (W-OLS-CURR) for snapshots
    #[arg(long, value_name = "XML", requires = "fast_line_a")]
    fast_templates: Option<PathBuf>,
    /// Where the log goes: line A
    #[arg(
        long,
        value_name = "ADDR:PORT[@INTERFACE]",
        requires = "fast_templates"
    )]
    fast_line_a: Option<Endpoint>,
    /// The same packets again: line B
    #[arg(long, value_name = "ADDR:PORT[@INTERFACE]", requires = "fast_line_a")]
    fast_line_b: Option<Endpoint>,
    /// Snapshots of the books, one instrument after the other, again and again: line A
    #[arg(long, value_name = "ADDR:PORT[@INTERFACE]", requires = "fast_line_a")]
    fast_snapshots_a: Option<Endpoint>,
    /// The same packets again: line B
    #[arg(
        long,
        value_name = "ADDR:PORT[@INTERFACE]",
        requires = "fast_snapshots_a"
    )]
    fast_snapshots_b: Option<Endpoint>,
    /// Time in which each instrument has its snapshot
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = cycle)]
    fast_snapshot_cycle: u64,
}

/// Reads the time of a cycle: in nanoseconds.
fn cycle(text: &str) -> Result<u64, String> {
    const DAY: u64 = 86_400 * 1_000_000_000;
    match nanoseconds(text)? {
        time @ 1_000_000..=DAY => Ok(time),
        _ => Err("write a time from 1ms to 24h".into()),
    }
}

/// Of the lines that have random numbers of their own, the first of these; the ones before are those of ITCH.
const FIRST_LINE: u64 = 2;

impl FastOptions {
    fn endpoints(&self) -> [Vec<&Endpoint>; 2] {
        let log = self.fast_line_a.iter().chain(&self.fast_line_b);
        let snapshots = self.fast_snapshots_a.iter().chain(&self.fast_snapshots_b);
        [log.collect(), snapshots.collect()]
    }

    /// Lines of the log, as they are printed.
    pub fn lines(&self) -> Vec<String> {
        let [log, _] = self.endpoints();
        log.iter().map(ToString::to_string).collect()
    }

    /// Lines of the snapshots, as they are printed.
    pub fn snapshots(&self) -> Vec<String> {
        let [_, snapshots] = self.endpoints();
        snapshots.iter().map(ToString::to_string).collect()
    }

    /// The publisher, if there is to be one. Its lines lose and double packets as the others do, each by itself.
    ///
    /// # Errors
    /// The template file cannot be used, or a socket not be opened.
    pub fn publisher(
        &self,
        impairment: ImpairmentOptions,
        unsent: &Rc<Cell<u64>>,
        console: Console,
    ) -> Result<Option<FastPublisher>, Error> {
        let Some(path) = &self.fast_templates else {
            return Ok(None);
        };
        let templates = read_templates(path, &console)?;
        let refused = |cause| Error::Layout {
            path: path.clone(),
            cause,
        };
        let mut at = FIRST_LINE;
        let mut open = |endpoints: &[&Endpoint]| {
            let opened = endpoints.iter().map(|endpoint| {
                at += 1;
                line(endpoint, impairment.on_line(at - 1), unsent)
            });
            opened.collect::<Result<Vec<Box<dyn Line>>, _>>()
        };
        let [log, snapshots] = self.endpoints();
        let publisher = FastPublisher::new(&templates, open(&log)?).map_err(refused)?;
        if snapshots.is_empty() {
            return Ok(Some(publisher));
        }
        let cycle = self.fast_snapshot_cycle;
        let publisher = publisher.with_snapshots(open(&snapshots)?, cycle);
        publisher.map(Some).map_err(refused)
    }
}
