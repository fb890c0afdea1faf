//! A book as plain as can be, out of the messages themselves: maps of prices to lists of orders. It shares nothing with `crates/book`, nor with the
//! decoder's events.

use std::collections::{BTreeMap, HashMap};

use book::Level;
use formats::itch::{Message, Version};
use formats::{Side, Symbol};

/// Prices to orders (id, quantity), in the order in which they trade.
type Prices = BTreeMap<i64, Vec<(u64, u64)>>;

/// All books of a feed.
#[derive(Debug, Default)]
pub struct Naive {
    sides: HashMap<(Symbol, Side), Prices>,
    orders: HashMap<u64, (Symbol, Side, i64)>,
}

impl Naive {
    /// Does what a message says; returns the symbol that it is about, if it is about an order.
    pub fn message(&mut self, version: Version, message: &[u8]) -> Option<Symbol> {
        match Message::parse(version, message).ok()? {
            Message::AddOrder(m) => {
                let price = m.price.into();
                self.add(m.order_reference, m.stock, m.side, price, m.shares)
            }
            Message::AddOrderMpid(m) => {
                let price = m.price.into();
                self.add(m.order_reference, m.stock, m.side, price, m.shares)
            }
            Message::OrderExecuted(m) => self.take(m.order_reference, Some(m.executed_shares)),
            Message::OrderExecutedWithPrice(m) => {
                self.take(m.order_reference, Some(m.executed_shares))
            }
            Message::OrderCancel(m) => self.take(m.order_reference, Some(m.cancelled_shares)),
            Message::OrderDelete(m) => self.take(m.order_reference, None),
            Message::OrderReplace(m) => {
                let (symbol, side, _) = *self.orders.get(&m.order_reference)?;
                self.take(m.order_reference, None);
                let price = m.price.into();
                self.add(m.new_order_reference, symbol, side, price, m.shares)
            }
            _ => None,
        }
    }

    fn add(
        &mut self,
        id: u64,
        symbol: Symbol,
        side: Side,
        price: i64,
        shares: u32,
    ) -> Option<Symbol> {
        self.orders.insert(id, (symbol, side, price));
        let prices = self.sides.entry((symbol, side)).or_default();
        prices.entry(price).or_default().push((id, shares.into()));
        Some(symbol)
    }

    /// Takes so much off an order, or all of it.
    fn take(&mut self, id: u64, shares: Option<u32>) -> Option<Symbol> {
        let (symbol, side, price) = *self.orders.get(&id)?;
        let prices = self.sides.get_mut(&(symbol, side))?;
        let level = prices.get_mut(&price)?;
        let place = level.iter().position(|(found, _)| *found == id)?;
        let left = level[place].1;
        match left - shares.map_or(left, u64::from) {
            0 => {
                level.remove(place);
                if level.is_empty() {
                    prices.remove(&price);
                }
                self.orders.remove(&id);
            }
            left => level[place].1 = left,
        }
        Some(symbol)
    }

    /// The best levels of a side, so many at most, the best first.
    pub fn levels(&self, symbol: Symbol, side: Side, most: usize) -> Vec<Level> {
        let Some(prices) = self.sides.get(&(symbol, side)) else {
            return vec![];
        };
        let level = |(price, orders): (&i64, &Vec<(u64, u64)>)| Level {
            price: *price,
            quantity: orders.iter().map(|(_, quantity)| quantity).sum(),
            orders: orders.len() as u32,
        };
        match side {
            Side::Buy => prices.iter().rev().take(most).map(level).collect(),
            Side::Sell => prices.iter().take(most).map(level).collect(),
        }
    }

    /// Orders of all symbols.
    pub fn orders(&self) -> usize {
        self.orders.len()
    }

    /// The symbols that have had an order.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> {
        self.sides.keys().map(|(symbol, _)| *symbol)
    }

    /// The id of the first order of the worst level of a side.
    #[cfg(test)]
    pub fn worst(&self, symbol: Symbol, side: Side) -> u64 {
        let prices = &self.sides[&(symbol, side)];
        let level = match side {
            Side::Buy => prices.first_key_value(),
            Side::Sell => prices.last_key_value(),
        };
        level.unwrap().1[0].0
    }
}
