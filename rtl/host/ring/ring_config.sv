// The host begins and ends the ring, and says how far it has read: operation 17 (docs/reference/order-operations.md).
//
//   host ─ setting ─ record_ring
//
// A ring that begins is off for 1,023 cycles first, in which all that waits in `record_merge` is thrown away, so that it begins empty. Latency: 1 cycle to the setting.
// Throughput: an operation in 4 cycles, after a ring that begins 1,026.
// No parameters. Overflow: none.
module ring_config
  import config_pkg::*;
  import record_pkg::*;
(
    input  logic          clk,
    input  logic          rst,
    config_if.snk         host,
    output ring_setting_t setting
);
  localparam logic [1:0] Position = 2'd0;
  localparam logic [1:0] Begin = 2'd1;
  localparam logic [1:0] End = 2'd2;

  logic begins, known;
  logic [1:0] what;
  logic [9:0] off;  // cycles until it begins

  assign begins = host.valid && host.operation == CONFIG_RING;
  assign what = host.operand[0][1:0];
  // A size that the ring has not: nothing is changed.
  assign known = what == Position || what == End || (what == Begin && host.operand[3][4:0] >= 5'd1 && host.operand[3][4:0] <= 5'd24);
  assign host.busy = off != '0;

  always_ff @(posedge clk) begin
    if (host.valid) host.answer <= '0;
    if (begins && known) begin
      host.answer.done <= 1'b1;
      if (what == Position) begin
        setting.position <= host.operand[1];
      end else begin
        {setting.enable, setting.position} <= '0;
      end
      if (what == Begin) begin
        off <= '1;
        setting.base <= {host.operand[2], host.operand[1][31:6], 6'd0};
        setting.size_log2 <= host.operand[3][4:0];
        {setting.stages, setting.events, setting.frames, setting.fields} <= host.operand[3][11:8];
      end
    end
    if (off != '0) begin
      off <= off - 1'b1;
      setting.enable <= off == 10'd1;
    end
    if (rst) {off, setting, host.answer} <= '0;
  end
endmodule
