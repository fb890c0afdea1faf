//! One symbol's market: a fair price that walks, orders around it, and what happens to them next.

use formats::itch::{
    AddOrder, AddOrderMpid, Head, Message, OrderCancel, OrderDelete, OrderExecuted,
    OrderExecutedWithPrice, OrderReplace, Trade,
};
use formats::{Side, Symbol};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// A cent, in ITCH's 1/10,000 dollar.
const TICK: u32 = 100;
/// Orders a book grows to before deletes outweigh adds.
const FULL: usize = 48;
/// Ticks from the fair price within which orders are placed.
const DEPTH: u32 = 20;

#[derive(Clone, Copy, Debug)]
struct Order {
    reference: u64,
    side: Side,
    price: u32,
    shares: u32,
}

/// What happens next, as a message without its head.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step(Message);

impl Step {
    /// The message with its head.
    pub(super) fn message(&mut self, with: Head) -> Message {
        match &mut self.0 {
            Message::AddOrder(m) => m.head = with,
            Message::AddOrderMpid(m) => m.head = with,
            Message::OrderCancel(m) => m.head = with,
            Message::OrderDelete(m) => m.head = with,
            Message::OrderExecuted(m) => m.head = with,
            Message::OrderExecutedWithPrice(m) => m.head = with,
            Message::OrderReplace(m) => m.head = with,
            Message::Trade(m) => m.head = with,
            _ => {}
        }
        self.0
    }
}

/// The orders of one symbol.
#[derive(Debug)]
pub(super) struct Book {
    stock: Symbol,
    pub(super) locate: u16,
    fair: u32,
    orders: Vec<Order>,
}

impl Book {
    pub(super) fn new(stock: Symbol, locate: u16, random: &mut ChaCha8Rng) -> Self {
        // Between 5 and 700 dollars, low prices more often.
        let dollars = 5.0 * 140_f64.powf(random.random::<f64>());
        Book {
            stock,
            locate,
            fair: dollars as u32 * 100 * TICK,
            orders: vec![],
        }
    }

    pub(super) fn orders(&self) -> usize {
        self.orders.len()
    }

    /// The place of the best order of a side.
    fn best(&self, side: Side) -> Option<usize> {
        let of_side = self
            .orders
            .iter()
            .enumerate()
            .filter(|(_, order)| order.side == side);
        match side {
            Side::Buy => of_side.max_by_key(|(_, order)| order.price),
            Side::Sell => of_side.min_by_key(|(_, order)| order.price),
        }
        .map(|(place, _)| place)
    }

    /// A price near the fair one that does not cross the other side. The order that makes way may be left out of the other side.
    fn price(&self, side: Side, random: &mut ChaCha8Rng) -> u32 {
        // Two draws: near the top more often than far away.
        let away = (1 + random
            .random_range(0..DEPTH)
            .min(random.random_range(0..DEPTH)))
            * TICK;
        match side {
            Side::Buy => {
                let limit = self
                    .best(Side::Sell)
                    .map_or(u32::MAX, |place| self.orders[place].price - TICK);
                (self.fair - away).min(limit).max(TICK)
            }
            Side::Sell => {
                let limit = self
                    .best(Side::Buy)
                    .map_or(0, |place| self.orders[place].price + TICK);
                (self.fair + away).max(limit)
            }
        }
    }

    /// Takes up to `shares` off an order; it leaves the book when nothing is left.
    fn reduce(&mut self, place: usize, shares: u32) {
        self.orders[place].shares -= shares;
        if self.orders[place].shares == 0 {
            self.orders.swap_remove(place);
        }
    }

    fn walk(&mut self, random: &mut ChaCha8Rng) {
        if random.random_bool(0.1) {
            let up = random.random_bool(0.5);
            let next = if up {
                self.fair + TICK
            } else {
                self.fair - TICK
            };
            self.fair = next.clamp((DEPTH + 5) * TICK, 1_000_000 * TICK);
        }
    }

    fn lot(random: &mut ChaCha8Rng) -> u32 {
        if random.random_bool(0.7) {
            100
        } else {
            random.random_range(1..=1_000)
        }
    }

    fn add(&mut self, random: &mut ChaCha8Rng, reference: &mut u64) -> Message {
        let side = if random.random_bool(0.5) {
            Side::Buy
        } else {
            Side::Sell
        };
        let (price, shares) = (self.price(side, random), Self::lot(random));
        *reference += 1;
        self.orders.push(Order {
            reference: *reference,
            side,
            price,
            shares,
        });
        let (head, stock, order_reference) = (Head::default(), self.stock, *reference);
        if random.random_bool(0.04) {
            return Message::AddOrderMpid(AddOrderMpid {
                head,
                order_reference,
                side,
                shares,
                stock,
                price,
                attribution: *b"TICK",
            });
        }
        Message::AddOrder(AddOrder {
            head,
            order_reference,
            side,
            shares,
            stock,
            price,
        })
    }

    fn execute(&mut self, random: &mut ChaCha8Rng, place: usize, matched: &mut u64) -> Message {
        let Order {
            reference: order_reference,
            shares,
            price,
            ..
        } = self.orders[place];
        let executed_shares = if random.random_bool(0.6) {
            shares
        } else {
            random.random_range(1..=shares)
        };
        *matched += 1;
        let (head, match_number) = (Head::default(), *matched);
        self.reduce(place, executed_shares);
        if random.random_bool(0.05) {
            let (printable, execution_price) = (b'Y', price);
            return Message::OrderExecutedWithPrice(OrderExecutedWithPrice {
                head,
                order_reference,
                executed_shares,
                match_number,
                printable,
                execution_price,
            });
        }
        Message::OrderExecuted(OrderExecuted {
            head,
            order_reference,
            executed_shares,
            match_number,
        })
    }

    fn replace(&mut self, random: &mut ChaCha8Rng, place: usize, reference: &mut u64) -> Message {
        let old = self.orders.swap_remove(place);
        let (price, shares) = (self.price(old.side, random), Self::lot(random));
        *reference += 1;
        self.orders.push(Order {
            reference: *reference,
            side: old.side,
            price,
            shares,
        });
        let (head, order_reference, new_order_reference) =
            (Head::default(), old.reference, *reference);
        Message::OrderReplace(OrderReplace {
            head,
            order_reference,
            new_order_reference,
            shares,
            price,
        })
    }

    /// The next message of this symbol. `reference` and `matched` are the last order reference and match number given out.
    pub(super) fn step(
        &mut self,
        random: &mut ChaCha8Rng,
        reference: &mut u64,
        matched: &mut u64,
    ) -> Step {
        self.walk(random);
        let crowded = self.orders.len() >= FULL;
        let draw = random.random_range(0..100);
        let head = Head::default();
        if self.orders.len() < 4 || draw < if crowded { 40 } else { 50 } {
            return Step(self.add(random, reference));
        }
        let any = random.random_range(0..self.orders.len());
        let Order {
            reference: order_reference,
            side,
            price,
            shares,
        } = self.orders[any];
        Step(match draw {
            _ if draw < 88 => {
                self.orders.swap_remove(any);
                Message::OrderDelete(OrderDelete {
                    head,
                    order_reference,
                })
            }
            88..=92 => {
                let place = self.best(side).unwrap_or(any);
                self.execute(random, place, matched)
            }
            93..=94 if shares > 1 => {
                let cancelled_shares = random.random_range(1..shares);
                self.reduce(any, cancelled_shares);
                Message::OrderCancel(OrderCancel {
                    head,
                    order_reference,
                    cancelled_shares,
                })
            }
            93..=97 => self.replace(random, any, reference),
            _ => {
                *matched += 1;
                let (shares, stock, match_number) = (Self::lot(random), self.stock, *matched);
                Message::Trade(Trade {
                    head,
                    order_reference: 0,
                    side,
                    shares,
                    stock,
                    price,
                    match_number,
                })
            }
        })
    }
}
