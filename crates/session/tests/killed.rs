//! What a durable store committed is there after `kill -9`, whenever that came: all of it, and nothing else, also where the file was just
//! being rewritten. A program of its own: a process that is just being started holds the locks of files that others test.

use session::{Durability, Durable, Limits, Store};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Set in the process that is to be killed: the store's path.
const STORE: &str = "TICKWIRE_TEST_STORE";

/// What message a number has, of some length.
fn message(sequence: u64) -> Vec<u8> {
    format!("message {sequence}, ")
        .repeat(1 + (sequence % 40) as usize)
        .into_bytes()
}

/// Small enough for the file to be rewritten many times.
const LIMITS: Limits = Limits {
    most_sent: 200,
    rewrite_after: 20_000,
};

/// Which level is killed.
const LEVEL: &str = "TICKWIRE_TEST_LEVEL";

fn open(path: &Path, durability: Durability) -> Durable {
    Durable::with_limits(path, durability, LIMITS).unwrap()
}

/// A commit: one message more, the numbers with it; every 500 the numbers start again.
fn act(store: &mut Durable) {
    let sequence = store.next_outgoing();
    if sequence > 500 {
        store.reset();
    } else {
        store.keep_sent(sequence, &message(sequence));
        store.set_next_outgoing(sequence + 1);
        store.set_next_incoming(sequence + 1);
    }
    store.commit().unwrap();
}

/// Not a test of its own: the process that is killed. It prints each commit.
#[test]
fn process_to_be_killed() {
    let Some(path) = std::env::var_os(STORE) else {
        return;
    };
    let level = std::env::var(LEVEL).unwrap().parse().unwrap();
    let mut store = open(Path::new(&path), level);
    let mut out = std::io::stdout();
    loop {
        act(&mut store);
        writeln!(out, "committed {}", store.next_outgoing()).unwrap();
    }
}

#[test]
fn a_killed_process_leaves_its_last_commit_or_the_one_under_way() {
    for level in [Durability::Process, Durability::Power] {
        kill_and_go_on(level);
    }
}

fn kill_and_go_on(level: Durability) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let mut before = 1;
    for round in 0_u64..12 {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "process_to_be_killed", "--nocapture"])
            .env(STORE, &path)
            .env(LEVEL, level.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut numbers = lines
            .map_while(Result::ok)
            .filter_map(|line| line.strip_prefix("committed ")?.parse::<u64>().ok());
        // So many commits are waited for; how many more there are when the signal comes is chance.
        let wanted = 1 + round * round * 37 % 160;
        let told = numbers.by_ref().take(wanted as usize).last().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
        let told = numbers.last().unwrap_or(told);
        let store = open(&path, level);
        let found = store.next_outgoing();
        let next = if told > 500 { 1 } else { told + 1 };
        assert!(
            found == told || found == next,
            "{told} was told, {found} is there"
        );
        assert_eq!(store.next_incoming(), found);
        let first = found.saturating_sub(LIMITS.most_sent as u64).max(1);
        for sequence in first..found {
            let sent = store.sent(sequence, sequence).unwrap();
            assert_eq!(sent, Some((sequence, message(sequence))));
        }
        let older = store.sent(1, first.saturating_sub(1)).unwrap();
        assert_eq!(older, None, "what is beyond the limit is given up");
        assert_eq!(store.sent(found, u64::MAX).unwrap(), None, "nothing beyond");
        assert!(round == 0 || found != before, "the process did something");
        before = found;
        let length = std::fs::metadata(&path).unwrap().len();
        assert!(
            length < 4 * LIMITS.rewrite_after + 400_000,
            "{length} bytes"
        );
    }
}
