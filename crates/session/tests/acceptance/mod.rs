//! The session acceptance scripts of QuickFIX against an acceptor over TCP. They are read from `../shared/data`; without them the test
//! says so and does nothing.

mod echo;
mod script;

use echo::Echo;
use formats::fix::Version;
use script::Script;
use session::{Acceptor, Config, Memory, Role, Session, Settings};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// The scripts there are.
const SCRIPTS: usize = 59;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/fix/acceptance")
}

/// Plays a script against an acceptor of its own: the numbers begin at 1.
fn play(path: &Path) -> Result<(), String> {
    let text = fs::read(path).map_err(|error| error.to_string())?;
    let script = Script::parse(&text)?;
    let config = Config {
        reset_on_disconnect: true,
        ..Config::new(Role::Acceptor, Version::Fix44, b"ISLD", b"TW44")
    };
    let sessions = vec![Session::new(config, Memory::default())];
    let loopback = "127.0.0.1:0".parse().unwrap();
    let mut acceptor = Acceptor::bind(loopback, sessions, Settings::default()).unwrap();
    let address = acceptor.local_address().unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let serve = scope.spawn(|| acceptor.run(&mut Echo::default(), &stop));
        let result = script.play(address);
        stop.store(true, Ordering::Relaxed);
        serve.join().unwrap().unwrap();
        result
    })
}

/// Stores the figure for `tickwire-verify bench session`.
fn record(passed: usize, scripts: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../out/bench");
    let text = format!("{{\"passed\": {passed}, \"scripts\": {scripts}}}\n");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("fix_acceptance.json"), text).unwrap();
}

#[test]
fn every_script_passes() {
    let Ok(entries) = fs::read_dir(folder()) else {
        eprintln!("skipped: {} is absent", folder().display());
        return;
    };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "def"));
    paths.sort();
    // Some wait for heartbeats: all at once.
    let results: Vec<_> = thread::scope(|scope| {
        let players: Vec<_> = paths
            .iter()
            .map(|path| scope.spawn(|| play(path)))
            .collect();
        players
            .into_iter()
            .map(|player| player.join().unwrap())
            .collect()
    });
    let mut failed = Vec::new();
    for (path, result) in paths.iter().zip(results) {
        if let Err(why) = result {
            failed.push(format!("{}: {why}", path.file_name().unwrap().display()));
        }
    }
    let passed = paths.len() - failed.len();
    println!("{passed} of {} scripts passed", paths.len());
    record(passed, paths.len());
    assert_eq!(failed, Vec::<String>::new());
    assert_eq!(paths.len(), SCRIPTS);
}
