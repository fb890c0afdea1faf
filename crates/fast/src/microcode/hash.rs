//! Where a template's row is in the jump table: a hash that keeps all identifiers apart.

use super::word::{Load, Writer};

/// Rows of the table.
pub(super) const ROWS: usize = 512;
/// Identifiers are hashed by so many of their lowest bits.
const HASHED: u32 = 14;
/// Patterns that are tried.
const TRIES: u32 = 20_000;

/// For each of the identifier's bits 7 to 13, what is added (xor) to its lowest seven bits where it is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Patterns(pub [u16; 7]);

impl Patterns {
    /// Patterns that keep the identifiers apart; an identifier that none does.
    pub(super) fn find(identifiers: &[u32]) -> Result<Self, u32> {
        let mut sorted: Vec<u32> = identifiers.iter().map(|id| id % (1 << HASHED)).collect();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(pair[0]);
        }
        // A plain shift register is random enough.
        let mut random = 0x2545_f491_u32;
        let mut patterns = Patterns::default();
        for _ in 0..TRIES {
            let mut taken = [false; ROWS];
            let apart = identifiers
                .iter()
                .all(|id| !std::mem::replace(&mut taken[patterns.row(*id)], true));
            if apart {
                return Ok(patterns);
            }
            for pattern in &mut patterns.0 {
                random ^= random << 13;
                random ^= random >> 17;
                random ^= random << 5;
                *pattern = (random >> 8) as u16 % ROWS as u16;
            }
        }
        Err(identifiers.last().copied().unwrap_or(0))
    }

    /// The row of an identifier.
    pub fn row(&self, id: u32) -> usize {
        let mut row = usize::from(id as u16 & 0x7f);
        for (bit, pattern) in self.0.iter().enumerate() {
            if id >> (7 + bit) & 1 != 0 {
                row ^= usize::from(*pattern);
            }
        }
        row % ROWS
    }

    pub(super) fn load(&self) -> Load {
        let mut out = Writer::default();
        for pattern in self.0.iter().rev() {
            out.put(u64::from(*pattern), 9);
        }
        out.load(3, 0)
    }
}
