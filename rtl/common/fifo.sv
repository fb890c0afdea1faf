// Synchronous FIFO, first-word fall-through: the oldest word stands at `read_data` for as long as `empty` is low.
//
//   write ─┬─ memory ─ register ─┬─ read_data
//          └─ bypass ────────────┘   a word written to where the next one is read from does not wait for the memory
//
// Latency: a word written is at `read_data` the next cycle if the FIFO was empty. Throughput: a write and a read a cycle.
// Parameters: WIDTH, bits in a word; DEPTH, words, a power of two. The memory is read through a register: block RAM when it is large. LATE, 1: read_data is
// what it would be in the cycle before, so that a block RAM, slow without its output register, can use that; `empty` and `count` are not late.
// Overflow: a write while `full` is refused, even if a word is read in the same cycle, and `overflow` is high in that cycle for the caller
// to count. A read while `empty` does nothing.
module fifo #(
    parameter int WIDTH = 64,
    parameter int DEPTH = 16,
    parameter bit LATE = 1'b0
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
  localparam int AddressWidth = $clog2(DEPTH);

  if (DEPTH < 2 || DEPTH != 1 << AddressWidth) begin : gen_depth
    $fatal(1, "fifo: DEPTH is %0d; it must be a power of two, at least 2", DEPTH);
  end

  (* no_rw_check *) logic [WIDTH-1:0] memory[DEPTH];  // what is being written to the place that is read comes through the bypass

  // One bit more than an address: equal pointers are an empty FIFO, and pointers DEPTH apart a full one.
  logic [AddressWidth:0] write_pointer, read_pointer, next_read;
  logic [AddressWidth:0] behind;  // read_pointer + 1, from flip-flops: the read comes late
  logic do_write, do_read, bypassed;
  logic [WIDTH-1:0] from_memory, bypass;

  assign count = write_pointer - read_pointer;
  assign full = count[AddressWidth];
  assign overflow = write && full;
  assign do_write = write && !full;
  assign do_read = read && !empty;
  assign next_read = do_read ? behind : read_pointer;

  if (LATE) begin : gen_late
    logic bypassed_before;
    logic [WIDTH-1:0] memory_before, bypass_before;
    always_ff @(posedge clk) {bypassed_before, memory_before, bypass_before} <= {bypassed, from_memory, bypass};
    assign read_data = bypassed_before ? bypass_before : memory_before;
  end else begin : gen_at_once
    assign read_data = bypassed ? bypass : from_memory;
  end

  always_ff @(posedge clk) begin
    if (!full) memory[write_pointer[AddressWidth-1:0]] <= write_data;  // if it is none, the next one overwrites it: `write` comes late
    from_memory <= memory[next_read[AddressWidth-1:0]];
  end

  always_ff @(posedge clk) begin
    bypass <= write_data;
    bypassed <= do_write && write_pointer == next_read;
    write_pointer <= write_pointer + (AddressWidth + 1)'(do_write);
    read_pointer <= next_read;
    if (do_read) behind <= behind + 1'b1;
    empty <= !do_write && write_pointer == next_read;
    if (rst) begin
      write_pointer <= '0;
      read_pointer <= '0;
      behind <= (AddressWidth + 1)'(1);
      empty <= 1'b1;
    end
  end

  assert property (@(posedge clk) disable iff (rst) count <= (AddressWidth + 1)'(DEPTH));
  assert property (@(posedge clk) disable iff (rst) empty == (count == '0));
  assert property (@(posedge clk) disable iff (rst) behind == (AddressWidth + 1)'(read_pointer + 1'b1));
endmodule
