//! Expressions, arrays, rings and levels.

use language::event::LEVELS;
use language::program::{Binary, Expression, OfRing};

use super::{Build, DIVISION, INDEX, Words};
use crate::Limit;
use crate::graph::{Id, Node, Unit};

impl Build<'_> {
    pub(super) fn value(&mut self, expression: &Expression) -> Result<Id, Limit> {
        Ok(match expression {
            Expression::Constant(value) => self.graph.number(*value),
            Expression::Input(of) => self.graph.add(Node::Input(*of)),
            Expression::Parameter(index) => self.graph.add(Node::Parameter(*index)),
            Expression::Local(local) => self.now.locals[*local],
            Expression::Field(field) => self.now.words[self.fields[*field].first],
            Expression::Element(field, index) => {
                let index = self.value(index)?;
                self.element(self.fields[*field], index)
            }
            Expression::Ring(field, what) => self.of_ring(self.fields[*field], *what),
            Expression::PositionIn(instrument) => {
                let instrument = self.value(instrument)?;
                let inside = self.is_inside(instrument, self.program.instruments);
                let outside = self.graph.not(inside);
                self.fault(INDEX, outside);
                let position = self.graph.add(Node::Position(instrument));
                self.graph.select(inside, position, self.no)
            }
            Expression::Unary(operator, a) => {
                let a = self.value(a)?;
                self.graph.unary(*operator, a)
            }
            Expression::Binary(operator, a, b) => {
                let a = self.value(a)?;
                let b = self.value(b)?;
                let here = self.here();
                if matches!(operator, Binary::FloorDivide | Binary::Modulo) {
                    let by_zero = self.graph.binary(Binary::Equal, b, self.no, self.yes);
                    self.fault(DIVISION, by_zero);
                }
                self.graph.binary(*operator, a, b, here)
            }
            Expression::And(a, b) => {
                let a = self.value(a)?;
                let no = self.no;
                let (value, none) = self.branch(a, |build| build.value(b), |_| Ok(no))?;
                let a = self.graph.truth(a);
                self.graph.select(a, value, none)
            }
            Expression::Or(a, b) => {
                let a = self.value(a)?;
                let yes = self.yes;
                let (all, value) = self.branch(a, |_| Ok(yes), |build| build.value(b))?;
                let a = self.graph.truth(a);
                self.graph.select(a, all, value)
            }
            Expression::Select(condition, a, b) => {
                let condition = self.value(condition)?;
                let (a, b) =
                    self.branch(condition, |build| build.value(a), |build| build.value(b))?;
                let condition = self.graph.truth(condition);
                self.graph.select(condition, a, b)
            }
            Expression::Block(statements, result) => {
                self.statements(statements)?;
                self.now.locals[*result]
            }
        })
    }

    /// Whether an index is in 0 to `length` - 1.
    pub(super) fn is_inside(&mut self, index: Id, length: usize) -> Id {
        let length = self.graph.number(length as i64);
        let low = self
            .graph
            .binary(Binary::GreaterEqual, index, self.no, self.yes);
        let high = self.graph.binary(Binary::Less, index, length, self.yes);
        self.graph.both(low, high)
    }

    /// The value at an index that is inside. Of values that the handler has written, those; they are compared one after the other.
    fn read_at(&mut self, words: Words, index: Id) -> Id {
        if let Some(known) = self.graph.constant(index) {
            return usize::try_from(known)
                .ok()
                .filter(|known| *known < words.length)
                .map_or(self.no, |known| self.now.words[words.first + known]);
        }
        let mut value = self.graph.add(Node::Read {
            first: words.first,
            length: words.length,
            index,
        });
        for place in 0..words.length {
            let word = words.first + place;
            if self.graph.nodes[self.now.words[word]] != Node::Word(word) {
                let place = self.graph.number(place as i64);
                let this = self.graph.binary(Binary::Equal, index, place, self.yes);
                value = self.graph.select(this, self.now.words[word], value);
            }
        }
        value
    }

    /// Nothing is written at an index that is outside.
    pub(super) fn write_at(&mut self, words: Words, index: Id, value: Id) {
        for place in 0..words.length {
            let number = self.graph.number(place as i64);
            let this = self.graph.binary(Binary::Equal, index, number, self.yes);
            let word = words.first + place;
            let new = self.graph.select(this, value, self.now.words[word]);
            self.set_word(word, new);
        }
    }

    fn element(&mut self, words: Words, index: Id) -> Id {
        if !words.ring {
            let inside = self.is_inside(index, words.length);
            let outside = self.graph.not(inside);
            self.fault(INDEX, outside);
            let value = self.read_at(words, index);
            return self.graph.select(inside, value, self.no);
        }
        let newest = self.now.words[words.first + words.length];
        let count = self.now.words[words.first + words.length + 1];
        let low = self
            .graph
            .binary(Binary::GreaterEqual, index, self.no, self.yes);
        let high = self.graph.binary(Binary::Less, index, count, self.yes);
        let inside = self.graph.both(low, high);
        let outside = self.graph.not(inside);
        self.fault(INDEX, outside);
        let length = self.graph.number(words.length as i64);
        let sum = self.graph.binary(Binary::Add, newest, index, self.yes);
        let less = self.graph.binary(Binary::Subtract, sum, length, self.yes);
        let fits = self.graph.binary(Binary::Less, sum, length, self.yes);
        let place = self.graph.select(fits, sum, less);
        let value = self.read_at(words, place);
        self.graph.select(inside, value, self.no)
    }

    /// A ring is filled from its last place downwards.
    pub(super) fn push(&mut self, words: Words, value: Id) {
        let [newest, count, sum] = [0, 1, 2].map(|after| words.first + words.length + after);
        let [one, last, length] =
            [1, words.length as i64 - 1, words.length as i64].map(|n| self.graph.number(n));
        let yes = self.yes;
        let head = self.now.words[newest];
        let before = self.graph.binary(Binary::Subtract, head, one, yes);
        let first = self.graph.binary(Binary::Equal, head, self.no, yes);
        let place = self.graph.select(first, last, before);
        let oldest = self.read_at(words, place);
        let held = self.now.words[count];
        let room = self.graph.binary(Binary::Less, held, length, yes);
        let more = self.graph.binary(Binary::Add, held, one, yes);
        let more = self.graph.select(room, more, held);
        let change = self.graph.binary(Binary::Subtract, value, oldest, yes);
        let total = self
            .graph
            .binary(Binary::Add, self.now.words[sum], change, yes);
        self.write_at(words, place, value);
        self.set_word(newest, place);
        self.set_word(count, more);
        self.set_word(sum, total);
    }

    fn of_ring(&mut self, words: Words, what: OfRing) -> Id {
        let [count, sum] = [1, 2].map(|after| words.first + words.length + after);
        let operator = match what {
            OfRing::Count => return self.now.words[count],
            OfRing::Sum => return self.now.words[sum],
            OfRing::Minimum => Binary::Less,
            OfRing::Maximum => Binary::Greater,
        };
        // Values and whether they are there, two by two.
        let held = self.now.words[count];
        let mut values = Vec::new();
        for place in 0..words.length {
            let back = self.graph.number((words.length - 1 - place) as i64);
            let there = self.graph.binary(Binary::Less, back, held, self.yes);
            values.push((self.now.words[words.first + place], there));
        }
        while values.len() > 1 {
            let mut pairs = Vec::new();
            for pair in values.chunks(2) {
                pairs.push(match *pair {
                    [(a, a_there), (b, b_there)] => {
                        let better = self.graph.binary(operator, a, b, self.yes);
                        let b_missing = self.graph.not(b_there);
                        let better = self.graph.either(better, b_missing);
                        let first = self.graph.both(a_there, better);
                        let there = self.graph.either(a_there, b_there);
                        (self.graph.select(first, a, b), there)
                    }
                    [one, ..] => one,
                    [] => (self.no, self.no),
                });
            }
            values = pairs;
        }
        let (value, there) = values.first().copied().unwrap_or((self.no, self.no));
        self.graph.select(there, value, self.no)
    }

    /// Price, quantity and orders.
    pub(super) fn level(&mut self, side: Id, number: Id) -> [Id; 3] {
        let inside = self.is_inside(number, LEVELS);
        let outside = self.graph.not(inside);
        self.fault(INDEX, outside);
        let here = self.here();
        let when = self.graph.both(here, inside);
        [0, 1, 2].map(|member| {
            let value = self.graph.unit(Unit::Level(side, number, when), member);
            self.graph.select(inside, value, self.no)
        })
    }
}
