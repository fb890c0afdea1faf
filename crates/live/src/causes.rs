//! Why packets of a feed were not taken, in words.

use std::collections::BTreeMap;
use std::fmt;

/// How many packets were not taken, by the names of the counters (docs/reference/rules.md).
pub struct NotTaken<'a>(pub &'a BTreeMap<&'static str, u32>);

impl fmt::Display for NotTaken<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (cause, count)) in self.0.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            write!(f, "{comma}{cause} {count}")?;
        }
        Ok(())
    }
}
