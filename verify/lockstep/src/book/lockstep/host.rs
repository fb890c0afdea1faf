//! What the host does meanwhile: windows and rebuilds; and what ends a feed's truth: gaps and sessions.

use std::collections::VecDeque;

use book::{Book, Level, OrderView, Status};
use formats::{Event, Kind, Side};

use super::Lockstep;
use crate::book::model::{Output, Request};
use crate::book::twin::Window;

/// `host_request_e`.
const WINDOW: u8 = 0;
const CLEAR: u8 = 1;
const RESTORE: u8 = 2;
const TRADABLE: u8 = 3;

/// `host_restore_e`.
const ADD: u8 = 0;
const REDUCE: u8 = 1;
const DELETE: u8 = 2;

/// An answer comes within so many cycles, if no event does.
const ANSWER: u64 = 20_000;
/// A request to clear is taken within so many, if no event comes.
const TAKEN: u64 = 120;
/// From a gap until it shows, in cycles.
const GAP: u64 = 8;
/// Bits of the inverse of a tick's odd factor: `InverseBits`.
const INVERSE_BITS: u32 = 24;

/// What the host waits for.
#[derive(Default)]
pub(super) struct Host {
    asked: bool,
    answer: Option<bool>,
    /// Orders on their way into the book.
    pub restoring: VecDeque<(usize, Event)>,
    /// What the hardware said of them while the twin could not take them yet, since a frame was open.
    deferred: Vec<(Output, usize, Event)>,
    /// The cycles in which a book was cleared last.
    sweep: Option<(u64, u64)>,
    /// Events that came meanwhile, and in the twin are nobody's.
    pub perhaps_not_ours: u64,
    /// A gap within a frame: the number after it. The twin takes it when the frame ends.
    gap: Option<u64>,
    /// Until then it is not certain what the last gap has reached.
    gap_until: u64,
}

impl Host {
    /// Whether the twin may have taken what the hardware has not yet, or the other way round.
    pub fn is_ahead(&self, cycle: u64) -> bool {
        self.sweeps(cycle) || !self.deferred.is_empty()
    }

    /// Whether a book was being cleared in that cycle.
    pub fn sweeps(&self, cycle: u64) -> bool {
        self.sweep
            .is_some_and(|(from, until)| from <= cycle && cycle <= until)
    }
}

/// The orders of an instrument, buy before sell, the best level first, the oldest of a level first.
pub(in crate::book) fn orders(book: &Book, instrument: usize) -> Vec<OrderView> {
    let mut orders = vec![];
    let instrument = instrument as u32;
    for side in [Side::Buy, Side::Sell] {
        let inside = book.levels(instrument, side);
        for level in inside.chain(book.levels_outside(instrument, side)) {
            let before = orders.len();
            orders.extend(book.queue(instrument, side, level.price));
            if orders.len() == before {
                orders.push(order_of_level(instrument as u8, side, &level));
            }
        }
    }
    orders
}

/// The order that a level of a feed of levels is in the hardware: `book_pkg::level_id`.
fn order_of_level(instrument: u8, side: Side, level: &Level) -> OrderView {
    let place = (u64::from(instrument) << 1 | side as u64) << 32;
    OrderView {
        id: 1 << 47 | place | level.price as u64 & u64::from(u32::MAX),
        instrument: instrument.into(),
        side,
        price: level.price,
        quantity: level.quantity as u32,
    }
}

/// The inverse of an odd number modulo 2^[`INVERSE_BITS`]: each step doubles the bits that are right.
fn inverse(odd: u32) -> u32 {
    let steps = (0..5).fold(1_u32, |x, _| {
        x.wrapping_mul(2_u32.wrapping_sub(odd.wrapping_mul(x)))
    });
    steps & ((1 << INVERSE_BITS) - 1)
}

impl Lockstep {
    fn ask(&mut self, request: Request) {
        self.hardware.request(Some(&request));
        self.host.asked = true;
        self.host.answer = None;
    }

    pub(super) fn take_answer(&mut self, done: bool) {
        self.hardware.request(None);
        self.host.asked = false;
        self.host.answer = Some(done);
        if let Some((_, until)) = &mut self.host.sweep {
            *until = (*until).min(self.cycle);
        }
    }

    /// Whether the host still waits for an answer.
    pub fn waits(&self) -> bool {
        self.host.asked && self.failure.is_none()
    }

    /// Runs until the host has its answer: whether it was done.
    pub fn wait(&mut self) -> bool {
        let until = self.cycle + ANSWER;
        while self.waits() && self.cycle < until {
            self.step(None, None);
        }
        if self.host.asked {
            self.fail("the host gets no answer".into());
        }
        self.host.answer.unwrap_or_default()
    }

    /// Sets the window of an instrument that is being rebuilt, before its first order.
    pub fn set_window(&mut self, instrument: usize, window: Window) {
        self.set_window_of(instrument, window, 0);
    }

    /// The same of one whose feed gives so many levels of a side, or orders: 0.
    fn set_window_of(&mut self, instrument: usize, window: Window, depth: u8) {
        let shift = window.tick.trailing_zeros();
        self.ask(Request {
            request: WINDOW,
            instrument: instrument as u8,
            low_price: window.low_price() as u32,
            low_tick: window.low as u32,
            end_price: window.end_price() as u32,
            shift: shift as u8,
            inverse: inverse((window.tick >> shift) as u32),
            size: window.tick as u32,
            depth,
            ..Request::default()
        });
        let done = self.wait();
        let rebuilding = self.twin.book.status(instrument as u32) == Some(Status::Rebuilding);
        if done != rebuilding {
            self.fail(format!("window of instrument {instrument}: done {done}"));
        }
        if done && let Err(error) = self.twin.set_window(instrument, window, depth) {
            self.fail(format!("the twin's window: {error}"));
        }
    }

    /// Makes an instrument tradable that has no orders, with this window.
    pub fn open(&mut self, instrument: usize, window: Window) {
        self.set_window(instrument, window);
        self.make_tradable(instrument, self.sequence + 1);
    }

    /// The same of one whose feed gives so many levels of a side.
    pub fn open_levels(&mut self, instrument: usize, window: Window, depth: u8) {
        self.set_window_of(instrument, window, depth);
        self.make_tradable(instrument, self.sequence + 1);
    }

    /// Begins a rebuild; the sets of the tables are swept while events come, until [`Lockstep::wait`] answers.
    pub fn clear(&mut self, instrument: usize) {
        self.settle();
        self.ask(Request {
            request: CLEAR,
            instrument: instrument as u8,
            ..Request::default()
        });
        if let Err(error) = self.twin.clear(instrument) {
            self.fail(format!("the twin is not cleared: {error}"));
        }
        self.host.sweep = Some((self.cycle, u64::MAX));
        self.idle(TAKEN);
    }

    /// Begins to put an order in.
    pub fn restore(&mut self, instrument: usize, order: &OrderView) {
        let kind = if self.twin.is_by_level(instrument) {
            Kind::Level
        } else {
            Kind::Add
        };
        let event = Event {
            side: order.side,
            price: order.price,
            quantity: order.quantity.into(),
            order_id: order.id,
            ..Event::new(kind, b'A')
        };
        self.restore_event(instrument, &event);
    }

    /// Begins to give an add, a reduction or a delete to an instrument that is being rebuilt; its side is the order's.
    pub fn restore_event(&mut self, instrument: usize, event: &Event) {
        let event = Event {
            instrument: Some(instrument as u8),
            ..*event
        };
        let status = self.twin.book.status(instrument as u32);
        if status == Some(Status::Rebuilding) {
            self.host.restoring.push_back((instrument, event));
            self.stats.restored += 1;
        }
        self.ask(Request {
            request: RESTORE,
            instrument: instrument as u8,
            sell: event.side as u8,
            id: event.order_id,
            shares: event.quantity as u32,
            price: event.price as u32,
            restore: match event.kind {
                Kind::Reduce => REDUCE,
                Kind::Delete => DELETE,
                _ => ADD,
            },
            ..Request::default()
        });
    }

    /// The same, alone: until it is in the book. Returns whether the request was done.
    pub fn restore_alone(&mut self, instrument: usize, order: &OrderView) -> bool {
        let rebuilding = self.twin.book.status(instrument as u32) == Some(Status::Rebuilding);
        self.restore(instrument, order);
        let done = self.wait();
        if done != rebuilding {
            self.fail(format!(
                "order {} of instrument {instrument} restored: done {done}",
                order.id
            ));
        }
        self.settle();
        done
    }

    /// A change of an order that the host put in; `false`: it is none. Meanwhile the feed's events of the instrument are not booked.
    pub(super) fn compare_restored(&mut self, output: &Output) -> Result<bool, String> {
        let Some((instrument, event)) = self.host.restoring.front().copied() else {
            return Ok(false);
        };
        if instrument != usize::from(output.instrument) {
            return Ok(false);
        }
        self.host.restoring.pop_front();
        self.restored(output, instrument, &event)?;
        Ok(true)
    }

    fn restored(
        &mut self,
        output: &Output,
        instrument: usize,
        event: &Event,
    ) -> Result<(), String> {
        match self.twin.restore(instrument, event) {
            Ok(Some(expected)) => self
                .compare_expected(output, &expected)
                .map_err(|text| format!("{text}\nrestored: {event:?}")),
            Err(book::RebuildError::FrameOpen) => {
                self.host.deferred.push((*output, instrument, *event));
                Ok(())
            }
            other => Err(format!("restored: {event:?}; the twin: {other:?}")),
        }
    }

    /// A frame has ended.
    pub(super) fn restore_deferred(&mut self) -> Result<(), String> {
        for (output, instrument, event) in std::mem::take(&mut self.host.deferred) {
            self.restored(&output, instrument, &event)?;
        }
        Ok(())
    }

    /// Ends a rebuild: `next` is the first message that is not in what was put in. Returns whether it was done.
    pub fn make_tradable(&mut self, instrument: usize, next: u64) -> bool {
        self.settle();
        self.ask(Request {
            request: TRADABLE,
            instrument: instrument as u8,
            next,
            ..Request::default()
        });
        let done = self.wait();
        let came = self.sequence + 1;
        if let Err(text) = self.twin.tradable(instrument, next, came, done) {
            self.fail(text);
        }
        self.idle(4);
        done
    }

    /// The same, and a gap before `after` so many cycles later: whichever comes first, the instrument is not tradable afterwards.
    pub fn make_tradable_in_a_gap(&mut self, instrument: usize, next: u64, pause: u64, after: u64) {
        self.settle();
        self.ask(Request {
            request: TRADABLE,
            instrument: instrument as u8,
            next,
            ..Request::default()
        });
        self.idle(pause);
        self.give_gap(after);
        let done = self.wait();
        self.idle(GAP);
        if done && let Err(text) = self.twin.tradable(instrument, next, next, done) {
            self.fail(text);
        }
        self.twin.book.gap(after);
        self.settle();
    }

    /// Rebuilds an instrument that is being cleared, or is clear, from these orders, as of the last event.
    pub fn rebuild(&mut self, instrument: usize, orders: &[OrderView]) {
        self.wait();
        for order in orders {
            self.restore_alone(instrument, order);
            if self.twin.wrong[instrument] {
                // A level found no room: the hardware has given the rebuild up.
                self.clear(instrument);
                self.wait();
                break;
            }
        }
        self.make_tradable(instrument, self.sequence + 1);
        self.stats.rebuilt += 1;
    }

    /// The feed has lost the messages before this number. Within a frame it counts for the twin when the frame ends.
    pub fn gap(&mut self, next: u64) {
        self.give_gap(next);
        self.host.gap = Some(next);
        if !self.owes() {
            self.gap_deferred();
            self.idle(GAP);
        }
    }

    fn give_gap(&mut self, next: u64) {
        self.next.gap = 1;
        self.next.number = next;
        self.host.gap_until = self.cycle + GAP;
        self.sequence = next - 1;
    }

    pub(super) fn gap_deferred(&mut self) {
        if let Some(next) = self.host.gap.take() {
            self.twin.book.gap(next);
        }
    }

    /// Whether something that is tradable without the gap that waits is tradable; `None`: that is not certain.
    pub(super) fn tradable_with_gap(&self, tradable: bool) -> Option<bool> {
        let certain = self.cycle >= self.host.gap_until;
        certain.then_some(tradable && self.host.gap.is_none())
    }

    /// A session begins with this number, while nothing is on its way.
    pub fn session(&mut self, first: u64) {
        self.settle();
        self.next.new_session = 1;
        self.next.number = first;
        self.twin.book.session(first);
        self.sequence = first - 1;
        self.idle(GAP);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odd_number_times_its_inverse_is_1() {
        for odd in (1..32).step_by(2) {
            assert_eq!(odd * inverse(odd) % (1 << INVERSE_BITS), 1);
        }
    }
}
