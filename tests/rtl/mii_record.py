"""Reads frames out of what a transmitter put on GMII or XGMII, cycle by cycle."""

from dataclasses import dataclass, field

PREAMBLE = bytes([0x55] * 7 + [0xD5])
START, TERMINATE, ERROR, IDLE = 0xFB, 0xFD, 0xFE, 0x07
IDLE_BEAT = (0x0707070707070707, 0xFF)


@dataclass
class Sent:
    """One frame: its bytes from the destination MAC to the FCS, and what was around it."""

    cycle: int  # of the first preamble byte
    data: bytes = b""
    error: bool = False
    gap: int | None = None  # bytes of idle before it (XGMII: terminate included); None before the first


@dataclass
class MiiRecord:
    """Feed it every cycle's signals; `frames` holds what was sent. Anything that is not a frame or idle is an AssertionError."""

    width: int
    frames: list[Sent] = field(default_factory=list)
    _bytes: bytearray | None = None
    _idle: int = 0
    _cycle: int = 0

    def cycle(self, data: int, control: int, error: int) -> None:
        if self.width == 8:
            self._gmii(data, control, error)
        else:
            assert error == 0
            if self._bytes is None and (data, control) == IDLE_BEAT:
                self._idle += 8
            else:
                for lane in range(8):
                    self._xgmii(lane, data >> 8 * lane & 0xFF, control >> lane & 1)
        self._cycle += 1

    def _begin(self) -> None:
        self.frames.append(Sent(self._cycle, gap=self._idle if self.frames else None))
        self._bytes = bytearray()

    def _end(self) -> None:
        assert self._bytes is not None
        assert self._bytes[:8] == PREAMBLE, self._bytes[:8].hex()
        self.frames[-1].data = bytes(self._bytes[8:])
        self._bytes = None
        self._idle = 0

    def _gmii(self, data: int, enable: int, error: int) -> None:
        if not enable:
            assert not error
            if self._bytes is not None:
                self._end()
            self._idle += 1
            return
        if self._bytes is None:
            self._begin()
        assert self._bytes is not None
        self._bytes.append(data)
        self.frames[-1].error |= bool(error)

    def _xgmii(self, lane: int, data: int, control: int) -> None:
        if self._bytes is None:
            if control and data == START:
                assert lane == 0
                self._begin()
                self._bytes = bytearray(PREAMBLE[:1])
                return
            assert (control, data) == (1, IDLE), f"{data:02x} between frames"
            self._idle += 1
        elif not control:
            self._bytes.append(data)
        elif data == ERROR:
            self._bytes.append(data)
            self.frames[-1].error = True
        else:
            assert data == TERMINATE, f"control {data:02x} in a frame"
            self._end()
            self._idle = 1
