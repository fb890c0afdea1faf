"""Frames as a capture file, and what tshark (Wireshark's dissectors, no model of ours) reads in them."""

import shutil
import struct
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

ETHERNET = 1  # link type of the file's header
GOOD = "1"  # a checksum's status
WARNING = 0x600000  # of the severities of Wireshark's expert information; below are notes, such as those of retransmissions

CHECKSUMS = ("ip.checksum.status", "tcp.checksum.status", "udp.checksum.status", "icmp.checksum.status", "igmp.checksum.status")
FIELDS = ("frame.number", "frame.protocols", "eth.src", "_ws.expert.severity", "_ws.expert.message", "_ws.malformed", "fix.MsgType")
FIX_BAD = "fix.checksum_bad"


class Capture:
    """Frames with the time at which they were seen."""

    def __init__(self) -> None:
        self.frames: list[tuple[float, bytes]] = []

    def add(self, frame: bytes) -> None:
        self.frames.append((time.time(), frame))

    def write(self, path: Path) -> None:
        """In the format of libpcap, version 2.4, times in microseconds."""
        with path.open("wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, ETHERNET))
            for seconds, frame in self.frames:
                file.write(struct.pack("<IIII", int(seconds), int(seconds % 1 * 1e6), len(frame), len(frame)) + frame)


@dataclass(frozen=True)
class Read:
    """A frame as tshark reads it."""

    number: int
    protocols: tuple[str, ...]
    source: str
    checksums: dict[str, tuple[str, ...]]  # those it has
    complaints: tuple[str, ...]  # warnings and errors
    fix: tuple[str, ...]  # MsgType of each message that ends in it


def tshark_missing() -> str | None:
    """Why tshark cannot be used."""
    return None if shutil.which("tshark") else "needs tshark (Debian's package of that name)"


def read(path: Path, fix_port: int) -> list[Read]:
    """All frames of a file, every checksum verified."""
    verify = [f"{protocol}.check_checksum:TRUE" for protocol in ("ip", "tcp", "udp")]
    names = (*FIELDS, *CHECKSUMS, FIX_BAD)
    command = [
        "tshark",
        "-r",
        str(path),
        "-n",
        "-2",
        "-d",
        f"tcp.port=={fix_port},fix",
        "-T",
        "fields",
        "-E",
        "separator=\t",
        "-E",
        "aggregator=|",
    ]
    for option in verify:
        command += ["-o", option]
    for name in names:
        command += ["-e", name]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    frames = []
    for line in output.splitlines():
        values = {name: tuple(filter(None, value.split("|"))) for name, value in zip(names, line.split("\t"), strict=True)}
        severities = [int(severity) for severity in values["_ws.expert.severity"]]
        complaints = [text for severity, text in zip(severities, values["_ws.expert.message"], strict=True) if severity >= WARNING]
        complaints += [f"malformed: {values['_ws.malformed']}"] * bool(values["_ws.malformed"])
        complaints += ["CheckSum of a FIX message"] * ("True" in values[FIX_BAD] or "1" in values[FIX_BAD])
        frames.append(
            Read(
                number=int(values["frame.number"][0]),
                protocols=tuple(values["frame.protocols"][0].split(":")),
                source=values["eth.src"][0],
                checksums={name: values[name] for name in CHECKSUMS if values[name]},
                complaints=tuple(complaints),
                fix=values["fix.MsgType"],
            )
        )
    return frames
