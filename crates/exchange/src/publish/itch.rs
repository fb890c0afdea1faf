//! The feed as TotalView-ITCH 5.0 over MoldUDP64, the same packets on lines A and B, and remembered for a request server; snapshots of the books beside it.
//!
//! An order in the book is `A`, a trade `E` on the order that was there, a loss of quantity `X`, a replacement `U`, the end `D`. Orders that
//! never enter the book are not published. After a restart the feed is another session that begins with the books as they are.

use std::sync::{Arc, Mutex, PoisonError};

use feed::recovery::History;
use feed::snapshot::Board;
use formats::Side;
use formats::fix::Timestamp;
use formats::itch::{
    AddOrder, Head, Message, OrderCancel, OrderDelete, OrderExecuted, OrderReplace, StockDirectory,
    SystemEvent, Version,
};
use formats::mold::{Builder, HEADER};

use super::Publisher;
use super::line::Line;
use crate::engine::Engine;
use crate::listing::Listing;
use crate::order::{Event, OrderId, Party};

const DAY: u64 = 86_400_000_000_000;
/// The UDP payload of a full Ethernet frame.
const LARGEST_PACKET: usize = feed::packetize::ETHERNET_PAYLOAD;

/// The publisher.
pub struct ItchPublisher {
    builder: Builder,
    lines: Vec<Box<dyn Line>>,
    history: Option<Arc<Mutex<History>>>,
    snapshots: Option<Arc<Board>>,
    listings: Vec<Listing>,
    /// The order that is being replaced, until it is known whether the new one enters the book.
    replaced: Option<(OrderId, OrderId)>,
    message: Vec<u8>,
    /// Packets that may not leave yet, one after the other, and how long each is.
    waiting: (Vec<u8>, Vec<usize>),
}

impl ItchPublisher {
    /// A session of this name on these lines. What is sent is recorded in the history, from which a
    /// [request server](feed::recovery::Server) answers.
    pub fn new(
        session: [u8; 10],
        lines: Vec<Box<dyn Line>>,
        history: Option<Arc<Mutex<History>>>,
    ) -> Self {
        ItchPublisher {
            builder: Builder::new(session, 1),
            lines,
            history,
            snapshots: None,
            listings: vec![],
            replaced: None,
            message: Vec::with_capacity(64),
            waiting: (vec![], vec![]),
        }
    }

    /// It makes snapshots for this board too, from which a [server](feed::snapshot::Server) gives them.
    #[must_use]
    pub fn with_snapshots(mut self, board: Arc<Board>) -> Self {
        self.snapshots = Some(board);
        self
    }

    /// The number the next message will have.
    pub fn next_sequence(&self) -> u64 {
        self.builder.sequence() + u64::from(self.builder.count())
    }

    /// Ends the session.
    pub fn end_session(&mut self) {
        self.flush();
        self.builder.end_session();
        self.complete();
        self.send();
    }

    fn head(&self, instrument: u32, now: Timestamp) -> Head {
        Head {
            // Numbers beyond 16 bits do not fit; locate codes are a convenience of the feed, the symbol is what counts.
            stock_locate: u16::try_from(instrument + 1).unwrap_or(0),
            tracking_number: 0,
            nanoseconds: now.0 % DAY,
        }
    }

    fn push(&mut self, message: &Message) {
        self.message.clear();
        // Cannot fail: the time is below a day, and every type is one of 5.0.
        let _ = message.emit(Version::V50, &mut self.message);
        if self.builder.bytes().len() + 2 + self.message.len() > LARGEST_PACKET {
            self.flush();
        }
        let _ = self.builder.push(&self.message);
    }

    fn flush(&mut self) {
        if self.builder.count() > 0 {
            self.complete();
            self.builder.next_packet();
        }
    }

    /// The packet is complete, and waits.
    fn complete(&mut self) {
        let packet = self.builder.bytes();
        self.waiting.0.extend_from_slice(packet);
        self.waiting.1.push(packet.len());
    }

    /// Sends what waits.
    fn send(&mut self) {
        let mut rest = self.waiting.0.as_slice();
        for length in &self.waiting.1 {
            let Some((packet, others)) = rest.split_at_checked(*length) else {
                break;
            };
            rest = others;
            if let Some(history) = &self.history
                && packet.len() > HEADER
            {
                history
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .record(packet);
            }
            for line in &mut self.lines {
                line.send(packet);
            }
        }
        self.waiting.0.clear();
        self.waiting.1.clear();
    }

    fn add(&mut self, instrument: u32, order: &Party, side: Side, price: i64, now: Timestamp) {
        if let Some(message) = self.order(instrument, order, side, price, now) {
            self.push(&message);
        }
    }

    /// The message of an order that enters; `None`: of an instrument that is not there.
    fn order(
        &self,
        instrument: u32,
        order: &Party,
        side: Side,
        price: i64,
        now: Timestamp,
    ) -> Option<Message> {
        let listing = self.listings.get(instrument as usize)?;
        Some(Message::AddOrder(AddOrder {
            head: self.head(instrument, now),
            order_reference: order.id.0,
            side,
            shares: order.remaining as u32,
            stock: listing.symbol,
            price: listing.price(price) as u32,
        }))
    }

    /// The messages of all instruments.
    fn directory(&self, now: Timestamp) -> impl Iterator<Item = Message> + '_ {
        (0..).zip(&self.listings).map(move |(instrument, listing)| {
            let head = self.head(instrument, now);
            // b'T': not the production system.
            StockDirectory::of_common_stock(head, listing.symbol, b'T').into()
        })
    }

    /// The messages of all orders in the books: each side by price and time.
    fn orders<'a>(
        &'a self,
        engine: &'a Engine,
        now: Timestamp,
    ) -> impl Iterator<Item = Message> + 'a {
        let sides = (0..self.listings.len() as u32)
            .flat_map(|instrument| [(instrument, Side::Buy), (instrument, Side::Sell)]);
        sides.flat_map(move |(instrument, side)| {
            let orders = engine.orders(instrument, side);
            orders.filter_map(move |order| {
                self.order(instrument, &order.party, side, order.price, now)
            })
        })
    }

    fn delete(&mut self, instrument: u32, order: OrderId, now: Timestamp) {
        let order_reference = order.0;
        self.push(&Message::OrderDelete(OrderDelete {
            head: self.head(instrument, now),
            order_reference,
        }));
    }

    /// The order that was replaced has left the book, whatever the new one does.
    fn settle(&mut self, instrument: u32, now: Timestamp) {
        if let Some((old, _)) = self.replaced.take() {
            self.delete(instrument, old, now);
        }
    }
}

impl Publisher for ItchPublisher {
    fn begin(&mut self, listings: &[Listing], engine: &Engine, now: Timestamp) {
        self.listings = listings.to_vec();
        let event = |code| {
            let head = Head {
                nanoseconds: now.0 % DAY,
                ..Head::default()
            };
            Message::SystemEvent(SystemEvent {
                head,
                event_code: code,
            })
        };
        self.push(&event(b'O'));
        self.push(&event(b'S'));
        for message in self.directory(now).collect::<Vec<_>>() {
            self.push(&message);
        }
        self.push(&event(b'Q'));
        for instrument in 0..listings.len() as u32 {
            for side in [Side::Buy, Side::Sell] {
                for order in engine.orders(instrument, side) {
                    self.add(instrument, &order.party, side, order.price, now);
                }
            }
        }
        self.flush();
        self.send();
    }

    fn event(&mut self, event: &Event, now: Timestamp) {
        match *event {
            Event::Rested {
                instrument,
                order,
                side,
                price,
            } => {
                let listing = self.listings.get(instrument as usize).copied();
                match (self.replaced.take(), listing) {
                    (Some((old, new)), Some(listing)) if new == order.id => {
                        let head = self.head(instrument, now);
                        self.push(&Message::OrderReplace(OrderReplace {
                            head,
                            order_reference: old.0,
                            new_order_reference: new.0,
                            shares: order.remaining as u32,
                            price: listing.price(price) as u32,
                        }));
                    }
                    (replaced, _) => {
                        self.replaced = replaced;
                        self.settle(instrument, now);
                        self.add(instrument, &order, side, price, now);
                    }
                }
            }
            Event::Traded {
                instrument,
                match_number,
                quantity,
                maker,
                ..
            } => {
                self.settle(instrument, now);
                let head = self.head(instrument, now);
                self.push(&Message::OrderExecuted(OrderExecuted {
                    head,
                    order_reference: maker.id.0,
                    executed_shares: quantity as u32,
                    match_number,
                }));
            }
            Event::Reduced {
                instrument,
                order,
                removed,
                displayed: true,
                ..
            } if removed > 0 => {
                let head = self.head(instrument, now);
                self.push(&Message::OrderCancel(OrderCancel {
                    head,
                    order_reference: order.id.0,
                    cancelled_shares: removed as u32,
                }));
            }
            Event::Replaced {
                old,
                order,
                displayed: true,
                ..
            } => self.replaced = Some((old, order.id)),
            Event::Removed {
                instrument,
                order,
                displayed: true,
                ..
            } => {
                self.delete(instrument, order.id, now);
            }
            _ => {}
        }
    }

    fn end(&mut self) {
        self.flush();
        self.send();
    }

    fn snapshot(&mut self, engine: &Engine, now: Timestamp) {
        // A replacement whose outcome is not published yet: after it.
        let board = self.snapshots.as_ref().filter(|board| board.is_due());
        let Some(board) = board.filter(|_| self.replaced.is_none()) else {
            return;
        };
        board.make(|packets| {
            let mut bytes = Vec::with_capacity(64);
            for message in self.directory(now).chain(self.orders(engine, now)) {
                bytes.clear();
                // Neither can fail: see `push`.
                let _ = message.emit(Version::V50, &mut bytes);
                let _ = packets.push(&bytes);
            }
            self.next_sequence()
        });
    }

    fn heartbeat(&mut self, _: Timestamp) {
        self.flush();
        self.complete();
        self.send();
    }
}
