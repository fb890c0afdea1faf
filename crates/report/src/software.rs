//! Packets through the software pipeline, or a bare echo, over real UDP sockets on loopback.
//!
//! One thread is the exchange and the receiver of reports: it sends each packet at its time and, while it waits for the next
//! one's, polls for the report. The pipeline runs in a second thread.
//!
//! Time counts from just before the call that gives the datagram to the kernel. Loopback delivers within that call, and where
//! the kernel lets the pipeline run before it returns, counting from its return would show next to nothing.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use feed::socket::{
    DEFAULT_RECEIVE_BUFFER, Endpoint, Input, Next, Receiver, Sender, SenderOptions, Wait,
};
use pipeline::Pipeline;

use crate::packets::{Heartbeat, Packets, second_of_report};
use crate::{Error, Progress};

/// How fast packets follow each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Times their own speed.
    pub speed: f64,
    /// The longest silence: a longer one is cut, so that an hour takes seconds.
    pub longest: Duration,
}

/// A second that began, answered by the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Which.
    pub heartbeat: Heartbeat,
    /// From the datagram being given to the kernel to the first byte of the report being taken from it, in nanoseconds.
    pub nanoseconds: u64,
}

/// What a run gave.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The answers, in order. A report the kernel dropped, or that did not come within a second, is not among them.
    pub answers: Vec<Answer>,
    /// Seconds that began.
    pub heartbeats: u64,
    /// Packets sent.
    pub packets: u64,
    /// Wall-clock time, in seconds.
    pub seconds: f64,
}

/// Sends packets to a pipeline in another thread. `heartbeats` are the seconds that begin, in order.
///
/// # Errors
/// A configuration or a socket that is refused.
pub fn run(
    config: &pipeline::Config,
    packets: &Packets,
    heartbeats: &[Heartbeat],
    wait: Wait,
    pace: Pace,
    progress: Progress,
) -> Result<Run, Error> {
    let mut pipeline = Pipeline::new(config.clone()).map_err(cosim::SetupError::from)?;
    let name = match wait {
        Wait::Blocking => "software, blocking",
        Wait::BusyPoll => "software, busy-poll",
    };
    let serve = |mut receiver: Receiver, sender: &Sender, stop: &AtomicBool| {
        receiver.run(stop, |input| {
            if let Input::Datagram { payload, .. } = input
                && pipeline.datagram(payload).report_due
            {
                // A part that the kernel refuses is a report that does not come: it is then counted as missed.
                pipeline
                    .report()
                    .into_iter()
                    .flatten()
                    .for_each(|part| drop(sender.send(part)));
            }
            Next::Continue
        })
    };
    with_peer(wait, serve, |to, reports| {
        exchange(packets, heartbeats, pace, to, reports, name, progress)
    })
    .map_err(Error::Socket)
}

/// Round trips of a bare echo: each `payload` is sent, comes back, and after a `pause` the next follows. In nanoseconds.
///
/// # Errors
/// A socket is refused, or an echo did not come within a second.
pub fn echo(wait: Wait, payload: &[u8], count: usize, pause: Duration) -> Result<Vec<u64>, Error> {
    let serve = |mut receiver: Receiver, sender: &Sender, stop: &AtomicBool| {
        feed::echo::run(&mut receiver, sender, stop).map(drop)
    };
    let drive = |to: &Sender, back: &UdpSocket| {
        let mut trips = Vec::with_capacity(count);
        let mut buffer = [0; 2048];
        for _ in 0..count {
            spin_until(Instant::now() + pause);
            let sent = Instant::now();
            to.send(payload)?;
            while poll(back, &mut buffer)?.is_none() {
                if sent.elapsed() > Duration::from_secs(1) {
                    return Err(io::ErrorKind::TimedOut.into());
                }
            }
            trips.push(sent.elapsed().as_nanos() as u64);
        }
        Ok(trips)
    };
    with_peer(wait, serve, drive).map_err(Error::Socket)
}

/// Runs `serve` in a thread with a socket, and `drive` here: it is given the way there, and the socket on which answers come.
fn with_peer<T>(
    wait: Wait,
    serve: impl FnOnce(Receiver, &Sender, &AtomicBool) -> io::Result<()> + Send,
    drive: impl FnOnce(&Sender, &UdpSocket) -> io::Result<T>,
) -> io::Result<T> {
    let any = "127.0.0.1:0"
        .parse()
        .map_err(|_| io::ErrorKind::InvalidInput)?;
    let receiver = Receiver::open(&[any], wait, DEFAULT_RECEIVE_BUFFER)?;
    let answers = UdpSocket::bind("127.0.0.1:0")?;
    answers.set_nonblocking(true)?;
    let there = receiver
        .local_addresses()?
        .first()
        .copied()
        .ok_or(io::ErrorKind::AddrNotAvailable)?;
    let to = Sender::open(&endpoint(there)?, SenderOptions::default())?;
    let back = Sender::open(&endpoint(answers.local_addr()?)?, SenderOptions::default())?;
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let peer = scope.spawn(|| serve(receiver, &back, &stop));
        // Time for the thread to be there before the first packet.
        std::thread::sleep(Duration::from_millis(20));
        let driven = drive(&to, &answers);
        stop.store(true, Ordering::Relaxed);
        let served = peer
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the pipeline's thread panicked")));
        driven.and_then(|driven| served.map(|()| driven))
    })
}

fn exchange(
    packets: &Packets,
    heartbeats: &[Heartbeat],
    pace: Pace,
    to: &Sender,
    reports: &UdpSocket,
    name: &str,
    progress: Progress,
) -> io::Result<Run> {
    let mut run = Run {
        heartbeats: heartbeats.len() as u64,
        packets: packets.len() as u64,
        ..Run::default()
    };
    let mut buffer = [0; 2048];
    let mut heartbeats = heartbeats.iter().copied().peekable();
    let mut open = vec![];
    let begin = Instant::now();
    let (mut due, mut before) = (begin, None);
    for (index, packet) in packets.iter().enumerate() {
        if index % 256 == 0 {
            progress(name, index as u64, packets.len() as u64);
        }
        let silence = packet.time.saturating_sub(before.unwrap_or(packet.time)) as f64 / pace.speed;
        due += Duration::from_nanos(silence as u64).min(pace.longest);
        before = Some(packet.time);
        loop {
            take(reports, &mut buffer, &mut open, &mut run.answers)?;
            if Instant::now() >= due {
                break;
            }
        }
        let sent = Instant::now();
        to.send(packet.payload)?;
        if let Some(heartbeat) = heartbeats.next_if(|heartbeat| heartbeat.packet == index) {
            open.push((heartbeat, sent));
        }
    }
    let end = Instant::now() + Duration::from_secs(1);
    while !open.is_empty() && Instant::now() < end {
        take(reports, &mut buffer, &mut open, &mut run.answers)?;
    }
    progress(name, packets.len() as u64, packets.len() as u64);
    run.seconds = begin.elapsed().as_secs_f64();
    Ok(run)
}

/// Takes a report that has come; the first part of one answers the heartbeat of its second.
fn take(
    reports: &UdpSocket,
    buffer: &mut [u8],
    open: &mut Vec<(Heartbeat, Instant)>,
    answers: &mut Vec<Answer>,
) -> io::Result<()> {
    let Some(length) = poll(reports, buffer)? else {
        return Ok(());
    };
    let now = Instant::now();
    let second = second_of_report(&buffer[..length]);
    // For further parts no heartbeat is open.
    if let Some(at) = open
        .iter()
        .position(|(heartbeat, _)| Some(heartbeat.second) == second)
    {
        let (heartbeat, sent) = open.swap_remove(at);
        answers.push(Answer {
            heartbeat,
            nanoseconds: now.duration_since(sent).as_nanos() as u64,
        });
    }
    Ok(())
}

fn poll(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    match socket.recv(buffer) {
        Ok(length) => Ok(Some(length)),
        Err(e)
            if e.kind() == io::ErrorKind::WouldBlock || e.kind() == io::ErrorKind::Interrupted =>
        {
            Ok(None)
        }
        Err(e) => Err(e),
    }
}

fn spin_until(due: Instant) {
    while Instant::now() < due {
        std::hint::spin_loop();
    }
}

fn endpoint(address: SocketAddr) -> io::Result<Endpoint> {
    match address {
        SocketAddr::V4(address) => Ok(address.into()),
        SocketAddr::V6(_) => Err(io::ErrorKind::AddrNotAvailable.into()),
    }
}
