"""Drives tcp_sessions_tb: a Bench for each session, all on one line, and one output whose frames each get back to their own."""

import random
from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from tcp_bench import Bench
from tcp_peer import Ends

# Two to the same port of the same peer, one to another port of it, one to another peer.
ENDS = (
    Ends(40001),
    Ends(40002),
    Ends(40001, peer_port=9877),
    Ends(40001, peer_mac="02:00:00:00:00:98", peer_ip="10.0.0.3"),
)


class Slice:
    """What of a port is one session's, as cocotb gives a port."""

    def __init__(self, ports: "Ports", name: str, index: int) -> None:
        self.ports, self.name = ports, name
        self.width = len(getattr(ports.dut, name)) // ports.sessions
        self.shift = index * self.width

    @property
    def value(self) -> int:
        return self.ports.read(self.name) >> self.shift & ((1 << self.width) - 1)

    @value.setter
    def value(self, value: int) -> None:
        self.ports.write(self.name, self.shift, self.width, value)


class Ports:
    """The bench's ports: each is read once a cycle, and what was written is remembered."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.sessions = len(dut.connect)
        self.seen: dict[str, int] = {}
        self.written: dict[str, int] = {}

    def read(self, name: str) -> int:
        if name not in self.seen:
            self.seen[name] = int(getattr(self.dut, name).value)
        return self.seen[name]

    def write(self, name: str, shift: int, width: int, value: int) -> None:
        old = self.written.get(name, 0)
        new = old & ~(((1 << width) - 1) << shift) | value << shift
        if new != old or name not in self.written:
            self.written[name] = new
            getattr(self.dut, name).value = new


class View:
    """The ports as one session sees them: its own of those that are by session, and those of all."""

    SHARED = ("clk", "rst", "tick", "line_", "out_", "local_mac", "local_ip", "mss", "secret", "rto_", "keep_alive", "time_wait", "retries")

    def __init__(self, ports: Ports, index: int) -> None:
        self.ports, self.index = ports, index

    def __getattr__(self, name: str) -> Any:
        port = getattr(self.ports.dut, name) if name.startswith(self.SHARED) else Slice(self.ports, name, self.index)
        self.__dict__[name] = port
        return port


class Session(Bench):
    """One of them. `step` is that of all, so `run`, `until` and the like let time pass for all."""

    def __init__(self, sessions: "Sessions", index: int, seed: int, **network: float) -> None:
        super().__init__(View(sessions.ports, index), seed, ENDS[index], **network)
        self.sessions = sessions
        self.beats = sessions.beats
        self.at_once = sessions.ports.sessions == 1  # else a frame may have to wait for another's

    async def step(self) -> None:
        await self.sessions.step()


class Sessions:
    """All of them, and what they share: the line, the output, time. `network` is that of all, `networks` of single ones instead."""

    def __init__(self, dut: Any, seed: int = 1, networks: dict[int, dict[str, float]] | None = None, **network: float) -> None:
        self.ports = Ports(dut)
        self.rng = random.Random(seed)
        self.ready_share = 1.0
        self.out = Bench(View(self.ports, 0), seed)  # drives the line, watches the output
        self.out.left = self.left  # type: ignore[method-assign]
        self.beats = self.out.beats
        self.each = [Session(self, i, seed * 100 + i, **(networks or {}).get(i, network)) for i in range(self.ports.sessions)]
        self.order_of_frames: list[int] = []  # whose frames left

    def __getitem__(self, index: int) -> Session:
        return self.each[index]

    def __iter__(self):
        return iter(self.each)

    def left(self, at: int, frame: bytes) -> None:
        """Whose frame it is say its own addresses: the rest is for the session's peer to judge."""
        peer_ip, ports = frame[30:34], frame[34:38]
        (index,) = (
            i
            for i, ends in enumerate(ENDS)
            if bytes(map(int, ends.peer_ip.split("."))) == peer_ip
            and ends.client_port.to_bytes(2, "big") + ends.peer_port.to_bytes(2, "big") == ports
        )
        self.order_of_frames.append(index)
        self.each[index].left(at, frame)

    async def start(self, **settings: int) -> None:
        dut = self.ports.dut
        Clock(dut.clk, 2, "ns").start()
        for session in self.each:
            session.set_up(**settings)
        dut.rst.value = 1
        for _ in range(4):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        for _ in range(12):
            await self.step()

    async def step(self) -> None:
        dut = self.ports.dut
        for session in self.each:
            session.pass_time()
            session.drive_orders()
            session.drive_host()
        self.out.drive_line()
        # At W=64 who takes a frame's first beat takes it to its end.
        begun = self.out.size == 8 and bool(self.out.frame)
        ready = self.ready_share >= 1.0 or begun or self.rng.random() < self.ready_share
        dut.out_ready.value = int(ready)
        await RisingEdge(dut.clk)
        self.ports.seen.clear()
        for session in self.each:
            session.watch_writers()
        self.out.watch_frames(ready)
        self.out.cycle += 1
        for session in self.each:
            session.watch_received()

    async def run(self, cycles: int) -> None:
        for _ in range(cycles):
            await self.step()

    async def until(self, condition, limit: int = 100_000) -> None:
        await self.each[0].until(condition, limit)

    async def connect(self) -> None:
        """All at once."""
        for session in self.each:
            session.dut.connect.value = 1
        await self.step()
        for session in self.each:
            session.dut.connect.value = 0
        await self.until(lambda: all(session.state == "established" and session.peer.state == "open" for session in self))
