// What a FAST feed did not take, by cause, and how late it is.
//
//   status ─┬─ errors, faults ─ cause_counters ─┬─ answer ─ csr
//           └─ how late ─ last, most ───────────┘
//
// Slots (fast_csr_pkg): below 32 the engine's errors (fast_error_e), from 32 on the faults of the table of events (fault_e), from 48 on how late it is.
//
// Latency: an answer within 10 cycles. Throughput: an error and a fault in three cycles, in which no feed ends two packets. Parameters: none.
// Overflow: counters wrap at 2^32.
module fast_registers
  import tickwire_pkg::*, fast_csr_pkg::*, fast_pkg::*, fast_events_pkg::*;
(
    input logic clk,
    input logic rst,
    csr_if.stage csr,
    input logic shown,  // the host reads this feed
    /* verilator lint_off UNUSEDSIGNAL */  // feed_registers counts the rest
    input fast_status_t status
    /* verilator lint_on UNUSEDSIGNAL */
);
  localparam int SlotBits = $bits(counter_e);

  logic [1:0] valid;
  logic [1:0][4:0] cause;
  logic [LagBits-1:0] lag_last, lag_most;
  logic [WaitingBits-1:0] waiting, waiting_most;

  always_ff @(posedge clk) begin
    valid[0] <= status.error_valid && !rst;
    cause[0] <= status.error;
    valid[1] <= status.fault_valid && !rst;
    cause[1] <= 5'(status.fault);
    if (status.lag_valid) lag_last <= status.lag;
    if (lag_last > lag_most) lag_most <= lag_last;
    waiting <= status.waiting;
    if (waiting > waiting_most) waiting_most <= waiting;
    if (status.restarted || rst) begin
      lag_last <= '0;
      lag_most <= '0;
      waiting_most <= '0;
    end
  end

  // ---- the host asks

  logic here, request, is_behind, behind, counted;
  logic [SlotBits-1:0] slot;
  logic [31:0] counted_count, behind_count;

  assign here = shown && csr.address >= CountersAt && csr.address < CountersAt + 9'(Counters);
  assign slot = csr.address[SlotBits-1:0];
  assign request = csr.read && here;
  assign is_behind = slot >= COUNT_FAST_LAG_LAST;

  always_ff @(posedge clk) begin
    behind <= request && is_behind && !rst;
    case (slot)
      COUNT_FAST_LAG_LAST: behind_count <= 32'(lag_last);
      COUNT_FAST_LAG_MOST: behind_count <= 32'(lag_most);
      COUNT_FAST_WAITING_MOST: behind_count <= 32'(waiting_most);
      default: behind_count <= '0;
    endcase
  end

  cause_counters #(
      .SOURCES(2),
      .CAUSES(32)
  ) counters (
      .clk,
      .rst,
      .valid,
      .cause,
      .request(request && !is_behind),
      .request_source(slot[5]),
      .request_cause(slot[4:0]),
      .answer(counted),
      .answer_count(counted_count)
  );

  // The answer stays until the next access.
  logic answered_reg;
  always_ff @(posedge clk) begin
    csr.waits <= (request || (csr.waits && !answered_reg)) && !rst;
    answered_reg <= behind || counted;
    if (behind || counted) csr.answer <= behind ? behind_count : counted_count;
    else if (csr.read || csr.write) csr.answer <= '0;
    if (rst) csr.answer <= '0;
  end
  assign {csr.busy, csr.result} = '0;

  logic unused;
  assign unused = &{1'b0, csr.data, csr.valid, csr.operation, csr.index, csr.operand};

  // The register map has a slot at each code's number.
  localparam bit Errors = COUNT_FAST_D2 == 6'(FAST_D2) && COUNT_FAST_D4 == 6'(FAST_D4) && COUNT_FAST_D5 == 6'(FAST_D5) &&
      COUNT_FAST_D6 == 6'(FAST_D6) && COUNT_FAST_D7 == 6'(FAST_D7) && COUNT_FAST_D9 == 6'(FAST_D9) && COUNT_FAST_R1 == 6'(FAST_R1) &&
      COUNT_FAST_R4 == 6'(FAST_R4) && COUNT_FAST_R6 == 6'(FAST_R6) && COUNT_FAST_R7 == 6'(FAST_R7) && COUNT_FAST_R8 == 6'(FAST_R8) &&
      COUNT_FAST_R9 == 6'(FAST_R9) && COUNT_FAST_TRUNCATED == 6'(FAST_TRUNCATED) && COUNT_FAST_BROKEN_OFF == 6'(FAST_OVERFLOW) &&
      COUNT_FAST_TOO_LONG == 6'(FAST_TOO_LONG) && COUNT_FAST_TOO_DEEP == 6'(FAST_TOO_DEEP);
  localparam bit Faults = COUNT_FAST_UNKNOWN_ACTION == 6'd32 + 6'(FAULT_UNKNOWN_ACTION) &&
      COUNT_FAST_UNKNOWN_ENTRY_TYPE == 6'd32 + 6'(FAULT_UNKNOWN_ENTRY_TYPE) && COUNT_FAST_UNKNOWN_SIDE == 6'd32 + 6'(FAULT_UNKNOWN_SIDE) &&
      COUNT_FAST_NO_ACTION == 6'd32 + 6'(FAULT_NO_ACTION) && COUNT_FAST_NO_SIDE == 6'd32 + 6'(FAULT_NO_SIDE) &&
      COUNT_FAST_NO_SYMBOL == 6'd32 + 6'(FAULT_NO_SYMBOL) && COUNT_FAST_NO_ORDER_ID == 6'd32 + 6'(FAULT_NO_ORDER_ID) &&
      COUNT_FAST_NO_PRICE == 6'd32 + 6'(FAULT_NO_PRICE) && COUNT_FAST_NO_QUANTITY == 6'd32 + 6'(FAULT_NO_QUANTITY) &&
      COUNT_FAST_BAD_SYMBOL == 6'd32 + 6'(FAULT_SYMBOL) && COUNT_FAST_BAD_ORDER_ID == 6'd32 + 6'(FAULT_ORDER_ID) &&
      COUNT_FAST_PRICE_OFF_SCALE == 6'd32 + 6'(FAULT_PRICE_SCALE) && COUNT_FAST_QUANTITY_OFF_SCALE == 6'd32 + 6'(FAULT_QUANTITY_SCALE) &&
      COUNT_FAST_BAD_TIME == 6'd32 + 6'(FAULT_TIME) && COUNT_FAST_BAD_NUMBER == 6'd32 + 6'(FAULT_NUMBER) &&
      COUNT_FAST_FIELDS_OVERFLOW == 6'd32 + 6'(FAULT_OVERFLOW);
  if (!Errors || !Faults) begin : gen_check
    $fatal(1, "fast_registers: rtl/host/registers.rdl and the codes of fast_pkg and fast_events_pkg do not agree");
  end
endmodule
