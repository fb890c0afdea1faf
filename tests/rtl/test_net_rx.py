"""net_rx at both widths: every cause, every length, the stated latency for each frame, line rate, and hostile input."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer
from harness import ROOT, cases, simulate
from net_model import CAUSES, GROUPS, LOCAL_IP, LOCAL_MAC, PORTS, Mii, build, check, check_line, group_mac, random_payload, with_fcs


def on_mii(function):
    """Make of a function that fills a MII a cocotb test that plays it and checks every frame."""

    async def run(dut):
        w = len(dut.mii_data)
        mii = Mii(w)
        function(mii, random.Random(function.__name__))
        folder = cocotb.plusargs["folder"]
        mii.write(f"{folder}/stimulus.hex")
        dut.go.value = 1
        await RisingEdge(dut.done)
        dut.go.value = 0
        await Timer(10, "step")
        check(mii, f"{folder}/result.txt", bool(dut.AT_ONCE.value))
        check_line(mii, f"{folder}/frames.txt")
        dut._log.warning("%s: %d frames, %d cycles", function.__name__, len(mii.sent), len(mii.octets) * 8 // w)

    run.__name__ = run.__qualname__ = function.__name__
    run.__doc__ = function.__doc__
    return cocotb.test()(run)


def lanes(mii: Mii) -> tuple[int, ...]:
    """To begin a frame in; GMII has no lanes: there a second run of the same frames is for `make long`."""
    return (0, 4)[: 2 if mii.w == 64 else cases(1, 2)]


def good(rng: random.Random, size: int | None = None) -> bytes:
    """A frame that is accepted."""
    group = rng.choice((None, *GROUPS))
    mac = group_mac(group) if group else LOCAL_MAC
    vlan = rng.choice((None, None, rng.randrange(4096)))
    size = rng.randrange(60) if size is None else size
    return with_fcs(build(random_payload(rng, size), mac=mac, ip=group or LOCAL_IP, port=rng.choice(PORTS), vlan=vlan))


@on_mii
def every_payload_length_in_either_lane(mii, rng):
    for size in range(201):
        for lane in lanes(mii):
            for vlan in (None, 7):
                mii.frame(with_fcs(build(random_payload(rng, size), vlan=vlan)), lane=lane)


@on_mii
def long_frames(mii, rng):
    for size in (8972, 8971, 8970, 8969, 8965, 8964, 1472, *(rng.randrange(200, 8973) for _ in range(14))):
        mii.frame(good(rng, size), gap=5, lane=rng.choice((0, 4, None)))


@on_mii
def padding_of_any_length_is_ignored(mii, rng):
    for size in (0, 1, 2, 7, 8, 18, 19, 40):
        for padding in range(45):
            frame = build(random_payload(rng, size), pad=False, vlan=rng.choice((None, 5)))
            mii.frame(with_fcs((frame + rng.randbytes(padding)).ljust(60, b"\xa5")), lane=rng.choice((0, 4)))


@on_mii
def smallest_frames_back_to_back(mii, rng):
    for gap in (12, 5, 6, 7, 8, 9):
        for _ in range(100):
            mii.frame(good(rng, rng.randrange(19)), gap=gap)


@on_mii
def longest_frames_back_to_back(mii, rng):
    for gap in (12, 5, 12, 5):
        mii.frame(good(rng, 8972), gap=gap)
        mii.frame(good(rng, 0), gap=gap)
        mii.frame(good(rng, 8972), gap=gap)


@on_mii
def every_cause(mii, rng):
    payload = bytes(range(40))
    other = "01:00:5e:01:02:04"
    group = {"mac": group_mac(GROUPS[1]), "ip": GROUPS[1]}
    frames = {
        "runt": [*(build(bytes(size), pad=False) for size in (0, 1, 17)), bytes(0), bytes(1), bytes(59)],
        "oversize": [
            build(bytes(8977)),
            build(bytes(8973), vlan=4095),
            build(bytes(9000)),
            build(bytes(16300)),
            build(bytes(16400), vlan=1),
            build(bytes(40000)),
        ],
        "other_mac": [
            *(build(payload, mac=mac) for mac in ("02:00:00:00:00:02", "03:00:00:00:00:01", "ff:ff:ff:ff:ff:ff", other)),
            *(build(payload, mac=group_mac(group).replace("01:00:5e", "01:00:5f")) for group in GROUPS),
            build(payload, mac="01:00:5e:81:02:03", ip=GROUPS[0]),
            build(payload, mac="01:00:5e:00:00:00", ip="0.0.0.0"),
        ],
        "other_ethertype": [
            build(payload)[:12] + kind + build(payload)[14:]
            for kind in (
                b"\x08\x06",
                b"\x86\xdd",
                b"\x08\x01",
                b"\x09\x00",
                b"\x81\x01",
                b"\x88\xa8",
                b"\x81\0\0\1\x81\0\0\1\x08\0",
                b"\x81\0\0\1",
            )
        ],
        "ip_header_error": [
            build(payload, ip_fields={"version": 6}),
            build(payload, vlan=1, ip_fields={"version": 0}),
            *(build(payload)[:14] + bytes([0x40 + ihl]) + build(payload)[15:] for ihl in range(5)),
        ],
        "ip_options": [build(payload, ip_fields={"options": [b"\x01\x01\x01\x00"]}), build(payload)[:14] + b"\x4f" + build(payload)[15:]],
        "ip_checksum_error": [build(payload, ip_fields={"chksum": wrong}) for wrong in (0, 1, 0xFFFF)],
        "ip_length_error": [build(payload, ip_fields={"len": wrong}) for wrong in (0, 19, 69, 72, 255, 9000, 65535)]
        + [build(payload, vlan=1, ip_fields={"len": wrong}) for wrong in (0, 19, 69, 72, 255, 9000, 65535)]
        + [build(bytes(size))[:-cut] for size in range(60, 72) for cut in (1, 2, 4, 8)],
        "fragment": [build(payload, ip_fields=f) for f in ({"flags": "MF"}, {"frag": 1}, {"frag": 4096}, {"flags": "MF+DF", "frag": 8191})],
        "other_ip": [
            build(payload, ip="10.0.0.2"),
            build(payload, ip="239.1.2.4"),
            build(payload, ip="0.0.0.0"),
            build(payload, mac=group["mac"], ip="225.128.129.5"),
        ],
        "other_protocol": [build(payload, ip_fields={"proto": number}) for number in (6, 1, 16, 0, 255)],
        "udp_length_error": [build(payload, udp_fields={"len": wrong}) for wrong in (0, 7, 8, 47, 49, 60000)]
        + [build(b"", ip_fields={"len": short}, udp_fields={"len": short - 20}) for short in range(20, 28)],
        "other_port": [build(payload, port=port) for port in (0, 26401, 2, 65534)],
        "udp_checksum_error": [
            build(payload + bytes(n), vlan=v, udp_fields={"chksum": c}) for n in range(9) for v in (None, 1) for c in (1, 0xFFFF)
        ],
        "accepted": [
            build(payload, **group),
            build(payload, mac=group_mac(GROUPS[2]), ip=GROUPS[2]),
            build(payload, mac=LOCAL_MAC, ip=GROUPS[0]),
            build(payload, udp_fields={"chksum": 0}),
            build(payload, ip_fields={"flags": "DF", "tos": 255, "ttl": 0, "id": 65535}),
            build(bytes(8976)),
            build(bytes(8972), vlan=4095),
            build(bytes(18)),
        ],
    }
    for cause, of_cause in frames.items():
        for frame in of_cause:
            for lane in lanes(mii):
                mii.frame(with_fcs(frame), lane=lane, gap=5)
                assert mii.sent[-1].cause == cause, f"{mii.sent[-1].cause}, not {cause}: {frame.hex()}"
            mii.frame(good(rng), gap=5)
    for bit in range(0, 8 * 68, 5):
        frame = bytearray(with_fcs(build(bytes(22))))
        frame[bit // 8] ^= 1 << bit % 8
        mii.frame(bytes(frame), lane=rng.choice((0, 4)))
        assert mii.sent[-1].cause == "fcs_error"
        mii.frame(with_fcs(build(bytes(22))), error=bit // 8, lane=rng.choice((0, 4)))
        mii.frame(good(rng), gap=5)
    seen = {sent.cause for sent in mii.sent}
    assert seen == set(CAUSES), set(CAUSES) - seen


@on_mii
def the_first_cause_that_applies_counts(mii, rng):
    """Every pair of faults in one frame."""

    def fault(frame: bytearray, cause: str) -> None:
        match cause:
            case "other_mac":
                frame[5] ^= 1
            case "other_ethertype":
                frame[12] ^= 1
            case "ip_header_error":
                frame[14] = 0x55
            case "ip_options":
                frame[14] |= 2
            case "ip_checksum_error":
                frame[24] ^= 1
            case "ip_length_error":
                frame[16] = 0x20
            case "fragment":
                frame[20] |= 0x20
            case "other_ip":
                frame[33] ^= 1
            case "other_protocol":
                frame[23] = 6
            case "udp_length_error":
                frame[39] ^= 1
            case "other_port":
                frame[36] ^= 1
            case "udp_checksum_error":
                frame[45] ^= 1

    faults = CAUSES[4:-1]
    for a in faults:
        for b in faults:
            frame = bytearray(build(rng.randbytes(30)))
            for cause in sorted({a, b} - {"ip_checksum_error"}):
                fault(frame, cause)
            frame[24:26] = b"\0\0"
            rest = int.from_bytes(frame[14:34], "big") % 65535
            frame[24:26] = (65535 - rest).to_bytes(2, "big")
            if "ip_checksum_error" in (a, b):
                fault(frame, "ip_checksum_error")
            mii.frame(with_fcs(bytes(frame)), lane=rng.choice((0, 4)), gap=5)
            assert CAUSES.index(mii.sent[-1].cause) <= min(CAUSES.index(a), CAUSES.index(b))


@on_mii
def truncated_at_every_byte(mii, rng):
    for vlan in (None, 3):
        frame = with_fcs(build(rng.randbytes(90), vlan=vlan))
        for size in range(1, len(frame)):
            for lane in lanes(mii):
                mii.frame(frame[:size], lane=lane, gap=5)  # FCS wrong
                mii.frame(with_fcs(frame[:size]), lane=lane, gap=5)  # FCS right: runt, or shorter than its length says
                mii.frame(good(rng, 20), gap=5)


@on_mii
def good_frames_behind_broken_signalling(mii, rng):
    """What is no frame gives no verdict; one cut off by a control character ends in mii_error; the next is received normally."""
    for _ in range(200):
        if mii.w == 8:
            match rng.randrange(4):
                case 0:
                    mii.raw([0x155] * rng.randrange(1, 20))  # a burst without SFD
                case 1:
                    mii.raw([0x155] * rng.randrange(8) + [0x1D5])  # an SFD with nothing after it
                case 2:
                    mii.raw([rng.choice((0x20F, 0x200, 0x21F))] * rng.randrange(1, 9))  # carrier extension, false carrier
                case 3:
                    mii.frame(good(rng), gap=1, preamble=0)
            mii.idle(rng.randrange(1, 3))
            mii.frame(good(rng), gap=rng.randrange(1, 13), preamble=rng.choice((0, 1, 6, 7, 20)))
        else:
            mii.idle(-len(mii.octets) % 8)
            match rng.randrange(7):
                case 0:
                    mii.raw([0x1FB, *[0x55] * rng.randrange(7), 0x1FD])  # terminated within the preamble
                case 1:
                    mii.idle(4)
                    mii.raw([0x1FB, *[0x55] * 6, 0xD5, 0x1FD])  # nothing after the preamble
                case 2:
                    mii.raw([0x100 | rng.choice((0xFE, 0xFD, 0x9C, 0xFB)) if rng.random() < 0.4 else rng.randrange(256) for _ in range(3)])
                    mii.idle(5)
                case 3:
                    mii.raw([0x19C, 0, 0, 1] * rng.randrange(1, 5))  # fault sequences
                case 4:
                    mii.frame(good(rng), error=rng.randrange(0, 64), gap=5)
                case 5:
                    # A start in the middle of a frame: that ends in error, the new one counts.
                    mii.frame(good(rng), gap=1)
                    sent = mii.sent[-1]
                    cut = len(mii.octets) - (len(mii.octets) - 8) % 8 - 16
                    mii.octets = mii.octets[:cut]
                    sent.last, sent.cause, sent.payload = cut // 8 - 1, "mii_error", b""
                case 6:
                    # A start in lane 4 after one to three bytes of a frame: the gap is too short, what begins there is lost.
                    frame = good(rng, 56 + rng.randrange(3, 6))
                    mii.frame(frame, gap=1, lane=0 if len(frame) % 8 in (1, 2, 3) else 4)
                    if len(mii.octets) % 8 in (2, 3, 4):
                        mii.idle(4 - len(mii.octets) % 8)
                        mii.raw([0x1FB, *bytes([0x55] * 6 + [0xD5]), *good(rng), 0x1FD])
                        mii.idle(4)
            mii.frame(good(rng), gap=rng.randrange(5, 20))
        if rng.random() < 0.3:
            mii.frame(good(rng), error=rng.randrange(64), gap=5)


def mutate(rng: random.Random, frame: bytes) -> bytes:
    """A frame without FCS, with something changed; the IPv4 checksum is mostly set right again, for the sake of what comes after it."""
    changed = bytearray(frame)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        match rng.randrange(8):
            case 0:
                changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
            case 1:
                changed[rng.randrange(min(50, len(changed)))] = rng.choice((0, 1, 5, 17, 0x45, 0x46, 0x81, 255, rng.randrange(256)))
            case 2:
                del changed[rng.randrange(1, len(changed)) :]
            case 3:
                changed += rng.randbytes(rng.randrange(1, 20))
            case 4:
                changed[12:12] = rng.choice((b"\x81\0", b"\x81\0", b"\x88\xa8")) + rng.randbytes(2)
            case 5 | 6:
                at = rng.choice((16, 38, 20, 36, 40)) + (4 if changed[12:14] == b"\x81\0" else 0)
                value = int.from_bytes(changed[at : at + 2], "big") + rng.choice((-1, 1, -8, 8, 4, -20))
                changed[at : at + 2] = (value % 65536).to_bytes(2, "big")
            case 7:
                del changed[rng.randrange(len(changed))]
        changed = changed if len(changed) > 1 else bytearray(2)
    at = 18 if changed[12:14] == b"\x81\0" else 14
    if rng.random() < 0.8 and len(changed) >= at + 20:
        changed[at + 10 : at + 12] = b"\0\0"
        changed[at + 10 : at + 12] = (65535 - int.from_bytes(changed[at : at + 20], "big") % 65535).to_bytes(2, "big")
    return bytes(changed.ljust(60, b"\0")) if rng.random() < 0.9 else bytes(changed)


def mutated(mii: Mii, rng: random.Random, count: int) -> None:
    base = [good(rng)[:-4] for _ in range(60)] + [good(rng, 300)[:-4] for _ in range(3)]
    for _ in range(count):
        frame = with_fcs(mutate(rng, rng.choice(base)))
        if rng.random() < 0.02:
            frame = frame[:-1] + bytes([frame[-1] ^ 1 << rng.randrange(8)])
        error = rng.randrange(len(frame)) if rng.random() < 0.01 else None
        mii.frame(frame, gap=rng.choice((5, 5, 8, 12, 13, 30)), error=error)


@on_mii
def mutated_frames_end_as_the_model_says(mii, rng):
    mutated(mii, rng, cases(4000, 20000) if mii.w == 64 else cases(2000, 8000))
    seen = {sent.cause for sent in mii.sent}
    assert seen >= set(CAUSES) - {"oversize"}, set(CAUSES) - seen


@pytest.mark.parametrize(("w", "at_once"), [(8, 0), (64, 0), (64, 1)])
def test_net_rx(w, at_once, tmp_path):
    simulate(
        "net_rx_tb",
        "test_net_rx",
        parameters={"W": w, "AT_ONCE": at_once},
        extra=[ROOT / "tests" / "rtl" / "net_rx_tb.sv"],
        plusargs=[f"+folder={tmp_path}"],
        build_args=["-CFLAGS", "-std=c++20 -O2"],  # the bench makes its own clock, with coroutines
    )
