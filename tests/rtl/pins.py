"""A design's ports, for benches that touch them in every cycle: there cocotb takes longer than the simulation."""

from typing import Any


class Pins:
    """Replaces `dut`: looks each handle up once, and `put` writes an input only when that changes."""

    def __init__(self, design: Any) -> None:
        self.design = design
        self._inputs: dict[str, int] = {}

    def __getattr__(self, name: str) -> Any:
        handle = getattr(self.design, name)
        setattr(self, name, handle)
        return handle

    def put(self, **inputs: int) -> None:
        """These inputs from the next write phase on. Nothing else may write them."""
        for name, value in inputs.items():
            if self._inputs.get(name) != value:
                self._inputs[name] = value
                getattr(self, name).value = value
