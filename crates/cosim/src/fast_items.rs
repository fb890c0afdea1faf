//! What a FAST packet says, as a list: from the software decoder's callbacks, and from the lines of a ring in host memory.

use device::ring::{Line, Memory, Status};
use device::{FieldItem, FieldReader, Ring, RingValue};
use fast::microcode::{MOST_CHARACTERS, Numbering, Wanted};
use fast::{Decimal, Error, Field, Templates, Value, Visitor};

/// Something that a packet says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A message of the template with this identifier begins.
    Message(u32),
    /// Inside it, the fields of the template with this identifier begin, to which it refers.
    Reference(u32),
    /// A field of this number has no value.
    Absent(u32),
    /// An unsigned integer.
    Unsigned(u32, u64),
    /// A signed one.
    Signed(u32, i64),
    /// A decimal.
    Decimal(u32, Decimal),
    /// A string or byte vector.
    Text(u32, Vec<u8>),
    /// An entry of a sequence ends.
    EntryEnd,
    /// The message ends.
    MessageEnd,
}

impl Item {
    /// It is a field with a value.
    pub const fn is_field(&self) -> bool {
        matches!(
            self,
            Item::Unsigned(..) | Item::Signed(..) | Item::Decimal(..) | Item::Text(..)
        )
    }
}

/// Collects the items of a packet from the software decoder.
pub struct FromDecoder<'t> {
    templates: &'t Templates,
    wanted: &'t Wanted,
    /// All before an error.
    pub items: Vec<Item>,
    /// The error.
    pub error: Option<Error>,
    long_text: bool,
    /// Sequences, groups and references that are open.
    open: usize,
    deep: bool,
}

impl<'t> FromDecoder<'t> {
    /// Nothing yet.
    pub fn new(templates: &'t Templates, wanted: &'t Wanted) -> Self {
        FromDecoder {
            templates,
            wanted,
            items: Vec::new(),
            error: None,
            long_text: false,
            open: 0,
            deep: false,
        }
    }

    /// Whether a reference came inside eight sequences, groups and references or more.
    pub const fn has_deep_reference(&self) -> bool {
        self.deep
    }

    fn identifier(&self, index: usize) -> u32 {
        let template = self.templates.all().get(index);
        template.and_then(|one| one.id).unwrap_or_default()
    }

    /// Whether a string came that the dictionary has no room for.
    pub fn has_long_text(&self) -> bool {
        self.long_text
    }
}

impl Visitor for FromDecoder<'_> {
    fn message_start(&mut self, index: usize) {
        self.items.push(Item::Message(self.identifier(index)));
    }

    fn field(&mut self, field: Field, value: Value<'_>) {
        let tag = field.tag;
        if let Value::Ascii(bytes) | Value::Unicode(bytes) | Value::Bytes(bytes) = value {
            self.long_text |= bytes.len() > MOST_CHARACTERS;
        }
        if let Wanted::Tags(tags) = self.wanted
            && !tags.contains(&tag)
        {
            return;
        }
        self.items.push(match value {
            Value::Absent => Item::Absent(tag),
            Value::Unsigned(value) => Item::Unsigned(tag, value),
            Value::Signed(value) => Item::Signed(tag, value),
            Value::Decimal(value) => Item::Decimal(tag, value),
            Value::Ascii(bytes) | Value::Unicode(bytes) | Value::Bytes(bytes) => {
                Item::Text(tag, bytes.to_vec())
            }
        });
    }

    fn reference_start(&mut self, _: Field, index: usize) {
        self.deep |= self.open >= 8;
        self.open += 1;
        self.items.push(Item::Reference(self.identifier(index)));
    }

    fn reference_end(&mut self) {
        self.open -= 1;
    }

    fn group_start(&mut self, _: Field) {
        self.open += 1;
    }

    fn group_end(&mut self) {
        self.open -= 1;
    }

    fn sequence_start(&mut self, _: Field, _: u32) {
        self.open += 1;
    }

    fn sequence_end(&mut self) {
        self.open -= 1;
    }

    fn entry_end(&mut self, _: usize) {
        self.items.push(Item::EntryEnd);
    }

    fn message_end(&mut self) {
        self.items.push(Item::MessageEnd);
    }

    fn dropped(&mut self, error: &Error) {
        self.error = Some(*error);
    }
}

/// Reads packets out of a ring.
#[derive(Clone, Debug)]
pub struct FromRing {
    ring: Ring,
    /// By feed: its reader, and what the packet that is open has said so far.
    feeds: Vec<(FieldReader, Vec<Item>)>,
}

/// What the ring says at a packet's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RingPacket {
    /// What it said, which counts.
    Good(Vec<Item>),
    /// It does not count, for this reason (`fast_pkg::fast_error_e`).
    Bad(
        /// The code.
        u8,
    ),
    /// Lines are missing here.
    Lost,
}

impl FromRing {
    /// A ring of 2^`size_log2` lines that has just begun, for a program whose fields were numbered so.
    pub fn new(size_log2: u32, numbering: Numbering) -> Self {
        Self::of_feeds(size_log2, [numbering])
    }

    /// The same of several feeds, each with its program.
    pub fn of_feeds(size_log2: u32, numberings: impl IntoIterator<Item = Numbering>) -> Self {
        let feed = |numbering| (FieldReader::new(numbering), Vec::new());
        FromRing {
            ring: Ring::new(size_log2),
            feeds: numberings.into_iter().map(feed).collect(),
        }
    }

    /// Lines read since it began, modulo 2^32.
    pub const fn position(&self) -> u32 {
        self.ring.position()
    }

    /// Reads up to the end of a packet, of whatever feed. `None`: its end is not there yet.
    ///
    /// # Errors
    /// As [`FromRing::packet_of_feed`].
    pub fn packet(
        &mut self,
        memory: &(impl Memory + ?Sized),
    ) -> Result<Option<RingPacket>, &'static str> {
        Ok(self.packet_of_feed(memory)?.map(|(_, packet)| packet))
    }

    /// Reads up to the end of a packet, and says whose it is. `None`: its end is not there yet.
    ///
    /// # Errors
    /// A line of a feed that there is not, or with a number that its program has not.
    pub fn packet_of_feed(
        &mut self,
        memory: &(impl Memory + ?Sized),
    ) -> Result<Option<(u8, RingPacket)>, &'static str> {
        while let Some(line) = self.ring.poll(memory) {
            let feed = self.feeds.get_mut(usize::from(line.feed()));
            let (reader, items) = feed.ok_or("a line is of a feed that there is not")?;
            let packet = packet_at(reader, items, &line)?;
            if packet.is_some() {
                return Ok(packet.map(|packet| (line.feed(), packet)));
            }
        }
        Ok(None)
    }

    /// The first packet of these lines, all of one feed. `None`: its end is not there.
    ///
    /// # Errors
    /// A number that the reader's program has not.
    pub fn packet_of_lines(
        reader: &mut FieldReader,
        lines: &[Line],
    ) -> Result<Option<RingPacket>, &'static str> {
        let mut items = Vec::new();
        for line in lines {
            let packet = packet_at(reader, &mut items, line)?;
            if packet.is_some() {
                return Ok(packet);
            }
        }
        Ok(None)
    }
}

/// Takes a line; the packet, if it ends with it.
fn packet_at(
    reader: &mut FieldReader,
    items: &mut Vec<Item>,
    line: &Line,
) -> Result<Option<RingPacket>, &'static str> {
    let mut packet = None;
    reader.line(line, |item| match item {
        FieldItem::Message(id) => items.push(Item::Message(id)),
        FieldItem::Reference(id) => items.push(Item::Reference(id)),
        FieldItem::Field(tag, value) => items.push(match value {
            RingValue::Unsigned(value) => Item::Unsigned(tag, value),
            RingValue::Signed(value) => Item::Signed(tag, value),
            RingValue::Decimal(value) => Item::Decimal(tag, value),
            RingValue::Text(text) => Item::Text(tag, text.to_vec()),
        }),
        FieldItem::EntryEnd => items.push(Item::EntryEnd),
        FieldItem::MessageEnd => items.push(Item::MessageEnd),
        FieldItem::Packet { good: true } => {
            packet = Some(RingPacket::Good(std::mem::take(items)));
        }
        FieldItem::Packet { good: false } => {
            let code = match line.status() {
                Some(Status::Verdict { code, .. }) => code,
                _ => 0,
            };
            packet = Some(RingPacket::Bad(code));
        }
        FieldItem::Lost => packet = Some(RingPacket::Lost),
    })?;
    if packet.is_some() {
        items.clear();
    }
    Ok(packet)
}
