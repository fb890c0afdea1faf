//! Runs Verilator on `rtl/core.sv` as each preset of `rtl/presets.toml` has it, and compiles what it writes, with one C++ shim, into a static
//! library; and writes `presets.rs`, the table of presets.
//!
//! - `TICKWIRE_VERILATOR`: the Verilator launcher; default `.venv/bin/verilator` of the workspace, made by `make setup`, or where that is
//!   absent `verilator-cli` or `verilator` of the PATH. `make` leaves it alone, so that Cargo with and without `make` builds the same.
//! - `TICKWIRE_RTL`: the folder of the RTL; default `rtl/` of the workspace.
//! - feature `all-models`: the presets that the program leaves out too, and the arbiters, the order book and the FAST engine in their benches of `tests/rtl`.
//!   Without it nothing is built from files under `tests/`.
//!
//! The models are optimized in a release only: with `-O1` they compile in a third of the time, and tests run them for seconds. Those that the
//! program leaves out, which tests run only briefly, are not optimized at all.
//!
//! Cargo runs this once a profile (Clippy, tests, release), and its result is the same for the first two and takes minutes: it is stored by
//! content in `verilated/` of the target folder, the last one of each kind.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

/// A preset of `rtl/presets.toml`, which explains each member.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Preset {
    summary: String,
    width: u32,
    lines: u32,
    feed: bool,
    statistics: bool,
    packet: u32,
    host: u32,
    sessions: u32,
    session_prices: bool,
    stops: u32,
    book: u32,
    program: bool,
    place: Vec<Placement>,
}

/// A part, and the clock required there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Placement {
    part: String,
    clock_mhz: f64,
}

/// A Verilated model: prefix of its C++ class and of its C functions, what it is of, its width, its other parameters, and whether tests run it for more
/// than a moment.
struct Model {
    name: String,
    of: Of,
    width: u32,
    parameters: Vec<String>,
    runs_long: bool,
}

/// What a model is of.
#[derive(Clone, Copy)]
enum Of {
    Core,
    /// With its protocol by number (`arbiter_pkg::preset`).
    Arbiter(u32),
    Book,
    Fast,
}

/// The arbiters, in the bench of `tests/rtl`: prefix, width, and protocol by number (`arbiter_pkg::preset`).
const ARBITERS: [(&str, u32, u32); 5] = [
    ("arbiter8_moex", 8, 3),
    ("arbiter64_moex", 64, 3),
    ("arbiter64_mold", 64, 0),
    ("arbiter128_mold", 128, 0),
    ("arbiter128_arca", 128, 2),
];

/// The order books, in the bench of `tests/rtl`: prefix, and parameters that are not the default. `src/book.rs` has the same sizes.
const BOOKS: [(&str, &[&str]); 2] = [
    ("book", &[]),
    (
        "book_small",
        &[
            "WAYS=4",
            "SETS_LOG2=5",
            "ORDERS=112",
            "LEVEL_SETS_LOG2=5",
            "LOG=16",
            "FIFO=64",
        ],
    ),
];

/// The FAST engines, in the bench of `tests/rtl`: prefix and width.
const FAST: [(&str, u32); 2] = [("fast8", 8), ("fast64", 64)];

fn main() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let workspace = workspace.canonicalize().unwrap_or(workspace);
    let rtl = env::var_os("TICKWIRE_RTL").map_or_else(|| workspace.join("rtl"), PathBuf::from);
    let verilator =
        env::var_os("TICKWIRE_VERILATOR").map_or_else(|| launcher(&workspace), PathBuf::from);
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
    let root = verilator_root(&verilator);
    let all = env::var_os("CARGO_FEATURE_ALL_MODELS").is_some();
    let presets = presets(&rtl.join("presets.toml"));
    fs::write(out.join("presets.rs"), table(&presets, all)).expect("OUT_DIR can be written");
    let benches = ["arbiter_tb", "book_tb", "fast_engine_tb"]
        .map(|name| workspace.join(format!("tests/rtl/{name}.sv")));
    let [arbiter, book, fast] = &benches;
    let used: &[PathBuf] = if all { &benches } else { &[] };
    for bench in used {
        println!("cargo:rerun-if-changed={}", bench.display());
    }
    let release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let stored = Stored::new(&out, &sources, &root, used, release);
    if stored.take(&out) {
        return;
    }
    let models = models(&presets, all);
    let mut build = compiler(&out, &root, &models);
    build.opt_level(if release { 3 } else { 1 });
    for name in ["verilated.cpp", "verilated_threads.cpp"] {
        build.file(root.join("include").join(name));
    }
    // Half of the code runs once, to set a model up: not worth the time to optimize.
    let mut slow = compiler(&out, &root, &models);
    slow.opt_level(0);
    for model in &models {
        let (name, width) = (&model.name, model.width);
        let folder = out.join(name);
        let (top, shim, preset) = match model.of {
            Of::Core => (&sources.top, "shim.inc", 0),
            Of::Arbiter(preset) => (arbiter, "arbiter.inc", preset),
            Of::Book => (book, "book.inc", 0),
            Of::Fast => (fast, "fast.inc", 0),
        };
        verilate(&verilator, &sources, name, top, &model.parameters, &folder);
        let (setup, path): (Vec<_>, Vec<_>) = files_with_extension(&folder, "cpp")
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

/// The presets, by name.
fn presets(file: &Path) -> BTreeMap<String, Preset> {
    println!("cargo:rerun-if-changed={}", file.display());
    let text = fs::read_to_string(file)
        .unwrap_or_else(|cause| fail(&format!("cannot read {}: {cause}", file.display())));
    toml::from_str(&text).unwrap_or_else(|cause| fail(&format!("{}: {cause}", file.display())))
}

/// Those that are built: the program's presets, with `all` the others, the arbiters, the books and the FAST engines too.
fn models(presets: &BTreeMap<String, Preset>, all: bool) -> Vec<Model> {
    let cores = presets.iter().filter(|(_, preset)| all || preset.program);
    let cores = cores.map(|(name, preset)| Model {
        name: name.clone(),
        of: Of::Core,
        width: preset.width,
        parameters: vec![
            format!("-GW={}", preset.width),
            format!("-GLINES={}", preset.lines),
            format!("-GFEED={}", u32::from(preset.feed)),
            format!("-GSTATISTICS={}", u32::from(preset.statistics)),
            format!("-GPACKET_BYTES={}", preset.packet),
            format!("-GHOST_WORDS={}", preset.host),
            format!("-GSESSIONS={}", preset.sessions),
            format!("-GSESSION_PRICES={}", u32::from(preset.session_prices)),
            format!("-GBOOK_ORDERS={}", preset.book),
        ],
        runs_long: preset.program || preset.book != 0,
    });
    let arbiters = ARBITERS.iter().filter(|_| all);
    let arbiters = arbiters.map(|(name, width, preset)| Model {
        name: (*name).to_owned(),
        of: Of::Arbiter(*preset),
        width: *width,
        parameters: vec![format!("-GW={width}"), format!("-GPRESET={preset}")],
        runs_long: true,
    });
    let books = BOOKS.iter().filter(|_| all);
    let books = books.map(|(name, parameters)| Model {
        name: (*name).to_owned(),
        of: Of::Book,
        width: 0,
        parameters: parameters.iter().map(|one| format!("-G{one}")).collect(),
        runs_long: true,
    });
    let engines = FAST.iter().filter(|_| all);
    let engines = engines.map(|(name, width)| Model {
        name: (*name).to_owned(),
        of: Of::Fast,
        width: *width,
        parameters: vec![format!("-GW={width}")],
        runs_long: true,
    });
    cores.chain(arbiters).chain(books).chain(engines).collect()
}

/// `presets.rs`: the table that `src/preset.rs` includes.
fn table(presets: &BTreeMap<String, Preset>, all: bool) -> String {
    let mut text = String::from("unsafe extern \"C\" {\n");
    for (name, _) in presets.iter().filter(|(_, preset)| all || preset.program) {
        text += &format!(
            "    #[link_name = \"{name}_model\"]\n    static {}: Model;\n",
            name.to_uppercase()
        );
    }
    text += &format!("}}\nstatic PRESETS: [Preset; {}] = [\n", presets.len());
    for (name, preset) in presets {
        let Preset {
            summary,
            width,
            lines,
            feed,
            statistics,
            packet,
            sessions,
            session_prices,
            stops,
            book,
            ..
        } = preset;
        let width = match width {
            8 => "Gmii",
            64 => "Xgmii",
            _ => fail(&format!("presets.toml: {name}: width is 8 or 64")),
        };
        let places: Vec<String> = preset
            .place
            .iter()
            .map(|Placement { part, clock_mhz }| {
                format!("Placement {{ part: {part:?}, clock_mhz: {clock_mhz:?} }}")
            })
            .collect();
        let model = if all || preset.program {
            format!("Some(unsafe {{ &{} }})", name.to_uppercase())
        } else {
            "None".to_owned()
        };
        text += &format!(
            "    Preset {{ name: {name:?}, summary: {summary:?}, width: Width::{width}, lines: {lines}, feed: {feed}, statistics: {statistics}, packet: {packet}, \
             sessions: {sessions}, session_prices: {session_prices}, \
             stops: {stops}, book: {book}, placements: &[{}], model: {model} }},\n",
            places.join(", ")
        );
    }
    text + "];\n"
}

const LIBRARY: &str = "tickwire_core";

/// The library that another profile made.
struct Stored {
    folder: PathBuf,
    kind: String,
    file: PathBuf,
}

impl Stored {
    /// Where that of these sources is, or is to be.
    fn new(
        out: &Path,
        sources: &Sources,
        verilator: &Path,
        benches: &[PathBuf],
        release: bool,
    ) -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let shim = fs::read_dir(here.join("cpp")).into_iter().flatten();
        let mut files: Vec<PathBuf> = shim.flatten().map(|entry| entry.path()).collect();
        files.sort();
        files.extend(sources.files.iter().cloned());
        files.push(here.join("build.rs"));
        files.extend(sources.top.parent().map(|rtl| rtl.join("presets.toml")));
        files.extend_from_slice(benches);
        let mut hasher = DefaultHasher::new();
        (
            verilator,
            env::var_os("TARGET"),
            env::var_os("CXX"),
            env::var_os("CXXFLAGS"),
        )
            .hash(&mut hasher);
        for file in files {
            (file.file_name(), fs::read(&file).ok()).hash(&mut hasher);
        }
        // target/PROFILE/build/sim-.../out
        let folder = out.ancestors().nth(4).unwrap_or(out).join("verilated");
        let kind = format!(
            "{}-{}",
            if release { "release" } else { "test" },
            if benches.is_empty() { "program" } else { "all" }
        );
        let file = folder.join(format!("{kind}-{:016x}.a", hasher.finish()));
        Stored { folder, kind, file }
    }

    /// Links it, if it is there.
    fn take(&self, out: &Path) -> bool {
        let there = fs::copy(&self.file, out.join(format!("lib{LIBRARY}.a"))).is_ok();
        if there {
            println!("cargo:rustc-link-search=native={}", out.display());
            println!("cargo:rustc-link-lib=static={LIBRARY}");
            println!("cargo:rustc-link-lib=stdc++");
        }
        there
    }

    /// Stores what was made, in place of the last of its kind. If that fails the next profile makes it again.
    fn put(&self, out: &Path) {
        for old in files_with_extension(&self.folder, "a") {
            let name = old.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with(&self.kind) {
                let _ = fs::remove_file(&old);
            }
        }
        let partial = self.folder.join(format!("partial-{}", std::process::id()));
        let _ = fs::create_dir_all(&self.folder)
            .and_then(|()| fs::copy(out.join(format!("lib{LIBRARY}.a")), &partial))
            .and_then(|_| fs::rename(&partial, &self.file));
    }
}

/// The Verilator launcher where none is named. If there is none at all: the one that `make setup` would make.
fn launcher(workspace: &Path) -> PathBuf {
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
struct Sources {
    folders: Vec<PathBuf>,
    files: Vec<PathBuf>,
    packages: Vec<PathBuf>,
    top: PathBuf,
}

impl Sources {
    fn find(rtl: &Path) -> Self {
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
}

fn verilate(
    verilator: &Path,
    sources: &Sources,
    name: &str,
    top: &Path,
    parameters: &[String],
    folder: &Path,
) {
    // A module renamed or taken away must not leave its old C++ behind.
    let _ = fs::remove_dir_all(folder);
    let mut command = Command::new(verilator);
    command
        .args([
            "--cc",
            "-O3",
            "--assert",
            "--x-assign",
            "fast",
            "--x-initial",
            "fast",
            "--no-timing",
            "-Wno-fatal",
        ])
        .arg("--top-module")
        .args(top.file_stem())
        .args(parameters)
        .args(["--prefix", &format!("V{name}"), "--Mdir"])
        .arg(folder);
    for path in &sources.folders {
        command.arg("-y").arg(path);
    }
    command
        .args(["+libext+.sv"])
        .args(&sources.packages)
        .arg(top);
    let output = match command.output() {
        Ok(output) => output,
        Err(e) => fail(&format!("cannot run {}: {e}", verilator.display())),
    };
    if !output.status.success() {
        fail(&format!(
            "Verilator, {name}:\n{}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }
}

/// Where Verilator keeps the C++ its output needs.
fn verilator_root(verilator: &Path) -> PathBuf {
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
