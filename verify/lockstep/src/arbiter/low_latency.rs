//! What the low-latency output does, to the cycle, and when a session is reset: the rules, with the pipeline of `session_tracker`.

use std::collections::VecDeque;

use arbiter::{NEAR, Protocol};

use super::lines::{Arrival, Lines};
use super::{Design, Gap, Seen};

/// From a session reset on, for so many cycles, the beat that comes is the last of its packet.
const CUT: u64 = 3;

/// A session reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reset {
    /// Cycle of the pulse.
    pub cycle: u64,
    /// The lower of the two numbers.
    pub number: u64,
    /// Which packet confirmed it.
    pub arrival: usize,
}

/// The expected behaviour of the hardware.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // as in `Record` and `Totals`
pub struct Expected {
    pub low: Vec<Seen>,
    pub low_gaps: Vec<Gap>,
    pub resets: Vec<Reset>,
    pub passed: [u64; 2],
    pub refused: [u64; 2],
    pub missed: [u64; 2],
    pub bad: [u64; 2],
    pub malformed: [u64; 2],
    pub far: [u64; 2],
    pub stale: [u64; 2],
    /// Good packets that were the first of their number, and in their turn, and how many cycles each took to the output.
    pub first_latency: Vec<u64>,
}

/// The output on these lines.
pub fn expected(lines: &Lines) -> Expected {
    let mut model = Model {
        lines,
        number_beat: lines.design.number_beat(),
        patience: lines.design.patience(),
        pause: lines.design.pause(),
        passed: None,
        paused_until: 0,
        cut_until: 0,
        now: 0,
        expected: None,
        expected_before: None,
        waiting: [None; 2],
        b_first: false,
        late_end: [0; 2],
        last_right: 0,
        active: None,
        tracker: Tracker::new(lines.design),
        out: Expected::default(),
    };
    let mut next = 0;
    while next < lines.arrivals.len() || model.is_busy() {
        if !model.is_busy() {
            model.now = lines.arrivals[next].begin;
        }
        let mut begin = [None; 2];
        while let Some(arrival) = lines.arrivals.get(next) {
            if arrival.begin != model.now {
                break;
            }
            begin[arrival.line] = Some(next);
            next += 1;
        }
        model.cycle(begin);
        model.now += 1;
    }
    model.out
}

/// The packet that is being let through.
#[derive(Clone, Copy)]
struct Active {
    arrival: usize,
    /// Cycles that it waited.
    late: u64,
}

/// A good packet whose last beat was let through.
#[derive(Clone, Copy)]
struct Passed {
    line: usize,
    late: u64,
    number: u64,
    next: u64,
}

struct Model<'a> {
    lines: &'a Lines,
    number_beat: u64,
    /// How long a packet waits for the output.
    patience: u64,
    /// How long none begins after one that passed.
    pause: u64,
    paused_until: u64,
    /// What was on its way at a session reset is cut off: it was compared with the old number.
    cut_until: u64,
    now: u64,
    /// A packet passed in the cycle before.
    passed: Option<Passed>,
    expected: Option<u64>,
    /// In the cycle before: with that a packet is compared that was let through late.
    expected_before: Option<u64>,
    /// By line: began while the output was busy.
    waiting: [Option<usize>; 2],
    /// Of two that wait, B began first.
    b_first: bool,
    /// By line: the cycle after a packet that was let through late.
    late_end: [u64; 2],
    last_right: usize,
    active: Option<Active>,
    tracker: Tracker,
    out: Expected,
}

impl Model<'_> {
    fn is_busy(&self) -> bool {
        self.active.is_some()
            || self.passed.is_some()
            || self.waiting != [None; 2]
            || self.tracker.is_busy()
    }

    fn arrival(&self, index: usize) -> &Arrival {
        &self.lines.arrivals[index]
    }

    fn cycle(&mut self, begin: [Option<usize>; 2]) {
        for index in begin.into_iter().flatten() {
            let arrival = *self.arrival(index);
            if arrival.good && !self.lines.is_malformed(&arrival) {
                let number = self.lines.originals[arrival.original].number;
                let ended = Ended {
                    number,
                    line: arrival.line,
                    arrival: index,
                };
                self.tracker.ending[arrival.line].push_back((arrival.end + Design::ENDED, ended));
            } else if arrival.good {
                self.out.malformed[arrival.line] += 1;
            }
        }
        // After a packet that was let through late its line is a cycle behind: what begins then waits.
        let begins: [Option<usize>; 2] =
            std::array::from_fn(|line| begin[line].filter(|_| self.late_end[line] != self.now));
        let passed = self.passed.take();
        if passed.is_some() {
            self.paused_until = self.now + self.pause;
        }
        if self.active.is_none() && self.now >= self.paused_until {
            self.choose(begins);
        }
        let chosen = self.active.map(|active| active.arrival);
        for index in begin.into_iter().flatten() {
            if Some(index) != chosen {
                let line = self.arrival(index).line;
                if self.waiting[line].replace(index).is_some() {
                    self.out.missed[line] += 1;
                }
            }
        }
        for line in 0..2 {
            if let Some(index) = self.waiting[line]
                && self.now - self.arrival(index).begin >= self.patience
            {
                self.waiting[line] = None;
                self.out.missed[line] += 1;
            }
        }
        self.b_first = match begins {
            [Some(_), Some(_)] => self.last_right == 1,
            [Some(_), None] => true,
            [None, Some(_)] => false,
            [None, None] => self.b_first,
        };
        let restart = self.tracker.restart.take();
        if restart.is_some() {
            self.cut_until = self.now + CUT;
        }
        self.passed = self.let_through();
        self.expected_before = self.expected;
        self.tracker.cycle(self.now, self.expected, &mut self.out);
        if let Some(passed) = passed {
            self.take(passed);
        }
        if let Some(number) = restart {
            self.expected = Some(number);
        }
    }

    /// Of those that wait the one that began first; if none waits, of those that begin. Of two that began together the line that was right.
    fn choose(&mut self, begins: [Option<usize>; 2]) {
        let first = match (self.waiting, begins) {
            ([Some(a), Some(b)], _) => Some(if self.b_first { b } else { a }),
            ([None, None], [Some(a), Some(b)]) => Some([a, b][self.last_right]),
            ([None, None], [a, b]) => a.or(b),
            ([a, b], _) => a.or(b),
        };
        let Some(index) = first else { return };
        let arrival = *self.arrival(index);
        if self.waiting[arrival.line] == Some(index) {
            self.waiting[arrival.line] = None;
        }
        self.active = Some(Active {
            arrival: index,
            late: self.now - arrival.begin,
        });
    }

    fn leave(&mut self, line: usize, late: u64) {
        self.active = None;
        if late > 0 {
            self.late_end[line] = self.now + 1;
        }
    }

    fn take(&mut self, passed: Passed) {
        self.out.passed[passed.line] += 1;
        self.last_right = passed.line;
        match self.expected {
            // It is found a cycle after the packet has passed, and reported in the next.
            Some(from) if from != passed.number => self.out.low_gaps.push(Gap {
                cycle: self.now + 2,
                from,
                to: passed.number,
            }),
            _ => self.out.first_latency.push(passed.late + 1),
        }
        self.expected = Some(passed.next);
    }

    /// The packet that is on its way, in this cycle; whether it ends now and is good.
    fn let_through(&mut self) -> Option<Passed> {
        let active = self.active?;
        let arrival = *self.arrival(active.arrival);
        let (begin, end) = (arrival.begin + active.late, arrival.end + active.late);
        let protocol = self.lines.design.protocol();
        let original = &self.lines.originals[arrival.original];
        let malformed = self.lines.is_malformed(&arrival);
        let bytes = self.lines.bytes(&arrival);
        let seen = |bytes: &[u8], end: u64, err: bool| Seen {
            begin: begin + 1,
            end: end + 1,
            bytes: bytes.to_vec(),
            err,
        };
        let expected = match active.late {
            0 => self.expected,
            _ => self.expected_before,
        };
        // Near at or past what is expected, or it contains that.
        let wanted = |expected| {
            protocol.distance(expected, original.number) < NEAR
                || protocol.distance(original.number, expected) < original.count
        };
        let refused =
            !malformed && self.now == begin + self.number_beat && !expected.is_none_or(wanted);
        if refused || self.now < self.cut_until {
            let upto = (self.now - begin + 1) as usize * self.lines.design.beat();
            self.out
                .low
                .push(seen(&bytes[..upto.min(bytes.len())], self.now, true));
            self.out.refused[arrival.line] += 1;
            self.leave(arrival.line, active.late);
            return None;
        }
        if self.now < end {
            return None;
        }
        self.leave(arrival.line, active.late);
        let good = arrival.good && !malformed;
        self.out.low.push(seen(bytes, end, !good));
        if !good {
            self.out.bad[arrival.line] += 1;
            return None;
        }
        Some(Passed {
            line: arrival.line,
            late: active.late,
            number: original.number,
            next: protocol.next(original.number, original.count as u32),
        })
    }
}

/// A packet that ended.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Ended {
    number: u64,
    line: usize,
    arrival: usize,
}

/// Looks at one packet that ended at a time, A's first, every second cycle; every fourth where comparisons take two (8 bits).
struct Tracker {
    protocol: Protocol,
    /// By line, with the cycle after its end.
    ending: [VecDeque<(u64, Ended)>; 2],
    waits: [Option<Ended>; 2],
    compared: Option<Ended>,
    /// Where comparisons take two cycles: between them and the judgement.
    delayed: Option<(Ended, [bool; 4])>,
    pipelined: bool,
    /// What was expected a cycle ago, which is what it compares with.
    expected_before: Option<u64>,
    /// Near what is expected, ahead of the candidate, behind it, of the old session.
    judged: Option<(Ended, [bool; 4])>,
    candidate: Option<u64>,
    previous: Option<(u64, u64)>,
    /// In this cycle.
    restart: Option<u64>,
}

impl Tracker {
    fn new(design: Design) -> Self {
        Tracker {
            protocol: design.protocol(),
            ending: Default::default(),
            waits: [None; 2],
            compared: None,
            delayed: None,
            pipelined: design.beat() == 1,
            expected_before: None,
            judged: None,
            candidate: None,
            previous: None,
            restart: None,
        }
    }

    fn is_busy(&self) -> bool {
        self.ending.iter().any(|line| !line.is_empty())
            || self.waits != [None; 2]
            || self.compared.is_some()
            || self.delayed.is_some()
            || self.judged.is_some()
            || self.restart.is_some()
    }

    fn cycle(&mut self, now: u64, expected: Option<u64>, out: &mut Expected) {
        let before = std::mem::replace(&mut self.expected_before, expected);
        let was_idle = self.compared.is_none()
            && (!self.pipelined || (self.delayed.is_none() && self.judged.is_none()));
        if let Some((ended, [near, ahead, behind, old])) = self.judged.take()
            && let Some(expected) = expected
            && !near
        {
            if old {
                out.stale[ended.line] += 1;
            } else {
                out.far[ended.line] += 1;
                match self.candidate {
                    Some(candidate) if ahead || behind => {
                        let lower = if ahead { candidate } else { ended.number };
                        self.restart = Some(lower);
                        out.resets.push(Reset {
                            cycle: now + 1,
                            number: lower,
                            arrival: ended.arrival,
                        });
                        let later = u64::from(self.pipelined);
                        let left = if self.pipelined {
                            expected
                        } else {
                            before.unwrap_or(expected)
                        };
                        self.previous = Some((left, now + 1 + later + Design::HOLD));
                        self.candidate = None;
                    }
                    _ => self.candidate = Some(ended.number),
                }
            }
        }
        self.judged = self.delayed.take();
        if let Some(ended) = self.compared.take() {
            let number = ended.number;
            let near = |from, to| self.protocol.distance(from, to) < NEAR;
            let both = |other: u64| near(other, number) || near(number, other);
            let flags = [
                expected.is_none() || before.is_some_and(both),
                self.candidate.is_some_and(|other| near(other, number)),
                self.candidate.is_some_and(|other| near(number, other)),
                self.previous
                    .is_some_and(|(other, until)| now < until && both(other)),
            ];
            let result = if self.pipelined {
                &mut self.delayed
            } else {
                &mut self.judged
            };
            *result = Some((ended, flags));
        }
        if was_idle {
            self.compared = match &mut self.waits {
                [a @ Some(_), _] => a.take(),
                [_, b] => b.take(),
            };
        }
        for line in 0..2 {
            while let Some(&(cycle, ended)) = self.ending[line].front()
                && cycle <= now
            {
                self.ending[line].pop_front();
                self.waits[line] = Some(ended);
            }
        }
    }
}
