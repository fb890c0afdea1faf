//! Random prices, stops, orders and limits through the core and its twin: every report, order and counter equal. `TICKWIRE_FUZZ_ORDERS` sets how
//! many, `TICKWIRE_FUZZ_SEED` the seed; both are in the message of a failure.

use cosim::{Preset, Width};
use lockstep::orders;
use risk::Refusal;

use crate::count::count;

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{name}={text} is no number"))
    })
}

fn compare(preset: &Preset) {
    let wanted = variable("TICKWIRE_FUZZ_ORDERS", count(250, 1_000));
    let seed = variable("TICKWIRE_FUZZ_SEED", 2);
    let summary = orders::run(preset, seed, wanted, |_| ()).unwrap_or_else(|e| panic!("{e}"));
    println!("{summary:?}");
    assert!(summary.orders >= wanted);
    // A case that never occurs proves nothing.
    if wanted >= 250 {
        let least = if wanted >= 1_000 { 3 } else { 1 };
        assert!(summary.sent >= wanted / 10, "{} orders left", summary.sent);
        // An order without a record is a fault of a strategy, of which there is none here; the directed tests check what is stale when.
        let reasons = Refusal::ALL.into_iter();
        for reason in reasons.filter(|r| !matches!(r, Refusal::Record | Refusal::Stale)) {
            let met = summary.refused[reason as usize];
            assert!(met >= least, "{reason:?} was met {met} times only");
        }
        assert!(summary.at_once >= wanted / 20);
        assert!(summary.dropped > 0 && summary.host_messages > 1);
    }
}

#[test]
fn random_orders_on_prices_of_the_session_are_those_of_the_twin() {
    compare(Preset::with_session(Width::Xgmii));
}

#[test]
fn random_orders_on_trades_of_the_feed_are_those_of_the_twin() {
    compare(Preset::with_book());
}
