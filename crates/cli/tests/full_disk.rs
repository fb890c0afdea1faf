//! `tickwire exchange` on a disk that becomes full: a tmpfs of 1 MB. It takes root to mount one; without it the test says so and passes.

use std::path::Path;
use std::process::Command;

use crate::common::market::{Exchange, PATIENCE};
use formats::Side;
use formats::fix::{
    Decimal, ExecType, ExecutionReport, NewOrderSingle, OrdType, Timestamp, Version,
};
use session::{Cause, Config, Event, Initiator, Memory, Role, Session, Store};

/// A tmpfs; unmounted at the end.
struct Disk(tempfile::TempDir);

impl Disk {
    fn mount(bytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let options = format!("size={bytes}");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(folder.path())
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Disk(folder)),
            other => {
                eprintln!("skipped: no tmpfs can be mounted here, which takes root: {other:?}");
                None
            }
        }
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

fn log_on(exchange: &Exchange, store: Memory) -> Initiator<Memory> {
    let config = Config::new(Role::Initiator, Version::Fix44, b"ALICE", b"TICKWIRE");
    let mut client = Initiator::new(Session::new(config, store));
    client.connect(exchange.address).unwrap();
    assert_eq!(client.wait(PATIENCE).unwrap(), Some(Event::LoggedOn));
    client
}

/// Sends an order; whether it was accepted.
fn order(client: &mut Initiator<Memory>, name: &str) -> bool {
    let order = NewOrderSingle {
        client_order_id: name.as_bytes(),
        symbol: b"ABC",
        side: Side::Sell,
        quantity: Some(Decimal::new(100, 0)),
        order_type: OrdType::Limit,
        price: Some(Decimal::new(1_000, 2)),
        transact_time: Timestamp(1_700_000_000_000_000_000),
        ..NewOrderSingle::default()
    };
    client.send(&order).unwrap();
    let event = client.wait(PATIENCE).unwrap();
    assert!(matches!(event, Some(Event::Message { .. })), "{event:?}");
    let (_, report) = client.message().unwrap().read::<ExecutionReport>().unwrap();
    assert_eq!(report.client_order_id, Some(name.as_bytes()));
    if report.execution_type == ExecType::Rejected {
        let text = b"Not taken: the exchange can store no more orders";
        assert_eq!(report.text, Some(text.as_slice()));
    }
    report.execution_type == ExecType::New
}

#[test]
fn a_full_disk_is_told_to_clients_and_to_the_user_and_loses_nothing() {
    for level in ["process", "power"] {
        let Some(disk) = Disk::mount(1 << 20) else {
            return;
        };
        let folder = disk.path().join("market");
        let arguments = ["--journal", folder.to_str().unwrap(), "--durability", level];
        let exchange = Exchange::start(&arguments);
        let mut alice = log_on(&exchange, Memory::default());
        let mut acknowledged = 0;
        while order(&mut alice, &format!("A{acknowledged}")) {
            acknowledged += 1;
            assert!(acknowledged < 10_000, "the disk never becomes full");
        }
        assert!(acknowledged > 1_000, "{acknowledged} orders in 1 MB");
        let end = Some(Event::Disconnect(Cause::PeerLogout));
        assert_eq!(alice.wait(PATIENCE).unwrap(), end);
        let (code, says) = exchange.failure();
        assert_eq!(code, Some(1), "{says}");
        for part in ["orders.journal", "the disk is full", "free some space"] {
            assert!(says.contains(part), "{says}");
        }

        // The same disk with more room.
        let grown = Command::new("mount")
            .args(["-o", "remount,size=4194304"])
            .arg(disk.path())
            .status();
        assert!(grown.unwrap().success());
        let exchange = Exchange::start(&arguments);
        assert_eq!(exchange.listening["live_orders"], acknowledged);
        assert_eq!(exchange.listening["durability"], level);
        let store = alice.session().store().clone();
        let expected = store.next_incoming();
        let mut alice = log_on(&exchange, store);
        assert!(order(&mut alice, &format!("A{acknowledged}")));
        // Logon and report: no number was used twice, and none is missing.
        assert_eq!(alice.session().store().next_incoming(), expected + 2);
        assert_eq!(alice.session().counters().gaps, 0);
        exchange.kill();
    }
}
