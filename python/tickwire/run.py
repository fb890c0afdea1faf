"""Runs a strategy under CPython on events given as JSON lines: see `python -m tickwire --help`."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

from tickwire.context import CONTEXT, Context
from tickwire.strategy import Book, Report, Strategy, Trade, parameters_of, set_parameter, state_of


def load(path: str) -> type[Strategy]:
    """The strategy in a file."""
    name = f"strategy_{len(sys.modules)}_{Path(path).stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    found = [item for item in vars(module).values() if isinstance(item, type) and issubclass(item, Strategy) and item is not Strategy]
    if len(found) != 1:
        raise ValueError(f"{path} has {len(found)} strategies: write one")
    return found[0]


class Run:
    """A strategy with its state."""

    def __init__(self, path: str, instruments: int, price_decimals: int, parameters: dict[str, int], fault_stops: bool) -> None:
        fresh = Context(instruments=instruments, price_decimals=price_decimals)
        vars(CONTEXT).update(vars(fresh))
        self.strategy = load(path)(parameters)
        self.fault_stops = fault_stops
        self.stopped = False

    def event(self, line: dict[str, Any]) -> dict[str, Any]:
        """Lets an event happen; returns what came of it, and the state."""
        CONTEXT.clear()
        if "parameters" in line:
            for name, number in zip(parameters_of(self.strategy), line["parameters"], strict=True):
                set_parameter(self.strategy, name, number)
        elif not self.stopped:
            self.handle(line)
        return {
            "intents": CONTEXT.intents,
            "records": CONTEXT.records,
            "faults": CONTEXT.faults,
            "state": state_of(self.strategy),
        }

    def handle(self, line: dict[str, Any]) -> None:
        """Runs the handler of an event, if there is one."""
        CONTEXT.now = line["now"]
        CONTEXT.open_orders = line["open_orders"]
        CONTEXT.positions = line["positions"]
        CONTEXT.depth = line.get("depth", [[], []])
        handlers: dict[str, tuple[str, Any]] = {
            "book": ("on_book", Book),
            "trade": ("on_trade", Trade),
            "report": ("on_order", Report),
            "timer": ("on_timer", None),
        }
        for key, (name, make) in handlers.items():
            handler = getattr(self.strategy, name, None)
            if key in line and handler is not None:
                handler(*([make(line[key])] if make else []))
        if self.fault_stops and any(CONTEXT.faults.values()):
            self.stopped = True
            CONTEXT.intents = []
