//! Orders whose price comes with the intent.

use formats::fix::{NewOrderSingle, OrderCancelReplaceRequest, Timestamp, Version};
use order::{ComputedOrder, Description, Templates, Text, TextError, computed_price_width};
use proptest::prelude::*;

use super::{
    MOST, any_description, any_order, digit_sums, framed, hardware_sums, instruments, number, words,
};

/// Sums of a computed price's digits, as `price_sums` has them: of those at even offsets in the message, at odd ones.
fn price_sums(price: u32, odd: u16) -> [u32; 2] {
    let digits = (0..10).map(|i| (usize::from(odd >> i & 1), price / 10_u32.pow(i) % 10));
    digit_sums(digits)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Otherwise it is refused: the quantity, or the price, has no room.
    #[test]
    fn a_computed_order_has_the_price_that_came_with_its_intent(
        description in any_description(), (instrument, order) in any_order(), price in 1..=u32::MAX, price_bits in 0_u32..32,
        replaces in proptest::option::of(1_u64..=999_999_999), of in 1_u64..=999_999_999, time in 0_u64..7_000_000_000_000,
    ) {
        let templates = Templates::compile(&description, MOST).unwrap();
        let index = instrument.index(description.instruments.len());
        let decimals = description.instruments[index].decimals;
        let (price, time) = ((price >> price_bits).max(1), Timestamp(time * 1_000_000));
        let order = ComputedOrder {
            replaces: replaces.map(number),
            side: order.side,
            instrument: index as u8,
            quantity: order.quantity,
            time_in_force: order.time_in_force,
            client_id: 7,
        };
        let room = description.price_width >= 10 + u8::from(decimals > 0);
        let quantity_fits = u64::from(order.quantity) < 10_u64.pow(description.quantity_width.into());
        let message = templates.computed_message(&order, price, number(of), time);
        prop_assert_eq!(message.is_ok(), room && quantity_fits, "{:?}", message);
        let prepared = templates.prepare(&order);
        let Ok(message) = message else {
            prop_assert_eq!(prepared.map(drop), message.map(drop));
            return Ok(());
        };
        prop_assert_eq!(message.len(), templates.length);
        let mut prepared = prepared.unwrap();
        // Nothing of what it was filled with before is left.
        prepared.message(u32::MAX, number(999_999_999), Timestamp(6_999_999_999_999_000_000));
        prop_assert_eq!(prepared.message(price, number(of), time), &message[..]);

        let read = framed(&message);
        prop_assert_eq!(session::dictionary::validate(Version::Fix44, &read), Ok(()));
        // The same order, prepared with its price, where that has room: between the two, the sign is a zero.
        let limit = templates.message(&order.at(price.into()), number(of), time);
        if let Ok(limit) = limit {
            prop_assert_eq!(&message, &limit);
        }
        let found = match order.replaces {
            None => read.read::<NewOrderSingle>().unwrap().1.price,
            Some(_) => read.read::<OrderCancelReplaceRequest>().unwrap().1.price,
        };
        prop_assert_eq!(found.and_then(|found| found.at_scale(decimals)), Some(i64::from(price)));
        let template = templates.template(order.instrument, order.form()).unwrap();
        // The point stands before the decimals: what comes after it is a byte further.
        let first = template.codes.iter().position(|code| code.bits() == 0x189).unwrap();
        let odd = |digit: usize| first + 9 - digit + usize::from(digit < decimals.into());
        let expected = (0..10).filter(|digit| odd(*digit) % 2 == 1).fold(0, |bits, digit| bits | 1 << digit);
        prop_assert_eq!(template.record.price_odd, expected);

        let text = Text::computed(&templates.layout, &order).unwrap().record();
        let (check, sum) = hardware_sums(template.record, text, price_sums(price, template.record.price_odd), number(of), time);
        let end = format!("\x0110={check:03}\x01");
        prop_assert!(message.ends_with(end.as_bytes()), "{}", end);
        prop_assert_eq!(sum, words(&message));
    }
}

/// By hand: ten digits, the point before the decimals, zeros before them up to the width.
#[test]
fn the_price_of_a_computed_order_is_always_as_long_as_its_field() {
    let mut description = Description::new("A", "B", instruments(&[("X", 4), ("Y", 0)]));
    description.price_width = 13;
    let templates = Templates::compile(&description, MOST).unwrap();
    let price = |instrument, price| {
        let order = ComputedOrder {
            instrument,
            quantity: 1,
            ..ComputedOrder::default()
        };
        let message = templates.computed_message(&order, price, number(1), Timestamp(0));
        let text = String::from_utf8(message.unwrap()).unwrap();
        let (_, after) = text.split_once("\x0144=").unwrap();
        after.split_once('\x01').unwrap().0.to_owned()
    };
    assert_eq!(price(0, 5_853_300), "00000585.3300");
    assert_eq!(price(0, 1), "00000000.0001");
    assert_eq!(price(0, u32::MAX), "00429496.7295");
    assert_eq!(price(1, u32::MAX), "0004294967295");
}

#[test]
fn a_computed_price_needs_ten_digits_and_its_point() {
    for (decimals, width, least) in [(4, 10, 11), (7, 10, 11), (0, 9, 10)] {
        let mut description = Description::new("A", "B", instruments(&[("X", decimals)]));
        assert_eq!(computed_price_width(decimals), least);
        description.price_width = width;
        let prepare = |description: &Description| {
            let templates = Templates::compile(description, MOST).unwrap();
            templates.prepare(&ComputedOrder::default()).map(drop)
        };
        let narrow = TextError::PriceTooWide {
            price: 4_294_967_295,
            decimals,
            width,
        };
        assert_eq!(prepare(&description), Err(narrow));
        description.price_width = least;
        assert_eq!(prepare(&description), Ok(()));
        let other = ComputedOrder {
            instrument: 1,
            ..ComputedOrder::default()
        };
        let templates = Templates::compile(&description, MOST).unwrap();
        let refused = templates.prepare(&other).map(drop);
        assert_eq!(refused, Err(TextError::Instrument(1)));
    }
}
