// Decodes FIX market data (35=W and 35=X) from a TCP stream, however it is cut into segments: committed events out.
//
//   in ─ fix_bytes (W=8) or fix_lanes (W=64) ─ beat, numbers ─ fix_commit ─ event
//
// `in` is the payload, each byte once (`keep` is 0 where it is not valid), then, or with its last bytes, the verdict: a segment that
// proves bad (err) leaves no trace, whatever was in it. At W=64 a segment may begin in lane 0, 2 or 6 (tcp_engine's `lanes`). An event leaves when its
// message is complete and good (BodyLength, CheckSum, order of fields, numbers) and so is every segment it lies in; complete messages or nothing.
// A message that is sent again makes no event (fix_repeated). After a message that is not good, the next `8=FIX` is looked for.
// Entries of instruments not in the table, and of types other than bid (0), offer
// (1) and trade (2), are skipped. Kinds: trade; else by MDUpdateAction add, modify, delete, in 35=W add. Fields whose data may hold SOH
// (RawData and its like) are not understood in a message with prices.
//
// Latency: W=64: 8 cycles from the segment's last bytes to the first event, 9 if a number ends in that same beat; W=8: 10 cycles. At least 2 from
// the verdict.
// With tcp_engine, from the frame's last byte on the MII: at most 9 cycles at W=64, 7 at W=8.
// Throughput: a beat a cycle; at W=64 3 cycles without a beat after a segment's end and after its last bytes, at W=8 8 after its end.
// Parameters: W, 8 or 64; INSTRUMENTS; EVENTS, entries of messages not committed yet, a power of two; TRADES_ONLY: other entries make no event.
// Overflow: fix_commit.
module fix_prices
  import tickwire_pkg::*;
  import config_pkg::*;
  import fix_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16,
    parameter int EVENTS = 64,
    parameter bit TRADES_ONLY = 1'b0
) (
    input logic       clk,
    input logic       rst,
    input logic       restart,  // the stream begins again: an open message is forgotten
    stream_if.snk     in,

    config_if.snk     host,     // writes the instruments: takes 147 cycles at W=8, 67 at W=64

    committed_event_if.src              events,            // one in two cycles at most
    output logic                        event_wide,        // the price does not fit into NarrowPrice bits; W=8: never (fix_prices)
    output logic   [     FixCauses-1:0] cause              // pulses, by fix_cause_e, when the segment has proved good
);
  logic instrument_write, instrument_busy, feed_unused;
  /* verilator lint_off UNUSEDSIGNAL */  // it is below INSTRUMENTS
  logic [7:0] instrument_at;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [$clog2(INSTRUMENTS)-1:0] instrument_index;
  logic [63:0] feed_symbol_unused;
  logic [3:0] decimals_unused;
  fix_instrument_t instrument;

  assign instrument_index = instrument_at[$clog2(INSTRUMENTS)-1:0];

  instrument_config #(
      .INSTRUMENTS(INSTRUMENTS)
  ) instrument_config (
      .clk,
      .rst,
      .host,
      .hold(instrument_busy),
      .write(instrument_write),
      .index(instrument_at),
      .feed_used(feed_unused),
      .feed_symbol(feed_symbol_unused),
      .session(instrument),
      .decimals(decimals_unused)
  );

  logic beat_valid, beat_last, beat_err;
  fix_beat_t beat;
  logic numbers_good, sum_good, length_good, entries_good;
  fix_numbers_t entry_numbers;
  logic of_closed;
  fix_number_beat_t number_beat;
  sequence_t next_number, number;
  logic repeated, taken, begins_anew;

  if (W == 8) begin : gen_bytes
    logic found_valid, found_last, found_err, price_good, quantity_good, found_sum_good, found_length_good, found_entries_good;
    fix_beat_t found;
    fix_numbers_t numbers, numbers_reg;
    fix_bytes #(
        .INSTRUMENTS(INSTRUMENTS)
    ) front (
        .clk,
        .rst(rst || restart),
        .in,
        .table_rst(rst),
        .instrument_write,
        .instrument_index,
        .instrument,
        .instrument_busy,
        .number_beat,
        .number(next_number),
        .out_valid(found_valid),
        .out_last(found_last),
        .out_err(found_err),
        .out_beat(found),
        .price_good,
        .quantity_good,
        .sum_good(found_sum_good),
        .length_good(found_length_good),
        .entries_good(found_entries_good),
        .numbers
    );
    // Registered: whether a message is good decides in the same cycle what becomes of its entries.
    always_ff @(posedge clk) begin
      beat_valid <= found_valid && !rst && !restart;
      beat_last <= found_last;
      beat_err <= found_err;
      beat <= found;
      beat.push <= found.push && (!TRADES_ONLY || found.kind == KIND_TRADE);
      numbers_good <= (!found.price || price_good) && (!found.quantity || quantity_good);
      sum_good <= found_sum_good;
      length_good <= found_length_good;
      entries_good <= found_entries_good || !found.prices;
      numbers_reg <= numbers;
    end

    // A price leaves as stops and risk get it: one that does not fit into NarrowPrice bits is the nearest that does.
    always_comb begin
      entry_numbers = numbers_reg;
      entry_numbers.wide = 1'b0;
      if (numbers_reg.wide) begin
        entry_numbers.price = {
          {(NumberBits - NarrowPrice + 1) {numbers_reg.price[NumberBits-1]}}, {(NarrowPrice - 1) {!numbers_reg.price[NumberBits-1]}}
        };
      end
    end

    logic unused;
    assign unused = &{1'b0, of_closed};
  end else begin : gen_lanes
    fix_lanes #(
        .W(W),
        .INSTRUMENTS(INSTRUMENTS),
        .TRADES_ONLY(TRADES_ONLY)
    ) front (
        .clk,
        .rst(rst || restart),
        .in,
        .table_rst(rst),
        .instrument_write,
        .instrument_index,
        .instrument,
        .instrument_busy,
        .number_beat,
        .number(next_number),
        .out_valid(beat_valid),
        .out_last(beat_last),
        .out_err(beat_err),
        .out_beat(beat),
        .numbers_good,
        .sum_good,
        .length_good,
        .entries_good,
        .of_closed,
        .numbers(entry_numbers)
    );
  end

  fix_repeated #(
      .W(W)
  ) repeated_stage (
      .clk,
      .rst(rst || restart),
      .in(number_beat),
      .in_number(next_number),
      .taken,
      .begins_anew,
      .repeated,
      .number
  );

  // ---- the verdict ---------------------------------------------------------------------------------------

  // A good end is reported at once, ahead of beats that hold no bytes: it takes effect when the bytes before it have.
  // A bad end counts as bytes: what it takes back must be gone before a later segment is reported good.
  localparam int Depth = W == 8 ? 8 : 6;  // cycles from `in` until its bytes have taken effect, less one
  logic [Depth-1:0] bytes_under_way;
  logic ended_good;
  always_ff @(posedge clk) begin
    bytes_under_way <= {bytes_under_way[Depth-2:0], in.valid && (in.keep != '0 || (in.last && in.err))};
    ended_good <= in.valid && in.last && !in.err;
    if (rst || restart) begin
      bytes_under_way <= '0;
      ended_good <= 1'b0;
    end
  end

  fix_commit #(
      .W(W),
      .EVENTS(EVENTS)
  ) commit_stage (
      .clk,
      .rst,
      .restart,
      .valid(beat_valid),
      .last(beat_last),
      .err(beat_err),
      .beat,
      .numbers_good,
      .sum_good,
      .length_good,
      .entries_good,
      .repeated,
      .number,
      .taken,
      .begins_anew,
      .numbers(entry_numbers),
      .of_closed,
      .drained(bytes_under_way == '0),
      .ended_good,
      .events,
      .event_wide,
      .cause
  );
endmodule
