//! Files that are cut off give the result up to there, a warning and exit code 3; what follows an end mark is said; compressed files are read as what is
//! in them.

use std::fs;
use std::io::Write;

use crate::common::{folder, generate, json, messages, tickwire};
use serde_json::Value;
use tempfile::TempDir;

/// Runs it with this exit code; gives the JSON that it prints, and what it says.
fn run(folder: &TempDir, code: i32, arguments: &[&str]) -> (Vec<Value>, String) {
    let output = tickwire(folder, &[arguments, &["--json"]].concat());
    assert_eq!(
        output.status.code(),
        Some(code),
        "{arguments:?}: {output:?}"
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    (lines.collect(), String::from_utf8(output.stderr).unwrap())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn write(folder: &TempDir, name: &str, bytes: &[u8]) {
    fs::write(folder.path().join(name), bytes).unwrap();
}

fn read(folder: &TempDir, name: &str) -> Vec<u8> {
    fs::read(folder.path().join(name)).unwrap()
}

/// All but what tells the files apart, or takes its time.
fn comparable(mut lines: Vec<Value>) -> Vec<Value> {
    for line in &mut lines {
        let Some(members) = line.as_object_mut() else {
            continue;
        };
        for name in ["file", "bytes", "seconds", "latest_ns"] {
            members.remove(name);
        }
    }
    lines
}

#[test]
fn a_file_cut_off_inside_a_message_is_as_one_that_ends_before_it_with_a_warning_and_an_exit_code() {
    let folder = folder();
    generate(&folder, "day", &[]);
    let bytes = read(&folder, "day");
    let (begins, message) = messages(&folder, "day")[1_500].clone();
    write(&folder, "whole", &bytes[..begins]);
    write(&folder, "cut", &bytes[..begins + 2 + message.len() - 1]);
    for arguments in [
        &["info"][..],
        &["book", "--symbols", "A"],
        &["replay", "--to", "127.0.0.1:9", "--max"],
    ] {
        let with = |file| [&arguments[..1], &[file], &arguments[1..]].concat();
        let (expected, nothing) = run(&folder, 0, &with("whole"));
        assert!(!nothing.contains("warning"), "{nothing}");
        let (found, said) = run(&folder, 3, &with("cut"));
        assert_eq!(comparable(found), comparable(expected), "{arguments:?}");
        let warning = format!("tickwire: warning: cut: byte {begins}: truncated");
        assert!(said.contains(&warning), "{said}");
        assert!(said.contains("the result is of what is before"), "{said}");
        assert_eq!(said.matches("warning").count(), 1, "{said}");
    }
    let (found, _) = run(&folder, 3, &["info", "cut"]);
    assert_eq!(found[0]["messages"], 1_500);
}

#[test]
fn a_capture_cut_off_is_as_one_that_ends_before_the_record() {
    let folder = folder();
    let desks = concat!(env!("CARGO_MANIFEST_DIR"), "/../../desks/fast");
    let (templates, map) = (
        format!("{desks}/order-log.xml"),
        format!("{desks}/moex-order-log.toml"),
    );
    json(
        &folder,
        &[
            "generate",
            "moex",
            "--packets",
            "40",
            "--templates",
            &templates,
            "--out",
            "log.pcap",
        ],
    );
    let bytes = read(&folder, "log.pcap");
    // 24 bytes of header, then records of 16 bytes, the third word of which is the length of the frame that follows.
    let mut begins = vec![24];
    while let Some(length) = bytes
        .get(begins[begins.len() - 1] + 8..)
        .and_then(<[u8]>::first_chunk)
    {
        begins.push(begins[begins.len() - 1] + 16 + u32::from_le_bytes(*length) as usize);
    }
    assert_eq!(begins.len(), 41);
    write(&folder, "whole.pcap", &bytes[..begins[30]]);
    write(&folder, "cut.pcap", &bytes[..begins[30] + 20]);
    let stream = [
        "--templates",
        &templates,
        "--framing",
        "preamble",
        "--reset-each-packet",
    ];
    for arguments in [
        [&["fast", "decode"][..], &stream].concat(),
        [&["fast", "events", "--map", &map][..], &stream].concat(),
        [&["fast", "statistics"][..], &stream].concat(),
        vec!["replay", "--any-protocol", "--to", "127.0.0.1:9", "--max"],
    ] {
        let (expected, _) = run(&folder, 0, &[&arguments[..], &["whole.pcap"]].concat());
        assert!(!expected.is_empty());
        let (found, said) = run(&folder, 3, &[&arguments[..], &["cut.pcap"]].concat());
        assert_eq!(comparable(found), comparable(expected), "{arguments:?}");
        let warning = format!(
            "tickwire: warning: cut.pcap: byte {}: truncated",
            begins[30]
        );
        assert!(said.contains(&warning), "{said}");
    }
}

#[test]
fn a_file_without_a_whole_message_is_a_failure() {
    let folder = folder();
    generate(&folder, "day", &[]);
    write(&folder, "cut", &read(&folder, "day")[..5]);
    let (found, said) = run(&folder, 1, &["info", "cut"]);
    assert!(found.is_empty());
    assert!(said.contains("cut: byte 0: truncated"), "{said}");
}

#[test]
fn compressed_files_are_read_and_those_cut_off_are_too() {
    let folder = folder();
    generate(&folder, "day", &[]);
    let bytes = read(&folder, "day");
    let compressed = gzip(&bytes);
    write(&folder, "day.gz", &compressed);
    write(
        &folder,
        "day.zst",
        &zstd::encode_all(&bytes[..], 1).unwrap(),
    );
    // The last bytes are a checksum.
    write(&folder, "cut.gz", &compressed[..compressed.len() - 1]);
    let (expected, _) = run(&folder, 0, &["info", "day"]);
    for file in ["day.gz", "day.zst"] {
        let (found, said) = run(&folder, 0, &["info", file]);
        assert_eq!(found[0]["bytes"], read(&folder, file).len());
        assert_eq!(comparable(found), comparable(expected.clone()));
        assert_eq!(said, "");
    }
    let (found, said) = run(&folder, 3, &["info", "cut.gz"]);
    assert_eq!(comparable(found), comparable(expected));
    assert!(
        said.contains("the compressed file is cut off here"),
        "{said}"
    );
    // Messages of FAST, which are no capture.
    let xml = "<templates><template name='T' id='1'><uInt32 name='n'/></template></templates>";
    write(&folder, "t.xml", xml.as_bytes());
    write(&folder, "data.gz", &gzip(&[0xc0, 0x81, 0x85]));
    let output = tickwire(
        &folder,
        &["fast", "decode", "--templates", "t.xml", "data.gz"],
    );
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.trim(), r#"{"template":"T","id":1,"fields":{"n":5}}"#);
}

#[test]
fn what_follows_the_end_mark_is_said_and_counts_to_the_size() {
    let folder = folder();
    generate(&folder, "day", &[]);
    let bytes = read(&folder, "day");
    let two = [&bytes[..], &[0, 0], &bytes].concat();
    write(&folder, "two", &two);
    let (found, said) = run(&folder, 0, &["info", "two"]);
    assert_eq!(found[0]["messages"], 2_000);
    assert_eq!(found[0]["bytes"], two.len());
    assert_eq!(found[0]["after_end"], bytes.len());
    let warning = format!(
        "two: byte {}: the end mark (a length of 0) is here, but {} bytes follow",
        bytes.len(),
        bytes.len()
    );
    assert!(said.contains(&warning), "{said}");
    let shown = String::from_utf8(tickwire(&folder, &["info", "two"]).stdout).unwrap();
    let size = format!("two: BinaryFILE, {} bytes", two.len());
    assert!(
        shown.contains(&size) && shown.contains("after end"),
        "{shown}"
    );
}

/// The inputs of the fault, with what its README says of them.
#[test]
fn time_stamps_in_powers_of_two_are_read() {
    let inputs = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/faults/pcapng-base2-resolution"
    );
    for file in ["base2-20.pcapng", "base2-32.pcapng"] {
        let path = format!("{inputs}/{file}");
        if !fs::exists(&path).unwrap() {
            eprintln!("skipped: {path} is absent");
            return;
        }
        let found = json(&folder(), &["info", &path]);
        assert_eq!(found["messages"], 12);
        assert_eq!(found["first_time"], 34_200_000_000_000_u64);
    }
}
