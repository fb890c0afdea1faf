//! Messages of compiled templates against an independent FIX reader, and the sums for the hardware against the bytes.

#[path = "messages/computed.rs"]
mod computed;

use formats::Side;
use formats::fix::{
    self, Frame, Message, NewOrderSingle, OrdType, OrderCancelReplaceRequest, OrderCancelRequest,
    TimeInForce, Timestamp, Version,
};
use order::{
    Code, CompileError, Description, DescriptionError, Form, Instrument, Kind, Number, Occurrence,
    Order, Record, TEXT_BYTES, Templates, TextError, TextRecord, time_digits,
};
use proptest::prelude::*;

/// Spoils a description.
type Change<'a> = &'a dyn Fn(&mut Description);

/// Those that orders may have.
const TIMES_IN_FORCE: [TimeInForce; 4] = [
    TimeInForce::Day,
    TimeInForce::GoodTillCancel,
    TimeInForce::ImmediateOrCancel,
    TimeInForce::FillOrKill,
];

/// `MESSAGE` of the core.
const MOST: usize = 256;

fn instruments(symbols: &[(&str, u8)]) -> Vec<Instrument> {
    let instrument = |(symbol, decimals): &(&str, u8)| Instrument {
        symbol: (*symbol).to_owned(),
        decimals: *decimals,
    };
    symbols.iter().map(instrument).collect()
}

fn number(value: u64) -> Number {
    Number::new(value).unwrap()
}

/// By hand, from FIX 4.4: the sums are those of `printf … | od`, not of the code under test.
#[test]
fn a_limit_order_is_this_message() {
    let mut description = Description::new("TW", "EX", instruments(&[("AAPL", 2)]));
    description.client_order_id_prefix = "T".to_owned();
    description.fields = vec![(59, "0".to_owned())];
    description.quantity_width = 5;
    description.price_width = 9;
    let templates = Templates::compile(&description, MOST).unwrap();
    let order = Order {
        side: Side::Sell,
        price: Some(-58_501),
        quantity: 300,
        ..Order::default()
    };
    let time = Timestamp::parse(b"20120621-13:30:00.005").unwrap();
    let message = templates.message(&order, number(42), time).unwrap();
    let text = String::from_utf8(message).unwrap().replace('\x01', "|");
    // A replacement has 14 bytes more, `41=T#########|`: Text fills as many.
    let body = "35=D|49=TW|56=EX|34=000000042|52=20120621-13:30:00.005|11=T000000042|55=AAPL|59=0|40=2|58=xxxxxxxxxx|\
                44=-00585.01|54=2|38=00300|60=20120621-13:30:00.005|";
    let length = body.len();
    let front = format!("8=FIX.4.4|9={length}|{body}");
    let sum = front
        .bytes()
        .map(|b| if b == b'|' { 1 } else { u32::from(b) });
    let check = sum.sum::<u32>() % 256;
    assert_eq!(text, format!("{front}10={check:03}|"));
}

fn framed(bytes: &[u8]) -> Message<'_> {
    match fix::frame(bytes, fix::LONGEST_BODY) {
        Frame::Message(message) if message.len() == bytes.len() => message,
        other => panic!("{other:?}: {}", String::from_utf8_lossy(bytes)),
    }
}

/// Sums of a field's digits, as number and clock of the hardware have them: at even offsets from its first byte, at odd ones.
fn digit_sums(offsets_and_digits: impl Iterator<Item = (usize, u32)>) -> [u32; 2] {
    offsets_and_digits.fold([0; 2], |mut sums, (offset, digit)| {
        sums[offset % 2] += digit;
        sums
    })
}

fn folded(mut sum: u32) -> u32 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum % 0xffff
}

/// What `order_tx` computes: the CheckSum, and the sum it gives TCP, from the records and the digits alone.
fn hardware_sums(
    record: Record,
    text: TextRecord,
    of_price: [u32; 2],
    number: Number,
    time: Timestamp,
) -> (u32, u32) {
    let of_number =
        digit_sums((0..9).map(|i| (i, (number.digits() >> (4 * (8 - i)) & 0xf) as u32)));
    let shape = b"YYYYMMDD-HH:MM:SS.mmm".iter().enumerate();
    let places = shape.filter(|(_, c)| c.is_ascii_alphabetic());
    let digits = (0..17).map(|i| (time_digits(time) >> (4 * (16 - i)) & 0xf) as u32);
    let of_time = digit_sums(places.map(|(offset, _)| offset).zip(digits));
    let mut sums = [0; 2];
    for (at, of) in [(record.number_at, of_number), (record.time_at, of_time)] {
        let [even, odd] = of;
        let (first, second) = match at {
            Occurrence::BothEven => (2 * even, 2 * odd),
            Occurrence::OneEach => (even + odd, even + odd),
            Occurrence::BothOdd => (2 * odd, 2 * even),
        };
        sums[0] += first;
        sums[1] += second;
    }
    let [even, odd] = of_price;
    sums[0] += even;
    sums[1] += odd;
    let bytes = u32::from(record.byte_sum) + u32::from(text.byte_sum) + sums[0] + sums[1];
    let check = bytes % 256;
    let (outer, inner) = (check / 100 + check % 10, check / 10 % 10);
    let word = if record.check_odd {
        inner << 8 | outer
    } else {
        outer << 8 | inner
    };
    let words = (sums[0] << 8) + sums[1] + word;
    (
        check,
        folded(u32::from(record.sum) + u32::from(text.sum) + words),
    )
}

/// The ones'-complement sum of a message, in one go.
fn words(bytes: &[u8]) -> u32 {
    let words = bytes
        .chunks(2)
        .map(|pair| u32::from(pair[0]) << 8 | pair.get(1).copied().map_or(0, u32::from));
    words.sum::<u32>() % 0xffff
}

/// The rules of `order_template_pkg`, code by code.
fn keeps_the_rules(templates: &Templates, form: Form, codes: &[Code]) {
    assert_eq!(codes.len(), templates.length);
    let dynamic = |from: u16, count: u16| -> Vec<usize> {
        let found = codes
            .iter()
            .enumerate()
            .filter(|(_, code)| code.bits() == 0x140 + from);
        let starts: Vec<usize> = found.map(|(offset, _)| offset).collect();
        for start in &starts {
            let mut next = from;
            for code in codes.get(*start..).unwrap() {
                if code.bits() == 0x140 + next {
                    next += 1;
                } else {
                    assert!(code.bits() < 0x100, "a digit out of turn");
                }
                if next == from + count {
                    break;
                }
            }
            assert_eq!(next, from + count);
        }
        starts
    };
    assert_eq!(dynamic(0, 17).len(), 2, "times");
    assert_eq!(dynamic(17, 9).len(), 2, "numbers");
    assert_eq!(dynamic(26, 3), [codes.len() - 4], "CheckSum");
    let digits = codes
        .iter()
        .filter(|code| code.bits() & 0x140 == 0x140)
        .count();
    assert_eq!(digits, 2 * 17 + 2 * 9 + 3);
    // The last digit is 0: they come from 9 down to 0.
    let price = codes.iter().map(|code| code.bits());
    let price: Vec<_> = price.filter(|bits| bits & 0x180 == 0x180).collect();
    let all: Vec<_> = (0x180..=0x189).rev().collect();
    assert_eq!(price, if form.is_computed() { all } else { vec![] });

    let mut seen = [0; TEXT_BYTES];
    for (beat, codes) in codes.chunks(8).enumerate() {
        let mut words = vec![];
        for (lane, code) in codes.iter().enumerate() {
            if code.bits() & 0x1c0 == 0x100 {
                let byte = usize::from(code.bits() & 0x3f);
                assert_eq!(byte % 8, lane, "lane of byte {byte} in beat {beat}");
                seen[byte] += 1;
                words.push(byte / 8);
            }
        }
        words.dedup();
        assert!(
            words.len() <= 1,
            "beat {beat} needs the words {words:?} of the text"
        );
    }
    let layout = templates.layout;
    let mut wanted = [0; TEXT_BYTES];
    let fields = [
        (true, layout.side_at, 1),
        (true, layout.quantity_at, layout.quantity_width),
        (form.has_price(), layout.price_at, layout.price_width),
        (form.has_original(), layout.original_at, 9),
        (
            layout.time_in_force_at.is_some() && form != Form::Cancel,
            layout.time_in_force_at.unwrap_or_default(),
            1,
        ),
    ];
    for (_, at, width) in fields.into_iter().filter(|(present, ..)| *present) {
        for byte in at..at + width {
            wanted[usize::from(byte)] += 1;
        }
    }
    assert_eq!(seen, wanted);
}

prop_compose! {
    fn any_description()(
        sender in "[A-Z]{1,12}", target in "[A-Z]{1,12}", account in proptest::option::of("[A-Z0-9]{1,10}"), prefix in "[A-Z]{0,4}",
        quantity_width in 1_u8..=10, symbols in proptest::collection::btree_set("[A-Z]{1,8}", 1..5), decimals in 0_u8..=8,
        time_in_force in 0..3, extra in 0_u8..=4,
    ) -> Description {
        let symbols: Vec<_> = symbols.iter().map(|symbol| (symbol.as_str(), decimals)).collect();
        let mut description = Description::new(&sender, &target, instruments(&symbols));
        description.account = account;
        description.client_order_id_prefix = prefix;
        description.quantity_width = quantity_width;
        description.price_width = 2 + decimals + u8::from(decimals > 0) + extra;
        // None, a constant, each order's own.
        description.fields = if time_in_force == 1 { vec![(59, "3".to_owned())] } else { vec![] };
        description.time_in_force = time_in_force == 2;
        description
    }
}

prop_compose! {
    fn any_order()(
        kind in 0..3_usize, of in 1_u64..=999_999_999, sell in any::<bool>(), instrument in any::<prop::sample::Index>(), market in any::<bool>(),
        price in any::<i64>(), price_bits in 0_u32..63, quantity in any::<u32>(), quantity_bits in 0_u32..31, in_force in 0..4_usize,
    ) -> (prop::sample::Index, Order) {
        let kind = [Kind::New, Kind::Cancel(number(of)), Kind::Replace(number(of))][kind];
        let price = (kind != Kind::New || !market).then_some(price >> price_bits);
        let side = if sell { Side::Sell } else { Side::Buy };
        let time_in_force = TIMES_IN_FORCE[in_force];
        (instrument, Order { kind, side, instrument: 0, price, quantity: quantity >> quantity_bits, time_in_force, client_id: 7 })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn templates_keep_the_rules_of_the_hardware(description in any_description()) {
        let templates = Templates::compile(&description, MOST).unwrap();
        for (index, _) in description.instruments.iter().enumerate() {
            let point = u8::from(description.instruments[index].decimals > 0);
            for form in Form::ALL {
                let template = templates.template(index as u8, form);
                let room = !form.is_computed() || description.price_width >= 10 + point;
                prop_assert_eq!(template.is_some(), room);
                if let Some(template) = template {
                    keeps_the_rules(&templates, form, &template.codes);
                }
            }
        }
    }

    /// Otherwise the order is refused, because a number is too wide.
    #[test]
    fn a_message_says_what_the_order_is(
        description in any_description(), (instrument, order) in any_order(), of in 1_u64..=999_999_999, time in 0_u64..7_000_000_000_000,
    ) {
        let templates = Templates::compile(&description, MOST).unwrap();
        let index = instrument.index(description.instruments.len());
        let order = Order { instrument: index as u8, ..order };
        let decimals = description.instruments[index].decimals;
        let time = Timestamp(time * 1_000_000);
        let fits = |value: u64, width: u32| value < 10_u64.pow(width);
        let digits = u32::from(description.price_width) - 1 - u32::from(decimals > 0);
        let price_fits = !order.form().has_price() || fits(order.price.unwrap().unsigned_abs(), digits);
        let quantity_fits = fits(order.quantity.into(), description.quantity_width.into());
        let message = templates.message(&order, number(of), time);
        prop_assert_eq!(message.is_ok(), price_fits && quantity_fits, "{:?}", message);
        let Ok(message) = message else { return Ok(()) };
        prop_assert_eq!(message.len(), templates.length);

        let read = framed(&message);
        prop_assert_eq!(session::dictionary::validate(Version::Fix44, &read), Ok(()));
        let id = format!("{}{of:09}", description.client_order_id_prefix);
        let original = order.original().map(|n| format!("{}{:09}", description.client_order_id_prefix, n.get()));
        let symbol = description.instruments[index].symbol.as_bytes();
        let quantity = Some(i64::from(order.quantity));
        let constant = description.fields.first().map(|_| TimeInForce::ImmediateOrCancel);
        let time_in_force = if description.time_in_force { Some(order.time_in_force) } else { constant };
        let header = match order.kind {
            Kind::New => {
                let (header, body) = read.read::<NewOrderSingle>().unwrap();
                prop_assert_eq!((body.client_order_id, body.symbol, body.side), (id.as_bytes(), symbol, order.side));
                prop_assert_eq!(body.quantity.and_then(|q| q.at_scale(0)), quantity);
                prop_assert_eq!(body.price.map(|p| p.at_scale(decimals)), order.price.map(Some));
                prop_assert_eq!(body.order_type, if order.price.is_some() { OrdType::Limit } else { OrdType::Market });
                prop_assert_eq!(body.account, description.account.as_deref().map(str::as_bytes));
                prop_assert_eq!(body.time_in_force, time_in_force);
                prop_assert_eq!(body.transact_time, time);
                header
            }
            Kind::Cancel(_) => {
                let (header, body) = read.read::<OrderCancelRequest>().unwrap();
                prop_assert_eq!((body.client_order_id, body.symbol, body.side), (id.as_bytes(), symbol, order.side));
                prop_assert_eq!(Some(body.original_client_order_id), original.as_deref().map(str::as_bytes));
                prop_assert_eq!(body.quantity.and_then(|q| q.at_scale(0)), quantity);
                prop_assert_eq!(body.transact_time, time);
                header
            }
            Kind::Replace(_) => {
                let (header, body) = read.read::<OrderCancelReplaceRequest>().unwrap();
                prop_assert_eq!((body.client_order_id, body.symbol, body.side), (id.as_bytes(), symbol, order.side));
                prop_assert_eq!(Some(body.original_client_order_id), original.as_deref().map(str::as_bytes));
                prop_assert_eq!(body.price.map(|p| p.at_scale(decimals)), order.price.map(Some));
                prop_assert_eq!(body.quantity.and_then(|q| q.at_scale(0)), quantity);
                prop_assert_eq!(body.time_in_force, time_in_force);
                header
            }
        };
        prop_assert_eq!((header.sender, header.target), (description.sender.as_bytes(), description.target.as_bytes()));
        prop_assert_eq!((header.sequence, header.sending_time), (of, time));

        let record = templates.template(order.instrument, order.form()).unwrap().record;
        let text = templates.text(&order).unwrap().record();
        let (check, sum) = hardware_sums(record, text, [0; 2], number(of), time);
        let end = format!("\x0110={check:03}\x01");
        prop_assert!(message.ends_with(end.as_bytes()), "{}", end);
        prop_assert_eq!(sum, words(&message));
    }
}

#[test]
fn a_price_that_does_not_fit_says_which_width_to_raise() {
    let mut description = Description::new("A", "B", instruments(&[("X", 2), ("Y", 0)]));
    description.price_width = 5; // sign, a digit, point, two decimals
    let templates = Templates::compile(&description, MOST).unwrap();
    let order = |instrument, price| Order {
        instrument,
        price: Some(price),
        quantity: 1,
        ..Order::default()
    };
    assert!(templates.text(&order(0, -999)).is_ok());
    let refused = templates.text(&order(0, 1_000)).unwrap_err();
    assert_eq!(
        refused,
        TextError::PriceTooWide {
            price: 1_000,
            decimals: 2,
            width: 5
        }
    );
    assert!(refused.to_string().contains("raise price_width"));
    // Without decimals all but the sign are digits.
    assert!(templates.text(&order(1, 9_999)).is_ok());
    assert!(templates.text(&order(1, i64::MIN)).is_err());
    assert_eq!(templates.text(&order(2, 1)), Err(TextError::Instrument(2)));
}

#[test]
fn what_cannot_be_compiled_is_refused_with_what_to_change() {
    let good = Description::new("A", "B", instruments(&[("X", 2)]));
    let refused = |change: Change| {
        let mut description = good.clone();
        change(&mut description);
        Templates::compile(&description, MOST).unwrap_err()
    };
    let cases: [(Change, DescriptionError); 13] = [
        (
            &|d| d.sender.clear(),
            DescriptionError::Empty("SenderCompID"),
        ),
        (
            &|d| d.quantity_width = 11,
            DescriptionError::QuantityWidth(11),
        ),
        (
            &|d| d.quantity_width = 0,
            DescriptionError::QuantityWidth(0),
        ),
        (
            &|d| d.price_width = 4,
            DescriptionError::PriceWidth {
                width: 4,
                symbol: "X".into(),
                decimals: 2,
                least: 5,
                most: 21,
            },
        ),
        (
            &|d| d.price_width = 22,
            DescriptionError::PriceWidth {
                width: 22,
                symbol: "X".into(),
                decimals: 2,
                least: 5,
                most: 21,
            },
        ),
        (
            &|d| (d.time_in_force, d.price_width) = (true, 21),
            DescriptionError::PriceWidth {
                width: 21,
                symbol: "X".into(),
                decimals: 2,
                least: 5,
                most: 20,
            },
        ),
        (
            &|d| (d.time_in_force, d.fields) = (true, vec![(59, "3".into())]),
            DescriptionError::OwnTag(59),
        ),
        (
            &|d| d.instruments[0].decimals = 9,
            DescriptionError::Decimals {
                symbol: "X".into(),
                decimals: 9,
            },
        ),
        (
            &|d| d.fields = vec![(38, "1".into())],
            DescriptionError::OwnTag(38),
        ),
        (
            &|d| d.fields = vec![(526, "1".into())],
            DescriptionError::OwnTag(526),
        ),
        (
            &|d| d.fields = vec![(21, "1".into()), (21, "2".into())],
            DescriptionError::Twice(21),
        ),
        (
            &|d| d.instruments.push(d.instruments[0].clone()),
            DescriptionError::SameSymbol("X".into()),
        ),
        (&|d| d.instruments.clear(), DescriptionError::NoInstruments),
    ];
    for (change, expected) in cases {
        assert_eq!(refused(change), CompileError::Description(expected));
    }
    let smuggled = refused(&|d| d.account = Some("A\x0138=9".into()));
    assert!(
        smuggled.to_string().contains("printable ASCII"),
        "{smuggled}"
    );
    let long = refused(&|d| d.sender = "S".repeat(120));
    assert!(
        matches!(&long, CompileError::TooLong { symbol, most: MOST, .. } if symbol == "X"),
        "{long}"
    );
    let many: Vec<_> = (0..300)
        .map(|i| Instrument {
            symbol: format!("S{i}"),
            decimals: 0,
        })
        .collect();
    assert_eq!(
        refused(&|d| d.instruments = many.clone()),
        CompileError::TooManyInstruments {
            found: 300,
            most: 256
        }
    );
}
