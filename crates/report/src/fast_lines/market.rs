//! Messages like those of mFAST's public example: incremental refreshes of 66.5 bytes and 3 entries on average.
//!
//! The template is built like number 74 of Moscow's derivatives market in 2013 (the operators are the same), and the values move as that market's did: a price
//! level is added, changed or deleted at one of 24 instruments, RptSeq counts up for each, prices walk by ticks, times go on by milliseconds. The
//! dictionary lives from the first message to the last.

use fast::{Decimal, EncodeError, Encoder, Fields, Message, Node, Templates};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// One template.
pub const TEMPLATE: &str = r#"
<templates xmlns="http://www.fixprotocol.org/ns/fast/td/1.1">
  <template name="IncrementalRefresh" id="74">
    <string name="ApplVerID" id="1128"><constant value="8"/></string>
    <string name="MessageType" id="35"><constant value="X"/></string>
    <string name="SenderCompID" id="49"><constant value="RTS"/></string>
    <uInt32 name="MsgSeqNum" id="34"><increment/></uInt32>
    <uInt64 name="SendingTime" id="52"><delta/></uInt64>
    <sequence name="MDEntries">
      <length name="NoMDEntries" id="268"/>
      <uInt32 name="MDUpdateAction" id="279"><copy value="0"/></uInt32>
      <string name="MDEntryType" id="269"/>
      <uInt64 name="SecurityID" id="48" presence="optional"><delta/></uInt64>
      <uInt32 name="SecurityIDSource" id="22"><constant value="8"/></uInt32>
      <string name="Symbol" id="55" presence="optional"><copy/></string>
      <uInt32 name="ExchangeTradingSessionID" id="5842" presence="optional"><copy/></uInt32>
      <uInt32 name="RptSeq" id="83"/>
      <uInt32 name="MarketDepth" id="264" presence="optional"><copy value="1"/></uInt32>
      <uInt32 name="MDPriceLevel" id="1023" presence="optional"/>
      <int64 name="MDEntryID" id="278" presence="optional"/>
      <decimal name="MDEntryPx" id="270" presence="optional"/>
      <int64 name="MDEntrySize" id="271" presence="optional"/>
      <uInt32 name="MDEntryDate" id="272" presence="optional"><delta/></uInt32>
      <uInt32 name="MDEntryTime" id="273"><delta/></uInt32>
      <int32 name="NumberOfOrders" id="346" presence="optional"/>
      <string name="MDEntryTradeType" id="20003" presence="optional"/>
      <int32 name="TrdType" id="828" presence="optional"/>
      <decimal name="LastPx" id="31" presence="optional"/>
      <int32 name="MDFlags" id="20017" presence="optional"/>
    </sequence>
  </template>
</templates>"#;

/// An instrument.
struct Instrument {
    id: u64,
    rpt_seq: u64,
    exponent: i32,
    middle: i64,
}

/// The stream of the market.
struct Market {
    random: ChaCha8Rng,
    instruments: Vec<Instrument>,
    time: u64,
}

impl Market {
    fn new() -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(2013);
        let instruments = (0..24).map(|_| Instrument {
            id: random.random_range(1_000..9_000),
            rpt_seq: random.random_range(1_000..60_000),
            exponent: -random.random_range(0..=2),
            middle: random.random_range(9_000..150_000),
        });
        Market {
            instruments: instruments.collect(),
            random,
            time: 142_438_100,
        }
    }

    fn entry(&mut self) -> Fields {
        let which = self.random.random_range(0..self.instruments.len());
        let instrument = &mut self.instruments[which];
        instrument.rpt_seq += 1;
        instrument.middle += self.random.random_range(-2..=2);
        let level: i64 = self.random.random_range(1..=20);
        let is_bid = self.random.random_bool(0.5);
        let side = if is_bid { -level } else { level };
        let action = [0, 1, 1, 2][self.random.random_range(0..4)];
        let size = (action != 2).then(|| self.random.random_range(1..400));
        let optional = |size: Option<i64>| size.map_or(Node::Absent, Node::Signed);
        vec![
            (7, Node::Unsigned(action)),
            (
                8,
                Node::Bytes(if is_bid { b"0".to_vec() } else { b"1".to_vec() }),
            ),
            (9, Node::Unsigned(instrument.id)),
            (12, Node::Unsigned(1)),
            (13, Node::Unsigned(instrument.rpt_seq)),
            (14, Node::Unsigned(20)),
            (15, Node::Unsigned(level as u64)),
            (
                17,
                Node::Decimal(Decimal {
                    exponent: instrument.exponent,
                    mantissa: instrument.middle + side,
                }),
            ),
            (18, optional(size)),
            (20, Node::Unsigned(self.time % 86_400_000)),
            (21, optional(size.map(|size| 1 + size / 40))),
        ]
    }

    fn message(&mut self, sequence: u64) -> Message {
        self.time += self.random.random_range(0..40);
        let entries = [1, 2, 2, 3, 3, 3, 4, 4, 5, 3][self.random.random_range(0..10)];
        Message {
            template: 0,
            fields: vec![
                (3, Node::Unsigned(sequence)),
                (4, Node::Unsigned(20_130_801_000_000_000 + self.time)),
                (
                    6,
                    Node::Sequence((0..entries).map(|_| self.entry()).collect()),
                ),
            ],
        }
    }
}

/// So many packets of one message, each with empty dictionaries.
///
/// # Errors
/// None: the messages fit the template.
pub fn packets(templates: &Templates, count: usize) -> Result<Vec<Vec<u8>>, EncodeError> {
    let mut market = Market::new();
    (1..=count)
        .map(|sequence| {
            let mut bytes = Vec::new();
            Encoder::new(templates).message(&market.message(sequence as u64), &mut bytes)?;
            Ok(bytes)
        })
        .collect()
}

/// So many messages, back to back.
///
/// # Errors
/// None: the messages fit the template.
pub fn messages(templates: &Templates, count: usize) -> Result<Vec<u8>, EncodeError> {
    let mut encoder = Encoder::new(templates);
    let mut market = Market::new();
    let mut bytes = Vec::new();
    for sequence in 0..count {
        encoder.message(&market.message(sequence as u64), &mut bytes)?;
    }
    Ok(bytes)
}
