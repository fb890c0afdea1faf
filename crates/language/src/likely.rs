//! Orders that a strategy is likely to send: a core prepares them before the first is asked for.

use std::collections::HashMap;

use formats::Side;

use crate::program::{Expression, Input, Local, Program, Statement, StatementKind, TimeInForce};
use crate::types::Type;

/// An order without its price, which the strategy finds when it sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LikelyOrder {
    /// Whose order.
    pub instrument: usize,
    /// A market order.
    pub market: bool,
    /// Buy or sell.
    pub side: Side,
    /// How long it stays.
    pub time_in_force: TimeInForce,
    /// How much.
    pub quantity: i64,
}

/// What a local may be.
#[derive(Clone, Debug)]
enum Assigned<'p> {
    Value(&'p Expression),
    Counts(Vec<i64>),
    /// More than once, or what only an event tells.
    Unknown,
}

/// A new order.
struct New<'p> {
    side: Side,
    market: bool,
    time_in_force: TimeInForce,
    instrument: &'p Expression,
    quantity: &'p Expression,
}

/// The new orders and the locals of a handler.
#[derive(Default)]
struct Found<'p> {
    orders: Vec<New<'p>>,
    locals: HashMap<Local, Assigned<'p>>,
}

impl Program {
    /// The new orders whose quantities are known before an event comes (constants and parameters, however they are passed on), for each instrument that
    /// they may be of; those of instruments that a parameter names first. None is there twice. `parameters`: the values of [`Program::parameters`].
    pub fn likely_orders(&self, parameters: &[i64]) -> Vec<LikelyOrder> {
        let mut likely = Vec::new();
        let handlers = [
            &self.on_book,
            &self.on_trade,
            &self.on_order,
            &self.on_timer,
        ];
        for handler in handlers.into_iter().flatten() {
            let mut found = Found::default();
            found.statements(&handler.body);
            let values = |of| found.values(of, self.instruments, parameters, 0);
            for new in &found.orders {
                let (Some(instruments), Some(quantities)) =
                    (values(new.instrument), values(new.quantity))
                else {
                    continue;
                };
                for instrument in instruments {
                    for quantity in &quantities {
                        let Ok(instrument) = usize::try_from(instrument) else {
                            continue;
                        };
                        let order = LikelyOrder {
                            instrument,
                            market: new.market,
                            side: new.side,
                            time_in_force: new.time_in_force,
                            quantity: *quantity,
                        };
                        if instrument < self.instruments
                            && *quantity > 0
                            && !likely.contains(&order)
                        {
                            likely.push(order);
                        }
                    }
                }
            }
        }
        let named = |order: &LikelyOrder| {
            let mut pairs = self.parameters.iter().zip(parameters);
            pairs.any(|(parameter, value)| {
                parameter.of == Type::Instrument && *value == order.instrument as i64
            })
        };
        likely.sort_by_key(|order| !named(order));
        likely
    }
}

impl<'p> Found<'p> {
    fn statements(&mut self, statements: &'p [Statement]) {
        for statement in statements {
            self.statement(&statement.kind);
        }
    }

    fn statement(&mut self, statement: &'p StatementKind) {
        match statement {
            StatementKind::Assign(local, value) => {
                self.expression(value);
                self.assign(*local, Assigned::Value(value));
            }
            StatementKind::Write(_, value)
            | StatementKind::Push(_, value)
            | StatementKind::Cancel(value) => self.expression(value),
            StatementKind::WriteElement { index, value, .. } => {
                self.expression(index);
                self.expression(value);
            }
            StatementKind::ReadLevel { side, number, into } => {
                self.expression(side);
                self.expression(number);
                for local in into {
                    self.assign(*local, Assigned::Unknown);
                }
            }
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.expression(condition);
                self.statements(then);
                self.statements(otherwise);
            }
            StatementKind::Loop {
                local,
                from,
                step,
                count,
                body,
            } => {
                /// Of more values nobody has orders prepared.
                const MOST: u64 = 256;
                let count = (*count).min(MOST) as i64;
                let counts = (0..count).map(|turn| from.wrapping_add(step.wrapping_mul(turn)));
                self.assign(*local, Assigned::Counts(counts.collect()));
                self.statements(body);
            }
            StatementKind::Block(_, body) => self.statements(body),
            StatementKind::Leave(_) => {}
            StatementKind::New {
                side,
                instrument,
                price,
                quantity,
                time_in_force,
                order,
                ..
            } => {
                for value in [Some(instrument), price.as_ref(), Some(quantity)] {
                    value.into_iter().for_each(|value| self.expression(value));
                }
                self.assign(*order, Assigned::Unknown);
                self.orders.push(New {
                    side: *side,
                    market: price.is_none(),
                    time_in_force: *time_in_force,
                    instrument,
                    quantity,
                });
            }
            StatementKind::Replace {
                order,
                price,
                quantity,
            } => {
                for value in [order, price, quantity] {
                    self.expression(value);
                }
            }
            StatementKind::Emit(_, values) => {
                values.iter().for_each(|value| self.expression(value));
            }
        }
    }

    /// Helper methods stand in expressions.
    fn expression(&mut self, expression: &'p Expression) {
        match expression {
            Expression::Constant(_)
            | Expression::Input(_)
            | Expression::Parameter(_)
            | Expression::Local(_)
            | Expression::Field(_)
            | Expression::Ring(..) => {}
            Expression::Element(_, of) | Expression::PositionIn(of) | Expression::Unary(_, of) => {
                self.expression(of);
            }
            Expression::Binary(_, first, second)
            | Expression::And(first, second)
            | Expression::Or(first, second) => {
                self.expression(first);
                self.expression(second);
            }
            Expression::Select(condition, first, second) => {
                self.expression(condition);
                self.expression(first);
                self.expression(second);
            }
            Expression::Block(body, _) => self.statements(body),
        }
    }

    fn assign(&mut self, local: Local, value: Assigned<'p>) {
        let again = self.locals.contains_key(&local);
        let value = if again { Assigned::Unknown } else { value };
        self.locals.insert(local, value);
    }

    /// The values that an expression may have, if that is known.
    fn values(
        &self,
        of: &Expression,
        instruments: usize,
        parameters: &[i64],
        depth: u32,
    ) -> Option<Vec<i64>> {
        /// Locals that are other locals, at most: nobody writes so many.
        const DEEPEST: u32 = 64;
        match of {
            Expression::Constant(value) => Some(vec![*value]),
            Expression::Parameter(number) => Some(vec![*parameters.get(*number)?]),
            Expression::Input(Input::Instrument) => Some((0..instruments as i64).collect()),
            Expression::Local(local) if depth < DEEPEST => match self.locals.get(local)? {
                Assigned::Value(value) => self.values(value, instruments, parameters, depth + 1),
                Assigned::Counts(counts) => Some(counts.clone()),
                Assigned::Unknown => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LikelyOrder;
    use crate::{Options, compile};
    use formats::Side::{Buy, Sell};

    fn likely(body: &str, parameters: &[i64]) -> Vec<(usize, formats::Side, i64)> {
        let helper = "    def send(self, instrument: Instrument, size: Quantity) -> None:\n        self.sell(instrument, Price(5), size)\n\n";
        let helper = if body.contains("self.send") {
            helper
        } else {
            ""
        };
        let text = format!(
            "from tickwire import Book, Instrument, Price, Quantity, Strategy, param, state\n\n\nclass One(Strategy):\n    instrument: Instrument = param()\n    size: Quantity = param(1)\n    last: Quantity = state(0)\n\n{helper}    def on_book(self, book: Book) -> None:\n        {body}\n"
        );
        let options = Options {
            instruments: 3,
            ..Options::default()
        };
        let program = compile(&text, &options).expect("it is in the language");
        let orders = program.likely_orders(parameters);
        let members = |order: LikelyOrder| (order.instrument, order.side, order.quantity);
        orders.into_iter().map(members).collect()
    }

    #[test]
    fn the_size_of_a_parameter_and_each_instrument_those_that_are_named_first() {
        let of = likely(
            "self.buy(book.instrument, book.ask.price, self.size)",
            &[1, 7],
        );
        assert_eq!(of, [(1, Buy, 7), (0, Buy, 7), (2, Buy, 7)]);
    }

    #[test]
    fn what_a_helper_or_a_local_passes_on_is_known() {
        let of = likely(
            "size = self.size; self.send(self.instrument, size); self.buy(self.instrument, Price(4), Quantity(3))",
            &[2, 7],
        );
        assert_eq!(of, [(2, Sell, 7), (2, Buy, 3)]);
    }

    #[test]
    fn a_quantity_that_only_an_event_tells_is_not_likely() {
        let of = likely(
            "self.buy(self.instrument, book.ask.price, book.ask.quantity); self.sell(self.instrument, book.ask.price, self.last)",
            &[2, 7],
        );
        assert_eq!(of, []);
        // Not an order, and not an instrument.
        let of = likely("self.buy(self.instrument, Price(4), self.size)", &[2, 0]);
        assert_eq!(of, []);
    }

    #[test]
    fn a_market_order_is_another_one() {
        let options = Options {
            instruments: 2,
            ..Options::default()
        };
        let text = "from tickwire import MARKET, Price, Quantity, Strategy, Trade\n\n\nclass One(Strategy):\n    def on_trade(self, trade: Trade) -> None:\n        self.buy(trade.instrument, MARKET, Quantity(2))\n        self.buy(trade.instrument, Price(3), Quantity(2))\n";
        let program = compile(text, &options).expect("it is in the language");
        let orders = program.likely_orders(&[]).into_iter();
        let markets: Vec<_> = orders
            .map(|order| (order.instrument, order.market))
            .collect();
        assert_eq!(markets, [(0, true), (1, true), (0, false), (1, false)]);
    }

    #[test]
    fn a_local_of_two_values_is_not_known() {
        let of = likely(
            "size = self.size; size = Quantity(9); self.buy(self.instrument, Price(4), size)",
            &[2, 7],
        );
        assert_eq!(of, []);
    }
}
