"""A design's ports, for benches that touch them in every cycle: there cocotb takes longer than the simulation."""

from typing import Any

from cocotb.handle import LogicArrayObject, LogicObject, PackedObject
from cocotb.triggers import ReadOnly


class Pin:
    """A port as a plain number: read past cocotb's arrays of nine-valued logic, and written only when that changes it."""

    __slots__ = ("_handle", "_last", "_pins", "_read")

    def __init__(self, handle: Any, pins: "Pins") -> None:
        self._handle, self._pins = handle, pins
        self._read = handle._handle.get_signal_val_binstr
        self._last: int | None = None

    @property
    def value(self) -> int:
        return int(self._read(), 2)

    @value.setter
    def value(self, value: int) -> None:
        if value != self._last:
            self._handle.value = self._last = int(value)
            self._pins.changed = True

    @property
    def signed(self) -> int:
        """As two's complement."""
        value = self.value
        return value - (1 << len(self)) * (value >> len(self) - 1)

    def __len__(self) -> int:
        return len(self._handle)


class Pins:
    """Replaces `dut`: looks each handle up once; all ports but the clock are a `Pin`.

    Who writes an input past this must be the last to write it: a value that was written here before would not be written again.
    """

    def __init__(self, design: Any) -> None:
        self.design = design
        self.changed = True  # an input, since `settled`

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.design, name)
        if name != "clk" and isinstance(found, LogicObject | LogicArrayObject | PackedObject):
            found = Pin(found, self)
        setattr(self, name, found)
        return found

    def put(self, **inputs: int) -> None:
        """These inputs from the next write phase on."""
        for name, value in inputs.items():
            getattr(self, name).value = value

    async def settled(self) -> None:
        """At a clock's edge: until the outputs follow the inputs written now; where none changed they do already."""
        if self.changed:
            await ReadOnly()
            self.changed = False
