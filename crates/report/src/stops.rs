//! Stop orders (system C): the simulated core and a software client, each with the same stop in the same market, and the latencies of both.
//!
//! ```text
//!  core ─ frames ─ tcp_peer (smoltcp) ─ TCP ─┐
//!  software client ──────────────── TCP ──┼─ exchange
//!  maker: moves the price ────────── TCP ─┘
//! ```
//! In each round the maker trades at the trigger, both stops fire, and their orders trade with the maker's bid; then it moves the price back. All of it uses
//! the normal exchange, sessions and driver, over loopback sockets.

mod clients;
#[cfg(test)]
mod tests;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use cosim::attached::{Attached, Network, Seen};
use cosim::{Core, Preset, Received, Setup, SetupError, Width};
use device::shared_session::{Event, Outcome, SharedSession};
use device::{Driver, TcpConfig};
use exchange::{ClientSettings, Exchange, Listing, Server, Settings};
use formats::fix::{Timestamp, Version};
use formats::{Side, Symbol, fcs, itch};
use order::{Description, Instrument, Templates};
use risk::{InstrumentLimits, Kill, Limits, Sources};
use serde::{Deserialize, Serialize};
use session::{Config, Memory, Role};
use strategy::stops::{Operation, Stop};
use tcp_peer::TcpPeer;

use crate::distribution::{Distribution, Summary};
use crate::{Error, Progress};

/// Names of the exchange and its clients.
const EXCHANGE: &str = "TICKWIRE";
const HARDWARE: &str = "CORE";
const SOFTWARE: &str = "SOFT";
const MAKER: &str = "MAKER";
pub(crate) const SYMBOL: &str = "ABC";
/// The trigger, in cents; and where the price is moved to afterwards.
pub(crate) const TRIGGER: i64 = 9_000;
pub(crate) const AWAY: i64 = 10_000;
/// Shares of each stop, and of the maker's own trades.
pub(crate) const QUANTITY: u32 = 10;
/// Decimals of the prices as the exchange writes them.
pub(crate) const DECIMALS: u8 = 4;
/// A cent at that scale.
pub(crate) const CENT: i64 = 100;
/// A round that takes longer has failed: generous, for a core that is simulated beside other work on two processors.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
/// The peer of the core: the exchange's machine.
const PEER: Ipv4Addr = Ipv4Addr::new(192, 168, 77, 1);
const PORT: u16 = 9_880;

/// The result, at one width of the core.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stops {
    /// Bits in a beat.
    pub width: u32,
    /// Rounds: each has one order of the core and one of the software client, both of which traded.
    pub rounds: u64,
    /// Of the core: last FCS byte of the frame with the price to the first preamble byte of the order's, in clock cycles.
    pub hardware_cycles: Summary,
    /// Of the software client: from having the price's bytes to the end of the order's write, in nanoseconds.
    pub software_ns: Summary,
}

/// System C: cycles of its fabric and their time, mean and most; a price's trade to the order at the server, hardware and a PC, in microseconds.
const PUBLISHED: &str = "\
published, 50 MHz (system C, 2018)        32 mean, 39 most     640 mean, 780 most";

/// A table for a terminal: the core at each width, the software client, and what was published. `clock_mhz` gives the clock that a core was placed at, by
/// its width in bits; without one there are no nanoseconds.
pub fn table(runs: &[Stops], clock_mhz: impl Fn(u32) -> Option<f64>) -> String {
    let mut text = String::from(
        "stop orders in one market: exchange, simulated core, software client; each order traded\n\
         price in to order out              orders     cycles p50 (max)      ns p50 (max)\n",
    );
    for run in runs {
        let cycles = &run.hardware_cycles;
        let (name, ns) = match clock_mhz(run.width) {
            Some(mhz) => {
                let ns = cycles.scaled(1_000.0 / mhz);
                let name = format!("core of {} bits, {mhz:.1} MHz", run.width);
                (name, format!("{:>16.1} ({:.1})", ns.p50, ns.max))
            }
            None => (
                format!("core of {} bits, never placed", run.width),
                String::new(),
            ),
        };
        text += &format!(
            "{name:<34} {:>6} {:>10.0} ({:.0}) {ns}\n",
            cycles.count, cycles.p50, cycles.max
        );
    }
    for run in runs.iter().take(1) {
        let ns = &run.software_ns;
        text += &format!(
            "{:<34} {:>6} {:>33.0} ({:.0})\n",
            "software client, socket to socket", ns.count, ns.p50, ns.max
        );
    }
    text + PUBLISHED
}

/// What both sides share.
#[derive(Default)]
pub(crate) struct Market {
    /// Times the stop of each was armed: the core's, the client's.
    pub armed: [AtomicU64; 2],
    /// Rounds that are over.
    pub rounds: AtomicU64,
    /// The market closes.
    pub closed: AtomicBool,
}

/// Runs so many rounds with the core of that width.
///
/// # Errors
/// The core refuses its setup; a socket fails; a round is not over in 30 s.
pub fn stops(width: Width, rounds: u64, progress: Progress) -> Result<Stops, Error> {
    stops_of(Preset::with_session(width), rounds, progress)
}

/// Runs so many rounds with the core of that preset, which has a session.
///
/// # Errors
/// As [`stops`]; this build does not have the preset's model.
pub fn stops_of(preset: &Preset, rounds: u64, progress: Progress) -> Result<Stops, Error> {
    let width = preset.width;
    let market = &Market::default();
    let stop_exchange = &AtomicBool::new(false);
    let name = format!("stop orders, core of {} bits", width.bits());
    thread::scope(|scope| {
        let (tell, told) = mpsc::channel();
        let exchange = scope.spawn(move || exchange(&tell, stop_exchange));
        let result: Result<(Distribution, Distribution), Error> = (|| {
            let address = told
                .recv_timeout(PATIENCE)
                .map_err(|_| failed("the exchange did not start"))?;
            let maker = scope.spawn(move || clients::maker(address, rounds, market));
            let software = scope.spawn(move || clients::software(address, market));
            let hardware = hardware(preset, address, rounds, market, &mut |round| {
                progress(&name, round, rounds);
            });
            market.closed.store(true, Ordering::Relaxed);
            let maker = maker.join().unwrap_or_else(|_| Err(failed("the maker")));
            let software = software
                .join()
                .unwrap_or_else(|_| Err(failed("the client")));
            let hardware = hardware?;
            maker?;
            Ok((hardware, software?))
        })();
        stop_exchange.store(true, Ordering::Relaxed);
        let exchange = exchange
            .join()
            .unwrap_or_else(|_| Err(failed("the exchange")));
        let (hardware, software) = result?;
        exchange?;
        let cycles = hardware.summary();
        Ok(Stops {
            width: width.bits(),
            rounds,
            hardware_cycles: cycles,
            software_ns: software.summary(),
        })
    })
}

pub(crate) fn failed(what: &str) -> Error {
    Error::Socket(io::Error::other(format!("stop orders: {what} failed")))
}

fn exchange(tell: &mpsc::Sender<SocketAddr>, stop: &AtomicBool) -> Result<(), Error> {
    let broken = |error: &dyn std::fmt::Display| Error::Socket(io::Error::other(error.to_string()));
    let symbol: Symbol = SYMBOL.parse().map_err(|_| failed("the symbol"))?;
    let exchange = Exchange::new(Settings::default(), &[Listing::cents(symbol)]);
    let exchange = exchange.map_err(|error| broken(&error))?;
    let clients = [HARDWARE, SOFTWARE, MAKER].map(|name| ClientSettings {
        name: name.to_owned(),
        version: Version::Fix44,
        password: None,
    });
    let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
    let server = Server::open(loopback, EXCHANGE, exchange, &clients, None);
    let mut server = server.map_err(|error| broken(&error))?;
    server.send_prices_to_all();
    let address = server.address().map_err(Error::Socket)?;
    // A side that no longer waits has failed, and reports it.
    let _ = tell.send(address);
    server.run(stop).map_err(|error| broken(&error))
}

pub(crate) fn config(name: &str) -> Config {
    Config::new(
        Role::Initiator,
        Version::Fix44,
        name.as_bytes(),
        EXCHANGE.as_bytes(),
    )
}

// ---- the core ------------------------------------------------------------------------------------------

/// The peer as the core's network.
struct Relayed {
    tcp_peer: TcpPeer,
    began: Instant,
}

impl Network for Relayed {
    fn receive(&mut self, buffer: &mut [u8], wait: i32) -> io::Result<Option<usize>> {
        self.tcp_peer.poll(self.began.elapsed().as_nanos() as u64);
        if let Some(frame) = self.tcp_peer.transmit() {
            buffer[..frame.len()].copy_from_slice(&frame);
            return Ok(Some(frame.len()));
        }
        if wait > 0 {
            thread::sleep(Duration::from_micros(100));
        }
        Ok(None)
    }

    fn transmit(&mut self, frame: &Received) -> io::Result<()> {
        if !frame.malformed && fcs::is_good(&frame.bytes) {
            self.tcp_peer
                .receive(&frame.bytes[..frame.bytes.len() - fcs::LENGTH]);
        }
        Ok(())
    }
}

/// Finds the orders among the frames, and the last frame with a price before each.
#[derive(Default)]
struct Watch {
    /// Cycles in which frames with prices were in: since the order before, and more may have come after the one that fired.
    prices: Vec<u64>,
    cycles: Distribution,
}

impl Watch {
    fn see(&mut self, frame: &Seen<'_>) {
        let has = |text: &[u8]| frame.bytes.windows(text.len()).any(|bytes| bytes == text);
        if !frame.by_core && has(b"\x0135=X\x01") {
            self.prices.push(frame.last);
        } else if frame.by_core && has(b"\x0135=D\x01") {
            let before = self.prices.iter().filter(|last| **last < frame.first);
            if let Some(last) = before.max() {
                self.cycles.add(frame.first - last);
            }
            self.prices.clear();
        }
    }
}

/// Why the loop ended.
enum EndReason {
    Io(io::Error),
    Failed(Error),
}

impl From<io::Error> for EndReason {
    fn from(error: io::Error) -> Self {
        EndReason::Io(error)
    }
}

fn hardware(
    preset: &Preset,
    exchange: SocketAddr,
    rounds: u64,
    market: &Market,
    progress: &mut dyn FnMut(u64),
) -> Result<Distribution, Error> {
    let symbol: Symbol = SYMBOL.parse().map_err(|_| failed("the symbol"))?;
    let setup = Setup::example(itch::Version::V50, &[symbol]);
    let mut core = setup.core_of(preset)?;
    let picoseconds = preset.width.cycle_picoseconds();
    let limits = limits(picoseconds);
    let instrument = Instrument {
        symbol: SYMBOL.to_owned(),
        decimals: DECIMALS,
    };
    let description = Description::new(HARDWARE, EXCHANGE, vec![instrument]);
    let templates = Templates::compile(&description, device::orders::MESSAGE_BYTES);
    let templates = templates.map_err(|error| failed(&error.to_string()))?;
    let told = |core: &mut Driver<Core>| {
        core.set_limits(&limits)?;
        core.set_instrument_limits(
            0,
            &InstrumentLimits {
                enable: true,
                sources: Sources::default(),
                collar: 1_000_000,
                position: 1 << 40,
                reference_price: None,
            },
        )?;
        let instrument = device::Instrument {
            feed: None,
            session: Some(SYMBOL.to_owned()),
            decimals: DECIMALS,
            quantity_decimals: 0,
        };
        core.set_instrument(0, &instrument)
    };
    told(&mut core).map_err(SetupError::from)?;
    let prefix = &description.client_order_id_prefix;
    let store = Memory::default();
    let mut shared_session = SharedSession::new(
        config(HARDWARE),
        store,
        templates,
        prefix,
        &limits,
        picoseconds,
    );
    shared_session
        .load_templates(&mut core)
        .map_err(SetupError::from)?;
    let tcp_peer = tcp_peer::Settings {
        mac: setup.report.destination_mac.0,
        ip: PEER,
        port: PORT,
        server: exchange,
    };
    let mut attached = Attached::new(Relayed {
        tcp_peer: TcpPeer::new(tcp_peer, 0),
        began: Instant::now(),
    });
    let clock_set = attached.clock_set();
    let tcp = TcpConfig::new(PEER, PORT, 50_000, 1);
    let stop = Stop {
        side: Side::Sell,
        trigger: TRIGGER * CENT,
        quantity: QUANTITY,
        ..Stop::default()
    };
    let mut watch = Watch::default();
    let mut shown = 0;
    let mut since = Instant::now();
    let broken = |error: &dyn std::fmt::Display| EndReason::Failed(failed(&error.to_string()));
    let arm = |shared_session: &mut SharedSession<Memory>, core: &mut Driver<Core>| {
        let answer = shared_session.operate_stop(core, Operation::Set, 0, &stop);
        match answer {
            Ok(Ok(())) => {
                market.armed[0].fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Ok(Err(refused)) => Err(broken(&refused)),
            Err(error) => Err(broken(&error)),
        }
    };
    let (mut begun, mut fired) = (false, false);
    // The price was at the trigger in this round; it has moved away again.
    let (mut triggered, mut moved) = (false, false);
    let never = AtomicBool::new(false);
    let mut prices = clients::Prices::new();
    let ended = attached.run(
        &mut core,
        &never,
        |core, now: Timestamp| {
            if !begun {
                begun = true;
                let connect = shared_session.connect(core, &tcp, now);
                connect.map_err(|error| broken(&error))?;
            }
            if clock_set.take().is_some() {
                let loaded = shared_session.load_time(core, now);
                loaded.map_err(|error| broken(&error))?;
            }
            while let Some(event) = shared_session
                .poll(core, now)
                .map_err(|error| broken(&error))?
            {
                match event {
                    Event::LoggedOn => arm(&mut shared_session, core)?,
                    Event::Order {
                        outcome: Outcome::Sent { .. },
                        ..
                    } => fired = true,
                    Event::Message { .. } => {
                        match prices
                            .last_trade(shared_session.message(), &mut |_: &formats::Event| ())
                        {
                            Some(TRIGGER) => triggered = true,
                            Some(AWAY) if triggered || fired => moved = true,
                            _ => {}
                        }
                    }
                    Event::Order { outcome, .. } => {
                        return Err(broken(&format!("an order did not leave: {outcome:?}")));
                    }
                    Event::Disconnected(cause) => {
                        return Err(broken(&format!("the session ended: {cause:?}")));
                    }
                    _ => {}
                }
                // Not before: the trades of the other stop are at the trigger, too. On a machine that is busy the report of the order
                // may be read after the message.
                if fired && moved {
                    (fired, moved, triggered) = (false, false, false);
                    arm(&mut shared_session, core)?;
                }
            }
            let round = market.rounds.load(Ordering::Relaxed);
            if round != shown {
                (shown, since) = (round, Instant::now());
                progress(round);
            }
            if since.elapsed() > PATIENCE || market.closed.load(Ordering::Relaxed) {
                return Err(broken(&format!("round {} of {rounds}", round + 1)));
            }
            Ok(round < rounds)
        },
        |frame| watch.see(frame),
    );
    match ended {
        Ok(()) => Ok(watch.cycles),
        Err(EndReason::Io(error)) => Err(Error::Socket(error)),
        Err(EndReason::Failed(error)) => Err(error),
    }
}

fn limits(cycle_picoseconds: u64) -> Limits {
    Limits {
        kill: Kill {
            session: true,
            gap: true,
            ..Kill::default()
        },
        max_quantity: QUANTITY,
        max_notional: u64::MAX - 1,
        rate_orders: 255,
        rate_window: u32::try_from(1_000_000_000 / cycle_picoseconds).unwrap_or(u32::MAX / 2),
        max_open_orders: 100,
    }
}
