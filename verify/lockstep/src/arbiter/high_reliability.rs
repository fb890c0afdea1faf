//! What must hold for the high-reliability output, whatever its timing.
//!
//! It goes through what happened in order: packets end, leave from the store, are cut through. Between the end of a packet and its place in
//! the list are [`TO_LIST`] cycles; what came in between may be seen by the hardware or not.

mod kept;
mod leaving;

use std::collections::{BTreeMap, HashMap, HashSet};

use super::lines::{Arrival, Lines};
use super::low_latency::Reset;
use super::{Design, Gap, Record, Settings};
use kept::Kept;

/// From a packet's last beat to its place in the list: at least, at most.
const TO_LIST: (u64, u64) = (7, 18);

/// From the decision that a kept packet leaves to its first beat on the output.
const TO_OUTPUT: u64 = 5;

/// How many cycles the output may be idle at most while something has to leave.
pub const SLACK: u64 = 32;

/// What was found, besides that all is well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Kept packets that left.
    pub released: u64,
    /// Of them, those with a gap before.
    pub forced: u64,
    /// Packets cut through.
    pub cut_through: u64,
    /// Kept packets that had to leave right after another kept one.
    pub in_a_row: u64,
    /// Of those: idle beats before them, at most and in all.
    pub pauses: (u64, u64),
    /// Longest that the output was idle while something had to leave.
    pub idle: u64,
}

/// Checks it.
///
/// # Errors
/// What does not hold, in words.
pub fn check(lines: &Lines, record: &Record, resets: &[Reset]) -> Result<Summary, String> {
    let mut checker = Checker::new(lines, record);
    let mut events = checker.events(resets)?;
    events.sort_by_key(|(cycle, event)| (*cycle, event.order()));
    for (cycle, event) in events {
        checker
            .event(cycle, event)
            .map_err(|fault| format!("high reliability, cycle {cycle}: {fault}"))?;
    }
    checker.finish()
}

#[derive(Clone, Copy)]
enum Event {
    /// Index of an arrival.
    Ended(usize),
    Overflow(usize),
    Change(usize),
    Silent,
    Reset(Reset),
    /// Index of what was seen.
    Released(usize),
    CutThrough(usize),
    Refused(usize),
}

impl Event {
    fn order(self) -> u32 {
        match self {
            Event::Change(_) => 0,
            Event::Reset(_) | Event::Overflow(_) => 1,
            Event::Ended(_) | Event::Silent => 2,
            _ => 3,
        }
    }
}

struct Checker<'a> {
    lines: &'a Lines,
    record: &'a Record,
    by_bytes: HashMap<&'a [u8], Vec<usize>>,
    overflowed: HashSet<usize>,
    settings: (u64, Settings),
    settings_before: (u64, Settings),
    /// By id.
    kept: BTreeMap<u64, Kept>,
    /// An end of session whose number became the expected one while it was on its way to its place: it is kept, or not.
    perhaps_kept: Option<u64>,
    /// What is expected next, as an id.
    expected: Option<u64>,
    expected_since: u64,
    session: usize,
    /// First id of the session that a reset has announced.
    announced: Option<u64>,
    /// Cycle from which on a flush was under way.
    flushing: Option<u64>,
    /// Cycle from which on what has a lower id was of an old session, and had to leave.
    old: Option<(u64, u64)>,
    gaps: std::iter::Peekable<std::slice::Iter<'a, Gap>>,
    /// Decision, and what was seen, of the last that left.
    left: Option<(u64, usize, bool)>,
    summary: Summary,
}

impl<'a> Checker<'a> {
    fn new(lines: &'a Lines, record: &'a Record) -> Self {
        let mut by_bytes: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (index, original) in lines.originals.iter().enumerate() {
            by_bytes.entry(&original.bytes).or_default().push(index);
        }
        let settings = (0, lines.changes[0].settings);
        Checker {
            lines,
            record,
            by_bytes,
            overflowed: HashSet::new(),
            settings,
            settings_before: settings,
            kept: BTreeMap::new(),
            perhaps_kept: None,
            expected: None,
            expected_since: 0,
            session: 0,
            announced: None,
            flushing: None,
            old: None,
            gaps: record.high_gaps.iter().peekable(),
            left: None,
            summary: Summary::default(),
        }
    }

    fn events(&mut self, resets: &[Reset]) -> Result<Vec<(u64, Event)>, String> {
        let mut events = vec![];
        let overflows: HashSet<(u64, usize)> = self.record.overflows.iter().copied().collect();
        let mut active = [0; 2];
        let idle_limit = u64::from(self.lines.changes[0].settings.idle_limit);
        for (index, arrival) in self.lines.arrivals.iter().enumerate() {
            events.push((arrival.end, Event::Ended(index)));
            if overflows.contains(&(arrival.end + Design::ENDED, arrival.line)) {
                events.push((arrival.begin, Event::Overflow(index)));
            }
            let silent_from = active.iter().copied().max().unwrap_or(0);
            if idle_limit > 0 && arrival.begin > silent_from + idle_limit {
                events.push((silent_from + idle_limit, Event::Silent));
            }
            active[arrival.line] = arrival.end;
        }
        for index in 1..self.lines.changes.len() {
            events.push((self.lines.changes[index].cycle, Event::Change(index)));
        }
        events.extend(
            resets
                .iter()
                .map(|reset| (reset.cycle, Event::Reset(*reset))),
        );
        let mut released = self.record.released.iter().peekable();
        for (index, seen) in self.record.high.iter().enumerate() {
            let event = if released
                .next_if(|cycle| **cycle + TO_OUTPUT - 1 == seen.begin)
                .is_some()
            {
                (seen.begin - TO_OUTPUT, Event::Released(index))
            } else if seen.err {
                (seen.end - 1, Event::Refused(index))
            } else {
                (seen.end - 1, Event::CutThrough(index))
            };
            events.push(event);
        }
        match released.next() {
            Some(cycle) => Err(format!("released in cycle {cycle}, but no packet leaves")),
            None => Ok(events),
        }
    }

    fn event(&mut self, cycle: u64, event: Event) -> Result<(), String> {
        match event {
            Event::Ended(index) => self.ended(index),
            Event::Overflow(index) => return self.overflow(index),
            Event::Change(index) => {
                let change = self.lines.changes[index];
                if change.flush {
                    self.flush(cycle);
                } else {
                    self.settings_before = self.settings;
                    self.settings = (cycle, change.settings);
                    let window = u64::from(change.settings.time_window);
                    for kept in self.kept.values_mut() {
                        if kept.first() + TO_LIST.1 >= cycle {
                            let (least, most) = kept.time_window;
                            kept.time_window = (least.min(window), most.max(window));
                        }
                    }
                }
            }
            Event::Silent => self.flush(cycle),
            Event::Reset(reset) => self.reset(reset),
            Event::Released(index) => return self.released(cycle, index),
            Event::CutThrough(index) => return self.cut_through(cycle, index),
            Event::Refused(index) => return self.refused(index),
        }
        Ok(())
    }

    fn flush(&mut self, cycle: u64) {
        if !self.kept.is_empty() && self.flushing.is_none() {
            self.flushing = Some(cycle);
        }
    }

    /// The packet is good, has messages or ends the session, and found its place.
    /// Good, and not empty.
    fn counts(&self, arrival: &Arrival) -> bool {
        let original = &self.lines.originals[arrival.original];
        arrival.good
            && !self.lines.is_malformed(arrival)
            && !original.stray
            && !original.is_heartbeat()
    }

    fn found_room(&self, arrival: &Arrival, index: usize) -> bool {
        let design = self.lines.design;
        design.beats(arrival.length) <= design.beats(design.protocol().maximum)
            && !self.overflowed.contains(&index)
    }

    fn ended(&mut self, index: usize) {
        let arrival = self.lines.arrivals[index];
        let original = &self.lines.originals[arrival.original];
        let next = self.announced.or(self.expected);
        let behind = next.is_some_and(|next| original.id < next);
        if !self.counts(&arrival) || original.session != self.session || behind {
            return;
        }
        if next.is_none()
            && self
                .first_passed()
                .is_none_or(|end| end > arrival.end + TO_LIST.1)
        {
            return; // nothing is kept before a packet has passed
        }
        let found_room = self.found_room(&arrival, index);
        if original.end_of_session && (!found_room || next == Some(original.id)) {
            self.flush(arrival.end);
            return;
        }
        if !found_room {
            return;
        }
        let time_window = u64::from(self.settings.1.time_window);
        let kept = self.kept.entry(original.id).or_insert(Kept {
            count: original.count,
            ends: vec![],
            time_window: (time_window, time_window),
            end_of_session: original.end_of_session,
        });
        kept.ends.push((arrival.end, arrival.line));
        if original.end_of_session {
            self.flush(arrival.end);
        }
    }

    /// When the first good packet had left.
    fn first_passed(&self) -> Option<u64> {
        let good = self.record.high.iter().find(|seen| !seen.err);
        good.map(|seen| seen.end)
    }

    /// All slots of the line were taken when it began.
    fn overflow(&mut self, index: usize) -> Result<(), String> {
        self.overflowed.insert(index);
        let arrival = self.lines.arrivals[index];
        let kept = self
            .kept
            .values()
            .filter(|kept| kept.of_line(arrival.line))
            .count();
        // What ended last is in a slot until it is judged.
        let recent = self.lines.arrivals[..index]
            .iter()
            .rev()
            .take(64)
            .filter(|other| {
                other.line == arrival.line && other.end + TO_LIST.1 + 2 >= arrival.begin
            })
            .count();
        let leaving = usize::from(
            self.left
                .is_some_and(|(at, ..)| at + TO_OUTPUT >= arrival.begin),
        );
        if kept + recent + leaving < Design::SLOTS {
            return Err(format!(
                "{arrival:?} found no room, with {kept} kept of its line"
            ));
        }
        Ok(())
    }

    fn reset(&mut self, reset: Reset) {
        let confirming = self.lines.arrivals[reset.arrival];
        self.session = self.lines.originals[confirming.original].session;
        let session = self.session;
        let first = self.lines.originals.iter().find(|original| {
            original.session == session && original.number == reset.number && !original.stray
        });
        self.announced = first.map(|original| original.id);
        self.old = self.announced.map(|first| (reset.cycle, first));
        // It is kept, and so is what ended after it.
        let lines = self.lines;
        let since = (confirming.end, confirming.line);
        let from = lines
            .arrivals
            .partition_point(|arrival| arrival.begin + 2_000 < confirming.begin);
        for (index, arrival) in lines.arrivals.iter().enumerate().skip(from) {
            if arrival.begin > reset.cycle {
                break;
            }
            if (arrival.end, arrival.line) >= since && arrival.end < reset.cycle {
                self.ended(index);
            }
        }
    }

    fn finish(mut self) -> Result<Summary, String> {
        if let Some(gap) = self.gaps.next() {
            return Err(format!(
                "high reliability: {gap:?} with no packet behind it"
            ));
        }
        match self.kept.first_key_value() {
            Some((id, kept)) => Err(format!(
                "high reliability: id {id}, here since {}, never left",
                kept.first()
            )),
            None => Ok(self.summary),
        }
    }
}
