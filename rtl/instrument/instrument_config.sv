// Decodes the operation that writes an instrument: the one description of it for every stage that stores a part of it.
//
// An instrument is known by one symbol in the market data and by one at the FIX session; either may be missing. Prices have its decimals everywhere, which
// for one in the market data are those of the feed: 4 in ITCH (TotalView-ITCH 5.0, section 3.2), in FAST those that the loaded table gives; the host sees to
// that. An impossible one is ignored by every stage.
//
// Latency: config.valid to `write` 2 cycles; `busy` lasts until then, and as long as `hold`. Throughput: as config_if.
// Parameters: INSTRUMENTS. Nothing overflows.
module instrument_config
  import config_pkg::*;
  import fix_pkg::*;
#(
    parameter int INSTRUMENTS = 16
) (
    input logic   clk,
    input logic   rst,
    config_if.snk host,

    input  logic                   hold,          // the stage has not finished writing
    output logic                   write,         // pulse; the rest is steady until `host` is free
    output logic            [ 7:0] index,         // below INSTRUMENTS, with `write`
    output logic                   feed_used,
    output logic            [63:0] feed_symbol,   // first character in [63:56], filled up with spaces
    output fix_instrument_t        session,
    output logic            [ 3:0] decimals
);
  logic checks, possible;

  assign index = host.index[7:0];
  assign feed_used = host.operand[0][0];
  assign feed_symbol = {host.operand[2], host.operand[1]};
  assign decimals = host.operand[0][11:8];
  assign session = '{
          used: host.operand[0][1],
          symbol: {host.operand[4], host.operand[3]},
          symbol_length: host.operand[0][7:4],
          price_scale: decimals,
          quantity_scale: host.operand[0][15:12]
      };

  assign possible = host.index < 16'(INSTRUMENTS) &&
      (!session.used || (session.symbol_length != '0 && session.symbol_length <= 4'(SymbolChars) && decimals <= 4'(MaxScale) &&
                         session.quantity_scale <= 4'(MaxScale)));

  assign host.busy = checks || write || hold;

  always_ff @(posedge clk) begin
    checks <= host.valid && host.operation == CONFIG_INSTRUMENT && !rst;
    write  <= checks && possible && !rst;
    if (host.valid) host.answer <= '0;
    if (checks) host.answer.done <= possible;
    if (rst) host.answer <= '0;
  end
endmodule
