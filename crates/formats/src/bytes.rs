//! Fixed-width big-endian fields: how every format of this crate reads and writes its members.

use crate::event::{Side, Symbol};

/// A member of fixed width, big-endian on the wire.
pub trait Field: Sized {
    /// Width on the wire, in bytes.
    const SIZE: usize;

    /// Takes the field off the front of `bytes`; `None`, with `bytes` as it was, if they are too few.
    fn take(bytes: &mut &[u8]) -> Option<Self>;

    /// Appends the field to `out`.
    fn put(&self, out: &mut Vec<u8>);
}

macro_rules! integer_fields {
    ($($integer:ty),*) => {$(
        impl Field for $integer {
            const SIZE: usize = size_of::<$integer>();

            #[inline(always)]
            fn take(bytes: &mut &[u8]) -> Option<Self> {
                <[u8; size_of::<$integer>()]>::take(bytes).map(<$integer>::from_be_bytes)
            }

            #[inline(always)]
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_be_bytes());
            }
        }
    )*};
}

integer_fields!(u8, u16, u32, u64);

impl<const N: usize> Field for [u8; N] {
    const SIZE: usize = N;

    #[inline(always)]
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let (field, rest) = bytes.split_first_chunk::<N>()?;
        *bytes = rest;
        Some(*field)
    }

    #[inline(always)]
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }
}

impl Field for Symbol {
    const SIZE: usize = 8;

    #[inline(always)]
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        <[u8; 8]>::take(bytes).map(Symbol)
    }

    #[inline(always)]
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
}

/// `B` is buy, anything else sell (docs/reference/rules.md).
impl Field for Side {
    const SIZE: usize = 1;

    #[inline(always)]
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        u8::take(bytes).map(Side::from_ascii)
    }

    #[inline(always)]
    fn put(&self, out: &mut Vec<u8>) {
        out.push(self.to_ascii());
    }
}

/// The 16 bits at `offset`, big-endian; 0 past the end. For headers whose length was checked before.
#[inline(always)]
pub(crate) fn u16_at(bytes: &[u8], offset: usize) -> u16 {
    bytes
        .get(offset..)
        .and_then(|b| b.first_chunk())
        .map_or(0, |b| u16::from_be_bytes(*b))
}

/// The 32 bits at `offset`, big-endian; 0 past the end.
#[inline(always)]
pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    bytes
        .get(offset..)
        .and_then(|b| b.first_chunk())
        .map_or(0, |b| u32::from_be_bytes(*b))
}

/// The 64 bits at `offset`, big-endian; 0 past the end.
#[inline(always)]
pub(crate) fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    bytes
        .get(offset..)
        .and_then(|b| b.first_chunk())
        .map_or(0, |b| u64::from_be_bytes(*b))
}
