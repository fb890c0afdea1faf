//! What several tests need.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use fast_reference::reference::{Code, Decoder};
use fast_reference::{Message, Value};

/// A file or folder of `../shared/data`, or `None` with a message where it is absent.
pub fn data(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: no {name} in ../shared/data");
    None
}

/// Bytes from hexadecimal digits with spaces anywhere.
pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// `<templates>` with this content.
pub fn templates(content: &str) -> String {
    format!(r#"<templates xmlns="http://www.fixprotocol.org/ns/fast/td/1.1">{content}</templates>"#)
}

/// A decoder for one template, of identifier 1, with this content.
pub fn decoder(content: &str) -> Decoder {
    decoder_of(&format!(
        r#"<template name="T" id="1">{content}</template>"#
    ))
}

/// A decoder for these templates.
pub fn decoder_of(content: &str) -> Decoder {
    Decoder::new(&templates(content)).unwrap()
}

/// The only field of each message in a packet.
pub fn values(decoder: &mut Decoder, packet: &str) -> Vec<Value> {
    messages(decoder, packet)
        .into_iter()
        .map(|message| {
            assert_eq!(message.fields.len(), 1, "{message:?}");
            message.fields[0].1.clone()
        })
        .collect()
}

/// The messages of a packet without errors.
pub fn messages(decoder: &mut Decoder, packet: &str) -> Vec<Message> {
    decoder
        .packet(&hex(packet))
        .into_iter()
        .collect::<Result<_, _>>()
        .unwrap()
}

/// Code and place of the error that ends a packet.
pub fn error(decoder: &mut Decoder, packet: &str) -> (Code, usize) {
    let error = decoder.packet(&hex(packet)).pop().unwrap().unwrap_err();
    (error.code, error.offset)
}

/// An ASCII string.
pub fn ascii(text: &str) -> Value {
    Value::Ascii(text.to_owned())
}

/// A decimal.
pub fn decimal(exponent: i32, mantissa: i64) -> Value {
    Value::Decimal { exponent, mantissa }
}
