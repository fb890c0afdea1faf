//! A trader's own orders, the prices, and stop orders in software: how commands and messages change them. No input or output: what is to
//! be sent and shown is returned.

mod own;

use std::collections::{BTreeMap, HashMap};

use formats::Side;
use formats::fix::{
    BusinessMessageReject, Decimal, ExecType, ExecutionReport, MarketDataIncrement,
    MarketDataRequestReject, MarketDataSnapshot, MdEntryType, MdUpdateAction, Message,
    OrderCancelReject, TimeInForce,
};
use strategy::stops::{Stops, Watch};

use crate::command::{self, Command, Order, SCALE};
use crate::notice::Notice;
use crate::prices::Prices;

pub use own::Own;

/// What is to be sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// A new order.
    New {
        /// ClOrdID.
        name: String,
        /// The order.
        order: Order,
    },
    /// That an order be cancelled.
    Cancel {
        /// ClOrdID.
        name: String,
        /// OrigClOrdID.
        original: String,
        /// The order.
        order: Order,
    },
    /// That an order be replaced.
    Replace {
        /// ClOrdID.
        name: String,
        /// OrigClOrdID.
        original: String,
        /// What it is to be.
        order: Order,
    },
    /// The prices of an instrument from now on.
    Watch(String),
}

/// What follows from a command or a message: first what is to be sent, then what is to be shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// What is to be sent.
    pub requests: Vec<Request>,
    /// What the trader is to be shown.
    pub notices: Vec<Notice>,
    /// Whether the trader is to end.
    pub quits: bool,
}

/// An instrument for which prices or stops were requested.
#[derive(Clone, Copy, Debug)]
struct Instrument {
    /// Its number, for the stops.
    number: u32,
    watched: bool,
    prices: Prices,
}

/// A trader's account.
#[derive(Debug)]
pub struct Account {
    orders: Vec<Own>,
    /// The index of an order by every name it had.
    names: HashMap<String, usize>,
    instruments: BTreeMap<String, Instrument>,
    stops: Stops<Order>,
    /// What the names of its orders begin with.
    prefix: String,
    count: u64,
}

/// A stop order's number for a person: that of its slot, from 1 on.
const fn number(slot: usize) -> u64 {
    slot as u64 + 1
}

/// A number in digits and capital letters: ten of them for the microseconds of the years up to 2085.
fn base36(mut number: u64) -> String {
    let mut digits = vec![];
    loop {
        digits.extend(char::from_digit((number % 36) as u32, 36));
        number /= 36;
        if number == 0 {
            break;
        }
    }
    digits.iter().rev().map(char::to_ascii_uppercase).collect()
}

/// Text of the exchange for a person: control characters are made harmless.
pub(crate) fn harmless(text: &str) -> String {
    let harmless = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().map(harmless).collect()
}

/// The same of bytes.
fn lossy(text: &[u8]) -> String {
    harmless(&String::from_utf8_lossy(text))
}

impl Account {
    /// An account without orders. The names of its orders (ClOrdID) are made of its start time, in microseconds since 1970, and a number: no two
    /// accounts that start one after the other use the same name.
    pub fn new(start: u64) -> Self {
        Account {
            orders: vec![],
            names: HashMap::new(),
            instruments: BTreeMap::new(),
            stops: Stops::default(),
            prefix: base36(start),
            count: 0,
        }
    }

    /// Its orders, in the order they were sent.
    pub fn orders(&self) -> &[Own] {
        &self.orders
    }

    /// Prices of the instruments it watches, by symbol.
    pub fn prices(&self) -> impl Iterator<Item = (&str, &Prices)> {
        let watched = self.instruments.iter().filter(|(_, found)| found.watched);
        watched.map(|(symbol, found)| (symbol.as_str(), &found.prices))
    }

    /// Stop orders that wait: number, trigger, what is to be sent; by number.
    pub fn stops(&self) -> Vec<(u64, Decimal, &Order)> {
        let waiting = self.stops.waiting();
        waiting
            .map(|(slot, watch, order)| (number(slot), Decimal::new(watch.trigger, SCALE), order))
            .collect()
    }

    fn next_name(&mut self) -> String {
        self.count += 1;
        format!("{}-{}", self.prefix, self.count)
    }

    fn own(&self, name: &str) -> Option<&Own> {
        self.orders.get(*self.names.get(name)?)
    }

    fn add(&mut self, name: &str, order: Order) -> usize {
        self.orders.push(Own::new(name, order));
        let place = self.orders.len() - 1;
        self.names.insert(name.to_owned(), place);
        place
    }

    fn instrument(&mut self, symbol: &str) -> &mut Instrument {
        let number = self.instruments.len() as u32;
        self.instruments
            .entry(symbol.to_owned())
            .or_insert(Instrument {
                number,
                watched: false,
                prices: Prices::default(),
            })
    }

    /// Does what a line says.
    pub fn line(&mut self, line: &str) -> Step {
        let line = line.trim();
        let mut step = Step::default();
        let done = line
            .parse::<Command>()
            .and_then(|command| self.command(command, line, &mut step));
        if let Err(error) = done {
            let line = line.to_owned();
            step.notices.push(Notice::Wrong { line, error });
        }
        step
    }

    fn command(&mut self, command: Command, line: &str, step: &mut Step) -> Result<(), String> {
        let what = line.to_owned();
        match command {
            Command::Quit => {
                self.stops = Stops::default();
                step.quits = true;
            }
            Command::Order(order) => {
                let name = self.next_name();
                self.send(&name, order, step);
                step.notices.push(Notice::Sent { name, what });
            }
            Command::Stop { trigger, order } => {
                let trigger = trigger.at_scale(SCALE).ok_or("a price too large")?;
                let (symbol, side) = (order.symbol.clone(), order.side);
                let instrument = *self.instrument(&symbol);
                let watch = Watch {
                    instrument: instrument.number,
                    side,
                    trigger,
                };
                let slot = self.stops.add(watch, order);
                let number = number(slot.ok_or("there are too many stop orders")?);
                step.notices.push(Notice::Held { number, what });
                match instrument.prices.last {
                    // The price may be there already.
                    Some(last) => self.trigger(&symbol, last, step),
                    None => self.watch(&symbol, step),
                }
            }
            Command::Unstop(number) => {
                let slot = number
                    .checked_sub(1)
                    .and_then(|slot| usize::try_from(slot).ok());
                let answer = slot.map(|slot| self.stops.cancel(slot));
                if !answer.is_some_and(|answer| answer.done) {
                    return Err("no such stop order waits".into());
                }
            }
            Command::Watch(symbol) => self.watch(&symbol, step),
            Command::Cancel(old) => {
                let name = self.next_name();
                let own = self.own(&old).ok_or("no such order was sent")?;
                step.requests.push(Request::Cancel {
                    name: name.clone(),
                    original: own.name.clone(),
                    order: own.order.clone(),
                });
                step.notices.push(Notice::Sent { name, what });
            }
            Command::Replace {
                name: old,
                quantity,
                price,
            } => {
                let name = self.next_name();
                let own = self.own(&old).ok_or("no such order was sent")?;
                let mut order = Order {
                    quantity,
                    ..own.order.clone()
                };
                match (&mut order.price, &mut order.stop_price) {
                    (Some(limit), _) => *limit = price,
                    (None, Some(trigger)) => *trigger = price,
                    (None, None) => return Err("a market order has no price to replace".into()),
                }
                step.requests.push(Request::Replace {
                    name: name.clone(),
                    original: own.name.clone(),
                    order,
                });
                step.notices.push(Notice::Sent { name, what });
            }
        }
        Ok(())
    }

    fn send(&mut self, name: &str, order: Order, step: &mut Step) {
        self.add(name, order.clone());
        let name = name.to_owned();
        step.requests.push(Request::New { name, order });
    }

    fn watch(&mut self, symbol: &str, step: &mut Step) {
        self.instrument(symbol).watched = true;
        step.requests.push(Request::Watch(symbol.to_owned()));
    }

    /// Sends the stop orders that a price triggers, in the order of their numbers.
    fn trigger(&mut self, symbol: &str, price: Decimal, step: &mut Step) {
        let instrument = self.instrument(symbol).number;
        let Some(last) = price.at_scale(SCALE) else {
            return;
        };
        self.stops.price(instrument, last);
        while let Some((slot, order)) = self.stops.leave() {
            let number = number(slot);
            let name = self.next_name();
            self.send(&name, order, step);
            let last = command::text(price);
            step.notices.push(Notice::Triggered { number, name, last });
        }
    }

    /// Takes a message of the exchange. One of an unknown kind changes nothing.
    pub fn message(&mut self, message: &Message<'_>) -> Step {
        let mut step = Step::default();
        match message.msg_type() {
            b"8" => {
                if let Ok((_, report)) = message.read::<ExecutionReport<'_>>() {
                    self.report(&report);
                    step.notices.push(notice(&report));
                }
            }
            b"9" => {
                if let Ok((_, reject)) = message.read::<OrderCancelReject<'_>>() {
                    let name = lossy(reject.client_order_id);
                    let text = reject.text.map(lossy).unwrap_or_default();
                    step.notices.push(Notice::Refused { name, text });
                }
            }
            b"j" => {
                if let Ok((_, reject)) = message.read::<BusinessMessageReject<'_>>() {
                    let name = lossy(reject.reference_id.unwrap_or_default());
                    let text = reject.text.map(lossy).unwrap_or_default();
                    step.notices.push(Notice::Refused { name, text });
                }
            }
            b"Y" => {
                if let Ok((_, reject)) = message.read::<MarketDataRequestReject<'_>>() {
                    let name = lossy(reject.request_id);
                    let text = reject.text.map(lossy).unwrap_or_default();
                    step.notices.push(Notice::Refused { name, text });
                }
            }
            b"W" => {
                if let Ok((_, snapshot)) = message.read::<MarketDataSnapshot<'_>>() {
                    self.snapshot(&snapshot, &mut step);
                }
            }
            b"X" => {
                if let Ok((_, increment)) = message.read::<MarketDataIncrement<'_>>() {
                    self.increment(&increment, &mut step);
                }
            }
            _ => {}
        }
        step
    }

    /// Applies a report to an order of ours; an order not known here, perhaps sent before a restart, is added.
    fn report(&mut self, report: &ExecutionReport<'_>) {
        let name = lossy(report.client_order_id.unwrap_or_default());
        let original = report.original_client_order_id.map(lossy);
        let known = |name: &String| self.names.get(name).copied();
        let place = original.as_ref().and_then(known).or_else(|| known(&name));
        let place = place.unwrap_or_else(|| {
            let order = Order {
                side: report.side,
                quantity: quantity(report).unwrap_or(0),
                symbol: lossy(report.symbol),
                price: report.price,
                stop_price: report.stop_price,
                time_in_force: report.time_in_force.unwrap_or(TimeInForce::Day),
            };
            self.add(original.as_ref().unwrap_or(&name), order)
        });
        let own = &mut self.orders[place];
        if report.execution_type == ExecType::Replaced {
            own.order.quantity = quantity(report).unwrap_or(own.order.quantity);
            own.order.price = report.price.or(own.order.price);
            own.order.stop_price = report.stop_price.or(own.order.stop_price);
            own.name.clone_from(&name);
            self.names.insert(name, place);
        }
        (own.status, own.leaves) = (Some(report.status), report.leaves_quantity);
        (own.traded, own.average) = (report.cumulative_quantity, report.average_price);
    }

    fn snapshot(&mut self, snapshot: &MarketDataSnapshot<'_>, step: &mut Step) {
        let symbol = lossy(snapshot.symbol);
        let mut prices = Prices::default();
        for entry in &snapshot.entries {
            prices.entry(
                entry.entry_type,
                MdUpdateAction::New,
                entry.price,
                entry.size,
            );
        }
        let instrument = self.instrument(&symbol);
        (instrument.prices, instrument.watched) = (prices, true);
        step.notices.push(prices.notice(&symbol));
        if let Some(last) = prices.last {
            self.trigger(&symbol, last, step);
        }
    }

    fn increment(&mut self, increment: &MarketDataIncrement<'_>, step: &mut Step) {
        let (mut changed, mut traded) = (vec![], vec![]);
        for entry in &increment.entries {
            let (Some(symbol), Some(what)) = (entry.symbol, entry.entry_type) else {
                continue;
            };
            let symbol = lossy(symbol);
            let instrument = self.instrument(&symbol);
            instrument.watched = true;
            instrument
                .prices
                .entry(what, entry.action, entry.price, entry.size);
            if what == MdEntryType::Trade {
                traded.extend(entry.price.map(|last| (symbol.clone(), last)));
            }
            if !changed.contains(&symbol) {
                changed.push(symbol);
            }
        }
        for symbol in changed {
            let prices = self.instrument(&symbol).prices;
            step.notices.push(prices.notice(&symbol));
        }
        for (symbol, last) in traded {
            self.trigger(&symbol, last, step);
        }
    }
}

fn quantity(report: &ExecutionReport<'_>) -> Option<u64> {
    u64::try_from(report.quantity?.at_scale(0)?).ok()
}

fn notice(report: &ExecutionReport<'_>) -> Notice {
    Notice::Report {
        name: lossy(report.client_order_id.unwrap_or_default()),
        original: report.original_client_order_id.map(lossy),
        execution: format!("{:?}", report.execution_type),
        status: format!("{:?}", report.status),
        last_quantity: report.last_quantity.map(command::text),
        last_price: report.last_price.map(command::text),
        leaves: command::text(report.leaves_quantity),
        text: report.text.map(lossy),
    }
}

/// A side as it is typed.
pub const fn side(side: Side) -> &'static str {
    match side {
        Side::Buy => "buy",
        Side::Sell => "sell",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_exchange_says_cannot_steer_a_terminal() {
        assert_eq!(
            lossy(b"\x1b[2Jgone\x07\xff"),
            "\u{fffd}[2Jgone\u{fffd}\u{fffd}"
        );
    }

    #[test]
    fn orders_that_were_never_sent_are_named_and_nothing_leaves() {
        let mut account = Account::new(7);
        for (line, says) in [
            ("cancel X", "no such order was sent"),
            ("replace X 5 1.00", "no such order was sent"),
            ("unstop 1", "no such stop order waits"),
        ] {
            let step = account.line(line);
            assert!(step.requests.is_empty());
            let wrong = Notice::Wrong {
                line: line.into(),
                error: says.into(),
            };
            assert_eq!(step.notices, [wrong]);
        }
        account.line("buy 5 ABC market");
        let step = account.line("replace 7-3 5 1.00");
        assert!(
            matches!(&step.notices[..], [Notice::Wrong { error, .. }] if error.contains("market order")),
            "{step:?}"
        );
    }
}
