//! `tickwire run`: the software handler on sockets.

use std::fmt;
use std::time::{Duration, Instant};

use clap::Args;
use feed::socket::{
    DEFAULT_RECEIVE_BUFFER, Endpoint, Input, Next, Receiver, Sender, SenderOptions, Wait,
};
use serde::Serialize;
use strategy::{FeedCounters, Handler};
use wire::itch::Version;
use wire::mold::Cause;

use crate::console::Console;
use crate::error::Error;
use crate::input::version;
use crate::settings::HandlerOptions;
use crate::stop;

/// Run the software handler: market data in on sockets, a report out each second
///
/// It ends at the end of the session, at --packets, --seconds, or SIGINT, and prints what it counted.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire run --desk desks/itch-statistics.toml --verbose
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
    handler: HandlerOptions,
    /// Never sleep in the kernel: the least latency, for a core all its own
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
    /// Go on after the end of a session
    #[arg(long)]
    stay: bool,
    /// Print counters each second
    #[arg(long, short)]
    verbose: bool,
}

/// Told once the sockets are open.
#[derive(Serialize)]
#[serde(tag = "type", rename = "listening")]
struct Listening {
    lines: Vec<String>,
    receive_buffers: Vec<usize>,
}

/// How it stands, or ended.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Counters(Status),
    Summary {
        ended: Ended,
        #[serde(flatten)]
        status: Status,
    },
}

#[derive(Clone, Copy, Serialize)]
struct Status {
    seconds: f64,
    datagrams: u64,
    reports: u64,
    report_send_errors: u64,
    counters: FeedCounters,
}

/// Why it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Ended {
    EndOfSession,
    Packets,
    Seconds,
    Signal,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Line::Counters(status) => {
                let counters = &status.counters;
                write!(
                    f,
                    "{:7.1} s  datagrams {}",
                    status.seconds, status.datagrams
                )?;
                write!(
                    f,
                    "  messages {}  hits {}",
                    counters.itch_messages, counters.filter_hit
                )?;
                write!(
                    f,
                    "  reports {}  lost {}",
                    status.reports, counters.mold_lost
                )?;
                write!(
                    f,
                    "  old {}  malformed {}",
                    counters.mold_old, counters.mold_malformed
                )
            }
            Line::Summary { ended, status } => {
                let why = match ended {
                    Ended::EndOfSession => "end of session",
                    Ended::Packets => "--packets reached",
                    Ended::Seconds => "--seconds reached",
                    Ended::Signal => "stopped by signal",
                };
                write!(f, "{why} after {:.3} s: ", status.seconds)?;
                write!(
                    f,
                    "{} datagrams, {} reports",
                    status.datagrams, status.reports
                )?;
                if status.report_send_errors > 0 {
                    write!(
                        f,
                        ", {} report packets refused by the socket",
                        status.report_send_errors
                    )?;
                }
                status
                    .counters
                    .iter()
                    .try_for_each(|(name, value)| write!(f, "\n  {name:<20} {value:>12}"))
            }
        }
    }
}

/// The handler with what is counted around it.
struct Session {
    handler: Handler,
    reports_to: Option<Sender>,
    began: Instant,
    datagrams: u64,
    reports: u64,
    report_send_errors: u64,
}

impl Session {
    /// Takes a datagram; sends the report it caused.
    fn datagram(&mut self, payload: &[u8]) -> Cause {
        let outcome = self.handler.datagram(payload);
        if outcome.report_due {
            for part in self.handler.report().into_iter().flatten() {
                let failed = self
                    .reports_to
                    .as_ref()
                    .is_some_and(|sender| sender.send(part).is_err());
                self.report_send_errors += u64::from(failed);
            }
            self.reports += 1;
        }
        self.datagrams += 1;
        outcome.mold
    }

    fn status(&self) -> Status {
        Status {
            seconds: self.began.elapsed().as_secs_f64(),
            datagrams: self.datagrams,
            reports: self.reports,
            report_send_errors: self.report_send_errors,
            counters: self.handler.counters(),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// The desk is wrong, or a socket cannot be opened or read.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let desk = arguments.handler.desk()?;
    let lines = match &desk {
        Some(desk) if arguments.listen.is_empty() => desk.lines(),
        _ => arguments.listen.clone(),
    };
    let report_to = arguments
        .report_to
        .or_else(|| desk.as_ref().map(|desk| desk.report.to.into()));
    let config = arguments.handler.config(desk.as_ref(), arguments.itch);
    if config.symbols.is_empty() {
        console.note("no symbols: reports will be empty; name some with --symbols");
    }
    let handler = Handler::new(config)?;
    let wait = if arguments.busy_poll {
        Wait::BusyPoll
    } else {
        Wait::Blocking
    };
    let mut receiver = open(&lines, wait, arguments.receive_buffer)?;
    let sender = |endpoint: Endpoint| {
        Sender::open(&endpoint, SenderOptions::default()).map_err(|cause| Error::Socket {
            action: "send reports",
            endpoint,
            cause,
        })
    };
    let reports_to = report_to.map(sender).transpose()?;
    announce(&receiver, console)?;
    let began = Instant::now();
    let mut session = Session {
        handler,
        reports_to,
        began,
        datagrams: 0,
        reports: 0,
        report_send_errors: 0,
    };
    let ended = receive(&mut receiver, &mut session, arguments, console)?;
    console.print(&Line::Summary {
        ended,
        status: session.status(),
    })
}

/// Opens the lines; an error names the one at fault.
fn open(lines: &[Endpoint], wait: Wait, buffer: usize) -> Result<Receiver, Error> {
    Receiver::open(lines, wait, buffer).map_err(|cause| {
        let fails = |line: &&Endpoint| Receiver::open(&[**line], wait, buffer).is_err();
        match lines.iter().find(fails).or(lines.first()) {
            Some(endpoint) => Error::Socket {
                action: "listen",
                endpoint: *endpoint,
                cause,
            },
            None => Error::Receive(cause),
        }
    })
}

fn announce(receiver: &Receiver, console: Console) -> Result<(), Error> {
    let addresses = receiver.local_addresses().map_err(Error::Receive)?;
    let lines: Vec<String> = addresses.iter().map(ToString::to_string).collect();
    console.note(&format!(
        "listening on {}; Ctrl-C ends",
        lines.join(" and ")
    ));
    let receive_buffers = receiver.buffer_sizes().map_err(Error::Receive)?;
    console.json_line(&Listening {
        lines,
        receive_buffers,
    })
}

fn receive(
    receiver: &mut Receiver,
    session: &mut Session,
    arguments: &Arguments,
    console: Console,
) -> Result<Ended, Error> {
    const SECOND: Duration = Duration::from_secs(1);
    // Datagrams between two looks at the clock, while they come without a pause: a look costs as much as a message.
    const LOOK: u64 = 256;
    let deadline = arguments.seconds.map(Duration::from_secs);
    let mut told = Duration::ZERO;
    let mut ended = Ended::Signal;
    let mut failure = None;
    let mut end = |reason| {
        ended = reason;
        Next::Stop
    };
    let run = receiver.run(stop::flag(), |input| {
        if let Input::Datagram { payload, .. } = input {
            let cause = session.datagram(payload);
            if cause == Cause::EndOfSession && !arguments.stay {
                return end(Ended::EndOfSession);
            }
            if arguments
                .packets
                .is_some_and(|packets| session.datagrams >= packets)
            {
                return end(Ended::Packets);
            }
            if !session.datagrams.is_multiple_of(LOOK) {
                return Next::Continue;
            }
        }
        let elapsed = session.began.elapsed();
        if deadline.is_some_and(|deadline| elapsed >= deadline) {
            return end(Ended::Seconds);
        }
        if arguments.verbose && elapsed >= told + SECOND {
            told = elapsed;
            if let Err(error) = console.print(&Line::Counters(session.status())) {
                failure = Some(error);
                return Next::Stop;
            }
        }
        Next::Continue
    });
    run.map_err(Error::Receive)?;
    failure.map_or(Ok(ended), Err)
}
