//! Packets, and a consumer of what a recovery gives.

use feed::recovery::{Outlet, Settings};

pub const SESSION: &[u8; 10] = b"DAY       ";
pub const END: u16 = 0xffff;

pub fn text(number: u64) -> String {
    format!("message {number}")
}

/// A packet, its bytes put together here, not by the code under test.
pub fn packet_of(session: &[u8; 10], number: u64, count: u16) -> Vec<u8> {
    let mut packet = session.to_vec();
    packet.extend(number.to_be_bytes());
    packet.extend(count.to_be_bytes());
    let messages = if count == END { 0 } else { u64::from(count) };
    for number in (0..messages).map(|index| number.wrapping_add(index)) {
        packet.extend((text(number).len() as u16).to_be_bytes());
        packet.extend(text(number).bytes());
    }
    packet
}

pub fn packet(number: u64, count: u16) -> Vec<u8> {
    packet_of(SESSION, number, count)
}

/// A consumer that wants completeness; it checks that nothing is missing, repeated or out of place.
#[derive(Default)]
pub struct Consumer {
    pub next: Option<u64>,
    pub messages: u64,
    pub lost: Vec<(u64, u64)>,
    pub requests: Vec<Vec<u8>>,
    pub ended: bool,
}

impl Outlet for Consumer {
    fn packet(&mut self, payload: &[u8]) {
        let number = u64::from_be_bytes(payload[10..18].try_into().unwrap());
        let count = u16::from_be_bytes(payload[18..20].try_into().unwrap());
        assert_eq!(payload, packet(number, count), "not a byte is different");
        assert_eq!(self.next.unwrap_or(number), number, "in its place");
        let messages = if count == END { 0 } else { u64::from(count) };
        self.ended |= count == END;
        self.messages += messages;
        self.next = Some(number + messages);
    }

    fn lost(&mut self, from: u64, to: u64) {
        assert_eq!(self.next, Some(from));
        assert!(from < to);
        self.next = Some(to);
        self.lost.push((from, to));
    }

    fn request(&mut self, request: &[u8; 20]) {
        self.requests.push(request.to_vec());
    }
}

pub const QUICK: Settings = Settings {
    timeout: 100,
    tries: 3,
    hold: 4,
    tail: 30,
};

pub fn request(session: &[u8; 10], number: u64, count: u16) -> Vec<u8> {
    [&session[..], &number.to_be_bytes(), &count.to_be_bytes()].concat()
}
