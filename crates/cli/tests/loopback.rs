//! `replay` to `run` over loopback: the reports are those of the pipeline fed directly.
//!
//! So few packets are sent that the receiver's buffer holds them all: however slow the machine, none is lost.

use std::io::{BufRead, BufReader, Lines};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use feed::PacketSource;
use feed::packetize::{Config, Packetizer};
use feed::source::{MessageReader, Options};
use formats::itch::Version;
use pipeline::Pipeline;
use serde_json::Value;

const SYMBOLS: &str = "A,B,C,NONE";
const PER_PACKET: u16 = 30;

/// A pipeline that listens; killed where a test fails.
struct Running {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Running {
    /// Starts it and waits until it listens; gives the addresses of its lines too.
    fn start(arguments: &[&str]) -> (Self, Vec<String>) {
        let mut child = Command::new(cargo_bin!("tickwire"))
            .args(["run", "--json", "--seconds", "60"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut running = Running { child, lines };
        let listening = running.next();
        assert_eq!(listening["type"], "listening");
        let bound = listening["lines"].as_array().unwrap();
        let bound = bound
            .iter()
            .map(|line| line.as_str().unwrap().to_owned())
            .collect();
        (running, bound)
    }

    fn next(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().expect("a line").unwrap()).unwrap()
    }

    /// The summary; it ends by itself.
    fn summary(mut self) -> Value {
        let summary = self.next();
        assert_eq!(summary["type"], "summary");
        assert!(self.child.wait().unwrap().success());
        summary
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn tickwire(arguments: &[&str]) -> Value {
    let output = Command::new(cargo_bin!("tickwire"))
        .args(arguments)
        .arg("--json")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

fn generate(file: &Path, version: &str) {
    let file = file.to_str().unwrap();
    tickwire(&[
        "generate",
        "itch",
        "--symbols",
        "4",
        "--messages",
        "1200",
        "--seconds",
        "5",
        "--itch",
        version,
        "--out",
        file,
    ]);
}

/// The reports of the pipeline without any socket.
fn expected(file: &Path, version: Version) -> Vec<Vec<u8>> {
    expected_of(file, version, PER_PACKET)
}

/// The same, for so many messages a packet.
fn expected_of(file: &Path, version: Version, per_packet: u16) -> Vec<Vec<u8>> {
    let symbols = SYMBOLS
        .split(',')
        .map(|symbol| Some(symbol.parse().unwrap()))
        .collect();
    let mut pipeline = Pipeline::new(pipeline::Config {
        version,
        accumulate: false,
        symbols,
    })
    .unwrap();
    let reader = MessageReader::open(file, Options::default()).unwrap();
    let config = Config {
        per_packet,
        ..Config::default()
    };
    let mut packets = Packetizer::new(reader, config);
    let mut reports = Vec::new();
    while let Some(packet) = packets.next_packet().unwrap() {
        if pipeline.datagram(packet.payload).report_due {
            reports.extend(pipeline.report().unwrap().map(<[u8]>::to_vec));
        }
    }
    reports
}

/// What arrived so far.
fn received(socket: &UdpSocket) -> Vec<Vec<u8>> {
    socket
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    let mut buffer = [0; 2_048];
    let mut reports = Vec::new();
    while let Ok(length) = socket.recv(&mut buffer) {
        reports.push(buffer[..length].to_vec());
    }
    reports
}

fn replayed_reports_equal_the_handlers(version: Version, name: &str, more: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("day");
    generate(&file, name);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let report_to = socket.local_addr().unwrap().to_string();
    let options = [
        "--listen",
        "127.0.0.1:0",
        "--symbols",
        SYMBOLS,
        "--itch",
        name,
        "--report-to",
        &report_to,
    ];
    let (running, lines) = Running::start(&[&options, more].concat());
    let (file_name, per_packet) = (file.to_str().unwrap(), PER_PACKET.to_string());
    let sent = tickwire(&[
        "replay",
        file_name,
        "--to",
        &lines[0],
        "--mbps",
        "100",
        "--per-packet",
        &per_packet,
    ]);
    let summary = running.summary();
    let expected = expected(&file, version);
    assert!(expected.len() > 3);
    assert_eq!(received(&socket), expected);
    assert_eq!(summary["ended"], "end_of_session");
    assert_eq!(summary["datagrams"], sent["packets"]);
    assert_eq!(summary["reports"], expected.len());
    assert_eq!(summary["counters"]["itch_messages"], 1_200);
    assert_eq!(summary["counters"]["mold_lost"], 0);
}

#[test]
fn reports_over_loopback_equal_the_handlers_blocking() {
    replayed_reports_equal_the_handlers(Version::V50, "5.0", &[]);
}

#[test]
fn reports_over_loopback_equal_the_handlers_by_busy_poll() {
    replayed_reports_equal_the_handlers(Version::V41, "4.1", &["--busy-poll"]);
}

#[test]
fn a_second_line_adds_nothing_but_old_packets() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("day");
    generate(&file, "5.0");
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let report_to = socket.local_addr().unwrap().to_string();
    let (running, lines) = Running::start(&[
        "--listen",
        "127.0.0.1:0",
        "--listen",
        "127.0.0.1:0",
        "--symbols",
        SYMBOLS,
        "--report-to",
        &report_to,
        "--packets",
        "82",
        "--stay",
    ]);
    let arguments = ["--line-b", &lines[1], "--mbps", "100", "--per-packet", "30"];
    let sent = tickwire(
        &[
            &["replay", file.to_str().unwrap(), "--to", &lines[0]],
            &arguments[..],
        ]
        .concat(),
    );
    assert_eq!(sent["lines"][0]["sent"], 41);
    assert_eq!(sent["lines"][1]["sent"], 41);
    let summary = running.summary();
    assert_eq!(received(&socket), expected(&file, Version::V50));
    let counters = &summary["counters"];
    assert_eq!(
        (&summary["ended"], &counters["mold_lost"]),
        (&"packets".into(), &0.into())
    );
    assert_eq!(counters["mold_packet"], 40);
}

/// A desk whose lines are not used: the test names its own.
fn desk(folder: &Path, arbitration: &str) -> String {
    let path = folder.join("desk.toml");
    let text = format!(
        "[feed]\nitch = \"5.0\"\nlines = [\"127.0.0.1:9\"]\n[arbitration]\n{arbitration}\n\
         [statistics]\nsymbols = [\"A\", \"B\", \"C\", \"NONE\"]\n[report]\nto = \"127.0.0.1:9\"\n"
    );
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Both lines lose a fifth of their packets; the messages, a packet each. Reports, summary of the run, and of the replay.
fn with_loss_on_both_lines(
    folder: &Path,
    arbitration: &str,
    more: &[&str],
) -> (Vec<Vec<u8>>, Value, Value) {
    let file = folder.join("day");
    generate(&file, "5.0");
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let report_to = socket.local_addr().unwrap().to_string();
    let desk = desk(folder, arbitration);
    let listen = ["--listen", "127.0.0.1:0", "--listen", "127.0.0.1:0"];
    let options = ["--desk", &desk, "--report-to", &report_to];
    let (running, lines) = Running::start(&[&listen[..], &options].concat());
    let to = [
        file.to_str().unwrap(),
        "--to",
        &lines[0],
        "--line-b",
        &lines[1],
    ];
    // The seed is one whose last packet, the end of session, arrives.
    let loss = ["--mbps", "4", "--loss", "0.2", "--seed", "2"];
    let sent = tickwire(&[&["replay"], &to[..], &loss, more].concat());
    (received(&socket), running.summary(), sent)
}

#[test]
fn what_both_lines_lost_is_asked_back_and_every_report_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let port = UdpSocket::bind("127.0.0.1:0").unwrap();
    let server = port.local_addr().unwrap().to_string();
    drop(port);
    let arbitration = format!(
        "output = \"high reliability\"\nwindow = \"count\"\ncount = 5\nrequest_server = \"{server}\""
    );
    let more = ["--request-server", &server, "--per-packet", "1"];
    let (reports, summary, sent) = with_loss_on_both_lines(folder.path(), &arbitration, &more);
    let file = folder.path().join("day");
    assert_eq!(reports, expected_of(&file, Version::V50, 1), "{summary}");
    let recovery = &summary["arbitration"]["recovery"];
    let lost = &summary["arbitration"]["high_reliability"]["lost"];
    assert!(lost.as_u64().unwrap() > 20, "{summary}");
    assert_eq!(
        (&recovery["recovered"], &recovery["lost"]),
        (lost, &0.into())
    );
    assert_eq!(summary["counters"]["mold_lost"], 0);
    assert_eq!(summary["counters"]["itch_messages"], 1_200);
    assert_eq!(summary["ended"], "end_of_session");
    assert_eq!(sent["requests"]["answered"], recovery["answer"]);
}

#[test]
fn without_a_request_server_the_loss_of_both_lines_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (_, summary, sent) = with_loss_on_both_lines(folder.path(), "", &["--per-packet", "1"]);
    let arbitration = &summary["arbitration"];
    assert_eq!(arbitration["output"], "low latency");
    assert_eq!(arbitration["recovery"], Value::Null);
    assert_eq!(sent["requests"], Value::Null);
    let low = &arbitration["low_latency"];
    assert_eq!(low["lost"], summary["counters"]["mold_lost"]);
    assert_eq!(low["gap"], summary["counters"]["mold_gap"]);
    let messages = summary["counters"]["itch_messages"].as_u64().unwrap();
    assert_eq!(messages + low["lost"].as_u64().unwrap(), 1_200);
    assert_eq!(
        summary["counters"]["mold_old"], 0,
        "the arbiter refuses them"
    );
    let lines = low["lines"].as_array().unwrap();
    let refused = |line: &Value| line["refused"].as_u64().unwrap();
    assert!(lines.iter().map(refused).sum::<u64>() > 500);
}
