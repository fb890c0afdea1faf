//! `tickwire-verify fuzz`: what it prints.

use crate::common::{folder, json};

#[test]
fn fuzz_compares_as_many_frames_as_asked_for_and_the_seed_decides_which() {
    let folder = folder();
    let fuzz = |seed| json(&folder, &["fuzz", "--frames", "402", "--seed", seed]);
    let met = fuzz("7");
    // Shared out evenly over both widths and both versions.
    assert_eq!(
        (&met["frames"], &met["mismatches"], &met["seed"]),
        (&404.into(), &0.into(), &7.into())
    );
    let runs = met["runs"].as_array().unwrap();
    let kinds: Vec<_> = runs
        .iter()
        .map(|run| {
            (
                run["width"].as_u64().unwrap(),
                run["itch"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(kinds, [(8, "4.1"), (8, "5.0"), (64, "4.1"), (64, "5.0")]);
    let mut reports = 0;
    for run in runs {
        let counters = &run["counters"];
        let counted = |names: &[&str]| {
            names
                .iter()
                .map(|name| counters[name].as_u64().unwrap())
                .sum::<u64>()
        };
        // Every frame has one cause, except on XGMII those whose first byte is an error: they are no frames.
        let causes = counted(&[
            "mii_error",
            "fcs_error",
            "runt",
            "oversize",
            "other_mac",
            "other_ethertype",
            "ip_header_error",
            "ip_options",
            "ip_checksum_error",
            "ip_length_error",
            "fragment",
            "other_ip",
            "other_protocol",
            "udp_length_error",
            "other_port",
            "udp_checksum_error",
            "accepted",
        ]);
        assert_eq!(run["frames"], 101);
        assert!((99..=101).contains(&causes), "{causes}");
        // Every accepted one has one cause more.
        let packets = counted(&[
            "mold_malformed",
            "mold_old",
            "mold_heartbeat",
            "mold_end_of_session",
            "mold_packet",
        ]);
        assert_eq!(packets, counted(&["accepted"]));
        assert_eq!(run["reports"], counted(&["report_sent"]));
        reports += counted(&["report_sent"]);
    }
    assert!(reports > 0);
    assert_eq!(met["reports"], reports);
    assert_eq!(fuzz("7"), met);
    assert_ne!(fuzz("8")["runs"], met["runs"]);
}
