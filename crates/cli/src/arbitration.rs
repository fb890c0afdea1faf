//! Between the sockets and the pipeline, where there are two lines or more: arbitration, and recovery if the desk names a server.

use std::fmt;
use std::io;
use std::net::UdpSocket;
use std::time::Duration;

use arbiter::{
    Admission, Arbiter, Config, ConfigError, Counters, Delivery, Event, Output, OutputCounters,
    Protocol, Sessions, Sink,
};
use feed::recovery::{Outlet, Recovery, RecoveryCounters};
use feed::socket::Endpoint;
use serde::Serialize;
use wire::mold::{HEADER, Packet};

use crate::desk;

/// What stands before the pipeline.
pub struct Front {
    output: Output,
    arbiter: Arbiter,
    sessions: Sessions,
    recovery: Option<Recovery>,
    /// To the request server.
    requests: Option<UdpSocket>,
    /// When the last packet was passed on, where packets do not name their session.
    passed: Option<u64>,
}

/// Bytes of the number before a FAST message.
const NUMBER: usize = 4;
/// How long after its last new packet a feed whose packets are all refused has begun anew: it sends heartbeats each second.
pub const RESTARTED: Duration = Duration::from_secs(3);

impl Front {
    /// Builds it for so many lines of MoldUDP64, as the desk says. The socket to the request server is opened, but does not wait for it.
    ///
    /// # Errors
    /// The window or the number of lines is impossible, or the socket cannot be opened.
    pub fn new(lines: usize, desk: &desk::Arbitration) -> Result<Self, FrontError> {
        Self::of_protocol(Protocol::MOLD_UDP64, lines, desk)
    }

    /// The same for lines of another protocol, without recovery.
    ///
    /// # Errors
    /// As [`Front::new`].
    pub fn of_protocol(
        protocol: Protocol,
        lines: usize,
        desk: &desk::Arbitration,
    ) -> Result<Self, FrontError> {
        let mut config = Config::new(protocol);
        config.lines = lines;
        config.slots_per_line = desk.packets.div_ceil(lines.max(1));
        config.window = desk.window();
        let requests = desk.request_server().map(connect).transpose()?;
        Ok(Self {
            output: desk.output(),
            arbiter: Arbiter::new(config)?,
            sessions: Sessions::new(config.hold),
            recovery: requests.is_some().then(|| Recovery::new(desk.recovery())),
            requests,
            passed: None,
        })
    }

    /// Takes a datagram of a line whose packets have a number and no session, and passes on what may go on. A packet without a number is passed on too, to
    /// be counted.
    pub fn numbered_datagram(
        &mut self,
        line: usize,
        payload: &[u8],
        now: u64,
        deliver: &mut impl FnMut(&[u8]),
    ) {
        let mut passed = None;
        let mut noting = |payload: &[u8]| {
            passed = Some(now);
            deliver(payload);
        };
        let begun_anew = self
            .passed
            .is_some_and(|last| u128::from(now.saturating_sub(last)) > RESTARTED.as_nanos());
        let (arbiter, mut sink) = self.parts(now, &mut noting);
        if begun_anew {
            arbiter.restart(now, &mut sink);
        }
        arbiter.push(line, now, payload, true, &mut sink);
        self.passed = passed.or(self.passed);
        if payload.len() < NUMBER {
            deliver(payload);
        }
    }

    /// The socket on which answers come, for the receive loop.
    ///
    /// # Errors
    /// The socket cannot be shared.
    pub fn answers(&self) -> io::Result<Option<UdpSocket>> {
        self.requests.as_ref().map(UdpSocket::try_clone).transpose()
    }

    /// Takes a datagram of a line, and passes on what may go on. What is no MoldUDP64 packet is passed on too, to be counted.
    pub fn datagram(
        &mut self,
        line: usize,
        payload: &[u8],
        now: u64,
        deliver: &mut impl FnMut(&[u8]),
    ) {
        let packet = Packet::parse(payload);
        let Ok(packet) = packet else {
            // The other line's copy may be complete.
            let (arbiter, mut sink) = self.parts(now, deliver);
            arbiter.push(line, now, payload, false, &mut sink);
            return deliver(payload);
        };
        let admission = self.sessions.admit(&packet.header.session, now);
        if admission == Admission::Other {
            return;
        }
        let (arbiter, mut sink) = self.parts(now, deliver);
        if admission == Admission::New {
            arbiter.restart(now, &mut sink);
        }
        arbiter.push(line, now, payload, true, &mut sink);
    }

    /// Takes a datagram of the request server.
    pub fn answer(&mut self, payload: &[u8], now: u64, deliver: &mut impl FnMut(&[u8])) {
        let requests = self.requests.as_ref();
        if let Some(recovery) = &mut self.recovery {
            recovery.answer(payload, now, &mut Complete { requests, deliver });
        }
    }

    /// Lets time pass.
    pub fn poll(&mut self, now: u64, deliver: &mut impl FnMut(&[u8])) {
        let (arbiter, mut sink) = self.parts(now, deliver);
        arbiter.poll(now, &mut sink);
        let requests = self.requests.as_ref();
        if let Some(recovery) = &mut self.recovery {
            recovery.poll(now, &mut Complete { requests, deliver });
        }
    }

    /// When [`Front::poll`] will have something to do, if nothing comes before.
    pub fn deadline(&self) -> Option<u64> {
        let recovery = self.recovery.as_ref().and_then(Recovery::deadline);
        self.arbiter.deadline().into_iter().chain(recovery).min()
    }

    /// Passes on all that is kept or held: at the end.
    pub fn flush(&mut self, now: u64, deliver: &mut impl FnMut(&[u8])) {
        let (arbiter, mut sink) = self.parts(now, deliver);
        arbiter.flush(now, &mut sink);
        let requests = self.requests.as_ref();
        if let Some(recovery) = &mut self.recovery {
            recovery.abandon(&mut Complete { requests, deliver });
        }
    }

    /// Its present state.
    pub fn status(&self) -> Status {
        Status {
            output: match self.output {
                Output::LowLatency => "low latency",
                Output::HighReliability => "high reliability",
            },
            other_session: self.sessions.dropped(),
            counters: self.arbiter.counters().clone(),
            recovery: self.recovery.as_ref().map(Recovery::counters),
        }
    }

    fn parts<'a, F>(
        &'a mut self,
        now: u64,
        deliver: &'a mut F,
    ) -> (&'a mut Arbiter, Chosen<'a, F>) {
        let chosen = Chosen {
            output: self.output,
            recovery: self.recovery.as_mut(),
            requests: self.requests.as_ref(),
            now,
            deliver,
        };
        (&mut self.arbiter, chosen)
    }
}

fn connect(server: Endpoint) -> Result<UdpSocket, FrontError> {
    let open = || {
        let socket = UdpSocket::bind("0.0.0.0:0")?;
        // Connected, it takes answers from no one else.
        socket.connect(server.address)?;
        socket.set_nonblocking(true)?;
        Ok(socket)
    };
    open().map_err(|cause| FrontError::Server(server, cause))
}

/// Why there can be no arbitration.
#[derive(Debug, thiserror::Error)]
pub enum FrontError {
    /// The arbiter refuses it.
    #[error(transparent)]
    Arbiter(#[from] ConfigError),
    /// The socket to the request server.
    #[error("{0}: {1}")]
    Server(Endpoint, io::Error),
}

/// Takes one of the two outputs, and through the recovery if there is one.
struct Chosen<'a, F> {
    output: Output,
    recovery: Option<&'a mut Recovery>,
    requests: Option<&'a UdpSocket>,
    now: u64,
    deliver: &'a mut F,
}

impl<F: FnMut(&[u8])> Sink for Chosen<'_, F> {
    fn packet(&mut self, delivery: Delivery<'_>) {
        if delivery.output != self.output {
            let heartbeat = delivery.count == 0 && !delivery.end_of_session;
            if let Some(recovery) = self.recovery.as_mut().filter(|_| heartbeat) {
                // The high-reliability output refuses a heartbeat that is ahead of what is expected there.
                recovery.heartbeat(delivery.payload, self.now);
            }
            return;
        }
        match &mut self.recovery {
            Some(recovery) => {
                let (requests, deliver) = (self.requests, &mut *self.deliver);
                recovery.packet(
                    delivery.payload,
                    self.now,
                    &mut Complete { requests, deliver },
                );
            }
            None => (self.deliver)(delivery.payload),
        }
    }

    /// All of it is counted.
    fn event(&mut self, _: Event) {}
}

/// The consumer after a recovery.
struct Complete<'a, F> {
    requests: Option<&'a UdpSocket>,
    deliver: &'a mut F,
}

impl<F: FnMut(&[u8])> Outlet for Complete<'_, F> {
    fn packet(&mut self, payload: &[u8]) {
        (self.deliver)(payload);
    }

    /// The pipeline sees the gap by the numbers.
    fn lost(&mut self, _: u64, _: u64) {}

    fn request(&mut self, request: &[u8; HEADER]) {
        // If the request does not go out, it is sent again.
        let _ = self.requests.map(|socket| socket.send(request));
    }
}

/// The state of the arbitration.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// The output that the pipeline takes.
    output: &'static str,
    /// Packets of another session than the current one.
    other_session: u32,
    #[serde(flatten)]
    counters: Counters,
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery: Option<RecoveryCounters>,
}

impl Status {
    /// Messages lost on the output that the pipeline takes, and those of them recovered.
    pub fn lost(&self) -> (u64, u64) {
        let output = if self.output == "low latency" {
            &self.counters.low_latency
        } else {
            &self.counters.high_reliability
        };
        let recovered = self.recovery.map_or(0, |recovery| recovery.recovered);
        (output.lost, recovered)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counters = &self.counters;
        write!(f, "  the pipeline takes the {} output", self.output)?;
        write!(
            f,
            "\n  session_reset {}, of another session {}",
            counters.session_reset, self.other_session
        )?;
        for (name, line) in ('A'..).zip(&counters.lines) {
            write!(
                f,
                "\n  line {name}: malformed {}, far {}, stale {}",
                line.malformed, line.far, line.stale
            )?;
        }
        let mut output = |name: &str, output: &OutputCounters| {
            write!(f, "\n  {name}: gap {}, lost {}", output.gap, output.lost)?;
            ('A'..).zip(&output.lines).try_for_each(|(name, line)| {
                write!(
                    f,
                    "\n    line {name}: passed {}, refused {}, bad {}",
                    line.passed, line.refused, line.bad
                )
            })
        };
        output("low latency", &counters.low_latency)?;
        output("high reliability", &counters.high_reliability)?;
        for (name, store) in ('A'..).zip(&counters.store) {
            write!(
                f,
                "\n    store of {name}: kept {}, released {}, forced {}, overflow {}, too_long {}",
                store.kept, store.released, store.forced, store.overflow, store.too_long
            )?;
        }
        let Some(recovery) = self.recovery else {
            return Ok(());
        };
        write!(
            f,
            "\n  recovery: gap {}, request {}, repeat {}, answer {}, recovered {}, given_up {}, lost {}",
            recovery.gap,
            recovery.request,
            recovery.repeat,
            recovery.answer,
            recovery.recovered,
            recovery.given_up,
            recovery.lost
        )?;
        write!(
            f,
            ", malformed {}, other_session {}, unasked {}",
            recovery.malformed, recovery.other_session, recovery.unasked
        )
    }
}

#[cfg(test)]
mod tests {
    use wire::mold::Header;

    use super::*;
    use crate::desk::Desk;

    /// Packets of one message, and what the pipeline gets: session and number.
    struct Bench {
        front: Front,
        got: Vec<(u8, u64)>,
    }

    fn packet(session: u8, number: u64) -> Vec<u8> {
        let header = Header {
            session: [session; 10],
            sequence: number,
            count: 1,
        };
        [&header.to_bytes()[..], b"\0\x05hello"].concat()
    }

    impl Bench {
        fn new(arbitration: &str) -> Self {
            let desk = Desk::parse(&format!(
                "[feed]\nitch = \"5.0\"\nlines = [\"127.0.0.1:1\", \"127.0.0.1:2\"]\n[arbitration]\n{arbitration}\n\
                 [statistics]\nsymbols = []\n[report]\nto = \"127.0.0.1:3\"\n"
            ));
            let front = Front::new(2, &desk.unwrap().arbitration).unwrap();
            Self { front, got: vec![] }
        }

        fn datagram(&mut self, line: usize, payload: &[u8], now: u64) {
            let got = &mut self.got;
            let mut deliver = |payload: &[u8]| got.push((payload[0], u64::from(payload[17])));
            self.front.datagram(line, payload, now, &mut deliver);
        }
    }

    #[test]
    fn a_session_that_begins_anew_at_low_numbers_goes_on_and_the_old_one_does_not_come_back() {
        for output in ["low latency", "high reliability"] {
            let mut bench = Bench::new(&format!("output = \"{output}\""));
            for number in 198..200 {
                bench.datagram(0, &packet(b'a', number), 0);
                bench.datagram(1, &packet(b'a', number), 1);
            }
            bench.datagram(0, &packet(b'b', 1), 2);
            bench.datagram(1, &packet(b'b', 1), 3);
            bench.datagram(1, &packet(b'a', 200), 4);
            bench.datagram(1, &packet(b'a', 201), 5);
            bench.datagram(0, &packet(b'b', 2), 6);
            let expected = [(b'a', 198), (b'a', 199), (b'b', 1), (b'b', 2)];
            assert_eq!(bench.got, expected, "{output}");
            assert_eq!(bench.front.status().other_session, 3);
        }
    }

    #[test]
    fn packets_without_a_session_are_arbitrated_by_number_and_begin_anew_after_silence() {
        let desk = desk::Arbitration::default();
        let mut front = Front::of_protocol(Protocol::MOEX, 2, &desk).unwrap();
        let mut got = vec![];
        let mut send = |line, number: u32, now| {
            let packet = [&number.to_le_bytes()[..], b"message"].concat();
            front.numbered_datagram(line, &packet, now, &mut |payload: &[u8]| {
                got.push(u32::from_le_bytes(*payload.first_chunk().unwrap()));
            });
        };
        for number in 1_000..1_010 {
            send(0, number, u64::from(number));
            send(1, number, u64::from(number));
        }
        send(0, 1, 2_000);
        let restarted = RESTARTED.as_nanos() as u64;
        send(1, 1, restarted);
        let anew = 1_009 + restarted + 1;
        send(0, 2, anew);
        send(1, 2, anew);
        send(1, 3, anew);
        let expected: Vec<u32> = (1_000..1_010).chain([2, 3]).collect();
        assert_eq!(got, expected);
        // What has no number is passed on, to be counted.
        let mut short = 0;
        front.numbered_datagram(0, b"abc", anew, &mut |_: &[u8]| short += 1);
        assert_eq!(short, 1);
    }

    #[test]
    fn a_datagram_that_is_no_packet_is_handed_on_to_be_counted_and_the_other_lines_copy_passes() {
        let mut bench = Bench::new("");
        bench.datagram(0, &packet(b'a', 1), 0);
        bench.datagram(0, &packet(b'a', 2)[..24], 1);
        bench.datagram(1, &packet(b'a', 2), 2);
        assert_eq!(bench.got, [(b'a', 1), (b'a', 2), (b'a', 2)]);
        let counters = bench.front.status().counters;
        assert_eq!(counters.low_latency.lines[0].bad, 1);
        assert_eq!(counters.low_latency.lines[1].passed, 1);
    }

    #[test]
    fn what_a_heartbeat_announces_goes_to_the_request_server_when_the_window_is_over() {
        let server = UdpSocket::bind("127.0.0.1:0").unwrap();
        server.set_nonblocking(true).unwrap();
        let address = server.local_addr().unwrap();
        let mut bench = Bench::new(&format!(
            "output = \"high reliability\"\nwindow = \"count\"\ntime_ns = 100\nrequest_timeout_ns = 50\nrequest_server = \"{address}\""
        ));
        bench.datagram(0, &packet(b'a', 1), 0);
        let header = |count| Header {
            session: [b'a'; 10],
            sequence: if count == 0 { 4 } else { 2 },
            count,
        };
        bench.datagram(0, &header(0).to_bytes(), 10);
        assert_eq!(bench.front.deadline(), Some(110));
        let mut request = [0; 64];
        bench.front.poll(109, &mut |_: &[u8]| {});
        assert!(server.recv(&mut request).is_err());
        bench.front.poll(110, &mut |_: &[u8]| {});
        server.set_nonblocking(false).unwrap();
        let length = server.recv(&mut request).unwrap();
        assert_eq!(request[..length], header(2).to_bytes());
        assert_eq!(bench.front.deadline(), Some(160));
    }

    #[test]
    fn a_gap_goes_to_the_request_server_and_its_answer_into_its_place() {
        let server = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let mut bench = Bench::new(&format!(
            "output = \"high reliability\"\nwindow = \"time\"\ntime_ns = 100\nrequest_server = \"{address}\""
        ));
        bench.datagram(0, &packet(b'a', 1), 0);
        bench.datagram(0, &packet(b'a', 3), 10);
        assert_eq!(bench.front.deadline(), Some(110));
        let mut got = vec![];
        let mut deliver = |payload: &[u8]| got.push(u64::from(payload[17]));
        bench.front.poll(110, &mut deliver);
        let mut request = [0; 64];
        let (length, from) = server.recv_from(&mut request).unwrap();
        let asked = Header {
            session: [b'a'; 10],
            sequence: 2,
            count: 1,
        };
        assert_eq!(request[..length], asked.to_bytes());
        server.send_to(&packet(b'a', 2), from).unwrap();
        let answers = bench.front.answers().unwrap().unwrap();
        answers.set_nonblocking(false).unwrap();
        let mut answer = [0; 64];
        let length = answers.recv(&mut answer).unwrap();
        bench.front.answer(&answer[..length], 200, &mut deliver);
        assert_eq!(got, [2, 3]);
        assert_eq!(bench.front.status().lost(), (1, 1));
    }
}
