//! The wall clock, for modules that do I/O.

use formats::fix::Timestamp;
use std::time::SystemTime;

/// The time it is.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    Timestamp(since.map_or(0, |since| since.as_nanos() as u64))
}
