//! The typed intermediate form of a strategy. Helper methods are in place of their calls, names are numbers, and every value has one type.
//!
//! The meaning of each node is its arm in [`crate::interpreter`]; every other target must give the same.

use crate::types::Type;

/// A place in the source file. Lines and columns begin at 1; a column is a number of characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// A local variable, or an intermediate value that is used more than once. Numbered for each handler.
pub type Local = usize;

/// Where [`StatementKind::Leave`] goes: the end of the block of that number. Numbered for each handler.
pub type Label = usize;

/// A strategy that the checker has passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The name of the class.
    pub name: String,
    /// How many instruments the desk has: an [`Type::Instrument`] is below it.
    pub instruments: usize,
    /// How many decimals a price has.
    pub price_decimals: u32,
    /// What the host sets while it runs.
    pub parameters: Vec<Parameter>,
    /// Its state.
    pub fields: Vec<Field>,
    /// After a frame that changed a book, or at each change.
    pub on_book: Option<Handler>,
    /// Whether [`Program::on_book`] runs at each change within a frame, and not only once at the frame's end.
    pub each_change: bool,
    /// After a trade.
    pub on_trade: Option<Handler>,
    /// After a report about an order of its own.
    pub on_order: Option<Handler>,
    /// Each time that [`Program::every`] has gone by.
    pub on_timer: Option<Handler>,
    /// The time between two calls of [`Program::on_timer`], in nanoseconds; above 0.
    pub every: Option<i64>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub of: Type,
    /// Its value, if the desk does not give one. Without it the desk must.
    pub default: Option<i64>,
    /// Where it stands.
    pub at: Position,
}

/// A field of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The unit of its value, or of each of its values.
    pub of: Type,
    /// How many values it has, and how they are reached.
    pub shape: Shape,
    /// What each of its values is at first. A ring begins empty.
    pub initial: i64,
    /// Where it stands.
    pub at: Position,
}

/// How the values of a field are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One value.
    Scalar,
    /// This many, by a number from 0.
    Array(usize),
    /// One for each instrument.
    PerInstrument,
    /// The last values that were pushed, at most this many; number 0 is the newest.
    Ring(usize),
}

/// What runs when something happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// Where it stands.
    pub at: Position,
    /// The type of each local.
    pub locals: Vec<Type>,
    /// How many labels its blocks have.
    pub labels: usize,
    /// How many statements and operators it runs at most.
    pub operations: u64,
    /// How many records it emits at most.
    pub records: usize,
    /// What it does.
    pub body: Vec<Statement>,
}

/// A statement and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its first character.
    pub at: Position,
    /// What it does.
    pub kind: StatementKind,
}

/// What a statement does. Expressions of a statement are evaluated in the order of its members, but for [`StatementKind::WriteElement`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// A local gets a value.
    Assign(Local, Expression),
    /// A scalar of the state gets a value.
    Write(usize, Expression),
    /// A value of an array, or an instrument's, gets a value; nothing and a fault where there is no such index. The value is evaluated first.
    WriteElement {
        /// The field.
        field: usize,
        /// Which of its values.
        index: Expression,
        /// The value.
        value: Expression,
    },
    /// A ring gets a newest value, and loses the oldest if it is full.
    Push(usize, Expression),
    /// Price, quantity and number of orders of a level of the book go into three locals: 0 each where the book has no such level, and a
    /// fault besides if the number is not in 0 to 15.
    ReadLevel {
        /// Which side: 0 is the bids.
        side: Expression,
        /// Which level: 0 is the best.
        number: Expression,
        /// Price, quantity, orders.
        into: [Local; 3],
    },
    /// One of the two.
    If {
        /// Which.
        condition: Expression,
        /// If it is 1.
        then: Vec<Statement>,
        /// If it is 0.
        otherwise: Vec<Statement>,
    },
    /// The body runs `count` times; the local is `from`, `from + step` and so on at the begin of each.
    Loop {
        /// The loop's variable.
        local: Local,
        /// Its first value.
        from: i64,
        /// From one to the next.
        step: i64,
        /// How many times.
        count: u64,
        /// What runs.
        body: Vec<Statement>,
    },
    /// The body, which [`StatementKind::Leave`] may end early.
    Block(Label, Vec<Statement>),
    /// Goes to the end of the block of that label, which is around it.
    Leave(Label),
    /// A new order. The fifth intent of a handler and those after it are dropped, and a fault each.
    New {
        /// Buy or sell.
        side: formats::Side,
        /// Whose order.
        instrument: Expression,
        /// The price of a limit order; `None` for a market order.
        price: Option<Expression>,
        /// How much.
        quantity: Expression,
        /// How long it stays.
        time_in_force: TimeInForce,
        /// Gets the order's number, 0 if it was dropped.
        order: Local,
    },
    /// The cancel of an order; an intent as [`StatementKind::New`] is.
    Cancel(Expression),
    /// Another price and quantity of an order; an intent as [`StatementKind::New`] is.
    Replace {
        /// The order.
        order: Expression,
        /// Its new price.
        price: Expression,
        /// Its new quantity.
        quantity: Expression,
    },
    /// A record for the host: a tag and up to seven values.
    Emit(u8, Vec<Expression>),
}

/// How long an order stays in the market: FIX's TimeInForce (59).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum TimeInForce {
    /// Until the end of the day.
    #[default]
    Day = 0,
    /// Until it is cancelled.
    GoodTillCancel = 1,
    /// What trades at once; the rest is cancelled.
    ImmediateOrCancel = 3,
    /// All of it at once, or nothing.
    FillOrKill = 4,
}

impl From<TimeInForce> for formats::fix::TimeInForce {
    fn from(time_in_force: TimeInForce) -> Self {
        match time_in_force {
            TimeInForce::Day => formats::fix::TimeInForce::Day,
            TimeInForce::GoodTillCancel => formats::fix::TimeInForce::GoodTillCancel,
            TimeInForce::ImmediateOrCancel => formats::fix::TimeInForce::ImmediateOrCancel,
            TimeInForce::FillOrKill => formats::fix::TimeInForce::FillOrKill,
        }
    }
}

/// What an expression gives. It has one type, which its place implies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A number.
    Constant(i64),
    /// A member of the event, or of what goes with it.
    Input(Input),
    /// A parameter.
    Parameter(usize),
    /// A local.
    Local(Local),
    /// A scalar of the state.
    Field(usize),
    /// A value of an array, an instrument's, or the ring's value of that age; 0 and a fault where there is none.
    Element(usize, Box<Expression>),
    /// What a ring tells of all its values.
    Ring(usize, OfRing),
    /// The position in an instrument; 0 and a fault where there is no such instrument.
    PositionIn(Box<Expression>),
    /// Of one value.
    Unary(Unary, Box<Expression>),
    /// Of two values, the left one first. Both are evaluated.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// `and`: the right one is evaluated only if the left one is 1.
    And(Box<Expression>, Box<Expression>),
    /// `or`: the right one is evaluated only if the left one is 0.
    Or(Box<Expression>, Box<Expression>),
    /// The second if the first is 1, else the third. Only one of them is evaluated.
    Select(Box<Expression>, Box<Expression>, Box<Expression>),
    /// The local, after the statements.
    Block(Vec<Statement>, Local),
}

/// What a handler sees besides state and parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum Input {
    /// The time, in ns.
    Now,
    /// How many orders of its own are open.
    OpenOrders,
    /// The instrument of the event.
    Instrument,
    /// Of a book: whether best bid or best ask changed.
    Changed,
    /// Of a book: whether it can be relied on.
    Tradable,
    /// Of a book: price of the best bid.
    BidPrice,
    /// Of a book: quantity of the best bid.
    BidQuantity,
    /// Of a book: orders of the best bid.
    BidOrders,
    /// Of a book: price of the best ask.
    AskPrice,
    /// Of a book: quantity of the best ask.
    AskQuantity,
    /// Of a book: orders of the best ask.
    AskOrders,
    /// Of a trade or a report: its price.
    Price,
    /// Of a trade or a report: its quantity.
    Quantity,
    /// Of a trade or a report: its side.
    Side,
    /// Of a report: what happened.
    Kind,
    /// Of a report: which order.
    Order,
    /// Of a report: what is left of the order.
    Remaining,
    /// Of a report: why.
    Reason,
}

impl Input {
    /// How many there are.
    pub const COUNT: usize = Input::Reason as usize + 1;
}

/// What a ring tells. All are 0 for an empty ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OfRing {
    /// How many values it has.
    Count,
    /// Their sum, which wraps.
    Sum,
    /// The smallest.
    Minimum,
    /// The largest.
    Maximum,
}

/// An operator of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `-a`, which wraps.
    Negate,
    /// `abs(a)`, which wraps: that of the smallest number is itself.
    Absolute,
    /// `~a`.
    Invert,
    /// `not a`.
    Not,
}

/// An operator of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `a + b`, which wraps.
    Add,
    /// `a - b`, which wraps.
    Subtract,
    /// `a * b`, which wraps.
    Multiply,
    /// `a // b`, towards minus infinity; 0 and a fault if `b` is 0; wraps for the smallest number by −1.
    FloorDivide,
    /// `a % b`, with the sign of `b`; 0 and a fault if `b` is 0.
    Modulo,
    /// `a << b`; 0 unless `b` is in 0 to 63.
    ShiftLeft,
    /// `a >> b`, with the sign; the sign alone (0 or −1) unless `b` is in 0 to 63.
    ShiftRight,
    /// `a & b`.
    And,
    /// `a | b`.
    Or,
    /// `a ^ b`.
    Xor,
    /// `a == b`.
    Equal,
    /// `a != b`.
    NotEqual,
    /// `a < b`.
    Less,
    /// `a <= b`.
    LessEqual,
    /// `a > b`.
    Greater,
    /// `a >= b`.
    GreaterEqual,
    /// `min(a, b)`.
    Minimum,
    /// `max(a, b)`.
    Maximum,
}

impl Program {
    /// Its handlers.
    pub fn handlers(&self) -> impl Iterator<Item = &Handler> {
        [
            &self.on_book,
            &self.on_trade,
            &self.on_order,
            &self.on_timer,
        ]
        .into_iter()
        .flatten()
    }

    /// How many values a field holds at most.
    pub fn length(&self, field: usize) -> usize {
        match self.fields[field].shape {
            Shape::Scalar => 1,
            Shape::Array(length) | Shape::Ring(length) => length,
            Shape::PerInstrument => self.instruments,
        }
    }

    /// How many records a handler emits at most.
    pub fn records(&self) -> usize {
        self.handlers()
            .map(|handler| handler.records)
            .max()
            .unwrap_or(0)
    }
}
