// A fifo whose oldest word stands in flip-flops, for those who do much with it in a cycle: a block RAM gives its word late.
//
//   write ─┬─ fifo ─┬─ front ─ read_data
//          └────────┘
//          if that is empty
//
// Latency, throughput and ports are fifo's; it has room for DEPTH + 1 words. Parameters: WIDTH, bits in a word; DEPTH, a power of two.
// Overflow: as in fifo.
module fifo_registered #(
    parameter int WIDTH = 64,
    parameter int DEPTH = 16
) (
    input  logic                     clk,
    input  logic                     rst,
    input  logic                     write,
    input  logic [        WIDTH-1:0] write_data,
    output logic                     full,
    output logic                     overflow,
    input  logic                     read,        // the word at read_data was used
    output logic [        WIDTH-1:0] read_data,
    output logic                     empty,
    output logic [$clog2(DEPTH) : 0] count
);
  logic has_room, others_empty;  // in front; no word after it
  logic [WIDTH-1:0] next;
  logic [$clog2(DEPTH) : 0] others;

  assign has_room = empty || read;
  assign count = others + ($clog2(DEPTH) + 1)'(!empty);

  fifo #(
      .WIDTH(WIDTH),
      .DEPTH(DEPTH)
  ) fifo (
      .clk,
      .rst,
      .write(write && !(has_room && others_empty)),
      .write_data,
      .full,
      .overflow,
      .read(has_room),
      .read_data(next),
      .empty(others_empty),
      .count(others)
  );

  always_ff @(posedge clk) begin
    if (has_room) begin
      empty <= others_empty && !write;
      read_data <= others_empty ? write_data : next;
    end
    if (rst) empty <= 1'b1;
  end
endmodule
