//! What the exchange's reports about orders mean for the exposure.

use formats::Side;
use order::{Kind, Number, Order};
use proptest::prelude::*;
use risk::{Adjustment, Change, Execution, ExecutionReport, WorkingOrders};

fn number(value: u64) -> Number {
    Number::new(value).unwrap()
}

fn order(kind: Kind, side: Side, quantity: u32) -> Order {
    Order {
        kind,
        side,
        instrument: 3,
        quantity,
        ..Order::default()
    }
}

fn report(what: Execution, value: u64, traded: u32) -> ExecutionReport {
    ExecutionReport {
        what,
        number: number(value),
        original: None,
        traded,
    }
}

fn of_request(what: Execution, value: u64, original: u64, traded: u32) -> ExecutionReport {
    ExecutionReport {
        original: Some(number(original)),
        ..report(what, value, traded)
    }
}

const fn adjustment(buy: i64, sell: i64, closed: u16) -> Option<Adjustment> {
    Some(Adjustment {
        instrument: 3,
        buy,
        sell,
        closed,
    })
}

#[test]
fn what_became_of_an_order_is_told_also_if_it_was_known() {
    let mut orders = WorkingOrders::default();
    let mut told = |sent: Option<(u64, Kind)>, report: ExecutionReport| {
        if let Some((value, kind)) = sent {
            orders.sent(number(value), &order(kind, Side::Buy, 10));
        }
        orders.report(&report).change
    };
    use Execution::{ChangeRefused, Closed, Open, Rejected, Replaced};
    let replace = |value| Some((value, Kind::Replace(number(5))));
    let (five, six, seven) = (number(5), number(6), number(7));
    let open = report(Open, 5, 0);
    assert_eq!(told(Some((5, Kind::New)), open), Some(Change::Open(five)));
    assert_eq!(told(None, open), Some(Change::Open(five)), "again");
    assert_eq!(
        told(replace(6), of_request(Open, 6, 5, 0)),
        Some(Change::Open(five)),
        "it is being looked at"
    );
    assert_eq!(
        told(None, of_request(ChangeRefused, 6, 5, 0)),
        Some(Change::Refused(six))
    );
    assert_eq!(
        told(replace(6), report(Rejected, 6, 0)),
        Some(Change::Refused(six))
    );
    assert_eq!(
        told(None, of_request(ChangeRefused, 99, 5, 0)),
        Some(Change::Refused(five)),
        "a cancel"
    );
    assert_eq!(
        told(replace(7), of_request(Replaced, 7, 5, 3)),
        Some(Change::Replaced(seven))
    );
    assert_eq!(
        told(None, of_request(Closed, 100, 7, 3)),
        Some(Change::Closed(seven)),
        "a cancel"
    );
    assert_eq!(told(None, of_request(ChangeRefused, 101, 7, 0)), None);
    assert_eq!(told(None, open), None);
    assert_eq!(
        told(Some((5, Kind::New)), report(Rejected, 5, 0)),
        Some(Change::Closed(five))
    );
    // All of it was traded before it was replaced.
    told(Some((5, Kind::New)), open);
    assert_eq!(
        told(replace(6), of_request(Replaced, 6, 5, 10)),
        Some(Change::Closed(six))
    );
}

/// As in risk_pkg: bought: buy 0 and sell minus; cancelled: buy minus.
#[test]
fn fills_and_ends_give_back_what_the_order_had_taken() {
    use Execution::{Closed, Open};
    let mut orders = WorkingOrders::default();
    orders.sent(number(5), &order(Kind::New, Side::Buy, 10));
    orders.sent(number(6), &order(Kind::New, Side::Sell, 10));
    assert_eq!(orders.report(&report(Open, 5, 0)).adjustment, None);
    assert_eq!(
        orders.report(&report(Open, 5, 4)).adjustment,
        adjustment(0, -4, 0)
    );
    assert_eq!(orders.report(&report(Open, 5, 4)).adjustment, None, "again");
    assert_eq!(orders.report(&report(Open, 5, 3)).adjustment, None, "late");
    assert_eq!(orders.order(number(5)).unwrap().left(), 6);
    assert_eq!(
        orders.report(&report(Closed, 5, 5)).adjustment,
        adjustment(-5, -1, 1)
    );
    assert_eq!(orders.report(&report(Closed, 5, 5)).adjustment, None);
    assert_eq!(
        orders.report(&report(Closed, 6, 99)).adjustment,
        adjustment(-10, 0, 1)
    );
    assert!(orders.is_empty());
}

#[test]
fn a_report_about_an_order_that_nobody_sent_changes_nothing() {
    use Execution::{ChangeRefused, Closed, Open, Rejected, Replaced};
    let mut orders = WorkingOrders::default();
    orders.sent(number(5), &order(Kind::New, Side::Buy, 10));
    for what in [Open, Closed, Rejected, Replaced, ChangeRefused] {
        assert_eq!(orders.report(&report(what, 1005, 7)).adjustment, None);
        assert_eq!(
            orders.report(&of_request(what, 1005, 1006, 7)).adjustment,
            None
        );
    }
    assert_eq!(orders.order(number(5)).unwrap().left(), 10);
}

/// The exchange names the cancel, and also the order (FIX 4.4, volume 7, appendix D).
#[test]
fn an_order_that_was_cancelled_gives_back_what_was_open_of_it() {
    use Execution::{ChangeRefused, Closed, Open};
    let mut orders = WorkingOrders::default();
    orders.sent(number(5), &order(Kind::New, Side::Sell, 10));
    orders.sent(number(6), &order(Kind::Cancel(number(5)), Side::Sell, 10));
    assert_eq!(
        orders.report(&report(Open, 5, 3)).adjustment,
        adjustment(-3, 0, 0)
    );
    assert_eq!(
        orders
            .report(&of_request(ChangeRefused, 6, 5, 0))
            .adjustment,
        None
    );
    assert_eq!(orders.len(), 1);
    let cancelled = of_request(Closed, 6, 5, 3);
    assert_eq!(orders.report(&cancelled).adjustment, adjustment(0, -7, 1));
    assert_eq!(orders.report(&cancelled).adjustment, None);
}

/// 10 and 25 were counted; 4 were bought before, so 21 are open in the end, of one order.
#[test]
fn a_replacement_gives_back_the_order_it_replaces() {
    use Execution::{Closed, Open, Replaced};
    let mut orders = WorkingOrders::default();
    orders.sent(number(5), &order(Kind::New, Side::Buy, 10));
    orders.sent(number(6), &order(Kind::Replace(number(5)), Side::Buy, 25));
    assert_eq!(
        orders.report(&report(Open, 5, 4)).adjustment,
        adjustment(0, -4, 0)
    );
    let replaced = of_request(Replaced, 6, 5, 4);
    assert_eq!(orders.report(&replaced).adjustment, adjustment(-10, 0, 0));
    assert_eq!(orders.report(&replaced).adjustment, None);
    assert_eq!(orders.order(number(5)), None);
    let working = orders.order(number(6)).unwrap();
    assert_eq!((working.left(), working.side), (21, Side::Buy));
    assert_eq!(
        orders.report(&report(Closed, 6, 25)).adjustment,
        adjustment(0, -21, 1)
    );
}

#[test]
fn a_replacement_that_leaves_nothing_closes_the_order() {
    let mut orders = WorkingOrders::default();
    orders.sent(number(5), &order(Kind::New, Side::Sell, 10));
    orders.sent(number(6), &order(Kind::Replace(number(5)), Side::Sell, 6));
    // The six were sold before, and are told with it.
    let replaced = of_request(Execution::Replaced, 6, 5, 6);
    assert_eq!(orders.report(&replaced).adjustment, adjustment(-6, -10, 1));
    assert!(orders.is_empty());
}

#[test]
fn a_replacement_that_is_refused_gives_back_its_own_quantity_only() {
    for what in [Execution::ChangeRefused, Execution::Rejected] {
        let mut orders = WorkingOrders::default();
        orders.sent(number(5), &order(Kind::New, Side::Buy, 10));
        orders.sent(number(6), &order(Kind::Replace(number(5)), Side::Buy, 25));
        let refused = of_request(what, 6, 5, 0);
        assert_eq!(orders.report(&refused).adjustment, adjustment(-25, 0, 0));
        assert_eq!(orders.report(&refused).adjustment, None);
        assert_eq!(orders.order(number(5)).unwrap().left(), 10);
    }
    let mut orders = WorkingOrders::default();
    orders.sent(number(5), &order(Kind::New, Side::Buy, 10));
    // An OrderCancelReject is never about an order.
    let refused = report(Execution::ChangeRefused, 5, 0);
    assert_eq!(orders.report(&refused).adjustment, None);
    let rejected = report(Execution::Rejected, 5, 0);
    assert_eq!(orders.report(&rejected).adjustment, adjustment(-10, 0, 1));
}

proptest! {
    /// Whatever is said, in whatever order: an order gives back once, no more than it took, and what was bought stays exposed.
    #[test]
    fn an_order_never_gives_back_more_than_it_took(
        quantity in 1_u32..100,
        reports in proptest::collection::vec((0_u8..3, 0_u32..150), 0..20),
    ) {
        let mut orders = WorkingOrders::default();
        orders.sent(number(5), &order(Kind::New, Side::Buy, quantity));
        let (mut buys, mut sells, mut open) = (i64::from(quantity), 0, 1_u16);
        let mut most = 0;
        for (what, traded) in reports {
            let what = [Execution::Open, Execution::Closed, Execution::ChangeRefused][usize::from(what)];
            if open == 1 && what != Execution::ChangeRefused {
                most = most.max(traded.min(quantity));
            }
            if let Some(adjustment) = orders.report(&report(what, 5, traded)).adjustment {
                buys += adjustment.buy;
                sells += adjustment.sell;
                open -= adjustment.closed;
            }
            // Position and what is still open; the position alone.
            prop_assert_eq!(buys, i64::from(if open == 1 { quantity } else { most }));
            prop_assert_eq!(sells, -i64::from(most));
        }
    }
}
