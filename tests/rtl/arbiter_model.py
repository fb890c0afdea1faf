"""What A/B arbitration has to do, written from docs/reference/arbitration.md: packets, the low-latency output to the cycle, and what must
hold for the high-reliability output whatever the timing."""

import random
from dataclasses import dataclass, field
from typing import Literal

NEAR = 1 << 20


@dataclass(frozen=True)
class Protocol:
    """As arbiter_pkg::protocol_t."""

    preset: int
    sequence_offset: int
    sequence_bytes: int
    sequence_bits: int
    count_offset: int
    count_bytes: int
    count_end: int
    little_endian: bool
    maximum: int

    @property
    def header(self) -> int:
        return max(self.sequence_offset + self.sequence_bytes, self.count_offset + self.count_bytes)

    @property
    def order(self) -> Literal["little", "big"]:
        return "little" if self.little_endian else "big"

    def packet(self, number: int, count: int, length: int, rng: random.Random) -> bytes:
        """A packet of random bytes except number and count."""
        body = bytearray(rng.randbytes(length))
        sequence = number.to_bytes(self.sequence_bytes, self.order)
        body[self.sequence_offset : self.sequence_offset + self.sequence_bytes] = sequence
        if self.count_bytes:
            body[self.count_offset : self.count_offset + self.count_bytes] = count.to_bytes(self.count_bytes, self.order)
        return bytes(body[:length])

    def distance(self, base: int, number: int) -> int:
        return (number - base) % (1 << self.sequence_bits)

    def missing(self, expected: int, number: int, count: int) -> int | None:
        """Of a packet that is wanted: how many messages are missing before it. None: it brings nothing new, or is far."""
        if self.distance(expected, number) < NEAR:
            return self.distance(expected, number)
        return 0 if self.distance(number, expected) < count else None


PROTOCOLS = [
    Protocol(0, 10, 8, 64, 18, 2, 0xFFFF, False, 9000),
    Protocol(1, 6, 4, 31, 10, 1, 0, False, 1000),
    Protocol(2, 4, 4, 32, 3, 1, 0, True, 1400),
    Protocol(3, 0, 4, 32, 0, 0, 0, True, 1500),
]


@dataclass
class Sent:
    """A packet on a line: its first beat is there in cycle `begin`, its last in `end`."""

    line: int
    begin: int
    data: bytes
    number: int
    count: int  # of messages: 0 for a heartbeat and an end of session
    good: bool = True
    malformed: bool = False
    end: int = 0
    pause_behind: int = 0  # a beat, and cycles without one after it
    pause: int = 0


@dataclass
class Seen:
    """A packet on an output."""

    begin: int
    end: int
    data: bytes
    err: bool


@dataclass
class LowLatency:
    """The low-latency output, cycle by cycle."""

    protocol: Protocol
    beat_bytes: int
    expected: int | None = None
    out: list[Seen] = field(default_factory=list)
    refused: int = 0
    missed: int = 0
    lost: int = 0

    def run(self, packets: list[Sent]) -> None:
        number_beat = (self.protocol.header - 1) // self.beat_bytes
        pause = max(0, 2 - number_beat)  # so long it takes until the next wanted number is known
        keep = number_beat + 1 + pause
        begins: dict[int, list[Sent]] = {}
        for packet in packets:
            begins.setdefault(packet.begin, []).append(packet)
        waiting: dict[int, Sent] = {}  # by line
        right_at: dict[int, int] = {}  # which line was last right in the cycle in which both began
        last_right, free_at = 0, 0
        passes: dict[int, int] = {}  # the cycles of good packets' last beats, and their lines
        for now in range(max(begins) + 2 * number_beat + 20000):
            last_right = passes.get(now - 2, last_right)
            new = begins.get(now, [])
            if len(new) == 2:
                right_at[now] = last_right
            chosen = None
            if now >= free_at and not any(now - 1 - i in passes for i in range(pause)) and (waiting or new):
                # One that waits goes before one that begins now; of two alike the line that was last right when they began.
                group = list(waiting.values()) or new
                chosen = min(group, key=lambda p: (p.begin, p.line != right_at.get(p.begin, p.line)))
                if waiting.get(chosen.line) is chosen:
                    del waiting[chosen.line]
            for packet in new:
                if packet is not chosen:
                    if packet.line in waiting:
                        self.missed += 1
                    waiting[packet.line] = packet
            for line, packet in list(waiting.items()):
                if now - packet.begin >= keep:
                    del waiting[line]
                    self.missed += 1
            if chosen is not None:
                late = now - chosen.begin
                free_at = self.let_through(chosen, late, number_beat) + 1
                if self.out[-1].err is False:
                    passes[free_at - 1] = chosen.line
            if now > max(begins) and now > free_at and not waiting:
                return

    def let_through(self, packet: Sent, late: int, number_beat: int) -> int:
        """Puts it on the output; returns the cycle of the last beat that is let through. Each is on the output a cycle later."""
        begin, end = packet.begin + late, packet.end + late
        missing = 0 if self.expected is None else self.protocol.missing(self.expected, packet.number, packet.count)
        if not packet.malformed and missing is None:
            end = begin + number_beat
            self.out.append(Seen(begin + 1, end + 1, packet.data[: (number_beat + 1) * self.beat_bytes], True))
            self.refused += 1
            return end
        good = packet.good and not packet.malformed
        self.out.append(Seen(begin + 1, end + 1, packet.data, not good))
        if good:
            self.lost += missing or 0
            self.expected = (packet.number + packet.count) % (1 << self.protocol.sequence_bits)
        return end


def check_high_reliability(protocol: Protocol, packets: list[Sent], out: list[Seen], overflows: int) -> None:
    """Each packet has something new, nothing is invented, no message is lost that came before its turn had passed."""
    good = {packet.data: packet for packet in packets if packet.good and not packet.malformed}
    delivered: list[tuple[Seen, Sent]] = []
    for seen in out:
        if seen.err:
            continue
        assert seen.data in good, f"the packet that ended in cycle {seen.end} was never sent"
        delivered.append((seen, good[seen.data]))
    half = 1 << (protocol.sequence_bits - 1)
    upto = None
    passed: list[tuple[int, int]] = []  # cycle, distance from the first number: what is below has had its turn
    base = delivered[0][1].number if delivered else 0
    came: set[int] = set()  # messages
    for seen, packet in delivered:
        at = (protocol.distance(base, packet.number) + half) % (2 * half) - half
        if packet.count:
            behind = at + packet.count
            assert upto is None or behind > upto, f"number {packet.number} came after {upto} in cycle {seen.end}"
            # What is missing before it is not given up if it begins before.
            came.update(range(at if upto is None else max(at, upto), behind))
            upto = behind
            passed.append((seen.begin, upto))
    lost = 0
    for packet in packets:
        if not packet.good or packet.malformed or not packet.count:
            continue
        at = protocol.distance(base, packet.number)
        if at >= half:
            continue  # before the first
        for message in range(at, at + packet.count):
            turn = next((cycle for cycle, behind in passed if behind > message), None)
            # From its end to its place in the list a packet takes up to ten cycles, and what leaves the list is on the output five later.
            if message not in came and (turn is None or turn > packet.end + 15):
                lost += 1
                break
    assert lost <= overflows, f"{lost} packets were lost that had come in time, {overflows} are admitted"
