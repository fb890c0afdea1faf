//! What an order may not ask for: fields and values of the standard that would change what it means, and that are not implemented here.
//! An order that has one is refused, since it would be traded as another than its client wants.

use std::fmt;

use formats::fix::{
    Body, CancelRejectResponse, Decimal, ExecType, Message, NewOrderSingle, OrdStatus,
    OrderCancelReplaceRequest, OrderCancelRequest, OrderRefusal, Timestamp, Value, Version,
};
use session::dictionary::Dictionary;

use super::Refused;
use crate::exchange::Exchange;
use crate::outgoing::{Outbox, Outgoing};
use crate::report::{Digits, whole};

/// Which values of a field are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    /// All: the field is acted on, or says nothing about what the order does here and what a trade of it is.
    All,
    /// These, which ask for what is done anyway.
    Only(&'static [&'static str]),
    /// Zero, which asks for nothing.
    Zero,
    /// None.
    Nothing,
}

use Takes::{All, Nothing, Only, Zero};

/// Every field that a new order, a replacement or a cancel may have, in 4.2 or 4.4; of a repeating group the one that counts its entries.
const FIELDS: &[(Takes, &[u32])] = &[
    // Names, instrument, quantity, prices, TransactTime.
    (All, &[11, 37, 41, 55, 60, 38, 44, 99]),
    // Side, OrdType, TimeInForce.
    (Only(&["1", "2"]), &[54]),
    (Only(&["1", "2", "3", "4"]), &[40]),
    (Only(&["0", "1", "3", "4"]), &[59]),
    // HandlInst: no broker is asked. ExecInst: not held, held, OK to cross.
    (Only(&["1", "2"]), &[21]),
    (Only(&["1", "5", "B"]), &[18]),
    // MinQty; MaxFloor, MaxShow.
    (Zero, &[110]),
    (Nothing, &[111, 210]),
    // EffectiveTime, ExpireDate, ExpireTime, NoTradingSessions.
    (Nothing, &[168, 432, 126]),
    (Zero, &[386]),
    // OrigOrdModTime: a condition for the change.
    (Nothing, &[586]),
    // Pegs, discretion, target strategy.
    (Nothing, &[211, 835, 836, 837, 838, 840]),
    (Nothing, &[388, 389, 841, 842, 843, 844, 846]),
    (Nothing, &[847, 848, 849]),
    // Quantities of another kind, and how they are rounded; QtyType: units.
    (Nothing, &[152, 516, 468, 469]),
    (Only(&["0"]), &[854]),
    // Prices of another kind: PriceType per unit, Currency, spreads, yields.
    (Only(&["2"]), &[423]),
    (Nothing, &[15, 218, 220, 221, 222, 662, 663, 699, 761]),
    (Nothing, &[235, 236, 701, 696, 697, 698]),
    // Another place: ExDestination. Somebody's indication or quote: IOIID, QuoteID.
    (Nothing, &[100, 23, 117]),
    // Another trade: SettlType regular, settlement date and currency, ForexReq, the second leg of a swap, BookingType regular.
    (Only(&["0"]), &[63, 775]),
    (Only(&["N"]), &[121]),
    (Nothing, &[64, 120, 192, 193, 640]),
    (Zero, &[232, 711]),
    (Nothing, &[913, 914, 915, 918, 788, 916, 917, 919, 898]),
    // Another instrument of this Symbol. A share is one anyway: Product, SecurityType.
    (Only(&["5"]), &[460]),
    (Only(&["CS"]), &[167]),
    (
        Nothing,
        &[65, 461, 762, 200, 205, 541, 201, 202, 947, 206, 231],
    ),
    (Nothing, &[224, 225, 239, 226, 227, 228, 255, 543, 240, 223]),
    (Nothing, &[470, 471, 472, 691, 667, 875, 876, 873, 874]),
    (Zero, &[864]),
    // Other names of the instrument, its issuer, where it is listed, yesterday's price.
    (All, &[48, 22, 454, 106, 348, 349, 107, 350, 351, 207, 140]),
    // Who it is for, and how it is cleared, allocated, booked, charged and reported.
    (All, &[526, 583, 66, 453, 109, 76, 1, 660, 581, 439, 440]),
    (
        All,
        &[589, 590, 591, 70, 78, 544, 635, 81, 77, 203, 204, 427],
    ),
    (All, &[12, 13, 479, 497, 528, 529, 582, 47, 114, 377, 376]),
    (All, &[229, 75, 480, 481, 513, 494]),
    (All, &[58, 354, 355]),
];

/// Beyond the highest tag of the table.
const TAGS: usize = 1_024;

/// Which row of the table a tag is in, and one more; 0: none.
const ROWS: [u8; TAGS] = {
    let mut rows = [0; TAGS];
    let mut row = 0;
    while row < FIELDS.len() {
        let mut at = 0;
        while at < FIELDS[row].1.len() {
            let tag = FIELDS[row].1[at] as usize;
            assert!(rows[tag] == 0, "a field is in the table twice");
            rows[tag] = row as u8 + 1;
            at += 1;
        }
        row += 1;
    }
    rows
};

/// Which values of a field are taken. Fields of the header, and of entries whose count is taken, are not in the table.
fn takes(tag: u32) -> Takes {
    let row = ROWS.get(tag as usize).copied().unwrap_or(0);
    let row = usize::from(row).checked_sub(1);
    row.and_then(|row| FIELDS.get(row))
        .map_or(All, |(takes, _)| *takes)
}

/// A field that a request may not have, or not with this value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unsupported<'a> {
    version: Version,
    tag: u32,
    /// The value, of a field of which others are taken.
    value: Option<&'a [u8]>,
}

/// The longest value that is repeated in a text; those that the standard lists are shorter.
const LONGEST_SHOWN: usize = 8;

impl fmt::Display for Unsupported<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tag = self.tag;
        let field = Dictionary::of(self.version).field(tag);
        write!(f, "{} ({tag})", field.map_or("Field", |field| field.name))?;
        if let Some(value) = self.value {
            let value = value.get(..LONGEST_SHOWN).unwrap_or(value);
            write!(f, " {}", String::from_utf8_lossy(value))?;
        }
        f.write_str(" is not supported")
    }
}

/// A number may have zeros in front.
fn plain(value: &[u8]) -> &[u8] {
    match value {
        [b'0', rest @ ..] if !rest.is_empty() && rest.iter().all(u8::is_ascii_digit) => plain(rest),
        value => value,
    }
}

/// The first field of a request that is not supported.
fn find<'a>(message: &Message<'a>) -> Option<Unsupported<'a>> {
    let version = Version::from_begin_string(message.begin_string()).unwrap_or(Version::Fix44);
    let unsupported = |tag, value| Unsupported {
        version,
        tag,
        value,
    };
    message
        .fields()
        .flatten()
        .find_map(|field| match takes(field.tag) {
            All => None,
            Nothing => Some(unsupported(field.tag, None)),
            Zero => {
                let zero = Decimal::read(field.value).is_ok_and(|value| value.mantissa == 0);
                (!zero).then(|| unsupported(field.tag, None))
            }
            // MultipleValueString is separated by spaces; no other value here has any.
            Only(values) => {
                let mut parts = field.value.split(|byte| *byte == b' ');
                let taken = |part: &&[u8]| {
                    let part = plain(part);
                    values.iter().any(|value| value.as_bytes() == part)
                };
                let other = parts.find(|part| !taken(part))?;
                Some(unsupported(field.tag, Some(other)))
            }
        })
}

impl Exchange {
    /// Refuses a new order, a replacement or a cancel that asks for what is not implemented; returns whether it did. The journal does not
    /// have it, and its name is free.
    pub(crate) fn refuse_unsupported(
        &mut self,
        client: u32,
        message: &Message<'_>,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) -> bool {
        let response = match message.msg_type() {
            NewOrderSingle::MSG_TYPE => None,
            OrderCancelRequest::MSG_TYPE => Some(CancelRejectResponse::Cancel),
            OrderCancelReplaceRequest::MSG_TYPE => Some(CancelRejectResponse::Replace),
            _ => return false,
        };
        let Some(found) = find(message) else {
            return false;
        };
        let text = found.to_string();
        let get = |tag| {
            let mut fields = message.fields().flatten();
            Some(fields.find(|field| field.tag == tag)?.value)
        };
        let version = self.version(client);
        match response {
            Some(response) => {
                let name = |tag| get(tag).unwrap_or_default();
                let (names, reason) = (
                    (name(11), name(41)),
                    Refused::Unsupported.cancel_code(version),
                );
                self.reject_change(client, names, response, (reason, &text), now, outbox);
            }
            None => {
                let execution = Digits::new(self.uncounted_execution(now));
                let refusal = OrderRefusal {
                    order_id: b"NONE",
                    client_order_id: get(11),
                    execution_id: execution.bytes(),
                    transaction_type: (version == Version::Fix42).then_some(b'0'),
                    execution_type: ExecType::Rejected,
                    status: OrdStatus::Rejected,
                    reject_reason: Some(Refused::Unsupported.order_code(version)),
                    account: get(1),
                    symbol: get(55),
                    side: get(54),
                    quantity: get(38),
                    order_type: get(40),
                    price: get(44),
                    stop_price: get(99),
                    time_in_force: get(59),
                    leaves_quantity: whole(0),
                    cumulative_quantity: whole(0),
                    average_price: whole(0),
                    transact_time: Some(now),
                    text: Some(text.as_bytes()),
                };
                outbox.send(client, &Outgoing::Refusal(refusal));
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No field of the standard is forgotten.
    #[test]
    fn the_table_has_every_field_of_an_order() {
        for version in [Version::Fix42, Version::Fix44] {
            for msg_type in [b"D", b"F", b"G"] {
                let message = Dictionary::of(version).message(msg_type).unwrap();
                let forgotten: Vec<_> = (message.body.items.iter())
                    .map(|item| item.tag)
                    .filter(|tag| ROWS[*tag as usize] == 0)
                    .collect();
                assert_eq!(forgotten, [0_u32; 0], "{version:?} {}", message.name);
            }
        }
    }
}
