//! FIX order to acknowledgement over loopback TCP: `tickwire exchange` beside QuickFIX's acceptor, the same client, in turns.
//!
//! The time is from the call that gives a NewOrderSingle to the kernel to the return of the call that brings the last byte of its
//! ExecutionReport. `memory`, `durable` (in a file that survives the end of the process, as QuickFIX's file store) and `power` (the disk has
//! it) are ours. Each acceptor is a process of its own; they take turns of some hundred orders, so that other load on the machine
//! affects all of them.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use formats::Side;
use formats::fix::{
    self, Body, Decimal, ExecutionReport, Frame, Header, Logon, Logout, NewOrderSingle, OrdType,
    Timestamp, Version,
};
use report::distribution::Distribution;
use serde_json::{Value, json};

use crate::Progress;

/// Names of the two sides.
const CLIENT: &str = "BENCH";
const EXCHANGE: &str = "TICKWIRE";
/// Orders of a turn.
const TURN: u32 = 250;
/// Orders at the beginning that do not count.
const WARM_UP: u32 = 200;
/// How long to wait for an acceptor, or for an answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// What to measure.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program `tickwire`.
    pub tickwire: PathBuf,
    /// The project's root: the peer is built from `tests/peers` there, into `out/peers`.
    pub project: PathBuf,
    /// Orders to each acceptor.
    pub orders: u32,
}

/// An acceptor and the client that is logged on to it.
struct Peer {
    name: &'static str,
    process: Child,
    client: Client,
    latencies: Distribution,
    /// One order of so many: those of a peer that waits for the disk are few.
    one_of: u32,
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Fails where it has ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Measures; the members are those of `fix_ack` in the benchmark's JSON: per acceptor the percentiles in microseconds, or why it is not
/// there.
///
/// # Errors
/// An acceptor of ours does not start or does not answer.
pub fn fix_ack(options: &Options, progress: Progress) -> io::Result<Value> {
    let folder = tempfile::tempdir()?;
    let journal = folder.path().join("power");
    let mut power = exchange("power", options, Some((&journal, "power")))?;
    power.one_of = 25;
    let mut peers = vec![
        exchange("memory", options, None)?,
        exchange(
            "durable",
            options,
            Some((&folder.path().join("journal"), "process")),
        )?,
        power,
    ];
    let mut figures = json!({"orders": options.orders});
    match build_quickfix(&options.project) {
        Ok(program) => {
            let store = folder.path().join("quickfix");
            peers.push(quickfix("quickfix", &program, "-", "bench")?);
            peers.push(quickfix(
                "quickfix_threaded",
                &program,
                "-",
                "bench-threaded",
            )?);
            let store = store.to_string_lossy();
            peers.push(quickfix("quickfix_file", &program, &store, "bench")?);
        }
        Err(reason) => figures["quickfix"] = Value::from(format!("skipped: {reason}")),
    }
    for peer in &mut peers {
        for _ in 0..WARM_UP / peer.one_of {
            peer.client.order()?;
        }
    }
    let mut done = 0;
    while done < options.orders {
        progress(
            "FIX round trips",
            u64::from(done),
            u64::from(options.orders),
        );
        let turn = TURN.min(options.orders - done);
        for peer in &mut peers {
            for _ in 0..turn.div_ceil(peer.one_of) {
                let time = peer.client.order()?;
                peer.latencies.add(time.as_nanos() as u64);
            }
        }
        done += turn;
    }
    for peer in &mut peers {
        peer.client.log_out()?;
        let microseconds = peer.latencies.summary().scaled(1e-3);
        figures[peer.name] = serde_json::to_value(microseconds)?;
    }
    if figures["quickfix_file"].is_object() {
        figures["disk_over_quickfix"] = json!({
            "p50": ratio(&figures, "p50"),
            "p99": ratio(&figures, "p99"),
        });
    }
    Ok(figures)
}

/// How many times as long as with QuickFIX's file store an order takes with ours, at the same promise: what was acknowledged survives the
/// end of the process.
fn ratio(figures: &Value, percentile: &str) -> Option<f64> {
    let of = |peer: &str| figures[peer][percentile].as_f64();
    Some(of("durable")? / of("quickfix_file")?)
}

/// Starts `tickwire exchange`, with a journal in a folder at a level of durability, or without.
fn exchange(
    name: &'static str,
    options: &Options,
    journal: Option<(&Path, &str)>,
) -> io::Result<Peer> {
    let mut command = Command::new(&options.tickwire);
    command
        .args(["exchange", "--json", "--client", CLIENT, "--symbols", "ABC"])
        .args(["--name", EXCHANGE, "--listen", "127.0.0.1:0"]);
    if let Some((folder, level)) = journal {
        command.arg("--journal").arg(folder);
        command.args(["--durability", level]);
    }
    let (process, line) = start(command)?;
    let line: Value = serde_json::from_str(&line)?;
    let address = line["listening"]
        .as_str()
        .and_then(|text| text.parse().ok());
    Peer::new(name, process, address)
}

/// Starts QuickFIX's acceptor.
fn quickfix(name: &'static str, program: &Path, store: &str, mode: &str) -> io::Result<Peer> {
    // It needs a port: one that was free a moment ago.
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let mut command = Command::new(program);
    command
        .arg(address.port().to_string())
        .args(["FIX.4.4", EXCHANGE, CLIENT, store, mode]);
    let (process, _) = start(command)?;
    Peer::new(name, process, Some(address))
}

/// Starts an acceptor and waits for its first line.
fn start(mut command: Command) -> io::Result<(Child, String)> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = command.spawn()?;
    let mut line = String::new();
    if let Some(output) = &mut process.stdout {
        BufReader::new(output).read_line(&mut line)?;
    }
    Ok((process, line))
}

/// Builds QuickFIX's acceptor where it can be built; the error is why it cannot.
fn build_quickfix(project: &Path) -> Result<PathBuf, String> {
    let script = project.join("tests/peers/build_quickfix.sh");
    let built = Command::new("sh")
        .arg(&script)
        .arg(project.join("out/peers"))
        .output();
    match built {
        Ok(output) if output.status.success() => {
            let path = String::from_utf8_lossy(&output.stdout);
            Ok(PathBuf::from(path.trim_end()))
        }
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr)
            .trim_end()
            .to_owned()),
        Err(error) => Err(format!("{}: {error}", script.display())),
    }
}

impl Peer {
    fn new(name: &'static str, process: Child, address: Option<SocketAddr>) -> io::Result<Self> {
        let address = address.ok_or_else(|| io::Error::other(format!("{name}: no address")))?;
        Ok(Peer {
            name,
            process,
            client: Client::log_on(address)?,
            latencies: Distribution::default(),
            one_of: 1,
        })
    }
}

/// The least client that an acceptor accepts.
struct Client {
    stream: TcpStream,
    sequence: u64,
    input: Vec<u8>,
    buffer: [u8; 1_024],
}

impl Client {
    fn log_on(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut client = Client {
            stream,
            sequence: 1,
            input: vec![],
            buffer: [0; 1_024],
        };
        client.send(&Logon {
            heartbeat_interval: 60,
            ..Logon::default()
        })?;
        client.wait_for(Logon::MSG_TYPE)?;
        Ok(client)
    }

    /// An order, and how long its report takes.
    fn order(&mut self) -> io::Result<Duration> {
        let name = format!("ORD{:07}", self.sequence);
        let order = NewOrderSingle {
            client_order_id: name.as_bytes(),
            handling: Some(b'1'),
            symbol: b"ABC",
            side: Side::Buy,
            transact_time: now(),
            quantity: Some(Decimal::new(100, 0)),
            order_type: OrdType::Limit,
            price: Some(Decimal::new(10_000, 2)),
            ..NewOrderSingle::default()
        };
        let length = self.encode(&order)?;
        let start = Instant::now();
        self.stream
            .write_all(self.buffer.get(..length).unwrap_or_default())?;
        self.wait_for(ExecutionReport::MSG_TYPE)?;
        Ok(start.elapsed())
    }

    fn log_out(&mut self) -> io::Result<()> {
        self.send(&Logout::default())?;
        self.wait_for(Logout::MSG_TYPE)
    }

    fn encode<'b, B: Body<'b>>(&mut self, body: &B) -> io::Result<usize> {
        let header = Header {
            sender: CLIENT.as_bytes(),
            target: EXCHANGE.as_bytes(),
            sequence: self.sequence,
            sending_time: now(),
            ..Header::default()
        };
        self.sequence += 1;
        let length = fix::encode(&mut self.buffer, Version::Fix44, &header, body);
        length.map_err(io::Error::other)
    }

    fn send<'b, B: Body<'b>>(&mut self, body: &B) -> io::Result<()> {
        let length = self.encode(body)?;
        self.stream
            .write_all(self.buffer.get(..length).unwrap_or_default())
    }

    /// Reads up to a message of a type; what comes before it is skipped.
    fn wait_for(&mut self, msg_type: &[u8]) -> io::Result<()> {
        let mut bytes = [0; 4_096];
        loop {
            while let Frame::Message(message) = fix::frame(&self.input, fix::LONGEST_BODY) {
                let (length, found) = (message.len(), message.msg_type() == msg_type);
                self.input.drain(..length);
                if found {
                    return Ok(());
                }
            }
            match self.stream.read(&mut bytes)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                length => self.input.extend_from_slice(&bytes[..length]),
            }
        }
    }
}

fn now() -> Timestamp {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    Timestamp(now.unwrap_or_default().as_nanos() as u64)
}
