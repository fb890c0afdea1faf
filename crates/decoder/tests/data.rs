//! Real data against what its README says. Skips, and says so, where `../shared/data` is absent.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use decoder::Itch;
use formats::itch::Version;
use formats::{Event, Kind, Symbol, binary_file, mold};

#[test]
fn the_events_of_the_aapl_hour_are_of_aapl_in_the_order_of_their_times() {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/nasdaq-aapl-2012-06-21");
    if !folder.exists() {
        eprintln!("SKIPPED: no nasdaq-aapl-2012-06-21 in ../shared/data");
        return;
    }
    for (name, version) in [("aapl.itch50", Version::V50), ("aapl.itch41", Version::V41)] {
        let file = fs::read(folder.join(name)).unwrap();
        let mut decoder = Itch::new(version);
        let mut builder = mold::Builder::new(*b"AAPL      ", 1);
        let (mut seconds, mut time, mut sequence, mut last) = (BTreeSet::new(), 0, 0, true);
        let (mut adds, mut trades) = (0, 0);
        let mut listener = |event: &Event| {
            assert!(event.time_ns() >= time, "{name}: {event:?}");
            time = event.time_ns();
            seconds.insert(time / 1_000_000_000);
            let aapl = |symbol| symbol == Symbol(*b"AAPL    ");
            assert!(event.symbol.is_none_or(aapl));
            // The first of a packet is the one after the last of the packet before.
            sequence += 1;
            assert_eq!(event.sequence, sequence);
            assert_eq!((sequence - 1) % 7 == 0, last);
            last = event.last;
            adds += u32::from(event.kind == Kind::Add);
            trades += u32::from(event.kind == Kind::Trade);
        };
        for message in binary_file::Messages::new(&file) {
            builder.push(message.unwrap()).unwrap();
            if builder.count() == 7 {
                decoder.datagram(builder.bytes(), &mut listener);
                builder.next_packet();
            }
        }
        decoder.datagram(builder.bytes(), &mut listener);
        assert_eq!((adds, trades), (44_336, 2_201), "{name}");
        assert_eq!(seconds.len(), 3_486, "{name}");
        let counters = decoder.counters();
        let refused = counters.itch_unknown_type + counters.itch_bad_length;
        assert_eq!((u64::from(counters.itch_messages), refused), (sequence, 0));
    }
}
