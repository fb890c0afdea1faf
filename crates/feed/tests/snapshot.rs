//! Snapshots over loopback: what a publisher makes comes to who asks for it, and nobody holds the publisher or the others up.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use feed::snapshot::{Board, FetchError, Query, Server, ServerCounters, Snapshot, fetch};
use formats::Side;
use formats::itch::{AddOrder, Head, Message, StockDirectory, Version};
use formats::soup::{LoginRequest, Packet};

const SESSION: [u8; 10] = *b"0000000001";

fn message(message: impl Into<Message>) -> Vec<u8> {
    let mut bytes = vec![];
    message.into().emit(Version::V50, &mut bytes).unwrap();
    bytes
}

fn directory(symbol: &str) -> Vec<u8> {
    let stock = symbol.parse().unwrap();
    message(StockDirectory::of_common_stock(
        Head::default(),
        stock,
        b'T',
    ))
}

fn order(symbol: &str, order_reference: u64) -> Vec<u8> {
    message(AddOrder {
        head: Head::default(),
        order_reference,
        side: Side::Buy,
        shares: 100,
        stock: symbol.parse().unwrap(),
        price: 10_000,
    })
}

/// A server, and a publisher that makes a snapshot of these messages whenever one is due.
struct Bench {
    address: SocketAddr,
    board: Arc<Board>,
    stop: Arc<AtomicBool>,
    server: JoinHandle<std::io::Result<ServerCounters>>,
    publisher: JoinHandle<u64>,
}

impl Bench {
    fn start(messages: Vec<Vec<u8>>) -> Self {
        let board = Arc::new(Board::new(SESSION));
        let stop = Arc::new(AtomicBool::new(false));
        let server = Server::open("127.0.0.1:0".parse().unwrap(), Arc::clone(&board)).unwrap();
        let address = server.local_address().unwrap();
        let flag = Arc::clone(&stop);
        let server = std::thread::spawn(move || server.serve(&flag));
        let (flag, publishes) = (Arc::clone(&stop), Arc::clone(&board));
        let publisher = std::thread::spawn(move || {
            let mut made = 0;
            while !flag.load(Ordering::Relaxed) {
                if publishes.is_due() {
                    made += 1;
                    publishes.make(|packets| {
                        for message in &messages {
                            packets.push(message).unwrap();
                        }
                        1_000 + made
                    });
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            made
        });
        Bench {
            address,
            board,
            stop,
            server,
            publisher,
        }
    }

    /// What the server counted, and how many snapshots were made.
    fn stop(self) -> (ServerCounters, u64) {
        self.stop.store(true, Ordering::Relaxed);
        (
            self.server.join().unwrap().unwrap(),
            self.publisher.join().unwrap(),
        )
    }

    fn query(&self, symbols: &[&str]) -> Query {
        query(self.address, symbols)
    }
}

fn query(server: SocketAddr, symbols: &[&str]) -> Query {
    Query {
        server,
        session: SESSION,
        version: Version::V50,
        symbols: symbols
            .iter()
            .map(|symbol| symbol.parse().unwrap())
            .collect(),
        patience: Duration::from_secs(10),
        bound: 1 << 20,
    }
}

fn messages(snapshot: &Snapshot) -> Vec<Vec<u8>> {
    snapshot.messages().map(<[u8]>::to_vec).collect()
}

#[test]
fn a_snapshot_has_the_messages_of_the_wanted_symbols_in_order_and_the_next_number() {
    let all = [
        directory("A"),
        directory("B"),
        order("A", 7),
        order("B", 8),
        order("A", 3),
    ];
    let bench = Bench::start(all.to_vec());
    let snapshot = fetch(&bench.query(&["A"])).unwrap();
    assert_eq!(
        messages(&snapshot),
        [directory("A"), order("A", 7), order("A", 3)]
    );
    assert_eq!((snapshot.session, snapshot.next), (SESSION, 1_001));
    let snapshot = fetch(&bench.query(&["A", "B"])).unwrap();
    assert_eq!(messages(&snapshot), all);
    assert_eq!(snapshot.next, 1_002);
    let (counters, made) = bench.stop();
    assert_eq!((counters.connections, counters.sent, made), (2, 2, 2));
}

#[test]
fn nothing_is_made_that_nobody_asked_for() {
    let bench = Bench::start(vec![]);
    // Connected, and not logged in.
    let silent = TcpStream::connect(bench.address).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    assert!(!bench.board.is_due());
    drop(silent);
    std::thread::sleep(Duration::from_millis(200));
    let (counters, made) = bench.stop();
    assert_eq!((counters.no_login, made), (1, 0));
}

#[test]
fn a_larger_snapshot_than_may_be_stored_is_refused() {
    let bench = Bench::start((0..100).map(|id| order("A", id)).collect());
    let mut query = bench.query(&["A"]);
    query.bound = 100 * (36 + 2);
    assert_eq!(messages(&fetch(&query).unwrap()).len(), 100);
    query.bound -= 1;
    assert!(matches!(fetch(&query), Err(FetchError::TooLarge(_))));
    bench.stop();
}

/// 20 MB to clients that do not read a byte of it: the publisher makes the next at once, and another client gets it.
#[test]
fn clients_that_do_not_read_hold_neither_the_publisher_nor_others_up() {
    let bench = Bench::start((0..500_000).map(|id| order("B", id)).collect());
    let login = LoginRequest {
        username: *b"SLOW  ",
        password: [b' '; 10],
        session: [b' '; 10],
        sequence: 1,
    };
    let mut bytes = vec![];
    Packet::LoginRequest(login).emit(&mut bytes).unwrap();
    let slow: Vec<_> = (0..7)
        .map(|_| {
            let mut stream = TcpStream::connect(bench.address).unwrap();
            stream.write_all(&bytes).unwrap();
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_millis(300));
    let mut patient = bench.query(&["A"]);
    patient.patience = Duration::from_secs(60);
    assert!(messages(&fetch(&patient).unwrap()).is_empty());
    // An eighth beside these seven, and then one too many, which is closed at once.
    let mut eighth = TcpStream::connect(bench.address).unwrap();
    eighth.write_all(&bytes).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let mut ninth = TcpStream::connect(bench.address).unwrap();
    ninth
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    assert!(matches!(ninth.read(&mut [0; 1]), Ok(0) | Err(_)));
    let began = Instant::now();
    let (counters, _) = bench.stop();
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "the end waits for no client"
    );
    assert_eq!((counters.connections, counters.too_many), (10, 1));
    drop(slow);
}

#[test]
fn what_is_no_login_is_closed_and_another_session_is_refused() {
    let bench = Bench::start(vec![]);
    for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"\x00\x01R", &[0; 64]] {
        let mut stream = TcpStream::connect(bench.address).unwrap();
        stream.write_all(garbage).unwrap();
        let mut answer = vec![];
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.is_empty(), "{answer:?}");
    }
    let ask = |session, sequence| {
        let mut bytes = vec![];
        let request = LoginRequest {
            username: *b"ALICE ",
            password: [b' '; 10],
            session,
            sequence,
        };
        Packet::LoginRequest(request).emit(&mut bytes).unwrap();
        let mut stream = TcpStream::connect(bench.address).unwrap();
        stream.write_all(&bytes).unwrap();
        let mut answer = [0; 4];
        stream.read_exact(&mut answer).unwrap();
        answer
    };
    assert_eq!(&ask(*b"0000000002", 1), b"\x00\x02JS");
    assert_eq!(&ask(SESSION, 2), b"\x00\x02JS");
    assert_eq!(&ask(SESSION, 1)[..3], b"\x00\x1fA");
    let mut other = bench.query(&[]);
    other.session = *b"0000000002";
    assert!(matches!(fetch(&other), Err(FetchError::OtherSession(..))));
    let (counters, _) = bench.stop();
    assert_eq!((counters.no_login, counters.rejected), (3, 2));
}

/// A server that sends these bytes to its only client.
fn hostile(bytes: Vec<u8>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.write_all(&bytes);
        // Until the client closes it.
        let _ = stream.read_to_end(&mut vec![]);
    });
    address
}

#[test]
fn a_server_that_is_wrong_gives_an_error_and_never_a_part_of_a_snapshot() {
    let accepted = b"\x00\x1fA0000000001                   1".to_vec();
    let then = |rest: &[u8]| [&accepted[..], rest].concat();
    let sequenced = |message: &[u8]| {
        let mut bytes = vec![];
        Packet::Sequenced(message).emit(&mut bytes).unwrap();
        then(&bytes)
    };
    let outcome = |bytes: Vec<u8>| {
        let mut query = query(hostile(bytes), &["A"]);
        query.patience = Duration::from_millis(500);
        fetch(&query).unwrap_err()
    };
    assert!(matches!(
        outcome(b"\x00\x02JA".to_vec()),
        FetchError::Refused(_)
    ));
    assert!(matches!(
        outcome(b"HTTP/1.1 400".to_vec()),
        FetchError::Malformed(_)
    ));
    assert!(matches!(outcome(then(b"\x00\x01Z")), FetchError::Ended));
    assert!(matches!(
        outcome(then(b"\x00\x01R")),
        FetchError::Unexpected
    ));
    assert!(matches!(
        outcome(then(b"\x00\x02S!")),
        FetchError::Message(_)
    ));
    assert!(matches!(
        outcome(sequenced(&order("A", 1)[..35])),
        FetchError::Message(_)
    ));
    // `G` whose number is none.
    assert!(matches!(
        outcome(sequenced(b"G                   x")),
        FetchError::Message(_)
    ));
    assert!(matches!(
        outcome(sequenced(&order("A", 1))),
        FetchError::Late(_)
    ));
    assert!(matches!(outcome(vec![]), FetchError::Late(_)));
    // Nobody listens.
    let address = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    assert!(matches!(
        fetch(&query(address, &[])),
        Err(FetchError::Connect(_))
    ));
}
