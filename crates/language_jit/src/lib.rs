//! The software target of the strategy language: handlers compiled to machine code with Cranelift when a strategy is loaded.
//!
//! [`Compiled`] is a [`language::Machine`], as the interpreter is, and gives the same. Nothing is allocated while it handles events.
//!
//! # Unsafe code
//! Machine code that was made a moment ago can only be called through a pointer, and whether that is sound no compiler can see. So this crate has
//! unsafe code, in one module: `call` owns the code's memory, calls it, and lets it read the book. What makes that sound is written there. The
//! code generator is in this crate, and not open to others, because it is what has to be trusted; `language` itself forbids unsafe code.
#![deny(unsafe_code)]

mod call;
mod expression;
mod memory;
mod statement;
mod translate;

use formats::Side;
use language::event::{Event, Intent, Moment, New, NoDepth, Outcome, Record};
use language::program::{Program, TimeInForce};
use language::{Depth, Faults, Machine};

use call::{Code, Memory};
use memory::Layout;

/// Why a program could not be compiled: neither a strategy nor its desk can be the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// There is no code generator for this processor.
    #[error("no code can be made for this processor: {0}")]
    Processor(String),
    /// The code generator refused.
    #[error("the code generator failed: {0}")]
    Generator(String),
}

/// A program with its state, as machine code.
pub struct Compiled {
    layout: Layout,
    code: Code,
    parameters: Box<[i64]>,
    state: Box<[i64]>,
    output: Box<[i64]>,
    /// Positions, where fewer were given than there are instruments.
    positions: Box<[i64]>,
}

impl std::fmt::Debug for Compiled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compiled")
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}

impl Compiled {
    /// The program at its start, with the values of its parameters in order, as [`language::parameters`] gives them.
    ///
    /// # Errors
    /// If there is no code generator for this processor, or it fails.
    pub fn new(program: &Program, parameters: Vec<i64>) -> Result<Self, CompileError> {
        let layout = Layout::new(program);
        let code = translate::code(program, &layout)?;
        let mut parameters = parameters;
        parameters.resize(program.parameters.len(), 0);
        Ok(Compiled {
            code,
            // Nothing is empty, so that every base has an address.
            parameters: padded(parameters),
            state: layout.initial_state(program),
            output: vec![0; memory::output_words(program.records())].into(),
            positions: vec![0; program.instruments.max(1)].into(),
            layout,
        })
    }

    #[inline]
    fn collect(&self, outcome: &mut Outcome) {
        let (counts, intents) = self.output.split_at(memory::FIRST_INTENT);
        outcome.faults = Faults {
            division: counts[memory::DIVISION] as u64,
            index: counts[memory::INDEX] as u64,
            intents: counts[memory::DROPPED] as u64,
        };
        for words in intents
            .chunks_exact(memory::INTENT_WORDS)
            .take(counts[memory::INTENTS] as usize)
        {
            outcome.intents.push(intent(words));
        }
        let records = self.output[memory::FIRST_RECORD..].chunks_exact(memory::RECORD_WORDS);
        for words in records.take(counts[memory::RECORDS] as usize) {
            outcome.records.push(Record::new(
                words[0] as u8,
                &words[2..2 + words[1] as usize],
            ));
        }
    }
}

fn padded(mut words: Vec<i64>) -> Box<[i64]> {
    words.resize(words.len().max(1), 0);
    words.into()
}

#[inline]
fn intent(words: &[i64]) -> Intent {
    let order = words[memory::ORDER];
    match words[memory::KIND] {
        memory::KIND_CANCEL => Intent::Cancel { order },
        memory::KIND_REPLACE => Intent::Replace {
            order,
            price: words[memory::PRICE],
            quantity: words[memory::QUANTITY],
        },
        kind => Intent::New(New {
            order,
            side: if words[memory::SIDE] == Side::Buy as i64 {
                Side::Buy
            } else {
                Side::Sell
            },
            instrument: words[memory::INSTRUMENT],
            price: (kind == memory::KIND_LIMIT).then_some(words[memory::PRICE]),
            quantity: words[memory::QUANTITY],
            time_in_force: time_in_force(words[memory::TIME_IN_FORCE]),
        }),
    }
}

fn time_in_force(number: i64) -> TimeInForce {
    const OTHERS: [TimeInForce; 3] = [
        TimeInForce::GoodTillCancel,
        TimeInForce::ImmediateOrCancel,
        TimeInForce::FillOrKill,
    ];
    OTHERS
        .into_iter()
        .find(|of| *of as i64 == number)
        .unwrap_or_default()
}

impl Machine for Compiled {
    #[inline]
    fn handle(&mut self, moment: &Moment<'_>, event: &Event<'_>, outcome: &mut Outcome) {
        outcome.clear();
        let depth: &dyn Depth = match event {
            Event::Book(_, depth) => *depth,
            _ => &NoDepth,
        };
        let positions = if moment.positions.len() >= self.positions.len() {
            moment.positions
        } else {
            self.positions.fill(0);
            self.positions[..moment.positions.len()].copy_from_slice(moment.positions);
            &self.positions
        };
        let any = self.code.run(Memory {
            moment,
            event,
            parameters: &self.parameters,
            state: &mut self.state,
            positions,
            output: &mut self.output,
            depth,
        });
        // Mostly nothing happens.
        if any {
            self.collect(outcome);
        }
    }

    fn set_parameters(&mut self, values: &[i64]) {
        self.parameters[..values.len()].copy_from_slice(values);
    }

    fn state(&self) -> Vec<Vec<i64>> {
        self.layout.read_state(&self.state)
    }
}
