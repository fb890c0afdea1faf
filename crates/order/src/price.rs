//! Prices as the hardware holds them: `rtl/order/order_pkg.sv`.

/// Bits of a trigger and of a limit price, signed: `OrderPriceWidth` in `order_pkg`.
pub const PRICE_BITS: u32 = 48;

/// Whether a trigger or a limit price fits [`PRICE_BITS`]: a stop with one that does not is refused when it is set.
pub const fn price_fits(price: i64) -> bool {
    let unused = i64::BITS - PRICE_BITS;
    price << unused >> unused == price
}

/// A last price as the hardware holds it, with a bit more than [`PRICE_BITS`]: one that does not fit is held at the end of that range, beyond
/// every trigger and every limit price (`last_price_of`).
pub const fn last_price(price: i64) -> i64 {
    const MOST: i64 = (1 << PRICE_BITS) - 1;
    if price > MOST {
        MOST
    } else if price < !MOST {
        !MOST
    } else {
        price
    }
}

#[cfg(test)]
mod tests {
    use super::{last_price, price_fits};

    #[test]
    fn prices_of_48_bits_fit_and_no_others() {
        for price in [0, 1, -1, (1 << 47) - 1, -(1 << 47)] {
            assert!(price_fits(price), "{price}");
        }
        for price in [1 << 47, -(1 << 47) - 1, i64::MAX, i64::MIN] {
            assert!(!price_fits(price), "{price}");
        }
    }

    #[test]
    fn a_last_price_beyond_49_bits_is_held_at_the_end_of_the_range() {
        for price in [0, -1, (1 << 48) - 1, -(1 << 48)] {
            assert_eq!(last_price(price), price);
        }
        assert_eq!(last_price(1 << 48), (1 << 48) - 1);
        assert_eq!(last_price(i64::MAX), (1 << 48) - 1);
        assert_eq!(last_price(-(1 << 48) - 1), -(1 << 48));
        assert_eq!(last_price(i64::MIN), -(1 << 48));
    }
}
