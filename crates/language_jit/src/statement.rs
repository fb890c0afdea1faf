//! Statements.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use formats::Side;
use language::event::{INTENTS as MOST_INTENTS, LEVELS};
use language::program::{Expression, Local, Statement, StatementKind};

use crate::call::read_level;
use crate::memory::{
    COUNT, FIRST_INTENT, FIRST_RECORD, HEAD, INSTRUMENT, INTENT_WORDS, KIND, KIND_CANCEL,
    KIND_LIMIT, KIND_MARKET, KIND_REPLACE, ORDER, ORDERS, PRICE, QUANTITY, RECORD_WORDS, SIDE,
    SLOTS, SUM, TIME_IN_FORCE,
};
use crate::translate::Translator;

impl Translator<'_> {
    /// Whether what follows them is ever reached.
    pub(crate) fn statements(&mut self, statements: &[Statement]) -> bool {
        statements
            .iter()
            .all(|statement| self.statement(&statement.kind))
    }

    fn statement(&mut self, statement: &StatementKind) -> bool {
        match statement {
            StatementKind::Assign(local, value) => {
                let value = self.value(value);
                self.builder.def_var(self.locals[*local], value);
            }
            StatementKind::Write(field, value) => {
                let value = self.value(value);
                self.store(self.state, self.layout.fields[*field].word, value);
            }
            StatementKind::WriteElement {
                field,
                index,
                value,
            } => self.write_element(*field, index, value),
            StatementKind::Push(field, value) => self.push(*field, value),
            StatementKind::ReadLevel { side, number, into } => self.read_level(side, number, into),
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => return self.choice(condition, then, otherwise),
            StatementKind::Loop {
                local,
                from,
                step,
                count,
                body,
            } => self.repeat(*local, (*from, *step), *count, body),
            StatementKind::Block(label, body) => return self.block_of(*label, body),
            StatementKind::Leave(label) => {
                if let Some(end) = self.ends[*label] {
                    self.jump(end);
                }
                return false;
            }
            StatementKind::New { .. } => self.new_order(statement),
            StatementKind::Cancel(order) => {
                let order = self.value(order);
                self.send(&[(ORDER, order)], KIND_CANCEL);
            }
            StatementKind::Replace {
                order,
                price,
                quantity,
            } => {
                let order = self.value(order);
                let price = self.value(price);
                let quantity = self.value(quantity);
                self.send(
                    &[(ORDER, order), (PRICE, price), (QUANTITY, quantity)],
                    KIND_REPLACE,
                );
            }
            StatementKind::Emit(tag, values) => self.emit(*tag, values),
        }
        true
    }

    fn write_element(&mut self, field: usize, index: &Expression, value: &Expression) {
        let value = self.value(value);
        let index = self.value(index);
        let place = self.layout.fields[field];
        let base = self.place_of(place.word);
        let valid = self.in_range(index, place.length);
        let (write, after) = (self.block(), self.block());
        self.fault_unless(valid);
        self.branch(valid, write, after);
        self.builder.switch_to_block(write);
        let address = self.at_index(base, index);
        self.store(address, 0, value);
        self.jump(after);
        self.builder.switch_to_block(after);
    }

    /// The newest value takes the place of the oldest. Slots that were never written hold 0, so the sum loses nothing by them.
    fn push(&mut self, field: usize, value: &Expression) {
        let value = self.value(value);
        let place = self.layout.fields[field];
        let head = self.load(self.state, place.word + HEAD);
        let next = self.builder.ins().iadd_imm_s(head, 1);
        let zero = self.number(0);
        let length = self.number(place.length as i64);
        let wraps = self.builder.ins().icmp(IntCC::Equal, next, length);
        let head = self.builder.ins().select(wraps, zero, next);
        self.store(self.state, place.word + HEAD, head);
        let slots = self.place_of(place.word + SLOTS);
        let slot = self.at_index(slots, head);
        let oldest = self.load(slot, 0);
        self.store(slot, 0, value);
        let sum = self.load(self.state, place.word + SUM);
        let sum = self.builder.ins().isub(sum, oldest);
        let sum = self.builder.ins().iadd(sum, value);
        self.store(self.state, place.word + SUM, sum);
        let count = self.load(self.state, place.word + COUNT);
        let more = self.builder.ins().iadd_imm_s(count, 1);
        let full = self.builder.ins().icmp(IntCC::Equal, count, length);
        let count = self.builder.ins().select(full, count, more);
        self.store(self.state, place.word + COUNT, count);
    }

    fn read_level(&mut self, side: &Expression, number: &Expression, into: &[Local; 3]) {
        let side = self.value(side);
        let number = self.value(number);
        let valid = self.in_range(number, LEVELS);
        self.fault_unless(valid);
        let (read, after) = (self.block(), self.block());
        let zero = self.number(0);
        for local in into {
            self.builder.def_var(self.locals[*local], zero);
        }
        self.branch(valid, read, after);
        self.builder.switch_to_block(read);
        let function = self.number(read_level as *const () as i64);
        let address = self.builder.ins().stack_addr(types::I64, self.level, 0);
        let depth = self.depth;
        self.builder
            .ins()
            .call_indirect(self.of_level, function, &[depth, side, number, address]);
        for (word, local) in into.iter().enumerate() {
            let value = self.load(address, word);
            self.builder.def_var(self.locals[*local], value);
        }
        self.jump(after);
        self.builder.switch_to_block(after);
    }

    fn choice(
        &mut self,
        condition: &Expression,
        then: &[Statement],
        otherwise: &[Statement],
    ) -> bool {
        let condition = self.value(condition);
        let (yes, no, after) = (self.block(), self.block(), self.block());
        self.branch(condition, yes, no);
        let mut reached = false;
        for (block, body) in [(yes, then), (no, otherwise)] {
            self.builder.switch_to_block(block);
            if self.statements(body) {
                reached = true;
                self.jump(after);
            }
        }
        if reached {
            self.builder.switch_to_block(after);
        }
        reached
    }

    fn repeat(&mut self, local: Local, (from, step): (i64, i64), count: u64, body: &[Statement]) {
        // A counter of its own: the body may assign the loop's variable.
        let left = self.builder.declare_var(types::I64);
        let next = self.builder.declare_var(types::I64);
        let (all, first) = (self.number(count as i64), self.number(from));
        self.builder.def_var(left, all);
        self.builder.def_var(next, first);
        let (head, inside, after) = (self.block(), self.block(), self.block());
        self.jump(head);
        self.builder.switch_to_block(head);
        let remaining = self.builder.use_var(left);
        self.branch(remaining, inside, after);
        self.builder.switch_to_block(inside);
        let value = self.builder.use_var(next);
        self.builder.def_var(self.locals[local], value);
        if self.statements(body) {
            let remaining = self.builder.use_var(left);
            let remaining = self.builder.ins().iadd_imm_s(remaining, -1);
            self.builder.def_var(left, remaining);
            let value = self.builder.use_var(next);
            let value = self.builder.ins().iadd_imm_s(value, step);
            self.builder.def_var(next, value);
            self.jump(head);
        }
        self.builder.switch_to_block(after);
    }

    fn block_of(&mut self, label: usize, body: &[Statement]) -> bool {
        let end = self.block();
        self.ends[label] = Some(end);
        if self.statements(body) {
            self.jump(end);
        }
        self.builder.switch_to_block(end);
        true
    }

    fn new_order(&mut self, statement: &StatementKind) {
        let StatementKind::New {
            side,
            instrument,
            price,
            quantity,
            time_in_force,
            order,
        } = statement
        else {
            return;
        };
        let instrument = self.value(instrument);
        let price = price.as_ref().map(|price| self.value(price));
        let quantity = self.value(quantity);
        let side = self.number(if *side == Side::Buy { 0 } else { 1 });
        let time_in_force = self.number(*time_in_force as i64);
        let before = self.load(self.state, ORDERS);
        let number = self.builder.ins().iadd_imm_s(before, 1);
        let mut words = vec![
            (ORDER, number),
            (SIDE, side),
            (INSTRUMENT, instrument),
            (QUANTITY, quantity),
            (TIME_IN_FORCE, time_in_force),
        ];
        words.extend(price.map(|price| (PRICE, price)));
        let room = self.send(
            &words,
            if price.is_some() {
                KIND_LIMIT
            } else {
                KIND_MARKET
            },
        );
        let zero = self.number(0);
        let given = self.builder.ins().select(room, number, zero);
        self.builder.def_var(self.locals[*order], given);
        let sent = self.builder.ins().select(room, number, before);
        self.store(self.state, ORDERS, sent);
    }

    /// Writes an intent if there is room; returns whether there was.
    fn send(&mut self, words: &[(usize, Value)], kind: i64) -> Value {
        let count = self.builder.use_var(self.counters.intents);
        let room = self.in_range(count, MOST_INTENTS);
        let none = self.builder.ins().bxor_imm_s(room, 1);
        self.count(self.counters.dropped, none);
        let (write, after) = (self.block(), self.block());
        self.branch(room, write, after);
        self.builder.switch_to_block(write);
        let base = self.entry(count, FIRST_INTENT, INTENT_WORDS);
        let kind = self.number(kind);
        self.store(base, KIND, kind);
        for (word, value) in words {
            self.store(base, *word, *value);
        }
        self.jump(after);
        self.builder.switch_to_block(after);
        self.count(self.counters.intents, room);
        room
    }

    /// The address of an entry of a table in the output.
    fn entry(&mut self, number: Value, first: usize, words: usize) -> Value {
        let bytes = self.builder.ins().imul_imm_s(number, words as i64 * 8);
        let table = self.builder.ins().iadd_imm_s(self.output, first as i64 * 8);
        self.builder.ins().iadd(table, bytes)
    }

    /// The checker has worked out how many records there are at most, and the output has room for them.
    fn emit(&mut self, tag: u8, values: &[Expression]) {
        let values: Vec<Value> = values.iter().map(|value| self.value(value)).collect();
        let count = self.builder.use_var(self.counters.records);
        let base = self.entry(count, FIRST_RECORD, RECORD_WORDS);
        let (tag, length, one) = (
            self.number(tag.into()),
            self.number(values.len() as i64),
            self.number(1),
        );
        self.store(base, 0, tag);
        self.store(base, 1, length);
        for (word, value) in values.into_iter().enumerate() {
            self.store(base, 2 + word, value);
        }
        self.count(self.counters.records, one);
    }
}
