//! What a program needs of the core that runs it: `rtl/strategy/slot/program_slot.sv`.

use language::program::Input;

use crate::image::{Image, input};
use crate::instruction::{Instruction, Operation};

impl Image {
    /// Whether it needs to know what becomes of its orders: it has `on_order`, reads its positions or how many orders are open, cancels or replaces one. Not
    /// every core follows them.
    pub fn follows_orders(&self) -> bool {
        const ON_ORDER: usize = 2;
        let needs = |instruction: &Instruction| {
            matches!(
                instruction.operation,
                Operation::Cancel | Operation::Replace
            ) || reads(instruction, input(Input::OpenOrders))
        };
        self.entries[ON_ORDER].is_some()
            || self.reads_positions
            || self.instructions.iter().any(needs)
    }

    /// Whether it reads levels of the book that may not be the best. Not every core gives them.
    pub fn reads_levels(&self) -> bool {
        let reads = |instruction: &Instruction| instruction.operation == Operation::Level;
        self.instructions.iter().any(reads)
    }

    /// Whether it reads the time, the quantity of a best level, or whether the best levels changed (which their quantities do, too). Not every core knows
    /// them.
    pub fn reads_quantities(&self) -> bool {
        const UNKNOWN: [Input; 4] = [
            Input::Now,
            Input::Changed,
            Input::BidQuantity,
            Input::AskQuantity,
        ];
        let unknown =
            |instruction: &Instruction| UNKNOWN.iter().any(|&of| reads(instruction, input(of)));
        self.instructions.iter().any(unknown)
    }

    /// Whether it emits records. Not every core has a ring for them.
    pub fn emits(&self) -> bool {
        let emits = |instruction: &Instruction| instruction.operation == Operation::Emit;
        self.instructions.iter().any(emits)
    }
}

/// Whether an instruction reads what stands at this address, as `a`.
const fn reads(instruction: &Instruction, address: u16) -> bool {
    let takes_a = !matches!(
        instruction.operation,
        Operation::Wait
            | Operation::Jump
            | Operation::JumpIf
            | Operation::JumpUnless
            | Operation::Emit
            | Operation::End
    );
    takes_a && instruction.a == address
}

#[cfg(test)]
mod tests {
    use language::{Options, compile};

    use crate::lower;

    const UNLIMITED: u64 = u64::MAX;

    fn strategy(body: &str) -> String {
        format!(
            "from tickwire import MARKET, Book, OrderRef, Price, Quantity, Report, Side, Strategy, Time, TimeInForce, Trade, now, state, timer\n\n\nclass One(Strategy):\n    count: int = state(0)\n    order: OrderRef = state(0)\n\n    def on_book(self, book: Book) -> None:\n        {body}\n"
        )
    }

    #[test]
    fn a_strategy_that_reads_deeper_levels_needs_a_core_that_gives_them() {
        for (body, reads) in [
            (
                "self.count = 1 if book.level(Side.BUY, 3).exists else 2",
                true,
            ),
            ("self.count = 1 if book.bid.exists else 2", false),
        ] {
            let program = compile(&strategy(body), &Options::default()).expect("it is valid");
            let image = lower(&program, UNLIMITED).expect("it fits");
            assert_eq!(image.reads_levels(), reads, "{body}");
            let entry = image.entry_loads(0).next().expect("there are four");
            assert_eq!(entry.value >> 11 & 1 == 1, reads, "{body}");
        }
    }

    #[test]
    fn a_strategy_that_reads_quantities_or_the_time_needs_a_core_that_knows_them() {
        for (body, reads) in [
            ("self.count = int(book.bid.quantity)", true),
            ("self.count = 1 if int(book.ask.quantity) > 5 else 2", true),
            ("self.count = 1 if book.changed else 2", true),
            ("self.count = 1 if int(now) > 5 else 2", true),
            ("self.count = book.bid.orders + book.ask.orders", false),
            (
                "self.count = 1 if book.tradable and book.ask.exists else 2",
                false,
            ),
            (
                "self.buy(book.instrument, book.ask.price, Quantity(1))",
                false,
            ),
        ] {
            let program = compile(&strategy(body), &Options::default()).expect("it is valid");
            let image = lower(&program, UNLIMITED).expect("it fits");
            assert_eq!(image.reads_quantities(), reads, "{body}");
        }
    }

    #[test]
    fn a_strategy_that_is_called_at_each_change_says_so_to_the_core() {
        for (decorator, each) in [("@each_change\n    ", true), ("", false)] {
            let text = strategy("self.count = 1")
                .replace("    def on_book", &format!("    {decorator}def on_book"));
            let text = text.replace("state, timer", "each_change, state, timer");
            let program = compile(&text, &Options::default()).expect("it is valid");
            let image = lower(&program, UNLIMITED).expect("it fits");
            let entry = image.entry_loads(0).next().expect("there are four");
            assert_eq!(entry.value >> 12 & 1 == 1, each, "{text}");
        }
    }

    #[test]
    fn a_strategy_that_emits_needs_a_core_with_a_ring() {
        for (body, emits) in [("self.emit(1, 2)", true), ("self.count = 1", false)] {
            let program = compile(&strategy(body), &Options::default()).expect("it is valid");
            let image = lower(&program, UNLIMITED).expect("it fits");
            assert_eq!(image.emits(), emits, "{body}");
        }
    }

    #[test]
    fn a_strategy_that_asks_about_its_orders_is_one_whose_orders_are_followed() {
        let follows = |text: &str| {
            let program = compile(text, &Options::default()).expect("it is in the language");
            let image = lower(&program, UNLIMITED).expect("it fits");
            image.follows_orders()
        };
        let reports = strategy("pass")
            + "\n    def on_order(self, report: Report) -> None:\n        self.count = 1\n";
        assert!(follows(&reports));
        for body in [
            "self.cancel(self.order)",
            "self.replace(self.order, book.ask.price, Quantity(1))",
            "self.count = self.open_orders",
            "self.count = 1 if self.position(book.instrument) > Quantity(3) else 2",
        ] {
            assert!(follows(&strategy(body)), "{body}");
        }
        assert!(!follows(&strategy(
            "self.buy(book.instrument, book.ask.price, Quantity(1))"
        )));
    }
}
