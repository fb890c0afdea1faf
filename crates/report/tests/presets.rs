//! Every preset of `rtl/presets.toml` against software: its reports byte for byte, its stop orders at an exchange.

use cosim::{Frame, Lockstep, Preset, Setup};
use feed::generate::Settings;
use formats::itch::Version;
use report::{packets, stops};

const SECONDS: u32 = 10;

#[test]
fn every_preset_with_statistics_reports_what_software_reports() {
    let settings = Settings {
        version: Version::V50,
        symbols: 16,
        messages: 1_000,
        seconds: SECONDS,
        seed: 17,
    };
    let packets = packets::generated(&settings).expect("generated data can be read");
    let setup = Setup::example(Version::V50, &packets.symbols(16));
    let headers = setup.feed();
    for preset in Preset::all().iter().filter(|preset| preset.statistics) {
        let name = preset.name;
        let mut lockstep = Lockstep::of(preset, &setup).expect("the core takes the setup");
        let mut reports = 0;
        let mut bytes = vec![];
        for packet in packets.iter() {
            bytes.clear();
            headers
                .emit(packet.payload, &mut bytes)
                .expect("fits a frame");
            lockstep.core().set_time(packet.time);
            let heartbeat = lockstep.frame(Frame::new(&bytes));
            reports += u32::from(
                heartbeat
                    .unwrap_or_else(|e| panic!("{name}: {e}"))
                    .is_some(),
            );
        }
        lockstep.check().unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(reports >= SECONDS - 2, "{name}: {reports} reports");
    }
}

#[test]
fn every_preset_that_reads_prices_from_its_session_fires_a_stop_order_that_trades() {
    let with_prices: Vec<_> = Preset::all()
        .iter()
        .filter(|preset| preset.session_prices && preset.stops > 0)
        .collect();
    assert!(with_prices.len() >= 2, "one a width at least");
    for preset in with_prices {
        let run = stops::stops_of(preset, 2, &mut |_, _, _| {});
        let run = run.unwrap_or_else(|e| panic!("{}: {e}", preset.name));
        assert_eq!(run.hardware_cycles.count, 2, "{}", preset.name);
        assert_eq!(run.software_ns.count, 2, "{}", preset.name);
    }
}
