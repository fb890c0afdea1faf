//! Snapshots of a market that goes on: each is the books of a reader of the feed before the number that it names, time priority included.

use crate::common;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::{NOW, act, exchange};
use exchange::ItchPublisher;
use feed::snapshot::{Board, Query, Server, fetch};
use formats::itch::{Message, Version};
use formats::mold::Packet;

const SESSION: [u8; 10] = *b"SESSION001";

/// Orders and their shares by symbol, side and price, the first to trade first.
type Queues = BTreeMap<(String, bool, u32), Vec<(u64, u32)>>;

/// The books of a reader of messages.
#[derive(Default)]
struct Reader {
    queues: Queues,
    places: HashMap<u64, (String, bool, u32)>,
}

impl Reader {
    fn enter(&mut self, place: (String, bool, u32), id: u64, shares: u32) {
        self.queues
            .entry(place.clone())
            .or_default()
            .push((id, shares));
        assert!(self.places.insert(id, place).is_none());
    }

    fn take(&mut self, id: u64, shares: u32) -> (String, bool, u32) {
        let place = self.places[&id].clone();
        let queue = self.queues.get_mut(&place).unwrap();
        let at = queue.iter().position(|(other, _)| *other == id).unwrap();
        queue[at].1 = queue[at].1.saturating_sub(shares);
        if queue[at].1 == 0 {
            queue.remove(at);
            self.places.remove(&id);
        }
        self.queues.retain(|_, queue| !queue.is_empty());
        place
    }

    fn message(&mut self, bytes: &[u8]) {
        match Message::parse(Version::V50, bytes).unwrap() {
            Message::AddOrder(m) => {
                let place = (m.stock.to_string(), m.side == formats::Side::Buy, m.price);
                self.enter(place, m.order_reference, m.shares);
            }
            Message::OrderExecuted(m) => drop(self.take(m.order_reference, m.executed_shares)),
            Message::OrderCancel(m) => drop(self.take(m.order_reference, m.cancelled_shares)),
            Message::OrderDelete(m) => drop(self.take(m.order_reference, u32::MAX)),
            Message::OrderReplace(m) => {
                let (symbol, side, _) = self.take(m.order_reference, u32::MAX);
                self.enter((symbol, side, m.price), m.new_order_reference, m.shares);
            }
            _ => {}
        }
    }
}

#[test]
fn a_snapshot_is_the_book_before_its_number() {
    let mut exchange = exchange();
    for number in 0..500 {
        act(&mut exchange, number, &mut ());
    }
    let messages: Rc<RefCell<Vec<Vec<u8>>>> = Rc::default();
    let line = {
        let messages = Rc::clone(&messages);
        move |packet: &[u8]| {
            let packet = Packet::parse(packet).unwrap();
            messages
                .borrow_mut()
                .extend(packet.messages().map(<[u8]>::to_vec));
        }
    };
    let board = Arc::new(Board::new(SESSION));
    let publisher = ItchPublisher::new(SESSION, vec![Box::new(line)], None);
    let publisher = publisher.with_snapshots(Arc::clone(&board));
    exchange.publish(Box::new(publisher), NOW);
    let server = Server::open("127.0.0.1:0".parse().unwrap(), board).unwrap();
    let query = Query {
        server: server.local_address().unwrap(),
        session: SESSION,
        version: Version::V50,
        symbols: vec!["AAPL".parse().unwrap(), "MSFT".parse().unwrap()],
        patience: Duration::from_secs(20),
        bound: 1 << 20,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let server = std::thread::spawn(move || server.serve(&flag));

    let (mut number, mut orders) = (500, 0);
    for _ in 0..25 {
        for _ in 0..200 {
            number += 1;
            act(&mut exchange, number, &mut ());
        }
        let asked_at = messages.borrow().len() as u64;
        let query = query.clone();
        let fetched = std::thread::spawn(move || fetch(&query));
        while !fetched.is_finished() {
            number += 1;
            act(&mut exchange, number, &mut ());
            exchange.give_snapshots(NOW);
            std::thread::sleep(Duration::from_micros(200));
        }
        let snapshot = fetched.join().unwrap().unwrap();
        let messages = messages.borrow();
        let before = snapshot.next as usize - 1;
        // Not older than the request, not newer than the feed.
        assert!((asked_at as usize..=messages.len()).contains(&before));
        let (mut feed, mut restored) = (Reader::default(), Reader::default());
        messages[..before]
            .iter()
            .for_each(|bytes| feed.message(bytes));
        snapshot
            .messages()
            .for_each(|bytes| restored.message(bytes));
        assert_eq!(restored.queues, feed.queues);
        orders += restored.places.len();
    }
    assert!(orders > 25 * 20, "{orders} orders in all");
    stop.store(true, Ordering::Relaxed);
    assert_eq!(server.join().unwrap().unwrap().sent, 25);
}
