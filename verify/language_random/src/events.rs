//! Random events.

use formats::Side;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use language::event::{BookChange, Event, Level, Moment, Outcome, Report, ReportKind, Trade};
use language::machine::Machine;
use language::program::Program;
use language::types::Type;

/// What happens at a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A book changed; with the levels of each side, bids first.
    Book(BookChange, [Vec<Level>; 2]),
    /// A trade.
    Trade(Trade),
    /// A report.
    Report(Report),
    /// The timer.
    Timer,
    /// The host sets all parameters.
    Parameters(Vec<i64>),
}

/// An event with what goes with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The time, in ns.
    pub now: i64,
    /// How many orders of its own are open.
    pub open_orders: i64,
    /// The position in each instrument.
    pub positions: Vec<i64>,
    /// What happens.
    pub what: What,
}

impl Step {
    /// Lets it happen to a machine.
    pub fn run(&self, machine: &mut impl Machine, outcome: &mut Outcome) {
        let moment = Moment {
            now: self.now,
            open_orders: self.open_orders,
            positions: &self.positions,
        };
        match &self.what {
            What::Book(change, depth) => {
                machine.handle(&moment, &Event::Book(change, depth), outcome)
            }
            What::Trade(trade) => machine.handle(&moment, &Event::Trade(trade), outcome),
            What::Report(report) => machine.handle(&moment, &Event::Report(report), outcome),
            What::Timer => machine.handle(&moment, &Event::Timer, outcome),
            What::Parameters(values) => {
                outcome.clear();
                machine.set_parameters(values);
            }
        }
    }
}

/// Makes that many steps for a program.
pub fn steps(program: &Program, seed: u64, count: usize) -> Vec<Step> {
    let mut maker = Maker {
        random: ChaCha8Rng::seed_from_u64(seed ^ 0x5eed),
        instruments: program.instruments,
    };
    (0..count).map(|_| maker.step(program)).collect()
}

struct Maker {
    random: ChaCha8Rng,
    instruments: usize,
}

impl Maker {
    /// A number: mostly small, often at an edge.
    fn number(&mut self) -> i64 {
        match self.random.random_range(0..10) {
            0 => *[0, 1, -1, 63, 64, i64::MAX, i64::MIN]
                .get(self.random.random_range(0..7))
                .unwrap_or(&0),
            1 => self.random.random(),
            2 | 3 => self.random.random_range(-5..=5),
            _ => self.random.random_range(0..=100_000),
        }
    }

    fn side(&mut self) -> Side {
        if self.random.random() {
            Side::Buy
        } else {
            Side::Sell
        }
    }

    /// Mostly one that is there.
    fn instrument(&mut self) -> u32 {
        let beyond = u32::from(self.random.random_range(0..40) == 0) * 2;
        self.random.random_range(0..self.instruments as u32) + beyond
    }

    fn level(&mut self) -> Level {
        if self.random.random_range(0..6) == 0 {
            return Level::default();
        }
        Level {
            price: self.number(),
            quantity: self.number(),
            orders: self.random.random_range(1..=9),
        }
    }

    fn step(&mut self, program: &Program) -> Step {
        Step {
            now: self.number(),
            open_orders: self.random.random_range(0..=17),
            positions: (0..self.instruments).map(|_| self.number()).collect(),
            what: self.what(program),
        }
    }

    fn what(&mut self, program: &Program) -> What {
        match self.random.random_range(0..12) {
            0..=4 => {
                let depth = [(); 2].map(|()| {
                    (0..self.random.random_range(0..18))
                        .map(|_| self.level())
                        .collect()
                });
                let change = BookChange {
                    instrument: self.instrument(),
                    bid: self.level(),
                    ask: self.level(),
                    changed: self.random.random(),
                    tradable: self.random.random(),
                };
                What::Book(change, depth)
            }
            5 | 6 => What::Trade(Trade {
                instrument: self.instrument(),
                price: self.number(),
                quantity: self.number(),
                side: self.side(),
            }),
            7 | 8 => What::Report(self.report()),
            9 | 10 => What::Timer,
            _ => {
                let values = program
                    .parameters
                    .iter()
                    .map(|parameter| self.parameter(parameter.of))
                    .collect();
                What::Parameters(values)
            }
        }
    }

    fn report(&mut self) -> Report {
        use ReportKind::{Accepted, Cancelled, Filled, Refused, Rejected, Replaced};
        Report {
            kind: [Accepted, Filled, Cancelled, Replaced, Rejected, Refused]
                [self.random.random_range(0..6)],
            order: self.random.random_range(0..9),
            instrument: self.instrument(),
            side: self.side(),
            price: self.number(),
            quantity: self.number(),
            remaining: self.number(),
            reason: self.number(),
        }
    }

    fn parameter(&mut self, of: Type) -> i64 {
        match of {
            Type::Bool | Type::Side => self.random.random_range(0..=1),
            Type::Instrument => self.random.random_range(0..self.instruments as i64),
            Type::ReportKind => self.random.random_range(0..=5),
            _ => self.number(),
        }
    }
}
