//! Connections that were not let in, a line each.

use std::fmt;
use std::time::{Duration, Instant};

use exchange::Server;
use serde::Serialize;
use session::Refused;

use crate::console::Console;

/// Lines in a second, at most: a flood of connections must not flood the terminal too.
const MOST: u32 = 10;

/// A connection that was not let in.
#[derive(Serialize)]
struct Line {
    #[serde(rename = "type")]
    kind: &'static str,
    /// Where it came from.
    address: String,
    /// SenderCompID of its Logon; empty where none came.
    name: String,
    /// Why.
    cause: String,
    /// How many before it have no line of their own.
    others: u64,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.others > 0 {
            writeln!(f, "refused: {} others", self.others)?;
        }
        write!(f, "refused: {}", self.address)?;
        if !self.name.is_empty() {
            write!(f, ", {}", self.name)?;
        }
        write!(f, ": {}", self.cause)
    }
}

/// Has the server print a line for every connection that is not let in.
pub fn watch(server: &mut Server, console: Console) {
    let (mut second, mut lines, mut others) = (Instant::now(), 0, 0);
    server.watch_refusals(Box::new(move |refused: &Refused<'_>| {
        if second.elapsed() >= Duration::from_secs(1) {
            (second, lines) = (Instant::now(), 0);
        }
        lines += 1;
        if lines > MOST {
            others += 1;
            return;
        }
        let line = Line {
            kind: "refused",
            address: refused.address.to_string(),
            // It comes from outside: it must not contain control characters.
            name: refused.name.escape_ascii().to_string(),
            cause: refused.cause.to_string(),
            others: std::mem::take(&mut others),
        };
        // A closed standard output is no reason to close the market.
        let _ = console.print(&line);
    }));
}
