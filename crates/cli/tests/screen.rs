//! `tickwire client` on a terminal, as a person has it: a pseudo-terminal, keys in, and the output as a terminal shows it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::num::NonZero;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::common::market::{Exchange, PATIENCE};
use assert_cmd::cargo::cargo_bin;
use formats::fix::{Message, Timestamp, Version};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use session::{Acceptor, Application, Cause, Config, Memory, Role, Session, Sessions, Settings};
use tempfile::TempDir;

/// A terminal of 120 columns and 30 lines with the client in it; killed where a test fails.
struct Terminal {
    process: Child,
    keys: File,
    /// The side the client has.
    slave: File,
    output: Receiver<Vec<u8>>,
    parser: vt100::Parser,
}

/// Both sides of a terminal of 120 columns and 30 lines: the one that a person has, and the client's.
fn pseudo_terminal() -> (OwnedFd, File) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    // No process started here keeps it open.
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

/// The client in a terminal.
fn client(address: SocketAddr, slave: &File) -> Child {
    let end = || Stdio::from(slave.try_clone().unwrap());
    Command::new(cargo_bin!("tickwire"))
        .args(["client", "--name", "ALICE", "--connect"])
        .arg(address.to_string())
        .stdin(end())
        .stdout(end())
        .stderr(end())
        .spawn()
        .unwrap()
}

impl Terminal {
    fn open(exchange: &Exchange) -> Self {
        let (master, slave) = pseudo_terminal();
        let process = client(exchange.address, &slave);
        let keys = File::from(master);
        let mut reader = keys.try_clone().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4_096];
            while let Ok(length) = reader.read(&mut buffer) {
                if sender.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        let [lines, columns] = [30, 120].map(|size| NonZero::new(size).unwrap());
        Terminal {
            process,
            keys,
            slave,
            output,
            parser: vt100::Parser::new(lines, columns, 0),
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until a line of the terminal has all of these.
    fn see(&mut self, words: &[&str]) {
        let end = Instant::now() + PATIENCE;
        loop {
            let contents = self.parser.screen().contents();
            let fits = |line: &str| words.iter().all(|word| line.contains(word));
            if contents.lines().any(fits) {
                return;
            }
            assert!(Instant::now() < end, "no {words:?} in\n{contents}");
            if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(50)) {
                self.parser.process(&bytes);
            }
        }
    }

    /// Whether the terminal shows and edits what is typed, as shells want it.
    fn is_cooked(&self) -> bool {
        let modes = tcgetattr(&self.slave).unwrap().local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn an_order_is_typed_seen_and_cancelled_and_the_terminal_is_as_it_was_afterwards() {
    let exchange = Exchange::start(&[]);
    let mut terminal = Terminal::open(&exchange);
    terminal.see(&["ALICE at TICKWIRE"]);
    assert!(terminal.parser.screen().alternate_screen());
    assert!(!terminal.is_cooked());
    terminal.press("watch ABC\r");
    terminal.press("buy 100 ABC 10.00\r");
    terminal.see(&["buy", "10.00", "New"]);
    terminal.see(&["ABC", "100", "10.0000"]);
    // Up, Delete.
    terminal.press("\x1b[A\x1b[3~");
    terminal.see(&["buy", "10.00", "Canceled"]);
    terminal.press("buy 5 ABC 9.00\r");
    terminal.see(&["buy", "9.00", "New"]);
    terminal.press("quit\r");
    terminal.see(&["1 open orders stay at the exchange"]);
    assert!(terminal.process.wait().unwrap().success());
    assert!(!terminal.parser.screen().alternate_screen());
    assert!(terminal.is_cooked());
    assert_eq!(exchange.stop()["live_orders"], 1);
}

/// Takes note of how sessions end.
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

#[test]
fn a_terminal_that_is_closed_logs_the_client_out() {
    let config = Config::new(Role::Acceptor, Version::Fix44, b"TICKWIRE", b"ALICE");
    let sessions = vec![Session::new(config, Memory::default())];
    let loopback = "127.0.0.1:0".parse().unwrap();
    let mut acceptor = Acceptor::bind(loopback, sessions, Settings::default()).unwrap();
    let address = acceptor.local_address().unwrap();
    let server = std::thread::spawn(move || {
        let mut ends = Ends(vec![]);
        acceptor.run(&mut ends, &AtomicBool::new(false)).unwrap();
        ends.0
    });
    let (master, slave) = pseudo_terminal();
    let mut process = client(address, &slave);
    // Its screen is there: it reads keys.
    drop((shows(master, "TICKWIRE"), slave));
    ends_quietly(&mut process);
    assert_eq!(server.join().unwrap(), [Cause::PeerLogout]);
}

/// The terminal, once it shows this text.
fn shows(master: OwnedFd, text: &'static str) -> File {
    let (sender, shown) = channel();
    std::thread::spawn(move || {
        let (mut master, mut seen) = (File::from(master), vec![]);
        while !String::from_utf8_lossy(&seen).contains(text) {
            let mut buffer = [0; 4_096];
            let length = master.read(&mut buffer).unwrap();
            seen.extend_from_slice(&buffer[..length]);
        }
        sender.send(master).unwrap();
    });
    let shown = shown.recv_timeout(PATIENCE);
    shown.unwrap_or_else(|_| panic!("it does not show {text:?}"))
}

fn ends_quietly(process: &mut Child) {
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
}

/// The book of a generated day as it moves, on a terminal.
fn book(folder: &TempDir, slave: &File) -> Child {
    let day = folder.path().join("day.itch50");
    let made = Command::new(cargo_bin!("tickwire"))
        .args([
            "generate",
            "itch",
            "--symbols",
            "1",
            "--messages",
            "5000",
            "--out",
        ])
        .arg(&day)
        .output();
    assert!(made.unwrap().status.success());
    let end = || Stdio::from(slave.try_clone().unwrap());
    Command::new(cargo_bin!("tickwire"))
        .args(["book", "--symbols", "A", "--follow"])
        .arg(&day)
        .stdin(end())
        .stdout(end())
        .stderr(end())
        .spawn()
        .unwrap()
}

#[test]
fn a_book_on_a_terminal_that_is_closed_ends_quietly() {
    let folder = TempDir::new().unwrap();
    let (master, slave) = pseudo_terminal();
    let mut process = book(&folder, &slave);
    drop((shows(master, "q quit"), slave));
    ends_quietly(&mut process);
}

#[test]
fn a_terminal_that_is_too_narrow_for_the_book_says_so() {
    let folder = TempDir::new().unwrap();
    let (master, slave) = pseudo_terminal();
    let narrow = Winsize {
        ws_row: 30,
        ws_col: 72,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&slave, narrow).unwrap();
    let mut process = book(&folder, &slave);
    drop((shows(master, "columns:"), slave));
    ends_quietly(&mut process);
}

#[test]
fn the_terminal_is_as_it_was_when_the_exchange_goes_away() {
    let exchange = Exchange::start(&[]);
    let mut terminal = Terminal::open(&exchange);
    terminal.see(&["ALICE at TICKWIRE"]);
    exchange.kill();
    terminal.see(&["tickwire: the exchange ended the session"]);
    assert_eq!(terminal.process.wait().unwrap().code(), Some(1));
    assert!(!terminal.parser.screen().alternate_screen());
    assert!(terminal.is_cooked());
}

#[test]
fn without_a_terminal_it_says_what_to_do() {
    let exchange = Exchange::start(&[]);
    let output = Command::new(cargo_bin!("tickwire"))
        .args(["client", "--name", "ALICE", "--connect"])
        .arg(exchange.address.to_string())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        error.contains("--lines") && error.contains("--json"),
        "{error}"
    );
    assert_eq!(exchange.stop()["connections"], 0);
}
