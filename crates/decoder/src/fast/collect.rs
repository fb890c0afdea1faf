//! Fields to events: what listens to the FAST decoder.

use ::fast::{Error, ErrorCode, Field, Templates, Value, Visitor};
use formats::{Event, FeedInfo, Head, Listener, Symbol};

use super::entry::Entry;
use super::fault::{Counters, Fault};
use super::map::{Map, MapError};
use super::plan::{Member, Plan, plans};
use crate::count;

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It is good: its events were given.
    Good,
    /// It is not what the templates say.
    Malformed(
        /// The first error.
        ErrorCode,
    ),
    /// An entry of it is not what the map says.
    Faulty(
        /// What is wrong with the first that is.
        Fault,
    ),
    /// All of it has been there before.
    Old,
}

/// What is known of the packet that is being decoded.
#[derive(Clone, Copy, Debug, Default)]
struct Packet {
    error: Option<ErrorCode>,
    first: Option<u64>,
    next: u64,
    messages: u32,
    unmapped: u32,
    ignored: u32,
    foreign: u32,
}

/// Collects the events of packets from the callbacks of [`fast::Decoder`](::fast::Decoder), and gives them at the packet's end.
///
/// Nothing is allocated once it has seen the packet with most events.
#[derive(Clone, Debug)]
pub struct Collector {
    plans: Vec<Option<Plan>>,
    scales: (u8, u8),
    /// The template of the message; `None`: it is not in the map.
    template: Option<usize>,
    /// What the message says, and what the entry says.
    message: Entry,
    entry: Entry,
    /// Sequences that are open, and dynamic references.
    depth: u32,
    references: u32,
    /// The open sequence is that whose entries are events.
    in_entries: bool,
    events: Vec<Event>,
    /// Entries of the packet that are not what the map says, and whose they are (`Entry::symbol`).
    faulty: Vec<(Option<Option<Symbol>>, Fault)>,
    packet: Packet,
    /// The number of the next message; `None`: none has come.
    expected: Option<u64>,
    counters: Counters,
}

impl Collector {
    /// For these templates.
    ///
    /// # Errors
    /// The map names templates or fields that are not there, or fields of another type than it needs.
    pub fn new(templates: &Templates, map: &Map) -> Result<Self, MapError> {
        let blank = Entry::new(Event::new(formats::Kind::Status, 0));
        Ok(Collector {
            plans: plans(map, templates)?,
            scales: (map.price_scale, map.quantity_scale),
            template: None,
            message: blank,
            entry: blank,
            depth: 0,
            references: 0,
            in_entries: false,
            events: Vec::new(),
            faulty: Vec::new(),
            packet: Packet::default(),
            expected: None,
            counters: Counters::default(),
        })
    }

    /// The packet is over: gives its events if it is good, and begins the next.
    pub fn finish(&mut self, listener: &mut impl Listener) -> Cause {
        let mut packet = std::mem::take(&mut self.packet);
        // Of others nothing is missed.
        self.faulty.retain(|(symbol, _)| {
            symbol.is_none_or(|symbol| listener.is_ours(symbol)) || {
                count(&mut packet.foreign);
                false
            }
        });
        let cause = self.judge(&packet);
        if cause == Cause::Good {
            self.give(&packet, listener);
        }
        self.events.clear();
        self.faulty.clear();
        cause
    }

    /// The packet has come before, and was not decoded again.
    pub(super) fn old(&mut self) -> Cause {
        count(&mut self.counters.fast_old);
        Cause::Old
    }

    fn judge(&mut self, packet: &Packet) -> Cause {
        let counters = &mut self.counters;
        if let Some(code) = packet.error {
            counters.count_error(code);
            return Cause::Malformed(code);
        }
        if let Some(&(_, fault)) = self.faulty.first() {
            counters.count(fault);
            return Cause::Faulty(fault);
        }
        let known = packet.first.zip(self.expected);
        if known.is_some_and(|(first, expected)| first < expected) {
            return self.old();
        }
        Cause::Good
    }

    fn give(&mut self, packet: &Packet, listener: &mut impl Listener) {
        let counters = &mut self.counters;
        count(&mut counters.fast_packets);
        for (counter, more) in [
            (&mut counters.fast_messages, packet.messages),
            (&mut counters.fast_unmapped, packet.unmapped),
            (&mut counters.fast_ignored, packet.ignored),
            (&mut counters.fast_foreign, packet.foreign),
        ] {
            *counter = counter.wrapping_add(more);
        }
        if let Some(first) = packet.first {
            let lost = self.expected.map_or(0, |expected| first - expected);
            if lost > 0 {
                count(&mut counters.fast_gap);
                counters.fast_lost = counters.fast_lost.wrapping_add(lost);
            }
            let new_session = self.expected.replace(packet.next).is_none();
            listener.frame(&FeedInfo {
                session: [b' '; 10],
                first_sequence: first,
                lost: counters.fast_lost,
                new_session,
            });
        }
        if let Some(last) = self.events.last_mut() {
            last.last = true;
        }
        let mut before = None;
        for event in &self.events {
            if before.replace(event.sequence) != Some(event.sequence) {
                listener.head(&Head {
                    seconds: 0,
                    nanoseconds: event.nanoseconds,
                    sequence: event.sequence,
                });
            }
            listener.event(event);
        }
    }

    /// The feed begins again: the next message may have any number.
    pub fn restart(&mut self) {
        self.expected = None;
    }

    /// The number of the next message; `None`: nothing has come.
    pub const fn expected(&self) -> Option<u64> {
        self.expected
    }

    /// The time of the last message that is in the map, in nanoseconds after midnight, be it without an event; 0 if it has none.
    pub const fn time(&self) -> u64 {
        self.message.nanoseconds()
    }

    /// What was counted so far.
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    fn plan(&self) -> Option<&Plan> {
        self.plans.get(self.template?)?.as_ref()
    }

    /// An entry is complete, or a message that is an event itself.
    fn complete(&mut self, entry: Entry) {
        let Some(plan) = self.template.and_then(|at| self.plans.get(at)?.as_ref()) else {
            return;
        };
        match entry.event(plan) {
            Ok(Some(event)) => self.events.push(event),
            Ok(None) => count(&mut self.packet.ignored),
            Err(fault) => self.faulty.push((entry.symbol(), fault)),
        }
    }
}

impl Visitor for Collector {
    fn message_start(&mut self, index: usize) {
        count(&mut self.packet.messages);
        let plan = self.plans.get(index).and_then(Option::as_ref);
        self.template = plan.map(|_| index);
        match plan {
            Some(plan) => self.message = Entry::new(plan.blank),
            None => count(&mut self.packet.unmapped),
        }
        (self.depth, self.references, self.in_entries) = (0, 0, false);
    }

    #[inline]
    fn field(&mut self, field: Field, value: Value<'_>) {
        let Some(plan) = self.template.and_then(|at| self.plans.get(at)?.as_ref()) else {
            return;
        };
        let member = plan.members.get(field.index as usize);
        let member = member.copied().unwrap_or_default();
        if member == Member::Other || self.references > 0 {
            return;
        }
        let entry = if self.in_entries {
            &mut self.entry
        } else {
            &mut self.message
        };
        entry.field(member, value, plan, self.scales);
    }

    fn sequence_start(&mut self, field: Field, _: u32) {
        if self.references > 0 {
            return;
        }
        self.depth += 1;
        if self.depth == 1 {
            let entries = self.plan().and_then(|plan| plan.sequence);
            self.in_entries = entries == Some(field.index);
        }
    }

    fn entry_start(&mut self, _: u32, _: usize) {
        if self.depth == 1 && self.in_entries && self.references == 0 {
            self.entry = self.message;
        }
    }

    fn entry_end(&mut self, _: usize) {
        if self.depth == 1 && self.in_entries && self.references == 0 {
            self.complete(self.entry);
        }
    }

    fn sequence_end(&mut self) {
        if self.references > 0 {
            return;
        }
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            self.in_entries = false;
        }
    }

    fn reference_start(&mut self, _: Field, _: usize) {
        self.references += 1;
    }

    fn reference_end(&mut self) {
        self.references = self.references.saturating_sub(1);
    }

    fn message_end(&mut self) {
        let Some(plan) = self.plan() else {
            return;
        };
        if plan.sequence.is_none() {
            self.complete(self.message);
        }
        if let Some(sequence) = self.message.sequence() {
            self.packet.first.get_or_insert(sequence);
            self.packet.next = sequence.wrapping_add(1);
        }
    }

    fn dropped(&mut self, error: &Error) {
        self.packet.error.get_or_insert(error.code);
    }
}
