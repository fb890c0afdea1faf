//! Recovery: the state machine against random feeds and hostile answers, and both sides over loopback with losses everywhere.

use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use feed::arbiter::{Arbiter, Config, Delivery, Event, Mode, Output, Protocol, Sink, Window};
use feed::recovery::{History, Outlet, Recovery, Refusal, Server, Settings};
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const SESSION: &[u8; 10] = b"DAY       ";
const END: u16 = 0xffff;

fn text(number: u64) -> String {
    format!("message {number}")
}

/// A packet, its bytes put together here, not by the code under test.
fn packet_of(session: &[u8; 10], number: u64, count: u16) -> Vec<u8> {
    let mut packet = session.to_vec();
    packet.extend(number.to_be_bytes());
    packet.extend(count.to_be_bytes());
    let messages = if count == END { 0 } else { u64::from(count) };
    for number in (0..messages).map(|index| number.wrapping_add(index)) {
        packet.extend((text(number).len() as u16).to_be_bytes());
        packet.extend(text(number).bytes());
    }
    packet
}

fn packet(number: u64, count: u16) -> Vec<u8> {
    packet_of(SESSION, number, count)
}

/// A consumer that wants completeness; it checks that nothing is missing, repeated or out of place.
#[derive(Default)]
struct Consumer {
    next: Option<u64>,
    messages: u64,
    lost: Vec<(u64, u64)>,
    requests: Vec<Vec<u8>>,
    ended: bool,
}

impl Outlet for Consumer {
    fn packet(&mut self, payload: &[u8]) {
        let number = u64::from_be_bytes(payload[10..18].try_into().unwrap());
        let count = u16::from_be_bytes(payload[18..20].try_into().unwrap());
        assert_eq!(payload, packet(number, count), "not a byte is different");
        assert_eq!(self.next.unwrap_or(number), number, "in its place");
        let messages = if count == END { 0 } else { u64::from(count) };
        self.ended |= count == END;
        self.messages += messages;
        self.next = Some(number + messages);
    }

    fn lost(&mut self, from: u64, to: u64) {
        assert_eq!(self.next, Some(from));
        assert!(from < to);
        self.next = Some(to);
        self.lost.push((from, to));
    }

    fn request(&mut self, request: &[u8; 20]) {
        self.requests.push(request.to_vec());
    }
}

const QUICK: Settings = Settings {
    timeout: 100,
    tries: 3,
    hold: 4,
};

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

fn request(session: &[u8; 10], number: u64, count: u16) -> Vec<u8> {
    [&session[..], &number.to_be_bytes(), &count.to_be_bytes()].concat()
}

#[test]
fn the_history_answers_what_it_has_and_no_more_than_a_frame() {
    let mut history = History::new(10_000);
    for number in 0..100 {
        history.record(&packet(1 + 3 * number, 3));
        history.record(&packet(4 + 3 * number, 0));
    }
    assert_eq!(
        history.answer(&request(SESSION, 7, 2)).unwrap(),
        packet(7, 2)
    );
    assert_eq!(
        history.answer(&request(SESSION, 300, 50)).unwrap(),
        packet(300, 1)
    );
    let most = history.answer(&request(SESSION, 1, 0xffff)).unwrap();
    assert!((1_440..=1_472).contains(&most.len()), "{}", most.len());
    let mut refused = |request: &[u8]| history.answer(request).unwrap_err();
    assert_eq!(refused(&request(SESSION, 301, 1)), Refusal::Unavailable);
    assert_eq!(refused(&request(SESSION, 0, 1)), Refusal::Unavailable);
    assert_eq!(
        refused(&request(SESSION, u64::MAX, 1)),
        Refusal::Unavailable
    );
    assert_eq!(
        refused(&request(b"NIGHT     ", 7, 1)),
        Refusal::OtherSession
    );
    assert_eq!(refused(&request(SESSION, 7, 0)), Refusal::Malformed);
    assert_eq!(refused(&request(SESSION, 7, 1)[..19]), Refusal::Malformed);
    assert_eq!(refused(&[0; 21]), Refusal::Malformed);
}

#[test]
fn the_history_forgets_the_oldest_and_other_sessions() {
    let mut history = History::new(110);
    for number in 1..=100 {
        history.record(&packet(number, 1));
    }
    assert_eq!(history.len(), 10, "of 10 to 11 bytes each");
    assert!(history.answer(&request(SESSION, 91, 1)).is_ok());
    assert_eq!(
        history.answer(&request(SESSION, 90, 1)),
        Err(Refusal::Unavailable)
    );
    history.record(b"no packet");
    assert_eq!(history.len(), 10);
    history.record(&packet_of(b"NIGHT     ", 1, 1));
    assert_eq!((history.len(), history.is_empty()), (1, false));
    assert_eq!(
        history.answer(&request(SESSION, 100, 1)),
        Err(Refusal::OtherSession)
    );
}

proptest! {
    /// The consumer's own checks: in place, unchanged, nothing twice; what is missing was told.
    #[test]
    fn whatever_is_lost_answered_or_made_up_everything_is_given_or_told(
        seed in any::<u64>(),
        loss in 0.0..0.6,
        answer_loss in 0.0..1.0,
        hold in 1_usize..50,
        bound in 100_usize..5_000,
    ) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut recovery = Recovery::new(Settings { timeout: 50, tries: 3, hold });
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

    #[test]
    fn no_request_makes_the_history_panic(requests in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 50)) {
        let mut history = History::new(1_000);
        history.record(&packet(u64::MAX - 1, 1));
        for request in requests {
            let _ = history.answer(&request);
        }
        prop_assert!(history.answer(&request(SESSION, u64::MAX - 1, 0xffff)).is_ok());
    }
}

/// The arbiter's high-reliability output into a recovery.
struct Behind<'a> {
    recovery: &'a mut Recovery,
    consumer: &'a mut Consumer,
    now: u64,
    gaps: &'a mut u64,
}

impl Sink for Behind<'_> {
    fn packet(&mut self, delivery: Delivery<'_>) {
        if delivery.output == Output::HighReliability {
            self.recovery
                .packet(delivery.payload, self.now, self.consumer);
        }
    }

    fn event(&mut self, event: Event) {
        let high = Output::HighReliability;
        *self.gaps += u64::from(matches!(event, Event::Gap { output, .. } if output == high));
    }
}

#[test]
fn over_loopback_what_both_lines_lost_comes_back_though_answers_are_lost() {
    const PACKETS: u64 = 3_000;
    let history = Arc::new(Mutex::new(History::new(1 << 20)));
    let server = Server::open(&"127.0.0.1:0".parse().unwrap(), history.clone()).unwrap();
    let address = server.local_address().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let serving = {
        let stop = stop.clone();
        std::thread::spawn(move || server.serve(&stop).unwrap())
    };
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(address).unwrap();
    socket.set_nonblocking(true).unwrap();
    // Some that no client would send.
    for hostile in [
        &b"short"[..],
        &request(b"NIGHT     ", 1, 1),
        &request(SESSION, 1, 0),
        &[0; 60],
    ] {
        socket.send(hostile).unwrap();
    }

    let mut random = ChaCha8Rng::seed_from_u64(3);
    let settings = Settings {
        timeout: 5_000_000,
        tries: 20,
        hold: 100_000,
    };
    let (mut recovery, mut consumer) = (Recovery::new(settings), Consumer::default());
    let mut arbiter = Arbiter::new(Config {
        window: Window {
            mode: Mode::Count,
            time: 0,
            count: 8,
        },
        ..Config::new(Protocol::MOLD_UDP64)
    })
    .unwrap();
    let (began, mut number, mut gaps, mut dropped) = (Instant::now(), 1, 0, 0);
    let mut sent_requests = 0;
    for index in 0.. {
        let now = began.elapsed().as_nanos() as u64;
        assert!(now < 60_000_000_000, "it takes for ever");
        if index < PACKETS {
            let last = index + 1 == PACKETS;
            let count = if last { END } else { 1 + (index % 3) as u16 };
            let sent = packet(number, count);
            history.lock().unwrap().record(&sent);
            number += if last { 0 } else { u64::from(count) };
            for line in 0..2 {
                if index == 0 || last || random.random_bool(0.8) {
                    let mut behind = Behind {
                        recovery: &mut recovery,
                        consumer: &mut consumer,
                        now,
                        gaps: &mut gaps,
                    };
                    arbiter.push(line, now, &sent, true, &mut behind);
                }
            }
        } else if consumer.ended {
            break;
        } else {
            std::thread::sleep(Duration::from_micros(100));
        }
        recovery.poll(now, &mut consumer);
        for request in &consumer.requests[sent_requests..] {
            socket.send(request).unwrap();
        }
        sent_requests = consumer.requests.len();
        let mut buffer = [0; 2_000];
        while let Ok(length) = socket.recv(&mut buffer) {
            if random.random_bool(0.2) {
                dropped += 1;
            } else {
                recovery.answer(&buffer[..length], now, &mut consumer);
            }
        }
    }
    stop.store(true, Ordering::Relaxed);
    let served = serving.join().unwrap();
    assert!(gaps > 80, "{gaps} gaps: a 25th of 3,000");
    assert!(dropped > 5);
    assert_eq!(
        (consumer.next, consumer.messages),
        (Some(number), number - 1)
    );
    assert_eq!(consumer.lost, []);
    let counters = recovery.counters();
    assert_eq!(counters.recovered, arbiter.counters().high_reliability.lost);
    assert!(counters.repeat >= dropped);
    assert_eq!((served.malformed, served.other_session), (3, 1));
    assert_eq!(served.answered + 4, served.request);
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

#[test]
fn a_history_whose_numbers_do_not_follow_begins_anew() {
    let mut history = History::new(1_000);
    history.record(&packet(1, 3));
    history.record(&packet(10, 2));
    assert_eq!(history.len(), 2);
    assert_eq!(
        history.answer(&request(SESSION, 4, 1)),
        Err(Refusal::Unavailable)
    );
    assert_eq!(
        history.answer(&request(SESSION, 11, 9)).unwrap(),
        packet(11, 1)
    );
}
