//! What stands in a handler.

use super::{expect, expect_bodies, messages, with_body};

#[test]
fn units_are_not_mixed() {
    expect_bodies(
        r"
x = self.last + self.size ;; 5 ;; Price + Quantity has no meaning ;; int(…) takes a unit off
x = self.last - now ;; 5 ;; Price - Time has no meaning ;; same unit
x = self.size + self.n ;; 5 ;; Quantity + int has no meaning ;; Quantity(…)
x = self.last + self.n ;; 5 ;; Price + int has no meaning ;; Price.raw(…)
x = self.last * self.last ;; 5 ;; Price * Price has no meaning ;; multiply by an int, or a Price by a Quantity
x = self.last // self.size ;; 5 ;; Price // Quantity has no meaning ;; divide by an int, or by the same unit
x = self.n % self.last ;; 5 ;; int % Price has no meaning ;; int(…) takes a unit off
x = self.n << self.size ;; 5 ;; int << Quantity has no meaning ;; shift by an int
x = self.last & self.n ;; 5 ;; Price & int has no meaning ;; int(…)
x = self.last < self.size ;; 5 ;; Price < Quantity has no meaning ;; same unit
x = self.order == self.who ;; 5 ;; OrderRef == Instrument has no meaning ;; same unit
x = min(self.last, self.size) ;; 9 ;; min of Price and Quantity ;; same unit
x = self.last if self.on else self.size ;; 5 ;; a Price or a Quantity ;; same type
x = self.last if self.on else 0 ;; 31 ;; a number without a unit ;; write Price(0)
x = 12.5 if self.on else 13.5 ;; 5 ;; nothing says that it is a price ;; write Price(12.5)
self.last = self.n ;; 13 ;; an int where a Price is wanted ;; Price.raw(self.n)
self.n = self.size ;; 10 ;; a Quantity where an int is wanted ;; write int(self.size)
self.on = self.n ;; 11 ;; an int where a bool is wanted ;; write self.n != 0
self.n = self.on ;; 10 ;; a bool where an int is wanted ;; write int(self.on)
x = Price(self.n) ;; 5 ;; is not clear ;; Price.raw(self.n)
x = Quantity(self.last) ;; 5 ;; a Price is no Quantity ;; Quantity(int(self.last))
x = Price(self.last) ;; 5 ;; a Price already ;; write self.last
x = Instrument(self.n) ;; 5 ;; a number is no Instrument ;; for instrument in instruments
x = OrderRef(7) ;; 14 ;; an order is not named by a number ;; self.buy(…)
x = Instrument(2) ;; 16 ;; there is no such instrument: this desk has 2 ;; param()
",
    );
}

#[test]
fn operators_take_numbers() {
    expect_bodies(
        r"
x = self.on + self.on ;; 5 ;; + of a bool ;; int(self.on)
x = book.instrument + book.instrument ;; 5 ;; + of an Instrument ;; == or !=
x = -self.on ;; 6 ;; - of a bool ;; int(self.on)
x = abs(self.order) ;; 9 ;; abs of an OrderRef ;; == or !=
x = ~self.on ;; 5 ;; ~ of a bool ;; write not self.on
x = ~self.last ;; 5 ;; ~ of a Price ;; int(self.last)
x = +self.n ;; 5 ;; a + before a value ;; leave it out
x = self.order < self.order ;; 5 ;; < of an OrderRef ;; == or !=
x = self.n / 2 ;; 5 ;; / gives a float ;; write //
x = self.n ** 2 ;; 5 ;; ** is not in the language ;; product
x = self.n @ self.n ;; 5 ;; @ is not in the language ;; loop
x = self.n // 0 ;; 15 ;; always divides by zero ;; another number
x = self.n << 64 ;; 15 ;; always shifts by less than 0 or more than 63 ;; another number
x = self.n is 0 ;; 5 ;; is compares objects ;; == or !=
x = self.n in (1, 2) ;; 15 ;; there are no lists, tuples ;; array(8)
x = self.sides.sum ;; 16 ;; have no sum ;; ring of numbers
",
    );
}

#[test]
fn literals_have_a_place_and_fit() {
    expect_bodies(
        r"
x = 1.5 ;; 5 ;; there are no floats ;; Price(…)
x = self.n + 1.5 ;; 14 ;; there are no floats ;; whole number
self.last = 1.234 ;; 13 ;; 3 decimals, and prices of this desk have 2 ;; round it
x = 1e3 ;; 5 ;; exponent ;; all its digits
x = 2j ;; 5 ;; complex ;; whole number
x = 9223372036854775808 ;; 5 ;; does not fit into 64 bits ;; 2^63 - 1
x = 99999999999999999999999999 ;; 5 ;; does not fit into 64 bits ;; 2^63 - 1
x = 9223372036854775807 + 1 ;; 5 ;; does not fit into 64 bits ;; 2^63 - 1
x = 1.5 + 1.5 ;; 5 ;; arithmetic of numbers with a decimal point ;; write the result
self.on = 1 ;; 11 ;; a number where a bool is wanted ;; True or False
x = Side(1) ;; 10 ;; a number where a side is wanted ;; Side.BUY
x = ReportKind(1) ;; 16 ;; a number where a kind of report is wanted ;; ReportKind.FILLED
x = 'a' ;; 5 ;; there are no strings ;; emit a number
x = None ;; 5 ;; there is no None ;; write 0
x = [1] ;; 5 ;; there are no lists ;; array(8)
x = [i for i in range(3)] ;; 5 ;; there are no comprehensions ;; for loop
x = lambda: 1 ;; 5 ;; there is no lambda ;; method
x = (y := 1) ;; 6 ;; an assignment inside an expression ;; before
x = self.many[1:2] ;; 15 ;; there are no slices ;; for loop
x = max(*self.n) ;; 5 ;; it takes two values ;; max(a, b)
",
    );
}

#[test]
fn names_are_known_and_have_a_value() {
    expect_bodies(
        r"
x = y ;; 5 ;; y is not known ;; assign it before
x = last ;; 5 ;; last belongs to the strategy ;; write self.last
x = self.lst ;; 10 ;; the strategy has no lst ;; write self.last
x = self.volume ;; 10 ;; the strategy has no volume ;; declare volume
self.volume = 1 ;; 1 ;; volume is not declared ;; volume: int = state(0)
self.size = 2 ;; 1 ;; size is a parameter ;; state(…)
x = self.now ;; 5 ;; the time is not a member of self ;; write now
x = self.buy ;; 5 ;; buy is a method ;; self.buy(…)
x = instruments ;; 5 ;; instruments is not a value ;; for instrument in instruments
x = Price ;; 5 ;; Price is not a value ;; Price(…)
N = 5 ;; 1 ;; N is a constant of the file ;; another name
now = 5 ;; 1 ;; now is a name of the language ;; another name
min = 5 ;; 1 ;; min is a name of the language ;; another name
book = 5 ;; 1 ;; book has another use ;; another name
x = book.bids ;; 10 ;; a book has no bids ;; bid, ask, level
x = book.bid.size ;; 14 ;; a level has no size ;; price, quantity, orders, exists
x = Side.Buy ;; 10 ;; Side has no Buy ;; BUY, SELL
x = self.n.foo ;; 12 ;; an int has no foo ;; leave it out
x = book.level ;; 5 ;; level is a method ;; book.level(Side.BUY, 0)
",
    );
    let maybe = "if self.on:\n    x = 1\ny = x";
    expect(
        &with_body(maybe),
        (19, 13),
        "x may have no value here",
        "assign x before the if",
    );
    let in_loop = "for i in range(3):\n    x = i\ny = x";
    expect(
        &with_body(in_loop),
        (19, 13),
        "x may have no value here",
        "assign x before",
    );
    let other_type = "x = 1\nx = self.last";
    expect(
        &with_body(other_type),
        (18, 9),
        "x holds an int, and this is a Price",
        "x: Price = …",
    );
    let no_unit = "x = self.last\nx = 5";
    expect(
        &with_body(no_unit),
        (18, 13),
        "this number has no unit",
        "x = Price(5)",
    );
}

#[test]
fn conditions_are_bools() {
    expect_bodies(
        r"
if self.n: pass ;; 4 ;; an int is no condition ;; self.n != 0
if book.bid: pass ;; 4 ;; a level is no condition ;; book.bid.exists
if book.instrument: pass ;; 4 ;; an Instrument is no condition ;; comparison
x = self.n and self.on ;; 5 ;; an int is no condition ;; self.n != 0
x = not self.last ;; 9 ;; a Price is no condition ;; self.last != 0
x = 1 if self.size else 2 ;; 10 ;; a Quantity is no condition ;; self.size != 0
if 1: pass ;; 4 ;; a number where a bool is wanted ;; True or False
",
    );
}

#[test]
fn statements_are_those_of_the_language() {
    expect_bodies(
        r"
while True: pass ;; 1 ;; while is not in the language ;; for i in range(…)
try: pass\nexcept: pass ;; 1 ;; try is not in the language ;; no exceptions
raise 1 ;; 1 ;; raise is not in the language ;; return
assert self.on ;; 1 ;; assert is not in the language ;; write if
with self.n: pass ;; 1 ;; with is not in the language ;; leave it out
del self.n ;; 1 ;; del is not in the language ;; until its method ends
global x ;; 1 ;; global is not in the language ;; state(0)
import os ;; 1 ;; import inside a method ;; at the top
def f(): pass ;; 1 ;; a function inside a method ;; method of the class
class A: pass ;; 1 ;; a class inside a method ;; leave it out
x, y = 1, 2 ;; 1 ;; several targets ;; an assignment for each
x = y = 1 ;; 1 ;; several targets ;; an assignment for each
book.bid.price = 1 ;; 1 ;; only the strategy's own fields ;; local name
self.n: int = 1 ;; 1 ;; a type in a method ;; declare fields in the class
x: int ;; 1 ;; a name without a value ;; x: int = …
self.n ;; 1 ;; nobody takes this value ;; assign it
break ;; 1 ;; outside of every loop ;; inside a for
return 1 ;; 8 ;; a handler gives nothing back ;; return alone
self.many = 1 ;; 1 ;; many holds many values ;; self.many[…]
self.recent = 1 ;; 1 ;; recent holds many values ;; self.recent.push(…)
self.recent[0] = 1 ;; 1 ;; a value of a ring is not replaced ;; self.recent.push(…)
self.n[0] = 1 ;; 1 ;; this holds one value ;; array(…)
x = self.many ;; 5 ;; this holds many values ;; index
x = self.many[8] ;; 15 ;; no value has the index 8: there are 8 ;; 0 to 7
x = self.many[-1] ;; 15 ;; no value has the index -1 ;; 0 to 7
x = self.many[book.instrument] ;; 15 ;; an Instrument where an int is wanted ;; int(book.instrument)
x = self.each[0 + self.n] ;; 15 ;; an int where an Instrument is wanted ;; an Instrument
",
    );
}

#[test]
fn loops_are_bounded() {
    expect_bodies(
        r"
for i in range(self.n): pass ;; 16 ;; a bound that is not constant ;; break
for i in self.many: pass ;; 10 ;; this is not gone through ;; range(…)
for i in range(1, 2, 0): pass ;; 10 ;; not a range ;; range(begin, end, step)
for i in range(9999999999): pass ;; 16 ;; a bound beyond 2^31 ;; shorter
for i, j in range(3): pass ;; 5 ;; not a name ;; for i in range(…)
x = range(3) ;; 5 ;; range outside of for ;; for i in range(…)
",
    );
    expect(
        &with_body("for i in range(3):\n    pass\nelse:\n    pass"),
        (20, 13),
        "else after for",
        "after the loop",
    );
    let long = "for i in range(1000):\n    for j in range(1000):\n        self.n += 1";
    expect(
        &with_body(long),
        (16, 9),
        "operations, and 100000 are allowed",
        "shorten its loops",
    );
    let tells = "for i in range(300):\n    for j in range(300):\n        self.emit(1)";
    expect(
        &with_body(tells),
        (16, 9),
        "more than 65,536 records",
        "emit less",
    );
}

#[test]
fn calls_have_their_arguments() {
    expect_bodies(
        r"
self.buy(self.who, 12) ;; 1 ;; 2 arguments, and it takes 3 ;; self.buy(instrument, price, quantity)
self.buy(self.who, 12, 1, 2) ;; 1 ;; 4 arguments, and it takes 3 ;; time_in_force
self.buy(self.who, quantity=1, price=12) ;; 20 ;; no such argument, or out of order ;; self.buy(instrument, price, quantity)
self.sell(self.who, 12, 1, time_in_force=1) ;; 42 ;; not a time in force ;; TimeInForce.DAY
self.buy(self.who, self.size, 1) ;; 20 ;; a Quantity where a Price is wanted ;; use a Price
self.buy(0 + self.n, 12, 1) ;; 10 ;; an int where an Instrument is wanted ;; use an Instrument
x = MARKET ;; 5 ;; MARKET is not a price ;; self.buy(…)
x = TimeInForce.IOC ;; 5 ;; a time in force is not a value ;; time_in_force=
self.cancel() ;; 1 ;; 0 arguments, and it takes 1 ;; self.cancel(order)
self.cancel(self.n) ;; 13 ;; an int where an OrderRef is wanted ;; use an OrderRef
self.replace(self.order, quantity=1, price=1) ;; 26 ;; out of order ;; self.replace(order, price, quantity)
self.emit() ;; 1 ;; a record without a tag ;; self.emit(tag
self.emit(256) ;; 11 ;; not a tag ;; 0 to 255
self.emit(self.n) ;; 11 ;; not a tag ;; 0 to 255
self.emit(1, 1, 2, 3, 4, 5, 6, 7, 8) ;; 1 ;; 8 values, and a record has at most 7 ;; two records
x = self.emit(1) ;; 5 ;; this call gives no value ;; statement of its own
x = book.level(Side.BUY, 16) ;; 26 ;; there are 16 levels ;; 0, the best, to 15
x = book.level(0, 1) ;; 16 ;; a number where a side is wanted ;; Side.BUY
x = self.recent.push ;; 5 ;; push is a method ;; ( )
x = self.recent.sum() ;; 5 ;; sum is not a method ;; self.recent.sum
x = self.recent.mean ;; 17 ;; a ring has no mean ;; count, sum, minimum, maximum
x = len(self.recent) ;; 5 ;; len of a ring ;; self.recent.count
x = len(self.each) ;; 5 ;; len of what each instrument has ;; for instrument in instruments
x = bool(self.n) ;; 5 ;; bool(…) is not in the language ;; != 0
print(self.n) ;; 1 ;; print is not in the language ;; self.emit
x = foo(1) ;; 5 ;; there is no function foo ;; min, max, abs
self.byu(self.who, 12, 1) ;; 6 ;; the strategy has no method byu ;; self.buy(…)
x = Price.of(1) ;; 11 ;; Price has no of ;; Price.raw(n)
x = min(self.n) ;; 5 ;; it takes two values or more ;; min(a, b)
x = abs(a=1) ;; 9 ;; an argument with a name ;; abs(a)
self.n() ;; 6 ;; n is not a method ;; write self.n
",
    );
}

#[test]
fn a_match_has_constants() {
    let case = |subject: &str, pattern: &str| {
        with_body(&format!(
            "match {subject}:\n    case {pattern}:\n        pass\n    case _:\n        pass"
        ))
    };
    expect(
        &case("self.n", "[a, b]"),
        (18, 18),
        "this pattern is not in the language",
        "1 | 2",
    );
    expect(
        &case("self.n", "x"),
        (18, 18),
        "this pattern is not in the language",
        "case _",
    );
    expect(
        &case("self.n", "Side.BUY"),
        (18, 18),
        "an int is matched with a Side",
        "same type",
    );
    expect(
        &case("self.n", "1.5"),
        (18, 18),
        "there are no floats",
        "whole number",
    );
    expect(
        &case("self.n", "self.size"),
        (18, 18),
        "not a constant",
        "if and elif",
    );
    let late = with_body("match self.n:\n    case _:\n        pass\n    case 1:\n        pass");
    assert!(
        messages(&late).0[0].reason.contains("never reached")
            || messages(&late).0[0].reason.contains("not Python")
    );
}
