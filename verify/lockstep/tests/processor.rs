//! The strategy processor in hardware against the interpreter of the language, on random programs and events.

#[path = "../../../crates/language/tests/common/cases.rs"]
mod cases;

use cases::{all, checked, emitted};
use language::event::Outcome;
use language::slot::narrowed;
use language::{Guarded, Interpreter, Machine, compile, parameters};
use language_processor::{Emulator, lower};
use language_random::{What, program, steps};
use lockstep::processor::Processor;

const PROGRAMS: u64 = 300;
const STEPS: usize = 40;

fn compare(seed: u64) -> Option<usize> {
    let source = program(seed);
    let program = compile(&source.text, &source.options)
        .unwrap_or_else(|messages| panic!("seed {seed}:\n{}\n{messages}", source.text));
    let image = lower(&program, u64::MAX).ok()?;
    let without = program
        .parameters
        .iter()
        .filter(|parameter| parameter.default.is_none());
    let values = parameters(
        &program,
        without.map(|parameter| (parameter.name.as_str(), 0)),
    )
    .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let stops = seed.is_multiple_of(2);
    let mut reference = Guarded::new(Interpreter::new(program.clone(), values.clone()), stops);
    let mut twin = Guarded::new(Emulator::new(image.clone(), &values), stops);
    let mut processor = Processor::new(image, &values, stops);
    processor.level_cycles = (seed % 5) as u32;
    processor.stall = (seed % 7) as u32 * 3;
    let (mut expected, mut given) = (Outcome::of(&program), Outcome::of(&program));
    let mut of_twin = Outcome::of(&program);
    let mut intents = 0;
    for (number, step) in steps(&program, seed, STEPS).iter().enumerate() {
        let stopped = twin.stopped();
        step.run(&mut reference, &mut expected);
        step.run(&mut twin, &mut of_twin);
        step.run(&mut processor, &mut given);
        let listing = || {
            let listing = twin.machine().image().listing(&source.text);
            format!("seed {seed}, step {number}: {step:?}\n{listing}")
        };
        let narrow: Vec<_> = expected.intents.iter().map(narrowed).collect();
        let unfit = narrow.iter().filter(|(_, fits)| !fits).count();
        intents += narrow.len() - unfit;
        expected.intents = narrow.into_iter().map(|(intent, _)| intent).collect();
        assert_eq!(given, expected, "{}", listing());
        assert_eq!(processor.state(), reference.state(), "{}", listing());
        assert_eq!(processor.stopped(), reference.stopped(), "{}", listing());
        if matches!(step.what, What::Parameters(_)) {
            continue;
        }
        assert_eq!(processor.unfit(), unfit, "{}", listing());
        if !stopped {
            // Without a handler it is done at once.
            let cycles = twin.machine().cycles().max(1);
            assert_eq!(processor.cycles(), cycles, "{}", listing());
        }
        assert!(!processor.asserted(), "an assertion failed: {}", listing());
    }
    Some(intents)
}

#[test]
fn random_programs_do_as_interpreted_in_the_cycles_that_their_listing_says() {
    let compared: Vec<_> = (0..PROGRAMS).filter_map(compare).collect();
    assert!(
        compared.len() as u64 > PROGRAMS * 9 / 10,
        "only {} fit into the processor",
        compared.len()
    );
    assert!(compared.iter().sum::<usize>() > 1_000);
}

#[test]
fn each_operation_gives_what_the_reference_says() {
    for (source, records, faults) in all() {
        let program = checked(&source);
        let values = parameters(&program, []).unwrap();
        let image = lower(&program, u64::MAX).unwrap_or_else(|limit| panic!("{limit}\n{source}"));
        let mut processor = Processor::new(image, &values, false);
        assert_eq!(emitted(&mut processor), (records, faults), "\n{source}");
    }
}
