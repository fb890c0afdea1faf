//! Strategies on short days written by hand, and the fills worked out by the rule of `market`'s page.

use backtest::{Action, Backtest, BacktestError, Feed, Fill, Latency, Measured};
use formats::itch::{
    AddOrder, Head, Message, OrderCancel, OrderDelete, OrderExecuted, Trade, Version,
};
use formats::{Side, Symbol, mold};
use language::event::Intent;
use language::{Guarded, Interpreter, Options, compile, parameters};

const ABC: Symbol = Symbol(*b"ABC     ");
const DOLLAR: u32 = 10_000;

/// A day that is being written: a packet a step.
struct Day {
    backtest: Backtest<Guarded<Interpreter>>,
    next: u64,
    time: u64,
    /// When each fill came.
    told: Vec<u64>,
    fills: Vec<Fill>,
    intents: Vec<Intent>,
}

impl Day {
    /// A strategy with this body, on ABC alone.
    fn new(body: &str) -> Self {
        let names: Vec<_> = language::check::imports().collect();
        let source = format!(
            "from tickwire import {}\n\nclass Example(Strategy):\n    instrument: Instrument = param()\n{body}",
            names.join(", ")
        );
        let program = compile(&source, &Options::default());
        let program = program.unwrap_or_else(|messages| panic!("{source}\n{messages}"));
        let values = parameters(&program, [("instrument", 0)]).unwrap();
        let machine = Guarded::new(Interpreter::new(program.clone(), values), true);
        Day {
            backtest: Backtest::new(&program, machine, Feed::itch(Version::V50), &[ABC]).unwrap(),
            next: 1,
            time: 0,
            told: vec![],
            fills: vec![],
            intents: vec![],
        }
    }

    /// The same, an order so many nanoseconds on its way.
    fn late(mut self, nanoseconds: u64) -> Self {
        self.backtest = self.backtest.with_latency(Latency::Fixed(nanoseconds));
        self
    }

    fn packet(&mut self, messages: &[Message]) -> Result<(), BacktestError> {
        let mut packet = mold::Builder::new(*b"BACKTEST  ", self.next);
        for message in messages {
            let mut bytes = vec![];
            message.emit(Version::V50, &mut bytes).unwrap();
            packet.push(&bytes).unwrap();
        }
        self.next += messages.len() as u64;
        let (fills, intents, told) = (&mut self.fills, &mut self.intents, &mut self.told);
        self.backtest
            .datagram(packet.bytes(), 0, &mut |time, happened| match happened {
                Action::Fill(fill) => {
                    told.push(time);
                    fills.push(*fill);
                }
                Action::Intent(intent) => intents.push(*intent),
                Action::Record(_) => {}
            })
    }

    fn add(&mut self, order_reference: u64, side: Side, shares: u32, price: u32) -> Message {
        self.time += 1_000;
        AddOrder {
            head: Head {
                stock_locate: 9,
                nanoseconds: self.time,
                ..Head::default()
            },
            order_reference,
            side,
            shares,
            stock: ABC,
            price,
        }
        .into()
    }

    fn adds(&mut self, order_reference: u64, side: Side, shares: u32, price: u32) {
        let message = self.add(order_reference, side, shares, price);
        self.packet(&[message]).unwrap();
    }

    fn head(&mut self) -> Head {
        self.time += 1_000;
        Head {
            stock_locate: 9,
            nanoseconds: self.time,
            ..Head::default()
        }
    }

    fn executes(&mut self, order_reference: u64, executed_shares: u32) {
        let message = OrderExecuted {
            head: self.head(),
            order_reference,
            executed_shares,
            match_number: 1,
        };
        self.packet(&[message.into()]).unwrap();
    }

    fn trades(&mut self, shares: u32, price: u32) {
        let message = Trade {
            head: self.head(),
            order_reference: 0,
            side: Side::Buy,
            shares,
            stock: ABC,
            price,
            match_number: 1,
        };
        self.packet(&[message.into()]).unwrap();
    }

    fn fills(&mut self) -> Vec<(i64, i64, i64)> {
        let fills = std::mem::take(&mut self.fills);
        fills
            .iter()
            .map(|fill| (fill.order, fill.price, fill.quantity))
            .collect()
    }
}

#[test]
fn an_order_that_reaches_the_best_price_trades_at_once_up_to_what_is_shown_and_the_rest_rests() {
    let mut day = Day::new(
        "    sent: bool = state(False)
    def on_book(self, book: Book) -> None:
        if book.ask.exists and book.bid.exists and not self.sent:
            self.sent = True
            self.buy(self.instrument, Price(10.02), Quantity(150))
",
    );
    day.adds(1, Side::Buy, 10, 10 * DOLLAR);
    day.adds(2, Side::Sell, 100, 10 * DOLLAR + 100);
    // 100 at 10.01, the ask's price; 50 rest at 10.02.
    assert_eq!(day.fills(), [(1, 100_100, 100)]);
    assert_eq!(day.backtest.open_orders(), 1);
    // The ask's quantity is taken; another that reaches 10.02 is met, at the price of what rested.
    day.adds(3, Side::Sell, 30, 10 * DOLLAR + 200);
    assert_eq!(day.fills(), [(1, 100_200, 30)]);
    let ask = day.head();
    day.packet(&[OrderDelete {
        head: ask,
        order_reference: 2,
    }
    .into()])
        .unwrap();
    assert_eq!(day.fills(), []);
    assert_eq!(day.backtest.open_orders(), 1);
    let holding = day.backtest.holdings()[0];
    assert_eq!(holding.position, 130);
    assert_eq!(holding.cash, -(100 * 100_100 + 30 * 100_200));
    // At the middle of 10.00 and 10.02.
    assert_eq!(
        holding.twice_profit(),
        2 * holding.cash + 130 * (100_000 + 100_200)
    );
}

#[test]
fn what_rests_trades_once_all_before_it_has_traded_or_left_and_when_a_trade_happens_at_a_worse_price()
 {
    let mut day = Day::new(
        "    sent: bool = state(False)
    def on_book(self, book: Book) -> None:
        if book.ask.exists and book.bid.exists and not self.sent:
            self.sent = True
            self.buy(self.instrument, book.bid.price, Quantity(100))
",
    );
    day.adds(1, Side::Buy, 500, 10 * DOLLAR);
    day.adds(2, Side::Sell, 500, 11 * DOLLAR);
    assert_eq!(day.fills(), []);
    // 500 were there first: 200 trade, 250 of the rest leave; then 50 are left, and what trades beyond them is ours.
    day.executes(1, 200);
    assert_eq!(day.fills(), []);
    day.adds(3, Side::Buy, 300, 10 * DOLLAR);
    let cancelled = OrderCancel {
        head: day.head(),
        order_reference: 1,
        cancelled_shares: 250,
    };
    day.packet(&[cancelled.into()]).unwrap();
    // The level shows 350, so all that is known is that 300 at most are before it.
    day.executes(3, 290);
    assert_eq!(day.fills(), []);
    day.executes(1, 50);
    // 10 of the level's last 60 were ours to wait for.
    assert_eq!(day.fills(), [(1, 100_000, 40)]);
    // A trade above it is no seller for it either.
    day.trades(40, 10 * DOLLAR + 50);
    assert_eq!(day.fills(), []);
    // At 9.99 whoever bids 10.00 had been next, for as much as traded.
    day.trades(20, 10 * DOLLAR - 100);
    assert_eq!(day.fills(), [(1, 100_000, 20)]);
    day.trades(500, 10 * DOLLAR - 100);
    assert_eq!(day.fills(), [(1, 100_000, 40)]);
    assert_eq!(day.backtest.open_orders(), 0);
}

#[test]
fn what_is_immediate_or_a_market_order_leaves_nothing_and_fill_or_kill_takes_all_or_nothing() {
    let mut day = Day::new(
        "    step: int = state(0)
    def on_book(self, book: Book) -> None:
        if book.ask.exists and book.bid.exists:
            self.step += 1
            if self.step == 1:
                self.buy(self.instrument, book.ask.price, Quantity(101), time_in_force=TimeInForce.FOK)
            if self.step == 2:
                self.buy(self.instrument, book.ask.price, Quantity(40), time_in_force=TimeInForce.IOC)
            if self.step == 3:
                self.buy(self.instrument, MARKET, Quantity(100))
",
    );
    day.adds(1, Side::Buy, 10, 10 * DOLLAR);
    day.adds(2, Side::Sell, 100, 11 * DOLLAR);
    assert_eq!(day.fills(), []);
    day.adds(3, Side::Buy, 10, 9 * DOLLAR);
    assert_eq!(day.fills(), [(2, 110_000, 40)]);
    // 60 of the level are left.
    day.adds(4, Side::Buy, 10, 9 * DOLLAR);
    assert_eq!(day.fills(), [(3, 110_000, 60)]);
    assert_eq!(day.backtest.open_orders(), 0);
    assert_eq!(day.backtest.holdings()[0].position, 100);
}

#[test]
fn orders_that_cannot_be_are_rejected_and_the_strategy_is_told() {
    let mut day = Day::new(
        "    reasons: int = state(0)
    sent: bool = state(False)
    def on_book(self, book: Book) -> None:
        if not self.sent:
            self.sent = True
            refused = self.buy(self.instrument, book.bid.price, Quantity(0))
            self.cancel(refused)
            self.replace(refused, book.bid.price, Quantity(1))
    def on_order(self, report: Report) -> None:
        if report.kind == ReportKind.REJECTED:
            self.reasons = self.reasons * 10 + report.reason
",
    );
    day.adds(1, Side::Buy, 10, 10 * DOLLAR);
    assert_eq!(day.backtest.counts().rejected, 3);
    let state = language::Machine::state(day.backtest.machine());
    // No quantity (2), then twice no such order (1).
    assert_eq!(state[0], [211]);
    assert_eq!(day.fills(), []);
}

#[test]
fn a_strategy_that_answers_its_own_orders_without_end_is_stopped_with_what_to_do() {
    let mut day = Day::new(
        "    def on_book(self, book: Book) -> None:
        self.buy(self.instrument, Price(1.0), Quantity(1))
    def on_order(self, report: Report) -> None:
        self.buy(self.instrument, Price(1.0), Quantity(1))
",
    );
    let message = day.add(1, Side::Buy, 10, 10 * DOLLAR);
    let ended = day.packet(&[message]);
    assert_eq!(ended, Err(BacktestError::Rounds { time_ns: 1_000 }));
}

#[test]
fn a_book_that_changed_in_a_frame_is_told_once_at_its_end() {
    let mut day = Day::new(
        "    def on_book(self, book: Book) -> None:
        self.sell(self.instrument, book.bid.price, book.bid.quantity)
",
    );
    let messages = [
        day.add(1, Side::Buy, 10, 10 * DOLLAR),
        day.add(2, Side::Buy, 5, 11 * DOLLAR),
        day.add(3, Side::Buy, 2, 11 * DOLLAR),
    ];
    day.packet(&messages).unwrap();
    let quantities: Vec<_> = day
        .intents
        .iter()
        .map(|intent| match intent {
            Intent::New(new) => (new.price, new.quantity),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(quantities, [(Some(110_000), 7)]);
    assert_eq!(day.fills(), [(1, 110_000, 7)]);
}

#[test]
fn a_timer_runs_as_often_as_the_feeds_time_says() {
    let mut day = Day::new(
        "    ticks: int = state(0)
    @timer(every=400 * NANOSECOND)
    def on_timer(self) -> None:
        self.ticks += 1
",
    );
    day.adds(1, Side::Buy, 10, 10 * DOLLAR);
    // From 1,000 ns on: at 1,400 and 1,800, then at 2,200 and 2,600.
    day.adds(2, Side::Buy, 10, 10 * DOLLAR);
    day.adds(3, Side::Buy, 10, 10 * DOLLAR);
    let state = language::Machine::state(day.backtest.machine());
    assert_eq!(state[0], [5]);
}

/// As NASDAQ's cross without shares: it must not look like a market at 0 to a stop that sells at 45.00.
#[test]
fn what_trades_nothing_is_no_trade_for_a_strategy() {
    let mut day = Day::new(
        "    trades: int = state(0)
    def on_trade(self, trade: Trade) -> None:
        self.trades += 1
        if trade.price <= 45.0:
            self.sell(self.instrument, MARKET, Quantity(100))
",
    );
    day.adds(1, Side::Buy, 500, 49 * DOLLAR);
    day.trades(10, 50 * DOLLAR);
    day.trades(0, 0);
    day.trades(0, 50 * DOLLAR);
    day.trades(10, 0);
    let state = language::Machine::state(day.backtest.machine());
    assert_eq!(state[0], [1]);
    assert_eq!(day.fills(), []);
    day.trades(10, 45 * DOLLAR);
    // The incoming order is done when something else comes.
    day.adds(2, Side::Buy, 500, 44 * DOLLAR);
    assert_eq!(day.fills(), [(1, 490_000, 100)]);
}

#[test]
fn what_rests_and_is_reached_trades_at_its_own_price() {
    let mut day = Day::new(
        "    sent: bool = state(False)
    def on_book(self, book: Book) -> None:
        if book.ask.exists and book.bid.exists and not self.sent:
            self.sent = True
            self.buy(self.instrument, Price(10.5), Quantity(100))
",
    );
    day.adds(1, Side::Buy, 500, 10 * DOLLAR);
    day.adds(2, Side::Sell, 500, 11 * DOLLAR);
    assert_eq!(day.fills(), []);
    // Whoever sells at 10.20 meets 10.50.
    day.adds(3, Side::Sell, 30, 10 * DOLLAR + 2_000);
    assert_eq!(day.fills(), [(1, 105_000, 30)]);
}

const TAKES_THE_OFFER: &str = "    sent: bool = state(False)
    waiting: int = state(0)
    def on_book(self, book: Book) -> None:
        self.waiting = self.open_orders
        if book.ask.exists and not self.sent:
            self.sent = True
            self.buy(self.instrument, book.ask.price, Quantity(100), time_in_force=TimeInForce.IOC)
";

const TAKES_ONE_EACH_TIME: &str = "    def on_book(self, book: Book) -> None:
        if book.ask.exists:
            self.buy(self.instrument, book.ask.price, Quantity(1), time_in_force=TimeInForce.IOC)
";

#[test]
fn orders_with_measured_latencies_arrive_as_late_as_one_of_those_and_none_overtakes_another() {
    let mut arrived = vec![];
    for seed in 1..=20 {
        // An offer a microsecond: orders that were made before arrive then, if at all.
        let mut day = Day::new(TAKES_ONE_EACH_TIME);
        let latencies = Measured::new(vec![0, 9_000], 500, seed).unwrap();
        day.backtest = day.backtest.with_latency(Latency::Measured(latencies));
        // Order and offer that it arrived before.
        let mut fills = vec![];
        for offer in 1..=30 {
            day.time += 1_000;
            day.adds(offer, Side::Sell, 100, 10 * DOLLAR);
            fills.extend(day.fills().into_iter().map(|(order, ..)| (order, offer)));
        }
        assert!(fills.len() > 15, "{seed}: {fills:?}");
        for ((order, offer), wanted) in fills.iter().zip(1..) {
            assert_eq!(*order, wanted, "{seed}: {fills:?}");
            let later = offer.wrapping_sub(*order as u64);
            assert!((1..=10).contains(&later), "{seed}: {fills:?}");
        }
        assert!(day.told.is_sorted(), "{seed}: {:?}", day.told);
        arrived.push(fills);
    }
    arrived.dedup();
    assert!(arrived.len() > 10);
}

#[test]
fn a_late_order_meets_what_is_shown_when_it_arrives() {
    // The offer of 1,000 ns is there until 3,000 ns, a better one from 2,000 ns on.
    for (latency, fills) in [
        (0, vec![(1, 110_000, 40)]),
        (999, vec![(1, 110_000, 40)]),
        (1_000, vec![(1, 105_000, 30), (1, 110_000, 40)]),
        (1_999, vec![(1, 105_000, 30), (1, 110_000, 40)]),
        // What is told of the same nanosecond comes first: the better offer has gone then.
        (2_000, vec![(1, 110_000, 40)]),
        (5_000, vec![]),
    ] {
        let mut day = Day::new(TAKES_THE_OFFER).late(latency);
        day.adds(1, Side::Sell, 40, 11 * DOLLAR);
        day.adds(2, Side::Sell, 30, 10 * DOLLAR + 5_000);
        day.time += 1_000;
        let head = Head {
            stock_locate: 9,
            nanoseconds: day.time,
            ..Head::default()
        };
        let gone = OrderDelete {
            head,
            order_reference: 2,
        };
        day.packet(&[gone.into()]).unwrap();
        day.adds(3, Side::Buy, 5, 9 * DOLLAR);
        assert_eq!(day.fills(), fills, "{latency}");
        assert_eq!(day.backtest.on_their_way(), usize::from(fills.is_empty()));
    }
}

/// Bids at the price of the day's first trade.
const BIDS_AT_THE_TRADE: &str = "    sent: bool = state(False)
    def on_trade(self, trade: Trade) -> None:
        if not self.sent:
            self.sent = True
            self.buy(self.instrument, trade.price, Quantity(100))
";

#[test]
fn what_one_incoming_order_does_is_one_event() {
    // An incoming order sells down to 9; ours at 10 would be first for the second part, if it could come between the two.
    for latency in [0, 1] {
        let mut day = Day::new(BIDS_AT_THE_TRADE).late(latency);
        day.adds(1, Side::Buy, 40, 10 * DOLLAR);
        day.adds(2, Side::Buy, 30, 9 * DOLLAR);
        for (order_reference, executed_shares) in [(1, 40), (2, 20)] {
            let head = Head {
                stock_locate: 9,
                nanoseconds: 5_000,
                ..Head::default()
            };
            let message = OrderExecuted {
                head,
                order_reference,
                executed_shares,
                match_number: 1,
            };
            day.packet(&[message.into()]).unwrap();
        }
        // Another incoming order: ours is there.
        day.time = 5_000;
        day.adds(3, Side::Buy, 1, 8 * DOLLAR);
        assert_eq!(day.fills(), [], "{latency}");
        day.executes(2, 10);
        assert_eq!(day.fills(), [(1, 100_000, 10)], "{latency}");
    }
}

#[test]
fn an_order_on_its_way_counts_as_open() {
    let mut day = Day::new(TAKES_THE_OFFER).late(1_500);
    day.adds(1, Side::Sell, 40, 11 * DOLLAR);
    day.adds(2, Side::Sell, 30, 12 * DOLLAR);
    let waiting = |day: &Day| language::Machine::state(day.backtest.machine())[1][0];
    assert_eq!(waiting(&day), 1);
    day.adds(3, Side::Sell, 30, 12 * DOLLAR);
    assert_eq!((waiting(&day), day.fills()), (0, vec![(1, 110_000, 40)]));
}

#[test]
fn a_strategy_that_answers_its_own_orders_without_end_is_stopped_though_each_is_late() {
    let mut day = Day::new(
        "    def on_book(self, book: Book) -> None:
        self.buy(self.instrument, Price(1.0), Quantity(1))
    def on_order(self, report: Report) -> None:
        self.buy(self.instrument, Price(1.0), Quantity(1))
",
    )
    .late(1);
    day.adds(1, Side::Buy, 10, 10 * DOLLAR);
    let message = day.add(2, Side::Buy, 10, 10 * DOLLAR);
    let ended = day.packet(&[message]);
    assert!(
        matches!(ended, Err(BacktestError::Rounds { .. })),
        "{ended:?}"
    );
}

/// Sends one order at the book's first change with a bid of 10, once `bid` is there.
fn once(order: &str) -> String {
    format!(
        "    sent: bool = state(False)
    def on_book(self, book: Book) -> None:
        if book.bid.exists and not self.sent:
            self.sent = True
            {order}
"
    )
}

#[test]
fn an_order_takes_the_levels_that_it_reaches_the_best_first() {
    for (order, fills, open) in [
        // 50 at 10.00, 200 at 10.01, 70 at 10.03; the price limit ends before 10.06.
        (
            "self.buy(self.instrument, Price(10.05), Quantity(5000))",
            vec![(1, 100_000, 50), (1, 100_100, 200), (1, 100_300, 70)],
            1,
        ),
        (
            "self.buy(self.instrument, Price(10.05), Quantity(260), time_in_force=TimeInForce.IOC)",
            vec![(1, 100_000, 50), (1, 100_100, 200), (1, 100_300, 10)],
            0,
        ),
        (
            "self.buy(self.instrument, MARKET, Quantity(5000))",
            vec![
                (1, 100_000, 50),
                (1, 100_100, 200),
                (1, 100_300, 70),
                (1, 100_600, 1_000),
            ],
            0,
        ),
        (
            "self.buy(self.instrument, Price(10.05), Quantity(321), time_in_force=TimeInForce.FOK)",
            vec![],
            0,
        ),
        (
            "self.buy(self.instrument, Price(10.05), Quantity(320), time_in_force=TimeInForce.FOK)",
            vec![(1, 100_000, 50), (1, 100_100, 200), (1, 100_300, 70)],
            0,
        ),
    ] {
        let mut day = Day::new(&once(order));
        for (number, shares, above) in [(1, 1_000, 600), (2, 70, 300), (3, 200, 100), (4, 50, 0)] {
            day.adds(number, Side::Sell, shares, 10 * DOLLAR + above);
        }
        day.adds(5, Side::Buy, 10, 9 * DOLLAR);
        assert_eq!(day.fills(), fills, "{order}");
        assert_eq!(day.backtest.open_orders(), open, "{order}");
    }
    // Down the other side.
    let mut day = Day::new(&once("self.sell(self.instrument, MARKET, Quantity(25))"));
    let levels = [
        day.add(1, Side::Buy, 10, 9 * DOLLAR),
        day.add(2, Side::Buy, 10, 8 * DOLLAR),
        day.add(3, Side::Buy, 10, 7 * DOLLAR),
    ];
    day.packet(&levels).unwrap();
    assert_eq!(
        day.fills(),
        [(1, 90_000, 10), (1, 80_000, 10), (1, 70_000, 5)]
    );
}

/// What an order of the strategy has taken is no seller for it, or for another of its orders, when the record says that it traded.
#[test]
fn what_was_taken_is_not_taken_again() {
    let mut day = Day::new(&once(
        "self.buy(self.instrument, Price(10.05), Quantity(100))",
    ));
    day.adds(1, Side::Buy, 10, 9 * DOLLAR);
    // It rests at 10.05, and the offer of 30 at 10.02 meets it.
    day.adds(2, Side::Sell, 30, 10 * DOLLAR + 200);
    assert_eq!(day.fills(), [(1, 100_500, 30)]);
    // In the record another buys 20 of those, then 10: below 10.05, and ours already.
    day.executes(2, 20);
    assert_eq!(day.fills(), []);
    day.executes(2, 10);
    assert_eq!(day.fills(), []);
    // Of 40 more it takes all: 10 join, 25 of which trade. What trades beyond what it took is sold to it: nothing here.
    day.adds(3, Side::Sell, 40, 10 * DOLLAR + 200);
    assert_eq!(day.fills(), [(1, 100_500, 40)]);
    day.adds(4, Side::Sell, 10, 10 * DOLLAR + 200);
    assert_eq!(day.fills(), [(1, 100_500, 10)]);
    day.executes(3, 25);
    assert_eq!(day.fills(), []);
    // 20 of the order's 100 are left; a hidden sale at 10.01 is another seller.
    day.trades(20, 10 * DOLLAR + 100);
    assert_eq!(day.fills(), [(1, 100_500, 20)]);
    assert_eq!(day.backtest.holdings()[0].position, 100);
}

/// A level that the strategy has taken in part has what is left, also once others have traded there or left it.
#[test]
fn what_is_left_of_a_level_is_what_nobody_took() {
    let mut day = Day::new(
        "    def on_book(self, book: Book) -> None:
        if book.bid.exists:
            self.buy(self.instrument, Price(10.0), Quantity(60), time_in_force=TimeInForce.IOC)
",
    );
    day.adds(1, Side::Sell, 100, 10 * DOLLAR);
    day.adds(2, Side::Buy, 10, 9 * DOLLAR);
    // 40 are left; then none.
    assert_eq!(day.fills(), [(1, 100_000, 60)]);
    day.adds(3, Side::Buy, 10, 9 * DOLLAR);
    assert_eq!(day.fills(), [(2, 100_000, 40)]);
    // 30 of the 100 trade in the record: those were the first that it took.
    day.executes(1, 30);
    assert_eq!(day.fills(), []);
    // 50 join the 70, all of which it has; 55 leave, the new ones among them.
    day.adds(4, Side::Sell, 50, 10 * DOLLAR);
    assert_eq!(day.fills(), [(4, 100_000, 50)]);
    let leaves = OrderCancel {
        head: day.head(),
        order_reference: 1,
        cancelled_shares: 55,
    };
    day.packet(&[leaves.into()]).unwrap();
    assert_eq!(day.fills(), []);
    // 65 are shown, all taken; 5 more.
    day.adds(5, Side::Sell, 5, 10 * DOLLAR);
    assert_eq!(day.fills(), [(6, 100_000, 5)]);
}

/// Each message that the book takes counts, a hidden trade (P) too (docs/reference/strategy-language.md, "Handlers").
#[test]
fn a_hidden_trade_is_followed_by_the_book_which_has_not_changed() {
    let mut day = Day::new(
        "    books: int = state(0)
    changed: int = state(0)
    def on_book(self, book: Book) -> None:
        self.books += 1
        if book.changed:
            self.changed += 1
",
    );
    day.adds(1, Side::Buy, 10, 10 * DOLLAR);
    day.trades(5, 10 * DOLLAR);
    let state = language::Machine::state(day.backtest.machine());
    assert_eq!((state[0][0], state[1][0]), (2, 1));
}
