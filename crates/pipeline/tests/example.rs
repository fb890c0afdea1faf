//! The example of a program of one's own does what it says.

use crate::best_ask;
use std::io::Write;

use formats::ethernet::MacAddress;
use formats::frame::UdpFrame;
use formats::itch::{AddOrder, Head, Message, Version};
use formats::{Side, mold};

/// A capture of a packet each: sells of AAPL at these prices.
fn capture(asks: &[u32]) -> Vec<u8> {
    let mut bytes = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0];
    bytes.extend([0; 8]);
    bytes.extend(65_535_u32.to_le_bytes());
    bytes.extend(1_u32.to_le_bytes());
    for (number, price) in (1..).zip(asks) {
        let mut message = vec![];
        let order = AddOrder {
            order_reference: number,
            side: Side::Sell,
            shares: 100,
            stock: "AAPL".parse().unwrap(),
            price: *price,
            head: Head::default(),
        };
        Message::from(order)
            .emit(Version::V50, &mut message)
            .unwrap();
        let mut packet = mold::Builder::new(*b"EXAMPLE   ", number);
        packet.push(&message).unwrap();
        let mut frame = vec![];
        let addresses = (
            MacAddress([2, 0, 0, 0, 0, 1]),
            "192.0.2.1".parse().unwrap(),
            26_400,
        );
        let headers = UdpFrame::new(addresses, addresses);
        headers.emit(packet.bytes(), &mut frame).unwrap();
        frame.truncate(frame.len() - 4);
        let length = (frame.len() as u32).to_le_bytes();
        bytes.extend([0; 8]);
        bytes.extend([length, length].concat());
        bytes.extend(frame);
    }
    bytes
}

#[test]
fn an_order_leaves_for_each_new_best_ask_of_the_capture() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&capture(&[5_851_000, 5_850_900, 5_852_000, 5_850_800]))
        .unwrap();
    let mut out = vec![];
    best_ask::run(file.path(), "AAPL", &mut out).unwrap();
    let orders = String::from_utf8(out).unwrap();
    let prices: Vec<&str> = orders
        .lines()
        .map(|order| order.split("\\x0144=").nth(1).unwrap())
        .map(|rest| rest.split('\\').next().unwrap().trim_start_matches('0'))
        .collect();
    assert_eq!(prices, ["585.1000", "585.0900", "585.0800"]);
}
