//! The strategies of a desk that are in the language: read, compiled, and given their parameters.

use std::fs;
use std::path::{Path, PathBuf};

use cosim::orders::Program as InCore;
use formats::Symbol;
use language::{Messages, Options, Program};
use language_jit::Compiled;
use pipeline::{Added, Programs, TradingConfig};
use toml::Spanned;

use super::strategy::StrategyFile;
use super::traded::Traded;
use super::{Desk, Session, Strategy, Target};
use crate::Error;
use crate::parameters::{self, Instruments};

/// A strategy that is ready to run.
#[derive(Debug)]
pub struct Loaded {
    /// Its place among the desk's strategies.
    pub place: usize,
    /// The program.
    pub program: Program,
    /// What runs it.
    machine: Compiled,
    fault_stops: bool,
}

/// What a backtest of a desk runs.
#[derive(Clone, Debug)]
pub struct ToBacktest {
    /// The strategy's file.
    pub strategy: PathBuf,
    /// Its instruments: what each is called, and its key on the feed.
    pub instruments: Vec<(String, Symbol)>,
    /// Parameters that have other values than their defaults, as they are written.
    pub parameters: Vec<(String, String)>,
    /// A fault stops it.
    pub fault_stops: bool,
}

/// Where the instruments of a desk's strategies stand.
pub const INSTRUMENTS: &str = "the session's instruments with feed = true";

impl Desk {
    /// What a backtest of it runs.
    ///
    /// # Errors
    /// It has not exactly one strategy in a file; a parameter is none.
    pub fn backtest(&self) -> Result<ToBacktest, Error> {
        let files = self.strategies().filter_map(|strategy| match strategy {
            Strategy::File(file) => Some(file),
            Strategy::BestPrice(_) => None,
        });
        let files: Vec<_> = files.collect();
        let ([file], Some(session)) = (&files[..], &self.session) else {
            let fault = format!(
                "{} strategies with file: a backtest runs one; name its file with --strategy, and --symbols",
                files.len()
            );
            return Err(self.source.fault(&(0..0), fault).into());
        };
        let traded = session.get_ref().traded();
        let on_feed = traded.filter(|traded| traded.feed);
        let instruments =
            on_feed.filter_map(|traded| Some((traded.symbol.clone(), traded.key().ok()?)));
        Ok(ToBacktest {
            strategy: self.beside(file.file.get_ref()),
            instruments: instruments.collect(),
            parameters: self.parameters(file)?,
            fault_stops: file.fault_stops,
        })
    }

    /// A file, from the desk's folder.
    fn beside(&self, file: &Path) -> PathBuf {
        let folder = self.source.path.parent();
        folder.map_or_else(|| file.to_owned(), |folder| folder.join(file))
    }

    /// Parameters as they are written.
    fn parameters(&self, strategy: &StrategyFile) -> Result<Vec<(String, String)>, Error> {
        let mut set = vec![];
        for (name, value) in &strategy.parameters {
            let text = text(value.get_ref());
            let text = text.map_err(|fault| {
                let fault = format!("parameter {name}: {fault}");
                self.source.fault(&value.span(), fault)
            })?;
            set.push((name.clone(), text));
        }
        Ok(set)
    }

    /// Compiles the strategies in the language, for the instruments of this configuration.
    ///
    /// # Errors
    /// A file cannot be read, or is not in the language; parameters do not fit: file, line and column are named.
    pub fn load(&self, config: &TradingConfig) -> Result<Vec<Loaded>, Error> {
        let Some(session) = &self.session else {
            return Ok(vec![]);
        };
        let mut loaded = vec![];
        for (place, strategy) in self.strategy.iter().enumerate() {
            if let Strategy::File(file) = strategy.get_ref() {
                loaded.push(self.load_one(place, file, session.get_ref(), config)?);
            }
        }
        Ok(loaded)
    }

    fn load_one(
        &self,
        place: usize,
        strategy: &StrategyFile,
        session: &Session,
        config: &TradingConfig,
    ) -> Result<Loaded, Error> {
        let index = |traded: &Traded| {
            let symbol = traded.key().ok().filter(|_| traded.feed)?;
            let mut indices = (0..).zip(&config.instruments);
            let found = indices.find(|(_, one)| {
                one.is_some_and(|one| one.feed.is_some_and(|feed| feed.symbol == symbol))
            });
            Some((traded.symbol.clone(), found?.0))
        };
        let named = session.traded().filter_map(index).collect();
        let (program, values) = self.read(strategy, named, config.instruments.len())?;
        let machine = Compiled::new(&program, values);
        let machine = machine.map_err(|error| Error::Strategy {
            text: format!(
                "{}: {error}",
                self.beside(strategy.file.get_ref()).display()
            ),
        })?;
        Ok(Loaded {
            place,
            program,
            machine,
            fault_stops: strategy.fault_stops,
        })
    }

    /// A strategy as a core runs it: what `target` says. `symbols` are those of the statistics.
    ///
    /// # Errors
    /// As [`Desk::load`]; a core does not do all of it; it is too large for a module.
    pub fn program_in_core(
        &self,
        strategy: &StrategyFile,
        session: &Session,
        symbols: &[Option<Symbol>],
        target: Target,
    ) -> Result<InCore, Error> {
        let indices = session.indices(symbols);
        let count = indices.iter().max();
        let count = count.map_or(0, |most| usize::from(*most) + 1);
        let named = session.traded().zip(&indices);
        let named = named
            .filter(|(traded, _)| traded.feed && traded.key().is_ok())
            .map(|(traded, index)| (traded.symbol.clone(), i64::from(*index)));
        let (program, values) = self.read(strategy, named.collect(), count)?;
        let path = self.beside(strategy.file.get_ref());
        let in_core = InCore::new(program, values).map_err(|not| {
            let text = format!(
                "{}: it does not fit a core's processor; tickwire run and tickwire backtest take it\n{not}",
                path.display()
            );
            Error::Strategy { text }
        })?;
        let in_core = match target {
            Target::Processor => in_core,
            Target::Module => {
                let source = fs::read_to_string(&path).map_err(|cause| Error::Read {
                    path: path.clone(),
                    cause,
                })?;
                let module = in_core.as_module(&source);
                module.map_err(|limit| Error::Strategy {
                    text: format!("{}: {limit}", path.display()),
                })?
            }
        };
        Ok(in_core.with_fault_stops(strategy.fault_stops))
    }

    /// Compiles a strategy, and finds the values of its parameters.
    fn read(
        &self,
        strategy: &StrategyFile,
        named: Vec<(String, i64)>,
        count: usize,
    ) -> Result<(Program, Vec<i64>), Error> {
        let file = &strategy.file;
        let path = self.beside(file.get_ref());
        let decimals = self.price_scale();
        let options = Options {
            instruments: count,
            price_decimals: decimals.into(),
            ..Options::default()
        };
        let program = compile(&path, &options).map_err(|error| match error {
            Error::Read { path, cause } => {
                let fault = format!("cannot read {}: {cause}", path.display());
                self.source.fault(&file.span(), fault).into()
            }
            other => other,
        })?;
        let instruments = Instruments {
            named,
            place: INSTRUMENTS,
            decimals,
        };
        let set = self.parameters(strategy)?;
        let values = parameters::values(&program, &set, &instruments);
        let values = values.map_err(|wrong| {
            let given = wrong.parameter.and_then(|name| {
                let value = strategy.parameters.get(&name)?;
                Some((value.span(), format!("parameter {name}: {}", wrong.text)))
            });
            let (span, fault) = given.unwrap_or((file.span(), wrong.text));
            self.source.fault(&span, fault)
        })?;
        Ok((program, values))
    }

    /// The strategies in the language, ready for the pipeline. `symbols` are those of the statistics.
    ///
    /// # Errors
    /// What does not fit the session's messages.
    pub fn programs(
        session: &Spanned<Session>,
        symbols: &[Option<Symbol>],
        loaded: Vec<Loaded>,
        instruments: usize,
    ) -> Result<Programs, Error> {
        if loaded.is_empty() {
            return Ok(Programs::default());
        }
        // No message is too long for software.
        let templates = session.get_ref().templates_in_force(symbols, usize::MAX);
        let mut programs = Programs::new(templates.map_err(Error::Session)?);
        for one in loaded {
            let added = Added {
                place: one.place,
                program: &one.program,
                machine: Box::new(one.machine),
                fault_stops: one.fault_stops,
            };
            programs.add(added, instruments);
        }
        Ok(programs)
    }
}

/// Reads and compiles a strategy.
///
/// # Errors
/// The file cannot be read, or is not in the language.
pub fn compile(path: &Path, options: &Options) -> Result<Program, Error> {
    let source = fs::read_to_string(path).map_err(|cause| Error::Read {
        path: path.to_owned(),
        cause,
    })?;
    language::compile(&source, options).map_err(|messages| Error::Strategy {
        text: located(path, &messages),
    })
}

/// The messages, each with the file's name before it.
fn located(path: &Path, messages: &Messages) -> String {
    let lines = messages.0.iter();
    let lines: Vec<_> = lines
        .map(|message| format!("{}:{message}", path.display()))
        .collect();
    lines.join("\n")
}

/// A value as the command line has it.
fn text(value: &toml::Value) -> Result<String, String> {
    match value {
        toml::Value::String(text) => Ok(text.clone()),
        toml::Value::Integer(number) => Ok(number.to_string()),
        toml::Value::Boolean(truth) => Ok(truth.to_string()),
        toml::Value::Float(number) => Err(format!(
            "a number with a point is not exact: write it in quotes, \"{number}\""
        )),
        _ => Err("write a number, a text or true or false".into()),
    }
}
