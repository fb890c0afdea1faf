//! Both stores do the same.

use session::{Durability, Durable, Memory, Store};

/// What both must do; `again` closes and opens a store that can be.
fn keeps_its_word<S: Store>(mut store: S, again: impl Fn(S) -> S) {
    assert_eq!((store.next_outgoing(), store.next_incoming()), (1, 1));
    store.keep_sent(3, b"three");
    store.keep_sent(7, b"seven");
    store.set_next_outgoing(8);
    store.set_next_incoming(5);
    // Seen at once.
    assert_eq!(store.sent(1, 7).unwrap(), Some((3, b"three".to_vec())));
    store.commit().unwrap();
    store = again(store);
    assert_eq!((store.next_outgoing(), store.next_incoming()), (8, 5));
    assert_eq!(store.sent(4, 7).unwrap(), Some((7, b"seven".to_vec())));
    assert_eq!(store.sent(4, 6).unwrap(), None);
    assert_eq!(
        store.sent(6, 4).unwrap(),
        None,
        "a range that is upside down"
    );
    // A pending message comes before a committed one, and replaces one of the same number.
    store.keep_sent(5, b"five");
    store.keep_sent(7, b"SEVEN");
    assert_eq!(store.sent(4, 7).unwrap(), Some((5, b"five".to_vec())));
    assert_eq!(store.sent(6, 9).unwrap(), Some((7, b"SEVEN".to_vec())));
    assert_eq!(store.sent(1, 9).unwrap(), Some((3, b"three".to_vec())));
    store.commit().unwrap();
    store.reset();
    assert_eq!((store.next_outgoing(), store.next_incoming()), (1, 1));
    assert_eq!(store.sent(0, u64::MAX).unwrap(), None);
    store.keep_sent(1, b"one");
    store.set_next_outgoing(2);
    store.commit().unwrap();
    store = again(store);
    assert_eq!((store.next_outgoing(), store.next_incoming()), (2, 1));
    assert_eq!(store.sent(0, u64::MAX).unwrap(), Some((1, b"one".to_vec())));
    assert_eq!(store.sent(2, u64::MAX).unwrap(), None);
}

#[test]
fn the_store_in_memory_keeps_its_word() {
    keeps_its_word(Memory::default(), |store| store);
}

#[test]
fn the_store_in_a_file_keeps_its_word() {
    for durability in [Durability::Process, Durability::Power] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let open = || Durable::open(&path, durability).unwrap();
        keeps_its_word(open(), |store| {
            drop(store);
            open()
        });
    }
}

#[test]
fn what_was_not_committed_is_not_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let mut store = Durable::open(&path, Durability::Process).unwrap();
    store.set_next_outgoing(2);
    store.commit().unwrap();
    store.set_next_outgoing(3);
    store.keep_sent(2, b"two");
    drop(store);
    let store = Durable::open(&path, Durability::Process).unwrap();
    assert_eq!(store.next_outgoing(), 2);
    assert_eq!(store.sent(0, u64::MAX).unwrap(), None);
}

#[test]
fn a_file_that_is_no_store_or_is_in_use_is_an_error_and_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("text");
    for (bytes, says) in [
        (b"not a store".as_slice(), "name another file"),
        (b"TICKWIREJOURNAL1....", "earlier version"),
        (b"TICKWIREJOURNAL2....", "earlier version"),
        (b"redb\x1a\x0a and what follows", "earlier version"),
        (b"", "cut to 0 bytes"),
        (b"TICKWIRE", "cut to 8 bytes"),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let error = Durable::open(&path, Durability::Process).unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains(says) && error.contains("text: "),
            "{bytes:?}: {error}"
        );
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
    let path = folder.path().join("store");
    let _first = Durable::open(&path, Durability::Process).unwrap();
    let error = Durable::open(&path, Durability::Process).unwrap_err();
    assert!(error.to_string().contains("store is in use"), "{error}");
}
