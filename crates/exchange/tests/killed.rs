//! What was acted on is there after a restart, whenever kill -9 came. A program of its own: a process that is just being started holds the
//! locks of files that others test.

mod common;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use common::{LIMITS, act, everything, mixed, recovered_at, uninterrupted};
use session::Durability;

/// Set in the process that is to be killed: the journal's path.
const JOURNAL: &str = "TICKWIRE_TEST_JOURNAL";

/// Which level is killed.
const LEVEL: &str = "TICKWIRE_TEST_LEVEL";

/// Not a test of its own: the process that is killed. It goes on with the day and prints each request that was acted on.
#[test]
fn process_to_be_killed() {
    let Some(path) = std::env::var_os(JOURNAL) else {
        return;
    };
    let level = std::env::var(LEVEL).unwrap().parse().unwrap();
    let (mut exchange, requests) = recovered_at(Path::new(&path), level, LIMITS);
    let mut out = std::io::stdout();
    for number in requests.. {
        act(&mut exchange, number, &mut ());
        exchange.commit().unwrap();
        writeln!(out, "acted {number}").unwrap();
    }
}

#[test]
fn a_process_that_is_killed_at_any_moment_loses_nothing_it_told_of() {
    kill_and_go_on(Durability::Process, 12, 400);
    // It waits for the disk.
    kill_and_go_on(Durability::Power, 4, 40);
}

fn kill_and_go_on(level: Durability, rounds: u64, most: u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let mut before = 0;
    for round in 0..rounds {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "process_to_be_killed", "--nocapture"])
            .env(JOURNAL, &path)
            .env(LEVEL, level.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // So many requests are waited for; how many more there are when the signal comes is chance.
        let wanted = before + 1 + mixed(round) % most;
        let mut acted = before;
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut numbers = lines
            .map_while(Result::ok)
            .filter_map(|line| line.strip_prefix("acted ")?.parse::<u64>().ok());
        for number in numbers.by_ref() {
            acted = number + 1;
            if acted >= wanted {
                break;
            }
        }
        process.kill().unwrap();
        process.wait().unwrap();
        // What it printed before it died.
        acted = numbers.last().map_or(acted, |number| number + 1);
        assert!(acted >= wanted, "{acted} of {wanted}");
        let (exchange, requests) = recovered_at(&path, level, LIMITS);
        assert!(
            requests == acted || requests == acted + 1,
            "{acted} were told, {requests} are there"
        );
        assert!(
            everything(&exchange) == everything(&uninterrupted(requests)),
            "after {requests}"
        );
        before = requests;
    }
}
