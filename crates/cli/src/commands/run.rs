//! `tickwire run`: the software pipeline on sockets.

mod connection;
mod link;
mod notice;
mod trading;

use std::fmt;
use std::time::{Duration, Instant};

use arbiter::Protocol;
use clap::Args;
use feed::socket::{
    DEFAULT_RECEIVE_BUFFER, Endpoint, Input, Next, Receiver, Sender, SenderOptions, Wait,
};
use formats::counters::FeedCounters;
use formats::itch::Version;
use formats::mold::Cause;
use live::arbitration::LineArbiter;
use live::desk;
use pipeline::{LinesStatus, Pipeline};
use serde::Serialize;

use super::restart::RestartOptions;
use crate::console::Console;
use crate::error::Error;
use crate::input::version;
use crate::settings::PipelineOptions;
use crate::stop;
pub(super) use notice::not_resent;
use trading::{FastStatus, Trading};

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

/// Its state, now or at the end.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Counters(Status),
    Summary {
        ended: EndReason,
        #[serde(flatten)]
        status: Status,
    },
}

#[derive(Clone, Serialize)]
struct Status {
    seconds: f64,
    datagrams: u64,
    reports: u64,
    report_send_errors: u64,
    counters: FeedCounters,
    /// Of a feed in FAST.
    #[serde(skip_serializing_if = "Option::is_none")]
    fast: Option<FastStatus>,
    /// Where there are two lines or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    arbitration: Option<LinesStatus>,
}

/// Why it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum EndReason {
    EndOfSession,
    Packets,
    Seconds,
    Signal,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Line::Counters(Status {
                fast: Some(fast),
                seconds,
                ..
            }) => write!(f, "{seconds:7.1} s{fast}"),
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
                )?;
                let Some(arbitration) = &status.arbitration else {
                    return Ok(());
                };
                let (lost, recovered) = arbitration.lost();
                write!(f, "  lost by both lines {lost}, recovered {recovered}")
            }
            Line::Summary { ended, status } => {
                let why = match ended {
                    EndReason::EndOfSession => "end of session",
                    EndReason::Packets => "--packets reached",
                    EndReason::Seconds => "--seconds reached",
                    EndReason::Signal => "stopped by signal",
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
    }
}

/// The pipeline of a desk: with orders, or with reports alone.
enum Path {
    Trading(Box<Trading>),
    Reports(Box<Pipeline>),
}

/// The pipeline, and where its reports go.
struct Desk {
    path: Path,
    reports_to: Option<Sender>,
    reports: u64,
    report_send_errors: u64,
    /// Whether the end of a session was seen.
    ended: bool,
}

impl Desk {
    /// Takes a datagram; sends the report it caused.
    fn datagram(&mut self, payload: &[u8]) {
        let (cause, report) = match &mut self.path {
            Path::Trading(trading) => (trading.datagram(payload), trading.report()),
            Path::Reports(pipeline) => {
                let outcome = pipeline.datagram(payload);
                let due = outcome.report_due.then(|| pipeline.report());
                (outcome.mold, due.flatten())
            }
        };
        if let Some(report) = report {
            for part in report {
                let failed = self
                    .reports_to
                    .as_ref()
                    .is_some_and(|sender| sender.send(part).is_err());
                self.report_send_errors += u64::from(failed);
            }
            self.reports += 1;
        }
        self.ended |= cause == Cause::EndOfSession;
    }

    fn trading(&mut self) -> Option<&mut Trading> {
        match &mut self.path {
            Path::Trading(trading) => Some(trading),
            Path::Reports(_) => None,
        }
    }
}

/// All of it, with what is counted around it.
struct Session {
    desk: Desk,
    /// Before the desk, where there are two lines or more.
    arbiter: Option<LineArbiter>,
    /// Lines; the sockets after them are the request server's, or those of the snapshots of a feed in FAST.
    lines: usize,
    is_fast: bool,
    began: Instant,
    datagrams: u64,
}

impl Session {
    /// Nanoseconds since it began, if they are needed: without an arbiter they are not.
    fn now(&self) -> u64 {
        match self.arbiter {
            // Nanoseconds for 584 years.
            Some(_) => self.began.elapsed().as_nanos() as u64,
            None => 0,
        }
    }

    fn datagram(&mut self, line: usize, payload: &[u8], now: u64) {
        if self.is_fast && line >= self.lines {
            if let Some(trading) = self.desk.trading() {
                trading.snapshot_datagram(payload);
            }
            return;
        }
        let mut deliver = |payload: &[u8]| self.desk.datagram(payload);
        match &mut self.arbiter {
            Some(arbiter) if line >= self.lines => {
                return arbiter.answer(payload, now, &mut deliver);
            }
            Some(arbiter) => arbiter.datagram(line, payload, now, &mut deliver),
            None => deliver(payload),
        }
        self.datagrams += 1;
    }

    /// Lets time pass; how long there is nothing to do but wait.
    fn poll(&mut self, now: u64) -> Next {
        // The receive loop comes back that often by itself.
        const SOON: Duration = Duration::from_millis(100);
        let most = match self.desk.path {
            Path::Trading(_) => Trading::TURN,
            Path::Reports(_) => SOON,
        };
        let left = self.arbiter.as_mut().and_then(|arbiter| {
            arbiter.poll(now, &mut |payload| self.desk.datagram(payload));
            let deadline = arbiter.deadline()?;
            Some(Duration::from_nanos(deadline.saturating_sub(now)))
        });
        let left = left.unwrap_or(most).min(most);
        if left < SOON {
            Next::Within(left)
        } else {
            Next::Continue
        }
    }

    /// Gives the pipeline what is still stored.
    fn flush(&mut self) {
        let now = self.now();
        if let Some(arbiter) = &mut self.arbiter {
            arbiter.flush(now, &mut |payload| self.desk.datagram(payload));
        }
    }

    fn status(&self) -> Status {
        let (counters, fast) = match &self.desk.path {
            Path::Trading(trading) => (trading.counters(), trading.fast()),
            Path::Reports(pipeline) => (pipeline.counters(), None),
        };
        Status {
            seconds: self.began.elapsed().as_secs_f64(),
            datagrams: self.datagrams,
            reports: self.desk.reports,
            report_send_errors: self.desk.report_send_errors,
            counters,
            fast,
            arbitration: self.arbiter.as_ref().map(LineArbiter::status),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// The desk is wrong, or a socket cannot be opened or read.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let desk = arguments.pipeline.desk()?;
    let fast = desk.as_ref().and_then(|desk| desk.feed.fast.as_ref());
    let lines = match &desk {
        Some(desk) if arguments.listen.is_empty() => desk.lines(),
        _ => arguments.listen.clone(),
    };
    let report_to = arguments
        .report_to
        .or_else(|| desk.as_ref().map(|desk| desk.report.to.into()));
    let config = arguments.pipeline.config(desk.as_ref(), arguments.itch);
    if config.symbols.is_empty() && fast.is_none() {
        console.note("no symbols: reports will be empty; name some with --symbols");
    }
    let trading = match &desk {
        Some(desk) => Trading::new(desk, &config, &arguments.restart, console)?,
        None => None,
    };
    let path = match (trading, fast) {
        (Some(trading), _) => Path::Trading(Box::new(trading)),
        (None, Some(_)) => return Err(Error::FastWithoutStrategy),
        (None, None) => Path::Reports(Box::new(Pipeline::new(config)?)),
    };
    let wait = if arguments.busy_poll {
        Wait::BusyPoll
    } else {
        Wait::Blocking
    };
    let snapshots = fast.map(desk::FastFeed::snapshot_lines);
    let sockets = [&lines[..], &snapshots.unwrap_or_default()].concat();
    let mut receiver = open(&sockets, wait, arguments.receive_buffer)?;
    let sender = |endpoint: Endpoint| {
        Sender::open(&endpoint, SenderOptions::default()).map_err(|cause| Error::Socket {
            action: "send reports",
            endpoint,
            cause,
        })
    };
    let reports_to = report_to.map(sender).transpose()?;
    announce(&receiver, console)?;
    let arbiter = arbiter(&lines, desk.as_ref(), &mut receiver)?;
    let mut session = Session {
        desk: Desk {
            path,
            reports_to,
            reports: 0,
            report_send_errors: 0,
            ended: false,
        },
        arbiter,
        lines: lines.len(),
        is_fast: fast.is_some(),
        began: Instant::now(),
        datagrams: 0,
    };
    let ended = receive(&mut receiver, &mut session, arguments, console)?;
    session.flush();
    if let Some(trading) = session.desk.trading() {
        trading.finish(console)?;
    }
    console.print(&Line::Summary {
        ended,
        status: session.status(),
    })
}

/// What stands before the pipeline: nothing, where there is one line.
fn arbiter(
    lines: &[Endpoint],
    desk: Option<&desk::Desk>,
    receiver: &mut Receiver,
) -> Result<Option<LineArbiter>, Error> {
    if lines.len() < 2 {
        return Ok(None);
    }
    let protocol = match desk.is_some_and(|desk| desk.feed.fast.is_some()) {
        true => Protocol::MOEX,
        false => Protocol::MOLD_UDP64,
    };
    let arbitration = desk.map(|desk| desk.arbitration.clone());
    let arbiter = LineArbiter::new(protocol, lines.len(), &arbitration.unwrap_or_default());
    let arbiter = arbiter.map_err(live::Error::from)?;
    if let Some(answers) = arbiter.answers().map_err(Error::Receive)? {
        receiver.add(answers).map_err(Error::Receive)?;
    }
    Ok(Some(arbiter))
}

/// Opens the lines; an error names the line at fault.
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
    // Before it is announced that it listens, as it could be stopped from then on.
    let _ = stop::flag();
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
) -> Result<EndReason, Error> {
    const SECOND: Duration = Duration::from_secs(1);
    // Datagrams between two looks at the clock, while they come without a pause: a look costs as much as a message.
    const LOOK: u64 = 256;
    let deadline = arguments.seconds.map(Duration::from_secs);
    let mut told = Duration::ZERO;
    let mut ended = EndReason::Signal;
    let mut failure = None;
    let mut end = |reason| {
        ended = reason;
        Next::Stop
    };
    let run = receiver.run(stop::flag(), |input| {
        let now = session.now();
        if let Input::Datagram { line, payload } = input {
            session.datagram(line, payload, now);
        }
        let next = session.poll(now);
        if let Some(trading) = session.desk.trading() {
            let idle = input == Input::Idle;
            if let Err(error) = trading.poll(idle, console) {
                failure = Some(error);
                return Next::Stop;
            }
        }
        if std::mem::take(&mut session.desk.ended) && !arguments.stay {
            return end(EndReason::EndOfSession);
        }
        if let Input::Datagram { .. } = input {
            if arguments
                .packets
                .is_some_and(|packets| session.datagrams >= packets)
            {
                return end(EndReason::Packets);
            }
            if !session.datagrams.is_multiple_of(LOOK) {
                return next;
            }
        }
        let elapsed = session.began.elapsed();
        if deadline.is_some_and(|deadline| elapsed >= deadline) {
            return end(EndReason::Seconds);
        }
        if arguments.verbose && elapsed >= told + SECOND {
            told = elapsed;
            if let Err(error) = console.print(&Line::Counters(session.status())) {
                failure = Some(error);
                return Next::Stop;
            }
        }
        next
    });
    run.map_err(Error::Receive)?;
    failure.map_or(Ok(ended), Err)
}
