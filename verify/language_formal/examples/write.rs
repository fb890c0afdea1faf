//! Writes the files of the proofs, `tests/formal/generated`. Another folder may be given.

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    let folder = folder.unwrap_or_else(language_formal::generated);
    std::fs::create_dir_all(&folder)?;
    for file in language_formal::all()? {
        std::fs::write(folder.join(file.name), file.text)?;
    }
    Ok(())
}
