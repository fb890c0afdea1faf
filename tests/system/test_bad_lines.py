"""Orders over lines that lose, double, reorder, corrupt and delay, and to a server that stops reading: what the kernel's TCP gives to the
server is exactly the orders, in order, once each.

The lines are those of impaired.py, in user space: netem is not in every kernel, and this repeats itself. They run two at a time.
TICKWIRE_ORDERS: orders of all lines together (default 20,000). Their counts go to out/bench/bad_lines.json, for
`tickwire-verify bench session`.
"""

import json
import os
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context

import pytest
from bad_line import Line, Result, run
from impaired import Impairment
from namespace import ROOT, missing

REASON = missing()
pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")

ORDERS = int(os.environ.get("TICKWIRE_ORDERS", "20000"))
# Of a session: the core counts an order as open until the exchange reports its end, which this one never does.
MOST = 20_000
RECORD = ROOT / "out" / "bench" / "bad_lines.json"

# Shares by what a line lets through; the slowest begin first.
LINES = {
    "loss 10 %": Line(Impairment(loss=0.1), 0.10, rto_minimum_ms=20),
    "200 ms": Line(Impairment(delay=0.1), 0.10),
    "all at once": Line(Impairment(loss=0.03, duplicate=0.03, reorder=0.03, corrupt=0.03, delay=0.01), 0.10, rto_minimum_ms=40),
    "window closing": Line(Impairment(), 0.05, rto_minimum_ms=20, closing=True),
    "corruption 3 %": Line(Impairment(corrupt=0.03), 0.20, rto_minimum_ms=20),
    "reorder, duplicate 10 %": Line(Impairment(reorder=0.1, duplicate=0.1, delay=0.005), 0.20, rto_minimum_ms=20),
    "good": Line(Impairment(), 0.25),
}


def sessions(name: str) -> list[int]:
    """Orders of each session of a line."""
    count = round(ORDERS * LINES[name].share)
    return [min(MOST, count - begun) for begun in range(0, count, MOST)]


@pytest.fixture(scope="module")
def runs(request: pytest.FixtureRequest) -> Iterator[dict[str, list["Future[Result]"]]]:
    """Those of the lines whose tests were selected, under way."""
    tests = [item for item in request.session.items if isinstance(item, pytest.Function) and item.path == request.path]
    wanted = [str(item.callspec.params["name"]) for item in tests]
    if set(wanted) == set(LINES):
        RECORD.unlink(missing_ok=True)
    # A process each: Python's lock would have one line wait for another.
    with ProcessPoolExecutor(max_workers=2, mp_context=get_context("spawn")) as pool:
        begun = {name: [pool.submit(run, LINES[name], each, seed) for seed, each in enumerate(sessions(name), 4)] for name in wanted}
        yield begun
        pool.shutdown(cancel_futures=True)
    ended = {name: futures for name, futures in begun.items() if all(not each.cancelled() and each.exception() is None for each in futures)}
    if set(ended) == set(LINES):
        write({name: [future.result() for future in futures] for name, futures in ended.items()})


def write(results: dict[str, list[Result]]) -> None:
    every = [result for of_line in results.values() for result in of_line]
    record = {
        "impaired_by": "tests/system/impaired.py",
        "orders": sum(result.orders for result in every),
        "lost": sum(result.lost for result in every),
        "doubled": sum(result.doubled for result in every),
        "wrong": sum(len(result.wrong) for result in every),
        "lines": {name: [asdict(result) for result in of_line] for name, of_line in results.items()},
    }
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    RECORD.write_text(json.dumps(record, indent=2) + "\n")


@pytest.mark.parametrize("name", LINES)
def test_the_server_gets_exactly_the_orders_over_a_bad_line(runs: dict[str, list["Future[Result]"]], name: str) -> None:
    for future in runs[name]:
        result = future.result()
        print(f"{name}: {result}")
        assert (result.lost, result.doubled, result.wrong) == (0, 0, [])
        # The line was as bad as its name says, and the core had to do something about it.
        line = LINES[name]
        for probability, what in (
            (line.impairment.loss, "lost"),
            (line.impairment.duplicate, "doubled"),
            (line.impairment.reorder, "reordered"),
            (line.impairment.corrupt, "corrupted"),
        ):
            frames = sum(result.frames[each] for each in ("passed", "lost"))
            assert result.frames[what] >= probability * frames / 2, what
        if result.frames["lost"] + result.frames["corrupted"] > 10:
            assert result.retransmissions > 0
        if line.closing:
            assert result.closed_windows > 0
            assert result.probes > 0
