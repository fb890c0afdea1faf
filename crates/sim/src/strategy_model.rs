//! The module of a strategy as a Verilated model, built while the program runs, for a core whose strategy stands outside ([`Core::attach_strategy`]).
//!
//! ```text
//!  module ─ Verilator ─ C++ ─┬─ compiler ─ library, stored by content ─ loaded
//!   RTL it uses ┘   cpp/strategy.inc, Verilator's runtime
//! ```
//! The RTL that it uses is the one that the cores were built with. The library has a runtime of Verilator of its own, as the core has: it shows one
//! function to the outside, and sees none of the program's.
//!
//! [`Core::attach_strategy`]: crate::Core::attach_strategy

mod build;
mod store;

use std::ffi::c_void;
use std::fmt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

use libloading::Library;

pub use build::Builder;

/// A strategy's module, ready to be attached to cores: as many as there are, each with a state of its own.
#[derive(Clone, Debug)]
pub struct StrategyModel {
    library: Arc<Loaded>,
    took: Duration,
    reused: bool,
}

/// Why there is no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StrategyModelError {
    /// There is no Verilator.
    #[error(
        "a strategy as a module needs Verilator, and {} does not run: run `make setup` in the workspace (or set TICKWIRE_VERILATOR)", path.display()
    )]
    NoVerilator {
        /// Where it was expected.
        path: PathBuf,
    },
    /// There is no C++ compiler.
    #[error(
        "a strategy as a module needs a C++ compiler, and {name} does not run: install g++ (or name one in CXX)"
    )]
    NoCompiler {
        /// Its name.
        name: String,
    },
    /// Verilator or the compiler refuses what it got.
    #[error("{tool} refuses the module {module}:\n{output}")]
    Refused {
        /// Which of them.
        tool: &'static str,
        /// The module.
        module: String,
        /// What it says.
        output: String,
    },
    /// The name is none of a module.
    #[error("{0:?} is no name of a module: letters, digits and underscores, a letter first")]
    Name(String),
    /// A file cannot be written or read.
    #[error("{}: {cause}: models of strategies are kept there", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: String,
    },
    /// The library cannot be loaded.
    #[error("{}: cannot be loaded: {cause}; delete it, it is built again", path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: String,
    },
}

impl StrategyModel {
    /// How long it took until it was loaded.
    pub const fn took(&self) -> Duration {
        self.took
    }

    /// It was built before, of the same text: then it was only loaded.
    pub const fn is_reused(&self) -> bool {
        self.reused
    }

    /// The table of its functions (`StrategyFunctions` of `cpp/slot.inc`), which is there as long as this is.
    pub(crate) fn functions(&self) -> *const c_void {
        self.library.functions.as_ptr()
    }
}

/// A library that is loaded, and its table of functions.
struct Loaded {
    functions: NonNull<c_void>,
    _library: Library,
}

// SAFETY: the table is never written, and its functions work on the model that they are given alone.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Loaded")
    }
}

impl Loaded {
    fn open(path: &Path) -> Result<Self, StrategyModelError> {
        let failed = |cause: String| StrategyModelError::Load {
            path: path.to_owned(),
            cause,
        };
        // SAFETY: `Builder` has built this file, under a name of its content: nothing but Verilator's runtime runs when it is loaded.
        let library = unsafe { Library::new(path) }.map_err(|error| failed(error.to_string()))?;
        // SAFETY: cpp/strategy.inc has this function, of this type.
        let table =
            unsafe { library.get::<unsafe extern "C" fn() -> *mut c_void>(b"tickwire_strategy\0") };
        let table = table.map_err(|error| failed(error.to_string()))?;
        // SAFETY: it has no precondition.
        let functions = NonNull::new(unsafe { table() });
        Ok(Loaded {
            functions: functions.ok_or_else(|| failed("it has no functions".into()))?,
            _library: library,
        })
    }
}
