//! Tick to trade in software over kernel sockets or AF_XDP: a datagram in, an order out over TCP, beside a bare echo from UDP to TCP in the same run.
//!
//! One thread is the feed and the exchange, a second one the desk. Each datagram is one message, which changes the best ask; the order comes back over TCP.
//! Time counts from just before the call that gives the datagram to the kernel to the return of the call that takes the last byte of the order.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use feed::socket::{Next, Sender};
use formats::fix::Timestamp;
use formats::itch::{AddOrder, Head, Message, OrderReplace, Trade, Version};
use formats::{Side, Symbol, mold};
use order::report::Dropped;
use order::{Description, Instrument, Number, Templates};
use pipeline::{BestPrice, Decision, OrderSink, Programs, Traded, Trading, TradingConfig};
use risk::{InstrumentLimits, Kill, Limits, Refusal};
use serde::Serialize;
use session::{Memory, Store};
use strategy::best_price::Parameters;

use crate::distribution::{Distribution, Summary};
use crate::packets::Packets;
use crate::{Error, Progress};

mod intake;

use intake::DeskEnd;
pub use intake::Intake;

const SYMBOL: Symbol = Symbol(*b"AAPL    ");
/// Round trips of each kind before the other has its turn, so that both see the same machine.
const TURN: u64 = 500;
/// Between two datagrams.
const PAUSE: Duration = Duration::from_micros(50);

/// Latencies of both, in nanoseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TickToTrade {
    /// Datagram in, order out.
    pub order_ns: Summary,
    /// Datagram in, the same number of bytes out.
    pub echo_ns: Summary,
    /// The median, as a multiple of the echo's.
    pub over_echo: f64,
}

/// The desk: one instrument, an order for 100 at each new best ask.
fn trading() -> Result<(Trading, usize), Error> {
    let wide = (1 << 47) - 1;
    let instruments = vec![Instrument {
        symbol: "AAPL".into(),
        decimals: 4,
    }];
    let description = Description::new("TICKWIRE", "EXCHANGE", instruments);
    let failed = |error: &dyn std::fmt::Display| Error::Socket(io::Error::other(error.to_string()));
    let templates = Templates::compile(&description, 256).map_err(|error| failed(&error))?;
    let length = templates.length;
    let config = TradingConfig {
        version: Version::V50,
        instruments: vec![Some(Traded::on_feed(
            SYMBOL,
            1,
            InstrumentLimits {
                enable: true,
                collar: wide,
                position: wide,
                ..InstrumentLimits::default()
            },
        ))],
        book: book::Limits {
            window: None,
            ..book::Limits::LARGEST
        },
        limits: Limits {
            kill: Kill::default(),
            max_quantity: 100,
            max_notional: u64::MAX,
            rate_orders: 255,
            rate_window: 1,
            max_open_orders: u16::MAX,
        },
        templates,
        strategies: vec![BestPrice {
            parameters: Parameters {
                instrument: 0,
                side: Side::Buy,
                enabled: true,
                single: false,
            },
            quantity: 100,
        }],
        stops: vec![],
    };
    let mut trading = Trading::new(&config).map_err(|error| failed(&error))?;
    trading.set_session(true);
    trading.set_kill(Kill::default());
    Ok((trading, length))
}

/// Writes orders to a socket, and stores them, as the session of `tickwire run` does.
struct Orders<'a> {
    stream: &'a TcpStream,
    store: Memory,
    failure: Option<io::Error>,
    /// An order that risk refuses is a failure.
    strict: bool,
}

impl OrderSink for Orders<'_> {
    fn next(&mut self) -> Result<(Number, Timestamp), Dropped> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let time = Timestamp(since.map_or(0, |since| since.as_nanos() as u64));
        let number = Number::new(self.store.next_outgoing());
        Ok((number.map_err(|_| Dropped::Number)?, time))
    }

    fn send(&mut self, _: &Decision, number: Number, message: &[u8]) {
        if let Err(error) = self.stream.write_all(message) {
            self.failure = Some(error);
        }
        self.store.keep_sent(number.get(), message);
        self.store.set_next_outgoing(number.get() + 1);
    }

    fn refused(&mut self, _: &Decision, reason: Refusal) {
        if self.strict {
            self.failure = Some(io::Error::other(reason));
        }
    }

    fn dropped(&mut self, _: &Decision, reason: Dropped) {
        self.failure = Some(io::Error::other(reason));
    }
}

/// The feed: after a trade and an ask, the ask is replaced again and again, up and down by a cent.
struct Feed {
    builder: mold::Builder,
    order: u64,
    message: Vec<u8>,
}

impl Feed {
    fn new() -> Self {
        Feed {
            builder: mold::Builder::new(*b"TICKTRADE1", 1),
            order: 0,
            message: Vec::with_capacity(64),
        }
    }

    fn datagram(&mut self, message: impl Into<Message>) -> io::Result<&[u8]> {
        self.builder.next_packet();
        self.message.clear();
        let emitted = message.into().emit(Version::V50, &mut self.message);
        emitted.map_err(|error| io::Error::other(error.to_string()))?;
        let pushed = self.builder.push(&self.message);
        pushed.map_err(|error| io::Error::other(error.to_string()))?;
        Ok(self.builder.bytes())
    }

    fn trade(&mut self) -> io::Result<&[u8]> {
        self.datagram(Trade {
            head: Head::default(),
            order_reference: 0,
            side: Side::Buy,
            shares: 1,
            stock: SYMBOL,
            price: 1_000_000,
            match_number: 1,
        })
    }

    fn next(&mut self) -> io::Result<&[u8]> {
        self.order += 1;
        let (head, shares) = (Head::default(), 100);
        let price = 1_000_000 + 100 * (self.order % 2) as u32;
        if self.order == 1 {
            return self.datagram(AddOrder {
                head,
                order_reference: 1,
                side: Side::Sell,
                shares,
                stock: SYMBOL,
                price,
            });
        }
        self.datagram(OrderReplace {
            head,
            order_reference: self.order - 1,
            new_order_reference: self.order,
            shares,
            price,
        })
    }
}

/// Measures so many of each.
///
/// # Errors
/// A socket is refused, or an order does not come within a second; this machine has no AF_XDP.
pub fn measure(intake: Intake, count: u64, progress: Progress) -> Result<TickToTrade, Error> {
    let (trading, length) = trading()?;
    let name = intake.progress();
    let programs = Programs::default();
    let [orders, echoes] = over(intake, (trading, programs), length, true, |lines| {
        drive(lines, length, count, name, progress)
    })?;
    let (order_ns, echo_ns) = (orders.summary(), echoes.summary());
    Ok(TickToTrade {
        order_ns,
        echo_ns,
        over_echo: order_ns.p50 / echo_ns.p50,
    })
}

/// Counts what leaves, and measures nothing.
#[derive(Default)]
pub(crate) struct Counted {
    /// Orders.
    pub(crate) sent: u64,
    /// Those that risk refused.
    pub(crate) refused: u64,
}

impl OrderSink for Counted {
    fn next(&mut self) -> Result<(Number, Timestamp), Dropped> {
        let number = Number::new(self.sent + 1).map_err(|_| Dropped::Number)?;
        Ok((number, Timestamp(0)))
    }

    fn send(&mut self, _: &Decision, _: Number, _: &[u8]) {
        self.sent += 1;
    }

    fn refused(&mut self, _: &Decision, _: Refusal) {
        self.refused += 1;
    }

    fn dropped(&mut self, _: &Decision, _: Dropped) {}
}

/// A desk in software.
pub(crate) struct InSoftware<'a, P> {
    /// Books, strategies, risk.
    pub(crate) trading: Trading,
    /// Makes its strategies in the language.
    pub(crate) programs: P,
    /// What it gets before the packets, if anything; no order answers it.
    pub(crate) opening: Option<&'a [u8]>,
    /// Bytes of each of its orders.
    pub(crate) length: usize,
}

/// Gives a desk its opening, then the packets of a recording, one after the other, and takes its orders; shows the bytes of those that answer a packet to `shown`.
/// Returns the nanoseconds by packet, and how many orders there were.
///
/// # Errors
/// A socket is refused, or an order does not come within a second; this machine has no AF_XDP, or a packet is too long for it.
pub(crate) fn of_packets<P: Fn() -> Result<Programs, Error>>(
    desk: InSoftware<'_, P>,
    packets: &Packets,
    intake: Intake,
    mut shown: impl FnMut(&[u8]),
    progress: Progress,
) -> Result<(BTreeMap<usize, u64>, Counted), Error> {
    let InSoftware {
        mut trading,
        programs,
        opening,
        length,
    } = desk;
    intake.takes(packets)?;
    let name = intake.progress();
    trading.set_session(true);
    trading.set_kill(Kill::default());
    // A strategy has seen the opening, as that of the core has: its timer counts from there.
    let begun = |mut trading: Trading| {
        let mut programs = programs()?;
        if let Some(opening) = opening {
            trading.datagram_with(opening, 0, &mut programs, &mut Counted::default());
        }
        Ok::<_, Error>((trading, programs))
    };
    // Which packets are answered, and by how many orders.
    let mut counted = Counted::default();
    let (mut dry, mut dry_programs) = begun(trading.clone())?;
    // Far enough apart for the limit of orders in a time.
    let due: Vec<u64> = (1..)
        .zip(packets.iter())
        .map(|(now, packet)| {
            let (before, now) = (counted.sent, 8 * now);
            dry.datagram_with(packet.payload, now, &mut dry_programs, &mut counted);
            counted.sent - before
        })
        .collect();
    let taken = over(intake, begun(trading)?, length, false, |lines| {
        let mut taken = BTreeMap::new();
        let mut orders = vec![0; length];
        for (index, (packet, due)) in packets.iter().zip(&due).enumerate() {
            if index % 256 == 0 {
                progress(name, index as u64, packets.len() as u64);
            }
            let started = Instant::now();
            orders.resize(length * *due as usize, 0);
            lines.to.send(packet.payload)?;
            lines.read(&mut orders, started)?;
            if *due > 0 {
                taken.insert(index, started.elapsed().as_nanos() as u64);
                shown(&orders);
            }
            while started.elapsed() < PAUSE {
                std::hint::spin_loop();
            }
        }
        progress(name, packets.len() as u64, packets.len() as u64);
        Ok(taken)
    })?;
    Ok((taken, counted))
}

/// The feed's and the exchange's ends of a desk's sockets.
struct Lines<'a> {
    to: Sender,
    back: TcpStream,
    /// While it is set, the desk answers each datagram with as many bytes as an order has.
    echoes: &'a AtomicBool,
}

impl Lines<'_> {
    /// Takes what the desk has sent, all of it.
    fn read(&mut self, order: &mut [u8], since: Instant) -> io::Result<()> {
        let mut read = 0;
        while read < order.len() {
            match self.back.read(&mut order[read..]) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(more) => read += more,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if since.elapsed() > Duration::from_secs(1) {
                        return Err(ErrorKind::TimedOut.into());
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Runs a desk in a second thread while this one drives it.
fn over<T>(
    intake: Intake,
    desk: (Trading, Programs),
    length: usize,
    strict: bool,
    drive: impl FnOnce(&mut Lines<'_>) -> io::Result<T>,
) -> Result<T, Error> {
    let (to, market_data) = intake.open()?;
    let driven = over_sockets(to, market_data, desk, length, strict, drive);
    driven.map_err(Error::Socket)
}

/// The same with market data that comes from `to` to `market_data`.
fn over_sockets<T>(
    to: Sender,
    mut market_data: DeskEnd,
    (mut trading, mut programs): (Trading, Programs),
    length: usize,
    strict: bool,
    drive: impl FnOnce(&mut Lines<'_>) -> io::Result<T>,
) -> io::Result<T> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let out = TcpStream::connect(listener.local_addr()?)?;
    out.set_nodelay(true)?;
    let (back, _) = listener.accept()?;
    back.set_nonblocking(true)?;
    let (stop, echoes) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let desk = scope.spawn(|| {
            let mut orders = Orders {
                stream: &out,
                store: Memory::default(),
                failure: None,
                strict,
            };
            let (began, order) = (Instant::now(), vec![b'x'; length]);
            market_data.run(&stop, |payload| {
                if echoes.load(Ordering::Relaxed) {
                    if let Err(error) = (&out).write_all(&order) {
                        orders.failure = Some(error);
                    }
                } else {
                    let now = began.elapsed().as_micros() as u64;
                    trading.datagram_with(payload, now, &mut programs, &mut orders);
                }
                match orders.failure {
                    Some(_) => Next::Stop,
                    None => Next::Continue,
                }
            })?;
            orders.failure.map_or(Ok(()), Err)
        });
        std::thread::sleep(Duration::from_millis(20));
        let mut lines = Lines {
            to,
            back,
            echoes: &echoes,
        };
        let driven = drive(&mut lines);
        stop.store(true, Ordering::Relaxed);
        let served = desk.join();
        let served = served.unwrap_or_else(|_| Err(io::Error::other("the desk panicked")));
        served.and(driven)
    })
}

fn drive(
    lines: &mut Lines<'_>,
    length: usize,
    count: u64,
    name: &str,
    progress: Progress,
) -> io::Result<[Distribution; 2]> {
    let mut feed = Feed::new();
    let mut taken = [Distribution::default(), Distribution::default()];
    lines.to.send(feed.trade()?)?;
    let mut order = vec![0; length];
    for turn in 0..2 * count.div_ceil(TURN) {
        progress(name, turn * TURN, 2 * count);
        let kind = (turn % 2) as usize;
        // The desk has taken the datagrams before: each was answered.
        lines.echoes.store(kind == 1, Ordering::Relaxed);
        for _ in 0..TURN.min(count) {
            let due = Instant::now() + PAUSE;
            while Instant::now() < due {
                std::hint::spin_loop();
            }
            // An echo is not decoded: the same datagram will do, and the desk misses no number.
            let datagram = if kind == 0 {
                feed.next()?
            } else {
                feed.builder.bytes()
            };
            let sent = Instant::now();
            lines.to.send(datagram)?;
            lines.read(&mut order, sent)?;
            taken[kind].add(sent.elapsed().as_nanos() as u64);
        }
    }
    progress(name, 2 * count, 2 * count);
    Ok(taken)
}

#[cfg(test)]
pub(crate) mod tests;
