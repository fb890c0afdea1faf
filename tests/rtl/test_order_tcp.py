"""order_messages with the transmitter of tcp_engine after it: every frame is a TCP segment with one complete FIX message."""

from random import Random

import cocotb
import fix_order as fix
import pytest
from cocotb.triggers import FallingEdge, ReadOnly
from harness import ROOT, simulate
from order_bench import BYTES, PREFIXES, WHOLE, Bench, Message, host_message
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from test_order_messages import NOON, random_order


class TcpBench(Bench):
    """The frames are taken after tcp_tx; the model of Bench is not used."""

    frames: list[bytes]
    frame = b""

    async def cycle(self) -> None:
        dut = self.dut
        await FallingEdge(dut.clk)
        self.now += self.time_step
        dut.time_ns.value = self.now
        dut.connected.value = 1
        # At W=64 a sink that takes a frame's first beat takes it to its end.
        dut.tx_ready.value = ready = (BYTES == 8 and bool(self.frame)) or self.rng.random() >= self.stall
        order = self.order
        dut.order_valid.value = order is not None
        if order:
            dut.order_kind.value, dut.order_type.value = order.kind, not order.market
            dut.order_instrument.value, dut.order_client_id.value, dut.order_text.value = order.instrument, order.client_id, order.text
        dut.in_valid.value = bool(self.host_queue)
        if self.host_queue:
            message = self.host_queue[0]
            dut.in_data.value, dut.in_last.value = message.data[self.host_at], self.host_at == len(message.data) - 1
            dut.numbered.value, dut.number_at.value = message.numbered, message.number_at
        await ReadOnly()
        if order and int(dut.order_ready.value):
            self.order = None
        if self.host_queue and int(dut.in_ready.value):
            self.host_at += 1
            if self.host_at == len(self.host_queue[0].data):
                self.host_queue.pop(0)
                self.host_at = 0
        if int(dut.tx_valid.value) and ready:
            keep = int(dut.tx_keep.value)
            self.frame += int(dut.tx_data.value).to_bytes(BYTES, "little")[: keep.bit_count()]
            if int(dut.tx_last.value):
                self.frames.append(self.frame)
                self.frame = b""


@cocotb.test()
async def every_segment_has_its_checksum_and_a_whole_message_with_the_next_number(dut):
    bench = TcpBench(dut)
    bench.frames = []
    dut.tx_ready.value = 0
    await bench.start()
    await bench.set_number(95)
    await bench.set_time(NOON)
    rng = Random(3)
    orders = [random_order(rng, text) for text in range(5)]
    for order in orders:
        assert await bench.write_text(order) == WHOLE
    given = []
    for turn in range(12):
        bench.stall = [0.0, 0.0, 0.4][turn % 3]
        if turn % 3 == 1:
            bench.host_queue.append(host_message("0", NOON, extra="112=" + "T" * turn + "|"))
        given.append(rng.choice(orders))
        bench.order = given[-1]
        while bench.order:
            await bench.cycle()
    while len(bench.frames) < 16:
        await bench.cycle()
    expected = iter(given)
    for number, frame in enumerate(bench.frames, 95):
        packet = Ether(frame)
        told = packet[TCP].chksum, packet[IP].chksum
        del packet[TCP].chksum, packet[IP].chksum
        again = Ether(bytes(packet))
        assert (again[TCP].chksum, again[IP].chksum) == told
        data = bytes(packet[TCP].payload)
        fields = fix.parse(data)
        assert int(fields[34]) == number
        if fields[35] != "0":
            order = next(expected)
            bench.check_order(Message(data, fix.ones_complement(data), order))
            assert fields[11] == PREFIXES[order.instrument] + fields[34]
    assert next(expected, None) is None


@pytest.mark.parametrize("w", [8, 64])
def test_order_tcp(w: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(w))
    simulate("order_messages_tb", "test_order_tcp", {"W": w, "TCP": 1}, [ROOT / "tests/rtl/order_messages_tb.sv"])
