//! The three ways of system A from a packet on the wire to the values of its fields in a program, on recorded packets: kernel socket and software decoder; frames
//! written into the program's memory, and the software decoder; decoded fields written there.
//!
//! The first is measured on the loopback of this machine. Of the others, the part in hardware is cycles of the simulated core, from a packet's last byte to its last
//! line in memory, at the clock that place and route reached; without a bus between core and memory, which adds the same to both. The part in software is measured on
//! the memory that the core has written, and begins when the last line is there, although the first ones are there earlier.

use std::hint::black_box;
use std::net::UdpSocket;
use std::time::Instant;

use device::ring::Memory;
use device::{FieldItem, FieldReader, Ring, RingValue};
use fast::microcode::{Numbering, Program, Room, Wanted, assemble};
use fast::{Decoder, Templates};
use lockstep::fast::{Producer, RingEngine, Width, Wire};
use report::fast_lines::recorded::Recording;
use serde_json::{Value, json};

use super::software::{Record, thread_ns};

/// Lines of the ring: all packets of the recording fit.
const SIZE_LOG2: u32 = 18;
/// Passes of the software parts; the best counts.
const PASSES: usize = 15;

/// Measures; `clock_mhz` is that of the engine.
///
/// # Errors
/// A sentence: a socket fails, or ring and decoder do not agree.
pub fn bypass(recording: &Recording, clock_mhz: Option<f64>) -> Result<Value, String> {
    let packets = recording.packets();
    let wanted = Wanted::Tags(recording.wanted.to_vec());
    let mut program = assemble(&recording.templates, &wanted, Room::default());
    let numbering = Numbering::number(&mut program).map_err(|error| error.to_string())?;
    let kernel = kernel(&recording.templates, &packets).map_err(|error| error.to_string())?;

    let (frames, frame_cycles) = written(&program, Producer::Frames, &packets);
    let udp = decode_frames(&frames, &recording.templates, packets.len())?;
    let (fields, field_cycles) = written(&program, Producer::Fields, &packets);
    let fast = read_fields(&fields, &numbering, packets.len())?;

    let way = |cycles: f64, software_ns: f64| {
        let hardware_ns = clock_mhz.map(|clock| cycles * 1e3 / clock);
        json!({
            "cycles": cycles,
            "clock_mhz": clock_mhz,
            "hardware_ns": hardware_ns,
            "software_ns": software_ns,
            "ns": hardware_ns.map(|hardware| hardware + software_ns),
        })
    };
    Ok(json!({
        "data": recording.name,
        "packets": packets.len(),
        "kernel": {"ns": kernel},
        "udp": way(frame_cycles, udp),
        "fast": way(field_cycles, fast),
    }))
}

/// From the call that gives a datagram to the kernel to its decoded values, busy-polling, in nanoseconds: the median.
fn kernel(templates: &Templates, packets: &[&[u8]]) -> std::io::Result<f64> {
    let receiver = UdpSocket::bind("127.0.0.1:0")?;
    receiver.set_nonblocking(true)?;
    let sender = UdpSocket::bind("127.0.0.1:0")?;
    sender.connect(receiver.local_addr()?)?;
    let mut decoder = Decoder::new(templates);
    let mut record = Record::default();
    let mut buffer = [0; 2048];
    let mut times = Vec::with_capacity(packets.len());
    for packet in packets {
        let begun = Instant::now();
        sender.send(packet)?;
        let length = loop {
            match receiver.recv(&mut buffer) {
                Ok(length) => break length,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        };
        let decoded = decoder.packet(buffer.get(..length).unwrap_or(&[]), &mut record);
        times.push(begun.elapsed().as_nanos() as f64);
        black_box((&record, decoded.is_ok()));
    }
    times.sort_by(f64::total_cmp);
    Ok(times.get(times.len() / 2).copied().unwrap_or(f64::NAN))
}

/// The memory after all packets, each of which was alone, and the mean cycles from a packet's last byte to its last line.
fn written(program: &Program, producer: Producer, packets: &[&[u8]]) -> (Vec<u64>, f64) {
    let mut engine = RingEngine::new(Width::W64);
    engine.engine().load(program);
    engine.begin(producer, SIZE_LOG2 as u8);
    engine.engine().run(300);
    let mut cycles = 0;
    for packet in packets {
        let last = engine.packet(packet, &Wire::default());
        engine.engine().run(40 + 4 * packet.len() as u64);
        let written = engine.line_cycles().last().copied().unwrap_or(0);
        cycles += written.saturating_sub(last);
    }
    let words = Ring::new(SIZE_LOG2).bytes() / 8;
    let memory = (0..words).map(|index| engine.word(index)).collect();
    (memory, cycles as f64 / packets.len() as f64)
}

/// The least of several passes, for a packet, in nanoseconds of processor time.
fn best(packets: usize, mut pass: impl FnMut() -> Result<usize, String>) -> Result<f64, String> {
    let mut least = f64::INFINITY;
    for _ in 0..PASSES {
        let begun = thread_ns();
        let read = pass()?;
        least = least.min(thread_ns() - begun);
        if read != packets {
            return Err(format!("{read} of {packets} packets are in the ring"));
        }
    }
    Ok(least / packets as f64)
}

/// Frames out of the ring, and the software decoder.
fn decode_frames(memory: &[u64], templates: &Templates, packets: usize) -> Result<f64, String> {
    best(packets, || {
        let mut ring = Ring::new(SIZE_LOG2);
        let mut decoder = Decoder::new(templates);
        let mut record = Record::default();
        let mut bytes = Vec::with_capacity(2048);
        let mut read = 0;
        while let Some(line) = ring.poll(memory) {
            bytes.extend(line.bytes());
            if line.message_end {
                decoder
                    .packet(&bytes, &mut record)
                    .map_err(|error| error.to_string())?;
                bytes.clear();
                read += 1;
            }
        }
        black_box(&record);
        Ok(read)
    })
}

/// Fields out of the ring.
fn read_fields(memory: &[u64], numbering: &Numbering, packets: usize) -> Result<f64, String> {
    let mut reader = FieldReader::new(numbering.clone());
    best(packets, || {
        let mut ring = Ring::new(SIZE_LOG2);
        let mut values = [0; 32];
        let mut read = 0;
        while let Some(line) = ring.poll(memory) {
            reader.line(&line, |item| match item {
                FieldItem::Field(tag, value) => {
                    values[tag as usize % 32] = match value {
                        RingValue::Unsigned(value) => value,
                        RingValue::Signed(value) => value as u64,
                        RingValue::Decimal(value) => {
                            (value.mantissa as u64) ^ ((value.exponent as u64) << 56)
                        }
                        RingValue::Text(text) => text.len() as u64,
                    };
                }
                FieldItem::EntryEnd => {
                    black_box(&values);
                }
                FieldItem::Packet { good } => read += usize::from(good),
                FieldItem::Message(_)
                | FieldItem::Reference(_)
                | FieldItem::MessageEnd
                | FieldItem::Lost => {}
            })?;
        }
        Ok(read)
    })
}
