//! A running server with the clients ALICE (4.4), BOB (4.2) and CAROL (4.4, with a password), and what they send and get.
#![allow(dead_code, reason = "not every test uses all of it")]

use exchange::{ClientSettings, Exchange, JournalSettings, Listing, Server, ServerError, Settings};
use formats::Side;
use formats::fix::{
    Decimal, ExecType, ExecutionReport, NewOrderSingle, OrdStatus, OrdType, Timestamp, Version,
};
use session::{Config, Durability, Event, Gate, Initiator, Memory, Refused, Role, Session};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;
use std::time::Duration;

pub const PATIENCE: Duration = Duration::from_secs(20);
pub const TIME: Timestamp = Timestamp(1_700_000_000_000_000_000);

pub struct Running {
    pub address: SocketAddr,
    /// SenderCompIDs of connections that were not let in, and why.
    pub refusals: Receiver<String>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<exchange::server::Counters, ServerError>>>,
}

impl Running {
    pub fn start(journal: Option<&Path>) -> Self {
        let journal = journal.map(|folder| JournalSettings::new(folder, Durability::Process));
        Self::start_with(journal, None)
    }

    /// With a gate in front of every call that changes the journal.
    pub fn start_with(journal: Option<JournalSettings>, gate: Option<Gate>) -> Self {
        let client = |name: &str, version, password: Option<&str>| ClientSettings {
            name: name.into(),
            version,
            password: password.map(Into::into),
        };
        let clients = [
            client("ALICE", Version::Fix44, None),
            client("BOB", Version::Fix42, None),
            client("CAROL", Version::Fix44, Some("secret")),
        ];
        let listings = [Listing::cents("ABC".parse().unwrap())];
        let settings = Settings {
            most_orders: 100_000,
            ..Settings::default()
        };
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let (tell, address) = std::sync::mpsc::channel();
        let (refused, refusals) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let exchange = Exchange::new(settings, &listings).unwrap();
            let loopback = "127.0.0.1:0".parse().unwrap();
            let journal = journal.as_ref();
            let mut server = Server::open(loopback, "TICKWIRE", exchange, &clients, journal)?;
            server.exchange().set_journal_gate(gate);
            tell.send(server.address().unwrap()).unwrap();
            server.watch_refusals(Box::new(move |refusal: &Refused<'_>| {
                let name = String::from_utf8_lossy(refusal.name);
                let _ = refused.send(format!("{name}: {}", refusal.cause));
            }));
            server.run(&flag)?;
            Ok(server.counters())
        });
        Running {
            address: address.recv().unwrap(),
            refusals,
            stop,
            thread: Some(thread),
        }
    }

    pub fn stop(self) -> exchange::server::Counters {
        self.stop.store(true, Ordering::Relaxed);
        self.ended().unwrap()
    }

    /// Waits for it to end by itself.
    pub fn ended(mut self) -> Result<exchange::server::Counters, ServerError> {
        self.thread.take().unwrap().join().unwrap()
    }
}

pub fn client(name: &str, version: Version) -> Initiator<Memory> {
    let config = Config::new(Role::Initiator, version, name.as_bytes(), b"TICKWIRE");
    Initiator::new(Session::new(config, Memory::default()))
}

pub fn log_on(name: &str, version: Version, running: &Running) -> Initiator<Memory> {
    let mut client = client(name, version);
    client.connect(running.address).unwrap();
    assert_eq!(client.wait(PATIENCE).unwrap(), Some(Event::LoggedOn));
    client
}

/// Waits for a message, which must be of this type, and looks at it.
pub fn next<T>(
    client: &mut Initiator<Memory>,
    msg_type: &[u8],
    look: impl FnOnce(&formats::fix::Message<'_>) -> T,
) -> T {
    let event = client.wait(PATIENCE).unwrap();
    assert!(matches!(event, Some(Event::Message { .. })), "{event:?}");
    let message = client.message().unwrap();
    assert_eq!(
        message.msg_type(),
        msg_type,
        "{:?}",
        String::from_utf8_lossy(message.bytes())
    );
    look(&message)
}

/// What a report says: ClOrdID, ExecType, OrdStatus, LastQty, LeavesQty.
pub fn report(client: &mut Initiator<Memory>) -> (String, ExecType, OrdStatus, Option<i64>, i64) {
    next(client, b"8", |message| {
        let (_, report) = message.read::<ExecutionReport<'_>>().unwrap();
        (
            String::from_utf8_lossy(report.client_order_id.unwrap()).into_owned(),
            report.execution_type,
            report.status,
            report
                .last_quantity
                .and_then(|quantity| quantity.at_scale(0)),
            report.leaves_quantity.at_scale(0).unwrap(),
        )
    })
}

pub fn order<'a>(name: &'a [u8], side: Side, quantity: i64, cents: i64) -> NewOrderSingle<'a> {
    NewOrderSingle {
        client_order_id: name,
        symbol: b"ABC",
        side,
        quantity: Some(Decimal::new(quantity, 0)),
        order_type: OrdType::Limit,
        price: Some(Decimal::new(cents, 2)),
        handling: Some(b'1'),
        transact_time: TIME,
        ..NewOrderSingle::default()
    }
}
