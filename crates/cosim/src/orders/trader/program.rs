//! A strategy in the language instead of `best_price`: in the core as a program or beside it as a module, in software interpreted.

use std::sync::{Arc, OnceLock};

use device::{AheadOrder, ProgramWord};
use language::{Interpreter, Machine};
use language_module::{Module, generate};
use language_processor::load::{Load, What};
use language_processor::{Image, lower};
use pipeline::{Added, Programs};

use super::{CLIENT_ID, Desk};
use crate::core::Core;
use crate::models::{Builder, LoadedModel, ModelError};
use crate::orders::Problem;
use crate::preset::{Preset, Strategy};

/// A strategy with its parameters.
#[derive(Clone, Debug)]
pub struct Program {
    program: language::Program,
    image: Image,
    parameters: Vec<i64>,
    fault_stops: bool,
    module: Option<AsModule>,
}

/// A strategy's module, and its model once it was needed: clones share it.
#[derive(Clone, Debug)]
struct AsModule {
    module: Module,
    model: Arc<OnceLock<LoadedModel>>,
}

/// What a strategy may need of a core.
struct Need {
    needed: bool,
    has: fn(&Preset) -> bool,
    /// What a core without it does not do.
    without: &'static str,
}

impl Program {
    /// The strategy as a program of a core's processor; a fault stops it.
    ///
    /// # Errors
    /// It does not fit the processor.
    pub fn new(program: language::Program, parameters: Vec<i64>) -> Result<Self, String> {
        let image = lower(&program, u64::MAX).map_err(|limit| limit.to_string())?;
        Ok(Program {
            program,
            image,
            parameters,
            fault_stops: true,
            module: None,
        })
    }

    /// The same as a module of its own. `source`: its text, whose lines become comments.
    ///
    /// # Errors
    /// It is too large for a module.
    pub fn as_module(self, source: &str) -> Result<Self, String> {
        let module = generate(&self.program, source).map_err(|limit| limit.to_string())?;
        Ok(Program {
            module: Some(AsModule {
                module,
                model: Arc::default(),
            }),
            ..self
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

    /// Whether the core must follow its orders.
    pub fn follows_orders(&self) -> bool {
        self.image.follows_orders()
    }

    /// Whether it reads levels of the book that may not be the best.
    pub fn reads_levels(&self) -> bool {
        self.image.reads_levels()
    }

    /// Whether a core has what it needs: trades, timers, reports on its orders, deeper levels, a ring.
    ///
    /// # Errors
    /// It lacks something: what that is, and which preset has it all, if one has.
    pub fn can_run_on(&self, preset: &Preset) -> Result<(), String> {
        let needs = [
            Need {
                needed: self.follows_orders(),
                has: |preset| preset.own_orders,
                without: "does not follow a strategy's own orders: no on_order, cancel, replace, position, open_orders",
            },
            Need {
                needed: self.program.on_trade.is_some(),
                has: |preset| preset.trades,
                without: "does not give a strategy the trades: no on_trade",
            },
            Need {
                needed: self.program.on_timer.is_some(),
                has: |preset| preset.timers,
                without: "does not have timers: no on_timer",
            },
            Need {
                needed: self.reads_levels(),
                has: |preset| preset.level_reads,
                without: "gives a strategy the best levels only: no book.level",
            },
            Need {
                needed: self.image.reads_quantities(),
                has: |preset| !preset.is_order_log(),
                without: "keeps prices and numbers of orders only: no now, no quantity, no book.changed",
            },
            Need {
                needed: self.program.each_change,
                has: |preset| preset.each_change,
                without: "calls a strategy at the end of a frame only: no @each_change",
            },
            Need {
                needed: self.image.emits(),
                has: |preset| preset.ring,
                without: "has no ring for what a strategy emits: no emit",
            },
        ];
        let lacks = |preset: &Preset| {
            let mut needs = needs.iter();
            needs.find(|need| need.needed && !(need.has)(preset))
        };
        let Some(Need { without, .. }) = lacks(preset) else {
            return Ok(());
        };
        let able = |other: &Preset| other.strategy == self.slot() && lacks(other).is_none();
        Err(preset.refusal(without, able))
    }

    /// What a core needs to run it.
    pub const fn slot(&self) -> Strategy {
        match &self.module {
            None => Strategy::Processor,
            Some(_) => Strategy::External,
        }
    }

    /// The model of its module, built the first time, which takes seconds; `None`: it is a program.
    ///
    /// # Errors
    /// As [`Builder::strategy`].
    pub fn model(&self) -> Result<Option<LoadedModel>, ModelError> {
        let Some(AsModule { module, model }) = &self.module else {
            return Ok(None);
        };
        if let Some(built) = model.get() {
            return Ok(Some(built.clone()));
        }
        let built = Builder::for_strategies().strategy(&module.name, &module.text)?;
        Ok(Some(model.get_or_init(|| built).clone()))
    }

    /// Loads it into a core: a program; or its module beside the core, then that module's words.
    pub(super) fn load(&self, driver: &mut device::Driver<Core>) -> Result<bool, Problem> {
        let word = |load: Load| ProgramWord {
            what: load.what as u8,
            address: load.address,
            value: load.value,
        };
        let Some(model) = self.model()? else {
            let words = self.image.loads(&self.parameters, self.fault_stops);
            return Ok(driver.load_program(words.map(word), CLIENT_ID, self.ahead())?);
        };
        if !driver.registers().attach_strategy(model) {
            return Ok(false);
        }
        Ok(driver.load_program(self.module_loads().map(word), CLIENT_ID, self.ahead())?)
    }

    /// The orders that it is likely to send.
    fn ahead(&self) -> impl Iterator<Item = AheadOrder> {
        let likely = self.program.likely_orders(&self.parameters).into_iter();
        likely.filter_map(|order| {
            Some(AheadOrder {
                instrument: u8::try_from(order.instrument).ok()?,
                market: order.market,
                side: order.side,
                time_in_force: order.time_in_force.into(),
                quantity: u32::try_from(order.quantity).ok()?,
            })
        })
    }

    /// The words of a module at its start: which handlers it has, which the slot looks at; control, its parameters, after them its position in each
    /// instrument.
    fn module_loads(&self) -> impl Iterator<Item = Load> {
        let control = Load {
            what: What::Control,
            address: 0,
            value: u64::from(self.fault_stops) | 2,
        };
        let positions = std::iter::repeat_n(&0, self.program.instruments);
        let values = self.parameters.iter().chain(positions);
        let data = (0..).zip(values).map(|(address, value)| Load {
            what: What::Data,
            address,
            value: *value as u64,
        });
        let positions = self.parameters.len() as u16;
        let entries = self.image.entry_loads(positions);
        entries.chain([control]).chain(data)
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
        let mut programs = Programs::new(self.templates.clone());
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

#[cfg(test)]
mod tests {
    use formats::itch::Version;
    use language::{Options, compile, parameters};

    use super::super::super::testbench::Testbench;
    use super::Program;
    use crate::preset::Preset;

    /// The core itself refuses: [`Program::can_run_on`] says so before, and better.
    #[test]
    fn a_core_without_trades_and_timers_takes_no_handler_of_them() {
        let handler = |decorator: &str, head: &str| {
            format!(
                "from tickwire import SECOND, Book, Instrument, Price, Quantity, Strategy, Trade, param, timer\n\n\n\
                 class Some(Strategy):\n    instrument: Instrument = param()\n\n{decorator}    def {head} -> None:\n        \
                 self.buy(self.instrument, Price.raw(100), Quantity(1))\n"
            )
        };
        for (decorator, head, takes) in [
            ("", "on_book(self, book: Book)", true),
            ("", "on_trade(self, trade: Trade)", false),
            ("    @timer(every=SECOND)\n", "on_timer(self)", false),
        ] {
            let text = handler(decorator, head);
            let program = compile(&text, &Options::default());
            let program = program.unwrap_or_else(|messages| panic!("{messages}"));
            let values = parameters(&program, [("instrument", 0)]).unwrap();
            let program = Program::new(program, values).unwrap();
            let program = program.as_module(&text).unwrap();
            let preset = Preset::by_name("order_log_module_10g").unwrap();
            let listed = (device::Instrument::default(), Some("SBER".to_owned()));
            let mut testbench = Testbench::of(preset, Version::V50, &[listed]).unwrap();
            let loaded = program.load(&mut testbench.driver);
            assert_eq!(matches!(loaded, Ok(true)), takes, "{head}: {loaded:?}");
        }
    }
}
