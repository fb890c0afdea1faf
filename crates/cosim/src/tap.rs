//! A TAP interface: a Linux kernel's own network stack is the core's peer there ([`crate::attached`]).

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use formats::{ethernet, fcs};
use rustix::event::{PollFd, PollFlags, poll};
use tun_rs::{DeviceBuilder, Layer, SyncDevice};

use crate::attached::Network;
use crate::core::Received;

/// Input/output error.
const EIO: i32 = rustix::io::Errno::IO.raw_os_error();
/// Bytes of an interface's name at most, IFNAMSIZ without its zero.
const NAME_BYTES: usize = 15;

/// A TAP interface: what the kernel sends there is read from it, what is written the kernel receives.
pub struct Tap {
    device: SyncDevice,
    name: String,
}

impl Tap {
    /// Attaches to the interface of this name (at most 15 bytes), making it if it is not there. The caller must bring it up.
    ///
    /// # Errors
    /// No `/dev/net/tun`, no right to use it (it takes CAP_NET_ADMIN), or the interface is in use. An interface that is down is said where it is first used.
    pub fn open(name: &str) -> io::Result<Self> {
        if name.len() > NAME_BYTES {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "an interface's name has at most 15 bytes",
            ));
        }
        let device = DeviceBuilder::new()
            .name(name)
            .layer(Layer::L2)
            .packet_information(false)
            .inherit_enable_state()
            .build_sync()?;
        let name = name.to_owned();
        Ok(Tap { device, name })
    }

    /// What the kernel says of an interface that is down is "Input/output error".
    fn explained(&self, error: io::Error) -> io::Error {
        match error.raw_os_error() {
            Some(EIO) => io::Error::new(
                io::ErrorKind::NetworkDown,
                format!(
                    "interface {0} is down: `ip tuntap add dev {0} mode tap` if there is none, then `ip link set dev {0} up`",
                    self.name
                ),
            ),
            _ => error,
        }
    }
}

impl AsFd for Tap {
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: the device owns the descriptor, and lives as long as the borrow.
        unsafe { BorrowedFd::borrow_raw(self.device.as_raw_fd()) }
    }
}

impl Network for Tap {
    fn receive(&mut self, buffer: &mut [u8], wait: i32) -> io::Result<Option<usize>> {
        let wait = Duration::from_millis(wait.max(0) as u64);
        let mut descriptors = [PollFd::new(self, PollFlags::IN)];
        let limit = wait.try_into().ok();
        match poll(&mut descriptors, limit.as_ref()) {
            Ok(0) => Ok(None),
            Ok(_) => {
                let received = self.device.recv(buffer);
                received.map(Some).map_err(|error| self.explained(error))
            }
            Err(rustix::io::Errno::INTR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn transmit(&mut self, frame: &Received) -> io::Result<()> {
        if frame.malformed || !fcs::is_good(&frame.bytes) {
            return Ok(());
        }
        let bytes = &frame.bytes[..frame.bytes.len() - fcs::LENGTH];
        let sent = self.device.send(bytes);
        sent.map(drop).map_err(|error| self.explained(error))
    }
}

/// The system's time, in nanoseconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |now| now.as_nanos() as u64)
}

/// A frame of the kernel as it is on a line: padded, with its FCS.
pub(crate) fn whole(frame: &[u8], bytes: &mut Vec<u8>) {
    bytes.clear();
    bytes.extend_from_slice(frame);
    bytes.resize(frame.len().max(ethernet::MINIMUM), 0);
    fcs::append(bytes, 0);
}
