//! Books that lost messages and are rebuilt: they are those of a pipeline that lost nothing.

use book::{Book, OrderView};
use feed::generate::{Settings, generate, symbol};
use formats::binary_file;
use pipeline::{Backlog, Fit, OnFeed, RebuildError};

use super::*;

const A: u32 = 1;

/// A day of two symbols, of which A is traded.
fn day(version: Version, seed: u64) -> Vec<Vec<u8>> {
    let settings = Settings {
        version,
        symbols: 2,
        messages: 3_000,
        seconds: 10,
        seed,
    };
    let mut file = vec![];
    generate(&settings, &mut file, |_| ()).unwrap();
    let messages = binary_file::Messages::new(&file).flatten();
    messages.map(<[u8]>::to_vec).collect()
}

fn config_of(version: Version) -> TradingConfig {
    let mut config = config(version, &[Side::Buy]);
    let traded = config.instruments[A as usize].as_mut().unwrap();
    traded.feed = Some(OnFeed {
        symbol: symbol(0),
        tick: 1,
    });
    config.book = BookLimits::UNLIMITED;
    config
}

/// Everything in the book of A: orders in the order in which they would trade.
fn orders(book: &Book) -> Vec<OrderView> {
    let sides = [Side::Buy, Side::Sell];
    let levels = sides.map(|side| book.levels(A, side).map(move |level| (side, level.price)));
    let levels = levels.into_iter().flatten();
    levels
        .flat_map(|(side, price)| book.queue(A, side, price))
        .collect()
}

/// What an exchange would send of this book.
fn snapshot(book: &Book, version: Version) -> Vec<Vec<u8>> {
    let message = |order: OrderView| {
        let message = Message::AddOrder(AddOrder {
            // That of the generator's first symbol.
            head: Head {
                stock_locate: u16::from(version == Version::V50),
                ..Head::default()
            },
            order_reference: order.id,
            side: order.side,
            shares: order.quantity,
            stock: symbol(0),
            price: order.price as u32,
        });
        let mut bytes = vec![];
        message.emit(version, &mut bytes).unwrap();
        bytes
    };
    orders(book).into_iter().map(message).collect()
}

/// The same numbers each time (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % bound as u64) as usize
    }
}

/// A pipeline that hears all, one that does not, and the packets.
struct Pair {
    all: Bench,
    lossy: Bench,
    backlog: Backlog,
    packets: Vec<Vec<u8>>,
    at: usize,
}

impl Pair {
    fn new(version: Version, seed: u64, numbers: &mut Numbers) -> Self {
        let config = config_of(version);
        let (mut packets, mut next) = (vec![], 1);
        let messages = day(version, seed);
        let mut rest = &messages[..];
        while !rest.is_empty() {
            let (head, tail) = rest.split_at(rest.len().min(1 + numbers.below(5)));
            packets.push(datagram(next, head));
            next += head.len() as u64;
            rest = tail;
        }
        Pair {
            all: Bench::new(&config),
            lossy: Bench::new(&config),
            backlog: Backlog::new(1 << 20),
            packets,
            at: 0,
        }
    }

    /// Lets so many packets come, or be lost by one of them.
    fn packets(&mut self, count: usize, lost: bool) {
        for packet in &self.packets[self.at..self.at + count] {
            self.all.bytes(packet);
            if !lost {
                self.lossy.bytes(packet);
                self.backlog.record(packet);
            }
        }
        self.at += count;
    }

    fn same_books(&self) {
        let (all, lossy) = (self.all.trading.book(), self.lossy.trading.book());
        assert_eq!(orders(lossy), orders(all));
        assert_eq!(lossy.top(A), all.top(A));
        assert_eq!(lossy.status(A), Some(Status::Tradable));
    }
}

fn rebuilds(version: Version) {
    let mut restored = 0;
    for seed in 0..40 {
        let numbers = &mut Numbers(seed);
        let mut pair = Pair::new(version, seed, numbers);
        // In some of the days the directory is lost, and the feed begins in the middle.
        let before = if seed % 4 == 0 {
            0
        } else {
            1 + numbers.below(300)
        };
        pair.packets(before, false);
        pair.packets(1 + numbers.below(100), true);
        pair.packets(1 + numbers.below(20), false);
        let cause = if before == 0 {
            Cause::NewSession
        } else {
            Cause::Gap
        };
        assert_eq!(
            pair.lossy.trading.status(A),
            Some(Status::Untradable(cause))
        );
        // Now a snapshot is asked for; it is taken later, and comes later.
        let (session, next) = pair.lossy.trading.position().unwrap();
        pair.backlog.begin(session, next);
        pair.packets(numbers.below(10), false);
        let (taken, number) = (
            snapshot(pair.all.trading.book(), version),
            pair.all.trading.position(),
        );
        let (session, number) = number.unwrap();
        let late = numbers.below(50);
        pair.packets(late, false);
        assert_eq!(pair.backlog.fit(session, number), Fit::Fits);
        let messages = taken.iter().map(Vec::as_slice);
        let sent = pair.lossy.record.sent.len();
        let rebuilt = pair
            .lossy
            .trading
            .rebuild(A, messages, session, number, &pair.backlog);
        let rebuilt = rebuilt.unwrap();
        assert_eq!(rebuilt.orders, taken.len() as u64);
        assert!(late < 20 || rebuilt.since > 0, "{rebuilt:?}");
        pair.same_books();
        restored += taken.len();
        // It goes on as the other, and trades again.
        pair.lossy.trading.clear_gap();
        for _ in 0..200 {
            pair.packets(1, false);
            pair.same_books();
        }
        assert!(pair.lossy.record.sent.len() > sent, "seed {seed}");
    }
    assert!(restored > 40 * 20, "{restored} orders in all");
}

#[test]
fn a_book_that_lost_messages_is_rebuilt_and_goes_on_as_one_that_lost_none() {
    rebuilds(Version::V50);
}

#[test]
fn the_same_without_locate_codes() {
    rebuilds(Version::V41);
}

#[test]
fn a_snapshot_that_does_not_fit_changes_nothing() {
    let mut pair = Pair::new(Version::V50, 3, &mut Numbers(3));
    pair.packets(100, false);
    pair.packets(5, true);
    pair.packets(1, false);
    let (session, next) = pair.lossy.trading.position().unwrap();
    pair.backlog.begin(session, next);
    pair.packets(5, false);
    let end = pair.lossy.trading.position().unwrap().1;
    let gap = Some(Status::Untradable(Cause::Gap));
    for (session, number, fit) in [
        (*b"OTHER     ", end, Fit::OtherSession),
        (session, next - 1, Fit::TooOld),
        (session, end + 1, Fit::Ahead),
    ] {
        assert_eq!(pair.backlog.fit(session, number), fit);
        let rebuilt = pair
            .lossy
            .trading
            .rebuild(A, [].into_iter(), session, number, &pair.backlog);
        assert_eq!(rebuilt, Err(RebuildError::Unfit));
        assert_eq!(pair.lossy.trading.status(A), gap);
    }
    // After another gap only what came after it can be continued.
    pair.packets(2, true);
    pair.packets(1, false);
    assert_eq!(pair.backlog.fit(session, end), Fit::TooOld);
    // A backlog that is behind the feed is not used.
    let (_, now) = pair.lossy.trading.position().unwrap();
    pair.backlog.begin(session, now - 1);
    let rebuilt = pair
        .lossy
        .trading
        .rebuild(A, [].into_iter(), session, now - 1, &pair.backlog);
    assert_eq!(rebuilt, Err(RebuildError::Unfit));
}

#[test]
fn a_snapshot_that_the_book_does_not_take_leaves_the_instrument_untradable() {
    let mut pair = Pair::new(Version::V50, 4, &mut Numbers(4));
    pair.packets(200, false);
    pair.packets(5, true);
    pair.packets(1, false);
    let (session, next) = pair.lossy.trading.position().unwrap();
    pair.backlog.begin(session, next);
    let good = snapshot(pair.all.trading.book(), Version::V50);
    let mut rebuild = |messages: &[Vec<u8>]| {
        let messages = messages.iter().map(Vec::as_slice);
        let rebuilt = pair
            .lossy
            .trading
            .rebuild(A, messages, session, next, &pair.backlog);
        (rebuilt, pair.lossy.trading.untradable(&[A]))
    };
    let twice = [&good[..], &good[..1]].concat();
    let faulty = book::RebuildError::Faulty(Cause::DuplicateId);
    assert_eq!(rebuild(&twice), (Err(RebuildError::Book(faulty)), vec![A]));
    let mut cut = good.clone();
    cut[0].pop();
    let (rebuilt, untradable) = rebuild(&cut);
    assert!(matches!(rebuilt, Err(RebuildError::Message(_))));
    assert_eq!(untradable, [A]);
    let (rebuilt, untradable) = rebuild(&good);
    assert_eq!(rebuilt.unwrap().orders, good.len() as u64);
    assert!(untradable.is_empty());
    pair.same_books();
}

#[test]
fn a_full_backlog_begins_anew() {
    let mut backlog = Backlog::new(100);
    backlog.begin(SESSION, 1);
    let two = datagram(1, &[ask(1, 100), ask(2, 100)]);
    backlog.record(&two);
    assert_eq!(backlog.fit(SESSION, 1), Fit::Fits);
    backlog.record(&datagram(3, &[ask(3, 100), ask(4, 100)]));
    assert_eq!(
        (backlog.fit(SESSION, 4), backlog.fit(SESSION, 5)),
        (Fit::TooOld, Fit::Fits)
    );
    // A heartbeat that tells of messages that were lost.
    backlog.record(&datagram(9, &[]));
    assert_eq!(
        (backlog.fit(SESSION, 8), backlog.fit(SESSION, 9)),
        (Fit::TooOld, Fit::Fits)
    );
}
