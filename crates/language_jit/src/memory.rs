//! Where the compiled code finds and leaves its values. Everything is a 64-bit word; positions are numbers of words.

use language::event::{INTENTS as MOST_INTENTS, VALUES};
use language::program::{Program, Shape};

/// Output: divisions by zero.
pub(crate) const DIVISION: usize = 0;
/// Output: indexes of nothing.
pub(crate) const INDEX: usize = 1;
/// Output: intents that found no room.
pub(crate) const DROPPED: usize = 2;
/// Output: how many intents follow.
pub(crate) const INTENTS: usize = 3;
/// Output: how many records follow.
pub(crate) const RECORDS: usize = 4;
/// Output: the first intent.
pub(crate) const FIRST_INTENT: usize = 5;
/// Words of an intent.
pub(crate) const INTENT_WORDS: usize = 7;
/// Output: the first record.
pub(crate) const FIRST_RECORD: usize = FIRST_INTENT + MOST_INTENTS * INTENT_WORDS;
/// Words of a record: tag, count, values.
pub(crate) const RECORD_WORDS: usize = 2 + VALUES;

/// Intent: what it is.
pub(crate) const KIND: usize = 0;
/// Intent: the order's number.
pub(crate) const ORDER: usize = 1;
/// Intent: the side.
pub(crate) const SIDE: usize = 2;
/// Intent: the instrument.
pub(crate) const INSTRUMENT: usize = 3;
/// Intent: the price.
pub(crate) const PRICE: usize = 4;
/// Intent: the quantity.
pub(crate) const QUANTITY: usize = 5;
/// Intent: the time in force.
pub(crate) const TIME_IN_FORCE: usize = 6;

/// A new limit order.
pub(crate) const KIND_LIMIT: i64 = 0;
/// A new market order.
pub(crate) const KIND_MARKET: i64 = 1;
/// A cancel.
pub(crate) const KIND_CANCEL: i64 = 2;
/// A replacement.
pub(crate) const KIND_REPLACE: i64 = 3;

/// State: how many orders were sent.
pub(crate) const ORDERS: usize = 0;

/// Ring: which slot has the newest value.
pub(crate) const HEAD: usize = 0;
/// Ring: how many values there are.
pub(crate) const COUNT: usize = 1;
/// Ring: their sum.
pub(crate) const SUM: usize = 2;
/// Ring: the first slot.
pub(crate) const SLOTS: usize = 3;

/// Words of the output, with room for that many records.
pub(crate) const fn output_words(records: usize) -> usize {
    FIRST_RECORD + records * RECORD_WORDS
}

/// Where a field is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Its first word.
    pub(crate) word: usize,
    /// How many values it holds at most.
    pub(crate) length: usize,
    /// Whether it is a ring.
    pub(crate) is_ring: bool,
}

/// Where each field is in the state.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) fields: Vec<Place>,
    pub(crate) instruments: usize,
    words: usize,
}

impl Layout {
    pub(crate) fn new(program: &Program) -> Self {
        let mut words = ORDERS + 1;
        let mut fields = Vec::with_capacity(program.fields.len());
        for (index, field) in program.fields.iter().enumerate() {
            let length = program.length(index);
            let is_ring = matches!(field.shape, Shape::Ring(_));
            fields.push(Place {
                word: words,
                length,
                is_ring,
            });
            // One word at least: an index that is refused reads the first one all the same.
            words += length.max(1) + if is_ring { SLOTS } else { 0 };
        }
        Layout {
            fields,
            instruments: program.instruments,
            words,
        }
    }

    pub(crate) fn initial_state(&self, program: &Program) -> Box<[i64]> {
        let mut state = vec![0; self.words];
        for (place, field) in self.fields.iter().zip(&program.fields) {
            if place.is_ring {
                // The first value goes into the first slot.
                state[place.word + HEAD] = place.length as i64 - 1;
            } else {
                state[place.word..][..place.length].fill(field.initial);
            }
        }
        state.into()
    }

    pub(crate) fn read_state(&self, state: &[i64]) -> Vec<Vec<i64>> {
        let of = |place: &Place| {
            let words = &state[place.word..];
            if !place.is_ring {
                return words[..place.length].to_vec();
            }
            let (head, count) = (words[HEAD] as usize, words[COUNT] as usize);
            (0..count)
                .map(|age| words[SLOTS + (head + place.length - age) % place.length])
                .collect()
        };
        self.fields.iter().map(of).collect()
    }
}
