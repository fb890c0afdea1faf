// A strategy's data: two reads and a write a cycle.
//
//   write ─┬─ copy ─ register ─ a
//          └─ copy ─ register ─ b
//
// Latency: address to value 2 cycles; a word that is written in the cycle of its address or later is not in it. Throughput: both reads and a write a
// cycle. No parameters. Overflow: none.
module processor_memory
  import processor_pkg::*;
(
    input  logic     clk,
    input  address_t a_address,
    input  address_t b_address,
    output value_t   a,
    output value_t   b,
    input  logic     write,
    input  address_t write_address,
    input  value_t   write_value
);
  localparam int Words = 1 << AddressWidth;

  // What is read while it is written comes from where it was worked out.
  (* no_rw_check, ram_style = "block" *) value_t a_words[Words];
  (* no_rw_check, ram_style = "block" *) value_t b_words[Words];
  value_t a_read, b_read;

  always_ff @(posedge clk) begin
    if (write) begin
      a_words[write_address] <= write_value;
      b_words[write_address] <= write_value;
    end
    a_read <= a_words[a_address];
    b_read <= b_words[b_address];
    {a, b} <= {a_read, b_read};
  end
endmodule
