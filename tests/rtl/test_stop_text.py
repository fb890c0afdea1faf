"""stop_text: a slot is armed only with a text that is whole, and no text that can still be sent is written."""

from random import Random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from harness import ROOT, simulate

SLOTS = 8
SET, CHANGE, CANCEL, SEND = range(4)
REPLACE = 2  # order_kind_e
EMPTY, ARMED, FIRING, FIRED = range(4)
WHOLE, TOO_WIDE = 0, 2


class Bench:
    """order_text and stop_orders as stop_text sees them: answers after a while."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.rng = Random(4)
        self.states = [EMPTY] * SLOTS
        self.armed_with = [0] * SLOTS  # client_id
        self.texts: dict[int, int] = {}  # whole ones: the quantity in them
        self.refuse_text = False
        self.text_delay = self.stop_delay = 0
        self.in_use: dict[str, int] = {}  # texts on their way, by where they are
        self.request: tuple[int, int, int] | None = None
        self.original = 0
        self.kind = 0
        self.texts_sent: list[tuple[int, int]] = []  # kind and original of what was written
        self.written: list[int] = []
        self.text = self.quantity = 0  # being written
        self.answer: tuple[int, int, int] | None = None

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 8, "ns").start())
        for name in ["write_valid", "text_answer_valid", "stop_answer_valid", "order_valid", "busy", "text_ready", "stop_ready"]:
            getattr(self.dut, name).value = 0
        self.dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0

    async def cycle(self) -> None:
        dut = self.dut
        await FallingEdge(dut.clk)
        dut.write_valid.value = self.request is not None
        if self.request:
            assert int(dut.write_ready.value)
            dut.write_operation.value, dut.write_slot.value, dut.write_quantity.value = self.request
            dut.write_client_id.value = 0xABCDE << 4 | 0xF
            dut.write_kind.value, dut.write_original.value = self.kind, self.original
            self.request = None
        dut.order_valid.value = "risk" in self.in_use
        dut.order_text.value = self.in_use.get("risk", 0)
        dut.busy.value = "tx" in self.in_use
        dut.busy_text.value = self.in_use.get("tx", 0)
        dut.text_ready.value = text_ready = self.text_delay == 0 and self.rng.random() < 0.5
        dut.stop_ready.value = stop_ready = self.stop_delay == 0 and self.rng.random() < 0.5
        dut.text_answer_valid.value = self.text_delay == 1
        dut.stop_answer_valid.value = self.stop_delay == 1
        if self.text_delay == 1:
            dut.text_given.value = TOO_WIDE if self.refuse_text else WHOLE
            if not self.refuse_text:
                self.texts[self.text] = self.quantity
        if self.stop_delay == 1:
            self.commit()
        dut.send_waits.value = "send" in self.in_use
        self.text_delay = max(0, self.text_delay - 1)
        self.stop_delay = max(0, self.stop_delay - 1)
        await ReadOnly()
        if int(dut.text_valid.value) and text_ready:
            self.text, self.quantity = int(dut.text_index.value), int(dut.text_quantity.value)
            slot = self.text % SLOTS
            assert self.text not in self.in_use.values(), "a text on its way was written"
            assert self.states[slot] not in (ARMED, FIRING) or self.armed_with[slot] % (2 * SLOTS) != self.text
            self.texts.pop(self.text, None)
            self.written.append(self.text)
            self.texts_sent.append((int(dut.text_kind.value), int(dut.text_original.value)))
            self.text_delay = self.rng.randrange(2, 20)
        if int(dut.stop_valid.value) and stop_ready:
            self.stop = tuple(int(getattr(dut, f"stop_{n}").value) for n in ("operation", "slot", "client_id", "quantity"))
            self.stop_delay = self.rng.randrange(2, 20)
        if int(dut.answer_valid.value):
            self.answer = tuple(int(getattr(dut, f"answer_{n}").value) for n in ("done", "previous", "text"))  # type: ignore[assignment]

    def commit(self) -> None:
        operation, slot, client_id, quantity = self.stop
        state = self.states[slot]
        if operation == SEND:
            assert slot == 0
            assert "send" not in self.in_use, "one has not left yet"
            assert self.texts.get(client_id % (2 * SLOTS)) == quantity, "sent without its text"
            self.in_use["send"] = client_id % (2 * SLOTS)
            self.dut.stop_answer_done.value, self.dut.stop_answer_previous.value = 1, state
            return
        done = state in (EMPTY, FIRED) if operation == SET else state == ARMED
        if done and operation != CANCEL:
            assert self.texts.get(client_id % (2 * SLOTS)) == quantity, "armed without its text"
            assert client_id % SLOTS == slot
            self.armed_with[slot] = client_id
        if done:
            self.states[slot] = EMPTY if operation == CANCEL else ARMED
        self.dut.stop_answer_done.value = done
        self.dut.stop_answer_previous.value = state

    async def write(self, operation: int, slot: int, quantity: int, limit: int = 400) -> tuple[int, int, int] | None:
        self.request = (operation, slot, quantity)
        self.answer = None
        for _ in range(limit):
            await self.cycle()
            if self.answer:
                return self.answer
        return None


@cocotb.test()
async def a_changed_stop_has_another_text_and_a_refused_change_leaves_the_old(dut):
    bench = Bench(dut)
    await bench.start()
    assert await bench.write(SET, 3, 10) == (1, EMPTY, WHOLE)
    first = bench.armed_with[3]
    assert first >> 4 == 0xABCDE
    assert first % 8 == 3
    assert await bench.write(CHANGE, 3, 11) == (1, ARMED, WHOLE)
    assert bench.armed_with[3] != first
    assert bench.texts[first % 16] == 10
    bench.refuse_text = True
    assert await bench.write(CHANGE, 3, 2**31) == (0, 0, TOO_WIDE)
    bench.refuse_text = False
    assert bench.texts[bench.armed_with[3] % 16] == 11
    bench.states[3] = FIRING
    assert await bench.write(CHANGE, 3, 12) == (0, FIRING, WHOLE)
    assert bench.texts[bench.armed_with[3] % 16] == 11, "what fires has its text"
    bench.states[3] = FIRED
    before = len(bench.written)
    assert await bench.write(CANCEL, 3, 0) == (0, FIRED, WHOLE)
    assert len(bench.written) == before, "a cancel writes no text"


@cocotb.test()
async def a_text_that_waits_in_risk_or_leaves_is_not_written(dut):
    bench = Bench(dut)
    await bench.start()
    for place in ("risk", "tx"):
        assert (await bench.write(SET, 1, 10) or (0,))[0]
        old = bench.armed_with[1] % 16
        bench.states[1] = FIRED
        bench.in_use[place] = old
        assert (await bench.write(SET, 1, 11) or (0,))[0], "the other text is free"
        bench.states[1] = FIRED
        assert await bench.write(SET, 1, 12) is None, "waits"
        del bench.in_use[place]
        for _ in range(100):
            await bench.cycle()
        assert bench.answer == (1, FIRED, WHOLE)
        assert bench.texts[old] == 12
        bench.states[1] = EMPTY


@cocotb.test()
async def an_order_of_the_host_has_the_text_of_slot_0_that_is_not_armed(dut):
    bench = Bench(dut)
    await bench.start()
    for quantity in (10, 11):
        assert (await bench.write(SET, 0, quantity) or (0,))[0]
        armed = bench.armed_with[0] % 16
        bench.kind, bench.original = REPLACE, 0x987654321
        assert await bench.write(SEND, 0, 77) == (1, bench.states[0], WHOLE)
        assert bench.texts_sent[-1] == (REPLACE, 0x987654321)
        assert bench.in_use == {"send": armed ^ 8}
        assert (bench.states[0], bench.texts[armed]) == (ARMED, quantity), "the slot is as it was"
        # It goes on to risk and leaves; what was armed has its text all the while.
        bench.in_use = {"risk": bench.in_use["send"]}
        bench.kind = 0
        assert await bench.write(CHANGE, 0, quantity + 10) is None, "waits"
        bench.in_use = {}
        for _ in range(100):
            await bench.cycle()
        assert bench.answer == (1, ARMED, WHOLE)
        assert bench.armed_with[0] % 16 == armed ^ 8
        bench.states[0] = EMPTY


@cocotb.test()
async def while_an_order_of_the_host_waits_none_follows_and_its_text_stays(dut):
    bench = Bench(dut)
    await bench.start()
    bench.refuse_text = True
    assert await bench.write(SEND, 0, 2**31) == (0, 0, TOO_WIDE)
    bench.refuse_text = False
    assert (await bench.write(SEND, 0, 5) or (0,))[0]
    written = len(bench.written)
    assert await bench.write(SEND, 0, 6) == (0, FIRING, WHOLE)
    assert (await bench.write(SET, 1, 7) or (0,))[0], "another slot"
    assert (await bench.write(CANCEL, 0, 0) or (0, 0, 0))[1] == EMPTY, "no text"
    assert len(bench.written) == written + 1
    assert await bench.write(SET, 0, 8) is None, "waits"
    del bench.in_use["send"]
    for _ in range(100):
        await bench.cycle()
    assert bench.answer == (1, EMPTY, WHOLE)
    assert (await bench.write(SEND, 0, 9) or (0,))[0]


@cocotb.test()
async def at_any_order_of_writes_and_fires_what_is_armed_has_its_text(dut):
    bench = Bench(dut)
    await bench.start()
    rng = Random(9)
    done = 0
    for quantity in range(1, 300):
        slot = rng.randrange(SLOTS)
        bench.refuse_text = rng.random() < 0.1
        if bench.states[slot] == ARMED and rng.random() < 0.4:
            bench.states[slot] = FIRED
            bench.in_use = {rng.choice(["risk", "tx"]): bench.armed_with[slot] % 16}
        answer = await bench.write(rng.choice([SET, SET, CHANGE, CANCEL]), slot, quantity)
        if answer is None:
            bench.in_use = {}
            for _ in range(100):
                await bench.cycle()
            answer = bench.answer
        assert answer is not None
        done += answer[0]
        for i in range(SLOTS):
            if bench.states[i] == ARMED:
                assert bench.armed_with[i] % 16 in bench.texts
    assert done > 60


@pytest.mark.parametrize("slots", [SLOTS])
def test_stop_text(slots: int) -> None:
    simulate("stop_text_tb", "test_stop_text", {"SLOTS": slots}, [ROOT / "tests/rtl/stop_text_tb.sv"])
