//! Entries in which one bit of the presence map decides where their null exponents are, as in the trades of Moscow's stocks since 2020 (X-TLR-FOND).

use fast::{Kind, Message, Template};

use super::*;

/// Their template in the exchange's file of 2020, and in that of the recorded trades.
const TRADES: u32 = 2621;
const RECORDED: u32 = 2521;
const REPO_TERM: u32 = 10515;
const TOTAL_VOLUME: u32 = 5791;

/// The values of fields, by tag.
fn tagged(template: &Template, fields: &[(u32, Node)]) -> BTreeMap<u32, Node> {
    let of = |(index, node): &(u32, Node)| {
        let tag = template.instructions[*index as usize].tag;
        (tag, node.clone())
    };
    fields.iter().map(of).collect()
}

/// Fields of a range of a template's instructions with these values; absent where there is none.
fn fields(
    template: &Template,
    range: std::ops::Range<usize>,
    values: &BTreeMap<u32, Node>,
) -> Vec<(u32, Node)> {
    let wanted = range.filter(|at| {
        let each = &template.instructions[*at];
        each.kind.is_field()
            && each.kind != Kind::Length
            && each.operator != fast::Operator::Constant
    });
    wanted
        .map(|at| {
            let value = values.get(&template.instructions[at].tag);
            (at as u32, value.cloned().unwrap_or(Node::Absent))
        })
        .collect()
}

/// The recorded trades as the exchange sends them since 2020: the same values, and a repo term and a total volume that come and go.
fn trades_of_2020(recorded: &[Vec<u8>], old: &Templates, new: &Templates) -> Vec<Vec<u8>> {
    let (_, from) = old.by_id(RECORDED).expect("it is there");
    let (index, to) = new.by_id(TRADES).expect("it is there");
    let instructions = &to.instructions;
    let start = instructions
        .iter()
        .position(|each| each.kind == Kind::SequenceStart)
        .expect("it has entries");
    let sequence = start + 1..instructions[start].partner;
    let mut decoder = Decoder::with(old, RESET);
    let mut messages = MessageBuilder::new(old);
    let mut encoder = Encoder::new(new).with_identifiers();
    let mut random = Random(5);
    let mut all = vec![];
    for packet in recorded {
        decoder.packet(packet, &mut messages).expect("it is good");
        encoder.reset();
        let mut bytes = vec![];
        for message in messages.take() {
            let template = old.by_id(RECORDED).map(|(index, _)| index);
            if Some(message.template) != template {
                continue;
            }
            let header = tagged(from, &message.fields);
            let mut made = fields(to, 0..start, &header);
            let entries = message.fields.iter().find_map(|(_, node)| match node {
                Node::Sequence(entries) => Some(entries),
                _ => None,
            });
            let entries = entries.expect("it has entries").iter().map(|entry| {
                let mut values = tagged(from, entry);
                if random.below(2) == 0 {
                    values.insert(REPO_TERM, Node::Unsigned(random.below(3)));
                }
                if random.below(2) == 0 {
                    let volume = fast::Decimal {
                        exponent: -2,
                        mantissa: random.below(1 << 30) as i64,
                    };
                    values.insert(TOTAL_VOLUME, Node::Decimal(volume));
                }
                fields(to, sequence.clone(), &values)
            });
            made.push((start as u32, Node::Sequence(entries.collect())));
            let message = Message {
                template: index,
                fields: made,
            };
            encoder
                .message(&message, &mut bytes)
                .expect("it can be carried");
        }
        if !bytes.is_empty() {
            all.push(bytes);
        }
    }
    all
}

#[test]
fn recorded_trades_in_the_template_of_2020_decode_as_in_software() {
    let (Some(old), Some(new), Some(data)) = (
        recorded_templates("moex-templates/asts-2017-03.xml"),
        recorded_templates("moex-templates/asts-2020-12.xml"),
        recorded("moex-fond-trades-2019-04-04/data.dat"),
    ) else {
        return;
    };
    let frames = Framing::Preamble
        .split(&old, &data)
        .expect("the data is good");
    let packets: Vec<Vec<u8>> = frames.iter().map(|frame| frame[4..].to_vec()).collect();
    let trades = trades_of_2020(&packets, &old, &new);
    assert!(trades.len() > 4_500, "{}", trades.len());
    for fields in [
        vec![278, 55, 269, 279, 83, 272, 273, 9412, 270, 271],
        vec![REPO_TERM, TOTAL_VOLUME, 5558, 5559, 423, 5459, 10511, 625],
        vec![5677, 44, 336, 10516],
    ] {
        let wanted = Wanted {
            header: vec![34, 52],
            fields,
        };
        // Most exponents of an entry are null, and none of them is left undone.
        let traps = compare("trades of 2020", &new, TRADES, &wanted, RESET, &trades);
        assert_eq!(traps, BTreeMap::new());
    }
}
