//! Our initiator against QuickFIX (C++) as the acceptor. Where QuickFIX is not installed these tests say so and pass.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use formats::Side;
use formats::fix::{Decimal, ExecutionReport, NewOrderSingle, OrdType, Timestamp, Version};
use session::{Cause, Config, Durability, Durable, Event, Initiator, Memory, Role, Session, Store};

const PATIENCE: Duration = Duration::from_secs(60);

/// The acceptor's program; `None`, once with the reason on standard error, where it cannot be built.
fn program() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let script = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/peers/build_quickfix.sh"
        );
        let built = Command::new("sh")
            .args([script, env!("CARGO_TARGET_TMPDIR")])
            .output()
            .unwrap();
        if built.status.success() {
            let path = String::from_utf8(built.stdout).unwrap();
            return Some(PathBuf::from(path.trim_end()));
        }
        let reason = String::from_utf8_lossy(&built.stderr).into_owned();
        // 77: not installed. Anything else is a fault of the peer's source.
        assert_eq!(built.status.code(), Some(77), "{reason}");
        eprintln!("skipped: {reason}");
        None
    });
    program.as_deref()
}

/// A running acceptor; killed at the end.
struct QuickFix {
    process: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    address: SocketAddr,
}

impl QuickFix {
    /// Starts one with an empty store in memory, at a port that was free a moment ago.
    fn start() -> Option<Self> {
        Self::start_at(free_port(), "-")
    }

    fn start_at(address: SocketAddr, store: &str) -> Option<Self> {
        let mut process = Command::new(program()?)
            .arg(address.port().to_string())
            .args(["FIX.4.4", "TICKWIRE", "CLIENT", store])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let quickfix = QuickFix {
            input: process.stdin.take().unwrap(),
            process,
            lines,
            address,
        };
        quickfix.wait_for("listening");
        Some(quickfix)
    }

    /// The next line that begins so; those before it are skipped.
    fn wait_for(&self, start: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("no line that begins with {start:?}"));
            if line.starts_with(start) {
                return line;
            }
        }
    }

    fn tell(&mut self, command: &str) {
        writeln!(self.input, "{command}").unwrap();
    }

    /// The next MsgSeqNum it sends, and the one it expects.
    fn numbers(&mut self) -> (u64, u64) {
        self.tell("numbers");
        let line = self.wait_for("numbers ");
        let mut numbers = line.split(' ').skip(1).map(|text| text.parse().unwrap());
        (numbers.next().unwrap(), numbers.next().unwrap())
    }

    /// As `kill -9`.
    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for QuickFix {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_port() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

fn session<S: Store>(store: S) -> Session<S> {
    let config = Config::new(Role::Initiator, Version::Fix44, b"CLIENT", b"TICKWIRE");
    Session::new(config, store)
}

fn now() -> Timestamp {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Timestamp(now.as_nanos() as u64)
}

fn order(name: &str) -> NewOrderSingle<'_> {
    NewOrderSingle {
        client_order_id: name.as_bytes(),
        handling: Some(b'1'),
        symbol: b"ABC",
        side: Side::Buy,
        transact_time: now(),
        quantity: Some(Decimal::new(100, 0)),
        order_type: OrdType::Limit,
        price: Some(Decimal::new(10_00, 2)),
        ..NewOrderSingle::default()
    }
}

fn log_on<S: Store>(client: &mut Initiator<S>, address: SocketAddr) {
    client.connect(address).unwrap();
    assert_eq!(client.wait(PATIENCE).unwrap(), Some(Event::LoggedOn));
}

/// An acceptor with an empty store, and a client that is logged on; `None` where QuickFIX is not installed.
fn logged_on() -> Option<(QuickFix, Initiator<Memory>)> {
    let quickfix = QuickFix::start()?;
    let mut client = Initiator::new(session(Memory::default()));
    log_on(&mut client, quickfix.address);
    Some((quickfix, client))
}

/// The same, with the connection broken.
fn interrupted() -> Option<(QuickFix, Initiator<Memory>)> {
    let (quickfix, mut client) = logged_on()?;
    client.drop_connection();
    quickfix.wait_for("logout");
    Some((quickfix, client))
}

/// ClOrdIDs of the next reports.
fn reports<S: Store>(client: &mut Initiator<S>, count: usize) -> Vec<String> {
    let report = |_| {
        let event = client.wait(PATIENCE).unwrap();
        assert!(matches!(event, Some(Event::Message { .. })), "{event:?}");
        let (_, report) = client.message().unwrap().read::<ExecutionReport>().unwrap();
        String::from_utf8(report.client_order_id.unwrap().to_vec()).unwrap()
    };
    (0..count).map(report).collect()
}

/// The orders the acceptor took, in order: ClOrdID, whether with PossDupFlag.
fn orders(quickfix: &QuickFix, count: usize) -> Vec<(String, bool)> {
    let order = |_| {
        let line = quickfix.wait_for("order ");
        let words: Vec<_> = line.split(' ').collect();
        (words[1].to_owned(), words[3] == "Y")
    };
    (0..count).map(order).collect()
}

/// Ends the session, and checks that both sides agree on both numbers.
fn agree<S: Store>(client: &mut Initiator<S>, quickfix: &mut QuickFix) {
    client.log_out().unwrap();
    let end = Event::Disconnect(Cause::LogoutAnswered);
    assert_eq!(client.wait(PATIENCE).unwrap(), Some(end));
    quickfix.wait_for("logout");
    let store = client.session().store();
    let ours = (store.next_incoming(), store.next_outgoing());
    assert_eq!(quickfix.numbers(), ours);
    assert_eq!(client.session().counters().garbled, 0);
    assert_eq!(client.session().counters().rejected, 0);
}

fn names(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|at| format!("{prefix}{at}")).collect()
}

#[test]
fn orders_are_reported_in_their_order_and_the_logout_is_answered() {
    let Some((mut quickfix, mut client)) = logged_on() else {
        return;
    };
    let sent = names("A", 50);
    for name in &sent {
        client.send(&order(name)).unwrap();
    }
    assert_eq!(reports(&mut client, 50), sent);
    let taken: Vec<_> = sent.into_iter().map(|name| (name, false)).collect();
    assert_eq!(orders(&quickfix, 50), taken);
    agree(&mut client, &mut quickfix);
    assert_eq!(client.session().counters().gaps, 0);
}

#[test]
fn orders_numbered_without_a_connection_are_asked_for_and_sent_again() {
    let Some((mut quickfix, mut client)) = interrupted() else {
        return;
    };
    let sent = names("B", 5);
    for name in &sent {
        client.session_mut().send(now(), &order(name)).unwrap();
    }
    log_on(&mut client, quickfix.address);
    assert_eq!(reports(&mut client, 5), sent);
    let taken: Vec<_> = sent.into_iter().map(|name| (name, true)).collect();
    assert_eq!(orders(&quickfix, 5), taken);
    // After what was sent again comes the Logon, which is gap-filled: what follows is in sequence.
    client.send(&order("B5")).unwrap();
    assert_eq!(reports(&mut client, 1), ["B5"]);
    agree(&mut client, &mut quickfix);
}

#[test]
fn reports_of_the_time_without_a_connection_are_asked_for_and_come_in_order() {
    let Some((mut quickfix, mut client)) = interrupted() else {
        return;
    };
    quickfix.tell("report 7");
    quickfix.numbers();
    log_on(&mut client, quickfix.address);
    assert_eq!(reports(&mut client, 7), names("UNASKED", 7));
    assert_eq!(client.session().counters().gaps, 1);
    client.send(&order("C0")).unwrap();
    assert_eq!(reports(&mut client, 1), ["C0"]);
    agree(&mut client, &mut quickfix);
}

#[test]
fn resend_requests_that_cross_are_both_answered() {
    let Some((mut quickfix, mut client)) = interrupted() else {
        return;
    };
    quickfix.tell("report 4");
    quickfix.numbers();
    let sent = names("D", 3);
    for name in &sent {
        client.session_mut().send(now(), &order(name)).unwrap();
    }
    // Each side's Logon is ahead of what the other expects: both ask at once.
    log_on(&mut client, quickfix.address);
    let mut all = reports(&mut client, 7);
    all.sort();
    let mut expected = [sent.clone(), names("UNASKED", 4)].concat();
    expected.sort();
    assert_eq!(all, expected);
    let taken: Vec<_> = sent.into_iter().map(|name| (name, true)).collect();
    assert_eq!(orders(&quickfix, 3), taken);
    assert_eq!(client.session().counters().gaps, 1);
    // QuickFIX takes our ResendRequest out of its turn and leaves its number open; the next message shows it the gap.
    client.send(&order("D3")).unwrap();
    assert_eq!(reports(&mut client, 1), ["D3"]);
    agree(&mut client, &mut quickfix);
}

/// Carries bytes between a client and the acceptor, up to a limit in each direction; then both connections end.
struct Cut {
    address: SocketAddr,
    /// Bytes carried, and the limit: to the acceptor, to the client.
    carried: [AtomicUsize; 2],
    limits: [AtomicUsize; 2],
}

impl Cut {
    fn before(acceptor: SocketAddr) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let cut = Arc::new(Cut {
            address: listener.local_addr().unwrap(),
            carried: [AtomicUsize::new(0), AtomicUsize::new(0)],
            limits: [usize::MAX, usize::MAX].map(AtomicUsize::new),
        });
        let carrier = Arc::clone(&cut);
        thread::spawn(move || {
            let (client, _) = listener.accept().unwrap();
            let acceptor = TcpStream::connect(acceptor).unwrap();
            let ends = (client.try_clone().unwrap(), acceptor.try_clone().unwrap());
            let other = Arc::clone(&carrier);
            thread::spawn(move || other.carry(1, ends.1, ends.0));
            carrier.carry(0, client, acceptor);
        });
        cut
    }

    fn carry(&self, direction: usize, mut from: TcpStream, mut to: TcpStream) {
        let mut bytes = [0; 4_096];
        loop {
            let length = match from.read(&mut bytes) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                length => length.unwrap_or(0),
            };
            let carried = self.carried[direction].load(Ordering::SeqCst);
            let room = self.limits[direction]
                .load(Ordering::SeqCst)
                .saturating_sub(carried);
            let part = length.min(room);
            let broken = to.write_all(&bytes[..part]).is_err();
            self.carried[direction].fetch_add(part, Ordering::SeqCst);
            if length == 0 || part < length || broken {
                // Fails where the other direction was faster.
                let _ = from.shutdown(Shutdown::Both);
                let _ = to.shutdown(Shutdown::Both);
                return;
            }
        }
    }

    /// Breaks off so many bytes from here.
    fn after(&self, direction: usize, bytes: usize) {
        let carried = self.carried[direction].load(Ordering::SeqCst);
        self.limits[direction].store(carried + bytes, Ordering::SeqCst);
    }
}

#[test]
fn a_message_that_is_broken_off_is_taken_once_whoever_sent_it() {
    for direction in [0, 1] {
        let Some(mut quickfix) = QuickFix::start() else {
            return;
        };
        let cut = Cut::before(quickfix.address);
        let mut client = Initiator::new(session(Memory::default()));
        log_on(&mut client, cut.address);
        client.send(&order("E0")).unwrap();
        assert_eq!(reports(&mut client, 1), ["E0"]);
        cut.after(direction, 60);
        client.send(&order("E1")).unwrap();
        let lost = Event::Disconnect(Cause::Lost);
        assert_eq!(client.wait(PATIENCE).unwrap(), Some(lost));
        quickfix.wait_for("logout");

        log_on(&mut client, quickfix.address);
        client.send(&order("E2")).unwrap();
        assert_eq!(reports(&mut client, 2), ["E1", "E2"]);
        agree(&mut client, &mut quickfix);
        assert_eq!(
            client.session().counters().gaps,
            direction as u64,
            "what we missed we asked for"
        );
    }
}

#[test]
fn either_side_may_be_killed_and_the_session_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let (address, store) = (free_port(), folder.path().join("quickfix"));
    let store = store.to_str().unwrap();
    let Some(mut quickfix) = QuickFix::start_at(address, store) else {
        return;
    };
    let file = folder.path().join("client.session");
    let open = || Initiator::new(session(Durable::open(&file, Durability::Process).unwrap()));
    let mut client = open();
    log_on(&mut client, address);
    client.send(&order("F0")).unwrap();
    assert_eq!(reports(&mut client, 1), ["F0"]);

    // QuickFIX reports an order before it stores that it took it: killed in between, it would ask for the order again.
    while quickfix.numbers().1 < 3 {}
    quickfix.kill();
    let lost = Event::Disconnect(Cause::Lost);
    assert_eq!(client.wait(PATIENCE).unwrap(), Some(lost));
    client.session_mut().send(now(), &order("F1")).unwrap();
    let mut quickfix = QuickFix::start_at(address, store).unwrap();
    log_on(&mut client, address);
    assert_eq!(reports(&mut client, 1), ["F1"]);
    assert_eq!(orders(&quickfix, 1), [("F1".to_owned(), true)]);

    // Ours ends without a message; another process would find the same file.
    drop(client);
    quickfix.wait_for("logout");
    let mut client = open();
    log_on(&mut client, address);
    client.send(&order("F2")).unwrap();
    assert_eq!(reports(&mut client, 1), ["F2"]);
    agree(&mut client, &mut quickfix);
    assert_eq!(client.session().counters().gaps, 0);
}
