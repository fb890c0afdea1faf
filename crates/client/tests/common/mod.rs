//! A market for tests: an exchange on loopback, traders, and a screen of a fixed size.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use client::{Told, Trader};
use exchange::{ClientSettings, Exchange, Listing, Server, Settings};
use session::{Config, Memory, Role, Session, Store};
use wire::fix::Version;

pub const PATIENCE: Duration = Duration::from_secs(20);

/// What `tickwire exchange` runs, in a thread. Those of 4.2 have a 2 in their name.
pub struct Market {
    pub address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

const NAMES: [&str; 4] = ["ALICE", "BOB", "ALICE2", "BOB2"];

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
        let (tell, told) = std::sync::mpsc::channel();
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
                password: None,
            });
            let loopback = "127.0.0.1:0".parse().unwrap();
            let mut server = Server::open(loopback, "TICKWIRE", exchange, &clients, None).unwrap();
            tell.send(server.address().unwrap()).unwrap();
            server.run(&flag).unwrap();
        });
        Market {
            address: told.recv().unwrap(),
            stop,
            thread: Some(thread),
        }
    }

    pub fn trader(&self, name: &str) -> Trader {
        let config = Config {
            reset_on_logon: true,
            ..Config::new(Role::Initiator, version(name), name.as_bytes(), b"TICKWIRE")
        };
        let store: Box<dyn Store> = Box::new(Memory::default());
        Trader::log_on(self.address, Session::new(config, store)).unwrap()
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
        [Told::Sent { name, .. }] => name.clone(),
        other => panic!("{line:?}: {other:?}"),
    }
}

/// What is told next, prices aside.
pub fn next(trader: &mut Trader) -> Told {
    let end = Instant::now() + PATIENCE;
    loop {
        let mut told = trader.wait(Duration::from_millis(50)).unwrap();
        told.retain(|told| !matches!(told, Told::Prices { .. }));
        if !told.is_empty() {
            assert_eq!(told.len(), 1, "{told:?}");
            return told.remove(0);
        }
        assert!(Instant::now() < end, "nothing was told");
    }
}

/// ClOrdID, OrigClOrdID, ExecType, OrdStatus and LeavesQty of the report that is told next.
pub fn report(trader: &mut Trader) -> (String, Option<String>, String, String, String) {
    match next(trader) {
        Told::Report {
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
