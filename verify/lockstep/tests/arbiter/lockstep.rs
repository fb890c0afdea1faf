//! The arbiter in hardware and its twin in software, `arbiter`: the same random packets, the same output, gaps and counters.

use lockstep::arbiter::Design;
use lockstep::arbiter::lockstep::random_lockstep;

use crate::count::count;

fn lockstep(design: Design) {
    let packets = count(8_000, 40_000);
    let run = random_lockstep(design, 0, packets, |_| ());
    assert!(run.packets >= packets);
    assert!(run.faults.is_empty(), "{}", run.faults.join("\n"));
    // The lines do exercise it.
    assert!(
        run.released > packets * 3 / 40 && run.forced > packets * 3 / 80,
        "{run:?}"
    );
    assert!(
        run.refused > packets / 4 && run.too_long as usize > packets / 400,
        "{run:?}"
    );
    assert!(
        run.resets > packets * 3 / 400 && run.stale as usize > packets / 40,
        "{run:?}"
    );
    assert!(run.silences > count(20, 1_000), "{run:?}");
    let counts = design.protocol().count.is_some();
    assert!((run.overlapping > packets / 100) == counts, "{run:?}");
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
