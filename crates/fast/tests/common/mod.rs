//! Recorded data, where it is there.
#![allow(dead_code)]

use std::fs;
use std::path::PathBuf;

use fast::Templates;

/// A file of the recorded data; `None`, and a line that says so, where it is absent.
pub fn recorded(path: &str) -> Option<Vec<u8>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = root.join(path);
    match fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(_) => {
            eprintln!("skipped: {} is not there", path.display());
            None
        }
    }
}

/// The templates of a recorded file.
pub fn templates(path: &str) -> Option<Templates> {
    let xml = String::from_utf8(recorded(path)?).expect("templates are UTF-8");
    Some(Templates::parse(&xml).unwrap_or_else(|error| panic!("{path}: {error}")))
}
