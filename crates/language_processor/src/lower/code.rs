//! Instructions as they are added: jumps, words for intermediate values and numbers.

use crate::instruction::{INPUTS, Instruction, NOWHERE, Operation, WORDS};

use super::Lower;

/// Where a jump goes: a place that may not be known yet.
pub(super) type Target = usize;

impl Lower<'_> {
    /// Adds an instruction; returns the word of its result.
    pub(super) fn add(&mut self, operation: Operation, to: u16, a: u16, b: u16) -> u16 {
        self.code.push(Instruction {
            operation,
            to,
            a,
            b,
        });
        self.lines.push(self.line);
        if operation.sets_flag() {
            self.flag = match operation {
                Operation::Test => Some(a),
                _ => (to != NOWHERE).then_some(to),
            };
        } else if operation.writes() && self.flag == Some(to) {
            self.flag = None;
        }
        to
    }

    pub(super) fn wait(&mut self, instructions: usize) {
        for _ in 0..instructions {
            self.add(Operation::Wait, 0, 0, 0);
        }
    }

    /// A word for an intermediate value, until the statement ends.
    pub(super) fn temporary(&mut self) -> u16 {
        let word = self.next;
        // What is too much is refused at the end.
        self.next = (self.next + 1).min(WORDS as u16 - 1);
        self.most = self.most.max(self.next);
        word
    }

    /// The word that is asked for, or else another one.
    pub(super) fn or_temporary(&mut self, to: Option<u16>) -> u16 {
        to.unwrap_or_else(|| self.temporary())
    }

    /// The word of a number.
    pub(super) fn number(&mut self, value: i64) -> u16 {
        let next = (WORDS - 2).saturating_sub(self.constants.len()) as u16;
        *self.constants.entry(value).or_insert(next)
    }

    /// What can be a second operand: inputs cannot.
    pub(super) fn second(&mut self, operand: u16) -> u16 {
        if operand < INPUTS {
            return operand;
        }
        let to = self.temporary();
        self.add(Operation::Move, to, operand, 0)
    }

    // ---- jumps

    pub(super) fn target(&mut self) -> Target {
        self.targets.push(None);
        self.targets.len() - 1
    }

    /// The place is here.
    pub(super) fn place(&mut self, target: Target) {
        self.targets[target] = Some(self.code.len());
        self.flag = None;
    }

    pub(super) fn jump(&mut self, operation: Operation, target: Target) {
        self.waiting.push((self.code.len(), target));
        self.add(operation, 0, 0, 0);
    }

    /// Writes the places into the jumps. One that is beyond the memory is refused at the end.
    pub(super) fn join(&mut self) {
        for (at, target) in self.waiting.drain(..) {
            let place = self.targets[target].unwrap_or_default();
            self.code[at].to = place.min(1023) as u16;
        }
        self.targets.clear();
    }
}
