//! What must hold of any arbiter, checked with nothing but sets of what arrived and what left.

use std::collections::{BTreeMap, HashSet};

use arbiter::{Delivery, Event, Mode, Output, Sink, Window};

use crate::arbiter::lines::{Arrival, Kind, Lines, State};

/// One output.
#[derive(Default)]
struct Port {
    /// Messages that left.
    left: HashSet<u64>,
    /// The message after the last that left; `None` before the first.
    end: Option<u64>,
    gap: Option<(u64, u64)>,
    gaps: u32,
    lost: u64,
    packets: u32,
}

/// Something early that has to leave on the high-reliability output.
struct Owed {
    since: u64,
    /// The time window that was set when it came.
    window: u64,
    line: usize,
    messages: u64,
    id: u64,
}

pub struct Checker<'a> {
    kind: Kind,
    lines: &'a Lines,
    slots: usize,
    idle_limit: u64,
    session: usize,
    ports: [Port; 2],
    /// By index of what was sent.
    owed: BTreeMap<usize, Owed>,
    /// What came good on each line.
    came: HashSet<(usize, usize)>,
    last: [u64; 2],
    /// What is going on.
    now: u64,
    window: Window,
    arriving: Option<Arrival>,
    /// Whether it belongs to the current session.
    current: bool,
    left_low: bool,
    flushing: bool,
    pub pushed: u32,
    pub resets: u32,
}

impl<'a> Checker<'a> {
    pub fn new(
        kind: Kind,
        lines: &'a Lines,
        slots: usize,
        idle_limit: u64,
        window: Window,
    ) -> Self {
        Self {
            kind,
            lines,
            slots,
            idle_limit,
            session: 0,
            ports: Default::default(),
            owed: BTreeMap::new(),
            came: HashSet::new(),
            last: [0; 2],
            now: 0,
            window,
            arriving: None,
            current: false,
            left_low: false,
            flushing: false,
            pushed: 0,
            resets: 0,
        }
    }

    pub fn end(&self) -> [Option<u64>; 2] {
        [self.ports[0].end, self.ports[1].end]
    }

    /// Before a packet arrives.
    pub fn arrives(&mut self, arrival: Arrival) {
        self.now = arrival.time;
        self.pushed += 1;
        self.arriving = Some(arrival);
        self.left_low = false;
        self.current = self.lines.sent[arrival.sent].session == self.session;
        if arrival.state == State::Good {
            self.came.insert((arrival.line, arrival.sent));
        }
    }

    /// After a packet has arrived.
    pub fn arrived(&mut self, before: [Option<u64>; 2]) {
        let arrival = self.arriving.take().unwrap();
        self.last[arrival.line] = arrival.time;
        if arrival.state == State::Good {
            let sent = &self.lines.sent[arrival.sent];
            let [low, high] = before.map(|end| end.is_none_or(|end| sent.id >= end));
            if self.current && low && sent.messages > 0 {
                assert!(self.left_low, "{} did not leave at once", sent.id);
            }
            let gone = self.ports[1].end.is_some_and(|end| end > sent.id);
            if self.current && high && !gone && sent.messages > 0 && !sent.too_long {
                self.owe(arrival);
            }
        }
        self.bounds();
    }

    pub fn owe(&mut self, arrival: Arrival) {
        let sent = &self.lines.sent[arrival.sent];
        let owed = Owed {
            since: arrival.time,
            window: self.window.time,
            line: arrival.line,
            messages: sent.messages,
            id: sent.id,
        };
        self.owed.entry(arrival.sent).or_insert(owed);
    }

    /// Before time passes without a packet.
    pub fn waits(&mut self, now: u64, flushing: bool) {
        self.now = now;
        self.flushing = flushing;
    }

    pub fn waited(&mut self) {
        if self.flushing {
            assert!(self.owed.is_empty(), "a flush leaves nothing behind");
        }
        self.flushing = false;
        self.bounds();
    }

    pub fn set_window(&mut self, window: Window) {
        self.window = window;
    }

    /// What still has to leave is within the window.
    fn bounds(&self) {
        let timed = self.window.mode != Mode::Count;
        let counted = self.window.mode != Mode::Time;
        for owed in self.owed.values() {
            let waited = self.now - owed.since;
            assert!(
                !timed || waited < owed.window,
                "{} waited {waited} ns of {}",
                owed.id,
                owed.window
            );
        }
        let messages: u64 = self.owed.values().map(|owed| owed.messages).sum();
        assert!(!counted || messages < self.window.count || messages == 0);
        for line in 0..2 {
            let kept = self.owed.values().filter(|owed| owed.line == line).count();
            assert!(kept < self.slots, "{kept} packets kept of line {line}");
        }
    }

    /// Whether the high-reliability output may give up what is missing.
    fn may_give_up(&self) -> bool {
        let arriving = self.arriving.filter(|arrival| arrival.state == State::Good);
        let arriving = arriving.map(|arrival| (arrival.line, &self.lines.sent[arrival.sent]));
        let ends = arriving.is_some_and(|(_, sent)| sent.end_of_session);
        let new = arriving.is_some_and(|(_, sent)| sent.session > self.session);
        let silent = |last: &u64| self.now - last >= self.idle_limit;
        let owed = self.owed.values();
        let waited = owed
            .clone()
            .any(|owed| self.now - owed.since >= owed.window)
            || self.window.time == 0;
        let new_messages = arriving.map_or(0, |(_, sent)| sent.messages);
        let messages = owed.clone().map(|owed| owed.messages).sum::<u64>() + new_messages;
        let full = (0..2).any(|line| {
            let here = arriving.is_some_and(|(arriving, _)| arriving == line);
            owed.clone().filter(|owed| owed.line == line).count() + usize::from(here) >= self.slots
        });
        let closed = match self.window.mode {
            Mode::Time => waited,
            Mode::Count => messages >= self.window.count,
            Mode::TimeAndCount => waited || messages >= self.window.count,
        };
        closed || full || ends || new || self.flushing || self.last.iter().all(silent)
    }

    fn number(&self, id: u64) -> u64 {
        let (first, base) = self.lines.sessions[self.session];
        self.kind.wrap(base + u128::from(id - first))
    }

    pub fn gaps(&self, output: usize) -> (u32, u64) {
        (self.ports[output].gaps, self.ports[output].lost)
    }

    pub fn packets(&self, output: usize) -> u32 {
        self.ports[output].packets
    }

    pub fn left(&self, output: usize) -> &HashSet<u64> {
        &self.ports[output].left
    }
}

impl Sink for Checker<'_> {
    fn packet(&mut self, delivery: Delivery<'_>) {
        let index = self
            .lines
            .sent
            .iter()
            .position(|sent| sent.payload == delivery.payload);
        let index = index.expect("nothing is invented");
        let sent = &self.lines.sent[index];
        assert!(
            self.came.contains(&(delivery.line, index)),
            "it came good on that line"
        );
        assert_eq!(delivery.sequence, sent.number);
        assert_eq!(u64::from(delivery.count), sent.messages);
        assert_eq!(delivery.end_of_session, sent.end_of_session);
        assert_eq!(sent.session, self.session, "a packet of another session");
        let high = delivery.output == Output::HighReliability;
        let port = &mut self.ports[usize::from(high)];
        port.packets += 1;
        let gap = port.gap.take();
        if let Some(end) = port.end {
            assert!(sent.id >= end, "{} leaves behind {end}", sent.id);
            if sent.id > end {
                let (from, to) = gap.expect("a gap is told");
                port.gaps += 1;
                port.lost += sent.id - end;
                assert_eq!((from, to), (self.number(end), sent.number));
            } else {
                assert_eq!(gap, None);
            }
        }
        let port = &mut self.ports[usize::from(high)];
        for message in sent.id..sent.id + sent.messages {
            assert!(port.left.insert(message), "{message} leaves twice");
        }
        port.end = Some(sent.id + sent.messages);
        if high {
            self.owed.remove(&index);
            let passed = |owed: &Owed| owed.id < sent.id + sent.messages;
            let skipped = self.owed.values().find(|owed| passed(owed));
            assert!(
                skipped.is_none(),
                "{} was here and is gone",
                skipped.unwrap().id
            );
        } else {
            assert_eq!(self.arriving.map(|arrival| arrival.sent), Some(index));
            self.left_low = true;
        }
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Gap { output, from, to } => {
                let high = output == Output::HighReliability;
                assert!(
                    !high || self.may_give_up(),
                    "{from} to {to} are given up early"
                );
                let before = self.ports[usize::from(high)].gap.replace((from, to));
                assert_eq!(before, None);
            }
            Event::SessionReset { expected } => {
                assert!(self.owed.is_empty(), "the old session is flushed first");
                self.resets += 1;
                self.session += 1;
                let arrival = self.arriving.unwrap();
                let second = &self.lines.sent[arrival.sent];
                assert_eq!(second.session, self.session);
                let of_session = |sent: &&crate::arbiter::lines::Sent| {
                    sent.session == self.session && sent.number == expected
                };
                let first = self.lines.sent.iter().find(of_session).unwrap();
                assert!(first.id <= second.id);
                for port in &mut self.ports {
                    port.end = Some(first.id);
                }
                if second.messages > 0 && !second.too_long {
                    self.owe(arrival);
                }
            }
            Event::LineSilent { line } => {
                assert!(self.now - self.last[line] >= self.idle_limit);
            }
        }
    }
}
