"""Frames on a MII, and what docs/reference/rules.md says about them: the model net_rx is compared with."""

import random
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1Q, Ether

CAUSES = [
    "mii_error",
    "fcs_error",
    "runt",
    "oversize",
    "other_mac",
    "other_ethertype",
    "ip_header_error",
    "ip_options",
    "ip_checksum_error",
    "ip_length_error",
    "fragment",
    "other_ip",
    "other_protocol",
    "udp_length_error",
    "other_port",
    "udp_checksum_error",
    "accepted",
]
REFUSED_BY_HEADER = {cause for cause in CAUSES[4:-2] if cause != "ip_length_error"}

# As net_rx_tb is configured.
LOCAL_MAC = "02:00:00:00:00:01"
LOCAL_IP = "10.0.0.1"
GROUPS = ("239.1.2.3", "224.0.129.5", "232.255.255.254")
PORTS = (26400, 1, 65535)


def group_mac(group: str) -> str:
    octets = [int(octet) for octet in group.split(".")]
    return f"01:00:5e:{octets[1] & 0x7F:02x}:{octets[2]:02x}:{octets[3]:02x}"


def with_fcs(frame: bytes) -> bytes:
    return frame + zlib.crc32(frame).to_bytes(4, "little")


def build(
    payload: bytes,
    mac: str = LOCAL_MAC,
    ip: str = LOCAL_IP,
    port: int = PORTS[0],
    vlan: int | None = None,
    pad: bool = True,
    ip_fields: dict | None = None,
    udp_fields: dict | None = None,
) -> bytes:
    """A frame without FCS, checksums by scapy, padded to 60 bytes."""
    ether = Ether(src="02:00:00:00:00:99", dst=mac)
    if vlan is not None:
        ether = ether / Dot1Q(vlan=vlan)
    fields = {"src": "10.0.0.2", "dst": ip, "ttl": 5, **(ip_fields or {})}
    frame = bytes(ether / IP(**fields) / UDP(sport=4000, dport=port, **(udp_fields or {})) / payload)
    return frame.ljust(60, b"\0") if pad else frame


def zero_sum(data: bytes) -> bool:
    """Whether 16-bit words add up to zero in ones' complement: 65,535 divides 2^16 - 1, so it is a remainder."""
    return int.from_bytes(data + b"\0" * (len(data) % 2), "big") % 65535 == 0


def classify(frame: bytes, mii_error: bool = False) -> tuple[str, bytes]:
    """Cause and UDP payload of a frame with FCS, as rules.md has it, in its order."""
    if mii_error:
        return "mii_error", b""
    if zlib.crc32(frame[:-4]).to_bytes(4, "little") != frame[-4:]:
        return "fcs_error", b""
    if len(frame) < 64:
        return "runt", b""
    if len(frame) > 9022:
        return "oversize", b""
    groups = {bytes(int(octet) for octet in group.split(".")) for group in GROUPS}
    macs = {bytes.fromhex(mac.replace(":", "")) for mac in (LOCAL_MAC, *(group_mac(group) for group in GROUPS))}
    at = 16 if frame[12:14] == b"\x81\x00" else 12
    packet = frame[at + 2 : -4]
    total = int.from_bytes(packet[2:4], "big")
    udp = packet[20:total]
    pseudo = packet[12:20] + b"\0" + packet[9:10] + packet[24:26]
    conditions = {
        "other_mac": frame[:6] not in macs,
        "other_ethertype": frame[at : at + 2] != b"\x08\x00",
        "ip_header_error": packet[0] >> 4 != 4 or packet[0] & 15 < 5,
        "ip_options": packet[0] & 15 > 5,
        "ip_checksum_error": not zero_sum(packet[:20]),
        "ip_length_error": total < 20 or total > len(packet),
        "fragment": int.from_bytes(packet[6:8], "big") & 0x3FFF != 0,
        "other_ip": packet[16:20] not in groups | {bytes([10, 0, 0, 1])},
        "other_protocol": packet[9] != 17,
        "udp_length_error": total < 28 or int.from_bytes(packet[24:26], "big") != total - 20,
        "other_port": int.from_bytes(packet[22:24], "big") not in PORTS,
        "udp_checksum_error": packet[26:28] != b"\0\0" and not zero_sum(pseudo + udp),
    }
    for cause, applies in conditions.items():
        if applies:
            return cause, b""
    return "accepted", udp[8:]


@dataclass
class Sent:
    """A frame on the MII: the cycles of its first and last byte, and what must become of it."""

    frame: bytes
    first: int
    last: int
    payload_first: int
    cause: str
    payload: bytes


@dataclass
class Mii:
    """Words for a MII of width w, a line of hexadecimal each, and the frames in them."""

    w: int
    octets: list[int] = field(default_factory=list)  # W = 64: control << 8 | data; W = 8: error << 9 | valid << 8 | data
    sent: list[Sent] = field(default_factory=list)

    def raw(self, octets: Iterable[int]) -> None:
        self.octets += octets

    def idle(self, count: int) -> None:
        self.octets += [0x107 if self.w == 64 else 0] * count

    def data(self, octets: bytes) -> list[int]:
        return list(octets) if self.w == 64 else [0x100 | octet for octet in octets]

    def frame(self, frame: bytes, gap: int = 12, lane: int | None = None, error: int | None = None, preamble: int = 7) -> None:
        """Send a frame with FCS, then at least `gap` bytes of gap (XGMII: terminate included), as many as the next start needs.

        `lane` of the start: 0, 4, or whichever comes first. `error`: the byte with which the PHY flags an error.
        """
        lead = 8 if self.w == 64 else preamble + 1
        if self.w == 64:
            while len(self.octets) % 8 not in ((0, 4) if lane is None else (lane,)):
                self.idle(1)
            head = [0x1FB, *bytes([0x55] * 6 + [0xD5])]
        else:
            head = self.data(bytes([0x55] * preamble + [0xD5]))
        body = self.data(frame)
        end = len(frame)
        if error is not None:
            body[error] = 0x1FE if self.w == 64 else body[error] | 0x200
            end = error if self.w == 64 else end
        first = (len(self.octets) + lead) // (self.w // 8)
        last = (len(self.octets) + lead + end - 1) // (self.w // 8)
        payload_at = 46 if frame[12:14] == b"\x81\x00" else 42
        payload_first = (len(self.octets) + lead + payload_at) // (self.w // 8)
        self.octets += head + body
        if self.w == 64:
            self.octets.append(0x1FD)
            gap -= 1
        self.idle(gap)
        if end:
            self.sent.append(Sent(frame, first, last, payload_first, *classify(frame, error is not None)))

    def write(self, path: str) -> None:
        self.idle(16 * self.w // 8)
        self.idle(-len(self.octets) % (self.w // 8))
        with open(path, "w") as out:
            if self.w == 8:
                out.writelines(f"{octet:03x}\n" for octet in self.octets)
                return
            for at in range(0, len(self.octets), 8):
                beat = self.octets[at : at + 8]
                control = sum((octet >> 8) << lane for lane, octet in enumerate(beat))
                out.write(f"{control:03x}{bytes(octet & 255 for octet in reversed(beat)).hex()}\n")


FIRST_BEAT = {8: 2, 64: 3}  # cycles from the payload's first byte on the MII to the first beat
VERDICT = 3  # cycles from the frame's last byte on the MII to the verdict
START = 1  # cycles from the frame's first byte on the MII to frame_start


def check(mii: Mii, result: str, at_once: bool = False) -> None:
    """Compare net_rx_tb's record with what the frames sent must give: cause, payload, and every cycle number.

    With `at_once` the payload's last beat comes as soon as it is there, the verdict with it or after it.
    """
    verdicts, starts, beats, first = [], [], b"", None
    ended, err, early = False, 0, 0
    for line in Path(result).read_text().splitlines():
        *numbers, keep, data = line.split()
        cycle, start, cause_valid, number, valid, last, wrong = map(int, numbers)
        if start:
            starts.append(cycle)
        if valid:
            first = cycle if first is None else first
            beats += int(data, 16).to_bytes(mii.w // 8, "little")[: int(keep, 16).bit_count()]
            assert not ended, f"beat after the last in cycle {cycle}"
            if last:
                ended, err = True, wrong
                early += not cause_valid
        assert at_once or not (valid and last and not cause_valid), f"last without verdict in cycle {cycle}"
        if cause_valid:
            assert first is None or ended, f"verdict without last in cycle {cycle}"
            verdicts.append((cycle, CAUSES[number], ended, bool(err), beats, first))
            beats, first, ended = b"", None, False
    assert first is None, "beats after the last verdict"
    assert starts == [sent.first + START for sent in mii.sent]
    for number, (sent, (cycle, cause, delivered, err, payload, first)) in enumerate(zip(mii.sent, verdicts, strict=False)):
        told = f"frame {number}, {len(sent.frame)} bytes, cycles {sent.first} to {sent.last}: {sent.frame[:64].hex()}"
        assert cause == sent.cause, f"{cause}, not {sent.cause}: {told}"
        assert cycle == sent.last + VERDICT, f"verdict in cycle {cycle}: {told}"
        if cause == "accepted":
            assert delivered, told
            assert not err, told
            assert payload == sent.payload, f"{payload.hex()}: {told}"
            if len(payload) > mii.w // 8:
                assert first == sent.payload_first + FIRST_BEAT[mii.w], f"first beat in cycle {first}: {told}"
        else:
            assert err or not delivered or at_once, told
            assert not (delivered and cause in REFUSED_BY_HEADER), told
    assert len(verdicts) == len(mii.sent), f"{len(verdicts)} verdicts on {len(mii.sent)} frames"
    accepted = sum(sent.cause == "accepted" for sent in mii.sent)
    assert not at_once or early >= accepted // 2, f"{early} last beats before the verdict, of {accepted}"


def check_line(mii: Mii, frames: str) -> None:
    """Compare net_rx_tb's record of the port `line` with the frames sent: complete, or up to where an error cut them off."""
    rows = Path(frames).read_text().splitlines()
    assert len(rows) == len(mii.sent), f"{len(rows)} frames on `line`, {len(mii.sent)} sent"
    lanes = mii.w // 8
    for number, (sent, row) in enumerate(zip(mii.sent, rows, strict=True)):
        cycle, offset, data, stop, error = row.split()
        told = f"frame {number}, {len(sent.frame)} bytes, cycles {sent.first} to {sent.last}: {row}"
        beats = [bytes.fromhex(data[at : at + 2 * lanes])[::-1] for at in range(0, len(data), 2 * lanes)]
        begin, end = 4 * int(offset), (len(beats) - 1) * lanes + int(stop)
        line = b"".join(beats)
        assert (int(cycle), len(beats)) == (sent.first + START, sent.last - sent.first + 1), told
        assert bool(int(error)) == (sent.cause == "mii_error"), told
        assert not any(line[:begin] + line[end:]), f"bytes that are not the frame's: {told}"
        assert sent.frame.startswith(line[begin:end]), told
        assert end - begin == len(sent.frame) or sent.cause == "mii_error", told


def random_payload(rng: random.Random, size: int) -> bytes:
    """Random bytes; now and then all alike, where checksums are weak."""
    return rng.choice((b"\0", b"\xff")) * size if rng.random() < 0.1 else rng.randbytes(size)
