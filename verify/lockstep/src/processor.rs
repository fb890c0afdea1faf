//! The strategy processor of `rtl/strategy/processor` in its bench: a [`Machine`], as its software twins are.

use std::ffi::c_void;

use formats::Side;
use language::event::{Event, Faults, INTENTS, LEVELS, Moment, New, Outcome, Record};
use language::{Intent, Machine, slot};
use language_processor::load::{Load, What};
use language_processor::{Image, emulator};

use crate::testbench::functions;
use cosim::Design;

mod ffi {
    use std::ffi::c_void;

    use language::event::LEVELS;
    use language::slot::INPUTS;

    #[repr(C)]
    pub struct Event {
        pub inputs: [i64; INPUTS],
        pub levels: [[[i64; 3]; LEVELS]; 2],
        pub level_cycles: u32,
        pub stall: u32,
        pub handler: u8,
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Intent {
        pub price: i64,
        pub order: u32,
        pub quantity: u32,
        pub kind: u8,
        pub fits: u8,
        pub time_in_force: u8,
        pub limit: u8,
        pub sell: u8,
        pub instrument: u8,
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Item {
        pub value: i64,
        pub end: u8,
        pub tag: u8,
    }

    #[repr(C)]
    #[derive(Clone, Copy, Default)]
    pub struct Outcome {
        pub cycles: u64,
        pub level_cycles: u64,
        pub division: u64,
        pub index: u64,
        pub intents: u64,
    }

    /// The functions of the model, in the order of `kFunctions` in `cpp/processor.inc`.
    #[repr(C)]
    pub struct Model {
        pub new: unsafe extern "C" fn() -> *mut c_void,
        pub free: unsafe extern "C" fn(*mut c_void),
        pub event: unsafe extern "C" fn(*mut c_void, *const Event, *mut Outcome),
        pub intents: unsafe extern "C" fn(*const c_void, *mut *const Intent) -> u64,
        pub items: unsafe extern "C" fn(*const c_void, *mut *const Item) -> u64,
        pub hold: unsafe extern "C" fn(*mut c_void, u8),
        pub load: unsafe extern "C" fn(*mut c_void, u8, u16, u64),
        pub look: unsafe extern "C" fn(*mut c_void, u16) -> u64,
        pub stopped: unsafe extern "C" fn(*const c_void) -> u8,
        pub asserted: unsafe extern "C" fn(*const c_void) -> u8,
    }
}

/// The processor, loaded.
pub struct Processor {
    model: &'static ffi::Model,
    sim: *mut c_void,
    image: Image,
    /// Cycles until the book answers when it is asked for a level.
    pub level_cycles: u32,
    /// Cycles from an event on in which risk takes no intent.
    pub stall: u32,
    last: ffi::Outcome,
    /// What the last event gave did not fit into an intent's members: intents that are to be refused.
    unfit: usize,
}

// SAFETY: the model has no state beside itself, and nothing else has the pointer.
unsafe impl Send for Processor {}

impl Drop for Processor {
    fn drop(&mut self) {
        // SAFETY: it came from `new`, and is not used again.
        unsafe { (self.model.free)(self.sim) };
    }
}

impl Processor {
    /// The processor with a program at its start. `stops`: whether a fault stops it.
    pub fn new(image: Image, parameters: &[i64], stops: bool) -> Self {
        let design = Design {
            name: "processor",
            top: "processor_tb",
            parameters: vec![],
            files: vec![(
                "processor_tb.sv",
                include_str!("../../../tests/rtl/processor_tb.sv"),
            )],
            shim: include_str!("../cpp/processor.inc"),
            defines: vec![],
        };
        // SAFETY: `Model` mirrors the table of cpp/processor.inc.
        let model: &ffi::Model = unsafe { functions(&design) };
        let mut processor = Processor {
            model,
            // SAFETY: it is freed once, when this is dropped.
            sim: unsafe { (model.new)() },
            image,
            level_cycles: 0,
            stall: 0,
            last: ffi::Outcome::default(),
            unfit: 0,
        };
        processor.hold(true);
        let loads: Vec<_> = processor.image.loads(parameters, stops).collect();
        for load in loads {
            processor.load(load);
        }
        processor.hold(false);
        processor
    }

    /// The cycles of the last event, from it to its handler's end, without those in which the book answered.
    pub const fn cycles(&self) -> u64 {
        self.last.cycles - self.last.level_cycles
    }

    /// How many of the last event's intents have a member that does not fit.
    pub const fn unfit(&self) -> usize {
        self.unfit
    }

    /// Whether a fault has stopped it.
    pub fn stopped(&self) -> bool {
        // SAFETY: the model is there until this is dropped.
        unsafe { (self.model.stopped)(self.sim) != 0 }
    }

    /// Whether an assertion of the RTL has failed.
    pub fn asserted(&self) -> bool {
        // SAFETY: as above.
        unsafe { (self.model.asserted)(self.sim) != 0 }
    }

    fn hold(&mut self, on: bool) {
        // SAFETY: as above.
        unsafe { (self.model.hold)(self.sim, on.into()) };
    }

    fn load(&mut self, load: Load) {
        let Load {
            what,
            address,
            value,
        } = load;
        // SAFETY: as above.
        unsafe { (self.model.load)(self.sim, what as u8, address, value) };
    }

    fn look(&self, address: u16) -> i64 {
        // SAFETY: as above; it changes nothing but the time.
        unsafe { (self.model.look)(self.sim, address) as i64 }
    }

    fn intents(&self) -> &[ffi::Intent] {
        let mut first = std::ptr::null();
        // SAFETY: the model says how many there are, and keeps them until the next event.
        unsafe {
            let count = (self.model.intents)(self.sim, &raw mut first);
            match count {
                0 => &[],
                count => std::slice::from_raw_parts(first, count as usize),
            }
        }
    }

    fn items(&self) -> &[ffi::Item] {
        let mut first = std::ptr::null();
        // SAFETY: as for intents.
        unsafe {
            let count = (self.model.items)(self.sim, &raw mut first);
            match count {
                0 => &[],
                count => std::slice::from_raw_parts(first, count as usize),
            }
        }
    }
}

impl Machine for Processor {
    fn handle(&mut self, moment: &Moment<'_>, event: &Event<'_>, outcome: &mut Outcome) {
        outcome.clear();
        let positions = self.image.positions;
        self.hold(true);
        for place in 0..positions.length {
            let position = moment.positions.get(usize::from(place)).copied();
            self.load(Load {
                what: What::Data,
                address: positions.at + place,
                value: position.unwrap_or(0) as u64,
            });
        }
        self.hold(false);
        let mut given = ffi::Event {
            inputs: slot::inputs(moment, event),
            levels: [[[0; 3]; LEVELS]; 2],
            level_cycles: self.level_cycles,
            stall: self.stall,
            handler: slot::handler(event) as u8,
        };
        if let Event::Book(_, depth) = event {
            for (side, levels) in [Side::Buy, Side::Sell].into_iter().zip(&mut given.levels) {
                for (number, members) in levels.iter_mut().enumerate() {
                    let level = depth.level(side, number);
                    *members = [level.price, level.quantity, level.orders];
                }
            }
        }
        // SAFETY: both are there for the time of the call.
        unsafe { (self.model.event)(self.sim, &raw const given, &raw mut self.last) };
        outcome.faults = Faults {
            division: self.last.division,
            index: self.last.index,
            intents: self.last.intents,
        };
        outcome.intents.extend(self.intents().iter().map(named));
        self.unfit = self
            .intents()
            .iter()
            .filter(|intent| intent.fits == 0)
            .count();
        debug_assert!(outcome.intents.len() <= INTENTS);
        let mut values = Vec::new();
        for item in self.items() {
            if item.end == 0 {
                values.push(item.value);
            } else {
                outcome.records.push(Record::new(item.tag, &values));
                values.clear();
            }
        }
    }

    fn set_parameters(&mut self, values: &[i64]) {
        self.hold(true);
        let loads: Vec<_> = self.image.parameter_loads(values).collect();
        for load in loads {
            self.load(load);
        }
        self.hold(false);
    }

    fn state(&self) -> Vec<Vec<i64>> {
        let data: Vec<_> = (0..language_processor::instruction::WORDS as u16)
            .map(|address| self.look(address))
            .collect();
        emulator::state(&self.image, &data)
    }
}

/// An intent as the language names it.
fn named(intent: &ffi::Intent) -> Intent {
    let (order, quantity) = (intent.order.into(), intent.quantity.into());
    match intent.kind {
        0 => Intent::New(New {
            order,
            side: if intent.sell == 0 {
                Side::Buy
            } else {
                Side::Sell
            },
            instrument: intent.instrument.into(),
            price: (intent.limit != 0).then_some(intent.price),
            quantity,
            time_in_force: slot::time_in_force(intent.time_in_force),
        }),
        1 => Intent::Cancel { order },
        _ => Intent::Replace {
            order,
            price: intent.price,
            quantity,
        },
    }
}
