//! From a FAST packet to a stop's order, hardware against software: every order's bytes compared.
//!
//! ```text
//!  packets ─┬─ line A ─ core: decoder_fast ─ instrument ─ trades ─ stops, risk, order ─ session ─┐
//!           └─ decoder::Fast ─ trades ─ strategy::Stops ────────────────────────────────────────┴─ equal?
//! ```
//! A packet is over before the next comes. Risk passes everything.

use decoder::Fast;
use decoder::fast::{Cause, Map};
use fast::{Framing, Settings, Templates};
use formats::{Event, Kind, Side, Symbol, fcs};
use order::Order;
use risk::{InstrumentLimits, Kill, Limits};
use serde::Serialize;
use strategy::Stops;
use strategy::stops::{Operation, Stop, Watch};

use super::twin::request_of;
use cosim::Preset;
use cosim::orders::FastFeed;
use cosim::orders::testbench::Testbench;
use cosim::orders::{Problem, same_message};
use cosim::orders::{SentOrder, orders_left};

/// Idle bytes before a packet.
const GAP: u32 = 500;
/// The first packet's number.
const FIRST: u32 = 1_000;

/// What was compared, all of it equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FastTraded {
    /// Packets.
    pub packets: u64,
    /// Trades of the instruments.
    pub trades: u64,
    /// Orders that left.
    pub sent: u64,
    /// Packets that FAST or the map cannot read.
    pub faulty: u64,
}

/// A core with a FAST decoder and its twin.
pub struct FastStops {
    testbench: Testbench,
    software: Fast,
    stops: Stops<Order>,
    /// The instruments, by index, and the last price of each.
    instruments: Vec<(Symbol, Option<i64>)>,
    next_packet: u32,
    next_number: u64,
    next_client: u32,
    compared: FastTraded,
}

impl FastStops {
    /// Both with this map and these instruments, by the names that events have.
    ///
    /// # Errors
    /// The core cannot be set up; the map does not fit the templates or the hardware.
    pub fn new(
        preset: &Preset,
        templates: &Templates,
        map: &Map,
        settings: Settings,
        symbols: &[Symbol],
    ) -> Result<Self, Problem> {
        let feed = FastFeed {
            templates,
            map,
            settings,
            before: None,
        };
        let listed: Vec<_> = (0..)
            .zip(symbols)
            .map(|(index, symbol)| {
                let name = cosim::orders::testbench::symbol(index).to_string();
                (device::Instrument::of_feed(*symbol), Some(name))
            })
            .collect();
        let mut testbench = Testbench::of(preset, formats::itch::Version::V50, &listed)?;
        if testbench.message()?.0 != 1 {
            return Err(Problem::Testbench("no Logon".into()));
        }
        feed.load(&mut testbench.driver)?;
        testbench.driver.set_limits(&Limits {
            kill: Kill {
                gap: true,
                ..Kill::default()
            },
            max_quantity: u32::MAX,
            max_notional: u64::MAX - 1,
            rate_orders: 255,
            rate_window: 1,
            max_open_orders: u16::MAX,
        })?;
        for index in 0..symbols.len() {
            testbench.driver.set_instrument_limits(
                index,
                &InstrumentLimits {
                    enable: true,
                    collar: (1 << 47) - 1,
                    position: (1 << 47) - 1,
                    ..InstrumentLimits::default()
                },
            )?;
        }
        Ok(FastStops {
            testbench,
            software: feed.decoder(Framing::None)?,
            stops: Stops::with_quarters(preset.stops as usize / 4),
            instruments: symbols.iter().map(|symbol| (*symbol, None)).collect(),
            next_packet: FIRST,
            next_number: 2,
            next_client: 0,
            compared: FastTraded::default(),
        })
    }

    /// The last price of an instrument.
    pub fn last(&self, instrument: usize) -> Option<i64> {
        self.instruments.get(instrument).and_then(|(_, last)| *last)
    }

    /// How many stops are armed.
    pub fn armed(&self) -> usize {
        self.stops.armed()
    }

    /// Arms a stop with this trigger, in the lowest slot that takes one, in both.
    ///
    /// # Errors
    /// The core refuses it; there is no such slot.
    pub fn arm(&mut self, instrument: u8, side: Side, trigger: i64) -> Result<(), Problem> {
        self.next_client += 1;
        let stop = Stop {
            side,
            instrument,
            trigger,
            price: Some(trigger),
            quantity: 1 + self.next_client % 99,
            client_id: self.next_client,
        };
        let watch = Watch {
            instrument: instrument.into(),
            side,
            trigger,
        };
        let slot = self.stops.add(watch, request_of(&stop).order);
        let slot = slot.ok_or_else(|| Problem::Testbench("no slot takes a stop".into()))?;
        let armed = self
            .testbench
            .driver
            .operate_stop(Operation::Set, slot, &stop)?;
        armed.map_err(|refused| Problem::Testbench(refused.to_string()))?;
        self.testbench.settle()
    }

    /// A packet with these FAST messages; `damaged`: its FCS is wrong. Then compares what left; returns the orders with their latencies.
    ///
    /// # Errors
    /// The first difference.
    pub fn packet(&mut self, messages: &[u8], damaged: bool) -> Result<Vec<SentOrder>, Problem> {
        let number = self.next_packet;
        self.next_packet += u32::from(!damaged);
        self.numbered(number, messages, damaged, !damaged)
    }

    /// The last packet comes again: it changes nothing.
    ///
    /// # Errors
    /// The first difference.
    pub fn again(&mut self, messages: &[u8]) -> Result<(), Problem> {
        self.numbered(self.next_packet - 1, messages, false, false)
            .map(|_| ())
    }

    /// So many packets are lost: a gap, which turns the kill switch on with the next packet.
    pub const fn lose(&mut self, packets: u32) {
        self.next_packet += packets;
    }

    /// The kill switch is on by a gap.
    ///
    /// # Errors
    /// The core does not answer.
    pub fn is_killed(&mut self) -> Result<bool, Problem> {
        Ok(self.testbench.driver.risk_state()?.0.gap)
    }

    /// Packets that cannot be read come while the decoder holds them, each with as many FAST bytes. Returns how many of them its buffer had no room for, as
    /// the core has counted them.
    ///
    /// # Errors
    /// The core does not answer; something left.
    pub fn crowd(&mut self, packets: u32, bytes: usize) -> Result<u32, Problem> {
        let before = self.testbench.driver.fast_overflow()?;
        self.testbench.driver.hold_fast(0)?;
        for _ in 0..packets {
            let messages = vec![0xFF; bytes];
            let payload = [&self.next_packet.to_le_bytes()[..], &messages].concat();
            self.next_packet += 1;
            self.testbench.send_datagrams(&[payload], GAP)?;
        }
        self.testbench.driver.release_fast(0, false)?;
        self.testbench.settle()?;
        self.compare()?;
        Ok(self.testbench.driver.fast_overflow()?.wrapping_sub(before))
    }

    fn numbered(
        &mut self,
        number: u32,
        messages: &[u8],
        damaged: bool,
        counts: bool,
    ) -> Result<Vec<SentOrder>, Problem> {
        let payload = [&number.to_le_bytes()[..], messages].concat();
        self.testbench.left = Some(Vec::new());
        let mut sent = Vec::new();
        if damaged {
            self.testbench.send_datagram(&payload, GAP, |frame| {
                if let Some(last) = frame.len().checked_sub(fcs::LENGTH) {
                    frame[last] ^= 1;
                }
            });
        } else {
            sent = self.testbench.send_datagrams(&[payload], GAP)?;
        }
        let mut trades = Vec::new();
        if counts {
            let cause = self.software.datagram(messages, &mut |event: &Event| {
                trades.push(*event);
            });
            if cause != Cause::Good {
                self.compared.faulty += 1;
                trades.clear();
            }
        }
        self.compared.packets += 1;
        for event in trades.iter().filter(|event| event.kind == Kind::Trade) {
            let mut known = (0..).zip(&mut self.instruments);
            if let Some((index, (_, last))) =
                known.find(|(_, (symbol, _))| event.symbol == Some(*symbol))
            {
                *last = Some(event.price);
                self.stops.price(index, event.price);
                self.compared.trades += 1;
            }
        }
        self.testbench.settle()?;
        let left = self.testbench.left.take().unwrap_or_default();
        self.compare()?;
        if sent.is_empty() {
            return Ok(vec![]);
        }
        let orders = left.iter().filter(|left| left.order).count();
        orders_left(
            &sent,
            &left,
            &vec![0; orders],
            &std::mem::take(&mut self.testbench.passed),
        )
    }

    fn compare(&mut self) -> Result<(), Problem> {
        for report in std::mem::take(&mut self.testbench.reports) {
            let Some((_, order)) = self.stops.leave() else {
                return Err(Problem::Orders {
                    hardware: format!("{report:?}"),
                    software: "no order".to_owned(),
                });
            };
            if report.what != 0 {
                return Err(Problem::Report(format!("{report:?}")));
            }
            let (found, hardware) = self.testbench.message()?;
            let due = self.next_number;
            if found != due {
                return Err(Problem::Number { found, due });
            }
            let (number, time) = self.testbench.sent(due, report.time_ns)?;
            same_message(
                &hardware,
                self.testbench.templates.message(&order, number, time),
            )?;
            self.next_number += 1;
            self.compared.sent += 1;
        }
        match self.stops.leave() {
            None => Ok(()),
            Some((slot, order)) => Err(Problem::Orders {
                hardware: "no order".to_owned(),
                software: format!("slot {slot}: {order:?}"),
            }),
        }
    }

    /// What was compared so far.
    pub const fn compared(&self) -> &FastTraded {
        &self.compared
    }
}
