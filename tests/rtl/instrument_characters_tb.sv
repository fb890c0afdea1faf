// instrument_stage as at W = 8: the symbol comes character by character, its event after the last.
module instrument_characters_tb
  import tickwire_pkg::*;
(
    input logic clk,
    input logic rst,

    input  logic        instrument_write,
    input  logic [ 7:0] instrument_index,
    input  logic        instrument_used,
    input  logic [63:0] instrument_symbol,
    output logic        instrument_busy,

    input logic       coming,
    input logic [2:0] place,
    input logic [7:0] character,
    input logic       has_symbol,  // a cycle before the event
    input logic       late,        // in its cycle
    input logic       event_valid,

    output logic       known,        // of this cycle's event
    output logic [7:0] known_instrument,
    output logic       found_known,  // of the event of the cycle before
    output logic [7:0] found_instrument
);
  event_if #(.N(1)) decoded ();
  event_if #(.N(1)) events ();
  csr_if host ();
  instrument_key_t key;
  instrument_write_t written_unused;

  assign {host.write, host.read, host.address, host.data} = '0;
  assign host.valid = instrument_write;
  assign host.operation = config_pkg::CONFIG_INSTRUMENT;
  assign host.index = 16'(instrument_index);
  assign host.operand = {128'h0, instrument_symbol, 20'h0, 4'd4, 7'h0, instrument_used};
  assign instrument_busy = host.busy;

  assign decoded.valid = event_valid;
  assign decoded.data = '0;
  assign {decoded.verdict_valid, decoded.verdict_good} = '0;
  assign key = '{has_symbol: has_symbol, late: late, coming: coming, place: place, character: character, default: '0};
  assign known = events.data[0].known;
  assign known_instrument = events.data[0].instrument;
  assign {found_known, found_instrument} = found;

  found_instrument_t found;
  feed_if feed_of_decoder ();
  assign feed_of_decoder.key = key;
  assign {feed_of_decoder.ahead, feed_of_decoder.status} = '0;

  instrument_stage #(
      .CHARACTERS(1'b1)
  ) instrument_stage (
      .clk,
      .rst,
      .feed(feed_of_decoder.listener),
      .in(decoded.snk),
      .out(events.src),
      .found,
      .written(written_unused),
      .csr(host.stage)
  );

  logic unused;
  assign unused = &{1'b0, events.valid, events.verdict_valid, events.verdict_good, host.waits, host.answer, host.result};
endmodule
