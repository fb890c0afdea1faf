//! Runs Verilator on `rtl/core.sv` as each preset of `rtl/presets.toml` has it, and compiles what it writes, with one C++ shim, into a static
//! library; and writes `presets.rs`, the table of presets.
//!
//! - `TICKWIRE_VERILATOR`: the Verilator launcher; default `.venv/bin/verilator` of the workspace, made by `make setup`, or where that is
//!   absent `verilator-cli` or `verilator` of the PATH. `make` leaves it alone, so that Cargo with and without `make` builds the same.
//! - `TICKWIRE_RTL`: the folder of the RTL; default `rtl/` of the workspace.
//! - feature `all-models`: the presets that the program leaves out too, and the arbiters, the order book, the FAST engine and the strategy processor in their
//!   benches of `tests/rtl`.
//!   Without it nothing is built from files under `tests/`.
//!
//! The models are optimized in a release only: with `-O1` they compile in a third of the time, and tests run them for seconds. Those that the
//! program leaves out, which tests run only briefly, are not optimized at all.
//!
//! Cargo runs this once a profile (Clippy, tests, release), and its result is the same for the first two and takes minutes: it is stored by
//! content in `verilated/` of the target folder, the last one of each kind. A model whose RTL is unchanged is not Verilated again, and `ccache`,
//! where it is installed, has its objects.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

mod models;
mod presets;
mod sources;
mod stored;
mod strategy;
mod verilator;

use models::{Model, Of};
use sources::Sources;
use stored::{LIBRARY, Stored};

fn main() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let workspace = workspace.canonicalize().unwrap_or(workspace);
    let rtl = env::var_os("TICKWIRE_RTL").map_or_else(|| workspace.join("rtl"), PathBuf::from);
    let verilator = env::var_os("TICKWIRE_VERILATOR")
        .map_or_else(|| verilator::launcher(&workspace), PathBuf::from);
    println!("cargo:rerun-if-env-changed=TICKWIRE_RTL");
    println!("cargo:rerun-if-env-changed=TICKWIRE_VERILATOR");
    println!("cargo:rerun-if-changed=cpp");
    println!("cargo:rerun-if-changed={}", verilator.display());

    if !verilator.exists() {
        fail(&format!(
            "Verilator not found at {}: run `make setup` (or set TICKWIRE_VERILATOR)",
            verilator.display()
        ));
    }
    if !rtl.join("core.sv").exists() {
        fail(&format!("no core.sv in {}", rtl.display()));
    }
    let sources = Sources::find(&rtl);
    for path in sources.folders.iter().chain(&sources.files) {
        println!("cargo:rerun-if-changed={}", path.display());
    }

    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let root = verilator::root(&verilator);
    let all = env::var_os("CARGO_FEATURE_ALL_MODELS").is_some();
    let presets = presets::presets(&rtl.join("presets.toml"));
    fs::write(out.join("presets.rs"), presets::table(&presets, all))
        .expect("OUT_DIR can be written");
    strategy::write(&rtl, &out);
    let benches = [
        "arbiter_tb",
        "book_tb",
        "fast_engine_tb",
        "fast_ring_tb",
        "fast_events_tb",
        "alu_tb",
        "fast_wire_tb",
    ]
    .map(|name| workspace.join(format!("tests/rtl/{name}.sv")));
    let [arbiter, book, fast, ring, events, alu, fast_wire] = &benches;
    let used: &[PathBuf] = if all { &benches } else { &[] };
    for bench in used {
        println!("cargo:rerun-if-changed={}", bench.display());
    }
    let release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let stored = Stored::new(&out, &sources, &root, used, release);
    if stored.take(&out) {
        return;
    }
    let models = models::models(&presets, all);
    let mut build = compiler(&out, &root, &models);
    build.opt_level(if release { 3 } else { 1 });
    for name in ["verilated.cpp", "verilated_threads.cpp"] {
        build.file(root.join("include").join(name));
    }
    // Half of the code runs once, to set a model up: not worth the time to optimize.
    let mut slow = compiler(&out, &root, &models);
    slow.opt_level(0);
    let made: Vec<_> = models
        .iter()
        .map(|model| (model, out.join(&model.name)))
        .collect();
    let runs: Vec<_> = made
        .iter()
        .map(|(model, folder)| verilator::Run {
            name: &model.name,
            top: match model.of {
                Of::Core(_) => &sources.top,
                Of::Arbiter(_) => arbiter,
                Of::Book => book,
                Of::Fast => fast,
                Of::FastRing => ring,
                Of::FastEvents => events,
                Of::Alu => alu,
                Of::FastWire => fast_wire,
            },
            parameters: &model.parameters,
            folder: folder.clone(),
        })
        .collect();
    verilator::verilate(&verilator, &sources, &runs);
    for (model, folder) in &made {
        let (name, width) = (&model.name, model.width);
        let (shim, preset) = match model.of {
            Of::Core(beside) => ("shim.inc", beside as u32),
            Of::Arbiter(preset) => ("arbiter.inc", preset),
            Of::Book => ("book.inc", 0),
            Of::Fast => ("fast.inc", 0),
            Of::FastRing => ("fast.inc", 1),
            Of::FastEvents => ("fast.inc", 2),
            Of::Alu => ("alu.inc", 0),
            Of::FastWire => ("fast_wire.inc", 0),
        };
        let (setup, path): (Vec<_>, Vec<_>) = files_with_extension(folder, "cpp")
            .into_iter()
            .partition(|file| file.to_string_lossy().ends_with("__Slow.cpp"));
        // One file each: most of the time of a small file goes into Verilator's headers.
        slow.file(gathered(&out.join(format!("{name}_setup.cpp")), &setup, ""));
        let shim = format!(
            "#define MODEL V{name}\n#define WIDTH {width}\n#define PRESET {preset}\n#define NAME(f) {name}_##f\n#include \"{shim}\"\n"
        );
        let model_file = gathered(&out.join(format!("{name}_model.cpp")), &path, &shim);
        let level = if release || model.runs_long {
            &mut build
        } else {
            &mut slow
        };
        level.file(model_file);
    }
    for object in slow.compile_intermediates() {
        build.object(object);
    }
    build.compile(LIBRARY);
    stored.put(&out);
}

/// Writes a file that includes these, with a text after them.
fn gathered(file: &Path, parts: &[PathBuf], text: &str) -> PathBuf {
    let mut content: String = parts
        .iter()
        .map(|part| format!("#include \"{}\"\n", part.display()))
        .collect();
    content.push_str(text);
    fs::write(file, content).expect("OUT_DIR can be written");
    file.to_owned()
}

/// The compiler for what Verilator writes: ccache where Debian's is installed.
fn compiler(out: &Path, root: &Path, models: &[Model]) -> cc::Build {
    let mut build = cc::Build::new();
    if Path::new("/usr/lib/ccache/g++").exists() {
        build.compiler("/usr/lib/ccache/g++");
    }
    build
        .cpp(true)
        .std("c++17")
        .warnings(false)
        .debug(false)
        .include(root.join("include"))
        .include(root.join("include/vltstd"))
        .include("cpp")
        .includes(models.iter().map(|model| out.join(&model.name)))
        .define("VM_TRACE", "0")
        .define("VM_COVERAGE", "0");
    build
}

fn files_with_extension(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|e| e.path()).collect())
        .unwrap_or_default();
    files.retain(|p| p.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}

fn fail(message: &str) -> ! {
    eprintln!("\nsim: {message}\n");
    std::process::exit(1);
}
