//! Both sides over loopback.

use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use arbiter::{Arbiter, Config, Delivery, Event, Mode, Output, Protocol, Sink, Window};
use feed::recovery::{History, Recovery, Server, Settings};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::recovery::consumer::{Consumer, END, SESSION, packet, request};

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
        tail: 1_000_000,
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
