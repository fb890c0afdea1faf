//! NASDAQ TotalView-ITCH 4.1 and 5.0: every message type of both, as plain structs.
//!
//! Two ways in, both over the same table of messages ([`messages`]):
//! - [`Message::parse`] and [`Message::emit`]: one enum for every type, the comfortable way;
//! - [`visit`]: one match on the type, then the method of a [`Visitor`]; fields the visitor does not use are never loaded.
//!   The length is checked once, against the table; this is the fast way.
//!
//! Crate `decoder` makes [events](crate::Event) of them.
//!
//! Every 4.1 message except `T` is the 5.0 message with a shorter head, so there is one struct for both. Members are in
//! wire order and named as in the specification (NASDAQ TotalView-ITCH 5.0, 2023; 4.1, 2014); prices are in 1/10,000
//! dollar, except those of the MWCB decline levels in 1/100,000,000.

mod define;
pub mod messages;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use messages::*;

use crate::Symbol;
use crate::bytes::Field;

/// Which TotalView-ITCH it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Version {
    /// TotalView-ITCH 4.1.
    #[serde(rename = "4.1")]
    V41,
    /// TotalView-ITCH 5.0.
    #[serde(rename = "5.0")]
    V50,
}

/// What follows the type of every message but `T` of 4.1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Locate code of the instrument; 4.1: 0.
    pub stock_locate: u16,
    /// NASDAQ's internal tracking number; 4.1: 0.
    pub tracking_number: u16,
    /// 5.0: nanoseconds since midnight (48 bits). 4.1: nanoseconds since the last `T` (32 bits).
    pub nanoseconds: u64,
}

impl Head {
    /// Length of type and head in 5.0, in bytes.
    pub const LENGTH_V50: usize = 11;
    /// Length of type and head in 4.1, in bytes.
    pub const LENGTH_V41: usize = 5;
    const MASK: u64 = (1 << 48) - 1;

    /// Length of type and head, in bytes.
    pub const fn length(version: Version) -> usize {
        match version {
            Version::V41 => Self::LENGTH_V41,
            Version::V50 => Self::LENGTH_V50,
        }
    }

    #[inline(always)]
    fn take<const V50: bool>(bytes: &mut &[u8]) -> Option<Self> {
        if !V50 {
            return u32::take(bytes).map(|ns| Head {
                nanoseconds: u64::from(ns),
                ..Head::default()
            });
        }
        let stock_locate = u16::take(bytes)?;
        // Tracking number and time in one load.
        let both = u64::take(bytes)?;
        Some(Head {
            stock_locate,
            tracking_number: (both >> 48) as u16,
            nanoseconds: both & Self::MASK,
        })
    }

    fn put(&self, version: Version, out: &mut Vec<u8>) -> Result<(), EmitError> {
        match version {
            Version::V41 => {
                let nanoseconds = u32::try_from(self.nanoseconds)
                    .map_err(|_| EmitError::Time(self.nanoseconds))?;
                nanoseconds.put(out);
            }
            Version::V50 => {
                if self.nanoseconds > Self::MASK {
                    return Err(EmitError::Time(self.nanoseconds));
                }
                self.stock_locate.put(out);
                (u64::from(self.tracking_number) << 48 | self.nanoseconds).put(out);
            }
        }
        Ok(())
    }
}

/// Why bytes are not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// The version has no such type (0 where there are no bytes at all).
    #[error("no message type {:?} in this version", *.0 as char)]
    UnknownType(
        /// The type byte.
        u8,
    ),
    /// The version has the type, with another length.
    #[error("message type {:?} of {found} bytes; the specification says {expected}", *.message_type as char)]
    BadLength {
        /// The type byte.
        message_type: u8,
        /// The length the specification gives, in bytes.
        expected: usize,
        /// The length found, in bytes.
        found: usize,
    },
}

/// Why a message cannot be written in a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// The version has no such type.
    #[error("no message type {:?} in this version", *.0 as char)]
    UnknownType(
        /// The type byte.
        u8,
    ),
    /// The time does not fit into 32 bits (4.1) or 48 bits (5.0).
    #[error("{0} nanoseconds do not fit into the time of a message")]
    Time(
        /// The time, in nanoseconds.
        u64,
    ),
}

/// The length of a message of this type in this version, in bytes; `None` if there is no such type.
#[inline]
pub const fn length(version: Version, message_type: u8) -> Option<usize> {
    match version {
        Version::V41 => messages::length::<false>(message_type),
        Version::V50 => messages::length::<true>(message_type),
    }
}

/// Calls the method of `visitor` for the type of `message`, or [`Visitor::refused`].
#[inline(always)]
pub fn visit<V: Visitor>(version: Version, message: &[u8], visitor: &mut V) {
    match version {
        Version::V41 => visit_v41(message, visitor),
        Version::V50 => visit_v50(message, visitor),
    }
}

/// [`visit`] for 4.1, without the choice.
#[inline(always)]
pub fn visit_v41<V: Visitor>(message: &[u8], visitor: &mut V) {
    messages::visit::<false, V>(message, visitor);
}

/// [`visit`] for 5.0, without the choice.
#[inline(always)]
pub fn visit_v50<V: Visitor>(message: &[u8], visitor: &mut V) {
    messages::visit::<true, V>(message, visitor);
}

impl StockDirectory {
    /// A common stock of the NASDAQ Global Select Market, with nothing special about it. `authenticity`: `P` live, `T` test.
    pub fn of_common_stock(head: Head, stock: Symbol, authenticity: u8) -> Self {
        StockDirectory {
            head,
            stock,
            market_category: b'Q',
            financial_status: b'N',
            round_lot_size: 100,
            round_lots_only: b'N',
            issue_classification: b'C',
            issue_sub_type: *b"Z ",
            authenticity,
            short_sale_threshold: b'N',
            ipo_flag: b'N',
            luld_tier: b'1',
            etp_flag: b'N',
            etp_leverage_factor: 0,
            inverse: b'N',
        }
    }
}
