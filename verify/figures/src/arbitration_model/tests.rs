//! Expected values by hand, from the rules, the headers of `rtl/arbiter` and the published figures.

use super::*;

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * b.abs()
}

/// 64 bits at 156.25 MHz: 6.4 ns. 100-byte packets are 13 beats; the longest, 9,000 bytes, 1,125.
fn mold64(mode: Mode) -> Setting {
    Setting {
        window: Window {
            mode,
            time: 64_000,
            count: 4,
        },
        ..Setting::new(Protocol::MOLD_UDP64, 64)
    }
}

#[test]
fn the_number_is_whole_in_the_cycle_that_brings_its_last_byte_or_the_counts() {
    // MoldUDP64's count ends with byte 20, OPRA's with 11, ARCA's number with 8, Moscow's with 4.
    let protocols = [
        Protocol::MOLD_UDP64,
        Protocol::OPRA,
        Protocol::ARCA,
        Protocol::MOEX,
    ];
    for (width, cycles) in [(8, [20, 11, 8, 4]), (64, [3, 2, 1, 1]), (128, [2, 1, 1, 1])] {
        let found = protocols.map(|protocol| Setting::new(protocol, width).cycles_to_number());
        assert_eq!(found, cycles, "{width} bits");
    }
}

#[test]
fn a_packet_waits_for_a_wrong_guess_at_most_and_two_cycles_behind_a_passed_one() {
    // N is 2, 1, 0: N + 1, and 2 - N more.
    let wait = |protocol, width| Setting::new(protocol, width).maximum_wait_cycles();
    assert_eq!(wait(Protocol::MOLD_UDP64, 8), 20);
    assert_eq!(wait(Protocol::MOLD_UDP64, 64), 3);
    assert_eq!(wait(Protocol::MOLD_UDP64, 128), 3);
    assert_eq!(wait(Protocol::ARCA, 128), 3);
}

#[test]
fn low_latency_is_a_cycle_and_the_published_six_nanoseconds_at_166_megahertz() {
    let mut setting = Setting::new(Protocol::MOLD_UDP64, 128);
    setting.skew_nanoseconds = 0.0;
    let low = setting.at(1.0).low_latency;
    assert_eq!(low.expected_cycles, 1.0);
    assert!((low.expected_nanoseconds - 6.0).abs() < 0.03);
    assert_eq!(low.maximum_cycles, 4.0);
}

#[test]
fn wrong_guesses_of_the_follower_make_packets_wait_where_the_skew_is_longer_than_a_packet() {
    // 100,000 packets/s are 64e-5 a cycle. Without loss, N = 2: 2 cycles after one that began a cycle ago, 1 after the one before: 3 in all.
    let mut setting = Setting {
        loss_probability: 0.0,
        ..mold64(Mode::Time)
    };
    assert!(near(
        setting.at(100.0).low_latency.expected_cycles,
        1.0 + 64e-5 * 3.0
    ));
    assert!(near(
        setting.at(100.0).high_reliability.expected_cycles,
        1.0 + 64e-5 * 3.0
    ));
    // 166 bytes on the wire are 132.8 ns, 20.75 cycles, 21 beats; the guess takes 3: up to 18 cycles, 115.2 ns, no packet can begin meanwhile.
    setting.skew_nanoseconds = 115.0;
    assert_eq!(setting.at(100.0).low_latency.expected_cycles, 1.0);
    setting.skew_nanoseconds = 115.3;
    assert!(setting.at(100.0).low_latency.expected_cycles > 1.0);
}

#[test]
fn low_latency_loses_what_the_leader_overtook() {
    // 100,000/s and 10 us: 0.99 packets of the leader in a skew. 0.0001 + 0.01 * 0.99 * (1 - e^-0.99).
    let lost = mold64(Mode::Time).at(100.0).low_latency.lost_share;
    assert!(
        near(lost, 0.0001 + 0.0099 * (1.0 - 0.371_576_691)),
        "{lost}"
    );
}

#[test]
fn what_both_lines_lost_holds_the_next_packet_for_the_window() {
    // One packet in a long while: a packet both lost costs one other T + 15 after its 13 beats. T: 64 us are 10,000 cycles.
    let setting = Setting {
        skew_nanoseconds: 0.0,
        packets_per_second: 1e-3,
        ..mold64(Mode::Time)
    };
    let prediction = setting.at(1.0);
    assert!(near(
        prediction.early.expected_cycles,
        12.0 + 10_000.0 + 15.0
    ));
    assert!(near(prediction.early.share, 1e-4));
    let expected = 1.0 + 1e-4 * 10_026.0 / (1.0 - 1e-4);
    assert!(near(prediction.high_reliability.expected_cycles, expected));
    assert!(near(prediction.high_reliability.lost_share, 1e-4));
}

#[test]
fn a_gap_the_follower_fills_holds_what_came_in_the_skew() {
    // 1,000 packets/s, 10 us: x = 0.0099 in a skew of 1,562.5 cycles. To the first order in x those of them wait half of it, and 9 after 13 beats; 1 in 100 gaps is
    // filled by neither line: 10,000 + 15 for one packet. Second orders are below 1 %.
    let early = mold64(Mode::Time).at(1.0).early;
    let (filled, open) = (0.0099 * 0.0099, 0.0001);
    assert!(
        (early.share / (filled + open) - 1.0).abs() < 0.05,
        "{}",
        early.share
    );
    let cycles = (filled * (781.25 + 21.0) + open * 10_027.0) / (filled + open);
    assert!((early.expected_cycles / cycles - 1.0).abs() < 0.05);
}

#[test]
fn a_count_waits_for_its_packets_and_the_lines_room_is_a_count_too() {
    // Room for 4 a line, of which 3 can be kept: a count of 4 is one of 3. Without a copy they wait 2 and 1 mean gaps and none: 1 on average.
    let mut setting = Setting {
        skew_nanoseconds: 0.0,
        ..mold64(Mode::Count)
    };
    let gap = 156_250.0 / 0.99;
    // 13 beats; 13 and 26 cycles after those before.
    let mean = |waits: f64, kept: f64| waits * gap + 12.0 + 17.0 + 13.0 * (kept - 1.0) / 2.0;
    assert!(near(setting.at(1.0).early.expected_cycles, mean(1.0, 3.0)));
    setting.window.count = 2;
    assert!(near(setting.at(1.0).early.expected_cycles, mean(0.5, 2.0)));
    // Two messages a packet: two packets are four messages.
    (setting.window.count, setting.messages_per_packet) = (4, 2);
    assert!(near(setting.at(1.0).early.expected_cycles, mean(0.5, 2.0)));
}

#[test]
fn the_window_as_a_time_is_the_time_or_the_counts_or_the_shorter() {
    // 4 messages of 1,000 a second take 4 ms; of 100,000 a second 40 us.
    for (mode, at_1, at_100) in [
        (Mode::Time, 64_000.0, 64_000.0),
        (Mode::Count, 4e6, 4e4),
        (Mode::TimeAndCount, 64_000.0, 4e4),
    ] {
        let setting = mold64(mode);
        assert!(near(setting.at(1.0).window_nanoseconds, at_1));
        assert!(near(setting.at(100.0).window_nanoseconds, at_100));
    }
}

#[test]
fn a_full_store_is_saturated_when_more_come_in_the_worst_case_delay_than_it_holds() {
    // 8 * 1,125 beats and 17 cycles of release: 57.7088 us, and 64 us of window.
    let setting = mold64(Mode::Time);
    let [one, ten, hundred] = [1.0, 10.0, 100.0].map(|factor| setting.at(factor));
    assert!(near(one.worst_case_delay_nanoseconds, 121_708.8));
    assert!(near(hundred.packets_in_worst_case_delay, 12.170_88));
    assert_eq!(
        [one, ten, hundred].map(|at| at.saturated),
        [false, false, true]
    );
    assert!(near(
        setting.saturation_packets_per_second(),
        8.0 / 121.7088e-6
    ));
    // By count 4 of 8 are left for 57.7088 us; with both limits the later of the two saturates; a count of 8 leaves nothing.
    let limit = |mode, count| {
        let mut setting = mold64(mode);
        setting.window.count = count;
        setting.saturation_packets_per_second()
    };
    assert!(near(limit(Mode::Count, 4), 4.0 / 57.7088e-6));
    assert!(near(limit(Mode::TimeAndCount, 4), 4.0 / 57.7088e-6));
    assert!(near(limit(Mode::TimeAndCount, 7), 8.0 / 121.7088e-6));
    assert_eq!(limit(Mode::Count, 8), 0.0);
}

#[test]
fn the_limit_is_where_the_indicator_turns() {
    for mode in [Mode::Time, Mode::Count, Mode::TimeAndCount] {
        let setting = mold64(mode);
        let limit = setting.saturation_packets_per_second() / setting.packets_per_second;
        assert!(!setting.at(limit * 0.999).saturated && setting.at(limit * 1.001).saturated);
    }
}

#[test]
fn nothing_takes_longer_than_its_window_its_own_beats_and_eight_of_the_longest() {
    // 1,124 beats after the first; 17; a cut through of 1,125 and 3 of waiting; 7 before it; and 10,000 of window.
    let others = 1_124.0 + 17.0 + 1_128.0 + 7.0 * 1_125.0;
    let maximum = |mode| mold64(mode).at(1.0).high_reliability.maximum_cycles;
    assert!(near(maximum(Mode::Time), others + 10_000.0));
    assert!(near(maximum(Mode::TimeAndCount), others + 10_000.0));
    // A count of 4: 3 silences of a second.
    assert!(near(maximum(Mode::Count), others + 3.0 * 156.25e6));
}

#[test]
fn a_slow_line_brings_packets_slower_than_they_leave() {
    let setting = Setting {
        line_gigabits_per_second: 1.0,
        ..mold64(Mode::Time)
    };
    // 100 bytes are 800 ns, 125 cycles.
    assert_eq!(
        (setting.arriving_cycles(100), setting.leaving_cycles(100)),
        (125, 13)
    );
    // 166 bytes 1,328 ns: 207.5 cycles, rounded up.
    assert!(near(setting.at(100.0).line_load, 208.0 * 64e-5));
}

#[test]
fn settings_out_of_range_are_refused() {
    let good = mold64(Mode::Time);
    assert_eq!(good.check(), Ok(()));
    let refused = [
        (
            Setting {
                width_bits: 32,
                ..good
            },
            SettingError::Width(32),
        ),
        (
            Setting {
                clock_megahertz: 0.0,
                ..good
            },
            SettingError::NotPositive,
        ),
        (
            Setting {
                packets_per_second: f64::NAN,
                ..good
            },
            SettingError::NotPositive,
        ),
        (
            Setting {
                line_gigabits_per_second: 25.0,
                ..good
            },
            SettingError::Line {
                line: 25.0,
                full: 10.0,
            },
        ),
        (
            Setting {
                packet_bytes: 19,
                ..good
            },
            SettingError::PacketBytes(19, 20, 9_000),
        ),
        (
            Setting {
                packet_bytes: 9_001,
                ..good
            },
            SettingError::PacketBytes(9_001, 20, 9_000),
        ),
        (
            Setting {
                loss_probability: 1.0,
                ..good
            },
            SettingError::Loss(1.0),
        ),
        (
            Setting {
                messages_per_packet: 0,
                ..good
            },
            SettingError::Empty,
        ),
        (
            Setting {
                skew_nanoseconds: -1.0,
                ..good
            },
            SettingError::Time,
        ),
    ];
    for (setting, error) in refused {
        assert_eq!(setting.check(), Err(error));
    }
}
