//! Keys of instruments that a feed names otherwise than ITCH does: by a number, or by a name of up to twelve characters.
//!
//! All are 64 bits, so that one table holds them, and no two kinds have a key in common: of a name of one to eight characters the highest
//! byte is its first character, 0x21 to 0x7e; of a number that byte is 0; of a longer name the highest bit is set.

use crate::event::Symbol;

/// Characters of a name at most.
const LONGEST: usize = 12;
/// Characters of a name as it stands.
const SHORT: usize = 8;
/// A longer name is a number of this base: 12 digits of it have 63 bits.
const BASE: u64 = 38;
/// Marks a longer name.
const LONG: u64 = 1 << 63;

/// The digit of a character of a longer name, 1 to 37; `None`: such a name cannot have it.
const fn digit(character: u8) -> Option<u64> {
    Some(match character {
        b'A'..=b'Z' => character as u64 - b'A' as u64 + 1,
        b'0'..=b'9' => character as u64 - b'0' as u64 + 27,
        b'_' => 37,
        _ => return None,
    })
}

/// The inverse of [`digit`].
const fn character(digit: u64) -> u8 {
    match digit {
        1..=26 => b'A' + digit as u8 - 1,
        27..=36 => b'0' + digit as u8 - 27,
        _ => b'_',
    }
}

impl Symbol {
    /// The key of a security id; `None` from 2^56 on.
    pub const fn of_id(id: u64) -> Option<Self> {
        if id >> 56 == 0 {
            Some(Symbol::from_u64(id))
        } else {
            None
        }
    }

    /// The key of a name, without loss: of one to eight printable ASCII characters the name itself, filled up with spaces; of nine to
    /// twelve characters `A` to `Z`, `0` to `9` and `_` a number of base 38 with the highest bit set. `None`: it is neither, or begins or
    /// ends with a space.
    pub fn of_name(name: &[u8]) -> Option<Self> {
        if name.len() <= SHORT {
            let printable = name.iter().all(|byte| matches!(byte, b' '..=b'~'));
            let ends = [name.first()?, name.last()?];
            let mut bytes = [b' '; SHORT];
            bytes.get_mut(..name.len())?.copy_from_slice(name);
            return (printable && ends.iter().all(|byte| **byte != b' ')).then_some(Symbol(bytes));
        }
        if name.len() > LONGEST {
            return None;
        }
        let number = name
            .iter()
            .try_fold(0, |number, byte| Some(number * BASE + digit(*byte)?))?;
        Some(Symbol::from_u64(LONG | number))
    }

    /// The security id that it is the key of; `None`: it is the key of a name.
    pub const fn id(self) -> Option<u64> {
        let value = self.to_u64();
        if value >> 56 == 0 { Some(value) } else { None }
    }

    /// The name of nine to twelve characters that it is the key of.
    pub fn long_name(self) -> Option<String> {
        let mut number = self.to_u64();
        if number & LONG == 0 {
            return None;
        }
        number &= !LONG;
        let mut name = String::new();
        while number > 0 {
            name.insert(0, character(number % BASE).into());
            number /= BASE;
        }
        let is_key = Symbol::of_name(name.as_bytes()) == Some(self);
        is_key.then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_ids_short_names_and_long_names_are_apart_and_read_as_they_were() {
        for name in ["A", "AFLT", "BRK A", "GAZP-RM", "USD000TT"] {
            let key = Symbol::of_name(name.as_bytes()).unwrap();
            assert_eq!(key.to_string(), name);
            assert_eq!((key.id(), key.long_name()), (None, None));
            assert_eq!(key, name.parse().unwrap_or(key));
        }
        for name in [
            "RU000A0ZY",
            "RU000A0ZYFE2",
            "EUR_RUB__TOM",
            "____________",
            "AAAAAAAAA",
        ] {
            let key = Symbol::of_name(name.as_bytes()).unwrap();
            assert_eq!(key.long_name().as_deref(), Some(name));
            assert_eq!(key.to_string(), name);
            assert!(key.to_u64() >> 63 == 1 && key.id().is_none());
        }
        for id in [0, 49_630_790, (1 << 56) - 1] {
            let key = Symbol::of_id(id).unwrap();
            assert_eq!((key.id(), key.long_name()), (Some(id), None));
            assert_eq!(key.to_string(), id.to_string());
        }
    }

    #[test]
    fn a_long_name_is_a_number_of_base_38() {
        // AAAAAAAAB: eight ones, then a two.
        let ones: u64 = (1..=8).map(|power| 38_u64.pow(power)).sum();
        assert_eq!(
            Symbol::of_name(b"AAAAAAAAB").unwrap().to_u64(),
            (1 << 63) + ones + 2
        );
        // The greatest of all has 63 bits.
        assert_eq!(
            Symbol::of_name(b"____________").unwrap().to_u64(),
            (1 << 63) + (38_u64.pow(12) - 1)
        );
    }

    #[test]
    fn what_has_no_key_without_loss_has_none() {
        for name in [
            "",
            " ",
            " A",
            "A ",
            "A\u{7f}",
            "A\u{e9}",
            "abcdefghi",
            "GAZP-RM-X",
            "RU000A0ZYFE23",
        ] {
            assert_eq!(Symbol::of_name(name.as_bytes()), None, "{name:?}");
        }
        assert_eq!(Symbol::of_id(1 << 56), None);
        // Not every number with the highest bit is the key of a name.
        for value in [1 << 63, (1 << 63) + 5, u64::MAX, (1 << 63) + 38_u64.pow(9)] {
            assert_eq!(Symbol::from_u64(value).long_name(), None);
        }
    }
}
