//! Messages for the hardware to number.

use formats::fix::{Encoder, Frame, Message, SLACK, Value, frame};

/// A message for `host_message`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostMessage {
    /// The message. If it is to be numbered, with nine zeros in the place of its number and three in that of its CheckSum.
    pub bytes: Vec<u8>,
    /// Where the number's first digit goes; `None`: the message goes unchanged.
    pub number_at: Option<u16>,
    /// The MsgSeqNum that the session gave it.
    pub sequence: u64,
    /// A Logon: the hardware counts from its number on.
    pub logon: bool,
}

/// Digits of a MsgSeqNum of the hardware.
const NUMBER: &[u8] = b"000000000";
/// CheckSum and the last separator.
const TRAILER: &[u8] = b"000\x01";

/// The messages at the front of a session's output, and how many bytes they were.
pub(super) fn messages(output: &[u8]) -> (Vec<HostMessage>, usize) {
    let (mut found, mut used) = (Vec::new(), 0);
    // A session writes complete messages; anything else would be a fault of the session, and does not go out.
    while let Frame::Message(message) = frame(output.get(used..).unwrap_or_default(), output.len())
    {
        used += message.len();
        found.push(HostMessage::of(&message));
    }
    (found, used)
}

impl HostMessage {
    /// A message that is sent again, or stands for others, keeps its number (PossDupFlag); all others get the next one.
    fn of(message: &Message<'_>) -> Self {
        let (mut sequence, mut again) = (0, false);
        for field in message.fields().flatten() {
            match field.tag {
                34 => sequence = u64::read(field.value).unwrap_or(0),
                43 => again = field.value == b"Y",
                _ => {}
            }
        }
        let logon = message.msg_type() == b"A";
        let numbered = if again { None } else { unnumbered(message) };
        match numbered {
            Some((bytes, at)) => HostMessage {
                bytes,
                number_at: Some(at),
                sequence,
                logon,
            },
            None => HostMessage {
                bytes: message.bytes().to_vec(),
                number_at: None,
                sequence,
                logon,
            },
        }
    }
}

/// The message with zeros for its number, and where they are.
fn unnumbered(message: &Message<'_>) -> Option<(Vec<u8>, u16)> {
    let mut bytes = vec![0; message.len() + NUMBER.len() + TRAILER.len() + SLACK];
    let mut encoder = Encoder::new(&mut bytes, message.begin_string(), message.msg_type());
    for field in message.fields().flatten() {
        match field.tag {
            34 => encoder.field(34, &NUMBER),
            tag => encoder.field(tag, &field.value),
        }
    }
    let length = encoder.finish().ok()?;
    bytes.truncate(length);
    let place = bytes.len().checked_sub(TRAILER.len())?;
    bytes.get_mut(place..)?.copy_from_slice(TRAILER);
    let tag = b"\x0134=";
    let at = bytes.windows(tag.len()).position(|window| window == tag)? + tag.len();
    Some((bytes, u16::try_from(at).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::fix::{self, Header, Heartbeat, Version};

    fn message(header: &Header<'_>) -> Vec<u8> {
        let mut buffer = vec![0; 512];
        let body = Heartbeat {
            test_request_id: Some(b"34=1"),
        };
        let length = fix::encode(&mut buffer, Version::Fix44, header, &body).unwrap();
        buffer.truncate(length);
        buffer
    }

    /// What the hardware does with it (`host_message.sv`), digit by digit; the result must be a message of that number.
    #[test]
    fn a_message_gets_the_number_that_the_hardware_gives_it() {
        let header = Header {
            sender: b"TW",
            target: b"EX",
            sequence: 8,
            ..Header::default()
        };
        let output = [
            message(&header),
            message(&Header {
                sequence: 9,
                ..header
            }),
        ]
        .concat();
        let (found, used) = messages(&output);
        assert_eq!((found.len(), used), (2, output.len()));
        let mut sent = found[1].clone();
        assert_eq!((sent.sequence, sent.logon), (9, false));
        let at = usize::from(sent.number_at.unwrap());
        assert_eq!(&sent.bytes[at..at + 9], b"000000000");
        assert!(sent.bytes.ends_with(b"\x0110=000\x01"));
        sent.bytes[at..at + 9].copy_from_slice(b"000012345");
        let end = sent.bytes.len() - 7;
        let check = format!("{:03}", fix::checksum(&sent.bytes[..end]));
        sent.bytes[end + 3..end + 6].copy_from_slice(check.as_bytes());
        let Frame::Message(read) = frame(&sent.bytes, 1_000) else {
            panic!("{:?}", String::from_utf8_lossy(&sent.bytes));
        };
        let (read, body) = read.read::<Heartbeat>().unwrap();
        assert_eq!(
            read,
            Header {
                sequence: 12_345,
                ..header
            }
        );
        assert_eq!(body.test_request_id, Some(&b"34=1"[..]));
    }

    #[test]
    fn a_message_sent_again_keeps_its_number() {
        let header = Header {
            sender: b"TW",
            target: b"EX",
            sequence: 3,
            possible_duplicate: Some(true),
            ..Header::default()
        };
        let bytes = message(&header);
        let (found, _) = messages(&bytes);
        let expected = HostMessage {
            bytes,
            number_at: None,
            sequence: 3,
            logon: false,
        };
        assert_eq!(found, [expected]);
    }
}
