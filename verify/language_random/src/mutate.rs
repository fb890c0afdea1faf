//! Programs with something wrong: most are refused by the checker, and some mean something else.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::program::{Source, program};

/// A random program of which a few words and signs are others: taken from elsewhere in it, twice, or not there.
pub fn mutated(seed: u64) -> Source {
    let mut source = program(seed);
    let mut random = ChaCha8Rng::seed_from_u64(seed ^ 0xbad);
    let mut tokens = tokens(&source.text);
    // The imports stay: without them nothing else would be told.
    let first = tokens
        .iter()
        .position(|token| token == "class")
        .unwrap_or(0);
    for _ in 0..random.random_range(1..=3) {
        let at = random.random_range(first..tokens.len());
        let other = tokens[random.random_range(first..tokens.len())].clone();
        match random.random_range(0..8) {
            0 => tokens[at].clear(),
            1 => tokens[at] = format!("{0} {0}", tokens[at]),
            _ => {
                // A word for a word, a sign for a sign: more of these are read to their end.
                let kind = |token: &str| {
                    token.chars().next().map(|first| {
                        (
                            first.is_alphabetic(),
                            first.is_numeric(),
                            first.is_whitespace(),
                        )
                    })
                };
                if kind(&tokens[at]) == kind(&other) {
                    tokens[at] = other;
                }
            }
        }
    }
    source.text = tokens.concat();
    source
}

/// Words, numbers, blanks, and single signs.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for character in text.chars() {
        let is_word = |of: char| of.is_alphanumeric() || of == '_';
        match tokens.last_mut() {
            Some(last) if last.chars().all(is_word) && is_word(character) => last.push(character),
            Some(last) if last.chars().all(|of| of == ' ') && character == ' ' => {
                last.push(character)
            }
            _ => tokens.push(character.to_string()),
        }
    }
    tokens
}
