//! System D's performance model of A/B arbitration, for `rtl/arbiter`: latencies, worst-case delay and saturation by message rate.
//!
//! | module | what it holds |
//! |---|---|
//! | [`gap`] | what a packet that one line lost costs the packets after it |
//! | [`prediction`] | the model's results, and what was published |
//! | [`plot`] | expected and worst-case delay over the rate, as SVG |
//!
//! What it assumes for all its expected values:
//! - Packets come at random, independently (exponential gaps); each line loses each of them independently with the same probability.
//! - One line, the *leader*, brings every packet first; the other, the *follower*, brings it the same time (the skew) later, always.
//! - Lines are lightly loaded, and gaps seldom overlap: terms of the order of (packets in a skew or window) · (loss) are left out.
//! - Skews and windows are long against a packet and its release: whether the copy or the window comes first is decided at one instant.
//!
//! Maxima assume nothing of arrivals. Latency is from a packet's first beat on the line that brings it first to its first beat on the output.

pub mod gap;
pub mod plot;
pub mod prediction;

use arbiter::{Mode, Protocol, Window};
use thiserror::Error;

use gap::{Cause, Gap};
pub use prediction::{Early, Latency, Prediction, Published, published};

/// Cycles from a beat on a line to the same beat on either output, if the output is free: `rtl/arbiter/line_select.sv`.
pub const CUT_THROUGH_CYCLES: u64 = 1;
/// Cycles from the last beat of the packet whose end lets kept packets go, to the first beat of the first of them on the output. By
/// `rtl/arbiter`: 1 to the output, 1 to what is expected, 2 to the list's verdict, 5 to the output (`released` and the memory).
pub const AFTER_COPY_CYCLES: u64 = 9;
/// The same from the end of the packet whose time is over, the time itself not counted: 7 until its time runs, 3 to the list's verdict, 5 to the output.
pub const AFTER_TIME_CYCLES: u64 = 15;
/// The same from the end of the packet that fills the count or the line's room: 7 until it is judged, 2 to its place, 3 to the verdict, 5 to the output.
pub const AFTER_COUNT_CYCLES: u64 = 17;
/// Packets a second at peak on the lines of system D: its 1x.
pub const PUBLISHED_PACKETS_PER_SECOND: f64 = 1_000.0;
/// Bytes of a frame on the wire beyond its UDP payload: preamble 8, Ethernet 14, IPv4 20, UDP 8, FCS 4, gap 12.
const OVERHEAD_BYTES: usize = 66;

/// An arbiter, its feed, and how the lines behave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Where number and count are, and the longest packet.
    pub protocol: Protocol,
    /// Bits in a beat: 8, 64 or 128.
    pub width_bits: u32,
    /// The arbiter's clock.
    pub clock_megahertz: f64,
    /// Of each line; at most width times clock.
    pub line_gigabits_per_second: f64,
    /// Packets that can be kept, half of them for each line.
    pub kept_packets: u32,
    /// UDP payload of the packets.
    pub packet_bytes: usize,
    /// Messages in each packet.
    pub messages_per_packet: u32,
    /// Packets a second at 1x.
    pub packets_per_second: f64,
    /// The high-reliability output's window.
    pub window: Window,
    /// Probability that a line loses a packet: 0 or more, less than 1.
    pub loss_probability: f64,
    /// How far the follower runs behind the leader.
    pub skew_nanoseconds: f64,
    /// Silence of both lines that flushes what is kept.
    pub idle_limit_nanoseconds: f64,
}

impl Setting {
    /// The arbiter of `width_bits` at its board's clock, both lines full; 100-byte packets of a message, 1 % lost, 10 µs of skew, the default window.
    pub fn new(protocol: Protocol, width_bits: u32) -> Self {
        let clock_megahertz = match width_bits {
            8 => 125.0,
            64 => 156.25,
            _ => 166.0,
        };
        Self {
            protocol,
            width_bits,
            clock_megahertz,
            line_gigabits_per_second: f64::from(width_bits) * clock_megahertz / 1e3,
            kept_packets: 8,
            packet_bytes: 100,
            messages_per_packet: 1,
            packets_per_second: PUBLISHED_PACKETS_PER_SECOND,
            window: Window::default(),
            loss_probability: 0.01,
            skew_nanoseconds: 10_000.0,
            idle_limit_nanoseconds: 1e9,
        }
    }

    /// Whether the model holds for it.
    ///
    /// # Errors
    /// A figure is out of its range.
    pub fn check(&self) -> Result<(), SettingError> {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let full = f64::from(self.width_bits) * self.clock_megahertz / 1e3;
        let header = header_bytes(&self.protocol);
        if ![8, 64, 128].contains(&self.width_bits) {
            return Err(SettingError::Width(self.width_bits));
        }
        if !positive(self.clock_megahertz) || !positive(self.packets_per_second) {
            return Err(SettingError::NotPositive);
        }
        // A full line of one width and clock, written in decimals, is not too fast.
        let line = self.line_gigabits_per_second;
        if !positive(line) || line > full * (1.0 + 1e-9) {
            return Err(SettingError::Line { line, full });
        }
        if !(header..=self.protocol.maximum).contains(&self.packet_bytes) {
            return Err(SettingError::PacketBytes(
                self.packet_bytes,
                header,
                self.protocol.maximum,
            ));
        }
        if !(0.0..1.0).contains(&self.loss_probability) {
            return Err(SettingError::Loss(self.loss_probability));
        }
        if self.kept_packets < 4 || self.messages_per_packet == 0 {
            return Err(SettingError::Empty);
        }
        let times = [self.skew_nanoseconds, self.idle_limit_nanoseconds];
        if times.iter().any(|time| !time.is_finite() || *time < 0.0) {
            return Err(SettingError::Time);
        }
        Ok(())
    }

    /// Beat in which sequence number and message count are complete, from 0, plus 1: the beats up to it all have to come, one a cycle.
    pub fn cycles_to_number(&self) -> u64 {
        header_bytes(&self.protocol).div_ceil(self.beat_bytes()) as u64
    }

    /// The longest wait for an output that is busy: a wrong guess ends with its number's beat, [`Self::cycles_to_number`] after it began; the next
    /// wanted number is known two cycles after a packet that passed, so with the number in beat 0 or 1 the wait is 2 or 1 longer: 3. A packet that waited
    /// longer is missed.
    pub fn maximum_wait_cycles(&self) -> u64 {
        self.cycles_to_number().max(3)
    }

    /// Cycles in which a packet of so many bytes leaves the store: a beat a cycle.
    pub fn leaving_cycles(&self, bytes: usize) -> u64 {
        bytes.div_ceil(self.beat_bytes()) as u64
    }

    /// Cycles in which it arrives: a beat a cycle, or as fast as the line brings its bits, which is slower.
    pub fn arriving_cycles(&self, bytes: usize) -> u64 {
        self.leaving_cycles(bytes).max(self.line_cycles(bytes))
    }

    /// The most packets that are kept while one line leads: half of the store, less the slot for the packet being received, for all early packets are the leader's.
    pub fn kept_of_a_line(&self) -> u32 {
        self.kept_packets / 2 - 1
    }

    /// The model's results at so many times the rate.
    pub fn at(&self, rate_factor: f64) -> Prediction {
        let packets_per_second = rate_factor * self.packets_per_second;
        let line_load = packets_per_second
            * self.line_cycles(self.packet_bytes + OVERHEAD_BYTES) as f64
            * self.cycle_seconds();
        let worst = self.worst_case_delay_nanoseconds(packets_per_second);
        let packets_in_worst_case_delay = packets_per_second * worst / 1e9;
        Prediction {
            rate_factor,
            packets_per_second,
            line_load,
            low_latency: self.low_latency(packets_per_second),
            high_reliability: self.high_reliability(packets_per_second),
            early: self.early(packets_per_second),
            window_nanoseconds: self.window_nanoseconds(packets_per_second),
            worst_case_delay_nanoseconds: worst,
            packets_in_worst_case_delay,
            saturated: packets_in_worst_case_delay > f64::from(self.kept_packets),
        }
    }

    /// The window as a time: the time window, or how long the messages of the count window take to come at this rate (count / messages a second), or the
    /// shorter of both, whichever the mode lets count.
    pub fn window_nanoseconds(&self, packets_per_second: f64) -> f64 {
        let time = self.window.time as f64;
        let messages_per_second = packets_per_second * f64::from(self.messages_per_packet);
        let count = self.window.count as f64 / messages_per_second * 1e9;
        match self.window.mode {
            Mode::Time => time,
            Mode::Count => count,
            Mode::TimeAndCount => time.min(count),
        }
    }

    /// Window + release + all kept packets, each of the protocol's longest, leaving back to back: the largest delay of the last packet of a full store.
    pub fn worst_case_delay_nanoseconds(&self, packets_per_second: f64) -> f64 {
        self.window_nanoseconds(packets_per_second) + self.emptying_nanoseconds()
    }

    /// Packets a second at which those that come during the worst-case delay are as many as can be kept: beyond it the store fills before the window closes.
    ///
    /// With E the time to empty a full store, T the time window and C the packets of the count window: rate · (T + E) = kept; C + rate · E = kept (a
    /// count takes C packets at any rate); with both limits the delay is the shorter of the two, so the higher rate. 0: at every rate.
    pub fn saturation_packets_per_second(&self) -> f64 {
        let kept = f64::from(self.kept_packets);
        let (window, emptying) = (self.window.time as f64, self.emptying_nanoseconds());
        let counted = self.window.count as f64 / f64::from(self.messages_per_packet);
        let time = kept / (window + emptying) * 1e9;
        let count = (kept - counted).max(0.0) / emptying * 1e9;
        match self.window.mode {
            Mode::Time => time,
            Mode::Count => count,
            Mode::TimeAndCount => time.max(count),
        }
    }

    /// Low latency.
    ///
    /// - Expected: the cut through, and the expected wait. Maximum: the cut through, and [`Self::maximum_wait_cycles`].
    /// - Lost: what both lines lost, loss², and what the leader lost and the follower brings after the leader's next packet:
    ///   loss · (1 − loss) · (1 − e^(−rate · (1 − loss) · skew)), 1 less the probability that no packet comes on the leader in an exponential gap's time.
    fn low_latency(&self, packets_per_second: f64) -> Latency {
        let (loss, arrives) = (self.loss_probability, 1.0 - self.loss_probability);
        let overtaken = -(-packets_per_second * arrives * self.skew_nanoseconds / 1e9).exp_m1();
        let cycles = CUT_THROUGH_CYCLES as f64;
        self.latency(
            cycles + self.expected_wait_cycles(packets_per_second),
            cycles + self.maximum_wait_cycles() as f64,
            loss * loss + loss * arrives * overtaken,
        )
    }

    /// The expected wait for an output that is busy with a wrong guess.
    ///
    /// A wrong guess is the follower's copy of a packet that the leader brought: rate · (1 − loss)² of them a cycle. With N + 1 =
    /// [`Self::cycles_to_number`], one that began u cycles ago, u = 1 to N, costs the packet that now begins N + 1 − u cycles; together N (N + 1) / 2. Of two that
    /// begin in one cycle the line that was last right goes first; that is the follower where it has just replaced a loss: loss · (N + 1) more.
    /// Nothing of this if the skew is so small that the leader's next packet cannot have begun: less than a packet's time on the line, less the guess.
    fn expected_wait_cycles(&self, packets_per_second: f64) -> f64 {
        let cycles = self.cycles_to_number();
        let spacing = self.line_cycles(self.packet_bytes + OVERHEAD_BYTES);
        if self.skew_cycles() + (cycles as f64) < spacing as f64 {
            return 0.0;
        }
        let (loss, arrives) = (self.loss_probability, 1.0 - self.loss_probability);
        let guesses_per_cycle = packets_per_second * self.cycle_seconds() * arrives * arrives;
        let later = (cycles * (cycles - 1) / 2) as f64;
        guesses_per_cycle * (later + loss * cycles as f64)
    }

    /// High reliability.
    ///
    /// - Expected: the cut through, the wait as for low latency, and what the gaps cost, spread over all packets that are delivered: the follower fills a gap with
    ///   probability loss · (1 − loss), neither line with loss².
    /// - Maximum: see [`Self::maximum_cycles`].
    /// - Lost: loss², and those whose follower's copy comes after the window has closed.
    fn high_reliability(&self, packets_per_second: f64) -> Latency {
        let gaps = self.gaps(packets_per_second);
        let lost: f64 = gaps.iter().map(|(share, gap)| share * gap.given_up()).sum();
        let cost: f64 = gaps
            .iter()
            .map(|(share, gap)| share * self.cost_cycles(gap))
            .sum();
        let cycles = CUT_THROUGH_CYCLES as f64 + self.expected_wait_cycles(packets_per_second);
        self.latency(cycles + cost / (1.0 - lost), self.maximum_cycles(), lost)
    }

    /// The packets that come while one before them is missing: how many, and how long they wait for it or for the window.
    fn early(&self, packets_per_second: f64) -> Early {
        let gaps = self.gaps(packets_per_second);
        let share: f64 = gaps.iter().map(|(share, gap)| share * gap.kept()).sum();
        let cost: f64 = gaps
            .iter()
            .map(|(share, gap)| share * self.cost_cycles(gap))
            .sum();
        // Nothing is early where nothing is lost.
        let cycles = if share > 0.0 {
            CUT_THROUGH_CYCLES as f64 + cost / share
        } else {
            0.0
        };
        Early {
            share,
            expected_cycles: cycles,
            expected_nanoseconds: cycles * self.cycle_nanoseconds(),
        }
    }

    /// The two kinds of gaps the leader leaves, with how many there are of each a packet sent.
    fn gaps(&self, packets_per_second: f64) -> [(f64, Gap); 2] {
        let (loss, arrives) = (self.loss_probability, 1.0 - self.loss_probability);
        let of = |closes_cycles| Gap {
            early_per_cycle: packets_per_second * self.cycle_seconds() * arrives,
            time_window_cycles: match self.window.mode {
                Mode::Count => f64::INFINITY,
                Mode::Time | Mode::TimeAndCount => self.cycles(self.window.time as f64),
            },
            count_window_packets: self.count_window_packets(self.kept_of_a_line()),
            closes_cycles,
        };
        [
            (loss * arrives, of(self.skew_cycles())),
            (loss * loss, of(f64::INFINITY)),
        ]
    }

    /// What a gap costs all packets it makes early, in cycles beyond the cut through: their waits from end to the gap's closing; for each, the beats after its
    /// first, which must arrive before it can be kept, and the cycles from the closing to the output; and the packets that leave before it.
    fn cost_cycles(&self, gap: &Gap) -> f64 {
        let receiving = (self.arriving_cycles(self.packet_bytes) - 1) as f64;
        let leaving = self.leaving_cycles(self.packet_bytes) as f64;
        let closings = gap.closings();
        let released: f64 = closings
            .iter()
            .map(|closing| {
                let kept = f64::from(closing.kept);
                let after = match closing.cause {
                    Cause::Copy => AFTER_COPY_CYCLES,
                    Cause::Time => AFTER_TIME_CYCLES,
                    Cause::Count => AFTER_COUNT_CYCLES,
                };
                let each = receiving + (after - CUT_THROUGH_CYCLES) as f64;
                closing.probability * (kept * each + leaving * kept * (kept - 1.0) / 2.0)
            })
            .sum();
        gap.waiting_cycles() + released
    }

    /// The longest a packet takes: it arrives (all beats but the first); its window closes; release; then the output is busy with a packet that is being
    /// cut through, and one less than the store holds leave before it, all of the protocol's longest.
    ///
    /// A window by count alone has no time of its own: it closes after at most (count − 1) silences of the idle limit, of which each would flush; and a line on which
    /// only heartbeats come is not silent.
    fn maximum_cycles(&self) -> f64 {
        let longest = self.protocol.maximum;
        let count = self.count_window_packets(self.kept_packets) - 1;
        let counted = f64::from(count) * self.cycles(self.idle_limit_nanoseconds);
        let timed = self.cycles(self.window.time as f64);
        let window = match self.window.mode {
            Mode::Time => timed,
            Mode::Count => counted,
            Mode::TimeAndCount => timed.min(counted),
        };
        let receiving = self.arriving_cycles(longest) - 1;
        let cut_through = self.arriving_cycles(longest) + self.maximum_wait_cycles();
        let in_front = u64::from(self.kept_packets - 1) * self.leaving_cycles(longest);
        let release = AFTER_TIME_CYCLES.max(AFTER_COUNT_CYCLES);
        (receiving + cut_through + in_front + release) as f64 + window
    }

    /// Packets whose messages fill the count window, or `room` if that is less or the mode does not count.
    fn count_window_packets(&self, room: u32) -> u32 {
        let counted = self
            .window
            .count
            .div_ceil(u64::from(self.messages_per_packet))
            .max(1);
        match self.window.mode {
            Mode::Time => room,
            Mode::Count | Mode::TimeAndCount => {
                room.min(u32::try_from(counted).unwrap_or(u32::MAX))
            }
        }
    }

    /// Release, and all that can be kept leaving back to back.
    fn emptying_nanoseconds(&self) -> f64 {
        let release = AFTER_TIME_CYCLES.max(AFTER_COUNT_CYCLES);
        let leaving = u64::from(self.kept_packets) * self.leaving_cycles(self.protocol.maximum);
        (release + leaving) as f64 * self.cycle_nanoseconds()
    }

    fn latency(&self, expected_cycles: f64, maximum_cycles: f64, lost_share: f64) -> Latency {
        Latency {
            expected_cycles,
            expected_nanoseconds: expected_cycles * self.cycle_nanoseconds(),
            maximum_cycles,
            maximum_nanoseconds: maximum_cycles * self.cycle_nanoseconds(),
            lost_share,
        }
    }

    /// Of so many bytes at the line's rate, rounded up.
    fn line_cycles(&self, bytes: usize) -> u64 {
        let nanoseconds = 8.0 * bytes as f64 / self.line_gigabits_per_second;
        // A value that is an integer except for rounding errors is not rounded up.
        (self.cycles(nanoseconds) - 1e-6).ceil() as u64
    }

    fn skew_cycles(&self) -> f64 {
        self.cycles(self.skew_nanoseconds)
    }

    fn cycles(&self, nanoseconds: f64) -> f64 {
        nanoseconds * self.clock_megahertz / 1e3
    }

    fn cycle_nanoseconds(&self) -> f64 {
        1e3 / self.clock_megahertz
    }

    fn cycle_seconds(&self) -> f64 {
        1e-6 / self.clock_megahertz
    }

    fn beat_bytes(&self) -> usize {
        self.width_bits as usize / 8
    }
}

/// Bytes up to the last of sequence number and count.
fn header_bytes(protocol: &Protocol) -> usize {
    let fields = [Some(protocol.sequence), protocol.count];
    let ends = fields
        .into_iter()
        .flatten()
        .map(|field| field.offset + field.bytes);
    ends.max().unwrap_or(1)
}

/// Why a setting is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SettingError {
    /// No such arbiter.
    #[error("a width of {0} bits: 8, 64 or 128")]
    Width(u32),
    /// The clock or the rate is invalid.
    #[error("clock and rate must be greater than 0")]
    NotPositive,
    /// The line is too fast for the arbiter.
    #[error("a line of {line} Gb/s: greater than 0, at most {full} (width times clock)")]
    Line {
        /// Its rate, Gb/s.
        line: f64,
        /// What the arbiter takes, Gb/s.
        full: f64,
    },
    /// A packet without its number, or longer than the protocol's longest.
    #[error("packets of {0} bytes: from {1} to {2} in this protocol")]
    PacketBytes(usize, usize, usize),
    /// The loss is no probability.
    #[error("a loss of {0}: from 0 to less than 1")]
    Loss(f64),
    /// Nothing is kept or sent.
    #[error("at least 4 packets kept and a message in each")]
    Empty,
    /// A time is invalid.
    #[error("times must be 0 or more")]
    Time,
}

#[cfg(test)]
mod tests;
