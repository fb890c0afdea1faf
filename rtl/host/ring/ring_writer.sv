// Writes records into a ring of 64-byte lines in host memory (system A; docs/reference/ring.md).
//
//   record ─ room in the ring? ─ phase ─ AXI4 burst of one line
//   after_loss ─ first a line that says how many were lost
//
// A line is seven 64-bit values, then a word with their seven tags and a status byte, whose phase bit flips at each wrap: the host polls that word. While the host has not
// read enough (`position`), the writer waits, and the records' FIFOs overflow: nothing that is unread is written over.
//
// Latency: 1 cycle from record to address and first data, where memory takes them. Throughput: a line in 512 / DATA cycles. Parameters: DATA, bits of a beat;
// LOST, pulses of lost records. Overflow: as above. `enable` low forgets everything: the ring begins anew at `base`.
module ring_writer
  import record_pkg::*;
#(
    parameter int DATA = 512,
    parameter int LOST = 2
) (
    input logic clk,
    input logic rst,

    input logic        enable,
    input logic [63:0] base,       // of the ring, a multiple of 64
    input logic [ 4:0] size_log2,  // of its lines, 1 to 24
    input logic [31:0] position,   // lines that the host has read, modulo 2^32

    input  logic               valid,
    output logic               ready,
    input  record_t            record,
    input  logic               after_loss,
    input  logic    [LOST-1:0] lost,

    axi_write_if.src out,

    output logic [31:0] written,  // lines, modulo 2^32
    output logic [31:0] lost_count,  // records
    output logic [31:0] error_count  // answers of memory that are not OKAY
);
  localparam int Beats = 512 / DATA;
  localparam int Beat = Beats == 1 ? 1 : $clog2(Beats);

  logic [Beats-1:0][DATA-1:0] line;
  logic [511:0] now;
  logic [Beat-1:0] beats_left;
  logic room, free, writes, notice, noticed;
  logic [31:0] unread;

  assign unread = written - position;
  always_ff @(posedge clk) room <= unread + 32'd1 < (32'd1 << size_log2);  // one line less: `written` is a cycle old

  assign free = (!out.awvalid || out.awready) && (!out.wvalid || (out.wready && out.wlast));
  assign notice = after_loss && !noticed;
  assign writes = enable && valid && room && free;
  assign ready = enable ? room && free && !notice : 1'b1;

  always_comb begin
    now[447:0] = record.values;
    now[503:448] = record.tags;
    // The feed's number, where the seventh value has no tag.
    if (record.kind != RECORD_FIELDS || record.count != 3'(RecordValues)) now[503:496] = 8'(record.feed);
    now[511:504] = {!(|(written & (32'd1 << size_log2))), record.kind, record.entry_end, record.message_end, record.count};
    if (notice) begin
      now[63:0] = {32'd0, lost_count};
      now[503:448] = {8'(record.feed), 40'd0, TagLost};
      now[510:504] = {RECORD_STATUS, 2'b00, 3'd1};
    end
  end

  assign out.awlen = 8'(Beats - 1);
  assign out.bready = 1'b1;
  assign out.wdata = line[0];
  assign out.wlast = beats_left == '0;

  always_ff @(posedge clk) begin
    if (out.awready) out.awvalid <= 1'b0;
    if (out.wvalid && out.wready) begin
      line <= line >> DATA;
      beats_left <= beats_left - 1'b1;
      if (out.wlast) out.wvalid <= 1'b0;
    end
    if (writes) begin
      {out.awvalid, out.wvalid} <= 2'b11;
      out.awaddr <= base + {26'd0, written & ~(32'hffff_ffff << size_log2), 6'd0};
      line <= now;
      beats_left <= Beat'(Beats - 1);
      written <= written + 1'b1;
      noticed <= notice;
    end
    lost_count <= lost_count + 32'($countones(lost));
    if (out.bvalid && out.bresp != '0) error_count <= error_count + 1'b1;
    if (!enable) {written, lost_count, error_count, noticed} <= '0;
    if (rst) {out.awvalid, out.wvalid, written, lost_count, error_count, noticed} <= '0;
  end

  assert property (@(posedge clk) disable iff (rst) !enable || size_log2 inside {[5'd1 : 5'd24]});
  // AXI: what is offered stays until it is taken.
  assert property (@(posedge clk) disable iff (rst) !$past(out.awvalid && !out.awready && !rst) || (out.awvalid && $stable(out.awaddr)));
  assert property (@(posedge clk) disable iff (rst) !$past(out.wvalid && !out.wready && !rst) || (out.wvalid && $stable(out.wdata)));
endmodule
