//! The figures for a person.

use serde_json::Value;

/// What a person is shown.
pub fn table(figures: &Value) -> String {
    let rate = |rate: &Value| {
        let ns = |name: &str| rate[name].as_f64().unwrap_or(f64::NAN);
        format!(
            "{:28} ITCH {:4} {:9} messages: parse {:5.1} ns, book {:5.1} ns, with hints {:5.1} ns ({:.1} times the parse)\n",
            rate["data"].as_str().unwrap_or_default(),
            rate["version"].as_str().unwrap_or_default(),
            rate["messages"],
            ns("parse_ns"),
            ns("book_ns"),
            ns("hinted_ns"),
            ns("of_parse"),
        )
    };
    let rates = figures["software"].as_array().into_iter().flatten();
    let mut text: String = rates.map(rate).collect();
    for wait in ["busy_poll", "blocking"] {
        let figures = &figures["tick_to_trade"][wait];
        let p50 = |name: &str| figures[name]["p50"].as_f64().unwrap_or(f64::NAN) / 1e3;
        text += &format!(
            "tick to trade over sockets, {wait}: p50 {:.1} µs, a bare echo {:.1} µs ({:.2} times)\n",
            p50("order_ns"),
            p50("echo_ns"),
            figures["over_echo"].as_f64().unwrap_or(f64::NAN),
        );
    }
    text += &format!(
        "{} messages compared with a plain book: {} differences",
        figures["messages_compared"], figures["mismatches"]
    );
    let core = &figures["w64"];
    let most = core["last_first_cycles"]["max"].as_f64();
    text += &match (most, core["improving_add_cycles"]["max"].as_f64()) {
        (Some(most), Some(add)) => format!(
            "\ntick to trade of the core, {} orders compared: {most:.0} cycles at most, {add:.0} where an add improves the best price",
            core["orders_compared"]
        ),
        _ => format!(
            "\ntick to trade of the core: {}",
            core["reason"].as_str().unwrap_or("not measured")
        ),
    };
    text += &match core["last_first_ns"]["max"].as_f64() {
        Some(ns) => format!("; {ns:.1} ns"),
        None => "; never placed, so no nanoseconds".to_owned(),
    };
    text += &format!(
        "\n{} mutated frames through the book: {} differences of any kind",
        figures["fuzz_frames"], figures["mismatches"]
    );
    let hardware = &figures["hardware"];
    if hardware["messages_compared"].is_u64() {
        text += &format!(
            "\n{} messages compared with the simulated hardware: {} differences",
            hardware["messages_compared"], hardware["mismatches"]
        );
    }
    text
}
