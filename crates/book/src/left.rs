//! Order logs that give the quantity that is left of an order, not what it lost.

use wire::{Event, Kind};

use crate::book::Book;

impl Book {
    /// The event as this book takes it: of an order that changes in place ([`Kind::Modify`]) and loses quantity at its price, the loss
    /// ([`Kind::Reduce`]); of one that has nothing left, its end. Everything else stays as it is, so that a change that is no loss is a
    /// fault (`unsupported`), and that of an order that is not in the book is one of an unknown order.
    #[must_use]
    pub fn loss_of(&self, event: &Event) -> Event {
        if event.kind != Kind::Modify {
            return *event;
        }
        let loss = |quantity| Event {
            kind: Kind::Reduce,
            price: 0,
            quantity,
            ..*event
        };
        let Some(order) = self.order(event.order_id) else {
            return loss(event.quantity);
        };
        // A price of 0 says that the feed gives neither price nor side.
        let same_place =
            event.price == 0 || (event.price == order.price && event.side == order.side);
        let before = u64::from(order.quantity);
        match before.checked_sub(event.quantity) {
            _ if event.quantity == 0 => Event {
                kind: Kind::Delete,
                ..loss(0)
            },
            Some(lost) if lost > 0 && same_place => loss(lost),
            _ => *event,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use wire::Side;

    /// A book with order 7, 100 at 50, to sell.
    fn book() -> Book {
        let mut book = Book::new(1, Limits::UNLIMITED);
        let order = Event {
            instrument: Some(0),
            side: Side::Sell,
            price: 50,
            quantity: 100,
            order_id: 7,
            ..Event::new(Kind::Add, b'X')
        };
        book.apply(&order);
        book.verdict(true);
        book
    }

    fn left(order_id: u64, price: i64, quantity: u64) -> Event {
        Event {
            instrument: Some(0),
            side: Side::Sell,
            price,
            quantity,
            order_id,
            ..Event::new(Kind::Modify, b'X')
        }
    }

    #[test]
    fn what_is_left_becomes_what_is_lost() {
        let event = book().loss_of(&left(7, 50, 30));
        assert_eq!((event.kind, event.quantity), (Kind::Reduce, 70));
        let event = book().loss_of(&left(7, 0, 30));
        assert_eq!((event.kind, event.quantity), (Kind::Reduce, 70));
        let event = book().loss_of(&left(7, 50, 0));
        assert_eq!(event.kind, Kind::Delete);
    }

    #[test]
    fn a_change_that_is_no_loss_stays_one_and_an_unknown_order_is_unknown() {
        for change in [left(7, 50, 100), left(7, 50, 101), left(7, 51, 30)] {
            assert_eq!(book().loss_of(&change), change);
        }
        assert_eq!(book().loss_of(&left(8, 50, 30)).kind, Kind::Reduce);
    }
}
