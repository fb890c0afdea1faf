//! The most cycles of a handler: the longest way through its instructions.

use crate::instruction::{Instruction, JUMP, Operation, START};

/// A loop: its first instruction, the one that jumps back to it, how often it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    pub first: usize,
    pub back: usize,
    pub count: u64,
}

/// Cycles, and how often the book is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cost {
    pub cycles: u64,
    pub levels: u64,
}

impl Cost {
    const fn and(self, other: Cost) -> Cost {
        Cost {
            cycles: self.cycles.saturating_add(other.cycles),
            levels: self.levels.saturating_add(other.levels),
        }
    }

    const fn times(self, count: u64) -> Cost {
        Cost {
            cycles: self.cycles.saturating_mul(count),
            levels: self.levels.saturating_mul(count),
        }
    }

    fn most(self, other: Cost) -> Cost {
        Cost {
            cycles: self.cycles.max(other.cycles),
            levels: self.levels.max(other.levels),
        }
    }
}

/// Cycles from this instruction to the next one that runs, if it does not jump.
pub(crate) fn step(instruction: &Instruction) -> Cost {
    let unit = instruction.operation.unit_cycles();
    Cost {
        cycles: unit.map_or(1, |unit| unit + JUMP),
        levels: (instruction.operation == Operation::Level).into(),
    }
}

/// Cycles from a jump to where it goes.
pub(crate) fn jump(from: usize, to: usize) -> u64 {
    match to.checked_sub(from) {
        Some(distance @ 1..) => (distance as u64).min(JUMP),
        _ => JUMP,
    }
}

/// From a handler's event to its end. `loops`: inner ones before those around them.
pub(crate) fn handler(code: &[Instruction], first: usize, loops: &[Loop]) -> Cost {
    let inner: Vec<_> = loops.iter().collect();
    let start = Cost {
        cycles: START,
        levels: 0,
    };
    start.and(longest(code, first, code.len(), &inner))
}

/// The longest way from `first` to the end, before `end`. A jump that leaves a loop counts as if that had run as often as it may.
fn longest(code: &[Instruction], first: usize, end: usize, loops: &[&Loop]) -> Cost {
    let mut reached = vec![None::<Cost>; end + 1];
    reached[first] = Some(Cost::default());
    let reach = |reached: &mut Vec<Option<Cost>>, to: usize, cost: Cost| {
        let to = to.min(end);
        reached[to] = Some(reached[to].map_or(cost, |before| before.most(cost)));
    };
    let mut at = first;
    let mut most = Cost::default();
    while at < end {
        let Some(so_far) = reached[at] else {
            at += 1;
            continue;
        };
        most = most.most(so_far);
        // The outermost loop that begins here and is not the one that is being looked at.
        let around = loops
            .iter()
            .filter(|inner| inner.first == at && inner.back < end)
            .max_by_key(|inner| inner.back);
        if let Some(around) =
            around.filter(|around| (around.first, around.back + 1) != (first, end))
        {
            let inside: Vec<_> = loops
                .iter()
                .copied()
                .filter(|inner| inner.first >= at && inner.back <= around.back && inner != around)
                .collect();
            let once = longest(code, at, around.back + 1, &inside);
            let back = Cost {
                cycles: JUMP,
                levels: 0,
            };
            let all = so_far.and(once.and(back).times(around.count));
            for (from, instruction) in code.iter().enumerate().take(around.back).skip(at) {
                let to = usize::from(instruction.to);
                if instruction.operation.jumps() && to > around.back {
                    let left = Cost {
                        cycles: jump(from, to),
                        levels: 0,
                    };
                    reach(&mut reached, to, all.and(left));
                }
            }
            reach(&mut reached, around.back + 1, all);
            at = around.back + 1;
            continue;
        }
        let instruction = &code[at];
        let next = so_far.and(step(instruction));
        if instruction.operation == Operation::End {
            most = most.most(next);
            at += 1;
            continue;
        }
        if instruction.operation.jumps() {
            let to = usize::from(instruction.to);
            if to > at {
                let gone = Cost {
                    cycles: jump(at, to),
                    levels: 0,
                };
                reach(&mut reached, to, so_far.and(gone));
            }
        }
        if instruction.operation != Operation::Jump {
            reach(&mut reached, at + 1, next);
        }
        at += 1;
    }
    reached[end].map_or(most, |cost| most.most(cost))
}
