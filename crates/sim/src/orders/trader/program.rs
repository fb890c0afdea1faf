//! A strategy in the language instead of `best_price`: in the core as a program, in software interpreted.

use device::ProgramWord;
use language::{Interpreter, Machine, TimeInForce};
use language_alu::load::Load;
use language_alu::{Image, lower};
use pipeline::{Added, Programs};

use super::{CLIENT_ID, Desk};
use crate::core::Core;
use crate::orders::Problem;

/// A strategy with its parameters.
#[derive(Clone, Debug)]
pub struct Program {
    program: language::Program,
    image: Image,
    parameters: Vec<i64>,
    time_in_force: TimeInForce,
    fault_stops: bool,
}

impl Program {
    /// The strategy as a core runs it; a fault stops it.
    ///
    /// # Errors
    /// It does not fit the processor, or a core does not do all of it: what, a line each.
    pub fn new(program: language::Program, parameters: Vec<i64>) -> Result<Self, String> {
        let image = lower(&program, u64::MAX).map_err(|limit| limit.to_string())?;
        let time_in_force = image.in_core(&program).map_err(|not| {
            let lines: Vec<_> = not.iter().map(ToString::to_string).collect();
            lines.join("\n")
        })?;
        Ok(Program {
            program,
            image,
            parameters,
            time_in_force,
            fault_stops: true,
        })
    }

    /// The same; `stops`: whether a fault stops it.
    #[must_use]
    pub fn with_fault_stops(self, stops: bool) -> Self {
        Program {
            fault_stops: stops,
            ..self
        }
    }

    /// What it was made of.
    pub const fn program(&self) -> &language::Program {
        &self.program
    }

    /// The values of its parameters.
    pub fn parameters(&self) -> &[i64] {
        &self.parameters
    }

    /// The time in force of all its orders.
    pub const fn time_in_force(&self) -> TimeInForce {
        self.time_in_force
    }

    /// Loads it into a core.
    pub(super) fn load(&self, driver: &mut device::Driver<Core>) -> Result<bool, Problem> {
        let words = self.image.loads(&self.parameters, self.fault_stops);
        let word = |load: Load| ProgramWord {
            what: load.what as u8,
            address: load.address,
            value: load.value,
        };
        Ok(driver.load_program(words.map(word), CLIENT_ID)?)
    }
}

impl Desk {
    /// The desk's strategy for the software, if it is in the language: interpreted.
    pub(super) fn programs(&self) -> Programs {
        self.programs_with(|program| {
            Box::new(Interpreter::new(
                program.program.clone(),
                program.parameters.clone(),
            ))
        })
    }

    /// The same, run by this machine.
    pub fn programs_with(&self, machine: impl FnOnce(&Program) -> Box<dyn Machine>) -> Programs {
        let Some(program) = &self.program else {
            return Programs::default();
        };
        let templates = [(); 4].map(|()| self.templates.clone());
        let mut programs = Programs::new(templates);
        let added = Added {
            place: 0,
            program: &program.program,
            machine: machine(program),
            fault_stops: program.fault_stops,
        };
        programs.add(added, self.instruments.len());
        programs
    }
}
