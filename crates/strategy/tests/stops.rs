//! Stop orders in software, against the rule in one line, and against their own numbers.

use proptest::prelude::*;
use strategy::Stops;
use wire::Side;

fn fired(stops: &mut Stops<u64>, instrument: u32, last: i64) -> Vec<u64> {
    std::iter::from_fn(|| stops.due(instrument, last))
        .map(|(number, _)| number)
        .collect()
}

#[test]
fn a_sell_is_due_at_or_below_its_trigger_and_a_buy_at_or_above_once() {
    let mut stops = Stops::default();
    let sell = stops.set(0, Side::Sell, 950, 1);
    let buy = stops.set(0, Side::Buy, 1_050, 2);
    let other = stops.set(3, Side::Sell, 950, 3);
    assert!(fired(&mut stops, 0, 951).is_empty());
    assert!(fired(&mut stops, 0, 1_049).is_empty());
    assert!(
        fired(&mut stops, 9, 950).is_empty(),
        "of an instrument nobody named"
    );
    assert_eq!(fired(&mut stops, 0, 950), [sell]);
    assert!(fired(&mut stops, 0, 900).is_empty(), "it was sent already");
    assert_eq!(fired(&mut stops, 0, 1_050), [buy]);
    assert_eq!(fired(&mut stops, 3, i64::MIN), [other]);
    assert!(stops.is_empty());
}

#[test]
fn those_that_are_due_at_once_come_in_the_order_a_price_reaches_them() {
    let mut stops = Stops::default();
    let far = stops.set(0, Side::Sell, 900, 0);
    let near = stops.set(0, Side::Sell, 950, 0);
    let near_too = stops.set(0, Side::Sell, 950, 0);
    let buy = stops.set(0, Side::Buy, 800, 0);
    let waiting: Vec<_> = stops.waiting().map(|stop| stop.trigger).collect();
    assert_eq!(waiting, [800, 950, 950, 900]);
    assert_eq!(fired(&mut stops, 0, 899), [buy, near, near_too, far]);
}

#[test]
fn one_that_is_cancelled_never_fires_and_is_cancelled_once() {
    let mut stops = Stops::default();
    let number = stops.set(0, Side::Buy, i64::MAX, 7);
    let other = stops.set(0, Side::Buy, i64::MAX, 8);
    assert_eq!(stops.cancel(number), Some(7));
    assert_eq!(stops.cancel(number), None);
    assert_eq!(stops.len(), 1);
    assert_eq!(fired(&mut stops, 0, i64::MAX), [other]);
    assert_eq!(stops.cancel(other), None);
}

proptest! {
    /// Sets, cancels and prices in any order: what comes out is what comparing every stop with every price gives.
    #[test]
    fn it_is_what_comparing_all_of_them_gives(
        steps in prop::collection::vec((0..6_u8, 0..2_u32, -5..5_i64, 0..12_u64), 0..120)
    ) {
        let mut stops = Stops::default();
        let mut naive: Vec<(u64, u32, Side, i64)> = vec![];
        for (what, instrument, price, number) in steps {
            match what {
                0 | 1 => {
                    let side = if what == 0 { Side::Buy } else { Side::Sell };
                    let number = stops.set(instrument, side, price, 0);
                    naive.push((number, instrument, side, price));
                }
                2 => {
                    let there = naive.iter().position(|stop| stop.0 == number);
                    prop_assert_eq!(stops.cancel(number).is_some(), there.is_some());
                    there.map(|at| naive.remove(at));
                }
                _ => {
                    let is_due = |stop: &(u64, u32, Side, i64)| stop.1 == instrument && match stop.2 {
                        Side::Buy => price >= stop.3,
                        Side::Sell => price <= stop.3,
                    };
                    let due: Vec<u64> = naive.iter().filter(|stop| is_due(stop)).map(|stop| stop.0).collect();
                    naive.retain(|stop| !is_due(stop));
                    let mut given = fired(&mut stops, instrument, price);
                    given.sort_unstable();
                    prop_assert_eq!(given, due);
                }
            }
            prop_assert_eq!(stops.len(), naive.len());
        }
    }
}
