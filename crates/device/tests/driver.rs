//! The driver against a model of the register block: the symbol table as `symbol_filter.sv` looks it up, the counters as memory.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::Ipv4Addr;

use device::placement::hash;
use device::registers as map;
use device::{Driver, Error, Latency, PlacementError, Registers};
use proptest::prelude::*;
use wire::Symbol;
use wire::ethernet::MacAddress;
use wire::frame::NetConfig;
use wire::itch::Version;
use wire::report::ReportConfig;

struct Model {
    slots: u32,
    words: HashMap<u32, u32>,
    buckets: HashMap<(u32, u32), (u64, u32)>,
    names: HashMap<u32, u64>,
    /// Reads of `time_low` so far: the time carries into its high word after the first.
    time_reads: u32,
    /// Symbols that must be found after every write.
    watched: Vec<(Symbol, u32)>,
}

impl Model {
    fn new(slots: u32) -> Self {
        let words = HashMap::from([(0x000, 0x5457_4952), (0x008, 0x0001_0003)]);
        let mut model = Model {
            slots,
            words,
            buckets: HashMap::new(),
            names: HashMap::new(),
            time_reads: 0,
            watched: vec![],
        };
        // What a table holds before it is emptied.
        model.buckets.insert((1, 3), (7, 7));
        model.words.insert(map::build::ADDRESS, slots << 16 | 64);
        model
    }

    fn word(&self, address: u32) -> u32 {
        self.words.get(&address).copied().unwrap_or(0)
    }

    fn find(&self, symbol: Symbol) -> Option<u32> {
        let rotations = self.word(0x06c);
        (0..2).find_map(|way| {
            let rotated = hash(symbol).rotate_left(rotations >> (8 * way) & 31);
            let bucket = self.buckets.get(&(way, rotated & (2 * self.slots - 1)));
            bucket
                .filter(|(name, _)| *name == symbol.to_u64())
                .map(|(_, slot)| *slot)
        })
    }
}

impl Registers for Model {
    type Error = Infallible;

    fn read32(&mut self, address: u32) -> Result<u32, Infallible> {
        if address == map::time_low::ADDRESS {
            self.time_reads += 1;
            return Ok(if self.time_reads == 1 { 0xffff_ffff } else { 0 });
        }
        if address == map::time_high::ADDRESS {
            return Ok(if self.time_reads == 0 { 5 } else { 6 });
        }
        Ok(self.word(address))
    }

    fn write32(&mut self, address: u32, value: u32) -> Result<(), Infallible> {
        self.words.insert(address, value);
        if address == 0x068 {
            let symbol = u64::from(self.word(0x064)) << 32 | u64::from(self.word(0x060));
            let (slot, bucket, way) = (value & 0xff, value >> 8 & 0x3ff, value >> 20 & 1);
            if value >> 30 & 1 == 1 {
                assert!(bucket < 2 * self.slots);
                match value >> 21 & 1 {
                    1 => self.buckets.insert((way, bucket), (symbol, slot)),
                    _ => self.buckets.remove(&(way, bucket)),
                };
            }
            if value >> 31 == 1 {
                self.names.insert(slot, symbol);
            }
        }
        for (symbol, slot) in &self.watched {
            assert_eq!(self.find(*symbol), Some(*slot), "{symbol} got lost");
        }
        Ok(())
    }
}

fn name(index: usize) -> Symbol {
    format!("S{index}").parse().unwrap()
}

#[test]
fn a_core_that_is_none_is_refused() {
    let mut model = Model::new(16);
    model.words.insert(0, 0xdead_beef);
    assert_eq!(
        Driver::new(&mut model).err(),
        Some(Error::Identity(0xdead_beef))
    );
}

#[test]
fn taking_over_disables_the_core_and_empties_its_table() {
    let mut model = Model::new(32);
    let driver = Driver::new(&mut model).unwrap();
    assert_eq!((driver.width(), driver.slots()), (64, 32));
    assert_eq!(model.word(0x008), 32 << 16 | 2);
    assert!(model.buckets.is_empty());
    assert!((0..32).all(|slot| model.names[&slot] == 0));
}

#[test]
fn control_bits_change_one_by_one() {
    let mut model = Model::new(16);
    let mut driver = Driver::new(&mut model).unwrap();
    let control = |driver: &mut Driver<&mut Model>| driver.registers().word(0x008) & 0xffff;
    driver.set_enable(true).unwrap();
    assert_eq!(control(&mut driver), 0b011);
    driver.set_version(Version::V41).unwrap();
    assert_eq!(control(&mut driver), 0b001);
    driver.set_accumulate(true).unwrap();
    assert_eq!(control(&mut driver), 0b101);
    driver.set_version(Version::V50).unwrap();
    driver.set_accumulate(false).unwrap();
    driver.set_enable(false).unwrap();
    assert_eq!(control(&mut driver), 0b010);
}

#[test]
fn addresses_stand_in_the_registers_first_octet_highest() {
    let net = NetConfig {
        local_mac: MacAddress([1, 2, 3, 4, 5, 6]),
        local_ip: Ipv4Addr::new(10, 11, 12, 13),
        groups: [1, 2, 3, 4].map(|n| Ipv4Addr::new(233, 0, 0, n)),
        ports: [100, 0, 300, 65_535],
    };
    let report = ReportConfig {
        destination_mac: MacAddress([0xa, 0xb, 0xc, 0xd, 0xe, 0xf]),
        destination_ip: Ipv4Addr::new(20, 21, 22, 23),
        source_port: 0x1234,
        destination_port: 0x5678,
    };
    let mut model = Model::new(16);
    let mut driver = Driver::new(&mut model).unwrap();
    driver.set_net(&net).unwrap();
    driver.set_report(&report).unwrap();
    assert_eq!(driver.net().unwrap(), (net, report));
    let expected = [
        (0x010, 0x0304_0506),
        (0x014, 0x0102),
        (0x018, 0x0a0b_0c0d),
        (0x020, 0x0c0d_0e0f),
        (0x024, 0x0a0b),
        (0x028, 0x1415_1617),
        (0x02c, 0x5678_1234),
        (0x030, 0xe900_0001),
        (0x03c, 0xe900_0004),
        (0x040, 100),
        (0x044, 0),
        (0x048, 300),
        (0x04c, 65_535),
    ];
    for (address, value) in expected {
        assert_eq!(model.word(address), value, "{address:#x}");
    }
}

#[test]
fn symbols_are_found_by_the_hardware_and_changed_one_by_one() {
    let mut model = Model::new(16);
    let mut driver = Driver::new(&mut model).unwrap();
    let mut symbols: Vec<_> = (0..12).map(|i| (i % 4 != 3).then(|| name(i))).collect();
    driver.load_symbols(&symbols).unwrap();
    assert_eq!(driver.registers().word(0x008) >> 16, 12);
    symbols[3] = Some(name(100));
    symbols[5] = Some(name(101));
    symbols[8] = None;
    for slot in [3, 5, 8] {
        driver.registers().watched = (0..12)
            .filter(|i| *i != slot && i % 4 != 3 && *i != 5 && *i != 8)
            .map(|i| (name(i), i as u32))
            .collect();
        driver.load_symbol(slot, symbols[slot]).unwrap();
    }
    assert_eq!(driver.symbols(), symbols);
    for (slot, symbol) in symbols.iter().enumerate() {
        assert_eq!(
            model.names[&(slot as u32)],
            symbol.map_or(0, Symbol::to_u64)
        );
        assert!(symbol.is_none_or(|symbol| model.find(symbol) == Some(slot as u32)));
    }
    assert_eq!((model.find(name(5)), model.find(name(8))), (None, None));
}

#[test]
fn a_slot_or_symbol_that_cannot_be_changes_nothing() {
    let mut model = Model::new(16);
    let mut driver = Driver::new(&mut model).unwrap();
    driver
        .load_symbols(&[Some(name(1)), Some(name(2))])
        .unwrap();
    assert_eq!(
        driver.load_symbol(2, Some(name(3))),
        Err(Error::Slot { slot: 2, slots: 2 })
    );
    assert_eq!(
        driver.load_symbol(1, Some(name(1))),
        Err(Error::Placement(PlacementError::Duplicate(name(1))))
    );
    assert_eq!(
        driver.load_symbols(&[]),
        Err(Error::Placement(PlacementError::NoSlots))
    );
    assert_eq!(
        driver.load_symbols(&[None; 17]),
        Err(Error::Placement(PlacementError::TooMany {
            slots: 16,
            found: 17
        }))
    );
    assert_eq!(driver.symbols(), [Some(name(1)), Some(name(2))]);
    assert_eq!(
        (model.find(name(1)), model.find(name(2))),
        (Some(0), Some(1))
    );
    // The same symbol again in its own slot only clears its statistics.
    let mut driver = Driver::new(&mut model).unwrap();
    driver.load_symbols(&[Some(name(1))]).unwrap();
    driver.load_symbol(0, Some(name(1))).unwrap();
    assert_eq!(model.find(name(1)), Some(0));
}

/// Every counter of the register map must be read under its own name: the generated list is the independent witness.
#[test]
fn every_counter_is_read_from_the_register_of_its_name() {
    let mut model = Model::new(16);
    for register in map::REGISTERS {
        model
            .words
            .entry(register.address)
            .or_insert(register.address * 3 + 1);
    }
    let expect = |name: &str| {
        let address = |name: &str| {
            map::REGISTERS
                .iter()
                .find(|r| r.name == name)
                .unwrap()
                .address
        };
        match name {
            "mold_lost" => {
                u64::from(address("mold_lost_high") * 3 + 1) << 32
                    | u64::from(address("mold_lost_low") * 3 + 1)
            }
            name => u64::from(address(name) * 3 + 1),
        }
    };
    let mut driver = Driver::new(&mut model).unwrap();
    let counters = driver.counters().unwrap();
    assert_eq!(counters.iter().count(), 34);
    for (name, value) in counters.iter() {
        assert_eq!(value, expect(name), "{name}");
    }
    assert_eq!(
        u64::from(driver.transmit_underrun().unwrap()),
        expect("transmit_underrun")
    );
    let latency = Latency {
        last: expect("latency_last") as u32,
        minimum: expect("latency_minimum") as u32,
        maximum: expect("latency_maximum") as u32,
    };
    assert_eq!(driver.latency().unwrap(), latency);
}

#[test]
fn a_carry_between_the_halves_of_the_time_is_noticed() {
    let mut model = Model::new(16);
    let mut driver = Driver::new(&mut model).unwrap();
    assert_eq!(driver.time().unwrap(), 6 << 32);
    driver.set_time(0x0102_0304_0506_0708).unwrap();
    assert_eq!(
        (model.word(0x088), model.word(0x08c), model.word(0x090)),
        (0x0506_0708, 0x0102_0304, 1)
    );
}

proptest! {
    #[test]
    fn any_changes_leave_exactly_the_symbols_asked_for(changes in prop::collection::vec((0_usize..16, prop::option::of(0_usize..40)), 0..60)) {
        let mut model = Model::new(16);
        let mut driver = Driver::new(&mut model).unwrap();
        let mut symbols = [None; 16];
        for (slot, index) in changes {
            let symbol = index.map(name);
            let twice = symbol.is_some() && symbols.iter().enumerate().any(|(other, known)| other != slot && *known == symbol);
            prop_assert_eq!(driver.load_symbol(slot, symbol).is_err(), twice);
            if !twice {
                symbols[slot] = symbol;
            }
        }
        for index in 0..40 {
            let slot = symbols.iter().position(|symbol| *symbol == Some(name(index)));
            prop_assert_eq!(model.find(name(index)).map(|slot| slot as usize), slot);
        }
        prop_assert_eq!(model.buckets.len(), symbols.iter().flatten().count());
    }
}
