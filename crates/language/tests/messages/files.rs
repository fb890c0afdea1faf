//! Helper methods, handlers, declarations, and what stands outside of the class.

use super::{expect, with_body};

#[test]
fn helper_methods_are_put_in_place_of_their_calls() {
    let with = |call: &str, helper: &str| {
        format!(
            "{}    {}\n",
            with_body(call),
            helper.replace('\n', "\n    ")
        )
    };
    expect(
        &with("x = self.f(1)", "def f(self, a):\n    return self.f(a)"),
        (19, 16),
        "f calls itself",
        "loop",
    );
    expect(
        &with("x = self.f()", "def f(self, a):\n    return a"),
        (17, 13),
        "f takes 1 values, and 0 are given",
        "f(a)",
    );
    expect(
        &with("x = self.f(a=1)", "def f(self, a):\n    return a"),
        (17, 20),
        "an argument with a name",
        "order of the parameters",
    );
    expect(
        &with(
            "x = self.f(1)",
            "def f(self, a: Price):\n    return self.n + a",
        ),
        (19, 16),
        "int + Price has no meaning",
        "Price.raw",
    );
    expect(
        &with(
            "x = self.f()",
            "def f(self):\n    if self.on:\n        return 1",
        ),
        (18, 9),
        "gives a value only sometimes",
        "each way",
    );
    expect(
        &with("x = self.f()", "def f(self) -> int:\n    pass"),
        (18, 9),
        "f gives no value",
        "return with a value",
    );
    expect(
        &with("x = self.f()", "def f(self):\n    self.n = 1"),
        (17, 13),
        "this call gives no value",
        "statement",
    );
    let no_unit = "def f(self):\n    if self.on:\n        return self.last\n    return 5";
    expect(
        &with("x = self.f()", no_unit),
        (21, 16),
        "this number has no unit",
        "-> Price",
    );
    expect(
        &with("pass", "def f(self):\n    pass"),
        (18, 9),
        "f is never called",
        "leave it out",
    );
    expect(
        &with("self.f(1)", "def f(self, a=1):\n    pass"),
        (18, 10),
        "a default value",
        "plain parameters",
    );
    expect(
        &with("self.f()", "def f():\n    pass"),
        (18, 9),
        "a method without self",
        "def f(self",
    );
    expect(
        &with("self.f()", "@foo\ndef f(self):\n    pass"),
        (18, 5),
        "f has no decorators",
        "leave it out",
    );
    expect(
        &with("self.f()", "async def f(self):\n    pass"),
        (18, 15),
        "an async method",
        "without async",
    );
    expect(
        &with("self.on_trade(1)", "def on_trade(self, trade):\n    pass"),
        (17, 9),
        "a handler is called by the market alone",
        "helper method",
    );
}

const HANDLER: &str = "    def on_book(self, book):\n        pass\n";

#[test]
fn a_file_is_imports_constants_and_one_class() {
    let class = |text: &str| format!("from tickwire import Price, Strategy, param, state\n{text}");
    let file = |text: &str| class(&format!("{text}class S(Strategy):\n{HANDLER}"));
    expect(
        "",
        (1, 1),
        "there is no class",
        "class MyStrategy(Strategy):",
    );
    expect("x = (", (1, 6), "this is not Python", "");
    expect(
        &file("import os\n"),
        (2, 1),
        "only tickwire is imported",
        "from tickwire import",
    );
    expect(
        &file("from os import path\n"),
        (2, 1),
        "only tickwire is imported",
        "from tickwire import",
    );
    expect(
        &file("from tickwire import side\n"),
        (2, 22),
        "tickwire has no side",
        "write Side",
    );
    expect(
        &file("from tickwire import Side as S2\n"),
        (2, 22),
        "Side under another name",
        "import Side",
    );
    expect(
        &file("from tickwire import *\n"),
        (2, 22),
        "import of everything",
        "name what is used",
    );
    expect(&file("X = 1 + 1\n"), (2, 5), "not a constant", "a number");
    expect(
        &file("Price = 1\n"),
        (2, 1),
        "Price is a name of the language",
        "another name",
    );
    expect(
        &file("X = 1\nX = 2\n"),
        (3, 1),
        "X has a value already",
        "another name",
    );
    expect(
        &file("def f(): pass\n"),
        (2, 5),
        "a function outside of the class",
        "method",
    );
    expect(
        &file("if 1: pass\n"),
        (2, 1),
        "cannot stand at the level of the file",
        "one class",
    );
    expect(
        &file(&format!("class A(Strategy):\n{HANDLER}")),
        (5, 7),
        "a second class",
        "one class in a file",
    );
    expect(
        &class(&format!("class S:\n{HANDLER}")),
        (2, 7),
        "the class is no Strategy",
        "class S(Strategy):",
    );
    expect(
        &class("class S(Strategy):\n    pass\n"),
        (2, 7),
        "the strategy has no handler",
        "on_book",
    );
    expect(
        &format!("class S(Strategy):\n{HANDLER}"),
        (1, 7),
        "Strategy is not imported",
        "from tickwire import Strategy",
    );
}

#[test]
fn handlers_have_their_form() {
    let class = |text: &str| {
        format!(
            "from tickwire import SECOND, Strategy, each_change, timer\nclass S(Strategy):\n{text}"
        )
    };
    expect(
        &class("    def on_book(self): pass\n"),
        (3, 9),
        "on_book has other parameters",
        "def on_book(self, book):",
    );
    expect(
        &class("    def on_trade(self, trade, x): pass\n"),
        (3, 9),
        "on_trade has other parameters",
        "def on_trade(self, trade):",
    );
    expect(
        &class("    def on_order(self): pass\n"),
        (3, 9),
        "on_order has other parameters",
        "def on_order(self, report):",
    );
    expect(
        &class("    def on_timer(self): pass\n"),
        (3, 9),
        "on_timer without its interval",
        "@timer(every=SECOND)",
    );
    expect(
        &class("    @timer(every=0 * SECOND)\n    def on_timer(self): pass\n"),
        (3, 18),
        "not an interval",
        "5 * SECOND",
    );
    expect(
        &class("    @timer(every=5)\n    def on_timer(self): pass\n"),
        (3, 18),
        "not an interval",
        "5 * SECOND",
    );
    expect(
        &class("    @foo\n    def on_book(self, book): pass\n"),
        (3, 5),
        "on_book has no such decorator",
        "@each_change",
    );
    expect(
        &class("    @each_change\n    def on_trade(self, trade): pass\n"),
        (3, 5),
        "on_trade has no decorators",
        "leave it out",
    );
    expect(
        &class("    def on_book(self, book: Trade): pass\n"),
        (3, 29),
        "book is no Trade",
        "book: Book",
    );
    expect(
        &class("    def on_book(self, book) -> int: pass\n"),
        (3, 32),
        "a handler gives nothing back",
        "-> None",
    );
    expect(
        &class("    def on_bok(self, book): pass\n"),
        (3, 9),
        "there is no handler on_bok",
        "on_book",
    );
    expect(
        &class("    def __init__(self): pass\n"),
        (3, 9),
        "__init__ is not in the language",
        "state(…)",
    );
    expect(
        &class("    def buy(self): pass\n"),
        (3, 9),
        "buy is a name of the language",
        "another name",
    );
}

#[test]
fn declarations_have_their_form() {
    let class = |text: &str| {
        format!(
            "from tickwire import Array, Price, Ring, Side, Strategy, array, param, ring, state\nclass S(Strategy):\n    {text}\n{HANDLER}"
        )
    };
    let rules = r"
x = 1 ;; 5 ;; a field without a type ;; x: int = state(…)
x: int ;; 5 ;; a field without state(…) or param(…) ;; x: int = state(…)
x: int = 5 ;; 5 ;; a field without state(…) or param(…) ;; param(…)
x: int = foo(5) ;; 14 ;; not a declaration ;; state(…), param(…)
x: float = state(0) ;; 8 ;; float is no type of one value ;; Price for a price
x: str = state(0) ;; 8 ;; str is no type of one value ;; int
x: Foo = state(0) ;; 8 ;; Foo is no type of one value ;; int, bool, Price
x: Array[Price] = state(0) ;; 8 ;; is no type of one value ;; array(…)
x: Price = array(8) ;; 8 ;; does not say what it holds many of ;; Array[Price]
x: Ring[Price] = ring(0) ;; 27 ;; not a length ;; 1 to 65536
x: Ring[Price] = ring() ;; 22 ;; no length ;; ring(8)
x: Array[Price] = array(8, 0, 1) ;; 35 ;; one argument too many ;; leave it out
x: int = state(0, 1) ;; 23 ;; one argument too many ;; leave it out
x: int = state(initial=0) ;; 20 ;; an argument with a name ;; value alone
x: int = state(1.5) ;; 20 ;; there are no floats ;; whole number
x: int = state(Side.BUY) ;; 20 ;; a Side where an int is declared ;; of that type
x: Side = param(1) ;; 21 ;; a number where a side is wanted ;; Side.BUY
buy: int = state(0) ;; 5 ;; buy is a name of the language ;; another name
x: int = state(0)\n    x: int = state(0) ;; 5 ;; x is declared twice ;; another name
import os ;; 5 ;; cannot stand at the level of the class ;; fields, parameters and methods
";
    for row in rules.trim().lines() {
        let cells: Vec<&str> = row.split(" ;; ").collect();
        let text = cells[0].replace("\\n", "\n");
        let line = if text.contains('\n') { 4 } else { 3 };
        expect(
            &class(&text),
            (line, cells[1].parse().unwrap()),
            cells[2],
            cells[3],
        );
    }
}
