//! What every software target of the language is, and what runs one: parameters, faults that stop a strategy.

use crate::event::{Event, Moment, Outcome};
use crate::program::{Parameter, Program};
use crate::types::Type;

/// A program with its state.
pub trait Machine: Send {
    /// Runs the handler of an event, if the program has it. The outcome is cleared first. `moment.positions` has a value for each instrument; those
    /// that are missing are 0.
    fn handle(&mut self, moment: &Moment<'_>, event: &Event<'_>, outcome: &mut Outcome);

    /// New values of all parameters, from the next event on, in the order of [`Program::parameters`].
    fn set_parameters(&mut self, values: &[i64]);

    /// The state: a list of values for each field, in the order of [`Program::fields`]; of a ring those that it has, the newest first.
    fn state(&self) -> Vec<Vec<i64>>;
}

impl<M: Machine + ?Sized> Machine for Box<M> {
    fn handle(&mut self, moment: &Moment<'_>, event: &Event<'_>, outcome: &mut Outcome) {
        (**self).handle(moment, event, outcome);
    }

    fn set_parameters(&mut self, values: &[i64]) {
        (**self).set_parameters(values);
    }

    fn state(&self) -> Vec<Vec<i64>> {
        (**self).state()
    }
}

/// Why the parameters that were given do not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// The program has no such parameter.
    #[error("the strategy has no parameter {0}")]
    Unknown(String),
    /// It has no default value, and none was given.
    #[error("parameter {0} has no value: give it one, or a default in param(…)")]
    Missing(String),
    /// A value that its type does not have.
    #[error("parameter {name}: {value} is no {of}")]
    NotOfType {
        /// The parameter.
        name: String,
        /// Its type.
        of: Type,
        /// The value.
        value: i64,
    },
}

/// The values of a program's parameters, in order: those that are given by name, else their defaults.
///
/// # Errors
/// A name that is unknown, a parameter without any value, and a value that is no bool, side or instrument where that is asked for.
pub fn parameters<'a>(
    program: &Program,
    given: impl IntoIterator<Item = (&'a str, i64)>,
) -> Result<Vec<i64>, ParameterError> {
    let mut values: Vec<Option<i64>> = program
        .parameters
        .iter()
        .map(|parameter| parameter.default)
        .collect();
    for (name, value) in given {
        let found = program
            .parameters
            .iter()
            .position(|parameter| parameter.name == name);
        let index = found.ok_or_else(|| ParameterError::Unknown(name.to_owned()))?;
        values[index] = Some(value);
    }
    program
        .parameters
        .iter()
        .zip(values)
        .map(|(parameter, value)| valid(program, parameter, value))
        .collect()
}

fn valid(
    program: &Program,
    parameter: &Parameter,
    value: Option<i64>,
) -> Result<i64, ParameterError> {
    let value = value.ok_or_else(|| ParameterError::Missing(parameter.name.clone()))?;
    let holds = match parameter.of {
        Type::Bool | Type::Side => matches!(value, 0 | 1),
        Type::Instrument => usize::try_from(value).is_ok_and(|index| index < program.instruments),
        _ => true,
    };
    if holds {
        Ok(value)
    } else {
        Err(ParameterError::NotOfType {
            name: parameter.name.clone(),
            of: parameter.of,
            value,
        })
    }
}

/// A machine that stops for good after a fault, if the desk says so.
#[derive(Clone, Debug)]
pub struct Guarded<M> {
    machine: M,
    stops: bool,
    stopped: bool,
}

impl<M: Machine> Guarded<M> {
    /// `fault_stops` is what the desk says; its default is yes.
    pub const fn new(machine: M, fault_stops: bool) -> Self {
        Guarded {
            machine,
            stops: fault_stops,
            stopped: false,
        }
    }

    /// Whether a fault has stopped it.
    pub const fn stopped(&self) -> bool {
        self.stopped
    }

    /// What runs in it.
    pub const fn machine(&self) -> &M {
        &self.machine
    }
}

impl<M: Machine> Machine for Guarded<M> {
    /// A handler with a fault that stops the strategy ends, but its intents are dropped: what was worked out from a fault is not sent. Its records and
    /// its state stay, for whoever looks for the reason.
    #[inline]
    fn handle(&mut self, moment: &Moment<'_>, event: &Event<'_>, outcome: &mut Outcome) {
        if self.stopped {
            outcome.clear();
            return;
        }
        self.machine.handle(moment, event, outcome);
        if self.stops && outcome.faults.total() != 0 {
            self.stopped = true;
            outcome.intents.clear();
        }
    }

    fn set_parameters(&mut self, values: &[i64]) {
        self.machine.set_parameters(values);
    }

    fn state(&self) -> Vec<Vec<i64>> {
        self.machine.state()
    }
}
