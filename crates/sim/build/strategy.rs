//! What `src/strategy_model.rs` needs to build the model of a strategy when a program runs: the RTL that a generated module uses, as it was when the
//! cores were built, and where models are kept.

use std::fs;
use std::path::Path;

use crate::{fail, files_with_extension};

/// Folders of the RTL that generated modules use.
const FOLDERS: [&str; 2] = ["strategy/alu", "strategy/wire"];

/// Writes `strategy_rtl.rs`, a table of file names and texts, and tells the crate the target folder.
pub fn write(rtl: &Path, out: &Path) {
    let mut files = vec![];
    for folder in FOLDERS {
        files.extend(files_with_extension(&rtl.join(folder), "sv"));
    }
    let mut table = format!("static RTL: [(&str, &str); {}] = [\n", files.len());
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(file);
        let text =
            text.unwrap_or_else(|cause| fail(&format!("cannot read {}: {cause}", file.display())));
        table += &format!("    ({name:?}, {text:?}),\n");
    }
    fs::write(out.join("strategy_rtl.rs"), table + "];\n").expect("OUT_DIR can be written");
    // target/PROFILE/build/sim-.../out
    let target = out.ancestors().nth(4).unwrap_or(out);
    println!("cargo:rustc-env=TICKWIRE_TARGET={}", target.display());
}
