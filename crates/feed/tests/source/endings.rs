//! Files that are cut off, that go on after their end, or that are compressed.

use std::cell::RefCell;
use std::io::Write;

use feed::source::{Fault, MessageReader, Options, Payloads, Source, SourceError};
use flate2::{Compression, write::GzEncoder};
use formats::itch::Version;

use super::{datagrams, file, frame, pcap, pcapng, sample, starts};

thread_local! {
    static TOLD: RefCell<Vec<(u64, Fault)>> = const { RefCell::new(Vec::new()) };
}

fn tell(error: &SourceError) {
    let SourceError::Content { offset, fault, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(
        error.is_truncation(),
        !matches!(fault, Fault::AfterEnd { .. })
    );
    TOLD.with_borrow_mut(|told| told.push((*offset, fault.clone())));
}

/// Everything in a file, and what was told on the way.
type Outcome = (Result<Vec<Vec<u8>>, SourceError>, Vec<(u64, Fault)>);

fn read(bytes: &[u8], notice: bool) -> Outcome {
    let file = file(bytes);
    let options = Options {
        notice: notice.then_some(tell as _),
        ..Options::default()
    };
    TOLD.take();
    let read = || {
        let mut all = vec![];
        match Source::open(file.path(), options)? {
            Source::Messages(mut reader) => {
                while let Some(record) = reader.next_message()? {
                    all.push(record.message.to_vec());
                }
                assert!(reader.next_message()?.is_none(), "an end is for good");
            }
            Source::Datagrams(mut reader) => {
                while let Some(datagram) = reader.next_datagram()? {
                    all.push(datagram.payload.to_vec());
                }
                assert!(reader.next_datagram()?.is_none(), "an end is for good");
            }
        }
        Ok(all)
    };
    (read(), TOLD.take())
}

/// Three frames as a capture, where their records begin and the last ends, and their payloads.
fn captures() -> [(Vec<u8>, Vec<usize>); 2] {
    let frames = ["one", "two", "three"].map(|text| frame(text.as_bytes(), None, 1));
    let first = pcap(
        0xa1b2_c3d4,
        false,
        &frames.clone().map(|frame| (1, 0, frame)),
    );
    // A record: 16 bytes and the frame. A block: 28 and 4, around the frame in multiples of four.
    let records = frames.iter().scan(24, |at, frame| {
        *at += 16 + frame.len();
        Some(*at)
    });
    let second = pcapng(&frames.clone().map(|frame| (1, frame)));
    let blocks = frames.iter().scan(60, |at, frame| {
        *at += 32 + frame.len().next_multiple_of(4);
        Some(*at)
    });
    [
        (first.clone(), [24].into_iter().chain(records).collect()),
        (second.clone(), [60].into_iter().chain(blocks).collect()),
    ]
}

#[test]
fn a_file_cut_off_anywhere_gives_what_is_whole_and_tells_where_it_ends() {
    let messages = sample(Version::V50, 20);
    let begins = starts(&messages);
    for (bytes, begins) in captures().into_iter().chain([(messages, begins)]) {
        assert_eq!(begins.last(), Some(&bytes.len()));
        let whole = read(&bytes, true).0.unwrap();
        assert_eq!(whole.len(), begins.len() - 1);
        // Not before the second message: the first tells what the file is.
        for length in begins[1]..bytes.len() {
            let complete = begins.iter().filter(|begin| **begin <= length).count() - 1;
            let (result, told) = read(&bytes[..length], true);
            assert_eq!(result.unwrap(), whole[..complete], "cut at {length}");
            let (alone, nothing) = read(&bytes[..length], false);
            assert_eq!(nothing, []);
            if begins.contains(&length) {
                assert_eq!(told, [], "cut at {length}");
                assert_eq!(alone.unwrap().len(), complete);
                continue;
            }
            assert!(alone.unwrap_err().is_truncation(), "cut at {length}");
            let [(offset, Fault::Truncated { found, .. })] = told[..] else {
                panic!("cut at {length}: {told:?}");
            };
            assert_eq!(
                (offset as usize, found as usize),
                (begins[complete], length - begins[complete]),
                "cut at {length}"
            );
        }
    }
}

pub fn gzip(parts: &[&[u8]]) -> Vec<u8> {
    let member = |part: &&[u8]| {
        let mut encoder = GzEncoder::new(vec![], Compression::fast());
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap()
    };
    parts.iter().flat_map(member).collect()
}

pub fn zstandard(parts: &[&[u8]]) -> Vec<u8> {
    let frame = |part: &&[u8]| zstd::encode_all(*part, 1).unwrap();
    parts.iter().flat_map(frame).collect()
}

#[test]
fn compressed_files_are_read_as_what_is_in_them() {
    let messages = sample(Version::V41, 300_000);
    assert!(messages.len() > 4 << 20, "longer than the window");
    let [first, second] = captures();
    for plain in [messages, first.0, second.0] {
        let expected = read(&plain, false).0.unwrap();
        let (one, two) = plain.split_at(plain.len() / 3);
        // A skippable frame (RFC 8878, 3.1.2), as pzstd writes.
        let skipped = [
            &[0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7][..],
            &zstandard(&[&plain]),
        ]
        .concat();
        for compressed in [
            gzip(&[&plain]),
            gzip(&[one, two]),
            zstandard(&[&plain]),
            zstandard(&[one, two]),
            skipped,
        ] {
            let (found, told) = read(&compressed, true);
            assert!(found.unwrap() == expected);
            assert_eq!(told, []);
        }
    }
}

#[test]
fn progress_through_a_compressed_file_is_counted_as_it_is_stored() {
    let compressed = gzip(&[&sample(Version::V50, 2_000)]);
    let file = file(&compressed);
    let mut reader = MessageReader::open(file.path(), Options::default()).unwrap();
    while reader.next_message().unwrap().is_some() {}
    let length = compressed.len() as u64;
    assert_eq!(reader.position(), (length, Some(length)));
}

#[test]
fn a_compressed_file_cut_off_anywhere_gives_a_part_and_tells_it_once() {
    // Zstandard gives blocks of 128 KiB whole or not at all.
    let plain = sample(Version::V50, 6_000);
    assert!(plain.len() > 128 << 10);
    let whole = read(&plain, false).0.unwrap();
    for (compressed, checksum) in [(gzip(&[&plain]), true), (zstandard(&[&plain]), false)] {
        let mut most = 0;
        let end = compressed.len();
        for length in (4..160)
            .chain((160..end - 12).step_by(9_973))
            .chain(end - 12..end)
        {
            let cut = &compressed[..length];
            let (alone, _) = read(cut, false);
            assert!(alone.unwrap_err().is_truncation(), "cut at {length}");
            match read(cut, true) {
                (Ok(part), told) => {
                    assert_eq!(told.len(), 1, "cut at {length}: {told:?}");
                    assert_eq!(part, whole[..part.len()], "cut at {length}");
                    most = most.max(part.len());
                }
                // Nothing in it tells what it is.
                (Err(error), told) => {
                    assert!(error.is_truncation(), "cut at {length}: {error}");
                    assert_eq!(told, []);
                }
            }
        }
        // Without the last byte of a checksum everything is there.
        assert!(most == whole.len() || !checksum && most > 0, "{most}");
    }
}

#[test]
fn a_compressed_file_that_is_damaged_is_an_error() {
    let plain = sample(Version::V50, 2_000);
    let mut damaged = gzip(&[&plain]);
    // The last eight bytes are checksum and length (RFC 1952, 2.3).
    let checksum = damaged.len() - 8;
    damaged[checksum] ^= 1;
    let (result, told) = read(&damaged, true);
    assert!(
        matches!(result, Err(SourceError::Read { .. })),
        "{result:?}"
    );
    assert_eq!(told, []);
}

#[test]
fn what_follows_the_end_mark_is_told() {
    let messages = sample(Version::V50, 50);
    let mark = messages.len() as u64;
    for after in [0, 1, 3_000_000] {
        let bytes = [&messages[..], &[0, 0], &vec![7; after]].concat();
        for bytes in [bytes.clone(), gzip(&[&bytes]), zstandard(&[&bytes])] {
            let (result, told) = read(&bytes, true);
            assert_eq!(result.unwrap().len(), 50);
            let expected = (
                mark,
                Fault::AfterEnd {
                    bytes: after as u64,
                },
            );
            assert_eq!(told, if after == 0 { vec![] } else { vec![expected] });
            let file = file(&bytes);
            let mut reader = MessageReader::open(file.path(), Options::default()).unwrap();
            while reader.next_message().unwrap().is_some() {}
            assert_eq!(reader.after_end(), after as u64);
        }
    }
}

#[test]
fn bytes_of_a_file_that_is_no_capture_come_decompressed() {
    for plain in [&b""[..], b"x", b"no capture, and no ITCH"] {
        for stored in [plain.to_vec(), gzip(&[plain]), zstandard(&[plain])] {
            let file = file(&stored);
            match Payloads::open(file.path(), Options::default()).unwrap() {
                Payloads::Bytes(bytes) => assert_eq!(bytes, plain),
                Payloads::Datagrams(_) => panic!("a capture"),
            }
        }
    }
    let file = file(&captures()[0].0);
    let found = Payloads::open(file.path(), Options::default()).unwrap();
    assert!(matches!(found, Payloads::Datagrams(_)));
}

/// libpcap reads blocks of up to 16 MiB.
#[test]
fn long_blocks_are_read_up_to_a_limit_that_is_named() {
    let (capture, begins) = captures()[1].clone();
    let with = |length: usize| {
        let custom = super::block(0x0bad, &vec![1; length - 12]);
        [&capture[..begins[1]], &custom, &capture[begins[1]..]].concat()
    };
    for length in [2 << 20, 16 << 20] {
        assert_eq!(datagrams(&with(length), Options::default()).0.len(), 3);
    }
    let (result, _) = read(&with((16 << 20) + 4), true);
    let error = result.unwrap_err();
    assert!(
        matches!(
            error,
            SourceError::Content { offset, fault: Fault::TooLong { what: "block", length: 16_777_220 }, .. }
                if offset == begins[1] as u64
        ),
        "{error:?}"
    );
    assert!(error.to_string().contains("16777216"), "{error}");
}
