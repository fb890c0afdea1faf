/// Price times quantity without its sign: the twin of `rtl/risk/notional.sv`. A product of 64 bits or more is all ones, which no limit allows.
pub fn notional(price: i64, quantity: u32) -> u64 {
    let product = u128::from(price.unsigned_abs()) * u128::from(quantity);
    u64::try_from(product).unwrap_or(u64::MAX)
}
