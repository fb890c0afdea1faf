//! Makes the library of a design: Verilator, then the compiler, a few files of about the same size at a time.
//!
//! ```text
//!  RTL ─ Verilator ─┬─ what runs each cycle, optimized ─┐
//!                   ├─ what sets the model up, not ─────┼─ linker ─ library
//!            shim ──┴─ shim, optimized ─────────────────┤
//!                      Verilator's runtime, made once ──┘
//! ```

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::ModelError as Error;
use super::design::{Design, INCLUDES, packages};
use super::store::Draft;
use super::tools::{Found, run};

// A package has more constants than one core needs.
pub const VERILATOR: [&str; 12] = [
    "--cc",
    "-Wall",
    "-Wno-UNUSEDPARAM",
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
/// What is hidden stays apart from another model's runtime.
pub const COMPILER: [&str; 6] = [
    "-std=c++17",
    "-w",
    "-fPIC",
    "-fvisibility=hidden",
    "-DVM_TRACE=0",
    "-DVM_COVERAGE=0",
];
/// How far what runs in a cycle is optimized, and what does not.
pub const LEVELS: [&str; 2] = ["-O1", "-O0"];
pub const LINKER: [&str; 4] = [
    "-shared",
    "-pthread",
    "-Wl,-Bsymbolic",
    "-Wl,--version-script=exports",
];
/// The only name that a library shows: a function, which returns the table of the others.
pub const EXPORTS: &str = "{ global: tickwire_model; local: *; };\n";
/// Bytes of C++ in one call of the compiler: some seconds.
const UNIT: u64 = 4_000_000;
const LIBRARY: &str = "model.so";

/// A call of the compiler: what it reads, what it makes, how it is optimized.
struct Unit {
    text: String,
    object: String,
    level: &'static str,
}

/// Makes the library in the draft's folder and returns its name there, and what Verilator warned of. `runtime` is the object of Verilator's runtime, which is made if it is absent.
pub fn make(
    draft: &Draft,
    found: &Found,
    design: &Design,
    runtime: &Path,
) -> Result<(&'static str, String), Error> {
    let sources = design.sources();
    for (file, text) in sources.iter().chain(&INCLUDES) {
        draft.write(file, text)?;
    }
    draft.write("exports", EXPORTS)?;
    let warnings = verilate(draft, found, design, &packages(&sources))?;
    let mut units = units(draft)?;
    units.push(shim(design));
    if !runtime.exists() {
        units.push(Unit {
            text: "#include <verilated.cpp>\n#include <verilated_threads.cpp>\n".into(),
            object: "runtime.o".into(),
            // Hardly anything of it runs in a cycle.
            level: LEVELS[1],
        });
    }
    compile(draft, found, design, &units)?;
    if !runtime.exists() {
        draft.keep("runtime.o", runtime)?;
    }
    let mut link = found.linker(draft.folder());
    let objects = units.iter().map(|unit| &unit.object);
    link.args(LINKER)
        .args(["-o", LIBRARY])
        .args(objects.filter(|object| *object != "runtime.o"))
        .arg(runtime);
    run(link, "the linker", design.name, found.tools.no_compiler())?;
    Ok((LIBRARY, warnings))
}

fn verilate(
    draft: &Draft,
    found: &Found,
    design: &Design,
    packages: &[&str],
) -> Result<String, Error> {
    let mut command = Command::new(&found.tools.verilator);
    command.current_dir(draft.folder()).args(VERILATOR);
    for (name, value) in &design.parameters {
        command.arg(format!("-G{name}={value}"));
    }
    command
        .args(["--top-module", design.top, "--prefix", "Vmodel"])
        .args(["--Mdir", "model", "-y", "."])
        .args(packages)
        .arg(format!("{}.sv", design.top));
    let missing = Error::NoVerilator {
        path: found.tools.verilator.clone(),
    };
    run(command, "Verilator", design.name, missing)
}

/// Verilator's files, put together into units of about the same size.
fn units(draft: &Draft) -> Result<Vec<Unit>, Error> {
    let files = draft.files("model", "cpp")?;
    let size = |file: &String| {
        let path = draft.folder().join("model").join(file);
        fs::metadata(path).map_or(0, |about| about.len())
    };
    let mut units = vec![];
    let (setup, cycle): (Vec<String>, Vec<String>) =
        files.into_iter().partition(|f| f.ends_with("__Slow.cpp"));
    for (files, kind, level) in [(cycle, "cycle", LEVELS[0]), (setup, "setup", LEVELS[1])] {
        let total: u64 = files.iter().map(size).sum();
        let count = usize::try_from(total.div_ceil(UNIT)).unwrap_or(1).max(1);
        let mut groups = vec![(0, String::new()); count];
        let mut files: Vec<(u64, String)> = files.into_iter().map(|f| (size(&f), f)).collect();
        files.sort_by(|a, b| b.cmp(a));
        for (size, file) in files {
            // There is at least one.
            let smallest = groups.iter_mut().min_by_key(|(total, _)| *total);
            if let Some((total, text)) = smallest {
                *total += size;
                let _ = writeln!(text, "#include \"model/{file}\"");
            }
        }
        for (index, (_, text)) in groups.into_iter().enumerate() {
            let object = format!("{kind}{index}.o");
            units.push(Unit {
                text,
                object,
                level,
            });
        }
    }
    Ok(units)
}

fn shim(design: &Design) -> Unit {
    let mut text = String::from("#include \"Vmodel.h\"\n#define MODEL Vmodel\n");
    for (name, value) in &design.defines {
        let _ = writeln!(text, "#define {name} {value}");
    }
    text += design.shim;
    Unit {
        text,
        object: "shim.o".into(),
        level: LEVELS[0],
    }
}

/// Compiles the units, as many at a time as there are processors.
fn compile(draft: &Draft, found: &Found, design: &Design, units: &[Unit]) -> Result<(), Error> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<(), Error> {
        while let Some(unit) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
            let source = PathBuf::from(&unit.object).with_extension("cpp");
            draft.write(&source.to_string_lossy(), &unit.text)?;
            let mut command = found.compiler(draft.folder());
            command
                .args(COMPILER)
                .args([unit.level, "-c", "-o", &unit.object])
                .arg(source);
            let missing = found.tools.no_compiler();
            run(command, "the C++ compiler", design.name, missing)?;
        }
        Ok(())
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let others: Vec<_> = (1..processors).map(|_| scope.spawn(work)).collect();
        let mine = work();
        others
            .into_iter()
            .map(|other| other.join().unwrap_or(Ok(())))
            .fold(mine, Result::and)
    })
}
