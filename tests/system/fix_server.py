"""A FIX 4.4 exchange that only answers a Logon, sends trades and stores every byte it receives: independent of our own session layer."""

import socket
import time
from contextlib import suppress
from datetime import UTC, datetime

SOH = "\x01"


def message(msg_type: str, number: int, *fields: str, sender: str = "EX", target: str = "ALICE", duplicate: bool = False) -> bytes:
    now = datetime.now(UTC).strftime("%Y%m%d-%H:%M:%S.%f")[:-3]
    head = [f"35={msg_type}", f"49={sender}", f"56={target}", f"34={number}", f"52={now}"]
    if duplicate:
        head += ["43=Y", f"122={now}"]
    body = SOH.join([*head, *fields]) + SOH
    text = f"8=FIX.4.4{SOH}9={len(body)}{SOH}{body}".encode()
    return text + f"10={sum(text) % 256:03}{SOH}".encode()


def fields(raw: bytes) -> list[tuple[int, str]]:
    return [(int(tag), value) for tag, _, value in (part.partition("=") for part in raw.decode().split(SOH)[:-1])]


def split(stream: bytes) -> tuple[list[bytes], bytes]:
    """The complete messages at the front, and the rest."""
    found = []
    # 10=nnn and SOH, which no value of ours holds.
    while (end := stream.find(b"\x0110=")) >= 0 and len(stream) >= end + 8:
        found.append(stream[: end + 8])
        stream = stream[end + 8 :]
    return found, stream


class Server:
    """One connection at a time."""

    def __init__(self, address: str, port: int, receive_buffer: int | None = None) -> None:
        self.listener = socket.create_server((address, port))
        if receive_buffer is not None:  # which connections inherit
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.connection: socket.socket | None = None
        self.rest = b""
        self.next = 1
        self.messages: list[bytes] = []  # of this connection

    def accept(self, seconds: float = 60) -> None:
        self.listener.settimeout(seconds)
        self.connection, _ = self.listener.accept()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""
        self.messages = []

    def send(self, msg_type: str, *rest: str) -> None:
        assert self.connection is not None
        self.connection.settimeout(30)
        self.connection.sendall(message(msg_type, self.next, *rest))
        self.next += 1

    def trade(self, symbol: str, price: str) -> None:
        self.send("X", "268=1", "279=0", "269=2", f"55={symbol}", f"270={price}", "271=1")

    def receive(self, seconds: float) -> list[bytes]:
        """Messages that came within a time; the connection's end is no more messages."""
        assert self.connection is not None
        self.connection.settimeout(max(seconds, 0.001))
        try:
            data = self.connection.recv(1 << 20)
        except TimeoutError:
            return []
        found, self.rest = split(self.rest + data)
        self.messages += found
        return found

    def log_on(self, seconds: float = 60) -> dict[int, str]:
        """Answers the Logon, which must be the first message."""
        deadline = time.monotonic() + seconds
        while not self.messages:
            assert time.monotonic() < deadline, "no Logon"
            self.receive(0.5)
        logon = dict(fields(self.messages[0]))
        assert logon[35] == "A", self.messages[0]
        self.send("A", "98=0", f"108={logon[108]}")
        return logon

    def log_out(self, seconds: float) -> None:
        """Takes what comes until a Logout, answers it, and waits for the other side to end the connection, as FIX has it.
        A line that loses frames may lose the end, too."""
        assert self.connection is not None
        deadline = time.monotonic() + seconds
        while dict(fields(self.messages[-1]))[35] != "5":
            assert time.monotonic() < deadline, f"no Logout, last {self.messages[-1]!r}"
            self.receive(0.2)
        self.send("5")
        self.connection.settimeout(10)
        with suppress(TimeoutError, ConnectionError):
            while data := self.connection.recv(1 << 16):
                self.rest += data
        self.connection.close()

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
        self.listener.close()
