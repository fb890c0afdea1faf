//! The FIX codec: an order encoded, an execution report parsed.

use std::hint::black_box;
use std::time::Instant;

use formats::Side;
use formats::fix::{
    self, Decimal, ExecType, ExecutionReport, Frame, Header, NewOrderSingle, OrdStatus, OrdType,
    TimeInForce, Timestamp, Version,
};
use serde::Serialize;

/// The codec's times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Codec {
    /// Nanoseconds to encode an order.
    pub encode_order_ns: f64,
    /// Nanoseconds to frame an execution report, verify its CheckSum and read it into its struct.
    pub parse_report_ns: f64,
    /// The length of that report, in bytes.
    pub report_bytes: usize,
}

/// Measures the codec; the best of `passes` of a thousand messages counts.
pub fn codec(passes: u32) -> Codec {
    let now = Timestamp(1_795_280_174_123_000_000);
    let header = Header {
        sender: b"CLIENT1",
        target: b"EXCH",
        sequence: 12_345,
        sending_time: now,
        ..Header::default()
    };
    let price = Decimal::new(5_850_500, 4);
    let order = NewOrderSingle {
        client_order_id: b"ORD0012345",
        handling: Some(b'1'),
        symbol: b"AAPL",
        side: Side::Buy,
        transact_time: now,
        quantity: Some(Decimal::new(100, 0)),
        order_type: OrdType::Limit,
        price: Some(price),
        time_in_force: Some(TimeInForce::Day),
        ..NewOrderSingle::default()
    };
    let report = ExecutionReport {
        order_id: b"4294967297",
        client_order_id: Some(b"ORD0012345"),
        execution_id: b"1234567",
        execution_type: ExecType::Trade,
        status: OrdStatus::PartiallyFilled,
        symbol: b"AAPL",
        side: Side::Buy,
        quantity: Some(Decimal::new(100, 0)),
        price: Some(price),
        last_quantity: Some(Decimal::new(40, 0)),
        last_price: Some(price),
        leaves_quantity: Decimal::new(60, 0),
        cumulative_quantity: Decimal::new(40, 0),
        average_price: price,
        transact_time: Some(now),
        ..ExecutionReport::default()
    };
    let mut buffer = [0; 512];
    let length = fix::encode(&mut buffer, Version::Fix44, &header, &report).unwrap_or(0);
    let bytes = buffer[..length].to_vec();
    let encode_order_ns = best(passes, |pass| {
        let header = Header {
            sequence: 10_000 + pass,
            // Ten thousand orders a second.
            sending_time: Timestamp(now.0 + pass * 100_000),
            ..header
        };
        black_box(
            fix::encode(
                &mut buffer,
                Version::Fix44,
                black_box(&header),
                black_box(&order),
            )
            .is_ok(),
        );
        black_box(&buffer);
    });
    let parse_report_ns = best(passes, |_| {
        if let Frame::Message(message) = fix::frame(black_box(&bytes), fix::LONGEST_BODY) {
            let _ = black_box(message.read::<ExecutionReport<'_>>());
        }
    });
    Codec {
        encode_order_ns,
        parse_report_ns,
        report_bytes: length,
    }
}

/// Nanoseconds a run: the best of several passes of a thousand.
fn best(passes: u32, mut run: impl FnMut(u64)) -> f64 {
    let pass = |_| {
        let start = Instant::now();
        (0..1_000).for_each(&mut run);
        start.elapsed().as_secs_f64() * 1e6
    };
    (0..passes).map(pass).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_that_is_measured_is_a_message_of_230_bytes() {
        let measured = codec(1);
        assert_eq!(measured.report_bytes, 230);
        assert!(measured.encode_order_ns > 0.0 && measured.parse_report_ns > 0.0);
    }
}
