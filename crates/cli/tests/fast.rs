//! `tickwire fast`: real feeds there and back, and what it says of bad files.

use std::fs;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::common::{failure, folder, json, tickwire};
use decoder::fast::{Cause, Map, Snapshots};
use tempfile::TempDir;

/// A file of the recorded data, as an argument; `None`, and a line that says so, where it is absent.
fn recorded(path: &str) -> Option<String> {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(path);
    if !path.exists() {
        eprintln!("SKIPPED: {} is not there", path.display());
        return None;
    }
    Some(path.to_str().unwrap().to_owned())
}

/// Decodes to a file, which must succeed.
fn decode(folder: &TempDir, arguments: &[&str]) -> String {
    let output = tickwire(folder, &[&["fast", "decode"], arguments].concat());
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn recorded_feeds_are_decoded_and_encoded_byte_for_byte() {
    for (templates, data, more, lines) in [
        (
            "micex-2013-08-01/templates.xml",
            "micex-2013-08-01/increment_a.dat",
            &[][..],
            16_202,
        ),
        (
            "moex-templates/asts-2017-03.xml",
            "moex-fond-trades-2019-04-04/data.dat",
            &["--framing", "preamble", "--reset-each-packet"],
            5_020,
        ),
    ] {
        let (Some(templates), Some(data)) = (recorded(templates), recorded(data)) else {
            return;
        };
        let folder = folder();
        let stream = [&["--templates", templates.as_str()], more].concat();
        let text = decode(&folder, &[&stream[..], &[&data]].concat());
        assert_eq!(text.lines().count(), lines);
        fs::write(folder.path().join("lines"), &text).unwrap();
        let encoded = json(
            &folder,
            &[&["fast", "encode", "lines", "--out", "bytes"], &stream[..]].concat(),
        );
        assert_eq!(encoded["messages"], lines);
        assert!(
            fs::read(folder.path().join("bytes")).unwrap() == fs::read(&data).unwrap(),
            "{data}"
        );
    }
}

/// The first table of the measurements that the hardware was designed by.
#[test]
fn statistics_are_those_that_are_known() {
    let (Some(templates), Some(data)) = (
        recorded("micex-2013-08-01/templates.xml"),
        recorded("micex-2013-08-01/increment_a.dat"),
    ) else {
        return;
    };
    let found = json(
        &folder(),
        &["fast", "statistics", "--templates", &templates, &data],
    );
    assert_eq!(found["packets"], 8_101);
    let rounded = |name: &str, of: &str| found[name][of].as_f64().unwrap().round();
    assert_eq!(
        (
            rounded("payload_bytes", "mean"),
            rounded("payload_bytes", "p99"),
            rounded("payload_bytes", "max")
        ),
        (85.0, 271.0, 428.0)
    );
    assert_eq!(
        (
            rounded("entry_bytes", "min"),
            rounded("entry_bytes", "mean"),
            rounded("entry_bytes", "max")
        ),
        (19.0, 25.0, 32.0)
    );
    assert_eq!(found["entries_a_packet"]["max"], 18);
    assert_eq!(found["longest_string"], 3);
    assert_eq!(found["null_exponents_an_entry"], 1.0);
}

#[test]
fn a_template_file_is_listed_next_to_its_lines() {
    let folder = folder();
    let xml = "<templates xmlns='http://www.fixprotocol.org/ns/fast/td/1.1'>\n<template name='T' id='9'>\n\
               <uInt32 name='Number' id='34'><increment value='5'/></uInt32>\n</template></templates>";
    fs::write(folder.path().join("t.xml"), xml).unwrap();
    let output = tickwire(&folder, &["fast", "compile", "t.xml"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("template T id 9 (line 2): presence map of 2 bits\n  engine: microcode: it has no sequence\n"), "{text}");
    let row: Vec<&str> = text.lines().last().unwrap().split_whitespace().collect();
    assert_eq!(
        row,
        [
            "0",
            "3",
            "34",
            "Number",
            "uInt32",
            "increment",
            "5",
            "1",
            "0",
            "global/Number"
        ]
    );
    let found = json(&folder, &["fast", "compile", "t.xml"]);
    assert_eq!(found["templates"][0]["instructions"][0]["map_bit"], 1);
}

#[test]
fn a_template_whose_exponents_one_bit_moves_names_it_as_json() {
    let folder = folder();
    // FAST 1.1, 10.5: of these, only the copied integer has a bit of the presence map.
    let xml = "<templates xmlns='http://www.fixprotocol.org/ns/fast/td/1.1'><template name='T' id='9'>\n\
               <sequence name='S'><decimal name='Price' presence='optional'/>\n\
               <uInt32 name='Size'><copy/></uInt32></sequence></template></templates>";
    fs::write(folder.path().join("t.xml"), xml).unwrap();
    let found = json(&folder, &["fast", "compile", "t.xml"]);
    let template = &found["templates"][0];
    let at = template["late_bit"].as_u64().unwrap() as usize;
    assert_eq!(template["instructions"][at]["name"]["local"], "Size");
}

#[test]
fn bad_files_are_refused_with_what_to_do() {
    let folder = folder();
    let write = |name: &str, text: &[u8]| fs::write(folder.path().join(name), text).unwrap();
    write("bad.xml", b"<templates>\n <template name='T' id='1'><uInt32 name='a'><constant/></uInt32></template></templates>");
    let said = failure(&folder, 1, &["fast", "compile", "bad.xml"]);
    assert!(
        said.contains("bad.xml: line 2, column 28: <uInt32 name=\"a\">: [S4]"),
        "{said}"
    );
    write(
        "t.xml",
        b"<templates><template name='T' id='1'><uInt32 name='a'/></template></templates>",
    );
    write("day.dat", &[0xc0, 0x81, 0x01]);
    let said = failure(
        &folder,
        1,
        &["fast", "decode", "--templates", "t.xml", "day.dat"],
    );
    assert!(
        said.contains("packet 1, byte 2: the packet ends inside a message (template T, field a)"),
        "{said}"
    );
    write("lines", b"{\"id\":1,\"fields\":{\"b\":1}}");
    let said = failure(
        &folder,
        1,
        &[
            "fast",
            "encode",
            "--templates",
            "t.xml",
            "lines",
            "--out",
            "bytes",
        ],
    );
    assert!(
        said.contains("lines: line 1: template T has no field \"b\""),
        "{said}"
    );
    let said = failure(
        &folder,
        1,
        &["fast", "decode", "--templates", "none.xml", "day.dat"],
    );
    assert!(said.contains("none.xml: cannot read"), "{said}");
}

/// The trades of Moscow's equities and the levels of its derivatives, by the maps that are shipped.
#[test]
fn recorded_feeds_are_events_by_the_shipped_maps() {
    let desks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../desks/fast");
    for (templates, data, map, more, lines, first) in [
        (
            "moex-templates/asts-2017-03.xml",
            "moex-fond-trades-2019-04-04/data.dat",
            "moex-trades.toml",
            &["--framing", "preamble"][..],
            6_737,
            ["trade", "AFLT", "747800", "9"],
        ),
        (
            "micex-2013-08-01/templates.xml",
            "micex-2013-08-01/increment_a.dat",
            "micex-levels.toml",
            &[],
            22_104,
            ["level", "49630790", "19835", "12"],
        ),
    ] {
        let (Some(templates), Some(data)) = (recorded(templates), recorded(data)) else {
            return;
        };
        let map = desks.join(map).to_string_lossy().into_owned();
        let folder = folder();
        let arguments = [
            "fast",
            "events",
            "--templates",
            &templates,
            "--map",
            &map,
            &data,
        ];
        let output = tickwire(&folder, &[&arguments[..], more].concat());
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().count(), lines);
        let event: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        let found = ["kind", "symbol", "price", "quantity"].map(|member| match &event[member] {
            serde_json::Value::String(text) => text.clone(),
            value => value.to_string(),
        });
        assert_eq!(found, first);
        assert_eq!(
            (&event["message"], &event["source"]),
            (&"X".into(), &"feed".into())
        );
    }
}

#[test]
fn a_packet_that_the_map_cannot_take_is_told_and_gives_no_line() {
    let folder = folder();
    let xml = "<templates xmlns='http://www.fixprotocol.org/ns/fast/td/1.1'><template name='T' id='9'>\
               <uInt32 name='Id' id='48'/><decimal name='Price' id='270'/><uInt32 name='Size' id='271'/></template></templates>";
    fs::write(folder.path().join("t.xml"), xml).unwrap();
    let map = "price_scale = 1\n[[template]]\nid = 9\nmessage_type = 'T'\nsymbol = 48\nprice = 270\nquantity = 271\nkind = 'trade'\n";
    fs::write(folder.path().join("m.toml"), map).unwrap();
    let lines = [15, 16, 17].map(|price| {
        let exponent = if price == 16 { -2 } else { -1 };
        format!(
            "{{\"id\":9,\"fields\":{{\"Id\":3,\"Price\":\"{price}e{exponent}\",\"Size\":4}}}}\n"
        )
    });
    fs::write(folder.path().join("lines"), lines.concat()).unwrap();
    let encode = [
        "fast",
        "encode",
        "lines",
        "--templates",
        "t.xml",
        "--out",
        "bytes",
    ];
    assert!(tickwire(&folder, &encode).status.success());
    let events = [
        "fast",
        "events",
        "--templates",
        "t.xml",
        "--map",
        "m.toml",
        "bytes",
    ];
    let output = tickwire(&folder, &events);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
    let told = String::from_utf8(output.stderr).unwrap();
    for part in [
        "packet 2: dropped: a price that is not exact at the scale",
        "packets 2, messages 2, unmapped 0, ignored 0, malformed 0, old 0, gaps 0, lost 0, price_off_scale 1",
    ] {
        assert!(told.contains(part), "{told}");
    }
    // A map that names a field that is not there.
    fs::write(folder.path().join("m.toml"), map.replace("270", "99")).unwrap();
    let output = tickwire(&folder, &events);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.contains("m.toml: template 9 has no field 99"),
        "{told}"
    );
}

/// The first fault's own file: CME published its templates so in 2007.
#[test]
fn templates_in_another_namespace_than_their_root_are_read() {
    let folder = folder();
    let xml = r#"<templates><template name="Refresh" id="33" dictionary="33" xmlns="http://www.fixprotocol.org/ns/fast/td/1.1">
        <uInt32 name="MsgSeqNum" id="34"/><uInt32 name="Size" id="271"><copy/></uInt32></template></templates>"#;
    fs::write(folder.path().join("t.xml"), xml).unwrap();
    fs::write(folder.path().join("message.dat"), [0xe0, 0xa1, 0x81, 0x85]).unwrap();
    let text = decode(&folder, &["--templates", "t.xml", "message.dat"]);
    assert_eq!(
        text.trim(),
        r#"{"template":"Refresh","id":33,"fields":{"MsgSeqNum":1,"Size":5}}"#
    );
    fs::write(folder.path().join("none.xml"), "<templates/>").unwrap();
    let said = failure(&folder, 1, &["fast", "compile", "none.xml"]);
    assert!(said.contains("no template in this file"), "{said}");
}

/// Messages back to back as a snapshot line sends them, in cycles whose numbers begin anew: three instruments, one of them without a level, and a heartbeat.
#[test]
fn snapshots_captured_are_a_line_that_can_be_replayed() {
    const TEMPLATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../desks/fast/levels.xml");
    const MAP: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../desks/fast/micex-levels.toml"
    );
    let folder = folder();
    let snapshot = |number: u32, instrument: u32, last: u32, entries: &str| {
        format!(
            r#"{{"template":"Snapshot","id":75,"fields":{{"MsgSeqNum":{number},"SendingTime":2013080110000{number}000,"LastMsgSeqNumProcessed":{last},"SecurityID":{instrument},"MDEntries":[{entries}]}}}}"#
        )
    };
    let level = |kind: u32, price: u32, size: u32| {
        format!(
            r#"{{"MDEntryType":"{kind}","MDEntryPx":"{price}e0","MDEntrySize":{size},"NumberOfOrders":1}}"#
        )
    };
    let mut lines = vec![];
    for last in [500, 600] {
        lines.push(snapshot(1, 71, last, r#"{"MDEntryType":"J"}"#));
        lines.push(snapshot(
            2,
            72,
            last,
            &[level(0, 99, 5), level(1, 101, 6)].join(","),
        ));
        lines.push(snapshot(3, 73, last, &level(0, 50, 7)));
        lines.push(r#"{"template":"Heartbeat","id":44,"fields":{"MsgSeqNum":4,"SendingTime":20130801100004000}}"#.into());
    }
    fs::write(folder.path().join("lines"), lines.join("\n")).unwrap();
    let encode = [
        "fast",
        "encode",
        "lines",
        "--templates",
        TEMPLATES,
        "--reset-each-packet",
        "--out",
        "snapshots.dat",
    ];
    json(&folder, &encode);
    let capture = [
        "fast",
        "capture",
        "snapshots.dat",
        "--templates",
        TEMPLATES,
        "--map",
        MAP,
        "--out",
        "snapshots.pcap",
    ];
    let written = json(&folder, &capture);
    assert_eq!(
        (&written["packets"], &written["first"], &written["last"]),
        (&8.into(), &1.into(), &4.into())
    );

    let line = UdpSocket::bind("127.0.0.1:0").unwrap();
    line.set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let to = line.local_addr().unwrap().to_string();
    json(
        &folder,
        &["replay", "snapshots.pcap", "--any-protocol", "--to", &to],
    );
    let map = Map::parse(&fs::read_to_string(MAP).unwrap()).unwrap();
    let templates = fast::Templates::parse(&fs::read_to_string(TEMPLATES).unwrap()).unwrap();
    let settings = fast::Settings {
        reset_each_packet: true,
        ..fast::Settings::default()
    };
    let reader = Snapshots::new(&templates, settings, fast::Framing::Preamble, &map);
    let mut reader = reader.unwrap().unwrap();
    let (mut numbers, mut found) = (vec![], vec![]);
    for _ in 0..8 {
        let mut packet = [0; 2_048];
        let length = line.recv(&mut packet).unwrap();
        numbers.push(u32::from_le_bytes(*packet.first_chunk().unwrap()));
        let cause = reader.datagram(&packet[..length], &mut |snapshot| {
            let levels = snapshot
                .events
                .iter()
                .map(|event| (event.price, event.quantity));
            found.push((snapshot.symbol, snapshot.next, levels.collect::<Vec<_>>()));
        });
        assert_eq!(cause, Cause::Good);
    }
    assert_eq!(numbers, [1, 2, 3, 4, 1, 2, 3, 4]);
    let of = |id| formats::Symbol::of_id(id).unwrap();
    let expected = [501, 601].map(|next| {
        [
            (of(71), next, vec![]),
            (of(72), next, vec![(99, 5), (101, 6)]),
            (of(73), next, vec![(50, 7)]),
        ]
    });
    assert_eq!(found, expected.concat());
}

#[test]
fn messages_without_a_number_are_no_line() {
    let folder = folder();
    let xml = "<templates><template name='T' id='1'><uInt32 name='n' id='34'/></template><template name='U' id='2'><uInt32 name='n' id='34'/></template></templates>";
    fs::write(folder.path().join("t.xml"), xml).unwrap();
    let map = "price_scale = 0\n[[template]]\nid = 2\nmessage_type = \"0\"\nsequence = 34\nkind = \"status\"\n";
    fs::write(folder.path().join("map.toml"), map).unwrap();
    let capture = [
        "fast",
        "capture",
        "data",
        "--templates",
        "t.xml",
        "--map",
        "map.toml",
        "--out",
        "out.pcap",
    ];
    fs::write(
        folder.path().join("data"),
        [0xc0, 0x81, 0x85, 0xc0, 0x81, 0x86],
    )
    .unwrap();
    let said = failure(&folder, 1, &capture);
    assert!(
        said.contains("none of 2 messages has a number by map.toml"),
        "{said}"
    );
    fs::write(
        folder.path().join("data"),
        [0xc0, 0x82, 0x85, 0xc0, 0x81, 0x86],
    )
    .unwrap();
    let output = tickwire(&folder, &capture);
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("the last 1 messages have no number"),
        "{said}"
    );
}

#[test]
fn a_stream_that_names_no_template_is_decoded_by_the_one_that_is_named() {
    let folder = folder();
    let xml = "<templates><template name='T' id='1'><uInt32 name='n' id='34'/></template><template name='U' id='2'><uInt32 name='m'/></template></templates>";
    fs::write(folder.path().join("t.xml"), xml).unwrap();
    fs::write(folder.path().join("map.toml"), "price_scale = 0\n[[template]]\nid = 1\nmessage_type = \"0\"\nsequence = 34\nkind = \"status\"\n").unwrap();
    // Presence map without the bit of an identifier, and a number: 5, 6.
    let bytes = [0x80, 0x85, 0x80, 0x86];
    fs::write(folder.path().join("data"), bytes).unwrap();
    let stream = ["--templates", "t.xml", "data"];
    let said = failure(&folder, 1, &[&["fast", "decode"][..], &stream].concat());
    assert!(said.contains("[D5]"), "{said}");
    let named = [&["--template", "1"][..], &stream].concat();
    let text = decode(&folder, &named);
    assert_eq!(
        text.lines().collect::<Vec<_>>(),
        [
            r#"{"template":"T","id":1,"fields":{"n":5}}"#,
            r#"{"template":"T","id":1,"fields":{"n":6}}"#
        ]
    );
    let events = tickwire(
        &folder,
        &[&["fast", "events", "--map", "map.toml"][..], &named].concat(),
    );
    assert_eq!(events.status.code(), Some(0));
    let events = String::from_utf8(events.stdout).unwrap();
    assert_eq!(events.lines().count(), 2);
    assert!(events.contains("\"sequence\":6"), "{events}");
    let found = json(&folder, &[&["fast", "statistics"][..], &named].concat());
    assert_eq!(found["packets"], 2);
    fs::write(folder.path().join("lines"), text).unwrap();
    let encode = [
        "fast",
        "encode",
        "lines",
        "--templates",
        "t.xml",
        "--template",
        "1",
        "--out",
        "again",
    ];
    json(&folder, &encode);
    assert_eq!(fs::read(folder.path().join("again")).unwrap(), bytes);
    let said = failure(
        &folder,
        1,
        &[&["fast", "decode", "--template", "7"][..], &stream].concat(),
    );
    assert!(said.contains("--template 7: t.xml has 1, 2"), "{said}");
}
