//! What makes no order leave, through the core, each with a price afterwards that would make one leave.

use device::RawReport;
use formats::{Side, itch};
use order::Number;
use risk::{InstrumentLimits, Kill, Limits, Refusal};
use strategy::stops::{Operation, Stop};

use cosim::orders::testbench::{Testbench, symbol};
use cosim::{MINIMUM_GAP, Preset};

const AWAY: u32 = 1_000_000;
const TRIGGER: u32 = 900_000;
/// Refused, as `report_e` says it.
const REFUSED: u8 = 2;

fn testbench(kill: Kill) -> Testbench {
    let mut testbench = Testbench::new(Preset::with_book()).unwrap();
    let limits = Limits {
        kill,
        max_quantity: 100,
        max_notional: u64::MAX - 1,
        rate_orders: 255,
        rate_window: 1_000_000,
        max_open_orders: 100,
    };
    testbench.driver.set_limits(&limits).unwrap();
    for index in 0..4 {
        let limits = InstrumentLimits {
            enable: true,
            collar: 1 << 40,
            position: 1 << 40,
            ..InstrumentLimits::default()
        };
        testbench
            .driver
            .set_instrument_limits(index, &limits)
            .unwrap();
    }
    // The Logon.
    assert_eq!(testbench.message().unwrap().0, 1);
    testbench
}

/// A market order that is sold at or below the trigger.
fn arm(testbench: &mut Testbench, slot: usize, instrument: u8) {
    let stop = Stop {
        side: Side::Sell,
        instrument,
        trigger: TRIGGER.into(),
        quantity: 1,
        client_id: slot as u32,
        ..Stop::default()
    };
    let answer = testbench.driver.operate_stop(Operation::Set, slot, &stop);
    assert_eq!(answer, Ok(Ok(())));
}

fn trade(instrument: u8, price: u32) -> itch::Message {
    itch::Trade {
        head: itch::Head::default(),
        order_reference: 0,
        side: Side::Buy,
        shares: 1,
        stock: symbol(instrument.into()),
        price,
        match_number: 1,
    }
    .into()
}

fn feed_price(testbench: &mut Testbench, price: u32, lost: u64) {
    testbench.send_feed(&[trade(0, price)], lost, MINIMUM_GAP);
    testbench.settle().unwrap();
}

fn reports(testbench: &mut Testbench) -> Vec<RawReport> {
    std::mem::take(&mut testbench.reports)
}

/// Stops that are reached are refused, and nothing leaves.
fn no_order_leaves(testbench: &mut Testbench) {
    for slot in 0..2 {
        arm(testbench, slot, 0);
        feed_price(testbench, TRIGGER, 0);
    }
    let reported = reports(testbench);
    assert_eq!(reported.len(), 2, "{reported:?}");
    for report in reported {
        let reason = Refusal::from_bits(report.reason.into());
        assert_eq!((report.what, reason), (REFUSED, Some(Refusal::Killed)));
    }
    assert!(testbench.stream.is_empty());
}

/// A stop that is reached leaves with this number.
fn an_order_leaves(testbench: &mut Testbench, number: u64) {
    feed_price(testbench, AWAY, 0);
    arm(testbench, 2, 0);
    feed_price(testbench, TRIGGER, 0);
    let reported = reports(testbench);
    let expected = Number::new(number).unwrap().digits();
    let found: Vec<_> = reported.iter().map(|r| (r.what, r.number)).collect();
    assert_eq!(found, [(0, expected)]);
    assert_eq!(testbench.message().unwrap().0, number);
}

#[test]
fn no_order_leaves_after_a_gap_of_the_feed_until_the_host_clears_it() {
    let kill = Kill {
        gap: true,
        ..Kill::default()
    };
    let mut testbench = testbench(kill);
    feed_price(&mut testbench, AWAY, 0);
    an_order_leaves(&mut testbench, 2);
    feed_price(&mut testbench, AWAY, 7);
    assert_eq!(testbench.driver.risk_state().unwrap().0, kill);
    no_order_leaves(&mut testbench);
    testbench.driver.set_kill(kill).unwrap();
    an_order_leaves(&mut testbench, 3);
}

#[test]
fn no_order_leaves_after_the_feed_was_silent_for_too_long_until_the_host_clears_it() {
    let kill = Kill {
        feed: true,
        ..Kill::default()
    };
    let mut testbench = testbench(kill);
    testbench.driver.set_stale_limits(200_000, 0).unwrap();
    feed_price(&mut testbench, AWAY, 0);
    testbench.wait(150_000).unwrap();
    an_order_leaves(&mut testbench, 2);
    testbench.wait(200_100).unwrap();
    assert_eq!(testbench.driver.risk_state().unwrap().0, kill);
    // It has come back, and the cause holds.
    feed_price(&mut testbench, AWAY, 0);
    no_order_leaves(&mut testbench);
    testbench.driver.set_kill(kill).unwrap();
    an_order_leaves(&mut testbench, 3);
}
