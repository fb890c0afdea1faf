// Says what the values of a beat's fields are: one character, a symbol of the table; and gives the sums up to each delimiter.
//
// A number's scales are needed before fix_entries knows its instrument: they are those of the first symbol that was found in the
// table since the entry, or the message, began. fix_entries refuses a number if the instrument is another.
//
// Latency: 1 cycle. Throughput: a beat a cycle. Parameters: W, INSTRUMENTS. Overflow: none.
module fix_values
  import fix_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16,
    localparam int N = W / 8,
    localparam int Halves = N < 4 ? 1 : N / 4,
    localparam int Index = $clog2(INSTRUMENTS)
) (
    input logic clk,
    input logic rst,

    input logic                 instrument_write,
    input logic [    Index-1:0] instrument_index,
    input logic [ScaleBits-1:0] instrument_price_scale,
    input logic [ScaleBits-1:0] instrument_quantity_scale,

    input logic                in_valid,
    input logic                in_last,
    input logic                in_err,
    input logic [Halves-1:0]   in_end,
    /* verilator lint_off UNUSEDSIGNAL */  // not all tags are used here
    input tag_t [Halves-1:0]   in_tag,
    /* verilator lint_on UNUSEDSIGNAL */

    input logic  [Halves-1:0]                  in_single,
    input logic  [Halves-1:0][            7:0] in_char,
    input logic  [Halves-1:0][INSTRUMENTS-1:0] in_match,
    input pair_t [Halves-1:0]                  in_sum,
    input logic  [Halves-1:0][            7:0] in_begin_sum,
    input pair_t [Halves-1:0]                  in_total,

    output logic [Halves-1:0]                     out_w,
    output logic [Halves-1:0]                     out_x,
    output logic [Halves-1:0]                     out_n,
    output logic [Halves-1:0]                     out_a4,              // "A" or "4"
    output logic [Halves-1:0]                     out_digit,           // 0 to 3:
    output logic [Halves-1:0][               1:0] out_code,
    output logic [Halves-1:0]                     out_hit,             // the symbol of
    output logic [Halves-1:0][InstrumentBits-1:0] out_index,
    output logic [Halves-1:0][     ScaleBits-1:0] out_price_scale,
    output logic [Halves-1:0][     ScaleBits-1:0] out_quantity_scale,
    output logic             [     ScaleBits-1:0] number_price_scale,  // of a price in this beat
    output logic             [     ScaleBits-1:0] number_quantity_scale,
    output logic [Halves-1:0][               7:0] out_sum,             // of the beat up to the SOH
    output logic [Halves-1:0][               7:0] out_begin_sum,       // up to the X of 8=FIX
    output logic             [               7:0] out_total
);
  // ---- the instrument of each half -------------------------------------------------------------------

  logic [Halves-1:0][Index-1:0] index;
  logic [Halves-1:0][ScaleBits-1:0] price_scale, quantity_scale;

  always_comb begin
    index = '0;
    for (int h = 0; h < Halves; h++) for (int i = 0; i < INSTRUMENTS; i++) if (in_match[h][i]) index[h] |= Index'(i);
  end

  // A distributed RAM is read at one address: each half has its own.
  for (genvar h = 0; h < Halves; h++) begin : gen_scales
    (* ram_style = "distributed" *) logic [2*ScaleBits-1:0] scales_of[INSTRUMENTS];
    assign {price_scale[h], quantity_scale[h]} = scales_of[index[h]];
    always_ff @(posedge clk) begin
      if (instrument_write) scales_of[instrument_index] <= {instrument_price_scale, instrument_quantity_scale};
    end
  end

  // ---- the scales that hold --------------------------------------------------------------------------

  typedef struct packed {
    logic found;  // in this entry
    logic [ScaleBits-1:0] price;
    logic [ScaleBits-1:0] quantity;
  } scales_t;

  scales_t scales, next, saved;
  logic [ScaleBits-1:0] first_price, first_quantity;  // after the field that ends in the first half

  always_comb begin
    next = scales;
    for (int h = 0; h < Halves; h++) begin
      automatic tag_t tag = in_tag[h];
      if (in_end[h] && tag[TagSymbol] && !next.found && in_match[h] != '0) next = '{1'b1, price_scale[h], quantity_scale[h]};
      if (in_end[h] && (tag[TagBegin] || tag[TagChecksum] || tag[TagAction] || tag[TagEntryType])) next.found = 1'b0;
      if (h == 0) {first_price, first_quantity} = {next.price, next.quantity};
    end
  end

  always_ff @(posedge clk) begin
    // A number in the first half comes after the last symbol too: no symbol ends in that half then.
    {number_price_scale, number_quantity_scale} <= {first_price, first_quantity};
    if (in_valid) begin
      scales <= in_err ? saved : next;
      if (in_last && !in_err) saved <= next;
    end
    if (rst) begin
      scales <= '0;
      saved  <= '0;
    end
  end

  // ---- sums and what the values are --------------------------------------------------------------------

  logic [7:0] first;  // sum of the first half
  assign first = in_total[0][1] + in_total[0][0];

  always_ff @(posedge clk) begin
    for (int h = 0; h < Halves; h++) out_index[h] <= InstrumentBits'(index[h]);
    out_price_scale <= price_scale;
    out_quantity_scale <= quantity_scale;
    for (int h = 0; h < Halves; h++) begin
      out_w[h] <= in_single[h] && in_char[h] == "W";
      out_x[h] <= in_single[h] && in_char[h] == "X";
      out_n[h] <= in_single[h] && in_char[h] == "N";
      out_a4[h] <= in_single[h] && (in_char[h] == "A" || in_char[h] == "4");
      out_digit[h] <= in_single[h] && in_char[h][7:2] == 6'b001100;
      out_code[h] <= in_char[h][1:0];
      out_hit[h] <= |in_match[h];
      out_sum[h] <= in_sum[h][1] + in_sum[h][0] + (h > 0 ? first : 8'd0);
      out_begin_sum[h] <= in_begin_sum[h] + (h > 0 ? first : 8'd0);
    end
    out_total <= Halves > 1 ? first + in_total[Halves-1][1] + in_total[Halves-1][0] : first;
  end
endmodule
