//! The interpreter of the intermediate form: the reference that every other target must equal. It is made to be read, not to be fast.

use std::collections::VecDeque;

use formats::Side;

use crate::event::{Event, INTENTS, Intent, LEVELS, Level, Moment, New, Outcome, Record};
use crate::machine::Machine;
use crate::program::{
    Binary, Expression, Input, Label, OfRing, Program, Shape, Statement, StatementKind,
};
use crate::value;

/// The value, or the values, of a field.
#[derive(Clone, Debug)]
enum Held {
    One(i64),
    Many(Vec<i64>),
    /// The newest first.
    Ring(VecDeque<i64>),
}

/// A program with its state, interpreted.
#[derive(Clone, Debug)]
pub struct Interpreter {
    program: Program,
    parameters: Vec<i64>,
    state: Vec<Held>,
    orders: i64,
}

impl Interpreter {
    /// The program at its start, with the values of its parameters in order, as [`crate::machine::parameters`] gives them.
    pub fn new(program: Program, parameters: Vec<i64>) -> Self {
        let held = |index: usize| match program.fields[index].shape {
            Shape::Scalar => Held::One(program.fields[index].initial),
            Shape::Ring(_) => Held::Ring(VecDeque::new()),
            Shape::Array(_) | Shape::PerInstrument => {
                Held::Many(vec![program.fields[index].initial; program.length(index)])
            }
        };
        Interpreter {
            state: (0..program.fields.len()).map(held).collect(),
            program,
            parameters,
            orders: 0,
        }
    }
}

impl Machine for Interpreter {
    fn handle(&mut self, moment: &Moment<'_>, event: &Event<'_>, outcome: &mut Outcome) {
        outcome.clear();
        let handler = match event {
            Event::Book(..) => &self.program.on_book,
            Event::Trade(_) => &self.program.on_trade,
            Event::Report(_) => &self.program.on_order,
            Event::Timer => &self.program.on_timer,
        };
        let Some(handler) = handler else { return };
        // A handler reads what it wrote itself, and nothing else runs beside it: written in place is the same as committed at its end.
        let mut run = Run {
            program: &self.program,
            parameters: &self.parameters,
            state: &mut self.state,
            orders: &mut self.orders,
            locals: vec![0; handler.locals.len()],
            inputs: inputs(moment, event),
            moment,
            event,
            outcome,
        };
        run.statements(&handler.body);
    }

    fn set_parameters(&mut self, values: &[i64]) {
        self.parameters.copy_from_slice(values);
    }

    fn state(&self) -> Vec<Vec<i64>> {
        let of = |held: &Held| match held {
            Held::One(value) => vec![*value],
            Held::Many(values) => values.clone(),
            Held::Ring(values) => values.iter().copied().collect(),
        };
        self.state.iter().map(of).collect()
    }
}

/// The value of each [`Input`]; 0 where the event does not have it.
fn inputs(moment: &Moment<'_>, event: &Event<'_>) -> [i64; Input::COUNT] {
    let mut inputs = [0; Input::COUNT];
    inputs[Input::Now as usize] = moment.now;
    inputs[Input::OpenOrders as usize] = moment.open_orders;
    match event {
        Event::Book(change, _) => {
            inputs[Input::Instrument as usize] = change.instrument.into();
            inputs[Input::Changed as usize] = change.changed.into();
            inputs[Input::Tradable as usize] = change.tradable.into();
            inputs[Input::BidPrice as usize] = change.bid.price;
            inputs[Input::BidQuantity as usize] = change.bid.quantity;
            inputs[Input::BidOrders as usize] = change.bid.orders;
            inputs[Input::AskPrice as usize] = change.ask.price;
            inputs[Input::AskQuantity as usize] = change.ask.quantity;
            inputs[Input::AskOrders as usize] = change.ask.orders;
        }
        Event::Trade(trade) => {
            inputs[Input::Instrument as usize] = trade.instrument.into();
            inputs[Input::Price as usize] = trade.price;
            inputs[Input::Quantity as usize] = trade.quantity;
            inputs[Input::Side as usize] = trade.side as i64;
        }
        Event::Report(report) => {
            inputs[Input::Kind as usize] = report.kind as i64;
            inputs[Input::Order as usize] = report.order;
            inputs[Input::Instrument as usize] = report.instrument.into();
            inputs[Input::Side as usize] = report.side as i64;
            inputs[Input::Price as usize] = report.price;
            inputs[Input::Quantity as usize] = report.quantity;
            inputs[Input::Remaining as usize] = report.remaining;
            inputs[Input::Reason as usize] = report.reason;
        }
        Event::Timer => {}
    }
    inputs
}

/// What runs after a statement.
enum Next {
    /// The one after it.
    Statement,
    /// The one after the block of this label.
    After(Label),
}

/// One run of a handler.
struct Run<'a> {
    program: &'a Program,
    parameters: &'a [i64],
    state: &'a mut Vec<Held>,
    orders: &'a mut i64,
    locals: Vec<i64>,
    inputs: [i64; Input::COUNT],
    moment: &'a Moment<'a>,
    event: &'a Event<'a>,
    outcome: &'a mut Outcome,
}

impl Run<'_> {
    fn statements(&mut self, statements: &[Statement]) -> Next {
        for statement in statements {
            if let Next::After(label) = self.statement(&statement.kind) {
                return Next::After(label);
            }
        }
        Next::Statement
    }

    fn statement(&mut self, statement: &StatementKind) -> Next {
        match statement {
            StatementKind::Assign(local, value) => self.locals[*local] = self.value(value),
            StatementKind::Write(field, value) => self.state[*field] = Held::One(self.value(value)),
            StatementKind::WriteElement {
                field,
                index,
                value,
            } => {
                let value = self.value(value);
                let index = self.value(index);
                match self.element(*field, index) {
                    Some(element) => *element = value,
                    None => self.outcome.faults.index += 1,
                }
            }
            StatementKind::Push(field, value) => {
                let value = self.value(value);
                let length = self.program.length(*field);
                if let Held::Ring(values) = &mut self.state[*field] {
                    values.push_front(value);
                    values.truncate(length);
                }
            }
            StatementKind::ReadLevel { side, number, into } => {
                let side = self.value(side);
                let number = self.value(number);
                let level = self.level(side, number);
                for (local, value) in into.iter().zip([level.price, level.quantity, level.orders]) {
                    self.locals[*local] = value;
                }
            }
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => {
                let chosen = if self.value(condition) != 0 {
                    then
                } else {
                    otherwise
                };
                return self.statements(chosen);
            }
            StatementKind::Loop {
                local,
                from,
                step,
                count,
                body,
            } => {
                let mut next = *from;
                for _ in 0..*count {
                    self.locals[*local] = next;
                    if let Next::After(label) = self.statements(body) {
                        return Next::After(label);
                    }
                    next = next.wrapping_add(*step);
                }
            }
            StatementKind::Block(label, body) => match self.statements(body) {
                Next::After(left) if left != *label => return Next::After(left),
                _ => {}
            },
            StatementKind::Leave(label) => return Next::After(*label),
            StatementKind::New {
                side,
                instrument,
                price,
                quantity,
                time_in_force,
                order,
            } => {
                let instrument = self.value(instrument);
                let price = price.as_ref().map(|price| self.value(price));
                let quantity = self.value(quantity);
                let number = *self.orders + 1;
                let sent = self.send(Intent::New(New {
                    order: number,
                    side: *side,
                    instrument,
                    price,
                    quantity,
                    time_in_force: *time_in_force,
                }));
                if sent {
                    *self.orders = number;
                }
                self.locals[*order] = if sent { number } else { 0 };
            }
            StatementKind::Cancel(order) => {
                let order = self.value(order);
                self.send(Intent::Cancel { order });
            }
            StatementKind::Replace {
                order,
                price,
                quantity,
            } => {
                let order = self.value(order);
                let price = self.value(price);
                let quantity = self.value(quantity);
                self.send(Intent::Replace {
                    order,
                    price,
                    quantity,
                });
            }
            StatementKind::Emit(tag, values) => {
                let values: Vec<i64> = values.iter().map(|value| self.value(value)).collect();
                self.outcome.records.push(Record::new(*tag, &values));
            }
        }
        Next::Statement
    }

    /// Whether there was room for it.
    fn send(&mut self, intent: Intent) -> bool {
        let room = self.outcome.intents.len() < INTENTS;
        if room {
            self.outcome.intents.push(intent);
        } else {
            self.outcome.faults.intents += 1;
        }
        room
    }

    fn value(&mut self, expression: &Expression) -> i64 {
        match expression {
            Expression::Constant(value) => *value,
            Expression::Input(input) => self.inputs[*input as usize],
            Expression::Parameter(index) => self.parameters[*index],
            Expression::Local(local) => self.locals[*local],
            Expression::Field(field) => match self.state[*field] {
                Held::One(value) => value,
                _ => 0,
            },
            Expression::Element(field, index) => {
                let index = self.value(index);
                match self.element(*field, index) {
                    Some(element) => *element,
                    None => self.no_such_index(),
                }
            }
            Expression::Ring(field, what) => match &self.state[*field] {
                Held::Ring(values) => of_ring(values, *what),
                _ => 0,
            },
            Expression::PositionIn(instrument) => {
                let instrument = self.value(instrument);
                match usize::try_from(instrument) {
                    Ok(index) if index < self.program.instruments => {
                        self.moment.positions.get(index).copied().unwrap_or(0)
                    }
                    _ => self.no_such_index(),
                }
            }
            Expression::Unary(operator, a) => value::unary(*operator, self.value(a)),
            Expression::Binary(operator, a, b) => {
                let a = self.value(a);
                let b = self.value(b);
                self.binary(*operator, a, b)
            }
            Expression::And(a, b) => {
                if self.value(a) != 0 {
                    self.value(b)
                } else {
                    0
                }
            }
            Expression::Or(a, b) => {
                if self.value(a) != 0 {
                    1
                } else {
                    self.value(b)
                }
            }
            Expression::Select(condition, then, otherwise) => {
                let chosen = if self.value(condition) != 0 {
                    then
                } else {
                    otherwise
                };
                self.value(chosen)
            }
            Expression::Block(statements, result) => {
                // A block in an expression is left at its end alone: its labels are its own.
                self.statements(statements);
                self.locals[*result]
            }
        }
    }

    fn binary(&mut self, operator: Binary, a: i64, b: i64) -> i64 {
        let (value, by_zero) = value::binary(operator, a, b);
        self.outcome.faults.division += u64::from(by_zero);
        value
    }

    fn no_such_index(&mut self) -> i64 {
        self.outcome.faults.index += 1;
        0
    }

    fn element(&mut self, field: usize, index: i64) -> Option<&mut i64> {
        let index = usize::try_from(index).ok()?;
        match &mut self.state[field] {
            Held::One(_) => None,
            Held::Many(values) => values.get_mut(index),
            Held::Ring(values) => values.get_mut(index),
        }
    }

    fn level(&mut self, side: i64, number: i64) -> Level {
        let side = if side == 0 { Side::Buy } else { Side::Sell };
        match (usize::try_from(number), self.event) {
            (Ok(number), Event::Book(_, depth)) if number < LEVELS => depth.level(side, number),
            _ => {
                self.outcome.faults.index += 1;
                Level::default()
            }
        }
    }
}

fn of_ring(values: &VecDeque<i64>, what: OfRing) -> i64 {
    match what {
        OfRing::Count => values.len() as i64,
        OfRing::Sum => values.iter().fold(0, |sum, value| sum.wrapping_add(*value)),
        OfRing::Minimum => values.iter().copied().min().unwrap_or(0),
        OfRing::Maximum => values.iter().copied().max().unwrap_or(0),
    }
}
