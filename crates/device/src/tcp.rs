//! The connection of the order session: `rtl/net/tcp/tcp_pkg.sv`.

use std::net::Ipv4Addr;
use std::time::Duration;

/// How the core connects (`tcp_config_t`). Times are rounded up to ticks of 256 µs; the longest is 67 s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpConfig {
    /// The peer.
    pub peer_ip: Ipv4Addr,
    /// Its port.
    pub peer_port: u16,
    /// Our port.
    pub local_port: u16,
    /// Whose MAC is asked for: the peer's address, or that of the router to it.
    pub next_hop: Ipv4Addr,
    /// The most payload in a segment, either way.
    pub mss: u16,
    /// F() of RFC 6528, for the initial sequence number.
    pub secret: u32,
    /// RFC 6298: 1 s.
    pub rto_initial: Duration,
    /// RFC 6298: 1 s; Linux: 200 ms.
    pub rto_minimum: Duration,
    /// RFC 6298: at least 60 s.
    pub rto_maximum: Duration,
    /// Silence until a probe; zero: none are sent.
    pub keep_alive: Duration,
    /// 2 MSL.
    pub time_wait: Duration,
    /// Retransmissions or probes without an answer, until the session is given up: at most 15.
    pub retries: u8,
}

impl TcpConfig {
    /// A connection with the times that most stacks use. `secret` must not be guessable.
    pub fn new(peer_ip: Ipv4Addr, peer_port: u16, local_port: u16, secret: u32) -> Self {
        TcpConfig {
            peer_ip,
            peer_port,
            local_port,
            next_hop: peer_ip,
            mss: 1_460,
            secret,
            rto_initial: Duration::from_secs(1),
            rto_minimum: Duration::from_millis(200),
            rto_maximum: Duration::from_secs(60),
            keep_alive: Duration::ZERO,
            time_wait: Duration::from_secs(60),
            retries: 8,
        }
    }
}

/// State of the connection: `tcp_state_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the states of RFC 9293, 3.3.2")]
pub enum TcpState {
    Closed,
    SynSent,
    SynReceived,
    Established,
    FinWait1,
    FinWait2,
    CloseWait,
    Closing,
    LastAck,
    TimeWait,
}

impl TcpState {
    pub(crate) const ALL: [TcpState; 10] = [
        TcpState::Closed,
        TcpState::SynSent,
        TcpState::SynReceived,
        TcpState::Established,
        TcpState::FinWait1,
        TcpState::FinWait2,
        TcpState::CloseWait,
        TcpState::Closing,
        TcpState::LastAck,
        TcpState::TimeWait,
    ];

    /// Whether messages can be sent.
    pub const fn is_connected(self) -> bool {
        matches!(self, TcpState::Established | TcpState::CloseWait)
    }
}

/// The connection as the registers show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// TCP's state.
    pub tcp: TcpState,
    /// The next hop's MAC is known.
    pub next_hop_known: bool,
    /// There is no room for an order, in the peer's window or in the buffer.
    pub full: bool,
    /// Connect was requested, and has not begun.
    pub connecting: bool,
}
