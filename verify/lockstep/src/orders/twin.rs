//! The path of orders as software: stops, risk, and what leaves it; and whether it can give what the core gave.
//!
//! What comes at once (prices of the session and of the feed, an operation of the host) has no fixed order: the twin follows every order
//! in which it may have taken effect, as long as that order explains what was observed. If only one thing comes there is one.

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use cosim::orders::testbench::Input;
use device::{OrderRefused, StopRefused};
use formats::Listener;
use order::report::Dropped;
use order::{Templates, Text, TextError, price_fits};
use risk::{Kill, Refusal, Request, Risk};
use strategy::stops::{Operation, Stop, Stops, Watch};

/// Something the host does, and what it was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostOperation {
    /// A slot's stop is set, changed or cancelled.
    Stop {
        /// What is done.
        operation: Operation,
        /// The slot.
        slot: usize,
        /// The stop.
        stop: Stop,
        /// The answer.
        answer: Result<(), StopRefused>,
    },
    /// An order of its own.
    Order {
        /// It.
        request: Request,
        /// The answer.
        answer: Result<(), OrderRefused>,
    },
    /// The kill switch is set.
    Kill(Kill),
}

/// What comes at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Of each source, in its own order.
    pub sources: [Vec<Input>; 2],
    /// By the host.
    pub operation: Option<HostOperation>,
}

/// An order that passed risk, as the core reported it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassedOrder {
    /// The report's.
    pub client_id: u32,
    /// Why it did not leave.
    pub dropped: Option<Dropped>,
}

/// What the core reported of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// Orders that passed risk, in their order.
    pub passed: Vec<PassedOrder>,
    /// Orders that did not, in their order.
    pub refused: Vec<(u32, Refusal)>,
}

/// The path's state between two steps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Twin {
    /// The slots.
    pub stops: Stops<Request>,
    /// The limits and what counts against them.
    pub risk: Risk,
    /// Instruments of the core.
    instruments: usize,
    /// An order of the host that waits for stops that fire.
    host: Option<Request>,
}

/// States looked at in a step until it counts as a difference.
const MOST_STATES: usize = 200_000;

/// One thing that takes effect.
#[derive(Clone, Copy)]
enum Effect {
    /// Risk is given the order that is due.
    Check,
    /// The next input of a source.
    Input(usize),
    /// What the host does.
    Operate,
}

/// A way through a step.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Way {
    twin: Twin,
    /// Inputs of each source that are done.
    inputs: [usize; 2],
    operated: bool,
    passed: usize,
    refused: usize,
}

/// The request a stop becomes.
pub fn request_of(stop: &Stop) -> Request {
    Request {
        order: order::Order {
            side: stop.side,
            instrument: stop.instrument,
            price: stop.price,
            quantity: stop.quantity,
            client_id: stop.client_id,
            ..order::Order::default()
        },
        reference: stop.trigger,
        by_host: false,
    }
}

/// Why an order has no text (`order_text`): an instrument without a template still has one, with 0 decimals.
fn text_error(
    templates: &Templates,
    instruments: usize,
    order: &order::Order,
) -> Option<TextError> {
    if usize::from(order.instrument) >= instruments {
        return Some(TextError::Instrument(order.instrument));
    }
    let listed = templates.instruments.get(usize::from(order.instrument));
    let decimals = listed
        .and_then(Option::as_ref)
        .map_or(0, |(decimals, _)| *decimals);
    Text::new(&templates.layout, decimals, order).err()
}

/// What the core answers to a stop with these numbers; `None`: its slot decides.
fn stop_text(templates: &Templates, instruments: usize, stop: &Stop) -> Option<StopRefused> {
    if !price_fits(stop.trigger) {
        return Some(StopRefused::Trigger(stop.trigger));
    }
    if stop.price.is_some_and(|price| !price_fits(price)) {
        return Some(StopRefused::Price(stop.price));
    }
    Some(
        match text_error(templates, instruments, &request_of(stop).order)? {
            TextError::QuantityTooWide { quantity, .. } => StopRefused::Quantity(quantity),
            TextError::Instrument(instrument) => StopRefused::Instrument(instrument),
            _ => StopRefused::Price(stop.price),
        },
    )
}

impl Twin {
    /// Of a core with so many instruments, and so many stops in a quarter, all empty.
    pub fn new(quarter: usize, instruments: usize) -> Self {
        Twin {
            stops: Stops::with_quarters(quarter),
            risk: Risk::new(instruments),
            instruments,
            host: None,
        }
    }

    fn input(&mut self, input: &Input) {
        match input {
            Input::Trade(event) => {
                self.stops.event(event);
                self.risk.event(event);
            }
            Input::Gap => self.risk.gap(),
        }
    }

    /// Does what the host asked for; returns whether the answer is the one it got.
    fn operate(&mut self, templates: &Templates, operation: &HostOperation) -> bool {
        match operation {
            HostOperation::Kill(kill) => {
                self.risk.set_kill(*kill);
                true
            }
            HostOperation::Order { request, answer } => {
                let error =
                    text_error(templates, self.instruments, &request.order).map(
                        |error| match error {
                            TextError::QuantityTooWide { quantity, .. } => {
                                OrderRefused::Quantity(quantity)
                            }
                            TextError::Instrument(instrument) => {
                                OrderRefused::Instrument(instrument)
                            }
                            _ => OrderRefused::Price(request.price()),
                        },
                    );
                if error.is_none() {
                    self.host = Some(*request);
                }
                *answer == error.map_or(Ok(()), Err)
            }
            HostOperation::Stop {
                operation,
                slot,
                stop,
                answer,
            } => {
                if *operation != Operation::Cancel
                    && let Some(error) = stop_text(templates, self.instruments, stop)
                {
                    return *answer == Err(error);
                }
                let watch = Watch {
                    instrument: stop.instrument.into(),
                    side: stop.side,
                    trigger: stop.trigger,
                };
                let given = match operation {
                    Operation::Set => self.stops.set(*slot, watch, request_of(stop)),
                    Operation::Change => self.stops.change(*slot, watch, request_of(stop)),
                    Operation::Cancel => self.stops.cancel(*slot),
                };
                let expected = match given.done {
                    true => Ok(()),
                    false => Err(StopRefused::Slot(given.previous)),
                };
                *answer == expected
            }
        }
    }

    /// The order that risk is given next: its slot, if it has one.
    fn due(&self) -> Option<(Option<usize>, Request)> {
        match self.stops.firing() {
            Some((slot, request)) => Some((Some(slot), *request)),
            None => Some((None, self.host?)),
        }
    }
}

/// Whether a report is of this order.
fn is_of(client_id: u32, request: &Request) -> bool {
    client_id == request.order.client_id
}

/// What all ways through a step have in common.
pub struct Follow<'a> {
    /// The templates of the desk.
    pub templates: &'a Templates,
    /// What came.
    pub step: &'a Step,
    /// What was observed.
    pub observed: &'a Observed,
    /// The cycle that counts for the rate.
    pub cycle: u64,
}

impl Follow<'_> {
    /// The states in which one of these twins may be, having given what was observed: none if it cannot have.
    pub fn all(&self, twins: &[Twin]) -> Vec<Twin> {
        let mut ends: Vec<Twin> = Vec::new();
        let mut seen = HashSet::new();
        let mut open: Vec<Way> = twins
            .iter()
            .map(|twin| Way {
                twin: twin.clone(),
                inputs: [0; 2],
                operated: self.step.operation.is_none(),
                passed: 0,
                refused: 0,
            })
            .collect();
        'ways: while let Some(mut way) = open.pop() {
            let mut possible = self.possible(&way);
            // Mostly there is only one thing that can be next.
            while let [Some(effect), None, ..] = possible {
                if !self.apply(&mut way, effect) {
                    continue 'ways;
                }
                possible = self.possible(&way);
            }
            if self.is_end(&way) {
                if !ends.contains(&way.twin) {
                    ends.push(way.twin);
                }
                continue;
            }
            let [_, Some(_), ..] = possible else {
                continue;
            };
            let mut hasher = DefaultHasher::new();
            way.hash(&mut hasher);
            if !seen.insert(hasher.finish()) {
                continue;
            }
            if seen.len() > MOST_STATES {
                return vec![];
            }
            for effect in possible.into_iter().flatten() {
                let mut next = way.clone();
                if self.apply(&mut next, effect) {
                    open.push(next);
                }
            }
        }
        ends
    }

    /// What can take effect next; `None` comes last.
    fn possible(&self, way: &Way) -> [Option<Effect>; 4] {
        let mut possible = [None; 4];
        let input = |source: usize| {
            let more = way.inputs[source] < self.step.sources[source].len();
            more.then_some(Effect::Input(source))
        };
        let check = way.twin.due().is_some().then_some(Effect::Check);
        let operate = (!way.operated).then_some(Effect::Operate);
        let all = [check, input(0), input(1), operate];
        for (place, effect) in possible.iter_mut().zip(all.into_iter().flatten()) {
            *place = Some(effect);
        }
        possible
    }

    /// Lets it take effect; returns whether that agrees with what was observed.
    fn apply(&self, way: &mut Way, effect: Effect) -> bool {
        match effect {
            Effect::Check => self.check(way),
            Effect::Input(source) => {
                let inputs = &self.step.sources[source];
                way.twin.input(&inputs[way.inputs[source]]);
                way.inputs[source] += 1;
                true
            }
            Effect::Operate => {
                way.operated = true;
                let operation = self.step.operation.as_ref();
                operation.is_none_or(|operation| way.twin.operate(self.templates, operation))
            }
        }
    }

    fn is_end(&self, way: &Way) -> bool {
        way.operated
            && way.twin.due().is_none()
            && (0..2).all(|source| way.inputs[source] == self.step.sources[source].len())
            && way.passed == self.observed.passed.len()
            && way.refused == self.observed.refused.len()
    }

    /// Checks the order that is due against the limits; returns whether the core reported the same about it.
    fn check(&self, way: &mut Way) -> bool {
        let Some((slot, request)) = way.twin.due() else {
            return false;
        };
        match way.twin.risk.check(&request, self.cycle) {
            Ok(()) => {
                let Some(passed) = self.observed.passed.get(way.passed) else {
                    return false;
                };
                let order = &request.order;
                let template = self.templates.template(order.instrument, order.form());
                let dropped = template.is_none().then_some(Dropped::Template);
                if !is_of(passed.client_id, &request) || passed.dropped != dropped {
                    return false;
                }
                way.passed += 1;
            }
            Err(refusal) => {
                let Some((client_id, observed)) = self.observed.refused.get(way.refused) else {
                    return false;
                };
                if !is_of(*client_id, &request) || *observed != refusal {
                    return false;
                }
                way.refused += 1;
            }
        }
        match slot {
            Some(_) => drop(way.twin.stops.leave()),
            None => way.twin.host = None,
        }
        true
    }

    /// What a twin gives if one source comes after the other and the host last: to help find a difference.
    pub fn plain(&self, twin: &Twin) -> Vec<String> {
        let (mut twin, mut given) = (twin.clone(), Vec::new());
        let drain = |twin: &mut Twin, given: &mut Vec<String>| {
            while let Some((slot, request)) = twin.due() {
                let result = twin.risk.check(&request, self.cycle);
                let id = request.order.client_id;
                given.push(format!("order {id} of slot {slot:?}: {result:?}"));
                match slot {
                    Some(_) => drop(twin.stops.leave()),
                    None => twin.host = None,
                }
            }
        };
        for input in self.step.sources.iter().flatten() {
            twin.input(input);
            drain(&mut twin, &mut given);
        }
        if let Some(operation) = &self.step.operation {
            let as_answered = twin.operate(self.templates, operation);
            given.push(format!("the host's operation: as answered: {as_answered}"));
            drain(&mut twin, &mut given);
        }
        given
    }
}
