//! What the command says about files: good ones, bad ones, and none.

use std::fs;
use std::path::Path;

use crate::common::{failure, folder, generate, json};

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_others() {
    let folder = folder();
    generate(&folder, "a", &[]);
    generate(&folder, "b", &[]);
    generate(&folder, "c", &["--seed", "2"]);
    let read = |name| fs::read(folder.path().join(name)).unwrap();
    assert_eq!(read("a"), read("b"));
    assert_ne!(read("a"), read("c"));
}

#[test]
fn info_finds_what_was_generated() {
    for version in ["4.1", "5.0"] {
        let folder = folder();
        let made = generate(&folder, "day", &["--itch", version]);
        let found = json(&folder, &["info", "day"]);
        assert_eq!(found["format"], "BinaryFILE");
        assert_eq!(
            (&found["itch"], &made["itch"]),
            (&version.into(), &version.into())
        );
        assert_eq!(found["messages"], made["messages"]);
        assert_eq!(found["bytes"], made["bytes"]);
        assert_eq!(
            found["bytes"],
            fs::metadata(folder.path().join("day")).unwrap().len()
        );
        assert_eq!(
            (&found["unknown"], &found["symbols"]),
            (&0.into(), &3.into())
        );
        assert_eq!(found["by_type"]["R"], 3);
        let by_type = found["by_type"].as_object().unwrap();
        let sum: u64 = by_type.values().map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(found["messages"], sum);
        // The directory is sent a second before the market opens, at 09:30.
        assert_eq!(found["first_time"], 34_199_000_000_000_u64);
        assert!(found["last_time"].as_u64().unwrap() > 34_200_000_000_000);
    }
}

#[test]
fn info_counts_a_capture_of_the_real_feed() {
    let capture = "../../../shared/data/nasdaq-frames/Multiple.Packets.pcap";
    let capture = Path::new(env!("CARGO_MANIFEST_DIR")).join(capture);
    if !capture.exists() {
        eprintln!("skipped: {} is absent", capture.display());
        return;
    }
    let found = json(&folder(), &["info", capture.to_str().unwrap()]);
    // As the data's README counts them.
    assert_eq!(
        found["by_type"],
        serde_json::json!({"A": 36, "D": 1, "F": 2})
    );
    assert_eq!(
        (&found["capture"]["datagrams"], &found["itch"]),
        (&2.into(), &"5.0".into())
    );
}

#[test]
fn garbage_an_empty_file_and_no_file_are_told_apart() {
    let folder = folder();
    fs::write(folder.path().join("garbage"), "not market data at all").unwrap();
    fs::write(folder.path().join("empty"), "").unwrap();
    let said = failure(&folder, 1, &["info", "garbage"]);
    assert!(
        said.contains("garbage: byte 0: neither pcap, pcapng nor ITCH"),
        "{said}"
    );
    assert!(failure(&folder, 1, &["info", "empty"]).contains("empty: byte 0: the file is empty"));
    assert!(failure(&folder, 1, &["info", "absent"]).contains("absent: cannot open"));
    assert!(failure(&folder, 1, &["sim", "absent"]).contains("absent: cannot open"));
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let said = failure(
        &folder(),
        1,
        &["generate", "itch", "--out", "no/such/folder"],
    );
    assert!(said.contains("no/such/folder: cannot write"), "{said}");
}

#[test]
fn a_wrong_command_line_is_exit_code_2() {
    let folder = folder();
    for arguments in [
        &["nothing"][..],
        &["run"],
        &["generate", "itch", "--itch", "6.0", "--out", "x"],
        &["replay", "x", "--to", "127.0.0.1"],
        &["replay", "x", "--to", "127.0.0.1:9", "--loss", "2"],
        &[
            "replay",
            "x",
            "--to",
            "127.0.0.1:9",
            "--max",
            "--speed",
            "8",
        ],
        &["replay", "x", "--to", "127.0.0.1:9", "--speed", "0"],
        &["run", "--listen", "127.0.0.1:0", "--symbols", "TOOLONGNAME"],
    ] {
        failure(&folder, 2, arguments);
    }
}

#[test]
fn a_bad_desk_is_named_with_its_line() {
    let folder = folder();
    let desk = "[feed]\nitch = \"5.0\"\nlines = [\"127.0.0.1:26400\"]\n\n[statistics]\nsymbols = [\n  \"AAPL\",\n  \
                \"NINELETTERS\",\n]\n\n[report]\nto = \"127.0.0.1:9\"\n";
    fs::write(folder.path().join("bad.toml"), desk).unwrap();
    let said = failure(&folder, 1, &["run", "--desk", "bad.toml"]);
    assert!(
        said.contains("bad.toml:8:3: a symbol has at most 8 characters"),
        "{said}"
    );
    assert!(
        failure(&folder, 1, &["run", "--desk", "absent.toml"]).contains("absent.toml: cannot read")
    );
}

#[test]
fn a_symbol_twice_is_refused() {
    let said = failure(
        &folder(),
        1,
        &["run", "--listen", "127.0.0.1:0", "--symbols", "A,B,A"],
    );
    assert!(said.contains("symbol A is in slots 0 and 2"), "{said}");
}

#[test]
fn a_capture_with_nothing_to_be_used_is_an_error_of_every_command_that_reads_it() {
    let folder = folder();
    // Link type 105, IEEE 802.11: one frame of four bytes.
    let head = [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, 105];
    let words = head.into_iter().chain([1, 0, 4, 4, 0_u32]);
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    fs::write(folder.path().join("wireless.pcap"), bytes).unwrap();
    for arguments in [
        &["info", "wireless.pcap"][..],
        &["sim", "wireless.pcap", "--symbols", "A"],
        &["measure", "wireless.pcap", "--symbols", "A"],
        &["replay", "wireless.pcap", "--to", "127.0.0.1:9", "--max"],
    ] {
        let said = failure(&folder, 1, arguments);
        assert!(
            said.contains("no MoldUDP64 in this capture: 1 frames"),
            "{arguments:?}: {said}"
        );
        assert!(
            said.contains("105 IEEE 802.11, which is not read"),
            "{arguments:?}: {said}"
        );
    }
}
