//! A TAP interface: a Linux kernel's own network stack is the core's peer there ([`crate::attached`]).

use std::ffi::c_short;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::time::{SystemTime, UNIX_EPOCH};

use wire::{ethernet, fcs};

use crate::attached::Network;
use crate::core::Received;

/// A TAP interface: what the kernel sends there is read from it, what is written the kernel receives.
#[derive(Debug)]
pub struct Tap {
    file: File,
}

impl Tap {
    /// Attaches to the interface of this name (at most 15 bytes), making it if it is not there.
    ///
    /// # Errors
    /// No `/dev/net/tun`, no right to use it (it takes CAP_NET_ADMIN), or the interface is in use.
    pub fn open(name: &str) -> io::Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/net/tun")?;
        if name.len() >= libc::IFNAMSIZ {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "an interface's name has at most 15 bytes",
            ));
        }
        // SAFETY: ifreq is plain data, for which all zeros is a value.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
            *to = from as libc::c_char;
        }
        request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as c_short;
        // SAFETY: TUNSETIFF reads and writes an ifreq, which this is, and keeps no pointer to it.
        if unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &mut request) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Tap { file })
    }
}

impl Network for Tap {
    fn receive(&mut self, buffer: &mut [u8], wait: i32) -> io::Result<Option<usize>> {
        let mut poll = libc::pollfd {
            fd: self.file.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        // SAFETY: one pollfd, as the count says.
        match unsafe { libc::poll(&mut poll, 1, wait) } {
            0 => Ok(None),
            1.. => self.file.read(buffer).map(Some),
            _ => match io::Error::last_os_error() {
                e if e.kind() == io::ErrorKind::Interrupted => Ok(None),
                e => Err(e),
            },
        }
    }

    fn transmit(&mut self, frame: &Received) -> io::Result<()> {
        if frame.malformed || !fcs::is_good(&frame.bytes) {
            return Ok(());
        }
        self.file
            .write_all(&frame.bytes[..frame.bytes.len() - fcs::LENGTH])
    }
}

/// The system's time, in nanoseconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |now| now.as_nanos() as u64)
}

/// A frame of the kernel as it is on a line: padded, its FCS behind it.
pub(crate) fn whole(frame: &[u8], bytes: &mut Vec<u8>) {
    bytes.clear();
    bytes.extend_from_slice(frame);
    bytes.resize(frame.len().max(ethernet::MINIMUM), 0);
    fcs::append(bytes, 0);
}
