//! Stop orders against the rule in one line, and slots against what `rtl/strategy/stops/stop_orders.sv` says of them.

use formats::Side;
use proptest::prelude::*;
use strategy::stops::{Answer, State, Stops, Watch};

const fn watch(instrument: u32, side: Side, trigger: i64) -> Watch {
    Watch {
        instrument,
        side,
        trigger,
    }
}

const fn done(previous: State) -> Answer {
    let done = true;
    Answer { done, previous }
}

const fn refused(previous: State) -> Answer {
    let done = false;
    Answer { done, previous }
}

/// What a price fires, in the order in which it leaves.
fn fired(stops: &mut Stops<u64>, instrument: u32, last: i64) -> Vec<usize> {
    stops.price(instrument, last);
    std::iter::from_fn(|| stops.leave())
        .map(|(slot, _)| slot)
        .collect()
}

#[test]
fn a_sell_fires_at_or_below_its_trigger_and_a_buy_at_or_above_once() {
    let mut stops = Stops::default();
    let sell = stops.add(watch(0, Side::Sell, 950), 1).unwrap();
    let buy = stops.add(watch(0, Side::Buy, 1_050), 2).unwrap();
    let other = stops.add(watch(3, Side::Sell, 950), 3).unwrap();
    assert!(fired(&mut stops, 0, 951).is_empty());
    assert!(fired(&mut stops, 0, 1_049).is_empty());
    let unknown = fired(&mut stops, 9, 950);
    assert!(unknown.is_empty(), "of an instrument nobody named");
    assert_eq!(fired(&mut stops, 0, 950), [sell]);
    assert!(fired(&mut stops, 0, 900).is_empty(), "it was sent already");
    assert_eq!(fired(&mut stops, 0, 1_050), [buy]);
    assert_eq!(fired(&mut stops, 3, i64::MIN), [other]);
    assert_eq!(stops.armed(), 0);
}

/// docs/reference/rules.md, Orders: the nearest trigger is in slot 3, the farthest in slot 0.
#[test]
fn those_that_one_price_fires_leave_lowest_slot_first_whatever_their_triggers() {
    let mut stops = Stops::default();
    stops.set(3, watch(0, Side::Sell, 950), 0);
    stops.set(1, watch(0, Side::Buy, 800), 0);
    stops.set(2, watch(0, Side::Sell, 940), 0);
    stops.set(0, watch(0, Side::Sell, 900), 0);
    assert_eq!(fired(&mut stops, 0, 899), [0, 1, 2, 3]);
}

#[test]
fn those_of_a_price_leave_before_those_of_the_next() {
    let mut stops = Stops::default();
    for (slot, trigger) in [(0, 90), (1, 100), (2, 90), (3, 100)] {
        stops.set(slot, watch(0, Side::Sell, trigger), 0);
    }
    stops.price(0, 100);
    stops.price(0, 90);
    let order: Vec<_> = std::iter::from_fn(|| stops.leave()).collect();
    assert_eq!(order, [(1, 0), (3, 0), (0, 0), (2, 0)]);
}

#[test]
fn a_slot_takes_a_stop_only_while_it_is_empty_or_its_order_left() {
    let mut stops = Stops::with_slots(2);
    let (near, far) = (watch(0, Side::Buy, 10), watch(0, Side::Buy, 20));
    assert_eq!(stops.change(0, near, 1), refused(State::Empty));
    assert_eq!(stops.cancel(0), refused(State::Empty));
    assert_eq!(stops.set(0, far, 1), done(State::Empty));
    assert_eq!(stops.set(0, near, 2), refused(State::Armed));
    assert_eq!(stops.change(0, near, 3), done(State::Armed));
    assert_eq!(stops.armed(), 1);
    stops.price(0, 10);
    // It fired; until its order left, nothing may be done to its slot.
    assert_eq!((stops.firing(), stops.armed()), (Some((0, &3)), 0));
    assert_eq!(stops.set(0, near, 4), refused(State::Firing));
    assert_eq!(stops.change(0, near, 4), refused(State::Firing));
    assert_eq!(stops.cancel(0), refused(State::Firing));
    assert_eq!(stops.leave(), Some((0, 3)));
    assert_eq!(stops.change(0, near, 4), refused(State::Fired));
    assert_eq!(stops.cancel(0), refused(State::Fired));
    assert_eq!(stops.set(0, far, 5), done(State::Fired));
    assert_eq!(stops.cancel(0), done(State::Armed));
    assert_eq!(stops.state(0), State::Empty);
    assert!(fired(&mut stops, 0, i64::MAX).is_empty());
    assert_eq!(
        stops.set(2, near, 6),
        refused(State::Empty),
        "there are two"
    );
}

#[test]
fn a_stop_is_put_into_the_lowest_slot_that_takes_one() {
    let mut stops = Stops::with_slots(3);
    assert_eq!(stops.set(1, watch(0, Side::Buy, 10), 0), done(State::Empty));
    assert_eq!(stops.add(watch(0, Side::Buy, 10), 0), Some(0));
    assert_eq!(stops.add(watch(0, Side::Buy, 20), 0), Some(2));
    assert_eq!(stops.add(watch(0, Side::Buy, 10), 0), None);
    stops.price(0, 10);
    assert_eq!(stops.free_slot(), None, "both are firing");
    stops.leave();
    assert_eq!(stops.free_slot(), Some(0));
    let waiting: Vec<_> = stops
        .waiting()
        .map(|(slot, watch, _)| (slot, watch.trigger))
        .collect();
    assert_eq!(waiting, [(2, 20)]);
}

/// A slot as the comment of `stop_orders.sv` says it, one comparison after another.
#[derive(Clone, Copy, Default)]
struct Naive {
    state: State,
    watch: Watch,
}

proptest! {
    /// Sets, changes, cancels, prices and departures in any order: what comes out is what comparing every slot with every price gives.
    #[test]
    fn it_is_what_comparing_all_of_them_gives(
        quarters in any::<bool>(),
        steps in prop::collection::vec((0..8_u8, 0..6_u32, -5..5_i64, 0..8_usize), 0..200),
    ) {
        let mut stops = if quarters { Stops::with_quarters(2) } else { Stops::with_slots(8) };
        let mut naive = [Naive::default(); 8];
        let mut firing = std::collections::VecDeque::new();
        for (what, instrument, price, slot) in steps {
            let side = if price % 2 == 0 { Side::Buy } else { Side::Sell };
            let watch = watch(instrument, side, price);
            let previous = naive[slot].state;
            match what {
                0 | 1 => {
                    let takes = matches!(previous, State::Empty | State::Fired);
                    prop_assert_eq!(stops.set(slot, watch, slot), Answer { done: takes, previous });
                    if takes {
                        naive[slot] = Naive { state: State::Armed, watch };
                    }
                }
                2 => {
                    let takes = previous == State::Armed;
                    prop_assert_eq!(stops.change(slot, watch, slot), Answer { done: takes, previous });
                    if takes {
                        naive[slot].watch = watch;
                    }
                }
                3 => {
                    let takes = previous == State::Armed;
                    prop_assert_eq!(stops.cancel(slot), Answer { done: takes, previous });
                    if takes {
                        naive[slot].state = State::Empty;
                    }
                }
                4 | 5 => {
                    stops.price(instrument, price);
                    // A quarter is two slots; the instrument's is the first to be looked at, then those whose number differs from it by 1, 2, 3 (XOR).
                    let first = if quarters { instrument as usize % 4 } else { 0 };
                    let turns = (0..4).flat_map(|turn| [(turn ^ first) * 2, (turn ^ first) * 2 + 1]);
                    for index in turns {
                        let slot = &mut naive[index];
                        let watch = slot.watch;
                        let reached = match watch.side {
                            Side::Buy => price >= watch.trigger,
                            Side::Sell => price <= watch.trigger,
                        };
                        if slot.state == State::Armed && watch.instrument == instrument && reached {
                            slot.state = State::Firing;
                            firing.push_back(index);
                        }
                    }
                }
                _ => {
                    let expected = firing.pop_front();
                    prop_assert_eq!(stops.firing(), expected.as_ref().map(|slot| (*slot, slot)));
                    prop_assert_eq!(stops.leave(), expected.map(|slot| (slot, slot)));
                    if let Some(slot) = expected {
                        naive[slot].state = State::Fired;
                    }
                }
            }
            let states: Vec<_> = (0..8).map(|slot| stops.state(slot)).collect();
            prop_assert_eq!(states, naive.map(|slot| slot.state));
            let armed = naive.iter().filter(|slot| slot.state == State::Armed).count();
            prop_assert_eq!(stops.armed(), armed);
            let takes = |slot: &Naive| matches!(slot.state, State::Empty | State::Fired);
            prop_assert_eq!(stops.free_slot(), naive.iter().position(takes));
        }
    }
}
