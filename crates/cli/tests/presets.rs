//! `tickwire info --presets` and `tickwire sim --preset`: every preset of `rtl/presets.toml` is there, and one that does not fit is refused.

use crate::common::{failure, folder, generate, json};

/// The presets, as the file itself has them: where one says nothing, what its top has, or else the defaults.
fn file() -> toml::Table {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../rtl/presets.toml");
    let mut file: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let defaults = file.remove("defaults").unwrap();
    let tops = file.remove("tops").unwrap();
    for (_, preset) in &mut file {
        let preset = preset.as_table_mut().unwrap();
        let top = &tops[preset["top"].as_str().unwrap()];
        for (key, value) in [top, &defaults]
            .iter()
            .flat_map(|table| table.as_table().unwrap())
        {
            preset.entry(key).or_insert_with(|| value.clone());
        }
    }
    file
}

#[test]
fn info_lists_every_preset_as_the_file_has_it() {
    let listed = json(&folder(), &["info", "--presets"]);
    let listed = listed["presets"].as_array().unwrap();
    let file = file();
    assert_eq!(listed.len(), file.len());
    for preset in listed {
        let own = file[preset["name"].as_str().unwrap()].as_table().unwrap();
        for member in ["width", "lines", "sessions", "stops", "feeds"] {
            assert!(own[member].is_integer(), "{member}");
            assert_eq!(preset[member].as_i64(), own[member].as_integer());
        }
        assert_eq!(preset["summary"].as_str(), own["summary"].as_str());
        for member in [
            "own_orders",
            "level_reads",
            "each_change",
            "trades",
            "timers",
            "ring",
        ] {
            assert_eq!(preset[member].as_bool(), own[member].as_bool());
        }
        assert_eq!(
            preset["book_levels"].as_u64(),
            own["book_levels"].as_integer().map(|levels| levels as u64)
        );
        assert_eq!(preset["feed"].as_str(), own["feed"].as_str());
        let placed = preset["placements"].as_array().unwrap();
        let placed: Vec<_> = placed.iter().map(|place| place["part"].as_str()).collect();
        let wanted = own["place"].as_array().unwrap();
        let wanted: Vec<_> = wanted.iter().map(|place| place["part"].as_str()).collect();
        assert_eq!(placed, wanted);
        // Only a program that is built with the feature built-in-models has any.
        assert_eq!(preset["built_in"], false);
    }
}

#[test]
fn a_preset_that_does_not_fit_is_refused_with_the_reason() {
    let folder = folder();
    generate(&folder, "day", &[]);
    for (arguments, reason) in [
        (&["--preset", "nosuch"][..], "there is none of that name"),
        (&["--preset", "stops_1g"], "it decodes no ITCH"),
        (&["--preset", "itch_trader_10g"], "it has no statistics"),
    ] {
        let all = [&["sim", "day", "--symbols", "A"], arguments].concat();
        let text = failure(&folder, 1, &all);
        assert!(text.contains(reason), "{text}");
        assert!(text.contains("tickwire info --presets"), "{text}");
    }
    let both = ["sim", "day", "--width", "8", "--preset", "statistics_1g"];
    assert!(failure(&folder, 2, &both).contains("--width"));
}

#[test]
fn a_desk_with_prices_on_the_session_needs_a_preset_that_reads_them() {
    let folder = folder();
    let desk = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../desks/best-price.toml"
    ))
    .unwrap();
    let on_session = desk.replace("feed = true", "feed = false");
    assert_ne!(desk, on_session);
    std::fs::write(folder.path().join("desk.toml"), on_session).unwrap();
    let arguments = ["sim", "--tap", "tw0", "--desk", "desk.toml"];
    let text = failure(&folder, 1, &arguments);
    assert!(text.contains("feed = true"), "{text}");
}

#[test]
fn a_strategy_that_keeps_one_order_in_the_market_is_refused_where_nothing_follows_it() {
    let folder = folder();
    generate(&folder, "day", &[]);
    let desk = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../desks/best-price.toml"
    ))
    .unwrap();
    let single = desk.replace("enabled = true", "enabled = true\nsingle = true");
    std::fs::write(folder.path().join("desk.toml"), single).unwrap();
    for command in [["sim", "day"], ["measure", "day"]] {
        let all = [&command[..], &["--desk", "desk.toml"]].concat();
        let text = failure(&folder, 1, &all);
        assert!(text.contains("leave `single` out"), "{command:?}: {text}");
    }
}

#[test]
fn a_desk_with_stops_on_the_feed_is_refused_by_a_core_without_one() {
    let folder = folder();
    let desk = concat!(env!("CARGO_MANIFEST_DIR"), "/../../desks/stop-orders.toml");
    let text = std::fs::read_to_string(desk).unwrap();
    let on_feed = text.replace("position = 10_000 }", "position = 10_000, feed = true }");
    assert_ne!(on_feed, text);
    std::fs::write(folder.path().join("desk.toml"), on_feed).unwrap();
    let sim = ["sim", "--tap", "tw0", "--desk", "desk.toml"];
    let refused = |more: &[&str]| failure(&folder, 1, &[&sim[..], more].concat());
    let text = refused(&["--preset", "stops_10g"]);
    assert!(
        text.contains("it has no feed") && text.contains("itch_trader_10g"),
        "{text}"
    );
    assert!(refused(&["--width", "8"]).contains("there is none for this feed"));
    let text = refused(&["--preset", "statistics_10g"]);
    assert!(
        text.contains("the desk has a session, and it has none"),
        "{text}"
    );
}
