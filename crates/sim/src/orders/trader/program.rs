//! A strategy in the language instead of `best_price`: in the core as a program, in software interpreted.

use device::ProgramWord;
use language::Interpreter;
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
    /// Whether a fault stops it.
    pub fault_stops: bool,
}

impl Program {
    /// The strategy as a core runs it; a fault stops it.
    ///
    /// # Errors
    /// It does not fit the processor, or a core does not do all of it: what, a line each.
    pub fn new(program: language::Program, parameters: Vec<i64>) -> Result<Self, String> {
        let image = lower(&program, u64::MAX).map_err(|limit| limit.to_string())?;
        image.in_core(&program).map_err(|not| {
            let lines: Vec<_> = not.iter().map(ToString::to_string).collect();
            lines.join("\n")
        })?;
        Ok(Program {
            program,
            image,
            parameters,
            fault_stops: true,
        })
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
    /// The desk's strategy for the software, if it is in the language.
    pub(super) fn programs(&self) -> Programs {
        let Some(program) = &self.program else {
            return Programs::default();
        };
        let templates = [(); 4].map(|()| self.templates.clone());
        let mut programs = Programs::new(templates);
        let machine = Interpreter::new(program.program.clone(), program.parameters.clone());
        let added = Added {
            place: 0,
            program: &program.program,
            machine: Box::new(machine),
            fault_stops: program.fault_stops,
        };
        programs.add(added, self.instruments.len());
        programs
    }
}
