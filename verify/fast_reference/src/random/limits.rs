//! How large random templates and messages get.

use crate::reference::Reset;

/// Bounds for what is generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Templates in a file, from 1.
    pub templates: usize,
    /// Instructions that stand next to each other in a template, a group or a sequence, from 1.
    pub instructions: usize,
    /// Entries that the operators of a file use in all dictionaries, the template identifier included.
    pub dictionary_entries: usize,
    /// Groups, sequences and dynamic references inside each other.
    pub nesting: usize,
    /// Bytes of a string or byte vector.
    pub string_bytes: usize,
    /// Elements of a sequence.
    pub elements: usize,
    /// Packets of a case, from 1.
    pub packets: usize,
    /// Messages that stand one after the other in a packet, from 1.
    pub messages: usize,
    /// Bytes of a packet.
    pub packet_bytes: usize,
    /// When the dictionaries are reset, besides messages that do it.
    pub reset: Reset,
}

impl Default for Limits {
    /// What fits a software decoder: up to 8 templates, strings to 40 bytes, 5 elements, 4 packets of 6 messages, each what fits an
    /// Ethernet frame.
    fn default() -> Self {
        Limits {
            templates: 8,
            instructions: 8,
            dictionary_entries: usize::MAX,
            nesting: 4,
            string_bytes: 40,
            elements: 5,
            packets: 4,
            messages: 6,
            packet_bytes: 1_472,
            reset: Reset::Never,
        }
    }
}

impl Limits {
    /// What fits a hardware engine: 32 templates, 256 entries, nesting 4, and strings to so many bytes.
    pub fn hardware(string_bytes: usize) -> Self {
        Limits {
            templates: 32,
            dictionary_entries: 256,
            string_bytes,
            ..Limits::default()
        }
    }
}
