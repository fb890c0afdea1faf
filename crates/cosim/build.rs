//! Embeds the RTL, from which models are built when they are asked for; with the feature `built-in-models` builds those of the presets that the
//! program has in it (`built_in = true` in `rtl/presets.toml`).

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

#[cfg(feature = "built-in-models")]
#[allow(dead_code)]
#[path = "src/models/mod.rs"]
mod models;
#[cfg(feature = "built-in-models")]
#[allow(dead_code)]
#[path = "src/preset.rs"]
mod preset;
#[cfg(feature = "built-in-models")]
#[allow(dead_code)]
#[path = "src/width.rs"]
mod width;

/// The same for this script as `src/embedded.rs` is for the crate.
#[cfg(feature = "built-in-models")]
mod embedded {
    use std::path::Path;
    use std::sync::LazyLock;

    static RTL: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
        let mut files = vec![];
        super::collect(&super::workspace().join("rtl"), &mut files);
        let leak = |text: String| -> &'static str { text.leak() };
        files
            .iter()
            .map(|path| (leak(super::name(path)), leak(super::read(path))))
            .collect()
    });

    pub fn rtl() -> &'static [(&'static str, &'static str)] {
        &RTL
    }

    pub fn models() -> &'static [(&'static str, &'static [u8])] {
        &[]
    }

    pub fn target() -> &'static str {
        let out = std::env::var("OUT_DIR").unwrap_or_default();
        super::target(Path::new(&out)).to_string().leak()
    }
}

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut files = vec![];
    collect(&workspace().join("rtl"), &mut files);
    files.sort();
    let mut table = format!("static RTL: [(&str, &str); {}] = [\n", files.len());
    for file in &files {
        table += &format!("    ({:?}, include_str!({file:?})),\n", name(file));
    }
    table += "];\n";
    table += &built_in();
    fs::write(out.join("embedded.rs"), table).expect("OUT_DIR can be written");
    println!("cargo:rustc-env=TICKWIRE_TARGET={}", target(&out));
    println!("cargo:rerun-if-changed=build.rs");
}

/// The models that the program has in it.
#[cfg(not(feature = "built-in-models"))]
fn built_in() -> String {
    "static MODELS: [(&str, &[u8]); 0] = [];\n".into()
}

#[cfg(feature = "built-in-models")]
fn built_in() -> String {
    for folder in ["src/models", "src/preset.rs", "cpp"] {
        println!("cargo:rerun-if-changed={folder}");
    }
    println!("cargo:rerun-if-env-changed=TICKWIRE_VERILATOR");
    let builder = models::Builder::default().announcing(|line| eprintln!("{line}"));
    let presets = preset::Preset::all()
        .iter()
        .filter(|preset| preset.built_in);
    let rows: Vec<String> = presets
        .map(|preset| match builder.library(&preset.design()) {
            Ok(path) => format!("    ({:?}, include_bytes!({path:?})),\n", preset.name),
            Err(cause) => fail(&cause.to_string()),
        })
        .collect();
    format!(
        "static MODELS: [(&str, &[u8]); {}] = [\n{}];\n",
        rows.len(),
        rows.concat()
    )
}

fn workspace() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    workspace.canonicalize().unwrap_or(workspace)
}

/// Of `target/PROFILE/build/cosim-.../out`.
fn target(out: &Path) -> std::path::Display<'_> {
    out.ancestors().nth(4).unwrap_or(out).display()
}

fn name(file: &Path) -> String {
    file.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

#[cfg(feature = "built-in-models")]
fn read(file: &Path) -> String {
    fs::read_to_string(file)
        .unwrap_or_else(|cause| fail(&format!("cannot read {}: {cause}", file.display())))
}

/// The SystemVerilog files of a folder and those in it.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    println!("cargo:rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(folder)
        .unwrap_or_else(|cause| fail(&format!("cannot read {}: {cause}", folder.display())));
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "sv") {
            files.push(path);
        }
    }
}

fn fail(message: &str) -> ! {
    eprintln!("\ncosim: {message}\n");
    std::process::exit(1);
}
