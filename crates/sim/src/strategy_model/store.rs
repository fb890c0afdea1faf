//! The folder where models of strategies are kept, by content.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use super::StrategyModelError as Error;

/// Models that are kept: less than a megabyte each.
const KEPT: usize = 64;
/// What a build was made in, and was left when it was ended from outside, goes after so long.
const LEFT: Duration = Duration::from_secs(3_600);
/// What a folder of a build begins with.
const DRAFT: &str = "draft-";

/// The folder.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// A folder to build in; it goes with this.
pub struct Draft {
    folder: PathBuf,
}

fn file(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |cause| Error::File {
        path,
        cause: cause.to_string(),
    }
}

impl Store {
    pub fn new(folder: PathBuf) -> Self {
        // Tools run in a folder below it.
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        Store { folder }
    }

    /// Where the model of a module is, or is to be.
    pub fn library(&self, name: &str, key: u64) -> PathBuf {
        self.folder.join(format!("{name}-{key:016x}.so"))
    }

    /// Where the runtime is, or is to be.
    pub fn runtime(&self, key: u64) -> PathBuf {
        self.folder.join(format!("verilated-{key:016x}.o"))
    }

    /// A folder to build in. What is too old goes.
    pub fn draft(&self) -> Result<Draft, Error> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = self
            .folder
            .join(format!("{DRAFT}{}-{number}", process::id()));
        fs::create_dir_all(&folder).map_err(file(&folder))?;
        self.clean();
        Ok(Draft { folder })
    }

    /// A program that has a model loaded keeps it, whether its file is there or not.
    fn clean(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        let now = SystemTime::now();
        let mut models = vec![];
        for entry in entries.flatten() {
            let path = entry.path();
            let Ok(written) = entry.metadata().and_then(|about| about.modified()) else {
                continue;
            };
            let age = now.duration_since(written).unwrap_or_default();
            let is_draft = entry.file_name().to_string_lossy().starts_with(DRAFT);
            if is_draft && age > LEFT {
                let _ = fs::remove_dir_all(&path);
            } else if path.extension().is_some_and(|extension| extension == "so") {
                models.push((age, path));
            }
        }
        models.sort();
        for (_, path) in models.iter().skip(KEPT) {
            let _ = fs::remove_file(path);
        }
    }
}

impl Draft {
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn write(&self, name: &str, text: &str) -> Result<(), Error> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(file(&path))
    }

    /// The files with this extension of a folder in it, sorted.
    pub fn files(&self, folder: &str, extension: &str) -> Result<Vec<String>, Error> {
        let folder = self.folder.join(folder);
        let mut names = vec![];
        for entry in fs::read_dir(&folder).map_err(file(&folder))?.flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|found| found == extension) {
                names.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// Puts a file of it where it is kept, all of it at once: another program may do the same.
    pub fn keep(&self, name: &str, path: &Path) -> Result<(), Error> {
        fs::rename(self.folder.join(name), path).map_err(file(path))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
