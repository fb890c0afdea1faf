//! `tickwire exchange`: a market of one's own, over FIX.

use std::cell::Cell;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::rc::Rc;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use exchange::publish::itch::Line;
use exchange::{ClientSettings, Exchange, ItchPublisher, Listing, Server, Settings};
use feed::socket::{Endpoint, Sender, SenderOptions};
use serde::Serialize;
use wire::Symbol;
use wire::fix::{Timestamp, Version};

use crate::console::Console;
use crate::error::Error;
use crate::stop;

/// Run an exchange: FIX 4.2 and 4.4 orders over TCP, matched by price and time, prices by FIX and by ITCH
#[derive(Args, Debug)]
#[command(after_help = "\
A client logs on with its name as SenderCompID and the exchange's as TargetCompID. It may send NewOrderSingle (D), OrderCancelRequest
(F), OrderCancelReplaceRequest (G) and MarketDataRequest (V); it gets ExecutionReport (8), OrderCancelReject (9) and prices (W, X).

Examples:
  tickwire exchange --client ALICE --client BOB@4.2 --symbols ABC,XYZ
  tickwire exchange --client ALICE:secret --symbols ABC --listen 192.0.2.1:9880 --journal market/
  tickwire exchange --client ALICE --symbols ABC --line-a 239.77.1.1:26400@127.0.0.1 --line-b 239.77.1.2:26400@127.0.0.1")]
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
    /// Keep orders and sessions in this folder, and go on where they were
    #[arg(long, value_name = "FOLDER")]
    journal: Option<PathBuf>,
    /// Send the best prices and the trades to whoever logs on, without being asked
    #[arg(long)]
    prices_to_all: bool,
    /// Publish the books as ITCH 5.0 over MoldUDP64: line A
    #[arg(long, value_name = "ADDR:PORT[@INTERFACE]")]
    line_a: Option<Endpoint>,
    /// The same packets again: line B
    #[arg(long, value_name = "ADDR:PORT[@INTERFACE]", requires = "line_a")]
    line_b: Option<Endpoint>,
}

/// A client on the command line.
#[derive(Clone, Debug)]
struct Client(ClientSettings);

impl FromStr for Client {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (front, password) = match text.split_once(':') {
            Some((front, password)) if !password.is_empty() => (front, Some(password.to_owned())),
            Some(_) => return Err("the password behind : is empty".into()),
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

/// The exchange is there.
#[derive(Serialize)]
struct Listening {
    listening: String,
    name: String,
    clients: Vec<String>,
    symbols: Vec<String>,
    /// Messages of the journal.
    recovered: u64,
    live_orders: usize,
}

impl fmt::Display for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (clients, symbols) = (self.clients.join(", "), self.symbols.join(", "));
        write!(f, "{} listens at {}", self.name, self.listening)?;
        write!(f, "\n  clients: {clients}\n  symbols: {symbols}")?;
        if self.recovered > 0 {
            let (recovered, live) = (self.recovered, self.live_orders);
            write!(f, "\n  recovered: {recovered} messages, {live} live orders")?;
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
        arguments.journal.as_deref(),
    )?;
    if arguments.prices_to_all {
        server.send_prices_to_all();
    }
    let unsent = Rc::new(Cell::new(0));
    let lines = arguments.line_a.iter().chain(&arguments.line_b);
    let lines = lines
        .map(|endpoint| line(endpoint, &unsent))
        .collect::<Result<Vec<_>, _>>()?;
    if !lines.is_empty() {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        // Another session at each start: the feed begins with the books as they are.
        let session = format!("{:010}", now.as_secs() % 10_000_000_000);
        let session = session.as_bytes().first_chunk().copied();
        let publisher = ItchPublisher::new(session.unwrap_or(*b"TICKWIRE01"), lines, None);
        server.publish(Box::new(publisher), Timestamp(now.as_nanos() as u64));
    }
    console.print(&Listening {
        listening: server.address().map_err(Error::Receive)?.to_string(),
        name: arguments.name.clone(),
        clients: clients.iter().map(|client| client.name.clone()).collect(),
        symbols: arguments.symbols.iter().map(Symbol::to_string).collect(),
        recovered: server.counters().recovered,
        live_orders: server.exchange().live_orders(),
    })?;
    server.run(stop::flag())?;
    let counters = server.counters();
    let connections = counters.connections;
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
    })
}

/// A line of the feed, which counts what the socket refuses.
fn line(endpoint: &Endpoint, unsent: &Rc<Cell<u64>>) -> Result<Box<dyn Line>, Error> {
    let sender = Sender::open(endpoint, SenderOptions::default());
    let sender = sender.map_err(|cause| Error::Socket {
        action: "send",
        endpoint: *endpoint,
        cause,
    })?;
    let unsent = Rc::clone(unsent);
    Ok(Box::new(move |packet: &[u8]| {
        if sender.send(packet).is_err() {
            unsent.set(unsent.get() + 1);
        }
    }))
}
