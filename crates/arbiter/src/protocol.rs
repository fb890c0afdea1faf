//! What the arbiter knows of a protocol: where the sequence number and the message count are.

use thiserror::Error;

/// How far apart two numbers of one session may be; a constant of the rules: R = 2^20.
pub const NEAR: u64 = 1 << 20;

/// The order of a field's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// Most significant byte first.
    Big,
    /// Least significant byte first.
    Little,
}

/// Where an unsigned number stands in a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Bytes from the packet's first.
    pub offset: usize,
    /// Its length in bytes, from 1 to 8.
    pub bytes: usize,
}

impl Field {
    fn read(self, packet: &[u8], order: ByteOrder) -> Option<u64> {
        let bytes = packet.get(self.offset..)?.get(..self.bytes)?;
        let append = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        Some(match order {
            ByteOrder::Big => bytes.iter().fold(0, append),
            ByteOrder::Little => bytes.iter().rev().fold(0, append),
        })
    }
}

/// A protocol, by position and width of what matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protocol {
    /// The number of the packet's first message.
    pub sequence: Field,
    /// How many of its low bits count: it wraps there. From 22 to 64.
    pub sequence_bits: u32,
    /// The number of messages; `None`: always one.
    pub count: Option<Field>,
    /// The count that says the session is over.
    pub end_of_session: Option<u64>,
    /// Of both fields.
    pub order: ByteOrder,
    /// Longest packet that is stored, in bytes of UDP payload.
    pub maximum: usize,
}

/// Why a protocol cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ProtocolError {
    /// A field of no bytes, or of more than eight.
    #[error("a field of {0} bytes: from 1 to 8")]
    Bytes(usize),
    /// So few bits that near numbers cannot be distinguished from far ones, or more than the field has.
    #[error("{0} bits of sequence number: from 22 to the bits of the field")]
    Bits(u32),
}

/// What a packet says about its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// The number of its first message.
    pub sequence: u64,
    /// Its messages; 0 at the end of the session.
    pub count: u32,
    /// Whether the session is over.
    pub end_of_session: bool,
}

impl Numbers {
    /// A packet without messages that only says the line is alive.
    pub const fn is_heartbeat(&self) -> bool {
        self.count == 0 && !self.end_of_session
    }
}

impl Protocol {
    /// MoldUDP64, as NASDAQ's TotalView-ITCH uses it.
    pub const MOLD_UDP64: Self = Self {
        sequence: Field {
            offset: 10,
            bytes: 8,
        },
        sequence_bits: 64,
        count: Some(Field {
            offset: 18,
            bytes: 2,
        }),
        end_of_session: Some(0xffff),
        order: ByteOrder::Big,
        maximum: 9_000,
    };
    /// OPRA's block header.
    pub const OPRA: Self = Self {
        sequence: Field {
            offset: 6,
            bytes: 4,
        },
        sequence_bits: 31,
        count: Some(Field {
            offset: 10,
            bytes: 1,
        }),
        end_of_session: None,
        order: ByteOrder::Big,
        maximum: 1_000,
    };
    /// ARCA's packet header (XDP).
    pub const ARCA: Self = Self {
        sequence: Field {
            offset: 4,
            bytes: 4,
        },
        sequence_bits: 32,
        count: Some(Field {
            offset: 3,
            bytes: 1,
        }),
        end_of_session: None,
        order: ByteOrder::Little,
        maximum: 1_400,
    };
    /// The preamble before each FAST message of Moscow Exchange.
    pub const MOEX: Self = Self {
        sequence: Field {
            offset: 0,
            bytes: 4,
        },
        sequence_bits: 32,
        count: None,
        end_of_session: None,
        order: ByteOrder::Little,
        maximum: 1_500,
    };

    /// Whether it can be arbitrated.
    ///
    /// # Errors
    /// A field has no bytes or more than eight, or the number too few bits or more than its field.
    pub fn check(&self) -> Result<(), ProtocolError> {
        for field in [Some(self.sequence), self.count].into_iter().flatten() {
            if !(1..=8).contains(&field.bytes) {
                return Err(ProtocolError::Bytes(field.bytes));
            }
        }
        // Half the numbers must hold what is near and higher, and as many again what is near and lower.
        if !(22..=8 * self.sequence.bytes as u32).contains(&self.sequence_bits) {
            return Err(ProtocolError::Bits(self.sequence_bits));
        }
        Ok(())
    }

    /// What a packet says about its messages; `None` if it is malformed: it ends before its number or its count.
    #[inline]
    pub fn numbers(&self, packet: &[u8]) -> Option<Numbers> {
        let sequence = self.sequence.read(packet, self.order)? & self.mask();
        let Some(field) = self.count else {
            return Some(Numbers {
                sequence,
                count: 1,
                end_of_session: false,
            });
        };
        let count = field.read(packet, self.order)?;
        let end_of_session = self.end_of_session == Some(count);
        Some(Numbers {
            sequence,
            count: if end_of_session { 0 } else { count as u32 },
            end_of_session,
        })
    }

    /// The bits of the number that count.
    #[inline]
    pub const fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.sequence_bits)
    }

    /// From number `from` to number `to`, modulo 2^bits.
    #[inline]
    pub const fn distance(&self, from: u64, to: u64) -> u64 {
        to.wrapping_sub(from) & self.mask()
    }

    /// The number `count` after `sequence`.
    #[inline]
    pub const fn next(&self, sequence: u64, count: u32) -> u64 {
        sequence.wrapping_add(count as u64) & self.mask()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_presets_are_those_of_the_rules_page() {
        let page = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/reference/arbitration.md"
        );
        let page = std::fs::read_to_string(page).unwrap();
        let row = |name: &str| -> Vec<String> {
            let line = page
                .lines()
                .find(|line| line.starts_with(&format!("| {name}")));
            let cells = line
                .unwrap_or_else(|| panic!("no row {name}"))
                .split('|')
                .skip(2);
            cells.map(|cell| cell.trim().replace(',', "")).collect()
        };
        let field = |field: Field| format!("{} {}", field.offset, field.bytes);
        let presets = [
            Protocol::MOLD_UDP64,
            Protocol::OPRA,
            Protocol::ARCA,
            Protocol::MOEX,
        ];
        for (column, preset) in presets.into_iter().enumerate() {
            preset.check().unwrap();
            let cell = |name| row(name)[column].clone();
            assert_eq!(cell("sequence number"), field(preset.sequence));
            assert_eq!(cell("bits that count"), preset.sequence_bits.to_string());
            assert_eq!(
                cell("message count"),
                preset.count.map_or("none".into(), field)
            );
            let end = preset
                .end_of_session
                .map_or("none".into(), |count| format!("0x{count:X}"));
            assert_eq!(cell("a count that means"), end);
            let order = if preset.order == ByteOrder::Big {
                "big"
            } else {
                "little"
            };
            assert_eq!(cell("byte order"), order);
            assert_eq!(cell("longest packet"), preset.maximum.to_string());
        }
    }

    #[test]
    fn a_packet_that_ends_before_its_number_or_its_count_is_malformed() {
        let packet = [0xff; 20];
        for (protocol, needed) in [
            (Protocol::MOLD_UDP64, 20),
            (Protocol::OPRA, 11),
            (Protocol::ARCA, 8),
            (Protocol::MOEX, 4),
        ] {
            assert_eq!(protocol.numbers(&packet[..needed - 1]), None);
            assert!(protocol.numbers(&packet[..needed]).is_some());
        }
    }

    #[test]
    fn opra_counts_31_bits_of_its_number() {
        let mut packet = [0; 11];
        packet[6..10].copy_from_slice(&0xffff_fffe_u32.to_be_bytes());
        packet[10] = 3;
        let numbers = Protocol::OPRA.numbers(&packet).unwrap();
        assert_eq!((numbers.sequence, numbers.count), (0x7fff_fffe, 3));
        assert_eq!(Protocol::OPRA.next(numbers.sequence, numbers.count), 1);
    }

    #[test]
    fn fields_that_cannot_be_read_or_compared_are_refused() {
        let field = |bytes| Field { offset: 0, bytes };
        let bytes = Protocol {
            sequence: field(9),
            ..Protocol::MOEX
        };
        assert_eq!(bytes.check(), Err(ProtocolError::Bytes(9)));
        let bits = Protocol {
            sequence_bits: 21,
            ..Protocol::MOEX
        };
        assert_eq!(bits.check(), Err(ProtocolError::Bits(21)));
        let more = Protocol {
            sequence_bits: 33,
            ..Protocol::MOEX
        };
        assert_eq!(more.check(), Err(ProtocolError::Bits(33)));
    }
}
