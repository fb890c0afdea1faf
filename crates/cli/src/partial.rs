//! Files that get their name when they are complete: until then it has `.partial` after it, also where the program is killed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A file that is being written. One that is not completed is removed.
#[derive(Debug)]
pub struct Partial {
    path: PathBuf,
    /// `None`: what has the name already is no file, such as a pipe, and is written at once; or it is complete.
    partial: Option<PathBuf>,
}

impl Partial {
    /// Begins a file.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn create(path: &Path) -> io::Result<(File, Self)> {
        let is_other = fs::metadata(path).is_ok_and(|found| !found.is_file());
        let partial = (!is_other).then(|| {
            let mut name = path.as_os_str().to_owned();
            name.push(".partial");
            PathBuf::from(name)
        });
        let file = File::create(partial.as_deref().unwrap_or(path))?;
        let path = path.to_owned();
        Ok((file, Partial { path, partial }))
    }

    /// Gives it its name; one that had it is gone.
    ///
    /// # Errors
    /// It cannot be renamed.
    pub fn complete(mut self) -> io::Result<()> {
        match self.partial.take() {
            Some(partial) => fs::rename(partial, &self.path),
            None => Ok(()),
        }
    }

    /// Its name.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            // What cannot be removed stays.
            let _ = fs::remove_file(partial);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_has_its_name_when_it_is_complete_and_one_that_is_not_leaves_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("day.itch50");
        for (text, completed, found) in [
            ("first", true, "first"),
            ("second", false, "first"),
            ("third", true, "third"),
        ] {
            let (mut file, partial) = Partial::create(&path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            assert!(folder.path().join("day.itch50.partial").exists());
            if completed {
                partial.complete().unwrap();
            } else {
                drop(partial);
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), found);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        }
    }

    #[test]
    fn what_is_no_file_is_written_at_once_and_stays() {
        let (mut file, partial) = Partial::create(Path::new("/dev/null")).unwrap();
        file.write_all(b"text").unwrap();
        partial.complete().unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
