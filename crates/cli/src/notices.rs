//! What is to be known of files that were read all the same: cut off, or with more after their end mark.

use std::io::{Write, stderr};
use std::sync::{Mutex, PoisonError};

use feed::source::SourceError;

/// What was told, and whether a file is cut off there.
static TOLD: Mutex<Vec<(String, bool)>> = Mutex::new(Vec::new());

/// Keeps a notice until the command is done, whose result or screen it would disturb. Commands read some files twice: it is kept once.
pub fn tell(error: &SourceError) {
    let notice = (error.to_string(), error.is_truncation());
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if !told.contains(&notice) {
        told.push(notice);
    }
}

/// Prints the notices on stderr; gives whether a file was cut off.
pub fn print() -> bool {
    let told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    for (text, is_cut) in told.iter() {
        let what = if *is_cut {
            "; the result is of what is before"
        } else {
            ""
        };
        // A closed stderr is no reason to fail.
        let _ = writeln!(stderr(), "tickwire: warning: {text}{what}");
    }
    told.iter().any(|(_, is_cut)| *is_cut)
}
