//! Gaps: requested, filled in their place, or given up and reported.

use feed::recovery::{History, Outlet, Recovery, Settings};
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::recovery::consumer::{Consumer, END, QUICK, SESSION, packet, packet_of, request};

#[test]
fn a_gap_is_asked_for_and_filled_in_its_place() {
    let (mut recovery, mut consumer) = (Recovery::new(QUICK), Consumer::default());
    recovery.packet(&packet(1, 2), 0, &mut consumer);
    recovery.packet(&packet(6, 1), 5, &mut consumer);
    assert_eq!(consumer.next, Some(3), "what is behind the gap waits");
    // Session, first number, how many: as the specification says.
    assert_eq!(
        consumer.requests,
        [[&SESSION[..], &[0, 0, 0, 0, 0, 0, 0, 3, 0, 3]].concat()]
    );
    recovery.answer(&packet(3, 2), 10, &mut consumer);
    assert_eq!(consumer.next, Some(5));
    assert_eq!(
        consumer.requests[1][10..],
        [0, 0, 0, 0, 0, 0, 0, 5, 0, 1],
        "for the rest"
    );
    recovery.answer(&packet(5, 1), 11, &mut consumer);
    assert_eq!((consumer.next, recovery.deadline()), (Some(7), None));
    let counters = recovery.counters();
    assert_eq!((counters.gap, counters.request, counters.answer), (1, 2, 2));
    assert_eq!(
        (counters.recovered, counters.lost, counters.repeat),
        (3, 0, 0)
    );
}

#[test]
fn an_answer_that_overlaps_is_cut_to_what_is_missing() {
    let (mut recovery, mut consumer) = (Recovery::new(QUICK), Consumer::default());
    recovery.packet(&packet(10, 2), 0, &mut consumer);
    recovery.packet(&packet(14, 1), 0, &mut consumer);
    recovery.answer(&packet(8, 20), 1, &mut consumer);
    assert_eq!(
        (consumer.next, recovery.counters().recovered),
        (Some(15), 2)
    );
}

#[test]
fn no_answer_is_asked_for_again_and_in_the_end_given_up_and_told() {
    let (mut recovery, mut consumer) = (Recovery::new(QUICK), Consumer::default());
    recovery.packet(&packet(1, 1), 0, &mut consumer);
    recovery.packet(&packet(5, 1), 0, &mut consumer);
    recovery.packet(&packet(8, 1), 50, &mut consumer);
    for (now, requests) in [(99, 1), (100, 2), (199, 2), (200, 3)] {
        recovery.poll(now, &mut consumer);
        assert_eq!(consumer.requests.len(), requests, "at {now}");
    }
    assert_eq!(recovery.deadline(), Some(300));
    recovery.poll(300, &mut consumer);
    assert_eq!(
        (consumer.next, &consumer.lost[..]),
        (Some(6), &[(2, 5)][..])
    );
    assert_eq!(consumer.requests.len(), 4, "the next gap has its turn");
    recovery.answer(&packet(6, 2), 301, &mut consumer);
    assert_eq!((consumer.next, recovery.counters().lost), (Some(9), 3));
}

#[test]
fn what_is_held_is_bounded() {
    let (mut recovery, mut consumer) = (Recovery::new(QUICK), Consumer::default());
    recovery.packet(&packet(1, 1), 0, &mut consumer);
    for number in 3..7 {
        recovery.packet(&packet(number, 1), 0, &mut consumer);
    }
    assert_eq!(consumer.next, Some(2));
    recovery.packet(&packet(7, 1), 0, &mut consumer);
    assert_eq!(
        (consumer.next, &consumer.lost[..]),
        (Some(8), &[(2, 3)][..])
    );
}

#[test]
fn another_session_gives_up_the_old_one_and_hostile_answers_change_nothing() {
    let (mut recovery, mut consumer) = (Recovery::new(QUICK), Consumer::default());
    recovery.packet(&packet(1, 1), 0, &mut consumer);
    recovery.answer(&packet(2, 1), 0, &mut consumer);
    recovery.packet(&packet(4, 1), 0, &mut consumer);
    for hostile in [
        &packet(4, 1)[..],
        &packet(1, 1),
        &packet(2, 0),
        &packet(2, END),
        &packet(u64::MAX, 1),
        &packet_of(b"NIGHT     ", 2, 2),
        &packet(2, 2)[..25],
        &packet(2, 2)[..19],
        &[],
    ] {
        recovery.answer(hostile, 1, &mut consumer);
        assert_eq!(consumer.next, Some(2));
    }
    let counters = recovery.counters();
    assert_eq!(
        (counters.unasked, counters.other_session, counters.malformed),
        (6, 1, 3)
    );
    assert_eq!((counters.answer, counters.recovered), (0, 0));
    recovery.abandon(&mut consumer);
    assert_eq!(
        (consumer.next, &consumer.lost[..]),
        (Some(5), &[(2, 4)][..])
    );
}

#[test]
fn a_jump_of_billions_is_a_new_beginning_not_a_gap() {
    let (mut recovery, mut consumer) = (Recovery::new(QUICK), Consumer::default());
    recovery.packet(&packet(1, 1), 0, &mut consumer);
    consumer.next = None;
    recovery.packet(&packet(5_000_000_000, 1), 0, &mut consumer);
    assert_eq!(
        (consumer.next, consumer.requests.len()),
        (Some(5_000_000_001), 0)
    );
    consumer.next = None;
    recovery.packet(&packet(7, 1), 0, &mut consumer);
    assert_eq!(consumer.next, Some(8));
}

#[test]
fn a_gap_longer_than_a_request_may_name_is_asked_for_in_parts() {
    let (mut recovery, mut consumer) = (Recovery::new(QUICK), Consumer::default());
    recovery.packet(&packet(1, 1), 0, &mut consumer);
    recovery.packet(&packet(65_538, 1), 0, &mut consumer);
    // 65,536 are missing; 65,535 would be an end of session.
    assert_eq!(consumer.requests, [request(SESSION, 2, 65_534)]);
}

#[test]
fn a_new_session_while_a_gap_is_open_gives_it_up_and_begins() {
    let (mut recovery, mut consumer) = (Recovery::new(QUICK), Consumer::default());
    recovery.packet(&packet(1, 1), 0, &mut consumer);
    recovery.packet(&packet(3, 1), 0, &mut consumer);
    struct Begun<'a>(&'a mut Consumer, Vec<Vec<u8>>);
    impl Outlet for Begun<'_> {
        fn packet(&mut self, payload: &[u8]) {
            self.1.push(payload.to_vec());
        }
        fn lost(&mut self, from: u64, to: u64) {
            self.0.lost.push((from, to));
        }
        fn request(&mut self, _: &[u8; 20]) {
            panic!("nothing is asked for any more");
        }
    }
    let mut begun = Begun(&mut consumer, vec![]);
    let night = packet_of(b"NIGHT     ", 1, 2);
    recovery.packet(&night, 1, &mut begun);
    assert_eq!(begun.1, [packet(3, 1), night]);
    assert_eq!(
        (&consumer.lost[..], recovery.deadline()),
        (&[(2, 3)][..], None)
    );
}

proptest! {
    /// The consumer's own checks: in place, unchanged, nothing twice; what is missing was reported.
    #[test]
    fn whatever_is_lost_answered_or_made_up_everything_is_given_or_told(
        seed in any::<u64>(),
        loss in 0.0..0.6,
        answer_loss in 0.0..1.0,
        hold in 1_usize..50,
        bound in 100_usize..5_000,
    ) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut recovery = Recovery::new(Settings { timeout: 50, tries: 3, hold, tail: 20 });
        let (mut consumer, mut history) = (Consumer::default(), History::new(bound));
        let (mut number, mut asked) = (1, 0);
        let mut answers: Vec<Vec<u8>> = vec![];
        for now in 0..1_500 {
            let count = if now == 1_499 { END } else { random.random_range(0..5) };
            let sent = packet(number, count);
            history.record(&sent);
            number += if count == END { 0 } else { u64::from(count) };
            if now == 0 || now == 1_499 || !random.random_bool(loss) {
                recovery.packet(&sent, now, &mut consumer);
            }
            if random.random_bool(0.1) {
                recovery.heartbeat(&packet(number, 0), now);
            }
            recovery.poll(now, &mut consumer);
            while asked < consumer.requests.len() {
                if let Ok(answer) = history.answer(&consumer.requests[asked])
                    && !random.random_bool(answer_loss)
                {
                    answers.push(answer.to_vec());
                }
                asked += 1;
            }
            if random.random_bool(0.1) {
                answers.push(packet(random.random_range(0..number + 5), random.random_range(0..9)));
            }
            if random.random_bool(0.1) {
                answers.push((0..random.random_range(0..50)).map(|_| random.random()).collect());
            }
            if !answers.is_empty() && random.random_bool(0.5) {
                let answer = answers.swap_remove(random.random_range(0..answers.len()));
                recovery.answer(&answer, now, &mut consumer);
            }
        }
        recovery.abandon(&mut consumer);
        prop_assert!(consumer.ended);
        prop_assert_eq!(consumer.next, Some(number));
        let lost: u64 = consumer.lost.iter().map(|(from, to)| to - from).sum();
        prop_assert_eq!(consumer.messages + lost, number - 1);
        prop_assert_eq!(recovery.counters().lost, lost);
    }
}
