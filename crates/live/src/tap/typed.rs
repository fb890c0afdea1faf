//! Orders by hand through the core: the lines of `tickwire client`, those that the hardware can send.

use client::Command;
use formats::Symbol;
use formats::fix::{Decimal, TimeInForce};
use order::{Kind, Number, Order};
use risk::WorkingOrder;

use crate::desk::Session;

/// What a line asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// To be sent.
    Order(Order),
    /// To log out.
    Quit,
}

/// The instruments of a session by index: symbol and decimals.
#[derive(Debug)]
pub(super) struct Instruments {
    traded: Vec<(String, u8)>,
    /// What ClOrdID begins with.
    prefix: String,
}

impl Instruments {
    /// Those of a desk, beside the symbols of its statistics.
    pub fn of(session: &Session, symbols: &[Option<Symbol>]) -> Self {
        let mut traded = vec![(String::new(), 0); device::instruments::INSTRUMENTS];
        for (index, instrument) in session.indices(symbols).iter().zip(session.traded()) {
            if let Some(place) = traded.get_mut(usize::from(*index)) {
                *place = (instrument.symbol.clone(), instrument.decimals);
            }
        }
        Instruments {
            traded,
            prefix: session.client_order_id_prefix.clone(),
        }
    }

    /// All names, by index.
    pub fn symbols(&self) -> Vec<String> {
        let names = self.traded.iter().map(|(symbol, _)| symbol.clone());
        names.collect()
    }

    /// A name; nothing if there is no such instrument.
    pub fn symbol(&self, index: u8) -> &str {
        self.traded
            .get(usize::from(index))
            .map_or("", |(symbol, _)| symbol)
    }

    /// `open` has the orders whose end is not known: cancels and replacements name one of them, by its number or its ClOrdID.
    ///
    /// # Errors
    /// What is wrong with the line.
    pub fn typed(
        &self,
        line: &str,
        open: impl Fn(Number) -> Option<WorkingOrder>,
    ) -> Result<Typed, String> {
        let named = |name: &str| {
            let digits = name.strip_prefix(&self.prefix).unwrap_or(name);
            let number = digits.parse().ok().and_then(|n| Number::new(n).ok());
            let found = number.and_then(|number| Some((number, open(number)?)));
            found.ok_or_else(|| format!("{name:?} is no open order of this session"))
        };
        Ok(Typed::Order(match line.parse()? {
            Command::Order(typed) => {
                let Some(price) = typed.price.filter(|_| typed.stop_price.is_none()) else {
                    return Err("write a limit: the core holds its price against the collar".into());
                };
                if typed.time_in_force != TimeInForce::Day {
                    return Err("the desk says how long orders wait: leave it out".into());
                }
                let mut instruments = (0_u8..).zip(&self.traded);
                let found = instruments.find(|(_, (symbol, _))| *symbol == typed.symbol);
                let (instrument, _) =
                    found.ok_or_else(|| format!("{} is not traded", typed.symbol))?;
                Order {
                    side: typed.side,
                    instrument,
                    price: Some(self.scaled(instrument, price)?),
                    quantity: quantity(typed.quantity)?,
                    ..Order::default()
                }
            }
            Command::Cancel(name) => {
                let (number, open) = named(&name)?;
                Order {
                    kind: Kind::Cancel(number),
                    side: open.side,
                    instrument: open.instrument,
                    quantity: open.left(),
                    ..Order::default()
                }
            }
            Command::Replace {
                name,
                quantity: wanted,
                price,
            } => {
                let (number, open) = named(&name)?;
                Order {
                    kind: Kind::Replace(number),
                    side: open.side,
                    instrument: open.instrument,
                    price: Some(self.scaled(open.instrument, price)?),
                    quantity: quantity(wanted)?,
                    ..Order::default()
                }
            }
            Command::Quit => return Ok(Typed::Quit),
            Command::Stop { .. } | Command::Unstop(_) | Command::Watch(_) => {
                return Err("the core knows buy, sell, cancel, replace and quit".into());
            }
        }))
    }

    fn scaled(&self, instrument: u8, price: Decimal) -> Result<i64, String> {
        let decimals = self
            .traded
            .get(usize::from(instrument))
            .map_or(0, |(_, decimals)| *decimals);
        let scaled = price.at_scale(decimals);
        scaled.ok_or_else(|| {
            format!(
                "{} has more than {decimals} decimals",
                client::command::text(price)
            )
        })
    }
}

fn quantity(typed: u64) -> Result<u32, String> {
    u32::try_from(typed).map_err(|_| format!("{typed} is too much for the core"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::Side;

    fn typed(line: &str) -> Result<Typed, String> {
        let instruments = Instruments {
            traded: vec![("XYZ".into(), 0), ("ABC".into(), 2)],
            prefix: "A".into(),
        };
        let open = |number: Number| {
            (number.get() == 12).then_some(WorkingOrder {
                instrument: 1,
                side: Side::Sell,
                quantity: 50,
                traded: 10,
            })
        };
        instruments.typed(line, open)
    }

    fn order(kind: Kind, side: Side, price: Option<i64>, quantity: u32) -> Result<Typed, String> {
        Ok(Typed::Order(Order {
            kind,
            side,
            instrument: 1,
            price,
            quantity,
            time_in_force: TimeInForce::Day,
            client_id: 0,
        }))
    }

    #[test]
    fn lines_become_orders_in_the_instruments_scale() {
        let twelve = Number::new(12).unwrap();
        let bought = order(Kind::New, Side::Buy, Some(1_005), 100);
        assert_eq!(typed("buy 100 ABC 10.05"), bought);
        for name in ["12", "A000000012", "000000012"] {
            let cancelled = order(Kind::Cancel(twelve), Side::Sell, None, 40);
            assert_eq!(typed(&format!("cancel {name}")), cancelled);
        }
        let replaced = order(Kind::Replace(twelve), Side::Sell, Some(990), 7);
        assert_eq!(typed("replace 12 7 9.9"), replaced);
        assert_eq!(typed("quit"), Ok(Typed::Quit));
    }

    #[test]
    fn what_the_core_does_not_send_is_refused_with_what_to_write() {
        for (line, reason) in [
            ("buy 100 ABC market", "write a limit"),
            ("buy 100 ABC stop 9.50", "write a limit"),
            ("buy 100 ABC stop 9.50 9.60", "write a limit"),
            ("buy 100 ABC 10.00 ioc", "leave it out"),
            ("buy 100 DEF 10.00", "DEF is not traded"),
            ("buy 100 ABC 10.005", "more than 2 decimals"),
            ("buy 100 XYZ 10.5", "more than 0 decimals"),
            ("buy 4294967296 ABC 10", "too much"),
            ("cancel 13", "no open order"),
            ("cancel B000000012", "no open order"),
            ("cancel 0", "no open order"),
            ("replace 12 7", "the price is missing"),
            ("unstop 1", "buy, sell, cancel, replace and quit"),
            ("sel 1 ABC 10", "write one of"),
        ] {
            let told = typed(line).unwrap_err();
            assert!(told.contains(reason), "{line}: {told}");
        }
    }
}
