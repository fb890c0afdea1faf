//! Verilator and the C++ compiler: where they are, and how they are run.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::ModelError as Error;

/// The oldest Verilator that the models are tested with.
const OLDEST: (u32, u32) = (5, 48);

/// The tools of a build.
#[derive(Clone, Debug)]
pub struct Tools {
    pub verilator: PathBuf,
    pub compiler: OsString,
}

/// The same, found: where Verilator keeps the C++ its output needs, and its version.
pub struct Found<'a> {
    pub tools: &'a Tools,
    pub root: PathBuf,
    pub version: String,
    ccache: bool,
}

impl Default for Tools {
    /// Verilator is the one of TICKWIRE_VERILATOR, else the workspace's, else that of the PATH; the compiler is that of CXX, else g++.
    fn default() -> Self {
        Tools {
            verilator: env::var_os("TICKWIRE_VERILATOR")
                .map_or_else(launcher, |named| anywhere(Path::new(&named))),
            compiler: env::var_os("CXX").unwrap_or_else(|| "g++".into()),
        }
    }
}

/// A tool's path for a process in another folder; a name alone is looked for in the PATH.
pub fn anywhere(tool: &Path) -> PathBuf {
    match tool.components().count() {
        1 => tool.to_owned(),
        _ => std::path::absolute(tool).unwrap_or_else(|_| tool.to_owned()),
    }
}

/// The Verilator launcher where none is named. If there is none at all: the one that `make setup` would make.
fn launcher() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/verilator");
    if own.exists() {
        return own;
    }
    ["verilator-cli", "verilator"]
        .iter()
        .find_map(|name| in_path(name))
        .unwrap_or(own)
}

fn in_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut launchers = env::split_paths(&path).map(|folder| folder.join(name));
    launchers.find(|launcher| launcher.is_file())
}

impl Tools {
    /// Looks whether Verilator is there and new enough, and whether there is a compiler.
    pub fn find(&self) -> Result<Found<'_>, Error> {
        let none = || Error::NoVerilator {
            path: self.verilator.clone(),
        };
        let answer = Command::new(&self.verilator)
            .args(["--getenv", "VERILATOR_ROOT"])
            .output()
            .map_err(|_| none())?;
        let root = PathBuf::from(String::from_utf8_lossy(&answer.stdout).trim());
        let configuration = fs::read_to_string(root.join("include/verilated_config.h"));
        let configuration = configuration.map_err(|_| none())?;
        let version = configuration
            .lines()
            .find_map(|line| line.strip_prefix("#define VERILATOR_VERSION "))
            .map_or_else(String::new, |text| text.trim().trim_matches('"').to_owned());
        if number(&version).is_none_or(|found| found < OLDEST) {
            return Err(Error::OldVerilator {
                path: self.verilator.clone(),
                version,
                oldest: format!("{}.{:03}", OLDEST.0, OLDEST.1),
            });
        }
        let compiler = Path::new(&self.compiler);
        let is_there = match compiler.components().count() {
            1 => in_path(&self.compiler.to_string_lossy()).is_some(),
            _ => compiler.is_file(),
        };
        if !is_there {
            return Err(self.no_compiler());
        }
        Ok(Found {
            tools: self,
            root,
            version,
            ccache: in_path("ccache").is_some(),
        })
    }

    pub fn no_compiler(&self) -> Error {
        Error::NoCompiler {
            name: self.compiler.to_string_lossy().into_owned(),
        }
    }
}

/// `5.49`, `5.048` or `5.006 2022-10-22`.
fn number(version: &str) -> Option<(u32, u32)> {
    let (major, rest) = version.split_once('.')?;
    let minor: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some((major.parse().ok()?, minor.parse().ok()?))
}

impl Found<'_> {
    /// The compiler, through ccache where there is one. It is run in the folder of the build and its paths are relative to it, so that another clone
    /// finds what this one has compiled.
    pub fn compiler(&self, folder: &Path) -> Command {
        let mut command = match self.ccache {
            true => Command::new("ccache"),
            false => Command::new(&self.tools.compiler),
        };
        if self.ccache {
            command.arg(&self.tools.compiler);
            command
                .env("CCACHE_BASEDIR", "/")
                .env("CCACHE_NOHASHDIR", "1");
        }
        command
            .current_dir(folder)
            .args(["-I", ".", "-I", "model", "-I"])
            .arg(self.root.join("include"))
            .arg("-I")
            .arg(self.root.join("include/vltstd"));
        command
    }

    /// The compiler as a linker.
    pub fn linker(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.tools.compiler);
        command.current_dir(folder);
        command
    }
}

/// Runs a tool and returns what it has to say. `missing`: why it does not begin.
pub fn run(
    mut command: Command,
    tool: &'static str,
    name: &str,
    missing: Error,
) -> Result<String, Error> {
    let output = command.output().map_err(|_| missing)?;
    let mut said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if output.status.success() {
        return Ok(said);
    }
    if output.status.code().is_none() {
        said = format!("it was ended from outside ({}) {said}", output.status);
    }
    Err(Error::Refused {
        tool,
        design: name.to_owned(),
        output: said,
    })
}
