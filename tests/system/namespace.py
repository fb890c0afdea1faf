"""A network namespace of a test's own, with a TAP interface for the simulated core, and the command that runs on it."""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
RELEASE, DEBUG = (TARGET / profile / "tickwire" for profile in ("release", "debug"))
TICKWIRE = Path(os.environ.get("TICKWIRE", RELEASE if RELEASE.exists() else DEBUG))
TAP = "tw0"
KERNEL_IP, KERNEL_MAC = "192.168.77.1", "02:54:57:00:00:02"
CORE_IP, CORE_MAC = "192.168.77.2", "02:54:57:00:00:01"
CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)

T = TypeVar("T")


def missing() -> str | None:
    """Why tests cannot run here."""
    if os.geteuid() != 0:
        return "needs root (network namespaces)"
    if shutil.which("ip") is None:
        return "needs iproute2 (the command ip)"
    if not Path("/dev/net/tun").exists():
        return "needs /dev/net/tun"
    if not TICKWIRE.exists():
        return f"{TICKWIRE} is not built: make build"
    name = f"tickwire-probe-{os.getpid()}"
    probe = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    if probe.returncode != 0:
        return f"network namespaces are not allowed here: {probe.stderr.strip()}"
    subprocess.run(["ip", "netns", "delete", name], check=True)
    return None


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)


class Namespace:
    """A namespace with its interfaces; deleted at the end."""

    def __init__(self) -> None:
        self.name = f"tickwire-{os.getpid()}"

    def __enter__(self) -> "Namespace":
        ip("netns", "add", self.name)
        ip("-n", self.name, "link", "set", "lo", "up")
        return self

    def __exit__(self, *_: object) -> None:
        ip("netns", "delete", self.name)

    def interface(self, name: str, mac: str, address: str | None) -> None:
        """A TAP interface of the kernel; without an address it only carries frames."""
        ip("-n", self.name, "tuntap", "add", name, "mode", "tap")
        for setting in (f"net.ipv6.conf.{name}.disable_ipv6=1", f"net.ipv4.conf.{name}.arp_ignore=1"):
            self.run("sysctl", "-qw", setting)
        ip("-n", self.name, "link", "set", name, "address", mac, "up")
        if address is not None:
            ip("-n", self.name, "address", "add", f"{address}/24", "dev", name)

    def command(self, *arguments: str) -> list[str]:
        return ["ip", "netns", "exec", self.name, *arguments]

    def run(self, *arguments: str) -> str:
        return subprocess.run(self.command(*arguments), check=True, capture_output=True, text=True).stdout

    def inside(self, work: Callable[[], T]) -> T:
        """Runs `work` in a thread inside the namespace: a thread, so that the test itself stays outside."""
        return self.start(work).result()

    def start(self, work: Callable[[], T]) -> "Future[T]":
        """The same, without waiting for it."""
        result: Future[T] = Future()

        def enter() -> None:
            try:
                with open(f"/var/run/netns/{self.name}") as namespace:
                    # os.setns came with Python 3.12; Debian 12 has 3.11.
                    if LIBC.setns(namespace.fileno(), CLONE_NEWNET):
                        raise OSError(ctypes.get_errno(), "setns")
                result.set_result(work())
            except BaseException as error:  # given to the caller
                result.set_exception(error)

        threading.Thread(target=enter, daemon=True).start()
        return result


class Simulation:
    """`tickwire sim --tap` in a namespace, and what it printed."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.interrupted = False
        self.told: list[dict[str, Any]] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.told.append(json.loads(line))

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        return [line for line in self.told if line.get("type") == kind]

    def wait_for(self, kind: str, count: int = 1, seconds: float = 60) -> list[dict[str, Any]]:
        """Its lines of a kind, as soon as there are so many."""
        deadline = time.monotonic() + seconds
        while len(self.of_type(kind)) < count:
            assert self.process.poll() is None, f"ended: {self.errors()}"
            assert time.monotonic() < deadline, f"no {count} of {kind} within {seconds} s; told {self.told[-5:]}"
            time.sleep(0.02)
        return self.of_type(kind)

    def type(self, line: str) -> None:
        """An order by hand, with --lines."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def errors(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def interrupt(self) -> None:
        """Asks it to end; it logs out, and waits for the answer."""
        if not self.interrupted and self.process.poll() is None:
            self.interrupted = True
            self.process.send_signal(signal.SIGINT)

    def end(self) -> None:
        """In good order: it logs out."""
        self.interrupt()
        self.process.wait(timeout=30)
        assert self.process.returncode == 0, self.errors()


@contextmanager
def simulation(namespace: Namespace, desk: Path, core: int | str, *more: str) -> Iterator[Simulation]:
    """The core of a width, or a preset."""
    which = ("--width", str(core)) if isinstance(core, int) else ("--preset", core)
    command = namespace.command(str(TICKWIRE), "--json", "sim", "--tap", TAP, "--desk", str(desk), *which, *more)
    pipe = subprocess.PIPE
    running = Simulation(subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True))
    try:
        # Its model may have to be built first.
        running.wait_for("attached", seconds=900)
        yield running
    finally:
        if running.process.poll() is None:
            running.kill()
