//! What risk knows again after a restart, against a plain account of the orders.

use formats::Side;
use order::{Kind, Number, Order};
use proptest::prelude::*;
use risk::{
    Execution, ExecutionReport, Exposure, InstrumentLimits, Kill, Ledger, Limits, Refusal, Request,
    Risk, Unsure,
};

const SYMBOLS: [&str; 3] = ["ABC", "DEF", "GHI"];

fn number(value: u64) -> Number {
    Number::new(value).unwrap()
}

fn ledger() -> Ledger {
    Ledger::new(SYMBOLS.map(str::to_owned).into())
}

/// The ledger of the next start.
fn read(notes: &[Vec<u8>]) -> Ledger {
    let mut ledger = ledger();
    assert!(notes.iter().all(|note| ledger.read(note)));
    ledger.begin(true, false, &mut vec![]);
    ledger
}

fn order(kind: Kind, side: Side, instrument: u8, quantity: u32) -> Order {
    Order {
        kind,
        side,
        instrument,
        quantity,
        ..Order::default()
    }
}

fn report(what: Execution, value: u64, original: Option<u64>, traded: u32) -> ExecutionReport {
    ExecutionReport {
        what,
        number: number(value),
        original: original.map(number),
        traded,
    }
}

/// An order at the exchange.
#[derive(Clone, Copy, Debug)]
struct AtExchange {
    number: u64,
    side: Side,
    instrument: u8,
    quantity: u32,
    traded: u32,
    open: bool,
    /// A replacement without an answer: its number and quantity.
    asked: Option<(u64, u32)>,
}

/// The plain account: every order that ever was, added up anew each time.
#[derive(Clone, Debug, Default)]
struct Account {
    orders: Vec<AtExchange>,
    positions: [i64; 3],
}

impl Account {
    fn open(&self) -> u32 {
        self.orders.iter().filter(|order| order.open).count() as u32
    }

    fn exposure(&self, instrument: u8) -> Exposure {
        let position = self.positions[usize::from(instrument)];
        let of = |side| -> i64 {
            let orders = self.orders.iter();
            let orders = orders.filter(|one| (one.side, one.instrument) == (side, instrument));
            let left = orders.map(|one| {
                let open = if one.open {
                    one.quantity - one.traded
                } else {
                    0
                };
                i64::from(open) + i64::from(one.asked.map_or(0, |(_, quantity)| quantity))
            });
            left.sum()
        };
        Exposure {
            buys: position + of(Side::Buy),
            sells: of(Side::Sell) - position,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    New {
        sell: bool,
        instrument: u8,
        quantity: u32,
    },
    Replace {
        which: usize,
        quantity: u32,
    },
    Fill {
        which: usize,
        quantity: u32,
    },
    /// The exchange ends the order, or its day is over.
    End {
        which: usize,
    },
    Reject {
        which: usize,
    },
    Accept {
        which: usize,
    },
    Refuse {
        which: usize,
    },
    /// A report comes once more.
    Again,
    /// The store begins a new file.
    NewFile,
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let which = 0..40_usize;
    prop_oneof![
        4 => (any::<bool>(), 0..3_u8, 1..100_u32).prop_map(|(sell, instrument, quantity)| Step::New { sell, instrument, quantity }),
        3 => (which.clone(), 1..150_u32).prop_map(|(which, quantity)| Step::Replace { which, quantity }),
        4 => (which.clone(), 1..60_u32).prop_map(|(which, quantity)| Step::Fill { which, quantity }),
        1 => which.clone().prop_map(|which| Step::End { which }),
        1 => which.clone().prop_map(|which| Step::Reject { which }),
        2 => which.clone().prop_map(|which| Step::Accept { which }),
        1 => which.prop_map(|which| Step::Refuse { which }),
        1 => Just(Step::Again),
        1 => Just(Step::NewFile),
        2 => Just(Step::Restart),
    ]
}

/// Risk that lets all pass.
fn risk() -> Risk {
    let mut risk = Risk::new(SYMBOLS.len());
    risk.set_session(true);
    risk.set_limits(&Limits {
        max_quantity: u32::MAX,
        max_notional: u64::MAX - 1,
        rate_orders: u8::MAX,
        rate_window: 1,
        max_open_orders: u16::MAX,
        kill: Kill::default(),
    });
    for index in 0..SYMBOLS.len() as u8 {
        let limits = InstrumentLimits {
            enable: true,
            position: risk::MAX_POSITION,
            reference_price: Some(1),
            ..InstrumentLimits::default()
        };
        risk.set_instrument(index, &limits);
    }
    risk
}

proptest! {
    /// After a restart anywhere, risk has what it would have had without one.
    #[test]
    fn a_restart_changes_nothing_for_risk(steps in prop::collection::vec(step(), 1..120)) {
        let (mut ledger, mut account, mut risk) = (ledger(), Account::default(), risk());
        let (mut notes, mut next, mut last) = (vec![vec![]], 1, None);
        ledger.begin(false, false, &mut notes[0]);
        for (cycle, step) in (0..).step_by(2).zip(steps) {
            let mut note = vec![];
            let mut send = |ledger: &mut Ledger, risk: &mut Risk, order: Order| {
                risk.check(&Request::new(order), cycle).unwrap();
                ledger.sent(number(next), &order, &mut note);
                next += 1;
                next - 1
            };
            let of = |which: usize, orders: &[AtExchange]| which.checked_rem(orders.len());
            let mut said = None;
            match step {
                Step::New { sell, instrument, quantity } => {
                    let side = if sell { Side::Sell } else { Side::Buy };
                    let number = send(&mut ledger, &mut risk, order(Kind::New, side, instrument, quantity));
                    account.orders.push(AtExchange { number, side, instrument, quantity, traded: 0, open: true, asked: None });
                }
                Step::Replace { which, quantity } => {
                    if let Some(one) = of(which, &account.orders).map(|at| &mut account.orders[at])
                        && one.open && one.asked.is_none()
                    {
                        let kind = Kind::Replace(number(one.number));
                        let number = send(&mut ledger, &mut risk, order(kind, one.side, one.instrument, quantity));
                        one.asked = Some((number, quantity));
                    }
                }
                Step::Fill { which, quantity } => {
                    if let Some(one) = of(which, &account.orders).map(|at| &mut account.orders[at]) && one.open {
                        let traded = quantity.min(one.quantity - one.traded);
                        one.traded += traded;
                        one.open = one.traded < one.quantity;
                        let signed = if one.side == Side::Buy { i64::from(traded) } else { -i64::from(traded) };
                        account.positions[usize::from(one.instrument)] += signed;
                        let what = if one.open { Execution::Open } else { Execution::Closed };
                        said = Some(report(what, one.number, None, one.traded));
                    }
                }
                Step::End { which } => {
                    if let Some(one) = of(which, &account.orders).map(|at| &mut account.orders[at]) && one.open {
                        one.open = false;
                        said = Some(report(Execution::Closed, 900_000, Some(one.number), one.traded));
                    }
                }
                Step::Reject { which } => {
                    if let Some(one) = of(which, &account.orders).map(|at| &mut account.orders[at]) && one.open && one.traded == 0 {
                        one.open = false;
                        said = Some(report(Execution::Rejected, one.number, None, 0));
                    }
                }
                Step::Accept { which } => {
                    if let Some(one) = of(which, &account.orders).map(|at| &mut account.orders[at])
                        && let Some((number, quantity)) = one.asked
                        && one.open && quantity >= one.traded
                    {
                        said = Some(report(Execution::Replaced, number, Some(one.number), one.traded));
                        (one.number, one.quantity, one.asked) = (number, quantity, None);
                        one.open = one.traded < one.quantity;
                    }
                }
                Step::Refuse { which } => {
                    if let Some(one) = of(which, &account.orders).map(|at| &mut account.orders[at])
                        && let Some((number, _)) = one.asked.take()
                    {
                        said = Some(report(Execution::ChangeRefused, number, Some(one.number), 0));
                    }
                }
                Step::Again => said = last,
                Step::NewFile => {
                    notes.clear();
                    ledger.state(&mut note);
                }
                Step::Restart => {
                    ledger = read(&notes);
                    risk = self::risk();
                    risk.restore(ledger.exposures().map(|(_, exposure)| exposure), ledger.open_orders());
                }
            }
            if let Some(report) = said {
                let reported = ledger.report(&report, &mut note);
                if let Some(adjustment) = &reported.adjustment {
                    risk.adjust(adjustment);
                }
                last = said;
            }
            notes.push(note);
            prop_assert_eq!(ledger.unsure(), None);
            prop_assert_eq!(ledger.open_orders(), account.open());
            prop_assert_eq!(ledger.working().len() as u32, account.open());
            prop_assert_eq!(u32::from(risk.open_orders()), account.open());
            for (index, (symbol, exposure)) in (0..).zip(ledger.exposures()) {
                prop_assert_eq!(symbol, SYMBOLS[usize::from(index)]);
                prop_assert_eq!(exposure, account.exposure(index));
                prop_assert_eq!(risk.exposure(index), Some((exposure.buys, exposure.sells)));
                prop_assert_eq!(ledger.position(index), account.positions[usize::from(index)]);
            }
        }
    }

    #[test]
    fn damaged_notes_are_refused_and_never_end_the_program(bytes in prop::collection::vec(any::<u8>(), 0..80), first in 1..8_u8) {
        let mut ledger = ledger();
        ledger.read(&[&[first][..], &bytes].concat());
        ledger.state(&mut vec![]);
        ledger.position(0);
    }
}

/// The fault: a limit of 1,000, and after a restart 2,000 in the market.
#[test]
fn what_was_open_before_a_restart_counts_against_the_limits() {
    let mut notes = vec![];
    let mut before = ledger();
    before.sent(number(2), &order(Kind::New, Side::Buy, 0, 600), &mut notes);
    before.report(&report(Execution::Open, 2, None, 100), &mut notes);
    let after = read(&[notes]);
    assert_eq!((after.open_orders(), after.position(0)), (1, 100));
    let mut risk = risk();
    risk.set_limits(&Limits {
        max_open_orders: 1,
        ..*risk.limits()
    });
    let limits = InstrumentLimits {
        position: 1_000,
        ..risk.instrument(0).unwrap()
    };
    risk.set_instrument(0, &limits);
    let exposures = after.exposures().map(|(_, exposure)| exposure);
    risk.restore(exposures, after.open_orders());
    let ask = |risk: &mut Risk, kind, side, quantity| {
        let request = Request::new(order(kind, side, 0, quantity));
        risk.check(&request, 10)
    };
    let new = ask(&mut risk, Kind::New, Side::Buy, 1);
    assert_eq!(new, Err(Refusal::OpenOrders));
    let replace = Kind::Replace(number(2));
    let more = ask(&mut risk, replace, Side::Buy, 401);
    assert_eq!(more, Err(Refusal::Position));
    assert_eq!(ask(&mut risk, replace, Side::Buy, 400), Ok(()));
    // 100 are held: 1,100 may be sold.
    let more = ask(&mut risk, replace, Side::Sell, 1_101);
    assert_eq!(more, Err(Refusal::Position));
    assert_eq!(ask(&mut risk, replace, Side::Sell, 1_100), Ok(()));
}

#[test]
fn another_table_of_instruments_has_the_same_orders() {
    let mut notes = vec![];
    let mut before = ledger();
    before.sent(number(2), &order(Kind::New, Side::Buy, 2, 30), &mut notes);
    before.sent(number(3), &order(Kind::New, Side::Sell, 1, 40), &mut notes);
    let mut after = Ledger::new(vec!["GHI".into(), "ABC".into()]);
    assert!(after.read(&notes));
    let (buys, sells) = (
        Exposure { buys: 30, sells: 0 },
        Exposure { buys: 0, sells: 40 },
    );
    let none = Exposure::default();
    let exposures: Vec<_> = after.exposures().collect();
    assert_eq!(exposures, [("GHI", buys), ("ABC", none), ("DEF", sells)]);
    // Its end is reported in the new table.
    let ended = after.report(&report(Execution::Closed, 2, None, 0), &mut notes);
    let adjustment = ended.adjustment.unwrap();
    assert_eq!((adjustment.instrument, adjustment.buy), (0, -30));
    assert_eq!(after.open_orders(), 1);
}

#[test]
fn it_is_not_known_what_is_open_until_the_operator_says_so() {
    // Messages without notes, and hardware that was sending.
    let mut unnoted = vec![];
    ledger().begin(true, false, &mut unnoted);
    let mut running = vec![];
    let mut before = ledger();
    before.begin(false, false, &mut running);
    before.set_running(true, &mut running);
    before.sent(
        number(2),
        &order(Kind::New, Side::Buy, 0, 600),
        &mut running,
    );
    let mut anew = vec![];
    let mut before = ledger();
    before.begin(false, true, &mut anew);
    before.sent(number(2), &order(Kind::New, Side::Buy, 0, 600), &mut anew);
    let mut after = ledger();
    assert!(after.read(&anew));
    after.begin(true, true, &mut anew);
    for (mut notes, why) in [
        (unnoted, Unsure::NothingNoted),
        (running, Unsure::HardwareWasSending),
        (anew, Unsure::NumbersBeginAnew),
    ] {
        // It stays so over starts and ends, and over a new file.
        for _ in 0..3 {
            let mut ledger = ledger();
            assert!(ledger.read(&notes));
            ledger.begin(true, false, &mut notes);
            assert_eq!(ledger.unsure(), Some(why));
            ledger.set_running(true, &mut notes);
            ledger.set_running(false, &mut notes);
            notes.clear();
            ledger.state(&mut notes);
        }
        let mut ledger = ledger();
        assert!(ledger.read(&notes));
        ledger.confirm(&[(1, -20)], &mut notes);
        for ledger in [ledger, read(&[notes])] {
            assert_eq!((ledger.unsure(), ledger.open_orders()), (None, 0));
            let positions = [0, 1, 2].map(|index| ledger.position(index));
            assert_eq!(positions, [0, -20, 0]);
            let held = ledger.exposures().nth(1).unwrap().1;
            assert_eq!((held.buys, held.sells), (-20, 20));
        }
    }
    // A session that ended after all was noted.
    let mut notes = vec![];
    let mut before = ledger();
    before.begin(false, false, &mut notes);
    before.set_running(true, &mut notes);
    before.set_running(false, &mut notes);
    assert_eq!(read(std::slice::from_ref(&notes)).unsure(), None);
    // Numbers that begin anew, and nothing open.
    let mut after = ledger();
    assert!(after.read(&notes));
    after.begin(true, true, &mut notes);
    assert_eq!(after.unsure(), None);
}
