//! From statements to a graph: both branches of an `if`, then a choice; loops as often as they run.

mod expression;

use language::event::INTENTS;
use language::program::{Binary, Handler, Program, Shape, Statement, StatementKind, TimeInForce};

use crate::graph::{Graph, Id, Node};
use crate::{Limit, MOST_OPERATIONS};

/// What a handler asks for, at a place in it.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Whether it does.
    pub when: Id,
    /// Which of its intents this is then: there is room for those below [`INTENTS`].
    pub rank: Id,
    /// What.
    pub what: What,
}

/// An intent.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// A new order.
    New {
        sell: bool,
        instrument: Id,
        price: Option<Id>,
        quantity: Id,
        time_in_force: TimeInForce,
        order: Id,
    },
    /// A cancel.
    Cancel { order: Id },
    /// Other terms.
    Replace { order: Id, price: Id, quantity: Id },
}

impl What {
    /// The values in it.
    pub fn values(&self) -> Vec<Id> {
        match *self {
            What::New {
                instrument,
                price,
                quantity,
                order,
                ..
            } => [instrument, quantity, order]
                .into_iter()
                .chain(price)
                .collect(),
            What::Cancel { order } => vec![order],
            What::Replace {
                order,
                price,
                quantity,
            } => vec![order, price, quantity],
        }
    }
}

/// A record, at a place in the handler.
#[derive(Clone, Debug)]
pub struct EmittedRecord {
    /// Whether it is told.
    pub when: Id,
    /// Its tag.
    pub tag: u8,
    /// Its values.
    pub values: Vec<Id>,
}

/// A handler as a graph.
#[derive(Clone, Debug)]
pub struct Built {
    /// The values.
    pub graph: Graph,
    /// Each word of the state after it, and how many orders are numbered then.
    pub words: Vec<Id>,
    /// Orders that are numbered then.
    pub orders: Id,
    /// What it asks for.
    pub asked: Vec<Asked>,
    /// What it tells.
    pub told: Vec<EmittedRecord>,
    /// Faults: divisions, indexes, intents; each is there if its value is 1.
    pub faults: [Vec<Id>; 3],
}

/// Where the words of a field are.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// The first.
    pub first: usize,
    /// How many values it has.
    pub length: usize,
    /// After the values: the place of the newest, how many there are, their sum.
    pub ring: bool,
}

/// The words of each field, and how many there are in all.
pub fn words(program: &Program) -> (Vec<Words>, usize) {
    let mut first = 0;
    let fields = program.fields.iter().enumerate();
    let all = fields.map(|(index, field)| {
        let ring = matches!(field.shape, Shape::Ring(_));
        let length = program.length(index);
        let words = Words {
            first,
            length,
            ring,
        };
        first += length + if ring { 3 } else { 0 };
        words
    });
    let all: Vec<_> = all.collect();
    (all, first)
}

/// Makes a graph of a handler.
pub fn build(program: &Program, handler: &Handler) -> Result<Built, Limit> {
    let (fields, count) = words(program);
    let mut graph = Graph::new(handler.at.line);
    let yes = graph.number(1);
    let no = graph.number(0);
    let orders = graph.add(Node::Orders);
    let words: Vec<_> = (0..count).map(|word| graph.add(Node::Word(word))).collect();
    let mut build = Build {
        program,
        fields,
        now: Now {
            alive: yes,
            left: vec![no; handler.labels],
            locals: vec![no; handler.locals.len()],
            words,
            orders,
            sent: no,
        },
        path: yes,
        graph,
        asked: Vec::new(),
        told: Vec::new(),
        faults: Default::default(),
        yes,
        no,
    };
    build.statements(&handler.body)?;
    Ok(Built {
        words: build.now.words,
        orders: build.now.orders,
        asked: build.asked,
        told: build.told,
        faults: build.faults,
        graph: build.graph,
    })
}

/// What the names stand for at a place in the handler.
#[derive(Clone)]
struct Now {
    /// Whether this place is reached, if its branch was taken.
    alive: Id,
    /// Whether the block of each label was left, as far as is known here.
    left: Vec<Id>,
    locals: Vec<Id>,
    words: Vec<Id>,
    /// Orders numbered, and intents sent so far.
    orders: Id,
    sent: Id,
}

struct Build<'a> {
    program: &'a Program,
    fields: Vec<Words>,
    now: Now,
    /// Whether the branch was taken.
    path: Id,
    graph: Graph,
    asked: Vec<Asked>,
    told: Vec<EmittedRecord>,
    faults: [Vec<Id>; 3],
    yes: Id,
    no: Id,
}

/// Kinds of faults.
const DIVISION: usize = 0;
const INDEX: usize = 1;
const SENT: usize = 2;

impl Build<'_> {
    fn statements(&mut self, statements: &[Statement]) -> Result<(), Limit> {
        for statement in statements {
            let line = self.graph.line;
            self.graph.line = statement.at.line;
            if self.graph.nodes.len() > MOST_OPERATIONS {
                return Err(Limit::Operations {
                    line: statement.at.line,
                    most: MOST_OPERATIONS,
                });
            }
            // What is not reached in any case is not there.
            if self.graph.constant(self.now.alive) != Some(0) {
                self.statement(&statement.kind)?;
            }
            self.graph.line = line;
        }
        Ok(())
    }

    /// Whether this place is reached.
    fn here(&mut self) -> Id {
        self.graph.both(self.path, self.now.alive)
    }

    /// `new` where this place is reached, else `old`.
    fn written(&mut self, new: Id, old: Id) -> Id {
        self.graph.select(self.now.alive, new, old)
    }

    fn set_local(&mut self, local: usize, value: Id) {
        self.now.locals[local] = self.written(value, self.now.locals[local]);
    }

    fn set_word(&mut self, word: usize, value: Id) {
        self.now.words[word] = self.written(value, self.now.words[word]);
    }

    fn fault(&mut self, kind: usize, when: Id) {
        let here = self.here();
        let when = self.graph.both(here, when);
        if self.graph.constant(when) != Some(0) {
            self.faults[kind].push(when);
        }
    }

    /// Does one of two things; what they change is chosen by the condition.
    fn branch<T>(
        &mut self,
        condition: Id,
        then: impl FnOnce(&mut Self) -> Result<T, Limit>,
        otherwise: impl FnOnce(&mut Self) -> Result<T, Limit>,
    ) -> Result<(T, T), Limit> {
        let condition = self.graph.truth(condition);
        let (path, before) = (self.path, self.now.clone());
        let here = self.here();
        let not = self.graph.not(condition);
        self.path = self.graph.both(here, condition);
        self.now.alive = self.yes;
        self.now.left.fill(self.no);
        let a = then(self)?;
        let taken = std::mem::replace(&mut self.now, before.clone());
        self.path = self.graph.both(here, not);
        self.now.alive = self.yes;
        self.now.left.fill(self.no);
        let b = otherwise(self)?;
        let other = std::mem::replace(&mut self.now, before);
        self.path = path;
        self.join(condition, &taken, &other);
        Ok((a, b))
    }

    /// What the names stand for after the two branches.
    fn join(&mut self, condition: Id, taken: &Now, other: &Now) {
        let alive = self.now.alive;
        let one = |build: &mut Self, old: Id, a: Id, b: Id| {
            let chosen = build.graph.select(condition, a, b);
            build.graph.select(alive, chosen, old)
        };
        for place in 0..self.now.locals.len() {
            let old = self.now.locals[place];
            self.now.locals[place] = one(self, old, taken.locals[place], other.locals[place]);
        }
        for place in 0..self.now.words.len() {
            let old = self.now.words[place];
            self.now.words[place] = one(self, old, taken.words[place], other.words[place]);
        }
        self.now.orders = one(self, self.now.orders, taken.orders, other.orders);
        self.now.sent = one(self, self.now.sent, taken.sent, other.sent);
        for place in 0..self.now.left.len() {
            let left = self
                .graph
                .select(condition, taken.left[place], other.left[place]);
            let left = self.graph.both(alive, left);
            self.now.left[place] = self.graph.either(self.now.left[place], left);
        }
        let still = self.graph.select(condition, taken.alive, other.alive);
        self.now.alive = self.graph.both(alive, still);
    }

    fn statement(&mut self, statement: &StatementKind) -> Result<(), Limit> {
        match statement {
            StatementKind::Assign(local, value) => {
                let value = self.value(value)?;
                self.set_local(*local, value);
            }
            StatementKind::Write(field, value) => {
                let value = self.value(value)?;
                self.set_word(self.fields[*field].first, value);
            }
            StatementKind::WriteElement {
                field,
                index,
                value,
            } => {
                let value = self.value(value)?;
                let index = self.value(index)?;
                let words = self.fields[*field];
                let inside = self.is_inside(index, words.length);
                let outside = self.graph.not(inside);
                self.fault(INDEX, outside);
                self.write_at(words, index, value);
            }
            StatementKind::Push(field, value) => {
                let value = self.value(value)?;
                self.push(self.fields[*field], value);
            }
            StatementKind::ReadLevel { side, number, into } => {
                let side = self.value(side)?;
                let number = self.value(number)?;
                let side = self.graph.truth(side);
                let members = self.level(side, number);
                for (local, member) in into.iter().zip(members) {
                    self.set_local(*local, member);
                }
            }
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.value(condition)?;
                match self.graph.constant(condition) {
                    Some(0) => self.statements(otherwise)?,
                    Some(_) => self.statements(then)?,
                    None => {
                        self.branch(
                            condition,
                            |build| build.statements(then),
                            |build| build.statements(otherwise),
                        )?;
                    }
                }
            }
            StatementKind::Loop {
                local,
                from,
                step,
                count,
                body,
            } => {
                let mut next = *from;
                for _ in 0..*count {
                    let value = self.graph.number(next);
                    self.set_local(*local, value);
                    self.statements(body)?;
                    next = next.wrapping_add(*step);
                    if self.graph.constant(self.now.alive) == Some(0) {
                        break;
                    }
                }
            }
            StatementKind::Block(label, body) => {
                self.now.left[*label] = self.no;
                self.statements(body)?;
                self.now.alive = self.graph.either(self.now.alive, self.now.left[*label]);
                self.now.left[*label] = self.no;
            }
            StatementKind::Leave(label) => {
                let left = self.now.left[*label];
                self.now.left[*label] = self.graph.either(left, self.now.alive);
                self.now.alive = self.no;
            }
            StatementKind::New {
                side,
                instrument,
                price,
                quantity,
                time_in_force,
                order,
            } => {
                let instrument = self.value(instrument)?;
                let price = match price {
                    Some(price) => Some(self.value(price)?),
                    None => None,
                };
                let quantity = self.value(quantity)?;
                let one = self.graph.number(1);
                let number = self
                    .graph
                    .binary(Binary::Add, self.now.orders, one, self.yes);
                let sent = self.send(What::New {
                    sell: *side == formats::Side::Sell,
                    instrument,
                    price,
                    quantity,
                    time_in_force: *time_in_force,
                    order: number,
                });
                let orders = self.graph.select(sent, number, self.now.orders);
                self.now.orders = self.written(orders, self.now.orders);
                let number = self.graph.select(sent, number, self.no);
                self.set_local(*order, number);
            }
            StatementKind::Cancel(order) => {
                let order = self.value(order)?;
                self.send(What::Cancel { order });
            }
            StatementKind::Replace {
                order,
                price,
                quantity,
            } => {
                let order = self.value(order)?;
                let price = self.value(price)?;
                let quantity = self.value(quantity)?;
                self.send(What::Replace {
                    order,
                    price,
                    quantity,
                });
            }
            StatementKind::Emit(tag, values) => {
                let mut told = Vec::new();
                for value in values {
                    told.push(self.value(value)?);
                }
                let when = self.here();
                self.told.push(EmittedRecord {
                    when,
                    tag: *tag,
                    values: told,
                });
            }
        }
        Ok(())
    }

    /// Whether there is room for an intent, if this place is reached.
    fn send(&mut self, what: What) -> Id {
        let when = self.here();
        let rank = self.now.sent;
        let most = self.graph.number(INTENTS as i64);
        let room = self.graph.binary(Binary::Less, rank, most, self.yes);
        let no_room = self.graph.not(room);
        self.fault(SENT, no_room);
        let one = self.graph.number(1);
        let more = self.graph.binary(Binary::Add, rank, one, self.yes);
        let more = self.graph.select(room, more, rank);
        self.now.sent = self.written(more, rank);
        self.asked.push(Asked { when, rank, what });
        room
    }
}

/// The values of intents, records and faults.
pub fn leaving(built: &Built) -> Vec<Id> {
    let mut leaving: Vec<Id> = built.faults.iter().flatten().copied().collect();
    for asked in &built.asked {
        leaving.extend([asked.when, asked.rank]);
        leaving.extend(asked.what.values());
    }
    for told in &built.told {
        leaving.push(told.when);
        leaving.extend(&told.values);
    }
    leaving
}

/// Left out of the graph: what nothing needs.
pub fn needed(built: &Built) -> Vec<bool> {
    let graph = &built.graph;
    let mut needed = vec![false; graph.nodes.len()];
    let mut stack: Vec<Id> = built.words.clone();
    stack.push(built.orders);
    stack.extend(leaving(built));
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut needed[id], true) {
            continue;
        }
        stack.extend(operands(graph, id));
    }
    needed
}

/// What a value is made of.
pub fn operands(graph: &Graph, id: Id) -> Vec<Id> {
    match graph.nodes[id] {
        Node::Read { index, .. } | Node::Position(index) => vec![index],
        Node::Unary(_, a) => vec![a],
        Node::Binary(_, a, b) => vec![a, b],
        Node::Select(a, b, c) => vec![a, b, c],
        Node::Unit(unit, _) => graph.units[unit].operands().to_vec(),
        _ => vec![],
    }
}
