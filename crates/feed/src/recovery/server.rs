//! The request server: UDP in front of a [`History`].

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

use super::history::{History, Refusal};
use crate::socket::{Endpoint, receive_from};

/// What a request server counted. 32 bits, wrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ServerCounters {
    /// Datagrams that came.
    pub request: u32,
    /// Those answered.
    pub answered: u32,
    /// Those that are no request, or ask for nothing.
    pub malformed: u32,
    /// Requests of another session.
    pub other_session: u32,
    /// Requests for what was not sent yet, or is forgotten.
    pub unavailable: u32,
    /// Answers that the socket refused.
    pub send_error: u32,
}

/// Answers requests, a packet each: a large request gets no more than a frame.
#[derive(Debug)]
pub struct Server {
    socket: UdpSocket,
    history: Arc<Mutex<History>>,
    counters: ServerCounters,
}

impl Server {
    /// Listens on `endpoint`.
    ///
    /// # Errors
    /// Those of the socket calls.
    pub fn open(endpoint: &Endpoint, history: Arc<Mutex<History>>) -> io::Result<Self> {
        let socket = UdpSocket::bind(endpoint.address)?;
        // How long it takes to see the stop flag.
        socket.set_read_timeout(Some(Duration::from_millis(50)))?;
        Ok(Self {
            socket,
            history,
            counters: ServerCounters::default(),
        })
    }

    /// The address bound, with the port that the kernel chose where 0 was asked for.
    ///
    /// # Errors
    /// Those of the socket call.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Answers until `stop` is set; what it counted.
    ///
    /// # Errors
    /// Those of receiving; an answer that cannot be sent is counted only.
    pub fn serve(mut self, stop: &AtomicBool) -> io::Result<ServerCounters> {
        // Longer than any request, so that a datagram that is too long shows.
        let mut buffer = [0; 64];
        while !stop.load(Ordering::Relaxed) {
            if let Some((length, from)) = receive_from(&self.socket, &mut buffer)? {
                self.request(&buffer[..length], from);
            }
        }
        Ok(self.counters)
    }

    fn request(&mut self, request: &[u8], from: SocketAddr) {
        let mut history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        let counters = &mut self.counters;
        let outcome = match history.answer(request) {
            Ok(answer) => match self.socket.send_to(answer, from) {
                Ok(_) => &mut counters.answered,
                Err(_) => &mut counters.send_error,
            },
            Err(Refusal::Malformed) => &mut counters.malformed,
            Err(Refusal::OtherSession) => &mut counters.other_session,
            Err(Refusal::Unavailable) => &mut counters.unavailable,
        };
        *outcome = outcome.wrapping_add(1);
        counters.request = counters.request.wrapping_add(1);
    }
}
