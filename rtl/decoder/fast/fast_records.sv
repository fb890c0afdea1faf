// Collects the fields of the FAST engine into records for the host: up to VALUES values each, a new one after each entry and message.
//
//   field ─ value, or exponent and mantissa, or a piece of a string ─ seven places ─ full, or an end? ─ record
//   verdict ────────────────────────────────────────────────────────────────────────────────────────── record
//
// A value's tag is the low seven bits of the field's number: the host loads a program whose fields are numbered so. Tag 0 is the template's identifier. With the
// highest bit the next value is of the same field: a decimal is its exponent and then its mantissa; a string is its pieces, each with its characters in the
// low bytes, the last in the lowest. An absent field has no value.
//
// Latency: 1 cycle. Throughput: a field or verdict a cycle. Parameters: FEED, whose they are; VALUES, 6 or 7: with several feeds 6, for the
// tag of the seventh is the feed's number then. Overflow: none here; `record_merge` counts what finds no room.
module fast_records
  import fast_pkg::*;
  import record_pkg::*;
#(
    parameter int FEED = 0,
    parameter int VALUES = RecordValues
) (
    input logic          clk,
    input logic          rst,
    input logic          field_valid,
    input field_t        field,
    /* verilator lint_off UNUSEDSIGNAL */  // not whether the frame was good
    input fast_verdict_t verdict,
    /* verilator lint_on UNUSEDSIGNAL */
    record_if.src        out
);
  logic [RecordValues-1:0][63:0] values;
  logic [RecordValues-1:0][7:0] tags;
  logic [2:0] count, next_count;  // there is always room for two
  logic has_value, has_two, ends;
  logic [63:0] first_value;
  logic [7:0] tag;

  assign has_two = field.kind == FIELD_DECIMAL;
  assign has_value = !(field.kind inside {FIELD_MARK, FIELD_ABSENT});
  assign tag = field.kind == FIELD_MESSAGE ? 8'd0 : {1'b0, field.tag[6:0]};
  assign first_value = has_two ? {{57{field.exponent[6]}}, field.exponent} : field.value;
  assign next_count = count + 3'(has_value) + 3'(has_two);
  assign ends = field.entry_end || field.message_end;

  logic [RecordValues-1:0][63:0] now_values;
  logic [RecordValues-1:0][7:0] now_tags;

  always_comb begin
    now_values = values;
    now_tags   = tags;
    for (int i = 0; i < RecordValues; i++) begin
      if (has_value && count == 3'(i)) begin
        now_values[i] = first_value;
        now_tags[i]   = tag | (has_two || (field.kind == FIELD_TEXT && !field.last) ? TagContinues : '0);
      end
      if (has_two && i != 0 && count == 3'(i - 1)) begin
        now_values[i] = field.value;
        now_tags[i]   = tag;
      end
    end
  end

  always_ff @(posedge clk) begin
    out.valid <= 1'b0;
    if (field_valid) begin
      {values, tags} <= {now_values, now_tags};
      count <= next_count;
      out.valid <= next_count >= 3'(VALUES - 1) || ends;
      if (next_count >= 3'(VALUES - 1) || ends) count <= '0;
    end
    out.record <= '{
        kind: RECORD_FIELDS,
        feed: FeedBits'(FEED),
        entry_end: field.entry_end,
        message_end: field.message_end,
        count: next_count,
        tags: now_tags,
        values: now_values
    };
    if (verdict.valid) begin
      // What is left of a message that broke off says no more than the verdict.
      count <= '0;
      out.valid <= 1'b1;
      out.record.kind <= RECORD_STATUS;
      out.record.entry_end <= 1'b0;
      out.record.message_end <= 1'b1;
      out.record.count <= 3'd1;
      out.record.tags[0] <= TagVerdict;
      out.record.values[0] <= {41'd0, verdict.good, 3'd0, verdict.code, verdict.offset};
    end
    if (rst) {out.valid, count} <= '0;
  end

  logic unused;
  assign unused = &{1'b0, field.tag[31:7], field.count, field.first};

  assert property (@(posedge clk) disable iff (rst) !(field_valid && verdict.valid));
  assert property (@(posedge clk) disable iff (rst) count < 3'(VALUES - 1));
endmodule
