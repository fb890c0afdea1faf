//! What the language means, by example: each case stands for a sentence of docs/reference/strategy-language.md, with values worked out by hand (those
//! of `//`, `%` and shifts are CPython's). The targets run the same cases: this file is included by the tests of each.
#![allow(dead_code)]

use language::{BookChange, Level, Machine, Options, Program, compile};
use language_random::{Step, What};

/// What the book is in every case: instrument 1 of 3.
pub fn step() -> Step {
    let level = |price, quantity, orders| Level {
        price,
        quantity,
        orders,
    };
    let bids = vec![level(1000, 5, 2), level(998, 6, 1)];
    let asks = vec![level(1004, 7, 1), Level::default(), level(1010, 9, 3)];
    let change = BookChange {
        instrument: 1,
        bid: bids[0],
        ask: asks[0],
        changed: true,
        tradable: false,
    };
    Step {
        now: 5_000_000_000,
        open_orders: 2,
        positions: vec![10, -20, 30],
        what: What::Book(change, [bids, asks]),
    }
}

/// A strategy with these fields, whose `on_book` has this body.
pub fn strategy(body: &str) -> String {
    let names: Vec<&str> = language::check::imports().collect();
    let mut source = format!("from tickwire import {}\n", names.join(", "));
    source += "
EIGHT = 8


class Case(Strategy):
    a: int = param(7)
    b: int = param(-3)
    zero: int = param(0)
    big: int = param(9223372036854775807)
    small: int = param(-9223372036854775808)
    price: Price = param(12.5)
    size: Quantity = param(100)
    yes: bool = param(True)
    who: Instrument = param(2)
    n: int = state(40)
    p: Price = state(1)
    flag: bool = state(False)
    order: OrderRef = state(0)
    many: Array[int] = array(3, 5)
    each: PerInstrument[Price] = per_instrument(2.5)
    recent: Ring[int] = ring(3)

    def on_book(self, book):
";
    for line in body.lines() {
        source += &format!("        {line}\n");
    }
    source
}

/// Three instruments, prices with two decimals.
pub const OPTIONS: Options = Options {
    instruments: 3,
    price_decimals: 2,
    operations: 100_000,
};

/// The strategy, checked.
pub fn checked(source: &str) -> Program {
    compile(source, &OPTIONS).unwrap_or_else(|messages| panic!("{messages}\n{source}"))
}

/// What an expression is, and how many divisions by zero and indexes of nothing it counts.
pub const EXPRESSIONS: &[(&str, i64, [u64; 2])] = &[
    // Numbers wrap.
    ("self.big + 1", i64::MIN, [0, 0]),
    ("self.small - 1", i64::MAX, [0, 0]),
    ("self.big * 2", -2, [0, 0]),
    ("-self.small", i64::MIN, [0, 0]),
    ("abs(self.small)", i64::MIN, [0, 0]),
    ("abs(self.b)", 3, [0, 0]),
    ("~self.a", -8, [0, 0]),
    // Division rounds towards minus infinity, and by zero gives 0.
    ("self.a // 2", 3, [0, 0]),
    ("-self.a // 2", -4, [0, 0]),
    ("self.a // self.b", -3, [0, 0]),
    ("self.a % self.b", -2, [0, 0]),
    ("-self.a % 3", 2, [0, 0]),
    ("-self.a % 4", 1, [0, 0]),
    ("-self.a // 4", -2, [0, 0]),
    ("self.small // -1", i64::MIN, [0, 0]),
    ("self.small % -1", 0, [0, 0]),
    ("self.a // self.zero", 0, [1, 0]),
    ("self.a % self.zero", 0, [1, 0]),
    ("self.a // self.zero + self.a % self.zero", 0, [2, 0]),
    // Shifts.
    ("self.a << 2", 28, [0, 0]),
    ("self.b >> 1", -2, [0, 0]),
    ("1 << (self.a * 9)", i64::MIN, [0, 0]),
    ("self.a << (self.a * 10)", 0, [0, 0]),
    ("self.a << self.b", 0, [0, 0]),
    ("self.a >> 64 - self.zero", 0, [0, 0]),
    ("self.b >> self.b", -1, [0, 0]),
    ("self.a & 3 | 8 ^ 1", 11, [0, 0]),
    // Comparisons, and what is evaluated.
    ("self.b < self.zero < self.a", 1, [0, 0]),
    ("self.a < self.b < self.a // self.zero", 0, [0, 0]),
    ("self.b < self.a // self.zero < self.a", 1, [1, 0]),
    ("self.zero != 0 and self.a // self.zero > 0", 0, [0, 0]),
    ("self.yes or self.a // self.zero > 0", 1, [0, 0]),
    ("not self.yes or self.a // self.zero == 0", 1, [1, 0]),
    ("self.a if self.yes else self.a // self.zero", 7, [0, 0]),
    ("min(self.a, self.b, 2)", -3, [0, 0]),
    ("max(2, self.a, self.b)", 7, [0, 0]),
    ("self.yes ^ self.flag", 1, [0, 0]),
    // Units: a number takes the unit of its place; int(…) takes it off.
    ("self.price + 1", 1350, [0, 0]),
    ("self.price * 2", 2500, [0, 0]),
    ("self.price // 2", 625, [0, 0]),
    ("self.price // Price(0.25)", 50, [0, 0]),
    ("self.price % Price(0.4)", 10, [0, 0]),
    ("self.price * self.size", 125_000, [0, 0]),
    ("int(self.price) + 1", 1251, [0, 0]),
    ("Price.raw(self.a) + 0.01", 8, [0, 0]),
    ("max(self.price, 20)", 2000, [0, 0]),
    ("self.price > 12.49 and 12.51 > self.price", 1, [0, 0]),
    ("5 * SECOND + now", 10_000_000_000, [0, 0]),
    ("now // MILLISECOND", 5_000, [0, 0]),
    ("EIGHT * self.a", 56, [0, 0]),
    ("int(True) + int(self.flag)", 1, [0, 0]),
    // What a handler sees.
    ("book.bid.price + book.ask.price", 2004, [0, 0]),
    ("book.bid.quantity", 5, [0, 0]),
    ("book.bid.orders", 2, [0, 0]),
    ("book.ask.exists", 1, [0, 0]),
    ("book.instrument", 1, [0, 0]),
    ("book.changed", 1, [0, 0]),
    ("book.tradable", 0, [0, 0]),
    ("book.level(Side.BUY, 1).price", 998, [0, 0]),
    ("book.level(Side.SELL, 1).exists", 0, [0, 0]),
    ("book.level(Side.SELL, 2).orders", 3, [0, 0]),
    ("book.level(Side.BUY, 9).price", 0, [0, 0]),
    ("book.level(Side.BUY, self.a + 9).price", 0, [0, 1]),
    ("book.level(Side.BUY, self.b).exists", 0, [0, 1]),
    ("self.position(book.instrument)", -20, [0, 0]),
    ("self.position(self.who)", 30, [0, 0]),
    ("self.open_orders", 2, [0, 0]),
    // Fields.
    ("self.n", 40, [0, 0]),
    ("self.p", 100, [0, 0]),
    ("self.many[2]", 5, [0, 0]),
    ("self.many[self.a]", 0, [0, 1]),
    ("self.many[self.b]", 0, [0, 1]),
    ("len(self.many)", 3, [0, 0]),
    ("self.each[self.who]", 250, [0, 0]),
    (
        "self.recent.count + self.recent.sum + self.recent.minimum + self.recent.maximum",
        0,
        [0, 0],
    ),
    ("self.recent[0]", 0, [0, 1]),
];

/// The values of records.
type Records = &'static [&'static [i64]];

/// What statements emit, and faults: divisions, indexes, intents.
pub const STATEMENTS: &[(&str, Records, [u64; 3])] = &[
    ("x = 1\nx += self.a\nself.emit(0, x)", &[&[8]], [0, 0, 0]),
    (
        "self.n += 2\nself.emit(0, self.n)\nself.n = 1\nself.emit(0, self.n)",
        &[&[42], &[1]],
        [0, 0, 0],
    ),
    (
        "self.many[1] += 2\nself.emit(0, self.many[0], self.many[1])",
        &[&[5, 7]],
        [0, 0, 0],
    ),
    (
        "self.many[self.a] = 2\nself.emit(0, self.many[0])",
        &[&[5]],
        [0, 1, 0],
    ),
    (
        "self.many[self.a] += 2\nself.emit(0, self.many[0])",
        &[&[5]],
        [0, 2, 0],
    ),
    (
        "self.each[book.instrument] = 3\nself.emit(0, self.each[book.instrument], self.each[self.who])",
        &[&[300, 250]],
        [0, 0, 0],
    ),
    (
        "for i in range(5):
    self.recent.push(i * i)
self.emit(0, self.recent.count, self.recent.sum, self.recent.minimum, self.recent.maximum)
self.emit(1, self.recent[0], self.recent[1], self.recent[2], self.recent[self.open_orders + 1])",
        &[&[3, 29, 4, 16], &[16, 9, 4, 0]],
        [0, 1, 0],
    ),
    (
        "for i in range(4, -2, -3):
    self.emit(0, i)
for instrument in instruments:
    self.emit(1, instrument)",
        &[&[4], &[1], &[0], &[1], &[2]],
        [0, 0, 0],
    ),
    (
        "for i in range(10):
    if i == 2:
        continue
    if i == 4:
        break
    for j in range(10):
        if j > i:
            break
        self.n += 1
    self.emit(0, i, self.n)",
        &[&[0, 41], &[1, 43], &[3, 47]],
        [0, 0, 0],
    ),
    (
        "if self.a < 0:
    self.emit(0, 1)
elif self.a < 8:
    self.emit(0, 2)
elif self.a // self.zero == 0:
    self.emit(0, 3)
else:
    self.emit(0, 4)",
        &[&[2]],
        [0, 0, 0],
    ),
    (
        "match self.a:
    case 1 | 2:
        self.emit(0, 1)
    case 7 if self.flag:
        self.emit(0, 2)
    case 7:
        self.emit(0, 3)
    case _:
        self.emit(0, 4)",
        &[&[3]],
        [0, 0, 0],
    ),
    (
        "match self.price:
    case 12:
        self.emit(0, 1)
    case 12.5:
        self.emit(0, 2)",
        &[&[2]],
        [0, 0, 0],
    ),
    (
        "best = book.bid\nbest = book.level(Side.SELL, 2)\nself.emit(0, best.price, best.quantity, best.exists)",
        &[&[1010, 9, 1]],
        [0, 0, 0],
    ),
    (
        "self.emit(255, True, Side.SELL, self.price, now, self.order)",
        &[&[1, 1, 1250, 5_000_000_000, 0]],
        [0, 0, 0],
    ),
    ("if self.yes:\n    return\nself.emit(0, 1)", &[], [0, 0, 0]),
    // The fifth intent and those after it are dropped, and their orders have no number.
    (
        "a = self.buy(self.who, 1, 1)
b = self.sell(self.who, 1, 1)
self.cancel(a)
self.replace(b, 2, 2)
c = self.buy(self.who, 1, 1)
self.cancel(a)
self.emit(0, a, b, c)",
        &[&[1, 2, 0]],
        [0, 0, 2],
    ),
];

/// Helper methods, after a body of `on_book`; what is emitted.
pub const HELPERS: &[(&str, &str, Records)] = &[
    (
        "self.emit(0, self.middle(book))",
        "def middle(self, book):\n    return (book.bid.price + book.ask.price) // 2",
        &[&[1002]],
    ),
    (
        "self.emit(0, self.larger(self.a, 9), self.larger(self.a, self.b))",
        "def larger(self, a: int, b: int) -> int:
    if a > b:
        return a
    return b",
        &[&[9, 7]],
    ),
    // From left to right, each once.
    (
        "self.emit(0, self.next() - self.next() * 10, self.n)
self.emit(1, self.n + self.next())",
        "def next(self) -> int:
    self.n += 1
    return self.n",
        &[&[41 - 420, 42], &[42 + 43]],
    ),
    (
        "self.emit(0, self.first_above(4), self.first_above(100))",
        "def first_above(self, limit: int) -> int:
    for i in range(5):
        if i * i > limit:
            return i
    return -1",
        &[&[3, -1]],
    ),
    (
        "self.tell(1.5)",
        "def tell(self, price: Price) -> None:
    self.emit(0, price)",
        &[&[150]],
    ),
    // The value is evaluated before the index that it is written to.
    (
        "self.many[self.next() - 41] = self.next()
self.emit(0, self.many[0], self.many[1], self.many[2])",
        "def next(self) -> int:
    self.n += 1
    return self.n",
        &[&[5, 41, 5]],
    ),
];

/// Runs a case once; what it emits, and faults.
pub fn emitted(machine: &mut impl Machine) -> (Vec<Vec<i64>>, [u64; 3]) {
    let mut outcome = language::Outcome::default();
    step().run(machine, &mut outcome);
    let records = outcome
        .records
        .iter()
        .map(|record| record.values().to_vec())
        .collect();
    (
        records,
        [
            outcome.faults.division,
            outcome.faults.index,
            outcome.faults.intents,
        ],
    )
}

/// The cases: source, what is emitted, faults.
pub fn all() -> Vec<(String, Vec<Vec<i64>>, [u64; 3])> {
    let mut cases = Vec::new();
    for (expression, value, [division, index]) in EXPRESSIONS {
        cases.push((
            strategy(&format!("self.emit(0, {expression})")),
            vec![vec![*value]],
            [*division, *index, 0],
        ));
    }
    for (body, records, faults) in STATEMENTS {
        cases.push((
            strategy(body),
            records.iter().map(|record| record.to_vec()).collect(),
            *faults,
        ));
    }
    for (body, helper, records) in HELPERS {
        let helper = format!("\n    {}\n", helper.replace('\n', "\n    "));
        let records = records.iter().map(|record| record.to_vec()).collect();
        cases.push((strategy(body) + &helper, records, [0; 3]));
    }
    cases
}
