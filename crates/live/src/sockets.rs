//! A desk on this machine's sockets: lines in, the path in software, reports and orders out.

mod arbitration;
mod connection;
mod link;
mod trading;

use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use arbiter::Protocol;
use feed::socket::{Endpoint, Input, Next, Receiver, Sender, SenderOptions, Wait};
use formats::counters::FeedCounters;
use formats::mold::Cause;
use pipeline::{LinesStatus, Pipeline};
use serde::Serialize;

use crate::desk::FastFeed;
use crate::restart::Positions;
use crate::{Backend, Desk, Error, Monitor, Notice};

use arbitration::LineArbiter;
pub use arbitration::LinesError;
pub use trading::FastStatus;
use trading::Trading;

/// Datagrams between two looks at the clock, while they come without a pause: a look costs as much as a message.
const LOOK: u64 = 256;
/// The receive loop comes back that often by itself.
const SOON: Duration = Duration::from_millis(100);

/// What runs on the sockets.
#[derive(Clone, Debug)]
pub struct Options {
    /// The lines, A first.
    pub lines: Vec<Endpoint>,
    /// Where reports go; they are counted in any case.
    pub report_to: Option<Endpoint>,
    /// What the pipeline does.
    pub pipeline: pipeline::Config,
    /// How to wait for datagrams.
    pub wait: Wait,
    /// Receive buffer to ask the kernel for, in bytes.
    pub receive_buffer: usize,
    /// What is held, as the operator confirms it.
    pub confirmed: Option<Positions>,
    /// It ends after so many datagrams.
    pub packets: Option<u64>,
    /// It ends after so long.
    pub time: Option<Duration>,
    /// It goes on after the end of a session of the feed.
    pub stay: bool,
    /// Whether to tell each second what was counted.
    pub tells_counters: bool,
}

/// Why it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The feed's session did.
    EndOfSession,
    /// So many datagrams came.
    Packets,
    /// So much time passed.
    Seconds,
    /// It was stopped.
    Signal,
}

/// What was counted.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// Since it began.
    pub seconds: f64,
    /// Datagrams of the lines.
    pub datagrams: u64,
    /// Reports that were due.
    pub reports: u64,
    /// Packets of them that the socket did not take.
    pub report_send_errors: u64,
    /// Of a feed in ITCH.
    pub counters: FeedCounters,
    /// Of a feed in FAST.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fast: Option<FastStatus>,
    /// Where there are two lines or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arbitration: Option<LinesStatus>,
}

/// A line: what is watched while it runs.
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:7.1} s", self.seconds)?;
        if let Some(fast) = &self.fast {
            return write!(f, "{fast}");
        }
        let counters = &self.counters;
        write!(
            f,
            "  datagrams {}  messages {}  hits {}  reports {}  lost {}  old {}  malformed {}",
            self.datagrams,
            counters.itch_messages,
            counters.filter_hit,
            self.reports,
            counters.mold_lost,
            counters.mold_old,
            counters.mold_malformed
        )?;
        let Some(arbitration) = &self.arbitration else {
            return Ok(());
        };
        let (lost, recovered) = arbitration.lost();
        write!(f, "  lost by both lines {lost}, recovered {recovered}")
    }
}

/// The pipeline of a desk: with orders, or with reports alone.
enum Path {
    Trading(Box<Trading>),
    Reports(Box<Pipeline>),
}

/// The pipeline, and where its reports go.
struct Stages {
    path: Path,
    reports_to: Option<Sender>,
    reports: u64,
    report_send_errors: u64,
    /// Whether the end of a session was seen.
    ended: bool,
}

impl Stages {
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

/// The path after the sockets, with its counters.
struct Software {
    stages: Stages,
    /// Before the stages, where there are two lines or more.
    arbiter: Option<LineArbiter>,
    /// Lines; the sockets after them are the request server's, or those of the snapshots of a feed in FAST.
    lines: usize,
    is_fast: bool,
    began: Instant,
    datagrams: u64,
}

impl Software {
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
            if let Some(trading) = self.stages.trading() {
                trading.snapshot_datagram(payload);
            }
            return;
        }
        let mut deliver = |payload: &[u8]| self.stages.datagram(payload);
        if let Some(arbiter) = &mut self.arbiter {
            let (lines, mut outlet) = arbiter.split(&mut deliver);
            if line >= self.lines {
                return lines.answer(payload, now, &mut outlet);
            }
            lines.datagram(line, payload, now, &mut outlet);
        } else {
            deliver(payload);
        }
        self.datagrams += 1;
    }

    /// Lets time pass; how long there is nothing to do but wait.
    fn poll(&mut self, now: u64) -> Next {
        let most = match self.stages.path {
            Path::Trading(_) => Trading::TURN,
            Path::Reports(_) => SOON,
        };
        let left = self.arbiter.as_mut().and_then(|arbiter| {
            let mut deliver = |payload: &[u8]| self.stages.datagram(payload);
            let (lines, mut outlet) = arbiter.split(&mut deliver);
            lines.poll(now, &mut outlet);
            let deadline = lines.deadline()?;
            Some(Duration::from_nanos(deadline.saturating_sub(now)))
        });
        let left = left.unwrap_or(most).min(most);
        if left < SOON {
            Next::Within(left)
        } else {
            Next::Continue
        }
    }

    fn status(&self) -> Status {
        let (counters, fast) = match &self.stages.path {
            Path::Trading(trading) => (trading.counters(), trading.fast()),
            Path::Reports(pipeline) => (pipeline.counters(), None),
        };
        Status {
            seconds: self.began.elapsed().as_secs_f64(),
            datagrams: self.datagrams,
            reports: self.stages.reports,
            report_send_errors: self.stages.report_send_errors,
            counters,
            fast,
            arbitration: self
                .arbiter
                .as_ref()
                .map(|arbiter| arbiter.lines().status()),
        }
    }
}

/// A desk on sockets.
pub struct Sockets {
    receiver: Receiver,
    listening: (Vec<SocketAddr>, Vec<usize>),
    software: Software,
    options: Options,
    ended: EndReason,
}

impl Sockets {
    /// Opens the sockets of a desk, or of these options alone.
    ///
    /// # Errors
    /// The desk does not fit together; a socket or the session's store cannot be opened.
    pub fn open(
        desk: Option<&Desk>,
        options: Options,
        monitor: &dyn Monitor,
    ) -> Result<Self, Error> {
        let fast = desk.and_then(|desk| desk.feed.fast.as_ref());
        let (lines, pipeline) = (&options.lines, &options.pipeline);
        let confirmed = options.confirmed.as_ref();
        let trading = match desk {
            Some(desk) => Trading::new(desk, pipeline, confirmed, monitor)?,
            None => None,
        };
        let path = match (trading, fast) {
            (Some(trading), _) => Path::Trading(Box::new(trading)),
            (None, Some(_)) => return Err(Error::FastWithoutStrategy),
            (None, None) => Path::Reports(Box::new(Pipeline::new(pipeline.clone())?)),
        };
        let snapshots = fast.map(FastFeed::snapshot_lines).unwrap_or_default();
        let sockets = [&lines[..], &snapshots].concat();
        let mut receiver = listen(&sockets, options.wait, options.receive_buffer)?;
        let sender = |endpoint: Endpoint| {
            Sender::open(&endpoint, SenderOptions::default()).map_err(|cause| Error::Socket {
                action: "send reports",
                endpoint,
                cause,
            })
        };
        let reports_to = options.report_to.map(sender).transpose()?;
        let addresses = receiver.local_addresses().map_err(Error::Receive)?;
        let buffers = receiver.buffer_sizes().map_err(Error::Receive)?;
        let arbiter = arbiter(lines, desk, &mut receiver)?;
        Ok(Sockets {
            listening: (addresses, buffers),
            receiver,
            software: Software {
                stages: Stages {
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
            },
            options,
            ended: EndReason::Signal,
        })
    }

    /// Where it listens, and the receive buffers that the kernel granted.
    pub fn listening(&self) -> (&[SocketAddr], &[usize]) {
        (&self.listening.0, &self.listening.1)
    }
}

impl Backend for Sockets {
    type Outcome = (EndReason, Status);

    fn work(&mut self, stop: &AtomicBool, monitor: &dyn Monitor) -> Result<(), Error> {
        const SECOND: Duration = Duration::from_secs(1);
        let (software, options) = (&mut self.software, &self.options);
        let mut next_counters = SECOND;
        let mut ended = Ok(EndReason::Signal);
        let mut end = |reason| {
            ended = reason;
            Next::Stop
        };
        let run = self.receiver.run(stop, |input| {
            let now = software.now();
            if let Input::Datagram { line, payload } = input {
                software.datagram(line, payload, now);
            }
            let next = software.poll(now);
            if let Some(trading) = software.stages.trading()
                && let Err(error) = trading.poll(input == Input::Idle, monitor)
            {
                return end(Err(error));
            }
            if std::mem::take(&mut software.stages.ended) && !options.stay {
                return end(Ok(EndReason::EndOfSession));
            }
            if let Input::Datagram { .. } = input {
                let most = options.packets;
                if most.is_some_and(|most| software.datagrams >= most) {
                    return end(Ok(EndReason::Packets));
                }
                if !software.datagrams.is_multiple_of(LOOK) {
                    return next;
                }
            }
            let elapsed = software.began.elapsed();
            if options.time.is_some_and(|time| elapsed >= time) {
                return end(Ok(EndReason::Seconds));
            }
            if options.tells_counters && elapsed >= next_counters {
                next_counters = elapsed + SECOND;
                let counters = Notice::Counters(Box::new(software.status()));
                if let Err(error) = monitor.notice(&counters) {
                    return end(Err(error));
                }
            }
            next
        });
        run.map_err(Error::Receive)?;
        self.ended = ended?;
        Ok(())
    }

    fn finish(&mut self, monitor: &dyn Monitor) -> Result<Self::Outcome, Error> {
        let software = &mut self.software;
        let now = software.now();
        if let Some(arbiter) = &mut software.arbiter {
            let mut deliver = |payload: &[u8]| software.stages.datagram(payload);
            let (lines, mut outlet) = arbiter.split(&mut deliver);
            lines.flush(now, &mut outlet);
        }
        if let Some(trading) = software.stages.trading() {
            trading.finish(monitor)?;
        }
        Ok((self.ended, software.status()))
    }
}

/// What stands before the pipeline: nothing, where there is one line.
fn arbiter(
    lines: &[Endpoint],
    desk: Option<&Desk>,
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
    let arbiter = LineArbiter::new(protocol, lines.len(), &arbitration.unwrap_or_default())?;
    if let Some(answers) = arbiter.answers().map_err(Error::Receive)? {
        receiver.add(answers).map_err(Error::Receive)?;
    }
    Ok(Some(arbiter))
}

/// Opens the lines; an error names the line at fault.
fn listen(lines: &[Endpoint], wait: Wait, buffer: usize) -> Result<Receiver, Error> {
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
