//! ITCH's messages for tests, here and in crates/decoder: their lengths, and bytes that show where a member was taken from.

use formats::Symbol;

/// Length by type, from docs/reference/rules.md.
pub const V50: [(u8, usize); 23] = [
    (b'S', 12),
    (b'R', 39),
    (b'H', 25),
    (b'Y', 20),
    (b'L', 26),
    (b'V', 35),
    (b'W', 12),
    (b'K', 28),
    (b'J', 35),
    (b'h', 21),
    (b'A', 36),
    (b'F', 40),
    (b'E', 31),
    (b'C', 36),
    (b'X', 23),
    (b'D', 19),
    (b'U', 35),
    (b'P', 44),
    (b'Q', 40),
    (b'B', 19),
    (b'I', 50),
    (b'N', 20),
    (b'O', 48),
];

/// The same of 4.1.
pub const V41: [(u8, usize); 18] = [
    (b'T', 5),
    (b'S', 6),
    (b'R', 20),
    (b'H', 19),
    (b'Y', 14),
    (b'L', 20),
    (b'A', 30),
    (b'F', 34),
    (b'E', 25),
    (b'C', 30),
    (b'X', 17),
    (b'D', 13),
    (b'U', 29),
    (b'P', 38),
    (b'Q', 34),
    (b'B', 13),
    (b'I', 44),
    (b'N', 14),
];

/// A message whose byte i is 100 + i, but for its type: every member shows where it was taken from.
pub fn numbered(message_type: u8, length: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..length as u8).map(|i| 100 + i).collect();
    bytes[0] = message_type;
    bytes
}

/// The number in `length` bytes from `offset` of a numbered message.
pub fn at(offset: u8, length: u8) -> u64 {
    (offset..offset + length).fold(0, |value, i| value << 8 | u64::from(100 + i))
}

/// The stock in a numbered message.
pub fn stock(offset: u8) -> Symbol {
    Symbol::from_u64(at(offset, 8))
}
