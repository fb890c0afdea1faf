//! Runs Verilator on `rtl/core.sv` at both widths and compiles what it writes, with one C++ shim, into a static library.
//!
//! - `TICKWIRE_VERILATOR`: the Verilator launcher; default `.venv/bin/verilator` of the workspace, made by `make setup`, or where that is
//!   absent `verilator-cli` or `verilator` of the PATH. `make` leaves it alone, so that Cargo with and without `make` builds the same.
//! - `TICKWIRE_RTL`: the folder of the RTL; default `rtl/` of the workspace.
//!
//! Cargo runs this once a profile (clippy, tests, release), and what it makes is the same each time and takes minutes: it is kept by content in
//! `verilated/` of the target folder, the last one only.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The models: the prefix of the C++ class and of the C functions, the width of the core, and its other parameters. Those with a session have one line.
const MODELS: [(&str, u32, &[&str]); 4] = [
    ("core8", 8, &[]),
    ("core64", 64, &[]),
    ("session8", 8, SESSION),
    ("session64", 64, SESSION),
];
const SESSION: &[&str] = &["-GLINES=1", "-GSESSIONS=1"];

/// The arbiters, in the bench of `tests/rtl`: prefix, width, and protocol by number (`arbiter_pkg::preset`).
const ARBITERS: [(&str, u32, u32); 5] = [
    ("arbiter8_moex", 8, 3),
    ("arbiter64_moex", 64, 3),
    ("arbiter64_mold", 64, 0),
    ("arbiter128_mold", 128, 0),
    ("arbiter128_arca", 128, 2),
];

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
    let bench = workspace.join("tests/rtl/arbiter_tb.sv");
    println!("cargo:rerun-if-changed={}", bench.display());
    let kept = Kept::new(&out, &sources, &root, &bench);
    if kept.take(&out) {
        return;
    }
    let mut build = compiler(&out, &root);
    for name in ["verilated.cpp", "verilated_threads.cpp"] {
        build.file(root.join("include").join(name));
    }
    // What runs once, to set a model up, is half of the code: not worth the time to optimize.
    let mut slow = compiler(&out, &root);
    slow.opt_level(0);
    let cores = MODELS.map(|(name, width, others)| (name, width, others, None));
    let arbiters = ARBITERS.map(|(name, width, preset)| (name, width, &[][..], Some(preset)));
    for (name, width, others, preset) in cores.into_iter().chain(arbiters) {
        let folder = out.join(name);
        let mut parameters = vec![format!("-GW={width}")];
        parameters.extend(others.iter().map(|other| (*other).to_owned()));
        parameters.extend(preset.map(|preset| format!("-GPRESET={preset}")));
        let (top, shim) = match preset {
            None => (&sources.top, "shim.inc"),
            Some(_) => (&bench, "arbiter.inc"),
        };
        verilate(&verilator, &sources, name, top, &parameters, &folder);
        let preset = preset.unwrap_or_default();
        for file in files_with_extension(&folder, "cpp") {
            let runs_once = file.to_string_lossy().ends_with("__Slow.cpp");
            if runs_once { &mut slow } else { &mut build }.file(file);
        }
        let text = format!(
            "#include \"V{name}.h\"\n#define MODEL V{name}\n#define WIDTH {width}\n#define PRESET {preset}\n#define NAME(f) {name}_##f\n#include \"{shim}\"\n"
        );
        let file = out.join(format!("shim_{name}.cpp"));
        fs::write(&file, text).expect("OUT_DIR can be written");
        build.file(file);
    }
    for object in slow.compile_intermediates() {
        build.object(object);
    }
    build.compile(LIBRARY);
    kept.put(&out);
}

const LIBRARY: &str = "tickwire_core";

/// The library of another profile.
struct Kept {
    folder: PathBuf,
    file: PathBuf,
}

impl Kept {
    /// Where that of these sources is, or is to be.
    fn new(out: &Path, sources: &Sources, verilator: &Path, bench: &Path) -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let shim = fs::read_dir(here.join("cpp")).into_iter().flatten();
        let mut files: Vec<PathBuf> = shim.flatten().map(|entry| entry.path()).collect();
        files.sort();
        files.extend(sources.files.iter().cloned());
        files.extend([here.join("build.rs"), bench.to_owned()]);
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
        let file = folder.join(format!("{:016x}.a", hasher.finish()));
        Kept { folder, file }
    }

    /// Has it linked, if it is there.
    fn take(&self, out: &Path) -> bool {
        let there = fs::copy(&self.file, out.join(format!("lib{LIBRARY}.a"))).is_ok();
        if there {
            println!("cargo:rustc-link-search=native={}", out.display());
            println!("cargo:rustc-link-lib=static={LIBRARY}");
            println!("cargo:rustc-link-lib=stdc++");
        }
        there
    }

    /// Keeps what was made. If that fails the next profile makes it again.
    fn put(&self, out: &Path) {
        let _ = fs::remove_dir_all(&self.folder);
        let partial = self.folder.join(format!("partial-{}", std::process::id()));
        let _ = fs::create_dir_all(&self.folder)
            .and_then(|()| fs::copy(out.join(format!("lib{LIBRARY}.a")), &partial))
            .and_then(|_| fs::rename(&partial, &self.file));
    }
}

/// The Verilator launcher where none is named. Where there is none at all: the one `make setup` would make.
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
fn compiler(out: &Path, root: &Path) -> cc::Build {
    let mut build = cc::Build::new();
    if Path::new("/usr/lib/ccache/g++").exists() {
        build.compiler("/usr/lib/ccache/g++");
    }
    build
        .cpp(true)
        .std("c++17")
        .warnings(false)
        .opt_level(3)
        .debug(false)
        .include(root.join("include"))
        .include(root.join("include/vltstd"))
        .include("cpp")
        .includes(MODELS.map(|(name, ..)| out.join(name)))
        .includes(ARBITERS.map(|(name, ..)| out.join(name)))
        .define("VM_TRACE", "0")
        .define("VM_COVERAGE", "0");
    build
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
        let mut packages: Vec<PathBuf> = files.iter().filter(is_package).cloned().collect();
        // The shared types come first: other packages may use them.
        packages.sort_by_key(|p| !p.ends_with("tickwire_pkg.sv"));
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
