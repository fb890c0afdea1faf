//! The engine and the codec allocate nothing once they are built.

use crate::common;
use common::{NOW, limit, mixed};
use exchange::engine::{Engine, Instrument};
use exchange::order::{Event, Kind, NewOrder, OrderId, Replacement, TimeInForce};
use formats::Side;
use formats::fix::{self, Frame, Header, NewOrderSingle, Version};

#[test]
fn nothing_is_allocated_behind_the_construction() {
    let mut engine = Engine::new(1_000);
    let band = Instrument {
        lowest_price: 0,
        highest_price: 999,
        largest_quantity: 1_000,
    };
    engine.add(&band);
    let mut ids = [OrderId::default(); 256];
    let (mut events, mut refused) = (0_u64, 0_u64);
    let mut buffer = [0; 512];
    let header = Header {
        sender: b"A",
        target: b"B",
        ..Header::default()
    };
    let allocated = allocation_counter::measure(|| {
        for number in 0..200_000_u64 {
            let bits = mixed(number);
            let sink = &mut |_: &Event| events += 1;
            let place = (bits >> 8 & 255) as usize;
            let price = 480 + (bits >> 16 & 31) as i64;
            let quantity = bits >> 24 & 127;
            let order = NewOrder {
                side: if bits & 1 == 0 { Side::Buy } else { Side::Sell },
                kind: [Kind::Limit, Kind::Limit, Kind::Stop, Kind::StopLimit]
                    [(bits >> 1 & 3) as usize],
                time_in_force: if bits >> 3 & 7 == 0 {
                    TimeInForce::FillOrKill
                } else {
                    TimeInForce::Day
                },
                price,
                trigger: price + 3,
                quantity,
                ..NewOrder::default()
            };
            let done = match bits >> 40 & 7 {
                0 | 1 => engine.cancel(0, ids[place], sink),
                2 => {
                    let with = Replacement {
                        tag: 0,
                        price,
                        trigger: price,
                        quantity,
                    };
                    engine
                        .replace(0, ids[place], &with, sink)
                        .map(|id| ids[place] = id)
                }
                _ => engine.submit(&order, sink).map(|id| ids[place] = id),
            };
            refused += u64::from(done.is_err());
            let message = limit(b"name", order.side, price, quantity as i64);
            let length = fix::encode(&mut buffer, Version::Fix44, &header, &message).unwrap();
            let Frame::Message(found) = fix::frame(&buffer[..length], fix::LONGEST_BODY) else {
                panic!()
            };
            assert_eq!(found.read::<NewOrderSingle<'_>>().unwrap().1, message);
        }
    });
    assert_eq!(allocated.count_total, 0);
    assert!(
        events > 200_000 && refused > 1_000,
        "{events} events, {refused} refused at {NOW:?}"
    );
}
