//! What leaves: whether it may be this, now.

use super::{Checker, Kept, TO_LIST};
use crate::arbiter::lines::Arrival;
use crate::arbiter::{Gap, Seen};

impl<'a> Checker<'a> {
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

    /// A packet of the session that a reset has announced is the first to leave: what it is counted from.
    fn enter_session(&mut self, id: u64) {
        if let Some(first) = self.announced.take_if(|first| id >= *first) {
            self.expected = Some(first);
        }
    }

    pub fn released(&mut self, cycle: u64, index: usize) -> Result<(), String> {
        let seen = &self.record.high[index];
        if seen.err {
            return Err(format!("{seen:?} leaves from the store with err"));
        }
        let original = self.original(seen)?;
        let sent = &self.lines.originals[original];
        self.check_prompt(cycle)?;
        self.enter_session(sent.id);
        // It was kept, or its number became the expected one while it was on its way.
        let perhaps = self.perhaps_kept.take_if(|id| *id == sent.id).is_some();
        if perhaps && self.expected == Some(sent.id) {
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
            // It was in its place when the one before it began to leave.
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
        let undecided = |kept: &Kept| kept.end_of_session && kept.first() + TO_LIST.1 >= cycle;
        if self.kept.get(&next).is_some_and(undecided) {
            self.kept.remove(&next);
            self.perhaps_kept = Some(next);
        }
        if self.kept.is_empty() {
            self.flushing = None;
        }
    }

    pub fn cut_through(&mut self, cycle: u64, index: usize) -> Result<(), String> {
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
        if sent.count > 0 {
            self.kept.remove(&sent.id);
        }
        self.passed(cycle, sent.id + sent.count);
        self.left = Some((cycle, index, false));
        self.summary.cut_through += 1;
        Ok(())
    }

    /// A packet that ended in err was bad, or not expected.
    pub fn refused(&self, index: usize) -> Result<(), String> {
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
}
