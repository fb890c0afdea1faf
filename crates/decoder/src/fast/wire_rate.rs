//! The map for the wire-rate engine of a core that reads an order log (`rtl/decoder/fast/wire`): its tables, and which of its places are which members of an event.

mod constants;

use ::fast::wire_rate::{Load, MOST_TEMPLATES, Refusal, Room, Tables, Wanted, compile};
use ::fast::{Kind, Template, Templates};
use thiserror::Error;

use super::hardware::{HardwareError, TableLoad, row as table_row};
use super::map::{Coded, Map, MapError, Meaning, TemplateMap};
use super::plan::{Member, Plan, plans};

/// What the engine of a core has room for (`fast_wire_pkg`).
const ROOM: Room = Room {
    numbers: 3,
    longs: 2,
    texts: 2,
    headers: 2,
    watches: 2,
};

/// Where the members stand: the longs after the numbers, the texts after them.
const PRICE: usize = ROOM.numbers;
const QUANTITY: usize = PRICE + 1;
const ORDER_ID: usize = ROOM.numbers + ROOM.longs;
const SYMBOL: usize = ORDER_ID + 1;

/// The word that says which places are members.
const MEMBERS: u8 = 5;

/// Members of the entries, each with its place; long texts first, so that a single character takes none of theirs.
const PLACES: [(Member, usize); 7] = [
    (Member::OrderId, ORDER_ID),
    (Member::Symbol, SYMBOL),
    (Member::Action, 0),
    (Member::EntryType, 1),
    (Member::Side, 2),
    (Member::Price, PRICE),
    (Member::Quantity, QUANTITY),
];

/// What the wire-rate engine's tables are, word by word: of a core that has them built in, what it is asked whether it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireRate {
    /// The templates whose packets it can decode, in the map's order. A core is built for one ([`WireRate::constants`]), and decodes that one alone.
    pub templates: Vec<u32>,
    /// Their words, and words that clear the places of others.
    pub loads: Vec<Load>,
}

/// Why the engine can do no template of the map.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum WireRateError {
    /// The map is none for these templates.
    #[error(transparent)]
    Map(
        /// What is wrong with it.
        #[from]
        MapError,
    ),
    /// The table of events has no word for a template of it.
    #[error(transparent)]
    Table(
        /// Why.
        #[from]
        HardwareError,
    ),
    /// No template of the map has entries that are events.
    #[error("no template of the map has a sequence whose entries are events")]
    NoEntries,
    /// The map ignores entries of a template.
    #[error("template {0}: the map ignores some of its entries")]
    Ignores(
        /// Its identifier.
        u32,
    ),
    /// A member that the engine does not give, or that stands where the engine does not look for it.
    #[error("template {template}: {member:?} is not where the engine has a place for it")]
    Place {
        /// The template's identifier.
        template: u32,
        /// The member's name.
        member: &'static str,
    },
    /// The engine cannot decode the template.
    #[error("template {template}: {}", .reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
    Refused {
        /// The template's identifier.
        template: u32,
        /// Why.
        reasons: Vec<Refusal>,
    },
}

impl WireRate {
    /// Tables for the templates of the map that the engine can do, the first eight of them.
    ///
    /// # Errors
    /// There is none: why the last one with a sequence cannot be done.
    pub fn new(
        templates: &Templates,
        map: &Map,
        reset_each_packet: bool,
    ) -> Result<Self, WireRateError> {
        let plans = plans(map, templates)?;
        let mut why = WireRateError::NoEntries;
        let mut wire = WireRate {
            templates: vec![],
            loads: vec![],
        };
        for (row, one) in map.templates.iter().enumerate() {
            let found = templates.by_id(one.id);
            let (index, template) = found.ok_or(MapError::Template(one.id))?;
            let plan = plans.get(index).and_then(Option::as_ref);
            let plan = plan.ok_or(MapError::Template(one.id))?;
            if plan.sequence.is_none() || wire.templates.len() == MOST_TEMPLATES {
                continue;
            }
            match loads(
                templates,
                map,
                (row, one),
                plan,
                template,
                reset_each_packet,
            ) {
                Ok(loads) => {
                    let number = wire.templates.len() as u8;
                    wire.templates.push(one.id);
                    let numbered = |load| Load {
                        template: number,
                        ..load
                    };
                    wire.loads.extend(loads.into_iter().map(numbered));
                }
                Err(error) => why = error,
            }
        }
        if wire.templates.is_empty() {
            return Err(why);
        }
        wire.loads.extend(cleared(wire.templates.len()));
        Ok(wire)
    }

    /// What takes the engine's templates away: it does no packet.
    pub fn none() -> Vec<Load> {
        cleared(0).collect()
    }
}

/// What takes away the templates from this number on.
fn cleared(first: usize) -> impl Iterator<Item = Load> {
    (first..MOST_TEMPLATES).map(|number| Load {
        what: 0,
        template: number as u8,
        index: 0,
        data: [0; 5],
    })
}

fn ignores(one: &TemplateMap) -> bool {
    let all = [&one.action, &one.entry_type, &one.side];
    let mut coded = all.into_iter().flatten();
    coded.any(|coded: &Coded| {
        coded
            .values
            .values()
            .any(|meaning| *meaning == Meaning::Ignore)
    })
}

fn loads(
    templates: &Templates,
    map: &Map,
    (row, one): (usize, &TemplateMap),
    plan: &Plan,
    template: &Template,
    reset_each_packet: bool,
) -> Result<Vec<Load>, WireRateError> {
    if ignores(one) {
        return Err(WireRateError::Ignores(one.id));
    }
    let misplaced = |member: Member| WireRateError::Place {
        template: one.id,
        member: member.name(),
    };
    let start = plan.sequence.map_or(0, |start| start as usize);
    let end = plan.ends.unwrap_or(usize::MAX);
    // Of each member: the field, whether it is in the entries, and whether it is a text.
    let find = |wanted: Member| {
        let members = template.instructions.iter().zip(&plan.members).enumerate();
        let mut found = members.filter(|(_, (_, member))| **member == wanted);
        found.next().map(|(index, (instruction, _))| {
            let in_entry = index > start && index < end;
            (instruction.tag, in_entry, instruction.kind == Kind::Ascii)
        })
    };
    for member in [Member::Orders, Member::Status] {
        if find(member).is_some() {
            return Err(misplaced(member));
        }
    }
    let mut wanted = Wanted::default();
    for member in [Member::Sequence, Member::Time] {
        match find(member) {
            Some((tag, false, _)) => wanted.header.push(tag),
            _ => return Err(misplaced(member)),
        }
    }
    let mut members = vec![];
    for (member, place) in PLACES {
        match find(member) {
            Some((tag, true, text)) => {
                wanted.fields.push(tag);
                members.push((member, place, text));
            }
            Some(_) => return Err(misplaced(member)),
            None => {}
        }
    }
    let compiled = compile(templates, one.id, &wanted, &ROOM, reset_each_packet);
    let mut tables = compiled.map_err(|reasons| WireRateError::Refused {
        template: one.id,
        reasons,
    })?;
    if let Some((member, ..)) = in_place(&mut tables, &members).first() {
        return Err(misplaced(*member));
    }
    let mut loads = tables.loads();
    loads.push(word(map, row, &table_row(row, one, plan)?, &members));
    let fingerprint = constants::fingerprint(&loads);
    if let Some(members) = loads.last_mut() {
        members.data[4] = fingerprint;
    }
    Ok(loads)
}

/// Puts each field into its member's place. Returns those that stand among fields of another kind.
fn in_place(tables: &mut Tables, members: &[(Member, usize, bool)]) -> Vec<(Member, usize, bool)> {
    let kind = |place: usize| (place >= ROOM.numbers) as u8 + (place >= ORDER_ID) as u8;
    let given = tables.fields.clone();
    let mut apart = vec![];
    tables.fields.fill(None);
    for (member, from) in members.iter().zip(&tables.places) {
        if kind(member.1) != kind(*from) {
            apart.push(*member);
        }
        if let (Some(to), Some(field)) = (tables.fields.get_mut(member.1), given.get(*from)) {
            *to = *field;
        }
    }
    tables.places = members.iter().map(|(_, place, _)| *place).collect();
    apart
}

/// Which places have members, and what the table of events says of their template. Hardware reads the highest 32 bits alone: they are for the fingerprint of all
/// words, so that another map has another one.
fn word(map: &Map, row: usize, table: &TableLoad, members: &[(Member, usize, bool)]) -> Load {
    let has = |place: usize| members.iter().any(|member| member.1 == place);
    let text = |place: usize| members.iter().any(|member| member.1 == place && member.2);
    // The highest first: sequence and time are always there.
    let mut bits = vec![true, true];
    bits.extend([PRICE, QUANTITY, ORDER_ID, SYMBOL].map(has));
    bits.extend([2, 1, 0].map(has));
    bits.extend([2, 1, 0].map(text));
    let [low, middle, high] = table.data.map(u128::from);
    let scales = u128::from(map.price_scale) << 5 | u128::from(map.quantity_scale);
    let word = (scales << 72 | high << 64 | middle << 32 | low) << 3 | row as u128;
    let word = bits
        .iter()
        .fold(word, |word, bit| word << 1 | u128::from(*bit));
    let [a, b, c, d] = [0, 32, 64, 96].map(|at| (word >> at) as u32);
    Load {
        what: MEMBERS,
        template: 0,
        index: 0,
        data: [a, b, c, d, 0],
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    pub(super) fn shipped(name: &str) -> String {
        let desks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../desks/fast");
        std::fs::read_to_string(desks.join(name)).expect("it is shipped")
    }

    fn of(map: &str, resets: bool) -> Result<WireRate, WireRateError> {
        let templates = Templates::parse(&shipped("order-log.xml")).expect("it is shipped");
        WireRate::new(&templates, &Map::parse(map).expect("a map"), resets)
    }

    pub(super) fn order_log() -> WireRate {
        of(&shipped("moex-order-log.toml"), true).expect("it fits")
    }

    #[test]
    fn the_order_log_is_taken_with_its_members_at_their_places() {
        let wire = order_log();
        assert_eq!(wire.templates, [3610]);
        let mut members = wire.loads.iter().filter(|load| load.what == MEMBERS);
        let members = members.next().expect("there is one");
        // Row 0; sequence, time, price, quantity, order id, symbol; action and entry type, of which the second is a character.
        assert_eq!(
            (members.what, members.data[0] & 0x7fff),
            (5, 0b000_111_111_011_010)
        );
        let fields = wire.loads.iter().filter(|load| load.what == 1);
        // The used bit is above 57 others.
        let used = fields.map(|load| (load.index, load.data[1] >> 27 & 1));
        let expected = [(0, 1), (1, 1), (2, 0), (3, 1), (4, 1), (5, 1), (6, 1)];
        assert_eq!(used.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_template_with_a_dictionary_of_its_own_keeps_it_from_packet_to_packet() {
        let xml =
            shipped("order-log.xml").replace("<template ", "<template dictionary=\"template\" ");
        let templates = Templates::parse(&xml).expect("templates");
        let map = Map::parse(&shipped("moex-order-log.toml")).expect("a map");
        let outlives = |resets| {
            let wire = WireRate::new(&templates, &map, resets).expect("it fits");
            let word = wire.loads.iter().find(|load| load.what == 0);
            // After it five bits of the sequence's length.
            word.expect("its word").data[0] >> 5 & 1
        };
        assert_eq!((outlives(false), outlives(true)), (1, 0));
    }

    #[test]
    fn what_the_engine_cannot_do_is_refused_with_a_reason() {
        let map = shipped("moex-order-log.toml");
        let error = of(&map, false).expect_err("two templates have entry types");
        let why = "template 3610: MDEntryType depends on a packet before in a way that the engine does not keep";
        assert!(error.to_string().starts_with(why), "{error}");
        for (from, to, why) in [
            (
                "J = \"clear\"",
                "J = \"ignore\"",
                "template 3610: the map ignores some of its entries",
            ),
            (
                "sequence = 34  #",
                "#",
                "template 3610: \"sequence\" is not where",
            ),
            (
                "order_id = 278",
                "order_id = 83",
                "template 3610: \"order_id\" is not where",
            ),
            (
                "quantity = 271",
                "quantity = 271\norders = 83",
                "template 3610: \"orders\" is not where",
            ),
        ] {
            assert!(map.contains(from), "{from}");
            let error = of(&map.replacen(from, to, 1), true).expect_err("it is refused");
            assert!(error.to_string().starts_with(why), "{error}");
        }
        let statuses = "price_scale = 4\n[[template]]\nid = 2108\nmessage_type = \"0\"\nsequence = 34\nkind = \"status\"\n";
        assert_eq!(of(statuses, true), Err(WireRateError::NoEntries));
    }
}
