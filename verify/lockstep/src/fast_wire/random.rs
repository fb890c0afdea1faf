//! Random messages of random templates that the engine takes, and mutated ones.

use std::collections::HashMap;
use std::ops::Range;

use fast::wire_rate::{MOST_TEMPLATES, Room, Tables, Wanted, compile};
use fast::{
    Decimal, Encoder, Instruction, Kind, Message, Node, Operator, Reportable, Settings, Templates,
    Width,
};
use fast_reference::random::mutate;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{Arrival, Lockstep, Shape, Statistics, Taken};

/// Messages of a template.
const MESSAGES: usize = 40;

/// A plain generator of random numbers.
#[derive(Clone, Copy, Debug)]
pub struct Random(pub u64);

impl Random {
    /// 64 random bits.
    pub fn next_bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below this one.
    pub fn below(&mut self, limit: u64) -> u64 {
        (self.next_bits() >> 16) % limit
    }
}

/// What was compared.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// Template files that the engine takes.
    pub files: u64,
    /// Templates in which one bit of the presence map decides where null exponents are.
    pub late_bits: u64,
    /// Packets, mutated ones among them.
    pub packets: u64,
    /// What became of them.
    pub statistics: Statistics,
}

/// Packets of random messages, as one publisher sends them.
struct Publisher<'t> {
    templates: &'t Templates,
    encoder: Encoder,
    /// By template and field, the value of the message before.
    before: HashMap<(u32, usize), Node>,
    /// Dictionaries outlive a packet.
    outlive: bool,
    /// Packets have up to four messages.
    several: bool,
}

impl<'t> Publisher<'t> {
    fn new(templates: &'t Templates, how: How) -> Self {
        Publisher {
            templates,
            encoder: Encoder::new(templates).with_identifiers(),
            before: HashMap::new(),
            outlive: how.outlive,
            several: how.several,
        }
    }

    /// The next packet, of messages of these templates; `None`: a delta is too large for an encoder, or the packet for a frame.
    fn packet(
        &mut self,
        mut id: impl FnMut(&mut Random) -> u32,
        random: &mut Random,
    ) -> Option<Vec<u8>> {
        let mut bytes = vec![];
        if !self.outlive {
            self.encoder.reset();
            self.before.clear();
        }
        let messages = if self.several { random.below(4) } else { 0 };
        for _ in 0..=messages {
            let id = id(random);
            self.message(id, random, &mut bytes)?;
        }
        (!self.several || bytes.len() <= MOST_BYTES).then_some(bytes)
    }

    /// The next message, now and then with a Reset before it.
    fn message(&mut self, id: u32, random: &mut Random, bytes: &mut Vec<u8>) -> Option<()> {
        let resets = match (self.outlive, self.several) {
            (true, _) => random.below(8) == 0,
            (_, true) => random.below(3) != 0,
            _ => random.below(3) == 0,
        };
        if resets {
            bytes.extend(RESET);
            self.encoder.reset();
        }
        let (index, template) = self.templates.by_id(id).expect("it is there");
        let mut instructions = template.instructions.iter();
        let start = instructions.position(|each| each.kind == Kind::SequenceStart);
        let start = start.expect("it has a sequence");
        let mut all = self.fields(id, 0..start, random);
        let length = match random.below(8) {
            0 => 0,
            1 => random.below(40),
            _ => 1 + random.below(5),
        };
        let entries = start + 1..template.instructions[start].partner;
        let entries = (0..length).map(|_| self.fields(id, entries.clone(), random));
        all.push((start as u32, Node::Sequence(entries.collect())));
        let message = Message {
            template: index,
            fields: all,
        };
        self.encoder.message(&message, bytes).ok()
    }

    fn fields(&mut self, id: u32, range: Range<usize>, random: &mut Random) -> Vec<(u32, Node)> {
        let (_, template) = self.templates.by_id(id).expect("it is there");
        let mut fields = vec![];
        for at in range {
            let instruction = &template.instructions[at];
            if !instruction.kind.is_field()
                || instruction.kind == Kind::Length
                || instruction.operator == Operator::Constant
            {
                continue;
            }
            let node = match self.before.get(&(id, at)) {
                Some(node) if random.below(3) == 0 => node.clone(),
                Some(Node::Unsigned(value)) if random.below(2) == 0 && *value < 255 => {
                    Node::Unsigned(value + 1)
                }
                _ => value(instruction, random),
            };
            self.before.insert((id, at), node.clone());
            fields.push((at as u32, node));
        }
        fields
    }
}

/// A random value of a field: mostly small, at times absent, at times the extremes.
fn value(instruction: &Instruction, random: &mut Random) -> Node {
    let rarely = if instruction.kind == Kind::Decimal {
        12
    } else {
        4
    };
    if instruction.nullable && random.below(rarely) == 0 {
        return Node::Absent;
    }
    let raw = random.next_bits() >> random.below(64);
    match instruction.kind {
        // The engine has 63 bits.
        Kind::Unsigned(Width::W64) if random.below(32) != 0 => Node::Unsigned(raw >> 3),
        Kind::Unsigned(width) => Node::Unsigned(raw & (u64::MAX >> (64 - width.bits()))),
        Kind::Signed(width) => {
            let unused = 64 - width.bits();
            let signed = if random.below(2) == 0 { raw } else { !raw };
            Node::Signed(((signed << unused) as i64) >> unused)
        }
        Kind::Decimal => Node::Decimal(Decimal {
            exponent: random.below(20) as i32 - 10,
            mantissa: (raw >> 2) as i64 * if random.below(2) == 0 { 1 } else { -1 },
        }),
        _ => {
            // Longer than a place at times.
            let most = if random.below(200) == 0 { 15 } else { 6 };
            let length = random.below(most);
            Node::Bytes((0..length).map(|_| 33 + random.below(90) as u8).collect())
        }
    }
}

/// A field that is no decimal.
fn random_field(random: &mut Random) -> &'static str {
    match random.below(13) {
        0 => "<uInt32 @/>",
        1 => "<uInt32 @ presence='optional'/>",
        2 => "<uInt32 @ presence='optional'><copy/></uInt32>",
        3 => "<uInt32 @><increment value='3'/></uInt32>",
        4 => "<uInt32 @ presence='optional'><increment/></uInt32>",
        5 => "<int32 @><delta/></int32>",
        6 => "<uInt32 @ presence='optional'><delta value='100'/></uInt32>",
        7 => "<string @/>",
        8 => "<string @ presence='optional'><copy value='abc'/></string>",
        9 => "<string @ presence='optional'><default value='x'/></string>",
        10 => "<uInt8 @><default value='9'/></uInt8>",
        11 => "<int16 @ presence='optional'/>",
        _ => "<uInt32 @ presence='optional'><constant value='7'/></uInt32>",
    }
}

const OPTIONAL_DECIMAL: &str = "<decimal @ presence='optional'/>";

/// Fields of an entry in which one bit of the presence map decides how many tokens follow the exponents before it.
fn fields_of_one_late_bit(random: &mut Random) -> Vec<&'static str> {
    let plain = |random: &mut Random| {
        ["<uInt32 @/>", "<string @ presence='optional'/>"][random.below(2) as usize]
    };
    let mut fields: Vec<_> = (0..random.below(3)).map(|_| random_field(random)).collect();
    fields.extend((0..6 + random.below(3)).map(|_| plain(random)));
    let mut mixed = |fields: &mut Vec<_>, most: u64| {
        for _ in 0..random.below(most) {
            fields.push(if random.below(3) == 0 {
                plain(random)
            } else {
                OPTIONAL_DECIMAL
            });
        }
    };
    fields.push(OPTIONAL_DECIMAL);
    mixed(&mut fields, 5);
    let late = fields.len();
    mixed(&mut fields, 4);
    let bits = [
        "<uInt32 @ presence='optional'><copy/></uInt32>",
        "<uInt32 @><increment value='3'/></uInt32>",
        "<string @ presence='optional'><default value='x'/></string>",
    ];
    fields.insert(late, bits[random.below(3) as usize]);
    fields
}

/// Fields of an entry, as they come.
fn fields_of_any_bits(random: &mut Random) -> Vec<&'static str> {
    let (decimals, many) = (1 + random.below(2), 3 + random.below(11));
    let mut fields: Vec<_> = (0..many).map(|_| random_field(random)).collect();
    for _ in 0..decimals {
        fields.push(match random.below(7) {
            0 => "<decimal @/>",
            1 => "<decimal @ presence='optional'><copy/></decimal>",
            2 => "<decimal @><delta/></decimal>",
            3 => "<int64 @ presence='optional'><delta/></int64>",
            4 => "<uInt64 @><increment value='5'/></uInt64>",
            _ => OPTIONAL_DECIMAL,
        });
    }
    fields.extend((0..random.below(4)).map(|_| OPTIONAL_DECIMAL));
    fields.extend((0..random.below(3)).map(|_| "<uInt32 @ presence='optional'/>"));
    fields
}

/// A template with random fields in its entries.
fn random_template(random: &mut Random, id: u32, how: How) -> String {
    let kinds = if random.below(4) == 0 {
        fields_of_one_late_bit(random)
    } else {
        fields_of_any_bits(random)
    };
    let numbered = (1..).zip(kinds);
    let fields: String = numbered
        .map(|(number, kind)| kind.replace('@', &format!("name='f{number}' id='{number}'")))
        .collect();
    let header = match random.below(3) {
        0 => "<uInt32 name='a' id='1000'/>",
        1 => "<uInt32 name='a' id='1000'><increment/></uInt32>",
        _ => "<string name='z' id='1003'/><uInt32 name='a' id='1000' presence='optional'/>",
    };
    // The engine keeps no dictionary entries of the header.
    let delta = if how.outlive || (how.several && random.below(2) == 0) {
        ""
    } else {
        "<delta/>"
    };
    format!(
        "<template name='t{id}' id='{id}' dictionary='template'>{header}<uInt64 name='b' id='1001'>{delta}</uInt64>\
         <sequence name='s'><length name='n' id='1002'/>{fields}</sequence></template>\n"
    )
}

/// A file with these templates, and a Reset.
fn file(templates: &str) -> String {
    format!(
        "<templates xmlns='http://www.fixprotocol.org/ns/fast/td/1.1'>{templates}\
         <template name='Reset' id='120' xmlns:scp='http://www.fixprotocol.org/ns/fast/scp/1.1' scp:reset='yes'/></templates>"
    )
}

/// Identifiers of one, two and three bytes.
const IDENTIFIERS: [u32; 9] = [5, 127, 128, 3_610, 16_384, 1, 16_383, 130, 2_097_151];
/// Of a frame's payload.
const MOST_BYTES: usize = 1_472;
/// A message that resets all dictionaries.
const RESET: [u8; 2] = [0xc0, 0x80 | 120];

/// Tables with as many wanted fields as there is room for, and whether these are all.
fn tables_of_most(templates: &Templates, id: u32, how: How) -> Option<(Wanted, Tables, bool)> {
    let (_, template) = templates.by_id(id)?;
    let mut wanted = Wanted {
        header: vec![1000, 1001],
        fields: vec![],
    };
    let room = Room {
        watches: 2,
        ..Room::default()
    };
    let compile = |wanted: &Wanted| compile(templates, id, wanted, &room, !how.outlive).ok();
    let mut tables = compile(&wanted)?;
    let mut all = true;
    for instruction in &template.instructions {
        if instruction.tag >= 1000
            || !instruction.kind.is_field()
            || instruction.operator == Operator::Constant
        {
            continue;
        }
        wanted.fields.push(instruction.tag);
        if let Some(more) = compile(&wanted) {
            tables = more;
        } else {
            all = false;
            wanted.fields.pop();
        }
    }
    Some((wanted, tables, all))
}

/// What is compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct How {
    /// Packets have up to four messages.
    pub several: bool,
    /// Messages come mutated too.
    pub mutated: bool,
    /// Dictionaries outlive a packet.
    pub outlive: bool,
}

impl How {
    /// An error in a field that nobody wants is not seen: mutated messages have them, and deltas of dictionaries that are not the publisher's.
    fn sees_errors(self, template: &str, all_wanted: bool) -> bool {
        let mutated = !self.mutated || !template.contains("id='1003'");
        mutated && (all_wanted || !(self.mutated || self.outlive))
    }

    fn settings(self) -> Settings {
        Settings {
            report: Reportable::ALL,
            reset_each_packet: !self.outlive,
        }
    }
}

/// At any alignment, with and without gaps, in a bad frame now and then.
fn arrival(random: &mut Random) -> Arrival {
    Arrival {
        skip: random.below(8) as u8,
        empty_end: random.below(6) == 0,
        gaps: [0, 0, 40, 128][random.below(4) as usize],
        random: random.next_bits(),
        err: random.below(20) == 0,
    }
}

/// Messages of random templates, from this seed on, until so many packets are compared; if mutated ones too, each message comes mutated before it comes as it was. A
/// template's packets are sent back to back and apart, at all alignments, in bad frames now and then, to an engine of this shape, which has room for one
/// template. `each` gets how many are done.
///
/// # Errors
/// The first difference between engine and software: a sentence, and the template.
pub fn compare(
    shape: Shape,
    seed: u64,
    packets: u64,
    how: How,
    mut each: impl FnMut(u64),
) -> Result<Compared, String> {
    let mut compared = Compared::default();
    for seed in seed.. {
        if compared.packets >= packets {
            break;
        }
        let mut random = Random(seed * 2 + 1);
        let id = IDENTIFIERS[random.below(IDENTIFIERS.len() as u64) as usize];
        let xml = file(&random_template(&mut random, id, how));
        let templates = Templates::parse(&xml).map_err(|error| format!("{error}\n{xml}"))?;
        let Some((wanted, tables, all)) = tables_of_most(&templates, id, how) else {
            continue;
        };
        if !how.sees_errors(&xml, all) {
            continue;
        }
        compared.files += 1;
        compared.late_bits += u64::from(tables.template.late != 0);
        let mut chacha = ChaCha8Rng::seed_from_u64(seed);
        let mut both = Lockstep::of_one(shape, &templates, id, &wanted, &tables, how.settings());
        let told = |error| format!("seed {seed}: {error}\n{xml}\n{wanted:?}\n{tables:?}");
        let mut publisher = Publisher::new(&templates, how);
        for _ in 0..MESSAGES {
            let Some(packet) = publisher.packet(|_| id, &mut random) else {
                continue;
            };
            let worse = how.mutated.then(|| mutate(&packet, &mut chacha));
            for bytes in worse.iter().chain([&packet]) {
                both.packet(bytes, arrival(&mut random)).map_err(told)?;
                if random.below(8) == 0 || both.waits() {
                    both.rest(0).map_err(told)?;
                }
                compared.packets += 1;
            }
        }
        both.rest(0).map_err(told)?;
        compared.statistics.add(&both.statistics);
        each(compared.packets);
    }
    Ok(compared)
}

/// A set of random templates that an engine takes; with every field wanted where errors may come.
fn random_set(random: &mut Random, how: How) -> Result<String, String> {
    let mut set = String::new();
    for id in IDENTIFIERS.into_iter().take(MOST_TEMPLATES) {
        loop {
            let one = random_template(random, id, how);
            let templates = Templates::parse(&file(&one)).map_err(|error| error.to_string())?;
            match tables_of_most(&templates, id, how) {
                Some((.., all)) if how.sees_errors(&one, all) => {
                    set += &one;
                    break;
                }
                _ => {}
            }
        }
    }
    Ok(set)
}

/// As [`compare`], of an engine with a set of templates: packets of all of them in turn, and of one that it was not given.
///
/// # Errors
/// The first difference between engine and software: a sentence, and the templates.
pub fn compare_sets(
    seed: u64,
    packets: u64,
    how: How,
    mut each: impl FnMut(u64),
) -> Result<Compared, String> {
    let mut compared = Compared::default();
    for seed in seed.. {
        if compared.packets >= packets {
            break;
        }
        let mut random = Random(seed * 2 + 1);
        let mut chacha = ChaCha8Rng::seed_from_u64(seed);
        let xml = file(&random_set(&mut random, how)?);
        let templates = Templates::parse(&xml).map_err(|error| format!("{error}\n{xml}"))?;
        // Seven or eight of the eight are loaded.
        let loaded = MOST_TEMPLATES - random.below(2) as usize;
        let taken = IDENTIFIERS.iter().take(loaded).filter_map(|&id| {
            let (wanted, tables, _) = tables_of_most(&templates, id, how)?;
            Some(Taken { id, wanted, tables })
        });
        let taken: Vec<Taken> = taken.collect();
        compared.files += 1;
        let late = taken.iter().filter(|each| each.tables.template.late != 0);
        compared.late_bits += late.count() as u64;
        let mut both = Lockstep::of_set(&templates, taken, how.settings());
        let told = |error| format!("seed {seed}: {error}\n{xml}");
        let mut publisher = Publisher::new(&templates, how);
        let any = |random: &mut Random| IDENTIFIERS[random.below(MOST_TEMPLATES as u64) as usize];
        for _ in 0..MESSAGES * MOST_TEMPLATES {
            let Some(packet) = publisher.packet(any, &mut random) else {
                continue;
            };
            let worse = (how.mutated && random.below(2) == 0).then(|| mutate(&packet, &mut chacha));
            let bytes = worse.as_ref().unwrap_or(&packet);
            both.packet(bytes, arrival(&mut random)).map_err(told)?;
            if random.below(8) == 0 || both.waits() {
                both.rest(random.below(6)).map_err(told)?;
            }
            compared.packets += 1;
        }
        both.rest(0).map_err(told)?;
        compared.statistics.add(&both.statistics);
        each(compared.packets);
    }
    Ok(compared)
}
