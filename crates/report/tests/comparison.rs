//! Generated data through both cores and the software pipeline: a comparison, its CSV, its page.

use std::collections::HashMap;
use std::time::Duration;

use cosim::{Setup, Width};
use feed::generate::Settings;
use feed::socket::Wait;
use formats::itch::Version;
use report::compare::{self, Comparison};
use report::{html, packets, software};

const SECONDS: u32 = 20;

fn comparison() -> Comparison {
    let settings = Settings {
        version: Version::V41,
        symbols: 16,
        messages: 2_000,
        seconds: SECONDS,
        seed: 3,
    };
    let packets = packets::generated(&settings).expect("generated data can be read");
    let setup = Setup::example(Version::V41, &packets.symbols(16));
    let options = compare::Options {
        widths: Width::ALL.to_vec(),
        software: vec![(Wait::Blocking, 8.0)],
        longest_silence: Duration::from_micros(50),
    };
    compare::compare(&setup, &packets, &options, &mut |_, _, _| ())
        .expect("hardware equals software")
}

#[test]
fn hardware_and_software_are_compared_heartbeat_by_heartbeat() {
    let comparison = comparison();
    assert_eq!((comparison.symbols.len(), comparison.mismatches), (16, 0));
    assert!(
        comparison.rows.len() as u32 >= SECONDS - 2,
        "{} seconds",
        comparison.rows.len()
    );
    let [gmii, xgmii, software] = &comparison.series[..] else {
        panic!("three series")
    };
    for (core, cycle, limit) in [(gmii, 8.0, 26.0), (xgmii, 6.4, 14.0)] {
        let cycles = core.cycles.expect("a core has cycles");
        assert_eq!(
            (cycles.min, cycles.sd, core.missed),
            (cycles.max, 0.0, 0),
            "no jitter"
        );
        assert!(cycles.max <= limit, "{} cycles", cycles.max);
        assert!((core.nanoseconds.p50 - cycles.p50 * cycle).abs() < 1e-6);
        assert_eq!(core.answers.len(), comparison.rows.len());
    }
    // A kernel socket takes longer than the core's clock has cycles, and much less than a second.
    assert!(
        software.nanoseconds.count > 0 && software.nanoseconds.min > 500.0,
        "{:?}",
        software.nanoseconds
    );

    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a/heartbeats.csv");
    comparison
        .write_csv(&path)
        .expect("the file can be written");
    let mut csv = csv::Reader::from_path(&path).expect("the file is there");
    let rows: Vec<HashMap<String, String>> =
        csv.deserialize().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), comparison.rows.len());
    let cycles = xgmii.cycles.expect("a core has cycles").p50;
    for (row, heartbeat) in rows.iter().zip(&comparison.rows) {
        assert_eq!(row["packet"], heartbeat.heartbeat.packet.to_string());
        assert_eq!(row["fpga_w64_cycles"], cycles.to_string());
        assert_eq!(row["second"], (heartbeat.time / 1_000_000_000).to_string());
    }

    let page = html::html(&comparison);
    for text in [
        "2.7 µs",
        "38 ± 22 µs",
        "FPGA, 64 bits at 156.25 MHz",
        "Software, blocking sockets, 8x",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert_eq!(page.matches("<svg").count(), 3);
    // Nothing is loaded from elsewhere: the only address is the name of the SVG namespace.
    assert_eq!(
        page.matches("http").count(),
        page.matches("http://www.w3.org/2000/svg").count()
    );
    assert!(!page.contains("<script"));
}

#[test]
fn a_bare_echo_takes_some_time_and_loses_nothing() {
    for wait in [Wait::Blocking, Wait::BusyPoll] {
        let trips =
            software::echo(wait, &[7; 64], 200, Duration::from_micros(20)).expect("loopback works");
        assert_eq!(trips.len(), 200);
        assert!(trips.iter().all(|ns| *ns > 500));
    }
}
