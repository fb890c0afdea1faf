//! `tickwire fast`: real feeds there and back, and what it says of bad files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{failure, folder, json, tickwire};
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
