//! Templates as the hardware stores them (`rtl/order/order_template_pkg.sv`), and the twin of what it sends with them.

use formats::fix::Timestamp;

use crate::computed::PRICE_DIGITS;
use crate::digits::{NUMBER_DIGITS, Number, TIME_DIGITS, decimal_digits};
use crate::request::{Form, Order};
use crate::text::{Layout, Text, TextError};

/// A byte of a template, in nine bits: `template_code_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code(u16);

/// What a [`Code`] stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Piece {
    /// A byte as it is.
    Literal(u8),
    /// A byte of the order's text.
    Text(usize),
    /// A digit of the time.
    Time(usize),
    /// A digit of MsgSeqNum.
    Number(usize),
    /// A digit of CheckSum.
    Check(usize),
    /// A digit of a computed price; 0 is the last.
    Price(usize),
}

const DYNAMIC: u16 = 0x100;
const DIGIT: u16 = 0x40;
const PRICE: u16 = 0x80;
const FIRST_CHECK: usize = TIME_DIGITS + NUMBER_DIGITS;

impl Code {
    pub(crate) const fn new(piece: Piece) -> Self {
        Code(match piece {
            Piece::Literal(byte) => byte as u16,
            Piece::Text(byte) => DYNAMIC | (byte as u16 & 0x3f),
            Piece::Time(digit) => DYNAMIC | DIGIT | digit as u16,
            Piece::Number(digit) => DYNAMIC | DIGIT | (TIME_DIGITS + digit) as u16,
            Piece::Check(digit) => DYNAMIC | DIGIT | (FIRST_CHECK + digit) as u16,
            Piece::Price(digit) => DYNAMIC | PRICE | digit as u16,
        })
    }

    /// Its nine bits.
    pub const fn bits(self) -> u16 {
        self.0
    }

    pub(crate) const fn piece(self) -> Piece {
        let index = (self.0 & 0x1f) as usize;
        if self.0 & (DYNAMIC | PRICE) == DYNAMIC | PRICE {
            return Piece::Price(index & 0xf);
        }
        match (self.0 & DYNAMIC != 0, self.0 & DIGIT != 0) {
            (false, _) => Piece::Literal(self.0 as u8),
            (true, false) => Piece::Text((self.0 & 0x3f) as usize),
            (true, true) if index < TIME_DIGITS => Piece::Time(index),
            (true, true) if index < FIRST_CHECK => Piece::Number(index - TIME_DIGITS),
            (true, true) => Piece::Check(index - FIRST_CHECK),
        }
    }
}

/// Where the two occurrences of a field begin, counted from the message's first byte: `occurrence_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Occurrence {
    /// Both at even offsets.
    BothEven,
    /// One each.
    OneEach,
    /// Both at odd ones.
    BothOdd,
}

/// What the hardware must know about a template ahead of time: `template_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Ones'-complement sum of 16-bit words of the literal bytes and of `0` for every digit.
    pub sum: u16,
    /// Sum of the bytes modulo 256, without the field CheckSum.
    pub byte_sum: u8,
    /// Where MsgSeqNum stands.
    pub number_at: Occurrence,
    /// Where the time stands.
    pub time_at: Occurrence,
    /// CheckSum's first digit is at an odd offset.
    pub check_odd: bool,
    /// Which digits of a computed price are at odd offsets: bit 0 is the last digit's. 0 where there is none.
    pub price_odd: u16,
}

/// A message with places for what is patched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Its bytes.
    pub codes: Vec<Code>,
    /// What is known about it.
    pub record: Record,
}

/// The ones'-complement sum of 16-bit words, first byte high, an odd last byte followed by 0 (RFC 1071); 0 only of zeros.
pub(crate) fn ones_complement(bytes: &[u8]) -> u16 {
    let mut sum = 0_u32;
    for pair in bytes.chunks(2) {
        let word = u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]);
        sum += u32::from(word);
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// Digits of CheckSum with its tag before and the separator after: `10=000|`.
const TRAILER: usize = 7;

impl Template {
    /// Of codes that keep the rules of `order_template_pkg`.
    pub(crate) fn new(codes: Vec<Code>) -> Self {
        let plain: Vec<u8> = codes
            .iter()
            .map(|code| match code.piece() {
                Piece::Literal(byte) => byte,
                Piece::Text(_) => 0,
                _ => b'0',
            })
            .collect();
        let at = |piece| {
            let offsets = codes.iter().enumerate();
            let odd = offsets.filter(|(offset, code)| code.piece() == piece && offset % 2 == 1);
            match odd.count() {
                0 => Occurrence::BothEven,
                1 => Occurrence::OneEach,
                _ => Occurrence::BothOdd,
            }
        };
        let summed = plain.get(..plain.len() - TRAILER).unwrap_or_default();
        let record = Record {
            sum: ones_complement(&plain),
            byte_sum: formats::fix::checksum(summed),
            number_at: at(Piece::Number(0)),
            time_at: at(Piece::Time(0)),
            check_odd: (codes.len() - TRAILER + 3) % 2 == 1,
            price_odd: (0..PRICE_DIGITS)
                .filter(|digit| at(Piece::Price(*digit)) != Occurrence::BothEven)
                .fold(0, |odd, digit| odd | 1 << digit),
        };
        Template { codes, record }
    }

    /// The message with a text, a number and a time, and with a price where it is computed.
    pub(crate) fn message(
        &self,
        text: &Text,
        price: u32,
        number: Number,
        time: Timestamp,
    ) -> Vec<u8> {
        let mut message = Vec::with_capacity(self.codes.len());
        self.write(text, price, number, time, &mut message);
        message
    }

    /// The same into `message`, which is cleared first.
    fn write(
        &self,
        text: &Text,
        price: u32,
        number: Number,
        time: Timestamp,
        message: &mut Vec<u8>,
    ) {
        let (number, time) = (number.digits(), crate::digits::time_digits(time));
        let price = decimal_digits(price.into());
        message.clear();
        let mut check = 0;
        for code in &self.codes {
            if matches!(code.piece(), Piece::Check(0)) {
                let covered = message.len().saturating_sub("10=".len());
                check = formats::fix::checksum(message.get(..covered).unwrap_or_default());
            }
            message.push(match code.piece() {
                Piece::Literal(byte) => byte,
                Piece::Text(byte) => text.bytes[byte],
                Piece::Time(digit) => b'0' | (time >> (4 * (TIME_DIGITS - 1 - digit)) & 0xf) as u8,
                Piece::Number(digit) => {
                    b'0' | (number >> (4 * (NUMBER_DIGITS - 1 - digit)) & 0xf) as u8
                }
                Piece::Check(digit) => b'0' + check / [100, 10, 1][digit.min(2)] % 10,
                Piece::Price(digit) => b'0' | (price >> (4 * digit) & 0xf) as u8,
            });
        }
    }
}

/// All templates of a desk, and what they share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Templates {
    /// Bytes of every message.
    pub length: usize,
    /// Where the fields of a text stand.
    pub layout: Layout,
    /// By instrument, if there are orders of it: its decimals, and its templates in the order of [`Form::ALL`]. Those of computed orders are there
    /// if the price is wide enough ([`computed_price_width`](crate::computed_price_width)).
    pub instruments: Vec<Option<Forms>>,
}

/// An instrument's decimals, and its templates in the order of [`Form::ALL`].
pub type Forms = (u8, [Option<Template>; Form::ALL.len()]);

impl Templates {
    /// The same with other indices: that of each instrument in its order.
    pub fn at(mut self, indices: &[u8]) -> Self {
        let length = indices
            .iter()
            .max()
            .map_or(0, |most| usize::from(*most) + 1);
        let compiled = std::mem::replace(&mut self.instruments, vec![None; length]);
        for (index, templates) in indices.iter().zip(compiled) {
            self.instruments[usize::from(*index)] = templates;
        }
        self
    }

    /// The instrument's decimals and templates.
    pub(crate) fn of(&self, instrument: u8) -> Option<&Forms> {
        self.instruments.get(usize::from(instrument))?.as_ref()
    }

    /// The decimals of an instrument's prices, if it has templates.
    pub fn decimals(&self, instrument: u8) -> Option<u8> {
        self.of(instrument).map(|(decimals, _)| *decimals)
    }

    /// The template an order of this instrument is sent with.
    pub fn template(&self, instrument: u8, form: Form) -> Option<&Template> {
        let (_, forms) = self.of(instrument)?;
        forms.get(form as usize)?.as_ref()
    }

    /// The text of an order.
    ///
    /// # Errors
    /// There is no such instrument, or a number does not fit its field.
    pub fn text(&self, order: &Order) -> Result<Text, TextError> {
        let (decimals, _) = self
            .of(order.instrument)
            .ok_or(TextError::Instrument(order.instrument))?;
        Text::new(&self.layout, *decimals, order)
    }

    /// The message of an order, byte for byte as the hardware sends it with this number at this time.
    ///
    /// # Errors
    /// As [`Templates::text`].
    pub fn message(
        &self,
        order: &Order,
        number: Number,
        time: Timestamp,
    ) -> Result<Vec<u8>, TextError> {
        let mut message = Vec::with_capacity(self.length);
        self.write(order, number, time, &mut message)?;
        Ok(message)
    }

    /// The same into `message`, which is cleared first: with room for [`Templates::length`] bytes nothing is allocated.
    ///
    /// # Errors
    /// As [`Templates::text`].
    pub fn write(
        &self,
        order: &Order,
        number: Number,
        time: Timestamp,
        message: &mut Vec<u8>,
    ) -> Result<(), TextError> {
        let text = self.text(order)?;
        let template = self.template(order.instrument, order.form());
        let template = template.ok_or(TextError::Instrument(order.instrument))?;
        template.write(&text, 0, number, time, message);
        Ok(())
    }
}
