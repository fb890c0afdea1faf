// Decodes what the host writes into the order stage: templates, time, date, number.
//
// Latency: host.valid to a write 1 cycle. Throughput: as config_if. Parameters: W, INSTRUMENTS, COMPUTED, MESSAGE: as order_stage. Nothing overflows.
module order_config_port
  import order_template_pkg::*;
  import config_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16,
    parameter bit COMPUTED = 1'b0,
    parameter int MESSAGE = 256,
    localparam int Bytes = W / 8,
    localparam int Template = (COMPUTED ? 3 : 2) + $clog2(INSTRUMENTS),
    localparam int Beat = $clog2(MESSAGE / Bytes)
) (
    input logic   clk,
    input logic   rst,
    config_if.snk host,

    output logic                             template_write,
    output logic      [   Template+Beat-1:0] template_address,
    output logic      [         9*Bytes-1:0] template_data,
    output logic                             template_set,
    output logic                             template_clear,
    output logic      [        Template-1:0] template_index,
    output template_t                        template_record,
    output logic                             time_load,
    output time_t                            load_time,
    output logic      [                63:0] load_boundary,
    output logic                             date_load,
    output logic      [            7:0][3:0] load_date,
    output logic                             number_load,
    output number_t                          load_number
);
  /* verilator lint_off UNUSEDSIGNAL */  // as wide as the widest needs
  logic [95:0] operands;
  /* verilator lint_on UNUSEDSIGNAL */

  assign operands = host.operand[2:0];
  assign template_address = host.index[Template+Beat-1:0];
  assign template_data = operands[9*Bytes-1:0];
  assign template_index = host.index[Template-1:0];
  assign template_record = '{
          sum: host.operand[0][15:0],
          byte_sum: host.operand[0][23:16],
          number_at: occurrence_e'(host.operand[0][25:24]),
          time_at: occurrence_e'(host.operand[0][27:26]),
          check_odd: host.operand[0][28],
          price_odd: host.operand[1][PriceDigits-1:0]
      };
  assign load_time = operands[67:0];
  assign load_boundary = {host.operand[4], host.operand[3]};
  assign load_date = host.operand[0];
  assign load_number = operands[35:0];

  assign host.busy = |{template_write, template_set, template_clear, time_load, date_load, number_load};

  always_ff @(posedge clk) begin
    template_write <= host.valid && host.operation == CONFIG_TEMPLATE_BEAT;
    template_set <= host.valid && host.operation == CONFIG_TEMPLATE_RECORD;
    template_clear <= host.valid && host.operation == CONFIG_TEMPLATE_CLEAR;
    time_load <= host.valid && host.operation == CONFIG_TIME;
    date_load <= host.valid && host.operation == CONFIG_DATE;
    number_load <= host.valid && host.operation == CONFIG_NUMBER;
    if (host.valid) begin
      host.answer <= '0;
      host.answer.done <= host.operation inside {
          CONFIG_TEMPLATE_BEAT, CONFIG_TEMPLATE_RECORD, CONFIG_TEMPLATE_CLEAR, CONFIG_TIME, CONFIG_DATE, CONFIG_NUMBER};
    end
    if (rst) begin
      {template_write, template_set, template_clear, time_load, date_load, number_load} <= '0;
      host.answer <= '0;
    end
  end
endmodule
