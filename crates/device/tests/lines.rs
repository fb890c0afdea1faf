//! Arbitration and counters of both lines, against registers that are plain memory.

use std::collections::BTreeMap;
use std::convert::Infallible;

use device::instruments::Instrument;
use device::registers as map;
use device::{Arbitration, Driver, Gap, Registers, Source, Window};
use formats::Symbol;

/// Registers as memory, and all that was written, in order.
#[derive(Default)]
struct Memory {
    words: BTreeMap<u32, u32>,
    written: Vec<(u32, u32)>,
}

impl Registers for Memory {
    type Error = Infallible;

    fn read32(&mut self, address: u32) -> Result<u32, Infallible> {
        Ok(self.words.get(&address).copied().unwrap_or(0))
    }

    fn write32(&mut self, address: u32, value: u32) -> Result<(), Infallible> {
        self.words.insert(address, value);
        self.written.push((address, value));
        Ok(())
    }
}

/// A core that carries every operation out.
fn memory() -> Memory {
    let words = BTreeMap::from([(0x000, 0x5457_4952), (0x004, 16 << 16 | 64), (0x074, 2)]);
    Memory {
        words,
        ..Memory::default()
    }
}

fn address(name: &str) -> u32 {
    let register = map::REGISTERS.iter().find(|r| r.name == name);
    register
        .unwrap_or_else(|| panic!("no register {name}"))
        .address
}

#[test]
fn arbitration_is_written_windows_first_and_read_back() {
    let mut memory = memory();
    let arbitration = Arbitration {
        source: Source::HighReliability,
        window: Window::TimeAndCount,
        time: 0x0102_0304,
        count: 0x0506,
        idle_limit: 0x0708_090a,
    };
    let mut driver = Driver::new(&mut memory).unwrap();
    driver.set_arbitration(&arbitration).unwrap();
    assert_eq!(driver.arbitration().unwrap(), arbitration);
    driver.flush().unwrap();
    // docs/reference/registers.md: the choice is written last, so that it never applies with the windows of the one before.
    let choice = 2 << 4 | 3;
    let expected = [
        (0x0d4, 0x0102_0304),
        (0x0d8, 0x0506),
        (0x0dc, 0x0708_090a),
        (0x0d0, choice),
        (0x0d0, choice | 1 << 8),
    ];
    assert_eq!(memory.written[memory.written.len() - 5..], expected);
}

#[test]
fn every_source_and_window_has_the_code_of_the_register() {
    let sources = [
        Source::LineA,
        Source::LineB,
        Source::LowLatency,
        Source::HighReliability,
    ];
    let windows = [Window::Time, Window::Count, Window::TimeAndCount];
    for (source, code) in sources.into_iter().zip(0_u32..) {
        for (window, kind) in windows.into_iter().zip(0_u32..) {
            let mut memory = memory();
            let arbitration = Arbitration {
                source,
                window,
                time: 1,
                count: 1,
                idle_limit: 0,
            };
            let mut driver = Driver::new(&mut memory).unwrap();
            driver.set_arbitration(&arbitration).unwrap();
            assert_eq!(driver.arbitration().unwrap(), arbitration);
            assert_eq!(memory.words[&0x0d0], kind << 4 | code);
        }
    }
}

#[test]
fn every_counter_of_a_line_is_read_from_the_register_of_its_name() {
    let mut memory = memory();
    for register in map::REGISTERS {
        memory
            .words
            .entry(register.address)
            .or_insert(register.address * 3 + 1);
    }
    let mut driver = Driver::new(&mut memory).unwrap();
    let expect = |name: &str| u64::from(address(name) * 3 + 1);
    for (name, value) in driver.line_b().unwrap().iter() {
        assert_eq!(value, expect(&format!("b_{name}")), "{name}");
    }
    let (lines, both) = driver.arbiter_counters().unwrap();
    for (line, letter) in lines.iter().zip(["a", "b"]) {
        for (name, value) in line.iter() {
            assert_eq!(
                value,
                expect(&format!("{letter}_{name}")),
                "{letter} {name}"
            );
        }
    }
    for (name, value) in both.iter() {
        assert_eq!(value, expect(name), "{name}");
    }
}

#[test]
fn the_last_gap_has_both_halves_of_both_numbers_and_there_is_none_at_first() {
    let mut memory = memory();
    assert_eq!(Driver::new(&mut memory).unwrap().last_gap().unwrap(), None);
    for (address, value) in [(0x0e0, 1), (0x0e4, 2), (0x0e8, 3), (0x0ec, 4)] {
        memory.words.insert(address, value);
    }
    let gap = Gap {
        from: 2 << 32 | 1,
        to: 4 << 32 | 3,
    };
    assert_eq!(
        Driver::new(&mut memory).unwrap().last_gap().unwrap(),
        Some(gap)
    );
}

#[test]
fn an_arbiter_that_stores_nothing_refuses_the_high_reliability_output_and_writes_nothing() {
    let mut memory = memory();
    memory.words.insert(0x004, 1 << 30 | 16 << 16 | 64);
    let mut driver = Driver::new(&mut memory).unwrap();
    let low_latency = Arbitration {
        source: Source::LowLatency,
        window: Window::Time,
        time: 1,
        count: 1,
        idle_limit: 0,
    };
    driver.set_arbitration(&low_latency).unwrap();
    let refused = driver.set_arbitration(&Arbitration {
        source: Source::HighReliability,
        time: 7,
        ..low_latency
    });
    let why = refused.unwrap_err().to_string();
    assert!(why.contains("low-latency output alone"), "{why}");
    assert_eq!(driver.arbitration().unwrap(), low_latency);
}

#[test]
fn a_core_with_eight_instruments_takes_the_eighth_and_refuses_a_ninth() {
    let mut memory = memory();
    memory.words.insert(0x004, 8 << 16 | 64);
    let mut driver = Driver::new(&mut memory).unwrap();
    let symbols: Vec<_> = (0..9)
        .map(|place| {
            Some(Symbol([
                b'A' + place,
                b' ',
                b' ',
                b' ',
                b' ',
                b' ',
                b' ',
                b' ',
            ]))
        })
        .collect();
    driver.load_symbols(&symbols[..8]).unwrap();
    let many = driver.load_symbols(&symbols).unwrap_err().to_string();
    assert!(
        many.contains("9 symbols: the core has 8 instruments"),
        "{many}"
    );
    let ninth = driver.set_instrument(8, &Instrument::of_feed(symbols[8].unwrap()));
    let why = ninth.unwrap_err().to_string();
    assert!(why.contains("the core has 8 instruments"), "{why}");
}
