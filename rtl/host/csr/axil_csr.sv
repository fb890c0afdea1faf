// The host's bus, AXI4-Lite, to the registers of the stages: one access at a time, complete words only. A write with a byte strobe missing changes nothing and is
// answered SLVERR; an address that no stage has reads 0, and a write there changes nothing.
//
//   axil ─ address, data ─ registers ─ csr ─ stages
//        ─ answer ──────── register ── csr ─┘
//
// Latency: a write is answered 3 cycles after it is taken, when the register has changed; a read 4 cycles after, or as many more as a stage waits.
// Throughput: an access at a time, a write before a read that comes with it. Parameter: ORDERS, 0: there is no order path, and the upper half of the
// addresses, which is its, is answered DECERR. Overflow: none, requests wait.
module axil_csr #(
    parameter bit ORDERS = 1'b1
) (
    input logic clk,
    input logic rst,
    axil_if.snk axil,
    csr_if.bus  csr
);
  localparam logic [1:0] Okay = 2'b00, SlaveError = 2'b10, DecodeError = 2'b11;
  localparam int Upper = 10;  // bit of a byte address: the order path's half
  if (axil.ADDRESS != Upper + 1) begin : gen_check
    $fatal(1, "axil_csr: addresses have %0d bits; they must have %0d", axil.ADDRESS, Upper + 1);
  end

  logic idle_reg, write, read, missing, complete;
  logic written_reg, read_reg, reading_reg;  // steps of an access

  assign write = idle_reg && axil.awvalid && axil.wvalid;
  assign read = idle_reg && axil.arvalid && !write;
  assign {axil.awready, axil.wready, axil.arready} = {write, write, read};
  assign missing = !ORDERS && (write ? axil.awaddr[Upper] : axil.araddr[Upper]);
  assign complete = axil.wstrb == '1;

  // Every request leaves from a flip-flop, so that the bus's handshake and the stages' address decoders share no cycle.
  always_ff @(posedge clk) begin
    csr.write <= write && complete && !missing && !rst;
    csr.read  <= read && !missing && !rst;
    if (write || read) begin
      idle_reg <= 1'b0;
      csr.address <= write ? axil.awaddr[Upper:2] : axil.araddr[Upper:2];
      csr.data <= axil.wdata;
      axil.bresp <= missing ? DecodeError : complete ? Okay : SlaveError;
      axil.rresp <= missing ? DecodeError : Okay;
      axil.rdata <= '0;
      axil.bvalid <= write && (missing || !complete);
      axil.rvalid <= read && missing;
    end

    written_reg <= csr.write && !rst;
    if (written_reg) axil.bvalid <= 1'b1;

    read_reg <= csr.read && !rst;
    reading_reg <= (read_reg || (reading_reg && csr.waits)) && !rst;
    if (reading_reg && !csr.waits) begin
      axil.rvalid <= 1'b1;
      axil.rdata  <= csr.answer;
    end

    if ((axil.bvalid && axil.bready) || (axil.rvalid && axil.rready)) begin
      idle_reg <= 1'b1;
      {axil.bvalid, axil.rvalid} <= '0;
    end
    if (rst) begin
      idle_reg <= 1'b1;
      {axil.bvalid, axil.rvalid} <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !(csr.write || csr.read || axil.bvalid || axil.rvalid) || !idle_reg);
  assert property (@(posedge clk) disable iff (rst) !(axil.bvalid && axil.rvalid));
endmodule
