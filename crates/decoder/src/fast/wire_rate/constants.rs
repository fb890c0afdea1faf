//! The tables as constants of a core that is built for one template: the text of `rtl/decoder/fast/wire/fast_wire_constants_pkg.sv`.

use ::fast::wire_rate::Load;

use super::{MEMBERS, ROOM, WireRate};

/// Bits of a word, by its table (`fast_wire_pkg::load_e`): template, field, initial value, header, watch.
const WIDTHS: [usize; 5] = [151, 60, 96, 10, 50];

/// Members of `constants_t` that have several words: name, table, how many.
const TABLES: [(&str, u8, usize); 4] = [
    ("fields", 1, ROOM.fields()),
    ("initials", 2, ROOM.fields()),
    ("headers", 3, ROOM.headers),
    ("watches", 4, ROOM.watches),
];

/// Characters of words beside each other.
const LINE: usize = 100;

/// CRC-32 (ISO 3309) of the words in their order: table, index, five words of 32 bits with the lowest byte first.
pub(super) fn fingerprint(loads: &[Load]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for load in loads {
        hasher.update(&[load.what, load.index]);
        for word in load.data {
            hasher.update(&word.to_le_bytes());
        }
    }
    hasher.finalize()
}

impl WireRate {
    /// CRC-32 of the words. A core with constants knows its own tables by it.
    pub fn fingerprint(&self) -> u32 {
        self.word(MEMBERS, 0)[4]
    }

    fn word(&self, what: u8, index: usize) -> [u32; 5] {
        let found = |load: &&Load| load.what == what && usize::from(load.index) == index;
        let word = self.loads.iter().find(found);
        word.map_or([0; 5], |load| load.data)
    }

    /// A SystemVerilog package with the tables, for a core that is built for them. `source`: where they come from, for its header.
    pub fn constants(&self, source: &str) -> String {
        let literal = |what: u8, index: usize| {
            let width = WIDTHS.get(usize::from(what)).copied().unwrap_or(160);
            literal(width, &self.word(what, index))
        };
        let tables = TABLES.map(|(name, what, count)| {
            // The highest index first.
            let words = (0..count).rev().map(|index| literal(what, index));
            let words = words.collect::<Vec<_>>();
            // As the formatter has it.
            let line = words.join(", ");
            match line.len() > LINE {
                true => format!(
                    ",\n      {name}: {{\n        {}\n      }}",
                    words.join(",\n        ")
                ),
                false => format!(",\n      {name}: {{{line}}}"),
            }
        });
        format!(
            "// The tables of the wire-rate FAST engine for template {} of {source}, for a core that is built for it.\n\
             //\n\
             // Written by `tickwire fast compile --constants` (docs/concepts/fast-at-wire-rate.md): change the template or the map, not this file.\n\
             package fast_wire_constants_pkg;\n\
             \x20 import fast_wire_pkg::*;\n\n\
             \x20 localparam constants_t Constants = '{{\n\
             \x20     fingerprint: 32'h{:08x},\n\
             \x20     template_word: {}{}\n\
             \x20 }};\n\
             endpackage\n",
            self.templates.first().copied().unwrap_or_default(),
            self.fingerprint(),
            literal(0, 0),
            tables.concat(),
        )
    }
}

/// So many bits of a word, as SystemVerilog writes them.
fn literal(width: usize, word: &[u32; 5]) -> String {
    let [a, b, c, d, e] = word;
    let digits = format!("{e:08x}{d:08x}{c:08x}{b:08x}{a:08x}");
    let (_, kept) = digits.split_at(digits.len() - width.div_ceil(4));
    format!("{width}'h{kept}")
}

#[cfg(test)]
mod tests {
    use super::super::WireRate;
    use super::super::tests::{order_log, shipped};
    use crate::fast::Map;

    /// A core that is built for the order log takes the exchange's own packets: its tables are those of the exchange's own template.
    #[test]
    fn the_exchanges_own_template_compiles_to_the_same_constants() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../shared/data/moex-templates/asts-2017-03.xml");
        let Ok(xml) = std::fs::read_to_string(&path) else {
            eprintln!("skipped: {} is absent", path.display());
            return;
        };
        let templates = ::fast::Templates::parse(&xml).expect("well-formed");
        let map = Map::parse(&shipped("moex-order-log.toml")).expect("a map");
        let wire = WireRate::new(&templates, &map, true).expect("it fits");
        assert_eq!(wire.constants(""), order_log().constants(""));
    }

    #[test]
    fn the_package_in_rtl_is_what_the_order_log_compiles_to() {
        let wire = order_log();
        let package =
            include_str!("../../../../../rtl/decoder/fast/wire/fast_wire_constants_pkg.sv");
        let made = wire.constants("desks/fast/order-log.xml with desks/fast/moex-order-log.toml");
        assert!(
            made == package,
            "it is old: `tickwire fast compile desks/fast/order-log.xml --map desks/fast/moex-order-log.toml --constants`\n{made}"
        );
    }
}
