//! The figures of a session for a terminal, each beside its limit.

use serde_json::Value;

/// A figure: its name for a person, where it is in the JSON, its limit, and what it is measured in.
struct Row(&'static str, &'static str, Limit, &'static str);

/// What a figure must be.
enum Limit {
    AtMost(f64),
    AtLeast(f64),
    Exactly(f64),
    /// At most the figure at that place.
    NotAbove(&'static str),
}

use Limit::{AtLeast, AtMost, Exactly, NotAbove};

const ROWS: [Row; 20] = [
    Row(
        "price in to order out, W = 64",
        "/stop_last_first_cycles/w64/max",
        AtMost(15.0),
        "cycles, most",
    ),
    Row(
        "price in to order out, W = 8",
        "/stop_last_first_cycles/w8/max",
        AtMost(24.0),
        "cycles, most",
    ),
    Row(
        "decision to first byte, W = 64",
        "/decision_first_byte_cycles/w64",
        AtMost(3.0),
        "cycles",
    ),
    Row(
        "decision to first byte, W = 8",
        "/decision_first_byte_cycles/w8",
        AtMost(3.0),
        "cycles",
    ),
    Row(
        "clock, W = 64, slowest seed",
        "/w64/fmax_mhz",
        AtLeast(156.25),
        "MHz",
    ),
    Row(
        "clock, W = 8, slowest seed",
        "/w8/fmax_mhz",
        AtLeast(125.0),
        "MHz",
    ),
    Row(
        "TCP without its memories",
        "/tcp_lut4",
        AtMost(2_500.0),
        "LUT4",
    ),
    Row(
        "orders over bad lines",
        "/netem_orders",
        AtLeast(20_000.0),
        "",
    ),
    Row("of these lost", "/netem_lost", Exactly(0.0), ""),
    Row("of these doubled", "/netem_doubled", Exactly(0.0), ""),
    Row(
        "QuickFIX's acceptance scripts",
        "/fix_acceptance_passed",
        Exactly(59.0),
        "passed of 59",
    ),
    Row(
        "matching, one thread",
        "/match_orders_per_s",
        AtLeast(1e7),
        "operations/s",
    ),
    Row(
        "FIX: encode an order",
        "/fix_encode_order_ns",
        AtMost(50.0),
        "ns",
    ),
    Row(
        "FIX: parse a report",
        "/fix_parse_report_ns",
        AtMost(100.0),
        "ns",
    ),
    Row(
        "FIX order to acknowledgement, p50",
        "/fix_ack_us/p50",
        NotAbove("/fix_ack/quickfix/p50"),
        "µs",
    ),
    Row(
        "FIX order to acknowledgement, p99",
        "/fix_ack_us/p99",
        NotAbove("/fix_ack/quickfix/p99"),
        "µs",
    ),
    Row(
        "the same on disk, of QuickFIX's, p50",
        "/fix_ack/disk_over_quickfix/p50",
        AtMost(1.2),
        "times",
    ),
    Row(
        "the same on disk, of QuickFIX's, p99",
        "/fix_ack/disk_over_quickfix/p99",
        AtMost(1.2),
        "times",
    ),
    Row(
        "price in to order out, W = 64, placed",
        "/stop_last_first_ns/w64/max",
        AtMost(100.0),
        "ns, most",
    ),
    Row(
        "price in to order out, W = 8, placed",
        "/stop_last_first_ns/w8/max",
        AtMost(175.0),
        "ns, most",
    ),
];

/// The figures in a table: `met`, `MISSED`, or what was not measured.
pub fn table(figures: &Value) -> String {
    let mut text = format!(
        "{:<38} {:>14} {:>16}\n",
        "session and orders", "measured", "limit"
    );
    for Row(name, at, limit, unit) in ROWS {
        let measured = figures.pointer(at).and_then(|value| figure(value, &limit));
        let wanted = match limit {
            AtMost(limit) | AtLeast(limit) | Exactly(limit) => Some(limit),
            NotAbove(at) => figures.pointer(at).and_then(Value::as_f64),
        };
        let (relation, met) = match (&limit, measured, wanted) {
            (AtMost(_) | NotAbove(_), Some(is), Some(limit)) => ("<=", Some(is <= limit)),
            (AtLeast(_), Some(is), Some(limit)) => (">=", Some(is >= limit)),
            (Exactly(_), Some(is), Some(limit)) => ("=", Some((is - limit).abs() < 0.5)),
            (AtLeast(_), ..) => (">=", None),
            (Exactly(_), ..) => ("=", None),
            _ => ("<=", None),
        };
        let verdict = match met {
            Some(true) => "met",
            Some(false) => "MISSED",
            None => "not measured",
        };
        let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), short);
        text += &format!(
            "{name:<38} {:>14} {:>16} {unit:<14} {verdict}\n",
            number(measured),
            format!("{relation} {}", number(wanted))
        );
    }
    if let Some(missing) = figures["missing"].as_object() {
        for (name, why) in missing {
            text += &format!("{name}: {}\n", why.as_str().unwrap_or_default());
        }
    }
    text
}

/// A number, or the one of several that is furthest from its limit.
fn figure(value: &Value, limit: &Limit) -> Option<f64> {
    let Some(several) = value.as_array() else {
        return value.as_f64();
    };
    let several = several.iter().filter_map(Value::as_f64);
    match limit {
        AtLeast(_) => several.reduce(f64::min),
        _ => several.reduce(f64::max),
    }
}

/// Four digits, or all digits before the point.
fn short(value: f64) -> String {
    if value.fract() == 0.0 || value >= 1_000.0 {
        return format!("{value:.0}");
    }
    format!("{value:.2}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(figures: &Value, name: &str) -> String {
        let table = table(figures);
        let line = table.lines().find(|line| line.starts_with(name));
        line.unwrap_or_default().to_owned()
    }

    #[test]
    fn a_figure_is_held_against_its_limit() {
        let figures = json!({
            "decision_first_byte_cycles": {"w64": 3, "w8": 4},
            "w64": {"fmax_mhz": [160.1, 156.2, 170.0]},
            "netem_lost": 1,
            "fix_ack_us": {"p50": 17.0},
            "fix_ack": {"quickfix": {"p50": 22.9}},
        });
        assert!(line(&figures, "decision to first byte, W = 64").ends_with("met"));
        assert!(line(&figures, "decision to first byte, W = 8").ends_with("MISSED"));
        let slowest = line(&figures, "clock, W = 64");
        assert!(
            slowest.contains("156.20") && slowest.ends_with("MISSED"),
            "{slowest}"
        );
        assert!(line(&figures, "of these lost").ends_with("MISSED"));
        assert!(line(&figures, "FIX order to acknowledgement, p50").ends_with("met"));
    }

    #[test]
    fn what_was_not_measured_says_so() {
        let figures =
            json!({"tcp_lut4": null, "missing": {"tcp.w8": "not measured here: tools/pnr.py"}});
        assert!(line(&figures, "TCP without").ends_with("not measured"));
        assert!(line(&figures, "tcp.w8").contains("tools/pnr.py"));
        assert!(line(&json!({}), "matching").ends_with("not measured"));
    }
}
