//! The variable fields of an order as characters; the twin of `rtl/order/order_text.sv`.

use formats::Side;
use thiserror::Error;

use crate::computed::ComputedOrder;
use crate::digits::NUMBER_DIGITS;
use crate::request::{Form, Order};

/// Bytes of a text: `TextBytes`.
pub const TEXT_BYTES: usize = 64;

/// Where the fields of a text begin and how long they are, in bytes: `text_layout_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Side, one character.
    pub side_at: u8,
    /// OrderQty.
    pub quantity_at: u8,
    /// Its characters.
    pub quantity_width: u8,
    /// Price.
    pub price_at: u8,
    /// Its characters, with sign and point.
    pub price_width: u8,
    /// The nine digits of OrigClOrdID.
    pub original_at: u8,
    /// TimeInForce, one character; `None`: the text does not have it.
    pub time_in_force_at: Option<u8>,
}

/// Why an order has no text: `text_answer_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TextError {
    /// The quantity has more digits than the field.
    #[error("quantity {quantity} has no room in {width} characters: raise quantity_width")]
    QuantityTooWide {
        /// The quantity.
        quantity: u32,
        /// The field's characters.
        width: u8,
    },
    /// The price has more digits than the field.
    #[error(
        "price {price} (with {decimals} decimals) has no room in {width} characters: raise price_width"
    )]
    PriceTooWide {
        /// The price in the instrument's scale.
        price: i64,
        /// The instrument's decimals.
        decimals: u8,
        /// The field's characters.
        width: u8,
    },
    /// There is no instrument with that index.
    #[error("instrument {0} is not in the template")]
    Instrument(
        /// The index.
        u8,
    ),
    /// A replacement of a limit order without a price.
    #[error("a replacement needs a price")]
    NoPrice,
}

/// What order_text stores with a text, to be added to a message's sums: `text_record_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextRecord {
    /// Ones'-complement sum of 16-bit words, first byte high.
    pub sum: u16,
    /// Sum of the bytes modulo 256.
    pub byte_sum: u8,
}

/// The text of an order: bytes that no field covers are 0, and not part of its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// The bytes, at the places the layout says.
    pub bytes: [u8; TEXT_BYTES],
}

/// Fills a field with digits, the last one last, with leading zeros; returns what is left of the value.
fn put_digits(field: &mut [u8], mut value: u64) -> u64 {
    for byte in field.iter_mut().rev() {
        *byte = b'0' + (value % 10) as u8;
        value /= 10;
    }
    value
}

impl Text {
    /// The text of an order, whose instrument's prices have so many decimals.
    ///
    /// # Errors
    /// A number does not fit its field.
    pub fn new(layout: &Layout, decimals: u8, order: &Order) -> Result<Self, TextError> {
        let mut text = Text::without_price(layout, order)?;
        if order.form().has_price() {
            let price = order.price.ok_or(TextError::NoPrice)?;
            text.put_price(layout, decimals, price)?;
        }
        Ok(text)
    }

    /// The text of a computed order: all but the price, whose bytes are 0 and add nothing to the sums.
    ///
    /// # Errors
    /// The quantity does not fit its field.
    pub fn computed(layout: &Layout, order: &ComputedOrder) -> Result<Self, TextError> {
        Text::without_price(layout, &order.at(0))
    }

    fn without_price(layout: &Layout, order: &Order) -> Result<Self, TextError> {
        let Order { side, quantity, .. } = *order;
        let mut text = Text {
            bytes: [0; TEXT_BYTES],
        };
        let side: &[u8] = match side {
            Side::Buy => b"1",
            Side::Sell => b"2",
        };
        text.field(layout.side_at, 1).copy_from_slice(side);
        if let (Some(at), false) = (layout.time_in_force_at, order.form() == Form::Cancel) {
            text.field(at, 1)
                .copy_from_slice(&[order.time_in_force as u8]);
        }
        let width = layout.quantity_width;
        let field = text.field(layout.quantity_at, width);
        if put_digits(field, quantity.into()) != 0 {
            return Err(TextError::QuantityTooWide { quantity, width });
        }
        if let Some(original) = order.original() {
            let field = text.field(layout.original_at, NUMBER_DIGITS as u8);
            field.copy_from_slice(&original.text());
        }
        Ok(text)
    }

    /// Sign, digits, point, as many digits as there are decimals; no point if there are none.
    fn put_price(&mut self, layout: &Layout, decimals: u8, price: i64) -> Result<(), TextError> {
        let width = layout.price_width;
        let too_wide = TextError::PriceTooWide {
            price,
            decimals,
            width,
        };
        let field = self.field(layout.price_at, width);
        let (sign, digits) = field.split_first_mut().ok_or(too_wide)?;
        *sign = if price < 0 { b'-' } else { b'0' };
        let mut value = price.unsigned_abs();
        let mut whole = digits;
        if decimals > 0 {
            let point = whole.len().checked_sub(usize::from(decimals) + 1);
            let (front, back) = whole.split_at_mut(point.ok_or(too_wide)?);
            let (point, fraction) = back.split_first_mut().ok_or(too_wide)?;
            *point = b'.';
            value = put_digits(fraction, value);
            whole = front;
        }
        // There must be a digit before the point.
        if whole.is_empty() || put_digits(whole, value) != 0 {
            return Err(too_wide);
        }
        Ok(())
    }

    /// What is stored with it.
    pub fn record(&self) -> TextRecord {
        TextRecord {
            sum: crate::template::ones_complement(&self.bytes),
            byte_sum: self
                .bytes
                .iter()
                .fold(0, |sum, byte| sum.wrapping_add(*byte)),
        }
    }

    /// A field; empty where a layout is not one the compiler made.
    fn field(&mut self, at: u8, width: u8) -> &mut [u8] {
        let at = usize::from(at);
        self.bytes
            .get_mut(at..at + usize::from(width))
            .unwrap_or_default()
    }
}
