//! Computed orders: the price is not in the prepared text, it comes with the intent.

use formats::Side;
use formats::fix::{TimeInForce, Timestamp};

use crate::digits::{NUMBER_DIGITS, Number, TIME_DIGITS, decimal_digits, time_digits};
use crate::request::{Form, Kind, Order};
use crate::template::{Piece, Template, Templates};
use crate::text::{Text, TextError};

/// Digits of a computed price: it has 32 bits, and so is below 10^10.
pub(crate) const PRICE_DIGITS: usize = 10;

/// The least `price_width` with which an instrument of so many decimals can have computed orders: ten digits, and a point if there are decimals.
pub const fn computed_price_width(decimals: u8) -> u8 {
    PRICE_DIGITS as u8 + (decimals > 0) as u8
}

/// A limit order that is prepared without its price. The price is 1 to 2^32 - 1, in the instrument's scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ComputedOrder {
    /// The order that it replaces; `None`: it is a new one.
    pub replaces: Option<Number>,
    /// Side.
    pub side: Side,
    /// The instrument's index.
    pub instrument: u8,
    /// Quantity.
    pub quantity: u32,
    /// How long it stays, as of [`Order`].
    pub time_in_force: TimeInForce,
    /// The strategy's number of the order.
    pub client_id: u32,
}

impl ComputedOrder {
    /// The form it is sent in.
    pub const fn form(&self) -> Form {
        match self.replaces {
            None => Form::Computed,
            Some(_) => Form::ComputedReplace,
        }
    }

    /// The order with its price.
    pub fn at(&self, price: i64) -> Order {
        Order {
            kind: self.replaces.map_or(Kind::New, Kind::Replace),
            side: self.side,
            instrument: self.instrument,
            price: Some(price),
            quantity: self.quantity,
            time_in_force: self.time_in_force,
            client_id: self.client_id,
        }
    }
}

impl Templates {
    /// The template and the text of a computed order.
    fn computed(&self, order: &ComputedOrder) -> Result<(&Template, Text), TextError> {
        let none = TextError::Instrument(order.instrument);
        let (decimals, _) = self.of(order.instrument).ok_or(none)?;
        let template = self.template(order.instrument, order.form());
        let template = template.ok_or(TextError::PriceTooWide {
            price: u32::MAX.into(),
            decimals: *decimals,
            width: self.layout.price_width,
        })?;
        Ok((template, Text::computed(&self.layout, order)?))
    }

    /// The message of a computed order, byte for byte as the hardware sends it with this price, number and time.
    ///
    /// # Errors
    /// There is no such instrument; its prices are too narrow for computed orders; the quantity does not fit its field.
    pub fn computed_message(
        &self,
        order: &ComputedOrder,
        price: u32,
        number: Number,
        time: Timestamp,
    ) -> Result<Vec<u8>, TextError> {
        let (template, text) = self.computed(order)?;
        Ok(template.message(&text, price, number, time))
    }

    /// A computed order, ready to leave.
    ///
    /// # Errors
    /// As [`Templates::computed_message`].
    pub fn prepare(&self, order: &ComputedOrder) -> Result<Prepared, TextError> {
        let (template, text) = self.computed(order)?;
        Ok(Prepared::new(template, &text))
    }

    /// An order whose price is in its text, or that has none, ready to leave: the price of [`Prepared::message`] is not looked at.
    ///
    /// # Errors
    /// As [`Templates::text`].
    pub fn prepare_order(&self, order: &Order) -> Result<Prepared, TextError> {
        let text = self.text(order)?;
        let template = self.template(order.instrument, order.form());
        let template = template.ok_or(TextError::Instrument(order.instrument))?;
        Ok(Prepared::new(template, &text))
    }
}

impl Prepared {
    fn new(template: &Template, text: &Text) -> Self {
        let mut prepared = Prepared {
            bytes: Vec::with_capacity(template.codes.len()),
            digits: vec![],
            check: [0; 3],
            byte_sum: template
                .record
                .byte_sum
                .wrapping_add(text.record().byte_sum),
        };
        for (at, code) in template.codes.iter().enumerate() {
            let byte = match code.piece() {
                Piece::Literal(byte) => byte,
                Piece::Text(byte) => text.bytes[byte],
                Piece::Check(digit) => {
                    prepared.check[digit.min(2)] = at;
                    b'0'
                }
                Piece::Time(digit) => prepared.digit(at, Source::Time, TIME_DIGITS - 1 - digit),
                Piece::Number(digit) => {
                    prepared.digit(at, Source::Number, NUMBER_DIGITS - 1 - digit)
                }
                Piece::Price(digit) => prepared.digit(at, Source::Price, digit),
            };
            prepared.bytes.push(byte);
        }
        prepared
    }
}

/// What a digit is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Time,
    Number,
    Price,
}

/// A computed order whose text is in its message already: price, number and time are filled in as it leaves, and CheckSum comes from their digits and
/// the sums that are known before, as in the hardware. Nothing is allocated then.
#[derive(Clone, Debug)]
pub struct Prepared {
    bytes: Vec<u8>,
    /// Where each digit stands, and which it is; 0 is the last of its number.
    digits: Vec<(usize, Source, u32)>,
    /// Where CheckSum's digits stand.
    check: [usize; 3],
    /// Of all bytes before CheckSum, `0` for each digit.
    byte_sum: u8,
}

impl Prepared {
    fn digit(&mut self, at: usize, source: Source, digit: usize) -> u8 {
        self.digits.push((at, source, 4 * digit as u32));
        b'0'
    }

    /// The message with this price, number and time.
    pub fn message(&mut self, price: u32, number: Number, time: Timestamp) -> &[u8] {
        let (price, number, time) = (
            decimal_digits(price.into()),
            number.digits(),
            time_digits(time),
        );
        let mut sum = self.byte_sum;
        for (at, source, shift) in &self.digits {
            let digit = match source {
                Source::Time => (time >> shift) as u8,
                Source::Number => (number >> shift) as u8,
                Source::Price => (price >> shift) as u8,
            } & 0xf;
            self.bytes[*at] = b'0' | digit;
            sum = sum.wrapping_add(digit);
        }
        let [first, second, third] = self.check;
        self.bytes[first] = b'0' + sum / 100;
        self.bytes[second] = b'0' + sum / 10 % 10;
        self.bytes[third] = b'0' + sum % 10;
        &self.bytes
    }
}
