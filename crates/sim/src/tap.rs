//! The core on a TAP interface: a Linux kernel's own network stack is its peer.

use std::ffi::c_short;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use device::Driver;
use wire::{ethernet, fcs, frame};

use crate::core::{Core, Frame};

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

    /// The next frame, without FCS, into `buffer`; `None` if none came within a tenth of a second.
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let mut poll = libc::pollfd {
            fd: self.file.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        // SAFETY: one pollfd, as the count says.
        match unsafe { libc::poll(&mut poll, 1, 100) } {
            0 => Ok(None),
            1.. => self.file.read(buffer).map(Some),
            _ => match io::Error::last_os_error() {
                e if e.kind() == io::ErrorKind::Interrupted => Ok(None),
                e => Err(e),
            },
        }
    }
}

/// Hands every frame of the kernel to the core, padded and with its FCS, and every frame of the core to the kernel, until
/// `stop` is set. The core's clock is the system's. `seen` is told of each frame: whether the core sent it, and its bytes with FCS.
///
/// # Errors
/// The TAP device's or the core's registers' errors, as an [`io::Error`].
pub fn run(
    core: &mut Driver<Core>,
    tap: &mut Tap,
    stop: &AtomicBool,
    mut seen: impl FnMut(bool, &[u8]),
) -> io::Result<()> {
    let mut buffer = [0; 65_536];
    let mut bytes = Vec::with_capacity(frame::MAXIMUM);
    while !stop.load(Ordering::Relaxed) {
        let Some(length) = tap.receive(&mut buffer)? else {
            continue;
        };
        bytes.clear();
        bytes.extend_from_slice(&buffer[..length]);
        bytes.resize(length.max(ethernet::MINIMUM), 0);
        fcs::append(&mut bytes, 0);
        seen(false, &bytes);
        let core = core.registers();
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |now| now.as_nanos() as u64);
        core.set_time(now);
        core.send(Frame::new(&bytes));
        if !core.run_until_idle() {
            return Err(io::Error::other("the core does not stop sending"));
        }
        for sent in core.take() {
            seen(true, &sent.bytes);
            if !sent.malformed && fcs::is_good(&sent.bytes) {
                tap.file
                    .write_all(&sent.bytes[..sent.bytes.len() - fcs::LENGTH])?;
            }
        }
    }
    Ok(())
}
