//! All the way over real sockets: file, packets, lines A and B, kernel, pipeline, reports.

use std::io::Write;
use std::net::UdpSocket;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use feed::PacketSource;
use feed::generate::{Settings, generate, symbol};
use feed::packetize::{Config, Packetizer};
use feed::replay::{self, Line, Pace, SystemClock};
use feed::socket::{Endpoint, Input, Next, Receiver, Sender, SenderOptions, Wait};
use feed::source::{MessageReader, Options};
use formats::itch::Version;
use formats::mold;
use pipeline::Pipeline;
use tempfile::NamedTempFile;

const SECONDS: u32 = 12;

fn sample(version: Version) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    let mut bytes = vec![];
    let settings = Settings {
        version,
        symbols: 30,
        messages: 8_000,
        seconds: SECONDS,
        seed: 5,
    };
    generate(&settings, &mut bytes, |_| ()).unwrap();
    file.write_all(&bytes).unwrap();
    file
}

fn packets(file: &NamedTempFile) -> Packetizer<MessageReader> {
    let reader = MessageReader::open(file.path(), Options::default()).unwrap();
    Packetizer::new(reader, Config::coalescing(1_000_000))
}

fn pipeline(version: Version) -> Pipeline {
    // Seventeen symbols: a report of two parts.
    let symbols = (0..17).map(symbol).map(Some).collect();
    Pipeline::new(pipeline::Config {
        version,
        accumulate: false,
        symbols,
    })
    .unwrap()
}

/// Reports of a pipeline that is given the packets without any network.
fn direct(file: &NamedTempFile, version: Version) -> (Vec<Vec<u8>>, Pipeline) {
    let (mut source, mut pipeline, mut reports) = (packets(file), pipeline(version), vec![]);
    while let Some(packet) = source.next_packet().unwrap() {
        if pipeline.datagram(packet.payload).report_due {
            reports.extend(pipeline.report().unwrap().map(<[u8]>::to_vec));
        }
    }
    (reports, pipeline)
}

fn endpoint(socket: &UdpSocket) -> Endpoint {
    socket.local_addr().unwrap().to_string().parse().unwrap()
}

/// Replays on two lines to a pipeline that listens on sockets and sends its reports back; gives the reports and the pipeline.
fn over_sockets(file: &NamedTempFile, version: Version, wait: Wait) -> (Vec<Vec<u8>>, Pipeline) {
    /// Packets on the way at most, so that no receive buffer overflows however slow the machine is.
    const IN_FLIGHT: u64 = 64;
    let reports_in = UdpSocket::bind("127.0.0.1:0").unwrap();
    reports_in
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    let reports_out = Sender::open(&endpoint(&reports_in), SenderOptions::default()).unwrap();
    let any: Endpoint = "127.0.0.1:0".parse().unwrap();
    let mut receiver = Receiver::open(&[any, any], wait, 1 << 20).unwrap();
    let senders: Vec<Sender> = receiver
        .local_addresses()
        .unwrap()
        .iter()
        .map(|address| {
            Sender::open(
                &address.to_string().parse().unwrap(),
                SenderOptions::default(),
            )
            .unwrap()
        })
        .collect();
    let (received, ended) = (AtomicU64::new(0), AtomicBool::new(false));
    let mut pipeline = pipeline(version);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let lines = [
                Line::default(),
                Line {
                    delay: Duration::from_millis(3),
                    ..Line::default()
                },
            ];
            let mut sent = 0;
            replay::run(
                &mut packets(file),
                Pace::Unpaced,
                &lines,
                &mut SystemClock::default(),
                |line, payload| {
                    while sent - received.load(Ordering::Acquire) >= IN_FLIGHT
                        && !ended.load(Ordering::Acquire)
                    {
                        std::thread::yield_now();
                    }
                    sent += 1;
                    senders[line].send(payload)
                },
                |_| ControlFlow::Continue(()),
            )
            .unwrap();
        });
        let mut ends = 0;
        receiver
            .run(&ended, |input| {
                let Input::Datagram { payload, .. } = input else {
                    return Next::Continue;
                };
                let outcome = pipeline.datagram(payload);
                if outcome.report_due {
                    pipeline
                        .report()
                        .unwrap()
                        .for_each(|part| reports_out.send(part).unwrap());
                }
                received.fetch_add(1, Ordering::Release);
                // One a line; line B's is counted as the pipeline counts it.
                let end = mold::Header::parse(payload)
                    .is_some_and(|(header, _)| header.count == mold::END_OF_SESSION);
                ends += u32::from(end);
                if ends == 2 {
                    Next::Stop
                } else {
                    Next::Continue
                }
            })
            .unwrap();
        ended.store(true, Ordering::Release);
    });
    let mut reports = vec![];
    for _ in 0..2 * pipeline.counters().report_sent {
        let mut buffer = [0; 2_048];
        let length = reports_in.recv(&mut buffer).unwrap();
        reports.push(buffer[..length].to_vec());
    }
    (reports, pipeline)
}

#[test]
fn reports_over_sockets_equal_those_of_a_handler_without_any() {
    for (version, wait) in [
        (Version::V41, Wait::Blocking),
        (Version::V50, Wait::BusyPoll),
        (Version::V50, Wait::Blocking),
    ] {
        let file = sample(version);
        let (expected, alone) = direct(&file, version);
        let (reports, pipeline) = over_sockets(&file, version, wait);
        assert!(
            expected.len() >= 2 * SECONDS as usize - 4,
            "{} parts in {SECONDS} seconds",
            expected.len()
        );
        assert_eq!(reports, expected, "{version:?} {wait:?}");
        let (alone, both) = (alone.counters(), pipeline.counters());
        // Whatever came second, from either line, is old; the end of session is not, being at the expected number.
        assert_eq!(both.mold_old, alone.mold_packet);
        assert_eq!(
            (
                both.mold_end_of_session,
                both.mold_lost,
                both.mold_malformed
            ),
            (2, 0, 0)
        );
        assert_eq!(
            (both.itch_messages, both.filter_hit),
            (alone.itch_messages, alone.filter_hit)
        );
    }
}
