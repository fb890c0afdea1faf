//! From datagrams to orders: the AAPL hour against a plain book, and what stops orders.

mod aapl;
mod rebuild;

use book::{Cause, Limits as BookLimits, Status};
use formats::fix::{Frame, Timestamp, frame};
use formats::itch::{AddOrder, CrossTrade, Head, Message, OrderDelete, Trade, Version};
use formats::{Side, Symbol, mold};
use instrument::Listing;
use order::report::Dropped;
use order::{Description, Instrument, Number, Templates};
use pipeline::{
    BestPrice, Decision, OrderSink, Origin, Traded, Trading, TradingConfig, TradingError,
};
use risk::{InstrumentLimits, Kill, Limits, Refusal};
use strategy::best_price::Parameters;
use strategy::stops::Stop;

const AAPL: Symbol = Symbol(*b"AAPL    ");
const WIDE: u64 = (1 << 47) - 1;
const QUANTITY: u32 = 30;

/// AAPL is instrument 1; what is not tested here allows everything.
fn config(version: Version, sides: &[Side]) -> TradingConfig {
    let instruments = vec![Instrument {
        symbol: "AAPL".into(),
        decimals: 4,
    }];
    let templates = Templates::compile(&Description::new("TW", "EX", instruments), 256);
    let best_price = |side: &Side| BestPrice {
        parameters: Parameters {
            instrument: 1,
            side: *side,
            enabled: true,
            single: false,
        },
        quantity: QUANTITY,
    };
    TradingConfig {
        version,
        instruments: vec![
            None,
            Some(Traded::on_feed(
                AAPL,
                100,
                InstrumentLimits {
                    enable: true,
                    collar: WIDE,
                    position: WIDE,
                    ..InstrumentLimits::default()
                },
            )),
        ],
        book: BookLimits::HARDWARE,
        limits: Limits {
            kill: Kill::default(),
            max_quantity: QUANTITY,
            max_notional: u64::MAX,
            rate_orders: 255,
            rate_window: 1,
            max_open_orders: u16::MAX,
        },
        templates: templates.unwrap().at(&[1]),
        strategies: sides.iter().map(best_price).collect(),
        stops: vec![],
    }
}

fn trading(config: &TradingConfig) -> Trading {
    let mut trading = Trading::new(config).unwrap();
    trading.set_session(true);
    trading.set_kill(Kill::default());
    trading
}

/// What left: strategy, price, number of the message that caused it.
type Sent = (usize, i64, u64);

/// Keeps what leaves.
#[derive(Default)]
struct Record {
    sent: Vec<Sent>,
    messages: Vec<Vec<u8>>,
    refused: Vec<(Sent, Refusal)>,
    dropped: Vec<(Sent, Dropped)>,
    closed: bool,
}

fn sent(decision: &Decision) -> Sent {
    let (Origin::Strategy(place) | Origin::Stop(place)) = decision.origin;
    (place, decision.order.price.unwrap(), decision.sequence)
}

const TIME: Timestamp = Timestamp(1_340_000_000_123_000_000);

impl OrderSink for Record {
    fn next(&mut self) -> Result<(Number, Timestamp), Dropped> {
        if self.closed {
            return Err(Dropped::Session);
        }
        let number = Number::new(self.sent.len() as u64 + 1).unwrap();
        Ok((number, TIME))
    }

    fn send(&mut self, decision: &Decision, number: Number, message: &[u8]) {
        self.sent.push(sent(decision));
        assert_eq!(number.get(), self.sent.len() as u64);
        self.messages.push(message.to_vec());
    }

    fn refused(&mut self, decision: &Decision, reason: Refusal) {
        self.refused.push((sent(decision), reason));
    }

    fn dropped(&mut self, decision: &Decision, reason: Dropped) {
        self.dropped.push((sent(decision), reason));
    }
}

const SESSION: [u8; 10] = *b"TRADING   ";

fn bytes(message: impl Into<Message>) -> Vec<u8> {
    let mut out = vec![];
    message.into().emit(Version::V50, &mut out).unwrap();
    out
}

fn head() -> Head {
    Head {
        stock_locate: 9,
        ..Head::default()
    }
}

fn ask(order_reference: u64, price: u32) -> Vec<u8> {
    bytes(AddOrder {
        head: head(),
        order_reference,
        side: Side::Sell,
        shares: 100,
        stock: AAPL,
        price,
    })
}

fn delete(order_reference: u64) -> Vec<u8> {
    bytes(OrderDelete {
        head: head(),
        order_reference,
    })
}

fn trade(price: u32) -> Vec<u8> {
    bytes(Trade {
        head: head(),
        order_reference: 0,
        side: Side::Buy,
        shares: 1,
        stock: AAPL,
        price,
        match_number: 1,
    })
}

fn cross(shares: u64, cross_price: u32) -> Vec<u8> {
    bytes(CrossTrade {
        head: head(),
        shares,
        stock: AAPL,
        cross_price,
        match_number: 1,
        cross_type: b'O',
    })
}

fn datagram(first: u64, messages: &[Vec<u8>]) -> Vec<u8> {
    let mut builder = mold::Builder::new(SESSION, first);
    for message in messages {
        builder.push(message).unwrap();
    }
    builder.bytes().to_vec()
}

/// A pipeline, and what left it.
struct Bench {
    trading: Trading,
    record: Record,
    next: u64,
    now: u64,
}

impl Bench {
    fn new(config: &TradingConfig) -> Self {
        Bench {
            trading: trading(config),
            record: Record::default(),
            next: 1,
            now: 0,
        }
    }

    /// After a trade at 10.00.
    fn traded(config: &TradingConfig) -> Self {
        let mut bench = Bench::new(config);
        bench.messages(&[trade(100_000)]);
        bench
    }

    fn bytes(&mut self, payload: &[u8]) -> mold::Cause {
        self.now += 1;
        self.trading.datagram(payload, self.now, &mut self.record)
    }

    fn messages(&mut self, messages: &[Vec<u8>]) {
        let payload = datagram(self.next, messages);
        self.next += messages.len() as u64;
        assert_eq!(self.bytes(&payload), mold::Cause::Packet);
    }

    fn prices(&self) -> Vec<i64> {
        self.record
            .sent
            .iter()
            .map(|(_, price, _)| *price)
            .collect()
    }

    fn refusals(&self) -> Vec<Refusal> {
        self.record.refused.iter().map(|(_, why)| *why).collect()
    }
}

fn buy() -> TradingConfig {
    config(Version::V50, &[Side::Buy])
}

#[test]
fn a_datagram_that_is_malformed_or_old_changes_nothing() {
    let mut bench = Bench::traded(&buy());
    bench.messages(&[ask(1, 100_000)]);
    let better = datagram(bench.next, &[ask(2, 99_000)]);
    let cause = bench.bytes(&better[..better.len() - 1]);
    assert_eq!(cause, mold::Cause::Malformed);
    let old = datagram(1, &[ask(3, 98_000)]);
    assert_eq!(bench.bytes(&old), mold::Cause::Old);
    bench.messages(&[ask(4, 101_000)]);
    assert_eq!(bench.record.sent, [(0, 100_000, 2)]);
}

#[test]
fn after_a_gap_no_order_leaves() {
    let mut bench = Bench::traded(&buy());
    bench.messages(&[ask(1, 100_000)]);
    bench.next += 1;
    bench.messages(&[ask(2, 99_000)]);
    bench.messages(&[ask(3, 98_000)]);
    assert_eq!(bench.prices(), [100_000]);
    assert_eq!(bench.refusals(), [], "the strategy itself is silent");
    let gap = Status::Untradable(Cause::Gap);
    assert_eq!(bench.trading.status(1), Some(gap));
}

#[test]
fn a_feed_that_is_joined_within_its_session_brings_no_order() {
    let mut bench = Bench::new(&buy());
    bench.next = 500;
    bench.messages(&[trade(100_000), ask(1, 100_000)]);
    assert!(bench.prices().is_empty());
    let joined = Status::Untradable(Cause::NewSession);
    assert_eq!(bench.trading.status(1), Some(joined));
}

/// The feed gives each instrument another number each day: 9 was AAPL's, and is MSFT's now.
#[test]
fn a_new_day_begins_with_new_locates_and_an_empty_book() {
    let mut bench = Bench::traded(&buy());
    bench.messages(&[ask(1, 100_000)]);
    bench.messages(&[delete(1)]);
    let mut other = ask(2, 50_000);
    other[24..32].copy_from_slice(b"MSFT    ");
    let mut builder = mold::Builder::new(*b"TOMORROW  ", 1);
    let mut aapl = ask(3, 99_000);
    aapl[2] = 10;
    for message in [other, delete(2), aapl] {
        builder.push(&message).unwrap();
    }
    assert_eq!(bench.bytes(builder.bytes()), mold::Cause::Packet);
    assert_eq!(bench.record.sent, [(0, 100_000, 2), (0, 99_000, 3)]);
}

#[test]
fn a_gap_turns_the_kill_switch_on_where_it_counts() {
    let mut config = buy();
    config.limits.kill.gap = true;
    let mut trading = trading(&config);
    trading.set_kill(config.limits.kill);
    assert!(!trading.risk().killed_by().any());
    let mut record = Record::default();
    trading.datagram(&datagram(1, &[trade(1)]), 0, &mut record);
    trading.datagram(&datagram(3, &[]), 0, &mut record);
    assert!(trading.risk().killed_by().gap);
}

#[test]
fn a_refusal_is_told_and_the_price_is_not_asked_for_again() {
    let mut config = buy();
    let traded = config.instruments[1].as_mut().unwrap();
    traded.limits.collar = 500;
    let mut bench = Bench::new(&config);
    bench.messages(&[ask(1, 100_600)]);
    bench.messages(&[trade(100_000)]);
    assert_eq!(bench.refusals(), [Refusal::NoPrice]);
    bench.messages(&[ask(2, 100_500)]);
    bench.messages(&[ask(3, 99_400)]);
    assert_eq!(bench.refusals(), [Refusal::NoPrice, Refusal::Collar]);
    // The trade comes in the same frame, before the check.
    bench.messages(&[delete(3), ask(4, 99_300), trade(99_300)]);
    assert_eq!(bench.prices(), [100_500, 99_300]);
    assert_eq!(bench.record.sent[1], (0, 99_300, 7));
}

/// NASDAQ sends a cross of 0 shares at price 0 for each issue that has none: the collar's reference stays the last trade.
#[test]
fn a_cross_that_trades_nothing_is_no_last_price() {
    let mut config = buy();
    config.instruments[1].as_mut().unwrap().limits.collar = 500;
    let mut bench = Bench::traded(&config);
    let none = [cross(0, 0), cross(0, 100_000), cross(10, 0)];
    bench.messages(&none);
    bench.messages(&[ask(1, 99_500)]);
    assert_eq!(bench.prices(), [99_500]);
    let last = bench.trading.book().last_trade(1).unwrap();
    assert_eq!((last.price, last.quantity), (100_000, 1));
    // One that trades something is.
    bench.messages(&[cross(10, 98_000)]);
    bench.messages(&[ask(2, 98_500)]);
    assert_eq!(bench.prices(), [99_500, 98_500]);
}

/// 30 shares at 10.00 are 3,000,000.
#[test]
fn another_limit_of_the_notional_counts_from_the_next_order_on() {
    let mut config = buy();
    config.limits.max_notional = 2_999_999;
    let mut bench = Bench::traded(&config);
    bench.messages(&[ask(1, 100_000)]);
    assert_eq!(bench.refusals(), [Refusal::Notional]);
    config.limits.max_notional = 3_000_000;
    bench.trading.set_limits(&config.limits);
    let parameters = config.strategies[0].parameters;
    assert!(bench.trading.set_parameters(0, parameters));
    bench.messages(&[trade(100_000)]);
    assert_eq!(bench.prices(), [100_000], "the parameters were set anew");
    let other = Parameters {
        side: Side::Sell,
        ..parameters
    };
    assert!(!bench.trading.set_parameters(0, other));
    assert!(!bench.trading.set_parameters(1, parameters));
}

#[test]
fn an_order_that_cannot_leave_is_told_and_counts_no_more() {
    let mut bench = Bench::traded(&buy());
    bench.record.closed = true;
    bench.messages(&[ask(1, 100_000)]);
    assert_eq!(bench.record.dropped, [((0, 100_000, 2), Dropped::Session)]);
    let risk = bench.trading.risk();
    assert_eq!((risk.exposure(1), risk.open_orders()), (Some((0, 0)), 0));
    bench.record.closed = false;
    bench.messages(&[ask(2, 99_000)]);
    let risk = bench.trading.risk();
    let bought = Some((i64::from(QUANTITY), 0));
    assert_eq!((risk.exposure(1), risk.open_orders()), (bought, 1));
}

#[test]
fn without_a_session_the_kill_switch_refuses() {
    let mut bench = Bench::traded(&buy());
    let kill = Kill {
        session: true,
        ..Kill::default()
    };
    bench.trading.set_kill(kill);
    bench.trading.set_session(false);
    bench.messages(&[ask(1, 100_000)]);
    bench.trading.set_session(true);
    bench.messages(&[ask(2, 99_000)]);
    assert_eq!(
        bench.refusals(),
        [Refusal::Killed; 2],
        "until it is cleared"
    );
    bench.trading.set_kill(kill);
    bench.messages(&[ask(3, 98_000)]);
    assert_eq!(bench.prices(), [98_000]);
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let refused = |change: &dyn Fn(&mut TradingConfig)| {
        let mut config = buy();
        change(&mut config);
        Trading::new(&config).map(drop).unwrap_err()
    };
    let twice = |config: &mut TradingConfig| config.instruments[0] = config.instruments[1];
    assert_eq!(refused(&twice), TradingError::Duplicate(AAPL));
    let tick = |config: &mut TradingConfig| {
        let traded = config.instruments[1].as_mut().unwrap();
        traded.feed.as_mut().unwrap().tick = 0;
    };
    assert_eq!(refused(&tick), TradingError::Tick(AAPL));
    let none = |config: &mut TradingConfig| config.strategies[0].parameters.instrument = 0;
    assert_eq!(refused(&none), TradingError::Instrument(0));
    let many = |config: &mut TradingConfig| config.instruments.resize(257, None);
    assert_eq!(refused(&many), TradingError::TooManyInstruments(257));
    let wide = refused(&|config| config.strategies[0].quantity = u32::MAX);
    assert!(wide.to_string().contains("raise quantity_width"), "{wide}");
}

/// Counts only.
struct Count(u64);

impl OrderSink for Count {
    fn next(&mut self) -> Result<(Number, Timestamp), Dropped> {
        Ok((Number::LAST, TIME))
    }

    fn send(&mut self, _: &Decision, _: Number, message: &[u8]) {
        assert!(message.starts_with(b"8=FIX.4.4"));
        self.0 += 1;
    }

    fn refused(&mut self, decision: &Decision, reason: Refusal) {
        panic!("{decision:?}: {reason}");
    }

    fn dropped(&mut self, decision: &Decision, reason: Dropped) {
        panic!("{decision:?}: {reason}");
    }
}

#[test]
fn nothing_is_allocated_on_the_way_to_an_order() {
    let mut trading = trading(&buy());
    let mut builder = mold::Builder::new(SESSION, 1);
    let mut datagrams = vec![datagram(1, &[trade(100_000)])];
    builder.push(&trade(100_000)).unwrap();
    builder.next_packet();
    for id in 1..2_000_u64 {
        let price = 100_000 - 100 * (id % 50) as u32;
        builder.push(&ask(id, price)).unwrap();
        if id > 30 {
            builder.push(&delete(id - 30)).unwrap();
        }
        datagrams.push(builder.bytes().to_vec());
        builder.next_packet();
    }
    let mut count = Count(0);
    let allocated = allocation_counter::measure(|| {
        for (now, datagram) in (0..).zip(&datagrams) {
            trading.datagram(datagram, now, &mut count);
        }
    });
    assert_eq!(allocated.count_total, 0);
    assert!(count.0 > 500, "{} orders", count.0);
}

/// AAPL is on the session too, with a stop on either side: sell 7 at the market at 9.90 or below, buy 5 at 10.20 at most at 10.10 or above.
fn with_stops() -> TradingConfig {
    let mut config = config(Version::V50, &[]);
    let traded = config.instruments[1].as_mut().unwrap();
    traded.session = Some(Listing {
        symbol: AAPL,
        price_scale: 4,
        quantity_scale: 0,
    });
    let stop = |side, trigger, price, quantity| Stop {
        side,
        instrument: 1,
        trigger,
        price,
        quantity,
        client_id: 0,
    };
    config.stops = vec![
        stop(Side::Sell, 99_000, None, 7),
        stop(Side::Buy, 101_000, Some(102_000), 5),
    ];
    config
}

/// What left: who asked, side, quantity, price, number of the message that caused it.
type Fired = (Origin, Side, u32, Option<i64>, u64);

#[derive(Default)]
struct Stopped {
    sent: Vec<Fired>,
    refused: Vec<(Origin, Refusal)>,
    messages: Vec<String>,
}

impl OrderSink for Stopped {
    fn next(&mut self) -> Result<(Number, Timestamp), Dropped> {
        Ok((Number::new(self.sent.len() as u64 + 2).unwrap(), TIME))
    }

    fn send(&mut self, decision: &Decision, _: Number, message: &[u8]) {
        let order = &decision.order;
        let fired = (order.side, order.quantity, order.price);
        let (side, quantity, price) = fired;
        self.sent
            .push((decision.origin, side, quantity, price, decision.sequence));
        self.messages
            .push(String::from_utf8_lossy(message).into_owned());
    }

    fn refused(&mut self, decision: &Decision, reason: Refusal) {
        self.refused.push((decision.origin, reason));
    }

    fn dropped(&mut self, decision: &Decision, _: Dropped) {
        panic!("{decision:?}");
    }
}

/// A message with prices, as an exchange sends it.
fn increment(sequence: u64, price: &str) -> Vec<u8> {
    sent_again(sequence, price, "")
}

/// The same with more in its header.
fn sent_again(sequence: u64, price: &str, more: &str) -> Vec<u8> {
    let body = format!(
        "35=X\x0149=EX\x0156=TW\x0134={sequence}\x01{more}52=20261129-10:00:00\x01268=1\x01279=0\x01269=2\x0155=AAPL\x01270={price}\x01271=1\x01"
    );
    let mut message = format!("8=FIX.4.4\x019={}\x01{body}", body.len()).into_bytes();
    let sum = message
        .iter()
        .fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    message.extend(format!("10={sum:03}\x01").bytes());
    message
}

fn on_session(trading: &mut Trading, sink: &mut Stopped, bytes: &[u8]) {
    let Frame::Message(message) = frame(bytes, 4_096) else {
        panic!("no message");
    };
    trading.session_message(&message, 0, sink);
}

#[test]
fn a_stop_leaves_once_when_a_trade_of_the_feed_reaches_its_trigger() {
    let mut trading = trading(&with_stops());
    let mut sink = Stopped::default();
    for (number, price) in [(1, 100_000), (2, 99_001), (3, 99_000), (4, 98_000)] {
        trading.datagram(&datagram(number, &[trade(price)]), 0, &mut sink);
    }
    let sell = (Origin::Stop(0), Side::Sell, 7, None, 3);
    assert_eq!(sink.sent, [sell]);
    let order = &sink.messages[0];
    assert!(order.contains("\x0135=D\x01"), "{order}");
    assert!(order.contains("\x0140=1\x01"), "at the market: {order}");
    assert_eq!(trading.armed_stops(), 1, "the other one waits");
}

#[test]
fn a_stop_leaves_when_a_trade_on_the_session_reaches_its_trigger() {
    let mut trading = trading(&with_stops());
    let mut sink = Stopped::default();
    on_session(&mut trading, &mut sink, &increment(2, "10.09"));
    assert!(sink.sent.is_empty());
    on_session(&mut trading, &mut sink, &increment(3, "10.100000"));
    let buy = (Origin::Stop(1), Side::Buy, 5, Some(102_000), 3);
    assert_eq!(sink.sent, [buy]);
    assert_eq!(trading.risk().last(1), Some(101_000), "for the collar");
    // In cents it would be another price.
    on_session(&mut trading, &mut sink, &increment(4, "9.90"));
    assert_eq!(sink.sent.len(), 2);
}

#[test]
fn a_price_that_the_session_sends_again_fires_no_stop_and_is_no_last_price() {
    let mut trading = trading(&with_stops());
    let mut sink = Stopped::default();
    let old = sent_again(2, "10.50", "43=Y\x01");
    on_session(&mut trading, &mut sink, &old);
    assert!(sink.sent.is_empty());
    assert_eq!(trading.risk().last(1), None);
    let new = sent_again(3, "10.50", "43=N\x01");
    on_session(&mut trading, &mut sink, &new);
    assert_eq!(sink.sent.len(), 1);
}

#[test]
fn a_stop_that_risk_refuses_is_told_and_does_not_leave_later() {
    let mut config = with_stops();
    config.limits.max_quantity = 6;
    let mut trading = trading(&config);
    let mut sink = Stopped::default();
    trading.datagram(&datagram(1, &[trade(99_000)]), 0, &mut sink);
    trading.datagram(&datagram(2, &[trade(101_000)]), 0, &mut sink);
    assert_eq!(sink.refused, [(Origin::Stop(0), Refusal::Quantity)]);
    assert_eq!(sink.sent.len(), 1);
    assert_eq!(trading.armed_stops(), 0);
}

#[test]
fn a_cross_without_shares_fires_no_stop() {
    let mut trading = trading(&with_stops());
    let mut sink = Stopped::default();
    trading.datagram(&datagram(1, &[cross(0, 0), cross(10, 0)]), 0, &mut sink);
    assert!(sink.sent.is_empty());
    assert_eq!(trading.armed_stops(), 2);
}

#[test]
fn reports_come_out_of_the_same_messages_as_orders() {
    let reports = pipeline::Config {
        version: Version::V50,
        accumulate: false,
        symbols: vec![Some(AAPL)],
    };
    let mut alone = pipeline::Pipeline::new(reports.clone()).unwrap();
    let trading = Trading::new(&buy()).unwrap().with_reports(reports);
    let mut trading = trading.unwrap();
    let mut sink = Record::default();
    let at = |second: u64, mut message: Vec<u8>| {
        message[5..11].copy_from_slice(&(second * 1_000_000_000).to_be_bytes()[2..]);
        message
    };
    let mut compared = 0;
    for number in 1..=6 {
        let payload = datagram(number, &[at(number, ask(number, 100_000))]);
        let due = alone.datagram(&payload).report_due;
        trading.datagram(&payload, 0, &mut sink);
        let expected: Option<Vec<Vec<u8>>> = match due {
            true => alone
                .report()
                .map(|report| report.map(<[u8]>::to_vec).collect()),
            false => None,
        };
        let report = trading.report().map(|report| report.map(<[u8]>::to_vec));
        assert_eq!(report.map(Iterator::collect), expected);
        compared += usize::from(due);
    }
    assert_eq!(compared, 6);
    assert_eq!(trading.feed_counters(), Some(alone.counters()));
}
