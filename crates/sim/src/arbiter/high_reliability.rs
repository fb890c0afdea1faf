//! What must hold of the high-reliability output, whatever its timing.
//!
//! It goes through what happened in order: packets end, leave from the store, are cut through. Between the end of a packet and its place in
//! the list are [`TO_LIST`] cycles; what came in between may be seen by the hardware or not.

use std::collections::{BTreeMap, HashMap, HashSet};

use feed::arbiter::Mode;

use super::lines::{Arrival, Lines};
use super::low_latency::Reset;
use super::{Design, Gap, Record, Seen, Settings};

/// From a packet's last beat to its place in the list: at least, at most.
const TO_LIST: (u64, u64) = (7, 16);

/// From the decision that a kept packet leaves to its first beat on the output.
const TO_OUTPUT: u64 = 5;

/// How many cycles the output may be idle at most while something has to leave.
pub const SLACK: u64 = 32;

/// What was found, besides that all is well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Kept packets that left.
    pub released: u64,
    /// Of them, those with a gap in front.
    pub forced: u64,
    /// Packets cut through.
    pub cut_through: u64,
    /// Kept packets that had to leave right behind another kept one.
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

/// A packet of which a good copy is stored.
struct Kept {
    count: u64,
    /// Cycle and line of each copy.
    ends: Vec<(u64, usize)>,
    /// The least and the greatest that was set while it went to its place: it waits for one of them.
    time_window: (u64, u64),
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
    /// What is expected next, as an id.
    expected: Option<u64>,
    expected_since: u64,
    session: usize,
    /// First id of the session that a reset has announced.
    announced: Option<u64>,
    /// Cycle from which on a flush was under way.
    flushing: Option<u64>,
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
            expected: None,
            expected_since: 0,
            session: 0,
            announced: None,
            flushing: None,
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
    fn is_stored(&self, arrival: &Arrival, index: usize) -> bool {
        let original = &self.lines.originals[arrival.original];
        let design = self.lines.design;
        arrival.good
            && !self.lines.is_malformed(arrival)
            && !original.stray
            && !original.is_heartbeat()
            && design.beats(arrival.length) <= design.beats(design.protocol().maximum)
            && !self.overflowed.contains(&index)
    }

    fn ended(&mut self, index: usize) {
        let arrival = self.lines.arrivals[index];
        let original = &self.lines.originals[arrival.original];
        let next = self.announced.or(self.expected);
        let behind = next.is_some_and(|next| original.id < next);
        if !self.is_stored(&arrival, index) || original.session != self.session || behind {
            return;
        }
        let time_window = u64::from(self.settings.1.time_window);
        let kept = self.kept.entry(original.id).or_insert(Kept {
            count: original.count,
            ends: vec![],
            time_window: (time_window, time_window),
        });
        kept.ends.push((arrival.end, arrival.line));
        if original.end_of_session {
            self.flush(arrival.end);
        }
    }

    /// Of the line's slots all were taken when it began.
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
        self.flush(reset.cycle);
        let confirming = self.lines.arrivals[reset.arrival];
        self.session = self.lines.originals[confirming.original].session;
        let session = self.session;
        let first = self.lines.originals.iter().find(|original| {
            original.session == session && original.number == reset.number && !original.stray
        });
        self.announced = first.map(|original| original.id);
        // It is kept, and so is what ended behind it.
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

    /// Which packet it is: one that may leave, if several are alike.
    fn original(&self, seen: &Seen) -> Result<usize, String> {
        let alike = self.by_bytes.get(&seen.bytes[..]);
        let alike = alike.ok_or_else(|| format!("{seen:?} was never sent"))?;
        let fits = |index: &&usize| {
            let id = self.lines.originals[**index].id;
            self.expected.is_none_or(|next| id >= next)
        };
        Ok(*alike.iter().find(fits).unwrap_or(&alike[0]))
    }

    /// The arrival of which this is, cut through.
    fn arrival_of(&self, seen: &Seen, fits: impl Fn(&Arrival) -> bool) -> Option<&'a Arrival> {
        let arrivals = &self.lines.arrivals;
        let latest = arrivals.partition_point(|arrival| arrival.begin < seen.begin);
        arrivals[..latest]
            .iter()
            .rev()
            .take_while(|arrival| seen.begin - arrival.begin <= self.lines.design.patience() + 1)
            .find(|arrival| fits(arrival) && self.lines.bytes(arrival).starts_with(&seen.bytes))
    }

    fn settings_at(&self, cycle: u64) -> impl Iterator<Item = Settings> {
        let recent = self.settings.0 + 8 >= cycle;
        [
            Some(self.settings.1),
            recent.then_some(self.settings_before.1),
        ]
        .into_iter()
        .flatten()
    }

    /// Why a gap may be left behind now.
    fn may_be_forced(&self, cycle: u64) -> bool {
        let kept = || self.kept.values();
        let in_list = |kept: &&Kept| kept.first() + TO_LIST.0 <= cycle;
        let messages: u64 = kept().filter(in_list).map(|kept| kept.count).sum();
        let crowded = (0..2).any(|line| {
            kept()
                .filter(in_list)
                .filter(|kept| kept.of_line(line))
                .count()
                >= Design::SLOTS - 1
        });
        let closed = self.settings_at(cycle).any(|settings| {
            let expired = kept().any(|kept| cycle >= kept.first() + kept.time_window.0);
            let counted = messages >= u64::from(settings.count_window);
            match settings.mode {
                Mode::Time => expired,
                Mode::Count => counted,
                Mode::TimeAndCount => expired || counted,
            }
        });
        closed || crowded || self.flushing.is_some()
    }

    /// Since when the first of what is kept has to leave.
    fn must_leave_since(&self) -> Option<u64> {
        let (id, head) = self.kept.first_key_value()?;
        let (set, settings) = self.settings;
        let mut since = vec![];
        if self.expected == Some(*id) {
            since.push(head.first().max(self.expected_since));
        }
        if settings.mode != Mode::Count {
            let deadline = |kept: &Kept| kept.first() + kept.time_window.1;
            since.extend(self.kept.values().map(|kept| deadline(kept).max(set)));
        }
        let mut ends: Vec<(u64, u64)> = self
            .kept
            .values()
            .map(|kept| (kept.first(), kept.count))
            .collect();
        ends.sort_unstable();
        if settings.mode != Mode::Time {
            let mut messages = 0;
            for (end, count) in &ends {
                messages += count;
                if messages >= u64::from(settings.count_window) {
                    since.push((*end).max(set));
                    break;
                }
            }
        }
        if let Some(flushed) = self.flushing
            && ends[0].0 + TO_LIST.1 <= flushed
        {
            since.push(flushed);
        }
        since.into_iter().min().map(|since| since.max(head.first()))
    }

    /// Something leaves: the output was not idle for long since it had to.
    fn check_prompt(&mut self, cycle: u64) -> Result<(), String> {
        let Some(since) = self.must_leave_since() else {
            return Ok(());
        };
        let since = since.max(self.left.map_or(0, |(at, ..)| at));
        if cycle <= since {
            return Ok(());
        }
        let busy: u64 = {
            let high = &self.record.high;
            let before = high.partition_point(|seen| seen.begin < cycle);
            high[..before]
                .iter()
                .rev()
                .take_while(|seen| seen.end >= since)
                .map(|seen| seen.end.min(cycle) + 1 - seen.begin.max(since))
                .sum()
        };
        let idle = (cycle - since).saturating_sub(busy);
        self.summary.idle = self.summary.idle.max(idle);
        if idle > SLACK {
            return Err(format!(
                "the first that is kept had to leave since {since}, and the output was idle for {idle} cycles"
            ));
        }
        Ok(())
    }

    /// A packet of the session that a reset has announced is the first to leave: what it is counted from.
    fn enter_session(&mut self, id: u64) {
        if let Some(first) = self.announced.take_if(|first| id >= *first) {
            self.expected = Some(first);
        }
    }

    fn released(&mut self, cycle: u64, index: usize) -> Result<(), String> {
        let seen = &self.record.high[index];
        if seen.err {
            return Err(format!("{seen:?} leaves from the store with err"));
        }
        let original = self.original(seen)?;
        let sent = &self.lines.originals[original];
        self.check_prompt(cycle)?;
        self.enter_session(sent.id);
        // The second copy of an end of session has the number that is expected, and leaves again.
        if sent.end_of_session && self.expected == Some(sent.id) {
            self.kept.remove(&sent.id);
            self.left = Some((cycle, index, true));
            return Ok(());
        }
        let Some(kept) = self.kept.get(&sent.id) else {
            return Err(format!("number {} leaves, but is not kept", sent.number));
        };
        if kept.first() + TO_LIST.0 > cycle {
            return Err(format!("number {} leaves too early", sent.number));
        }
        let in_row = self.left.filter(|(at, last, released)| {
            // It was in its place when the one in front of it began to leave.
            *released
                && kept.first() + TO_LIST.1 <= *at
                && self.expected == Some(sent.id)
                && self.lines.design.beats(self.record.high[*last].bytes.len()) >= 2
        });
        if let Some((_, last, _)) = in_row {
            let pause = seen.begin - self.record.high[last].end - 1;
            self.summary.in_a_row += 1;
            self.summary.pauses.0 = self.summary.pauses.0.max(pause);
            self.summary.pauses.1 += pause;
        }
        self.pass_over(cycle, sent.id)?;
        let lost = self.expected.filter(|next| *next != sent.id);
        if lost.is_some() && !self.may_be_forced(cycle) {
            return Err(format!("number {} is forced without a reason", sent.number));
        }
        let gap = self.gaps.next_if(|gap| gap.cycle == cycle + 1);
        match (lost, gap) {
            (None, None) => {}
            (Some(next), Some(gap))
                if gap.to == sent.number && self.distance(gap) == sent.id - next =>
            {
                self.summary.forced += 1;
            }
            _ => {
                return Err(format!(
                    "number {} leaves, id {}, {:?} is expected, and the gap that is told is {gap:?}",
                    sent.number, sent.id, self.expected
                ));
            }
        }
        self.kept.remove(&sent.id);
        self.passed(cycle, sent.id + sent.count);
        self.left = Some((cycle, index, true));
        self.summary.released += 1;
        Ok(())
    }

    fn distance(&self, gap: &Gap) -> u64 {
        self.lines.design.protocol().distance(gap.from, gap.to)
    }

    /// Nothing that is kept with a lower number is left behind.
    fn pass_over(&self, cycle: u64, id: u64) -> Result<(), String> {
        let over = self
            .kept
            .iter()
            .find(|(kept, packet)| **kept < id && packet.first() + TO_LIST.1 <= cycle);
        match over {
            Some((over, packet)) => Err(format!(
                "id {over}, here since {}, is passed over by {id}",
                packet.first()
            )),
            None => Ok(()),
        }
    }

    fn passed(&mut self, cycle: u64, next: u64) {
        self.expected = Some(next);
        self.expected_since = cycle;
        self.kept.retain(|id, _| *id >= next);
        if self.kept.is_empty() {
            self.flushing = None;
        }
    }

    fn cut_through(&mut self, cycle: u64, index: usize) -> Result<(), String> {
        let seen = &self.record.high[index];
        let original = self.original(seen)?;
        let sent = &self.lines.originals[original];
        let whole = |arrival: &Arrival| {
            arrival.good
                && arrival.length == seen.bytes.len()
                && seen.end - seen.begin == arrival.end - arrival.begin
        };
        if self.arrival_of(seen, whole).is_none() {
            return Err(format!("{seen:?} was on no line then"));
        }
        self.check_prompt(cycle)?;
        self.enter_session(sent.id);
        if self.expected.is_some_and(|next| next != sent.id) {
            return Err(format!(
                "number {}, id {}, is cut through, and {:?} is expected",
                sent.number, sent.id, self.expected
            ));
        }
        if !sent.is_heartbeat() {
            self.kept.remove(&sent.id);
        }
        self.passed(cycle, sent.id + sent.count);
        self.left = Some((cycle, index, false));
        self.summary.cut_through += 1;
        Ok(())
    }

    /// A packet that ended in err was bad, or not expected.
    fn refused(&self, index: usize) -> Result<(), String> {
        let seen = &self.record.high[index];
        let beat = self.lines.design.beat();
        let header = (self.lines.design.number_beat() as usize + 1) * beat;
        let explained = |arrival: &Arrival| {
            let sent = &self.lines.originals[arrival.original];
            let malformed = self.lines.is_malformed(arrival);
            let whole = seen.bytes.len() == arrival.length;
            let cut = seen.bytes.len() == header.min(arrival.length) && !malformed;
            let expected = self.expected == Some(sent.id) && !sent.stray;
            (whole && (malformed || !arrival.good)) || (cut && !expected)
        };
        match self.arrival_of(seen, explained) {
            Some(_) => Ok(()),
            None => Err(format!("{seen:?} should not have ended in err")),
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

impl Kept {
    fn first(&self) -> u64 {
        self.ends[0].0
    }

    /// Whether its place may be in the store of this line.
    fn of_line(&self, line: usize) -> bool {
        self.ends
            .iter()
            .any(|(end, of)| *of == line && *end <= self.first() + TO_LIST.1)
    }
}
