//! A handler as a graph: every value once, chosen where there are two.

use std::collections::HashMap;

use language::program::{Binary, Input, Unary};
use language::value;

/// A value, by its place in [`Graph::nodes`].
pub type Id = usize;

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A number.
    Constant(i64),
    /// An input of the event.
    Input(Input),
    /// A parameter.
    Parameter(usize),
    /// A word of the state, as it was before the event.
    Word(usize),
    /// A value of an array as it was before the event: the words from `first` on, of which `index` is one.
    Read {
        /// The array's first word.
        first: usize,
        /// How many it has.
        length: usize,
        /// Which.
        index: Id,
    },
    /// The position in an instrument that is there.
    Position(Id),
    /// How many orders the strategy has numbered.
    Orders,
    /// An operator of one value.
    Unary(Unary, Id),
    /// An operator of two values that is worked out at once.
    Binary(Binary, Id, Id),
    /// The second if the first is not 0, else the third.
    Select(Id, Id, Id),
    /// What a unit gives, and which of its members.
    Unit(usize, usize),
}

/// What takes more than a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A product, and whether it is needed.
    Multiply(Id, Id, Id),
    /// A quotient, a rest or a shift, and whether it is needed.
    Divide(Binary, Id, Id, Id),
    /// A level: which side, which number, and whether it is asked for.
    Level(Id, Id, Id),
}

impl Unit {
    /// What it is given: the last says whether it is needed.
    pub const fn operands(&self) -> [Id; 3] {
        match *self {
            Unit::Multiply(a, b, when) | Unit::Divide(_, a, b, when) | Unit::Level(a, b, when) => {
                [a, b, when]
            }
        }
    }
}

/// A graph under construction.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The values, each after those that it is made of.
    pub nodes: Vec<Node>,
    /// The line that each is for.
    pub lines: Vec<u32>,
    /// The units.
    pub units: Vec<Unit>,
    known: HashMap<Node, Id>,
    known_units: HashMap<Unit, usize>,
    /// The line of what is added now.
    pub line: u32,
}

impl Graph {
    /// An empty one; `line`: that of what is added first.
    pub fn new(line: u32) -> Self {
        Graph {
            line,
            ..Graph::default()
        }
    }

    /// The value of a node, which is added if it is new.
    pub fn add(&mut self, node: Node) -> Id {
        if let Some(id) = self.known.get(&node) {
            return *id;
        }
        let id = self.nodes.len();
        self.nodes.push(node);
        self.lines.push(self.line);
        self.known.insert(node, id);
        id
    }

    /// A number.
    pub fn number(&mut self, value: i64) -> Id {
        self.add(Node::Constant(value))
    }

    /// The number that a value always is.
    pub fn constant(&self, id: Id) -> Option<i64> {
        match self.nodes[id] {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Whether a value is always 0 or 1, and one bit holds it.
    pub fn is_bool(&self, id: Id) -> bool {
        match self.nodes[id] {
            Node::Constant(value) => matches!(value, 0 | 1),
            Node::Unary(Unary::Not, _) | Node::Input(Input::Changed | Input::Tradable) => true,
            Node::Binary(operator, a, b) => {
                is_comparison(operator)
                    || (matches!(operator, Binary::And | Binary::Or | Binary::Xor)
                        && self.is_bool(a)
                        && self.is_bool(b))
            }
            Node::Select(_, a, b) => self.is_bool(a) && self.is_bool(b),
            _ => false,
        }
    }

    /// 1 if a value is not 0.
    pub fn truth(&mut self, a: Id) -> Id {
        if self.is_bool(a) {
            return a;
        }
        let zero = self.number(0);
        self.add(Node::Binary(Binary::NotEqual, a, zero))
    }

    /// `not a`.
    pub fn not(&mut self, a: Id) -> Id {
        match self.nodes[a] {
            Node::Constant(value) => self.number((value == 0).into()),
            Node::Unary(Unary::Not, inner) if self.is_bool(inner) => inner,
            _ => self.add(Node::Unary(Unary::Not, a)),
        }
    }

    /// Both, of two that are 0 or 1.
    pub fn both(&mut self, a: Id, b: Id) -> Id {
        match (self.constant(a), self.constant(b)) {
            (Some(0), _) | (_, Some(0)) => self.number(0),
            (Some(_), _) => b,
            (_, Some(_)) => a,
            _ if a == b => a,
            _ => self.add(Node::Binary(Binary::And, a, b)),
        }
    }

    /// One of them, of two that are 0 or 1.
    pub fn either(&mut self, a: Id, b: Id) -> Id {
        match (self.constant(a), self.constant(b)) {
            (Some(0), _) => b,
            (_, Some(0)) => a,
            (Some(_), _) | (_, Some(_)) => self.number(1),
            _ if a == b => a,
            _ => self.add(Node::Binary(Binary::Or, a, b)),
        }
    }

    /// One of two.
    pub fn select(&mut self, condition: Id, a: Id, b: Id) -> Id {
        if a == b {
            return a;
        }
        if let Some(known) = self.constant(condition) {
            return if known != 0 { a } else { b };
        }
        if self.is_bool(condition) {
            match (self.constant(a), self.constant(b)) {
                (Some(1), Some(0)) => return condition,
                (Some(0), Some(1)) => return self.not(condition),
                (Some(0), _) if self.is_bool(b) => {
                    let not = self.not(condition);
                    return self.both(not, b);
                }
                (_, Some(0)) if self.is_bool(a) => return self.both(condition, a),
                (Some(1), _) if self.is_bool(b) => return self.either(condition, b),
                _ => {}
            }
        }
        self.add(Node::Select(condition, a, b))
    }

    /// An operator of one value.
    pub fn unary(&mut self, operator: Unary, a: Id) -> Id {
        if let Some(known) = self.constant(a) {
            return self.number(value::unary(operator, known));
        }
        match operator {
            Unary::Not => self.not(a),
            _ => self.add(Node::Unary(operator, a)),
        }
    }

    /// An operator of two values. Division by zero gives 0. `when`: whether the value is needed, if a unit works it out.
    pub fn binary(&mut self, operator: Binary, a: Id, b: Id, when: Id) -> Id {
        if let (Some(a), Some(b)) = (self.constant(a), self.constant(b)) {
            return self.number(value::binary(operator, a, b).0);
        }
        let known = self.constant(b);
        let power = known.filter(|known| *known > 0 && known & (known - 1) == 0);
        match (operator, power, known) {
            (Binary::And, ..) if self.is_bool(a) && self.is_bool(b) => self.both(a, b),
            (Binary::Or, ..) if self.is_bool(a) && self.is_bool(b) => self.either(a, b),
            (Binary::FloorDivide | Binary::Modulo, _, Some(0)) => self.number(0),
            // A shift by a number that is known is wires.
            (Binary::Multiply, Some(power), _) => {
                let by = self.number(power.trailing_zeros().into());
                self.add(Node::Binary(Binary::ShiftLeft, a, by))
            }
            (Binary::FloorDivide, Some(power), _) => {
                let by = self.number(power.trailing_zeros().into());
                self.add(Node::Binary(Binary::ShiftRight, a, by))
            }
            (Binary::Modulo, Some(power), _) => {
                let mask = self.number(power - 1);
                self.add(Node::Binary(Binary::And, a, mask))
            }
            (Binary::ShiftLeft, _, Some(by)) if !(0..64).contains(&by) => self.number(0),
            (Binary::ShiftRight, _, Some(by)) if !(0..64).contains(&by) => {
                let by = self.number(63);
                self.add(Node::Binary(Binary::ShiftRight, a, by))
            }
            (Binary::Multiply, ..) => self.unit(Unit::Multiply(a, b, when), 0),
            (Binary::FloorDivide | Binary::Modulo, ..) => {
                self.unit(Unit::Divide(operator, a, b, when), 0)
            }
            (Binary::ShiftLeft | Binary::ShiftRight, _, None) => {
                self.unit(Unit::Divide(operator, a, b, when), 0)
            }
            _ => self.add(Node::Binary(operator, a, b)),
        }
    }

    /// A member of what a unit gives.
    pub fn unit(&mut self, unit: Unit, member: usize) -> Id {
        let place = *self.known_units.entry(unit).or_insert_with(|| {
            self.units.push(unit);
            self.units.len() - 1
        });
        self.add(Node::Unit(place, member))
    }
}

/// Whether an operator gives a bool.
pub const fn is_comparison(operator: Binary) -> bool {
    use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(
        operator,
        Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual
    )
}
