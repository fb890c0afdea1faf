//! The file of sessions and of an application: damage at every byte, disks that are full, processes that end between any two calls of the
//! system, against a model of plain maps.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use session::{Call, Durability, Journal, JournalStore, Limits, LogError, Recover, Store};

/// What an application remembers: every entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Entries(Vec<Vec<u8>>);

impl Recover for Entries {
    fn state(&mut self, bytes: &[u8]) -> bool {
        self.0.push(bytes.to_vec());
        true
    }

    fn entry(&mut self, bytes: &[u8]) -> bool {
        self.0.push(bytes.to_vec());
        true
    }
}

const LIMITS: Limits = Limits {
    most_sent: 5,
    rewrite_after: 1_000,
};
const NAMES: [&[u8]; 3] = [b"ALICE", b"BOB", b"CAROL"];

fn open(path: &Path) -> Result<(Journal, Entries, u64), LogError> {
    let mut entries = Entries::default();
    let (journal, dropped) = Journal::open(path, Durability::Process, LIMITS, &mut entries)?;
    Ok((journal, entries, dropped))
}

/// A session, as it is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Numbers {
    outgoing: u64,
    incoming: u64,
    sent: BTreeMap<u64, Vec<u8>>,
}

impl Default for Numbers {
    fn default() -> Self {
        Numbers {
            outgoing: 1,
            incoming: 1,
            sent: BTreeMap::new(),
        }
    }
}

/// All there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Model {
    sessions: [Numbers; 3],
    entries: Entries,
}

impl Model {
    /// What a file holds.
    fn of(journal: &Journal, entries: &Entries) -> Self {
        let session = |name: &[u8]| {
            let store = journal.store(name);
            let mut numbers = Numbers {
                outgoing: store.next_outgoing(),
                incoming: store.next_incoming(),
                sent: BTreeMap::new(),
            };
            let mut from = 0;
            while let Some((sequence, message)) = store.sent(from, u64::MAX).unwrap() {
                numbers.sent.insert(sequence, message);
                from = sequence + 1;
            }
            numbers
        };
        Model {
            sessions: NAMES.map(session),
            entries: entries.clone(),
        }
    }
}

#[derive(Clone, Debug)]
enum Act {
    Send(usize, u64, Vec<u8>),
    Expect(usize, u64),
    Reset(usize),
    Entry(Vec<u8>),
    Commit,
    Rewrite,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..60);
    let act = prop_oneof![
        6 => (0..3_usize, 0..3_u64, bytes()).prop_map(|(s, ahead, m)| Act::Send(s, ahead, m)),
        2 => (0..3_usize, 1..99_u64).prop_map(|(s, n)| Act::Expect(s, n)),
        1 => (0..3_usize).prop_map(Act::Reset),
        4 => bytes().prop_map(Act::Entry),
        6 => Just(Act::Commit),
        1 => Just(Act::Rewrite),
    ];
    prop::collection::vec(act, 1..120)
}

/// Does something to both; returns whether the file still accepts it.
fn act(
    act: &Act,
    journal: &Journal,
    stores: &mut [JournalStore],
    model: &mut Model,
    committed: &mut Model,
) -> bool {
    let done = match act {
        Act::Send(session, ahead, message) => {
            let (store, numbers) = (&mut stores[*session], &mut model.sessions[*session]);
            let sequence = numbers.outgoing + ahead;
            store.keep_sent(sequence, message);
            store.set_next_outgoing(sequence + 1);
            numbers.sent.insert(sequence, message.clone());
            numbers.outgoing = sequence + 1;
            if numbers.sent.len() > LIMITS.most_sent {
                numbers.sent.pop_first();
            }
            return true;
        }
        Act::Expect(session, number) => {
            stores[*session].set_next_incoming(*number);
            model.sessions[*session].incoming = *number;
            return true;
        }
        Act::Reset(session) => {
            stores[*session].reset();
            model.sessions[*session] = Numbers::default();
            return true;
        }
        Act::Entry(bytes) => {
            journal.append(bytes);
            model.entries.0.push(bytes.clone());
            return true;
        }
        Act::Commit => journal.commit(),
        Act::Rewrite => journal.rewrite(|put| {
            for entry in &model.entries.0 {
                put(entry);
            }
        }),
    };
    if done.is_ok() {
        committed.clone_from(model);
    }
    done.is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    /// From some call of the system on nothing works any more, and part of the last write got through: what a process that is killed
    /// there leaves.
    #[test]
    fn an_end_between_any_two_calls_leaves_the_last_commit_or_the_one_under_way(
        before in acts(), after in acts(), calls in 0..40_u32, part in 0.0..1.0_f64,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (journal, _, _) = open(&path).unwrap();
        let (mut model, mut committed) = (Model::default(), Model::default());
        let mut left = calls;
        journal.set_gate(Some(Box::new(move |call| {
            if left > 0 {
                left -= 1;
                return Ok(());
            }
            if let Call::Write { length, passes } = call {
                *passes = (length as f64 * part) as usize;
            }
            Err(io::Error::other("the process is gone"))
        })));
        let mut stores = NAMES.map(|name| journal.store(name));
        for one in &before {
            if !act(one, &journal, &mut stores, &mut model, &mut committed) {
                break;
            }
            // What waits for a commit is seen at once.
            prop_assert_eq!(&Model::of(&journal, &model.entries), &model);
        }
        drop((journal, stores));

        let (journal, entries, _) = open(&path).unwrap();
        let mut model = Model::of(&journal, &entries);
        prop_assert!(model == committed || calls < 40, "nothing failed");
        // A commit that was not acknowledged may be there all the same, complete.
        if model != committed {
            prop_assert!(model.entries.0.starts_with(&committed.entries.0));
        }
        let mut committed = model.clone();
        let mut stores = NAMES.map(|name| journal.store(name));
        for one in &after {
            prop_assert!(act(one, &journal, &mut stores, &mut model, &mut committed));
        }
        drop((journal, stores));
        let (journal, entries, dropped) = open(&path).unwrap();
        prop_assert_eq!(dropped, 0);
        prop_assert_eq!(Model::of(&journal, &entries), committed);
    }
}

/// A file of several commits after a rewrite; its bytes, where each commit ends, and what there is then.
fn file(path: &Path) -> (Vec<u8>, Vec<(u64, Model)>) {
    let (journal, _, _) = open(path).unwrap();
    let mut stores = NAMES.map(|name| journal.store(name));
    let (mut model, mut committed) = (Model::default(), Model::default());
    let mut ends = vec![];
    for number in 0..12_u8 {
        let session = usize::from(number % 3);
        for one in [
            Act::Send(session, 0, vec![b'a' + number; 20]),
            Act::Entry(vec![b'A' + number; 9]),
            if number == 6 {
                Act::Rewrite
            } else {
                Act::Commit
            },
        ] {
            assert!(act(&one, &journal, &mut stores, &mut model, &mut committed));
        }
        if number == 6 {
            ends.clear();
        }
        ends.push((journal.length(), model.clone()));
    }
    drop((journal, stores));
    (std::fs::read(path).unwrap(), ends)
}

#[test]
fn a_file_cut_at_any_byte_has_every_complete_commit_or_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let (bytes, ends) = file(&path);
    for length in 0..=bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let last = ends.iter().rfind(|(end, _)| *end <= length as u64);
        match (open(&path), last) {
            (Ok((journal, entries, dropped)), Some((end, model))) => {
                assert_eq!(dropped, length as u64 - end);
                assert_eq!(&Model::of(&journal, &entries), model, "{length} bytes");
            }
            (Err(error), None) => {
                let says = error.to_string();
                assert!(
                    says.contains("restore the file from a copy"),
                    "{length}: {says}"
                );
                assert!(!says.contains("truncate"), "nothing of it is of use");
                assert_eq!(
                    std::fs::read(&path).unwrap(),
                    &bytes[..length],
                    "left alone"
                );
            }
            (opened, _) => panic!("{length} bytes: {opened:?}"),
        }
    }
}

#[test]
fn a_byte_that_is_damaged_is_reported_and_never_read_as_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let (bytes, ends) = file(&path);
    let before_last = &ends[ends.len() - 2];
    for at in 0..bytes.len() {
        for bit in [0x01, 0x80] {
            let mut damaged = bytes.clone();
            damaged[at] ^= bit;
            std::fs::write(&path, &damaged).unwrap();
            match open(&path) {
                // The last commit looks like one that was not finished.
                Ok((journal, entries, dropped)) => {
                    assert!(at as u64 >= before_last.0, "byte {at}");
                    assert_eq!(dropped, bytes.len() as u64 - before_last.0);
                    assert_eq!(Model::of(&journal, &entries), before_last.1);
                }
                Err(error) => {
                    assert!((at as u64) < before_last.0, "byte {at}: {error}");
                    assert_eq!(std::fs::read(&path).unwrap(), damaged, "left alone");
                    if let LogError::Damaged { at: from, .. } = error
                        && at as u64 >= ends[0].0
                    {
                        let says = error.to_string();
                        assert!(says.contains(&format!("truncate -s {from}")), "{says}");
                        // What the error advises works.
                        std::fs::write(&path, &damaged[..from as usize]).unwrap();
                        let (journal, entries, _) = open(&path).unwrap();
                        let whole = ends.iter().rfind(|(end, _)| *end <= from).unwrap();
                        assert_eq!(Model::of(&journal, &entries), whole.1);
                    }
                }
            }
        }
    }
}

#[test]
fn a_full_disk_loses_nothing_and_goes_on_once_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let (journal, _, _) = open(&path).unwrap();
    let mut alice = journal.store(b"ALICE");
    alice.set_next_outgoing(2);
    journal.commit().unwrap();
    let full = Arc::new(Mutex::new(true));
    let is_full = Arc::clone(&full);
    journal.set_gate(Some(Box::new(move |call| match call {
        Call::Write { passes, length } if *is_full.lock().unwrap() => {
            *passes = length / 2;
            Err(io::ErrorKind::StorageFull.into())
        }
        _ => Ok(()),
    })));
    alice.keep_sent(2, b"two");
    alice.set_next_outgoing(3);
    let before = std::fs::read(&path).unwrap();
    for _ in 0..2 {
        let error = journal.commit().unwrap_err();
        assert!(matches!(error, LogError::Full { .. }), "{error:?}");
        let says = error.to_string();
        assert!(
            says.contains("the disk is full") && says.contains("free some space"),
            "{says}"
        );
        assert_eq!(std::fs::read(&path).unwrap(), before, "no half of a commit");
    }
    assert!(
        journal.rewrite(|_| ()).is_err(),
        "nor is there room for another file"
    );
    *full.lock().unwrap() = false;
    alice.keep_sent(3, b"three");
    alice.set_next_outgoing(4);
    journal.commit().unwrap();
    journal.rewrite(|_| ()).unwrap();
    drop((journal, alice));
    let (journal, ..) = open(&path).unwrap();
    let alice = journal.store(b"ALICE");
    assert_eq!(alice.next_outgoing(), 4);
    assert_eq!(alice.sent(1, 2).unwrap(), Some((2, b"two".to_vec())));
    assert_eq!(alice.sent(3, 9).unwrap(), Some((3, b"three".to_vec())));
}

#[test]
fn after_a_flush_that_failed_nothing_is_acknowledged_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let (journal, _) = Journal::open(&path, Durability::Power, LIMITS, &mut ()).unwrap();
    let mut alice = journal.store(b"ALICE");
    let mut syncs = 0;
    journal.set_gate(Some(Box::new(move |call| {
        syncs += u32::from(matches!(call, Call::Sync));
        if syncs == 1 {
            return Err(io::Error::other("the disk is gone"));
        }
        Ok(())
    })));
    alice.set_next_outgoing(2);
    assert!(matches!(journal.commit(), Err(LogError::File { .. })));
    // The kernel says that all is well again; it may have thrown away what it could not write.
    alice.set_next_outgoing(3);
    assert!(matches!(journal.commit(), Err(LogError::Broken(_))));
}

#[test]
fn at_the_level_power_every_commit_is_flushed_once_and_at_process_none_is() {
    for (durability, expected) in [(Durability::Power, 3), (Durability::Process, 0)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (journal, _) = Journal::open(&path, durability, LIMITS, &mut ()).unwrap();
        let calls = Arc::new(Mutex::new((0, 0)));
        let count = Arc::clone(&calls);
        journal.set_gate(Some(Box::new(move |call| {
            let mut calls = count.lock().unwrap();
            match call {
                Call::Write { .. } => calls.0 += 1,
                Call::Sync => calls.1 += 1,
                _ => {}
            }
            Ok(())
        })));
        let mut stores = NAMES.map(|name| journal.store(name));
        for number in 0..3 {
            for store in &mut stores {
                store.keep_sent(number, b"message");
                store.set_next_outgoing(number + 1);
            }
            journal.append(b"entry");
            // The first one commits for all.
            for store in &mut stores {
                store.commit().unwrap();
            }
        }
        assert_eq!(*calls.lock().unwrap(), (3, expected), "{durability}");
    }
}

#[test]
fn room_that_was_reserved_is_there_when_the_disk_is_full() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, ..) = open(&folder.path().join("journal")).unwrap();
    let reservations = Arc::new(Mutex::new(0));
    let count = Arc::clone(&reservations);
    journal.set_gate(Some(Box::new(move |call| {
        if let Call::Reserve = call {
            *count.lock().unwrap() += 1;
            if *count.lock().unwrap() > 1 {
                return Err(io::ErrorKind::StorageFull.into());
            }
        }
        Ok(())
    })));
    journal.reserve(1_000).unwrap();
    let mut written = 0;
    while journal.reserve(1_000).is_ok() {
        journal.append(&[b'x'; 1_000]);
        journal.commit().unwrap();
        written += 1_000;
        assert!(written < 2 << 20, "the room never ends");
    }
    assert!(matches!(journal.reserve(1_000), Err(LogError::Full { .. })));
    assert!(*reservations.lock().unwrap() > 1);
    assert!(written > 1 << 19, "{written} bytes of a step were used");
}
