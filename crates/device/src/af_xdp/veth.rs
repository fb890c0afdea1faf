//! A pair of veth devices in a network namespace of their own: a cable, to send and receive frames on one machine.
//!
//! ```text
//!  a UDP socket to ADDRESS ─ SENDER ═══ veth ═══ RECEIVER ─ an AF_XDP socket
//! ```
//!
//! The namespace has no name. It ends with what holds it: this pair, and the sockets that were opened in it. Nothing is left behind, even by a process that was killed.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, AsRawFd};
use std::process::{Command, Stdio};

use formats::ethernet::MacAddress;
use rustix::net::{AddressFamily, SocketType, socket};
use rustix::thread::{LinkNameSpaceType, UnshareFlags};

use super::Unavailable;

/// The device at the sender's end.
pub const SENDER: &str = "tick0";
/// The device at the receiver's end.
pub const RECEIVER: &str = "tick1";
/// The receiver's address: of the network for examples (RFC 5737).
pub const ADDRESS: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 2);
/// The receiver's MAC, locally administered.
pub const MAC: MacAddress = MacAddress([2, 0, 0, 0, 0, 2]);
/// The longest UDP payload that fits into one frame, in bytes: an MTU of 1,500 less the headers of IPv4 and UDP.
pub const MAX_PAYLOAD: usize = 1_500 - 20 - 8;

/// One queue, so that all frames come on that of the socket; no IPv6, which would send frames of its own; the neighbour is known, so that nobody asks for it. The
/// sender's end comes up last: it then has its carrier at once, and loses no frame.
const COMMANDS: &str = "\
link add tick0 address 02:00:00:00:00:01 mtu 1500 numtxqueues 1 numrxqueues 1 type veth peer name tick1 address 02:00:00:00:00:02 mtu 1500 numtxqueues 1 numrxqueues 1
link set tick0 addrgenmode none
link set tick1 addrgenmode none
address add 192.0.2.1/30 dev tick0
link set tick1 up
link set tick0 up
neighbour replace 192.0.2.2 lladdr 02:00:00:00:00:02 dev tick0 nud permanent
";

/// The pair.
#[derive(Debug)]
pub struct Pair {
    namespace: File,
}

impl Pair {
    /// Makes the namespace and the devices.
    ///
    /// # Errors
    /// What is missing on this machine, as a sentence.
    pub fn new() -> Result<Self, Unavailable> {
        // A thread of its own: a namespace is a thread's, and this one's stays as it is.
        in_thread(|| {
            const WHAT: &str = "a network namespace";
            // SAFETY: only the network namespace is left, not the table of descriptors.
            unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNET) }
                .map_err(|error| Unavailable::of(WHAT)(error.into()))?;
            let namespace =
                File::open("/proc/thread-self/ns/net").map_err(Unavailable::of(WHAT))?;
            ip(COMMANDS)?;
            fill_in_checksums(SENDER)
                .map_err(Unavailable::of("to switch a device's checksums off"))?;
            Ok(Self { namespace })
        })
        .map_err(Unavailable::of("a thread"))?
    }

    /// Runs `inside` in the namespace, in a thread of its own: sockets that it opens belong there, wherever they are used then.
    ///
    /// # Errors
    /// The thread cannot be started, or not enter the namespace.
    pub fn run<T: Send>(&self, inside: impl FnOnce() -> T + Send) -> io::Result<T> {
        in_thread(|| {
            let kind = Some(LinkNameSpaceType::Network);
            rustix::thread::move_into_link_name_space(self.namespace.as_fd(), kind)?;
            Ok(inside())
        })?
    }
}

/// Runs it in a thread, and waits for that.
fn in_thread<T: Send>(run: impl FnOnce() -> T + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, run)?;
        let ended = thread.join();
        ended.map_err(|_| io::Error::other("a thread in the network namespace panicked"))
    })
}

/// Gives commands to `ip`, in the calling thread's namespace.
fn ip(commands: &str) -> Result<(), Unavailable> {
    let failed = Unavailable::of("to run ip");
    let child = Command::new("ip")
        .args(["-batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.map_err(|error| match error.kind() {
        ErrorKind::NotFound => Unavailable::NoIp,
        _ => failed(error),
    })?;
    if let Some(mut input) = child.stdin.take() {
        // An `ip` that ends before it has read all of them says why.
        let _ = input.write_all(commands.as_bytes());
    }
    let output = child.wait_with_output().map_err(&failed)?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let text = String::from_utf8_lossy(&output.stderr);
            let lines: Vec<_> = text.lines().map(str::trim).collect();
            Err(Unavailable::Veth(lines.join("; ")))
        }
    }
}

/// Makes the kernel fill in the checksums of what a device of the calling thread's namespace sends. Otherwise it leaves them to the hardware, which a veth does not have, and the
/// receiver sees wrong ones.
fn fill_in_checksums(device: &str) -> io::Result<()> {
    /// include/uapi/linux/ethtool.h.
    const ETHTOOL_STXCSUM: u32 = 0x17;
    #[repr(C)]
    struct Value {
        command: u32,
        data: u32,
    }
    let mut value = Value {
        command: ETHTOOL_STXCSUM,
        data: 0,
    };
    let mut name = [0; libc::IFNAMSIZ];
    for (to, from) in name.iter_mut().zip(device.bytes()) {
        *to = from.cast_signed();
    }
    let mut request = libc::ifreq {
        ifr_name: name,
        ifr_ifru: libc::__c_anonymous_ifr_ifru {
            ifru_data: (&raw mut value).cast(),
        },
    };
    let socket = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    // SAFETY: SIOCETHTOOL takes an ifreq whose data points to a structure that begins with the command: for this one, `struct ethtool_value`. Both live until the
    // call returns.
    match unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCETHTOOL, &raw mut request) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
