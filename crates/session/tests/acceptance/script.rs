//! Scripts: parsed, and played over TCP. What is compared is written here from the scripts alone, without the code under test.
//!
//! | line | meaning |
//! |---|---|
//! | `iCONNECT`, `iDISCONNECT` | connect, close the connection |
//! | `I8=…` | send: `<TIME>`, `<TIME+n>`, `<TIME-n>` in seconds are filled in, BodyLength and CheckSum too where they are absent |
//! | `E8=…` | this comes next |
//! | `eDISCONNECT` | nothing comes any more: the peer closes the connection |
//!
//! A number and a comma after the letter name one of several connections.
//!
//! A message that comes must have right BodyLength and CheckSum, BeginString, BodyLength and MsgType first, and the header's fields
//! before the body's. Else the order of fields is free, as FIX leaves it. Fields 9, 10 and 52 may have another value than in the
//! script, and 60 and 122 where the script has zeros for them: these must be time stamps. A Logout may say why (58) and a Reject which
//! field (371) where the script leaves it out, as FIX recommends: `tests/session.rs` has what they must say.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The longest wait; the slowest scripts wait a bit more than twice HeartBtInt, which is 6 s there.
const PATIENCE: Duration = Duration::from_secs(30);
/// Tags of the standard header.
const HEADER: [&str; 24] = [
    "8", "9", "35", "34", "43", "49", "50", "52", "56", "57", "97", "115", "116", "122", "128",
    "129", "142", "143", "144", "145", "90", "91", "347", "369",
];

enum Line {
    Connect,
    Disconnect,
    Send(String),
    Expect(String),
    ExpectDisconnect,
}

/// Lines with their number and the connection they are about.
pub struct Script(Vec<(usize, u32, Line)>);

#[derive(Default)]
struct Peer {
    stream: Option<TcpStream>,
    received: Vec<u8>,
}

impl Script {
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        let text = String::from_utf8(text.to_vec()).map_err(|error| error.to_string())?;
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim_end_matches('\r');
            let Some(letter) = line.chars().next().filter(|letter| *letter != '#') else {
                continue;
            };
            let rest = &line[1..];
            let (connection, rest) = match rest.split_once(',') {
                Some((digits, rest)) if digits.parse::<u32>().is_ok() => {
                    (digits.parse().unwrap(), rest)
                }
                _ => (1, rest),
            };
            let line = match (letter, rest) {
                ('i', "CONNECT") => Line::Connect,
                ('i', "DISCONNECT") => Line::Disconnect,
                ('e', "DISCONNECT") => Line::ExpectDisconnect,
                ('I', message) => Line::Send(message.to_owned()),
                ('E', message) => Line::Expect(message.to_owned()),
                _ => return Err(format!("line {number} is not understood: {line}")),
            };
            lines.push((number, connection, line));
        }
        Ok(Script(lines))
    }

    pub fn play(&self, address: SocketAddr) -> Result<(), String> {
        let mut peers: HashMap<u32, Peer> = HashMap::new();
        for (number, connection, line) in &self.0 {
            let peer = peers.entry(*connection).or_default();
            let result = match line {
                Line::Connect => peer.connect(address),
                Line::Disconnect => {
                    *peer = Peer::default();
                    Ok(())
                }
                Line::Send(message) => peer.send(&complete(message)),
                Line::Expect(message) => peer.next().and_then(|found| compare(message, &found)),
                Line::ExpectDisconnect => peer.end(),
            };
            result.map_err(|why| format!("line {number}: {why}").replace('\x01', "|"))?;
        }
        Ok(())
    }
}

impl Peer {
    fn connect(&mut self, address: SocketAddr) -> Result<(), String> {
        let stream = TcpStream::connect(address).map_err(|error| error.to_string())?;
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        *self = Peer {
            stream: Some(stream),
            received: Vec::new(),
        };
        Ok(())
    }

    fn stream(&mut self) -> Result<&mut TcpStream, String> {
        self.stream.as_mut().ok_or_else(|| "not connected".into())
    }

    fn send(&mut self, message: &str) -> Result<(), String> {
        let stream = self.stream()?;
        stream
            .write_all(message.as_bytes())
            .map_err(|error| format!("cannot send: {error}"))
    }

    /// Takes more bytes; false at the end.
    fn read(&mut self) -> Result<bool, String> {
        let mut buffer = [0; 4096];
        let length = self
            .stream()?
            .read(&mut buffer)
            .map_err(|error| format!("nothing came: {error}"))?;
        self.received.extend_from_slice(&buffer[..length]);
        Ok(length > 0)
    }

    fn next(&mut self) -> Result<String, String> {
        loop {
            let text = String::from_utf8_lossy(&self.received).into_owned();
            let end = text.find("\x0110=").and_then(|at| {
                let separator = text[at + 1..].find('\x01')?;
                Some(at + 1 + separator + 1)
            });
            if let Some(end) = end {
                self.received.drain(..end);
                return Ok(text[..end].to_owned());
            }
            if !self.read()? {
                return Err("the connection was closed".into());
            }
        }
    }

    fn end(&mut self) -> Result<(), String> {
        while self.received.is_empty() && self.read()? {}
        if self.received.is_empty() {
            Ok(())
        } else {
            let found = String::from_utf8_lossy(&self.received);
            Err(format!("instead of the end came {found}"))
        }
    }
}

/// The time in some seconds, as FIX writes it.
fn time(seconds: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let time = now.as_secs().checked_add_signed(seconds).unwrap();
    let (mut day, second) = (time / 86_400, time % 86_400);
    let mut year = 1970;
    let length_of = |year: u64| {
        365 + u64::from(
            year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400),
        )
    };
    while day >= length_of(year) {
        day -= length_of(year);
        year += 1;
    }
    let months = [
        31,
        length_of(year) - 337,
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let mut month = 0;
    while day >= months[month] {
        day -= months[month];
        month += 1;
    }
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!(
        "{year:04}{:02}{:02}-{hour:02}:{minute:02}:{second:02}",
        month + 1,
        day + 1
    )
}

fn checksum(text: &str) -> u32 {
    text.bytes().map(u32::from).sum::<u32>() % 256
}

/// A message with its times, BodyLength and CheckSum.
fn complete(message: &str) -> String {
    let mut text = String::new();
    let mut rest = message;
    while let Some((front, back)) = rest.split_once("<TIME") {
        let (seconds, back) = back.split_once('>').unwrap();
        text.push_str(front);
        text.push_str(&time(if seconds.is_empty() {
            0
        } else {
            seconds.parse().unwrap()
        }));
        rest = back;
    }
    text.push_str(rest);
    let has = |tag: &str| text.split('\x01').any(|field| field.starts_with(tag));
    let (has_length, has_checksum) = (has("9="), has("10="));
    if !has_length {
        let (begin_string, body) = text.split_once('\x01').unwrap();
        text = format!("{begin_string}\x019={}\x01{body}", body.len());
    }
    if !has_checksum {
        text = format!("{text}10={:03}\x01", checksum(&text));
    }
    text
}

/// Whether a value is `YYYYMMDD-HH:MM:SS`, with or without milliseconds.
fn is_time(value: &str) -> bool {
    let pattern = "00000000-00:00:00.000";
    let like = |(value, pattern): (char, char)| match pattern {
        '0' => value.is_ascii_digit(),
        pattern => value == pattern,
    };
    [17, 21].contains(&value.len()) && value.chars().zip(pattern.chars()).all(like)
}

fn fields(message: &str) -> Vec<(&str, &str)> {
    let fields = message.trim_end_matches('\x01').split('\x01');
    fields
        .map(|field| field.split_once('=').unwrap_or((field, "")))
        .collect()
}

fn compare(expected: &str, found: &str) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("{what}\n  expected {expected}\n  found    {found}"));
    let found_fields = fields(found);
    let tags: Vec<_> = found_fields.iter().map(|(tag, _)| *tag).collect();
    if !tags.starts_with(&["8", "9", "35"]) || tags.last() != Some(&"10") {
        return wrong("framing fields are not in their places");
    }
    let body = found.find("\x0135=").unwrap() + 1;
    let end = found.rfind("\x0110=").unwrap() + 1;
    let sum = format!("{:03}", checksum(&found[..end]));
    if found_fields[1].1 != (end - body).to_string() || found_fields.last().unwrap().1 != sum {
        return wrong("BodyLength or CheckSum");
    }
    let first_of_body = tags.iter().position(|tag| !HEADER.contains(tag)).unwrap();
    if tags[first_of_body..].iter().any(|tag| HEADER.contains(tag)) {
        return wrong("a header field behind the body's first");
    }
    let varies = |tag: &str| ["9", "10"].contains(&tag);
    let mut left: Vec<_> = found_fields
        .iter()
        .filter(|(tag, _)| !varies(tag))
        .collect();
    for (tag, value) in fields(expected).iter().filter(|(tag, _)| !varies(tag)) {
        let any_time = *tag == "52" || ["60", "122"].contains(tag) && value.starts_with("00000000");
        let same = |found: &&(&str, &str)| {
            found.0 == *tag && (found.1 == *value || any_time && is_time(found.1))
        };
        let Some(at) = left.iter().position(same) else {
            return wrong(&format!("no {tag}={value}"));
        };
        left.swap_remove(at);
    }
    let more = match found_fields[2].1 {
        "3" => "371",
        "5" => "58",
        _ => "",
    };
    match left.iter().find(|(tag, _)| *tag != more) {
        Some((tag, value)) => wrong(&format!("{tag}={value} is too much")),
        None => Ok(()),
    }
}
