//! A running `tickwire exchange`.

use std::io::{BufRead, BufReader, Lines, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

pub const PATIENCE: Duration = Duration::from_secs(60);

/// A running exchange; killed where a test fails.
pub struct Exchange {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
    pub address: SocketAddr,
    pub listening: Value,
}

impl Exchange {
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_with("ABC", arguments)
    }

    pub fn start_with(symbol: &str, arguments: &[&str]) -> Self {
        Self::start_for(&["ALICE", "BOB"], symbol, arguments)
    }

    /// For these clients.
    pub fn start_for(clients: &[&str], symbol: &str, arguments: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", clients, symbol, arguments)
    }

    /// At this address.
    pub fn start_at(address: &str, clients: &[&str], symbol: &str, arguments: &[&str]) -> Self {
        let mut process = Command::new(cargo_bin!("tickwire"))
            .args(["exchange", "--json", "--listen", address])
            .args(clients.iter().flat_map(|client| ["--client", client]))
            .args(["--symbols", symbol])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let line = lines.next().expect("it listens").unwrap();
        let listening: Value = serde_json::from_str(&line).unwrap();
        let address = listening["listening"].as_str().unwrap().parse().unwrap();
        Exchange {
            process,
            lines,
            address,
            listening,
        }
    }

    /// As `kill -9`.
    pub fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// The next line that it prints.
    pub fn line(&mut self) -> Value {
        let line = self.lines.next().expect("a line").unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Waits for its end, which must be a success, and returns what it prints then.
    pub fn end(mut self) -> Value {
        let line = self.line();
        assert!(self.process.wait().unwrap().success());
        line
    }

    /// Waits for its end, which must be a failure, and returns its exit code and what it prints.
    pub fn failure(mut self) -> (Option<i32>, String) {
        let mut says = String::new();
        let mut error = self.process.stderr.take().unwrap();
        error.read_to_string(&mut says).unwrap();
        (self.process.wait().unwrap().code(), says)
    }

    /// Ends it in good order, and returns what it prints at the end.
    pub fn stop(self) -> Value {
        let id = self.process.id().to_string();
        let killed = Command::new("kill").args(["-TERM", &id]).status();
        assert!(killed.unwrap().success());
        self.end()
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
