// Decodes what the host writes into risk: an instrument's limits, an adjustment of its exposure, its decimals.
//
// Latency: host.valid to a write 2 cycles; an adjustment as risk takes it. Throughput: as config_if. Parameters: INSTRUMENTS. Overflow: none: an
// adjustment waits. One for an instrument that does not exist, or a collar or price that does not fit, is not done.
module risk_config_port
  import order_pkg::*;
  import order_template_pkg::*;
  import risk_pkg::*;
  import config_pkg::*;
#(
    parameter int INSTRUMENTS = 16
) (
    input logic   clk,
    input logic   rst,
    config_if.snk host,

    output logic                             decimals_write,
    output logic         [              3:0] decimals,
    output logic         [InstrumentWidth-1:0] instrument,     // for all three
    output logic                             limit_write,
    output risk_limit_t                      limit,
    output logic                             adjust_valid,
    input  logic                             adjust_ready,
    output risk_adjust_t                     adjust
);
  localparam int Above = 64 - OrderPriceWidth;

  logic checks_limit, checks_adjust, instrument_there, prices_fit;
  logic [63:0] reference;
  config_if decimals_port ();
  config_answer_t answer;
  logic used_unused;
  logic [63:0] symbol_unused;
  fix_pkg::fix_instrument_t session_unused;

  assign decimals_port.valid = host.valid;
  assign decimals_port.operation = host.operation;
  assign decimals_port.index = host.index;
  assign decimals_port.operand = host.operand;

  instrument_config #(
      .INSTRUMENTS(INSTRUMENTS)
  ) instrument_config (
      .clk,
      .rst,
      .host(decimals_port.snk),
      .hold(1'b0),
      .write(decimals_write),
      .index(instrument),
      .feed_used(used_unused),
      .feed_symbol(symbol_unused),
      .session(session_unused),
      .decimals
  );

  assign limit = '{
          enable: host.operand[0][0],
          sources: '{feed: host.operand[0][1], session: host.operand[0][2]},
          collar: CollarWidth'({host.operand[2], host.operand[1]}),
          position_limit: {host.operand[4][14:0], host.operand[3]},
          has_reference: host.operand[0][3],
          reference_price: LastPriceWidth'(reference)
      };
  assign adjust = '{
          instrument: instrument,
          buy: {host.operand[1][15:0], host.operand[0]},
          sell: {host.operand[3][15:0], host.operand[2]},
          closed: host.operand[4][15:0]
      };
  assign instrument_there = host.index < 16'(INSTRUMENTS);
  assign reference = {host.operand[6], host.operand[5]};
  assign prices_fit = host.operand[2][31:31-Above] == '0 &&
      (!host.operand[0][3] || reference[63:LastPriceWidth-1] == '0 || &reference[63:LastPriceWidth-1]);

  assign host.busy = checks_limit || checks_adjust || limit_write || adjust_valid || decimals_port.busy;
  assign host.answer = answer | decimals_port.answer;

  always_ff @(posedge clk) begin
    checks_limit  <= host.valid && host.operation == CONFIG_LIMIT && !rst;
    checks_adjust <= host.valid && host.operation == CONFIG_ADJUST && !rst;
    limit_write   <= checks_limit && instrument_there && prices_fit && !rst;
    if (adjust_ready) adjust_valid <= 1'b0;
    if (checks_adjust && instrument_there) adjust_valid <= 1'b1;
    if (host.valid) answer <= '0;
    if (checks_limit) begin
      answer.done <= instrument_there && prices_fit;
      answer.text <= instrument_there && !prices_fit ? TEXT_PRICE_TOO_WIDE : TEXT_WHOLE;
    end
    if (checks_adjust) answer.done <= instrument_there;
    if (rst) {adjust_valid, answer} <= '0;
  end
endmodule
