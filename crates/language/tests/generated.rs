//! The random programs and events reach what they are there for: without that, that the targets agree would mean little.

use std::collections::BTreeMap;

use language::event::Outcome;
use language::{Intent, Interpreter, Machine, compile, parameters};
use language_random::{program, steps};

const PROGRAMS: u64 = 300;
const STEPS: usize = 20;

#[test]
fn every_node_of_the_intermediate_form_is_generated() {
    let all: String = (0..PROGRAMS)
        .map(|seed| {
            let source = program(seed);
            let program = compile(&source.text, &source.options)
                .unwrap_or_else(|messages| panic!("seed {seed}:\n{}\n{messages}", source.text));
            format!("{program:?}")
        })
        .collect();
    let nodes = [
        "Assign(",
        "Write(",
        "WriteElement ",
        "Push(",
        "ReadLevel ",
        "If ",
        "Loop ",
        "Block(",
        "Leave(",
        "New ",
        "Cancel(",
        "Replace ",
        "Emit(",
        "Constant(",
        "Input(",
        "Parameter(",
        "Local(",
        "Field(",
        "Element(",
        "Ring(",
        "PositionIn(",
        "Unary(",
        "Binary(",
        "And(",
        "Or(",
        "Select(",
        "Count)",
        "Sum)",
        "Minimum)",
        "Maximum)",
        "Negate,",
        "Absolute,",
        "Invert,",
        "Not,",
        "Add,",
        "Subtract,",
        "Multiply,",
        "FloorDivide,",
        "Modulo,",
        "ShiftLeft,",
        "ShiftRight,",
        "And,",
        "Or,",
        "Xor,",
        "Equal,",
        "NotEqual,",
        "Less,",
        "LessEqual,",
        "Greater,",
        "GreaterEqual,",
        "Minimum,",
        "Maximum,",
        "on_book: Some",
        "on_trade: Some",
        "on_order: Some",
        "on_timer: Some",
        "each_change: true",
        "price: None",
        "ImmediateOrCancel",
        "PerInstrument",
        "Array(",
        "Scalar",
        "Kind",
        "Remaining",
        "Reason",
        "Tradable",
        "Changed",
        "OpenOrders",
        "Now",
    ];
    let missing: Vec<&str> = nodes
        .into_iter()
        .filter(|node| !all.contains(node))
        .collect();
    assert!(missing.is_empty(), "never generated: {missing:?}");
}

#[test]
fn handlers_send_tell_change_state_and_fault() {
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    let mut count = |what: &'static str, number: u64| *seen.entry(what).or_default() += number;
    for seed in 0..PROGRAMS {
        let source = program(seed);
        let program = compile(&source.text, &source.options).unwrap();
        let mut machine = Interpreter::new(program.clone(), parameters(&program, []).unwrap());
        let mut outcome = Outcome::of(&program);
        for step in steps(&program, seed, STEPS) {
            let before = machine.state();
            step.run(&mut machine, &mut outcome);
            count("states changed", u64::from(before != machine.state()));
            for intent in &outcome.intents {
                let kind = match intent {
                    Intent::New(new) if new.price.is_none() => "market orders",
                    Intent::New(_) => "limit orders",
                    Intent::Cancel { .. } => "cancels",
                    Intent::Replace { .. } => "replacements",
                };
                count(kind, 1);
            }
            count("records", outcome.records.len() as u64);
            count("divisions by zero", outcome.faults.division);
            count("indexes of nothing", outcome.faults.index);
            count("intents beyond four", outcome.faults.intents);
        }
    }
    println!("{PROGRAMS} programs, {STEPS} steps each: {seen:?}");
    for (what, number) in &seen {
        assert!(*number > 100, "{number} {what} only");
    }
    assert_eq!(seen.len(), 9, "{seen:?}");
}
