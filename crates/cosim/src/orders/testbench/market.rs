//! What comes to the core: messages of its peer and datagrams of the feed.

use book::Book;
use formats::fix::{self, Body, Header, Version};
use formats::{Event, FeedInfo, Kind, Listener, Source, Symbol, fcs, itch};
use instrument::Table;

use super::{Input, Problem, SLICE, Testbench};
use crate::MINIMUM_GAP;
use crate::core::{Frame, PathMark, Sent};

/// Cycles after which a packet that is not in the book will not be: the slowest decoder takes fewer for the longest packet.
const NEVER_BOOKED: u64 = 8_000;
/// Cycles in which the peer's answer is on the line.
const ANSWER: u64 = 16;

/// When a packet is given to a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// So many cycles after the first one may begin.
    At(u64),
    /// So many cycles after the one before is in the book.
    Booked(u64),
}

/// What reaches stops and risk: the trades of our instruments, which `market_stage` lets through.
fn trade(event: &Event) -> Option<Input> {
    let is_trade = event.kind == Kind::Trade && event.instrument.is_some();
    is_trade.then_some(Input::Trade(*event))
}

/// Trades of the feed, and gaps.
struct FeedInputs<'a> {
    instruments: &'a Table,
    book: Option<&'a mut Book>,
    /// Before this frame.
    lost: u64,
    inputs: &'a mut Vec<Input>,
}

impl Listener for FeedInputs<'_> {
    fn frame(&mut self, info: &FeedInfo) {
        if info.lost > self.lost {
            self.inputs.push(Input::Gap);
        }
        if let Some(book) = &mut self.book {
            book.frame(info);
        }
    }

    fn event(&mut self, event: &Event) {
        let event = self.instruments.resolve(event);
        let Some(book) = &mut self.book else {
            return self.inputs.extend(trade(&event));
        };
        let change = book.apply(&event);
        let told = pipeline::trade_of(&event, change.as_ref());
        self.inputs.extend(told.map(|(instrument, trade)| {
            Input::Trade(Event {
                // There are 16.
                instrument: Some(instrument as u8),
                side: trade.side,
                price: trade.price,
                ..Event::new(Kind::Trade, event.message_type)
            })
        }));
    }

    fn is_ours(&self, symbol: Option<Symbol>) -> bool {
        self.instruments.is_ours(Source::Feed, symbol)
    }
}

impl Testbench {
    /// A message of the peer; it leaves with the next [`Testbench::work`].
    pub fn send_fix<'a, B: Body<'a>>(&mut self, body: &B) {
        let [core, peer] = &self.names;
        let header = Header {
            sender: peer.as_bytes(),
            target: core.as_bytes(),
            sequence: self.peer_sequence,
            sending_time: self.clock.utc(self.elapsed),
            ..Header::default()
        };
        let mut buffer = vec![0; 16_384];
        // Messages here have a few entries.
        if let Ok(length) = fix::encode(&mut buffer, Version::Fix44, &header, body) {
            buffer.truncate(length);
            let [session, _] = &mut self.inputs;
            let mut trades = |event: &Event| session.extend(trade(event));
            self.fix.bytes(&buffer, &self.instruments, &mut trades);
            self.peer_sequence += 1;
            self.to_write.push_back(buffer);
        }
    }

    /// The message that the peer was given last, if it is not written yet.
    pub fn last_to_write(&self) -> Option<&[u8]> {
        self.to_write.back().map(Vec::as_slice)
    }

    /// Cuts what is to be written in two, each in a segment of its own.
    pub fn cut(&mut self, at: usize) {
        let all: Vec<u8> = self.to_write.drain(..).flatten().collect();
        let (front, back) = all.split_at(at % all.len().max(1));
        self.to_write.extend([front, back].map(<[u8]>::to_vec));
    }

    /// A packet of the feed is put on the line, `lost` messages after the one before.
    pub fn send_feed(&mut self, messages: &[itch::Message], lost: u64, gap: u32) {
        let next = self.packet.sequence() + u64::from(self.packet.count()) + lost;
        self.packet.restart(next);
        let mut bytes = Vec::new();
        for message in messages {
            bytes.clear();
            // All of them are of 5.0, and short.
            if message.emit(itch::Version::V50, &mut bytes).is_ok() {
                let _ = self.packet.push(&bytes);
            }
        }
        let packet = self.packet.bytes().to_vec();
        self.send_datagram(&packet, gap, |_| ());
    }

    /// A datagram of the feed is put on the line, its frame changed before that.
    pub fn send_datagram(&mut self, payload: &[u8], gap: u32, change: impl FnOnce(&mut Vec<u8>)) {
        let mut frame = Vec::new();
        if self.feed.feed().emit(payload, &mut frame).is_ok() {
            change(&mut frame);
            let [_, inputs] = &mut self.inputs;
            let mut inputs = FeedInputs {
                instruments: &self.instruments,
                book: self.book.as_mut(),
                lost: self.itch.counters().mold_lost,
                inputs,
            };
            if fcs::is_good(&frame) {
                self.itch.datagram(payload, &mut inputs);
            }
            self.queue(&frame, gap);
        }
    }

    /// What came on the session and the feed since the last call, according to the decoders in software.
    pub fn inputs(&mut self) -> [Vec<Input>; 2] {
        std::mem::take(&mut self.inputs)
    }

    /// Sends datagrams of the feed, one after the other with such a gap before each, while nothing else is on the line; returns when each was there.
    /// What the core answers meanwhile, [`Testbench::settle`] takes.
    ///
    /// # Errors
    /// One is too long for a frame: none is sent.
    pub fn send_datagrams(&mut self, payloads: &[Vec<u8>], gap: u32) -> Result<Vec<Sent>, Problem> {
        let frames = self.frames(payloads)?;
        let frames: Vec<Frame> = frames
            .iter()
            .map(|frame| Frame {
                gap,
                ..Frame::new(frame)
            })
            .collect();
        Ok(self.driver.registers().send_all(&frames))
    }

    /// Sends datagrams of the feed, each at its time, or as soon as the line is free. Meanwhile the peer reads and answers, on the same line. Returns when
    /// each was there.
    ///
    /// # Errors
    /// As [`Testbench::send_datagrams`]; a frame of the core is not as it should be.
    pub fn play(&mut self, payloads: &[Vec<u8>], starts: &[Start]) -> Result<Vec<Sent>, Problem> {
        let frames = self.frames(payloads)?;
        let bytes_a_cycle = u64::from(self.driver.registers().width().bits() / 8);
        let begin = self.cycle();
        let mut sent = Vec::with_capacity(frames.len());
        for (frame, start) in frames.iter().zip(starts) {
            let due = match *start {
                Start::At(cycles) => begin + cycles,
                Start::Booked(rest) => self.booked_after(sent.last())? + rest,
            };
            loop {
                self.take()?;
                let answers = self.work(MINIMUM_GAP);
                if !answers && self.cycle() + 2 * SLICE > due {
                    break;
                }
                self.driver
                    .registers()
                    .run(if answers { ANSWER } else { SLICE });
            }
            while self.driver.registers().is_sending() {
                self.driver.registers().run(1);
            }
            let idle = due.saturating_sub(self.cycle()) * bytes_a_cycle;
            let gap = u32::try_from(idle).unwrap_or(u32::MAX);
            sent.push(self.driver.registers().send(Frame {
                gap: gap.max(MINIMUM_GAP),
                ..Frame::new(frame)
            }));
        }
        Ok(sent)
    }

    /// Runs until the book has the last packet that was sent, or for long enough: a packet that nobody takes is never booked. Returns that cycle.
    fn booked_after(&mut self, sent: Option<&Sent>) -> Result<u64, Problem> {
        let Some(sent) = sent else {
            return Ok(self.cycle());
        };
        while self.cycle() < sent.last + NEVER_BOOKED {
            self.take()?;
            let passed = self.passed.iter().rev();
            let mut since = passed.take_while(|passed| passed.cycle > sent.last);
            if let Some(booked) = since.find(|passed| passed.path & PathMark::BOOKED != 0) {
                return Ok(booked.cycle);
            }
            self.driver.registers().run(ANSWER);
        }
        Ok(self.cycle())
    }

    /// The feed's frames of these payloads.
    fn frames(&self, payloads: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Problem> {
        let headers = self.feed.feed();
        let frame = |payload: &Vec<u8>| {
            let mut frame = Vec::new();
            let emitted = headers.emit(payload, &mut frame);
            emitted.map(|()| frame)
        };
        let frames: Result<Vec<_>, _> = payloads.iter().map(frame).collect();
        frames.map_err(|error| Problem::Testbench(error.to_string()))
    }

    fn queue(&mut self, frame: &[u8], gap: u32) {
        self.driver.registers().queue(Frame {
            gap,
            ..Frame::new(frame)
        });
    }

    /// Lets the peer write and answer; returns whether it sent anything.
    pub fn work(&mut self, gap: u32) -> bool {
        let mut sent = false;
        loop {
            let picoseconds = self.driver.registers().width().cycle_picoseconds();
            let now = self.cycle() * picoseconds / 1_000;
            self.elapsed = now;
            if let Some(mut bytes) = self.to_write.pop_front() {
                let written = self.peer.write(&bytes);
                if written < bytes.len() {
                    self.to_write.push_front(bytes.split_off(written));
                }
            }
            self.peer.work(now);
            let mut any = false;
            while let Some(frame) = self.peer.transmit() {
                any = true;
                let mut bytes = std::mem::take(&mut self.bytes);
                whole(&frame, &mut bytes);
                self.queue(&bytes, gap);
                self.bytes = bytes;
            }
            sent |= any;
            if !any || self.to_write.is_empty() {
                return sent;
            }
        }
    }
}

/// A frame as it is on a line: padded, with its FCS.
fn whole(frame: &[u8], bytes: &mut Vec<u8>) {
    bytes.clear();
    bytes.extend_from_slice(frame);
    bytes.resize(frame.len().max(formats::ethernet::MINIMUM), 0);
    fcs::append(bytes, 0);
}
