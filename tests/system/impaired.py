"""A cable between two interfaces of a namespace that loses, doubles, reorders, corrupts and delays frames, as netem does: not every kernel
has netem, and a seed makes this one repeat itself."""

import fcntl
import heapq
import os
import random
import select
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
PACKET_OUTGOING = 4
ETHERNET_HEADER = 14


@dataclass(frozen=True)
class Impairment:
    """Probabilities by frame, and seconds. A frame that is reordered is not delayed: it overtakes those before it."""

    loss: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    corrupt: float = 0.0
    delay: float = 0.0


class Cable:
    """Carries frames between the interface `left` and a TAP interface `right`; run it in their namespace."""

    def __init__(
        self, left: str, right: str, impairment: Impairment, seed: int, watch: Callable[[bool, bytes], None] | None = None
    ) -> None:
        """`watch` gets every frame that comes, before anything happens to it: whether it goes to the right, and the frame."""
        self.impairment = impairment
        self.watch = watch
        self.random = random.Random(seed)
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.socket.bind((left, 0))
        self.tap = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(self.tap, TUNSETIFF, struct.pack("16sH22x", right.encode(), IFF_TAP | IFF_NO_PI))
        self.waiting: list[tuple[float, int, bool, bytes]] = []  # due, in order of arrival, to the right, frame
        self.arrived = 0
        self.counted = dict.fromkeys(("passed", "lost", "doubled", "reordered", "corrupted"), 0)
        self.stop = threading.Event()

    def _chance(self, probability: float, name: str) -> bool:
        hit = self.random.random() < probability
        self.counted[name] += hit
        return hit

    def _take(self, frame: bytes, rightwards: bool) -> None:
        how = self.impairment
        if self.watch is not None:
            self.watch(rightwards, frame)
        if self._chance(how.loss, "lost"):
            return
        copies = 2 if self._chance(how.duplicate, "doubled") else 1
        for _ in range(copies):
            sent = frame
            if self._chance(how.corrupt, "corrupted"):
                bit = self.random.randrange(8 * ETHERNET_HEADER, 8 * len(frame))
                changed = bytearray(frame)
                changed[bit // 8] ^= 1 << bit % 8
                sent = bytes(changed)
            delay = 0.0 if self._chance(how.reorder, "reordered") else how.delay
            self.arrived += 1
            heapq.heappush(self.waiting, (time.monotonic() + delay, self.arrived, rightwards, sent))

    def _send_due(self) -> None:
        while self.waiting and self.waiting[0][0] <= time.monotonic():
            _, _, rightwards, frame = heapq.heappop(self.waiting)
            self.counted["passed"] += 1
            try:
                if rightwards:
                    os.write(self.tap, frame)
                else:
                    self.socket.send(frame)
            except OSError:
                pass  # the other side is not up: a loss like another

    def run(self) -> None:
        while not self.stop.is_set():
            due = self.waiting[0][0] - time.monotonic() if self.waiting else 0.05
            readable, _, _ = select.select([self.socket.fileno(), self.tap], [], [], min(max(due, 0), 0.05))
            if self.socket.fileno() in readable:
                frame, address = self.socket.recvfrom(65535)
                if address[2] != PACKET_OUTGOING:
                    self._take(frame, True)
            if self.tap in readable:
                self._take(os.read(self.tap, 65535), False)
            self._send_due()
        self.socket.close()
        os.close(self.tap)
