use super::*;

#[test]
fn an_order_is_held_against_the_last_price_that_was_in_before_it() {
    let mut watch = Watch::default();
    let mut see = |by_core, text: &str, first, last| {
        let bytes = format!("8=FIX.4.4|9=5|{text}|10=000|").replace('|', "\x01");
        watch.see(&Seen {
            by_core,
            bytes: bytes.as_bytes(),
            first,
            last,
        });
    };
    see(true, "35=D", 10, 20); // after no price
    see(false, "35=X", 90, 100);
    see(false, "35=X", 130, 140);
    see(false, "35=X", 150, 160); // was not in yet
    see(false, "35=8", 141, 149);
    see(false, "35=D", 141, 150); // another's
    see(true, "35=X", 141, 151); // not a price either
    see(true, "35=D", 154, 170);
    see(true, "35=D", 300, 310); // of no price of its own
    see(false, "35=X", 390, 400);
    see(true, "35=0", 410, 411);
    see(true, "35=D", 420, 430);
    let cycles = watch.cycles.summary();
    assert_eq!((cycles.count, cycles.min, cycles.max), (2, 14.0, 20.0));
}

#[test]
fn the_table_has_a_row_for_each_width_and_one_for_the_software() {
    let of = |values: &[u64]| {
        let mut distribution = Distribution::default();
        values.iter().for_each(|value| distribution.add(*value));
        distribution.summary()
    };
    let run = |width, cycles: &[u64]| Stops {
        width,
        rounds: 3,
        hardware_cycles: of(cycles),
        software_ns: of(&[500, 600, 900]),
    };
    let runs = [run(64, &[14, 14, 15]), run(8, &[20, 20, 27])];
    let text = table(&runs, |width| (width == 64).then_some(156.25));
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|row| row.split_whitespace().collect())
        .collect();
    let row = |first: &str| {
        let found = text.lines().position(|row| row.starts_with(first)).unwrap();
        rows[found][rows[found].len() - 5..].join(" ")
    };
    assert_eq!(row("core of 64 bits"), "3 14 (15) 89.6 (96.0)");
    assert!(text.contains("core of 64 bits, 156.2 MHz"));
    assert!(row("core of 8 bits, never placed").ends_with("3 20 (27)"));
    assert!(row("software client").ends_with("3 600 (900)"));
    assert_eq!(text.matches("software client, socket").count(), 1);
    assert!(row("published").ends_with("640 mean, 780 most"));
}

#[test]
fn both_stops_fire_once_in_each_round_and_trade() {
    for width in Width::ALL {
        let stops = stops(width, 3, &mut |_, _, _| {}).unwrap();
        assert_eq!(stops.hardware_cycles.count, 3);
        assert_eq!(stops.software_ns.count, 3);
        // Asserted to the cycle in tests/rtl/test_order_path.py; here the network matters: an acknowledgement may be leaving.
        assert!(stops.hardware_cycles.min >= 10.0);
    }
}
