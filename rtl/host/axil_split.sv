// Splits an AXI4-Lite port between two register blocks: the address bit above theirs selects one.
//
//   in ─ one access at a time ─┬─ low
//                              └─ high  (DECERR if there is none)
//
// Latency: none to the block, none back. Throughput: an access at a time, a write before a read that comes with it.
// Parameter: HIGH, 1 if the second block is there. Overflow: none, requests wait.
module axil_split #(
    parameter bit HIGH = 1
) (
    input logic clk,
    input logic rst,
    axil_if.snk in,
    axil_if.src low,
    axil_if.src high
);
  localparam int Select = in.ADDRESS - 1;
  localparam logic [1:0] DecodeError = 2'b11;
  if (low.ADDRESS != Select || high.ADDRESS != Select) begin : g_check
    $fatal(1, "axil_split: addresses have %0d and %0d bits in the blocks; they must have %0d", low.ADDRESS, high.ADDRESS, Select);
  end

  logic busy_reg, high_reg, write, read, write_high, read_high, accepted, answered;
  logic [1:0] missing_reg;  // an answer this module has to give itself: to a write, to a read

  assign write_high = in.awaddr[Select];
  assign read_high = in.araddr[Select];
  assign write = !busy_reg && in.awvalid && in.wvalid;
  assign read = !busy_reg && in.arvalid && !write;

  // Addresses, write data and strobes go to both as they are.
  assign {low.awvalid, low.wvalid} = {2{write && !write_high}};
  assign {high.awvalid, high.wvalid} = {2{write && write_high && HIGH}};
  assign {low.arvalid, high.arvalid} = {read && !read_high, read && read_high && HIGH};
  assign {low.awaddr, low.araddr} = {in.awaddr[Select-1:0], in.araddr[Select-1:0]};
  assign {high.awaddr, high.araddr} = {in.awaddr[Select-1:0], in.araddr[Select-1:0]};
  assign {low.wdata, low.wstrb, low.bready, low.rready} = {in.wdata, in.wstrb, in.bready, in.rready};
  assign {high.wdata, high.wstrb, high.bready, high.rready} = {in.wdata, in.wstrb, in.bready, in.rready};

  // A block takes address and data of a write in one cycle.
  assign in.awready = write && (write_high ? !HIGH || high.awready : low.awready);
  assign in.wready = write && (write_high ? !HIGH || high.wready : low.wready);
  assign in.arready = read && (read_high ? !HIGH || high.arready : low.arready);
  assign answered = (in.bvalid && in.bready) || (in.rvalid && in.rready);
  assign accepted = (in.awvalid && in.awready) || (in.arvalid && in.arready);

  assign in.bvalid = low.bvalid || high.bvalid || missing_reg[0];
  assign in.rvalid = low.rvalid || high.rvalid || missing_reg[1];
  assign in.bresp = missing_reg[0] ? DecodeError : high_reg ? high.bresp : low.bresp;
  assign in.rresp = missing_reg[1] ? DecodeError : high_reg ? high.rresp : low.rresp;
  assign in.rdata = missing_reg[1] ? '0 : high_reg ? high.rdata : low.rdata;

  always_ff @(posedge clk) begin
    if (!busy_reg) high_reg <= write ? write_high : read_high;
    // The blocks' ready comes late.
    busy_reg <= (busy_reg || accepted) && !answered && !rst;
    if (accepted) begin
      missing_reg <= {read && read_high && !HIGH, write && write_high && !HIGH};
    end
    if (answered || rst) missing_reg <= '0;
  end

  assert property (@(posedge clk) disable iff (rst) !(in.bvalid || in.rvalid) || busy_reg);
  assert property (@(posedge clk) disable iff (rst) in.awready == in.wready);
endmodule
