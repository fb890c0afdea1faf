//! Journals that were cut at any byte, damaged, or are opened twice.

mod common;

use std::path::Path;

use common::{NOW, act, books, exchange, limit, recovered, uninterrupted};
use exchange::{Exchange, Journal, JournalError, Outgoing, Request, Safety};
use wire::Side;
use wire::fix::ExecType;

/// A journal of so many requests, and where each record ends.
fn journal(path: &Path, requests: u64) -> Vec<u64> {
    let (mut exchange, _) = recovered(path);
    let mut ends = vec![std::fs::metadata(path).unwrap().len()];
    for number in 0..requests {
        act(&mut exchange, number, &mut ());
        ends.push(std::fs::metadata(path).unwrap().len());
    }
    ends
}

#[test]
fn a_journal_cut_at_any_byte_has_every_whole_record_and_takes_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let ends = journal(&path, 6);
    let bytes = std::fs::read(&path).unwrap();
    for length in 0..=bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let whole = ends
            .iter()
            .filter(|end| **end <= length as u64)
            .count()
            .saturating_sub(1) as u64;
        let (mut exchange, requests) = recovered(&path);
        assert_eq!(requests, whole, "{length} bytes");
        act(&mut exchange, requests, &mut ());
        drop(exchange);
        let (exchange, requests) = recovered(&path);
        assert_eq!(requests, whole + 1, "{length} bytes");
        assert_eq!(books(&exchange), books(&uninterrupted(whole + 1)));
    }
}

#[test]
fn damage_before_the_end_is_told_and_nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let ends = journal(&path, 6);
    let bytes = std::fs::read(&path).unwrap();
    let (start, end) = (ends[2] as usize, ends[3] as usize);
    for at in start..end {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        std::fs::write(&path, &damaged).unwrap();
        let result = exchange().recover(Journal::open(&path, Safety::Process).unwrap());
        // A length that grew beyond the end looks like a sudden end; its records are cut off, not misread.
        match result {
            Err(JournalError::Damaged { at, .. }) => {
                assert_eq!(at, ends[2]);
                assert_eq!(std::fs::read(&path).unwrap(), damaged);
            }
            Ok(requests) => assert!(requests == 2 && at < start + 4, "byte {at}: {requests}"),
            Err(other) => panic!("byte {at}: {other}"),
        }
    }
    std::fs::write(&path, b"something else entirely").unwrap();
    assert!(matches!(
        Journal::open(&path, Safety::Process),
        Err(JournalError::NoJournal(_))
    ));
}

#[test]
fn a_journal_is_open_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let first = Journal::open(&path, Safety::Machine).unwrap();
    assert!(matches!(
        Journal::open(&path, Safety::Process),
        Err(JournalError::InUse(_))
    ));
    drop(first);
    assert!(Journal::open(&path, Safety::Process).is_ok());
}

#[test]
fn names_stay_used_after_a_restart_and_a_message_that_is_too_long_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let send = |exchange: &mut Exchange, account: Option<&[u8]>| {
        let mut answers = vec![];
        let order = wire::fix::NewOrderSingle {
            account,
            ..limit(b"once", Side::Buy, 5_000, 1)
        };
        exchange
            .order(0, &Request::New(order), NOW, &mut |_: u32,
                                                       message: &Outgoing<
                '_,
            >| {
                answers.push(match message {
                    Outgoing::Report(report) => (report.execution_type, report.reject_reason),
                    Outgoing::BusinessReject(_) => (ExecType::Rejected, None),
                    other => panic!("{other:?}"),
                });
            })
            .unwrap();
        answers
    };
    let (mut exchange, _) = recovered(&path);
    assert_eq!(
        send(&mut exchange, Some(&[b'x'; 5_000])),
        [(ExecType::Rejected, None)]
    );
    assert_eq!(send(&mut exchange, None), [(ExecType::New, None)]);
    drop(exchange);
    let (mut exchange, requests) = recovered(&path);
    assert_eq!(requests, 1);
    assert_eq!(send(&mut exchange, None), [(ExecType::Rejected, Some(6))]);
}
