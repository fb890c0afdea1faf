//! A generated module in Verilator, in a process of its own (`harness/main.cpp`).

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use formats::Side;
use language::event::{Event, Faults, LEVELS, Moment, New, Outcome, Record};
use language::{Intent, Machine, Program, slot};
use language_module::Module;

/// A module that runs.
pub struct Hardware {
    process: Child,
    /// The state is read through it, too.
    talk: RefCell<Talk>,
    module: Module,
    parameters: usize,
    instruments: usize,
    pub level_cycles: u32,
    pub stall: u32,
    pub stopped: bool,
    pub asserted: bool,
    /// Intents of the last event with a member that does not fit.
    pub unfit: usize,
    _folder: tempfile::TempDir,
}

struct Talk {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Talk {
    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("it listens");
    }

    fn answer(&mut self) -> Vec<i64> {
        self.input.flush().expect("it listens");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it answers");
        assert!(!line.is_empty(), "the model has ended");
        line.split_whitespace()
            .map(|number| number.parse().expect("a number"))
            .collect()
    }

    /// A word of the state.
    fn look(&mut self, word: u16) -> i64 {
        self.say(&format!("look {word}"));
        self.answer()[0]
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Verilator's launcher, as `crates/cosim` finds it.
fn verilator() -> PathBuf {
    if let Some(path) = std::env::var_os("TICKWIRE_VERILATOR") {
        return path.into();
    }
    let own = root().join(".venv/bin/verilator");
    if own.exists() {
        return own;
    }
    "verilator-cli".into()
}

fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

/// What Verilator's runtime compiles to: once for all tests.
fn runtime(include: &Path) -> PathBuf {
    use std::sync::OnceLock;
    static RUNTIME: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, object) = RUNTIME.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let object = folder.path().join("verilated.o");
        let both = folder.path().join("both.cpp");
        let text = "#include <verilated.cpp>\n#include <verilated_threads.cpp>\n";
        std::fs::write(&both, text).expect("written");
        let mut command = compiler(include);
        command.args(["-O1", "-c", "-o"]).arg(&object).arg(&both);
        run(&mut command);
        (folder, object)
    });
    object.clone()
}

fn compiler(include: &Path) -> Command {
    let mut command = Command::new("g++");
    command
        .args(["-std=c++17", "-w", "-DVM_TRACE=0", "-DVM_COVERAGE=0"])
        .arg("-I")
        .arg(include)
        .arg("-I")
        .arg(include.join("vltstd"))
        .arg("-I")
        .arg(root().join("crates/cosim/cpp"));
    command
}

impl Hardware {
    /// Builds it and loads its parameters.
    pub fn new(module: &Module, program: &Program, parameters: &[i64], stops: bool) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path();
        std::fs::write(at.join(format!("{}.sv", module.name)), &module.text).expect("written");
        let bench =
            std::fs::read_to_string(root().join("tests/rtl/processor_tb.sv")).expect("a bench");
        let bench = bench
            .replace("module processor_tb", "module module_tb")
            .replace(
                "  strategy_processor #(\n      .DEPTH(DEPTH)\n  ) processor (",
                &format!("  {} #(\n      .LOOK(1'b1)\n  ) strategy (", module.name),
            );
        assert!(bench.contains("LOOK"), "the bench has changed");
        std::fs::write(at.join("module_tb.sv"), bench).expect("written");
        let rtl = root().join("rtl/strategy");
        run(Command::new(verilator())
            .args(["--cc", "-O3", "--assert", "--no-timing", "-Wno-fatal"])
            .args(["--x-assign", "fast", "--x-initial", "fast"])
            .args(["--top-module", "module_tb", "--prefix", "Vtest", "--Mdir"])
            .arg(at.join("model"))
            .arg("-y")
            .arg(at)
            .arg("-y")
            .arg(rtl.join("processor"))
            .arg("-y")
            .arg(rtl.join("module"))
            .arg("+libext+.sv")
            .arg(rtl.join("processor/processor_pkg.sv"))
            .arg(at.join("module_tb.sv")));
        let told = run(Command::new(verilator()).args(["--getenv", "VERILATOR_ROOT"]));
        let include = Path::new(told.trim()).join("include");
        let mut text = String::new();
        let mut files: Vec<_> = std::fs::read_dir(at.join("model"))
            .expect("a folder")
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "cpp"))
            .collect();
        files.sort();
        for file in files {
            let _ = writeln!(text, "#include \"{}\"", file.display());
        }
        let harness = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/harness/main.cpp");
        let _ = writeln!(
            text,
            "#define MODEL Vtest\n#define NAME(f) test_##f\n#include \"{}\"",
            harness.display()
        );
        std::fs::write(at.join("all.cpp"), text).expect("written");
        let program_file = at.join("model_program");
        run(compiler(&include)
            .arg("-O0")
            .arg("-I")
            .arg(at.join("model"))
            .arg("-o")
            .arg(&program_file)
            .arg(at.join("all.cpp"))
            .arg(runtime(&include))
            .arg("-pthread"));
        let mut process = Command::new(&program_file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut hardware = Hardware {
            talk: RefCell::new(Talk {
                input: process.stdin.take().expect("piped"),
                output: BufReader::new(process.stdout.take().expect("piped")),
            }),
            process,
            module: module.clone(),
            parameters: program.parameters.len(),
            instruments: program.instruments,
            level_cycles: 0,
            stall: 0,
            stopped: false,
            asserted: false,
            unfit: 0,
            _folder: folder,
        };
        hardware.say("hold 1");
        hardware.say(&format!("load 3 0 {}", i64::from(stops) | 2));
        hardware.say("hold 0");
        hardware.set_parameters(parameters);
        hardware
    }

    fn say(&mut self, line: &str) {
        self.talk.get_mut().say(line);
    }
}

impl Drop for Hardware {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Machine for Hardware {
    fn handle(&mut self, moment: &Moment<'_>, event: &Event<'_>, outcome: &mut Outcome) {
        outcome.clear();
        self.say("hold 1");
        for place in 0..self.instruments {
            let position = moment.positions.get(place).copied().unwrap_or(0);
            let address = self.parameters + place;
            self.say(&format!("load 0 {address} {position}"));
        }
        self.say("hold 0");
        let handler = slot::handler(event);
        let mut line = format!("event {handler} {} {}", self.level_cycles, self.stall);
        for input in slot::inputs(moment, event) {
            let _ = write!(line, " {input}");
        }
        for side in [Side::Buy, Side::Sell] {
            for number in 0..LEVELS {
                let level = match event {
                    Event::Book(_, depth) => depth.level(side, number),
                    _ => language::Level::default(),
                };
                let _ = write!(line, " {} {} {}", level.price, level.quantity, level.orders);
            }
        }
        self.say(&line);
        let answer = self.talk.get_mut().answer();
        let [
            _,
            _,
            division,
            index,
            intents,
            stopped,
            asserted,
            sent,
            items,
        ] = answer[..9]
        else {
            panic!("{answer:?}");
        };
        outcome.faults = Faults {
            division: division as u64,
            index: index as u64,
            intents: intents as u64,
        };
        self.stopped = stopped != 0;
        self.asserted |= asserted != 0;
        let (given, told) = answer[9..].split_at(9 * sent as usize);
        self.unfit = 0;
        for intent in given.chunks(9) {
            self.unfit += usize::from(intent[1] == 0);
            outcome.intents.push(named(intent));
        }
        assert_eq!(told.len(), 3 * items as usize);
        let mut values = Vec::new();
        for item in told.chunks(3) {
            if item[0] == 0 {
                values.push(item[2]);
            } else {
                outcome.records.push(Record::new(item[1] as u8, &values));
                values.clear();
            }
        }
    }

    fn set_parameters(&mut self, values: &[i64]) {
        self.say("hold 1");
        for (address, value) in values.iter().enumerate() {
            self.say(&format!("load 0 {address} {value}"));
        }
        self.say("hold 0");
    }

    fn state(&self) -> Vec<Vec<i64>> {
        let mut talk = self.talk.borrow_mut();
        let mut look = |at: u16, length: u16| -> Vec<i64> {
            (at..at + length).map(|word| talk.look(word)).collect()
        };
        let mut state = Vec::new();
        for place in &self.module.fields {
            let values = look(place.at, place.length);
            state.push(if place.ring {
                let after = place.at + place.length;
                let [newest, count] = [after, after + 1].map(|word| look(word, 1)[0] as usize);
                (0..count)
                    .map(|age| values[(newest + age) % values.len()])
                    .collect()
            } else {
                values
            });
        }
        state
    }
}

fn named(intent: &[i64]) -> Intent {
    let [
        kind,
        _,
        order,
        time,
        limit,
        sell,
        instrument,
        price,
        quantity,
    ] = intent[..]
    else {
        panic!("{intent:?}");
    };
    match kind {
        0 => Intent::New(New {
            order,
            side: if sell == 0 { Side::Buy } else { Side::Sell },
            instrument,
            price: (limit != 0).then_some(price),
            quantity,
            time_in_force: slot::time_in_force(time as u8),
        }),
        1 => Intent::Cancel { order },
        _ => Intent::Replace {
            order,
            price,
            quantity,
        },
    }
}
