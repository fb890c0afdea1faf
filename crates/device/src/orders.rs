//! What orders need from the core, through its registers: TCP, templates, stops, instruments, numbers and time.

use std::time::Duration;

use formats::fix::Timestamp;
use order::{Form, Number, Template, Templates, price_fits, time_digits};
use strategy::stops::{Operation, State, Stop};
use thiserror::Error;

use crate::driver::{Driver, Error, Registers};
use crate::order_registers as map;
use crate::registers as core_map;
use crate::tcp::{Connection, TcpConfig, TcpState};

/// Microseconds of a tick, in which TCP's times are given.
const TICK_MICROSECONDS: u128 = 256;
/// Reads of its state until an operation is given up: a stop's takes some 1,100 cycles.
const PATIENCE: usize = 10_000;
/// So many of them come one after another, before the driver pauses between them.
const READS_AT_ONCE: usize = 4;
/// Bytes of a message the core has room for.
pub const MESSAGE_BYTES: usize = 256;
/// The longest prefix of ClOrdIDs that the core compares.
pub const PREFIX_BYTES: usize = 15;

/// Why no order leaves at present; nothing if one may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stopped {
    /// No connection.
    pub connection: bool,
    /// No MsgSeqNum is loaded.
    pub number_missing: bool,
    /// The numbers are used up.
    pub number_exhausted: bool,
    /// No time is loaded, or the clock is catching up milliseconds.
    pub time_unknown: bool,
    /// Midnight came without the next day's date.
    pub date_missing: bool,
    /// A message of the host is leaving.
    pub host_message: bool,
}

/// Why a stop was not set, changed or cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StopRefused {
    /// The slot was not in the state the operation needs.
    #[error("the slot was {0:?}")]
    Slot(
        /// The state.
        State,
    ),
    /// The order has no text.
    #[error("quantity {0} is too wide for its field: raise quantity_width")]
    Quantity(
        /// The quantity.
        u32,
    ),
    /// The order has no text.
    #[error("price {0:?} is too wide for its field: raise price_width")]
    Price(
        /// The price.
        Option<i64>,
    ),
    /// The trigger has more than [`order::PRICE_BITS`].
    #[error("trigger {0} is beyond 48 bits: give the instrument fewer decimals")]
    Trigger(
        /// The trigger.
        i64,
    ),
    /// There is no such instrument.
    #[error("instrument {0} is not in the core")]
    Instrument(
        /// The index.
        u8,
    ),
}

/// The operations that are neither a stop's nor an order's: codes of `operation`.
#[derive(Clone, Copy)]
#[repr(u32)]
pub(crate) enum Code {
    TemplateBeat = 4,
    TemplateRecord,
    TemplateClear,
    Time = 8,
    Date,
    Number,
    Limit,
    Adjust,
    Instrument,
}

pub(crate) const fn low(value: u64) -> u32 {
    value as u32
}

pub(crate) const fn high(value: u64) -> u32 {
    (value >> 32) as u32
}

fn ticks(time: Duration) -> u32 {
    let ticks = time.as_micros().div_ceil(TICK_MICROSECONDS);
    ticks.min((1 << 18) - 1) as u32
}

impl<R: Registers> Driver<R> {
    // ---- TCP -----------------------------------------------------------------------------------

    /// How to connect. Only while there is no connection.
    pub fn set_tcp(&mut self, tcp: &TcpConfig) -> Result<(), Error<R::Error>> {
        self.write(map::peer_ip::ADDRESS, tcp.peer_ip.to_bits())?;
        self.write(map::next_hop_ip::ADDRESS, tcp.next_hop.to_bits())?;
        let ports = map::tcp_port::LOCAL_PORT.set(0, tcp.local_port.into());
        let ports = map::tcp_port::PEER_PORT.set(ports, tcp.peer_port.into());
        self.write(map::tcp_port::ADDRESS, ports)?;
        self.write(map::tcp_mss::ADDRESS, tcp.mss.into())?;
        self.write(map::tcp_secret::ADDRESS, tcp.secret)?;
        self.write(map::rto_initial::ADDRESS, ticks(tcp.rto_initial))?;
        self.write(map::rto_minimum::ADDRESS, ticks(tcp.rto_minimum))?;
        self.write(map::rto_maximum::ADDRESS, ticks(tcp.rto_maximum))?;
        self.write(map::keep_alive::ADDRESS, ticks(tcp.keep_alive))?;
        self.write(map::time_wait::ADDRESS, ticks(tcp.time_wait))?;
        self.write(map::tcp_retries::ADDRESS, tcp.retries.min(15).into())
    }

    /// Connects as soon as the next hop's MAC is known.
    pub fn connect(&mut self) -> Result<(), Error<R::Error>> {
        use map::session_command::{ADDRESS, CONNECT};
        self.write(ADDRESS, CONNECT.mask())
    }

    /// Sends FIN after what was written.
    pub fn close(&mut self) -> Result<(), Error<R::Error>> {
        use map::session_command::{ADDRESS, CLOSE};
        self.write(ADDRESS, CLOSE.mask())
    }

    /// Sends RST.
    pub fn abort(&mut self) -> Result<(), Error<R::Error>> {
        use map::session_command::{ABORT, ADDRESS};
        self.write(ADDRESS, ABORT.mask())
    }

    /// Whether the FIX session is up: no order passes risk before.
    pub fn set_logged_on(&mut self, logged_on: bool) -> Result<(), Error<R::Error>> {
        self.write(map::logged_on::ADDRESS, logged_on.into())
    }

    /// The connection.
    pub fn connection(&mut self) -> Result<Connection, Error<R::Error>> {
        use map::session_state::{ADDRESS, CONNECTING, FULL, NEXT_HOP, TCP};
        let register = self.read(ADDRESS)?;
        let tcp = TcpState::ALL.get(TCP.get(register) as usize);
        Ok(Connection {
            tcp: tcp.copied().unwrap_or(TcpState::Closed),
            next_hop_known: NEXT_HOP.get(register) != 0,
            full: FULL.get(register) != 0,
            connecting: CONNECTING.get(register) != 0,
        })
    }

    /// Sequence numbers that wait for acknowledgment.
    pub fn outstanding(&mut self) -> Result<u32, Error<R::Error>> {
        self.read(map::outstanding::ADDRESS)
    }

    // ---- the order stage -----------------------------------------------------------------------

    /// Loads the templates of a desk. Only while there is no connection.
    ///
    /// # Errors
    /// The core has no room for so many instruments, or for so long a message: nothing is loaded then.
    pub fn load_templates(&mut self, templates: &Templates) -> Result<(), Error<R::Error>> {
        let instruments = templates.instruments.len();
        let room = self.room;
        if instruments > room || templates.length > MESSAGE_BYTES {
            return Err(Error::Templates {
                instruments,
                length: templates.length,
                room,
            });
        }
        self.write(map::message_length::ADDRESS, templates.length as u32)?;
        let layout = &templates.layout;
        let first = map::text_layout::SIDE_AT.set(0, layout.side_at.into());
        let first = map::text_layout::QUANTITY_AT.set(first, layout.quantity_at.into());
        let first = map::text_layout::QUANTITY_WIDTH.set(first, layout.quantity_width.into());
        let first = match layout.time_in_force_at {
            None => first,
            Some(at) => {
                let first = map::text_layout::TIME_IN_FORCE_AT.set(first, at.into());
                map::text_layout::HAS_TIME_IN_FORCE.set(first, 1)
            }
        };
        self.write(map::text_layout::ADDRESS, first)?;
        let second = map::text_layout_price::PRICE_AT.set(0, layout.price_at.into());
        let second = map::text_layout_price::PRICE_WIDTH.set(second, layout.price_width.into());
        let second = map::text_layout_price::ORIGINAL_AT.set(second, layout.original_at.into());
        self.write(map::text_layout_price::ADDRESS, second)?;
        for index in 0..room {
            let forms: &[Form] = if self.has_book() {
                &Form::ALL
            } else {
                &Form::PREPARED
            };
            for &form in forms {
                let place = template_index(form, index, room);
                match templates.template(index as u8, form) {
                    Some(template) => self.load_template(place, template)?,
                    None => self.operate(Code::TemplateClear as u32, place, &[])?,
                }
            }
        }
        Ok(())
    }

    fn load_template(&mut self, index: u32, template: &Template) -> Result<(), Error<R::Error>> {
        let beat_bytes = (self.width() / 8).max(1) as usize;
        let beats = (MESSAGE_BYTES / beat_bytes) as u32;
        for (beat, codes) in (0..).zip(template.codes.chunks(beat_bytes)) {
            // Nine bits a byte, the first byte lowest.
            let packed = codes
                .iter()
                .rev()
                .fold(0_u128, |packed, code| packed << 9 | u128::from(code.bits()));
            let words = [packed as u32, (packed >> 32) as u32, (packed >> 64) as u32];
            self.operate(Code::TemplateBeat as u32, index * beats + beat, &words)?;
        }
        let record = &template.record;
        let word = u32::from(record.sum)
            | u32::from(record.byte_sum) << 16
            | (record.number_at as u32) << 24
            | (record.time_at as u32) << 26
            | u32::from(record.check_odd) << 28;
        let words = [word, record.price_odd.into()];
        self.operate(Code::TemplateRecord as u32, index, &words)
    }

    /// The number of the next message.
    pub fn load_number(&mut self, number: Number) -> Result<(), Error<R::Error>> {
        let digits = number.digits();
        self.operate(Code::Number as u32, 0, &[low(digits), high(digits)])
    }

    /// The number of the next message, as the core has it: four bits a digit.
    pub fn next_number(&mut self) -> Result<u64, Error<R::Error>> {
        self.read_wide(map::next_number_high::ADDRESS, map::next_number::ADDRESS)
    }

    /// Sets the universal time: it is `time` (milliseconds rounded down) until the core's clock is at `boundary`, in nanoseconds.
    pub fn load_utc(&mut self, time: Timestamp, boundary: u64) -> Result<(), Error<R::Error>> {
        let digits = time_digits(time);
        let words = [
            digits as u32,
            (digits >> 32) as u32,
            (digits >> 64) as u32,
            low(boundary),
            high(boundary),
        ];
        self.operate(Code::Time as u32, 0, &words)
    }

    /// The date after the next midnight, from any time of that day.
    pub fn load_date(&mut self, day: Timestamp) -> Result<(), Error<R::Error>> {
        // YYYYMMDD of seventeen digits.
        let date = (time_digits(day) >> 36) as u32;
        self.operate(Code::Date as u32, 0, &[date])
    }

    /// Whether the date after the next midnight is loaded.
    pub fn date_known(&mut self) -> Result<bool, Error<R::Error>> {
        use map::order_state::{ADDRESS, DATE_KNOWN};
        Ok(DATE_KNOWN.get(self.read(ADDRESS)?) != 0)
    }

    /// Why no order leaves at present.
    pub fn stopped(&mut self) -> Result<Stopped, Error<R::Error>> {
        use map::order_state as state;
        let register = self.read(state::ADDRESS)?;
        let on = |field: map::Field| field.get(register) != 0;
        Ok(Stopped {
            connection: on(state::CONNECTION),
            number_missing: on(state::NUMBER_MISSING),
            number_exhausted: on(state::NUMBER_EXHAUSTED),
            time_unknown: on(state::TIME_UNKNOWN),
            date_missing: on(state::DATE_MISSING),
            host_message: on(state::HOST_MESSAGE),
        })
    }

    // ---- stops ---------------------------------------------------------------------------------

    /// Sets, changes or cancels the stop of a slot.
    ///
    /// # Errors
    /// The core did not answer. A refusal is in the inner result.
    pub fn operate_stop(
        &mut self,
        operation: Operation,
        slot: usize,
        stop: &Stop,
    ) -> Result<Result<(), StopRefused>, Error<R::Error>> {
        let slots = self.stops();
        if slot >= slots {
            return Err(Error::Slot { slot, slots });
        }
        let first = u32::from(stop.side == formats::Side::Sell)
            | u32::from(stop.price.is_some()) << 1
            | u32::from(stop.instrument) << 8;
        let (trigger, price) = (stop.trigger as u64, stop.price.unwrap_or(0) as u64);
        let words = [
            first,
            low(trigger),
            high(trigger),
            low(price),
            high(price),
            stop.quantity,
            stop.client_id,
        ];
        use core_map::operation_state::{DONE, PREVIOUS, TEXT};
        let state = self.begin(operation as u32 + 1, slot as u32, &words)?;
        if DONE.get(state) != 0 {
            return Ok(Ok(()));
        }
        Ok(Err(match TEXT.get(state) {
            1 => StopRefused::Quantity(stop.quantity),
            2 if !price_fits(stop.trigger) => StopRefused::Trigger(stop.trigger),
            2 => StopRefused::Price(stop.price),
            3 => StopRefused::Instrument(stop.instrument),
            _ => StopRefused::Slot(State::from_bits(PREVIOUS.get(state))),
        }))
    }

    /// Loads what the ClOrdIDs of its orders begin with, and the decimals of the instruments' prices, 15 at most, in which it gives a strategy the prices of fills. From then on a core that reads the exchange's reports corrects risk's exposures by them, and the
    /// host must not. Returns whether this core does: it does not if it has no book, or if the prefix is longer than [`PREFIX_BYTES`].
    ///
    /// # Errors
    /// The core did not answer.
    pub fn load_prefix(&mut self, prefix: &[u8], decimals: u8) -> Result<bool, Error<R::Error>> {
        const CHARACTERS: u32 = 256; // the index of the first one
        const END: u32 = 1 << 8;
        const OFF: u32 = 1 << 9;
        const DECIMALS: u32 = 12;
        use core_map::operation_state::DONE;
        let code = Code::Instrument as u32;
        let prefix = Some(prefix).filter(|prefix| prefix.len() <= PREFIX_BYTES);
        let mut place = CHARACTERS;
        for character in prefix.unwrap_or(b" ") {
            let state = self.begin(code, place, &[OFF | u32::from(*character)])?;
            if DONE.get(state) == 0 {
                return Ok(false);
            }
            place += 1;
        }
        if prefix.is_none() {
            return Ok(false);
        }
        let end = END | u32::from(decimals & 15) << DECIMALS;
        Ok(DONE.get(self.begin(code, place, &[end])?) != 0)
    }

    /// How many stops are armed.
    pub fn armed(&mut self) -> Result<u32, Error<R::Error>> {
        use core_map::operation_state::{ADDRESS, ARMED};
        Ok(ARMED.get(self.read(ADDRESS)?))
    }

    // ---- operations ----------------------------------------------------------------------------

    pub(crate) fn operate(
        &mut self,
        code: u32,
        index: u32,
        operands: &[u32],
    ) -> Result<(), Error<R::Error>> {
        use core_map::operation_state::DONE;
        let state = self.begin(code, index, operands)?;
        if DONE.get(state) == 0 {
            return Err(Error::Operation(code));
        }
        Ok(())
    }

    /// Begins an operation and waits for its end: the state then.
    pub(crate) fn begin(
        &mut self,
        code: u32,
        index: u32,
        words: &[u32],
    ) -> Result<u32, Error<R::Error>> {
        use core_map::operand;
        use core_map::operation::{ADDRESS, CODE, INDEX, START};
        let places = (operand::ADDRESS..).step_by(operand::STRIDE as usize);
        for (word, address) in words.iter().zip(places) {
            self.write(address, *word)?;
        }
        let register = INDEX.set(CODE.set(START.mask(), code), index);
        self.write(ADDRESS, register)?;
        for read in 0..PATIENCE {
            use core_map::operation_state::{ADDRESS, BUSY};
            let state = self.read(ADDRESS)?;
            if BUSY.get(state) == 0 {
                return Ok(state);
            }
            // A word of a table is written while the first reads are answered; a stop takes longer.
            if read >= READS_AT_ONCE {
                self.registers().pause();
            }
        }
        Err(Error::Operation(code))
    }
}

/// Where a template is: form, instrument, of so many.
fn template_index(form: Form, instrument: usize, instruments: usize) -> u32 {
    (form as usize * instruments + instrument) as u32
}
