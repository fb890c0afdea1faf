// Splits an AXI4-Lite port between two register blocks: the address bit above theirs selects one.
//
//   in ─ one access at a time ─┬─ low   (block[0])
//                              └─ high  (block[1]; DECERR if there is none)
//
// Latency: none to the block, none back. Throughput: an access at a time, a write before a read that comes with it.
// Parameters: ADDRESS, address bits of a block; HIGH: 1 if the second block is there. Overflow: none, requests wait.
module axil_split #(
    parameter int ADDRESS = 10,
    parameter bit HIGH = 1
) (
    input logic clk,
    input logic rst,

    input  logic               awvalid,
    output logic               awready,
    input  logic [ADDRESS : 0] awaddr,
    input  logic               wvalid,
    output logic               wready,
    output logic               bvalid,
    input  logic               bready,
    output logic [        1:0] bresp,
    input  logic               arvalid,
    output logic               arready,
    input  logic [ADDRESS : 0] araddr,
    output logic               rvalid,
    input  logic               rready,
    output logic [       31:0] rdata,
    output logic [        1:0] rresp,

    // Of the blocks; addresses, write data and strobes go to both as they are.
    output logic [1:0]       block_awvalid,
    input  logic [1:0]       block_awready,
    output logic [1:0]       block_wvalid,
    input  logic [1:0]       block_wready,
    input  logic [1:0]       block_bvalid,
    output logic [1:0]       block_bready,
    input  logic [1:0][ 1:0] block_bresp,
    output logic [1:0]       block_arvalid,
    input  logic [1:0]       block_arready,
    input  logic [1:0]       block_rvalid,
    output logic [1:0]       block_rready,
    input  logic [1:0][31:0] block_rdata,
    input  logic [1:0][ 1:0] block_rresp
);
  localparam logic [1:0] DecodeError = 2'b11;

  logic busy_reg, high_reg, write, read, write_high, read_high, accepted, answered;
  logic [1:0] missing_reg;  // an answer this module has to give itself: to a write, to a read
  logic unused;

  assign unused = &{1'b0, awaddr[ADDRESS-1:0], araddr[ADDRESS-1:0]};
  assign write_high = awaddr[ADDRESS];
  assign read_high = araddr[ADDRESS];
  assign write = !busy_reg && awvalid && wvalid;
  assign read = !busy_reg && arvalid && !write;

  assign block_awvalid = {write && write_high && HIGH, write && !write_high};
  assign block_wvalid = block_awvalid;
  assign block_arvalid = {read && read_high && HIGH, read && !read_high};

  // A block takes address and data of a write in one cycle.
  assign awready = write && (write_high ? !HIGH || block_awready[1] : block_awready[0]);
  assign wready = write && (write_high ? !HIGH || block_wready[1] : block_wready[0]);
  assign arready = read && (read_high ? !HIGH || block_arready[1] : block_arready[0]);
  assign answered = (bvalid && bready) || (rvalid && rready);
  assign accepted = (awvalid && awready) || (arvalid && arready);

  assign bvalid = block_bvalid != '0 || missing_reg[0];
  assign rvalid = block_rvalid != '0 || missing_reg[1];
  assign bresp = missing_reg[0] ? DecodeError : block_bresp[high_reg];
  assign rresp = missing_reg[1] ? DecodeError : block_rresp[high_reg];
  assign rdata = missing_reg[1] ? '0 : block_rdata[high_reg];
  assign block_bready = {2{bready}};
  assign block_rready = {2{rready}};

  always_ff @(posedge clk) begin
    if (!busy_reg) high_reg <= write ? write_high : read_high;
    // The blocks' ready comes late.
    busy_reg <= (busy_reg || accepted) && !answered && !rst;
    if (accepted) begin
      missing_reg <= {read && read_high && !HIGH, write && write_high && !HIGH};
    end
    if (answered || rst) missing_reg <= '0;
  end

  assert property (@(posedge clk) disable iff (rst) !(bvalid || rvalid) || busy_reg);
  assert property (@(posedge clk) disable iff (rst) awready == wready);
endmodule
