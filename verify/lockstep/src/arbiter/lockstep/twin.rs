//! Plays a script to the twin, and finds the cycles at which its steps may happen in hardware.

use arbiter::{Arbiter, Config, Counters, Delivery, Event, Output, Sink, Window};

use super::{
    Action, Change, Design, MARGIN, QUIET, QUIET_RELEASED, Script, Settings, Slot, change,
};

/// What happened in software, and when it is to happen in hardware.
pub struct Played {
    /// Cycle of the first beat, and which step.
    pub sent: Vec<(u64, usize)>,
    pub changes: Vec<Change>,
    /// By then everything has left.
    pub until: u64,
    /// What left, by output: 0 is low latency.
    pub packets: [Vec<(Slot, Vec<u8>)>; 2],
    /// First number that is lost, and first that is not, by output.
    pub gaps: [Vec<(Slot, (u64, u64))>; 2],
    pub resets: Vec<(Slot, ())>,
    /// Which line.
    pub silences: Vec<(Slot, usize)>,
    pub counters: Counters,
}

/// The twin's configuration for the hardware's build and settings.
fn config(design: Design, settings: Settings) -> Config {
    Config {
        // The packet that is being received has a slot too.
        slots_per_line: Design::SLOTS - 1,
        window: Window {
            mode: settings.mode,
            time: settings.time_window.into(),
            count: settings.count_window.into(),
        },
        idle_limit: settings.idle_limit.into(),
        hold: Design::HOLD,
        ..Config::new(design.protocol())
    }
}

/// Plays it. At the end everything is flushed.
pub fn play(script: &Script) -> Played {
    let design = script.design;
    let mut settings = script.settings;
    let mut twin =
        Arbiter::new(config(design, settings)).expect("the designs' protocols are sound");
    let mut heard = Heard::new(design);
    let mut sent = vec![];
    let mut changes = vec![change(0, settings, false)];
    heard.at(0);
    twin.poll(0, &mut heard);
    let last = [(MARGIN, &Action::Flush)];
    let steps = script.steps.iter().map(|step| (step.pause, &step.action));
    for (index, (pause, action)) in steps.chain(last).enumerate() {
        let beats = match action {
            Action::Packet { bytes, .. } => design.beats(bytes.len()),
            _ => 1,
        };
        let begin = heard.begin(&mut twin, pause, beats);
        let end = begin + beats - 1;
        heard.close_slots(begin);
        heard.at(end);
        match action {
            Action::Packet { line, bytes, good } => {
                // What is cut through leaves while it arrives.
                heard.from = begin;
                sent.push((begin, index));
                twin.push(*line, end, bytes, *good, &mut heard);
            }
            Action::Window(window) => {
                settings.mode = window.mode;
                settings.time_window = window.time as u32;
                settings.count_window = window.count as u16;
                changes.push(change(begin, settings, false));
                twin.set_window(*window);
                twin.poll(end, &mut heard);
            }
            Action::Flush => {
                changes.push(change(begin, settings, true));
                twin.flush(end, &mut heard);
            }
        }
    }
    let until = heard.begin(&mut twin, 0, 1);
    heard.close_slots(until);
    Played {
        sent,
        changes,
        until,
        packets: heard.packets,
        gaps: heard.gaps,
        resets: heard.resets,
        silences: heard.silences,
        counters: twin.counters().clone(),
    }
}

/// What the twin gives, with its slots.
struct Heard {
    design: Design,
    /// For the event being handled.
    from: u64,
    /// From then on the hardware has finished all that was handled.
    ready: u64,
    /// When the old session is forgotten.
    forgets: Option<u64>,
    packets: [Vec<(Slot, Vec<u8>)>; 2],
    gaps: [Vec<(Slot, (u64, u64))>; 2],
    resets: Vec<(Slot, ())>,
    silences: Vec<(Slot, usize)>,
    now: u64,
}

/// Of a slot that is still open.
const OPEN: u64 = u64::MAX;

impl Heard {
    fn new(design: Design) -> Self {
        Heard {
            design,
            from: 0,
            ready: 0,
            forgets: None,
            packets: Default::default(),
            gaps: Default::default(),
            resets: vec![],
            silences: vec![],
            now: 0,
        }
    }

    fn at(&mut self, now: u64) {
        self.now = now;
        self.from = now;
        self.ready = self.ready.max(now + QUIET);
    }

    /// When a step of so many beats may begin: all that came before is over, and no window ends meanwhile or soon after it.
    fn begin(&mut self, twin: &mut Arbiter, pause: u64, beats: u64) -> u64 {
        let mut begin = self.ready + pause;
        loop {
            let end = begin + beats - 1;
            if let Some(deadline) = twin.deadline().filter(|at| *at <= end + MARGIN) {
                self.at(deadline.max(self.now));
                twin.poll(self.now, self);
                begin = begin.max(self.ready);
            } else if let Some(at) = self.forgets
                && end.abs_diff(at) < MARGIN
            {
                begin += 2 * MARGIN;
            } else {
                return begin;
            }
        }
    }

    /// The next step begins.
    fn close_slots(&mut self, until: u64) {
        self.packets.iter_mut().for_each(|list| close(list, until));
        self.gaps.iter_mut().for_each(|list| close(list, until));
        close(&mut self.resets, until);
        close(&mut self.silences, until);
    }

    fn slot(&self) -> Slot {
        Slot {
            from: self.from,
            until: OPEN,
        }
    }
}

fn close<T>(list: &mut [(Slot, T)], until: u64) {
    let open = |entry: &&mut (Slot, T)| entry.0.until == OPEN;
    list.iter_mut()
        .rev()
        .take_while(open)
        .for_each(|(slot, _)| slot.until = until);
}

impl Sink for Heard {
    fn packet(&mut self, delivery: Delivery<'_>) {
        let output = usize::from(delivery.output == Output::HighReliability);
        self.packets[output].push((self.slot(), delivery.payload.to_vec()));
        if output == 1 {
            // It may come from the store.
            self.ready += self.design.beats(delivery.payload.len()) + QUIET_RELEASED;
        }
    }

    fn event(&mut self, event: Event) {
        let slot = self.slot();
        match event {
            Event::Gap { output, from, to } => {
                self.gaps[usize::from(output == Output::HighReliability)].push((slot, (from, to)));
            }
            Event::SessionReset { .. } => {
                self.resets.push((slot, ()));
                self.forgets = Some(self.now + Design::HOLD);
            }
            Event::LineSilent { line } => self.silences.push((slot, line)),
        }
    }
}
