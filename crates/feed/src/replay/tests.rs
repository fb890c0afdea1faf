use super::*;
use crate::Packet;
use proptest::prelude::*;
use std::collections::HashMap;

/// Packets whose payload is their index, `gap` nanoseconds apart.
struct Numbered {
    count: u32,
    next: u32,
    gap: u64,
    payload: [u8; 4],
}

fn numbered(count: u32, gap: u64) -> Numbered {
    Numbered {
        count,
        next: 0,
        gap,
        payload: [0; 4],
    }
}

impl PacketSource for Numbered {
    fn next_packet(&mut self) -> Result<Option<Packet<'_>>, SourceError> {
        if self.next == self.count {
            return Ok(None);
        }
        let time = 1_000 + u64::from(self.next) * self.gap;
        self.payload = self.next.to_be_bytes();
        self.next += 1;
        Ok(Some(Packet {
            time,
            payload: &self.payload,
        }))
    }

    fn position(&self) -> (u64, Option<u64>) {
        (self.next.into(), Some(self.count.into()))
    }
}

/// A clock that jumps to the time waited for.
#[derive(Default)]
struct Jumping(std::rc::Rc<std::cell::Cell<u64>>);

impl Clock for Jumping {
    fn now(&self) -> u64 {
        self.0.get()
    }

    fn wait(&mut self, until: u64) {
        self.0.set(until);
    }
}

/// Time, line and index of everything sent.
fn sent(count: u32, gap: u64, pace: Pace, lines: &[Line]) -> (Vec<(u64, usize, u32)>, Progress) {
    let mut clock = Jumping::default();
    let now = clock.0.clone();
    let mut all = Vec::new();
    let progress = run(
        &mut numbered(count, gap),
        pace,
        lines,
        &mut clock,
        |line, payload| {
            all.push((
                now.get(),
                line,
                u32::from_be_bytes(payload.try_into().unwrap()),
            ));
            Ok(())
        },
        |_| ControlFlow::Continue(()),
    )
    .unwrap();
    (all, progress)
}

#[test]
fn packets_leave_at_their_times_divided_by_the_factor() {
    let (all, _) = sent(4, 800, Pace::Factor(8.0), &[Line::default()]);
    assert_eq!(all, [(0, 0, 0), (100, 0, 1), (200, 0, 2), (300, 0, 3)]);
}

#[test]
fn a_gigabit_line_takes_672_nanoseconds_for_the_smallest_frame() {
    let (all, _) = sent(3, 0, Pace::LineRate(1e9), &[Line::default()]);
    assert_eq!(all, [(0, 0, 0), (672, 0, 1), (1_344, 0, 2)]);
}

#[test]
fn line_b_runs_behind_line_a_by_its_delay() {
    let lines = [
        Line::default(),
        Line {
            delay: Duration::from_nanos(150),
            ..Line::default()
        },
    ];
    let (all, _) = sent(3, 100, Pace::Factor(1.0), &lines);
    let expected = [
        (0, 0, 0),
        (100, 0, 1),
        (150, 1, 0),
        (200, 0, 2),
        (250, 1, 1),
        (350, 1, 2),
    ];
    assert_eq!(all, expected);
}

#[test]
fn unpaced_packets_wait_for_nothing_but_keep_the_skew_as_order() {
    let lines = [
        Line::default(),
        Line {
            delay: Duration::from_nanos(150),
            ..Line::default()
        },
    ];
    let (all, _) = sent(3, 100, Pace::Unpaced, &lines);
    assert_eq!(
        all,
        [
            (0, 0, 0),
            (0, 0, 1),
            (0, 1, 0),
            (0, 0, 2),
            (0, 1, 1),
            (0, 1, 2)
        ]
    );
}

#[test]
fn a_held_packet_is_passed_by_exactly_the_distance() {
    let impairment = Impairment {
        reordering: 1.0,
        distance: 2,
        ..Impairment::default()
    };
    let (all, progress) = sent(
        6,
        1,
        Pace::Unpaced,
        &[Line {
            impairment,
            ..Line::default()
        }],
    );
    let order: Vec<_> = all.iter().map(|(_, _, index)| *index).collect();
    assert_eq!(order, [1, 2, 0, 4, 5, 3]);
    assert_eq!(progress.lines[0].reordered, 2);
}

#[test]
fn a_progress_callback_ends_a_long_wait() {
    let mut calls = 0;
    let progress = run(
        &mut numbered(2, 3_600_000_000_000),
        Pace::Factor(1.0),
        &[Line::default()],
        &mut SystemClock::default(),
        |_, _| Ok(()),
        |_| {
            calls += 1;
            if calls < 2 {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        },
    )
    .unwrap();
    assert_eq!(progress.lines[0].sent, 1);
}

#[test]
fn paces_and_probabilities_out_of_bounds_are_refused() {
    let attempt = |pace, loss| {
        let line = Line {
            impairment: Impairment {
                loss,
                ..Impairment::default()
            },
            ..Line::default()
        };
        run(
            &mut numbered(1, 1),
            pace,
            &[line],
            &mut Jumping::default(),
            |_, _| Ok(()),
            |_| ControlFlow::Continue(()),
        )
    };
    assert!(matches!(
        attempt(Pace::Factor(0.0), 0.0),
        Err(ReplayError::Pace)
    ));
    assert!(matches!(
        attempt(Pace::LineRate(f64::NAN), 0.0),
        Err(ReplayError::Pace)
    ));
    assert!(matches!(
        attempt(Pace::Unpaced, 1.5),
        Err(ReplayError::Probability(0))
    ));
    assert!(attempt(Pace::Unpaced, 1.0).is_ok());
}

proptest! {
    #[test]
    fn counters_tell_exactly_what_was_lost_duplicated_and_reordered(
        loss in 0.0..0.5, duplication in 0.0..0.5, reordering in 0.0..0.5, distance in 0_u32..6, seed: u64, count in 0_u32..300,
    ) {
        let impairment = Impairment { loss, duplication, reordering, distance, seed };
        let line = Line { impairment, ..Line::default() };
        let (all, progress) = sent(count, 1, Pace::Unpaced, &[line]);
        let counters = progress.lines[0];
        let mut times = HashMap::new();
        for (_, _, index) in &all {
            *times.entry(*index).or_insert(0_u64) += 1;
        }
        prop_assert_eq!(counters.offered, u64::from(count));
        prop_assert_eq!(counters.sent, all.len() as u64);
        prop_assert_eq!(counters.bytes, 4 * all.len() as u64);
        prop_assert_eq!(counters.lost, u64::from(count) - times.len() as u64);
        prop_assert_eq!(counters.duplicated, times.values().filter(|n| **n == 2).count() as u64);
        let mut highest = None;
        let late = all.iter().filter(|(_, _, index)| {
            let behind = highest.is_some_and(|highest| *index < highest);
            highest = highest.max(Some(*index));
            behind
        }).count() as u64;
        prop_assert_eq!(counters.reordered, late);
        prop_assert_eq!(sent(count, 1, Pace::Unpaced, &[line]).0, all);
    }
}
