//! What a person types at `tickwire client`, the prices that come, and stop orders in software.

use std::collections::BTreeMap;
use std::str::{FromStr, SplitWhitespace};

use wire::Side;
use wire::fix::{Decimal, MdEntryType, MdUpdateAction, TimeInForce, Value};

/// Prices are compared in millionths.
const SCALE: u8 = 6;

/// What was typed.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `buy 100 ABC 10.00`, `sell 5 ABC market ioc`
    Order(Order),
    /// `stop sell 100 ABC 9.50`, `stop buy 100 ABC 10.50 10.60`: to be sent once the last price has reached the first price, at the
    /// market or at the second price.
    Stop { trigger: Decimal, order: Order },
    /// `unstop 1`
    Unstop(u64),
    /// `cancel NAME`
    Cancel(String),
    /// `replace NAME 50 10.01`
    Replace {
        name: String,
        quantity: u64,
        price: Decimal,
    },
    /// `watch ABC`
    Watch(String),
    /// `quit`
    Quit,
}

/// An order to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    pub side: Side,
    pub quantity: u64,
    pub symbol: String,
    /// Its limit; none is a market order.
    pub price: Option<Decimal>,
    pub time_in_force: TimeInForce,
}

fn price(text: &str) -> Result<Decimal, String> {
    let wrong = format!("{text:?} is no price");
    if text.is_empty() {
        return Err(wrong);
    }
    let price = Decimal::read(text.as_bytes()).map_err(|_| wrong.clone())?;
    price.at_scale(SCALE).map(|_| price).ok_or(wrong)
}

fn quantity(text: &str) -> Result<u64, String> {
    let quantity = text.parse().ok().filter(|quantity| *quantity > 0);
    quantity.ok_or_else(|| format!("{text:?} is no quantity"))
}

/// Takes the next word.
fn word<'a>(words: &mut SplitWhitespace<'a>, what: &str) -> Result<&'a str, String> {
    words.next().ok_or_else(|| format!("{what} is missing"))
}

fn side(text: &str) -> Result<Side, String> {
    match text {
        "buy" => Ok(Side::Buy),
        "sell" => Ok(Side::Sell),
        _ => Err(format!("{text:?}: write buy or sell")),
    }
}

/// `100 ABC`
fn lot(words: &mut SplitWhitespace<'_>) -> Result<(u64, String), String> {
    let quantity = quantity(word(words, "the quantity")?)?;
    Ok((quantity, word(words, "the symbol")?.to_owned()))
}

/// `100 ABC 10.00 ioc`
fn order(side: Side, words: &mut SplitWhitespace<'_>) -> Result<Order, String> {
    let (quantity, symbol) = lot(words)?;
    let price = match word(words, "the price, or market")? {
        "market" => None,
        text => Some(price(text)?),
    };
    let time_in_force = match words.next() {
        None | Some("day") => TimeInForce::Day,
        Some("ioc") => TimeInForce::ImmediateOrCancel,
        Some("fok") => TimeInForce::FillOrKill,
        Some(text) => return Err(format!("{text:?}: write day, ioc or fok")),
    };
    Ok(Order {
        side,
        quantity,
        symbol,
        price,
        time_in_force,
    })
}

impl FromStr for Command {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let mut words = line.split_whitespace();
        let command = match words.next().unwrap_or_default() {
            text @ ("buy" | "sell") => Command::Order(order(side(text)?, &mut words)?),
            "stop" => {
                let side = side(word(&mut words, "buy or sell")?)?;
                let (quantity, symbol) = lot(&mut words)?;
                let trigger = price(word(&mut words, "the price that triggers")?)?;
                let order = Order {
                    side,
                    quantity,
                    symbol,
                    price: words.next().map(price).transpose()?,
                    time_in_force: TimeInForce::Day,
                };
                Command::Stop { trigger, order }
            }
            "unstop" => {
                let text = word(&mut words, "the stop order's number")?;
                let number = text.parse().map_err(|_| format!("{text:?} is no number"))?;
                Command::Unstop(number)
            }
            "cancel" => Command::Cancel(word(&mut words, "the order's name")?.to_owned()),
            "replace" => Command::Replace {
                name: word(&mut words, "the order's name")?.to_owned(),
                quantity: quantity(word(&mut words, "the quantity")?)?,
                price: price(word(&mut words, "the price")?)?,
            },
            "watch" => Command::Watch(word(&mut words, "the symbol")?.to_owned()),
            "quit" => Command::Quit,
            other => {
                let known = "buy, sell, stop, unstop, cancel, replace, watch, quit";
                return Err(format!("{other:?}: write one of {known}"));
            }
        };
        match words.next() {
            None => Ok(command),
            Some(text) => Err(format!("{text:?} is one word too many")),
        }
    }
}

/// A number as it is written.
pub fn text(value: Decimal) -> String {
    let sign = if value.mantissa < 0 { "-" } else { "" };
    let scale = usize::from(value.scale);
    let digits = format!(
        "{:0>width$}",
        value.mantissa.unsigned_abs(),
        width = scale + 1
    );
    match digits.split_at(digits.len() - scale) {
        (whole, "") => format!("{sign}{whole}"),
        (whole, fraction) => format!("{sign}{whole}.{fraction}"),
    }
}

/// The best prices of an instrument, and the last one traded at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prices {
    pub bid: Option<Decimal>,
    pub offer: Option<Decimal>,
    pub last: Option<Decimal>,
}

impl Prices {
    /// Takes an entry of a snapshot or an increment.
    pub fn entry(&mut self, what: MdEntryType, action: MdUpdateAction, price: Option<Decimal>) {
        let place = match what {
            MdEntryType::Bid => &mut self.bid,
            MdEntryType::Offer => &mut self.offer,
            MdEntryType::Trade => &mut self.last,
        };
        match action {
            MdUpdateAction::Delete if *place == price => *place = None,
            // Another price is the best already.
            MdUpdateAction::Delete => {}
            MdUpdateAction::New | MdUpdateAction::Change => *place = price,
        }
    }
}

/// Stop orders held here. Each is given out once.
#[derive(Clone, Debug, Default)]
pub struct Stops {
    waiting: BTreeMap<u64, (Decimal, Order)>,
    count: u64,
}

impl Stops {
    /// Holds an order back; the number it is known by.
    pub fn hold(&mut self, trigger: Decimal, order: Order) -> u64 {
        self.count += 1;
        self.waiting.insert(self.count, (trigger, order));
        self.count
    }

    /// Forgets one; whether it was there.
    pub fn forget(&mut self, number: u64) -> bool {
        self.waiting.remove(&number).is_some()
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// An instrument traded at a price: the orders that are to be sent now, in the order they were set. A sell order is triggered where
    /// the price has fallen to its trigger, a buy order where it has risen to it.
    pub fn last_price(&mut self, symbol: &str, last: Decimal) -> Vec<(u64, Order)> {
        let Some(last) = last.at_scale(SCALE) else {
            return vec![];
        };
        let is_due = |trigger: Decimal, side| match (trigger.at_scale(SCALE), side) {
            (Some(trigger), Side::Buy) => last >= trigger,
            (Some(trigger), Side::Sell) => last <= trigger,
            (None, _) => false,
        };
        let due = self
            .waiting
            .iter()
            .filter(|(_, (trigger, order))| order.symbol == symbol && is_due(*trigger, order.side));
        let due: Vec<u64> = due.map(|(number, _)| *number).collect();
        let taken = due
            .into_iter()
            .map(|number| (number, self.waiting.remove(&number)));
        taken
            .filter_map(|(number, held)| Some((number, held?.1)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cents(value: i64) -> Decimal {
        Decimal::new(value, 2)
    }

    #[test]
    fn orders_are_read_as_they_are_typed_and_what_is_wrong_is_named() {
        let order = Order {
            side: Side::Sell,
            quantity: 100,
            symbol: "ABC".into(),
            price: Some(cents(1_025)),
            time_in_force: TimeInForce::ImmediateOrCancel,
        };
        assert_eq!(
            "sell 100 ABC 10.25 ioc".parse(),
            Ok(Command::Order(order.clone()))
        );
        let stop = Command::Stop {
            trigger: Decimal::new(95, 1),
            order: Order {
                price: None,
                time_in_force: TimeInForce::Day,
                ..order
            },
        };
        assert_eq!(" stop  sell 100 ABC 9.5".parse(), Ok(stop));
        assert_eq!("unstop 3".parse(), Ok(Command::Unstop(3)));
        for (line, says) in [
            ("", "write one of"),
            ("buy 0 ABC 1", "\"0\" is no quantity"),
            ("buy 10 ABC", "the price, or market is missing"),
            ("buy 10 ABC 1.1.1", "\"1.1.1\" is no price"),
            ("buy 10 ABC 1 gtc", "\"gtc\""),
            ("quit now", "one word too many"),
        ] {
            let error = line.parse::<Command>().unwrap_err();
            assert!(error.contains(says), "{line:?}: {error}");
        }
    }

    #[test]
    fn numbers_are_written_as_they_were_read() {
        for written in ["0", "10", "0.05", "10.50", "-0.5", "-12.345"] {
            assert_eq!(text(Decimal::read(written.as_bytes()).unwrap()), written);
        }
    }

    #[test]
    fn a_stop_order_is_given_out_once_where_the_last_price_reaches_its_trigger() {
        let order = |line: &str| match line.parse() {
            Ok(Command::Stop { trigger, order }) => (trigger, order),
            other => panic!("{other:?}"),
        };
        let mut stops = Stops::default();
        for line in [
            "stop sell 1 ABC 9.50",
            "stop buy 2 ABC 10.5",
            "stop sell 3 XYZ 9.50",
            "stop sell 4 ABC 9.50",
        ] {
            let (trigger, order) = order(line);
            stops.hold(trigger, order);
        }
        assert!(stops.forget(4));
        let mut fired = |symbol, price| {
            let fired = stops.last_price(symbol, price);
            fired.iter().map(|(number, _)| *number).collect::<Vec<_>>()
        };
        assert!(fired("ABC", cents(951)).is_empty());
        assert!(fired("ABC", cents(1_049)).is_empty());
        // Written with other digits, and the same number.
        assert_eq!(fired("ABC", Decimal::new(95_000, 4)), [1]);
        assert!(fired("ABC", cents(900)).is_empty());
        assert_eq!(fired("ABC", cents(1_100)), [2]);
        assert_eq!(fired("XYZ", cents(950)), [3]);
        assert_eq!(stops.len(), 0);
    }

    #[test]
    fn a_better_price_stays_when_the_one_behind_it_goes() {
        let mut prices = Prices::default();
        let (new, gone) = (MdUpdateAction::New, MdUpdateAction::Delete);
        prices.entry(MdEntryType::Bid, new, Some(cents(1_000)));
        prices.entry(MdEntryType::Bid, new, Some(cents(1_001)));
        prices.entry(MdEntryType::Bid, gone, Some(cents(1_000)));
        assert_eq!(prices.bid, Some(cents(1_001)));
        prices.entry(MdEntryType::Bid, gone, Some(cents(1_001)));
        assert_eq!(prices, Prices::default());
    }
}
