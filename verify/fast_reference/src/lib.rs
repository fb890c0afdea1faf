//! What the FAST decoders are held against: a decoder for all of FAST 1.1, written plainly from the specification, and random
//! templates and messages to feed them with.
//!
//! - [`mod@reference`]: template XML and bytes in, [messages](Message) or the specification's error codes out. Made to be obvious, not
//!   fast: it walks the tree of the XML, and keeps previous values in one hash map.
//! - [`mod@random`]: from a seed, a template file and packets of valid messages, with the values that were meant; and faults in them.
//!
//! A decoder under test gets the same XML and the same bytes, and must give the same values, and an error of the same code where
//! the reference gives one:
//!
//! ```
//! use fast_reference::random::{Case, Limits, mutate};
//! use fast_reference::reference::Decoder;
//! use rand::SeedableRng;
//!
//! let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
//! for seed in 0..10 {
//!     let case = Case::new(seed, &Limits::default());
//!     let mut reference = Decoder::with_options(&case.xml, case.options())?;
//!     // let mut tested = …;
//!     for packet in &case.packets {
//!         let bytes = mutate(&packet.bytes, &mut rng);
//!         let expected = reference.packet(&bytes);
//!         // assert_eq!(tested.packet(&bytes), expected);
//!         assert!(expected.iter().rev().skip(1).all(Result::is_ok));
//!     }
//! }
//! # Ok::<(), fast_reference::reference::TemplateError>(())
//! ```
//!
//! Neither part does I/O, panics, or takes time or memory without bound, whatever the bytes and the XML.
//!
//! The specification is "FAST Specification, version 1.x.1, 2006-12-20" of FIX Protocol Ltd; section numbers and error codes in this
//! crate are its own. What it leaves open, and what was chosen, is told at [`mod@reference`].
#![forbid(unsafe_code)]

pub mod message;
pub mod random;
pub mod reference;

pub use message::{Fields, Message, Value};
