//! Models of strategies: where they come from, and what is wrong when there is none.

use std::fs;
use std::path::Path;

use sim::{Core, Preset, StrategyBuilder, StrategyModelError};

/// The ports of a module that does nothing, and what stands in it.
fn module(name: &str, body: &str) -> String {
    let text = include_str!("../../../rtl/strategy/alu/alu.sv");
    let begins = text.find("module alu\n").expect("a module");
    let ends = text.find("\n);\n").expect("its ports end") + 4;
    let ports = text[begins..ends].replacen("module alu\n", &format!("module {name}\n"), 1);
    let outputs = "done, intent_valid, intent, level_valid, level_sell, level_number, record_value_valid, record_value, record_valid, record_tag, \
                   fault_division, fault_index, fault_intents, stopped, looked";
    format!(
        "{ports}  assign {{{outputs}}} = '0;\n  assign event_ready = 1'b1;\n  assign held = hold;\n{body}endmodule\n"
    )
}

#[test]
fn a_model_is_built_once_is_reused_and_stands_beside_a_core_with_a_place_for_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let builder = StrategyBuilder::default().in_folder(folder.path());
    let text = module("idle", "");
    let built = builder.build("idle", &text).expect("built");
    assert!(!built.is_reused());
    let again = builder.build("idle", &text).expect("there");
    assert!(again.is_reused());
    // The model and the runtime: nothing of the way there is left.
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
    let core = |name| Core::of(Preset::by_name(name).expect("a preset")).expect("built");
    let mut without = core("itch_10g_two_lines");
    assert!(!without.attach_strategy(built.clone()));
    let mut first = core("itch_wire_10g");
    assert!(first.attach_strategy(built));
    first.run(10);
    // One takes the place of the other, and the core that is left keeps its own.
    assert!(first.attach_strategy(again.clone()));
    let mut second = core("itch_wire_10g");
    assert!(second.attach_strategy(again));
    drop(first);
    second.reset();
    second.run(10);
    assert!(second.strategy().is_some());

    let text = module("wrong", "  assign nothing = 1'b1 +;\n");
    let refused = builder.build("wrong", &text).expect_err("it is wrong");
    let StrategyModelError::Refused { tool, output, .. } = &refused else {
        panic!("{refused}");
    };
    assert_eq!(*tool, "Verilator");
    assert!(output.contains("wrong.sv"), "{output}");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
}

#[test]
fn what_lacks_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let builder = StrategyBuilder::default().in_folder(folder.path());
    let said = |builder: &StrategyBuilder, name: &str| {
        let error = builder.build(name, &module("idle", ""));
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
    assert!(said(&nowhere, "idle").contains("models of strategies are kept there"));
}
