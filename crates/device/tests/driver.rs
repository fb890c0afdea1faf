//! The driver against a model of the register block: the instruments as `instrument_config.sv` takes them, the counters as memory.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::Ipv4Addr;

use device::instruments::INSTRUMENTS;
use device::registers as map;
use device::{Driver, Error, Instrument, Latency, Registers};
use formats::Symbol;
use formats::ethernet::MacAddress;
use formats::frame::NetConfig;
use formats::itch::Version;
use formats::report::ReportConfig;
use proptest::prelude::*;

struct Model {
    words: HashMap<u32, u32>,
    /// The operands of each instrument.
    instruments: [[u32; 5]; INSTRUMENTS],
    /// Instruments written.
    written: usize,
    /// Reads of `time_low` so far: the time carries into its high word after the first.
    time_reads: u32,
}

impl Model {
    fn new() -> Self {
        let words = HashMap::from([
            (map::identity::ADDRESS, 0x5457_4952),
            (map::build::ADDRESS, 16 << 16 | 64),
            (map::control::ADDRESS, 0x0001_0003),
            (map::operation_state::ADDRESS, 2),
        ]);
        Model {
            words,
            // What a table may hold before it is cleared.
            instruments: [[1 | 4 << 8, 7, 7, 0, 0]; INSTRUMENTS],
            written: 0,
            time_reads: 0,
        }
    }

    fn word(&self, address: u32) -> u32 {
        self.words.get(&address).copied().unwrap_or(0)
    }

    /// The symbols that the market data is compared with.
    fn symbols(&self) -> Vec<Option<u64>> {
        let symbol = |words: &[u32; 5]| u64::from(words[2]) << 32 | u64::from(words[1]);
        let used = |words: &[u32; 5]| words[0] & 1 == 1;
        self.instruments
            .iter()
            .map(|words| used(words).then(|| symbol(words)))
            .collect()
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
        if address == map::operation::ADDRESS && value & 15 == 13 {
            assert_eq!(value >> 31, 1);
            let operands = [0, 1, 2, 3, 4].map(|i| self.word(map::operand::ADDRESS + 4 * i));
            self.instruments[(value >> 8 & 0xffff) as usize] = operands;
            self.written += 1;
            let mut symbols: Vec<_> = self.symbols().into_iter().flatten().collect();
            let known = symbols.len();
            symbols.sort_unstable();
            symbols.dedup();
            // While a table that nobody knows is cleared, anything may be in it.
            assert!(self.written <= INSTRUMENTS || symbols.len() == known);
        }
        Ok(())
    }
}

fn name(index: usize) -> Symbol {
    format!("S{index}").parse().unwrap()
}

#[test]
fn a_core_that_is_none_is_refused() {
    let mut model = Model::new();
    model.words.insert(0, 0xdead_beef);
    assert_eq!(
        Driver::new(&mut model).err(),
        Some(Error::Identity(0xdead_beef))
    );
}

#[test]
fn taking_over_disables_the_core_and_clears_its_instruments() {
    let mut model = Model::new();
    let driver = Driver::new(&mut model).unwrap();
    assert_eq!(driver.width(), 64);
    assert_eq!(model.word(0x008), 16 << 16 | 2);
    assert_eq!(model.instruments, [[0; 5]; INSTRUMENTS]);
}

#[test]
fn control_bits_change_one_by_one() {
    let mut model = Model::new();
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
    let mut model = Model::new();
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

fn table(symbols: &[Option<Symbol>]) -> Vec<Option<u64>> {
    let mut table: Vec<_> = symbols.iter().map(|s| s.map(Symbol::to_u64)).collect();
    table.resize(INSTRUMENTS, None);
    table
}

#[test]
fn symbols_become_the_instruments_of_their_places() {
    let mut model = Model::new();
    let mut driver = Driver::new(&mut model).unwrap();
    let mut symbols: Vec<_> = (0..12).map(|i| (i % 4 != 3).then(|| name(i))).collect();
    driver.load_symbols(&symbols).unwrap();
    assert_eq!(driver.registers().word(0x008) >> 16, 12);
    assert_eq!(driver.registers().symbols(), table(&symbols));
    // Others, in other places.
    symbols.rotate_left(1);
    symbols.truncate(7);
    driver.load_symbols(&symbols).unwrap();
    assert_eq!(driver.registers().word(0x008) >> 16, 7);
    assert_eq!(model.symbols(), table(&symbols));
}

#[test]
fn an_instrument_has_a_name_at_each_source() {
    let mut model = Model::new();
    let mut driver = Driver::new(&mut model).unwrap();
    let instrument = Instrument {
        session: Some("AB".into()),
        quantity_decimals: 3,
        ..Instrument::of_feed(name(7))
    };
    driver.set_instrument(15, &instrument).unwrap();
    // docs/reference/order-operations.md, 13.
    let first = 0b11 | 2 << 4 | 4 << 8 | 3 << 12;
    let symbol = name(7).to_u64();
    let expected = [first, symbol as u32, (symbol >> 32) as u32, 0x4142, 0];
    assert_eq!(model.instruments[15], expected);
}

#[test]
fn what_cannot_be_changes_nothing() {
    let mut model = Model::new();
    let mut driver = Driver::new(&mut model).unwrap();
    let symbols = [Some(name(1)), Some(name(2))];
    driver.load_symbols(&symbols).unwrap();
    let before = driver.registers().written;
    assert_eq!(driver.load_symbols(&[]), Err(Error::NoSymbols));
    let many = driver.load_symbols(&[None; 17]);
    let (symbols_17, room) = (17, 16);
    assert_eq!(
        many,
        Err(Error::TooManySymbols {
            symbols: symbols_17,
            room
        })
    );
    assert!(many.unwrap_err().to_string().contains("name 16 at most"));
    let twice = [Some(name(3)), None, Some(name(3))];
    let duplicate = Error::Duplicate { index: 2, other: 0 };
    assert_eq!(driver.load_symbols(&twice), Err(duplicate));
    let session = |name: &str| Instrument {
        session: Some(name.into()),
        ..Instrument::default()
    };
    let set = |driver: &mut Driver<_>, index, instrument: &Instrument| {
        driver.set_instrument(index, instrument)
    };
    let duplicate = Err(Error::Duplicate { index: 1, other: 0 });
    assert_eq!(
        set(&mut driver, 1, &Instrument::of_feed(name(1))),
        duplicate
    );
    let none = Err(Error::Instrument {
        index: 16,
        length: 0,
        room,
    });
    assert_eq!(set(&mut driver, 16, &Instrument::default()), none);
    assert_eq!(driver.registers().written, before);
    assert_eq!(driver.registers().symbols(), table(&symbols));
    set(&mut driver, 3, &session("AB")).unwrap();
    let duplicate = Err(Error::Duplicate { index: 4, other: 3 });
    assert_eq!(set(&mut driver, 4, &session("AB")), duplicate);
    // The same again only clears its statistics.
    set(&mut driver, 3, &session("AB")).unwrap();
    set(&mut driver, 0, &Instrument::of_feed(name(1))).unwrap();
    assert_eq!(model.written, before + 3);
}

/// Every counter of the register map must be read under its own name: the generated list is the independent witness.
#[test]
fn every_counter_is_read_from_the_register_of_its_name() {
    let mut model = Model::new();
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
    let mut model = Model::new();
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
    fn any_changes_leave_exactly_the_symbols_asked_for(changes in prop::collection::vec((0_usize..16, prop::option::of(0_usize..20)), 0..60)) {
        let mut model = Model::new();
        let mut driver = Driver::new(&mut model).unwrap();
        let mut symbols = [None; INSTRUMENTS];
        for (index, symbol) in changes {
            let symbol = symbol.map(name);
            let twice = symbol.is_some() && symbols.iter().enumerate().any(|(other, known)| other != index && *known == symbol);
            let instrument = symbol.map(Instrument::of_feed).unwrap_or_default();
            prop_assert_eq!(driver.set_instrument(index, &instrument).is_err(), twice);
            if !twice {
                symbols[index] = symbol;
            }
        }
        prop_assert_eq!(model.symbols(), table(&symbols));
    }
}
