//! What the checker says about a source file.

use std::fmt;

use crate::program::Position;

/// Why something is not in the language, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message {
    /// Where it stands.
    pub at: Position,
    /// What is wrong.
    pub reason: String,
    /// What to write instead.
    pub instead: String,
}

/// `line:column: reason; instead`: with the file's name and a colon in front, editors find the place.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}: {}; {}",
            self.at.line, self.at.column, self.reason, self.instead
        )
    }
}

/// All that is wrong with a source file, in the order of its lines; at least one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Messages(pub Vec<Message>);

/// A line for each.
impl fmt::Display for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, message) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{message}")?;
        }
        Ok(())
    }
}
