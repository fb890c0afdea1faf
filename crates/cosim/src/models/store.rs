//! The folder where models are kept, by content.

use std::env;
use std::fs::{self, File, FileTimes};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use super::ModelError as Error;
use crate::embedded;

/// Models that are kept, those used last: some megabytes each.
const KEPT: usize = 64;
/// What a build was made in, and was left when it was ended from outside, goes after so long.
const LEFT: Duration = Duration::from_secs(3_600);
/// What a folder of a build begins with.
const DRAFT: &str = "draft-";

/// What a library that is whole ends with, and its key after it: a library of which a part is missing must not be loaded, as the system may end the
/// program for it.
const SEAL: &[u8; 8] = b"tickwire";

/// The folder.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// A folder to build in; it goes with this.
pub struct Draft {
    folder: PathBuf,
}

/// Held while a model is built: another program that wants the same waits.
pub struct Lock {
    _file: File,
}

fn file(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |cause| Error::File {
        path,
        cause: cause.to_string(),
    }
}

/// Where programs of this user keep what can be made again.
fn cache() -> PathBuf {
    let named = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    named.or_else(home).unwrap_or_else(env::temp_dir)
}

impl Store {
    /// The folder of that name in the one of TICKWIRE_CACHE; else in the target folder that this program was built in; where that is gone, in the
    /// user's cache.
    pub fn of(name: &str) -> Self {
        let target = Path::new(embedded::target());
        Self::new(match env::var_os("TICKWIRE_CACHE") {
            Some(named) => Path::new(&named).join(name),
            None if target.is_dir() => target.join(name),
            None => cache().join("tickwire").join(name),
        })
    }

    pub fn new(folder: PathBuf) -> Self {
        // Tools run in a folder below it.
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        Store { folder }
    }

    /// Where the model of a design is, or is to be.
    pub fn library(&self, name: &str, key: u64) -> PathBuf {
        self.folder.join(format!("{name}-{key:016x}.so"))
    }

    /// Where the runtime is, or is to be.
    pub fn runtime(&self, key: u64) -> PathBuf {
        self.folder.join(format!("verilated-{key:016x}.o"))
    }

    /// Whether the library is there, to its end.
    pub fn is_whole(&self, library: &Path, key: u64) -> bool {
        let mut end = [0; SEAL.len() + 8];
        let read = File::open(library).and_then(|mut file| {
            file.seek(SeekFrom::End(-(end.len() as i64)))?;
            file.read_exact(&mut end)
        });
        read.is_ok() && end.starts_with(SEAL) && end.ends_with(&key.to_le_bytes())
    }

    /// Marks a library as used now. Where the folder cannot be written it only grows old sooner.
    pub fn touch(&self, library: &Path) {
        let now = FileTimes::new().set_modified(SystemTime::now());
        let _ = File::options()
            .append(true)
            .open(library)
            .and_then(|file| file.set_times(now));
    }

    /// Waits until no other program builds this library. `wait` is called first if one does.
    pub fn lock(&self, library: &Path, wait: impl FnOnce()) -> Result<Lock, Error> {
        fs::create_dir_all(&self.folder).map_err(file(&self.folder))?;
        let path = library.with_extension("lock");
        let lock = File::options()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(file(&path))?;
        if lock.try_lock().is_err() {
            wait();
            lock.lock().map_err(file(&path))?;
        }
        Ok(Lock { _file: lock })
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
            for beside in ["lock", "warnings"] {
                let _ = fs::remove_file(path.with_extension(beside));
            }
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

    /// Marks a library as whole.
    pub fn seal(&self, name: &str, key: u64) -> Result<(), Error> {
        let path = self.folder.join(name);
        let library = File::options().append(true).open(&path);
        library
            .and_then(|mut library| {
                library.write_all(SEAL)?;
                library.write_all(&key.to_le_bytes())?;
                library.sync_all()
            })
            .map_err(file(&path))
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
