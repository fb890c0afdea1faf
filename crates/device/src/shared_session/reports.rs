//! What the exchange says about our orders: the twin of `rtl/decoder/fix/fix_reports.sv`.

use formats::fix::{self, Decimal, ExecType, Message, OrdStatus, OrderCancelReject};
use order::Number;
use risk::{Execution, ExecutionReport};

/// Tag of LastPx.
const LAST_PRICE: u32 = 31;
/// Digits of LastPx that the core reads.
const MOST_PRICE_DIGITS: usize = 18;
/// The core carries prices of fills below this, without their sign.
const MOST_PRICE: u64 = 1 << 32;
/// It carries reasons up to this one, which also stands for those above it.
const MOST_REASON: u32 = 0xffff;

/// Digits after the prefix of our ClOrdIDs.
const DIGITS: usize = 9;
/// The core reads a CumQty, an OrdRejReason and a CxlRejReason below this.
const MOST_WHOLE: u32 = 1 << 31;

/// What a message says about a fill or a refusal, besides the [report](execution_report).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ExecutionDetails {
    /// The price of the last fill (LastPx), in the scale of the instruments' prices; `None`: the message gives none, or none of that scale between -2^32 and
    /// 2^32.
    pub price: Option<i64>,
    /// Why the exchange refused: OrdRejReason (103) or CxlRejReason (102), 65,535 if its code is more; 0 if it gives none.
    pub reason: i64,
}

/// The details of a message that has a [report](execution_report); `decimals`: those of the instruments' prices.
pub fn execution_details(message: &Message<'_>, decimals: u8) -> ExecutionDetails {
    let code = |reason: Option<u32>| reason.unwrap_or_default().min(MOST_REASON).into();
    if let Ok((_, report)) = message.read::<fix::ExecutionReport<'_>>() {
        let price = report.last_price.and_then(|price| price.at_scale(decimals));
        ExecutionDetails {
            price: price.filter(|price| price.unsigned_abs() < MOST_PRICE),
            reason: code(report.reject_reason),
        }
    } else if let Ok((_, reject)) = message.read::<OrderCancelReject<'_>>() {
        ExecutionDetails {
            price: None,
            reason: code(reject.reason),
        }
    } else {
        ExecutionDetails::default()
    }
}

/// Whether LastPx, if the message has it, has no more digits than the core reads.
fn price_is_short(message: &Message<'_>) -> bool {
    let mut fields = message.fields().flatten();
    let price = fields.find(|field| field.tag == LAST_PRICE);
    price.is_none_or(|price| {
        let digits = price.value.iter().filter(|byte| byte.is_ascii_digit());
        digits.count() <= MOST_PRICE_DIGITS
    })
}

/// What a message says about an order of ours, whose ClOrdIDs begin with `prefix`; `None` if nothing that can be understood.
pub fn execution_report(prefix: &[u8], message: &Message<'_>) -> Option<ExecutionReport> {
    let number = |name: &[u8]| {
        let digits = name.strip_prefix(prefix)?;
        let good = digits.len() == DIGITS && digits.iter().all(u8::is_ascii_digit);
        let value = std::str::from_utf8(digits).ok().filter(|_| good)?;
        Number::new(value.parse().ok()?).ok()
    };
    if message.msg_type() == b"9" {
        let (_, reject) = message.read::<OrderCancelReject<'_>>().ok()?;
        if reject.reason.is_some_and(|reason| reason >= MOST_WHOLE) {
            return None;
        }
        return Some(ExecutionReport {
            what: Execution::ChangeRefused,
            number: number(reject.client_order_id)?,
            original: number(reject.original_client_order_id),
            traded: 0,
        });
    }
    if message.msg_type() != b"8" {
        return None;
    }
    let (_, report) = message.read::<fix::ExecutionReport<'_>>().ok()?;
    let reason = report.reject_reason;
    if reason.is_some_and(|reason| reason >= MOST_WHOLE) || !price_is_short(message) {
        return None;
    }
    let whole = |quantity: Decimal| u32::try_from(quantity.at_scale(0)?).ok();
    let what = if report.execution_type == ExecType::Replaced {
        Execution::Replaced
    } else {
        match report.status {
            OrdStatus::Rejected => Execution::Rejected,
            OrdStatus::Filled
            | OrdStatus::Canceled
            | OrdStatus::Expired
            | OrdStatus::DoneForDay => Execution::Closed,
            _ => Execution::Open,
        }
    };
    Some(ExecutionReport {
        what,
        number: number(report.client_order_id?)?,
        original: report.original_client_order_id.and_then(number),
        traded: whole(report.cumulative_quantity).filter(|traded| *traded < MOST_WHOLE)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::fix::{CancelRejectResponse, Frame, Header, Version};

    fn number(value: u64) -> Number {
        Number::new(value).unwrap()
    }

    /// What a message of these fields after MsgType says, `|` between them, at four decimals.
    fn said(msg_type: &str, fields: &str) -> Option<ExecutionDetails> {
        let header = "49=EX|56=TW|34=7|52=20240228-23:59:59.990|";
        let body = format!("35={msg_type}|{header}{fields}|").replace('|', "\x01");
        let mut text = format!("8=FIX.4.4\x019={}\x01{body}", body.len());
        text += &format!("10={:03}\x01", fix::checksum(text.as_bytes()));
        match fix::frame(text.as_bytes(), 512) {
            Frame::Message(message) => {
                execution_report(b"T", &message).map(|_| execution_details(&message, 4))
            }
            _ => panic!("{text}"),
        }
    }

    fn price(text: &str) -> Option<Option<i64>> {
        let fields = "37=1|11=T000000006|17=1|150=F|39=1|55=A|54=1|151=60|14=40|6=0";
        Some(said("8", &format!("{fields}|31={text}"))?.price)
    }

    /// As in tests/rtl/test_fix_reports.py.
    #[test]
    fn the_price_of_a_fill_comes_in_the_instruments_scale_or_not_at_all() {
        let largest = (1 << 32) - 1;
        for (text, scaled) in [
            ("585.33", 5_853_300),
            ("585.33000000", 5_853_300),
            ("7.", 70_000),
            (".5", 5_000),
            ("0", 0),
            ("0000000000007.25", 72_500),
            ("-0.0025", -25),
            ("-429496.7295", -largest),
            ("000429496.729500000", largest),
        ] {
            assert_eq!(price(text), Some(Some(scaled)), "{text}");
        }
        let none = [
            "0.00001",
            "-0.00001",
            "429496.7296",
            "-429496.7296",
            "999999999999999999",
            "6871947.6736",
            "0.00000000000000001",
        ];
        for text in none {
            assert_eq!(price(text), Some(None), "{text}");
        }
        let zeros = "0".repeat(19);
        let not_understood = [
            "",
            "-",
            ".",
            "-.",
            "+1",
            "1e4",
            "1.2.3",
            "1-",
            "--1",
            "1,5",
            " 1",
            "x",
            "1234567890123456789",
            &zeros,
            "0.000000000000000000",
            // Twice.
            "1\x0131=1",
        ];
        for text in not_understood {
            assert_eq!(price(text), None, "{text}");
        }
    }

    #[test]
    fn a_refusal_has_the_exchanges_reason() {
        let rejected = "37=1|11=T000000006|17=1|150=8|39=8|55=A|54=1|151=0|14=0|6=0";
        let refused = "37=1|11=T000000006|41=T000000005|39=0|434=1";
        for (msg_type, fields, tag) in [("8", rejected, 103), ("9", refused, 102)] {
            let reason = |text: &str| said(msg_type, &format!("{fields}|{tag}={text}"));
            for (text, code) in [
                ("0", 0),
                ("99", 99),
                ("007", 7),
                ("65535", 65_535),
                ("65536", 65_535),
                ("2147483647", 65_535),
            ] {
                assert_eq!(reason(text).unwrap().reason, code, "{text}");
            }
            for text in ["", "-1", "1.", "1.0", ".", "x", "2147483648", "4294967296"] {
                assert_eq!(reason(text), None, "{text}");
            }
            assert_eq!(said(msg_type, fields).unwrap().reason, 0);
        }
        // 102 belongs to 35=9 alone, 103 to 35=8.
        assert_eq!(said("8", &format!("{rejected}|102=3")).unwrap().reason, 0);
        let other = said("9", &format!("{refused}|103=3|31=5"));
        assert_eq!(other, Some(ExecutionDetails::default()));
    }

    fn told<'a>(body: &impl fix::Body<'a>) -> Option<ExecutionReport> {
        let mut buffer = vec![0; 512];
        let header = Header {
            sender: b"EX",
            target: b"TW",
            sequence: 1,
            ..Header::default()
        };
        let length = fix::encode(&mut buffer, Version::Fix44, &header, body).unwrap();
        match fix::frame(&buffer[..length], 512) {
            Frame::Message(message) => execution_report(b"T", &message),
            _ => panic!("{}", String::from_utf8_lossy(&buffer[..length])),
        }
    }

    #[test]
    fn reports_are_read_by_the_numbers_in_their_names() {
        let report = fix::ExecutionReport {
            order_id: b"1",
            execution_id: b"1",
            symbol: b"ABC",
            client_order_id: Some(b"T000000006"),
            original_client_order_id: Some(b"T000000005"),
            execution_type: ExecType::Replaced,
            leaves_quantity: Decimal::new(21, 0),
            cumulative_quantity: Decimal::new(400, 2),
            ..fix::ExecutionReport::default()
        };
        let said = |what, traded| {
            Some(ExecutionReport {
                what,
                number: number(6),
                original: Some(number(5)),
                traded,
            })
        };
        assert_eq!(told(&report), said(Execution::Replaced, 4));
        let cancelled = fix::ExecutionReport {
            execution_type: ExecType::Canceled,
            status: OrdStatus::Canceled,
            ..report
        };
        assert_eq!(told(&cancelled), said(Execution::Closed, 4));
        for other in [
            &b"U000000006"[..],
            b"T00000006",
            b"T0000000006",
            b"T+00000006",
        ] {
            let others = fix::ExecutionReport {
                client_order_id: Some(other),
                ..report
            };
            assert_eq!(told(&others), None);
        }
        for (status, what) in [
            (OrdStatus::Filled, Execution::Closed),
            (OrdStatus::Expired, Execution::Closed),
            (OrdStatus::DoneForDay, Execution::Closed),
            (OrdStatus::Rejected, Execution::Rejected),
            (OrdStatus::PartiallyFilled, Execution::Open),
            (OrdStatus::New, Execution::Open),
        ] {
            let report = fix::ExecutionReport {
                execution_type: ExecType::New,
                status,
                ..report
            };
            assert_eq!(told(&report), said(what, 4));
        }
        for quantity in [
            Decimal::new(1 << 31, 0),
            Decimal::new(15, 1),
            Decimal::new(-1, 0),
        ] {
            let report = fix::ExecutionReport {
                cumulative_quantity: quantity,
                ..report
            };
            assert_eq!(told(&report), None);
        }
        let reject = OrderCancelReject {
            order_id: b"1",
            client_order_id: b"T000000006",
            original_client_order_id: b"T000000005",
            response_to: CancelRejectResponse::Replace,
            ..OrderCancelReject::default()
        };
        assert_eq!(told(&reject), said(Execution::ChangeRefused, 0));
    }
}
