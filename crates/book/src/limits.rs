//! How much a book holds.

/// The sizes of a book. All instruments share orders and levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Live orders of all instruments together; at most 2^31 - 2.
    pub orders: u32,
    /// Levels that have orders and are inside of the window, of all instruments and sides together.
    pub levels: u32,
    /// Half of the window, in ticks; `None`: every price is inside.
    pub window: Option<u32>,
    /// Orders of one level.
    pub level_orders: u32,
    /// Quantity of one level, in shares.
    pub level_quantity: u64,
    /// Quantity of one order, in shares.
    pub quantity: u32,
    /// Quantity of a level that the feed gives as one.
    pub given_quantity: u64,
    /// Orders of such a level, as they are counted: of one that the feed says to have more, so many.
    pub given_orders: u32,
    /// Bits of an order id.
    pub id_bits: u32,
    /// Operations of one frame that can be undone.
    pub log: u32,
    /// Whether tables may grow. If not, nothing is allocated after [`Book::new`](crate::Book::new).
    pub grows: bool,
}

impl Limits {
    /// The sizes of `rtl/book` by default (BOOK.md): 12,288 orders, 2,560 levels, 4,096 ticks a side.
    pub const HARDWARE: Self = Limits {
        orders: 12_288,
        levels: 2_560,
        window: Some(4_096),
        level_orders: (1 << 12) - 1,
        level_quantity: (1 << 32) - 1,
        quantity: (1 << 24) - 1,
        given_quantity: (1 << 24) - 1,
        given_orders: 1,
        id_bits: 48,
        log: 512,
        grows: false,
    };

    /// The same of a book that takes orders and price levels: where it decodes FAST. A bit of an id tells them apart.
    pub const HARDWARE_OF_BOTH: Self = Limits {
        id_bits: 47,
        ..Limits::HARDWARE
    };

    /// The largest `rtl/book`: 65,536 orders.
    pub const LARGEST: Self = Limits {
        orders: 65_536,
        levels: 16_384,
        ..Limits::HARDWARE
    };

    /// Limited by memory and the width of the members alone.
    pub const UNLIMITED: Self = Limits {
        orders: (1 << 31) - 2,
        levels: u32::MAX,
        window: None,
        level_orders: u32::MAX,
        level_quantity: u64::MAX,
        quantity: u32::MAX,
        given_quantity: u64::MAX,
        given_orders: u32::MAX,
        id_bits: 64,
        log: u32::MAX,
        grows: true,
    };

    /// The largest id that an order may have.
    pub(crate) const fn largest_id(&self) -> u64 {
        if self.id_bits >= 64 {
            u64::MAX
        } else {
            (1 << self.id_bits) - 1
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits::HARDWARE
    }
}
