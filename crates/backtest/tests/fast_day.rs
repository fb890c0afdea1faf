//! Strategies on an order log in FAST: against a plain book, against the same day in ITCH, and what is counted of a log that is not as it should be.

use std::collections::BTreeMap;

use backtest::{Action, Backtest, Feed, Fill, Latency};
use book::{Cause, Status};
use decoder::Fast;
use decoder::fast::Map;
use fast::{Encoder, Framing, Json, Settings, Templates};
use formats::itch::{AddOrder, Head, Message, OrderCancel, OrderDelete, Version};
use formats::{Side, Symbol, mold};
use language::event::Intent;
use language::{Interpreter, Options, compile, parameters};
use proptest::prelude::*;

const TEMPLATES: &str = include_str!("../../../desks/fast/order-log.xml");
const MAP: &str = include_str!("../../../desks/fast/moex-order-log.toml");
/// 10:00:00, in nanoseconds after midnight.
const TEN: u64 = 36_000_000_000_000;
const NAMES: [&str; 2] = ["ABC", "USD000UTSTOM"];

/// What becomes of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Add(Side, i64, u32),
    /// So much less, and something is left.
    Reduce(u32),
    Delete,
}

/// A step of an order of an instrument.
#[derive(Clone, Copy, Debug)]
struct Entry {
    order: u64,
    instrument: usize,
    step: Step,
    /// Side, price and quantity after it; of what is gone, before it.
    after: (Side, i64, u32),
}

/// The fields of an entry, as the Moscow Exchange has them.
fn entry(entry: &Entry) -> String {
    let (side, price, quantity) = entry.after;
    let action = match entry.step {
        Step::Add(..) => 0,
        Step::Reduce(_) => 1,
        Step::Delete => 2,
    };
    format!(
        r#"{{"MDUpdateAction":{action},"MDEntryType":"{}","MDEntryID":"{}","Symbol":"{}","MDEntryPx":"{price}e-4","MDEntrySize":"{quantity}e0"}}"#,
        side as u8, entry.order, NAMES[entry.instrument]
    )
}

/// A packet: its number, and a message of these entries, sent so many microseconds after ten.
fn packet(number: u32, microseconds: u64, entries: &[String]) -> Vec<u8> {
    let templates = Templates::parse(TEMPLATES).unwrap();
    let time = 170_301_100_000_000_000 + microseconds;
    let entries = entries.join(",");
    let text = format!(
        r#"{{"id":3610,"fields":{{"MsgSeqNum":{number},"SendingTime":{time},"Entries":[{entries}]}}}}"#
    );
    let message = Json::new(&templates).read(&text).unwrap();
    let mut bytes = vec![];
    let mut encoder = Encoder::new(&templates);
    encoder.message(&message, &mut bytes).unwrap();
    let mut payload = vec![];
    Framing::Preamble.put(number, &bytes, &mut payload);
    payload
}

fn fast_feed(map: &str) -> Feed {
    let (templates, map) = (
        Templates::parse(TEMPLATES).unwrap(),
        Map::parse(map).unwrap(),
    );
    let settings = Settings {
        reset_each_packet: true,
        ..Settings::default()
    };
    let tells_time = map.templates.iter().any(|one| one.time.is_some());
    let decoder = Fast::new(&templates, settings, Framing::Preamble, &map).unwrap();
    Feed::fast(decoder, tells_time)
}

/// A strategy that runs, and what it did.
struct Run {
    backtest: Backtest<Interpreter>,
    intents: Vec<(u64, Intent)>,
    fills: Vec<(u64, Fill)>,
}

impl Run {
    /// A strategy with this body, and the instruments of [`NAMES`] as `first` and `second`.
    fn new(feed: Feed, body: &str) -> Self {
        let names: Vec<_> = language::check::imports().collect();
        let source = format!(
            "from tickwire import {}\n\nclass Example(Strategy):\n    first: Instrument = param()\n    second: Instrument = param()\n{body}",
            names.join(", ")
        );
        let options = Options {
            instruments: 2,
            ..Options::default()
        };
        let program = compile(&source, &options);
        let program = program.unwrap_or_else(|messages| panic!("{source}\n{messages}"));
        let values = parameters(&program, [("first", 0), ("second", 1)]).unwrap();
        let machine = Interpreter::new(program.clone(), values);
        let symbols = NAMES.map(|name| Symbol::of_name(name.as_bytes()).unwrap());
        Run {
            backtest: Backtest::new(&program, machine, feed, &symbols).unwrap(),
            intents: vec![],
            fills: vec![],
        }
    }

    fn late(mut self, nanoseconds: u64) -> Self {
        self.backtest = self.backtest.with_latency(Latency::Fixed(nanoseconds));
        self
    }

    fn packet(&mut self, payload: &[u8], captured: u64) {
        let (intents, fills) = (&mut self.intents, &mut self.fills);
        let taken =
            self.backtest
                .datagram(payload, captured, &mut |time, happened| match happened {
                    Action::Intent(intent) => intents.push((time, *intent)),
                    Action::Fill(fill) => fills.push((time, *fill)),
                    Action::Record(_) => {}
                });
        taken.unwrap();
    }
}

/// Buys 10 of the first instrument at each new best offer.
const BUYS: &str = "    last: Price = state(0)
    def on_book(self, book: Book) -> None:
        if book.instrument == self.first and book.ask.exists and book.ask.price != self.last:
            self.last = book.ask.price
            self.buy(self.first, book.ask.price, Quantity(10))
";

/// Quotes both best prices of whatever changed, so that its orders queue; with four of them open it takes the offer.
const QUOTES: &str = "    def on_book(self, book: Book) -> None:
        if book.ask.exists and book.bid.exists:
            if self.open_orders < 4:
                self.buy(book.instrument, book.bid.price, Quantity(7))
                self.sell(book.instrument, book.ask.price, Quantity(5))
            else:
                self.buy(book.instrument, book.ask.price, Quantity(3), time_in_force=TimeInForce.IOC)
";

/// A day: packets of entries, each entry of a live order or of one that enters. An order has 1,000 at first: more than a day of
/// 40 packets buys, 10 a packet.
fn day() -> impl Strategy<Value = Vec<Vec<Entry>>> {
    let step = (any::<bool>(), 0..2_usize, 1..=12_i64, 0..4_u8, any::<u8>());
    let packets = prop::collection::vec(prop::collection::vec(step, 1..4), 1..40);
    packets.prop_map(|packets| {
        let mut live: Vec<(u64, usize, Side, i64, u32)> = vec![];
        let mut next = 1;
        let mut packet = |steps: Vec<(bool, usize, i64, u8, u8)>| {
            let entry = |(buys, instrument, price, what, which): (bool, usize, i64, u8, u8)| {
                if live.is_empty() || what < 2 {
                    let side = if buys { Side::Buy } else { Side::Sell };
                    let price = price * 100 + if buys { 0 } else { 600 };
                    live.push((next, instrument, side, price, 1_000));
                    next += 1;
                    return Entry {
                        order: next - 1,
                        instrument,
                        step: Step::Add(side, price, 1_000),
                        after: (side, price, 1_000),
                    };
                }
                let place = usize::from(which) % live.len();
                let (order, instrument, side, price, quantity) = live[place];
                if what == 2 && quantity > 500 {
                    live[place].4 = quantity - 5;
                    return Entry {
                        order,
                        instrument,
                        step: Step::Reduce(5),
                        after: (side, price, quantity - 5),
                    };
                }
                live.remove(place);
                Entry {
                    order,
                    instrument,
                    step: Step::Delete,
                    after: (side, price, quantity),
                }
            };
            steps.into_iter().map(entry).collect()
        };
        packets.into_iter().map(&mut packet).collect()
    })
}

/// The same packet in ITCH.
fn in_itch(number: u64, nanoseconds: u64, entries: &[Entry]) -> Vec<u8> {
    let mut packet = mold::Builder::new(*b"BACKTEST  ", number);
    for entry in entries {
        let head = Head {
            stock_locate: entry.instrument as u16 + 1,
            nanoseconds,
            ..Head::default()
        };
        let order_reference = entry.order;
        let message: Message = match entry.step {
            Step::Add(side, price, shares) => AddOrder {
                head,
                order_reference,
                side,
                shares,
                stock: Symbol::of_name(NAMES[entry.instrument].as_bytes()).unwrap(),
                price: price as u32,
            }
            .into(),
            Step::Reduce(cancelled_shares) => OrderCancel {
                head,
                order_reference,
                cancelled_shares,
            }
            .into(),
            Step::Delete => OrderDelete {
                head,
                order_reference,
            }
            .into(),
        };
        let mut bytes = vec![];
        message.emit(Version::V50, &mut bytes).unwrap();
        packet.push(&bytes).unwrap();
    }
    packet.bytes().to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn each_new_best_offer_of_a_plain_book_is_bought_at_the_logs_time(day in day()) {
        let mut run = Run::new(fast_feed(MAP), BUYS);
        let (mut offers, mut last, mut expected) = (BTreeMap::new(), None, vec![]);
        for (number, entries) in (1..).zip(&day) {
            for entry in entries.iter().filter(|entry| entry.instrument == 0) {
                let (side, price, _) = entry.after;
                match entry.step {
                    _ if side == Side::Buy => {}
                    Step::Delete => {
                        offers.remove(&entry.order);
                    }
                    _ => {
                        offers.insert(entry.order, price);
                    }
                }
            }
            let best = offers.values().min().copied();
            if let Some(price) = best.filter(|price| last != Some(*price)) {
                last = Some(price);
                expected.push((TEN + u64::from(number) * 3_000, price));
            }
            let texts: Vec<_> = entries.iter().map(entry).collect();
            run.packet(&packet(number, u64::from(number) * 3, &texts), 0);
        }
        let bought: Vec<_> = run.fills.iter().map(|(time, fill)| (*time, fill.price)).collect();
        prop_assert_eq!(&bought, &expected);
        // At least 500 were offered each time, so all of an order trades at once.
        prop_assert!(run.fills.iter().all(|(_, fill)| fill.quantity == 10));
        let holding = run.backtest.holdings()[0];
        prop_assert_eq!(holding.position, 10 * expected.len() as i64);
        let paid: i64 = expected.iter().map(|(_, price)| 10 * price).sum();
        prop_assert_eq!(holding.cash, -i128::from(paid));
    }

    #[test]
    fn the_same_day_in_fast_and_in_itch_gives_the_same_orders_and_fills(
        day in day(),
        latency in prop_oneof![Just(0_u64), 1..20_000_u64],
    ) {
        let mut fast = Run::new(fast_feed(MAP), QUOTES).late(latency);
        let mut itch = Run::new(Feed::itch(Version::V50), QUOTES).late(latency);
        let mut messages = 1;
        for (number, entries) in (1..).zip(&day) {
            let texts: Vec<_> = entries.iter().map(entry).collect();
            let microseconds = u64::from(number) * 3;
            fast.packet(&packet(number, microseconds, &texts), 0);
            // A symbol of ITCH has eight characters: a longer one's key is in the message all the same.
            itch.packet(&in_itch(messages, TEN + microseconds * 1_000, entries), 0);
            messages += entries.len() as u64;
        }
        prop_assert_eq!(fast.intents, itch.intents);
        prop_assert_eq!(fast.fills, itch.fills);
        prop_assert_eq!(fast.backtest.holdings(), itch.backtest.holdings());
        prop_assert_eq!(fast.backtest.counts(), itch.backtest.counts());
    }
}

fn offer(order: u64, instrument: usize, price: i64) -> String {
    let step = Step::Add(Side::Sell, price, 30);
    let after = (Side::Sell, price, 30);
    entry(&Entry {
        order,
        instrument,
        step,
        after,
    })
}

#[test]
fn a_map_without_times_takes_those_of_the_capture_after_its_first_midnight() {
    let timeless: String = MAP
        .lines()
        .filter(|line| !line.starts_with("time = "))
        .map(|line| format!("{line}\n"))
        .collect();
    const DAY: u64 = 86_400_000_000_000;
    let mut run = Run::new(fast_feed(&timeless), BUYS);
    run.packet(&packet(1, 0, &[offer(1, 0, 10_000)]), 17_000 * DAY + 5);
    run.packet(&packet(2, 0, &[offer(2, 0, 9_000)]), 17_001 * DAY + 7);
    let times: Vec<_> = run.fills.iter().map(|(time, _)| *time).collect();
    assert_eq!(times, [5, DAY + 7]);
}

#[test]
fn what_is_wrong_with_a_log_is_counted_and_makes_its_books_untradable() {
    let mut run = Run::new(fast_feed(MAP), BUYS);
    run.packet(
        &packet(1, 0, &[offer(1, 0, 10_000), offer(2, 1, 10_000)]),
        0,
    );
    assert_eq!(run.fills.len(), 1);
    assert_eq!(run.backtest.wrong().books, BTreeMap::new());
    // An order that never entered: its instrument's book cannot be relied on, the other's can.
    let gone = Entry {
        order: 7,
        instrument: 0,
        step: Step::Delete,
        after: (Side::Sell, 10_000, 30),
    };
    run.packet(&packet(2, 1, &[entry(&gone)]), 0);
    assert_eq!(
        run.backtest.status(0),
        Some(Status::Untradable(Cause::UnknownId))
    );
    assert_eq!(run.backtest.status(1), Some(Status::Tradable));
    // Five decimals where the map has four: nothing of the packet counts, not its number either. So are two bytes that are no message.
    let fine = offer(3, 0, 9_000).replace("9000e-4", "90001e-5");
    run.packet(&packet(3, 2, &[fine]), 0);
    run.packet(&[3, 0, 0, 0, 0xff, 0x7f], 0);
    // Line B's copy; then 3 is missing.
    run.packet(&packet(2, 1, &[entry(&gone)]), 0);
    run.packet(&packet(4, 3, &[offer(4, 0, 8_000)]), 0);
    let wrong = run.backtest.wrong();
    assert_eq!(wrong.faulty, BTreeMap::from([("price_off_scale", 1)]));
    assert_eq!((wrong.good, wrong.malformed, wrong.old), (3, 1, 1));
    assert_eq!((wrong.gaps, wrong.lost, wrong.faulty()), (1, 1, 1));
    // The gap made the second book untradable; the first was so already.
    let books = [(Cause::UnknownId, 1), (Cause::Gap, 1)];
    let books = books.map(|(cause, count)| (cause.to_string(), count));
    assert_eq!(wrong.books, BTreeMap::from(books));
    // The offer at 0.80 was asked for, and rejected.
    assert_eq!((run.intents.len(), run.fills.len()), (2, 1));
    assert_eq!(run.backtest.counts().rejected, 1);
}

/// As recorded: one in thirty packets of a currency market has a price at five or six decimals, of an instrument that this desk does not trade.
#[test]
fn what_cannot_be_read_of_an_instrument_that_is_not_traded_is_no_gap() {
    let mut run = Run::new(fast_feed(MAP), BUYS);
    let other = |order, price: &str| {
        let offer = offer(order, 0, 9_000).replace(NAMES[0], "EURUSD000TOM");
        offer.replace("9000e-4", price)
    };
    run.packet(&packet(1, 0, &[offer(1, 0, 10_000)]), 0);
    run.packet(
        &packet(2, 1, &[other(2, "112345e-5"), offer(3, 0, 9_000)]),
        0,
    );
    let nameless = other(4, "9000e-4").replace("EURUSD000TOM", "EURUSD/TOM");
    run.packet(&packet(3, 2, &[nameless]), 0);
    run.packet(&packet(4, 3, &[offer(5, 0, 8_000)]), 0);
    let wrong = run.backtest.wrong();
    assert_eq!((wrong.good, wrong.gaps, wrong.faulty()), (4, 0, 0));
    assert_eq!(run.backtest.status(0), Some(Status::Tradable));
    let prices: Vec<_> = run.fills.iter().map(|(_, fill)| fill.price).collect();
    assert_eq!(prices, [10_000, 9_000, 8_000]);
}

#[test]
fn after_a_gap_no_order_enters_a_book_that_has_not_changed_since() {
    let buys_the_other = "    def on_book(self, book: Book) -> None:
        if book.instrument == self.second:
            self.buy(self.first, Price(1.0), Quantity(10))
";
    let mut run = Run::new(fast_feed(MAP), buys_the_other);
    run.packet(&packet(1, 0, &[offer(1, 0, 10_000)]), 0);
    run.packet(&packet(2, 1, &[offer(2, 1, 10_000)]), 0);
    assert_eq!((run.fills.len(), run.backtest.counts().rejected), (1, 0));
    run.packet(&packet(4, 2, &[offer(3, 1, 9_000)]), 0);
    assert_eq!((run.fills.len(), run.backtest.counts().rejected), (1, 1));
}

#[test]
fn a_change_without_a_price_keeps_that_of_its_order() {
    let mut run = Run::new(fast_feed(MAP), BUYS);
    run.packet(&packet(1, 0, &[offer(1, 0, 10_000)]), 0);
    let smaller = offer(1, 0, 10_000)
        .replace(r#""MDUpdateAction":0"#, r#""MDUpdateAction":1"#)
        .replace(r#","MDEntryPx":"10000e-4""#, "")
        .replace("30e0", "20e0");
    assert!(!smaller.contains("MDEntryPx"), "{smaller}");
    run.packet(&packet(2, 1, &[smaller]), 0);
    assert_eq!(run.backtest.status(0), Some(Status::Tradable));
    assert_eq!(run.backtest.wrong().books, BTreeMap::new());
}
