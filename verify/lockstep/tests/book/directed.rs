//! Where hardware and software could part: levels that do not fit, gaps at any time, rebuilds while the feed goes on.

use book::{Cause, OrderView};
use formats::{Event, Kind, Side};
use lockstep::book::{Design, Lockstep, Spacing, Window};

const WINDOW: Window = Window {
    tick: 100,
    low: 5_000,
};
/// The middle of it, in ticks.
const MIDDLE: i64 = 9_000;
/// The largest quantity of an order; 256 of them and 255 shares are the most of a level.
const LARGEST: u64 = (1 << 24) - 1;

fn started(design: Design, instruments: usize) -> Lockstep {
    let mut lockstep = Lockstep::new(design, 1);
    (0..instruments).for_each(|instrument| lockstep.open(instrument, WINDOW));
    lockstep
}

fn add(instrument: u8, side: Side, id: u64, tick: i64, quantity: u64) -> Event {
    Event {
        instrument: Some(instrument),
        side,
        price: tick * WINDOW.tick,
        quantity,
        order_id: id,
        ..Event::new(Kind::Add, b'A')
    }
}

fn buy(instrument: u8, id: u64, tick: i64) -> Event {
    add(instrument, Side::Buy, id, tick, 100)
}

fn delete(id: u64) -> Event {
    Event {
        order_id: id,
        ..Event::new(Kind::Delete, b'D')
    }
}

#[track_caller]
fn holds(lockstep: &mut Lockstep) {
    lockstep.settle();
    if let Some(text) = lockstep.failure() {
        panic!("{text}");
    }
}

/// 256 orders of the largest quantity.
fn almost_too_much(lockstep: &mut Lockstep, tick: i64) {
    let orders: Vec<_> = (0..256)
        .map(|id| add(0, Side::Buy, id, tick, LARGEST))
        .collect();
    lockstep.frame(&orders, true, Spacing::Two);
    holds(lockstep);
    assert!(lockstep.is_tradable(0) && !lockstep.is_wrong(0));
}

fn empty(lockstep: &mut Lockstep, instrument: usize) {
    lockstep.clear(instrument);
    lockstep.rebuild(instrument, &[]);
    holds(lockstep);
}

#[test]
fn a_level_of_too_large_a_quantity_is_reported_and_stays() {
    // Inside of the window, and beyond it, where all orders are one level.
    for tick in [MIDDLE, 100] {
        let mut lockstep = started(Design::Default, 2);
        almost_too_much(&mut lockstep, tick);
        lockstep.frame(&[add(0, Side::Buy, 300, tick, 255)], true, Spacing::Two);
        holds(&mut lockstep);
        assert!(!lockstep.is_wrong(0), "the largest sum there is");
        let frame = [add(0, Side::Buy, 301, tick, 1), delete(301)];
        lockstep.frame(&frame, false, Spacing::Two);
        holds(&mut lockstep);
        assert!(lockstep.is_wrong(0), "although the frame was bad");
        assert!(lockstep.stats.level_overflows >= 1);
        empty(&mut lockstep, 0);
        assert!(!lockstep.is_wrong(0));
    }
}

#[test]
fn a_level_of_too_many_orders_is_reported() {
    let mut lockstep = started(Design::Default, 1);
    for frame in 0..13 {
        let orders: Vec<_> = (0..315)
            .map(|id| buy(0, 315 * frame + id, MIDDLE))
            .collect();
        lockstep.frame(&orders, true, Spacing::Two);
    }
    holds(&mut lockstep);
    assert!(!lockstep.is_wrong(0), "4,095 orders");
    lockstep.frame(&[buy(0, 5_000, MIDDLE)], true, Spacing::Two);
    holds(&mut lockstep);
    assert!(lockstep.is_wrong(0));
    assert_eq!(lockstep.stats.level_overflows, 1);
}

/// The report of the level comes in each cycle of what follows: a fault of the next frame, which is bad, takes nothing of it back.
#[test]
fn a_level_that_does_not_fit_is_not_forgotten_with_a_bad_frame_after_it() {
    let mut lockstep = started(Design::Default, 2);
    for pause in 0..16 {
        almost_too_much(&mut lockstep, MIDDLE);
        lockstep.step(
            Some(&numbered(&lockstep, add(0, Side::Buy, 300, MIDDLE, 300))),
            Some(true),
        );
        lockstep.idle(pause);
        let unknown = Event {
            instrument: Some(0),
            ..delete(7_000)
        };
        lockstep.step(Some(&numbered(&lockstep, unknown)), Some(false));
        holds(&mut lockstep);
        assert!(lockstep.is_wrong(0));
        empty(&mut lockstep, 0);
    }
    assert_eq!(lockstep.stats.faults[Cause::UnknownId as usize], 16);
    assert_eq!(lockstep.stats.level_overflows, 16);
}

fn numbered(lockstep: &Lockstep, event: Event) -> Event {
    Event {
        sequence: lockstep.sequence() + 1,
        ..event
    }
}

#[test]
fn a_gap_counts_whenever_it_comes() {
    let mut lockstep = started(Design::Small, 2);
    for (pause, good) in (0..60).flat_map(|pause| [(pause, false), (pause, true)]) {
        let frame = [buy(0, 1, MIDDLE), buy(1, 2, MIDDLE), delete(1), delete(99)];
        for (place, event) in frame.iter().enumerate() {
            let event = numbered(&lockstep, *event);
            lockstep.step(Some(&event), (place == 3).then_some(good));
            lockstep.idle(1);
        }
        lockstep.idle(pause);
        let next = lockstep.sequence() + 9;
        lockstep.gap(next);
        holds(&mut lockstep);
        for instrument in 0..2 {
            assert!(
                !lockstep.is_tradable(instrument),
                "a gap after {pause} cycles"
            );
            empty(&mut lockstep, instrument);
            assert!(lockstep.is_tradable(instrument));
        }
    }
}

#[test]
fn a_gap_while_a_rebuild_ends_is_not_forgotten() {
    let mut lockstep = started(Design::Small, 2);
    for pause in 0..40 {
        lockstep.clear(0);
        lockstep.wait();
        let next = lockstep.sequence() + 1;
        lockstep.make_tradable_in_a_gap(0, next, pause, next + 9);
        holds(&mut lockstep);
        assert!(!lockstep.is_tradable(0), "a gap after {pause} cycles");
        assert!(!lockstep.make_tradable(0, next));
        holds(&mut lockstep);
    }
}

#[test]
fn a_rebuild_must_reach_the_number_after_a_gap() {
    let mut lockstep = started(Design::Small, 2);
    lockstep.frame(&[buy(0, 1, MIDDLE)], true, Spacing::Far);
    lockstep.gap(50);
    lockstep.clear(0);
    lockstep.wait();
    assert!(!lockstep.make_tradable(0, 49));
    assert!(lockstep.make_tradable(0, 50));
    holds(&mut lockstep);
}

/// The numbers of the session before mean nothing any more.
#[test]
fn a_rebuild_in_a_new_session_needs_its_numbers_only() {
    let mut lockstep = started(Design::Small, 2);
    lockstep.frame(&[buy(0, 1, MIDDLE), buy(1, 2, MIDDLE)], true, Spacing::Far);
    lockstep.gap(500);
    lockstep.clear(1);
    lockstep.wait();
    lockstep.frame(&[delete(2), buy(1, 5, MIDDLE)], true, Spacing::Far);
    lockstep.session(1);
    assert!(!lockstep.is_tradable(0) && !lockstep.is_tradable(1));
    lockstep.frame(&[buy(0, 10, MIDDLE)], true, Spacing::Far);
    lockstep.clear(0);
    lockstep.wait();
    assert!(!lockstep.make_tradable(0, 0), "the session begins with 1");
    assert!(lockstep.make_tradable(0, 2));
    assert!(lockstep.make_tradable(1, 2));
    holds(&mut lockstep);
    // The start of a day: no order is there.
    let mut lockstep = started(Design::Small, 2);
    lockstep.gap(500);
    lockstep.session(1);
    assert!(lockstep.is_tradable(0));
    holds(&mut lockstep);
}

/// With time between the events the number of what was missed is known exactly.
#[test]
fn a_rebuild_must_reach_what_was_missed_meanwhile() {
    let mut lockstep = started(Design::Small, 3);
    lockstep.frame(&[buy(0, 1, MIDDLE), buy(1, 2, MIDDLE)], true, Spacing::Far);
    lockstep.clear(0);
    lockstep.wait();
    lockstep.frame(
        &[buy(0, 3, MIDDLE), buy(1, 4, MIDDLE), buy(1, 5, MIDDLE)],
        true,
        Spacing::Far,
    );
    let missed = lockstep.sequence() - 2;
    assert!(!lockstep.make_tradable(0, missed));
    assert!(lockstep.make_tradable(0, missed + 1));
    // Of nobody knows which instrument.
    lockstep.clear(0);
    lockstep.wait();
    lockstep.frame(&[delete(77), buy(1, 6, MIDDLE)], true, Spacing::Far);
    let missed = lockstep.sequence() - 1;
    assert!(!lockstep.make_tradable(0, missed));
    assert!(lockstep.make_tradable(0, missed + 1));
    holds(&mut lockstep);
}

/// A replacement of the best order by a worse one changes the best, a trade at the best price does not, an execution that is not printed is no trade.
/// The lockstep compares all of it; here they come one by one.
#[test]
fn what_changes_the_best_and_what_trades() {
    let mut lockstep = started(Design::Small, 1);
    let replace = |id, new, tick| Event {
        order_id: id,
        new_order_id: new,
        price: tick * WINDOW.tick,
        quantity: 5,
        ..Event::new(Kind::Replace, b'U')
    };
    let trade = Event {
        kind: Kind::Trade,
        ..buy(0, 0, MIDDLE)
    };
    let execute = |quantity, non_printable| Event {
        order_id: 1,
        quantity,
        non_printable,
        ..Event::new(Kind::Execute, b'C')
    };
    let frame = [
        buy(0, 1, MIDDLE - 1),
        buy(0, 2, MIDDLE),
        trade,
        replace(2, 3, MIDDLE - 2),
        replace(3, 4, MIDDLE - 3),
        execute(10, true),
        execute(10, false),
        execute(80, true),
    ];
    lockstep.frame(&frame, true, Spacing::Far);
    lockstep.frame(&frame, true, Spacing::Two);
    holds(&mut lockstep);
    assert_eq!(lockstep.stats.trades, 4);
}

/// What one rebuild has missed another that begins does not take away.
#[test]
fn two_rebuilds_at_once_forget_nothing() {
    let mut lockstep = started(Design::Small, 2);
    lockstep.clear(0);
    lockstep.wait();
    lockstep.frame(&[delete(77)], true, Spacing::Far);
    let missed = lockstep.sequence();
    lockstep.clear(1);
    lockstep.wait();
    assert!(!lockstep.make_tradable(0, missed));
    assert!(lockstep.make_tradable(0, missed + 1));
    holds(&mut lockstep);
}

/// Orders are put in while events of other instruments come 2 cycles apart, in good frames and bad ones, and some of this one, which are missed.
#[test]
fn an_instrument_is_rebuilt_while_the_feed_goes_on() {
    let mut lockstep = started(Design::Default, 3);
    let order = |id: u64| OrderView {
        id,
        instrument: 0,
        side: if id.is_multiple_of(2) {
            Side::Buy
        } else {
            Side::Sell
        },
        price: (MIDDLE + if id.is_multiple_of(2) { -1 } else { 1 } * (id as i64 % 40))
            * WINDOW.tick,
        quantity: 10 + id as u32,
    };
    lockstep.clear(0);
    let (mut restored, mut frames) = (0_u64, 0_u64);
    while restored < 200 && lockstep.failure().is_none() {
        if !lockstep.waits() {
            lockstep.restore(0, &order(1_000 + restored));
            restored += 1;
        }
        let base = 10_000 + 4 * frames;
        let frame = [
            buy(1, base, MIDDLE + (frames as i64 % 9)),
            buy(2, base + 1, MIDDLE - 3),
            buy(0, base + 2, MIDDLE),
            delete(base),
            delete(base + 1),
        ];
        // Some cycles without an event, so that the host is answered sooner.
        lockstep.frame(&frame, frames % 3 != 0, Spacing::Two);
        frames += 1;
    }
    lockstep.wait();
    assert_eq!(lockstep.stats.restored, 200);
    let next = lockstep.sequence() + 1;
    assert!(!lockstep.make_tradable(0, next - 4));
    assert!(lockstep.make_tradable(0, next));
    lockstep.show(0..3);
    lockstep.drain(0..3);
    lockstep.show(0..3);
    holds(&mut lockstep);
}

/// What the feed has said since the snapshot follows it, while the feed goes on.
#[test]
fn a_rebuild_catches_up_with_the_feed() {
    let mut lockstep = started(Design::Small, 2);
    let reduce = |id, quantity| Event {
        order_id: id,
        quantity,
        ..Event::new(Kind::Reduce, b'X')
    };
    lockstep.clear(0);
    lockstep.wait();
    let since = [
        buy(0, 1, MIDDLE),
        buy(0, 2, MIDDLE - 1),
        reduce(1, 40),
        buy(0, 3, MIDDLE + 1),
        delete(3),
        reduce(1, 60),
        delete(2),
        add(0, Side::Sell, 4, MIDDLE + 5, 7),
        reduce(4, 3),
    ];
    for (step, event) in since.iter().enumerate() {
        let event = Event {
            side: if event.order_id == 4 {
                Side::Sell
            } else {
                Side::Buy
            },
            ..*event
        };
        lockstep.restore_event(0, &event);
        let other = 100 + step as u64;
        lockstep.frame(
            &[buy(1, other, MIDDLE), buy(0, 50, MIDDLE)],
            true,
            Spacing::Two,
        );
        assert!(lockstep.wait());
        lockstep.settle();
    }
    let next = lockstep.sequence() + 1;
    assert!(
        !lockstep.make_tradable(0, next - 1),
        "the last message is not in it"
    );
    assert!(lockstep.make_tradable(0, next));
    lockstep.show(0..2);
    holds(&mut lockstep);
    assert_eq!(lockstep.stats.restored, since.len() as u64);
    assert_eq!(lockstep.book().levels(0, Side::Sell).count(), 1);

    // What cannot be ends the rebuild: the instrument is untradable, and has to be cleared again.
    for wrong in [delete(9), reduce(4, 5), reduce(4, 0)] {
        lockstep.clear(0);
        lockstep.wait();
        lockstep.restore_event(0, &add(0, Side::Sell, 4, MIDDLE + 5, 4));
        assert!(lockstep.wait());
        lockstep.settle();
        lockstep.restore_event(
            0,
            &Event {
                side: Side::Sell,
                ..wrong
            },
        );
        lockstep.wait();
        lockstep.settle();
        let next = lockstep.sequence() + 1;
        assert!(!lockstep.make_tradable(0, next));
        holds(&mut lockstep);
    }
}

/// A snapshot of before the book was cleared is refused, even if nothing was missed since.
#[test]
fn a_rebuild_must_reach_what_came_before_the_book_was_cleared() {
    let mut lockstep = started(Design::Small, 2);
    lockstep.frame(&[buy(0, 1, MIDDLE), buy(1, 2, MIDDLE)], true, Spacing::Two);
    lockstep.clear(0);
    lockstep.wait();
    let next = lockstep.sequence() + 1;
    assert!(!lockstep.make_tradable(0, next - 1));
    assert!(lockstep.make_tradable(0, next));
    // In a new session before its first message, too.
    lockstep.session(1_000);
    lockstep.clear(1);
    lockstep.wait();
    assert!(!lockstep.make_tradable(1, 999));
    assert!(lockstep.make_tradable(1, 1_000));
    holds(&mut lockstep);
}

/// Best levels far apart, each in a word of the bitmap of its own and at both ends of the window, deleted as fast as they may be and put back by bad
/// frames: what is left is found again.
#[test]
fn lines_are_filled_up_across_the_whole_window() {
    for (apart, spacing) in [
        (1, Spacing::Two),
        (130, Spacing::Two),
        (130, Spacing::Burst),
        (341, Spacing::Far),
    ] {
        let mut lockstep = started(Design::Default, 1);
        let orders = |side| {
            (0..24).map(move |place| {
                let (id, tick) = match side {
                    Side::Buy => (place, WINDOW.low + 8_189 - apart * place),
                    Side::Sell => (100 + place, WINDOW.low + apart * place),
                };
                add(0, side, id as u64, tick, 5)
            })
        };
        let frame: Vec<_> = orders(Side::Buy).chain(orders(Side::Sell)).collect();
        // Buy is at the window's upper end, sell at its lower: a crossed book is no fault.
        lockstep.frame(&frame, true, Spacing::Two);
        lockstep.show(0..1);
        for best in (0..24).step_by(8) {
            let gone: Vec<_> = (best..best + 8)
                .flat_map(|id| [delete(id), delete(100 + id)])
                .collect();
            lockstep.frame(&gone, false, spacing);
            lockstep.frame(&gone, true, spacing);
            if best == 8 {
                lockstep.show(0..1);
            }
        }
        lockstep.show(0..1);
        holds(&mut lockstep);
        assert_eq!(lockstep.book().orders(), 0);
    }
}
