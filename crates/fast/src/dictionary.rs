//! Previous values (section 6.3.1).
//!
//! An entry is undefined unless its stamp is of the current generation, so that a reset is one addition. What a packet may change is saved
//! when a template is first processed in it, so that the packet can be undone.

use crate::decode::ErrorCode;
use crate::program::{Program, Step};
use crate::template::Decimal;

/// Bytes of a string in the dictionary at most.
pub(crate) const LONGEST_TEXT: usize = 1 << 16;
/// Strings up to so many bytes are in the cell itself.
pub(crate) const SHORT: usize = 8;

/// What the lowest bits of a stamp say.
const EMPTY: u32 = 1;
const ASSIGNED: u32 = 2;
/// One more reset.
const GENERATION: u32 = 64;

/// The stamp, without its generation, of an assigned value of a type.
pub(crate) const fn assigned(value_type: u8) -> u32 {
    (value_type as u32) << 2 | ASSIGNED
}

/// The stamp, without its generation, of an entry without a value, of a step's type.
#[inline(always)]
const fn empty(step: &Step) -> u32 {
    step.assigned ^ ASSIGNED ^ EMPTY
}

/// An entry.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cell {
    /// An integer, a mantissa, or up to eight characters, the first lowest.
    pub word: u64,
    /// An exponent, or the length of a string; a longer one is in `texts`.
    pub extra: u32,
    /// Generation, type, state.
    stamp: u32,
}

impl Decimal {
    /// The decimal in an entry.
    pub(crate) fn of_cell(cell: Cell) -> Self {
        Decimal {
            exponent: cell.extra as i32,
            mantissa: cell.word as i64,
        }
    }
}

/// The state of an entry.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Previous {
    Undefined,
    Empty,
    Assigned(Cell),
}

/// A string of more than eight bytes.
#[derive(Clone, Debug, Default)]
struct Text {
    bytes: Vec<u8>,
    /// The packet in which it was saved last.
    saved: u64,
}

/// All dictionaries of a decoder or an encoder.
#[derive(Clone, Debug)]
pub(crate) struct Dictionary {
    cells: Vec<Cell>,
    texts: Vec<Text>,
    generation: u32,
    /// The template identifier before (10.3: its key is in the global dictionary).
    pub template: Option<u32>,
    /// The one after a reset: none, unless something else than the stream says it.
    initial_template: Option<u32>,
    /// The number of the packet, from 1.
    packet: u64,
    saved: Saved,
}

/// What the dictionary was before the packet.
#[derive(Clone, Debug, Default)]
struct Saved {
    cells: Vec<Cell>,
    /// First slot of each run of `cells`, and how many there are.
    runs: Vec<(u16, u16)>,
    /// Slot, and where its bytes are in `bytes`.
    texts: Vec<(u16, usize, usize)>,
    bytes: Vec<u8>,
    /// For each template, the packet in which its cells were saved last.
    templates: Vec<u64>,
    generation: u32,
    template: Option<u32>,
}

impl Dictionary {
    pub(crate) fn new(program: &Program) -> Self {
        Dictionary {
            cells: vec![Cell::default(); program.slots],
            texts: vec![Text::default(); program.slots],
            generation: GENERATION,
            template: None,
            initial_template: None,
            packet: 1,
            saved: Saved {
                templates: vec![0; program.templates.len()],
                generation: GENERATION,
                ..Saved::default()
            },
        }
    }

    /// The template identifier is this one where the stream has given none yet.
    pub(crate) fn assume_template(&mut self, id: u32) {
        self.initial_template = Some(id);
        self.template = self.template.or(self.initial_template);
    }

    /// Every entry is undefined.
    pub(crate) fn reset(&mut self) {
        self.template = self.initial_template;
        match self.generation.checked_add(GENERATION) {
            Some(generation) => self.generation = generation,
            None => self.recount(),
        }
    }

    /// The generations are used up: every 67 million resets. Cells that are saved keep their stamps, which are of no generation to come
    /// before the packet is over.
    #[cold]
    fn recount(&mut self) {
        for (slot, cell) in self.cells.iter_mut().enumerate() {
            self.saved.cells.push(*cell);
            self.saved.runs.push((slot as u16, 1));
            cell.stamp = 0;
        }
        self.generation = GENERATION;
    }

    /// A packet begins: what is changed from here on can be undone.
    #[inline(always)]
    pub(crate) fn begin(&mut self) {
        self.packet += 1;
        self.saved.cells.clear();
        self.saved.runs.clear();
        self.saved.texts.clear();
        self.saved.bytes.clear();
        self.saved.generation = self.generation;
        self.saved.template = self.template;
    }

    /// Saves what a template may change, once a packet.
    #[inline(always)]
    pub(crate) fn enter(&mut self, program: &Program, template: usize) {
        let Some(saved) = self.saved.templates.get_mut(template) else {
            return;
        };
        if *saved == self.packet {
            return;
        }
        *saved = self.packet;
        let Some(template) = program.templates.get(template) else {
            return;
        };
        for range in &template.slots {
            let cells = self.cells.get(range.clone()).unwrap_or(&[]);
            self.saved.cells.extend_from_slice(cells);
            self.saved
                .runs
                .push((range.start as u16, cells.len() as u16));
        }
    }

    /// Undoes the packet.
    #[cold]
    pub(crate) fn undo(&mut self) {
        // The first that was saved is the oldest.
        let mut end = self.saved.cells.len();
        for (first, count) in self.saved.runs.iter().rev() {
            let (first, count) = (usize::from(*first), usize::from(*count));
            let saved = self.saved.cells.get(end.saturating_sub(count)..end);
            if let (Some(saved), Some(cells)) = (saved, self.cells.get_mut(first..first + count)) {
                cells.copy_from_slice(saved);
            }
            end = end.saturating_sub(count);
        }
        for (slot, from, to) in &self.saved.texts {
            let saved = self.saved.bytes.get(*from..*to);
            if let (Some(text), Some(bytes)) = (self.texts.get_mut(usize::from(*slot)), saved) {
                text.bytes.clear();
                text.bytes.extend_from_slice(bytes);
            }
        }
        self.generation = self.saved.generation;
        self.template = self.saved.template;
        self.begin();
    }

    /// The state of a step's entry.
    ///
    /// # Errors
    /// D4.
    #[inline(always)]
    pub(crate) fn previous(&self, step: &Step) -> Result<Previous, ErrorCode> {
        let Some(cell) = self.cells.get(usize::from(step.slot)) else {
            return Ok(Previous::Undefined);
        };
        if cell.stamp == self.generation | step.assigned {
            return Ok(Previous::Assigned(*cell));
        }
        self.not_assigned(step, cell.stamp)
    }

    /// The word of a step's entry, if it is assigned and of the step's type.
    #[inline(always)]
    pub(crate) fn assigned(&self, step: &Step) -> Option<u64> {
        let cell = self.cells.get(usize::from(step.slot))?;
        (cell.stamp == self.generation | step.assigned).then_some(cell.word)
    }

    /// Changes the word of a step's entry, where it is assigned and of the step's type.
    #[inline(always)]
    pub(crate) fn set_word(&mut self, step: &Step, word: u64) {
        if let Some(cell) = self.cell_of(step) {
            cell.word = word;
        }
    }

    /// As [`Dictionary::assigned`], for a string of eight bytes at most; also its length.
    #[inline(always)]
    pub(crate) fn short_text(&self, step: &Step) -> Option<(u64, usize)> {
        let cell = self.cells.get(usize::from(step.slot))?;
        let is_there = cell.stamp == self.generation | step.assigned;
        let length = cell.extra as usize;
        (is_there && length <= SHORT).then_some((cell.word, length))
    }

    /// Whether a step's entry is empty.
    #[inline(always)]
    pub(crate) fn is_empty(&self, step: &Step) -> bool {
        let cell = self.cells.get(usize::from(step.slot));
        cell.is_some_and(|cell| cell.stamp == self.generation | empty(step))
    }

    #[inline(never)]
    fn not_assigned(&self, step: &Step, stamp: u32) -> Result<Previous, ErrorCode> {
        if stamp & !(GENERATION - 1) != self.generation {
            return Ok(Previous::Undefined);
        }
        if stamp == self.generation | empty(step) {
            return Ok(Previous::Empty);
        }
        Err(ErrorCode::D4)
    }

    /// Whether the entry may be written: it is of the step's type, or undefined.
    ///
    /// # Errors
    /// D4.
    #[inline(always)]
    pub(crate) fn check_type(&self, step: &Step) -> Result<(), ErrorCode> {
        if step.mixed {
            self.previous(step)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn cell_of(&mut self, step: &Step) -> Option<&mut Cell> {
        self.cells.get_mut(usize::from(step.slot))
    }

    /// The value becomes the previous one.
    #[inline(always)]
    pub(crate) fn assign(&mut self, step: &Step, word: u64, extra: u32) {
        let stamp = self.generation | step.assigned;
        if let Some(cell) = self.cell_of(step) {
            *cell = Cell { word, extra, stamp };
        }
    }

    /// There is no value now.
    #[inline(always)]
    pub(crate) fn set_empty(&mut self, step: &Step) {
        let stamp = self.generation | empty(step);
        if let Some(cell) = self.cell_of(step) {
            cell.stamp = stamp;
        }
    }

    /// A string becomes the previous one.
    ///
    /// # Errors
    /// It is too long.
    #[inline(always)]
    pub(crate) fn assign_text(&mut self, step: &Step, bytes: &[u8]) -> Result<(), ErrorCode> {
        if bytes.len() <= SHORT {
            let mut word = [0; SHORT];
            word[..bytes.len()].copy_from_slice(bytes);
            self.assign(step, u64::from_le_bytes(word), bytes.len() as u32);
            return Ok(());
        }
        self.assign_long(step, bytes)
    }

    #[inline(never)]
    fn assign_long(&mut self, step: &Step, bytes: &[u8]) -> Result<(), ErrorCode> {
        if bytes.len() > LONGEST_TEXT {
            return Err(ErrorCode::TooLong);
        }
        if let Some(text) = self.texts.get_mut(usize::from(step.slot)) {
            if text.saved != self.packet {
                text.saved = self.packet;
                let from = self.saved.bytes.len();
                self.saved.bytes.extend_from_slice(&text.bytes);
                let to = self.saved.bytes.len();
                self.saved.texts.push((step.slot, from, to));
            }
            text.bytes.clear();
            text.bytes.extend_from_slice(bytes);
        }
        self.assign(step, 0, bytes.len() as u32);
        Ok(())
    }

    /// The bytes of a long string.
    #[inline]
    pub(crate) fn long_text(&self, step: &Step) -> &[u8] {
        match self.texts.get(usize::from(step.slot)) {
            Some(text) => &text.bytes,
            None => &[],
        }
    }
}
