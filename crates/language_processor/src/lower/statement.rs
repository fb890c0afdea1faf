//! Statements and handlers.

use language::program::{Expression, Handler, Local, Statement, StatementKind};

use crate::cost::Loop;
use crate::image::{COUNT, HEAD, Region, SUM};
use crate::instruction::{INDEX_WAITS, INDEXED, Kind, NEW_WAITS, NOWHERE, Operation, Taken};

use super::Lower;
use super::analysis::{Seen, each_in, is_repeated};

impl Lower<'_> {
    pub(super) fn handler(&mut self, handler: &Handler) {
        self.line = handler.at.line;
        self.blocks = vec![None; handler.labels];
        self.flag = None;
        self.read = vec![false; handler.locals.len()];
        let read = &mut self.read;
        each_in(&handler.body, &mut |seen| {
            if let Seen::Read(local) = seen {
                read[local] = true;
            }
        });
        self.statements(&handler.body);
        self.add(Operation::End, 0, 0, 0);
        self.join();
    }

    pub(super) fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            let (line, next) = (self.line, self.next);
            self.line = statement.at.line;
            self.statement(&statement.kind);
            (self.line, self.next) = (line, next);
        }
    }

    fn statement(&mut self, statement: &StatementKind) {
        match statement {
            StatementKind::Assign(local, value) => self.assign(self.local(*local), value),
            StatementKind::Write(field, value) => self.assign(self.fields[*field].values.at, value),
            StatementKind::WriteElement {
                field,
                index,
                value,
            } => self.write_element(self.fields[*field].values, index, value),
            StatementKind::Push(field, value) => self.push(self.fields[*field].values, value),
            StatementKind::ReadLevel { side, number, into } => {
                let [side, number] = self.values([side, number]);
                let number = self.second(number);
                self.add(Operation::Level, NOWHERE, side, number);
                let members = [Taken::Price, Taken::Quantity, Taken::Orders];
                for (local, member) in into.iter().zip(members) {
                    if self.read[*local] {
                        self.take(member, Some(self.local(*local)));
                    }
                }
            }
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => self.either(condition, then, otherwise),
            StatementKind::Loop {
                local,
                from,
                step,
                count,
                body,
            } => self.repeat(*local, *from, *step, *count, body),
            StatementKind::Block(label, body) => {
                let end = self.target();
                self.blocks[*label] = Some(end);
                self.statements(body);
                self.place(end);
            }
            StatementKind::Leave(label) => {
                if let Some(end) = self.blocks[*label] {
                    self.jump(Operation::Jump, end);
                }
            }
            StatementKind::New {
                side,
                instrument,
                price,
                quantity,
                time_in_force,
                order,
            } => {
                let none = Expression::Constant(0);
                let price_given = price.as_ref().unwrap_or(&none);
                let [instrument, price_word, quantity] =
                    self.values([instrument, price_given, quantity]);
                self.terms(price_word, quantity);
                let kind = Kind {
                    side: *side,
                    limit: price.is_some(),
                    time_in_force: *time_in_force as u8,
                };
                self.add(Operation::New, NOWHERE, instrument, kind.bits());
                if self.read[*order] {
                    self.wait(NEW_WAITS);
                    self.take(Taken::Order, Some(self.local(*order)));
                }
            }
            StatementKind::Cancel(order) => {
                let order = self.value(order);
                self.add(Operation::Cancel, NOWHERE, order, 0);
            }
            StatementKind::Replace {
                order,
                price,
                quantity,
            } => {
                let [order, price, quantity] = self.values([order, price, quantity]);
                self.terms(price, quantity);
                self.add(Operation::Replace, NOWHERE, order, 0);
            }
            StatementKind::Emit(tag, values) => {
                for value in self.list(values) {
                    self.add(Operation::Value, NOWHERE, value, 0);
                }
                self.add(Operation::Emit, u16::from(*tag), 0, 0);
            }
        }
    }

    fn terms(&mut self, price: u16, quantity: u16) {
        let quantity = self.second(quantity);
        self.add(Operation::Terms, NOWHERE, price, quantity);
    }

    fn assign(&mut self, word: u16, value: &Expression) {
        let found = self.value_to(value, Some(word));
        if found != word {
            self.add(Operation::Move, word, found, 0);
        }
    }

    fn write_element(&mut self, words: Region, index: &Expression, value: &Expression) {
        if let Some(place) = self
            .known(index)
            .and_then(|known| u16::try_from(known).ok())
            && place < words.length
        {
            return self.assign(words.at + place, value);
        }
        let [value, index] = self.values([value, index]);
        self.add(Operation::Index, words.at, index, words.length);
        self.add(Operation::Move, INDEXED, value, 0);
    }

    /// A ring's newest value stands where its oldest was, before the newest so far.
    fn push(&mut self, values: Region, value: &Expression) {
        let [head, count, sum] = [HEAD, COUNT, SUM].map(|before| values.at - before);
        let [zero, one] = [self.number(0), self.number(1)];
        let last = self.number(i64::from(values.length) - 1);
        let length = self.number(values.length.into());
        let value = self.value(value);
        let [place, more, oldest] = [(); 3].map(|()| self.temporary());
        self.add(Operation::Subtract, place, head, one);
        self.add(Operation::Equal, NOWHERE, head, zero);
        self.add(Operation::Select, place, last, place);
        self.add(Operation::Index, values.at, place, values.length);
        const { assert!(INDEX_WAITS <= 3) };
        self.add(Operation::Less, NOWHERE, count, length);
        self.add(Operation::Add, more, count, one);
        self.add(Operation::Select, count, more, count);
        self.add(Operation::Or, oldest, zero, INDEXED);
        self.add(Operation::Move, INDEXED, value, 0);
        self.add(Operation::Move, head, place, 0);
        self.add(Operation::Subtract, oldest, value, oldest);
        self.add(Operation::Add, sum, sum, oldest);
    }

    fn either(&mut self, condition: &Expression, then: &[Statement], otherwise: &[Statement]) {
        let (no, end) = (self.target(), self.target());
        let next = self.next;
        self.branch(condition, false, no);
        self.next = next;
        self.statements(then);
        if !otherwise.is_empty() {
            self.jump(Operation::Jump, end);
        }
        self.place(no);
        self.statements(otherwise);
        self.place(end);
    }

    fn repeat(&mut self, local: Local, from: i64, step: i64, count: u64, body: &[Statement]) {
        let word = self.local(local);
        if is_repeated(local, count, body) {
            let mut value = from;
            for _ in 0..count {
                let number = self.number(value);
                self.add(Operation::Move, word, number, 0);
                let outer = self.known.insert(local, value);
                self.statements(body);
                self.known.remove(&local);
                if let Some(outer) = outer {
                    self.known.insert(local, outer);
                }
                value = value.wrapping_add(step);
            }
            return;
        }
        if count == 0 {
            return;
        }
        // After the last time: where it would go on.
        let end = from.wrapping_add(step.wrapping_mul(count as i64));
        let [from, step, end] = [from, step, end].map(|value| self.number(value));
        let next = self.temporary();
        let back = self.target();
        self.add(Operation::Move, next, from, 0);
        self.place(back);
        let first = self.code.len();
        self.add(Operation::Move, word, next, 0);
        self.statements(body);
        self.add(Operation::Add, next, next, step);
        self.add(Operation::NotEqual, NOWHERE, next, end);
        self.loops.push(Loop {
            first,
            back: self.code.len(),
            count,
        });
        self.jump(Operation::JumpIf, back);
    }
}
