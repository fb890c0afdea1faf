// Everything the order path tells the host in numbers.
//
// Latency: pulses are registered once, for they come from afar; a counter that is asked for is answered within 67 cycles (counters).
// Throughput: a pulse of each kind a cycle. Parameters: none. Overflow: counters wrap at 2^32.
module order_status
  import order_counters_pkg::*;
  import tcp_pkg::*;
  import control_pkg::*;
  import risk_pkg::*;
  import fix_pkg::*;
(
    input logic clk,
    input logic rst,

    input tcp_event_t                           tcp_events,
    input control_event_t                       control_events,
    input logic           [FixCauses-1:0][31:0] fix_count,
    input logic                                 sent_valid,
    input logic                                 dropped_valid,
    input logic                                 report_overflow,
    input logic                                 operation_refused,
    input logic                                 refused_valid,
    input refusal_e                             refused_reason,

    input  logic        request,
    input  logic [ 5:0] slot,
    output logic        answer,
    output logic [31:0] count
);
  localparam int ControlEvents = $bits(control_event_t);

  logic [Slots-1:0] pulse;
  logic of_memory, of_fix_reg;
  logic [31:0] memory_count, fix_count_reg;
  logic [5:0] fix_index;

  // The first member of a packed struct is its highest bit, the first counter the lowest.
  always_ff @(posedge clk) begin
    pulse <= '0;
    for (int i = 0; i < TcpEvents; i++) pulse[COUNT_TCP_SEGMENT+6'(i)] <= tcp_events[TcpEvents-1-i];
    for (int i = 0; i < ControlEvents; i++) pulse[COUNT_CONTROL_OVERFLOW+6'(i)] <= control_events[ControlEvents-1-i];
    for (int i = 0; i < Refusals; i++) pulse[COUNT_REFUSED_KILLED+6'(i)] <= refused_valid && refused_reason == refusal_e'(i);
    pulse[COUNT_ORDER_SENT] <= sent_valid;
    pulse[COUNT_ORDER_DROPPED] <= dropped_valid;
    pulse[COUNT_REPORT_OVERFLOW] <= report_overflow;
    pulse[COUNT_OPERATION_REFUSED] <= operation_refused;
    if (rst) pulse <= '0;
  end

  counters #(
      .SLOTS(Slots),
      .AMOUNTS(1),
      .AMOUNT_BITS(1),
      .AMOUNT_SLOT(COUNT_ORDER_SENT)
  ) counters (
      .clk,
      .rst,
      .pulse,
      .amount(1'b1),
      .request,
      .request_slot(slot),
      .answer(of_memory),
      .answer_count(memory_count)
  );

  // The decoder of FIX counts by itself: what it finds counts only when the segment proves good.
  assign fix_index = slot - COUNT_FIX_PRICES;

  always_ff @(posedge clk) begin
    if (request) begin
      of_fix_reg <= fix_index < 6'(FixCauses);
      fix_count_reg <= '0;
      for (int i = 0; i < FixCauses; i++) if (fix_index == 6'(i)) fix_count_reg <= fix_count[i];
    end
  end

  assign answer = of_memory;
  assign count  = of_fix_reg ? fix_count_reg : memory_count;
endmodule
