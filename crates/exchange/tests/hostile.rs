//! Hostile clients at the server's port: floods, half-open connections, giant and broken messages. The clients that trade notice nothing.

use crate::running;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use formats::Side;
use formats::fix::{ExecType, Version};
use running::{PATIENCE, Running, client, log_on, order, report};
use session::Event;

fn connect(running: &Running) -> TcpStream {
    let stream = TcpStream::connect(running.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Whether the server has ended a connection without a message; waits for it.
fn is_ended(mut stream: &TcpStream) -> bool {
    match stream.read(&mut [0; 64]) {
        Ok(length) => length == 0,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

fn sum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |sum, byte| sum.wrapping_add(*byte))
}

/// A message of these fields, well framed.
fn framed(fields: &str) -> Vec<u8> {
    let body = fields.replace('|', "\x01");
    let mut bytes = format!("8=FIX.4.4\x019={}\x01{body}", body.len()).into_bytes();
    bytes.extend(format!("10={:03}\x01", sum(&bytes)).bytes());
    bytes
}

#[test]
fn a_flood_of_connections_keeps_nobody_out_and_half_open_ones_make_room() {
    let running = Running::start(None);
    let mut alice = log_on("ALICE", Version::Fix44, &running);
    // More than there is room for; none sends anything, some close one half.
    let flood: Vec<_> = (0..300).map(|_| connect(&running)).collect();
    for stream in flood.iter().skip(290) {
        stream.shutdown(Shutdown::Write).unwrap();
    }
    let mut bob = log_on("BOB", Version::Fix42, &running);
    bob.send(&order(b"B1", Side::Sell, 10, 1_000)).unwrap();
    assert_eq!(report(&mut bob).1, ExecType::New);
    alice.send(&order(b"A1", Side::Buy, 10, 1_000)).unwrap();
    assert_eq!(report(&mut alice).1, ExecType::New);
    assert_eq!(report(&mut alice).1, ExecType::Trade);
    assert!(is_ended(&flood[0]), "the first ones made room");
    drop((alice, bob, flood));
    let counters = running.stop();
    assert_eq!(counters.connections.connections, 302);
    // Three clients and 64 strangers have room; Alice is one of those who are here.
    assert!(counters.connections.too_many >= 200, "{counters:?}");
}

#[test]
fn what_is_no_logon_is_the_last_that_a_connection_says() {
    let running = Running::start(None);
    let giant = b"8=FIX.4.4\x019=999999999\x0135=A\x01".to_vec();
    let endless = [b"8=FIX.4.4\x01".to_vec(), vec![b'9'; 100_000]].concat();
    let order = framed("35=D|34=1|49=ALICE|56=TICKWIRE|52=20260101-00:00:00|11=X|");
    let mut broken = framed("35=A|34=1|49=ALICE|56=TICKWIRE|52=20260101-00:00:00|98=0|108=30|");
    *broken.last_chunk_mut::<4>().unwrap() = *b"999\x01";
    let noise = b"GET / HTTP/1.1\r\nHost: exchange\r\n\r\n".to_vec();
    for bytes in [giant, endless, order, broken, noise] {
        let mut stream = connect(&running);
        // The server may be faster than our end of it.
        let _ = stream.write_all(&bytes);
        assert!(
            is_ended(&stream),
            "{}",
            bytes
                .escape_ascii()
                .take(40)
                .map(char::from)
                .collect::<String>()
        );
    }
    let mut alice = log_on("ALICE", Version::Fix44, &running);
    alice
        .send(&running::order(b"A1", Side::Buy, 10, 1_000))
        .unwrap();
    assert_eq!(report(&mut alice).1, ExecType::New);
    drop(alice);
    assert_eq!(running.stop().connections.not_logon, 5);
}

#[test]
fn a_giant_or_broken_message_within_a_session_costs_its_sender_only() {
    let running = Running::start(None);
    let mut bob = log_on("BOB", Version::Fix42, &running);
    let now = wire_time();
    let mut stream = connect(&running);
    let logon = format!("35=A|34=1|49=ALICE|56=TICKWIRE|52={now}|98=0|108=30|141=Y|");
    stream.write_all(&framed(&logon)).unwrap();
    let mut answer = [0; 1_024];
    let length = stream.read(&mut answer).unwrap();
    assert!(
        answer[..length]
            .windows(6)
            .any(|bytes| bytes == b"\x0135=A\x01")
    );
    // A message with a wrong CheckSum, then one of many megabytes, then garbage, then an order after all that.
    let header = |sequence| format!("34={sequence}|49=ALICE|56=TICKWIRE|52={now}|");
    let wanted = format!(
        "35=D|{}11=X1|21=1|55=ABC|54=1|60={now}|38=10|40=2|44=9.00|",
        header(2)
    );
    let mut wrong = framed(&wanted);
    *wrong.last_chunk_mut::<4>().unwrap() = *b"999\x01";
    let giant = framed(&format!("35=D|{}58={}|", header(2), "x".repeat(4_000_000)));
    for bytes in [
        wrong,
        giant,
        b"garbage\x01\x01=\x01".to_vec(),
        framed(&wanted),
    ] {
        stream.write_all(&bytes).unwrap();
    }
    // Read until the order's report: the session has recovered.
    let mut heard = vec![];
    while !heard.windows(7).any(|bytes| bytes == b"\x0111=X1\x01") {
        let length = stream.read(&mut answer).unwrap();
        assert!(length > 0, "{}", heard.escape_ascii());
        heard.extend_from_slice(&answer[..length]);
    }
    bob.send(&order(b"B1", Side::Sell, 10, 900)).unwrap();
    assert_eq!(report(&mut bob).1, ExecType::New);
    assert_eq!(report(&mut bob).1, ExecType::Fill);
    drop((bob, stream));
    assert_eq!(running.stop().messages, 2);
}

#[test]
fn a_client_that_vanishes_in_mid_message_can_come_back_and_nothing_was_acted_on() {
    let running = Running::start(None);
    let now = wire_time();
    let mut stream = connect(&running);
    let logon = format!("35=A|34=1|49=ALICE|56=TICKWIRE|52={now}|98=0|108=30|141=Y|");
    stream.write_all(&framed(&logon)).unwrap();
    let _ = stream.read(&mut [0; 1_024]).unwrap();
    let order = format!(
        "35=D|34=2|49=ALICE|56=TICKWIRE|52={now}|11=X1|21=1|55=ABC|54=1|60={now}|38=10|40=2|44=9.00|"
    );
    let order = framed(&order);
    stream.write_all(&order[..order.len() - 9]).unwrap();
    drop(stream);
    // The end of the old connection may be seen a moment later than the new one.
    let mut alice = client("ALICE", Version::Fix44);
    let back = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        alice.connect(running.address).unwrap();
        alice.wait(PATIENCE).unwrap() == Some(Event::LoggedOn)
    });
    assert!(back);
    drop(alice);
    let counters = running.stop();
    assert_eq!((counters.messages, counters.answers), (0, 0));
}

/// The time as FIX writes it.
fn wire_time() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let time = formats::fix::Timestamp(now.unwrap().as_nanos() as u64);
    let mut buffer = [0; 256];
    let mut encoder = formats::fix::Encoder::new(&mut buffer, b"FIX.4.4", b"0");
    encoder.field(52, &time);
    let length = encoder.finish().unwrap();
    let text = String::from_utf8(buffer[..length].to_vec()).unwrap();
    let field = text
        .split('\x01')
        .find_map(|field| field.strip_prefix("52="));
    field.unwrap().to_owned()
}
