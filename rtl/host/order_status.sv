// Everything the order path reports to the host in numbers.
//
// Latency: pulses are registered once, refusals twice, as they come from far away; a counter that is asked for is answered within 68 cycles (counters).
// Throughput: a pulse of each kind a cycle. Parameters: none. Overflow: counters wrap at 2^32.
module order_status
  import order_counters_pkg::*;
  import tcp_pkg::*;
  import control_pkg::*;
  import risk_pkg::*;
  import fix_pkg::*;
  import tickwire_pkg::*;
(
    input logic clk,
    input logic rst,

    input tcp_event_t                           tcp_events,
    input control_event_t                       control_events,
    input logic           [FixCauses-1:0]       fix_cause,
    input execution_fault_t                     execution_fault,
    input logic                                 trade_overflow,
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
  logic refused_reg;
  refusal_e reason_reg;

  // The first member of a packed struct is its highest bit, the first counter the lowest.
  always_ff @(posedge clk) begin
    refused_reg <= refused_valid && !rst;
    reason_reg <= refused_reason;
    pulse <= '0;
    for (int i = 0; i < TcpEvents; i++) pulse[COUNT_TCP_SEGMENT+6'(i)] <= tcp_events[TcpEvents-1-i];
    for (int i = 0; i < ControlEvents; i++) pulse[COUNT_CONTROL_OVERFLOW+6'(i)] <= control_events[ControlEvents-1-i];
    for (int i = 0; i < Refusals; i++) pulse[COUNT_REFUSED_KILLED+6'(i)] <= refused_reg && reason_reg == refusal_e'(i);
    for (int i = 0; i < FixCauses; i++) pulse[COUNT_FIX_PRICES+6'(i)] <= fix_cause[i];
    pulse[COUNT_TRADE_OVERFLOW] <= trade_overflow;
    pulse[COUNT_EXECUTION_UNKNOWN] <= execution_fault.unknown;
    pulse[COUNT_EXECUTION_UNREADABLE] <= execution_fault.unreadable;
    pulse[COUNT_EXECUTION_OVERFLOW] <= execution_fault.overflow;
    pulse[COUNT_ORDER_FORGOTTEN] <= execution_fault.forgotten;
    pulse[COUNT_ORDER_SENT] <= sent_valid;
    pulse[COUNT_ORDER_DROPPED] <= dropped_valid;
    pulse[COUNT_REPORT_OVERFLOW] <= report_overflow;
    pulse[COUNT_OPERATION_REFUSED] <= operation_refused;
    if (rst) pulse <= '0;
  end

  counters #(
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
      .answer,
      .answer_count(count)
  );
endmodule
