//! The class: parameters, fields, helper methods, handlers.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use language::check::Options;
use language::types::Type;

/// A random strategy.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its text.
    pub text: String,
    /// What it is to be compiled with.
    pub options: Options,
}

/// What a program may use at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Scalar,
    Array(usize),
    PerInstrument,
    Ring(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) of: Type,
    pub(super) shape: Shape,
}

#[derive(Clone, Debug)]
pub(super) struct Helper {
    pub(super) name: String,
    pub(super) takes: Vec<Type>,
    pub(super) gives: Option<Type>,
}

/// What the method is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    Nothing,
    Book,
    Trade,
    Report,
}

/// The writer of a program.
pub(super) struct Writer {
    pub(super) random: ChaCha8Rng,
    pub(super) text: String,
    pub(super) options: Options,
    pub(super) parameters: Vec<(String, Type)>,
    pub(super) fields: Vec<Field>,
    pub(super) constants: Vec<String>,
    pub(super) helpers: Vec<Helper>,
    pub(super) given: Given,
    /// Local names that have a value.
    pub(super) locals: Vec<(String, Type)>,
    /// Local names of levels.
    pub(super) levels: Vec<String>,
    pub(super) names: usize,
    pub(super) loops: usize,
    /// What `return` gives in the method that is being written.
    pub(super) gives: Option<Type>,
    pub(super) in_helper: bool,
}

const TYPES: [Type; 7] = [
    Type::Int,
    Type::Price,
    Type::Quantity,
    Type::Time,
    Type::Bool,
    Type::Side,
    Type::OrderRef,
];

/// Writes a program.
pub fn program(seed: u64) -> Source {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let options = Options {
        instruments: random.random_range(1..=4),
        price_decimals: random.random_range(0..=4),
        operations: u64::MAX,
    };
    let mut writer = Writer {
        random,
        text: String::new(),
        options,
        parameters: Vec::new(),
        fields: Vec::new(),
        constants: Vec::new(),
        helpers: Vec::new(),
        given: Given::Nothing,
        locals: Vec::new(),
        levels: Vec::new(),
        names: 0,
        loops: 0,
        gives: None,
        in_helper: false,
    };
    writer.module();
    Source {
        text: writer.text,
        options,
    }
}

impl Writer {
    pub(super) fn line(&mut self, indent: usize, text: &str) {
        for _ in 0..indent {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.random.random_range(0..limit)
    }

    /// True once in that many.
    pub(super) fn once_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    pub(super) fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        if from.is_empty() {
            None
        } else {
            let index = self.below(from.len());
            Some(from[index].clone())
        }
    }

    pub(super) fn any_type(&mut self) -> Type {
        TYPES[self.random.random_range(0..TYPES.len())]
    }

    fn module(&mut self) {
        self.line(0, "from tickwire import (");
        for name in language::check::imports() {
            self.line(1, &format!("{name},"));
        }
        self.line(0, ")");
        for index in 0..self.below(3) {
            let value = self.whole();
            self.constants.push(format!("C{index}"));
            self.line(0, &format!("C{index} = {value}"));
        }
        self.line(0, "\n\nclass Random(Strategy):");
        self.declarations();
        for index in 0..self.below(4) {
            self.helper(index);
        }
        let mut any = false;
        for (handler, given) in [
            ("on_trade", Given::Trade),
            ("on_order", Given::Report),
            ("on_timer", Given::Nothing),
        ] {
            if self.once_in(2) {
                self.handler(handler, given);
                any = true;
            }
        }
        if !any || !self.once_in(4) {
            self.handler("on_book", Given::Book);
        }
    }

    fn declarations(&mut self) {
        for index in 0..1 + self.below(4) {
            let of = if self.once_in(6) {
                Type::Instrument
            } else {
                self.any_type()
            };
            let name = format!("p{index}");
            let default = self.initial(of);
            self.line(1, &format!("{name}: {of} = param({default})"));
            self.parameters.push((name, of));
        }
        for index in 0..2 + self.below(7) {
            let of = if self.once_in(10) {
                Type::Instrument
            } else {
                self.any_type()
            };
            let name = format!("f{index}");
            let initial = self.initial(of);
            let length = 1 + self.below(6);
            let shape = match self.below(8) {
                0 => Shape::Array(length),
                1 => Shape::PerInstrument,
                2 if of.is_amount() => Shape::Ring(length),
                _ => Shape::Scalar,
            };
            let declared = match &shape {
                Shape::Scalar => format!("{name}: {of} = state({initial})"),
                Shape::Array(length) => format!("{name}: Array[{of}] = array({length}, {initial})"),
                Shape::PerInstrument => {
                    format!("{name}: PerInstrument[{of}] = per_instrument({initial})")
                }
                Shape::Ring(length) => format!("{name}: Ring[{of}] = ring({length})"),
            };
            self.line(1, &declared);
            self.fields.push(Field { name, of, shape });
        }
    }

    /// A constant of a type, as a declaration has it.
    fn initial(&mut self, of: Type) -> String {
        match of {
            Type::Bool => self.pick(&["True", "False"]).unwrap_or("True").to_owned(),
            Type::Side => self
                .pick(&["Side.BUY", "Side.SELL"])
                .unwrap_or("Side.BUY")
                .to_owned(),
            Type::OrderRef => "0".to_owned(),
            Type::ReportKind => "ReportKind.FILLED".to_owned(),
            Type::Instrument => self.below(self.options.instruments).to_string(),
            _ => self.literal(of),
        }
    }

    fn helper(&mut self, index: usize) {
        let takes: Vec<Type> = (0..self.below(3)).map(|_| self.any_type()).collect();
        let gives = if self.once_in(4) {
            None
        } else {
            Some(self.any_type())
        };
        let name = format!("h{index}");
        self.begin(Given::Nothing, gives, true);
        let mut parameters = "self".to_owned();
        for (number, of) in takes.iter().enumerate() {
            parameters += &format!(", a{number}: {of}");
            self.locals.push((format!("a{number}"), *of));
        }
        let arrow = gives.map_or_else(String::new, |of| format!(" -> {of}"));
        self.line(0, "");
        self.line(1, &format!("def {name}({parameters}){arrow}:"));
        let ended = self.block(2, 2);
        if let (Some(of), false) = (gives, ended) {
            let value = self.expression(of, 2);
            self.line(2, &format!("return {value}"));
        }
        self.helpers.push(Helper { name, takes, gives });
    }

    fn handler(&mut self, name: &str, given: Given) {
        self.begin(given, None, false);
        let parameter = match given {
            Given::Nothing => "",
            Given::Book => ", book",
            Given::Trade => ", trade",
            Given::Report => ", report",
        };
        self.line(0, "");
        if given == Given::Book && self.once_in(4) {
            self.line(1, "@each_change");
        }
        if given == Given::Nothing {
            self.line(1, "@timer(every=5 * MILLISECOND)");
        }
        self.line(1, &format!("def {name}(self{parameter}):"));
        // A helper that nothing calls is refused.
        for index in 0..self.helpers.len() {
            if self
                .text
                .contains(&format!("self.{}(", self.helpers[index].name))
            {
                continue;
            }
            let call = self.call_of(index, 1);
            self.line(2, &call);
        }
        self.block(2, 3);
    }

    fn begin(&mut self, given: Given, gives: Option<Type>, in_helper: bool) {
        self.given = given;
        self.locals.clear();
        self.levels.clear();
        self.names = 0;
        self.loops = 0;
        self.gives = gives;
        self.in_helper = in_helper;
    }

    /// A call of a helper, with its arguments.
    pub(super) fn call_of(&mut self, index: usize, depth: usize) -> String {
        let Helper { name, takes, .. } = self.helpers[index].clone();
        let arguments: Vec<String> = takes.iter().map(|of| self.expression(*of, depth)).collect();
        format!("self.{name}({})", arguments.join(", "))
    }
}
