//! Which order a report is about: the hardware gives its client_id only.

use std::collections::HashMap;

use formats::fix::TimeInForce;
use order::{Kind, Order};
use strategy::stops::{Operation, Stop};

use super::event::Origin;

/// An order that is not reported yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named {
    /// It.
    pub order: Order,
    /// Who asks for it.
    pub origin: Origin,
}

/// The client_id of all orders of the strategy: no other has it.
pub(super) const STRATEGY: u32 = 0;

/// The stops as they were set, the host's own orders, and the strategy's, by client_id.
#[derive(Debug, Default)]
pub(super) struct Stops {
    next: u32,
    orders: HashMap<u32, Named>,
    /// What each slot holds.
    slots: HashMap<usize, u32>,
}

impl Stops {
    /// The order with a client_id that no other has. It may leave before the host learns that it was taken.
    fn name(&mut self, order: &Order, origin: Origin) -> Order {
        self.next = self.next.wrapping_add(1).max(STRATEGY + 1);
        let order = Order {
            client_id: self.next,
            ..*order
        };
        self.orders.insert(self.next, Named { order, origin });
        order
    }

    /// The stop of a slot with its client_id.
    pub fn name_stop(&mut self, slot: usize, stop: &Stop) -> Stop {
        let order = Order {
            kind: Kind::New,
            side: stop.side,
            instrument: stop.instrument,
            price: stop.price,
            quantity: stop.quantity,
            time_in_force: TimeInForce::Day,
            client_id: 0,
        };
        let client_id = self.name(&order, Origin::Stop(slot)).client_id;
        Stop { client_id, ..*stop }
    }

    /// The host's order with its client_id.
    pub fn name_order(&mut self, order: &Order) -> Order {
        self.name(order, Origin::Host)
    }

    /// What each order of the strategy is, without its price, which the core alone knows.
    pub fn name_strategy(&mut self, order: Order) {
        let origin = Origin::Strategy;
        self.orders.insert(STRATEGY, Named { order, origin });
    }

    /// The core has done it: what the slot held before can no longer fire.
    pub fn done(&mut self, operation: Operation, slot: usize, stop: &Stop) {
        let before = match operation {
            Operation::Cancel => {
                self.refused(stop.client_id);
                self.slots.remove(&slot)
            }
            Operation::Set | Operation::Change => self.slots.insert(slot, stop.client_id),
        };
        // If a slot is set again, its old stop has fired, and may not have been reported yet.
        if let Some(before) = before.filter(|_| operation != Operation::Set) {
            self.orders.remove(&before);
        }
    }

    /// The core refused it: it will never be reported.
    pub fn refused(&mut self, client_id: u32) {
        self.orders.remove(&client_id);
    }

    /// The order of a report; each is reported once, but for the strategy's, which are alike.
    pub fn reported(&mut self, client_id: u32) -> Option<Named> {
        if client_id == STRATEGY {
            return self.orders.get(&client_id).copied();
        }
        self.orders.remove(&client_id)
    }
}
