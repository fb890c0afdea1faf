//! The instruments: the core has one table of them, for market data, session, risk and statistics.

use formats::Symbol;
use instrument::ITCH_PRICE_SCALE;

use crate::driver::{Driver, Error, Registers};
use crate::orders::{Code, high, low};
use crate::registers as map;

/// Instruments.
pub const INSTRUMENTS: usize = 16;

/// An instrument: how the market data and the FIX session call it, and the scale of its prices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instrument {
    /// Its symbol in the market data, if its trades are read there: `decimals` are those of the feed then, in ITCH [`ITCH_PRICE_SCALE`].
    pub feed: Option<Symbol>,
    /// Its symbol (55) at the FIX session, 1 to 8 characters, if its prices are read there.
    pub session: Option<String>,
    /// Decimals of its prices, in the core and in its orders: 0 to 15, with a symbol at the session at most 8.
    pub decimals: u8,
    /// Decimals of the quantities at the session, 0 to 8.
    pub quantity_decimals: u8,
}

impl Instrument {
    /// One whose prices are read in the market data only.
    pub fn of_feed(symbol: Symbol) -> Self {
        Instrument {
            feed: Some(symbol),
            decimals: ITCH_PRICE_SCALE,
            ..Instrument::default()
        }
    }
}

/// The index of the operation that writes the text by which an order log names its instrument.
const LOG_TEXT: u32 = 0x8000;

/// The operands of that operation (`order_log_config`): seven bits a character, the last one lowest. Without a text, of none.
fn text_words(text: &str) -> [u32; 4] {
    let packed = text
        .bytes()
        .fold(0_u128, |all, byte| all << 7 | u128::from(byte & 0x7f));
    let used = u32::from(!text.is_empty()) << 8;
    let word = |place: u32| (packed >> (32 * place)) as u32;
    [used | text.len() as u32, word(0), word(1), word(2)]
}

impl<R: Registers> Driver<R> {
    /// Makes these the instruments, known by their symbols in the market data, and reports as many. All statistics start again. Meant for a core that
    /// is disabled: in between, instruments are missing.
    ///
    /// # Errors
    /// None, too many, or one twice.
    pub fn load_symbols(&mut self, symbols: &[Option<Symbol>]) -> Result<(), Error<R::Error>> {
        if symbols.is_empty() {
            return Err(Error::NoSymbols);
        }
        let room = self.room;
        let beyond = symbols.iter().skip(room).any(Option::is_some);
        if beyond || symbols.len() > INSTRUMENTS {
            let symbols = symbols.len();
            return Err(Error::TooManySymbols { symbols, room });
        }
        for (index, symbol) in symbols
            .iter()
            .enumerate()
            .filter(|(_, symbol)| symbol.is_some())
        {
            let mut before = symbols.iter().take(index);
            if let Some(other) = before.position(|other| other == symbol) {
                return Err(Error::Duplicate { index, other });
            }
        }
        for index in 0..INSTRUMENTS {
            self.set_instrument(index, &Instrument::default())?;
        }
        for (index, symbol) in symbols.iter().enumerate() {
            let Some(symbol) = *symbol else { continue };
            self.set_instrument(index, &Instrument::of_feed(symbol))?;
        }
        self.write_control(map::control::SYMBOL_COUNT.set(self.control, symbols.len() as u32))
    }

    /// Sets an instrument, in every stage that stores a part of it; its statistics start again. The default is no instrument.
    ///
    /// # Errors
    /// Its symbol at the session is longer than the core compares, or another instrument has a symbol of it.
    pub fn set_instrument(
        &mut self,
        index: usize,
        instrument: &Instrument,
    ) -> Result<(), Error<R::Error>> {
        let session = instrument.session.as_deref().map(str::as_bytes);
        let length = session.map_or(0, <[u8]>::len);
        let room = self.room;
        if (room..INSTRUMENTS).contains(&index) && *instrument == Instrument::default() {
            // The core has no such place: none is there.
            return Ok(());
        }
        if session.is_some_and(|symbol| symbol.is_empty()) || length > 8 || index >= room {
            return Err(Error::Instrument {
                index,
                length,
                room,
            });
        }
        let same = |other: &Instrument| {
            (other.feed.is_some() && other.feed == instrument.feed)
                || (session.is_some() && other.session == instrument.session)
        };
        let others = self.instruments.iter().enumerate();
        if let Some((other, _)) = others.filter(|(i, _)| *i != index).find(|(_, i)| same(i)) {
            return Err(Error::Duplicate { index, other });
        }
        let feed = instrument.feed.map_or(0, Symbol::to_u64);
        let symbol = session
            .unwrap_or_default()
            .iter()
            .fold(0_u64, |all, byte| all << 8 | u64::from(*byte));
        let first = u32::from(instrument.feed.is_some())
            | u32::from(session.is_some()) << 1
            | (length as u32) << 4
            | u32::from(instrument.decimals) << 8
            | u32::from(instrument.quantity_decimals) << 12;
        let words = [first, low(feed), high(feed), low(symbol), high(symbol)];
        self.operate(Code::Instrument as u32, index as u32, &words)?;
        if self.is_order_log() && index == 0 {
            let text = instrument.feed.map(|symbol| symbol.to_string());
            let text = text.as_deref().unwrap_or_default();
            self.operate(Code::Instrument as u32, LOG_TEXT, &text_words(text))?;
        }
        self.instruments[index] = instrument.clone();
        Ok(())
    }
}
