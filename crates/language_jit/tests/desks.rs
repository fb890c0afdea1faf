//! The desks' strategies in machine code: the same as interpreted, on random events; and nothing is allocated.

use std::path::Path;

use language::event::Outcome;
use language::{Guarded, Interpreter, Machine, Options, Program, compile};
use language_jit::Compiled;
use language_random::steps;

const OPTIONS: Options = Options {
    instruments: 3,
    price_decimals: 4,
    operations: 1_000,
};

/// Every strategy of a desk, by its folder's name.
fn desks() -> Vec<(String, Program)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../desks");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if let Ok(source) = std::fs::read_to_string(path.join("strategy.py")) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let program =
                compile(&source, &OPTIONS).unwrap_or_else(|messages| panic!("{name}: {messages}"));
            found.push((name, program));
        }
    }
    assert!(found.len() >= 7, "{}", found.len());
    found
}

/// Values for those parameters that have no default.
fn values(program: &Program) -> Vec<i64> {
    language_random::values(program, 1).unwrap()
}

#[test]
fn desks_do_as_interpreted() {
    for (name, program) in desks() {
        let mut reference =
            Guarded::new(Interpreter::new(program.clone(), values(&program)), false);
        let mut compiled = Guarded::new(Compiled::new(&program, values(&program)).unwrap(), false);
        let (mut expected, mut given) = (Outcome::of(&program), Outcome::of(&program));
        let begin = reference.state();
        for (number, step) in steps(&program, 1, 2_000).iter().enumerate() {
            step.run(&mut reference, &mut expected);
            step.run(&mut compiled, &mut given);
            assert_eq!(given, expected, "{name}, step {number}: {step:?}");
            assert_eq!(
                compiled.state(),
                reference.state(),
                "{name}, step {number}: {step:?}"
            );
        }
        assert_ne!(reference.state(), begin, "{name} did nothing");
    }
}

#[test]
fn nothing_is_allocated_while_events_are_handled() {
    for (name, program) in desks() {
        let mut compiled = Guarded::new(Compiled::new(&program, values(&program)).unwrap(), false);
        let mut outcome = Outcome::of(&program);
        let steps = steps(&program, 2, 500);
        let counted = allocation_counter::measure(|| {
            for step in &steps {
                step.run(&mut compiled, &mut outcome);
            }
        });
        assert_eq!(counted.count_total, 0, "{name}");
    }
}

#[test]
fn a_program_may_be_dropped_and_made_anew_many_times() {
    let (_, program) = desks().remove(0);
    for _ in 0..200 {
        drop(Compiled::new(&program, values(&program)).unwrap());
    }
}

#[test]
fn a_compiled_strategy_may_go_to_another_thread() {
    let (_, program) = desks().remove(0);
    let mut compiled = Compiled::new(&program, values(&program)).unwrap();
    let mut outcome = Outcome::of(&program);
    let steps = steps(&program, 3, 10);
    let state = std::thread::spawn(move || {
        steps
            .iter()
            .for_each(|step| step.run(&mut compiled, &mut outcome));
        compiled.state()
    });
    assert_eq!(state.join().unwrap().len(), program.fields.len());
}
