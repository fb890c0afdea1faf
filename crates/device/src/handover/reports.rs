//! What the exchange says about our orders: the twin of `rtl/decoder/fix/fix_reports.sv`.

use order::Number;
use risk::{Execution, ExecutionReport};
use wire::fix::{self, Decimal, ExecType, Message, OrdStatus, OrderCancelReject};

/// Digits after the prefix of our ClOrdIDs.
const DIGITS: usize = 9;
/// The core reads a CumQty below this.
const MOST_TRADED: u32 = 1 << 31;

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
        traded: whole(report.cumulative_quantity).filter(|traded| *traded < MOST_TRADED)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::fix::{CancelRejectResponse, Frame, Header, Version};

    fn number(value: u64) -> Number {
        Number::new(value).unwrap()
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
