//! The rules of the engine's documentation again, implemented naively: sorted maps of lists, searched from the front.

use std::collections::BTreeMap;

use exchange::order::{Cause, Event, Kind, NewOrder, Refusal, Replacement, TimeInForce};
use formats::Side;

/// An event, with orders named by their tags, which are all different here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    Accepted(u64),
    Rested {
        tag: u64,
        side: Side,
        price: i64,
        remaining: u64,
    },
    Traded {
        price: i64,
        quantity: u64,
        side: Side,
        maker: (u64, u64),
        taker: (u64, u64),
    },
    Triggered(u64),
    Reduced {
        tag: u64,
        removed: u64,
        remaining: u64,
        displayed: bool,
    },
    Replaced {
        tag: u64,
        remaining: u64,
        displayed: bool,
    },
    Removed {
        tag: u64,
        remaining: u64,
        displayed: bool,
        cause: Cause,
    },
}

impl From<&Event> for Fact {
    fn from(event: &Event) -> Self {
        match *event {
            Event::Accepted { order, .. } => Fact::Accepted(order.tag),
            Event::Rested {
                order, side, price, ..
            } => Fact::Rested {
                tag: order.tag,
                side,
                price,
                remaining: order.remaining,
            },
            Event::Traded {
                price,
                quantity,
                side,
                maker,
                taker,
                ..
            } => Fact::Traded {
                price,
                quantity,
                side,
                maker: (maker.tag, maker.remaining),
                taker: (taker.tag, taker.remaining),
            },
            Event::Triggered { order, .. } => Fact::Triggered(order.tag),
            Event::Reduced {
                order,
                removed,
                displayed,
                ..
            } => Fact::Reduced {
                tag: order.tag,
                removed,
                remaining: order.remaining,
                displayed,
            },
            Event::Replaced {
                order, displayed, ..
            } => Fact::Replaced {
                tag: order.tag,
                remaining: order.remaining,
                displayed,
            },
            Event::Removed {
                order,
                displayed,
                cause,
                ..
            } => Fact::Removed {
                tag: order.tag,
                remaining: order.remaining,
                displayed,
                cause,
            },
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Order {
    pub new: NewOrder,
    pub remaining: u64,
    pub traded: u64,
}

type Queue = BTreeMap<i64, Vec<Order>>;

/// One instrument.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub lowest: i64,
    pub highest: i64,
    pub largest: u64,
    pub bids: Queue,
    pub offers: Queue,
    pub buy_stops: Queue,
    pub sell_stops: Queue,
    pub last: Option<i64>,
    pub facts: Vec<Fact>,
}

impl Model {
    fn check(&self, kind: Kind, price: i64, trigger: i64, quantity: u64) -> Result<(), Refusal> {
        let outside = |price: i64| price < self.lowest || price > self.highest;
        if quantity == 0 {
            return Err(Refusal::ZeroQuantity);
        }
        if quantity > self.largest {
            return Err(Refusal::LargeQuantity);
        }
        if kind.has_limit() && outside(price) {
            return Err(Refusal::Price);
        }
        if kind.is_stop() && outside(trigger) {
            return Err(Refusal::Trigger);
        }
        Ok(())
    }

    pub fn submit(&mut self, new: &NewOrder) -> Result<(), Refusal> {
        self.check(new.kind, new.price, new.trigger, new.quantity)?;
        self.facts.push(Fact::Accepted(new.tag));
        self.enter(Order {
            new: *new,
            remaining: new.quantity,
            traded: 0,
        });
        Ok(())
    }

    pub fn cancel(&mut self, tag: u64) -> Result<(), Refusal> {
        let (order, displayed) = self.take(tag).ok_or(Refusal::Order)?;
        let (remaining, cause) = (order.remaining, Cause::Requested);
        self.facts.push(Fact::Removed {
            tag,
            remaining,
            displayed,
            cause,
        });
        Ok(())
    }

    pub fn replace(&mut self, tag: u64, with: &Replacement) -> Result<(), Refusal> {
        let order = *self.find(tag).ok_or(Refusal::Order)?;
        // The order may be a stop that was triggered: then its kind is the limit it became.
        self.check(order.new.kind, with.price, with.trigger, with.quantity)?;
        if with.quantity <= order.traded {
            return Err(Refusal::Traded);
        }
        let remaining = with.quantity - order.traded;
        let new = order.new;
        let same_price = !new.kind.has_limit() || new.price == with.price;
        let same_trigger = !new.kind.is_stop() || new.trigger == with.trigger;
        if same_price && same_trigger && remaining <= order.remaining {
            let displayed = !new.kind.is_stop();
            let removed = order.remaining - remaining;
            let found = self.find(tag).unwrap();
            (found.remaining, found.new.tag) = (remaining, with.tag);
            self.facts.push(Fact::Reduced {
                tag: with.tag,
                removed,
                remaining,
                displayed,
            });
            return Ok(());
        }
        let (mut order, displayed) = self.take(tag).unwrap();
        order.remaining = remaining;
        order.new = NewOrder {
            price: with.price,
            trigger: with.trigger,
            tag: with.tag,
            ..new
        };
        self.facts.push(Fact::Replaced {
            tag: with.tag,
            remaining,
            displayed,
        });
        self.enter(order);
        Ok(())
    }

    fn queues(&mut self) -> [&mut Queue; 4] {
        [
            &mut self.bids,
            &mut self.offers,
            &mut self.buy_stops,
            &mut self.sell_stops,
        ]
    }

    fn find(&mut self, tag: u64) -> Option<&mut Order> {
        let all = self
            .queues()
            .into_iter()
            .flat_map(|queue| queue.values_mut());
        all.flatten().find(|order| order.new.tag == tag)
    }

    fn take(&mut self, tag: u64) -> Option<(Order, bool)> {
        for (number, queue) in self.queues().into_iter().enumerate() {
            for orders in queue.values_mut() {
                if let Some(at) = orders.iter().position(|order| order.new.tag == tag) {
                    let order = orders.remove(at);
                    queue.retain(|_, orders| !orders.is_empty());
                    return Some((order, number < 2));
                }
            }
        }
        None
    }

    fn enter(&mut self, order: Order) {
        let NewOrder {
            kind,
            side,
            trigger,
            ..
        } = order.new;
        if kind.is_stop() {
            let reached = self.last.is_some_and(|last| match side {
                Side::Buy => last >= trigger,
                Side::Sell => last <= trigger,
            });
            if !reached {
                let queue = if side == Side::Buy {
                    &mut self.buy_stops
                } else {
                    &mut self.sell_stops
                };
                queue.entry(trigger).or_default().push(order);
                return;
            }
        }
        let mut prices = vec![];
        self.active(order, &mut prices);
        // Which stops a trade of all these reaches, one at a time.
        while let (Some(&low), Some(&high)) = (prices.iter().min(), prices.iter().max()) {
            let buy = self
                .buy_stops
                .keys()
                .next()
                .copied()
                .filter(|trigger| *trigger <= high);
            let sell = self
                .sell_stops
                .keys()
                .next_back()
                .copied()
                .filter(|trigger| *trigger >= low);
            let (queue, trigger) = match (buy, sell) {
                (Some(trigger), _) => (&mut self.buy_stops, trigger),
                (None, Some(trigger)) => (&mut self.sell_stops, trigger),
                (None, None) => break,
            };
            let order = queue.get_mut(&trigger).unwrap().remove(0);
            queue.retain(|_, orders| !orders.is_empty());
            self.active(order, &mut prices);
        }
    }

    /// Trades, then rests or is cancelled.
    fn active(&mut self, mut order: Order, prices: &mut Vec<i64>) {
        if order.new.kind.is_stop() {
            order.new.kind = if order.new.kind == Kind::Stop {
                Kind::Market
            } else {
                Kind::Limit
            };
            self.facts.push(Fact::Triggered(order.new.tag));
        }
        let NewOrder {
            kind,
            side,
            price: limit,
            time_in_force,
            tag,
            ..
        } = order.new;
        let good = |price: i64| {
            kind == Kind::Market
                || if side == Side::Buy {
                    price <= limit
                } else {
                    price >= limit
                }
        };
        let others = if side == Side::Buy {
            &mut self.offers
        } else {
            &mut self.bids
        };
        let offered: u64 = others
            .iter()
            .filter(|(price, _)| good(**price))
            .flat_map(|(_, o)| o)
            .map(|o| o.remaining)
            .sum();
        if time_in_force != TimeInForce::FillOrKill || offered >= order.remaining {
            while order.remaining > 0 {
                let best = if side == Side::Buy {
                    others.keys().next()
                } else {
                    others.keys().next_back()
                };
                let Some(price) = best.copied().filter(|price| good(*price)) else {
                    break;
                };
                let queue = others.get_mut(&price).unwrap();
                let maker = &mut queue[0];
                let quantity = maker.remaining.min(order.remaining);
                maker.remaining -= quantity;
                maker.traded += quantity;
                order.remaining -= quantity;
                order.traded += quantity;
                let (maker, taker) = ((maker.new.tag, maker.remaining), (tag, order.remaining));
                self.facts.push(Fact::Traded {
                    price,
                    quantity,
                    side,
                    maker,
                    taker,
                });
                self.last = Some(price);
                prices.push(price);
                queue.retain(|order| order.remaining > 0);
                others.retain(|_, orders| !orders.is_empty());
            }
        }
        let remaining = order.remaining;
        if remaining == 0 {
            return;
        }
        if kind == Kind::Limit && time_in_force == TimeInForce::Day {
            let own = if side == Side::Buy {
                &mut self.bids
            } else {
                &mut self.offers
            };
            own.entry(limit).or_default().push(order);
            self.facts.push(Fact::Rested {
                tag,
                side,
                price: limit,
                remaining,
            });
        } else {
            self.facts.push(Fact::Removed {
                tag,
                remaining,
                displayed: false,
                cause: Cause::Unfilled,
            });
        }
    }
}
