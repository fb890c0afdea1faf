//! The files of the RTL.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{fail, files_with_extension};

/// Packages, each after those it names as `package::`.
fn in_order_of_use(mut packages: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut ordered = Vec::with_capacity(packages.len());
    while !packages.is_empty() {
        let names: Vec<String> = packages
            .iter()
            .filter_map(|path| Some(format!("{}::", path.file_stem()?.to_string_lossy())))
            .collect();
        let (mut ready, waiting): (Vec<_>, Vec<_>) = packages.into_iter().partition(|path| {
            let text = fs::read_to_string(path).unwrap_or_default();
            let own = path
                .file_stem()
                .map(|stem| format!("{}::", stem.to_string_lossy()));
            !names
                .iter()
                .any(|name| own.as_ref() != Some(name) && text.contains(name))
        });
        if ready.is_empty() {
            // They name each other: Verilator reports what is wrong.
            ordered.extend(waiting);
            break;
        }
        ordered.append(&mut ready);
        packages = waiting;
    }
    ordered
}

/// The RTL: packages by name, everything else found by Verilator through the folders (one module a file of the same name).
pub struct Sources {
    pub folders: Vec<PathBuf>,
    pub files: Vec<PathBuf>,
    packages: Vec<PathBuf>,
    pub top: PathBuf,
}

impl Sources {
    pub fn find(rtl: &Path) -> Self {
        let mut folders = vec![rtl.to_path_buf()];
        let mut next = 0;
        while let Some(folder) = folders.get(next).cloned() {
            let Ok(entries) = fs::read_dir(&folder) else {
                fail(&format!("cannot read {}", folder.display()))
            };
            folders.extend(entries.flatten().map(|e| e.path()).filter(|p| p.is_dir()));
            next += 1;
        }
        folders[1..].sort();
        let files: Vec<PathBuf> = folders
            .iter()
            .flat_map(|folder| {
                ["sv", "svh"]
                    .into_iter()
                    .flat_map(|e| files_with_extension(folder, e))
            })
            .collect();
        let is_package = |p: &&PathBuf| {
            p.file_stem()
                .is_some_and(|s| s.to_string_lossy().ends_with("_pkg"))
        };
        let packages = in_order_of_use(files.iter().filter(is_package).cloned().collect());
        Sources {
            top: rtl.join("core.sv"),
            folders,
            files,
            packages,
        }
    }
    /// The files that a top needs, itself the first: the packages, modules and interfaces that it and those name, whose files have their names.
    pub fn closure(&self, top: &Path) -> Vec<PathBuf> {
        let mut needed = vec![top.to_path_buf()];
        let mut next = 0;
        while let Some(file) = needed.get(next) {
            let text = fs::read_to_string(file).unwrap_or_default();
            let words: HashSet<&str> = text
                .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .collect();
            let named = |file: &&PathBuf| {
                file.file_stem()
                    .is_some_and(|stem| words.contains(&*stem.to_string_lossy()))
            };
            let further: Vec<PathBuf> = self.files.iter().filter(named).cloned().collect();
            for file in further {
                if !needed.contains(&file) {
                    needed.push(file);
                }
            }
            next += 1;
        }
        needed
    }

    /// The packages among these, each after those it names.
    pub fn packages<'a>(&'a self, files: &'a [PathBuf]) -> impl Iterator<Item = &'a PathBuf> {
        self.packages
            .iter()
            .filter(|package| files.contains(package))
    }
}
