//! What a person types.

use std::fmt;
use std::str::{FromStr, SplitWhitespace};

use formats::Side;
use formats::fix::{Decimal, OrdType, TimeInForce, Value};

/// Prices are compared in millionths.
pub const SCALE: u8 = 6;
/// The longest symbol, in bytes.
const LONGEST_SYMBOL: usize = 32;

/// What was typed.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `buy 100 ABC 10.00`, `sell 5 ABC market ioc`
    Order(Order),
    /// `stop sell 100 ABC 9.50`, `stop buy 100 ABC 10.50 10.60`: an order to be sent once the last price has reached the first price, at the
    /// market or at the second price.
    Stop {
        /// The last price at which it is sent.
        trigger: Decimal,
        /// What is sent then.
        order: Order,
    },
    /// `unstop 1`
    Unstop(u64),
    /// `cancel NAME`
    Cancel(String),
    /// `replace NAME 50 10.01`
    Replace {
        /// ClOrdID of the order.
        name: String,
        /// Its new quantity, what was traded already included.
        quantity: u64,
        /// Its new limit; of a stop order that has none, its new trigger.
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
    /// Its side.
    pub side: Side,
    /// Its quantity.
    pub quantity: u64,
    /// Its instrument.
    pub symbol: String,
    /// Its limit; none is a market order.
    pub price: Option<Decimal>,
    /// The trigger of a stop order that the exchange holds.
    pub stop_price: Option<Decimal>,
    /// How long it may wait.
    pub time_in_force: TimeInForce,
}

impl Order {
    /// OrdType (40).
    pub const fn order_type(&self) -> OrdType {
        match (self.stop_price, self.price) {
            (None, None) => OrdType::Market,
            (None, Some(_)) => OrdType::Limit,
            (Some(_), None) => OrdType::Stop,
            (Some(_), Some(_)) => OrdType::StopLimit,
        }
    }
}

/// Its price, as it is typed.
impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.stop_price, self.price) {
            (None, None) => write!(f, "market")?,
            (None, Some(price)) => write!(f, "{}", text(price))?,
            (Some(stop), None) => write!(f, "stop {}", text(stop))?,
            (Some(stop), Some(price)) => write!(f, "stop {} {}", text(stop), text(price))?,
        }
        match self.time_in_force {
            TimeInForce::ImmediateOrCancel => write!(f, " ioc"),
            TimeInForce::FillOrKill => write!(f, " fok"),
            // The others are never typed.
            _ => Ok(()),
        }
    }
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

/// A symbol goes into a message unchanged: it must not contain the separator.
fn symbol(text: &str) -> Result<String, String> {
    let fine = text.len() <= LONGEST_SYMBOL && text.bytes().all(|byte| byte.is_ascii_graphic());
    fine.then(|| text.to_owned())
        .ok_or_else(|| format!("{text:?} is no symbol"))
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
    Ok((quantity, symbol(word(words, "the symbol")?)?))
}

fn time_in_force(text: &str) -> Option<TimeInForce> {
    match text {
        "day" => Some(TimeInForce::Day),
        "ioc" => Some(TimeInForce::ImmediateOrCancel),
        "fok" => Some(TimeInForce::FillOrKill),
        _ => None,
    }
}

/// `100 ABC 10.00 ioc`
fn order(side: Side, words: &mut SplitWhitespace<'_>) -> Result<Order, String> {
    let (quantity, symbol) = lot(words)?;
    let first = word(words, "the price, market or stop")?;
    let stop_price = match first {
        "stop" => Some(price(word(words, "the price that triggers")?)?),
        _ => None,
    };
    let mut limit = match first {
        "market" | "stop" => None,
        text => Some(price(text)?),
    };
    let mut left = words.next();
    if stop_price.is_some()
        && let Some(text) = left.filter(|text| time_in_force(text).is_none())
    {
        (limit, left) = (Some(price(text)?), words.next());
    }
    let time_in_force = match left {
        None => TimeInForce::Day,
        Some(text) => {
            time_in_force(text).ok_or_else(|| format!("{text:?}: write day, ioc or fok"))?
        }
    };
    Ok(Order {
        side,
        quantity,
        symbol,
        price: limit,
        stop_price,
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
                    stop_price: None,
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
            "watch" => Command::Watch(symbol(word(&mut words, "the symbol")?)?),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_as_they_are_typed_and_what_is_wrong_is_named() {
        let order = Order {
            side: Side::Sell,
            quantity: 100,
            symbol: "ABC".into(),
            price: Some(Decimal::new(1_025, 2)),
            stop_price: None,
            time_in_force: TimeInForce::ImmediateOrCancel,
        };
        assert_eq!(
            "sell 100 ABC 10.25 ioc".parse(),
            Ok(Command::Order(order.clone()))
        );
        let market = Order {
            price: None,
            time_in_force: TimeInForce::Day,
            ..order.clone()
        };
        let stop = Command::Stop {
            trigger: Decimal::new(95, 1),
            order: market.clone(),
        };
        assert_eq!(" stop  sell 100 ABC 9.5".parse(), Ok(stop));
        let held = Order {
            stop_price: Some(Decimal::new(95, 1)),
            ..market.clone()
        };
        assert_eq!(
            "sell 100 ABC stop 9.5".parse(),
            Ok(Command::Order(held.clone()))
        );
        let held = Order {
            price: Some(Decimal::new(9, 0)),
            time_in_force: TimeInForce::FillOrKill,
            ..held
        };
        assert_eq!(
            "sell 100 ABC stop 9.5 9 fok".parse(),
            Ok(Command::Order(held.clone()))
        );
        assert_eq!(held.to_string(), "stop 9.5 9 fok");
        assert_eq!("unstop 3".parse(), Ok(Command::Unstop(3)));
        for (line, says) in [
            ("", "write one of"),
            ("buy 0 ABC 1", "\"0\" is no quantity"),
            ("buy 10 ABC", "the price, market or stop is missing"),
            ("buy 10 ABC 1.1.1", "\"1.1.1\" is no price"),
            ("buy 10 ABC 1 gtc", "\"gtc\""),
            ("buy 10 ABC stop", "the price that triggers is missing"),
            ("buy 10 A\u{1}54=2 1", "is no symbol"),
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
}
