use std::ffi::c_void;
use std::ptr::{self, NonNull};

use device::{RawAnswer, RawReport};

use crate::model::{self, Digest, Model};
use crate::models::{LoadedModel, ModelError};
use crate::preset::Preset;
use crate::width::Width;

/// Where an XGMII frame starts. GMII has one lane and ignores it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartLane {
    /// As a transmitter with a deficit idle count places it (IEEE 802.3, 46.3.1.4): lane 0 or 4, the mean gap as asked for.
    #[default]
    Deficit,
    /// Always lane 0, rounding the gap up.
    Zero,
    /// Always lane 4, rounding the gap up.
    Four,
}

/// The smallest gap between frames a transmitter may leave on the mean, in bytes (IEEE 802.3, 4.4.2).
pub const MINIMUM_GAP: u32 = 12;

/// A frame for a receive line of the core.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The line: 0 is A, 1 is B.
    pub line: usize,
    /// The cycle before which it does not begin.
    pub at: u64,
    /// The frame with its FCS; the preamble is added.
    pub bytes: &'a [u8],
    /// Bytes between the last FCS byte of the frame before on its line and the first preamble byte of this one. Values below 5, the least
    /// a receiver may see (IEEE 802.3, 46.2.1), become 5.
    pub gap: u32,
    /// Start lane on XGMII.
    pub lane: StartLane,
    /// The byte the PHY flags as an error: `rx_er` on GMII, an error character in its place on XGMII.
    pub error_at: Option<u32>,
}

impl<'a> Frame<'a> {
    /// A good frame on line A at the minimum gap.
    pub fn new(bytes: &'a [u8]) -> Self {
        Frame {
            line: 0,
            at: 0,
            bytes,
            gap: MINIMUM_GAP,
            lane: StartLane::Deficit,
            error_at: None,
        }
    }

    fn raw(&self) -> model::Send {
        model::Send {
            data: self.bytes.as_ptr(),
            length: self.bytes.len() as u32,
            gap: self.gap.max(5),
            lane: match self.lane {
                StartLane::Zero => 0,
                StartLane::Four => 4,
                StartLane::Deficit => 1,
            },
            error_at: self.error_at.unwrap_or(model::NO_ERROR),
            at: self.at,
            line: self.line as u32,
            first: 0,
            last: 0,
        }
    }
}

/// When a frame was on the receive side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Cycle of the first preamble byte.
    pub first: u64,
    /// Cycle of the last FCS byte.
    pub last: u64,
}

/// A frame the core sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The frame with its FCS, without the preamble.
    pub bytes: Vec<u8>,
    /// Cycle of the first preamble byte.
    pub first: u64,
    /// Cycle of the last byte.
    pub last: u64,
    /// Idle bytes between the frame before (or reset) and this one.
    pub gap: u64,
    /// The preamble was wrong, an error was flagged, or a control character was out of place.
    pub malformed: bool,
}

/// A good frame that no module of the core takes (ARP, say), as the core gave it to the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFrame {
    /// The line it came on: 0 is A.
    pub line: usize,
    /// The frame with its FCS.
    pub bytes: Vec<u8>,
    /// Cycle of its last beat on the host port.
    pub cycle: u64,
}

/// Messages that the core's decoder got, and that proved good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// Cycle of the verdict.
    pub cycle: u64,
    /// Sequence number of the first.
    pub sequence: u64,
    /// How many.
    pub messages: u64,
}

/// How far a packet, or the order that follows it, has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathMark {
    /// The cycle.
    pub cycle: u64,
    /// Bits of `path_t`, the lowest the first on the path: [`crate::orders::Stages`].
    pub path: u64,
}

impl PathMark {
    /// The bit of a packet that the book has, its best levels known.
    pub const BOOKED: u64 = 1 << 2;
}

/// One cycle of an MII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// Data, byte 0 lowest; GMII uses the low 8 bits.
    pub data: u64,
    /// GMII: bit 0 is `dv`/`en`. XGMII: a bit a byte.
    pub control: u8,
    /// GMII `er`; 0 on XGMII.
    pub error: bool,
}

/// An access to a register that the core refused or did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AxiError {
    /// The response code was not OKAY (AMBA AXI, A3.4.4): 2 is SLVERR, 3 DECERR.
    #[error("register {address:#05x}: AXI response {response}")]
    Response {
        /// Byte address.
        address: u32,
        /// Response code.
        response: u8,
    },
    /// No response within 1,000 cycles.
    #[error("register {address:#05x}: no AXI response")]
    Timeout {
        /// Byte address.
        address: u32,
    },
}

/// A Verilated core with its two lines and its register port. It comes out of `new` reset, on an idle line.
pub struct Core {
    width: Width,
    model: Model,
    handle: NonNull<c_void>,
    /// What runs beside it: its library stays loaded until the core is gone.
    strategy: Option<LoadedModel>,
    /// Its library stays loaded until the core is gone.
    _loaded: LoadedModel,
}

// SAFETY: a model has its own context and no thread-local state; only one thread can use it at a time, as all access is
// through `&mut self` or reads plain members.
unsafe impl Send for Core {}

impl Core {
    /// A core of that preset. Its model is built if it is not there yet, which takes some tens of seconds.
    ///
    /// # Errors
    /// The model cannot be built.
    pub fn of(preset: &Preset) -> Result<Self, ModelError> {
        let loaded = preset.model()?;
        // SAFETY: `Model` mirrors the table at the end of cpp/shim.inc, and is a copy: it has no reference into the library.
        let model = unsafe { loaded.table::<Model>() }.clone();
        // SAFETY: no precondition.
        let handle =
            NonNull::new(unsafe { (model.new)() }).expect("operator new does not return null");
        Ok(Core {
            width: preset.width,
            model,
            handle,
            strategy: None,
            _loaded: loaded,
        })
    }

    /// What has left since the core was made: frames, frames for the host, bytes of the session, reports of orders, beats into host memory; and
    /// what came in.
    pub fn digests(&self) -> [Digest; 6] {
        let mut first = ptr::null();
        // SAFETY: the shim returns a digest a way, which live as long as the model.
        let digests = unsafe {
            let count = (self.model.digests)(self.handle.as_ptr(), &mut first);
            std::slice::from_raw_parts(first, count as usize)
        };
        std::array::from_fn(|way| digests[way])
    }

    /// Puts a strategy's model beside it, reset, in lockstep from here on; the core goes on as it is, so that this is best done before anything is loaded.
    /// One that was there goes. `false`: this core has no place for one ([`Strategy::External`]).
    ///
    /// [`Strategy::External`]: crate::Strategy::External
    #[must_use]
    pub fn attach_strategy(&mut self, strategy: LoadedModel) -> bool {
        // SAFETY: `handle` is live, and the table is what cpp/slot.inc says, loaded as long as `strategy` is kept.
        let attached =
            unsafe { (self.model.attach)(self.handle.as_ptr(), strategy.functions()) } != 0;
        if attached {
            // The one before is not used any more.
            self.strategy = Some(strategy);
        }
        attached
    }

    /// The strategy's model beside it.
    pub const fn strategy(&self) -> Option<&LoadedModel> {
        self.strategy.as_ref()
    }

    /// The width it was made with.
    pub fn width(&self) -> Width {
        self.width
    }

    /// Holds `rst` for 16 cycles. Frames not yet taken are lost.
    pub fn reset(&mut self) {
        // SAFETY: `handle` is live until drop; so for every call below.
        unsafe { (self.model.reset)(self.handle.as_ptr()) }
    }

    /// The number of the next cycle, from 0 at power-up.
    pub fn cycle(&self) -> u64 {
        unsafe { (self.model.cycle)(self.handle.as_ptr()) }
    }

    /// Runs with an idle receive line.
    pub fn run(&mut self, cycles: u64) {
        unsafe { (self.model.run)(self.handle.as_ptr(), cycles) }
    }

    /// Runs until nothing was on either line for 64 cycles, which is longer than any latency of the core. `false` if it was
    /// still sending after a million cycles.
    #[must_use]
    pub fn run_until_idle(&mut self) -> bool {
        unsafe { (self.model.run_until_idle)(self.handle.as_ptr(), 64, 1_000_000) != 0 }
    }

    /// Sends one frame; returns in the cycle after its last byte (XGMII: after its terminate character).
    pub fn send(&mut self, frame: Frame) -> Sent {
        let mut raw = frame.raw();
        unsafe { (self.model.send)(self.handle.as_ptr(), &mut raw, 1) };
        Sent {
            first: raw.first,
            last: raw.last,
        }
    }

    /// Sends frames, on each line one after another and each at its gap; returns in the cycle after the last byte of all.
    pub fn send_all(&mut self, frames: &[Frame]) -> Vec<Sent> {
        let mut raw: Vec<model::Send> = frames.iter().map(Frame::raw).collect();
        unsafe { (self.model.send)(self.handle.as_ptr(), raw.as_mut_ptr(), raw.len() as u64) };
        raw.iter()
            .map(|r| Sent {
                first: r.first,
                last: r.last,
            })
            .collect()
    }

    /// Has a frame sent in the coming cycles, whatever they are run for: register accesses too.
    pub fn queue(&mut self, frame: Frame) {
        unsafe { (self.model.queue)(self.handle.as_ptr(), &frame.raw()) }
    }

    /// Whether frames that were queued are still to be sent, or are being sent.
    pub fn is_sending(&mut self) -> bool {
        unsafe { (self.model.sending)(self.handle.as_ptr()) != 0 }
    }

    /// One cycle with `beat` on line A; returns what the core sent in it.
    pub fn step(&mut self, beat: Beat) -> Beat {
        let mut raw = model::Beat {
            data: beat.data,
            control: beat.control,
            error: beat.error.into(),
        };
        unsafe { (self.model.step)(self.handle.as_ptr(), &mut raw) };
        Beat {
            data: raw.data,
            control: raw.control,
            error: raw.error != 0,
        }
    }

    /// Takes the frames the core has finished sending since the last call, and forgets those for the host
    /// ([`Core::host_frames`]) and what was delivered ([`Core::delivered`]).
    pub fn take(&mut self) -> Vec<Received> {
        let (mut frames, mut bytes) = (ptr::null(), ptr::null());
        let count = unsafe { (self.model.received)(self.handle.as_ptr(), &mut frames, &mut bytes) };
        // SAFETY: the shim returns `count` records, whose lengths add up to the bytes at `bytes`; both live until `clear`.
        let taken = unsafe { records(frames, count, bytes, |frame| frame.length) }
            .map(|(frame, bytes)| Received {
                bytes,
                first: frame.first,
                last: frame.last,
                gap: frame.gap,
                malformed: frame.malformed != 0,
            })
            .collect();
        unsafe { (self.model.clear)(self.handle.as_ptr()) };
        taken
    }

    /// The frames the core gave to the host since the last [`Core::take`].
    pub fn host_frames(&self) -> Vec<HostFrame> {
        let (mut frames, mut bytes) = (ptr::null(), ptr::null());
        let count = unsafe { (self.model.host)(self.handle.as_ptr(), &mut frames, &mut bytes) };
        // SAFETY: as in `take`.
        unsafe { records(frames, count, bytes, |frame| frame.length) }
            .map(|(frame, bytes)| HostFrame {
                line: frame.line as usize,
                bytes,
                cycle: frame.cycle,
            })
            .collect()
    }

    /// What was delivered to the decoder since the last [`Core::take`].
    pub fn delivered(&self) -> Vec<Delivered> {
        let mut first = ptr::null();
        let count = unsafe { (self.model.delivered)(self.handle.as_ptr(), &mut first) };
        (0..count as usize)
            .map(|i| {
                // SAFETY: the shim returns `count` records, which live until `clear`.
                let raw = unsafe { &*first.add(i) };
                Delivered {
                    cycle: raw.cycle,
                    sequence: raw.sequence,
                    messages: raw.messages,
                }
            })
            .collect()
    }

    /// How far packets and orders have come since the last [`Core::take`], in order: added to `passed`.
    pub fn passed(&self, passed: &mut Vec<PathMark>) {
        let mut first = ptr::null();
        let count = unsafe { (self.model.passed)(self.handle.as_ptr(), &mut first) };
        passed.extend((0..count as usize).map(|i| {
            // SAFETY: the shim returns `count` records, which live until `clear`.
            let raw = unsafe { &*first.add(i) };
            PathMark {
                cycle: raw.cycle,
                path: raw.path,
            }
        }));
    }

    /// Host memory of so many words of 64 bits at this address, all 0, for a core's ring. What the core writes beside it is dropped.
    pub fn begin_memory(&mut self, base: u64, words: usize) {
        unsafe { (self.model.memory_begin)(self.handle.as_ptr(), base, words as u64) }
    }

    /// The cycle in which a line of 64 bytes was in memory, by its number since it began; `None`: it has not been written.
    pub fn line_cycle(&self, line: usize) -> Option<u64> {
        let mut first = ptr::null();
        // SAFETY: the shim returns `count` words, which live until the model runs on; that takes `&mut self`.
        unsafe {
            let count = (self.model.memory_lines)(self.handle.as_ptr(), &mut first) as usize;
            (line < count).then(|| *first.add(line))
        }
    }

    /// Moves the core's time counter, in nanoseconds; takes one cycle. So idle time is skipped.
    pub fn set_time(&mut self, nanoseconds: u64) {
        unsafe { (self.model.set_time)(self.handle.as_ptr(), nanoseconds) }
    }

    /// Passes so many ticks of 256 us to the timers of TCP, and so many milliseconds to those of the control plane; a cycle each.
    pub fn pass_time(&mut self, ticks: u64, milliseconds: u64) {
        for at in 0..ticks.max(milliseconds) {
            let (tick, millisecond) = (at < ticks, at < milliseconds);
            unsafe {
                (self.model.pass_time)(self.handle.as_ptr(), tick.into(), millisecond.into());
            }
        }
    }

    /// Writes a register over AXI4-Lite; a few cycles, in which queued frames are sent.
    ///
    /// # Errors
    /// The core refused the address or did not answer.
    pub fn write(&mut self, address: u32, value: u32) -> Result<(), AxiError> {
        let response = unsafe { (self.model.write)(self.handle.as_ptr(), address, value) };
        check(address, response)
    }

    /// Has a register written from that cycle on, or as soon as those before it are done, whatever the lines carry then: settings may change while frames
    /// come in. The core's answer is not returned.
    pub fn write_at(&mut self, cycle: u64, address: u32, value: u32) {
        unsafe { (self.model.write_at)(self.handle.as_ptr(), cycle, address, value) }
    }

    /// Reads a register over AXI4-Lite; a few cycles, up to 71 for a counter, in which queued frames are sent.
    ///
    /// # Errors
    /// The core refused the address or did not answer.
    pub fn read(&mut self, address: u32) -> Result<u32, AxiError> {
        let mut value = 0;
        let response = unsafe { (self.model.read)(self.handle.as_ptr(), address, &mut value) };
        check(address, response).map(|()| value)
    }
}

/// Records of the shim, each with its bytes.
///
/// # Safety
/// There are `count` records, and as many bytes as their lengths add up to.
unsafe fn records<'a, T: 'a>(
    records: *const T,
    count: u64,
    bytes: *const u8,
    length: impl Fn(&T) -> u32 + 'a,
) -> impl Iterator<Item = (&'a T, Vec<u8>)> {
    let mut offset = 0;
    (0..count as usize).map(move |i| {
        let record = unsafe { &*records.add(i) };
        let length = length(record) as usize;
        let content = match length {
            0 => Vec::new(),
            _ => unsafe { std::slice::from_raw_parts(bytes.add(offset), length) }.to_vec(),
        };
        offset += length;
        (record, content)
    })
}

fn check(address: u32, response: i32) -> Result<(), AxiError> {
    match response {
        0 => Ok(()),
        1.. => Err(AxiError::Response {
            address,
            response: response as u8,
        }),
        _ => Err(AxiError::Timeout { address }),
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        // SAFETY: the handle is not used after this.
        unsafe { (self.model.free)(self.handle.as_ptr()) }
    }
}

impl device::Streams for Core {
    fn session_bytes(&mut self, into: &mut Vec<u8>) {
        let mut bytes = ptr::null();
        let count = unsafe { (self.model.session)(self.handle.as_ptr(), &mut bytes) } as usize;
        if count > 0 {
            // SAFETY: the shim has that many bytes there until the next call.
            into.extend_from_slice(unsafe { std::slice::from_raw_parts(bytes, count) });
        }
        unsafe { (self.model.clear_session_bytes)(self.handle.as_ptr()) }
    }

    fn reports(&mut self, into: &mut Vec<RawReport>) {
        let mut first = ptr::null();
        let count = unsafe { (self.model.reports)(self.handle.as_ptr(), &mut first) };
        into.extend((0..count as usize).map(|at| {
            // SAFETY: the shim has that many records there until the next call.
            let raw = unsafe { &*first.add(at) };
            RawReport {
                what: raw.what,
                reason: raw.reason,
                client_id: raw.client_id,
                number: raw.number,
                time_ns: raw.time,
            }
        }));
        unsafe { (self.model.clear_reports)(self.handle.as_ptr()) }
    }

    fn begin_message(&mut self, bytes: &[u8], number_at: Option<u16>) {
        let at = number_at.unwrap_or(0).into();
        unsafe {
            (self.model.message)(
                self.handle.as_ptr(),
                bytes.as_ptr(),
                bytes.len() as u64,
                number_at.is_some().into(),
                at,
            );
        }
    }

    fn answer(&mut self) -> Option<RawAnswer> {
        let mut raw = model::Answer::default();
        unsafe { (self.model.answer)(self.handle.as_ptr(), &mut raw) }
        (raw.valid != 0).then_some(RawAnswer {
            answer: raw.answer as u8,
            number: raw.number,
        })
    }
}

impl device::ring::Memory for Core {
    fn word(&self, index: usize) -> u64 {
        let mut first = ptr::null();
        // SAFETY: the shim returns `count` words, and the index is one of them.
        unsafe {
            let count = (self.model.memory)(self.handle.as_ptr(), &mut first) as usize;
            if index < count { *first.add(index) } else { 0 }
        }
    }
}

impl device::Registers for Core {
    type Error = AxiError;

    fn read32(&mut self, address: u32) -> Result<u32, AxiError> {
        self.read(address)
    }

    fn write32(&mut self, address: u32, value: u32) -> Result<(), AxiError> {
        self.write(address, value)
    }

    fn pause(&mut self) {
        // A stop takes some 1,600 cycles.
        self.run(64);
    }
}
