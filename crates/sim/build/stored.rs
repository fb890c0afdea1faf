//! The finished library, stored by content.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::files_with_extension;
use crate::sources::Sources;

pub const LIBRARY: &str = "tickwire_core";

/// The library that another profile made.
pub struct Stored {
    folder: PathBuf,
    kind: String,
    file: PathBuf,
}

impl Stored {
    /// Where that of these sources is, or is to be.
    pub fn new(
        out: &Path,
        sources: &Sources,
        verilator: &Path,
        benches: &[PathBuf],
        release: bool,
    ) -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let own = ["cpp", "build"].map(|folder| fs::read_dir(here.join(folder)));
        let mut files: Vec<PathBuf> = own
            .into_iter()
            .flatten()
            .flat_map(|entries| entries.flatten().map(|entry| entry.path()))
            .collect();
        files.sort();
        files.extend(sources.files.iter().cloned());
        files.extend(sources.top.parent().map(|rtl| rtl.join("presets.toml")));
        files.extend_from_slice(benches);
        let mut hasher = DefaultHasher::new();
        (
            verilator,
            env::var_os("TARGET"),
            env::var_os("CXX"),
            env::var_os("CXXFLAGS"),
        )
            .hash(&mut hasher);
        for file in files {
            (file.file_name(), fs::read(&file).ok()).hash(&mut hasher);
        }
        // target/PROFILE/build/sim-.../out
        let folder = out.ancestors().nth(4).unwrap_or(out).join("verilated");
        let kind = format!(
            "{}-{}",
            if release { "release" } else { "test" },
            if benches.is_empty() { "program" } else { "all" }
        );
        let file = folder.join(format!("{kind}-{:016x}.a", hasher.finish()));
        Stored { folder, kind, file }
    }

    /// Links it, if it is there.
    pub fn take(&self, out: &Path) -> bool {
        let there = fs::copy(&self.file, out.join(format!("lib{LIBRARY}.a"))).is_ok();
        if there {
            println!("cargo:rustc-link-search=native={}", out.display());
            println!("cargo:rustc-link-lib=static={LIBRARY}");
            println!("cargo:rustc-link-lib=stdc++");
        }
        there
    }

    /// Stores what was made, in place of the last of its kind. If that fails the next profile makes it again.
    pub fn put(&self, out: &Path) {
        for old in files_with_extension(&self.folder, "a") {
            let name = old.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with(&self.kind) {
                let _ = fs::remove_file(&old);
            }
        }
        let partial = self.folder.join(format!("partial-{}", std::process::id()));
        let _ = fs::create_dir_all(&self.folder)
            .and_then(|()| fs::copy(out.join(format!("lib{LIBRARY}.a")), &partial))
            .and_then(|_| fs::rename(&partial, &self.file));
    }
}
