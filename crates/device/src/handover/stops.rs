//! Which order a report is about: the hardware tells its client_id only.

use std::collections::HashMap;

use order::stop::{Operation, Stop};
use order::{Kind, Order};

use crate::order_path::TEXT_BITS;

/// The stops as they were set, by the part of client_id that is the host's.
#[derive(Debug, Default)]
pub(super) struct Stops {
    next: u32,
    orders: HashMap<u32, Order>,
    /// What each slot holds.
    slots: HashMap<usize, u32>,
}

impl Stops {
    /// The stop with a client_id that no other has.
    pub fn name(&mut self, stop: &Stop) -> Stop {
        self.next = (self.next + 1) & (u32::MAX >> TEXT_BITS);
        let client_id = self.next << TEXT_BITS;
        // It may fire before the host hears that it was set.
        self.orders.insert(
            self.next,
            Order {
                kind: Kind::New,
                side: stop.side,
                instrument: stop.instrument,
                price: stop.price,
                quantity: stop.quantity,
                client_id,
            },
        );
        Stop { client_id, ..*stop }
    }

    /// The core did as it was told: what the slot held before does not fire any more.
    pub fn done(&mut self, operation: Operation, slot: usize, stop: &Stop) {
        let before = match operation {
            Operation::Cancel => {
                self.refused(stop);
                self.slots.remove(&slot)
            }
            Operation::Set | Operation::Change => {
                self.slots.insert(slot, stop.client_id >> TEXT_BITS)
            }
        };
        // Of a slot that is set again the old stop has fired, and may not have been reported yet.
        if let Some(before) = before.filter(|_| operation != Operation::Set) {
            self.orders.remove(&before);
        }
    }

    /// The core refused it: it will never be reported.
    pub fn refused(&mut self, stop: &Stop) {
        self.orders.remove(&(stop.client_id >> TEXT_BITS));
    }

    /// The order of a report; each is reported once.
    pub fn reported(&mut self, client_id: u32) -> Option<Order> {
        self.orders.remove(&(client_id >> TEXT_BITS))
    }
}
