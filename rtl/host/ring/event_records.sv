// Makes records for the host of the events of the market data, and of the verdict on them.
//
//   events ─ register, its instrument ─┬─ record
//   verdict ───────────────────────────┘
//
// The seven values of an event are its symbol, price, quantity, order id, new order id, time ({seconds, 17 bits; nanoseconds, 47 bits}) and number in the feed; what it has
// not is 0. Tag 0 is its kind (event_kind_e), tag 1 {has_symbol, non_printable, known, side}, tag 2 its instrument, where it is known, tag 3 its message's type.
// Events count only when the verdict after them is good.
//
// Latency: 2 cycles. Throughput: an event a cycle, event 0 of the beat alone; a verdict may come with one, and then none in the next cycle. Parameters: FEED, whose they are.
// Overflow: none here; `record_merge` counts what finds no room.
module event_records
  import tickwire_pkg::*;
  import record_pkg::*;
#(
    parameter int FEED = 0
) (
    input logic              clk,
    input logic              rst,
    input logic              enable,
    event_if.snk             events,
    input found_instrument_t found,   // of event 0 of the cycle before
    record_if.src            out
);
  event_t data;
  logic valid, verdict, good;

  always_ff @(posedge clk) begin
    valid <= events.valid[0] && enable && !rst;
    data <= events.data[0];
    // The verdict's record comes after that of an event of its cycle.
    verdict <= ((events.verdict_valid && enable) || (verdict && valid)) && !rst;
    if (events.verdict_valid) good <= events.verdict_good;

    out.valid <= (valid || verdict) && !rst;
    out.record.kind <= RECORD_EVENT;
    out.record.feed <= FeedBits'(FEED);
    out.record.entry_end <= 1'b0;
    out.record.message_end <= data.last;
    out.record.count <= 3'(RecordValues);
    out.record.tags <= '0;
    out.record.tags[0] <= 8'(data.kind);
    out.record.tags[1] <= {4'd0, data.has_symbol, data.non_printable, found.known, data.side};
    out.record.tags[2] <= found.instrument;
    out.record.tags[3] <= data.message_type;
    out.record.values[0] <= data.symbol;
    out.record.values[1] <= data.price;
    out.record.values[2] <= data.quantity;
    out.record.values[3] <= data.order_id;
    out.record.values[4] <= data.new_order_id;
    out.record.values[5] <= {data.seconds[16:0], data.nanoseconds[46:0]};
    out.record.values[6] <= data.sequence_number;
    if (!valid) begin
      out.record.kind <= RECORD_STATUS;
      out.record.message_end <= 1'b1;
      out.record.count <= 3'd1;
      out.record.tags[0] <= TagEvents;
      out.record.values[0] <= 64'(good);
    end
  end

  for (genvar i = 1; i < events.N; i++) begin : gen_no_event
    logic unused;
    assign unused = &{1'b0, events.data[i]};
    assert property (@(posedge clk) disable iff (rst) !(enable && events.valid[i]));
  end
  logic unused;
  assign unused = &{1'b0, data.source, data.known, data.instrument, data.seconds, data.nanoseconds};

  // A verdict that waits for an event of its cycle finds none in the next one.
  assert property (@(posedge clk) disable iff (rst) !(verdict && valid && events.valid[0]));
  assert property (@(posedge clk) disable iff (rst) !(verdict && valid && events.verdict_valid));
endmodule
