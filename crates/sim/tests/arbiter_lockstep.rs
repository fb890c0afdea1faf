//! The arbiter in hardware and its twin in software, `arbiter`: the same random packets, the same output, gaps and counters.

use sim::arbiter::Design;
use sim::arbiter::lockstep::random_lockstep;

/// All five designs together: 200,000 packets.
fn lockstep(design: Design) {
    let run = random_lockstep(design, 0, 40_000, |_| ());
    assert!(run.packets >= 40_000);
    assert!(run.faults.is_empty(), "{}", run.faults.join("\n"));
    // The lines do try it.
    assert!(run.released > 3_000 && run.forced > 1_500, "{run:?}");
    assert!(run.refused > 10_000 && run.too_long > 100, "{run:?}");
    assert!(run.resets > 300 && run.stale > 1_000, "{run:?}");
    assert!(run.silences > 1_000, "{run:?}");
}

#[test]
fn hardware_and_software_agree_moex_8_bits() {
    lockstep(Design::Moex8);
}

#[test]
fn hardware_and_software_agree_moex_64_bits() {
    lockstep(Design::Moex64);
}

#[test]
fn hardware_and_software_agree_moldudp64_64_bits() {
    lockstep(Design::Mold64);
}

#[test]
fn hardware_and_software_agree_moldudp64_128_bits() {
    lockstep(Design::Mold128);
}

#[test]
fn hardware_and_software_agree_arca_128_bits() {
    lockstep(Design::Arca128);
}
