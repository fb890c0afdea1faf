//! Strategies in the language on a feed: the same orders as the built-in one; what the exchange and risk say comes back; faults and endless answers end them.

use std::path::Path;

use book::Limits as BookLimits;
use language::{Options, Program, Record, compile, parameters};
use language_jit::Compiled;
use order::report::Dropped;
use order::{Description, Instrument, Kind, Number, Templates};
use pipeline::{
    Added, BestPrice, Decision, Ended, Executed, OrderSink, Programs, Traded, Trading,
    TradingConfig,
};
use risk::{Execution, ExecutionReport, InstrumentLimits, Kill, Limits, Refusal, WorkingOrders};
use strategy::best_price::Parameters;
use wire::fix::{Frame, NewOrderSingle, OrderCancelReplaceRequest, TimeInForce, Timestamp};
use wire::itch::{AddOrder, Head, Message, OrderDelete, Trade, Version};
use wire::{Side, Symbol, binary_file, mold};

const WIDE: u64 = (1 << 47) - 1;
const TIME: Timestamp = Timestamp(1_340_000_000_123_000_000);

fn symbol() -> Symbol {
    feed::generate::symbol(0)
}

fn templates(time_in_force: char) -> Templates {
    let instruments = vec![Instrument {
        symbol: symbol().to_string(),
        decimals: 4,
    }];
    let mut description = Description::new("TW", "EX", instruments);
    description.fields = vec![(59, time_in_force.to_string())];
    Templates::compile(&description, 256).unwrap()
}

/// The instrument is 0; what is not tested allows everything.
fn config(strategies: Vec<BestPrice>) -> TradingConfig {
    TradingConfig {
        version: Version::V50,
        instruments: vec![Some(Traded {
            symbol: symbol(),
            tick: 100,
            limits: InstrumentLimits {
                enable: true,
                collar: WIDE,
                position: WIDE,
                ..InstrumentLimits::default()
            },
        })],
        book: BookLimits {
            window: None,
            ..BookLimits::LARGEST
        },
        limits: Limits {
            kill: Kill::default(),
            max_quantity: 1_000,
            max_notional: u64::MAX,
            rate_orders: 255,
            rate_window: 1,
            max_open_orders: u16::MAX,
        },
        templates: templates('0'),
        strategies,
    }
}

/// What left, and what was told.
#[derive(Default)]
struct Sink {
    sent: Vec<(Decision, u64, Vec<u8>)>,
    refused: Vec<Refusal>,
    dropped: usize,
    records: Vec<(i64, u8, Vec<i64>)>,
    ended: Vec<Ended>,
    closed: bool,
    working: WorkingOrders,
    /// Nothing is kept, as nothing may be allocated.
    counts_only: bool,
    count: u64,
}

impl OrderSink for Sink {
    fn next(&mut self) -> Result<(Number, Timestamp), Dropped> {
        match self.closed {
            true => Err(Dropped::Session),
            false => Ok((Number::new(self.count + 1).unwrap(), TIME)),
        }
    }

    fn send(&mut self, decision: &Decision, number: Number, message: &[u8]) {
        self.count += 1;
        if self.counts_only {
            return;
        }
        self.working.sent(number, &decision.order);
        self.sent.push((*decision, number.get(), message.to_vec()));
    }

    fn refused(&mut self, _: &Decision, reason: Refusal) {
        if !self.counts_only {
            self.refused.push(reason);
        }
    }

    fn dropped(&mut self, _: &Decision, _: Dropped) {
        self.dropped += 1;
    }

    fn record(&mut self, strategy: usize, now: i64, record: &Record) {
        assert_eq!(strategy, 0);
        if !self.counts_only {
            self.records
                .push((now, record.tag, record.values().to_vec()));
        }
    }

    fn ended(&mut self, strategy: usize, why: Ended) {
        assert_eq!(strategy, 0);
        self.ended.push(why);
    }
}

/// A pipeline with a strategy in the language.
struct Bench {
    trading: Trading,
    programs: Programs,
    sink: Sink,
    session: [u8; 10],
    next: u64,
    now: u64,
}

fn program(source: &str) -> Program {
    let options = Options {
        instruments: 1,
        price_decimals: 4,
        operations: 100_000,
    };
    compile(source, &options).unwrap_or_else(|messages| panic!("{messages}"))
}

impl Bench {
    fn with(
        config: &TradingConfig,
        source: &str,
        given: &[(&str, i64)],
        fault_stops: bool,
    ) -> Self {
        let program = program(source);
        let values = parameters(&program, given.iter().copied()).unwrap();
        let mut programs = Programs::new(['0', '1', '3', '4'].map(templates));
        let added = Added {
            place: 0,
            machine: Box::new(Compiled::new(&program, values).unwrap()),
            program: &program,
            fault_stops,
        };
        programs.add(added, 1);
        let mut trading = Trading::new(config).unwrap();
        trading.set_session(true);
        trading.set_kill(Kill::default());
        Bench {
            trading,
            programs,
            sink: Sink::default(),
            session: *b"PROGRAMS  ",
            next: 1,
            now: 0,
        }
    }

    /// With these lines as the methods of its class.
    fn new(body: &str) -> Self {
        let source = format!(
            "from tickwire import MARKET, MICROSECOND, Array, Book, Instrument, OrderRef, Price, Quantity, Report, ReportKind, Strategy, Time, TimeInForce, Trade, array, now, param, state, timer\n\n\n\
             class Test(Strategy):\n{body}"
        );
        Bench::with(&config(vec![]), &source, &[], true)
    }

    fn datagram(&mut self, payload: &[u8]) -> mold::Cause {
        self.now += 1;
        let (programs, sink) = (&mut self.programs, &mut self.sink);
        self.trading
            .datagram_with(payload, self.now, programs, sink)
    }

    fn frame(&mut self, messages: &[Message]) {
        let mut builder = mold::Builder::new(self.session, self.next);
        for message in messages {
            let mut bytes = vec![];
            message.emit(Version::V50, &mut bytes).unwrap();
            builder.push(&bytes).unwrap();
            self.next += 1;
        }
        assert_eq!(self.datagram(builder.bytes()), mold::Cause::Packet);
    }

    /// The exchange says something about the order sent as `number`.
    fn says(
        &mut self,
        what: Execution,
        number: u64,
        original: Option<u64>,
        traded: u32,
        price: Option<i64>,
        reason: i64,
    ) {
        let said = ExecutionReport {
            what,
            number: Number::new(number).unwrap(),
            original: original.map(|number| Number::new(number).unwrap()),
            traded,
        };
        let reported = self.sink.working.report(&said);
        if let Some(adjustment) = &reported.adjustment {
            self.trading.adjust(adjustment);
        }
        let executed = Executed {
            said,
            reported,
            price,
            reason,
        };
        let (programs, sink) = (&mut self.programs, &mut self.sink);
        self.trading.executed(programs, &executed, self.now, sink);
    }

    fn tags(&self) -> Vec<(u8, Vec<i64>)> {
        let records = self.sink.records.iter();
        records
            .map(|(_, tag, values)| (*tag, values.clone()))
            .collect()
    }
}

const NS: u64 = 34_200_000_000_000;

fn head(nanoseconds: u64) -> Head {
    Head {
        stock_locate: 1,
        tracking_number: 0,
        nanoseconds,
    }
}

fn add(order_reference: u64, side: Side, price: u32, shares: u32) -> Message {
    Message::AddOrder(AddOrder {
        head: head(NS + order_reference),
        order_reference,
        side,
        shares,
        stock: symbol(),
        price,
    })
}

fn delete(order_reference: u64) -> Message {
    Message::OrderDelete(OrderDelete {
        head: head(NS + 100),
        order_reference,
    })
}

fn trade(nanoseconds: u64, price: u32, shares: u32) -> Message {
    Message::Trade(Trade {
        head: head(nanoseconds),
        order_reference: 0,
        side: Side::Sell,
        shares,
        stock: symbol(),
        price,
        match_number: 1,
    })
}

/// Price and message of each order, and its bytes.
fn left(sink: &Sink) -> Vec<(Option<i64>, u64, Vec<u8>)> {
    let sent = sink.sent.iter();
    sent.map(|(decision, _, message)| (decision.order.price, decision.sequence, message.clone()))
        .collect()
}

/// A generated day of two symbols, some messages a packet.
fn day() -> Vec<Vec<u8>> {
    let settings = feed::generate::Settings {
        version: Version::V50,
        symbols: 2,
        messages: 20_000,
        seconds: 20,
        seed: 5,
    };
    let mut file = vec![];
    feed::generate::generate(&settings, &mut file, |_| {}).unwrap();
    let messages: Vec<_> = binary_file::Messages::new(&file).flatten().collect();
    let mut builder = mold::Builder::new(*b"PROGRAMS  ", 1);
    let mut packets = vec![];
    for (number, message) in messages.iter().enumerate() {
        builder.push(message).unwrap();
        if number % 3 == 0 || number % 7 == 0 {
            packets.push(builder.bytes().to_vec());
            builder.next_packet();
        }
    }
    packets
}

fn best_offer(config: &TradingConfig, size: i64) -> Bench {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../desks/best-offer/strategy.py");
    let source = std::fs::read_to_string(path).unwrap();
    let given = [("instrument", 0), ("size", size)];
    Bench::with(config, &source, &given, true)
}

#[test]
fn best_offer_sends_the_orders_of_the_built_in_strategy_byte_for_byte() {
    let built_in = BestPrice {
        parameters: Parameters {
            instrument: 0,
            side: Side::Buy,
            enabled: true,
            single: false,
        },
        quantity: 30,
    };
    let mut reference = Trading::new(&config(vec![built_in])).unwrap();
    reference.set_session(true);
    reference.set_kill(Kill::default());
    let mut expected = Sink::default();
    let mut bench = best_offer(&config(vec![]), 30);
    for (packet, now) in day().iter().zip(1..) {
        reference.datagram(packet, now, &mut expected);
        bench.datagram(packet);
    }
    assert!(expected.sent.len() > 200, "{} orders", expected.sent.len());
    // Before the first trade.
    assert!(!expected.refused.is_empty());
    assert_eq!(bench.sink.refused, expected.refused);
    assert_eq!(left(&bench.sink), left(&expected));
    assert_eq!(bench.trading.risk(), reference.risk());
}

#[test]
fn after_warm_up_nothing_is_allocated() {
    let mut bench = best_offer(&config(vec![]), 1);
    bench.sink.counts_only = true;
    let packets = day();
    let (first, rest) = packets.split_at(packets.len() / 2);
    for packet in first {
        bench.datagram(packet);
    }
    let before = bench.sink.count;
    let allocated = allocation_counter::measure(|| {
        for packet in rest {
            bench.datagram(packet);
        }
    });
    assert!(bench.sink.count - before > 50, "{}", bench.sink.count);
    // The table of its orders, none of which ends here, grows twice at most.
    assert!(allocated.count_total <= 4, "{allocated:?}");
}

/// Buys 100 at the first trade, tells everything, and does what it is told by the price of later trades.
const TELLS: &str = "    order: OrderRef = state(0)

    def on_trade(self, trade: Trade) -> None:
        if self.order == 0:
            self.order = self.buy(trade.instrument, trade.price, Quantity(100), time_in_force=TimeInForce.IOC)
        elif trade.quantity == 2:
            self.replace(self.order, trade.price, Quantity(50))
        elif trade.quantity == 3:
            self.cancel(self.order)
        self.emit(1, self.position(trade.instrument), self.open_orders)

    def on_order(self, report: Report) -> None:
        self.emit(2, report.order, report.price, report.quantity, report.remaining, report.reason, self.position(report.instrument))
        match report.kind:
            case ReportKind.ACCEPTED:
                self.emit(10)
            case ReportKind.FILLED:
                self.emit(11)
            case ReportKind.CANCELLED:
                self.emit(12)
            case ReportKind.REPLACED:
                self.emit(13)
            case ReportKind.REJECTED:
                self.emit(14)
            case ReportKind.REFUSED:
                self.emit(15)
";

/// What a report of `kind` makes it tell.
fn told(kind: u8, values: [i64; 6]) -> [(u8, Vec<i64>); 2] {
    [(2, values.to_vec()), (kind, vec![])]
}

#[test]
fn reports_of_the_exchange_come_with_the_position_after_them() {
    let mut bench = Bench::new(TELLS);
    bench.frame(&[trade(NS, 100_000, 1)]);
    assert_eq!(bench.tags(), [(1, vec![0, 0])]);
    let (decision, number, message) = bench.sink.sent[0].clone();
    assert_eq!((decision.order.price, number), (Some(100_000), 1));
    let Frame::Message(message) = wire::fix::frame(&message, 999) else {
        panic!("{message:?}");
    };
    let (_, order) = message.read::<NewOrderSingle>().unwrap();
    assert_eq!(order.time_in_force, Some(TimeInForce::ImmediateOrCancel));
    bench.sink.records.clear();

    bench.says(Execution::Open, 1, None, 0, None, 0);
    // 40 at a better price, then the same report again.
    bench.says(Execution::Open, 1, None, 40, Some(99_900), 0);
    bench.says(Execution::Open, 1, None, 40, Some(99_900), 0);
    let mut expected = told(10, [1, 100_000, 100, 100, 0, 0]).to_vec();
    expected.extend(told(11, [1, 99_900, 40, 60, 0, 40]));
    assert_eq!(bench.tags(), expected);
    bench.sink.records.clear();

    // 50 are to be left at 10.10: with the 40 that were traded, 90 in all.
    bench.frame(&[trade(NS + 1, 101_000, 2)]);
    let (decision, number, message) = bench.sink.sent[1].clone();
    assert_eq!(decision.order.kind, Kind::Replace(Number::new(1).unwrap()));
    assert_eq!((decision.order.quantity, number), (90, 2));
    let Frame::Message(message) = wire::fix::frame(&message, 999) else {
        panic!("{message:?}");
    };
    assert!(message.read::<OrderCancelReplaceRequest>().is_ok());
    bench.says(Execution::Replaced, 2, Some(1), 40, None, 0);
    // A cancel of it is about the replacement, and comes too late for 20 of it.
    bench.frame(&[trade(NS + 2, 101_000, 3)]);
    let decision = bench.sink.sent[2].0;
    assert_eq!(decision.order.kind, Kind::Cancel(Number::new(2).unwrap()));
    bench.says(Execution::Closed, 3, Some(2), 60, Some(101_000), 0);
    let mut expected = vec![(1, vec![40, 1])];
    expected.extend(told(13, [1, 101_000, 50, 50, 0, 40]));
    expected.push((1, vec![40, 1]));
    // Position and reports: both fills are counted when the first of its reports is told.
    expected.extend(told(11, [1, 101_000, 20, 30, 0, 60]));
    expected.extend(told(12, [1, 101_000, 30, 0, 0, 60]));
    assert_eq!(bench.tags(), expected);
    assert_eq!(bench.programs.positions(0), Some(&[60][..]));
    // Risk holds the position on both sides.
    assert_eq!(bench.trading.risk().exposure(0), Some((60, -60)));
    assert_eq!(bench.trading.risk().open_orders(), 0);
}

#[test]
fn what_the_exchange_and_risk_refuse_comes_back_with_its_reason() {
    let mut bench = Bench::new(TELLS);
    // The kill switch: 0.
    bench.trading.set_kill(Kill {
        host: true,
        ..Kill::default()
    });
    bench.frame(&[trade(NS, 100_000, 1)]);
    let mut expected = vec![(1, vec![0, 0])];
    expected.extend(told(15, [1, 100_000, 100, 0, 0, 0]));
    assert_eq!(bench.tags(), expected);
    assert_eq!(bench.sink.refused, [Refusal::Killed]);
    bench.sink.records.clear();
    // A replacement of an order that is not there: 1, and nothing is sent.
    bench.trading.set_kill(Kill::default());
    bench.frame(&[trade(NS + 1, 100_000, 2)]);
    let mut expected = vec![(1, vec![0, 0])];
    expected.extend(told(14, [1, 0, 0, 0, 1, 0]));
    assert_eq!(bench.tags(), expected);

    // The connection is gone: 100 and the code of the reason, 2.
    let mut bench = Bench::new(TELLS);
    bench.sink.closed = true;
    bench.frame(&[trade(NS, 100_000, 1)]);
    let mut expected = vec![(1, vec![0, 0])];
    expected.extend(told(15, [1, 100_000, 100, 0, 102, 0]));
    assert_eq!(bench.tags(), expected);
    assert_eq!(bench.trading.risk().exposure(0), Some((0, 0)));

    // The exchange rejects it: OrdRejReason.
    let mut bench = Bench::new(TELLS);
    bench.frame(&[trade(NS, 100_000, 1)]);
    bench.sink.records.clear();
    bench.says(Execution::Rejected, 1, None, 0, None, 99);
    let expected = told(14, [1, 100_000, 100, 0, 99, 0]);
    assert_eq!(bench.tags(), expected);
    assert_eq!(bench.trading.risk().open_orders(), 0);

    // A replacement that is refused leaves the order as it was, and the next one is about that again.
    let mut bench = Bench::new(TELLS);
    bench.frame(&[trade(NS, 100_000, 1)]);
    bench.says(Execution::Open, 1, None, 0, None, 0);
    bench.frame(&[trade(NS + 1, 101_000, 2)]);
    bench.sink.records.clear();
    bench.says(Execution::ChangeRefused, 2, Some(1), 0, None, 3);
    assert_eq!(bench.tags(), told(14, [1, 100_000, 100, 100, 3, 0]));
    bench.frame(&[trade(NS + 2, 102_000, 2), trade(NS + 3, 103_000, 2)]);
    let asked = |bench: &Bench| -> Vec<_> {
        let sent = bench.sink.sent[2..].iter();
        let of = |(decision, ..): &(Decision, u64, Vec<u8>)| {
            (
                decision.order.original().map(Number::get),
                decision.order.price,
            )
        };
        sent.map(of).collect()
    };
    // The second waits until the first has its answer; a third takes its place.
    assert_eq!(asked(&bench), [(Some(1), Some(102_000))]);
    bench.frame(&[trade(NS + 4, 104_000, 2)]);
    assert_eq!(asked(&bench).len(), 1);
    bench.says(Execution::Replaced, 3, Some(1), 0, None, 0);
    let both = [(Some(1), Some(102_000)), (Some(3), Some(104_000))];
    assert_eq!(asked(&bench), both);
    // One that waits for an order that ended is dropped with it.
    bench.frame(&[trade(NS + 5, 105_000, 2)]);
    bench.says(Execution::Closed, 4, Some(3), 100, Some(102_000), 0);
    assert_eq!(asked(&bench).len(), 2);
}

#[test]
fn a_market_order_has_the_last_price_for_its_notional() {
    let sells = "    def on_trade(self, trade: Trade) -> None:
        self.sell(trade.instrument, MARKET, trade.quantity)
";
    let mut config = config(vec![]);
    // 10 at 10.00, and not one more.
    config.limits.max_notional = 1_000_000;
    let source = format!(
        "from tickwire import MARKET, Strategy, Trade\n\n\nclass Sells(Strategy):\n{sells}"
    );
    let mut bench = Bench::with(&config, &source, &[], true);
    bench.frame(&[trade(NS, 100_000, 10), trade(NS, 100_000, 11)]);
    assert_eq!(bench.sink.sent.len(), 1);
    assert_eq!(bench.sink.sent[0].0.order.price, None);
    let message = String::from_utf8_lossy(&bench.sink.sent[0].2).replace('\u{1}', "|");
    assert!(
        message.contains("|40=1|") && !message.contains("|44="),
        "{message}"
    );
    assert_eq!(bench.sink.refused, [Refusal::Notional]);
}

#[test]
fn quantities_and_instruments_that_are_none_are_refused_and_nothing_wraps() {
    let sends = "    def on_trade(self, trade: Trade) -> None:
        self.buy(trade.instrument, trade.price, Quantity(0))
        self.buy(trade.instrument, trade.price, Quantity(-5))
        self.buy(trade.instrument, trade.price, Quantity(4294967297))
";
    let mut bench = Bench::new(sends);
    bench.frame(&[trade(NS, 100_000, 1)]);
    assert_eq!(bench.sink.refused, [Refusal::Quantity; 3]);
    assert!(bench.sink.sent.is_empty());
}

#[test]
fn handlers_run_once_for_a_frame_or_at_each_change() {
    let tells = "    def on_book(self, book: Book) -> None:
        self.emit(1, book.bid.price, book.ask.price, int(book.changed), now)
";
    let frame = [
        add(1, Side::Buy, 100_000, 10),
        add(2, Side::Sell, 100_200, 10),
        delete(1),
    ];
    let mut bench = Bench::new(tells);
    bench.frame(&frame);
    let end = NS as i64 + 100;
    assert_eq!(bench.tags(), [(1, vec![0, 100_200, 1, end])]);
    // Nothing is better or worse than before.
    bench.frame(&[add(3, Side::Sell, 100_300, 10)]);
    assert_eq!(bench.tags()[1], (1, vec![0, 100_200, 0, end]));

    let each = tells.replace("    def", "    @each_change\n    def");
    let source = format!(
        "from tickwire import Book, Strategy, each_change, now\n\n\nclass Each(Strategy):\n{each}"
    );
    let mut bench = Bench::with(&config(vec![]), &source, &[], true);
    bench.frame(&frame);
    let ns = NS as i64;
    let expected = [
        (1, vec![100_000, 0, 1, ns + 1]),
        (1, vec![100_000, 100_200, 1, ns + 2]),
        (1, vec![0, 100_200, 1, ns + 100]),
    ];
    assert_eq!(bench.tags(), expected);
}

#[test]
fn a_timer_runs_by_the_feed_and_while_the_feed_is_silent_by_the_clock() {
    let tells = "    @timer(every=MICROSECOND)
    def on_timer(self) -> None:
        self.emit(1, now)
";
    let mut bench = Bench::new(tells);
    let ns = NS as i64;
    bench.frame(&[trade(NS, 100_000, 1)]);
    bench.frame(&[trade(NS + 2_500, 100_000, 1)]);
    let times = |bench: &Bench| -> Vec<i64> {
        let records = bench.sink.records.iter();
        records.map(|(now, ..)| now - ns).collect()
    };
    assert_eq!(times(&bench), [1_000, 2_000]);
    // Two microseconds later: 4.5 microseconds after the first trade.
    let (programs, sink) = (&mut bench.programs, &mut bench.sink);
    bench.trading.time_passes(programs, bench.now + 2, sink);
    assert_eq!(times(&bench), [1_000, 2_000, 3_000, 4_000]);
    // A leap over half a day would take a minute of nothing but timers.
    bench.frame(&[trade(NS + 40_000_000_000_000, 100_000, 1)]);
    assert!(
        matches!(
            bench.sink.ended[..],
            [Ended::Timer {
                missed: 39_999_999_995..
            }]
        ),
        "{:?}",
        bench.sink.ended
    );
}

#[test]
fn a_new_session_begins_time_anew() {
    let tells = "    @timer(every=MICROSECOND)
    def on_timer(self) -> None:
        self.emit(1, now)

    def on_trade(self, trade: Trade) -> None:
        self.emit(2, now)
";
    let mut bench = Bench::new(tells);
    bench.frame(&[trade(NS, 100_000, 1)]);
    bench.session = *b"TOMORROW  ";
    bench.next = 1;
    bench.frame(&[trade(5_000, 100_000, 1)]);
    bench.frame(&[trade(6_500, 100_000, 1)]);
    let expected = [
        (2, vec![NS as i64]),
        (2, vec![5_000]),
        (1, vec![6_000]),
        (2, vec![6_500]),
    ];
    assert_eq!(bench.tags(), expected);
}

#[test]
fn a_fault_stops_it_unless_the_desk_says_otherwise() {
    let divides = "    def on_trade(self, trade: Trade) -> None:
        self.emit(1, 10 // int(trade.quantity - 1))
        self.buy(trade.instrument, trade.price, Quantity(1))
";
    let mut bench = Bench::new(divides);
    bench.frame(&[trade(NS, 100_000, 3), trade(NS, 100_000, 1)]);
    bench.frame(&[trade(NS, 100_000, 3)]);
    // The order of the handler with the fault is not sent; its record is told.
    assert_eq!(bench.sink.sent.len(), 1);
    assert_eq!(bench.tags(), [(1, vec![5]), (1, vec![0])]);
    assert!(matches!(bench.sink.ended[..], [Ended::Fault(faults)] if faults.division == 1));

    let source = format!(
        "from tickwire import Quantity, Strategy, Trade\n\n\nclass On(Strategy):\n{divides}"
    );
    let mut bench = Bench::with(&config(vec![]), &source, &[], false);
    bench.frame(&[trade(NS, 100_000, 3), trade(NS, 100_000, 1)]);
    bench.frame(&[trade(NS, 100_000, 3)]);
    assert_eq!(bench.sink.sent.len(), 3);
    assert!(bench.sink.ended.is_empty());
    let (place, counts, open) = bench.programs.counts().next().unwrap();
    assert_eq!((place, counts.faults, counts.intents, open), (0, 1, 3, 3));
}

#[test]
fn one_that_answers_each_refusal_with_an_order_is_ended_and_the_others_are_not_held_up() {
    let again = "    def on_trade(self, trade: Trade) -> None:
        self.buy(trade.instrument, trade.price, Quantity(0))

    def on_order(self, report: Report) -> None:
        self.buy(report.instrument, report.price, Quantity(0))
        self.buy(report.instrument, report.price, Quantity(0))
";
    let mut bench = Bench::new(again);
    bench.frame(&[trade(NS, 100_000, 1)]);
    assert_eq!(bench.sink.ended, [Ended::Answers]);
    let before = bench.sink.refused.len();
    assert!(before < 200, "{before}");
    bench.frame(&[trade(NS, 100_000, 1)]);
    assert_eq!(bench.sink.refused.len(), before);
}
