//! What the tests share: strategies of files, CPython beside the interpreter.
#![allow(dead_code)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use language::event::Outcome;
use language::{Machine, Options, Program, compile};
use language_random::{Step, What};
use serde_json::{Value, json};

/// The source of a desk's strategy.
pub fn source(desk: &str) -> String {
    let path = strategy_path(desk);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Where it is.
pub fn strategy_path(desk: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../desks")
        .join(desk)
        .join("strategy.py")
}

/// A desk's strategy, checked.
pub fn load(name: &str, options: &Options) -> Program {
    compile(&source(name), options).unwrap_or_else(|messages| panic!("{name}: {messages}"))
}

/// A step, as `python -m tickwire` reads it.
pub fn line(step: &Step) -> Value {
    let mut line =
        json!({"now": step.now, "open_orders": step.open_orders, "positions": step.positions});
    match &step.what {
        What::Book(change, depth) => {
            line["book"] = json!(change);
            line["depth"] = json!(depth);
        }
        What::Trade(trade) => line["trade"] = json!(trade),
        What::Report(report) => line["report"] = json!(report),
        What::Timer => line["timer"] = json!(true),
        What::Parameters(values) => line["parameters"] = json!(values),
    }
    line
}

/// An outcome, as `python -m tickwire` prints it.
pub fn outcome_line(outcome: &Outcome, state: &[Vec<i64>]) -> Value {
    let record = |record: &language::Record| json!({"tag": record.tag, "values": record.values()});
    json!({
        "intents": outcome.intents,
        "records": outcome.records.iter().map(record).collect::<Vec<_>>(),
        "faults": outcome.faults,
        "state": state,
    })
}

/// A strategy for CPython with what happens to it.
pub struct Job {
    /// Its file.
    pub path: PathBuf,
    /// Instruments and decimals.
    pub options: Options,
    /// The values of its parameters by name.
    pub parameters: Vec<(String, i64)>,
    /// Whether a fault stops it.
    pub fault_stops: bool,
    /// What happens.
    pub steps: Vec<Step>,
}

/// Runs jobs in one CPython; what it prints, a line for each step of each job.
pub fn cpython(jobs: &[Job]) -> Vec<Value> {
    let mut input = String::new();
    for job in jobs {
        let parameters: serde_json::Map<String, Value> = job
            .parameters
            .iter()
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect();
        let load = json!({
            "load": job.path,
            "instruments": job.options.instruments,
            "price_decimals": job.options.price_decimals,
            "parameters": parameters,
            "fault_stops": job.fault_stops,
        });
        let _ = writeln!(input, "{load}");
        for step in &job.steps {
            let _ = writeln!(input, "{}", line(step));
        }
    }
    cpython_on(&input)
}

/// What `python -m tickwire` prints for these lines.
///
/// Python 3.11 or later is `TICKWIRE_PYTHON`, else that of the project's environment, else `python3`.
pub fn cpython_on(input: &str) -> Vec<Value> {
    let input = input.to_owned();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let of_project = root.join(".venv/bin/python");
    let python = match std::env::var_os("TICKWIRE_PYTHON") {
        Some(path) => PathBuf::from(path),
        None if of_project.exists() => of_project,
        None => PathBuf::from("python3"),
    };
    let mut process = Command::new(&python)
        .args(["-m", "tickwire"])
        .env("PYTHONPATH", root.join("python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", python.display()));
    let mut stdin = process.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || {
        // CPython may end early; what it says then is shown below.
        let _ = stdin.write_all(input.as_bytes());
    });
    let output = process.wait_with_output().expect("CPython ends");
    writer.join().expect("the writer ends");
    let printed = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert!(
        output.status.success(),
        "after {} lines: {}",
        lines.len(),
        String::from_utf8_lossy(&output.stderr)
    );
    lines
}

/// What a machine gives for the steps, as CPython prints it.
pub fn run(machine: &mut impl Machine, steps: &[Step]) -> Vec<Value> {
    let mut outcome = Outcome::default();
    let one = |step: &Step| {
        step.run(machine, &mut outcome);
        outcome_line(&outcome, &machine.state())
    };
    steps.iter().map(one).collect()
}
