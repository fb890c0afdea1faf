//! The fields and messages of FIX 4.4 (with errata 20030618) that are described. All of a session message; of an application message
//! what Tickwire uses and what comes with it. Facts of volumes 1 to 4, written down by hand.

use super::Kind::{
    self, Boolean, Char, Count, Data, Date, Decimal, Int, Month, Text, Time, Timestamp, Unsigned,
};
use super::rules::{FieldRule, GroupRule, HIGHEST, MessageRule, Tags};

/// Tags below the highest that no field of FIX 4.4 has.
const UNUSED: Tags = Tags::of(&[
    0, 20, 24, 46, 47, 51, 76, 86, 92, 101, 105, 109, 125, 166, 173, 174, 175, 176, 177, 178, 179,
    180, 181, 182, 183, 184, 185, 186, 187, 204, 205, 219, 261, 314, 319, 370, 439, 440, 449, 450,
    465, 653, 685, 809, 831,
]);

/// Whether FIX 4.4 has a field with a tag.
pub(super) fn exists(tag: u32) -> bool {
    tag <= HIGHEST && !UNUSED.has(tag)
}

/// Whether FIX 4.4 has a message type: one character, or two from `AA` to `BH`.
pub(super) fn is_msg_type(msg_type: &[u8]) -> bool {
    match msg_type {
        [b'I' | b'O' | b'U'] => false,
        [b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z'] => true,
        [b'A', b'A'..=b'Z'] | [b'B', b'A'..=b'H'] => true,
        _ => false,
    }
}

const fn field_of(tag: u32, kind: Kind, values: &'static str) -> FieldRule {
    FieldRule {
        tag,
        kind,
        values,
        several: false,
    }
}

/// A `MultipleValueString`.
const fn several(tag: u32, values: &'static str) -> FieldRule {
    FieldRule {
        tag,
        kind: Text,
        values,
        several: true,
    }
}

/// Values of SecurityType (167).
const SECURITY_TYPES: &str = "EUSUPRA FAC FADN PEF SUPRA CORP CPP CB DUAL EUCORP XLINKD STRUCT YANK \
FOR CS PS BRADY EUSOV TBOND TINT TIPS TCAL TPRN UST USTB TNOTE TBILL REPO FORWARD BUYSELL SECLOAN SECPLEDGE TERM RVLV RVLVTRM \
BRIDGE LOFC SWING DINP DEFLTED WITHDRN REPLACD MATURED AMENDED RETIRED BA BN BOX CD CL CP DN EUCD EUCP LQN MTN ONITE PN PZFJ STN TD \
XCN YCD ABS CMBS CMO IET MBS MIO MPO MPP MPT PFAND TBA AN COFO COFP GO MT RAN REV SPCLA SPCLO SPCLT TAN TAXA TECP TRAN VRDN WAR MF \
MLEG NONE FUT OPT";

/// Fields by tag, in order.
const FIELDS: &[FieldRule] = &[
    field_of(1, Text, ""),
    field_of(6, Decimal, ""),
    field_of(7, Unsigned, ""),
    field_of(11, Text, ""),
    field_of(12, Decimal, ""),
    field_of(13, Char, "1 2 3 4 5 6"),
    field_of(14, Decimal, ""),
    field_of(15, Text, ""),
    field_of(16, Unsigned, ""),
    field_of(17, Text, ""),
    several(
        18,
        "1 2 3 4 5 6 7 8 9 0 A B C D E F G H I J K L M N O P Q R S U V W X Y Z a b c d e",
    ),
    field_of(19, Text, ""),
    field_of(21, Char, "1 2 3"),
    field_of(22, Text, "1 2 3 4 5 6 7 8 9 A B C D E F G H I J"),
    field_of(23, Text, ""),
    field_of(31, Decimal, ""),
    field_of(32, Decimal, ""),
    field_of(34, Unsigned, ""),
    field_of(36, Unsigned, ""),
    field_of(37, Text, ""),
    field_of(38, Decimal, ""),
    field_of(39, Char, "0 1 2 3 4 6 7 8 9 A B C D E"),
    field_of(40, Char, "1 2 3 4 6 7 8 9 D E G I J K L M P"),
    field_of(41, Text, ""),
    field_of(43, Boolean, ""),
    field_of(44, Decimal, ""),
    field_of(45, Unsigned, ""),
    field_of(48, Text, ""),
    field_of(49, Text, ""),
    field_of(50, Text, ""),
    field_of(52, Timestamp, ""),
    field_of(54, Char, "1 2 3 4 5 6 7 8 9 A B C D E F G"),
    field_of(55, Text, ""),
    field_of(56, Text, ""),
    field_of(57, Text, ""),
    field_of(58, Text, ""),
    field_of(59, Char, "0 1 2 3 4 5 6 7"),
    field_of(60, Timestamp, ""),
    field_of(63, Char, "0 1 2 3 4 5 6 7 8 9"),
    field_of(64, Date, ""),
    field_of(65, Text, ""),
    field_of(66, Text, ""),
    field_of(75, Date, ""),
    field_of(77, Char, "O C R F"),
    field_of(89, Data, ""),
    field_of(90, Unsigned, ""),
    field_of(91, Data, ""),
    field_of(93, Unsigned, ""),
    field_of(95, Unsigned, ""),
    field_of(96, Data, ""),
    field_of(97, Boolean, ""),
    field_of(98, Int, "0 1 2 3 4 5 6"),
    field_of(99, Decimal, ""),
    field_of(100, Text, ""),
    field_of(102, Int, "0 1 2 3 4 5 6 99"),
    field_of(103, Int, "0 1 2 3 4 5 6 7 8 9 10 11 13 14 15 99"),
    field_of(106, Text, ""),
    field_of(107, Text, ""),
    field_of(108, Int, ""),
    field_of(110, Decimal, ""),
    field_of(111, Decimal, ""),
    field_of(112, Text, ""),
    field_of(114, Boolean, ""),
    field_of(115, Text, ""),
    field_of(116, Text, ""),
    field_of(117, Text, ""),
    field_of(122, Timestamp, ""),
    field_of(123, Boolean, ""),
    field_of(126, Timestamp, ""),
    field_of(128, Text, ""),
    field_of(129, Text, ""),
    field_of(140, Decimal, ""),
    field_of(141, Boolean, ""),
    field_of(142, Text, ""),
    field_of(143, Text, ""),
    field_of(144, Text, ""),
    field_of(145, Text, ""),
    field_of(146, Count, ""),
    field_of(150, Char, "0 3 4 5 6 7 8 9 A B C D E F G H I"),
    field_of(151, Decimal, ""),
    field_of(167, Text, SECURITY_TYPES),
    field_of(168, Timestamp, ""),
    field_of(198, Text, ""),
    field_of(200, Month, ""),
    field_of(201, Int, "0 1"),
    field_of(202, Decimal, ""),
    field_of(206, Char, ""),
    field_of(207, Text, ""),
    field_of(210, Decimal, ""),
    field_of(212, Unsigned, ""),
    field_of(213, Data, ""),
    field_of(262, Text, ""),
    field_of(263, Char, "0 1 2"),
    field_of(264, Int, ""),
    field_of(265, Int, "0 1"),
    field_of(266, Boolean, ""),
    field_of(267, Count, ""),
    field_of(268, Count, ""),
    field_of(269, Char, "0 1 2 3 4 5 6 7 8 9 A B C"),
    field_of(270, Decimal, ""),
    field_of(271, Decimal, ""),
    field_of(272, Date, ""),
    field_of(273, Time, ""),
    field_of(274, Char, "0 1 2 3"),
    field_of(275, Text, ""),
    several(276, "A B C D E F G H I"),
    several(277, "A B C D E F G H I J K L M N P Q R"),
    field_of(278, Text, ""),
    field_of(279, Char, "0 1 2"),
    field_of(280, Text, ""),
    field_of(281, Char, "0 1 2 3 4 5 6 7 8 9 A B C"),
    several(286, "0 1 2 3 4 5"),
    field_of(290, Int, ""),
    field_of(320, Text, ""),
    field_of(322, Text, ""),
    field_of(323, Int, "1 2 5 6"),
    field_of(336, Text, ""),
    field_of(346, Int, ""),
    field_of(347, Text, "ISO-2022-JP EUC-JP Shift_JIS UTF-8"),
    field_of(354, Unsigned, ""),
    field_of(355, Data, ""),
    field_of(369, Unsigned, ""),
    field_of(371, Int, ""),
    field_of(372, Text, ""),
    field_of(373, Int, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 99"),
    field_of(378, Int, "0 1 2 3 4 5 6 7 8 9 10 99"),
    field_of(379, Text, ""),
    field_of(380, Int, "0 1 2 3 4 5 6 7"),
    field_of(383, Unsigned, ""),
    field_of(384, Count, ""),
    field_of(385, Char, "R S"),
    field_of(386, Count, ""),
    field_of(432, Date, ""),
    field_of(434, Char, "1 2"),
    field_of(447, Char, ""),
    field_of(448, Text, ""),
    field_of(452, Int, ""),
    field_of(453, Count, ""),
    field_of(454, Count, ""),
    field_of(455, Text, ""),
    field_of(456, Text, ""),
    field_of(460, Int, ""),
    field_of(461, Text, ""),
    field_of(464, Boolean, ""),
    field_of(523, Text, ""),
    field_of(526, Text, ""),
    field_of(528, Char, "A G I P R W"),
    several(529, "1 2 3 4 5 6 7 8 9 A"),
    field_of(541, Date, ""),
    several(546, "1 2 3"),
    field_of(547, Boolean, ""),
    field_of(553, Text, ""),
    field_of(554, Text, ""),
    field_of(581, Int, "1 2 3 4 6 7 8"),
    field_of(583, Text, ""),
    field_of(625, Text, ""),
    field_of(627, Count, ""),
    field_of(628, Text, ""),
    field_of(629, Timestamp, ""),
    field_of(630, Unsigned, ""),
    field_of(636, Boolean, ""),
    field_of(660, Int, "1 2 3 4 5 99"),
    field_of(762, Text, ""),
    field_of(789, Unsigned, ""),
    field_of(790, Text, ""),
    field_of(802, Count, ""),
    field_of(803, Int, ""),
    field_of(811, Decimal, ""),
    field_of(813, Int, ""),
    field_of(816, Count, ""),
    field_of(817, Text, ""),
];

/// Where a tag's rule is in [`FIELDS`], plus one.
const PLACES: [u8; HIGHEST as usize + 1] = {
    let mut places = [0; HIGHEST as usize + 1];
    let mut at = 0;
    while at < FIELDS.len() {
        places[FIELDS[at].tag as usize] = at as u8 + 1;
        at += 1;
    }
    places
};

/// The rule of a field that is described.
pub(super) fn field(tag: u32) -> Option<&'static FieldRule> {
    let place = usize::from(*PLACES.get(tag as usize)?);
    FIELDS.get(place.checked_sub(1)?)
}

/// Component block Instrument.
const INSTRUMENT: Tags = Tags::of(&[
    22, 48, 55, 65, 106, 107, 167, 200, 201, 202, 206, 207, 454, 460, 461, 541, 762,
]);

/// What an entry of market data may have beside its first field.
const ENTRY: Tags = Tags::of(&[
    15, 18, 37, 58, 59, 110, 126, 269, 270, 271, 272, 273, 274, 275, 276, 277, 286, 290, 336, 346,
    354, 355, 432, 546, 625, 811,
]);

const fn group_of(count: u32, first: u32, members: Tags) -> GroupRule {
    GroupRule {
        count,
        first,
        members: members.and(Tags::of(&[first])),
    }
}

const GROUPS: &[GroupRule] = &[
    group_of(146, 55, INSTRUMENT),
    group_of(267, 269, Tags::of(&[])),
    group_of(268, 269, ENTRY),
    group_of(384, 372, Tags::of(&[385])),
    group_of(386, 336, Tags::of(&[625])),
    group_of(453, 448, Tags::of(&[447, 452, 802])),
    group_of(454, 455, Tags::of(&[456])),
    group_of(627, 628, Tags::of(&[629, 630])),
    group_of(802, 523, Tags::of(&[803])),
    group_of(816, 817, Tags::of(&[])),
];

/// NoMDEntries of an incremental refresh: each entry has its instrument.
const CHANGES: GroupRule = group_of(268, 279, ENTRY.and(INSTRUMENT).and(Tags::of(&[278, 280])));

/// The group a field counts the entries of.
pub(super) fn group(msg_type: &[u8], count: u32) -> Option<&'static GroupRule> {
    if msg_type == b"X" && count == CHANGES.count {
        return Some(&CHANGES);
    }
    GROUPS.iter().find(|group| group.count == count)
}

const fn session_message(
    msg_type: &'static [u8],
    required: &[u32],
    optional: &[u32],
) -> MessageRule {
    MessageRule {
        complete: true,
        ..message_of(msg_type, required, optional, Tags::of(&[]))
    }
}

const fn message_of(
    msg_type: &'static [u8],
    required: &[u32],
    optional: &[u32],
    components: Tags,
) -> MessageRule {
    MessageRule {
        msg_type,
        complete: false,
        required: Tags::of(required),
        fields: Tags::of(required).and(Tags::of(optional)).and(components),
    }
}

const NONE: Tags = Tags::of(&[]);

pub(super) const MESSAGES: &[MessageRule] = &[
    session_message(b"0", &[], &[112]),
    session_message(b"1", &[112], &[]),
    session_message(b"2", &[7, 16], &[]),
    session_message(b"3", &[45], &[58, 354, 355, 371, 372, 373]),
    session_message(b"4", &[36], &[123]),
    session_message(b"5", &[], &[58, 354, 355]),
    session_message(
        b"A",
        &[98, 108],
        &[95, 96, 141, 383, 384, 464, 553, 554, 789],
    ),
    session_message(b"j", &[372, 380], &[45, 58, 354, 355, 379]),
    // ExecutionReport.
    message_of(
        b"8",
        &[6, 14, 17, 37, 39, 54, 150, 151],
        &[
            1, 11, 12, 13, 15, 18, 19, 21, 31, 32, 38, 40, 41, 44, 58, 59, 60, 63, 64, 66, 75, 77,
            99, 103, 110, 111, 126, 168, 198, 210, 336, 354, 355, 378, 432, 453, 526, 528, 529,
            581, 583, 625, 636, 660, 790,
        ],
        INSTRUMENT,
    ),
    // OrderCancelReject.
    message_of(
        b"9",
        &[11, 37, 39, 41, 434],
        &[
            1, 58, 60, 66, 75, 102, 198, 354, 355, 526, 581, 583, 636, 660,
        ],
        NONE,
    ),
    // NewOrderSingle.
    message_of(
        b"D",
        &[11, 40, 54, 60],
        &[
            1, 12, 13, 15, 18, 21, 23, 38, 44, 58, 59, 63, 64, 75, 77, 99, 100, 110, 111, 114, 117,
            126, 140, 168, 210, 354, 355, 386, 432, 453, 526, 528, 529, 581, 583, 660,
        ],
        INSTRUMENT,
    ),
    // OrderCancelRequest.
    message_of(
        b"F",
        &[11, 41, 54, 60],
        &[1, 37, 38, 58, 66, 354, 355, 453, 526, 581, 583, 660],
        INSTRUMENT,
    ),
    // OrderCancelReplaceRequest.
    message_of(
        b"G",
        &[11, 40, 41, 54, 60],
        &[
            1, 12, 13, 15, 18, 21, 37, 38, 44, 58, 59, 63, 64, 66, 75, 77, 99, 100, 110, 111, 114,
            126, 168, 210, 354, 355, 386, 432, 453, 526, 528, 529, 581, 583, 660,
        ],
        INSTRUMENT,
    ),
    // OrderStatusRequest.
    message_of(
        b"H",
        &[11, 54],
        &[1, 37, 453, 526, 583, 660, 790],
        INSTRUMENT,
    ),
    // MarketDataRequest.
    message_of(
        b"V",
        &[146, 262, 263, 264, 267],
        &[265, 266, 286, 386, 546, 547],
        NONE,
    ),
    // MarketDataSnapshotFullRefresh.
    message_of(b"W", &[268], &[262, 813], INSTRUMENT),
    // MarketDataIncrementalRefresh.
    message_of(b"X", &[268], &[262, 813], NONE),
    // MarketDataRequestReject.
    message_of(b"Y", &[262], &[58, 281, 354, 355, 816], NONE),
    // SecurityDefinition.
    message_of(
        b"d",
        &[320, 322, 323],
        &[15, 58, 336, 354, 355, 625],
        INSTRUMENT,
    ),
];

/// The rule of a message that is described.
pub(super) fn message(msg_type: &[u8]) -> Option<&'static MessageRule> {
    MESSAGES.iter().find(|rule| rule.msg_type == msg_type)
}
