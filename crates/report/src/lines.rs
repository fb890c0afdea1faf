//! Lines A and B through the Verilated core: what each loses, what its arbiter delivers to the decoder, and when.
//!
//! Copies of the packets come at their own times, as `tickwire replay` sends them, with the same loss for the same seed; long silence is cut short. What is
//! delivered goes through the software pipeline too, and its reports must be the same, byte for byte.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;

use cosim::HardwareTwin;
use cosim::{Core, Delivered, Frame, Mismatch, Received, Setup, Width};
pub use device::{Arbitration, Source, Window};
use device::{Driver, Gap};
use feed::PacketSource;
use feed::replay::{self, Clock, Pace};
use formats::counters::Counters;
use formats::counters::{ArbiterCounters, LineCounters, NetCounters};
use formats::frame::UdpFrame;
use formats::mold;

use crate::Error;
use crate::distribution::Distribution;

/// Copies put on the lines at once: so many and those up to the next long silence, but no more than that.
const CHUNK: std::ops::Range<usize> = 2_048..65_536;

/// Cycles simulated at once, where the lines are idle between copies: a second of simulation at most, so that progress is shown
/// and it can be stopped.
const CYCLES: u64 = 500_000;

/// Bytes that a frame takes in addition: preamble and the least gap.
const ON_WIRE: u64 = 8 + cosim::MINIMUM_GAP as u64;

/// The lines, and how fast packets come.
#[derive(Clone, Debug)]
pub struct Options {
    /// Lines A and B: delay and impairment.
    pub lines: [replay::Line; 2],
    /// By which clock packets come.
    pub pace: Pace,
    /// Headers of the frames on each line.
    pub headers: [UdpFrame; 2],
    /// Silence on both lines is cut to so many nanoseconds: more than line B is behind, the time window and a report together.
    pub longest_silence: u64,
    /// Packets at most.
    pub packets: u64,
}

impl Options {
    /// Packets at their own times, on lines as they should be; line B to the second group, if the core has one.
    pub fn new(setup: &Setup) -> Self {
        Options {
            lines: [replay::Line::default(); 2],
            pace: Pace::Factor(1.0),
            headers: [setup.feed(), setup.feed_on_b()],
            longest_silence: 10_000,
            packets: u64::MAX,
        }
    }
}

/// A frame of a report of the core, equal to the software's.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The frame, FCS included.
    pub bytes: Vec<u8>,
    /// From the last byte of the first copy of the packet that began the second, on either line, to the frame's first byte, in cycles.
    pub last_first: u64,
}

/// What became of the packets.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// Packets that were to come, and messages in them.
    pub offered: (u64, u64),
    /// What the lines lost.
    pub lines: Vec<replay::LineCounters>,
    /// Packets delivered to the decoder, and messages in them.
    pub delivered: (u64, u64),
    /// For each message delivered: from the last byte of its first copy on either line to the decoder's verdict, in cycles.
    pub delays: Distribution,
    /// The same, sorted: each delay with the messages that had it.
    pub messages_by_delay: Vec<(u64, u64)>,
    /// Reports compared with the software's. Once one is missed, because the one before was still on its way, the software cannot know, and the rest is not
    /// compared.
    pub compared: u64,
    /// From the last byte of the first copy to the first byte of the report, in cycles.
    pub last_first: Distribution,
    /// Counters of line A, and after the arbiter.
    pub counters: Counters,
    /// Counters of line B.
    pub line_b: NetCounters,
    /// The arbiter's, by line.
    pub arbiter_lines: [LineCounters; 2],
    /// The arbiter's, of both.
    pub arbiter: ArbiterCounters,
    /// The last gap on the high-reliability output.
    pub last_gap: Option<Gap>,
    /// Cycles simulated.
    pub cycles: u64,
}

/// Sends the packets of `source` on two lines to a core that arbitrates so. `answer` gets each report; `progress` gets the source's position, and may
/// end it.
///
/// # Errors
/// The setup or a packet is refused, the source fails, or the core's reports are not the software's of what was delivered.
pub fn play(
    width: Width,
    setup: &Setup,
    arbitration: &Arbitration,
    source: &mut dyn PacketSource,
    options: &Options,
    mut answer: impl FnMut(&Answer),
    mut progress: impl FnMut((u64, Option<u64>)) -> ControlFlow<()>,
) -> Result<Played, Error> {
    let mut driver = setup.core(width)?;
    driver
        .set_arbitration(arbitration)
        .map_err(cosim::SetupError::from)?;
    let clock = Cell::new(0);
    let mut player = Player {
        width,
        cycle: driver.registers().cycle() + 16,
        driver,
        twin: setup.twin()?,
        time: 0,
        sent: 0,
        free: [0; 2],
        longest: options.longest_silence,
        headers: options.headers,
        queue: vec![],
        packets: Default::default(),
        waiting: VecDeque::new(),
        missed: false,
        delays: HashMap::new(),
        played: Played::default(),
    };
    let mut failed = None;
    let mut packets = 0;
    let offered = Cell::new((0, 0));
    let mut limited = Limited {
        source,
        left: options.packets,
        offered: &offered,
    };
    let sent = replay::run(
        &mut limited,
        options.pace,
        &options.lines,
        &mut Virtual(&clock),
        |line, payload| {
            let taken = player.copy(line, clock.get(), payload, &mut answer);
            if let Err(error) = taken {
                failed.get_or_insert(error);
            }
            Ok(())
        },
        |state| {
            packets += 1;
            if packets % 16 == 0 {
                return progress(state.position);
            }
            ControlFlow::Continue(())
        },
    );
    if let Some(error) = failed {
        return Err(error);
    }
    let sent = sent.map_err(|error| match error {
        replay::ReplayError::Source(source) => Error::Source(source),
        error => Error::Lines(error.to_string()),
    })?;
    player.played.offered = offered.get();
    player.played.lines = sent.lines;
    player.finish(&mut answer)
}

/// A clock that is never waited for.
struct Virtual<'a>(&'a Cell<u64>);

impl Clock for Virtual<'_> {
    fn now(&self) -> u64 {
        self.0.get()
    }

    fn wait(&mut self, until: u64) {
        self.0.set(until.max(self.0.get()));
    }
}

/// The first packets of a source, counted.
struct Limited<'a> {
    source: &'a mut dyn PacketSource,
    left: u64,
    offered: &'a Cell<(u64, u64)>,
}

impl PacketSource for Limited<'_> {
    fn next_packet(&mut self) -> Result<Option<feed::Packet<'_>>, feed::source::SourceError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let packet = self.source.next_packet()?;
        if let Some(packet) = &packet {
            let (packets, messages) = self.offered.get();
            let header = mold::Header::parse(packet.payload);
            let count = header.map_or(0, |(header, _)| u64::from(header.messages()));
            self.offered.set((packets + 1, messages + count));
        }
        Ok(packet)
    }

    fn position(&self) -> (u64, Option<u64>) {
        self.source.position()
    }
}

/// A copy of a packet, for a line.
struct Copy {
    line: usize,
    at: u64,
    frame: Vec<u8>,
    /// Session, and sequence number and messages; nothing for a packet without them.
    named: Option<([u8; 10], Numbers)>,
}

/// Sequence number and messages.
type Numbers = (u64, u64);

/// A packet that came on a line.
struct Came {
    session: [u8; 10],
    /// Cycle of the last byte of its first copy.
    last: u64,
    frame: Vec<u8>,
}

struct Player {
    width: Width,
    driver: Driver<Core>,
    twin: HardwareTwin,
    /// Time of the copy before, and its cycle.
    time: u64,
    cycle: u64,
    /// Cycle up to which copies were put on the lines.
    sent: u64,
    /// Cycle from which each line is free.
    free: [u64; 2],
    longest: u64,
    headers: [UdpFrame; 2],
    queue: Vec<Copy>,
    /// What came, by number: lately, and before.
    packets: [HashMap<Numbers, Vec<Came>>; 2],
    /// Frames of reports that the software has made and the core not yet sent, and the cycle from which their latency counts.
    waiting: VecDeque<(Vec<u8>, u64)>,
    missed: bool,
    delays: HashMap<u64, u64>,
    played: Played,
}

impl Player {
    fn copy(
        &mut self,
        line: usize,
        time: u64,
        payload: &[u8],
        answer: &mut impl FnMut(&Answer),
    ) -> Result<(), Error> {
        let silence = time.saturating_sub(self.time).min(self.longest);
        self.time = self.time.max(time);
        let quiet = silence == self.longest;
        let next = self.cycle + silence * 1_000 / self.width.cycle_picoseconds();
        let idle = self.free.into_iter().all(|free| free <= next);
        if self.queue.len() >= CHUNK.end
            || (quiet && self.queue.len() >= CHUNK.start)
            || (idle && self.cycle - self.sent >= CYCLES)
        {
            self.send(quiet, answer)?;
            self.sent = self.cycle;
        }
        if quiet {
            // It begins when the lines are free: a burst takes longer than its times say.
            self.cycle = self.free.into_iter().fold(self.cycle, u64::max);
        }
        self.cycle += silence * 1_000 / self.width.cycle_picoseconds();
        let mut frame = vec![];
        self.headers[line].emit(payload, &mut frame)?;
        let beats = (frame.len() as u64 + ON_WIRE) * 8 / u64::from(self.width.bits());
        self.free[line] = self.free[line].max(self.cycle) + beats + 1;
        let header = mold::Header::parse(payload).map(|(header, _)| header);
        let named =
            header.map(|header| (header.session, (header.sequence, header.messages().into())));
        self.queue.push(Copy {
            line,
            at: self.cycle,
            frame,
            named: named.filter(|(_, (_, messages))| *messages > 0),
        });
        Ok(())
    }

    /// Sends what is queued, and takes what comes of it; of the long silence after it only the end, as nothing is on its way any more.
    fn send(&mut self, quiet: bool, answer: &mut impl FnMut(&Answer)) -> Result<(), Error> {
        let core = self.driver.registers();
        let frames = self.queue.iter().map(|copy| Frame {
            line: copy.line,
            at: copy.at,
            ..Frame::new(&copy.frame)
        });
        let sent = core.send_all(&frames.collect::<Vec<_>>());
        if quiet {
            core.run(self.longest * 1_000 / self.width.cycle_picoseconds());
        }
        // A line that was full has taken longer than its packets' times.
        self.cycle = self.cycle.max(core.cycle());
        for (copy, sent) in self.queue.drain(..).zip(sent) {
            let Some((session, numbers)) = copy.named else {
                continue;
            };
            let known = self.packets[1]
                .get_mut(&numbers)
                .and_then(|came| came.last_mut());
            if let Some(came) = known.filter(|came| came.session == session) {
                came.last = came.last.min(sent.last);
                continue;
            }
            let packets = self.packets[0].entry(numbers).or_default();
            match packets.last_mut() {
                Some(came) if came.session == session => came.last = came.last.min(sent.last),
                _ => packets.push(Came {
                    session,
                    last: sent.last,
                    frame: copy.frame,
                }),
            }
        }
        self.take(answer)?;
        self.packets.swap(0, 1);
        self.packets[0].clear();
        Ok(())
    }

    /// Takes what was delivered and what the core sent, and compares it with the software.
    fn take(&mut self, answer: &mut impl FnMut(&Answer)) -> Result<(), Error> {
        let core = self.driver.registers();
        let delivered = core.delivered();
        let received = core.take();
        for delivered in delivered {
            self.delivered(&delivered);
        }
        let counters = self.driver.counters().map_err(Mismatch::Access)?;
        self.missed |= counters.feed.report_missed > 0;
        if self.missed {
            return Ok(());
        }
        for Received {
            bytes,
            first,
            malformed,
            ..
        } in received
        {
            let Some((software, since)) = self.waiting.pop_front() else {
                let (hardware, software) = (1, 0);
                return Err(Mismatch::Count { hardware, software }.into());
            };
            if malformed {
                return Err(Mismatch::Malformed(first).into());
            }
            if bytes != software {
                let hardware = bytes;
                return Err(Mismatch::Report { hardware, software }.into());
            }
            let last_first = first - since;
            self.played.compared += 1;
            self.played.last_first.add(last_first);
            answer(&Answer { bytes, last_first });
        }
        Ok(())
    }

    fn delivered(&mut self, delivered: &Delivered) {
        let numbers = (delivered.sequence, delivered.messages);
        let came = self
            .packets
            .iter()
            .filter_map(|packets| packets.get(&numbers))
            .flatten();
        // Nothing can be delivered that did not come; of two sessions it is the later one.
        let came = came
            .filter(|came| came.last < delivered.cycle)
            .max_by_key(|came| came.last);
        let Some(came) = came else {
            return;
        };
        let delay = delivered.cycle - came.last;
        for _ in 0..delivered.messages {
            self.played.delays.add(delay);
        }
        *self.delays.entry(delay).or_default() += delivered.messages;
        self.played.delivered.0 += 1;
        self.played.delivered.1 += delivered.messages;
        let report = self.twin.frame(&came.frame);
        self.waiting
            .extend(report.into_iter().map(|frame| (frame, came.last)));
    }

    /// Lets everything leave that is kept, and reads the counters.
    fn finish(mut self, answer: &mut impl FnMut(&Answer)) -> Result<Played, Error> {
        self.send(true, answer)?;
        self.driver.flush().map_err(Mismatch::Access)?;
        let core = self.driver.registers();
        core.run(20_000);
        if !core.run_until_idle() {
            return Err(Mismatch::Endless.into());
        }
        let cycles = core.cycle();
        self.take(answer)?;
        if !self.missed && !self.waiting.is_empty() {
            let (hardware, software) = (0, self.waiting.len());
            return Err(Mismatch::Count { hardware, software }.into());
        }
        let driver = &mut self.driver;
        let (arbiter_lines, arbiter) = driver.arbiter_counters().map_err(Mismatch::Access)?;
        self.played.messages_by_delay = self.delays.into_iter().collect();
        self.played.messages_by_delay.sort_unstable();
        Ok(Played {
            counters: driver.counters().map_err(Mismatch::Access)?,
            line_b: driver.line_b().map_err(Mismatch::Access)?,
            arbiter_lines,
            arbiter,
            last_gap: driver.last_gap().map_err(Mismatch::Access)?,
            cycles,
            ..self.played
        })
    }
}
