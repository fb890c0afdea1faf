//! Engine and software decoder on the same packets.

use fast::microcode::{Program, Wanted};
use fast::{Decoder, ErrorCode, Settings, Templates};

use super::item::FromFields;
use super::{Code, Engine, Width};
use cosim::fast_items::{FromDecoder, Item};

/// How a packet arrives.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wire {
    /// The frame's verdict is bad.
    pub err: bool,
    /// Its last beat has no bytes, where the one before is full.
    pub empty_end: bool,
    /// Cycles without a beat, of 256.
    pub gaps: u8,
    /// Where these are.
    pub random: u64,
}

/// What was compared.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Packets that were good.
    pub good: u64,
    /// Packets that were bad, those of bad frames among them.
    pub bad: u64,
    /// Packets with a string that the dictionary has no room for, which the engine refuses.
    pub too_long: u64,
    /// Packets with template references that are too deep for the engine, which refuses them.
    pub too_deep: u64,
    /// Messages of good packets.
    pub messages: u64,
    /// Template references in them.
    pub references: u64,
    /// Fields, absent ones too.
    pub fields: u64,
    /// Of packets that are alone: cycles from the last beat to the last field. One a packet.
    pub last_field: Vec<u64>,
    /// From the last beat to the verdict.
    pub verdict: Vec<u64>,
}

/// An engine and a decoder with the same templates.
pub struct Lockstep<'t> {
    engine: Engine,
    decoder: Decoder,
    templates: &'t Templates,
    wanted: &'t Wanted,
    /// What was compared so far.
    pub statistics: Statistics,
}

/// Cycles that a packet may take, after its last beat, for a byte of it; and in any case. Long strings that are not in the stream take a hundred each.
const CYCLES_PER_BYTE: u64 = 800;
const CYCLES: u64 = 1_000;

impl<'t> Lockstep<'t> {
    /// Both after a reset, the engine with this program.
    pub fn new(
        width: Width,
        templates: &'t Templates,
        program: &Program,
        wanted: &'t Wanted,
        mut settings: Settings,
    ) -> Self {
        // The engine leaves it to the host whether a Unicode string is UTF-8.
        settings.report = settings.report.without(ErrorCode::R2);
        let mut engine = Engine::new(width);
        engine.reset_each_packet(settings.reset_each_packet);
        engine.load(program);
        // Dictionaries are being cleared.
        engine.run(300);
        Lockstep {
            engine,
            decoder: Decoder::with(templates, settings),
            templates,
            wanted,
            statistics: Statistics::default(),
        }
    }

    /// The engine.
    pub fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Sends a packet that is alone, and compares all that leaves.
    ///
    /// # Errors
    /// A sentence about the first difference.
    pub fn packet(&mut self, bytes: &[u8], wire: Wire) -> Result<(), String> {
        self.items(bytes, wire).map(|_| ())
    }

    /// As [`Lockstep::packet`]; also gives what the engine says.
    ///
    /// # Errors
    /// A sentence about the first difference.
    pub fn items(&mut self, bytes: &[u8], wire: Wire) -> Result<Vec<Item>, String> {
        let last = self.engine.packet(bytes, &wire);
        let mut expected = FromDecoder::new(self.templates, self.wanted);
        let mut decoder = self.decoder.clone();
        let _ = decoder.packet(bytes, &mut expected);
        let mut found = FromFields::default();
        let mut last_field = None;
        let until = last + CYCLES + CYCLES_PER_BYTE * bytes.len() as u64;
        let verdict = 'wait: loop {
            for record in self.engine.records() {
                match record.what {
                    0 => {
                        found.add(&record)?;
                        last_field = Some(record.cycle);
                    }
                    1 => break 'wait record,
                    what => return Err(format!("a record of kind {what}")),
                }
            }
            if self.engine.cycle() > until {
                return Err(format!("no verdict; {:?}", found.items));
            }
            self.engine.run(1);
        };
        let code = Code::of(verdict.code);
        let good = verdict.good != 0;
        let too_long = code == Code::TooLong && expected.has_long_text();
        if too_long {
            self.statistics.too_long += 1;
            return Ok(found.items);
        }
        if code == Code::TooDeep && expected.has_deep_reference() {
            self.statistics.too_deep += 1;
            return Ok(found.items);
        }
        if !wire.err {
            self.decoder = decoder;
        }
        self.compare(
            &expected,
            &found.items,
            good,
            code,
            verdict.offset,
            wire.err,
        )?;
        if self.engine.asserted() {
            return Err("an assertion failed".into());
        }
        let statistics = &mut self.statistics;
        if good {
            statistics.good += 1;
            let ends = |item: &&Item| **item == Item::MessageEnd;
            statistics.messages += found.items.iter().filter(ends).count() as u64;
            let references = |item: &&Item| matches!(item, Item::Reference(_));
            statistics.references += found.items.iter().filter(references).count() as u64;
            let structure = |item: &&Item| {
                matches!(
                    item,
                    Item::MessageEnd | Item::EntryEnd | Item::Message(_) | Item::Reference(_)
                )
            };
            statistics.fields +=
                (found.items.len() - found.items.iter().filter(structure).count()) as u64;
            statistics
                .last_field
                .extend(last_field.map(|cycle| cycle.saturating_sub(last)));
            statistics.verdict.push(verdict.cycle.saturating_sub(last));
        } else {
            statistics.bad += 1;
        }
        Ok(found.items)
    }

    /// Lets the engine finish a bad packet, so that the next one is alone.
    pub fn rest(&mut self) {
        self.engine.run(300);
    }

    fn compare(
        &self,
        expected: &FromDecoder<'_>,
        found: &[Item],
        good: bool,
        code: Code,
        offset: u16,
        err: bool,
    ) -> Result<(), String> {
        let says = |what: &str| {
            Err(format!(
                "{what}: the engine says {good} {code:?} at {offset}, {found:?}; the decoder {:?}, {:?}",
                expected.error, expected.items
            ))
        };
        if good != (expected.error.is_none() && !err) {
            return says("the verdict");
        }
        let Some(error) = expected.error else {
            if err && code != Code::Frame {
                return says("the code of a bad frame");
            }
            return if found == expected.items {
                Ok(())
            } else {
                says("fields")
            };
        };
        // The decoder gives the value of an overlong encoding before it reports it: the engine may give another, or none.
        let overlong = matches!(error.code, ErrorCode::R6 | ErrorCode::R9);
        let before = expected.items.len() - usize::from(overlong && !expected.items.is_empty());
        if !found.starts_with(&expected.items[..before]) {
            return says("fields before the error");
        }
        // The decoder refuses a sequence that is longer than the packet before its first entry; the engine finds what is wrong in one.
        let refused = error.code == ErrorCode::Truncated
            && error
                .instruction
                .is_some_and(|at| self.is_length(error.template, at));
        if refused || (err && code == Code::Frame) {
            return Ok(());
        }
        // The field in which the error is, the one after it, and what ends with them.
        if found.len() > expected.items.len() + 6 {
            return says("fields after the error");
        }
        if code != Code::Fast(error.code) {
            return says("the code");
        }
        // Of an overlong integer the decoder reports with its sequence or its mantissa what the engine reports at once, or the other way round.
        if usize::from(offset) != error.offset && error.code != ErrorCode::R6 {
            return says("the offset");
        }
        Ok(())
    }

    fn is_length(&self, template: Option<usize>, at: usize) -> bool {
        let template = template.and_then(|index| self.templates.all().get(index));
        let instruction = template.and_then(|template| template.instructions.get(at));
        instruction.is_some_and(|one| one.kind == fast::Kind::Length)
    }
}
