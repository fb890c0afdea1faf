//! A reader of the feed: decoder, map, instruments, book; and the exchange's own books in the same shape.

use book::{Book, Limits, Status};
use decoder::Fast;
use decoder::fast::Cause;
use exchange::Exchange;
use fast::{Framing, Templates};
use formats::{Event, FeedInfo, Listener, Side, Symbol};
use instrument::Table;

use crate::fast::{SETTINGS, map};

/// An order as both have it: instrument, whether it buys, price in 1/10,000, number, quantity; of each side by price and time.
pub type Order = (u32, bool, i64, u64, u64);

/// What decodes and books.
pub struct Reader {
    pub decoder: Fast,
    pub stages: Stages,
}

pub struct Stages {
    pub table: Table,
    pub book: Book,
}

impl Listener for Stages {
    fn frame(&mut self, info: &FeedInfo) {
        self.book.frame(info);
    }

    fn event(&mut self, event: &Event) {
        let event = self.table.resolve(event);
        let event = self.book.with_price(&event);
        self.book.apply(&event);
    }
}

/// The instruments of [`crate::common::exchange`].
pub fn symbols() -> [Symbol; 2] {
    ["AAPL", "MSFT"].map(|symbol| symbol.parse().unwrap())
}

impl Reader {
    pub fn new(templates: &Templates) -> Self {
        Reader {
            decoder: Fast::new(templates, SETTINGS(), Framing::Preamble, &map()).unwrap(),
            stages: Stages {
                table: Table::of_feed(&symbols().map(Some)),
                book: Book::new(2, Limits::UNLIMITED),
            },
        }
    }

    pub fn packet(&mut self, packet: &[u8]) {
        let cause = self.decoder.datagram(packet, &mut self.stages);
        assert_eq!(cause, Cause::Good);
        self.stages.book.verdict(true);
    }

    pub fn is_tradable(&self) -> bool {
        let book = &self.stages.book;
        (0..2).all(|instrument| book.status(instrument) == Some(Status::Tradable))
    }

    pub fn orders(&self) -> Vec<Order> {
        book_orders(&self.stages.book)
    }
}

pub fn book_orders(book: &Book) -> Vec<Order> {
    let mut orders = vec![];
    for instrument in 0..2 {
        for side in [Side::Buy, Side::Sell] {
            for level in book.levels(instrument, side) {
                let queue = book.queue(instrument, side, level.price);
                orders.extend(queue.map(|order| {
                    let (price, quantity) = (order.price, order.quantity.into());
                    (instrument, side == Side::Buy, price, order.id, quantity)
                }));
            }
        }
    }
    orders
}

pub fn engine_orders(exchange: &Exchange) -> Vec<Order> {
    let mut orders = vec![];
    for (instrument, listing) in (0..).zip(exchange.listings()) {
        for side in [Side::Buy, Side::Sell] {
            for order in exchange.engine().orders(instrument, side) {
                let (id, price) = (order.party.id.0, listing.price(order.price));
                let buys = side == Side::Buy;
                orders.push((instrument, buys, price, id, order.party.remaining));
            }
        }
    }
    orders
}
