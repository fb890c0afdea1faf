//! Generated modules in Verilator: random programs give what the interpreter gives, on random events.

mod hardware;

use std::fs;
use std::path::Path;

use hardware::Hardware;
use language::event::Outcome;
use language::slot::narrowed;
use language::{Guarded, Interpreter, Machine, Options, Program, compile};
use language_module::generate;
use language_random::{Source, What, program, steps, values};

/// Compares a program's module with the interpreter; gives the intents that were compared. `None`: it is too large.
fn compare(source: &str, program: &Program, seed: u64, count: usize) -> Option<usize> {
    let module = generate(program, source).ok()?;
    let values = values(program, 0).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let stops = seed.is_multiple_of(2);
    let mut reference = Guarded::new(Interpreter::new(program.clone(), values.clone()), stops);
    let mut hardware = Hardware::new(&module, program, &values, stops);
    hardware.level_cycles = (seed % 5) as u32;
    hardware.stall = (seed % 7) as u32 * 3;
    let (mut expected, mut given) = (Outcome::of(program), Outcome::of(program));
    let mut intents = 0;
    for (number, step) in steps(program, seed, count).iter().enumerate() {
        step.run(&mut reference, &mut expected);
        step.run(&mut hardware, &mut given);
        let narrow: Vec<_> = expected.intents.iter().map(narrowed).collect();
        let unfit = narrow.iter().filter(|(_, fits)| !fits).count();
        intents += narrow.len() - unfit;
        expected.intents = narrow.into_iter().map(|(intent, _)| intent).collect();
        let place = || format!("seed {seed}, step {number}: {step:?}\n{source}");
        assert_eq!(given, expected, "{}", place());
        assert_eq!(hardware.state(), reference.state(), "{}", place());
        if !matches!(step.what, What::Parameters(_)) {
            assert_eq!(hardware.unfit, unfit, "{}", place());
            assert_eq!(hardware.stopped, reference.stopped(), "{}", place());
        }
        assert!(!hardware.asserted, "an assertion failed: {}", place());
    }
    Some(intents)
}

/// The program of a seed.
fn random(seed: u64) -> (Source, Program) {
    let source = program(seed);
    let program = compile(&source.text, &source.options)
        .unwrap_or_else(|messages| panic!("seed {seed}:\n{}\n{messages}", source.text));
    (source, program)
}

/// How many intents and programs were compared.
fn compare_random(seeds: impl Iterator<Item = u64>) -> (usize, usize) {
    let mut compared = (0, 0);
    for seed in seeds {
        let (source, program) = random(seed);
        if let Some(intents) = compare(&source.text, &program, seed, 40) {
            compared = (compared.0 + 1, compared.1 + intents);
        }
    }
    compared
}

/// Each module takes a second or two to build. In all of these but the first, statements come after one that leaves its block in some cases.
#[test]
fn random_programs_do_as_interpreted() {
    let (programs, intents) = compare_random([0, 7, 16, 17, 27, 28, 38].into_iter());
    assert!(programs >= 6, "only {programs} fit");
    assert!(intents > 20, "only {intents} intents");
}

#[test]
#[ignore = "minutes: make bench and make long run it"]
fn a_hundred_random_programs_do_as_interpreted() {
    let (programs, intents) = compare_random(100..230);
    assert!(programs >= 100, "only {programs} fit");
    record(programs, intents);
}

/// Stores the figures for `make bench`: a difference ends the test before this.
fn record(programs: usize, intents: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../out/bench");
    let text = format!("{{\"programs_wire\": {programs}, \"intents_wire\": {intents}}}\n");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("strategy_modules.json"), text).unwrap();
}

/// The strategies that are shipped.
#[test]
fn the_desks_do_as_interpreted() {
    for desk in ["best-offer", "market-maker"] {
        let path = format!(
            "{}/../../desks/{desk}/strategy.py",
            env!("CARGO_MANIFEST_DIR")
        );
        let source =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let options = Options {
            instruments: 2,
            ..Options::default()
        };
        let program = compile(&source, &options).unwrap_or_else(|messages| panic!("{messages}"));
        assert!(compare(&source, &program, 1, 300).is_some(), "{desk}");
    }
}
