//! `tickwire run`: a desk on this machine's sockets.

use std::fmt;
use std::time::Duration;

use clap::Args;
use feed::socket::{DEFAULT_RECEIVE_BUFFER, Endpoint, Wait};
use formats::itch::Version;
use live::sockets::{EndReason, Options, Sockets, Status};
use serde::Serialize;

use super::restart::RestartOptions;
use crate::console::Console;
use crate::error::Error;
use crate::input::version;
use crate::settings::PipelineOptions;
use crate::stop;

/// Run the software pipeline: market data in on sockets, a report out each second, orders out over FIX
///
/// Two lines or more are arbitrated, as the desk's section [arbitration] says; without it, whatever is expected or later goes on at once.
/// A desk with strategies trades: it keeps the books, logs on to the exchange of its section [session], and sends orders there. Its feed may be an order log in
/// FAST (section [feed.fast]); then there are no reports.
/// It ends at the end of the session, at --packets, --seconds, or SIGINT, and prints what it counted.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire run --desk desks/itch-statistics.toml --verbose
  tickwire run --desk desks/best-price.toml --busy-poll
  tickwire run --desk desks/order-log.toml
  tickwire run --listen 127.0.0.1:26400 --symbols AAPL,MSFT --report-to 127.0.0.1:26501
  tickwire run --listen 239.77.1.1:26400@127.0.0.1 --listen 239.77.1.2:26400@127.0.0.1 --symbols AAPL --busy-poll")]
pub struct Arguments {
    /// A line: a group or an address, its port, and the interface by its address; once for each line
    #[arg(
        long,
        value_name = "ADDR:PORT[@INTERFACE]",
        required_unless_present = "desk"
    )]
    listen: Vec<Endpoint>,
    /// Where to send reports; without it, and without a desk, they are counted only
    #[arg(long, value_name = "ADDR:PORT[@INTERFACE]")]
    report_to: Option<Endpoint>,
    /// ITCH version of the feed, 4.1 or 5.0 [default: the desk's, or 5.0]
    #[arg(long, value_name = "VERSION", value_parser = version)]
    itch: Option<Version>,
    #[command(flatten)]
    pipeline: PipelineOptions,
    /// Never sleep in the kernel: the least latency, but it needs a core of its own
    #[arg(long)]
    busy_poll: bool,
    /// Receive buffer a socket to ask the kernel for, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_RECEIVE_BUFFER)]
    receive_buffer: usize,
    /// End after so many datagrams
    #[arg(long, value_name = "N")]
    packets: Option<u64>,
    /// End after so many seconds
    #[arg(long, value_name = "S")]
    seconds: Option<u64>,
    #[command(flatten)]
    restart: RestartOptions,
    /// Go on after the end of a session
    #[arg(long)]
    stay: bool,
    /// Print counters each second
    #[arg(long, short)]
    verbose: bool,
}

/// Printed once the sockets are open.
#[derive(Serialize)]
#[serde(tag = "type", rename = "listening")]
struct Listening {
    lines: Vec<String>,
    receive_buffers: Vec<usize>,
}

/// Its state at the end.
#[derive(Serialize)]
#[serde(tag = "type", rename = "summary")]
struct Summary {
    ended: EndReason,
    #[serde(flatten)]
    status: Status,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = &self.status;
        let why = match self.ended {
            EndReason::EndOfSession => "end of session",
            EndReason::Packets => "--packets reached",
            EndReason::Seconds => "--seconds reached",
            EndReason::Signal => "stopped by signal",
        };
        write!(
            f,
            "{why} after {:.3} s: {} datagrams, {} reports",
            status.seconds, status.datagrams, status.reports
        )?;
        if status.report_send_errors > 0 {
            write!(
                f,
                ", {} report packets refused by the socket",
                status.report_send_errors
            )?;
        }
        match &status.fast {
            Some(fast) => write!(f, "\n{fast}")?,
            None => status
                .counters
                .iter()
                .try_for_each(|(name, value)| write!(f, "\n  {name:<20} {value:>12}"))?,
        }
        match &status.arbitration {
            Some(arbitration) => write!(f, "\n{arbitration}"),
            None => Ok(()),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// The desk is wrong, or a socket cannot be opened or read.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let desk = arguments.pipeline.desk()?;
    let desk = desk.as_ref();
    let pipeline = arguments.pipeline.config(desk, arguments.itch);
    if pipeline.symbols.is_empty() && desk.is_none_or(|desk| desk.feed.fast.is_none()) {
        console.note("no symbols: reports will be empty; name some with --symbols");
    }
    let options = Options {
        lines: match desk {
            Some(desk) if arguments.listen.is_empty() => desk.lines(),
            _ => arguments.listen.clone(),
        },
        report_to: arguments
            .report_to
            .or_else(|| desk.map(|desk| desk.report.to.into())),
        pipeline,
        wait: match arguments.busy_poll {
            true => Wait::BusyPoll,
            false => Wait::Blocking,
        },
        receive_buffer: arguments.receive_buffer,
        confirmed: arguments.restart.confirm_positions.clone(),
        packets: arguments.packets,
        time: arguments.seconds.map(Duration::from_secs),
        stay: arguments.stay,
        tells_counters: arguments.verbose,
    };
    let mut sockets = Sockets::open(desk, options, &console)?;
    announce(&sockets, console)?;
    let (ended, status) = live::run(&mut sockets, stop::flag(), &console)?;
    console.print(&Summary { ended, status })
}

fn announce(sockets: &Sockets, console: Console) -> Result<(), Error> {
    let (addresses, buffers) = sockets.listening();
    let lines: Vec<String> = addresses.iter().map(ToString::to_string).collect();
    // Before it is announced that it listens, as it could be stopped from then on.
    let _ = stop::flag();
    console.note(&format!(
        "listening on {}; Ctrl-C ends",
        lines.join(" and ")
    ));
    console.json_line(&Listening {
        lines,
        receive_buffers: buffers.to_vec(),
    })
}
