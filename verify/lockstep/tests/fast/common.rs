//! What the tests of the FAST engine share.

use std::path::PathBuf;

use super::fast_sim::{Width, Wire};

/// A file of the recorded data; `None`, and a line that says so, where it is absent.
pub fn recorded(path: &str) -> Option<Vec<u8>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = root.join(path);
    match std::fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(_) => {
            eprintln!("skipped: {} is not there", path.display());
            None
        }
    }
}

/// Both.
pub fn all_widths() -> [Width; 2] {
    [Width::W64, Width::W8]
}

/// A plain generator of random numbers.
pub struct Random(pub u64);

impl Random {
    /// The next one.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Below a limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit
    }

    /// How a packet arrives.
    pub fn wire(&mut self) -> Wire {
        let gaps = match self.below(4) {
            0 => 0,
            1 => 40,
            2 => 128,
            _ => 220,
        };
        Wire {
            err: self.below(10) == 0,
            empty_end: self.below(6) == 0,
            gaps,
            random: self.next(),
        }
    }
}
