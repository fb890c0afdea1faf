//! What a model is made of.

use std::collections::{HashMap, HashSet};

use crate::embedded;

/// The C++ around a core ([`Design::shim`]).
pub const CORE: &str = include_str!("../../cpp/shim.inc");
/// The C++ around a strategy's module.
pub const STRATEGY: &str = include_str!("../../cpp/strategy.inc");
/// What a shim may include.
pub const INCLUDES: [(&str, &str); 3] = [
    ("memory.inc", include_str!("../../cpp/memory.inc")),
    ("outside.inc", include_str!("../../cpp/outside.inc")),
    ("slot.inc", include_str!("../../cpp/slot.inc")),
];

/// A design to be Verilated, and the C++ around it.
#[derive(Clone, Debug, Hash)]
pub struct Design<'a> {
    /// What messages and files call it: letters, digits and underscores, a letter first.
    pub name: &'a str,
    /// Its top module.
    pub top: &'a str,
    /// Parameters of the top that are not its defaults.
    pub parameters: Vec<(&'static str, u64)>,
    /// SystemVerilog beside that of `rtl/`: a testbench, a generated module. File name (the module's, with `.sv`) and text.
    pub files: Vec<(&'a str, &'a str)>,
    /// The C++ around it: its function `tickwire_model` returns the table of the others. It may include `memory.inc` and `slot.inc`.
    pub shim: &'a str,
    /// Macros of the shim.
    pub defines: Vec<(&'static str, u32)>,
}

impl<'a> Design<'a> {
    /// The files that it needs, the top first: what the top and those name, whose files have their names.
    pub fn sources(&self) -> Vec<(&'a str, &'a str)> {
        let own = self.files.iter().copied();
        let files: HashMap<&str, (&str, &str)> = embedded::rtl()
            .iter()
            .copied()
            .chain(own)
            .filter_map(|(file, text)| Some((file.rsplit_once('.')?.0, (file, text))))
            .collect();
        let mut taken = HashSet::from([self.top]);
        let mut needed: Vec<(&str, &str)> = files.get(self.top).copied().into_iter().collect();
        let mut next = 0;
        while let Some((_, text)) = needed.get(next).copied() {
            let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            for word in words.filter(|word| files.contains_key(word)) {
                if taken.insert(word) {
                    needed.push(files[word]);
                }
            }
            next += 1;
        }
        needed
    }
}

/// The packages among these files, each after those it names.
pub fn packages<'a>(files: &[(&'a str, &'a str)]) -> Vec<&'a str> {
    let stem = |file: &'a str| file.strip_suffix(".sv").unwrap_or(file);
    let mut waiting: Vec<(&str, &str)> = files.to_vec();
    waiting.retain(|(file, _)| stem(file).ends_with("_pkg"));
    let mut ordered = vec![];
    while !waiting.is_empty() {
        let names: Vec<String> = waiting
            .iter()
            .map(|(file, _)| format!("{}::", stem(file)))
            .collect();
        let free = |(file, text): &(&str, &str)| {
            let own = format!("{}::", file.strip_suffix(".sv").unwrap_or(file));
            !names.iter().any(|name| *name != own && text.contains(name))
        };
        let (mut ready, rest): (Vec<_>, Vec<_>) = waiting.into_iter().partition(free);
        if ready.is_empty() {
            // They name each other: Verilator reports what is wrong.
            ordered.extend(rest.iter().map(|(file, _)| *file));
            break;
        }
        ready.sort_unstable();
        ordered.extend(ready.iter().map(|(file, _)| *file));
        waiting = rest;
    }
    ordered
}
