//! The model of A/B arbitration against the Verilated arbiter, on the lines it assumes: exponential gaps, independent losses, a constant skew.
//!
//! A mean may differ by a tenth of the model's, for what the model leaves out (gaps that overlap; packets that come while others leave), and by three standard
//! errors of the measured one, from the means of 20 stretches.

use arbiter::{Mode, Window};
use figures::arbitration_model::{
    AFTER_COPY_CYCLES, AFTER_COUNT_CYCLES, AFTER_TIME_CYCLES, Prediction, Setting,
};
use lockstep::arbiter::{Arbiter, Change, Design, Record, Seen, Sent, Settings};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const DESIGN: Design = Design::Mold128;
/// 3 beats; with the rest of a frame 114 bytes, 8 cycles: packets of a line begin no closer.
const BYTES: usize = 48;
const SPACING: u64 = 8;
const STRETCHES: usize = 20;
/// In `make test` one of so many packets; the tolerance follows from what is measured.
const SHARE: usize = 3;

/// Lines in cycles.
#[derive(Clone, Copy, Debug)]
struct Lines {
    packets: usize,
    mean_gap: u64,
    loss: f64,
    skew: u64,
    seed: u64,
}

/// What the hardware did to each packet sent: cycles from the line that was first to the output, `None` if it did not come out.
struct Measured {
    low: Vec<Option<u64>>,
    high: Vec<Option<u64>>,
}

/// A mean and its standard error.
#[derive(Clone, Copy, Debug)]
struct Mean {
    value: f64,
    error: f64,
}

impl Mean {
    fn of(values: &[f64]) -> Self {
        let stretch = values.len().div_ceil(STRETCHES);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let means: Vec<f64> = values.chunks(stretch).map(mean).collect();
        let (value, count) = (mean(values), means.len() as f64);
        let squares: f64 = means.iter().map(|mean| (mean - value).powi(2)).sum();
        Self {
            value,
            error: (squares / (count - 1.0) / count).sqrt(),
        }
    }

    fn assert_near(self, model: f64, what: &str) {
        println!(
            "{what}: {:.4} ± {:.4}, model {model:.4}",
            self.value, self.error
        );
        let allowed = 0.1 * model + 3.0 * self.error;
        assert!(
            (self.value - model).abs() <= allowed,
            "{what}: measured {self:?}, model {model}"
        );
    }
}

/// A packet of a message.
fn packet(number: u64) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    bytes[10..18].copy_from_slice(&number.to_be_bytes());
    bytes[18..20].copy_from_slice(&1_u16.to_be_bytes());
    bytes
}

/// Runs random lines through the hardware.
fn measure(lines: &Lines, window: Window, idle_limit: u64) -> Measured {
    let mut random = ChaCha8Rng::seed_from_u64(lines.seed);
    let mut begin = 100;
    let mut packets: Vec<([u8; BYTES], u64, [bool; 2])> = vec![];
    let share = if std::env::var_os("TICKWIRE_LONG").is_some() {
        1
    } else {
        SHARE
    };
    for number in 1..=(lines.packets / share) as u64 {
        let mean = (lines.mean_gap - SPACING) as f64;
        let gap = -mean * (1.0 - random.random::<f64>()).ln();
        begin += SPACING + gap.round() as u64;
        let bytes = packet(number);
        let arrives = [0, 1].map(|_| random.random::<f64>() >= lines.loss);
        packets.push((bytes, begin, arrives));
    }
    let settings = Settings {
        mode: window.mode,
        time_window: u32::try_from(window.time).unwrap(),
        count_window: u16::try_from(window.count).unwrap(),
        idle_limit: u32::try_from(idle_limit).unwrap(),
    };
    let change = Change {
        cycle: 0,
        settings,
        flush: false,
    };
    let delays = [0, lines.skew];
    let sent = packets.iter().flat_map(|(bytes, begin, arrives)| {
        [0, 1].into_iter().filter_map(move |line| {
            arrives[line].then_some(Sent {
                line,
                begin: begin + delays[line],
                bytes,
                good: true,
            })
        })
    });
    let record = Arbiter::new(DESIGN).run(sent, &[change], begin + 100 * lines.mean_gap);
    let Record { low, high, .. } = record;
    assert!(!record.asserted);
    let latencies = |output: &[Seen]| {
        let mut latencies = vec![None; packets.len()];
        for seen in output.iter().filter(|seen| !seen.err) {
            let number = u64::from_be_bytes(seen.bytes[10..18].try_into().unwrap());
            let index = number as usize - 1;
            let (_, begin, arrives) = packets[index];
            let first = begin + if arrives[0] { 0 } else { lines.skew };
            assert_eq!(
                latencies[index].replace(seen.begin - first),
                None,
                "{number} came twice"
            );
        }
        latencies
    };
    Measured {
        low: latencies(&low),
        high: latencies(&high),
    }
}

/// The model of the same, with times in cycles of a nanosecond.
fn model(lines: &Lines, window: Window, idle_limit: u64) -> Prediction {
    let mut protocol = DESIGN.protocol();
    // None is longer.
    protocol.maximum = BYTES;
    let setting = Setting {
        clock_megahertz: 1_000.0,
        line_gigabits_per_second: 128.0,
        packet_bytes: BYTES,
        packets_per_second: 1e9 / lines.mean_gap as f64,
        window,
        loss_probability: lines.loss,
        skew_nanoseconds: lines.skew as f64,
        idle_limit_nanoseconds: idle_limit as f64,
        ..Setting::new(protocol, 128)
    };
    assert_eq!(setting.check(), Ok(()));
    setting.at(1.0)
}

fn assert_as_modelled(lines: &Lines, window: Window) {
    let idle_limit = 30 * lines.mean_gap;
    let measured = measure(lines, window, idle_limit);
    let model = model(lines, window, idle_limit);
    println!("{lines:?} {window:?}");
    for (name, latencies, model) in [
        ("low latency", &measured.low, model.low_latency),
        ("high reliability", &measured.high, model.high_reliability),
    ] {
        let delivered: Vec<f64> = latencies
            .iter()
            .flatten()
            .map(|cycles| *cycles as f64)
            .collect();
        Mean::of(&delivered).assert_near(model.expected_cycles, &format!("{name}, cycles"));
        let worst = delivered.iter().copied().fold(0.0, f64::max);
        println!("{name}, maximum: {worst}, model {}", model.maximum_cycles);
        assert!(
            worst <= model.maximum_cycles,
            "{name}: {worst} cycles, model {}",
            model.maximum_cycles
        );
        let lost: Vec<f64> = latencies
            .iter()
            .map(|cycles| f64::from(u8::from(cycles.is_none())))
            .collect();
        Mean::of(&lost).assert_near(model.lost_share, &format!("{name}, share lost"));
    }
    // All that took longer than a wait for the output was kept.
    let waited = |cycles: &&u64| **cycles as f64 > model.low_latency.maximum_cycles;
    let early: Vec<f64> = measured
        .high
        .iter()
        .flatten()
        .filter(waited)
        .map(|cycles| *cycles as f64)
        .collect();
    Mean::of(&early).assert_near(model.early.expected_cycles, "early packets, cycles");
}

const RARE: Lines = Lines {
    packets: 15_000,
    mean_gap: 600,
    loss: 0.03,
    skew: 400,
    seed: 1,
};

const OFTEN: Lines = Lines {
    packets: 25_000,
    mean_gap: 200,
    loss: 0.03,
    skew: 250,
    seed: 2,
};

#[test]
fn the_time_window_takes_what_the_model_says() {
    let window = Window {
        mode: Mode::Time,
        time: 500,
        count: 1,
    };
    assert_as_modelled(&RARE, window);
    assert_as_modelled(&OFTEN, window);
}

#[test]
fn a_time_window_shorter_than_the_skew_gives_up_as_many_as_the_model_says() {
    let window = Window {
        mode: Mode::Time,
        time: 120,
        count: 1,
    };
    assert_as_modelled(&OFTEN, window);
}

#[test]
fn the_count_window_takes_what_the_model_says() {
    let window = Window {
        mode: Mode::Count,
        time: 0,
        count: 2,
    };
    assert_as_modelled(&RARE, window);
    assert_as_modelled(&OFTEN, window);
}

#[test]
fn the_time_and_count_window_takes_what_the_model_says() {
    let window = Window {
        mode: Mode::TimeAndCount,
        time: 300,
        count: 2,
    };
    assert_as_modelled(&RARE, window);
    assert_as_modelled(&OFTEN, window);
}

/// Only the wait: without loss there is nothing else.
#[test]
fn wrong_guesses_cost_the_low_latency_output_what_the_model_says() {
    let lines = Lines {
        packets: 60_000,
        mean_gap: 50,
        loss: 0.0,
        skew: 333,
        seed: 3,
    };
    let window = Window::default();
    let model = model(&lines, window, 0).low_latency;
    let measured = measure(&lines, window, 0);
    let waits: Vec<f64> = measured
        .low
        .iter()
        .map(|cycles| cycles.unwrap() as f64 - 1.0)
        .collect();
    Mean::of(&waits).assert_near(model.expected_cycles - 1.0, "wait, cycles");
    let worst = waits.iter().copied().fold(0.0, f64::max);
    assert!(
        worst > 0.0 && worst <= model.maximum_cycles - 1.0,
        "{worst}"
    );
}

/// Packet 2 is missing, 3 is early, from cycle 200 on: what lets it go ends, and so many cycles later it leaves.
#[test]
fn what_is_kept_leaves_as_long_after_its_cause_as_the_model_says() {
    let last_beat = DESIGN.beats(BYTES) - 1;
    let copy = [(0, 100, 1), (0, 200, 3), (1, 300, 2)];
    let count = [(0, 100, 1), (0, 200, 3), (0, 300, 4)];
    for (mode, arrivals, cause, after) in [
        (Mode::Time, &copy[..], 300 + last_beat, AFTER_COPY_CYCLES),
        (
            Mode::Time,
            &copy[..2],
            200 + last_beat + 500,
            AFTER_TIME_CYCLES,
        ),
        (Mode::Count, &count[..], 300 + last_beat, AFTER_COUNT_CYCLES),
    ] {
        let settings = Settings {
            mode,
            time_window: 500,
            count_window: 2,
            idle_limit: 0,
        };
        let change = Change {
            cycle: 0,
            settings,
            flush: false,
        };
        let packets: Vec<_> = arrivals
            .iter()
            .map(|(line, begin, number)| (*line, *begin, packet(*number)))
            .collect();
        let sent = packets.iter().map(|(line, begin, bytes)| Sent {
            line: *line,
            begin: *begin,
            bytes,
            good: true,
        });
        let high = Arbiter::new(DESIGN).run(sent, &[change], 2_000).high;
        let kept = high
            .iter()
            .find(|seen| !seen.err && seen.bytes == packet(3));
        let took = kept.expect("packet 3 leaves").begin - cause;
        println!("{mode:?}: {took} cycles, model {after}");
        // The RTL may gain or lose a register without another model.
        assert!(
            took.abs_diff(after) <= 2,
            "{mode:?}: {took} cycles, model {after}"
        );
    }
}
