//! `tickwire-verify model`: the hardware's latency by formulas.

use std::fmt;
use std::path::PathBuf;

use arbiter::{Mode, Protocol, Window};
use clap::{Args, Subcommand, ValueEnum};
use figures::arbitration_model::{Latency, Prediction, Published, Setting, plot, published};
use serde::Serialize;
use tickwire::{Console, nanoseconds, positive};

use crate::error::Error;

/// What system D asks the saturation indicator for.
const FACTORS: [f64; 3] = [1.0, 10.0, 100.0];

/// Compute the hardware's latency by formulas
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  tickwire-verify model arbitration")]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Arbitration(Arbitration),
}

/// Latency, worst-case delay and saturation of A/B arbitration, at 1, 10 and 100 times the rate
///
/// The formulas, and what they assume, are in docs/concepts/arbitration.md.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire-verify model arbitration --width 128 --window time --window-time 100us
  tickwire-verify model arbitration --protocol opra --loss 0.001 --chart out/model/arbitration.svg")]
struct Arbitration {
    /// The feed's protocol
    #[arg(long, value_enum, default_value_t = ProtocolOption::MoldUdp64)]
    protocol: ProtocolOption,
    /// Bits in a beat: 8, 64 or 128
    #[arg(long, value_name = "BITS", default_value_t = 64)]
    width: u32,
    /// Clock [default: 125, 156.25 or 166, by width]
    #[arg(long, value_name = "MHZ", value_parser = positive)]
    clock: Option<f64>,
    /// Rate of each line, Gb/s [default: width times clock]
    #[arg(long, value_name = "GBPS", value_parser = positive)]
    line_rate: Option<f64>,
    /// UDP payload of the packets
    #[arg(long, value_name = "BYTES", default_value_t = 100)]
    packet: usize,
    /// Messages in each packet
    #[arg(long, value_name = "N", default_value_t = 1)]
    messages: u32,
    /// Packets a second at 1x
    #[arg(long, value_name = "PER_SECOND", default_value_t = 1_000.0, value_parser = positive)]
    rate: f64,
    /// What closes the window
    #[arg(long, value_enum, default_value_t = WindowOption::TimeAndCount)]
    window: WindowOption,
    /// The time window
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = nanoseconds)]
    window_time: u64,
    /// The count window, in messages
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    window_count: u64,
    /// Probability that a line loses a packet
    #[arg(long, value_name = "P", default_value_t = 0.01)]
    loss: f64,
    /// How far one line runs behind the other
    #[arg(long, value_name = "TIME", default_value = "10us", value_parser = nanoseconds)]
    skew: u64,
    /// Draw delay over the rate, 0.1x to 1000x, for each window mode, as SVG
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,
}

/// The presets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum ProtocolOption {
    /// MoldUDP64, as TotalView-ITCH uses it
    MoldUdp64,
    /// OPRA
    Opra,
    /// ARCA (XDP)
    Arca,
    /// Moscow Exchange's preamble
    Moex,
}

impl From<ProtocolOption> for Protocol {
    fn from(option: ProtocolOption) -> Self {
        match option {
            ProtocolOption::MoldUdp64 => Protocol::MOLD_UDP64,
            ProtocolOption::Opra => Protocol::OPRA,
            ProtocolOption::Arca => Protocol::ARCA,
            ProtocolOption::Moex => Protocol::MOEX,
        }
    }
}

/// The window's modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum WindowOption {
    /// Time
    Time,
    /// Messages kept
    Count,
    /// Whichever comes first
    TimeAndCount,
}

impl Arbitration {
    fn setting(&self) -> Result<Setting, Error> {
        let mut setting = Setting::new(self.protocol.into(), self.width);
        if let Some(clock) = self.clock {
            setting.clock_megahertz = clock;
            setting.line_gigabits_per_second = f64::from(self.width) * clock / 1e3;
        }
        if let Some(rate) = self.line_rate {
            setting.line_gigabits_per_second = rate;
        }
        setting.packet_bytes = self.packet;
        setting.messages_per_packet = self.messages;
        setting.packets_per_second = self.rate;
        setting.window = Window {
            mode: match self.window {
                WindowOption::Time => Mode::Time,
                WindowOption::Count => Mode::Count,
                WindowOption::TimeAndCount => Mode::TimeAndCount,
            },
            time: self.window_time,
            count: self.window_count,
        };
        setting.loss_probability = self.loss;
        setting.skew_nanoseconds = self.skew as f64;
        setting.check()?;
        Ok(setting)
    }
}

/// What the model says.
#[derive(Serialize)]
struct Output {
    protocol: ProtocolOption,
    width_bits: u32,
    clock_megahertz: f64,
    line_gigabits_per_second: f64,
    packet_bytes: usize,
    messages_per_packet: u32,
    window: WindowOption,
    time_window_nanoseconds: u64,
    count_window_messages: u64,
    loss_probability: f64,
    skew_nanoseconds: f64,
    cycles_to_number: u64,
    rates: Vec<Prediction>,
    saturation_packets_per_second: f64,
    published: Published,
    chart: Option<PathBuf>,
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} bits at {} MHz, lines of {:.2} Gb/s; packets of {} bytes, messages in each: {}; {} % lost a line, the follower {} behind",
            self.width_bits,
            self.clock_megahertz,
            self.line_gigabits_per_second,
            self.packet_bytes,
            self.messages_per_packet,
            self.loss_probability * 100.0,
            time(self.skew_nanoseconds),
        )?;
        writeln!(
            f,
            "cycles to the sequence number: {}\n",
            self.cycles_to_number
        )?;
        self.row(f, "", |at| format!("{}x", at.rate_factor))?;
        self.row(f, "packets a second", |at| {
            format!("{}", at.packets_per_second)
        })?;
        self.row(f, "line load", |at| percent(at.line_load))?;
        self.output(f, "low latency", |at| &at.low_latency)?;
        self.output(f, "high reliability", |at| &at.high_reliability)?;
        self.row(f, "  early packets", |at| percent(at.early.share))?;
        self.row(f, "  expected of these", |at| {
            time(at.early.expected_nanoseconds)
        })?;
        self.row(f, "window", |at| time(at.window_nanoseconds))?;
        self.row(f, "worst-case delay", |at| {
            time(at.worst_case_delay_nanoseconds)
        })?;
        self.row(f, "packets meanwhile", |at| {
            format!("{:.2}", at.packets_in_worst_case_delay)
        })?;
        self.row(f, "saturated", |at| {
            if at.saturated { "yes" } else { "no" }.into()
        })?;
        writeln!(
            f,
            "\nsaturated above {:.0} packets a second",
            self.saturation_packets_per_second
        )?;
        let published = &self.published;
        write!(
            f,
            "published (system D, 128 bits at {} MHz): low latency {} cycle, {} ns; high reliability {} cycles, {} ns for an expected packet, here {}",
            published.clock_megahertz,
            published.low_latency_cycles,
            published.low_latency_nanoseconds,
            published.high_reliability_cycles,
            published.high_reliability_nanoseconds,
            published.high_reliability_cycles_here,
        )?;
        match &self.chart {
            Some(path) => write!(f, "\n{}", path.display()),
            None => Ok(()),
        }
    }
}

impl Output {
    fn output(
        &self,
        f: &mut fmt::Formatter<'_>,
        name: &str,
        of: impl Fn(&Prediction) -> &Latency,
    ) -> fmt::Result {
        writeln!(f, "{name}")?;
        self.row(f, "  expected, cycles", |at| {
            format!("{:.4}", of(at).expected_cycles)
        })?;
        self.row(f, "  expected", |at| time(of(at).expected_nanoseconds))?;
        self.row(f, "  maximum", |at| time(of(at).maximum_nanoseconds))?;
        self.row(f, "  lost", |at| percent(of(at).lost_share))
    }

    fn row(
        &self,
        f: &mut fmt::Formatter<'_>,
        name: &str,
        of: impl Fn(&Prediction) -> String,
    ) -> fmt::Result {
        write!(f, "{name:<20}")?;
        for at in &self.rates {
            write!(f, "{:>14}", of(at))?;
        }
        writeln!(f)
    }
}

/// `6.40 ns`, `57.7 µs`.
fn time(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "µs"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    let digits = match value {
        value if value < 10.0 => 2,
        value if value < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

fn percent(share: f64) -> String {
    format!("{:.4} %", share * 100.0)
}

/// Runs the command.
///
/// # Errors
/// The setting is impossible, or the plot cannot be written.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let What::Arbitration(arguments) = &arguments.what;
    let setting = arguments.setting()?;
    if let Some(path) = &arguments.chart {
        plot::write(&setting, path)?;
    }
    Ok(console.print(&Output {
        protocol: arguments.protocol,
        width_bits: setting.width_bits,
        clock_megahertz: setting.clock_megahertz,
        line_gigabits_per_second: setting.line_gigabits_per_second,
        packet_bytes: setting.packet_bytes,
        messages_per_packet: setting.messages_per_packet,
        window: arguments.window,
        time_window_nanoseconds: setting.window.time,
        count_window_messages: setting.window.count,
        loss_probability: setting.loss_probability,
        skew_nanoseconds: setting.skew_nanoseconds,
        cycles_to_number: setting.cycles_to_number(),
        rates: FACTORS.map(|factor| setting.at(factor)).to_vec(),
        saturation_packets_per_second: setting.saturation_packets_per_second(),
        published: published(&setting.protocol),
        chart: arguments.chart.clone(),
    })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_show_three_figures() {
        assert_eq!(
            [6.4, 57.69, 121_689.6, 1e6, 2.5e9].map(time),
            ["6.40 ns", "57.7 ns", "122 µs", "1.00 ms", "2.50 s"]
        );
    }
}
