//! How the market data gets to the desk: through a kernel socket, or through an AF_XDP socket.
//!
//! ```text
//!  kernel sockets   feed's UDP socket ─ loopback ─ kernel's IPv4 and UDP ─ the desk's UDP socket
//!  AF_XDP           feed's UDP socket ─ veth ═ veth ─ XDP program ─ the desk's AF_XDP socket ─ IPv4 and UDP, here
//! ```
//!
//! The feed's end is the same, so what differs is what is measured. Over loopback nobody works out or checks the UDP checksum; over AF_XDP the kernel fills it in
//! and the desk checks it, as it must with a network card.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::atomic::{AtomicBool, Ordering};

use device::af_xdp::{self, Unavailable, veth};
use feed::socket::{
    DEFAULT_RECEIVE_BUFFER, Endpoint, Input, Next, Receiver, Sender, SenderOptions, Wait,
};
use formats::frame::{NetConfig, classify_without_fcs};

use crate::Error;
use crate::packets::Packets;

/// The UDP port of market data over AF_XDP.
const PORT: u16 = 26_400;

/// How market data gets to a desk in software.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intake {
    /// A kernel socket, which waits so.
    Sockets(Wait),
    /// An AF_XDP socket, polled without sleep, at the end of a pair of veth devices. The orders leave through a kernel socket all the same.
    AfXdp,
}

impl Intake {
    /// What it is, for people.
    pub const fn label(self) -> &'static str {
        match self {
            Intake::Sockets(Wait::Blocking) => "Software, blocking sockets",
            Intake::Sockets(Wait::BusyPoll) => "Software, busy-poll sockets",
            Intake::AfXdp => "Software, AF_XDP",
        }
    }

    /// What it is, for files.
    pub const fn key(self) -> &'static str {
        match self {
            Intake::Sockets(Wait::Blocking) => "software_blocking",
            Intake::Sockets(Wait::BusyPoll) => "software_busy_poll",
            Intake::AfXdp => "software_af_xdp",
        }
    }

    /// What is being done, for a progress bar.
    pub(super) const fn progress(self) -> &'static str {
        match self {
            Intake::Sockets(Wait::Blocking) => "tick to trade, blocking",
            Intake::Sockets(Wait::BusyPoll) => "tick to trade, busy-poll",
            Intake::AfXdp => "tick to trade, AF_XDP",
        }
    }

    /// Whether these packets can come this way.
    ///
    /// # Errors
    /// One of them does not fit into a frame.
    pub(super) fn takes(self, packets: &Packets) -> Result<(), Error> {
        let longest = packets.iter().map(|packet| packet.payload.len()).max();
        match longest {
            Some(longest) if self == Intake::AfXdp && longest > veth::MAX_PAYLOAD => {
                Err(Unavailable::TooLong { longest }.into())
            }
            _ => Ok(()),
        }
    }

    /// The feed's end and the desk's.
    ///
    /// # Errors
    /// A socket is refused; this machine has no AF_XDP.
    pub(super) fn open(self) -> Result<(Sender, DeskEnd), Error> {
        match self {
            Intake::Sockets(wait) => over_loopback(wait).map_err(Error::Socket),
            Intake::AfXdp => over_veth(),
        }
    }
}

fn over_loopback(wait: Wait) -> io::Result<(Sender, DeskEnd)> {
    let any: Endpoint = "127.0.0.1:0".parse().map_err(io::Error::other)?;
    let receiver = Receiver::open(&[any], wait, DEFAULT_RECEIVE_BUFFER)?;
    let there = receiver.local_addresses()?;
    let there = there.first().ok_or(ErrorKind::AddrNotAvailable)?;
    let there: Endpoint = there.to_string().parse().map_err(io::Error::other)?;
    let sender = Sender::open(&there, SenderOptions::default())?;
    Ok((sender, DeskEnd::Socket(receiver)))
}

fn over_veth() -> Result<(Sender, DeskEnd), Error> {
    let pair = veth::Pair::new()?;
    let there = Endpoint::from(SocketAddrV4::new(veth::ADDRESS, PORT));
    let ends = pair.run(|| {
        let frames = af_xdp::Receiver::open(veth::RECEIVER)?;
        let sender = Sender::open(&there, SenderOptions::default());
        Ok::<_, Error>((sender.map_err(Error::Socket)?, frames))
    });
    let (sender, frames) = ends.map_err(Error::Socket)??;
    let config = NetConfig {
        local_mac: veth::MAC,
        local_ip: veth::ADDRESS,
        groups: [Ipv4Addr::UNSPECIFIED; 4],
        ports: [PORT, 0, 0, 0],
    };
    let frames = Box::new(frames);
    Ok((sender, DeskEnd::Frames { frames, config }))
}

/// Where the desk takes its market data.
#[derive(Debug)]
pub(super) enum DeskEnd {
    /// A kernel socket: datagrams.
    Socket(Receiver),
    /// An AF_XDP socket: frames, of which those that `config` names are the desk's.
    Frames {
        frames: Box<af_xdp::Receiver>,
        config: NetConfig,
    },
}

impl DeskEnd {
    /// Gives the payload of each datagram to `take`, until that is done or `stop` is set.
    ///
    /// # Errors
    /// Those of the socket calls.
    pub(super) fn run(
        &mut self,
        stop: &AtomicBool,
        mut take: impl FnMut(&[u8]) -> Next,
    ) -> io::Result<()> {
        match self {
            DeskEnd::Socket(receiver) => receiver.run(stop, |input| match input {
                Input::Datagram { payload, .. } => take(payload),
                Input::Idle => Next::Continue,
            }),
            DeskEnd::Frames { frames, config } => {
                let mut next = Next::Continue;
                while next != Next::Stop && !stop.load(Ordering::Relaxed) {
                    let came = frames.receive(|frame| {
                        if let Ok(datagram) = classify_without_fcs(frame, config)
                            && next != Next::Stop
                        {
                            next = take(datagram.payload);
                        }
                    });
                    if came == 0 {
                        std::hint::spin_loop();
                    }
                }
                Ok(())
            }
        }
    }
}
