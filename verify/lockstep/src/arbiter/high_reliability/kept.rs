//! What is kept: why it may leave, and since when it has to.

use arbiter::Mode;

use super::{Checker, SLACK, TO_LIST};
use crate::arbiter::{Design, Settings};

/// A packet of which a good copy is stored.
pub struct Kept {
    pub count: u64,
    /// Cycle and line of each copy.
    pub ends: Vec<(u64, usize)>,
    /// The least and the greatest that was set while it went to its place: it waits for one of them.
    pub time_window: (u64, u64),
    pub end_of_session: bool,
}

impl Kept {
    pub fn first(&self) -> u64 {
        self.ends[0].0
    }

    /// Whether its place may be in the store of this line.
    pub fn of_line(&self, line: usize) -> bool {
        self.ends
            .iter()
            .any(|(end, of)| *of == line && *end <= self.first() + TO_LIST.1)
    }
}

impl Checker<'_> {
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
    pub fn may_be_forced(&self, cycle: u64) -> bool {
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
        closed || crowded || self.flushing.is_some() || self.old_since().is_some()
    }

    /// Since when the first of what is kept is of an old session.
    fn old_since(&self) -> Option<u64> {
        let (id, _) = self.kept.first_key_value()?;
        let (cycle, first) = self.old?;
        (*id < first).then_some(cycle)
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
        for flushed in [self.flushing, self.old_since()].into_iter().flatten() {
            if ends[0].0 + TO_LIST.1 <= flushed {
                since.push(flushed);
            }
        }
        since.into_iter().min().map(|since| since.max(head.first()))
    }

    /// Something leaves: the output was not idle for long since it had to.
    pub fn check_prompt(&mut self, cycle: u64) -> Result<(), String> {
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
}
