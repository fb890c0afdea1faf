//! BinaryFILE (NASDAQ, BinaryFILE 1.00): messages after a 2-byte big-endian length; a length of 0 ends the session.

use thiserror::Error;

/// The file ends inside a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("at byte {offset}: a message of {needed} bytes, but only {found} are left")]
pub struct Truncated {
    /// Where the length of the message is, in bytes from the start.
    pub offset: usize,
    /// The bytes the length promises (2 if even the length is incomplete).
    pub needed: usize,
    /// The bytes that are there.
    pub found: usize,
}

/// The messages of a file that is in memory. Ends at the end of the bytes, at a length of 0, or after the first error.
#[derive(Clone, Debug)]
pub struct Messages<'a> {
    rest: &'a [u8],
    length: usize,
}

impl<'a> Messages<'a> {
    /// The messages in `file`.
    pub fn new(file: &'a [u8]) -> Self {
        Messages {
            rest: file,
            length: file.len(),
        }
    }

    /// Where the next message's length is, in bytes from the start.
    pub const fn offset(&self) -> usize {
        self.length - self.rest.len()
    }

    #[cold]
    fn truncated(&mut self, needed: usize, found: usize) -> Option<Result<&'a [u8], Truncated>> {
        let error = Truncated {
            offset: self.offset(),
            needed,
            found,
        };
        self.rest = &[];
        Some(Err(error))
    }
}

impl<'a> Iterator for Messages<'a> {
    type Item = Result<&'a [u8], Truncated>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let Some((length, body)) = self.rest.split_first_chunk::<2>() else {
            return if self.rest.is_empty() {
                None
            } else {
                self.truncated(2, self.rest.len())
            };
        };
        let length = usize::from(u16::from_be_bytes(*length));
        if length == 0 {
            self.rest = &[];
            return None;
        }
        let Some((message, rest)) = body.split_at_checked(length) else {
            return self.truncated(length, body.len());
        };
        self.rest = rest;
        Some(Ok(message))
    }
}

/// Appends `message` with its length to `out`; `false`, and nothing appended, if it is empty or longer than 65,535 bytes.
#[must_use]
pub fn push(message: &[u8], out: &mut Vec<u8>) -> bool {
    match u16::try_from(message.len()) {
        Ok(length) if length > 0 => {
            out.extend_from_slice(&length.to_be_bytes());
            out.extend_from_slice(message);
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_out_as_they_went_in() {
        let mut file = vec![];
        assert!(push(b"first", &mut file) && push(b"x", &mut file));
        assert_eq!(file, b"\x00\x05first\x00\x01x");
        let messages: Result<Vec<_>, _> = Messages::new(&file).collect();
        assert_eq!(messages, Ok(vec![&b"first"[..], b"x"]));
        assert!(!push(&[], &mut file) && !push(&[0; 65_536], &mut file));
        assert_eq!(file.len(), 10);
    }

    #[test]
    fn a_file_cut_short_says_where() {
        let mut messages = Messages::new(b"\x00\x05first\x00\x04abc");
        assert_eq!(messages.next(), Some(Ok(&b"first"[..])));
        assert_eq!(messages.offset(), 7);
        assert_eq!(
            messages.next(),
            Some(Err(Truncated {
                offset: 7,
                needed: 4,
                found: 3
            }))
        );
        assert_eq!(messages.next(), None);
        assert_eq!(
            Messages::new(b"\x00").next(),
            Some(Err(Truncated {
                offset: 0,
                needed: 2,
                found: 1
            }))
        );
    }

    #[test]
    fn a_length_of_zero_ends_the_session() {
        let mut messages = Messages::new(b"\x00\x01a\x00\x00\x00\x01b");
        assert_eq!(messages.next(), Some(Ok(&b"a"[..])));
        assert_eq!(messages.next(), None);
        assert_eq!(messages.next(), None);
    }
}
