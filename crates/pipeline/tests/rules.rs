//! docs/reference/rules.md, rule by rule, on the pipeline.

use formats::counters::FeedCounters;
use formats::itch::{AddOrder, Head, Message, OrderDelete, Seconds, Version};
use formats::mold::{self, Builder};
use formats::report::{Part, SideStatistics};
use formats::{Side, Symbol};
use pipeline::{Config, ConfigError, Pipeline};

const SECOND: u64 = 1_000_000_000;
const AAPL: Symbol = Symbol(*b"AAPL    ");
const MSFT: Symbol = Symbol(*b"MSFT    ");
const SESSION: [u8; 10] = *b"SESSION  1";

fn pipeline(version: Version) -> Pipeline {
    Pipeline::new(Config {
        version,
        accumulate: false,
        symbols: vec![Some(AAPL), None],
    })
    .unwrap()
}

fn bytes(version: Version, message: impl Into<Message>) -> Vec<u8> {
    let mut out = vec![];
    message.into().emit(version, &mut out).unwrap();
    out
}

fn head(nanoseconds: u64) -> Head {
    Head {
        nanoseconds,
        ..Head::default()
    }
}

fn add(nanoseconds: u64, side: Side, price: u32, stock: Symbol) -> AddOrder {
    AddOrder {
        head: head(nanoseconds),
        order_reference: 1,
        side,
        shares: 10,
        stock,
        price,
    }
}

fn delete(nanoseconds: u64) -> OrderDelete {
    OrderDelete {
        head: head(nanoseconds),
        order_reference: 1,
    }
}

fn seconds(seconds: u32) -> Message {
    Message::Seconds(Seconds { seconds })
}

fn packet_of(session: [u8; 10], sequence: u64, messages: &[Vec<u8>]) -> Vec<u8> {
    let mut builder = Builder::new(session, sequence);
    messages
        .iter()
        .for_each(|message| builder.push(message).unwrap());
    builder.bytes().to_vec()
}

fn packet(sequence: u64, messages: &[Vec<u8>]) -> Vec<u8> {
    packet_of(SESSION, sequence, messages)
}

fn report(pipeline: &mut Pipeline) -> Part {
    let parts: Vec<_> = pipeline
        .report()
        .expect("a report")
        .map(|part| Part::parse(part).unwrap())
        .collect();
    assert_eq!(parts.len(), 1);
    parts.into_iter().next().unwrap()
}

#[test]
fn the_sequence_is_followed_by_the_rules() {
    let mut h = pipeline(Version::V50);
    let message = bytes(Version::V50, delete(5 * SECOND));
    let mut expect = FeedCounters::default();
    let mut send = |datagram: &[u8], cause: mold::Cause, change: &dyn Fn(&mut FeedCounters)| {
        change(&mut expect);
        assert_eq!(h.datagram(datagram).mold, cause);
        h.report().into_iter().flatten().count();
        assert_eq!(h.counters(), expect);
    };
    // The first good datagram sets session and expected number, wherever it begins.
    send(
        &packet(100, &[message.clone(), message.clone()]),
        mold::Cause::Packet,
        &|c| {
            c.mold_packet += 1;
            c.mold_new_session += 1;
            c.itch_messages += 2;
            c.heartbeat += 1;
            c.report_sent += 1;
        },
    );
    // 101 has come, 102 has not: it is taken. Then all of it is old.
    send(
        &packet(101, &[message.clone(), message.clone()]),
        mold::Cause::Packet,
        &|c| {
            c.mold_packet += 1;
            c.itch_messages += 1;
        },
    );
    send(
        &packet(101, &[message.clone(), message.clone()]),
        mold::Cause::Old,
        &|c| c.mold_old += 1,
    );
    send(&packet(102, &[]), mold::Cause::Old, &|c| c.mold_old += 1);
    // A heartbeat at the expected number is no gap; above it is one.
    send(&packet(103, &[]), mold::Cause::Heartbeat, &|c| {
        c.mold_heartbeat += 1
    });
    send(&packet(105, &[]), mold::Cause::Heartbeat, &|c| {
        c.mold_heartbeat += 1;
        c.mold_gap += 1;
        c.mold_lost += 2;
    });
    // Malformed changes nothing but its counter, though its number is far ahead.
    send(
        &packet(999, std::slice::from_ref(&message))[..30],
        mold::Cause::Malformed,
        &|c| c.mold_malformed += 1,
    );
    send(
        &packet_of(*b"SESSION  2", 1, std::slice::from_ref(&message))[..30],
        mold::Cause::Malformed,
        &|c| c.mold_malformed += 1,
    );
    send(
        &packet(107, std::slice::from_ref(&message)),
        mold::Cause::Packet,
        &|c| {
            c.mold_packet += 1;
            c.mold_gap += 1;
            c.mold_lost += 2;
            c.itch_messages += 1;
        },
    );
    let mut end = Builder::new(SESSION, 110);
    end.end_session();
    send(end.bytes(), mold::Cause::EndOfSession, &|c| {
        c.mold_end_of_session += 1;
        c.mold_gap += 1;
        c.mold_lost += 2;
    });
    // After the end of session the number stays.
    send(end.bytes(), mold::Cause::EndOfSession, &|c| {
        c.mold_end_of_session += 1
    });
    // Another session starts again, without a gap, even with a heartbeat.
    send(
        &packet_of(*b"SESSION  2", 7, &[]),
        mold::Cause::Heartbeat,
        &|c| {
            c.mold_heartbeat += 1;
            c.mold_new_session += 1;
        },
    );
    send(&packet_of(*b"SESSION  2", 6, &[]), mold::Cause::Old, &|c| {
        c.mold_old += 1
    });
}

#[test]
fn sequence_numbers_wrap_and_lost_counts_64_bits() {
    let mut h = pipeline(Version::V50);
    let message = bytes(Version::V50, delete(1));
    h.datagram(&packet(0, &[]));
    h.datagram(&packet(u64::MAX, &[message]));
    assert_eq!(
        (h.counters().mold_gap, h.counters().mold_lost),
        (1, u64::MAX)
    );
    // Expected is now 0.
    assert_eq!(h.datagram(&packet(0, &[])).mold, mold::Cause::Heartbeat);
    assert_eq!(h.counters().mold_gap, 1);
}

#[test]
fn a_report_tells_the_interval_before_the_message_that_begins_the_second() {
    let v = Version::V50;
    let mut h = pipeline(v);
    assert!(
        h.datagram(&packet(1, &[bytes(v, delete(34_200 * SECOND))]))
            .report_due
    );
    let first = report(&mut h);
    assert_eq!(
        (
            first.header.number,
            first.header.second,
            first.header.symbols
        ),
        (1, 34_200, 2)
    );
    // One nanosecond before the end, then exactly at it: the last belongs to the new interval.
    let messages = [
        bytes(v, add(34_201 * SECOND - 1, Side::Buy, 500, AAPL)),
        bytes(v, add(34_201 * SECOND - 1, Side::Sell, 700, MSFT)),
        bytes(v, add(34_201 * SECOND, Side::Buy, 600, AAPL)),
    ];
    let outcome = h.datagram(&packet(4, &messages));
    assert!(outcome.report_due);
    let part = report(&mut h);
    assert_eq!((part.header.number, part.header.second), (2, 34_201));
    assert_eq!(
        (
            part.header.sequence,
            part.header.first_sequence,
            part.header.lost
        ),
        (6, 4, 2)
    );
    assert_eq!(part.header.session, SESSION);
    let expected = SideStatistics {
        count: 1,
        minimum: 500,
        maximum: 500,
        volume: 10,
        sum: 500,
    };
    assert_eq!(
        (part.rows[0].symbol, part.rows[0].buy, part.rows[0].sell),
        (Some(AAPL), expected, SideStatistics::default())
    );
    assert_eq!(part.rows[1], Default::default());
    assert_eq!((h.counters().filter_hit, h.counters().filter_miss), (2, 1));
    // The second that begins is that of the message, not merely the next.
    h.datagram(&packet(7, &[bytes(v, delete(34_207 * SECOND + 5))]));
    let part = report(&mut h);
    assert_eq!(part.header.second, 34_207);
    assert_eq!(
        part.rows[0].buy,
        SideStatistics {
            count: 1,
            minimum: 600,
            maximum: 600,
            volume: 10,
            sum: 600
        }
    );
}

#[test]
fn a_t_begins_a_second_only_if_it_is_above_the_current_one() {
    let v = Version::V41;
    let mut h = pipeline(v);
    assert!(
        !h.datagram(&packet(1, &[bytes(v, delete(5))])).report_due,
        "without T no second begins"
    );
    assert!(h.datagram(&packet(2, &[bytes(v, seconds(100))])).report_due);
    assert_eq!(report(&mut h).header.second, 100);
    assert!(!h.datagram(&packet(3, &[bytes(v, seconds(100))])).report_due);
    assert!(!h.datagram(&packet(4, &[bytes(v, seconds(99))])).report_due);
    assert_eq!(h.counters().time_backwards, 1);
    assert!(h.datagram(&packet(5, &[bytes(v, seconds(101))])).report_due);
    assert!(!report(&mut h).header.itch_50);
    assert_eq!(h.counters().heartbeat, 2);
}

#[test]
fn a_frame_begins_one_second_at_most_and_the_next_frame_catches_up() {
    let v = Version::V50;
    let mut h = pipeline(v);
    let messages = [delete(SECOND), delete(2 * SECOND), delete(3 * SECOND)].map(|m| bytes(v, m));
    assert!(h.datagram(&packet(1, &messages)).report_due);
    assert_eq!(report(&mut h).header.second, 1);
    assert!(
        h.datagram(&packet(4, &[bytes(v, delete(3 * SECOND))]))
            .report_due
    );
    assert_eq!(
        (report(&mut h).header.second, h.counters().heartbeat),
        (3, 2)
    );
}

#[test]
fn a_new_session_forgets_the_second_and_the_time() {
    for v in [Version::V41, Version::V50] {
        let mut h = pipeline(v);
        let begin = |second: u32| {
            if v == Version::V50 {
                bytes(v, delete(u64::from(second) * SECOND))
            } else {
                bytes(v, seconds(second))
            }
        };
        h.datagram(&packet(1, &[begin(50)]));
        assert_eq!(report(&mut h).header.second, 50);
        assert!(
            h.datagram(&packet_of(
                *b"SESSION  2",
                1,
                &[bytes(v, delete(3)), begin(20)]
            ))
            .report_due
        );
        assert_eq!(
            report(&mut h).header.second,
            if v == Version::V50 { 0 } else { 20 }
        );
        assert_eq!(
            (h.counters().time_backwards, h.counters().mold_new_session),
            (0, 2)
        );
    }
}

#[test]
fn time_backwards_compares_with_the_message_before() {
    let count = |v, messages: &[Vec<u8>]| {
        let mut h = pipeline(v);
        h.datagram(&packet(1, messages));
        h.counters().time_backwards
    };
    let v50 = [5, 4, 4, 3, 9, 8].map(|time| bytes(Version::V50, delete(time)));
    assert_eq!(count(Version::V50, &v50), 3);
    let d = |time| bytes(Version::V41, delete(time));
    let t = |second| bytes(Version::V41, seconds(second));
    assert_eq!(
        count(Version::V41, &[d(5), d(4), t(1), d(0), d(9), t(2), d(8)]),
        1,
        "a new second resets the nanoseconds"
    );
    assert_eq!(
        count(Version::V41, &[t(2), d(5), t(2), d(7), t(1), d(9)]),
        2,
        "T is its second and 0"
    );
    // Messages that are not known are not compared.
    let mut unknown = bytes(Version::V50, delete(1));
    unknown[0] = b'z';
    assert_eq!(
        count(Version::V50, &[v50[0].clone(), unknown, v50[0].clone()]),
        0
    );
}

#[test]
fn unknown_types_and_wrong_lengths_are_counted_and_skipped() {
    let v = Version::V50;
    let mut h = pipeline(v);
    let mut long = bytes(v, add(9 * SECOND, Side::Buy, 1, AAPL));
    long.push(0);
    let mut unknown = long.clone();
    unknown[0] = b'T';
    let good = bytes(v, add(SECOND, Side::Buy, 1, AAPL));
    h.datagram(&packet(1, &[long, unknown, good]));
    let c = h.counters();
    assert_eq!(
        (
            c.itch_messages,
            c.itch_unknown_type,
            c.itch_bad_length,
            c.filter_hit
        ),
        (3, 1, 1, 1)
    );
    let part = report(&mut h);
    assert_eq!(
        (part.header.second, part.header.sequence),
        (1, 3),
        "skipped messages are numbered, their time is not used"
    );
}

#[test]
fn while_a_report_is_on_its_way_the_interval_goes_on() {
    let v = Version::V50;
    let mut h = pipeline(v);
    h.datagram(&packet(1, &[bytes(v, add(SECOND, Side::Buy, 100, AAPL))]));
    report(&mut h);
    h.set_report_busy(true);
    assert!(
        !h.datagram(&packet(
            2,
            &[bytes(v, add(2 * SECOND, Side::Buy, 300, AAPL))]
        ))
        .report_due
    );
    assert!(h.report().is_none());
    h.set_report_busy(false);
    let c = h.counters();
    assert_eq!((c.heartbeat, c.report_sent, c.report_missed), (2, 1, 1));
    // The second advanced, so the same second is no heartbeat again; the report then holds both intervals.
    assert!(
        !h.datagram(&packet(3, &[bytes(v, delete(2 * SECOND + 1))]))
            .report_due
    );
    assert!(
        h.datagram(&packet(4, &[bytes(v, delete(3 * SECOND))]))
            .report_due
    );
    let part = report(&mut h);
    assert_eq!(part.header.number, 2);
    assert_eq!(
        part.rows[0].buy,
        SideStatistics {
            count: 2,
            minimum: 100,
            maximum: 300,
            volume: 20,
            sum: 400
        }
    );
    // A report that is not taken counts as on its way, too.
    assert!(
        h.datagram(&packet(5, &[bytes(v, delete(4 * SECOND))]))
            .report_due
    );
    assert!(
        !h.datagram(&packet(6, &[bytes(v, delete(5 * SECOND))]))
            .report_due
    );
    assert_eq!(report(&mut h).header.second, 4);
    assert_eq!(h.counters().report_missed, 2);
}

#[test]
fn symbols_and_mode_change_while_it_runs() {
    let v = Version::V50;
    let mut h = pipeline(v);
    let send = |h: &mut Pipeline, sequence, second, price, stock| {
        h.datagram(&packet(
            sequence,
            &[bytes(v, add(second * SECOND, Side::Sell, price, stock))],
        ))
        .report_due
    };
    send(&mut h, 1, 1, 100, AAPL);
    report(&mut h);
    h.set_accumulate(true);
    assert!(h.load_symbol(1, Some(MSFT)));
    assert!(!h.load_symbol(2, Some(MSFT)), "there are two slots");
    send(&mut h, 2, 2, 200, MSFT);
    let part = report(&mut h);
    assert!(part.header.accumulate);
    assert_eq!((part.rows[0].sell.count, part.rows[1].sell.count), (1, 0));
    send(&mut h, 3, 3, 300, AAPL);
    let part = report(&mut h);
    assert_eq!(
        (
            part.rows[0].sell.count,
            part.rows[1].sell.count,
            part.rows[1].symbol
        ),
        (1, 1, Some(MSFT))
    );
    // Clearing a slot clears its statistics and no others.
    assert!(h.load_symbol(0, None));
    send(&mut h, 4, 4, 400, AAPL);
    let part = report(&mut h);
    assert_eq!(
        (part.rows[0], part.rows[1].sell.count),
        (Default::default(), 1)
    );
    assert_eq!(h.counters().filter_miss, 1);
}

#[test]
fn a_configuration_that_cannot_be_is_refused() {
    let new = |symbols| {
        Pipeline::new(Config {
            version: Version::V50,
            accumulate: false,
            symbols,
        })
        .err()
    };
    assert_eq!(new(vec![None; 257]), Some(ConfigError::TooManySymbols(257)));
    assert_eq!(
        new(vec![Some(AAPL), None, Some(AAPL)]),
        Some(ConfigError::Duplicate {
            symbol: AAPL,
            first: 0,
            second: 2
        })
    );
    assert_eq!(new(vec![None; 256]), None);
}
