//! The orders that left a core: each with the packet that it follows, and how long that took, stage by stage.

use serde::Serialize;

use super::Problem;
use super::testbench::SentFrame;
use crate::core::{PathMark, Sent};

/// An order that left, and the packet that it followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SentOrder {
    /// The packet: its place among those given at once.
    pub packet: usize,
    /// Cycles from the last byte of the packet's frame to the first of the order's.
    pub last_first: u64,
    /// Cycles from the packet's frame's first byte, of its preamble, to the first of the order's.
    pub first_first: u64,
    /// Nothing else of the core was on its line meanwhile.
    pub alone: bool,
    /// How `last_first` is made up; `None`: the core does not tell. It is right only where no other packet was in the core meanwhile.
    pub stages: Option<Stages>,
}

/// Cycles from the last byte of a packet's frame to the first of an order's, stage by stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stages {
    /// Until the packet's last beat has left the arbiter: MAC, UDP, arbitration.
    pub receive: u64,
    /// Until the decoder's verdict on it.
    pub decode: u64,
    /// Until the book's best levels after it are known.
    pub book: u64,
    /// Until the strategy asks for the order.
    pub strategy: u64,
    /// Until risk passes it.
    pub risk: u64,
    /// Until its first byte is on the line: FIX, TCP, MAC.
    pub send: u64,
}

/// From the order back along the path: each stage was done the last time before the next one was, after the packet's last byte. A best price that is improved is known
/// before the book is done (`book_improving`): then `book` lasts until the strategy asks.
fn stages(passed: &[PathMark], sent: &Sent, order: &SentFrame) -> Option<Stages> {
    /// Bits of `path_t`, backwards.
    const BACKWARDS: [u64; 5] = [1 << 4, 1 << 3, PathMark::BOOKED, 1 << 1, 1];
    let (mut at, mut cycles) = (order.first, [0; 5]);
    for (bit, cycles) in BACKWARDS.into_iter().zip(&mut cycles) {
        let end = passed.partition_point(|passed| passed.cycle <= at);
        let before = passed.get(..end).unwrap_or(&[]);
        let mut since = before
            .iter()
            .rev()
            .take_while(|passed| passed.cycle > sent.last);
        match since.find(|passed| passed.path & bit != 0) {
            Some(last) => {
                *cycles = at - last.cycle;
                at = last.cycle;
            }
            None if bit == PathMark::BOOKED => {}
            None => return None,
        }
    }
    let [send, risk, strategy, book, decode] = cycles;
    Some(Stages {
        receive: at - sent.last,
        decode,
        book,
        strategy,
        risk,
        send,
    })
}

/// The orders among the frames that left, each with the packet that it follows: `followed`, which software knows.
///
/// # Errors
/// Others left than software knows.
pub fn orders_left(
    sent: &[Sent],
    left: &[SentFrame],
    followed: &[usize],
    passed: &[PathMark],
) -> Result<Vec<SentOrder>, Problem> {
    let orders: Vec<_> = left
        .iter()
        .enumerate()
        .filter(|(_, left)| left.order)
        .collect();
    let found = orders.len();
    let known = followed.iter().map(|packet| (*packet, sent.get(*packet)));
    let pairs: Vec<_> = orders.into_iter().zip(known).collect();
    if pairs.len() != found || found != followed.len() {
        let text = format!("{found} frames with orders, {} orders", followed.len());
        return Err(Problem::Testbench(text));
    }
    let of = |((place, order), (packet, sent)): ((usize, &SentFrame), (usize, Option<&Sent>))| {
        let sent = sent.filter(|sent| sent.last < order.first);
        let sent = sent.ok_or_else(|| {
            Problem::Testbench(format!(
                "an order left before its packet {packet} was complete"
            ))
        })?;
        let before = place.checked_sub(1).and_then(|before| left.get(before));
        Ok(SentOrder {
            packet,
            last_first: order.first - sent.last,
            first_first: order.first - sent.first,
            alone: before.is_none_or(|before| before.last < sent.last),
            stages: stages(passed, sent, order),
        })
    };
    pairs.into_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_counted_from_the_packet_that_it_follows_and_is_alone_if_nothing_left_meanwhile()
    {
        let sent = [(10, 20), (100, 120), (200, 220)].map(|(first, last)| Sent { first, last });
        let left = [
            (15, 30, false),
            (33, 60, true),
            (130, 160, true),
            (215, 230, false),
            (240, 260, true),
        ];
        let left = left.map(|(first, last, order)| SentFrame { first, last, order });
        // The last one is late: the third packet was there already.
        let orders = orders_left(&sent, &left, &[0, 1, 1], &[]).unwrap();
        let expected = [(0, 13, 23, false), (1, 10, 30, true), (1, 120, 140, false)];
        let expected = expected.map(|(packet, last_first, first_first, alone)| SentOrder {
            packet,
            last_first,
            first_first,
            alone,
            stages: None,
        });
        assert_eq!(orders, expected);
        assert!(orders_left(&sent, &left, &[0, 1], &[]).is_err());
        assert!(orders_left(&sent, &left, &[0, 1, 1, 2], &[]).is_err());
        // Before its packet was complete: that would be a bug of the core.
        assert!(orders_left(&sent, &left, &[1, 1, 1], &[]).is_err());
    }

    #[test]
    fn an_order_is_followed_back_through_the_stages_to_its_packet() {
        let sent = [Sent {
            first: 100,
            last: 120,
        }];
        let left = [130, 240].map(|first| SentFrame {
            first,
            last: first + 20,
            order: true,
        });
        let received = (121, 0b00001);
        let of_two_orders = [
            received,
            (122, 0b00010),
            (124, 0b00100),
            (126, 0b01100), // The book is done with a later frame too, and the strategy asked in that cycle.
            (127, 0b10000),
            (131, 0b11111), // Too late for the first order.
            (238, 0b10000),
        ];
        let passed = of_two_orders.map(|(cycle, path)| PathMark { cycle, path });
        let orders = orders_left(&sent, &left, &[0, 0], &passed).unwrap();
        let stages: Vec<_> = orders.iter().map(|order| order.stages.unwrap()).collect();
        let first = Stages {
            receive: 1,
            decode: 1,
            book: 4,
            strategy: 0,
            risk: 1,
            send: 3,
        };
        let second = Stages {
            receive: 11,
            decode: 0,
            book: 0,
            strategy: 0,
            risk: 107,
            send: 2,
        };
        assert_eq!(stages, [first, second]);
        // A stage that was never done.
        let orders = orders_left(&sent, &left, &[0, 0], &passed[1..3]).unwrap();
        assert!(orders.iter().all(|order| order.stages.is_none()));
    }

    #[test]
    fn a_price_that_is_answered_before_the_book_is_done_has_its_strategy_in_the_book() {
        let sent = [Sent {
            first: 100,
            last: 120,
        }];
        let left = [SentFrame {
            first: 130,
            last: 150,
            order: true,
        }];
        // The book was done with the packet before at 119, and is with this one at 127.
        let passed = [
            (119, 0b00100),
            (121, 0b00001),
            (122, 0b00010),
            (125, 0b01000),
            (126, 0b10000),
            (127, 0b00100),
        ];
        let passed = passed.map(|(cycle, path)| PathMark { cycle, path });
        let orders = orders_left(&sent, &left, &[0], &passed).unwrap();
        let expected = Stages {
            receive: 1,
            decode: 1,
            book: 3,
            strategy: 0,
            risk: 1,
            send: 4,
        };
        assert_eq!(orders[0].stages, Some(expected));
    }
}
