//! How long each line has been silent.

/// When something came last on each line.
#[derive(Clone, Debug)]
pub(super) struct Silence {
    limit: u64,
    /// Lines that never sent anything count as silent from the first look.
    started: bool,
    lines: Vec<Heard>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Heard {
    last: u64,
    reported: bool,
}

impl Silence {
    pub fn new(lines: usize, limit: u64) -> Self {
        Self {
            limit,
            started: false,
            lines: vec![Heard::default(); lines],
        }
    }

    pub fn heard(&mut self, line: usize, now: u64) {
        self.lines[line] = Heard {
            last: now,
            reported: false,
        };
    }

    /// Reports the lines that have become silent, once each; returns whether all are.
    #[inline]
    pub fn poll(&mut self, now: u64, mut report: impl FnMut(usize)) -> bool {
        if !self.started {
            self.started = true;
            self.lines.iter_mut().for_each(|line| line.last = now);
        }
        let mut all = true;
        for (index, line) in self.lines.iter_mut().enumerate() {
            if !line.reported && self.limit > 0 && now.saturating_sub(line.last) >= self.limit {
                line.reported = true;
                report(index);
            }
            all &= line.reported;
        }
        all
    }

    /// When the next line will have been silent too long.
    pub fn deadline(&self) -> Option<u64> {
        let speaking = self
            .lines
            .iter()
            .filter(|line| self.started && self.limit > 0 && !line.reported);
        speaking
            .map(|line| line.last.saturating_add(self.limit))
            .min()
    }
}
