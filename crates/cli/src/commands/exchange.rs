//! `tickwire exchange`: a market of one's own, over FIX.

mod fast_feed;
mod refusals;
mod replay;

use std::cell::Cell;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::rc::Rc;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use exchange::{
    ClientSettings, Exchange, Faults, ItchPublisher, JournalSettings, Line, Listing, Server,
    Settings,
};
use feed::recovery::ServerCounters;
use feed::replay::{Impairer, Impairment};
use feed::socket::{Endpoint, Sender, SenderOptions};
use formats::Symbol;
use formats::fix::{Timestamp, Version};
use serde::Serialize;

use crate::console::Console;
use crate::error::Error;
use crate::impairment::ImpairmentOptions;
use crate::servers::{RequestServer, Requests, SnapshotServer, Snapshots};
use crate::stop;
use fast_feed::FastOptions;
use replay::ReplayOptions;

/// Run an exchange: FIX 4.2 and 4.4 orders over TCP, matched by price and time, prices by FIX, ITCH and FAST
#[derive(Args, Debug)]
#[command(after_help = "\
A client logs on with its name as SenderCompID and the exchange's as TargetCompID. It may send NewOrderSingle (D), OrderCancelRequest
(F), OrderCancelReplaceRequest (G) and MarketDataRequest (V); it gets ExecutionReport (8), OrderCancelReject (9) and prices (W, X).

Limits: 1,048,576 live orders; 16,777,216 ClOrdIDs a day (UTC), some 35 bytes of memory each, after which new orders are refused until
midnight; the last 100,000 messages of each client can be resent, older ones are gap-filled. An order that is done leaves memory; its
ClOrdID stays used until the day ends. The journal is rewritten with the state alone (some 130 bytes a live order, 15 a ClOrdID of the day,
300 a message that can be resent) once 64 MiB, and twice the state, follow it; while that is done both files are there.

Examples:
  tickwire exchange --client ALICE --client BOB@4.2 --symbols ABC,XYZ
  tickwire exchange --client ALICE:secret --symbols ABC --listen 192.0.2.1:9880 --journal market/ --durability power
  tickwire exchange --client ALICE --symbols ABC --line-a 239.77.1.1:26400@127.0.0.1 --line-b 239.77.1.2:26400@127.0.0.1
  tickwire exchange --client ALICE --symbols ABC --line-a 127.0.0.1:26400 --loss 0.1 --request-server 127.0.0.1:26410
  tickwire exchange --client ALICE --symbols ABC --line-a 127.0.0.1:26400 --loss 0.1 --snapshots 127.0.0.1:26420
  tickwire exchange --client ALICE --symbols ABC --fast-templates desks/fast/order-log.xml \\
      --fast-line-a 239.77.2.1:26430@127.0.0.1
  tickwire exchange --client ALICE --symbols ABC --reject-every 10 --drop-every 7 --disconnect-every 100
  tickwire exchange --client ALICE --symbols AAPL --replay day.itch50 --speed 10 --prices-to-all")]
pub struct Arguments {
    /// Who may log on: CompID, version (4.4 unless said otherwise), password. A password is needed to listen beyond loopback
    #[arg(long = "client", value_name = "NAME[@4.2][:PASSWORD]", required = true)]
    clients: Vec<Client>,
    /// What is traded, in steps of a cent from 0.01 to 2,621.44
    #[arg(long, value_name = "SYMBOL,…", value_delimiter = ',', required = true)]
    symbols: Vec<Symbol>,
    /// Where to listen
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:9880")]
    listen: SocketAddr,
    /// The exchange's CompID
    #[arg(long, value_name = "NAME", default_value = "TICKWIRE")]
    name: String,
    /// Store orders and sessions in this folder, and resume from them
    #[arg(long, value_name = "FOLDER")]
    journal: Option<PathBuf>,
    /// What orders and sessions survive; nothing is acknowledged before it does [default: process with --journal, memory without]
    #[arg(long, value_enum, value_name = "LEVEL")]
    durability: Option<Level>,
    /// Send the best prices and the trades to every client that logs on, without a request
    #[arg(long)]
    prices_to_all: bool,
    /// Publish the books as ITCH 5.0 over MoldUDP64: line A
    #[arg(long, value_name = "ADDR:PORT[@INTERFACE]")]
    line_a: Option<Endpoint>,
    /// The same packets again: line B
    #[arg(long, value_name = "ADDR:PORT[@INTERFACE]", requires = "line_a")]
    line_b: Option<Endpoint>,
    /// Answer MoldUDP64 requests there, for what was published since the start: the last 64 MiB of messages
    #[arg(long, value_name = "ADDR:PORT", requires = "line_a")]
    request_server: Option<Endpoint>,
    /// Give snapshots of the books there: SoupBinTCP with ITCH 5.0, as GLIMPSE
    #[arg(long, value_name = "ADDR:PORT", requires = "line_a")]
    snapshots: Option<SocketAddr>,
    #[command(flatten)]
    fast: FastOptions,
    #[command(flatten)]
    replay: ReplayOptions,
    #[command(flatten)]
    impairment: ImpairmentOptions,
    #[command(flatten)]
    faults: FaultOptions,
}

// Everything by count, over all clients, so that the same orders meet the same faults.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Faults of the sessions")]
struct FaultOptions {
    /// Refuse every Nth new order
    #[arg(long, value_name = "N", default_value_t = 0)]
    reject_every: u64,
    /// Number every Nth answer, and send it only when the client asks for it
    #[arg(long, value_name = "N", default_value_t = 0)]
    drop_every: u64,
    /// Send every Nth answer twice, the second time with PossDupFlag
    #[arg(long, value_name = "N", default_value_t = 0)]
    duplicate_every: u64,
    /// Act on every Nth message, and end the connection instead of answering
    #[arg(long, value_name = "N", default_value_t = 0)]
    disconnect_every: u64,
    /// Act on each message so much later
    #[arg(long, value_name = "TIME", default_value = "0ns", value_parser = humantime::parse_duration)]
    delay: Duration,
}

impl FaultOptions {
    fn faults(self) -> Faults {
        Faults {
            reject: self.reject_every,
            drop: self.drop_every,
            duplicate: self.duplicate_every,
            disconnect: self.disconnect_every,
            delay: self.delay,
        }
    }
}

/// What an order that was acknowledged survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Level {
    /// Nothing: the end of the process loses everything (without --journal)
    Memory,
    /// The end of the process, kill -9 included. A power cut, or a crash of the kernel, can lose the last seconds: what it had not yet written
    /// to the disk
    Process,
    /// A power cut too, if the disk keeps what it confirms: each commit waits for it, and what arrives meanwhile shares the next one
    Power,
}

/// A client on the command line.
#[derive(Clone, Debug)]
struct Client(ClientSettings);

impl FromStr for Client {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (front, password) = match text.split_once(':') {
            Some((front, password)) if !password.is_empty() => (front, Some(password.to_owned())),
            Some(_) => return Err("the password after : is empty".into()),
            None => (text, None),
        };
        let (name, version) = match front.split_once('@') {
            None | Some((_, "4.4")) => (front.trim_end_matches("@4.4"), Version::Fix44),
            Some((name, "4.2")) => (name, Version::Fix42),
            Some((_, version)) => return Err(format!("version {version}: write 4.2 or 4.4")),
        };
        Ok(Client(ClientSettings {
            name: name.to_owned(),
            version,
            password,
        }))
    }
}

/// The exchange is running.
#[derive(Serialize)]
struct Listening {
    listening: String,
    name: String,
    clients: Vec<String>,
    symbols: Vec<String>,
    /// Session of the feed.
    #[serde(skip_serializing_if = "Option::is_none")]
    feed_session: Option<String>,
    /// Where requests for packets of the feed are answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_server: Option<String>,
    /// Where snapshots of the books are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshots: Option<String>,
    /// Lines of the order log in FAST, and of its snapshots.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fast_lines: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fast_snapshots: Vec<String>,
    /// What orders and sessions survive.
    durability: String,
    /// Requests of the journal.
    recovered: u64,
    live_orders: usize,
    /// Bytes of an unfinished commit at the end of the journal, which were cut off.
    cut_off: u64,
}

impl fmt::Display for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (clients, symbols) = (self.clients.join(", "), self.symbols.join(", "));
        write!(f, "{} listens at {}", self.name, self.listening)?;
        write!(f, "\n  clients: {clients}\n  symbols: {symbols}")?;
        if let Some(session) = &self.feed_session {
            write!(f, "\n  feed: session {session}")?;
        }
        if let Some(address) = &self.request_server {
            write!(f, "\n  requests for the feed: {address}")?;
        }
        if let Some(address) = &self.snapshots {
            write!(f, "\n  snapshots of the books: {address}")?;
        }
        if !self.fast_lines.is_empty() {
            write!(f, "\n  order log in FAST: {}", self.fast_lines.join(", "))?;
        }
        if !self.fast_snapshots.is_empty() {
            let lines = self.fast_snapshots.join(", ");
            write!(f, "\n  its snapshots: {lines}")?;
        }
        if self.recovered > 0 {
            let (recovered, live) = (self.recovered, self.live_orders);
            write!(f, "\n  recovered: {recovered} messages, {live} live orders")?;
        }
        if self.cut_off > 0 {
            let bytes = self.cut_off;
            write!(
                f,
                "\n  cut off: {bytes} bytes of a commit that a sudden end left unfinished; nothing of it was acknowledged"
            )?;
        }
        Ok(())
    }
}

/// What happened until the end.
#[derive(Serialize)]
struct Served {
    connections: u64,
    refused: u64,
    logons: u64,
    messages: u64,
    answers: u64,
    live_orders: usize,
    /// Packets of the feed that the socket refused.
    feed_unsent: u64,
    /// How long the journal is.
    #[serde(skip_serializing_if = "Option::is_none")]
    journal_bytes: Option<u64>,
    /// Times that the journal could not be rewritten, and grew on.
    failed_rewrites: u64,
    faults: Injections,
    /// Of the request server.
    #[serde(skip_serializing_if = "Option::is_none")]
    requests: Option<ServerCounters>,
    /// Of the server of snapshots.
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshots: Option<feed::snapshot::ServerCounters>,
}

/// Faults that were injected.
#[derive(Serialize)]
struct Injections {
    rejected: u64,
    dropped: u64,
    duplicated: u64,
    disconnected: u64,
}

impl fmt::Display for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} connections ({} refused), {} logons, {} messages, {} answers, {} live orders",
            self.connections,
            self.refused,
            self.logons,
            self.messages,
            self.answers,
            self.live_orders
        )?;
        if self.feed_unsent > 0 {
            write!(f, "\n  feed: {} packets not sent", self.feed_unsent)?;
        }
        if self.failed_rewrites > 0 {
            let times = self.failed_rewrites;
            write!(
                f,
                "\n  journal: could not be rewritten {times} times, for want of room on its disk"
            )?;
        }
        for (count, what) in [
            (self.faults.rejected, "orders refused on purpose"),
            (self.faults.dropped, "answers withheld"),
            (self.faults.duplicated, "answers sent twice"),
            (self.faults.disconnected, "connections broken off"),
        ] {
            if count > 0 {
                write!(f, "\n  {count} {what}")?;
            }
        }
        if let Some(requests) = self.requests {
            write!(f, "\n  {}", Requests(requests))?;
        }
        if let Some(snapshots) = self.snapshots {
            write!(f, "\n  {}", Snapshots(snapshots))?;
        }
        Ok(())
    }
}

/// Runs the command, until SIGINT or SIGTERM.
///
/// # Errors
/// An option makes no sense, a file or a socket cannot be opened, or the journal cannot be written.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let clients: Vec<_> = arguments
        .clients
        .iter()
        .map(|client| client.0.clone())
        .collect();
    let open = clients.iter().find(|client| client.password.is_none());
    if let Some(open) = open
        && !arguments.listen.ip().is_loopback()
    {
        return Err(Error::NoPassword {
            client: open.name.clone(),
            address: arguments.listen,
        });
    }
    let journal = arguments.journal()?;
    replay::check(&arguments.replay, arguments.journal.is_some())?;
    let listings: Vec<_> = arguments
        .symbols
        .iter()
        .copied()
        .map(Listing::cents)
        .collect();
    let exchange = Exchange::new(Settings::default(), &listings)?;
    let mut server = Server::open(
        arguments.listen,
        &arguments.name,
        exchange,
        &clients,
        journal.as_ref(),
    )?;
    if arguments.prices_to_all {
        server.send_prices_to_all();
    }
    server.inject(arguments.faults.faults());
    refusals::watch(&mut server, console);
    arguments.replay.start(&mut server, console)?;
    let unsent = Rc::new(Cell::new(0));
    let endpoints = arguments.line_a.iter().chain(&arguments.line_b);
    let lines = (0..)
        .zip(endpoints)
        .map(|(at, endpoint)| line(endpoint, arguments.impairment.on_line(at), &unsent))
        .collect::<Result<Vec<_>, _>>()?;
    let requests = arguments.request_server.map(RequestServer::start);
    let requests = requests.transpose()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default();
    // Another session at each start: the feed begins with the books as they are.
    let text = format!("{:010}", now.as_secs() % 10_000_000_000);
    let session = text.as_bytes().first_chunk().copied();
    let session = session.unwrap_or(*b"TICKWIRE01");
    let snapshots = arguments
        .snapshots
        .map(|address| SnapshotServer::start(address, session));
    let snapshots = snapshots.transpose()?;
    let feed_session = (!lines.is_empty()).then(|| {
        let history = requests.as_ref().map(|server| Arc::clone(server.source()));
        let mut publisher = ItchPublisher::new(session, lines, history);
        if let Some(server) = &snapshots {
            publisher = publisher.with_snapshots(Arc::clone(server.source()));
        }
        server.publish(Box::new(publisher), Timestamp(now.as_nanos() as u64));
        text
    });
    let fast = &arguments.fast;
    if let Some(publisher) = fast.publisher(arguments.impairment, &unsent, console)? {
        server.publish(Box::new(publisher), Timestamp(now.as_nanos() as u64));
    }
    // Before it is announced that it listens, as it could be stopped from then on.
    let stop = stop::flag();
    console.print(&Listening {
        listening: server.address().map_err(live::Error::Receive)?.to_string(),
        name: arguments.name.clone(),
        clients: clients.iter().map(|client| client.name.clone()).collect(),
        symbols: arguments.symbols.iter().map(Symbol::to_string).collect(),
        feed_session,
        request_server: requests.as_ref().map(|server| server.address().to_string()),
        snapshots: snapshots
            .as_ref()
            .map(|server| server.address().to_string()),
        fast_lines: fast.lines(),
        fast_snapshots: fast.snapshots(),
        durability: journal.map_or("memory".into(), |journal| journal.durability.to_string()),
        recovered: server.counters().recovered.requests,
        live_orders: server.exchange().live_orders(),
        cut_off: server.counters().recovered.dropped,
    })?;
    server.run(stop)?;
    let requests = requests.map(RequestServer::finish).transpose()?;
    let snapshots = snapshots.map(SnapshotServer::finish).transpose()?;
    let counters = server.counters();
    let (connections, faults) = (counters.connections, counters.faults);
    console.print(&Served {
        connections: connections.connections,
        refused: connections.too_many
            + connections.not_logon
            + connections.unknown
            + connections.already_connected,
        logons: counters.logons,
        messages: counters.messages,
        answers: counters.answers,
        live_orders: server.exchange().live_orders(),
        feed_unsent: unsent.get(),
        journal_bytes: server.exchange().journal_length(),
        failed_rewrites: server.exchange().failed_rewrites(),
        faults: Injections {
            rejected: faults.rejected,
            dropped: faults.dropped,
            duplicated: faults.duplicated,
            disconnected: faults.disconnected,
        },
        requests,
        snapshots,
    })
}

impl Arguments {
    /// Where orders and sessions are stored, and how.
    fn journal(&self) -> Result<Option<JournalSettings>, Error> {
        use session::Durability;
        let durability = match (&self.journal, self.durability) {
            (None, None | Some(Level::Memory)) => return Ok(None),
            (None, Some(Level::Process | Level::Power)) => return Err(Error::NoJournal),
            (Some(_), Some(Level::Memory)) => return Err(Error::JournalInMemory),
            (Some(_), None | Some(Level::Process)) => Durability::Process,
            (Some(_), Some(Level::Power)) => Durability::Power,
        };
        let folder = self.journal.as_deref();
        Ok(folder.map(|folder| JournalSettings::new(folder, durability)))
    }
}

/// A line of the feed, which loses and doubles packets as configured, and counts what the socket refuses.
fn line(
    endpoint: &Endpoint,
    impairment: Impairment,
    unsent: &Rc<Cell<u64>>,
) -> Result<Box<dyn Line>, Error> {
    let sender = Sender::open(endpoint, SenderOptions::default());
    let sender = sender.map_err(|cause| live::Error::Socket {
        action: "send",
        endpoint: *endpoint,
        cause,
    })?;
    let (unsent, mut impairer) = (Rc::clone(unsent), Impairer::new(impairment));
    Ok(Box::new(move |packet: &[u8]| {
        if impairer
            .pass(packet, &mut |p: &[u8]| sender.send(p))
            .is_err()
        {
            unsent.set(unsent.get() + 1);
        }
    }))
}
