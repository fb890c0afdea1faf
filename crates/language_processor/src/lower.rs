//! From the intermediate form to instructions.

mod analysis;
mod code;
mod expression;
mod statement;

use std::collections::{BTreeMap, HashMap};

use language::program::{Local, Program, Shape};
use thiserror::Error;

use crate::cost::{self, Loop};
use crate::image::{COUNT, Entry, HEAD, Image, Placed, Region, SUM, handlers};
use crate::instruction::{INSTRUCTIONS, Instruction, NOWHERE, WORDS};

use code::Target;

/// What does not fit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Limit {
    /// State, parameters, constants and locals need more words than there are.
    #[error(
        "state, parameters, numbers and names need {0} words, and the data memory has {most}: shorten arrays and rings", most = WORDS - 1
    )]
    Words(usize),
    /// The handlers have too many instructions.
    #[error(
        "the handlers have {0} instructions, and the program memory has room for {most}: use loops and shorter helper methods", most = INSTRUCTIONS
    )]
    Instructions(usize),
    /// A handler takes too long.
    #[error(
        "{handler} takes up to {cycles} cycles, and the budget is {budget}: raise it, or do less in the handler"
    )]
    Budget {
        /// The handler.
        handler: &'static str,
        /// Its cycles.
        cycles: u64,
        /// What is allowed.
        budget: u64,
    },
}

/// Makes a program of the processor. `budget`: the most cycles that a handler may take, if the book answers at once.
///
/// # Errors
/// It does not fit into the processor's memories, or a handler takes longer.
pub fn lower(program: &Program, budget: u64) -> Result<Image, Limit> {
    let mut lower = Lower::new(program)?;
    let mut entries = [None; 4];
    for (entry, (_, handler)) in entries.iter_mut().zip(handlers(program)) {
        if let Some(handler) = handler {
            let at = lower.code.len();
            lower.handler(handler);
            *entry = Some(at);
        }
    }
    let used = lower.used();
    if used >= WORDS {
        return Err(Limit::Words(used));
    }
    if lower.code.len() > INSTRUCTIONS {
        return Err(Limit::Instructions(lower.code.len()));
    }
    let mut image = lower.image();
    for ((entry, at), (handler, _)) in image.entries.iter_mut().zip(entries).zip(handlers(program))
    {
        let Some(at) = at else { continue };
        let cost = cost::handler(&lower.code, at, &lower.loops);
        if cost.cycles > budget {
            return Err(Limit::Budget {
                handler,
                cycles: cost.cycles,
                budget,
            });
        }
        *entry = Some(Entry {
            at: at as u16,
            cycles: cost.cycles,
            levels: cost.levels,
        });
    }
    Ok(image)
}

/// A program that is being made.
struct Lower<'a> {
    program: &'a Program,
    code: Vec<Instruction>,
    lines: Vec<u32>,
    line: u32,
    loops: Vec<Loop>,
    /// Numbers in the data memory, from its end downwards.
    constants: BTreeMap<i64, u16>,
    parameters: Region,
    positions: Region,
    reads_positions: bool,
    fields: Vec<Placed>,
    names: Vec<(u16, String)>,
    /// The first word of the locals.
    locals: u16,
    /// The next word for an intermediate value, and the first that none ever used.
    next: u16,
    most: u16,
    /// Jumps whose places are not known yet, and the places.
    targets: Vec<Option<usize>>,
    waiting: Vec<(usize, Target)>,
    /// The ends of the handler's blocks.
    blocks: Vec<Option<Target>>,
    /// The word whose truth the flag has.
    flag: Option<u16>,
    /// Locals whose value is known here: variables of loops without jumps.
    known: HashMap<Local, i64>,
    /// Locals that the handler reads.
    read: Vec<bool>,
}

impl<'a> Lower<'a> {
    /// Gives parameters, positions and state their words.
    fn new(program: &'a Program) -> Result<Self, Limit> {
        let mut names = Vec::new();
        let mut at = 0_usize;
        let take = |at: &mut usize, length: usize| {
            let region = Region {
                at: (*at).min(WORDS) as u16,
                length: length.min(WORDS) as u16,
            };
            *at = at.saturating_add(length);
            region
        };
        let parameters = take(&mut at, program.parameters.len());
        let named = program.parameters.iter().enumerate();
        names.extend(named.map(|(place, parameter)| (place as u16, parameter.name.clone())));
        let positions = take(&mut at, program.instruments);
        let mut fields = Vec::new();
        for (index, field) in program.fields.iter().enumerate() {
            let ring = matches!(field.shape, Shape::Ring(_));
            if ring {
                let words = take(&mut at, HEAD as usize);
                for (before, name) in [(HEAD, "newest"), (COUNT, "count"), (SUM, "sum")] {
                    let word = words.at + HEAD - before;
                    names.push((word, format!("{}.{name}", field.name)));
                }
            }
            let values = take(&mut at, program.length(index));
            match field.shape {
                Shape::Scalar => names.push((values.at, field.name.clone())),
                _ => names.extend((0..values.length).map(|place| {
                    (
                        values.at.saturating_add(place),
                        format!("{}[{place}]", field.name),
                    )
                })),
            }
            fields.push(Placed { values, ring });
        }
        names.extend((0..positions.length).map(|place| {
            (
                positions.at.saturating_add(place),
                format!("position[{place}]"),
            )
        }));
        let locals = handlers(program)
            .iter()
            .filter_map(|(_, handler)| handler.map(|handler| handler.locals.len()))
            .max()
            .unwrap_or(0);
        let first = at;
        at = at.saturating_add(locals);
        if at >= WORDS {
            return Err(Limit::Words(at));
        }
        Ok(Lower {
            program,
            code: Vec::new(),
            lines: Vec::new(),
            line: 0,
            loops: Vec::new(),
            constants: BTreeMap::new(),
            parameters,
            positions,
            reads_positions: false,
            fields,
            names,
            locals: first as u16,
            next: at as u16,
            most: at as u16,
            targets: Vec::new(),
            waiting: Vec::new(),
            blocks: Vec::new(),
            flag: None,
            known: HashMap::new(),
            read: Vec::new(),
        })
    }

    /// How many words it needs.
    fn used(&self) -> usize {
        usize::from(self.most) + self.constants.len()
    }

    fn image(&self) -> Image {
        let mut data = vec![0; WORDS];
        for (value, at) in &self.constants {
            data[usize::from(*at)] = *value;
        }
        for (field, placed) in self.program.fields.iter().zip(&self.fields) {
            let first = usize::from(placed.values.at);
            if !placed.ring {
                data[first..first + usize::from(placed.values.length)].fill(field.initial);
            }
        }
        let mut names = self.names.clone();
        names.extend((self.locals..self.most).map(|at| (at, format!("t{}", at - self.locals))));
        names.extend(
            self.constants
                .iter()
                .map(|(value, at)| (*at, value.to_string())),
        );
        names.push((NOWHERE, "-".into()));
        names.sort();
        Image {
            every: self.program.every.unwrap_or_default(),
            name: self.program.name.clone(),
            instructions: self.code.clone(),
            lines: self.lines.clone(),
            data,
            entries: [None; 4],
            parameters: self.parameters,
            positions: self.positions,
            reads_positions: self.reads_positions,
            each_change: self.program.each_change,
            fields: self.fields.clone(),
            names,
        }
    }
}
