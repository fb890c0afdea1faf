//! Where symbols are in the hardware's table: two ways, one bucket of each for a symbol (cuckoo hashing), so that a lookup takes
//! the same time for any number of symbols (`rtl/strategy/statistics/symbol_filter.sv`).

use thiserror::Error;
use wire::Symbol;

/// The rotations the core starts with.
pub const DEFAULT_ROTATIONS: [u32; 2] = [0, 11];

/// CRC-32 of a symbol as the hardware takes it: reflected IEEE polynomial, initial state 0, no final inversion.
pub fn hash(symbol: Symbol) -> u32 {
    symbol.0.iter().fold(0, |state, byte| {
        let shift = |state: u32, _| (state >> 1) ^ if state & 1 == 1 { 0xedb8_8320 } else { 0 };
        (0..8).fold(state ^ u32::from(*byte), shift)
    })
}

/// A symbol and its slot in a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The symbol.
    pub symbol: Symbol,
    /// The slot its statistics are in.
    pub slot: u8,
}

/// A bucket to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BucketWrite {
    /// Which of the two ways.
    pub way: usize,
    /// Which bucket of the way.
    pub bucket: usize,
    /// What goes there; `None` empties it.
    pub entry: Option<Entry>,
}

/// Why symbols do not go into the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PlacementError {
    /// No slot to report.
    #[error("at least one symbol slot must be reported")]
    NoSlots,
    /// More symbols than slots.
    #[error("{found} symbols, but the core has {slots} slots")]
    TooMany {
        /// Slots of the core.
        slots: usize,
        /// Slots asked for.
        found: usize,
    },
    /// One symbol twice.
    #[error("symbol {0} is there twice")]
    Duplicate(
        /// The symbol.
        Symbol,
    ),
    /// No pair of rotations gives every symbol a bucket.
    #[error("no pair of hash rotations gives every symbol a bucket")]
    NoPlace,
}

/// What every bucket holds.
#[derive(Clone, Debug)]
pub struct Placement {
    rotations: [u32; 2],
    ways: [Vec<Option<Entry>>; 2],
}

impl Placement {
    /// An empty table for so many slots: twice as many buckets a way.
    pub fn new(slots: usize, rotations: [u32; 2]) -> Self {
        let buckets = 2 * slots.next_power_of_two();
        Placement {
            rotations,
            ways: [vec![None; buckets], vec![None; buckets]],
        }
    }

    /// A table with these symbols, with the first pair of rotations under which all fit.
    pub fn of(slots: usize, symbols: &[Option<Symbol>]) -> Result<Self, PlacementError> {
        if symbols.is_empty() {
            return Err(PlacementError::NoSlots);
        }
        if symbols.len() > slots {
            return Err(PlacementError::TooMany {
                slots,
                found: symbols.len(),
            });
        }
        let mut sorted: Vec<_> = symbols.iter().flatten().collect();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(PlacementError::Duplicate(*twice[0]));
        }
        let others = (0..32).flat_map(|a| (0..32).filter(move |b| *b != a).map(move |b| [a, b]));
        let fill = |rotations| {
            let mut placement = Placement::new(slots, rotations);
            let mut entries = symbols
                .iter()
                .zip(0..=u8::MAX)
                .filter_map(|(symbol, slot)| symbol.map(|symbol| Entry { symbol, slot }));
            entries
                .all(|entry| placement.insert(entry).is_some())
                .then_some(placement)
        };
        std::iter::once(DEFAULT_ROTATIONS)
            .chain(others)
            .find_map(fill)
            .ok_or(PlacementError::NoPlace)
    }

    /// The left rotation of the hash for each way.
    pub const fn rotations(&self) -> [u32; 2] {
        self.rotations
    }

    /// Every bucket as a write: for a table of unknown content.
    pub fn all_buckets(&self) -> impl Iterator<Item = BucketWrite> + '_ {
        let way = |(way, buckets): (usize, &'_ Vec<Option<Entry>>)| -> Vec<BucketWrite> {
            buckets
                .iter()
                .enumerate()
                .map(|(bucket, entry)| BucketWrite {
                    way,
                    bucket,
                    entry: *entry,
                })
                .collect()
        };
        self.ways.iter().enumerate().flat_map(way)
    }

    /// The slot of a symbol, found as the hardware finds it.
    pub fn find(&self, symbol: Symbol) -> Option<u8> {
        (0..2)
            .filter_map(|way| *self.get((way, self.bucket(way, symbol))))
            .find(|e| e.symbol == symbol)
            .map(|e| e.slot)
    }

    /// Takes a symbol out: the bucket to empty, if it is there.
    pub fn remove(&mut self, symbol: Symbol) -> Option<BucketWrite> {
        let holds = |place: &Place| self.get(*place).is_some_and(|entry| entry.symbol == symbol);
        let place = (0..2)
            .map(|way| (way, self.bucket(way, symbol)))
            .find(holds)?;
        self.set(place, None);
        Some(BucketWrite {
            way: place.0,
            bucket: place.1,
            entry: None,
        })
    }

    /// Puts a symbol in, moving others to their second bucket where need be. The writes are in an order in which every
    /// symbol can be found at any moment: each is copied to its new place before its old one is written. `None`, and
    /// nothing changed, if there is no way.
    pub fn insert(&mut self, entry: Entry) -> Option<Vec<BucketWrite>> {
        // Breadth first from the two buckets of the symbol; from a taken one the search goes on to its holder's other bucket.
        let mut steps: Vec<Step> = (0..2)
            .map(|way| Step {
                place: (way, self.bucket(way, entry.symbol)),
                from: None,
            })
            .collect();
        let mut next = 0;
        let free = loop {
            let step = *steps.get(next)?;
            let Some(holder) = *self.get(step.place) else {
                break step;
            };
            let way = 1 - step.place.0;
            let place = (way, self.bucket(way, holder.symbol));
            if !steps.iter().any(|known| known.place == place) {
                steps.push(Step {
                    place,
                    from: Some(next),
                });
            }
            next += 1;
        };
        // Back from the free bucket: each holder moves into the next bucket of the path, the symbol into the first.
        let mut writes = vec![];
        let mut step = free;
        loop {
            let from = step.from.and_then(|index| steps.get(index)).copied();
            let moved = from.map_or(Some(entry), |from| *self.get(from.place));
            self.set(step.place, moved);
            writes.push(BucketWrite {
                way: step.place.0,
                bucket: step.place.1,
                entry: moved,
            });
            match from {
                Some(from) => step = from,
                None => return Some(writes),
            }
        }
    }

    fn bucket(&self, way: usize, symbol: Symbol) -> usize {
        hash(symbol).rotate_left(self.rotations[way & 1]) as usize & (self.ways[way & 1].len() - 1)
    }

    fn get(&self, (way, bucket): Place) -> &Option<Entry> {
        &self.ways[way][bucket]
    }

    fn set(&mut self, (way, bucket): Place, entry: Option<Entry>) {
        self.ways[way][bucket] = entry;
    }
}

/// Way and bucket.
type Place = (usize, usize);

/// A bucket the search has reached.
#[derive(Clone, Copy)]
struct Step {
    place: Place,
    /// The step whose holder would move here; `None`: the new symbol.
    from: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(index: usize) -> Symbol {
        format!("S{index}").parse().unwrap()
    }

    /// By zlib: a CRC without inversions is that of the bytes xor that of as many zeros.
    #[test]
    fn the_hash_is_the_crc_without_inversions() {
        assert_eq!(hash("AAPL".parse().unwrap()), 0xa053_ecb5);
        assert_eq!(hash("MSFT".parse().unwrap()), 0x82a2_49d8);
        assert_eq!(hash(Symbol([0; 8])), 0);
    }

    #[test]
    fn a_full_table_is_placed_for_every_size_and_found_as_the_hardware_finds_it() {
        for slots in [16, 32, 64, 128, 256] {
            for set in 0..20 {
                let symbols: Vec<_> = (0..slots).map(|i| Some(name(1_000 * set + i))).collect();
                let placement = Placement::of(slots, &symbols).unwrap();
                for (slot, symbol) in symbols.iter().enumerate() {
                    assert_eq!(placement.find(symbol.unwrap()).map(usize::from), Some(slot));
                }
                assert_eq!(placement.find(name(999_999)), None);
                assert_eq!(
                    placement
                        .all_buckets()
                        .filter(|write| write.entry.is_some())
                        .count(),
                    slots
                );
            }
        }
    }

    #[test]
    fn symbols_that_move_can_be_found_at_every_moment() {
        let mut table = Placement::new(16, DEFAULT_ROTATIONS);
        let mut hardware = table.clone();
        let mut moved = 0;
        let mut placed = vec![];
        for index in 0..40 {
            let entry = Entry {
                symbol: name(index),
                slot: index as u8,
            };
            let Some(writes) = table.insert(entry) else {
                continue;
            };
            moved += writes.len() - 1;
            for write in writes {
                hardware.set((write.way, write.bucket), write.entry);
                for known in &placed {
                    assert_eq!(hardware.find(name(*known)), Some(*known as u8));
                }
            }
            placed.push(index);
        }
        assert!(moved > 0, "no symbol had to move: choose other names");
        assert_eq!(hardware.ways, table.ways);
    }

    #[test]
    fn a_symbol_taken_out_is_gone_and_leaves_the_others() {
        let mut table = Placement::of(16, &[Some(name(1)), Some(name(2))]).unwrap();
        let write = table.remove(name(1)).unwrap();
        assert_eq!(write.entry, None);
        assert_eq!((table.find(name(1)), table.find(name(2))), (None, Some(1)));
        assert_eq!(table.remove(name(1)), None);
    }

    #[test]
    fn three_symbols_in_the_same_two_buckets_make_it_take_other_rotations() {
        let mut same: Vec<Symbol> = vec![];
        let table = Placement::new(16, DEFAULT_ROTATIONS);
        let places = |s| (table.bucket(0, s), table.bucket(1, s));
        for index in 0.. {
            if same.is_empty() || places(name(index)) == places(same[0]) {
                same.push(name(index));
            }
            if same.len() == 3 {
                break;
            }
        }
        let symbols: Vec<_> = same.iter().copied().map(Some).collect();
        let placement = Placement::of(16, &symbols).unwrap();
        assert_ne!(placement.rotations(), DEFAULT_ROTATIONS);
        assert!((0..3).all(|slot| placement.find(same[slot]) == Some(slot as u8)));
    }

    #[test]
    fn too_many_and_twice_the_same_are_refused() {
        assert_eq!(
            Placement::of(16, &[None; 17]).unwrap_err(),
            PlacementError::TooMany {
                slots: 16,
                found: 17
            }
        );
        let twice = [Some(name(1)), None, Some(name(1))];
        assert_eq!(
            Placement::of(16, &twice).unwrap_err(),
            PlacementError::Duplicate(name(1))
        );
    }
}
