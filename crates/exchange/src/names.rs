//! ClOrdIDs that are not to be used again, and which orders they named: some 35 bytes each, since there may be millions a day.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

/// Names of clients, as bytes one after the other: the client (u32), what it named (u64), the length (u8), the name.
#[derive(Debug, Default)]
pub(crate) struct Names {
    bytes: Vec<u8>,
    /// Where each begins.
    places: HashTable<u64>,
    hasher: RandomState,
}

/// Bytes before a name.
const HEAD: u64 = 13;

/// A name that was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Used<'a> {
    pub(crate) client: u32,
    /// What it named, as a number that means nothing here.
    pub(crate) named: u64,
    pub(crate) name: &'a [u8],
}

/// The one at a place.
fn at(bytes: &[u8], place: u64) -> Option<Used<'_>> {
    let rest = bytes.get(usize::try_from(place).ok()?..)?;
    let (client, rest) = rest.split_first_chunk()?;
    let (named, rest) = rest.split_first_chunk()?;
    let (length, rest) = rest.split_first()?;
    Some(Used {
        client: u32::from_le_bytes(*client),
        named: u64::from_le_bytes(*named),
        name: rest.get(..usize::from(*length))?,
    })
}

impl Names {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// What a name named.
    pub(crate) fn get(&self, client: u32, name: &[u8]) -> Option<u64> {
        let hash = self.hasher.hash_one((client, name));
        let same = |place: &u64| {
            at(&self.bytes, *place).is_some_and(|used| (used.client, used.name) == (client, name))
        };
        let place = self.places.find(hash, same)?;
        Some(at(&self.bytes, *place)?.named)
    }

    /// Adds a name that is not there, of 255 bytes at most.
    pub(crate) fn insert(&mut self, client: u32, name: &[u8], named: u64) {
        let place = self.bytes.len() as u64;
        self.bytes.extend_from_slice(&client.to_le_bytes());
        self.bytes.extend_from_slice(&named.to_le_bytes());
        self.bytes.push(name.len() as u8);
        self.bytes.extend_from_slice(name);
        let (bytes, hasher) = (&self.bytes, &self.hasher);
        let hash = hasher.hash_one((client, name));
        self.places.insert_unique(hash, place, |place| {
            let used = at(bytes, *place).unwrap_or_default();
            hasher.hash_one((used.client, used.name))
        });
    }

    /// Forgets all of them, and gives their memory back.
    pub(crate) fn clear(&mut self) {
        *self = Names::default();
    }

    /// All of them, in the order in which they were added.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Used<'_>> {
        let mut place = 0;
        std::iter::from_fn(move || {
            let found = at(&self.bytes, place)?;
            place += HEAD + found.name.len() as u64;
            Some(found)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_that_of_one_client() {
        let mut names = Names::default();
        for number in 0..10_000_u32 {
            let name = format!("N{number}");
            names.insert(number % 3, name.as_bytes(), u64::from(number) << 32);
        }
        for number in 0..10_000_u32 {
            let name = format!("N{number}").into_bytes();
            for client in 0..3 {
                let named = (client == number % 3).then_some(u64::from(number) << 32);
                assert_eq!(names.get(client, &name), named);
            }
        }
        assert_eq!(names.get(0, b"N10000"), None);
        assert_eq!(names.len(), 10_000);
        assert_eq!(names.iter().count(), 10_000);
        let fourth = Used {
            client: 1,
            named: 4 << 32,
            name: b"N4",
        };
        assert_eq!(names.iter().nth(4), Some(fourth));
        names.clear();
        assert_eq!(names.get(0, b"N0"), None);
    }
}
