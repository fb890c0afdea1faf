//! ClOrdIDs that are not to be used again: some 25 bytes each, since there may be millions a day.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

/// Names of clients, as bytes one after the other: the client (u32), the length (u8), the name.
#[derive(Debug, Default)]
pub(crate) struct Names {
    bytes: Vec<u8>,
    /// Where each begins.
    places: HashTable<u64>,
    hasher: RandomState,
}

/// Client and name at a place.
fn at(bytes: &[u8], place: u64) -> Option<(u32, &[u8])> {
    let rest = bytes.get(usize::try_from(place).ok()?..)?;
    let (client, rest) = rest.split_first_chunk()?;
    let (length, rest) = rest.split_first()?;
    Some((
        u32::from_le_bytes(*client),
        rest.get(..usize::from(*length))?,
    ))
}

impl Names {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn contains(&self, client: u32, name: &[u8]) -> bool {
        let hash = self.hasher.hash_one((client, name));
        let same = |place: &u64| at(&self.bytes, *place) == Some((client, name));
        self.places.find(hash, same).is_some()
    }

    /// Adds a name that is not there, of 255 bytes at most.
    pub(crate) fn insert(&mut self, client: u32, name: &[u8]) {
        let place = self.bytes.len() as u64;
        self.bytes.extend_from_slice(&client.to_le_bytes());
        self.bytes.push(name.len() as u8);
        self.bytes.extend_from_slice(name);
        let (bytes, hasher) = (&self.bytes, &self.hasher);
        let hash = hasher.hash_one((client, name));
        self.places.insert_unique(hash, place, |place| {
            hasher.hash_one(at(bytes, *place).unwrap_or_default())
        });
    }

    /// Forgets all of them, and gives their memory back.
    pub(crate) fn clear(&mut self) {
        *self = Names::default();
    }

    /// All of them, in the order in which they were added.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let mut place = 0;
        std::iter::from_fn(move || {
            let found = at(&self.bytes, place)?;
            place += 5 + found.1.len() as u64;
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
            names.insert(number % 3, format!("N{number}").as_bytes());
        }
        for number in 0..10_000_u32 {
            let name = format!("N{number}").into_bytes();
            for client in 0..3 {
                assert_eq!(names.contains(client, &name), client == number % 3);
            }
        }
        assert!(!names.contains(0, b"N10000"));
        assert_eq!(names.len(), 10_000);
        assert_eq!(names.iter().count(), 10_000);
        assert_eq!(names.iter().nth(4), Some((1, b"N4".as_slice())));
        names.clear();
        assert!(!names.contains(0, b"N0"));
    }
}
