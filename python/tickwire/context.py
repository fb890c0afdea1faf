"""What the running handler sees and gives: one for the process, as one event is handled at a time."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Context:
    """Set by the runner before each event."""

    instruments: int = 1
    price_decimals: int = 4
    now: int = 0
    open_orders: int = 0
    positions: list[int] = field(default_factory=list)
    depth: list[list[dict[str, int]]] = field(default_factory=lambda: [[], []])
    orders: int = 0
    intents: list[dict[str, Any]] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    faults: dict[str, int] = field(default_factory=lambda: {"division": 0, "index": 0, "intents": 0})

    def clear(self) -> None:
        """Forgets what the last handler gave."""
        self.intents = []
        self.records = []
        self.faults = {"division": 0, "index": 0, "intents": 0}


CONTEXT = Context()
