//! The transfer encoding against the examples of the FAST specification, and forth and back on random values.

use formats::fast::{
    Fault, Longest, MapWriter, Overlong, Reader, put_ascii, put_nullable_ascii,
    put_nullable_signed, put_nullable_unsigned, put_nullable_vector, put_signed, put_signed_wide,
    put_unsigned, put_vector, quick_ascii, quick_long_signed, quick_signed, quick_unsigned,
};
use proptest::prelude::*;

const INTEGER: Overlong = Overlong {
    integer: true,
    map: false,
    string: false,
};
const STRING: Overlong = Overlong {
    integer: false,
    map: false,
    string: true,
};

/// Appendix 3.1 and section 10.6.1.
#[test]
fn integers_are_those_of_the_specification() {
    for (bytes, value) in [
        (&[0x39, 0x45, 0xa3][..], 942_755),
        (&[0x46, 0x3a, 0xdd], -942_755),
        (&[0x7c, 0x1b, 0x1b, 0x9d], -7_942_755),
        (&[0x00, 0xc0], 64),
        (&[0x7f, 0x3f, 0xff], -8_193),
    ] {
        assert_eq!(Reader::new(bytes).signed(), Ok(value));
        let mut out = Vec::new();
        put_signed(&mut out, value);
        assert_eq!(out, bytes);
    }
    let most = [0x10, 0x00, 0x00, 0x00, 0x80];
    assert_eq!(
        Reader::new(&most).nullable_unsigned(),
        Ok(Some(4_294_967_295))
    );
    assert_eq!(Reader::new(&[0x80]).nullable_unsigned(), Ok(None));
    assert_eq!(Reader::new(&[0x81]).nullable_unsigned(), Ok(Some(0)));
    assert_eq!(Reader::new(&[0x80]).nullable_signed(), Ok(None));
    assert_eq!(Reader::new(&[0xff]).nullable_signed(), Ok(Some(-1)));
}

/// Bytes, whether they are nullable, what they say, and whether they are overlong.
type Row = (&'static [u8], bool, Option<&'static [u8]>, bool);

/// The table of section 10.6.3.
#[test]
fn strings_are_those_of_the_specification() {
    let rows: [Row; 9] = [
        (&[0x80], false, Some(b""), false),
        (&[0x00, 0x80], false, Some(b"\0"), false),
        (&[0x00, 0xc1], false, Some(b"A"), true),
        (&[0x80], true, None, false),
        (&[0x00, 0x80], true, Some(b""), false),
        (&[0x00, 0xc1], true, Some(b"A"), true),
        (&[0x00, 0x00, 0x80], true, Some(b"\0"), false),
        (&[0x00, 0x00, 0xc1], true, Some(b"A"), true),
        (&[0x41, 0x42, 0xc3], true, Some(b"ABC"), false),
    ];
    for (bytes, nullable, value, overlong) in rows {
        let mut reader = Reader::new(bytes);
        let text = if nullable {
            reader.nullable_ascii().unwrap()
        } else {
            Some(reader.ascii().unwrap())
        };
        let text = text.map(|text| {
            let mut out = Vec::new();
            text.append_to(&mut out);
            out
        });
        assert_eq!(text.as_deref(), value, "{bytes:02x?}");
        assert_eq!(reader.overlong == STRING, overlong, "{bytes:02x?}");
        if !overlong {
            let mut out = Vec::new();
            if nullable {
                put_nullable_ascii(&mut out, value);
            } else {
                put_ascii(&mut out, value.unwrap());
            }
            assert_eq!(out, bytes);
        }
    }
}

#[test]
fn needless_bytes_of_an_integer_are_noted() {
    for bytes in [
        &[0x00, 0x81][..],
        &[
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x81,
        ],
    ] {
        let mut reader = Reader::new(bytes);
        assert_eq!((reader.unsigned(), reader.overlong), (Ok(1), INTEGER));
    }
    for (bytes, value, overlong) in [
        (&[0x00, 0x81][..], 1, INTEGER),
        (&[0x7f, 0xff], -1, INTEGER),
        (&[0x00, 0xc0], 64, Overlong::default()),
        (&[0x7f, 0xbf], -65, Overlong::default()),
    ] {
        let mut reader = Reader::new(bytes);
        assert_eq!((reader.signed(), reader.overlong), (Ok(value), overlong));
    }
}

#[test]
fn an_integer_of_more_than_64_bits_is_too_large() {
    let eleven = [
        0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0xff,
    ];
    assert_eq!(Reader::new(&eleven).unsigned(), Err(Fault::TooLarge));
    let ten = [0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80];
    assert_eq!(Reader::new(&ten).unsigned(), Err(Fault::TooLarge));
    assert_eq!(Reader::new(&ten).nullable_unsigned(), Ok(Some(u64::MAX)));
    assert_eq!(Reader::new(&ten).signed(), Err(Fault::TooLarge));
    assert_eq!(Reader::new(&ten).signed_wide(), Ok(1 << 64));
}

#[test]
fn what_ends_inside_a_field_is_truncated() {
    assert_eq!(Reader::new(&[]).unsigned(), Err(Fault::Truncated));
    assert_eq!(Reader::new(&[0x01, 0x02]).signed(), Err(Fault::Truncated));
    assert_eq!(
        Reader::new(&[0x83, 0x01, 0x02]).vector(),
        Err(Fault::Truncated)
    );
    assert!(Reader::new(&[0x41]).ascii().is_err());
    assert!(Reader::new(&[0x00; 100]).presence_map().is_err());
}

#[test]
fn a_presence_map_goes_on_with_zeros() {
    let bytes = [
        0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x81,
    ];
    let mut map = Reader::new(&bytes).presence_map().unwrap();
    let bits: Vec<usize> = (0..200).filter(|_| map.next_bit()).collect();
    assert_eq!(bits, [0, 64, 76]);
    assert!(!map.has_more());
    let mut overlong = Reader::new(&[0x40, 0x80]);
    overlong.presence_map().unwrap();
    assert!(overlong.overlong.map);
}

/// Bytes at whose front a field of any length may be, and often one that is nearly overlong.
fn front() -> impl Strategy<Value = Vec<u8>> {
    let data = prop_oneof![
        4 => 0..=0x7f_u8,
        1 => Just(0),
        1 => Just(0x7f),
        1 => Just(0x3f),
        1 => Just(0x40),
    ];
    let byte = (data, 0..6_u8).prop_map(|(data, stop)| data | u8::from(stop == 0) << 7);
    prop::collection::vec(byte, 1..=14)
}

proptest! {
    #[test]
    fn unsigned_integers_come_back(value: u64, shift in 0..64_u32) {
        let value = value >> shift;
        let mut out = Vec::new();
        put_unsigned(&mut out, value);
        put_nullable_unsigned(&mut out, Some(value));
        let mut reader = Reader::new(&out);
        prop_assert_eq!(reader.unsigned(), Ok(value));
        prop_assert_eq!(reader.nullable_unsigned(), Ok(Some(value)));
        prop_assert_eq!((reader.remaining(), reader.overlong), (0, Overlong::default()));
    }

    #[test]
    fn signed_integers_come_back(value: i64, shift in 0..64_u32) {
        let value = value >> shift;
        let mut out = Vec::new();
        put_signed(&mut out, value);
        put_nullable_signed(&mut out, Some(value));
        put_signed_wide(&mut out, i128::from(value) * 3);
        let mut reader = Reader::new(&out);
        prop_assert_eq!(reader.signed(), Ok(value));
        prop_assert_eq!(reader.nullable_signed(), Ok(Some(value)));
        prop_assert_eq!(reader.signed_wide(), Ok(i128::from(value) * 3));
        prop_assert_eq!((reader.remaining(), reader.overlong), (0, Overlong::default()));
    }

    #[test]
    fn strings_and_vectors_come_back(text in "[\\x00-\\x7f]{0,20}", bytes: Vec<u8>) {
        let mut out = Vec::new();
        put_ascii(&mut out, text.as_bytes());
        put_nullable_ascii(&mut out, Some(text.as_bytes()));
        put_vector(&mut out, &bytes);
        put_nullable_vector(&mut out, Some(&bytes));
        put_nullable_vector(&mut out, None);
        let mut reader = Reader::new(&out);
        let mut read = Vec::new();
        reader.ascii().unwrap().append_to(&mut read);
        prop_assert_eq!(&read, text.as_bytes());
        read.clear();
        reader.nullable_ascii().unwrap().unwrap().append_to(&mut read);
        prop_assert_eq!(&read, text.as_bytes());
        prop_assert_eq!(reader.vector(), Ok(&bytes[..]));
        prop_assert_eq!(reader.nullable_vector(), Ok(Some(&bytes[..])));
        prop_assert_eq!(reader.nullable_vector(), Ok(None));
        prop_assert_eq!((reader.remaining(), reader.overlong), (0, Overlong::default()));
    }

    #[test]
    fn presence_maps_come_back(bits: Vec<bool>) {
        let mut writer = MapWriter::default();
        bits.iter().for_each(|bit| writer.push(*bit));
        let mut out = vec![0x55];
        writer.insert(&mut out, 0);
        prop_assert_eq!(out.pop(), Some(0x55));
        let mut reader = Reader::new(&out);
        let mut map = reader.presence_map().unwrap();
        for bit in bits {
            prop_assert_eq!(map.next_bit(), bit);
        }
        prop_assert!(!map.has_more());
        prop_assert!(!reader.overlong.map);
    }

    /// What is read at once is what a reader reads, and all that is usual is: at least 8 bytes are there, the field takes as many as it
    /// may, and is not overlong.
    #[test]
    fn what_is_read_at_once_is_what_a_reader_reads(bytes in front(), longest in 1..=8_u8) {
        let usual = |reader: &Reader<'_>, longest: u8| {
            let length = reader.position();
            let is_usual = bytes.len() >= 8
                && length <= usize::from(longest)
                && reader.overlong == Overlong::default();
            is_usual.then(|| &bytes[length..])
        };
        let mut reader = Reader::new(&bytes);
        let expected = reader.unsigned().ok().zip(usual(&reader, longest));
        prop_assert_eq!(quick_unsigned(&bytes, Longest::bytes(longest)), expected);
        let mut reader = Reader::new(&bytes);
        let expected = reader.signed().ok().zip(usual(&reader, longest));
        prop_assert_eq!(quick_signed(&bytes, Longest::bytes(longest)), expected);
        prop_assert_eq!(quick_long_signed(&bytes, Longest::bytes(longest)), expected);
        let mut reader = Reader::new(&bytes);
        let mut expected = Vec::new();
        if let Ok(text) = reader.ascii()
            && bytes[0] & 0x7f != 0
        {
            text.append_to(&mut expected);
        }
        let expected = (!expected.is_empty()).then_some(expected).zip(usual(&reader, 8));
        let text = quick_ascii(&bytes);
        let text = text.map(|(word, length, rest)| (word.to_le_bytes()[..length].to_vec(), rest));
        prop_assert_eq!(text, expected);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>) {
        let _ = Reader::new(&bytes).nullable_signed_wide();
        let _ = Reader::new(&bytes).nullable_unsigned();
        let _ = Reader::new(&bytes).nullable_signed();
        let _ = Reader::new(&bytes).nullable_ascii().map(|text| text.map(|text| text.len()));
        let _ = Reader::new(&bytes).nullable_vector();
        let _ = Reader::new(&bytes).presence_map().map(|mut map| map.next_bit());
    }
}
