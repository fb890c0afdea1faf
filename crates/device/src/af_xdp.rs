//! Frames through an AF_XDP socket: past the kernel's network stack, straight into memory that this process shares with the kernel.
//!
//! ```text
//!  network device ─ XDP program (redirect) ─ AF_XDP socket ─ receive ring ─ Receiver::receive ─ the frame, as bytes
//!                                                  └──── fill ring: buffers that are free again ────┘
//! ```
//!
//! Source: the kernel's Documentation/networking/af_xdp.rst. The socket and its rings are those of the crate `xdp`. That crate loads no program, and the
//! usual loaders want an ELF file from a BPF compiler, so `redirect` loads the six instructions that are needed through bpf(2).
//!
//! The socket runs in copy mode on the generic hook: every network device has that, [`veth`] too. A driver's own hook and zero-copy mode are faster; they need a
//! network card that has them.
//!
//! Only this module of the crate has unsafe code. It is sound because
//! - buffers never leave [`Receiver`]: [`Receiver::receive`] lends each frame to a function and takes it back before it returns;
//! - the receiver owns socket, rings and buffers together, and nothing else points into them;
//! - the system calls are given structures of the kernel's layout that live until the call returns.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::io;

use xdp::error::Error as XdpError;
use xdp::nic::NicIndex;

use xdp::slab::{Slab, StackSlab};
use xdp::socket::{SocketError, XdpSocket, XdpSocketBuilder};
use xdp::umem::{FrameSize, UmemCfgBuilder};
use xdp::{RingConfigBuilder, Umem};

mod redirect;
pub mod veth;

use redirect::Redirect;

/// Buffers, each for one frame; all are given to the kernel.
const BUFFERS: u32 = 2_048;
/// Frames that [`Receiver::receive`] takes at once; the others wait in the ring.
const BATCH: usize = 64;
/// The receive queue of the device that the socket is bound to.
const QUEUE: u32 = 0;

/// The longest frame, without FCS, in bytes: a buffer of 2,048 less the 256 that the kernel keeps free before it (`XDP_PACKET_HEADROOM`).
pub const MAX_FRAME: usize = 2_048 - 256;

/// Why frames cannot be had through AF_XDP on this machine.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    /// This process may not do what is needed.
    #[error(
        "{what} is not permitted: run as root (CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_NET_RAW and CAP_BPF)"
    )]
    NotPermitted {
        /// What was tried.
        what: &'static str,
    },
    /// The kernel has no AF_XDP.
    #[error("this kernel has no AF_XDP sockets: CONFIG_XDP_SOCKETS is needed")]
    NoSockets,
    /// A program that sets up network devices is missing.
    #[error("the program ip is not installed: install iproute2")]
    NoIp,
    /// `ip` refused to make the devices.
    #[error("ip cannot make a pair of veth devices: {0}")]
    Veth(String),
    /// A packet does not fit into a frame of the veth devices.
    #[error(
        "a packet has a payload of {longest} bytes: at most {} fit into a frame of the veth devices",
        veth::MAX_PAYLOAD
    )]
    TooLong {
        /// Bytes of the longest payload.
        longest: usize,
    },
    /// There is no such network device in this network namespace.
    #[error("there is no network device {0}")]
    Device(String),
    /// The kernel refused a step.
    #[error("the kernel refuses {what}: {cause}")]
    Refused {
        /// The step.
        what: &'static str,
        /// What the kernel says.
        cause: io::Error,
    },
}

impl Unavailable {
    /// The kernel's answer to a step, as a sentence.
    fn of(what: &'static str) -> impl Fn(io::Error) -> Self {
        move |cause| match cause.kind() {
            io::ErrorKind::PermissionDenied => Self::NotPermitted { what },
            _ => Self::Refused { what, cause },
        }
    }
}

/// Receives the frames of one network device. The device's other users get none of them while it lives.
pub struct Receiver {
    // In the order in which they are dropped: first no more frames come, memory goes last.
    _redirect: Redirect,
    socket: XdpSocket,
    rings: xdp::Rings,
    received: StackSlab<BATCH>,
    umem: Umem,
}

// SAFETY: the compiler does not derive it because of the pointers into the mappings of rings and buffers. Only this receiver has those, they are tied to no thread, and
// every use of them goes through `&mut self`.
unsafe impl Send for Receiver {}

impl std::fmt::Debug for Receiver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}

impl Receiver {
    /// Opens a socket on queue 0 of a network device of the calling thread's network namespace, and redirects to it what comes there.
    ///
    /// # Errors
    /// What is missing on this machine, as a sentence; the device has such a socket already, or had one until a moment ago: the kernel takes some milliseconds to release it.
    pub fn open(device: &str) -> Result<Self, Unavailable> {
        let nic = index_of(device)?;
        let buffers = UmemCfgBuilder {
            frame_size: FrameSize::TwoK,
            frame_count: BUFFERS,
            ..UmemCfgBuilder::default()
        };
        let buffers = buffers.build().map_err(of_configuration)?;
        let mut umem =
            Umem::map(buffers).map_err(Unavailable::of("memory for the frames' buffers"))?;
        let mut socket = XdpSocketBuilder::new().map_err(of_socket)?;
        let counts = RingConfigBuilder {
            rx_count: BUFFERS,
            tx_count: 0,
            fill_count: BUFFERS,
            // Nothing is sent, but the kernel wants one.
            completion_count: 2,
        };
        let counts = counts.build().map_err(of_configuration)?;
        let (mut rings, mut flags) = socket.build_rings(&umem, counts).map_err(of_socket)?;
        flags.force_copy();
        // SAFETY: the buffers outlive the socket: the receiver owns both and drops the buffers last.
        unsafe { rings.fill_ring.enqueue(&mut umem, BUFFERS as usize) };
        let socket = socket.bind(nic, QUEUE, flags).map_err(of_socket)?;
        let redirect = Redirect::attach(nic.0, QUEUE, socket.raw_fd())?;
        Ok(Self {
            _redirect: redirect,
            socket,
            rings,
            received: StackSlab::new(),
            umem,
        })
    }

    /// Lends each frame that is there, from the destination MAC to the last byte before the FCS, to `take`, in order; gives their number. Never waits, makes no
    /// system call and allocates nothing.
    #[inline]
    pub fn receive(&mut self, mut take: impl FnMut(&[u8])) -> usize {
        let Some(ring) = &mut self.rings.rx_ring else {
            return 0;
        };
        // SAFETY: the packets do not outlive the buffers: both are fields of this receiver, and packets go back to `umem` below.
        let count = unsafe { ring.recv(&self.umem, &mut self.received) };
        if count == 0 {
            return 0;
        }
        while let Some(packet) = self.received.pop_back() {
            take(&packet);
            self.umem.free_packet(packet);
        }
        // SAFETY: as in `open`.
        unsafe { self.rings.fill_ring.enqueue(&mut self.umem, count) };
        count
    }

    /// Frames that the kernel dropped so far: longer than [`MAX_FRAME`], or more than there are buffers for.
    ///
    /// # Errors
    /// That of the socket call.
    pub fn dropped(&self) -> io::Result<u64> {
        let counters = self.socket.statistics().map_err(io::Error::other)?;
        Ok(counters.rx_dropped + counters.rx_ring_full)
    }
}

fn index_of(device: &str) -> Result<NicIndex, Unavailable> {
    let none = || Unavailable::Device(device.to_owned());
    let name = CString::new(device).map_err(|_| none())?;
    let found = NicIndex::lookup_by_name(&name);
    found.ok().flatten().ok_or_else(none)
}

/// The crate `xdp` refuses the sizes above.
fn of_configuration(error: XdpError) -> Unavailable {
    Unavailable::Refused {
        what: "these rings",
        cause: io::Error::other(error.to_string()),
    }
}

fn of_socket(error: SocketError) -> Unavailable {
    match error {
        SocketError::SocketCreation(cause) if cause.raw_os_error() == Some(libc::EAFNOSUPPORT) => {
            Unavailable::NoSockets
        }
        SocketError::SocketCreation(cause) => Unavailable::of("an AF_XDP socket")(cause),
        SocketError::SetSockOpt { inner, .. } | SocketError::GetSockOpt { inner, .. } => {
            Unavailable::of("the rings of an AF_XDP socket")(inner)
        }
        SocketError::RingMap { inner, .. } => {
            Unavailable::of("to map the rings of an AF_XDP socket")(inner)
        }
        SocketError::Bind(cause) => Unavailable::of("to bind an AF_XDP socket")(cause),
    }
}

#[cfg(test)]
mod tests;
