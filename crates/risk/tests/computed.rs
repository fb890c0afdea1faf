//! The section "Computed orders" of docs/reference/rules.md.

use formats::Side;
use order::{ComputedOrder, Kind, Number, Order};
use proptest::prelude::*;
use risk::{InstrumentLimits, Kill, Limits, Refusal, Request, Risk, highest_price, notional};

/// The greatest collar and position limit.
const MOST: u64 = (1 << 47) - 1;

const LIMITS: Limits = Limits {
    kill: Kill {
        host: false,
        session: false,
        feed: false,
        gap: false,
    },
    max_quantity: u32::MAX,
    max_notional: 1_000_000,
    rate_orders: 3,
    rate_window: 100,
    max_open_orders: 2,
};

/// One instrument that traded at 1,000.
fn risk(limits: Limits, instrument: &InstrumentLimits) -> Risk {
    let mut risk = Risk::new(1);
    risk.set_limits(&limits);
    risk.set_instrument(0, instrument);
    risk.price(0, 1_000);
    risk
}

const WIDE: InstrumentLimits = InstrumentLimits {
    enable: true,
    sources: risk::Sources {
        feed: false,
        session: false,
    },
    reference_price: None,
    collar: MOST,
    position: MOST,
};

fn order(side: Side, quantity: u32) -> ComputedOrder {
    ComputedOrder {
        side,
        quantity,
        ..ComputedOrder::default()
    }
}

/// 1,000,000 / 300 is 3,333 and a third.
#[test]
fn a_price_above_the_highest_is_refused_as_notional() {
    let mut risk = risk(LIMITS, &WIDE);
    let computed = risk.prepare(&order(Side::Buy, 300));
    assert_eq!(computed.highest(), 3_333);
    let refused = risk.check_computed(&computed, 3_334, 0);
    assert_eq!(refused, Err(Refusal::Notional));
    let passed = risk.check_computed(&computed, 3_333, 0);
    let sent = Order {
        price: Some(3_333),
        quantity: 300,
        ..Order::default()
    };
    assert_eq!(passed, Ok(sent));
    assert_eq!((risk.exposure(0), risk.open_orders()), (Some((300, 0)), 1));
    let none = risk.prepare(&order(Side::Buy, 0));
    assert_eq!(none.highest(), u64::MAX);
    assert_eq!(
        risk.check_computed(&none, 1, 0),
        Err(Refusal::Quantity),
        "whatever its notional"
    );
}

#[test]
fn a_price_that_is_none_of_a_computed_order_is_refused_as_record() {
    let limits = Limits {
        max_notional: u64::MAX,
        ..LIMITS
    };
    let mut risk = risk(limits, &WIDE);
    let computed = risk.prepare(&order(Side::Sell, 1));
    for price in [0, -1, 1 << 32, i64::MIN, i64::MAX] {
        let refused = risk.check_computed(&computed, price, 0);
        assert_eq!(refused, Err(Refusal::Record), "{price}");
    }
    assert!(risk.check_computed(&computed, 1, 0).is_ok());
    let last = i64::from(u32::MAX);
    assert!(risk.check_computed(&computed, last, 0).is_ok());
}

#[test]
fn another_limit_of_the_notional_takes_orders_that_are_prepared_again_only() {
    let mut risk = risk(LIMITS, &WIDE);
    let computed = risk.prepare(&order(Side::Buy, 1));
    // Other limits leave it as it is.
    risk.set_limits(&Limits {
        max_quantity: 9,
        ..LIMITS
    });
    assert!(risk.check_computed(&computed, 1, 0).is_ok());
    let other = Limits {
        max_notional: 2_000_000,
        ..LIMITS
    };
    risk.set_limits(&other);
    assert_eq!(risk.check_computed(&computed, 1, 0), Err(Refusal::Record));
    // The kill switch comes first.
    risk.set_kill(Kill {
        host: true,
        ..Kill::default()
    });
    assert_eq!(risk.check_computed(&computed, 1, 0), Err(Refusal::Killed));
    // The old limit back does not bring the old order back.
    risk.set_limits(&LIMITS);
    assert_eq!(risk.check_computed(&computed, 1, 0), Err(Refusal::Record));
    let again = risk.prepare(computed.order());
    assert!(risk.check_computed(&again, 1, 0).is_ok());
}

#[test]
fn a_replacement_is_checked_like_a_new_order_but_for_the_open_ones() {
    let mut risk = risk(
        Limits {
            max_open_orders: 0,
            ..LIMITS
        },
        &WIDE,
    );
    let replacement = ComputedOrder {
        replaces: Some(Number::LAST),
        ..order(Side::Buy, 1)
    };
    let computed = risk.prepare(&replacement);
    let passed = risk.check_computed(&computed, 7, 0).unwrap();
    assert_eq!(passed.kind, Kind::Replace(Number::LAST));
    let new = risk.prepare(&order(Side::Buy, 1));
    assert_eq!(risk.check_computed(&new, 7, 0), Err(Refusal::OpenOrders));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    /// Near the edge in three of four cases.
    #[test]
    fn a_price_is_above_the_highest_exactly_if_its_notional_is_above_the_limit(
        quantity in prop_oneof![0..5_u32, any::<u32>()], price in any::<u32>(), any_limit in any::<u64>(), near in 0..4_u64, away in 0..4_u64,
    ) {
        let product = u128::from(price) * u128::from(quantity);
        let limit = match near {
            0 => any_limit,
            1 => (product as u64).saturating_sub(away),
            2 => (product as u64).saturating_add(away),
            _ => (product as u64).saturating_add(u64::from(quantity)).saturating_sub(away),
        };
        let above = u64::from(price) > highest_price(limit, quantity);
        prop_assert_eq!(above, product > u128::from(limit));
        // By the rule of prepared orders.
        let notional = notional(price.into(), quantity);
        prop_assert_eq!(above, notional > limit || notional == u64::MAX);
    }

    /// The same order, prepared with its price: whatever the limits, the same answer, and the same of risk afterwards.
    #[test]
    fn a_computed_order_is_checked_as_one_that_was_prepared_with_its_price(
        orders in prop::collection::vec((any::<bool>(), 0..30_u32, 1..40_i64, 0..60_u64, 0..4_u8), 1..40),
        collar in 0..30_u64, position in 0..100_u64, max_notional in 0..600_u64, max_quantity in 0..30_u32,
    ) {
        let limits = Limits { max_notional, max_quantity, max_open_orders: 9, ..LIMITS };
        let instrument = InstrumentLimits { collar, position, ..WIDE };
        let mut computed = risk(limits, &instrument);
        let mut prepared = computed.clone();
        let mut cycle = 0;
        for (sells, quantity, price, passed, kind) in orders {
            cycle += passed;
            let (last, replaces) = (1 + price % 7 * 3, (kind == 0).then_some(Number::LAST));
            computed.price(0, last);
            prepared.price(0, last);
            let side = if sells { Side::Sell } else { Side::Buy };
            let order = ComputedOrder { replaces, ..order(side, quantity) };
            let record = computed.prepare(&order);
            let answer = computed.check_computed(&record, price, cycle);
            let request = Request::new(order.at(price));
            prop_assert_eq!(answer.map(drop), prepared.check(&request, cycle));
            prop_assert_eq!(&computed, &prepared);
        }
    }
}
