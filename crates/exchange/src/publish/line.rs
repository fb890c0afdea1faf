//! Where a feed's packets go.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use feed::socket::Sender;

/// Takes packets: to line A, to line B, or to another sink.
pub trait Line {
    /// Sends a packet. What cannot be sent is lost, as on any line: the line counts it.
    fn send(&mut self, packet: &[u8]);
}

impl<F: FnMut(&[u8])> Line for F {
    fn send(&mut self, packet: &[u8]) {
        self(packet);
    }
}

/// A line over UDP. What the socket refuses is lost, and counted.
#[derive(Debug)]
pub struct UdpLine {
    sender: Sender,
    lost: Arc<AtomicU64>,
}

impl UdpLine {
    /// The line of a sender; `lost` counts its packets that were refused.
    pub const fn new(sender: Sender, lost: Arc<AtomicU64>) -> Self {
        UdpLine { sender, lost }
    }
}

impl Line for UdpLine {
    fn send(&mut self, packet: &[u8]) {
        if self.sender.send(packet).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}
