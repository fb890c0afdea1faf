"""book_stage with a tight order table: orders that find no way go to the stash, and from there to their places while nothing comes."""

import random

import cocotb
from book_bench import Bench, buy, change_to, delete, sell
from book_model import EXECUTE, Event, Window
from harness import cases, simulate

LOW = 20_000
TIGHT = {"WAYS": 2, "SETS_LOG2": 5, "STASH": 6, "LEVEL_SETS_LOG2": 6, "LOG": 16, "FIFO": 64, "ORDERS": 60}
MOST = 30  # orders, of 64 places and the stash


@cocotb.test()
async def orders_find_their_places(dut):
    """Of an operation that finds the stash full the model knows nothing: there is none."""
    rng = random.Random(7)
    b = Bench(dut, TIGHT["LOG"], TIGHT["ORDERS"])
    await b.start({0: Window(100, LOW)})
    for turn in range(cases(150, 5000)):
        frame: list[Event] = []
        good = rng.random() < 0.75
        live = dict.fromkeys(b.model.orders)
        for _ in range(rng.randrange(1, 7)):
            id_ = rng.choice(list(live)) if live else 0
            tick, quantity = LOW + 4000 + rng.randrange(12), rng.randrange(2, 90)
            what = rng.random()
            if not live or (what < 0.5 and len(live) < MOST):
                id_ = rng.getrandbits(48)
                frame.append(rng.choice([buy, sell])(0, id_, tick, quantity))
                live[id_] = None
            elif what < 0.7:
                new = rng.getrandbits(48)
                frame.append(change_to(id_, new, tick, quantity))
                del live[id_]
                live[new] = None
            elif what < 0.8 and id_ in b.model.orders and b.model.orders[id_].left > 5:
                frame.append(Event(EXECUTE, None, quantity=1, id=id_))
            else:
                frame.append(delete(id_))
                del live[id_]
        await b.frame(frame, good, gap=rng.choice([1, 3]), with_last=turn % 2 == 0)
        await b.rest(rng.choice([0, 20, 60, 200]))
    await b.settle()
    assert b.faults == 0
    assert b.compared > 300


def test_book_stash() -> None:
    simulate("book_tb", "test_book_stash", parameters=TIGHT)
