//! The section "Orders" of docs/reference/rules.md, line by line, with values computed by hand.

use formats::Side;
use order::{Kind, Number, Order};
use proptest::prelude::*;
use risk::{
    Adjustment, InstrumentLimits, Kill, Limits, MAX_POSITION, Refusal, Request, Risk, Sources,
    notional,
};

/// The greatest collar and position limit.
const MOST: u64 = (1 << 47) - 1;

fn limits() -> Limits {
    Limits {
        kill: Kill::default(),
        max_quantity: 1_000,
        max_notional: 1_000_000,
        rate_orders: 200,
        rate_window: 100,
        max_open_orders: 1_000,
    }
}

const INSTRUMENT: InstrumentLimits = InstrumentLimits {
    enable: true,
    sources: Sources {
        feed: false,
        session: false,
    },
    collar: 10,
    position: 5_000,
    reference_price: None,
};

/// Sixteen instruments; the first may be traded, and traded at 1,000.
fn risk(limits: Limits) -> Risk {
    let mut risk = Risk::new(16);
    risk.set_session(true);
    risk.set_limits(&limits);
    risk.set_instrument(0, &INSTRUMENT);
    risk.price(0, 1_000);
    risk
}

fn buy(quantity: u32, price: i64) -> Request {
    Request::new(Order {
        side: Side::Buy,
        quantity,
        price: Some(price),
        ..Order::default()
    })
}

fn sell(quantity: u32) -> Request {
    let order = Order {
        side: Side::Sell,
        quantity,
        price: None,
        ..Order::default()
    };
    Request {
        order,
        reference: 1_000,
        by_host: false,
    }
}

fn of_kind(kind: Kind, request: Request) -> Request {
    let order = Order {
        kind,
        ..request.order
    };
    Request { order, ..request }
}

fn cancel() -> Request {
    of_kind(Kind::Cancel(Number::LAST), buy(0, 0))
}

fn replace(quantity: u32) -> Request {
    of_kind(Kind::Replace(Number::LAST), buy(quantity, 1_000))
}

#[test]
fn after_reset_nothing_passes() {
    let mut risk = Risk::new(16);
    assert_eq!(risk.check(&buy(1, 0), 0), Err(Refusal::Killed));
    assert_eq!(risk.check(&cancel(), 0), Err(Refusal::Killed));
    risk.set_session(true);
    risk.set_kill(Kill::default());
    assert_eq!(risk.check(&buy(1, 0), 0), Err(Refusal::Instrument));
    assert_eq!(risk.check(&cancel(), 0), Err(Refusal::Rate));
    assert_eq!(risk.open_orders(), 0);
}

#[test]
fn a_quantity_is_at_least_one_and_at_most_the_limit() {
    let mut risk = risk(limits());
    assert_eq!(risk.check(&buy(0, 1_000), 0), Err(Refusal::Quantity));
    assert_eq!(risk.check(&buy(1, 1_000), 0), Ok(()));
    assert_eq!(risk.check(&buy(1_000, 1_000), 0), Ok(()));
    assert_eq!(risk.check(&buy(1_001, 1_000), 0), Err(Refusal::Quantity));
}

#[test]
fn a_notional_that_does_not_fit_64_bits_is_all_ones() {
    assert_eq!(notional(-3, 5), 15);
    // 2^32 * (2^32 - 1) is 2^64 - 2^32; 2^33 * 2^31 is 2^64.
    assert_eq!(notional(1 << 32, u32::MAX), 0xffff_ffff_0000_0000);
    assert_eq!(notional(1 << 33, 1 << 31), u64::MAX);
    assert_eq!(notional(-(1 << 47), u32::MAX), u64::MAX);
    // 4,294,967,297 * 4,294,967,295 is 2^64 - 1 by itself.
    assert_eq!(notional(4_294_967_297, u32::MAX), u64::MAX);
}

#[test]
fn a_notional_of_all_ones_is_refused_whatever_the_limit() {
    let wide = Limits {
        max_quantity: u32::MAX,
        max_notional: u64::MAX,
        ..limits()
    };
    let mut risk = risk(wide);
    risk.set_instrument(
        0,
        &InstrumentLimits {
            enable: true,
            collar: MOST,
            position: MOST,
            ..INSTRUMENT
        },
    );
    risk.price(0, 0);
    let just = buy(u32::MAX, 4_294_967_296);
    assert_eq!(risk.check(&just, 0), Ok(()));
    let over = buy(u32::MAX, 4_294_967_297);
    assert_eq!(risk.check(&over, 0), Err(Refusal::Notional));
}

#[test]
fn the_notional_of_a_market_order_is_reckoned_by_its_reference() {
    // 1,000 * 1,000 is the limit.
    let mut risk = risk(limits());
    assert_eq!(risk.check(&sell(1_000), 0), Ok(()));
    let mut dear = sell(1_000);
    dear.reference = -1_001;
    assert_eq!(risk.check(&dear, 0), Err(Refusal::Notional));
}

#[test]
fn the_collar_is_around_the_last_price_both_ways() {
    let mut risk = risk(limits());
    for (price, expected) in [
        (990, Ok(())),
        (989, Err(Refusal::Collar)),
        (1_010, Ok(())),
        (1_011, Err(Refusal::Collar)),
    ] {
        assert_eq!(risk.check(&buy(1, price), 0), expected, "{price}");
    }
    risk.price(0, 1_001);
    assert_eq!(risk.check(&buy(1, 1_011), 0), Ok(()));
    assert_eq!(risk.check(&buy(1, 990), 0), Err(Refusal::Collar));
}

#[test]
fn the_collar_holds_for_the_hosts_market_orders_and_not_for_those_of_stops() {
    let mut risk = risk(limits());
    let mut far = sell(1);
    far.reference = 2_000;
    assert_eq!(risk.check(&far, 0), Ok(()));
    far.by_host = true;
    assert_eq!(risk.check(&far, 0), Err(Refusal::Collar));
    far.reference = 1_010;
    assert_eq!(risk.check(&far, 0), Ok(()));
}

#[test]
fn limits_of_an_instrument_forget_its_last_price() {
    let mut risk = risk(limits());
    risk.set_instrument(0, &INSTRUMENT);
    assert_eq!(risk.check(&sell(1), 0), Err(Refusal::NoPrice));
    assert_eq!(risk.check(&cancel(), 0), Ok(()));
    risk.price(0, 1_000);
    assert_eq!(risk.check(&sell(1), 0), Ok(()));
}

#[test]
fn a_last_price_that_does_not_fit_49_bits_is_beyond_every_collar() {
    let wide = Limits {
        max_notional: u64::MAX - 1,
        ..limits()
    };
    let mut risk = risk(wide);
    risk.set_instrument(
        0,
        &InstrumentLimits {
            collar: MOST,
            ..INSTRUMENT
        },
    );
    // The highest limit price is 2^47 - 1, the collar as wide: 2^48 - 2 is the highest last price within.
    let highest = buy(1, MOST as i64);
    risk.price(0, (1 << 48) - 2);
    assert_eq!(risk.check(&highest, 0), Ok(()));
    for price in [(1 << 48) - 1, 1 << 48, i64::MAX] {
        risk.price(0, price);
        assert_eq!(risk.check(&highest, 0), Err(Refusal::Collar), "{price}");
        assert_eq!(risk.last(0), Some((1 << 48) - 1));
    }
    risk.price(0, i64::MIN);
    assert_eq!(risk.last(0), Some(-(1 << 48)));
}

#[test]
fn so_many_orders_leave_in_any_window() {
    let slow = Limits {
        rate_orders: 2,
        ..limits()
    };
    let mut risk = risk(slow);
    assert_eq!(risk.check(&sell(1), 10), Ok(()));
    assert_eq!(risk.check(&cancel(), 50), Ok(()), "it counts, too");
    assert_eq!(risk.check(&sell(1), 109), Err(Refusal::Rate));
    assert_eq!(risk.check(&cancel(), 109), Err(Refusal::Rate));
    assert_eq!(risk.check(&sell(1), 110), Ok(()));
    assert_eq!(risk.check(&sell(1), 149), Err(Refusal::Rate));
    assert_eq!(risk.check(&sell(1), 150), Ok(()));
}

#[test]
fn new_orders_are_open_until_the_host_reports_their_end() {
    let few = Limits {
        max_open_orders: 2,
        ..limits()
    };
    let mut risk = risk(few);
    assert_eq!(risk.check(&sell(1), 0), Ok(()));
    assert_eq!(risk.check(&sell(1), 0), Ok(()));
    assert_eq!(risk.check(&sell(1), 0), Err(Refusal::OpenOrders));
    // Neither is one more.
    assert_eq!(risk.check(&replace(1), 0), Ok(()));
    assert_eq!(risk.check(&cancel(), 0), Ok(()));
    assert_eq!(risk.open_orders(), 2);
    let mut adjustment = Adjustment {
        closed: 1,
        ..Adjustment::default()
    };
    risk.adjust(&adjustment);
    assert_eq!(risk.check(&sell(1), 0), Ok(()));
    adjustment.closed = 9;
    risk.adjust(&adjustment);
    assert_eq!(risk.open_orders(), 0, "more closed than open");
}

#[test]
fn the_position_counts_as_if_all_open_orders_were_filled() {
    let mut risk = risk(limits());
    for _ in 0..4 {
        assert_eq!(risk.check(&buy(1_000, 1_000), 0), Ok(()));
    }
    assert_eq!(risk.check(&replace(999), 0), Ok(()), "its whole quantity");
    assert_eq!(risk.room(0, Side::Buy), Some(1));
    assert_eq!(risk.check(&buy(2, 1_000), 0), Err(Refusal::Position));
    assert_eq!(risk.check(&buy(1, 1_000), 0), Ok(()));
    // 4,000 are bought: so many more may be sold.
    risk.adjust(&Adjustment {
        sell: -4_000,
        ..Adjustment::default()
    });
    assert_eq!(risk.room(0, Side::Sell), Some(9_000));
    // 1,000 open ones were cancelled.
    risk.adjust(&Adjustment {
        buy: -1_000,
        ..Adjustment::default()
    });
    assert_eq!(risk.check(&buy(1_000, 1_000), 0), Ok(()));
    assert_eq!(risk.exposure(0), Some((5_000, -4_000)));
    // A limit below what is held: no room at all.
    risk.set_instrument(
        0,
        &InstrumentLimits {
            position: 10,
            ..INSTRUMENT
        },
    );
    risk.price(0, 1_000);
    assert_eq!(risk.check(&buy(1, 1_000), 0), Err(Refusal::Position));
}

#[test]
fn with_the_largest_position_limit_all_of_a_position_may_be_turned_round_and_with_one_more_nothing()
{
    let most = MAX_POSITION as i64;
    for (limit, sold) in [
        (MAX_POSITION, Ok(())),
        (MAX_POSITION + 1, Err(Refusal::Position)),
    ] {
        let mut risk = risk(limits());
        let instrument = InstrumentLimits {
            position: limit,
            ..INSTRUMENT
        };
        risk.set_instrument(0, &instrument);
        risk.price(0, 1_000);
        let held = limit as i64;
        risk.adjust(&Adjustment {
            buy: held,
            sell: -held,
            ..Adjustment::default()
        });
        let sell = Request::new(Order {
            side: Side::Sell,
            ..buy(1_000, 1_000).order
        });
        assert_eq!(risk.check(&buy(1, 1_000), 0), Err(Refusal::Position));
        assert_eq!(risk.check(&sell, 0), sold, "{limit}");
    }
    // From one limit to the other.
    assert_eq!(2 * most, (1 << 47) - 2);
}

#[test]
fn the_collar_is_around_the_reference_price_until_the_instrument_trades() {
    let mut risk = risk(limits());
    let with = |reference_price| InstrumentLimits {
        collar: 50,
        reference_price,
        ..INSTRUMENT
    };
    risk.set_instrument(0, &with(None));
    assert_eq!(risk.check(&buy(1, 5_000), 0), Err(Refusal::NoPrice));
    risk.set_instrument(0, &with(Some(5_000)));
    assert_eq!(risk.check(&buy(1, 5_050), 0), Ok(()));
    assert_eq!(risk.check(&buy(1, 5_051), 0), Err(Refusal::Collar));
    risk.price(0, 7_000);
    assert_eq!(risk.check(&buy(1, 5_050), 0), Err(Refusal::Collar));
    assert_eq!(risk.check(&buy(1, 7_050), 0), Ok(()));
    // Limits that are written again begin anew.
    risk.set_instrument(0, &with(Some(5_000)));
    assert_eq!(risk.check(&buy(1, 7_050), 0), Err(Refusal::Collar));
}

#[test]
fn an_order_is_refused_with_the_first_reason_of_all() {
    let nothing = Limits {
        kill: Kill {
            host: true,
            ..Kill::default()
        },
        max_quantity: 1,
        max_notional: 0,
        rate_orders: 0,
        rate_window: 100,
        max_open_orders: 0,
    };
    let none = InstrumentLimits {
        collar: 0,
        position: 0,
        enable: false,
        ..INSTRUMENT
    };
    let mut risk = Risk::new(1);
    risk.set_session(true);
    risk.set_limits(&nothing);
    risk.set_instrument(0, &none);
    let order = buy(2, 7);
    let mut limits = nothing;
    assert_eq!(risk.check(&order, 0), Err(Refusal::Killed));
    limits.kill.host = false;
    risk.set_limits(&limits);
    assert_eq!(risk.check(&order, 0), Err(Refusal::Instrument));
    let enabled = InstrumentLimits {
        enable: true,
        ..none
    };
    risk.set_instrument(0, &enabled);
    assert_eq!(risk.check(&order, 0), Err(Refusal::Quantity));
    limits.max_quantity = 2;
    risk.set_limits(&limits);
    assert_eq!(risk.check(&order, 0), Err(Refusal::Notional));
    limits.max_notional = 14;
    risk.set_limits(&limits);
    assert_eq!(risk.check(&order, 0), Err(Refusal::NoPrice));
    risk.price(0, 8);
    assert_eq!(risk.check(&order, 0), Err(Refusal::Collar));
    risk.price(0, 7);
    assert_eq!(risk.check(&order, 0), Err(Refusal::Rate));
    limits.rate_orders = 1;
    risk.set_limits(&limits);
    assert_eq!(risk.check(&order, 0), Err(Refusal::OpenOrders));
    limits.max_open_orders = 1;
    risk.set_limits(&limits);
    assert_eq!(risk.check(&order, 0), Err(Refusal::Position));
    risk.set_instrument(
        0,
        &InstrumentLimits {
            position: 2,
            ..enabled
        },
    );
    risk.price(0, 7);
    assert_eq!(risk.check(&order, 0), Ok(()));
    let unknown = Request::new(Order {
        instrument: 1,
        ..order.order
    });
    assert_eq!(risk.check(&unknown, 0), Err(Refusal::Instrument));
}

#[test]
fn a_cause_of_the_kill_switch_holds_until_it_is_over_and_cleared() {
    let kill = Kill {
        host: false,
        session: true,
        feed: true,
        gap: true,
    };
    let mut risk = risk(Limits { kill, ..limits() });
    assert!(!risk.killed_by().any());
    risk.gap();
    risk.set_stale(FEED);
    risk.set_session(false);
    assert_eq!(risk.killed_by(), kill);
    risk.set_kill(kill);
    let lasting = Kill { gap: false, ..kill };
    assert_eq!(risk.killed_by(), lasting, "these last");
    risk.set_stale(Sources::default());
    risk.set_session(true);
    assert_eq!(risk.killed_by(), lasting, "nobody cleared them");
    risk.set_kill(kill);
    assert!(!risk.killed_by().any());
    // Causes that do not count.
    risk.set_kill(Kill::default());
    risk.gap();
    risk.set_stale(FEED);
    risk.set_session(false);
    assert!(!risk.killed_by().any());
    // The host's cause holds as long as it is set.
    let host = Kill {
        host: true,
        ..Kill::default()
    };
    risk.set_kill(host);
    assert_eq!(risk.killed_by(), host);
    risk.set_kill(Kill::default());
    assert!(!risk.killed_by().any());
}

/// The market-data feed alone.
const FEED: Sources = Sources {
    feed: true,
    session: false,
};

#[test]
fn an_order_is_refused_while_a_source_of_its_instrument_is_stale_and_a_cancel_passes() {
    let session = Sources {
        feed: false,
        session: true,
    };
    let both = Sources {
        feed: true,
        session: true,
    };
    let dependencies = [Sources::default(), FEED, session, both];
    for depends_on in dependencies {
        for stale in dependencies {
            let mut risk = risk(limits());
            let of_instrument = InstrumentLimits {
                sources: depends_on,
                ..risk.instrument(0).unwrap()
            };
            let last = risk.last(0).unwrap();
            risk.set_instrument(0, &of_instrument);
            risk.price(0, last);
            risk.set_stale(stale);
            let refused = (depends_on.feed && stale.feed) || (depends_on.session && stale.session);
            let expected = if refused { Err(Refusal::Stale) } else { Ok(()) };
            assert_eq!(
                risk.check(&sell(1), 0),
                expected,
                "{depends_on:?} {stale:?}"
            );
            assert_eq!(risk.check(&cancel(), 100_000), Ok(()));
            risk.set_stale(Sources::default());
            assert_eq!(risk.check(&sell(1), 200_000), Ok(()), "it is back");
        }
    }
}

#[test]
fn a_cancel_passes_every_cause_but_the_lost_session() {
    let kill = Kill {
        host: true,
        session: true,
        feed: true,
        gap: true,
    };
    let mut risk = risk(Limits { kill, ..limits() });
    risk.gap();
    risk.set_stale(FEED);
    assert_eq!(risk.check(&sell(1), 0), Err(Refusal::Killed));
    assert_eq!(risk.check(&cancel(), 0), Ok(()));
    risk.set_session(false);
    assert_eq!(risk.check(&cancel(), 0), Err(Refusal::Killed));
}

proptest! {
    /// Whatever passes: no limit is exceeded afterwards, and what is refused changes nothing.
    #[test]
    fn no_limit_is_exceeded_by_what_passes(
        orders in prop::collection::vec(
            (0..3_u8, any::<bool>(), prop_oneof![0..60_u32, any::<u32>()], prop_oneof![-20..20_i64, -(1_i64 << 47)..(1 << 47)], 0..5_u64),
            0..100,
        )
    ) {
        let limits = Limits { max_quantity: 50, max_notional: 600, rate_orders: 3, rate_window: 5, max_open_orders: 12, ..limits() };
        let instrument = InstrumentLimits { enable: true, collar: 15, position: 200, ..INSTRUMENT };
        let mut risk = Risk::new(1);
        risk.set_session(true);
        risk.set_limits(&limits);
        risk.set_instrument(0, &instrument);
        risk.price(0, 0);
        let (mut cycle, mut left) = (0, Vec::new());
        for (kind, sells, quantity, price, passed) in orders {
            cycle += passed;
            let kind = [Kind::New, Kind::Cancel(Number::LAST), Kind::Replace(Number::LAST)][usize::from(kind)];
            let request = of_kind(kind, buy(quantity, price));
            let side = if sells { Side::Sell } else { Side::Buy };
            let request = Request { order: Order { side, ..request.order }, ..request };
            let before = (risk.exposure(0), risk.open_orders());
            match risk.check(&request, cycle) {
                Err(_) => prop_assert_eq!((risk.exposure(0), risk.open_orders()), before),
                Ok(()) => {
                    left.push(cycle);
                    let in_window = left.iter().filter(|other| cycle - **other < 5).count();
                    prop_assert!(in_window <= 3);
                    if !matches!(kind, Kind::Cancel(_)) {
                        prop_assert!((1..=50).contains(&quantity) && price.abs() <= 15);
                        prop_assert!(u128::from(quantity) * u128::from(price.unsigned_abs()) <= 600);
                    }
                }
            }
            let (buys, sells) = risk.exposure(0).unwrap_or_default();
            prop_assert!(buys <= 200 && sells <= 200 && risk.open_orders() <= 12);
        }
    }
}
