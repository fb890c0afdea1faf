// Holds a frame's words until its verdict, then gives out those that proved good, in order: for stages that cannot undo.
//
//   write ─┬─ memory ─┬─ register ─ out, once it is committed
//          └──────────┘
//
// The oldest word waits in `out_data` before its verdict is there, so that what uses it starts from registers.
//
// Latency: verdict to the first word 1 cycle; a word may be written in the cycle of its verdict. Throughput: a word in a cycle in, one in two cycles
// out, as the sink is `ready`. Parameters: WIDTH, bits in a word; DEPTH, words, a power of two.
// Overflow: a word that finds no room is lost, and `overflow` pulses in the next cycle, whatever the verdict: it is counted and reported, and the
// source of the words must no longer be trusted.
module event_commit #(
    parameter int WIDTH = 64,
    parameter int DEPTH = 256
) (
    input logic clk,
    input logic rst,

    input logic             write,
    input logic [WIDTH-1:0] write_data,
    input logic             verdict_valid,
    input logic             verdict_good,

    output logic             out_valid,
    input  logic             out_ready,
    output logic [WIDTH-1:0] out_data,
    output logic             overflow    // pulse
);
  localparam int Address = $clog2(DEPTH);
  typedef logic [Address:0] pointer_t;  // a bit more than an address: pointers DEPTH apart mean full

  if (DEPTH < 2 || DEPTH != 1 << Address) begin : gen_check
    $fatal(1, "event_commit: DEPTH is %0d; it must be a power of two, at least 2", DEPTH);
  end

  (* no_rw_check *) logic [WIDTH-1:0] memory[DEPTH];  // what is being written to the place that is read is in `newest`
  logic [WIDTH-1:0] from_memory, newest;
  logic written_is_head, newest_is_head, do_write, taken, good, bad, waiting;
  logic full, was_full, was_almost_full, wrote, freed;  // all but `full` as in the cycle before
  pointer_t written, written_next, committed, read, next_read;

  assign full = (was_full || (was_almost_full && wrote)) && !freed;
  assign do_write = write && !full;
  assign written_next = do_write ? written + 1'b1 : written;
  assign written_is_head = written == read;
  assign good = verdict_valid && verdict_good;
  assign bad = verdict_valid && !verdict_good;
  assign waiting = read != committed || (good && (do_write || !written_is_head));
  assign taken = out_valid && out_ready;
  assign next_read = taken ? read + 1'b1 : read;

  always_ff @(posedge clk) begin
    if (!full) memory[written[Address-1:0]] <= write_data;  // if the word is not accepted, the next one overwrites it
    newest <= write_data;
    from_memory <= memory[next_read[Address-1:0]];
    newest_is_head <= do_write && written == next_read;
    out_data <= written_is_head ? write_data : newest_is_head ? newest : from_memory;
    written <= bad ? committed : written_next;
    if (good) committed <= written_next;
    read <= next_read;
    was_full <= ((bad ? committed : written) ^ read) == pointer_t'(DEPTH);
    was_almost_full <= ((written + 1'b1) ^ read) == pointer_t'(DEPTH);
    wrote <= do_write && !bad;
    freed <= taken;
    out_valid <= !taken && (out_valid || waiting);
    overflow <= write && !do_write;
    if (rst) begin
      written <= '0;
      committed <= '0;
      read <= '0;
      newest_is_head <= 1'b0;
      was_full <= 1'b0;
      wrote <= 1'b0;
      freed <= 1'b0;
      out_valid <= 1'b0;
      overflow <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) pointer_t'(committed - read) <= pointer_t'(DEPTH));
  assert property (@(posedge clk) disable iff (rst) full == (pointer_t'(written - read) == pointer_t'(DEPTH)));
endmodule
