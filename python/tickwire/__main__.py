"""Events as JSON lines in, outcomes as JSON lines out.

A line such as

    {"load": "strategy.py", "instruments": 2, "price_decimals": 4, "parameters": {"size": 100}, "fault_stops": true}

starts a strategy; nothing is printed for it. Each line after it is an event, and an outcome is printed: intents, records, faults, state.
Prices are in smallest steps, times in ns. A level is {"price": 1250000, "quantity": 5, "orders": 1}.

    {"book": {"instrument": 0, "bid": LEVEL, "ask": LEVEL, "changed": true, "tradable": true},
     "depth": [[LEVEL, …], [LEVEL, …]], "now": 0, "open_orders": 0, "positions": [0, 0]}
    {"trade": {"instrument": 0, "price": 1250000, "quantity": 5, "side": "buy"}, "now": 0, "open_orders": 0, "positions": [0, 0]}
    {"report": {"kind": "filled", "order": 1, "instrument": 0, "side": "buy", "price": 1250000, "quantity": 5,
     "remaining": 0, "reason": 0}, "now": 0, "open_orders": 0, "positions": [0, 0]}
    {"timer": true, "now": 0, "open_orders": 0, "positions": [0, 0]}
    {"parameters": [100]}
"""

import argparse
import json
import sys

from tickwire.run import Run


def main() -> None:
    """Reads standard input to its end."""
    argparse.ArgumentParser(
        prog="python -m tickwire", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    run: Run | None = None
    for text in sys.stdin:
        line = json.loads(text)
        if "load" in line:
            run = Run(line["load"], line["instruments"], line["price_decimals"], line.get("parameters", {}), line.get("fault_stops", True))
        elif run is not None:
            print(json.dumps(run.event(line)), flush=True)


if __name__ == "__main__":
    main()
