//! Packets that are cut, changed, repeated, or come in another order: errors and untradable books, never a panic or a wrong book.

use book::Status;
use decoder::fast::{Cause, Snapshots};
use fast::Framing;
use formats::mold;

use crate::common::mixed;
use crate::fast::recovery::{Day, NoOrders, trading};
use crate::fast::{SETTINGS, map, template_files};

#[test]
fn a_packet_that_is_cut_off_anywhere_is_malformed_and_the_next_one_shows_the_gap() {
    for templates in template_files() {
        let day = Day::new(&templates, 40, 1_000_000);
        let log: Vec<_> = day.packets.iter().filter(|(is_log, _)| *is_log).collect();
        for length in 0..log[20].1.len() {
            let mut trading = trading(&templates);
            for (_, packet) in &log[..20] {
                assert_eq!(
                    trading.datagram(packet, 0, &mut NoOrders),
                    mold::Cause::Packet
                );
            }
            let cause = trading.datagram(&log[20].1[..length], 0, &mut NoOrders);
            // Of no bytes nothing can be wrong: there is no message, and no gap either.
            assert!(
                cause == mold::Cause::Malformed || length == 0,
                "{length}: {cause:?}"
            );
            trading.datagram(&log[21].1, 0, &mut NoOrders);
            let status = trading.status(0);
            assert!(
                matches!(status, Some(Status::Untradable(_))),
                "{length}: {status:?}"
            );
        }
    }
}

#[test]
fn packets_again_or_late_are_old_and_change_nothing() {
    for templates in template_files() {
        let day = Day::new(&templates, 200, 1_000_000);
        let mut trading = trading(&templates);
        let log: Vec<_> = day.packets.iter().filter(|(is_log, _)| *is_log).collect();
        for (at, (_, packet)) in log.iter().enumerate() {
            assert_eq!(
                trading.datagram(packet, 0, &mut NoOrders),
                mold::Cause::Packet
            );
            let before = &log[at.saturating_sub(mixed(at as u64) as usize % 5)].1;
            assert_eq!(trading.datagram(before, 0, &mut NoOrders), mold::Cause::Old);
            assert_eq!(trading.status(0), Some(Status::Tradable));
        }
        let counters = trading.fast_counters().unwrap();
        assert_eq!((counters.fast_lost, counters.fast_malformed), (0, 0));
    }
}

#[test]
fn changed_bytes_in_any_packet_never_panic() {
    for templates in template_files() {
        let day = Day::new(&templates, 400, 20);
        let mut trading = trading(&templates);
        let mut snapshots = Snapshots::new(&templates, SETTINGS(), Framing::Preamble, &map())
            .unwrap()
            .unwrap();
        let mut given = 0;
        let mut bad = 0;
        for (at, (is_log, packet)) in (0_u64..).zip(day.packets.iter().cycle().take(20_000)) {
            let mut packet = packet.clone();
            let bits = mixed(at);
            for change in 0..bits % 4 {
                let bits = mixed(bits ^ change);
                let place = (bits >> 8) as usize % packet.len();
                packet[place] ^= 1 << (bits & 7);
            }
            if bits & 0xff00 == 0 {
                packet.truncate((bits >> 32) as usize % packet.len());
            }
            if *is_log {
                let cause = trading.datagram(&packet, 0, &mut NoOrders);
                bad += u32::from(cause == mold::Cause::Malformed);
            } else {
                trading.snapshot_datagram(&packet);
            }
            let cause = snapshots.datagram(&packet, &mut |_| given += 1);
            bad += u32::from(cause != Cause::Good);
            trading.recover(&[0, 1]);
        }
        assert!(
            bad > 100 && given > 10,
            "{bad} bad packets, {given} snapshots"
        );
    }
}

#[test]
fn fragments_of_a_snapshot_that_are_lost_repeated_or_mixed_give_no_wrong_snapshot() {
    for templates in template_files() {
        let day = Day::new(&templates, 600, 20);
        let fragments: Vec<_> = day.packets.iter().filter(|(is_log, _)| !*is_log).collect();
        let reader = || {
            let reader = Snapshots::new(&templates, SETTINGS(), Framing::Preamble, &map());
            reader.unwrap().unwrap()
        };
        let (mut all, mut whole) = (vec![], reader());
        for (_, packet) in &fragments {
            whole.datagram(packet, &mut |snapshot| all.push(snapshot));
        }
        assert!(all.len() > 20 && whole.counters().broken == 0);
        assert!((whole.counters().complete as usize) < fragments.len());
        // Lost, repeated and late ones: every snapshot that is given is one of those.
        let (mut some, mut reader) = (vec![], reader());
        for at in 0..fragments.len() {
            let place = match mixed(at as u64) % 8 {
                0 => continue,
                1 => at.saturating_sub(1),
                2 => at.saturating_sub(7),
                _ => at,
            };
            reader.datagram(&fragments[place].1, &mut |snapshot| some.push(snapshot));
        }
        let counters = reader.counters();
        assert!(counters.broken > 0 && counters.again > 0, "{counters:?}");
        assert!(some.len() > 5 && some.iter().all(|snapshot| all.contains(snapshot)));
    }
}

#[test]
fn fragments_that_come_two_in_a_datagram_have_one_number_before_them() {
    const PREAMBLE: usize = 4;
    for templates in template_files() {
        let day = Day::new(&templates, 200, 20);
        let fragments: Vec<_> = day.packets.iter().filter(|(is_log, _)| !*is_log).collect();
        let reader = || {
            // What a message leaves in the dictionaries says nothing to the next one: each was encoded for a packet of its own.
            let reader = Snapshots::new(&templates, SETTINGS(), Framing::Preamble, &map());
            reader.unwrap().unwrap()
        };
        let (mut alone, mut pairs) = (vec![], vec![]);
        let (mut reader_alone, mut reader_pairs) = (reader(), reader());
        for two in fragments.chunks_exact(2) {
            let mut datagram = two[0].1.clone();
            datagram.extend_from_slice(&two[1].1[PREAMBLE..]);
            for (_, packet) in two {
                reader_alone.datagram(packet, &mut |snapshot| alone.push(snapshot));
            }
            let cause = reader_pairs.datagram(&datagram, &mut |snapshot| pairs.push(snapshot));
            assert_eq!(cause, Cause::Good);
        }
        assert!(pairs.len() > 5);
        assert_eq!(pairs, alone);
    }
}
