use std::net::Ipv4Addr;

use device::Driver;
use formats::Symbol;
use formats::counters::Counters;
use formats::ethernet::MacAddress;
use formats::frame::{NetConfig, UdpFrame};
use formats::itch::Version;
use formats::report::ReportConfig;
use pipeline::Pipeline;

use crate::core::{AxiError, Core, Frame, Received, Sent};
use crate::hardware_twin::HardwareTwin;
use crate::models::ModelError;
use crate::preset::Preset;
use crate::width::Width;

/// The configuration of a core, or of its twin, before the first frame.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Which frames are ours.
    pub net: NetConfig,
    /// Where reports go.
    pub report: ReportConfig,
    /// The feed's ITCH, and the symbols.
    pub pipeline: pipeline::Config,
}

impl Setup {
    /// Two groups and a port of a made-up feed, a made-up receiver of reports, and these symbols.
    pub fn example(version: Version, symbols: &[Symbol]) -> Self {
        let none = Ipv4Addr::UNSPECIFIED;
        Setup {
            net: NetConfig {
                local_mac: MacAddress([0x02, 0x54, 0x57, 0x00, 0x00, 0x01]),
                local_ip: Ipv4Addr::new(192, 168, 77, 2),
                groups: [
                    Ipv4Addr::new(239, 77, 1, 1),
                    Ipv4Addr::new(239, 77, 1, 2),
                    none,
                    none,
                ],
                ports: [26_400, 0, 0, 0],
            },
            report: ReportConfig {
                destination_mac: MacAddress([0x02, 0x54, 0x57, 0x00, 0x00, 0x02]),
                destination_ip: Ipv4Addr::new(192, 168, 77, 1),
                source_port: 26_500,
                destination_port: 26_501,
            },
            pipeline: pipeline::Config {
                version,
                accumulate: false,
                symbols: symbols.iter().copied().map(Some).collect(),
            },
        }
    }

    /// The headers of a frame of the feed: from the reports' receiver to the first group and port.
    pub fn feed(&self) -> UdpFrame {
        let [group, ..] = self.net.groups;
        let [port, ..] = self.net.ports;
        UdpFrame::new(
            (
                self.report.destination_mac,
                self.report.destination_ip,
                26_399,
            ),
            (MacAddress::of_group(group), group, port),
        )
    }

    /// The same on line B: to the second group and port, where the core has them.
    pub fn feed_on_b(&self) -> UdpFrame {
        let [_, group, ..] = self.net.groups;
        let [port, other, ..] = self.net.ports;
        let mut headers = self.feed();
        if !group.is_unspecified() {
            headers.destination_ip = group;
            headers.destination_mac = MacAddress::of_group(group);
        }
        headers.destination_port = if other == 0 { port } else { other };
        headers
    }

    /// A twin that has seen nothing yet.
    ///
    /// # Errors
    /// Too many symbols, or one twice.
    pub fn twin(&self) -> Result<HardwareTwin, SetupError> {
        Ok(HardwareTwin::new(
            self.net,
            self.report,
            Pipeline::new(self.pipeline.clone())?,
        ))
    }

    /// A core with all settings written into its registers, enabled.
    ///
    /// # Errors
    /// The core refused a register, or has fewer instruments than there are symbols.
    pub fn core(&self, width: Width) -> Result<Driver<Core>, SetupError> {
        self.core_of(Preset::two_lines(width))
    }

    /// The same as that preset has it.
    ///
    /// # Errors
    /// As [`Setup::core`]; this build does not have the preset's model.
    pub fn core_of(&self, preset: &Preset) -> Result<Driver<Core>, SetupError> {
        self.set_up(Core::of(preset)?, preset.statistics)
    }

    /// A core without statistics may have no symbols: then the instruments are written afterwards.
    fn set_up(&self, core: Core, statistics: bool) -> Result<Driver<Core>, SetupError> {
        let mut driver = Driver::new(core)?;
        driver.set_version(self.pipeline.version)?;
        driver.set_accumulate(self.pipeline.accumulate)?;
        driver.set_net(&self.net)?;
        driver.set_report(&self.report)?;
        if statistics || !self.pipeline.symbols.is_empty() {
            driver.load_symbols(&self.pipeline.symbols)?;
        }
        driver.set_enable(true)?;
        Ok(driver)
    }
}

/// Why a [`Setup`] cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// By the software.
    #[error(transparent)]
    Pipeline(#[from] pipeline::ConfigError),
    /// By the core.
    #[error(transparent)]
    Core(#[from] device::Error<AxiError>),
    /// The model of the core.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// A second that began, answered by the core and its twin with the same bytes.
#[derive(Clone, Debug)]
pub struct Heartbeat {
    /// When the frame that began the second was on the receive side.
    pub sent: Sent,
    /// The frames of the report, a part each.
    pub parts: Vec<Received>,
}

impl Heartbeat {
    /// Last byte in to first byte out, in cycles.
    pub fn last_first(&self) -> u64 {
        self.parts
            .first()
            .map_or(0, |part| part.first - self.sent.last)
    }
}

/// Where the core and its twin differ.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// Counters: name, hardware, software.
    #[error("counters differ (name, hardware, software): {0:?}")]
    Counters(Vec<(&'static str, u64, u64)>),
    /// A frame of a report.
    #[error("report frames differ:\nhardware {hardware:02x?}\nsoftware {software:02x?}")]
    Report {
        /// As the core sent it.
        hardware: Vec<u8>,
        /// As it ought to be.
        software: Vec<u8>,
    },
    /// A frame with a bad preamble, a control character out of place, or too small a gap before it.
    #[error("malformed frame sent by the core in cycle {0}")]
    Malformed(u64),
    /// The number of frames the core sent.
    #[error("the core sent {hardware} report frames, the software {software}")]
    Count {
        /// By the core.
        hardware: usize,
        /// By the twin.
        software: usize,
    },
    /// The core was still sending after a million cycles.
    #[error("the core does not stop sending")]
    Endless,
    /// Transmit underruns; there can be none.
    #[error("{0} frames broken off by the transmit side")]
    Underrun(u32),
    /// A register cannot be read.
    #[error("register access: {0}")]
    Access(device::Error<AxiError>),
}

/// A core and its twin, fed the same frames.
pub struct Lockstep {
    driver: Driver<Core>,
    twin: HardwareTwin,
    /// The core answers the network (ARP, IGMP, ping), which the twin does not.
    control_plane: bool,
}

impl Lockstep {
    /// Both, set up alike.
    ///
    /// # Errors
    /// See [`Setup::core`].
    pub fn new(width: Width, setup: &Setup) -> Result<Self, SetupError> {
        Self::of(Preset::two_lines(width), setup)
    }

    /// Both, the core as that preset has it. With a session it announces itself to the network too: these frames are left out of the comparison.
    ///
    /// # Errors
    /// See [`Setup::core_of`].
    pub fn of(preset: &Preset, setup: &Setup) -> Result<Self, SetupError> {
        Ok(Lockstep {
            driver: setup.core_of(preset)?,
            twin: setup.twin()?,
            control_plane: preset.sessions > 0,
        })
    }

    /// The core, through its driver.
    pub fn driver(&mut self) -> &mut Driver<Core> {
        &mut self.driver
    }

    /// The core's lines.
    pub fn core(&mut self) -> &mut Core {
        self.driver.registers()
    }

    /// The twin.
    pub fn twin(&mut self) -> &mut HardwareTwin {
        &mut self.twin
    }

    /// One frame. If it begins a second, waits until the report has left, so that the next one is never missed.
    ///
    /// # Errors
    /// The reports differ.
    pub fn frame(&mut self, frame: Frame) -> Result<Option<Heartbeat>, Mismatch> {
        let expected = self.expect(&frame);
        let sent = self.core().send(frame);
        if expected.is_empty() {
            return Ok(None);
        }
        let parts = self.settle()?;
        compare(&parts, &expected)?;
        Ok(Some(Heartbeat { sent, parts }))
    }

    /// Frames at their gaps, without waiting in between: seconds must begin far enough apart for the reports between
    /// them. Then waits until the last report has left.
    ///
    /// # Errors
    /// The reports differ.
    pub fn frames(&mut self, frames: &[Frame]) -> Result<Vec<Heartbeat>, Mismatch> {
        let expected: Vec<Vec<Vec<u8>>> = frames.iter().map(|frame| self.expect(frame)).collect();
        let sent = self.core().send_all(frames);
        let received = self.settle()?;
        compare(&received, &expected.concat())?;
        let mut received = received.into_iter();
        let heartbeats = sent
            .into_iter()
            .zip(expected)
            .filter(|(_, expected)| !expected.is_empty());
        Ok(heartbeats
            .map(|(sent, expected)| Heartbeat {
                sent,
                parts: received.by_ref().take(expected.len()).collect(),
            })
            .collect())
    }

    /// Waits until the lines are idle, then compares every counter.
    ///
    /// # Errors
    /// A counter differs, or an unexpected report came.
    pub fn check(&mut self) -> Result<Counters, Mismatch> {
        let unexpected = self.settle()?;
        compare(&unexpected, &[])?;
        let hardware = self.driver.counters().map_err(Mismatch::Access)?;
        let software = self.twin.counters();
        let differ: Vec<_> = hardware
            .iter()
            .zip(software.iter())
            .filter(|((_, hardware), (_, software))| hardware != software)
            .map(|((name, hardware), (_, software))| (name, hardware, software))
            .collect();
        if !differ.is_empty() {
            return Err(Mismatch::Counters(differ));
        }
        match self.driver.transmit_underrun().map_err(Mismatch::Access)? {
            0 => Ok(software),
            underruns => Err(Mismatch::Underrun(underruns)),
        }
    }

    fn expect(&mut self, frame: &Frame) -> Vec<Vec<u8>> {
        if frame.error_at.is_some() {
            // XGMII: an error in place of the first byte leaves a start with no byte after the preamble, which is no frame.
            if frame.error_at != Some(0) || self.core().width() == Width::Gmii {
                self.twin.mii_error();
            }
            return vec![];
        }
        self.twin.frame(frame.bytes)
    }

    fn settle(&mut self) -> Result<Vec<Received>, Mismatch> {
        let core = self.core();
        if !core.run_until_idle() {
            return Err(Mismatch::Endless);
        }
        let mut received = core.take();
        // One that is malformed stays, and is found.
        received.retain(|frame| !self.control_plane || frame.malformed || is_udp(&frame.bytes));
        Ok(received)
    }
}

/// Whether a frame is UDP over IPv4 (EtherType 0x0800, protocol 17; RFC 791, 768), as every report is.
fn is_udp(frame: &[u8]) -> bool {
    frame.get(12..14) == Some(&[0x08, 0x00]) && frame.get(23) == Some(&17)
}

fn compare(hardware: &[Received], software: &[Vec<u8>]) -> Result<(), Mismatch> {
    for received in hardware {
        if received.malformed || received.gap < u64::from(crate::MINIMUM_GAP) {
            return Err(Mismatch::Malformed(received.first));
        }
    }
    for (hardware, software) in hardware.iter().zip(software) {
        if hardware.bytes != *software {
            return Err(Mismatch::Report {
                hardware: hardware.bytes.clone(),
                software: software.clone(),
            });
        }
    }
    if hardware.len() != software.len() {
        return Err(Mismatch::Count {
            hardware: hardware.len(),
            software: software.len(),
        });
    }
    Ok(())
}
