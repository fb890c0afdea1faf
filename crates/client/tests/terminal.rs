//! The screen in a real terminal (a pseudo-terminal) that goes away.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use client::{Trader, screen};
use formats::fix::{Message, Timestamp, Version};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use session::{Acceptor, Application, Cause, Config, Memory, Role, Session, Sessions, Settings};

const PATIENCE: Duration = Duration::from_secs(60);
/// Where the exchange listens, for the process in the terminal.
const ADDRESS: &str = "TICKWIRE_TEST_EXCHANGE";

/// An exchange that takes note of how a session ends.
#[derive(Default)]
struct Ends(Vec<Cause>);

impl Application<Memory> for Ends {
    fn message(&mut self, _: &mut Sessions<Memory>, _: usize, _: &Message<'_>, _: Timestamp) {}

    fn disconnected(&mut self, _: &mut Sessions<Memory>, _: usize, cause: Cause, _: Timestamp) {
        self.0.push(cause);
    }

    fn is_over(&self) -> bool {
        !self.0.is_empty()
    }
}

/// The side of a terminal that a person has, and the side of the program in it.
fn pseudo_terminal() -> (OwnedFd, File) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    // No process that is started here keeps it open.
    fcntl_setfd(&master, FdFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let size = Winsize {
        ws_row: 30,
        ws_col: 120,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&master, size).unwrap();
    let name = ptsname(&master, vec![]).unwrap();
    let name = OsStr::from_bytes(name.as_bytes());
    let slave = File::options().read(true).write(true).open(name).unwrap();
    (master, slave)
}

/// This program again, as the screen of a client.
fn screen_in(slave: &File, exchange: SocketAddr) -> Child {
    let end = || Stdio::from(slave.try_clone().unwrap());
    Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "terminal::the_screen_in_the_terminal",
            "--ignored",
        ])
        .env(ADDRESS, exchange.to_string())
        .stdin(end())
        .stdout(end())
        .stderr(end())
        .spawn()
        .unwrap()
}

#[test]
#[ignore = "what the other tests run in a terminal"]
fn the_screen_in_the_terminal() {
    let address = std::env::var(ADDRESS).unwrap().parse().unwrap();
    let config = Config::new(Role::Initiator, Version::Fix44, b"ALICE", b"TICKWIRE");
    let session = Session::new(config, Box::new(Memory::default()) as _);
    let mut trader = Trader::log_on(address, session).unwrap();
    let ended = screen::terminal::run(&mut trader, "ALICE at TICKWIRE".into(), || false);
    std::process::exit(if ended.is_ok() { 0 } else { 1 });
}

#[test]
fn a_terminal_that_is_closed_logs_the_client_out() {
    let config = Config::new(Role::Acceptor, Version::Fix44, b"TICKWIRE", b"ALICE");
    let sessions = vec![Session::new(config, Memory::default())];
    let loopback = "127.0.0.1:0".parse().unwrap();
    let mut acceptor = Acceptor::bind(loopback, sessions, Settings::default()).unwrap();
    let address = acceptor.local_address().unwrap();
    let server = std::thread::spawn(move || {
        let mut ends = Ends::default();
        acceptor.run(&mut ends, &AtomicBool::new(false)).unwrap();
        ends.0
    });
    let (master, slave) = pseudo_terminal();
    let mut process = screen_in(&slave, address);
    // When its screen is there it reads keys.
    let (mut master, mut seen) = (File::from(master), vec![]);
    while !String::from_utf8_lossy(&seen).contains("TICKWIRE") {
        let mut buffer = [0; 4_096];
        let length = master.read(&mut buffer).unwrap();
        seen.extend_from_slice(&buffer[..length]);
    }
    drop((master, slave));
    let end = Instant::now() + PATIENCE;
    let status = loop {
        if let Some(status) = process.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > end {
            process.kill().unwrap();
            panic!("it goes on without a terminal");
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(status.success(), "{status}");
    assert_eq!(server.join().unwrap(), [Cause::PeerLogout]);
}
