//! What the exchange and risk say comes back, and what is asked for about an order that has no answer yet waits.

use formats::fix::{Frame, NewOrderSingle, OrderCancelReplaceRequest, TimeInForce};
use order::Kind;
use order::Number;
use pipeline::Decision;
use risk::{Execution, Kill, Refusal};

use crate::programs::bench::{Bench, NS, config, trade};

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
    let Frame::Message(message) = formats::fix::frame(&message, 999) else {
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
    let Frame::Message(message) = formats::fix::frame(&message, 999) else {
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
