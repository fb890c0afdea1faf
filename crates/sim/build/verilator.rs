//! Runs Verilator.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::fail;
use crate::sources::Sources;

/// The Verilator launcher where none is named. If there is none at all: the one that `make setup` would make.
pub fn launcher(workspace: &Path) -> PathBuf {
    let own = workspace.join(".venv/bin/verilator");
    if own.exists() {
        return own;
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    ["verilator-cli", "verilator"]
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|launcher| launcher.is_file())
        .unwrap_or(own)
}

/// Where Verilator keeps the C++ its output needs.
pub fn root(verilator: &Path) -> PathBuf {
    let answer = Command::new(verilator)
        .args(["--getenv", "VERILATOR_ROOT"])
        .output();
    let root = answer
        .ok()
        .map(|o| PathBuf::from(String::from_utf8_lossy(&o.stdout).trim()));
    match root {
        Some(root) if root.join("include/verilated.cpp").exists() => root,
        _ => fail(&format!(
            "{} does not tell its VERILATOR_ROOT: run `make setup`",
            verilator.display()
        )),
    }
}

/// One run: the C++ of a model.
pub struct Run<'a> {
    /// Prefix of the C++ class, after `V`.
    pub name: &'a str,
    /// The top module's file.
    pub top: &'a Path,
    /// `-GNAME=VALUE`.
    pub parameters: &'a [String],
    /// Where the C++ goes.
    pub folder: PathBuf,
}

/// Does these, as many at a time as Cargo lets a build script have.
pub fn verilate(verilator: &Path, sources: &Sources, runs: &[Run]) {
    let jobs = env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok());
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..jobs.unwrap_or(1) {
            scope.spawn(|| {
                while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    run.finish(verilator, sources);
                }
            });
        }
    });
}

impl Run<'_> {
    /// Runs Verilator, unless what is there was made of the same.
    fn finish(&self, verilator: &Path, sources: &Sources) {
        let files = sources.closure(self.top);
        let mut command = Command::new(verilator);
        command
            .args(["--cc", "-O3", "--assert", "--no-timing", "-Wno-fatal"])
            .args(["--x-assign", "fast", "--x-initial", "fast"])
            .arg("--top-module")
            .args(self.top.file_stem())
            .args(self.parameters)
            .args(["--prefix", &format!("V{}", self.name), "--Mdir"])
            .arg(&self.folder);
        for path in &sources.folders {
            command.arg("-y").arg(path);
        }
        command
            .arg("+libext+.sv")
            .args(sources.packages(&files))
            .arg(self.top);

        let mut hasher = DefaultHasher::new();
        format!("{command:?}").hash(&mut hasher);
        for file in &files {
            fs::read(file).ok().hash(&mut hasher);
        }
        let inputs = format!("{:016x}", hasher.finish());
        let stamp = self.folder.join("inputs");
        if fs::read_to_string(&stamp).is_ok_and(|made_of| made_of == inputs) {
            return;
        }
        // A module renamed or taken away must not leave its old C++ behind.
        let _ = fs::remove_dir_all(&self.folder);
        let output = match command.output() {
            Ok(output) => output,
            Err(cause) => fail(&format!("cannot run {}: {cause}", verilator.display())),
        };
        if !output.status.success() {
            fail(&format!(
                "Verilator, {}:\n{}",
                self.name,
                String::from_utf8_lossy(&output.stderr)
            ));
        }
        fs::write(stamp, inputs).expect("OUT_DIR can be written");
    }
}
