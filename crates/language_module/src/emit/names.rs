//! What things are called in the module.

use std::collections::HashMap;

use language::Program;

use crate::build::Words;

/// Names of parameters and state.
pub struct Names {
    pub parameters: Vec<String>,
    pub fields: Vec<String>,
    /// How many values the field of a name has.
    pub lengths: HashMap<String, usize>,
    words: Vec<String>,
}

impl Names {
    pub fn new(program: &Program, fields: &[Words]) -> Self {
        let mut words = Vec::new();
        let mut lengths = HashMap::new();
        let mut names = Vec::new();
        for (field, of) in program.fields.iter().zip(fields) {
            let name = format!("state_{}", plain(&field.name));
            lengths.insert(name.clone(), of.length);
            match field.shape {
                language::program::Shape::Scalar => words.push(name.clone()),
                _ => words.extend((0..of.length).map(|place| format!("{name}[{place}]"))),
            }
            if of.ring {
                words.extend(["newest", "count", "sum"].map(|part| format!("{name}_{part}")));
            }
            names.push(name);
        }
        Names {
            parameters: program
                .parameters
                .iter()
                .map(|parameter| format!("parameter_{}", plain(&parameter.name)))
                .collect(),
            fields: names,
            lengths,
            words,
        }
    }

    /// A word of the state.
    pub fn word(&self, word: usize) -> &str {
        &self.words[word]
    }

    /// The array whose first word this is.
    pub fn array(&self, first: usize) -> &str {
        let word = &self.words[first];
        word.split('[').next().unwrap_or(word)
    }
}

/// A name of ASCII letters, digits and underscores. Two that differ stay different.
fn plain(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => text.push(letter),
            _ => text.push_str(&format!("u{:x}", u32::from(letter))),
        }
    }
    text
}

/// `BestOffer` is `strategy_best_offer`.
pub fn module_name(class: &str) -> String {
    let mut name = String::from("strategy");
    let mut lower = true;
    for letter in plain(class).chars() {
        if letter.is_ascii_uppercase() && lower {
            name.push('_');
        }
        lower = !letter.is_ascii_uppercase();
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// A number of 64 bits with a sign.
pub fn number(value: i64) -> String {
    match value {
        0..=9_999_999 => format!("64'sd{value}"),
        -9_999_999..=-1 => format!("-64'sd{}", -value),
        _ => format!("64'sh{value:x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_becomes_a_module() {
        assert_eq!(module_name("BestOffer"), "strategy_best_offer");
        assert_eq!(module_name("MACross"), "strategy_macross");
    }

    #[test]
    fn the_smallest_number_is_written_by_its_bits() {
        assert_eq!(number(i64::MIN), "64'sh8000000000000000");
        assert_eq!(number(-1), "-64'sd1");
        assert_eq!(number(10_000_000), "64'sh989680");
    }
}
