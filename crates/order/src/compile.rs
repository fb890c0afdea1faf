//! From a description to templates that keep the rules of `order_template_pkg`.
//!
//! ```text
//! 8=FIX.4.4|9=nnn|35=D|49=…|56=…|34=#########|52=time|1=…|11=…#########|55=…|21=1|40=2|58=xxx|   head
//!                                                              41=…#########|44=0000.00|54=1|38=000|60=time|10=ccc|
//!                                                              ^------------- window, tail -------------^
//! ```
//! Every form ends alike, so that a field of the text is at the same place in all messages: Text (58) fills up the front,
//! SecondaryClOrdID (526) the place of Price in a cancel request. Where each order has its own TimeInForce (59), it stands after the price; a cancel has
//! none, and its SecondaryClOrdID is longer. A computed price stands where a price of the text would.

use thiserror::Error;

use crate::computed::{PRICE_DIGITS, computed_price_width};
use crate::description::{Description, DescriptionError, FILLER, Instrument};
use crate::digits::{NUMBER_DIGITS, TIME_DIGITS};
use crate::request::Form;
use crate::template::{Code, Piece, Template, Templates};
use crate::text::Layout;

/// The field of TimeInForce, where each order has its own.
const TIME_IN_FORCE: &str = "59=";
/// The least a Text can take: `58=x|`.
const LEAST_FILLER: usize = 5;

/// Why a description cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CompileError {
    /// The description itself is wrong.
    #[error(transparent)]
    Description(
        #[from]
        /// Why.
        DescriptionError,
    ),
    /// The messages are longer than the core takes.
    #[error("orders of {symbol} need messages of {needed} bytes, {most} is the most: shorten names, fields or widths by {}", needed - most)]
    TooLong {
        /// The instrument whose messages are the longest.
        symbol: String,
        /// Bytes needed.
        needed: usize,
        /// The most there may be.
        most: usize,
    },
    /// More instruments than can have templates.
    #[error("{found} instruments: the core has templates for {most}")]
    TooManyInstruments {
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
}

/// A piece of a message being built.
#[derive(Default)]
struct Pieces(Vec<Code>);

impl Pieces {
    /// `|` is the separator.
    fn literal(&mut self, text: &str) -> &mut Self {
        self.0.extend(text.bytes().map(|byte| {
            Code::new(Piece::Literal(if byte == b'|' {
                formats::fix::SOH
            } else {
                byte
            }))
        }));
        self
    }

    /// A value as it is.
    fn value(&mut self, value: &str) -> &mut Self {
        self.0
            .extend(value.bytes().map(|byte| Code::new(Piece::Literal(byte))));
        self
    }

    fn number(&mut self) -> &mut Self {
        self.0
            .extend((0..NUMBER_DIGITS).map(|digit| Code::new(Piece::Number(digit))));
        self
    }

    fn time(&mut self) -> &mut Self {
        let mut digits = 0..TIME_DIGITS;
        for character in "YYYYMMDD-HH:MM:SS.mmm".bytes() {
            let digit = character
                .is_ascii_alphabetic()
                .then(|| digits.next())
                .flatten();
            self.0.push(Code::new(
                digit.map_or(Piece::Literal(character), Piece::Time),
            ));
        }
        self
    }

    fn text(&mut self, at: u8, width: u8) -> &mut Self {
        let bytes = usize::from(at)..usize::from(at) + usize::from(width);
        self.0
            .extend(bytes.map(|byte| Code::new(Piece::Text(byte))));
        self
    }

    /// Ten digits with the point before the decimals, and zeros before them up to the width.
    fn computed_price(&mut self, width: u8, decimals: u8) -> &mut Self {
        let zeros = width.saturating_sub(computed_price_width(decimals));
        self.literal(&"0".repeat(zeros.into()));
        for digit in (0..PRICE_DIGITS).rev() {
            self.0.push(Code::new(Piece::Price(digit)));
            if digit > 0 && digit == usize::from(decimals) {
                self.literal(".");
            }
        }
        self
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// Everything before the filler.
fn head(description: &Description, instrument: &Instrument, form: Form) -> Pieces {
    let mut head = Pieces::default();
    let msg_type = match form {
        Form::Limit | Form::Market | Form::Computed => "D",
        Form::Cancel => "F",
        Form::Replace | Form::ComputedReplace => "G",
    };
    head.literal("35=").literal(msg_type);
    head.literal("|49=").value(&description.sender);
    head.literal("|56=").value(&description.target);
    head.literal("|34=").number().literal("|52=").time();
    if let Some(account) = &description.account {
        head.literal("|1=").value(account);
    }
    head.literal("|11=")
        .value(&description.client_order_id_prefix)
        .number();
    head.literal("|55=").value(&instrument.symbol);
    if form != Form::Cancel {
        for (tag, value) in &description.fields {
            head.literal(&format!("|{tag}=")).value(value);
        }
    }
    match form {
        Form::Market => head.literal("|40=1|"),
        Form::Cancel => head.literal("|"),
        _ => head.literal("|40=2|"),
    };
    head
}

/// Everything after the filler.
fn tail(description: &Description, decimals: u8, form: Form, layout: &Layout) -> Pieces {
    let mut tail = Pieces::default();
    if form.has_original() {
        tail.literal("41=")
            .value(&description.client_order_id_prefix);
        tail.text(layout.original_at, NUMBER_DIGITS as u8)
            .literal("|");
    }
    if form.has_price() {
        tail.literal("44=")
            .text(layout.price_at, layout.price_width)
            .literal("|");
    } else if form.is_computed() {
        tail.literal("44=")
            .computed_price(layout.price_width, decimals)
            .literal("|");
    } else if form.has_original() {
        let filler = format!("{FILLER}=");
        let mut width = "44=".len() + usize::from(layout.price_width) - filler.len();
        if layout.time_in_force_at.is_some() {
            width += TIME_IN_FORCE.len() + "T|".len();
        }
        tail.literal(&filler)
            .literal(&"0".repeat(width))
            .literal("|");
    }
    match layout.time_in_force_at {
        // A cancel has none: its filler takes the place, or would without one before it.
        Some(at) if form != Form::Cancel => {
            tail.literal(TIME_IN_FORCE).text(at, 1).literal("|");
        }
        _ => {}
    }
    tail.literal("54=").text(layout.side_at, 1);
    tail.literal("|38=")
        .text(layout.quantity_at, layout.quantity_width);
    tail.literal("|60=").time().literal("|10=");
    tail.0
        .extend((0..3).map(|digit| Code::new(Piece::Check(digit))));
    tail.literal("|");
    tail
}

/// Where the fields of the text are in a message of this length, from a multiple of eight bytes on.
fn layout(description: &Description, length: usize) -> Layout {
    let (quantity, price) = (description.quantity_width, description.price_width);
    let behind = "|60=".len() + "YYYYMMDD-HH:MM:SS.mmm".len() + "|10=ccc|".len();
    let quantity_at = length - behind - usize::from(quantity);
    let side_at = quantity_at - "|38=".len() - 1;
    let mut after_price = side_at - "|54=".len();
    let time_in_force_at = description.time_in_force.then(|| {
        let at = after_price - 1;
        after_price = at - "|".len() - TIME_IN_FORCE.len();
        at
    });
    let price_at = after_price - usize::from(price);
    let original_at = price_at - "|44=".len() - NUMBER_DIGITS;
    let window = original_at / 8 * 8;
    // Sixty-four bytes at most, whatever the widths.
    let within = |at: usize| (at - window) as u8;
    Layout {
        side_at: within(side_at),
        quantity_at: within(quantity_at),
        quantity_width: quantity,
        price_at: within(price_at),
        price_width: price,
        original_at: within(original_at),
        time_in_force_at: time_in_force_at.map(within),
    }
}

/// `8=FIX.4.4|9=nnn|`.
fn begin(body_length: usize) -> String {
    format!("8=FIX.4.4|9={body_length:03}|")
}

/// `10=ccc|`.
const TRAILER: usize = 7;

impl Templates {
    /// Compiles a description for a core that takes messages of `most` bytes.
    ///
    /// # Errors
    /// What is wrong with it, and what to change.
    pub fn compile(description: &Description, most: usize) -> Result<Self, CompileError> {
        description.check()?;
        let (found, instruments) = (description.instruments.len(), &description.instruments);
        if found > INSTRUMENTS {
            let most = INSTRUMENTS;
            return Err(CompileError::TooManyInstruments { found, most });
        }
        // Lengths do not depend on where the text's fields are.
        let rough = layout(description, usize::from(u8::MAX));
        let forms = |instrument: &Instrument| {
            // A computed price is as long as one in the text.
            Form::PREPARED.map(|form| {
                let tail = tail(description, instrument.decimals, form, &rough).len();
                begin(0).len() + head(description, instrument, form).len() + tail
            })
        };
        let needed: Vec<_> = instruments.iter().map(forms).collect();
        let fits = |length: &usize| {
            let left = needed.iter().flatten().map(|needed| length - needed);
            left.into_iter()
                .all(|left| left == 0 || left >= LEAST_FILLER)
        };
        let longest = needed.iter().flatten().max().copied().unwrap_or(0);
        let length = (longest..).find(fits).unwrap_or(longest);
        if length > most.min(MOST_BYTES) {
            let longest = instruments.iter().max_by_key(|i| i.symbol.len());
            return Err(CompileError::TooLong {
                symbol: longest.map(|i| i.symbol.clone()).unwrap_or_default(),
                needed: length,
                most: most.min(MOST_BYTES),
            });
        }
        let layout = layout(description, length);
        let template = |instrument: &Instrument, form| {
            let (head, tail) = (
                head(description, instrument, form),
                tail(description, instrument.decimals, form, &layout),
            );
            let begin = begin(length - begin(0).len() - TRAILER);
            let mut message = Pieces::default();
            message.literal(&begin);
            message.0.extend(head.0);
            let left = length - message.len() - tail.len();
            if left > 0 {
                message
                    .literal("58=")
                    .literal(&"x".repeat(left - 4))
                    .literal("|");
            }
            message.0.extend(tail.0);
            Template::new(message.0)
        };
        let forms = |instrument: &Instrument| {
            let room = description.price_width >= computed_price_width(instrument.decimals);
            Form::ALL.map(|form| (room || !form.is_computed()).then(|| template(instrument, form)))
        };
        let compiled = instruments.iter().map(|i| Some((i.decimals, forms(i))));
        Ok(Templates {
            length,
            layout,
            instruments: compiled.collect(),
        })
    }
}

/// An instrument's index has eight bits.
const INSTRUMENTS: usize = 256;
/// BodyLength is given three digits.
const MOST_BYTES: usize = 999;
