//! A market for tests: an exchange on loopback, traders, and a screen of a fixed size.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use client::{EndReason, Notice, Trader};
use exchange::{ClientSettings, Exchange, Listing, Server, Settings};
use formats::fix::Version;
use session::{Config, Credentials, Memory, Role, Session, Store};

pub const PATIENCE: Duration = Duration::from_secs(20);

/// What `tickwire exchange` runs, in a thread. Those of 4.2 have a 2 in their name; CAROL has a password.
pub struct Market {
    pub address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

const NAMES: [&str; 5] = ["ALICE", "BOB", "ALICE2", "BOB2", "CAROL"];

fn version(name: &str) -> Version {
    if name.ends_with('2') {
        Version::Fix42
    } else {
        Version::Fix44
    }
}

impl Market {
    pub fn open() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let (sender, address) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let listing = Listing::cents("ABC".parse().unwrap());
            let settings = Settings {
                most_orders: 1_000,
                ..Settings::default()
            };
            let exchange = Exchange::new(settings, &[listing]).unwrap();
            let clients = NAMES.map(|name| ClientSettings {
                name: name.into(),
                version: version(name),
                password: (name == "CAROL").then(|| "secret".into()),
            });
            let loopback = "127.0.0.1:0".parse().unwrap();
            let mut server = Server::open(loopback, "TICKWIRE", exchange, &clients, None).unwrap();
            sender.send(server.address().unwrap()).unwrap();
            server.run(&flag).unwrap();
        });
        Market {
            address: address.recv().unwrap(),
            stop,
            thread: Some(thread),
        }
    }

    pub fn trader(&self, name: &str) -> Trader {
        self.try_trader(name, None)
            .unwrap_or_else(|ended| panic!("{ended:?}"))
    }

    pub fn try_trader(&self, name: &str, password: Option<&str>) -> Result<Trader, EndReason> {
        let config = Config {
            reset_on_logon: true,
            credentials: password.map(|password| Credentials {
                username: name.into(),
                password: password.into(),
            }),
            ..Config::new(Role::Initiator, version(name), name.as_bytes(), b"TICKWIRE")
        };
        let store: Box<dyn Store> = Box::new(Memory::default());
        Trader::log_on(self.address, Session::new(config, store))
    }
}

impl Drop for Market {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take()
            && !std::thread::panicking()
        {
            thread.join().unwrap();
        }
    }
}

/// Does what a line says, and gives the name it was sent under.
pub fn send(trader: &mut Trader, line: &str) -> String {
    match &trader.line(line).unwrap().0[..] {
        [Notice::Sent { name, .. }] => name.clone(),
        other => panic!("{line:?}: {other:?}"),
    }
}

/// The next notice, prices left out.
pub fn next(trader: &mut Trader) -> Notice {
    let end = Instant::now() + PATIENCE;
    loop {
        let mut notices = trader.wait(Duration::from_millis(50)).unwrap();
        notices.retain(|notice| !matches!(notice, Notice::Prices { .. }));
        if !notices.is_empty() {
            assert_eq!(notices.len(), 1, "{notices:?}");
            return notices.remove(0);
        }
        assert!(Instant::now() < end, "no notice came");
    }
}

/// ClOrdID, OrigClOrdID, ExecType, OrdStatus and LeavesQty of the next report.
pub fn report(trader: &mut Trader) -> (String, Option<String>, String, String, String) {
    match next(trader) {
        Notice::Report {
            name,
            original,
            execution,
            status,
            leaves,
            ..
        } => (name, original, execution, status, leaves),
        other => panic!("{other:?}"),
    }
}
