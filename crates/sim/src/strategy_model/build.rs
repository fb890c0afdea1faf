//! Runs Verilator and the compiler.

use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use super::store::{Draft, Store};
use super::{Loaded, StrategyModel, StrategyModelError as Error};

// `RTL`: the files that a module may use, by name.
include!(concat!(env!("OUT_DIR"), "/strategy_rtl.rs"));

/// The packages among them, which Verilator takes by name.
const PACKAGES: [&str; 1] = ["alu_pkg.sv"];
/// The C++ around the model.
const SHIM: [(&str, &str); 2] = [
    ("slot.inc", include_str!("../../cpp/slot.inc")),
    ("strategy.inc", include_str!("../../cpp/strategy.inc")),
];
/// As `build/verilator.rs` runs it for the cores.
const VERILATOR: [&str; 10] = [
    "--cc",
    "-O3",
    "--assert",
    "--no-timing",
    "-Wno-fatal",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "+libext+.sv",
];
/// What is hidden stays apart from the core's own runtime.
const COMPILER: [&str; 6] = [
    "-std=c++17",
    "-w",
    "-fPIC",
    "-fvisibility=hidden",
    "-DVM_TRACE=0",
    "-DVM_COVERAGE=0",
];
const LINKER: [&str; 4] = [
    "-shared",
    "-pthread",
    "-Wl,-Bsymbolic",
    "-Wl,--version-script=exports",
];
/// The only name that the library shows.
const EXPORTS: &str = "{ global: tickwire_strategy; local: *; };\n";
/// A program links the same model from several threads: the first builds it, the others find it.
static BUILDING: Mutex<()> = Mutex::new(());

/// Builds models of strategies.
#[derive(Clone, Debug)]
pub struct Builder {
    store: Store,
    verilator: PathBuf,
    compiler: OsString,
}

impl Default for Builder {
    /// Models are kept in `strategies` of the target folder; where that is gone, in the user's cache. Verilator is the one of TICKWIRE_VERILATOR, else the workspace's, else
    /// that of the PATH; the compiler is that of CXX, else g++.
    fn default() -> Self {
        let target = Path::new(env!("TICKWIRE_TARGET"));
        let folder = match target.is_dir() {
            true => target.join("strategies"),
            false => cache().join("tickwire/strategies"),
        };
        Builder {
            store: Store::new(folder),
            verilator: env::var_os("TICKWIRE_VERILATOR")
                .map_or_else(launcher, |named| anywhere(Path::new(&named))),
            compiler: env::var_os("CXX").unwrap_or_else(|| "g++".into()),
        }
    }
}

/// A tool's path for a process in another folder; a name alone is looked for in the PATH.
fn anywhere(tool: &Path) -> PathBuf {
    match tool.components().count() {
        1 => tool.to_owned(),
        _ => std::path::absolute(tool).unwrap_or_else(|_| tool.to_owned()),
    }
}

/// Where programs of this user keep what can be made again.
fn cache() -> PathBuf {
    let named = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    named.or_else(home).unwrap_or_else(env::temp_dir)
}

/// The Verilator launcher where none is named, as `build/verilator.rs` finds it.
fn launcher() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/verilator");
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

impl Builder {
    /// The same, but models are kept in this folder.
    #[must_use]
    pub fn in_folder(self, folder: &Path) -> Self {
        Builder {
            store: Store::new(folder.to_owned()),
            ..self
        }
    }

    /// The same with this Verilator.
    #[must_use]
    pub fn with_verilator(self, verilator: &Path) -> Self {
        Builder {
            verilator: anywhere(verilator),
            ..self
        }
    }

    /// The same with this C++ compiler.
    #[must_use]
    pub fn with_compiler(self, compiler: &str) -> Self {
        Builder {
            compiler: compiler.into(),
            ..self
        }
    }

    /// The model of a module that `language_wire` has written: its name, its text. It takes seconds, unless the same was built before.
    ///
    /// # Errors
    /// Verilator or the compiler is not there, or refuses it; the model cannot be stored or loaded.
    pub fn build(&self, name: &str, text: &str) -> Result<StrategyModel, Error> {
        let begun = Instant::now();
        let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(letters) {
            return Err(Error::Name(name.to_owned()));
        }
        let root = self.root()?;
        let key = self.key(&root, name, text);
        let library = self.store.library(name, key);
        // Another thread's panic leaves files that this one does not use.
        let building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
        let reused = library.exists();
        if !reused {
            let draft = self.store.draft()?;
            self.make(&draft, &root, name, text)?;
            draft.keep("strategy.so", &library)?;
        }
        drop(building);
        let library = Arc::new(Loaded::open(&library)?);
        Ok(StrategyModel {
            library,
            took: begun.elapsed(),
            reused,
        })
    }

    /// Where Verilator keeps the C++ its output needs.
    fn root(&self) -> Result<PathBuf, Error> {
        let none = || Error::NoVerilator {
            path: self.verilator.clone(),
        };
        let answer = Command::new(&self.verilator)
            .args(["--getenv", "VERILATOR_ROOT"])
            .output()
            .map_err(|_| none())?;
        let root = PathBuf::from(String::from_utf8_lossy(&answer.stdout).trim());
        match root.join("include/verilated.cpp").exists() {
            true => Ok(root),
            false => Err(none()),
        }
    }

    /// What tools make of everything: the release of Verilator is in its configuration.
    fn tools(&self, root: &Path) -> DefaultHasher {
        let mut hasher = DefaultHasher::new();
        let configuration = fs::read(root.join("include/verilated_config.h")).ok();
        (root, configuration, &self.compiler, COMPILER, LINKER).hash(&mut hasher);
        hasher
    }

    fn key(&self, root: &Path, name: &str, text: &str) -> u64 {
        let mut hasher = self.tools(root);
        (VERILATOR, SHIM, RTL, EXPORTS, name, text).hash(&mut hasher);
        hasher.finish()
    }

    /// Writes what they need, and runs both: Verilator's runtime is compiled meanwhile, the first time.
    fn make(&self, draft: &Draft, root: &Path, name: &str, text: &str) -> Result<(), Error> {
        draft.write(&format!("{name}.sv"), text)?;
        for (file, text) in RTL.iter().chain(&SHIM) {
            draft.write(file, text)?;
        }
        draft.write("exports", EXPORTS)?;
        let runtime = self.store.runtime(self.tools(root).finish());
        thread::scope(|scope| {
            let compiled = scope.spawn(|| self.runtime(draft, root, name, &runtime));
            let model = self.model(draft, root, name);
            let compiled = compiled.join();
            model?;
            compiled.unwrap_or_else(|_| Err(self.no_compiler()))
        })?;
        let mut link = self.compiler(draft, root);
        link.args(LINKER)
            .args(["-o", "strategy.so", "model.o"])
            .arg(&runtime);
        self.run(link, "the linker", name, self.no_compiler())
    }

    /// The model's object.
    fn model(&self, draft: &Draft, root: &Path, name: &str) -> Result<(), Error> {
        let mut verilate = Command::new(&self.verilator);
        verilate
            .current_dir(draft.folder())
            .args(VERILATOR)
            .args(["--top-module", name, "--prefix", "Vstrategy"])
            .args(["--Mdir", "model", "-y", "."])
            .args(PACKAGES)
            .arg(format!("{name}.sv"));
        let missing = Error::NoVerilator {
            path: self.verilator.clone(),
        };
        self.run(verilate, "Verilator", name, missing)?;
        let mut all = String::new();
        for file in draft.files("model", "cpp")? {
            let _ = writeln!(all, "#include \"model/{file}\"");
        }
        all += "#define MODEL Vstrategy\n#include \"strategy.inc\"\n";
        draft.write("model.cpp", &all)?;
        let mut compile = self.compiler(draft, root);
        compile.args(["-O1", "-c", "-o", "model.o", "model.cpp"]);
        self.run(compile, "the C++ compiler", name, self.no_compiler())
    }

    /// The object of Verilator's runtime, which all models share.
    fn runtime(&self, draft: &Draft, root: &Path, name: &str, object: &Path) -> Result<(), Error> {
        if object.exists() {
            return Ok(());
        }
        let both = "#include <verilated.cpp>\n#include <verilated_threads.cpp>\n";
        draft.write("runtime.cpp", both)?;
        let mut compile = self.compiler(draft, root);
        // Hardly anything of it runs in a cycle.
        compile.args(["-O0", "-c", "-o", "runtime.o", "runtime.cpp"]);
        self.run(compile, "the C++ compiler", name, self.no_compiler())?;
        draft.keep("runtime.o", object)
    }

    fn compiler(&self, draft: &Draft, root: &Path) -> Command {
        let mut command = Command::new(&self.compiler);
        command
            .current_dir(draft.folder())
            .args(COMPILER)
            .args(["-I", ".", "-I", "model", "-I"])
            .arg(root.join("include"))
            .arg("-I")
            .arg(root.join("include/vltstd"));
        command
    }

    fn no_compiler(&self) -> Error {
        Error::NoCompiler {
            name: self.compiler.to_string_lossy().into_owned(),
        }
    }

    /// `missing`: why it does not begin.
    fn run(
        &self,
        mut command: Command,
        tool: &'static str,
        name: &str,
        missing: Error,
    ) -> Result<(), Error> {
        let output = command.output().map_err(|_| missing)?;
        if output.status.success() {
            return Ok(());
        }
        Err(Error::Refused {
            tool,
            module: name.to_owned(),
            output: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        })
    }
}
