//! What risk must know again after a restart: written down as it happens, read back in the same order.
//!
//! ```text
//! sent, reported ─ Ledger ─┬─ note, for a store ─ read ─ Ledger of the next start ─ Risk::restore
//!                          └─ state, where the store begins a new file
//! ```
//! A note names an instrument by its symbol: the next start may have another table.

use formats::Side;
use order::{Kind, Number, Order};

use crate::{Adjustment, Execution, ExecutionReport, Reported, WorkingOrder, WorkingOrders};

/// The instruments that there are indices for.
const MOST_INSTRUMENTS: usize = 256;

/// Why it is not known what is open and what is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unsure {
    /// Messages were sent before anything was noted.
    NothingNoted,
    /// Orders may have left that nobody noted: the hardware was sending when the program ended.
    HardwareWasSending,
    /// Orders were open, and the session's numbers begin anew: nobody sends again what the exchange reported meanwhile.
    NumbersBeginAnew,
}

impl std::fmt::Display for Unsure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Unsure::NothingNoted => "the store has messages that were sent before it noted what became of orders",
            Unsure::HardwareWasSending => "the program ended while the hardware could send: orders may have left that the store does not have",
            Unsure::NumbersBeginAnew => "orders were open, and with reset_on_logon the exchange does not send again what it reported meanwhile",
        })
    }
}

/// Position and open orders of an instrument, on both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Exposure {
    /// Position and open orders to buy.
    pub buys: i64,
    /// Open orders to sell, less the position.
    pub sells: i64,
}

/// The orders of a desk: what is open, and what is held. As risk counts it, from the first order of the store on.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    working: WorkingOrders,
    /// By index: those of the desk, then others that the notes name.
    symbols: Vec<String>,
    exposures: Vec<Exposure>,
    /// As [`Risk`](crate::Risk) counts them: an order whose number was used again is open, and not in `working` any more.
    open: u32,
    unsure: Option<Unsure>,
    /// The hardware may send.
    running: bool,
    /// Something was noted.
    noted: bool,
}

/// What is written down.
enum Note<'a> {
    Sent {
        number: Number,
        kind: Kind,
        side: Side,
        quantity: u32,
        symbol: &'a [u8],
    },
    Reported(ExecutionReport),
    /// A program begins with what was noted before.
    Begun(Option<Unsure>),
    /// The hardware may send from now on, or no more.
    Running(bool),
    /// Position and open orders of an instrument are these.
    Exposure {
        symbol: &'a [u8],
        exposure: Exposure,
    },
    /// An order in the market, or a replacement without an answer, that the exposures have already.
    Working {
        number: Number,
        replacement: bool,
        order: WorkingOrder,
        symbol: &'a [u8],
    },
    /// Nothing is open and nothing held, but for what follows; so many are open.
    Anew {
        open: u32,
    },
}

impl Ledger {
    /// Nothing is open, nothing held. `symbols`: the desk's instruments by index; an empty name is none.
    pub fn new(symbols: Vec<String>) -> Self {
        let exposures = vec![Exposure::default(); symbols.len()];
        Ledger {
            symbols,
            exposures,
            ..Ledger::default()
        }
    }

    // ---- what happens ------------------------------------------------------------------------------

    /// An order left. Appends the note of it.
    pub fn sent(&mut self, number: Number, order: &Order, note: &mut Vec<u8>) {
        let symbol = self.symbols.get(usize::from(order.instrument));
        Note::Sent {
            number,
            kind: order.kind,
            side: order.side,
            quantity: order.quantity,
            symbol: symbol.map_or(b"", |symbol| symbol.as_bytes()),
        }
        .put(note);
        self.count(number, order);
    }

    /// Takes a report, and tells what it means ([`WorkingOrders::report`]). Appends the note of it, if it changed anything.
    pub fn report(&mut self, report: &ExecutionReport, note: &mut Vec<u8>) -> Reported {
        let reported = self.take(report);
        // Any other changes nothing here.
        if reported.adjustment.is_some() {
            Note::Reported(*report).put(note);
        }
        reported
    }

    /// The hardware may send from now on, or sends no more and all that it sent is noted. Appends the note of it.
    pub fn set_running(&mut self, running: bool, note: &mut Vec<u8>) {
        Note::Running(running).put(note);
        (self.running, self.noted) = (running, true);
    }

    /// The operator has seen what the exchange says: no order is open, and these positions are held, long or short (negative); none of others. Appends
    /// the note of it.
    pub fn confirm(&mut self, positions: &[(u8, i64)], note: &mut Vec<u8>) {
        self.begin_anew(0);
        for &(instrument, position) in positions {
            if let Some(exposure) = self.exposures.get_mut(usize::from(instrument)) {
                *exposure = Exposure {
                    buys: position,
                    sells: position.wrapping_neg(),
                };
            }
        }
        self.state(note);
    }

    fn count(&mut self, number: Number, order: &Order) {
        self.noted = true;
        self.open = self.open.saturating_add((order.kind == Kind::New).into());
        let exposure = self.exposures.get_mut(usize::from(order.instrument));
        if let (Some(exposure), Kind::New | Kind::Replace(_)) = (exposure, order.kind) {
            let side = match order.side {
                Side::Buy => &mut exposure.buys,
                Side::Sell => &mut exposure.sells,
            };
            *side = side.wrapping_add(order.quantity.into());
        }
        self.working.sent(number, order);
    }

    fn take(&mut self, report: &ExecutionReport) -> Reported {
        let reported = self.working.report(report);
        if let Some(Adjustment {
            instrument,
            buy,
            sell,
            closed,
        }) = reported.adjustment
        {
            self.open = self.open.saturating_sub(closed.into());
            if let Some(exposure) = self.exposures.get_mut(usize::from(instrument)) {
                exposure.buys = exposure.buys.wrapping_add(buy);
                exposure.sells = exposure.sells.wrapping_add(sell);
            }
        }
        reported
    }

    fn begin_anew(&mut self, open: u32) {
        self.working = WorkingOrders::default();
        self.exposures.fill(Exposure::default());
        (self.open, self.unsure) = (open, None);
        (self.running, self.noted) = (false, true);
    }

    // ---- what a store has ----------------------------------------------------------------------------

    /// Takes a note of before; the notes come in the order in which they were written. `false`: it is none.
    pub fn read(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            let Some(note) = Note::take(&mut bytes) else {
                return false;
            };
            if self.apply(&note).is_none() {
                return false;
            }
        }
        true
    }

    fn apply(&mut self, note: &Note<'_>) -> Option<()> {
        self.noted = true;
        match *note {
            Note::Sent {
                number,
                kind,
                side,
                quantity,
                symbol,
            } => {
                let order = Order {
                    kind,
                    side,
                    instrument: self.index(symbol)?,
                    quantity,
                    ..Order::default()
                };
                self.count(number, &order);
            }
            Note::Reported(report) => {
                self.take(&report);
            }
            Note::Begun(unsure) => (self.running, self.unsure) = (false, unsure),
            Note::Running(running) => self.running = running,
            Note::Exposure { symbol, exposure } => {
                let index = usize::from(self.index(symbol)?);
                *self.exposures.get_mut(index)? = exposure;
            }
            Note::Working {
                number,
                replacement,
                order,
                symbol,
            } => {
                let instrument = self.index(symbol)?;
                let order = WorkingOrder {
                    instrument,
                    ..order
                };
                self.working.put_back(number, order, replacement);
            }
            Note::Anew { open } => self.begin_anew(open),
        }
        Some(())
    }

    /// The index of a symbol; one that the desk does not have comes behind those it has.
    fn index(&mut self, symbol: &[u8]) -> Option<u8> {
        let known = self.symbols.iter();
        let place = known.clone().position(|known| known.as_bytes() == symbol);
        if let Some(place) = place {
            return u8::try_from(place).ok();
        }
        let name = std::str::from_utf8(symbol).ok()?;
        if self.symbols.len() == MOST_INSTRUMENTS {
            return None;
        }
        self.symbols.push(name.to_owned());
        self.exposures.push(Exposure::default());
        u8::try_from(self.symbols.len() - 1).ok()
    }

    /// All notes were read: a program begins. `sent`: messages were sent under the store's numbers before; `anew`: now these begin anew. Appends the
    /// note of it.
    pub fn begin(&mut self, sent: bool, anew: bool, note: &mut Vec<u8>) {
        if self.running {
            self.unsure = Some(Unsure::HardwareWasSending);
        } else if sent && !self.noted {
            self.unsure = Some(Unsure::NothingNoted);
        } else if anew && self.open > 0 && self.unsure.is_none() {
            self.unsure = Some(Unsure::NumbersBeginAnew);
        }
        (self.running, self.noted) = (false, true);
        Note::Begun(self.unsure).put(note);
    }

    /// Appends all of it, as a store's new file begins.
    pub fn state(&self, note: &mut Vec<u8>) {
        Note::Anew { open: self.open }.put(note);
        Note::Begun(self.unsure).put(note);
        Note::Running(self.running).put(note);
        let name = |instrument: u8| {
            let symbol = self.symbols.get(usize::from(instrument));
            symbol.map_or(&b""[..], |symbol| symbol.as_bytes())
        };
        for (index, exposure) in (0..=u8::MAX).zip(&self.exposures) {
            if *exposure != Exposure::default() {
                let (symbol, exposure) = (name(index), *exposure);
                Note::Exposure { symbol, exposure }.put(note);
            }
        }
        for (number, order, replacement) in self.working.all() {
            Note::Working {
                number,
                replacement,
                order,
                symbol: name(order.instrument),
            }
            .put(note);
        }
    }

    // ---- what is known -------------------------------------------------------------------------------

    /// Why what is open and held is not known: no order may leave until it is [confirmed](Ledger::confirm).
    pub const fn unsure(&self) -> Option<Unsure> {
        self.unsure
    }

    /// The orders in the market, and what was asked about them.
    pub const fn working(&self) -> &WorkingOrders {
        &self.working
    }

    /// Orders whose end is not known.
    pub const fn open_orders(&self) -> u32 {
        self.open
    }

    /// Symbol and exposure of the instruments, by index; those behind the desk's are of a desk before.
    pub fn exposures(&self) -> impl Iterator<Item = (&str, Exposure)> {
        let symbols = self.symbols.iter().map(String::as_str);
        symbols.zip(self.exposures.iter().copied())
    }

    /// What is held of an instrument: negative if more was sold than bought.
    pub fn position(&self, instrument: u8) -> i64 {
        let exposure = self.exposures.get(usize::from(instrument));
        let of = |order: &WorkingOrder| order.instrument == instrument && order.side == Side::Buy;
        let left = |(_, order, _): (Number, WorkingOrder, bool)| {
            of(&order).then(|| i64::from(order.left()))
        };
        let open: i64 = self.working.all().filter_map(left).sum();
        exposure.map_or(0, |exposure| exposure.buys.wrapping_sub(open))
    }
}

const SENT: u8 = 1;
const REPORTED: u8 = 2;
const RUNNING: u8 = 3;
const EXPOSURE: u8 = 4;
const WORKING: u8 = 5;
const ANEW: u8 = 6;
const BEGUN: u8 = 7;

/// Numbers have nine digits.
const fn short(number: Number) -> u32 {
    number.get() as u32
}

fn put_symbol(out: &mut Vec<u8>, symbol: &[u8]) {
    // A symbol of a desk is short.
    let symbol = symbol.get(..usize::from(u8::MAX)).unwrap_or(symbol);
    out.push(symbol.len() as u8);
    out.extend_from_slice(symbol);
}

fn put_side(out: &mut Vec<u8>, side: Side) {
    out.push(u8::from(side == Side::Sell));
}

impl<'a> Note<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        match *self {
            Note::Sent {
                number,
                kind,
                side,
                quantity,
                symbol,
            } => {
                // A cancel is no order.
                let (code, original) = match kind {
                    Kind::New => (0, 0),
                    Kind::Replace(original) => (1, short(original)),
                    Kind::Cancel(_) => return,
                };
                out.extend_from_slice(&[SENT, code]);
                out.extend_from_slice(&short(number).to_le_bytes());
                out.extend_from_slice(&original.to_le_bytes());
                put_side(out, side);
                out.extend_from_slice(&quantity.to_le_bytes());
                put_symbol(out, symbol);
            }
            Note::Reported(report) => {
                let what = match report.what {
                    Execution::Open => 0,
                    Execution::Closed => 1,
                    Execution::Rejected => 2,
                    Execution::Replaced => 3,
                    Execution::ChangeRefused => 4,
                };
                out.extend_from_slice(&[REPORTED, what]);
                out.extend_from_slice(&short(report.number).to_le_bytes());
                let original = report.original.map_or(0, short);
                out.extend_from_slice(&original.to_le_bytes());
                out.extend_from_slice(&report.traded.to_le_bytes());
            }
            Note::Begun(unsure) => {
                let unsure = match unsure {
                    None => 0,
                    Some(Unsure::NothingNoted) => 1,
                    Some(Unsure::HardwareWasSending) => 2,
                    Some(Unsure::NumbersBeginAnew) => 3,
                };
                out.extend_from_slice(&[BEGUN, unsure]);
            }
            Note::Running(running) => out.extend_from_slice(&[RUNNING, running.into()]),
            Note::Exposure { symbol, exposure } => {
                out.push(EXPOSURE);
                out.extend_from_slice(&exposure.buys.to_le_bytes());
                out.extend_from_slice(&exposure.sells.to_le_bytes());
                put_symbol(out, symbol);
            }
            Note::Working {
                number,
                replacement,
                order,
                symbol,
            } => {
                out.extend_from_slice(&[WORKING, replacement.into()]);
                out.extend_from_slice(&short(number).to_le_bytes());
                put_side(out, order.side);
                out.extend_from_slice(&order.quantity.to_le_bytes());
                out.extend_from_slice(&order.traded.to_le_bytes());
                put_symbol(out, symbol);
            }
            Note::Anew { open } => {
                out.push(ANEW);
                out.extend_from_slice(&open.to_le_bytes());
            }
        }
    }

    /// Takes the first note off the bytes.
    fn take(bytes: &mut &'a [u8]) -> Option<Self> {
        Some(match byte(bytes)? {
            SENT => {
                let code = byte(bytes)?;
                let (number, original) = (number(bytes)?, whole(bytes)?);
                Note::Sent {
                    number,
                    kind: match code {
                        0 => Kind::New,
                        1 => Kind::Replace(Number::new(original.into()).ok()?),
                        _ => return None,
                    },
                    side: side(bytes)?,
                    quantity: whole(bytes)?,
                    symbol: symbol(bytes)?,
                }
            }
            REPORTED => Note::Reported(ExecutionReport {
                what: match byte(bytes)? {
                    0 => Execution::Open,
                    1 => Execution::Closed,
                    2 => Execution::Rejected,
                    3 => Execution::Replaced,
                    4 => Execution::ChangeRefused,
                    _ => return None,
                },
                number: number(bytes)?,
                original: match whole(bytes)? {
                    0 => None,
                    original => Some(Number::new(original.into()).ok()?),
                },
                traded: whole(bytes)?,
            }),
            BEGUN => Note::Begun(match byte(bytes)? {
                0 => None,
                1 => Some(Unsure::NothingNoted),
                2 => Some(Unsure::HardwareWasSending),
                3 => Some(Unsure::NumbersBeginAnew),
                _ => return None,
            }),
            RUNNING => Note::Running(flag(bytes)?),
            EXPOSURE => Note::Exposure {
                exposure: Exposure {
                    buys: wide(bytes)?,
                    sells: wide(bytes)?,
                },
                symbol: symbol(bytes)?,
            },
            WORKING => Note::Working {
                replacement: flag(bytes)?,
                number: number(bytes)?,
                order: WorkingOrder {
                    instrument: 0,
                    side: side(bytes)?,
                    quantity: whole(bytes)?,
                    traded: whole(bytes)?,
                },
                symbol: symbol(bytes)?,
            },
            ANEW => Note::Anew {
                open: whole(bytes)?,
            },
            _ => return None,
        })
    }
}

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

fn flag(bytes: &mut &[u8]) -> Option<bool> {
    match byte(bytes)? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

fn side(bytes: &mut &[u8]) -> Option<Side> {
    flag(bytes).map(|sell| if sell { Side::Sell } else { Side::Buy })
}

fn whole(bytes: &mut &[u8]) -> Option<u32> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*first))
}

fn wide(bytes: &mut &[u8]) -> Option<i64> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(i64::from_le_bytes(*first))
}

fn number(bytes: &mut &[u8]) -> Option<Number> {
    Number::new(whole(bytes)?.into()).ok()
}

fn symbol<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::from(byte(bytes)?);
    let (first, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(first)
}
