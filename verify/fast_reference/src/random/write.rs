//! The transfer encoding (section 10), written: presence maps, integers, strings and byte vectors as bytes.

/// A segment while it is written: the presence map comes before what decides its bits.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    pub bits: Vec<bool>,
    pub body: Vec<u8>,
}

impl Segment {
    /// Presence map and body.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = presence_map(&self.bits);
        bytes.extend(&self.body);
        bytes
    }
}

/// Groups of seven bits with the stop bit on the last.
pub fn entity(groups: &[u8]) -> Vec<u8> {
    let mut bytes = groups.to_vec();
    if let Some(last) = bytes.last_mut() {
        *last |= 0x80;
    }
    bytes
}

/// Section 10.5: without the zeros at its end, but at least seven bits.
pub fn presence_map(bits: &[bool]) -> Vec<u8> {
    let length = bits.iter().rposition(|&bit| bit).map_or(1, |last| last + 1);
    let groups: Vec<u8> = (0..length.div_ceil(7))
        .map(|group| {
            (0..7).fold(0, |value, bit| {
                value << 1 | u8::from(bits.get(group * 7 + bit).copied().unwrap_or(false))
            })
        })
        .collect();
    entity(&groups)
}

/// Section 10.6.1.2.
pub fn unsigned(value: i128) -> Vec<u8> {
    let mut groups = vec![(value & 0x7f) as u8];
    let mut rest = value >> 7;
    while rest > 0 {
        groups.insert(0, (rest & 0x7f) as u8);
        rest >>= 7;
    }
    entity(&groups)
}

/// Section 10.6.1.1: until the rest is nothing but the sign that the first bit shows.
pub fn signed(value: i128) -> Vec<u8> {
    let mut groups = vec![(value & 0x7f) as u8];
    let mut rest = value >> 7;
    loop {
        let is_negative = groups[0] & 0x40 != 0;
        if rest == if is_negative { -1 } else { 0 } {
            return entity(&groups);
        }
        groups.insert(0, (rest & 0x7f) as u8);
        rest >>= 7;
    }
}

/// Section 10.6.1: a nullable integer counts from one where it is not negative.
pub fn nullable(value: i128) -> i128 {
    if value >= 0 { value + 1 } else { value }
}

/// Section 10.6.3.
pub fn ascii(text: &[u8], is_nullable: bool) -> Vec<u8> {
    let mut groups = Vec::new();
    if text.first().is_none_or(|&first| first == 0) {
        groups.push(0);
        if is_nullable {
            groups.push(0);
        }
    }
    groups.extend(text);
    entity(&groups)
}

/// Section 10.6.5.
pub fn byte_vector(bytes: &[u8], is_nullable: bool) -> Vec<u8> {
    let size = bytes.len() as i128;
    let mut written = unsigned(if is_nullable { nullable(size) } else { size });
    written.extend(bytes);
    written
}

/// Section 10.4.
pub const NULL: u8 = 0x80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_those_of_appendix_3_1() {
        assert_eq!(signed(942_755), [0x39, 0x45, 0xa3]);
        assert_eq!(signed(-942_755), [0x46, 0x3a, 0xdd]);
        assert_eq!(signed(-7_942_755), [0x7c, 0x1b, 0x1b, 0x9d]);
        assert_eq!(signed(8_193), [0x00, 0x40, 0x81]);
        assert_eq!(signed(-8_193), [0x7f, 0x3f, 0xff]);
        assert_eq!(signed(64), [0x00, 0xc0]);
        assert_eq!(unsigned(0), [0x80]);
        assert_eq!(unsigned(942_755), [0x39, 0x45, 0xa3]);
        let greatest = unsigned(nullable(4_294_967_295));
        assert_eq!(greatest, [0x10, 0x00, 0x00, 0x00, 0x80]);
    }

    #[test]
    fn strings_are_those_of_appendix_3_1() {
        assert_eq!(ascii(b"ABC", true), [0x41, 0x42, 0xc3]);
        assert_eq!(ascii(b"", true), [0x00, 0x80]);
        assert_eq!(ascii(b"", false), [0x80]);
        assert_eq!(ascii(b"\0", false), [0x00, 0x80]);
        assert_eq!(ascii(b"\0", true), [0x00, 0x00, 0x80]);
        assert_eq!(byte_vector(b"ABC", true), [0x84, 0x41, 0x42, 0x43]);
        assert_eq!(byte_vector(b"", false), [0x80]);
    }

    #[test]
    fn a_presence_map_has_seven_bits_a_byte_and_no_zeros_at_its_end() {
        assert_eq!(presence_map(&[]), [0x80]);
        assert_eq!(presence_map(&[false; 20]), [0x80]);
        assert_eq!(presence_map(&[true, false, true]), [0xd0]);
        assert_eq!(presence_map(&[true; 8]), [0x7f, 0xc0]);
    }
}
