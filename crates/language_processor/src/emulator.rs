//! The processor in software: the twin of `rtl/strategy/processor`. It is made to be read, not to be fast.

use formats::Side;
use language::event::{
    Event, INTENTS, Intent, LEVELS, Level, Moment, New, Outcome, Record, VALUES,
};
use language::machine::Machine;
use language::program::Binary;
use language::{slot, value};

use crate::cost;
use crate::image::{COUNT, HEAD, Image};
use crate::instruction::{
    INDEXED, INPUTS, Instruction, JUMP, Kind, NOWHERE, Operation, START, Taken,
};

/// The processor with a program.
#[derive(Clone, Debug)]
pub struct Emulator {
    image: Image,
    data: Vec<i64>,
    orders: i64,
    cycles: u64,
    levels: u64,
}

impl Emulator {
    /// The program at its start, with the values of its parameters in order.
    pub fn new(image: Image, parameters: &[i64]) -> Self {
        let mut emulator = Emulator {
            data: image.data.clone(),
            image,
            orders: 0,
            cycles: 0,
            levels: 0,
        };
        emulator.set_parameters(parameters);
        emulator
    }

    /// The cycles of the last event, from it to its handler's end, without those in which the book answered; 0: it has no handler.
    pub const fn cycles(&self) -> u64 {
        self.cycles
    }

    /// How often the last event's handler asked the book for a level.
    pub const fn levels(&self) -> u64 {
        self.levels
    }

    /// The program.
    pub const fn image(&self) -> &Image {
        &self.image
    }
}

/// Inputs of the event and of the units.
const ALL_INPUTS: usize = Taken::Orders as usize + 1;

/// The state of a run.
struct Run<'a> {
    inputs: [i64; ALL_INPUTS],
    event: &'a Event<'a>,
    outcome: &'a mut Outcome,
    flag: bool,
    /// The word that `index` found.
    found: Option<usize>,
    terms: (i64, i64),
    values: Vec<i64>,
}

impl Machine for Emulator {
    fn handle(&mut self, moment: &Moment<'_>, event: &Event<'_>, outcome: &mut Outcome) {
        outcome.clear();
        (self.cycles, self.levels) = (0, 0);
        let Some(entry) = self.image.entries[slot::handler(event)] else {
            return;
        };
        let positions = self.image.positions;
        for place in 0..usize::from(positions.length) {
            let position = moment.positions.get(place).copied();
            self.data[usize::from(positions.at) + place] = position.unwrap_or(0);
        }
        let mut all_inputs = [0; ALL_INPUTS];
        all_inputs[..slot::INPUTS].copy_from_slice(&slot::inputs(moment, event));
        let mut run = Run {
            inputs: all_inputs,
            event,
            outcome,
            flag: false,
            found: None,
            terms: (0, 0),
            values: Vec::new(),
        };
        self.cycles = START;
        let mut at = usize::from(entry.at);
        while let Some(instruction) = self.image.instructions.get(at).copied() {
            if instruction.operation == Operation::End {
                self.cycles += 1;
                return;
            }
            let goes = match instruction.operation {
                Operation::Jump => true,
                Operation::JumpIf => run.flag,
                Operation::JumpUnless => !run.flag,
                _ => false,
            };
            if goes {
                let to = usize::from(instruction.to);
                self.cycles += cost::jump(at, to);
                at = to;
                continue;
            }
            self.cycles += cost::step(&instruction).cycles;
            self.levels += u64::from(instruction.operation == Operation::Level);
            self.step(&instruction, &mut run);
            at += 1;
        }
    }

    fn set_parameters(&mut self, values: &[i64]) {
        let first = usize::from(self.image.parameters.at);
        self.data[first..first + values.len()].copy_from_slice(values);
    }

    fn state(&self) -> Vec<Vec<i64>> {
        state(&self.image, &self.data)
    }
}

/// The state, out of the data memory.
pub fn state(image: &Image, data: &[i64]) -> Vec<Vec<i64>> {
    let of = |placed: &crate::image::Placed| {
        let first = usize::from(placed.values.at);
        let length = usize::from(placed.values.length);
        let values = &data[first..first + length];
        if !placed.ring {
            return values.to_vec();
        }
        let head = data[first - usize::from(HEAD)] as usize;
        let count = data[first - usize::from(COUNT)] as usize;
        (0..count)
            .map(|age| values[(head + age) % length])
            .collect()
    };
    image.fields.iter().map(of).collect()
}

impl Emulator {
    fn step(&mut self, instruction: &Instruction, run: &mut Run<'_>) {
        let Instruction {
            operation,
            to,
            a: first,
            b: second,
        } = *instruction;
        let a = match first.checked_sub(INPUTS) {
            Some(input) => run.inputs.get(usize::from(input)).copied().unwrap_or(0),
            None => self.data[usize::from(first)],
        };
        let b = match second {
            INDEXED => run.found.map_or(0, |found| self.data[found]),
            _ => self.data.get(usize::from(second)).copied().unwrap_or(0),
        };
        let of = |operator| value::binary(operator, a, b).0;
        if operation.sets_flag() {
            run.flag = match operation {
                Operation::Test => a != 0,
                Operation::Equal => a == b,
                Operation::NotEqual => a != b,
                Operation::Less => a < b,
                Operation::GreaterEqual => a >= b,
                Operation::Greater => a > b,
                _ => a <= b,
            };
        }
        let result = match operation {
            Operation::Move => a,
            Operation::Add => of(Binary::Add),
            Operation::Subtract => of(Binary::Subtract),
            Operation::And => a & b,
            Operation::Or => a | b,
            Operation::Xor => a ^ b,
            Operation::Half => a >> 1,
            Operation::Select if run.flag => a,
            Operation::Select => b,
            _ => i64::from(run.flag),
        };
        if operation.writes() && to != NOWHERE {
            match to {
                INDEXED => {
                    if let Some(found) = run.found {
                        self.data[found] = result;
                    }
                }
                _ => self.data[usize::from(to)] = result,
            }
        }
        match operation {
            Operation::Index => {
                let inside = (0..i64::from(second)).contains(&a);
                run.found = inside.then(|| usize::from(to) + a as usize);
                run.outcome.faults.index += u64::from(!inside);
            }
            Operation::Multiply => run.inputs[Taken::Product as usize] = of(Binary::Multiply),
            Operation::Divide | Operation::Modulo => {
                let operator = match operation {
                    Operation::Divide => Binary::FloorDivide,
                    _ => Binary::Modulo,
                };
                run.inputs[Taken::Quotient as usize] = of(operator);
                run.outcome.faults.division += u64::from(b == 0);
            }
            Operation::ShiftLeft => run.inputs[Taken::Quotient as usize] = of(Binary::ShiftLeft),
            Operation::ShiftRight => run.inputs[Taken::Quotient as usize] = of(Binary::ShiftRight),
            Operation::Level => {
                let level = run.level(a, b).unwrap_or_else(|| {
                    // It is not asked for.
                    self.levels -= 1;
                    run.outcome.faults.index += 1;
                    Level::default()
                });
                run.inputs[Taken::Price as usize..].copy_from_slice(&[
                    level.price,
                    level.quantity,
                    level.orders,
                ]);
            }
            Operation::Terms => run.terms = (a, b),
            Operation::New => {
                let kind = Kind::of(second);
                let order = self.orders + 1;
                let sent = run.send(Intent::New(New {
                    order,
                    side: kind.side,
                    instrument: a,
                    price: kind.limit.then_some(run.terms.0),
                    quantity: run.terms.1,
                    time_in_force: slot::time_in_force(kind.time_in_force),
                }));
                if sent {
                    self.orders = order;
                }
                run.inputs[Taken::Order as usize] = if sent { order } else { 0 };
            }
            Operation::Cancel => {
                run.send(Intent::Cancel { order: a });
            }
            Operation::Replace => {
                run.send(Intent::Replace {
                    order: a,
                    price: run.terms.0,
                    quantity: run.terms.1,
                });
            }
            Operation::Value if run.values.len() < VALUES => run.values.push(a),
            Operation::Emit => {
                run.outcome.records.push(Record::new(to as u8, &run.values));
                run.values.clear();
            }
            _ => {}
        }
    }
}

impl Run<'_> {
    fn send(&mut self, intent: Intent) -> bool {
        let room = self.outcome.intents.len() < INTENTS;
        if room {
            self.outcome.intents.push(intent);
        } else {
            self.outcome.faults.intents += 1;
        }
        room
    }

    /// `None`: there is none of that number.
    fn level(&self, side: i64, number: i64) -> Option<Level> {
        let side = if side == 0 { Side::Buy } else { Side::Sell };
        let number = usize::try_from(number).ok();
        match (number.filter(|number| *number < LEVELS), self.event) {
            (Some(number), Event::Book(_, depth)) => Some(depth.level(side, number)),
            _ => None,
        }
    }
}

const _: () = assert!(JUMP == 5);
