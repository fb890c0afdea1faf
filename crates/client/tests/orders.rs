//! Orders, cancels and replacements against a running exchange, over TCP, in both versions.

use crate::common;
use client::Notice;
use common::{Market, next, report, send};
use formats::fix::{Decimal, OrdStatus};

fn expected(
    name: &str,
    original: Option<&str>,
    words: [&str; 3],
) -> (String, Option<String>, String, String, String) {
    let [execution, status, leaves] = words.map(str::to_owned);
    (
        name.into(),
        original.map(Into::into),
        execution,
        status,
        leaves,
    )
}

/// New, replace, trade, replace, cancel, and what comes too late; ExecType and OrdStatus of a replacement and a trade differ by version.
fn life_of_an_order(
    alice: &str,
    bob: &str,
    [replaced, replaced_partly, partly, filled]: [[&str; 2]; 4],
) {
    let market = Market::open();
    let (mut alice, mut bob) = (market.trader(alice), market.trader(bob));
    let first = send(&mut alice, "buy 100 ABC 10.00");
    assert_eq!(
        report(&mut alice),
        expected(&first, None, ["New", "New", "100"])
    );

    let second = send(&mut alice, &format!("replace {first} 120 10.01"));
    let words = [replaced[0], replaced[1], "120"];
    assert_eq!(report(&mut alice), expected(&second, Some(&first), words));
    let own = &alice.account().orders()[0];
    assert_eq!(
        (own.name.as_str(), own.order.quantity),
        (second.as_str(), 120)
    );
    assert_eq!(own.order.price, Some(Decimal::new(1_001, 2)));

    let sale = send(&mut bob, "sell 50 ABC 10.01");
    assert_eq!(report(&mut bob).2, "New");
    assert_eq!(
        report(&mut bob),
        expected(&sale, None, [filled[0], filled[1], "0"])
    );
    let words = [partly[0], partly[1], "70"];
    assert_eq!(report(&mut alice), expected(&second, None, words));

    // Known by its first name too; the new quantity has the 50 that were traded in it.
    let third = send(&mut alice, &format!("replace {first} 80 10.01"));
    let words = [replaced_partly[0], replaced_partly[1], "30"];
    assert_eq!(report(&mut alice), expected(&third, Some(&second), words));

    let cancel = send(&mut alice, &format!("cancel {third}"));
    let words = ["Canceled", "Canceled", "0"];
    assert_eq!(report(&mut alice), expected(&cancel, Some(&third), words));
    let own = &alice.account().orders()[0];
    assert_eq!(
        (own.status, own.is_open()),
        (Some(OrdStatus::Canceled), false)
    );
    assert_eq!(own.traded, Decimal::new(50, 0));

    for line in [
        format!("cancel {third}"),
        format!("replace {third} 90 10.01"),
    ] {
        let name = send(&mut alice, &line);
        let text = "Too late to cancel".into();
        assert_eq!(next(&mut alice), Notice::Refused { name, text }, "{line}");
    }
    assert_eq!(alice.account().orders().len(), 1);
    // Nothing of the order is left at the exchange.
    send(&mut bob, "sell 1 ABC market");
    assert_eq!(report(&mut bob).2, "New");
    assert_eq!(report(&mut bob).3, "Canceled");
}

#[test]
fn an_order_is_replaced_traded_and_cancelled_in_4_4() {
    let words = [
        ["Replaced", "New"],
        ["Replaced", "PartiallyFilled"],
        ["Trade", "PartiallyFilled"],
        ["Trade", "Filled"],
    ];
    life_of_an_order("ALICE", "BOB", words);
}

#[test]
fn an_order_is_replaced_traded_and_cancelled_in_4_2() {
    let words = [
        ["Replaced", "Replaced"],
        ["Replaced", "Replaced"],
        ["PartialFill", "PartiallyFilled"],
        ["Fill", "Filled"],
    ];
    life_of_an_order("ALICE2", "BOB2", words);
}

#[test]
fn names_of_orders_do_not_repeat_when_the_client_is_started_again_at_once() {
    let market = Market::open();
    let mut names = vec![];
    for _ in 0..3 {
        let mut alice = market.trader("ALICE");
        let name = send(&mut alice, "buy 1 ABC 1.00");
        assert_eq!(
            report(&mut alice),
            expected(&name, None, ["New", "New", "1"])
        );
        names.push(name);
        alice.leave().unwrap();
    }
    names.dedup();
    assert_eq!(names.len(), 3);
}

#[test]
fn whoever_is_not_let_in_is_told_why() {
    let market = Market::open();
    let error = market.try_trader("CAROL", Some("guess")).err();
    let Some(client::EndReason::LoggedOut(why)) = error else {
        panic!("{error:?}");
    };
    let text = "a Logon with a wrong Username (553) or Password (554)";
    assert_eq!(why, format!("the peer logged out: {text}"));
    assert!(market.try_trader("CAROL", Some("secret")).is_ok());
}

#[test]
fn a_request_for_prices_that_is_refused_is_told_with_its_symbol() {
    let market = Market::open();
    for name in ["ALICE", "BOB2"] {
        let mut trader = market.trader(name);
        assert!(trader.line("watch NONE").unwrap().0.is_empty());
        let text = "Unknown symbol".into();
        let name = "NONE".into();
        assert_eq!(next(&mut trader), Notice::Refused { name, text });
    }
}

#[test]
fn every_kind_of_order_does_at_the_exchange_what_it_says() {
    let market = Market::open();
    let (mut alice, mut bob) = (market.trader("ALICE"), market.trader("BOB2"));
    send(&mut bob, "buy 10 ABC 10.00");
    assert_eq!(report(&mut bob).3, "New");
    // What comes after New of each: status and what is left.
    for (line, ends) in [
        ("sell 11 ABC 10.00 fok", ["Canceled", "0"]),
        ("sell 4 ABC 10.00 ioc", ["Filled", "0"]),
        ("sell 2 ABC stop 10.00 10.00", ["Filled", "0"]),
        ("sell 3 ABC market", ["Filled", "0"]),
    ] {
        send(&mut alice, line);
        assert_eq!(report(&mut alice).3, "New", "{line}");
        let (.., status, leaves) = report(&mut alice);
        assert_eq!([status.as_str(), leaves.as_str()], ends, "{line}");
    }
    // One is left, the last price is 10.00: a stop below it waits, and is found by its trigger when it is replaced.
    let stop = send(&mut alice, "sell 1 ABC stop 9.00");
    assert_eq!(report(&mut alice).3, "New");
    send(&mut alice, &format!("replace {stop} 1 10.00"));
    assert_eq!(report(&mut alice).2, "Replaced");
    assert_eq!(report(&mut alice).3, "Filled");
}

#[test]
fn a_stop_order_held_here_is_sent_once_when_the_last_price_reaches_it() {
    let market = Market::open();
    let (mut alice, mut bob) = (market.trader("ALICE"), market.trader("BOB"));
    let notices = alice.line("stop sell 5 ABC 9.50").unwrap().0;
    assert!(
        matches!(&notices[..], [Notice::Held { number: 1, .. }]),
        "{notices:?}"
    );
    for line in ["buy 20 ABC 9.50", "sell 3 ABC 9.50"] {
        send(&mut bob, line);
        assert_eq!(report(&mut bob).3, "New");
    }
    let Notice::Triggered { number, name, last } = next(&mut alice) else {
        panic!("it fires first");
    };
    assert_eq!((number, last.as_str()), (1, "9.5000"));
    assert_eq!(report(&mut alice).0, name);
    assert_eq!(report(&mut alice).3, "Filled");
    assert!(alice.account().stops().is_empty());
    assert_eq!(alice.account().orders().len(), 1);
}
