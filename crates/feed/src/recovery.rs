//! What both lines lost, requested from a MoldUDP64 request server, and put in its place.
//!
//! ```text
//!  arbiter, high reliability ── Recovery ── a consumer that wants everything
//!                                │    ↑
//!                        request │    │ answer: an ordinary downstream packet
//!                                ↓    │
//!                                Server ── History ── what tickwire replay sent
//! ```
//!
//! A loss shows by a gap before a packet, or, if nothing came after it, by a heartbeat ([`Recovery::heartbeat`]).
//!
//! Only the consumer after [`Recovery`] waits: a consumer of the arbiter's outputs never does. A request (NASDAQ, MoldUDP64 1.00)
//! has the layout of a packet's header: session, first number, and how many messages are asked for.

mod history;
mod server;

use std::collections::VecDeque;

use formats::mold::{self, Builder, HEADER, Header, Packet};
use serde::Serialize;

use arbiter::{NEAR, Window};
pub use history::{History, Recorded, Refusal};
pub use server::{Server, ServerCounters};

/// How patient a recovery is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How long an answer may take, in nanoseconds.
    pub timeout: u64,
    /// How often a number is requested before it is given up.
    pub tries: u32,
    /// Packets held after a gap at most; with one more the gap is given up.
    pub hold: usize,
    /// How long messages that a heartbeat has announced may still come by themselves, in nanoseconds: the arbiter's time window.
    pub tail: u64,
}

impl Default for Settings {
    /// 20 ms, 5 tries, 4,096 packets, the default time window.
    fn default() -> Self {
        Self {
            timeout: 20_000_000,
            tries: 5,
            hold: 4_096,
            tail: Window::default().time,
        }
    }
}

/// Takes what a recovery delivers.
pub trait Outlet {
    /// The next MoldUDP64 packet; its number follows on the last, except after reported losses and in a new session.
    fn packet(&mut self, payload: &[u8]);
    /// Messages that are given up: the first, and the first after them.
    fn lost(&mut self, from: u64, to: u64);
    /// A request to be sent to the server. If it cannot be sent, it counts as lost on the way.
    fn request(&mut self, request: &[u8; HEADER]);
}

/// What a recovery counted. 32 bits, wrapping; messages 64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RecoveryCounters {
    /// Gaps that were requested.
    pub gap: u32,
    /// Requests, repeated ones included.
    pub request: u32,
    /// Requests repeated since no answer came in time.
    pub repeat: u32,
    /// Answers that were used.
    pub answer: u32,
    /// Messages in their place again.
    pub recovered: u64,
    /// Gaps given up.
    pub given_up: u32,
    /// Messages in them.
    pub lost: u64,
    /// Answers, or packets, that are no MoldUDP64 packet.
    pub malformed: u32,
    /// Answers of another session.
    pub other_session: u32,
    /// Answers that were not awaited: late, repeated, without messages, or with other numbers.
    pub unasked: u32,
}

/// The open request.
#[derive(Clone, Copy, Debug)]
struct Asked {
    at: u64,
    tries: u32,
}

/// What a heartbeat has announced: messages up to, not including, `number` were sent.
#[derive(Clone, Copy, Debug)]
struct Tail {
    number: u64,
    /// From then on they are a gap.
    due: u64,
    open: bool,
}

/// Puts a feed's packets in order and requests what is missing. Times are nanoseconds of any clock that does not go back.
#[derive(Debug)]
pub struct Recovery {
    settings: Settings,
    session: Option<[u8; 10]>,
    /// The number of the next message to give.
    next: u64,
    /// What came after the gap; empty if none is open.
    held: VecDeque<Vec<u8>>,
    /// Buffers to use again.
    spare: Vec<Vec<u8>>,
    asked: Option<Asked>,
    tail: Option<Tail>,
    /// Packets of which only a part is needed are rebuilt here.
    part: Builder,
    counters: RecoveryCounters,
}

impl Recovery {
    /// A recovery that has seen nothing yet; the first packet's number is the first it gives.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            session: None,
            next: 0,
            held: VecDeque::with_capacity(settings.hold.min(4_096)),
            spare: Vec::new(),
            asked: None,
            tail: None,
            part: Builder::new([0; 10], 0),
            counters: RecoveryCounters::default(),
        }
    }

    /// Takes a packet of the feed, as the arbiter's high-reliability output gives it.
    pub fn packet(&mut self, payload: &[u8], now: u64, outlet: &mut impl Outlet) {
        let Ok(packet) = Packet::parse(payload) else {
            count(&mut self.counters.malformed);
            return;
        };
        let Header {
            session, sequence, ..
        } = packet.header;
        let from = self.end();
        let ahead = sequence.wrapping_sub(from);
        let jumps = ahead >= NEAR && from.wrapping_sub(sequence) > NEAR;
        if self.session != Some(session) || jumps {
            self.abandon(outlet);
            self.session = Some(session);
            self.part = Builder::new(session, sequence);
            self.next = sequence;
        }
        if self.held.is_empty() && sequence.wrapping_sub(self.next) >= NEAR {
            // Behind: what it shares with the last was delivered already.
            self.give(&packet, self.next.wrapping_add(NEAR), outlet);
        } else if self.held.is_empty() && sequence == self.next {
            outlet.packet(payload);
            self.next = sequence.wrapping_add(u64::from(packet.header.messages()));
        } else if self.held.is_empty() || packet.cause() != mold::Cause::Heartbeat {
            self.hold(payload);
            if self.asked.is_none() {
                count(&mut self.counters.gap);
                self.ask(now, 1, outlet);
            }
            while self.held.len() > self.settings.hold {
                self.give_up(outlet);
                self.advance(now, outlet);
            }
        }
        if self.asked.is_some() && self.gap_end().is_none() {
            // What a heartbeat announced has come after all.
            self.asked = None;
        }
    }

    /// Takes a good heartbeat of the feed that waits for nothing: the arbiter's low-latency output gives it, its high-reliability output does not if it is
    /// ahead of what is expected there. If not all that it announces has come [`Settings::tail`] later, the rest is requested. While one heartbeat
    /// waits, others are not needed: more of them come.
    pub fn heartbeat(&mut self, payload: &[u8], now: u64) {
        let Some((header, _)) = Header::parse(payload) else {
            return;
        };
        if self.session != Some(header.session)
            || self.tail.is_some_and(|tail| self.is_ahead(tail.number))
        {
            return;
        }
        self.tail = self.is_ahead(header.sequence).then(|| Tail {
            number: header.sequence,
            due: now.saturating_add(self.settings.tail),
            open: false,
        });
    }

    /// Takes what came from the request server.
    pub fn answer(&mut self, datagram: &[u8], now: u64, outlet: &mut impl Outlet) {
        let Ok(packet) = Packet::parse(datagram) else {
            count(&mut self.counters.malformed);
            return;
        };
        if self.session != Some(packet.header.session) {
            count(&mut self.counters.other_session);
            return;
        }
        let skip = self.next.wrapping_sub(packet.header.sequence);
        let Some(end) = self
            .gap_end()
            .filter(|_| skip < u64::from(packet.header.messages()))
        else {
            count(&mut self.counters.unasked);
            return;
        };
        count(&mut self.counters.answer);
        let given = self.give(&packet, end, outlet);
        self.counters.recovered = self.counters.recovered.wrapping_add(given);
        self.asked = None;
        self.advance(now, outlet);
    }

    /// Lets time pass: asks again, or gives up. Call it at [`Recovery::deadline`] or more often.
    pub fn poll(&mut self, now: u64, outlet: &mut impl Outlet) {
        if let Some(tail) = self.tail.as_mut().filter(|tail| now >= tail.due) {
            tail.open = true;
            if self.asked.is_none() && self.gap_end().is_some() {
                count(&mut self.counters.gap);
                self.ask(now, 1, outlet);
            }
        }
        let Some(Asked { at, tries }) = self.asked else {
            return;
        };
        if now.saturating_sub(at) < self.settings.timeout {
            return;
        }
        if tries < self.settings.tries {
            count(&mut self.counters.repeat);
            self.ask(now, tries + 1, outlet);
        } else {
            self.give_up(outlet);
            self.advance(now, outlet);
        }
    }

    /// When [`Recovery::poll`] will have something to do, if nothing comes before.
    pub fn deadline(&self) -> Option<u64> {
        let asked = self
            .asked
            .map(|asked| asked.at.saturating_add(self.settings.timeout));
        let tail = self.tail.filter(|tail| !tail.open).map(|tail| tail.due);
        asked.into_iter().chain(tail).min()
    }

    /// Delivers what is held, and reports as lost what is missing: at the end.
    pub fn abandon(&mut self, outlet: &mut impl Outlet) {
        while !self.held.is_empty() {
            self.give_up(outlet);
            self.release(outlet);
        }
        if let Some(tail) = &mut self.tail {
            tail.open = true;
        }
        self.give_up(outlet);
        (self.asked, self.tail) = (None, None);
    }

    /// What was counted so far.
    pub const fn counters(&self) -> RecoveryCounters {
        self.counters
    }

    /// The number after all that came.
    fn end(&self) -> u64 {
        let last = self.held.back().and_then(|packet| Header::parse(packet));
        last.map_or(self.next, |(header, _)| {
            header.sequence.wrapping_add(u64::from(header.messages()))
        })
    }

    /// The number after the gap: of the first packet held, or else announced.
    fn gap_end(&self) -> Option<u64> {
        let Some(first) = self.held.front() else {
            let tail = self
                .tail
                .filter(|tail| tail.open && self.is_ahead(tail.number))?;
            return Some(tail.number);
        };
        let (header, _) = Header::parse(first)?;
        Some(header.sequence)
    }

    /// Whether messages before this number have not come.
    fn is_ahead(&self, number: u64) -> bool {
        (1..NEAR).contains(&number.wrapping_sub(self.end()))
    }

    fn hold(&mut self, payload: &[u8]) {
        let mut copy = self.spare.pop().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(payload);
        self.held.push_back(copy);
    }

    /// Requests what is missing before the first packet held, or as much of it as a request may name.
    fn ask(&mut self, now: u64, tries: u32, outlet: &mut impl Outlet) {
        let (Some(end), Some(session)) = (self.gap_end(), self.session) else {
            return;
        };
        let missing = end.wrapping_sub(self.next);
        let most = u64::from(mold::END_OF_SESSION - 1);
        let request = Header {
            session,
            sequence: self.next,
            count: missing.min(most) as u16,
        };
        self.asked = Some(Asked { at: now, tries });
        count(&mut self.counters.request);
        outlet.request(&request.to_bytes());
    }

    /// Delivers the messages of a packet from the next one on, up to `end`; returns how many.
    fn give(&mut self, packet: &Packet<'_>, end: u64, outlet: &mut impl Outlet) -> u64 {
        let header = packet.header;
        let skip = self.next.wrapping_sub(header.sequence);
        let room = end.wrapping_sub(self.next);
        self.part.restart(self.next);
        let messages = packet
            .messages()
            .skip(usize::try_from(skip).unwrap_or(usize::MAX))
            .take(usize::try_from(room).unwrap_or(usize::MAX));
        for message in messages {
            // Cannot fail: it comes from a packet that held it.
            let _ = self.part.push(message);
        }
        let given = u64::from(self.part.count());
        if given > 0 {
            outlet.packet(self.part.bytes());
            self.next = self.next.wrapping_add(given);
        }
        given
    }

    /// Reports the gap as lost.
    fn give_up(&mut self, outlet: &mut impl Outlet) {
        let Some(end) = self.gap_end() else { return };
        let missing = end.wrapping_sub(self.next);
        count(&mut self.counters.given_up);
        self.counters.lost = self.counters.lost.wrapping_add(missing);
        outlet.lost(self.next, end);
        self.next = end;
        self.asked = None;
    }

    /// Delivers what is held, up to the next gap.
    fn release(&mut self, outlet: &mut impl Outlet) {
        while !self.held.is_empty()
            && let Some(end) = self.gap_end()
        {
            let ahead = end.wrapping_sub(self.next);
            if ahead > 0 && ahead < NEAR {
                return;
            }
            let Some(payload) = self.held.pop_front() else {
                return;
            };
            if ahead == 0 {
                outlet.packet(&payload);
                let messages = Header::parse(&payload).map_or(0, |(header, _)| header.messages());
                self.next = self.next.wrapping_add(u64::from(messages));
            } else if let Ok(packet) = Packet::parse(&payload) {
                self.give(&packet, self.next.wrapping_add(NEAR), outlet);
            }
            self.spare.push(payload);
        }
    }

    /// Delivers what can be delivered, and requests what is missing then.
    fn advance(&mut self, now: u64, outlet: &mut impl Outlet) {
        let before = self.held.len();
        self.release(outlet);
        if self.gap_end().is_none() {
            self.asked = None;
        } else if self.asked.is_none() {
            if self.held.len() < before {
                count(&mut self.counters.gap);
            }
            self.ask(now, 1, outlet);
        }
    }
}

fn count(counter: &mut u32) {
    *counter = counter.wrapping_add(1);
}
