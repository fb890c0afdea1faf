//! The core as this crate offers it: registers, time, lines, errors.

use cosim::{Beat, Core, Frame, Preset, Setup, StartLane, Width};
use device::registers;
use formats::itch::Version;

use super::common;

#[test]
fn a_core_tells_its_identity_and_width() {
    for width in Width::ALL {
        let mut core = Core::of(Preset::two_lines(width)).expect("its model is built");
        assert_eq!(
            core.read(registers::identity::ADDRESS),
            Ok(u32::from_be_bytes(*b"TWIR"))
        );
        let build = core.read(registers::build::ADDRESS).expect("a register");
        assert_eq!(registers::build::WIDTH.get(build), width.bits());
    }
}

#[test]
fn time_runs_by_the_clock_and_moves_where_it_is_set() {
    for width in Width::ALL {
        let mut driver = Setup::example(Version::V50, &common::symbols())
            .core(width)
            .expect("the core takes the setup");
        driver.registers().set_time(5_000_000_000_000);
        let (from, cycle) = (
            driver.time().expect("a register"),
            driver.registers().cycle(),
        );
        driver.registers().run(100_000);
        let (to, cycles) = (
            driver.time().expect("a register"),
            driver.registers().cycle() - cycle,
        );
        assert!(
            (5_000_000_000_000..5_000_000_001_000).contains(&from),
            "{from}"
        );
        let expected = width.nanoseconds(cycles);
        assert!(
            ((to - from) as f64 - expected).abs() < 200.0,
            "{} ns for {expected}",
            to - from
        );
    }
}

#[test]
fn an_error_of_the_phy_costs_its_frame_and_no_other() {
    for width in Width::ALL {
        let setup = Setup::example(Version::V50, &common::symbols());
        let mut driver = setup.core(width).expect("the core takes the setup");
        let mut sequence = 1;
        let frame = common::frame(
            &setup,
            &mut sequence,
            &[common::begin(Version::V50, 40_000, common::symbols()[0])],
        );
        for byte in [1, 13, 40, frame.len() as u32 - 1] {
            driver.registers().send(Frame {
                error_at: Some(byte),
                ..Frame::new(&frame)
            });
        }
        driver.registers().send(Frame::new(&frame));
        assert!(driver.registers().run_until_idle());
        let counters = driver.counters().expect("registers can be read");
        assert_eq!(
            (counters.net.mii_error, counters.net.accepted),
            (4, 1),
            "{width:?}"
        );
        assert_eq!(
            driver.registers().take().len(),
            1,
            "{width:?}: the report of the good one"
        );
    }
}

#[test]
fn frames_keep_their_gaps_and_lanes() {
    let mut core = Core::of(Preset::two_lines(Width::Xgmii)).expect("its model is built");
    let bytes = [0x55; 61];
    let mean = |lane, core: &mut Core| {
        let sent = core.send_all(&vec![
            Frame {
                lane,
                ..Frame::new(&bytes)
            };
            401
        ]);
        (sent[400].first - sent[0].first) as f64 * 8.0 / 400.0 - 8.0 - 61.0
    };
    // IEEE 802.3: the deficit idle count keeps the mean gap at 12; without it the gap is rounded up to the start lane.
    assert!((mean(StartLane::Deficit, &mut core) - 12.0).abs() < 0.05);
    assert_eq!(mean(StartLane::Zero, &mut core), 19.0);
    assert_eq!(mean(StartLane::Four, &mut core), 19.0);
    let mut core = Core::of(Preset::two_lines(Width::Gmii)).expect("its model is built");
    let sent = core.send_all(&[
        Frame::new(&bytes),
        Frame {
            gap: 30,
            ..Frame::new(&bytes)
        },
    ]);
    assert_eq!(
        (sent[0].last - sent[0].first, sent[1].first - sent[0].last),
        (68, 31)
    );
}

#[test]
fn single_cycles_see_what_whole_frames_are_made_of() {
    let setup = Setup::example(Version::V50, &common::symbols());
    let mut sequence = 1;
    let frame = common::frame(
        &setup,
        &mut sequence,
        &[common::begin(Version::V50, 40_000, common::symbols()[0])],
    );
    let mut driver = setup.core(Width::Gmii).expect("the core takes the setup");
    driver.registers().send(Frame::new(&frame));
    let idle = Beat {
        data: 0,
        control: 0,
        error: false,
    };
    let mut line = vec![];
    for _ in 0..2_000 {
        let beat = driver.registers().step(idle);
        if beat.control == 1 {
            line.push(beat.data as u8);
        }
    }
    let whole = driver.registers().take();
    assert_eq!(whole.len(), 1);
    assert_eq!(line[..8], [0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xd5]);
    assert_eq!(line[8..], whole[0].bytes);
}
