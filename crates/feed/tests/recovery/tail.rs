//! What was lost at the tail, with nothing after it but heartbeats.

use arbiter::{Arbiter, Config, Delivery, Event, Mode, Output, Protocol, Sink, Window};
use feed::recovery::Recovery;

use crate::recovery::consumer::{Consumer, END, QUICK, SESSION, packet, packet_of, request};

/// After message 1.
fn begun() -> (Recovery, Consumer) {
    let (mut recovery, mut consumer) = (Recovery::new(QUICK), Consumer::default());
    recovery.packet(&packet(1, 1), 0, &mut consumer);
    (recovery, consumer)
}

#[test]
fn what_a_heartbeat_announces_is_asked_for_when_the_window_is_over() {
    let (mut recovery, mut consumer) = begun();
    recovery.heartbeat(&packet(4, 0), 10);
    recovery.heartbeat(&packet(4, 0), 20);
    assert_eq!(recovery.deadline(), Some(10 + QUICK.tail));
    recovery.poll(39, &mut consumer);
    assert!(consumer.requests.is_empty());
    recovery.poll(40, &mut consumer);
    assert_eq!(consumer.requests, [request(SESSION, 2, 2)]);
    recovery.answer(&packet(2, 1), 50, &mut consumer);
    assert_eq!(consumer.requests[1..], [request(SESSION, 3, 1)]);
    // No more than was announced.
    recovery.answer(&packet(3, 2), 60, &mut consumer);
    assert_eq!((consumer.next, recovery.deadline()), (Some(4), None));
    let counters = recovery.counters();
    assert_eq!(
        (counters.gap, counters.request, counters.recovered),
        (1, 2, 2)
    );
    // The next one starts again.
    recovery.heartbeat(&packet(5, 0), 100);
    recovery.poll(130, &mut consumer);
    assert_eq!(consumer.requests[2..], [request(SESSION, 4, 1)]);
}

#[test]
fn what_comes_within_the_window_is_not_asked_for() {
    let (mut recovery, mut consumer) = begun();
    recovery.heartbeat(&packet(4, 0), 10);
    recovery.packet(&packet(2, 2), 39, &mut consumer);
    recovery.poll(40, &mut consumer);
    recovery.packet(&packet(4, 0), 41, &mut consumer);
    assert_eq!((consumer.next, consumer.requests.len()), (Some(4), 0));
    assert_eq!((recovery.deadline(), recovery.counters().gap), (None, 0));
}

#[test]
fn what_comes_behind_the_window_is_not_asked_for_again() {
    let (mut recovery, mut consumer) = begun();
    recovery.heartbeat(&packet(5, 0), 0);
    recovery.poll(30, &mut consumer);
    recovery.packet(&packet(2, 1), 31, &mut consumer);
    recovery.poll(130, &mut consumer);
    let asked = [request(SESSION, 2, 3), request(SESSION, 3, 2)];
    assert_eq!(consumer.requests, asked);
    // Only the last of them: a gap before it is left.
    recovery.packet(&packet(4, 1), 131, &mut consumer);
    recovery.answer(&packet(3, 2), 132, &mut consumer);
    assert_eq!((consumer.next, recovery.deadline()), (Some(5), None));
    assert_eq!(recovery.counters().recovered, 1);
    recovery.heartbeat(&packet(6, 0), 200);
    recovery.poll(230, &mut consumer);
    recovery.packet(&packet(5, 1), 231, &mut consumer);
    assert_eq!(recovery.deadline(), None, "all of it came after all");
}

#[test]
fn an_unanswered_tail_is_given_up_and_told() {
    let (mut recovery, mut consumer) = begun();
    recovery.heartbeat(&packet(4, 0), 0);
    for now in [30, 130, 230, 330] {
        recovery.poll(now, &mut consumer);
    }
    assert_eq!(consumer.requests.len(), 3);
    assert_eq!(
        (&consumer.lost[..], recovery.deadline()),
        (&[(2, 4)][..], None)
    );
    recovery.heartbeat(&packet(6, 0), 400);
    recovery.abandon(&mut consumer);
    assert_eq!(
        consumer.lost,
        [(2, 4), (4, 6)],
        "at the end it is lost, asked for or not"
    );
}

#[test]
fn a_gap_and_a_tail_behind_it_have_their_turns() {
    let (mut recovery, mut consumer) = begun();
    recovery.packet(&packet(3, 1), 0, &mut consumer);
    recovery.heartbeat(&packet(6, 0), 0);
    recovery.poll(30, &mut consumer);
    assert_eq!(consumer.requests, [request(SESSION, 2, 1)]);
    recovery.answer(&packet(2, 1), 31, &mut consumer);
    assert_eq!(consumer.requests[1..], [request(SESSION, 4, 2)]);
    recovery.answer(&packet(4, 2), 32, &mut consumer);
    assert_eq!((consumer.next, recovery.counters().gap), (Some(6), 2));
}

#[test]
fn heartbeats_that_announce_nothing_change_nothing() {
    let mut recovery = Recovery::new(QUICK);
    recovery.heartbeat(&packet(4, 0), 0);
    assert_eq!(recovery.deadline(), None, "nothing has begun");
    let (mut recovery, mut consumer) = begun();
    for heartbeat in [
        &packet(2, 0)[..],
        &packet(1, 0),
        &packet_of(b"NIGHT     ", 9, 0),
        &packet(2 + (1 << 20), 0),
        b"short",
    ] {
        recovery.heartbeat(heartbeat, 0);
        assert_eq!(recovery.deadline(), None);
    }
    recovery.heartbeat(&packet(9, 0), 0);
    recovery.packet(&packet_of(b"NIGHT     ", 1, 0), 1, &mut Ignored);
    assert_eq!(recovery.deadline(), None, "another session");
    recovery.poll(1_000, &mut consumer);
    assert!(consumer.requests.is_empty());
}

struct Ignored;

impl feed::recovery::Outlet for Ignored {
    fn packet(&mut self, _: &[u8]) {}
    fn lost(&mut self, _: u64, _: u64) {}
    fn request(&mut self, _: &[u8; 20]) {}
}

/// After an arbiter: packets of its high-reliability output, heartbeats of its low-latency output.
struct Behind {
    recovery: Recovery,
    consumer: Consumer,
    now: u64,
}

impl Sink for Behind {
    fn packet(&mut self, delivery: Delivery<'_>) {
        let heartbeat = delivery.count == 0 && !delivery.end_of_session;
        match delivery.output {
            Output::HighReliability => {
                self.recovery
                    .packet(delivery.payload, self.now, &mut self.consumer);
            }
            Output::LowLatency if heartbeat => self.recovery.heartbeat(delivery.payload, self.now),
            Output::LowLatency => {}
        }
    }

    fn event(&mut self, _: Event) {}
}

#[test]
fn behind_an_arbiter_nothing_is_asked_for_that_the_other_line_brings_within_the_window() {
    for (late, requests) in [(29, 0), (31, 1)] {
        let window = Window {
            mode: Mode::Time,
            time: QUICK.tail,
            count: 0,
        };
        let mut arbiter = Arbiter::new(Config {
            window,
            ..Config::new(Protocol::MOLD_UDP64)
        })
        .unwrap();
        let mut behind = Behind {
            recovery: Recovery::new(QUICK),
            consumer: Consumer::default(),
            now: 0,
        };
        // Line A loses 2 and 3, line B is late.
        for (line, now, number, count) in [
            (0, 0, 1, 1),
            (0, 10, 4, 0),
            (1, 10 + late, 2, 1),
            (1, 10 + late, 3, 1),
            (0, 90, 4, 0),
            (1, 91, 4, END),
        ] {
            for at in (behind.now..=now).filter(|at| at % 5 == 0) {
                behind.now = at;
                arbiter.poll(at, &mut behind);
                behind.recovery.poll(at, &mut behind.consumer);
            }
            behind.now = now;
            arbiter.push(line, now, &packet(number, count), true, &mut behind);
        }
        assert!(behind.consumer.ended);
        assert_eq!(behind.consumer.requests.len(), requests, "{late}");
    }
}
