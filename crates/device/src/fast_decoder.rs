//! The FAST decoder of a core: its program and its table of events, loaded while packets wait (`decoder_fast`); or, of one that reads an order log, tables
//! that are compared with its own (`order_log_config`).

use std::fmt;

use fast::{microcode, wire_rate};

use crate::driver::{Driver, Error, Registers};
use crate::registers::operation_state::DONE;
use crate::registers::{
    self as map, fast_lag_last, fast_lag_most, fast_overflow, fast_unread, fast_waiting_most,
    fast_wire_rate,
};

/// Operation 16 (docs/reference/order-operations.md).
const OPERATION: u32 = 16;
const HOLD: u32 = 8;
const RELEASE: u32 = 9;
/// A word of the wire-rate engine's tables.
const WIRE_RATE: u8 = 10;
/// What the table of events says of template 3610 by `moex-order-log.toml`, as a CRC-32 of its words: a core that reads an order log alone has that built in.
const LOG_TABLE: u32 = 0x59d3_5b6c;
/// The one of them with the members of an event, which has the tables' fingerprint (`fast_wire_pkg::load_e`).
const MEMBERS: u16 = 5;

/// The first operand's bits that say whose decoder it is; a core knows four feeds at most.
const fn of(feed: u8) -> u32 {
    (feed as u32 & 3) << 4
}

/// A word of the engine's program or of the table after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FastWord {
    /// 0 to 3, 7: a word of the program (`fast_pkg::load_e`); 4 to 6: of the table (`fast_events_pkg::event_load_e`, plus 4); 10: of the wire-rate engine.
    pub what: u8,
    /// Which one. Of the wire-rate engine: which template of its set in the bits from 7 on, which table (`fast_wire_pkg::load_e`) in those from 4 on, which word of it below.
    pub index: u16,
    /// Its bits, the lowest 32 first; the table has three.
    pub data: [u32; 5],
}

/// A word of the engine's program.
impl From<microcode::Load> for FastWord {
    fn from(load: microcode::Load) -> Self {
        FastWord {
            what: load.what,
            index: load.index,
            data: load.data,
        }
    }
}

/// A word of the wire-rate engine.
impl From<wire_rate::Load> for FastWord {
    fn from(load: wire_rate::Load) -> Self {
        FastWord {
            what: WIRE_RATE,
            index: u16::from(load.template) << 7
                | u16::from(load.what) << 4
                | u16::from(load.index),
            data: load.data,
        }
    }
}

/// How far a FAST decoder is behind the wire, since it was last released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FastLag {
    /// Clock cycles from a packet's last beat at the decoder to its verdict, of the last packet, modulo 2^24.
    pub last: u32,
    /// The most there were.
    pub most: u32,
    /// The most bytes that had come and were not looked at.
    pub waiting_most: u32,
}

/// How many packets of good frames the wire-rate engine of a core that reads an order log did, and how many it could not. Both wrap at 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FastEngines {
    /// Done.
    pub wire_rate: u32,
    /// Not readable: what they say is lost, until the host makes it good.
    pub unread: u32,
}

impl fmt::Display for FastEngines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} packets done at wire rate, {} not readable",
            self.wire_rate, self.unread
        )
    }
}

impl<R: Registers> Driver<R> {
    /// Loads the FAST decoder of a feed (0 where there is one alone): packets wait in its buffer meanwhile, then it begins with empty dictionaries, and with the next packet's number. `false`:
    /// this core has none of that feed. One that reads an order log compares the words of the wire-rate
    /// engine with its tables, which are built in; any other passes over these. `reset_each_packet`: every packet begins with empty dictionaries.
    ///
    /// # Errors
    /// The core did not answer, or refused a word; its decoder is built for other tables ([`Driver::is_order_log`]).
    pub fn load_fast(
        &mut self,
        feed: u8,
        words: impl IntoIterator<Item = FastWord>,
        reset_each_packet: bool,
    ) -> Result<bool, Error<R::Error>> {
        if !self.hold_fast(feed)? {
            return Ok(false);
        }
        let line_rate_alone = self.is_order_log();
        let mut fits = false;
        let mut table = Vec::new();
        let mut words = words.into_iter().peekable();
        // Without words it only begins again, with the tables that it has.
        let checks = line_rate_alone && words.peek().is_some();
        for word in words {
            if line_rate_alone && word.what != WIRE_RATE {
                if matches!(word.what, 4..=6) {
                    table.push(word.what);
                    table.extend(word.index.to_le_bytes());
                    table.extend(word.data.iter().flat_map(|data| data.to_le_bytes()));
                }
                continue;
            }
            let [a, b, c, d, e] = word.data;
            let operands = [u32::from(word.what) | of(feed), a, b, c, d, e];
            // The meaning of a value has a few bits, and there are thousands; other words of the table have three.
            let used = match word.what {
                5 => 2,
                4 | 6 => 4,
                _ => operands.len(),
            };
            if word.what == WIRE_RATE {
                // Not done: this core has no such engine, or one that is built for other tables.
                let state = self.begin(OPERATION, word.index.into(), &operands)?;
                fits |= word.index >> 4 & 7 == MEMBERS && DONE.get(state) != 0;
                continue;
            }
            self.operate(OPERATION, word.index.into(), &operands[..used])?;
        }
        if checks && (!fits || formats::fcs::of(&table) != LOG_TABLE) {
            return Err(Error::OtherTables);
        }
        self.release_fast(feed, reset_each_packet)?;
        Ok(true)
    }

    /// From the feed's next packet on they wait in its decoder's buffer, until [`Driver::release_fast`]. `false`: this core has no FAST decoder of that feed.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn hold_fast(&mut self, feed: u8) -> Result<bool, Error<R::Error>> {
        if u32::from(feed) >= self.feeds() {
            return Ok(false);
        }
        Ok(DONE.get(self.begin(OPERATION, 0, &[HOLD | of(feed)])?) != 0)
    }

    /// The feed's packets are decoded again, with empty dictionaries.
    ///
    /// # Errors
    /// The core did not answer, or does not hold them.
    pub fn release_fast(
        &mut self,
        feed: u8,
        reset_each_packet: bool,
    ) -> Result<(), Error<R::Error>> {
        let operands = [RELEASE | of(feed), reset_each_packet.into()];
        self.operate(OPERATION, 0, &operands)?;
        Ok(())
    }

    /// How many packets the wire-rate engine did, and how many not. Of a core without one both are 0.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn fast_engines(&mut self) -> Result<FastEngines, Error<R::Error>> {
        Ok(FastEngines {
            wire_rate: self.read(fast_wire_rate::ADDRESS)?,
            unread: self.read(fast_unread::ADDRESS)?,
        })
    }

    /// How many packets of good frames were not taken, by cause: errors of the templates (FAST 1.1, 10), faults of the table of events, and what the hardware
    /// had no room for. Of the feed shown ([`Driver::show_feed`]); of a core without FAST all are 0.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn fast_causes(&mut self) -> Result<Vec<(&'static str, u32)>, Error<R::Error>> {
        let causes = map::fast_d2::ADDRESS..fast_lag_last::ADDRESS;
        let causes = map::REGISTERS
            .iter()
            .filter(|register| causes.contains(&register.address));
        causes
            .map(|register| {
                let name = register.name.strip_prefix("fast_");
                Ok((name.unwrap_or(register.name), self.read(register.address)?))
            })
            .collect()
    }

    /// How far FAST is behind the wire. Of the feed shown; of a core without FAST all is 0.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn fast_lag(&mut self) -> Result<FastLag, Error<R::Error>> {
        Ok(FastLag {
            last: self.read(fast_lag_last::ADDRESS)?,
            most: self.read(fast_lag_most::ADDRESS)?,
            waiting_most: self.read(fast_waiting_most::ADDRESS)?,
        })
    }

    /// How many packets found no room in the decoder's buffer.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn fast_overflow(&mut self) -> Result<u32, Error<R::Error>> {
        self.read(fast_overflow::ADDRESS)
    }
}
