//! The strategies of the desks, on events written by hand, with the orders that they must send: in the interpreter, and under CPython.
//!
//! Prices have two decimals. Expected values are worked out by hand from what each strategy's file says that it does.

use crate::common;
use common::{Job, cpython, load, run, strategy_path};
use formats::Side;
use language::event::Outcome;
use language::{
    BookChange, Intent, Interpreter, Level, New, Options, Report, ReportKind, TimeInForce, Trade,
    parameters,
};
use language_random::{Step, What};
use serde_json::json;

const SECOND: i64 = 1_000_000_000;

/// What is sent at each step, and that CPython does the same.
struct Desk {
    name: &'static str,
    instruments: usize,
    parameters: Vec<(&'static str, i64)>,
    steps: Vec<Step>,
    expected: Vec<Vec<Intent>>,
}

fn desk(name: &'static str, instruments: usize, parameters: &[(&'static str, i64)]) -> Desk {
    Desk {
        name,
        instruments,
        parameters: parameters.to_vec(),
        steps: Vec::new(),
        expected: Vec::new(),
    }
}

impl Desk {
    fn step(mut self, now: i64, what: What, expected: &[Intent]) -> Self {
        self.steps.push(Step {
            now,
            open_orders: 0,
            positions: vec![0; self.instruments],
            what,
        });
        self.expected.push(expected.to_vec());
        self
    }

    fn book(self, instrument: u32, bid: i64, ask: i64, expected: &[Intent]) -> Self {
        self.step(
            0,
            What::Book(change(instrument, bid, ask), [vec![], vec![]]),
            expected,
        )
    }

    fn trade(
        self,
        now: i64,
        instrument: u32,
        price: i64,
        quantity: i64,
        side: Side,
        expected: &[Intent],
    ) -> Self {
        let trade = Trade {
            instrument,
            price,
            quantity,
            side,
        };
        self.step(now, What::Trade(trade), expected)
    }

    /// For the steps from here on, positions and open orders are these.
    fn with(mut self, positions: &[i64], open_orders: i64) -> Self {
        if let Some(step) = self.steps.last_mut() {
            step.positions = positions.to_vec();
            step.open_orders = open_orders;
        }
        self
    }

    fn options(&self) -> Options {
        Options {
            instruments: self.instruments,
            price_decimals: 2,
            ..Options::default()
        }
    }

    fn check(self) {
        let program = load(self.name, &self.options());
        let values = parameters(&program, self.parameters.iter().copied()).unwrap();
        let mut machine = Interpreter::new(program, values);
        let mut outcome = Outcome::default();
        let mut copy = machine.clone();
        for (number, (step, expected)) in self.steps.iter().zip(&self.expected).enumerate() {
            step.run(&mut machine, &mut outcome);
            assert_eq!(
                &outcome.intents, expected,
                "{}, step {number}: {step:?}",
                self.name
            );
            assert_eq!(
                outcome.faults.total(),
                0,
                "{}, step {number}: {step:?}",
                self.name
            );
        }
        let job = Job {
            path: strategy_path(self.name),
            options: self.options(),
            parameters: self
                .parameters
                .iter()
                .map(|(name, value)| ((*name).to_owned(), *value))
                .collect(),
            fault_stops: true,
            steps: self.steps.clone(),
        };
        assert_eq!(
            cpython(&[job]),
            run(&mut copy, &self.steps),
            "{} under CPython",
            self.name
        );
    }
}

/// Best levels of one order of 100 each; a price of 0 is none.
fn change(instrument: u32, bid: i64, ask: i64) -> BookChange {
    let level = |price: i64| {
        if price == 0 {
            Level::default()
        } else {
            Level {
                price,
                quantity: 100,
                orders: 1,
            }
        }
    };
    BookChange {
        instrument,
        bid: level(bid),
        ask: level(ask),
        changed: true,
        tradable: true,
    }
}

fn limit(
    order: i64,
    side: Side,
    instrument: i64,
    price: i64,
    quantity: i64,
    time_in_force: TimeInForce,
) -> Intent {
    Intent::New(New {
        order,
        side,
        instrument,
        price: Some(price),
        quantity,
        time_in_force,
    })
}

fn market(order: i64, side: Side, quantity: i64) -> Intent {
    Intent::New(New {
        order,
        side,
        instrument: 0,
        price: None,
        quantity,
        time_in_force: TimeInForce::Day,
    })
}

#[test]
fn best_offer_buys_at_each_new_best_ask() {
    let day = TimeInForce::Day;
    let untradable = BookChange {
        tradable: false,
        ..change(1, 1000, 1004)
    };
    desk("best-offer", 2, &[("instrument", 1), ("size", 7)])
        .book(1, 1000, 1002, &[limit(1, Side::Buy, 1, 1002, 7, day)])
        .book(1, 1001, 1002, &[])
        .book(0, 1001, 1003, &[])
        .book(1, 1001, 0, &[])
        .step(0, What::Book(untradable, [vec![], vec![]]), &[])
        .book(1, 1001, 1003, &[limit(2, Side::Buy, 1, 1003, 7, day)])
        .book(1, 0, 1002, &[limit(3, Side::Buy, 1, 1002, 7, day)])
        .check();
}

#[test]
fn bid_plus_ask_sells_at_the_bid_when_the_sum_changes() {
    let day = TimeInForce::Day;
    desk("bid-plus-ask", 1, &[("instrument", 0)])
        .book(0, 1000, 1002, &[limit(1, Side::Sell, 0, 1000, 1, day)])
        .book(0, 1001, 1001, &[])
        .book(0, 1001, 1002, &[limit(2, Side::Sell, 0, 1001, 1, day)])
        .book(0, 1001, 0, &[])
        .check();
}

#[test]
fn spread_buys_the_cheap_one_and_sells_the_dear_one() {
    let fok = TimeInForce::FillOrKill;
    let pair = [
        limit(1, Side::Buy, 0, 1002, 100, fok),
        limit(2, Side::Sell, 1, 1007, 100, fok),
    ];
    let other = [
        limit(3, Side::Buy, 1, 995, 100, fok),
        limit(4, Side::Sell, 0, 1000, 100, fok),
    ];
    desk("spread", 2, &[("first", 0), ("second", 1)])
        .book(0, 1000, 1002, &[])
        // 4 cents: less than the edge of 5.
        .book(1, 1006, 1008, &[])
        .book(1, 1007, 1009, &pair)
        // An order is under way.
        .book(1, 1008, 1009, &[])
        .with(&[0, 0], 1)
        .book(1, 990, 995, &other)
        // At the limit: 950 and 100 more are above 1,000.
        .book(1, 1007, 1009, &[])
        .with(&[950, -950], 0)
        .check();
}

#[test]
fn market_maker_quotes_both_sides_and_leans_against_its_position() {
    let day = TimeInForce::Day;
    let report = |kind, order, side, remaining| {
        What::Report(Report {
            kind,
            order,
            side,
            remaining,
            ..Report::default()
        })
    };
    let replace = |order, price| Intent::Replace {
        order,
        price,
        quantity: 100,
    };
    desk("market-maker", 1, &[("instrument", 0)])
        // Middle 1005; 2 cents to each side, but not better than the best prices.
        .book(
            0,
            1000,
            1010,
            &[
                limit(1, Side::Buy, 0, 1000, 100, day),
                limit(2, Side::Sell, 0, 1010, 100, day),
            ],
        )
        .book(0, 1000, 1010, &[])
        // Middle 1001.
        .book(0, 1000, 1002, &[replace(1, 999), replace(2, 1003)])
        .step(0, report(ReportKind::Filled, 1, Side::Buy, 0), &[])
        // Two lots bought: both quotes 2 cents lower; the ask stays at the best ask. The bid is a new order.
        .book(
            0,
            1000,
            1002,
            &[limit(3, Side::Buy, 0, 997, 100, day), replace(2, 1002)],
        )
        .with(&[200], 1)
        // A part of it is filled: the order is still there.
        .step(0, report(ReportKind::Filled, 3, Side::Buy, 40), &[])
        // At the limit: no more buying. 5 lots: the ask is the best ask still.
        .book(0, 1000, 1002, &[Intent::Cancel { order: 3 }])
        .with(&[500], 2)
        // The cancel is under way, and not sent again.
        .book(0, 1000, 1002, &[])
        .with(&[500], 2)
        .step(0, report(ReportKind::Cancelled, 3, Side::Buy, 0), &[])
        .book(0, 1000, 0, &[Intent::Cancel { order: 2 }])
        // Risk refused the cancel (the rate): the ask is at 1002 still, and the next change asks again.
        .step(
            0,
            What::Report(Report {
                kind: ReportKind::Refused,
                order: 2,
                side: Side::Sell,
                price: 1002,
                quantity: 100,
                remaining: 100,
                reason: 8,
                ..Report::default()
            }),
            &[],
        )
        .book(0, 1000, 0, &[Intent::Cancel { order: 2 }])
        .check();
}

#[test]
fn market_maker_quotes_only_prices_that_the_exchange_takes() {
    let day = TimeInForce::Day;
    let parameters = [("instrument", 0), ("half_spread", 6), ("tick", 5)];
    desk("market-maker", 1, &parameters)
        // Middle 1002: 996 and 1008, to the next 5 away from it.
        .book(
            0,
            1000,
            1005,
            &[
                limit(1, Side::Buy, 0, 995, 100, day),
                limit(2, Side::Sell, 0, 1010, 100, day),
            ],
        )
        .check();
}

#[test]
fn opening_imbalance_goes_once_with_who_took_more() {
    let ioc = TimeInForce::ImmediateOrCancel;
    let day = |resting: Side, expected: &[Intent]| {
        desk(
            "opening-imbalance",
            1,
            &[("instrument", 0), ("window", 10 * SECOND)],
        )
        .book(0, 1000, 1002, &[])
        .trade(SECOND, 0, 1002, 600, resting, &[])
        .trade(
            5 * SECOND,
            0,
            1000,
            400,
            if resting == Side::Sell {
                Side::Buy
            } else {
                Side::Sell
            },
            &[],
        )
        .trade(11 * SECOND, 0, 1000, 1, Side::Buy, expected)
        .trade(12 * SECOND, 0, 1000, 1, Side::Buy, &[])
        .check();
    };
    // 600 against 400: ahead by exactly 20 per cent, which is not more.
    day(Side::Sell, &[]);
    let ahead = |resting: Side, expected: &[Intent]| {
        desk(
            "opening-imbalance",
            1,
            &[("instrument", 0), ("window", 10 * SECOND), ("ahead", 19)],
        )
        .book(0, 1000, 1002, &[])
        .trade(SECOND, 0, 1002, 600, resting, &[])
        .trade(
            5 * SECOND,
            0,
            1000,
            400,
            if resting == Side::Sell {
                Side::Buy
            } else {
                Side::Sell
            },
            &[],
        )
        .trade(11 * SECOND, 0, 1000, 1, Side::Buy, expected)
        .trade(12 * SECOND, 0, 1000, 1, Side::Buy, &[])
        .check();
    };
    ahead(Side::Sell, &[limit(1, Side::Buy, 0, 1002, 100, ioc)]);
    ahead(Side::Buy, &[limit(1, Side::Sell, 0, 1000, 100, ioc)]);
}

#[test]
fn stop_order_fires_once_and_a_new_trigger_arms_it_again() {
    desk("stop-order", 1, &[("instrument", 0), ("trigger", 995)])
        .trade(0, 0, 996, 10, Side::Buy, &[])
        .trade(0, 0, 995, 10, Side::Buy, &[market(1, Side::Sell, 100)])
        .trade(0, 0, 990, 10, Side::Buy, &[])
        // instrument, side, trigger, size, in the order of the file.
        .step(0, What::Parameters(vec![0, 1, 989, 50]), &[])
        .trade(0, 0, 990, 10, Side::Buy, &[])
        .trade(0, 0, 988, 10, Side::Buy, &[market(2, Side::Sell, 50)])
        .check();
    desk(
        "stop-order",
        1,
        &[("instrument", 0), ("trigger", 995), ("side", 0)],
    )
    .trade(0, 0, 994, 10, Side::Buy, &[])
    .trade(0, 0, 996, 10, Side::Buy, &[market(1, Side::Buy, 100)])
    .check();
}

#[test]
fn symbol_statistics_tell_each_second_what_traded() {
    let options = Options {
        instruments: 3,
        price_decimals: 2,
        ..Options::default()
    };
    let program = load("symbol-statistics", &options);
    assert_eq!(program.every, Some(SECOND));
    let trade = |instrument, price, quantity| {
        What::Trade(Trade {
            instrument,
            price,
            quantity,
            side: Side::Buy,
        })
    };
    let whats = [
        trade(0, 1000, 10),
        trade(2, 500, 1),
        trade(0, 1010, 30),
        trade(0, 990, 5),
        What::Timer,
        trade(0, 7, 2),
        What::Timer,
        What::Timer,
    ];
    let steps: Vec<Step> = whats
        .into_iter()
        .map(|what| Step {
            now: 0,
            open_orders: 0,
            positions: vec![0; 3],
            what,
        })
        .collect();
    let given = run(&mut Interpreter::new(program, Vec::new()), &steps);
    // 10 × 1000 + 30 × 1010 + 5 × 990 = 45250, by 45 is 1005 and a rest.
    let first = json!([{"tag": 1, "values": [0, 45, 990, 1010, 1005]}, {"tag": 1, "values": [2, 1, 500, 500, 500]}]);
    let second = json!([{"tag": 1, "values": [0, 2, 7, 7, 7]}]);
    let records: Vec<_> = given.iter().map(|line| line["records"].clone()).collect();
    let none = json!([]);
    assert_eq!(
        records,
        [&none, &none, &none, &none, &first, &none, &second, &none].map(Clone::clone)
    );
    let job = Job {
        path: strategy_path("symbol-statistics"),
        options,
        parameters: Vec::new(),
        fault_stops: true,
        steps,
    };
    assert_eq!(cpython(&[job]), given);
}
