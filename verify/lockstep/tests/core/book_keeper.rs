//! The host keeps the windows of the core's books around a market that wanders far, while the feed goes on.

use std::collections::VecDeque;

use book::{Book, Status};
use cosim::{Core, Frame, Preset, Setup};
use decoder::Itch;
use device::{BOOK_LEVELS, BookKeeper, BookLevel, BookNews, BookWindow, Driver};
use formats::event::Source;
use formats::itch::{
    AddOrder, Head, Message, OrderCancel, OrderDelete, OrderExecuted, OrderReplace, Trade, Version,
};
use formats::{Event, FeedInfo, Listener, Side, Symbol, mold};
use instrument::{Listing, Table};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::count::count;

const TICK: u32 = 100;
const PRICE: u32 = 5_850_000;
const SYMBOLS: usize = 2;
/// Idle bytes between two packets.
const GAPS: [u32; 3] = [12, 400, 4_000];

/// What the host hears: instruments by their symbol.
struct Heard<'a> {
    table: &'a Table,
    keeper: &'a mut BookKeeper,
}

impl Listener for Heard<'_> {
    fn frame(&mut self, info: &FeedInfo) {
        self.keeper.frame(info);
    }

    fn event(&mut self, event: &Event) {
        self.keeper.event(&self.table.resolve(event));
    }
}

#[derive(Clone, Copy)]
struct Live {
    id: u64,
    instrument: usize,
    side: Side,
    price: u32,
    shares: u32,
}

struct Market {
    setup: Setup,
    driver: Driver<Core>,
    keeper: BookKeeper,
    itch: Itch,
    table: Table,
    /// What the core gets before the host does.
    late: VecDeque<Vec<u8>>,
    random: ChaCha8Rng,
    packet: mold::Builder,
    live: Vec<Live>,
    next_id: u64,
    middle: [u32; SYMBOLS],
    news: Vec<BookNews>,
}

impl Market {
    fn new(seed: u64) -> Self {
        let symbols: Vec<Symbol> = ["AAA", "BBB"].map(|name| name.parse().expect("one")).into();
        let setup = Setup::example(Version::V41, &symbols);
        let mut driver = setup.core_of(Preset::with_book()).expect("a core");
        let mut keeper = BookKeeper::new();
        let mut table = Table::new(SYMBOLS);
        let window = BookWindow::around(PRICE, TICK).expect("it fits");
        for (index, symbol) in symbols.iter().enumerate() {
            table.set(Source::Feed, index, Some(Listing::itch(*symbol)));
            assert!(keeper.keep(index as u8, window));
            assert!(
                driver
                    .set_book_window(index as u8, &window)
                    .expect("a core")
            );
            assert!(driver.set_book_tradable(index as u8, 1).expect("a core"));
        }
        let mut market = Market {
            setup,
            driver,
            keeper,
            itch: Itch::new(Version::V41),
            table,
            late: VecDeque::new(),
            random: ChaCha8Rng::seed_from_u64(seed),
            packet: mold::Builder::new(*b"KEEPER    ", 1),
            live: Vec::new(),
            next_id: 1,
            middle: [PRICE; SYMBOLS],
            news: Vec::new(),
        };
        // A day begins without orders.
        let opening = Trade {
            head: Head::default(),
            order_reference: 0,
            side: Side::Buy,
            shares: 1,
            stock: symbols[0],
            price: PRICE,
            match_number: 0,
        };
        market.send(&[opening.into()]);
        market
    }

    fn add(&mut self, instrument: usize, side: Side, price: u32) -> Message {
        let (id, shares) = (self.next_id, self.random.random_range(1..500));
        self.next_id += 1;
        self.live.push(Live {
            id,
            instrument,
            side,
            price,
            shares,
        });
        let stock = ["AAA", "BBB"][instrument].parse().expect("a symbol");
        AddOrder {
            head: Head::default(),
            order_reference: id,
            side,
            shares,
            stock,
            price,
        }
        .into()
    }

    /// Mostly near the middle; some beyond the window.
    fn price(&mut self, instrument: usize, side: Side) -> u32 {
        let away = match self.random.random_range(0..20) {
            0 => self.random.random_range(4_200..9_000),
            _ => self.random.random_range(1..60),
        };
        let middle = self.middle[instrument];
        match side {
            Side::Buy => middle.saturating_sub(away * TICK),
            Side::Sell => middle + away * TICK,
        }
    }

    fn message(&mut self) -> Message {
        let head = Head::default();
        // An order that the market has passed leaves first.
        let middle = self.middle;
        let passed = self.live.iter().position(|order| {
            let middle = middle[order.instrument];
            match order.side {
                Side::Buy => order.price >= middle,
                Side::Sell => order.price <= middle,
            }
        });
        let kind = self.random.random_range(0..20);
        let chosen = (!self.live.is_empty()).then(|| self.random.random_range(0..self.live.len()));
        let few = self.live.len() < 80;
        let at = match (passed, chosen) {
            (Some(at), _) => at,
            (None, Some(at)) if kind < if few { 8 } else { 13 } => at,
            _ => {
                let instrument = self.random.random_range(0..SYMBOLS);
                let side = *[Side::Buy, Side::Sell]
                    .choose(&mut self.random)
                    .expect("two");
                let price = self.price(instrument, side);
                return self.add(instrument, side, price);
            }
        };
        let order = self.live[at];
        let part = self.random.random_range(1..=order.shares);
        let order_reference = order.id;
        if passed.is_none() && kind < 5 {
            self.live[at].shares -= part;
            if self.live[at].shares == 0 {
                self.live.swap_remove(at);
            }
            return if kind < 3 {
                OrderExecuted {
                    head,
                    order_reference,
                    executed_shares: part,
                    match_number: 0,
                }
                .into()
            } else {
                OrderCancel {
                    head,
                    order_reference,
                    cancelled_shares: part,
                }
                .into()
            };
        }
        self.live.swap_remove(at);
        if passed.is_some() || kind % 2 == 0 {
            return OrderDelete {
                head,
                order_reference,
            }
            .into();
        }
        let price = self.price(order.instrument, order.side);
        let id = self.next_id;
        self.next_id += 1;
        self.live.push(Live {
            id,
            price,
            shares: part,
            ..order
        });
        OrderReplace {
            head,
            order_reference,
            new_order_reference: id,
            shares: part,
            price,
        }
        .into()
    }

    fn packet(&mut self) {
        let count = self.random.random_range(1..=5);
        let messages: Vec<Message> = (0..count).map(|_| self.message()).collect();
        self.send(&messages);
        for _ in 0..self.random.random_range(0..12) {
            self.work();
        }
    }

    fn send(&mut self, messages: &[Message]) {
        let payload = self.payload(messages);
        self.queue(&payload);
        self.late.push_back(payload);
        // The host is before the core, or after it.
        while self.late.len() > self.random.random_range(0..4) {
            self.hear();
        }
    }

    fn payload(&mut self, messages: &[Message]) -> Vec<u8> {
        for message in messages {
            let mut bytes = Vec::new();
            message.emit(Version::V41, &mut bytes).expect("it fits");
            self.packet.push(&bytes).expect("it fits");
        }
        let payload = self.packet.bytes().to_vec();
        self.packet.next_packet();
        payload
    }

    fn queue(&mut self, payload: &[u8]) {
        let mut frame = Vec::new();
        let headers = self.setup.feed();
        headers.emit(payload, &mut frame).expect("it fits");
        let gap = *GAPS.choose(&mut self.random).expect("some");
        self.driver.registers().queue(Frame {
            gap,
            ..Frame::new(&frame)
        });
    }

    fn hear(&mut self) {
        if let Some(payload) = self.late.pop_front() {
            let mut heard = Heard {
                table: &self.table,
                keeper: &mut self.keeper,
            };
            self.itch.datagram(&payload, &mut heard);
        }
    }

    fn work(&mut self) {
        let news = self
            .keeper
            .work(&mut self.driver)
            .expect("the core answers");
        self.news.extend(news);
    }

    /// Until both have everything; then both books are the same.
    fn compare(&mut self) {
        while !self.late.is_empty() {
            self.hear();
        }
        assert!(self.driver.registers().run_until_idle(), "the core rests");
        self.driver.registers().run(2_000);
        let mut works = 0;
        let mut rests = false;
        while !rests {
            self.work();
            works += 1;
            assert!(works < 20_000, "it never rests: {:?}", self.news.last());
            let rested = !self.keeper.is_rebuilding();
            self.work();
            rests = rested && !self.keeper.is_rebuilding();
        }
        assert_eq!(
            self.driver.tradable_books().expect("a core") & 3,
            3,
            "{:?}",
            self.news
        );
        for instrument in 0..SYMBOLS {
            let window = self.window(instrument);
            for side in [Side::Buy, Side::Sell] {
                let read = self
                    .driver
                    .book_levels(instrument as u8, side)
                    .expect("a core");
                let expected = levels(self.keeper.book(), instrument, side, &window);
                assert_eq!(read, Some(expected), "{side:?} of {instrument}");
            }
        }
    }

    fn window(&self, instrument: usize) -> BookWindow {
        let last = self.news.iter().rev().find_map(|news| match news {
            BookNews::Tradable {
                instrument: place,
                window,
            } if usize::from(*place) == instrument => Some(*window),
            _ => None,
        });
        last.unwrap_or(BookWindow::around(PRICE, TICK).expect("it fits"))
    }
}

/// The best levels of the copy, inside of the window.
fn levels(book: &Book, instrument: usize, side: Side, window: &BookWindow) -> Vec<BookLevel> {
    assert_eq!(book.status(instrument as u32), Some(Status::Tradable));
    let inside = window.low_price()..window.end_price();
    let levels = book.levels(instrument as u32, side).map(|level| BookLevel {
        price: level.price as u32,
        quantity: level.quantity as u32,
        orders: level.orders as u16,
    });
    levels
        .filter(|level| inside.contains(&level.price))
        .take(BOOK_LEVELS)
        .collect()
}

fn moves(news: &[BookNews]) -> usize {
    let moved = |news: &&BookNews| matches!(news, BookNews::Tradable { .. });
    news.iter().filter(moved).count()
}

#[test]
fn the_window_of_a_book_with_orders_follows_the_market() {
    let mut market = Market::new(3);
    for _ in 0..40 {
        market.packet();
    }
    market.compare();
    assert_eq!(moves(&market.news), 0);
    let mut compared = 0;
    for step in 0..count(400, 20_000) {
        // One rises for a long time and then falls, the other the other way round.
        let rises = step % 400 < 200;
        for (place, middle) in market.middle.iter_mut().enumerate() {
            let ticks = market.random.random_range(0..60) * TICK;
            *middle = if (place == 0) == rises {
                *middle + ticks
            } else {
                *middle - ticks
            };
        }
        market.packet();
        if step % 40 == 39 {
            market.compare();
            compared += 1;
        }
    }
    let moves = moves(&market.news);
    println!("{moves} windows moved, {compared} comparisons");
    assert!(moves >= 8, "{moves}: {:?}", market.news);
}

#[test]
fn a_price_better_than_the_window_is_told_and_the_window_follows() {
    let mut market = Market::new(4);
    for _ in 0..20 {
        market.packet();
    }
    market.compare();
    for jump in [9_000, 20_000] {
        let before = moves(&market.news);
        market.middle[0] += jump * TICK;
        for _ in 0..40 {
            market.packet();
        }
        market.compare();
        assert!(moves(&market.news) > before, "{:?}", market.news);
        let window = market.window(0);
        assert!((window.low_price()..window.end_price()).contains(&market.middle[0]));
    }
}

/// A rebuild ends at a message that both have: not before the core has it, and not before the host has it.
#[test]
fn a_rebuild_ends_where_the_core_and_the_host_have_the_same() {
    for host_first in [true, false] {
        let mut market = Market::new(5);
        for _ in 0..30 {
            market.packet();
        }
        market.compare();
        market.middle[0] += 3_000 * TICK;
        while !market.keeper.is_rebuilding() {
            let messages: Vec<_> = (0..4).map(|_| market.message()).collect();
            market.send(&messages);
            while !market.late.is_empty() {
                market.hear();
            }
            assert!(market.driver.registers().run_until_idle());
            market.work();
        }
        let messages = [market.add(0, Side::Sell, market.middle[0] + TICK)];
        let payload = market.payload(&messages);
        if host_first {
            market.late.push_back(payload.clone());
            market.hear();
        } else {
            market.queue(&payload);
            assert!(market.driver.registers().run_until_idle());
        }
        for _ in 0..400 {
            market.work();
        }
        assert!(market.keeper.is_rebuilding(), "host first: {host_first}");
        assert_eq!(market.driver.tradable_books().expect("a core") & 3, 2);
        if host_first {
            market.queue(&payload);
        } else {
            market.late.push_back(payload);
        }
        market.compare();
    }
}
