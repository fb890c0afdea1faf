//! The lines of a desk on sockets: they are made one, and what all lost is requested from the server that the desk names.

use std::io;
use std::net::UdpSocket;

use arbiter::{ConfigError, Protocol};
use feed::recovery::Outlet;
use feed::socket::Endpoint;
use formats::mold::HEADER;
use pipeline::{Lines, LinesConfig};

use crate::desk;

/// The lines, and the way to the request server.
pub struct LineArbiter {
    lines: Lines,
    requests: Option<UdpSocket>,
}

impl LineArbiter {
    /// Builds it for so many lines, as the desk says. The socket to the request server is opened, but does not wait for it.
    ///
    /// # Errors
    /// The window or the number of lines is impossible, or the socket cannot be opened.
    pub fn new(
        protocol: Protocol,
        lines: usize,
        desk: &desk::Arbitration,
    ) -> Result<Self, LinesError> {
        let server = desk.request_server();
        let server = server.filter(|_| protocol == Protocol::MOLD_UDP64);
        let requests = server.map(connect).transpose()?;
        let config = LinesConfig {
            protocol,
            lines,
            output: desk.output(),
            window: desk.window(),
            packets: desk.packets,
            recovery: requests.is_some().then(|| desk.recovery()),
        };
        Ok(Self {
            lines: Lines::new(&config)?,
            requests,
        })
    }

    /// The socket on which answers come, for the receive loop.
    ///
    /// # Errors
    /// The socket cannot be shared.
    pub fn answers(&self) -> io::Result<Option<UdpSocket>> {
        self.requests.as_ref().map(UdpSocket::try_clone).transpose()
    }

    /// The lines, and where what they pass on goes: packets to `deliver`, requests to the server.
    pub fn split<'a, F: FnMut(&[u8])>(
        &'a mut self,
        deliver: &'a mut F,
    ) -> (&'a mut Lines, OnSockets<'a, F>) {
        let requests = self.requests.as_ref();
        (&mut self.lines, OnSockets { requests, deliver })
    }

    /// The lines.
    pub const fn lines(&self) -> &Lines {
        &self.lines
    }
}

fn connect(server: Endpoint) -> Result<UdpSocket, LinesError> {
    let open = || {
        let socket = UdpSocket::bind("0.0.0.0:0")?;
        // Connected, it takes answers from no one else.
        socket.connect(server.address)?;
        socket.set_nonblocking(true)?;
        Ok(socket)
    };
    open().map_err(|cause| LinesError::Server(server, cause))
}

/// Why lines cannot be made one.
#[derive(Debug, thiserror::Error)]
pub enum LinesError {
    /// The arbiter refuses it.
    #[error(transparent)]
    Arbiter(#[from] ConfigError),
    /// The socket to the request server.
    #[error("{0}: {1}")]
    Server(Endpoint, io::Error),
}

/// Gives packets on, and requests to the server.
pub struct OnSockets<'a, F> {
    requests: Option<&'a UdpSocket>,
    deliver: &'a mut F,
}

impl<F: FnMut(&[u8])> Outlet for OnSockets<'_, F> {
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

#[cfg(test)]
mod tests {
    use formats::mold::Header;
    use pipeline::SEQUENCE_RESET;

    use super::*;
    use crate::desk::Desk;

    /// Packets of one message, and what the pipeline gets: session and number.
    struct Feed {
        lines: LineArbiter,
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

    impl Feed {
        fn new(arbitration: &str) -> Self {
            let desk = Desk::parse(&format!(
                "[feed]\nitch = \"5.0\"\nlines = [\"127.0.0.1:1\", \"127.0.0.1:2\"]\n[arbitration]\n{arbitration}\n\
                 [statistics]\nsymbols = []\n[report]\nto = \"127.0.0.1:3\"\n"
            ));
            let desk = desk.unwrap().arbitration;
            let lines = LineArbiter::new(Protocol::MOLD_UDP64, 2, &desk).unwrap();
            Self { lines, got: vec![] }
        }

        fn datagram(&mut self, line: usize, payload: &[u8], now: u64) {
            let got = &mut self.got;
            let mut deliver = |payload: &[u8]| got.push((payload[0], u64::from(payload[17])));
            let (lines, mut outlet) = self.lines.split(&mut deliver);
            lines.datagram(line, payload, now, &mut outlet);
        }
    }

    #[test]
    fn a_session_that_begins_anew_at_low_numbers_goes_on_and_the_old_one_does_not_come_back() {
        for output in ["low latency", "high reliability"] {
            let mut feed = Feed::new(&format!("output = \"{output}\""));
            for number in 198..200 {
                feed.datagram(0, &packet(b'a', number), 0);
                feed.datagram(1, &packet(b'a', number), 1);
            }
            feed.datagram(0, &packet(b'b', 1), 2);
            feed.datagram(1, &packet(b'b', 1), 3);
            feed.datagram(1, &packet(b'a', 200), 4);
            feed.datagram(1, &packet(b'a', 201), 5);
            feed.datagram(0, &packet(b'b', 2), 6);
            let expected = [(b'a', 198), (b'a', 199), (b'b', 1), (b'b', 2)];
            assert_eq!(feed.got, expected, "{output}");
            assert_eq!(feed.lines.lines().status().other_session, 3);
        }
    }

    #[test]
    fn packets_without_a_session_are_arbitrated_by_number_and_begin_anew_after_silence() {
        let desk = desk::Arbitration::default();
        let mut lines = LineArbiter::new(Protocol::MOEX, 2, &desk).unwrap();
        let mut got = vec![];
        let mut send = |line, number: u32, now| {
            let packet = [&number.to_le_bytes()[..], b"message"].concat();
            let mut deliver = |payload: &[u8]| {
                got.push(u32::from_le_bytes(*payload.first_chunk().unwrap()));
            };
            let (lines, mut outlet) = lines.split(&mut deliver);
            lines.datagram(line, &packet, now, &mut outlet);
        };
        for number in 1_000..1_010 {
            send(0, number, u64::from(number));
            send(1, number, u64::from(number));
        }
        send(0, 1, 2_000);
        let restarted = SEQUENCE_RESET.as_nanos() as u64;
        send(1, 1, restarted);
        let anew = 1_009 + restarted + 1;
        send(0, 2, anew);
        send(1, 2, anew);
        send(1, 3, anew);
        let expected: Vec<u32> = (1_000..1_010).chain([2, 3]).collect();
        assert_eq!(got, expected);
        // What has no number is passed on, to be counted.
        let mut short = 0;
        let mut deliver = |_: &[u8]| short += 1;
        let (lines, mut outlet) = lines.split(&mut deliver);
        lines.datagram(0, b"abc", anew, &mut outlet);
        assert_eq!(short, 1);
    }

    #[test]
    fn a_datagram_that_is_no_packet_is_handed_on_to_be_counted_and_the_other_lines_copy_passes() {
        let mut feed = Feed::new("");
        feed.datagram(0, &packet(b'a', 1), 0);
        feed.datagram(0, &packet(b'a', 2)[..24], 1);
        feed.datagram(1, &packet(b'a', 2), 2);
        assert_eq!(feed.got, [(b'a', 1), (b'a', 2), (b'a', 2)]);
        let counters = feed.lines.lines().status().counters;
        assert_eq!(counters.low_latency.lines[0].bad, 1);
        assert_eq!(counters.low_latency.lines[1].passed, 1);
    }

    #[test]
    fn what_a_heartbeat_announces_goes_to_the_request_server_when_the_window_is_over() {
        let server = UdpSocket::bind("127.0.0.1:0").unwrap();
        server.set_nonblocking(true).unwrap();
        let address = server.local_addr().unwrap();
        let mut feed = Feed::new(&format!(
            "output = \"high reliability\"\nwindow = \"count\"\ntime_ns = 100\nrequest_timeout_ns = 50\nrequest_server = \"{address}\""
        ));
        feed.datagram(0, &packet(b'a', 1), 0);
        let header = |count| Header {
            session: [b'a'; 10],
            sequence: if count == 0 { 4 } else { 2 },
            count,
        };
        feed.datagram(0, &header(0).to_bytes(), 10);
        assert_eq!(feed.lines.lines().deadline(), Some(110));
        let mut request = [0; 64];
        let mut deliver = |_: &[u8]| {};
        let (lines, mut outlet) = feed.lines.split(&mut deliver);
        lines.poll(109, &mut outlet);
        assert!(server.recv(&mut request).is_err());
        lines.poll(110, &mut outlet);
        server.set_nonblocking(false).unwrap();
        let length = server.recv(&mut request).unwrap();
        assert_eq!(request[..length], header(2).to_bytes());
        assert_eq!(feed.lines.lines().deadline(), Some(160));
    }

    #[test]
    fn a_gap_goes_to_the_request_server_and_its_answer_into_its_place() {
        let server = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let mut feed = Feed::new(&format!(
            "output = \"high reliability\"\nwindow = \"time\"\ntime_ns = 100\nrequest_server = \"{address}\""
        ));
        feed.datagram(0, &packet(b'a', 1), 0);
        feed.datagram(0, &packet(b'a', 3), 10);
        assert_eq!(feed.lines.lines().deadline(), Some(110));
        let mut got = vec![];
        let mut deliver = |payload: &[u8]| got.push(u64::from(payload[17]));
        let answers = feed.lines.answers().unwrap().unwrap();
        let (lines, mut outlet) = feed.lines.split(&mut deliver);
        lines.poll(110, &mut outlet);
        let mut request = [0; 64];
        let (length, from) = server.recv_from(&mut request).unwrap();
        let asked = Header {
            session: [b'a'; 10],
            sequence: 2,
            count: 1,
        };
        assert_eq!(request[..length], asked.to_bytes());
        server.send_to(&packet(b'a', 2), from).unwrap();
        answers.set_nonblocking(false).unwrap();
        let mut answer = [0; 64];
        let length = answers.recv(&mut answer).unwrap();
        lines.answer(&answer[..length], 200, &mut outlet);
        assert_eq!(got, [2, 3]);
        assert_eq!(feed.lines.lines().status().lost(), (1, 1));
    }
}
