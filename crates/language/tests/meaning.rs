//! What the language means, by example: in the interpreter, and under CPython.

use crate::cases;
use crate::common;
use cases::{OPTIONS, all, checked, emitted, step, strategy};
use common::{Job, cpython};
use formats::Side;
use language::event::Outcome;
use language::{
    Guarded, Intent, Interpreter, Machine, New, ParameterError, Report, ReportKind, TimeInForce,
    Trade, parameters,
};
use language_random::{Step, What};

fn machine(source: &str) -> Interpreter {
    let program = checked(source);
    let values = parameters(&program, []).unwrap();
    Interpreter::new(program, values)
}

#[test]
fn each_operation_gives_what_the_reference_says() {
    for (source, records, faults) in all() {
        assert_eq!(
            emitted(&mut machine(&source)),
            (records, faults),
            "\n{source}"
        );
    }
}

#[test]
fn each_operation_gives_the_same_under_cpython() {
    let folder = tempfile::tempdir().unwrap();
    let jobs: Vec<Job> = all()
        .iter()
        .enumerate()
        .map(|(number, (source, ..))| {
            let path = folder.path().join(format!("case_{number}.py"));
            std::fs::write(&path, source).unwrap();
            Job {
                path,
                options: OPTIONS,
                parameters: Vec::new(),
                fault_stops: false,
                steps: vec![step()],
            }
        })
        .collect();
    let given = cpython(&jobs);
    for ((source, records, faults), line) in all().iter().zip(&given) {
        let values: Vec<Vec<i64>> = line["records"]
            .as_array()
            .unwrap()
            .iter()
            .map(|record| serde_json::from_value(record["values"].clone()).unwrap())
            .collect();
        assert_eq!(&values, records, "\n{source}");
        let counted =
            ["division", "index", "intents"].map(|kind| line["faults"][kind].as_u64().unwrap());
        assert_eq!(&counted, faults, "\n{source}");
    }
}

#[test]
fn intents_leave_in_order_with_all_that_was_given() {
    let source = strategy(
        "self.order = self.buy(self.who, 12.5, self.size)
self.sell(book.instrument, MARKET, 3, time_in_force=TimeInForce.IOC)
self.replace(self.order, book.ask.price, 7)
self.cancel(self.order)",
    );
    let mut machine = machine(&source);
    let mut outcome = Outcome::default();
    let expected = |first: i64| {
        let buy = New {
            order: first,
            side: Side::Buy,
            instrument: 2,
            price: Some(1250),
            quantity: 100,
            time_in_force: TimeInForce::Day,
        };
        let sell = New {
            order: first + 1,
            side: Side::Sell,
            instrument: 1,
            price: None,
            quantity: 3,
            time_in_force: TimeInForce::ImmediateOrCancel,
        };
        let replace = Intent::Replace {
            order: first,
            price: 1004,
            quantity: 7,
        };
        vec![
            Intent::New(buy),
            Intent::New(sell),
            replace,
            Intent::Cancel { order: first },
        ]
    };
    for first in [1, 3] {
        step().run(&mut machine, &mut outcome);
        assert_eq!(outcome.intents, expected(first));
    }
}

#[test]
fn state_lasts_from_event_to_event_and_handlers_share_it() {
    let source = "from tickwire import MILLISECOND, ReportKind, Strategy, state, timer
class S(Strategy):
    n: int = state(1)
    def on_trade(self, trade):
        self.n = self.n * 10 + int(trade.side)
    def on_order(self, report):
        if report.kind == ReportKind.REFUSED:
            self.n = self.n * 10 + report.reason
    @timer(every=5 * MILLISECOND)
    def on_timer(self):
        self.n = self.n * 10 + 9
";
    let program = checked(source);
    assert_eq!(program.every, Some(5_000_000));
    let mut machine = Interpreter::new(program, Vec::new());
    let trade = Trade {
        side: Side::Sell,
        ..Trade::default()
    };
    let refused = Report {
        kind: ReportKind::Refused,
        reason: 4,
        ..Report::default()
    };
    let filled = Report {
        kind: ReportKind::Filled,
        reason: 5,
        ..Report::default()
    };
    for what in [
        What::Trade(trade),
        What::Report(refused),
        What::Report(filled),
        What::Timer,
        step().what,
    ] {
        Step { what, ..step() }.run(&mut machine, &mut Outcome::default());
    }
    assert_eq!(machine.state(), [[1149]]);
}

#[test]
fn parameters_change_all_at_once_between_two_events() {
    let source = "from tickwire import Price, Strategy, param
class S(Strategy):
    a: int = param(1)
    b: Price = param(2)
    def on_timer(self):
        self.emit(0, self.a, self.b)
"
    .replace(
        "    def on_timer",
        "    @timer(every=SECOND)\n    def on_timer",
    )
    .replace("import Price", "import SECOND, timer, Price");
    let mut machine = machine(&source);
    let mut outcome = Outcome::default();
    let timer = Step {
        what: What::Timer,
        ..step()
    };
    timer.run(&mut machine, &mut outcome);
    assert_eq!(outcome.records[0].values(), [1, 200]);
    machine.set_parameters(&[5, 6]);
    timer.run(&mut machine, &mut outcome);
    assert_eq!(outcome.records[0].values(), [5, 6]);
}

#[test]
fn a_fault_stops_the_strategy_if_the_desk_says_so() {
    let source = strategy(
        "self.n += 1
self.buy(self.who, 1, 1)
self.emit(0, self.n // self.zero)",
    );
    let mut outcome = Outcome::default();
    let mut stops = Guarded::new(machine(&source), true);
    step().run(&mut stops, &mut outcome);
    // What it would have sent is dropped; what it told and its state stay.
    assert!(stops.stopped());
    assert_eq!(
        (
            outcome.intents.len(),
            outcome.records.len(),
            outcome.faults.division
        ),
        (0, 1, 1)
    );
    step().run(&mut stops, &mut outcome);
    assert_eq!(
        (
            outcome.intents.len(),
            outcome.records.len(),
            outcome.faults.total()
        ),
        (0, 0, 0)
    );
    assert_eq!(stops.state()[0], [41]);
    let mut goes_on = Guarded::new(machine(&source), false);
    for n in [41, 42] {
        step().run(&mut goes_on, &mut outcome);
        assert_eq!((outcome.intents.len(), outcome.faults.division), (1, 1));
        assert_eq!(goes_on.state()[0], [n]);
    }
    assert!(!goes_on.stopped());
}

#[test]
fn parameters_are_given_by_name_and_checked() {
    let program = checked(
        "from tickwire import Instrument, Side, Strategy, param
class S(Strategy):
    who: Instrument = param()
    side: Side = param(Side.SELL)
    n: int = param(-1)
    def on_book(self, book):
        pass
",
    );
    assert_eq!(parameters(&program, [("who", 2)]), Ok(vec![2, 1, -1]));
    assert_eq!(
        parameters(&program, [("n", 9), ("who", 0), ("side", 0)]),
        Ok(vec![0, 0, 9])
    );
    assert_eq!(
        parameters(&program, []),
        Err(ParameterError::Missing("who".to_owned()))
    );
    assert_eq!(
        parameters(&program, [("x", 1)]),
        Err(ParameterError::Unknown("x".to_owned()))
    );
    let told = parameters(&program, [("who", 3)]).unwrap_err().to_string();
    assert_eq!(told, "parameter who: 3 is no Instrument");
    assert!(parameters(&program, [("who", 1), ("side", 2)]).is_err());
}

#[test]
fn what_a_handler_costs_at_most_is_known() {
    // Each statement and each operator counts one; a loop its body and one for each round.
    let program = checked(&strategy(
        "self.n = self.n + 1 * self.a\nfor i in range(10):\n    self.emit(0, i + 1)",
    ));
    let handler = program.on_book.unwrap();
    assert_eq!((handler.operations, handler.records), (3 + 10 * 3 + 1, 10));
    // The smallest value of a ring of three is found by looking at three; its sum is kept.
    let program = checked(&strategy(
        "self.n = self.recent.minimum\nself.n = self.recent.sum",
    ));
    assert_eq!(program.on_book.unwrap().operations, (1 + 3) + (1 + 1));
}

/// Constants of the file are literals: they take the unit of their place.
#[test]
fn constants_and_annotations_kept_as_text_are_the_same_under_cpython() {
    let source = "from __future__ import annotations
from tickwire import Array, Book, Level, PerInstrument, Price, Quantity, Ring, Strategy, array, param, per_instrument, ring, state
TICK = 0.01
BACK = -3
LEVELS = 2
class S(Strategy):
    size: Quantity = param(LEVELS)
    last: Price = state(BACK)
    many: Array[Price] = array(LEVELS, TICK)
    each: PerInstrument[int] = per_instrument(BACK)
    recent: Ring[Price] = ring(LEVELS)
    flag: bool = state(True)
    def on_book(self, book: Book) -> None:
        self.last += TICK
        self.recent.push(self.better(book.bid, BACK))
        x: Price = LEVELS
        self.emit(LEVELS, self.last, self.many[1] + TICK, self.each[book.instrument] * BACK, self.recent.sum, x, self.size, self.flag)
        match self.size:
            case 2:
                self.emit(1, self.twice(TICK))
    def better(self, level: Level, by: int) -> Price:
        return level.price - Price.raw(by) * 2
    def twice(self, price: Price) -> Price:
        if price == 0:
            return 2
        return price * 2
";
    let expected: [&[i64]; 2] = [&[-299, 2, 9, 1006, 200, 2, 1], &[2]];
    let mut reference = machine(source);
    let (records, faults) = emitted(&mut reference);
    assert_eq!(
        (records.as_slice(), faults),
        (expected.map(<[i64]>::to_vec).as_slice(), [0; 3])
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("constants.py");
    std::fs::write(&path, source).unwrap();
    let job = Job {
        path,
        options: OPTIONS,
        parameters: Vec::new(),
        fault_stops: true,
        steps: vec![step(), step()],
    };
    assert_eq!(
        cpython(&[job]),
        common::run(&mut machine(source), &[step(), step()])
    );
}
