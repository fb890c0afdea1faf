//! The order log in FAST: what its decoder, the shipped map and a book make of it are the exchange's own books, whatever the lines lose.
//!
//! Each test runs with the templates that this project ships, and with the Moscow Exchange's where they are (`../shared/data`).

use crate::common;
mod content;
mod generated;
mod hostile;
mod reader;
mod recorded;
mod recovery;
mod templates;

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use common::{NOW, act, exchange};
use decoder::fast::Map;
use exchange::{Exchange, FastPublisher, Line};
use fast::{Framing, Settings, Templates};
use reader::{Reader, engine_orders};

/// Every packet begins with empty dictionaries.
const SETTINGS: fn() -> Settings = || Settings {
    reset_each_packet: true,
    ..Settings::default()
};

/// A file of this project.
fn of_project(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(path)).unwrap()
}

/// The template files to test with.
fn template_files() -> Vec<Templates> {
    let mut files = vec![of_project("desks/fast/order-log.xml")];
    let moex = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/moex-templates/asts-2017-03.xml");
    match fs::read_to_string(&moex) {
        Ok(text) => files.push(text),
        Err(_) => eprintln!("skipped with the Moscow Exchange's templates: they are absent"),
    }
    let parse = |text: &String| Templates::parse(text).unwrap();
    files.iter().map(parse).collect()
}

fn map() -> Map {
    Map::parse(&of_project("desks/fast/moex-order-log.toml")).unwrap()
}

/// Packets that a line was given.
type Sent = Rc<RefCell<Vec<Vec<u8>>>>;

/// A line that remembers its packets.
fn line() -> (Box<dyn Line>, Sent) {
    let sent = Sent::default();
    let packets = Rc::clone(&sent);
    let line = move |packet: &[u8]| packets.borrow_mut().push(packet.to_vec());
    (Box::new(line), sent)
}

/// The exchange after some requests, with a publisher on one line and one of snapshots; what they were given so far.
fn published(templates: &Templates, requests: u64, cycle: u64) -> (Exchange, Sent, Sent) {
    let mut exchange = exchange();
    for number in 0..requests {
        act(&mut exchange, number, &mut ());
    }
    let ((line, log), (snapshots, cycle_of)) = (line(), line());
    let publisher = FastPublisher::new(templates, vec![line]).unwrap();
    let publisher = publisher.with_snapshots(vec![snapshots], cycle).unwrap();
    exchange.publish(Box::new(publisher), NOW);
    (exchange, log, cycle_of)
}

#[test]
fn the_books_of_a_reader_are_the_exchanges_after_every_request() {
    for templates in template_files() {
        let (mut exchange, log, _) = published(&templates, 500, 0);
        let mut reader = Reader::new(&templates);
        let mut orders = 0;
        for number in 500..6_000 {
            act(&mut exchange, number, &mut ());
            for packet in log.borrow_mut().drain(..) {
                reader.packet(&packet);
            }
            let expected = engine_orders(&exchange);
            assert_eq!(reader.orders(), expected, "request {number}");
            assert!(reader.is_tradable(), "request {number}");
            orders += expected.len();
        }
        assert!(orders > 100_000, "{orders} orders compared");
    }
}

#[test]
fn both_lines_carry_the_same_packets_each_decoded_alone_and_within_a_frame() {
    for templates in template_files() {
        let mut exchange = exchange();
        // So many orders that the first commit does not fit into one packet.
        for number in 0..3_000 {
            act(&mut exchange, number, &mut ());
        }
        let ((a, sent_a), (b, sent_b)) = (line(), line());
        let publisher = FastPublisher::new(&templates, vec![a, b]).unwrap();
        exchange.publish(Box::new(publisher), NOW);
        let begun = sent_a.borrow().len();
        assert!(begun > 1, "{begun} packets for the books");
        for number in 3_000..3_300 {
            act(&mut exchange, number, &mut ());
        }
        exchange.heartbeat(NOW);
        assert_eq!(*sent_a.borrow(), *sent_b.borrow());
        let mut messages = fast::MessageBuilder::new(&templates);
        let json = fast::Json::new(&templates);
        for (packet, number) in sent_a.borrow().iter().zip(1_u32..) {
            assert!(packet.len() <= 1_472);
            let mut decoder = fast::Decoder::with(&templates, SETTINGS());
            let frame = Framing::Preamble.next(&mut decoder, packet, 0, &mut messages);
            let frame = frame.unwrap();
            assert_eq!(frame.sequence, Some(number));
            assert_eq!(frame.end, packet.len());
            let taken = messages.take();
            assert_eq!(taken.len(), 1);
            let text: serde_json::Value = serde_json::from_str(&json.write(&taken[0])).unwrap();
            assert_eq!(text["fields"]["MsgSeqNum"], number);
        }
    }
}
