//! Which handlers run when, and what ends a strategy.

use formats::Side;
use pipeline::EndReason;

use crate::programs::bench::{Bench, NS, add, config, delete, trade};

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
            [EndReason::Timer {
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
    // The order of the handler with the fault is not sent; its record reaches the sink.
    assert_eq!(bench.sink.sent.len(), 1);
    assert_eq!(bench.tags(), [(1, vec![5]), (1, vec![0])]);
    assert!(matches!(bench.sink.ended[..], [EndReason::Fault(faults)] if faults.division == 1));

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
    assert_eq!(bench.sink.ended, [EndReason::Answers]);
    let before = bench.sink.refused.len();
    assert!(before < 200, "{before}");
    bench.frame(&[trade(NS, 100_000, 1)]);
    assert_eq!(bench.sink.refused.len(), before);
}
