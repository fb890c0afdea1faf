//! The exchange over TCP whose disk is full or breaks: clients get a reason, nothing that was acknowledged is lost, and it ends with an error.

use crate::running;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use exchange::{JournalError, JournalSettings, ServerError};
use formats::Side;
use formats::fix::{
    ExecType, ExecutionReport, OrdStatus, OrderCancelReject, OrderCancelRequest, Version,
};
use running::{PATIENCE, Running, log_on, next, order, report};
use session::{Call, Cause, Config, Durability, Event, Initiator, LogError, Role, Session, Store};

fn settings(folder: &Path) -> JournalSettings {
    JournalSettings::new(folder, Durability::Process)
}

#[test]
fn on_a_full_disk_orders_are_rejected_and_every_client_is_logged_out_with_a_text() {
    let folder = tempfile::tempdir().unwrap();
    // One step of room is given, and no more.
    let mut steps = 0;
    let gate = move |call: Call<'_>| {
        steps += u32::from(matches!(call, Call::Reserve));
        if steps > 1 && matches!(call, Call::Reserve) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    };
    let running = Running::start_with(Some(settings(folder.path())), Some(Box::new(gate)));
    let address = running.address;
    let mut alice = log_on("ALICE", Version::Fix44, &running);
    let mut bob = log_on("BOB", Version::Fix42, &running);
    let mut acknowledged = 0;
    // The last one that is sent is refused.
    let refused = loop {
        let name = format!("A{acknowledged}");
        alice
            .send(&order(name.as_bytes(), Side::Sell, 100, 1_000))
            .unwrap();
        let (found, kind, status, ..) = report(&mut alice);
        assert_eq!(found, name);
        if kind == ExecType::Rejected {
            assert_eq!(status, OrdStatus::Rejected);
            let text = alice.message().map(|message| {
                let (_, report) = message.read::<ExecutionReport<'_>>().unwrap();
                String::from_utf8_lossy(report.text.unwrap()).into_owned()
            });
            break text.unwrap();
        }
        acknowledged += 1;
        assert!(acknowledged < 20_000, "the room never ends");
    };
    assert_eq!(refused, "Not taken: the exchange can store no more orders");
    for client in [&mut alice, &mut bob] {
        let end = Some(Event::Disconnect(Cause::PeerLogout));
        assert_eq!(client.wait(PATIENCE).unwrap(), end);
    }
    let error = running.ended().unwrap_err();
    assert!(
        matches!(&error, ServerError::Journal(journal) if journal.is_full()),
        "{error:?}"
    );
    let says = error.to_string();
    for part in ["orders.journal", "disk is full", "free some space"] {
        assert!(says.contains(part), "{says}");
    }
    assert!(acknowledged > 100);

    // There is room again: the books and both numbers are as they were.
    let running = Running::start_with(Some(settings(folder.path())), None);
    assert_ne!(running.address, address);
    let config = Config::new(Role::Initiator, Version::Fix44, b"ALICE", b"TICKWIRE");
    let mut alice = Initiator::new(Session::new(config, alice.session().store().clone()));
    alice.connect(running.address).unwrap();
    assert_eq!(alice.wait(PATIENCE).unwrap(), Some(Event::LoggedOn));
    let expected = alice.session().store().next_incoming();
    let name = format!("A{acknowledged}");
    alice
        .send(&order(name.as_bytes(), Side::Sell, 100, 1_000))
        .unwrap();
    assert_eq!(report(&mut alice).1, ExecType::New, "its name is free");
    assert_eq!(alice.session().store().next_incoming(), expected + 1);
    assert_eq!(alice.session().counters().gaps, 0);
    assert_eq!(running.stop().recovered.requests, acknowledged);
}

#[test]
fn a_cancel_request_is_refused_too() {
    let folder = tempfile::tempdir().unwrap();
    let full = Arc::new(AtomicBool::new(false));
    let is_full = Arc::clone(&full);
    let gate = move |call: Call<'_>| match call {
        // All calls reserve as little as they can then.
        Call::Reserve if is_full.load(Ordering::Relaxed) => Err(io::ErrorKind::StorageFull.into()),
        _ => Ok(()),
    };
    full.store(true, Ordering::Relaxed);
    let running = Running::start_with(Some(settings(folder.path())), Some(Box::new(gate)));
    let mut alice = log_on("ALICE", Version::Fix44, &running);
    let request = OrderCancelRequest {
        client_order_id: b"A2",
        original_client_order_id: b"A1",
        symbol: b"ABC",
        side: Side::Sell,
        transact_time: running::TIME,
        ..OrderCancelRequest::default()
    };
    alice.send(&request).unwrap();
    let text = next(&mut alice, b"9", |message| {
        let (_, reject) = message.read::<OrderCancelReject<'_>>().unwrap();
        String::from_utf8_lossy(reject.text.unwrap()).into_owned()
    });
    assert!(text.starts_with("Not taken"), "{text}");
    assert!(running.ended().is_err());
}

#[test]
fn what_a_broken_disk_did_not_take_is_not_acknowledged() {
    for durability in [Durability::Process, Durability::Power] {
        let folder = tempfile::tempdir().unwrap();
        let broken = Arc::new(AtomicBool::new(false));
        let is_broken = Arc::clone(&broken);
        let gate = move |call: Call<'_>| {
            let at = match durability {
                Durability::Process => matches!(call, Call::Write { .. }),
                Durability::Power => matches!(call, Call::Sync),
            };
            if at && is_broken.load(Ordering::Relaxed) {
                return Err(io::Error::other("input/output error"));
            }
            Ok(())
        };
        let settings = JournalSettings::new(folder.path(), durability);
        let running = Running::start_with(Some(settings.clone()), Some(Box::new(gate)));
        let mut alice = log_on("ALICE", Version::Fix44, &running);
        alice.send(&order(b"A1", Side::Sell, 100, 1_000)).unwrap();
        assert_eq!(report(&mut alice).1, ExecType::New);
        broken.store(true, Ordering::Relaxed);
        alice.send(&order(b"A2", Side::Sell, 100, 1_000)).unwrap();
        let lost = Some(Event::Disconnect(Cause::Lost));
        assert_eq!(alice.wait(PATIENCE).unwrap(), lost, "no report of A2");
        let error = running.ended().unwrap_err();
        assert!(
            matches!(
                error,
                ServerError::Journal(JournalError::File(LogError::File { .. }))
            ),
            "{error:?}"
        );
        // Its client sends it again to learn what became of it, and it is there once.
        let running = Running::start_with(Some(settings), None);
        let store = alice.session().store().clone();
        let config = Config::new(Role::Initiator, Version::Fix44, b"ALICE", b"TICKWIRE");
        let mut alice = Initiator::new(Session::new(config, store));
        alice.connect(running.address).unwrap();
        assert_eq!(alice.wait(PATIENCE).unwrap(), Some(Event::LoggedOn));
        let (name, kind, ..) = report(&mut alice);
        assert_eq!((name.as_str(), kind), ("A2", ExecType::New));
        let counters = running.stop();
        assert!(counters.recovered.requests <= 2);
    }
}
