//! FAST 1.1 (FIX Adapted for Streaming, specification 1.x.1 of 2006-12-20) in software: template compiler, decoder and encoder.
//!
//! ```text
//!  XML ── Templates::parse ── instructions ─┬─ Decoder: bytes → Visitor
//!                                           ├─ Encoder: Message → bytes
//!                                           └─ listing, eligible, the hardware's microcode
//! ```
//! The byte format itself is `formats::fast`. Nothing here does I/O, and nothing panics, whatever the bytes or the XML.
//!
//! ```
//! use fast::{Decoder, Json, MessageBuilder, Templates};
//!
//! let templates = Templates::parse(r#"
//!     <templates xmlns="http://www.fixprotocol.org/ns/fast/td/1.1">
//!       <template name="Quote" id="2"><decimal name="Price"/></template>
//!     </templates>"#).unwrap();
//! let mut decoder = Decoder::new(&templates);
//! let mut messages = MessageBuilder::new(&templates);
//! decoder.packet(&[0xc0, 0x82, 0xfe, 0x39, 0x45, 0xa3], &mut messages).unwrap();
//! let json = Json::new(&templates).write(&messages.take()[0]);
//! assert_eq!(json, r#"{"template":"Quote","id":2,"fields":{"Price":"942755e-2"}}"#);
//! ```
#![forbid(unsafe_code)]

pub mod decode;
mod dictionary;
pub mod encode;
pub mod framing;
pub mod json;
pub mod message;
pub mod microcode;
mod program;
pub mod template;
pub mod wire_rate;

pub use decode::{Decoder, Error, ErrorCode, Field, Reportable, Settings, Value, Visitor};
pub use encode::{EncodeError, Encoder};
pub use framing::Framing;
pub use json::Json;
pub use message::{Fields, Message, MessageBuilder, Node};
pub use template::{
    Decimal, Initial, Instruction, Kind, Operator, Template, TemplateError, Templates, Width,
};
