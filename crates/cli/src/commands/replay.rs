//! `tickwire replay`: a file onto the wire.

use std::fmt;
use std::net::Ipv4Addr;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Args;
use feed::PacketSource;
use feed::recovery::{Recorded, ServerCounters};
use feed::replay::{Line, LineCounters, Pace, SystemClock, run as replay};
use feed::socket::{Endpoint, Sender, SenderOptions};
use serde::Serialize;

use crate::console::Console;
use crate::error::Error;
use crate::impairment::ImpairmentOptions;
use crate::input::{PacketOptions, Packets, ReadOptions};
use crate::servers::{RequestServer, Requests};
use crate::stop;

/// Send a file as MoldUDP64 over UDP, or a capture of another protocol as it is, at its own times or any other pace
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire replay day.itch50 --to 239.77.1.1:26400@127.0.0.1 --speed 8
  tickwire replay day.itch50 --to 127.0.0.1:26400 --max --coalesce 20us
  tickwire replay capture.pcap --to 239.77.1.1:26400 --line-b 239.77.1.2:26400 --skew 50us --loss 0.001
  tickwire replay day.itch50 --to 127.0.0.1:26400 --line-b 127.0.0.1:26401 --loss 0.1 --request-server 127.0.0.1:26410
  tickwire replay log.pcap --any-protocol --to 127.0.0.1:26430 --line-b 127.0.0.1:26431 --loss 0.05")]
pub struct Arguments {
    /// BinaryFILE (ITCH with two-byte lengths), pcap or pcapng
    file: PathBuf,
    /// Of a capture, datagrams of any protocol, as they are: a feed in FAST
    #[arg(long, conflicts_with = "request_server")]
    any_protocol: bool,
    /// Line A: a group or an address, its port, and the interface by its address
    #[arg(long, value_name = "ADDR:PORT[@INTERFACE]")]
    to: Endpoint,
    /// Line B: the same packets again
    #[arg(long, value_name = "ADDR:PORT[@INTERFACE]")]
    line_b: Option<Endpoint>,
    /// Line B is so much behind line A
    #[arg(
        long,
        value_name = "TIME",
        requires = "line_b",
        default_value = "0ns",
        value_parser = humantime::parse_duration
    )]
    skew: Duration,
    /// Interface for every line that names none, by its IPv4 address
    #[arg(long, value_name = "ADDR")]
    interface: Option<Ipv4Addr>,
    /// Time to live of multicast packets
    #[arg(long, value_name = "HOPS", default_value_t = 1)]
    ttl: u32,
    #[command(flatten)]
    requests: RequestOptions,
    #[command(flatten)]
    pace: PaceOptions,
    #[command(flatten)]
    impairment: ImpairmentOptions,
    #[command(flatten)]
    packets: PacketOptions,
    #[command(flatten)]
    read: ReadOptions,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Request server")]
struct RequestOptions {
    /// Answer MoldUDP64 requests there, for what was sent: the last 64 MiB of messages
    #[arg(long, value_name = "ADDR:PORT")]
    request_server: Option<Endpoint>,
    /// Go on answering for so long after the last packet
    #[arg(
        long,
        value_name = "TIME",
        requires = "request_server",
        default_value = "2s",
        value_parser = humantime::parse_duration
    )]
    linger: Duration,
}

impl RequestOptions {
    fn start(&self) -> Result<Option<RequestServer>, Error> {
        self.request_server.map(RequestServer::start).transpose()
    }

    /// Waits for the last requests, and ends the server.
    fn finish(&self, server: RequestServer) -> Result<ServerCounters, Error> {
        let end = Instant::now() + self.linger;
        while Instant::now() < end && !stop::flag().load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(20));
        }
        server.finish()
    }
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Pace")]
#[group(multiple = false)]
struct PaceOptions {
    /// So many times as fast as recorded [default: 1]
    #[arg(long, value_name = "TIMES", value_parser = positive)]
    speed: Option<f64>,
    /// As fast as the sockets take it
    #[arg(long)]
    max: bool,
    /// At so many megabits a second on the wire, preamble and gap included
    #[arg(long, value_name = "MBIT/S", value_parser = positive)]
    mbps: Option<f64>,
}

impl PaceOptions {
    fn pace(&self) -> Pace {
        match (self.max, self.mbps) {
            (true, _) => Pace::Unpaced,
            (false, Some(mbps)) => Pace::LineRate(mbps * 1e6),
            (false, None) => Pace::Factor(self.speed.unwrap_or(1.0)),
        }
    }
}

/// What was sent.
#[derive(Serialize)]
struct Sent {
    packets: u64,
    seconds: f64,
    latest_ns: u64,
    interrupted: bool,
    lines: Vec<LineSent>,
    /// Of the request server.
    #[serde(skip_serializing_if = "Option::is_none")]
    requests: Option<ServerCounters>,
}

#[derive(Serialize)]
struct LineSent {
    to: String,
    offered: u64,
    sent: u64,
    bytes: u64,
    lost: u64,
    duplicated: u64,
    reordered: u64,
}

impl LineSent {
    fn new(to: &Endpoint, counters: &LineCounters) -> Self {
        let LineCounters {
            offered,
            sent,
            bytes,
            lost,
            duplicated,
            reordered,
        } = *counters;
        Self {
            to: to.to_string(),
            offered,
            sent,
            bytes,
            lost,
            duplicated,
            reordered,
        }
    }
}

impl fmt::Display for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ended = if self.interrupted {
            ", interrupted"
        } else {
            ""
        };
        write!(
            f,
            "{} packets in {:.3} s{ended}",
            self.packets, self.seconds
        )?;
        write!(
            f,
            ", at most {:.1} µs behind their time",
            self.latest_ns as f64 / 1e3
        )?;
        for line in &self.lines {
            write!(
                f,
                "\n  {}: {} sent, {} bytes",
                line.to, line.sent, line.bytes
            )?;
            for (count, what) in [
                (line.lost, "lost"),
                (line.duplicated, "duplicated"),
                (line.reordered, "reordered"),
            ] {
                if count > 0 {
                    write!(f, ", {count} {what}")?;
                }
            }
        }
        if let Some(requests) = self.requests {
            write!(f, "\n  {}", Requests(requests))?;
        }
        Ok(())
    }
}

/// Runs the command.
///
/// # Errors
/// The file cannot be read, or a socket cannot be opened or written to.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let mut packets = match arguments.any_protocol {
        true => Packets::of_any_protocol(&arguments.file, &arguments.read)?,
        false => Packets::open(&arguments.file, &arguments.read, &arguments.packets)?,
    };
    let endpoints: Vec<Endpoint> = std::iter::once(arguments.to)
        .chain(arguments.line_b)
        .map(|line| Endpoint {
            interface: line.interface.or(arguments.interface),
            ..line
        })
        .collect();
    let options = SenderOptions {
        ttl: arguments.ttl,
        ..SenderOptions::default()
    };
    let open = |endpoint: &Endpoint| {
        Sender::open(endpoint, options).map_err(|cause| live::Error::Socket {
            action: "send",
            endpoint: *endpoint,
            cause,
        })
    };
    let senders = endpoints.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let skew = [Duration::ZERO, arguments.skew];
    let lines: Vec<Line> = (0..)
        .zip(skew)
        .take(endpoints.len())
        .map(|(line, delay)| Line {
            delay,
            impairment: arguments.impairment.on_line(line),
        })
        .collect();
    let answering = arguments.requests.start()?;
    let bar = console.bytes("sending", packets.position().1);
    let (began, stop) = (Instant::now(), stop::flag());
    let mut interrupted = false;
    let mut recorded;
    let source: &mut dyn PacketSource = match &answering {
        Some(answering) => {
            recorded = Recorded::new(&mut packets, Arc::clone(answering.source()));
            &mut recorded
        }
        None => &mut packets,
    };
    let progress = replay(
        source,
        arguments.pace.pace(),
        &lines,
        &mut SystemClock::default(),
        |line, payload| senders[line].send(payload),
        |progress| {
            if progress.packets.is_multiple_of(64) {
                bar.set_position(progress.position.0);
            }
            interrupted = stop.load(Ordering::Relaxed);
            if interrupted {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        },
    )?;
    bar.finish_and_clear();
    let seconds = began.elapsed().as_secs_f64();
    let requests = answering.map(|answering| arguments.requests.finish(answering));
    let requests = requests.transpose()?;
    let lines = endpoints.iter().zip(&progress.lines);
    console.print(&Sent {
        packets: progress.packets,
        seconds,
        latest_ns: progress.latest,
        interrupted,
        lines: lines
            .map(|(endpoint, counters)| LineSent::new(endpoint, counters))
            .collect(),
        requests,
    })
}

/// Reads a number above 0.
///
/// # Errors
/// It is none.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err("write a number above 0".into()),
    }
}

/// Reads a number from 0 to 1.
///
/// # Errors
/// It is none.
pub fn probability(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("write a probability between 0 and 1".into()),
    }
}
