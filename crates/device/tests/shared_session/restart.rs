//! A host that begins again, with the store that it had: what is open and held counts.

use std::path::Path;

use device::{Account, order_registers as registers};
use formats::Side;
use formats::fix::ExecType;
use order::{Kind, Number, Order};
use risk::Unsure;
use session::{Durability, Durable, Limits, Memory, Session, Store};

use crate::shared_session::bench::{Bench, MOST_OPEN, peer};
use crate::shared_session::host_orders::report;

/// The store's file is rewritten at once, and again and again.
const SHORT: Limits = Limits {
    most_sent: 10,
    rewrite_after: 1,
};

fn open(path: &Path) -> (Durable, Account) {
    let symbols = vec!["ABC".into()];
    let opened = Account::with_limits(path, Durability::Process, SHORT, false, symbols);
    opened.unwrap()
}

fn number(value: u64) -> Number {
    Number::new(value).unwrap()
}

fn order(kind: Kind, quantity: u32) -> Order {
    Order {
        kind,
        side: Side::Sell,
        price: Some(1_000),
        quantity,
        ..Order::default()
    }
}

/// A core that corrects exposures itself, or not, and a host that begins.
fn begin(store: Durable, account: Account, peer: Session<Memory>, reads: bool) -> Bench<Durable> {
    let mut bench = Bench::new(store, peer);
    bench.hardware().reads_reports = reads;
    let restored = bench.shared_session.restore(&mut bench.core, account);
    restored.unwrap();
    bench.connect();
    bench.settle();
    bench
}

fn send(bench: &mut Bench<Durable>, order: Order) -> u64 {
    let sent = bench.shared_session.send_order(&mut bench.core, &order, 0);
    assert_eq!(sent.unwrap(), Ok(()));
    let given = bench.hardware().given.take().unwrap();
    let number = bench.hardware().number;
    bench
        .hardware()
        .leave(&given, crate::shared_session::bench::NOW.0);
    bench.settle();
    number
}

fn hear(bench: &mut Bench<Durable>, name: u64, original: Option<u64>, what: ExecType, leaves: i64) {
    let sequence = bench.shared_session.session().store().inner();
    let sequence = sequence.next_incoming();
    let text = |number: u64| format!("T{number:09}").into_bytes();
    let original = original.map(text);
    let said = report(sequence, &text(name), original.as_deref(), what, leaves);
    bench.hardware().bytes.extend(said);
    // The peer's session numbers it.
    bench.peer.store_mut().set_next_outgoing(sequence + 1);
    bench.settle();
}

/// TCP ends: all that left is known.
fn end(mut bench: Bench<Durable>) -> Session<Memory> {
    bench.hardware().established = false;
    bench.settle();
    kill(bench)
}

/// The host dies.
fn kill(bench: Bench<Durable>) -> Session<Memory> {
    let mut peer = bench.peer;
    peer.disconnected();
    peer
}

fn host_kill(bench: &mut Bench<Durable>) -> bool {
    let register = bench.hardware().word(registers::kill_switch::ADDRESS);
    registers::kill_switch::KILL.get(register) != 0
}

fn most_open(bench: &mut Bench<Durable>) -> Option<u32> {
    let words = &bench.hardware().words;
    words.get(&registers::max_open_orders::ADDRESS).copied()
}

#[test]
fn what_was_open_and_held_is_in_the_cores_limits_again_and_leaves_them_as_the_exchange_says() {
    for reads_reports in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let (store, account) = open(&path);
        let mut bench = begin(store, account, peer(), reads_reports);
        assert_eq!(bench.hardware().adjusted, []);
        let first = send(&mut bench, order(Kind::New, 10));
        let second = send(&mut bench, order(Kind::New, 7));
        let third = send(&mut bench, order(Kind::New, 5));
        hear(&mut bench, third, None, ExecType::Canceled, 0);
        let peer = end(bench);

        let (store, account) = open(&path);
        let mut bench = begin(store, account, peer, reads_reports);
        assert!(!host_kill(&mut bench));
        assert_eq!(bench.shared_session.open_orders(), 2);
        // 17 open to sell.
        assert_eq!(bench.hardware().adjusted, [(0, 0, 17, 0)]);
        let most = u32::from(MOST_OPEN);
        assert_eq!(most_open(&mut bench), Some(most - 2));
        bench.hardware().adjusted.clear();

        // The core has never heard of them: the host corrects, whatever the core does with its own.
        hear(&mut bench, first, None, ExecType::Canceled, 0);
        assert_eq!(bench.hardware().adjusted, [(0, 0, -10, 0)]);
        assert_eq!(most_open(&mut bench), Some(most - 1));
        bench.hardware().adjusted.clear();

        // 7 are replaced by 20, an order that the core knows: it takes off it what was traded, nothing.
        let replace = order(Kind::Replace(number(second)), 20);
        let by = send(&mut bench, replace);
        hear(&mut bench, by, Some(second), ExecType::Replaced, 20);
        assert_eq!(bench.hardware().adjusted, [(0, 0, -7, 0)]);
        bench.hardware().adjusted.clear();
        hear(&mut bench, by, None, ExecType::Canceled, 0);
        let by_host: &[_] = match reads_reports {
            true => &[],
            false => &[(0, 0, -20, 1)],
        };
        assert_eq!(bench.hardware().adjusted, by_host);
        assert_eq!(most_open(&mut bench), Some(most));
        assert_eq!(bench.shared_session.open_orders(), 0);
    }
}

#[test]
fn a_host_that_ended_while_the_core_could_send_trades_when_the_operator_has_confirmed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let (store, account) = open(&path);
    let mut bench = begin(store, account, peer(), true);
    send(&mut bench, order(Kind::New, 10));
    let mut peer = kill(bench);

    // Over any number of starts.
    for _ in 0..2 {
        let (store, account) = open(&path);
        let ledger = account.ledger();
        assert_eq!(ledger.unsure(), Some(Unsure::HardwareWasSending));
        assert_eq!(ledger.open_orders(), 1);
        let mut bench = begin(store, account, peer, true);
        assert!(host_kill(&mut bench), "logged on, and off");
        peer = end(bench);
    }

    let (store, mut account) = open(&path);
    account.confirm(&[(0, -10)]);
    let mut bench = begin(store, account, peer, true);
    assert!(!host_kill(&mut bench));
    assert_eq!(bench.hardware().adjusted, [(0, -10, 10, 0)]);
    end(bench);
    let (_, account) = open(&path);
    assert_eq!(account.ledger().unsure(), None);
    assert_eq!(account.ledger().position(0), -10);
}

#[test]
fn a_store_without_notes_of_its_orders_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let mut old = Durable::open(&path, Durability::Process).unwrap();
    old.set_next_outgoing(2);
    old.commit().unwrap();
    drop(old);
    let (_, account) = open(&path);
    assert_eq!(account.ledger().unsure(), Some(Unsure::NothingNoted));
}
