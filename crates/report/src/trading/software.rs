//! The rows of the software.

use cosim::orders::Desk;
use pipeline::Trading;

use super::{Options, Series, compiled};
use crate::distribution::Distribution;
use crate::packets::Packets;
use crate::tick_to_trade::{self, Counted, InSoftware, Intake};
use crate::{Error, Progress};

/// The latencies of a desk in software that gets its market data this way, and what it sends. `shown` gets the bytes of each packet's orders.
///
/// # Errors
/// The software refuses the desk; a socket fails; this machine has no AF_XDP ([`Error::AfXdp`]).
pub(super) fn measure(
    desk: &Desk,
    packets: &Packets,
    options: &Options<'_>,
    intake: Intake,
    shown: impl FnMut(&[u8]),
    progress: Progress,
) -> Result<(Series, Counted), Error> {
    let desk = desk.compared();
    let length = desk.templates.length;
    let most = book::Limits::LARGEST.orders;
    let (trading, opening) = match &options.fast {
        Some(feed) => (desk.on_order_log(feed, most)?, None),
        None => {
            let trading = Trading::new(&desk.trading(most));
            let mut trading = trading.map_err(|error| Error::Orders(error.to_string()))?;
            desk.centre(&mut trading)?;
            (trading, Some(desk.opening()?))
        }
    };
    let opening = opening.as_deref();
    let in_software = InSoftware {
        trading,
        programs: || compiled(&desk),
        opening,
        length,
    };
    let (orders, counted) =
        tick_to_trade::of_packets(in_software, packets, intake, shown, progress)?;
    let series = Series {
        label: intake.label().to_owned(),
        key: intake.key().to_owned(),
        cycles: None,
        nanoseconds: Some(orders.values().copied().collect::<Distribution>().summary()),
        clock_mhz: None,
        edit_to_simulation_seconds: None,
        simulation_seconds: None,
        model_reused: None,
        at_wire_rate: None,
        unread: None,
        som_sof_cycles: None,
        eot_sof_cycles: None,
        som_sof_ns: None,
        eot_sof_ns: None,
        stages: None,
        orders,
        unit_ns: 1.0,
    };
    Ok((series, counted))
}

#[cfg(test)]
mod tests {
    use cosim::orders::Market;
    use feed::socket::Wait;
    use formats::itch::Version;
    use formats::{Side, Symbol};

    use super::*;
    use crate::TradingComparison;
    use crate::compare_orders;
    use crate::tick_to_trade::tests::{allowed, market, without_capabilities};

    /// What a market order desk gives over busy-poll sockets and AF_XDP.
    fn compared() -> Result<TradingComparison, Error> {
        let desk = Desk::of_market(&Market {
            version: Version::V50,
            symbol: Symbol(*b"AAPL    "),
            tick: 100,
            price: 1_000_000,
            side: Side::Buy,
            quantity: 100,
            max_notional: u64::from(u32::MAX),
        })?;
        let options = Options {
            fast: None,
            cores: vec![],
            paces: vec![],
            software: vec![Intake::Sockets(Wait::BusyPoll), Intake::AfXdp],
            loss: None,
        };
        compare_orders(&desk, &market(), &options, &mut |_, _, _| ())
    }

    #[test]
    fn af_xdp_stands_beside_the_sockets_in_every_result() {
        let compared = compared().unwrap();
        if compared.not_measured.contains_key("software_af_xdp") {
            // This says why, or fails.
            allowed(crate::tick_to_trade::measure(
                Intake::AfXdp,
                1,
                &mut |_, _, _| (),
            ));
            return;
        }
        let all = compared.by_key();
        let counts = ["software_busy_poll", "software_af_xdp"]
            .map(|key| all[key]["nanoseconds"]["count"].as_u64().unwrap());
        assert!(counts[0] > 100 && counts[0] == counts[1], "{counts:?}");
        assert!(all.get("not_measured").is_none(), "{all}");
        assert!(compared.table().contains("\nSoftware, AF_XDP "));
        let folder = tempfile::tempdir().unwrap();
        let (csv, html) = (
            folder.path().join("orders.csv"),
            folder.path().join("report.html"),
        );
        compared.write_csv(&market(), &csv).unwrap();
        let csv = std::fs::read_to_string(csv).unwrap();
        let head = csv.lines().next().unwrap();
        assert!(head.ends_with(",software_busy_poll_ns,software_af_xdp_ns"));
        assert!(csv.lines().skip(1).all(|row| !row.ends_with(',')), "{csv}");
        compared.write_report(&market(), &html).unwrap();
        let html = std::fs::read_to_string(html).unwrap();
        // In the table, and in the legends of the distributions and of latency against size.
        assert_eq!(html.matches("Software, AF_XDP").count(), 3);
    }

    #[test]
    fn what_the_machine_does_not_allow_is_null_and_has_its_reason_and_the_rest_is_measured() {
        let compared = without_capabilities(compared).unwrap();
        let all = compared.by_key();
        assert_eq!(all.get("software_af_xdp"), Some(&serde_json::Value::Null));
        assert!(all["software_busy_poll"]["nanoseconds"]["count"].as_u64() > Some(100));
        let why = all["not_measured"]["software_af_xdp"].as_str().unwrap();
        assert!(why.starts_with("AF_XDP was not measured: a network namespace is not permitted"));
        assert!(compared.table().contains(why));
        assert_eq!(all["series"].as_array().unwrap().len(), 1);
    }
}
