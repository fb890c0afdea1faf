// The texts of the order store, as the order stage reads them. All reads take a cycle. `sending`: it has an order, whose text must not be written meanwhile.
interface order_text_if #(
    parameter int W = 64
);
  import order_pkg::*;
  import order_template_pkg::*;
  localparam int Word = 6 - $clog2(W / 8);

  logic                 sums_read;
  logic [TextWidth-1:0] sums_text;
  text_record_t         sums;       // of sums_text in the last cycle of sums_read
  logic                 read;
  logic [TextWidth-1:0] index;      // of the text
  logic [     Word-1:0] word;
  logic [        W-1:0] data;
  logic                 sending;
  logic [TextWidth-1:0] sending_text;

  modport store(input sums_read, sums_text, read, index, word, sending, sending_text, output sums, data);
  modport reader(output sums_read, sums_text, read, index, word, sending, sending_text, input sums, data);
endinterface
