// A strategy's program, and which instruction comes next.
//
//   go ─ place ─ memory ─ register ─ instruction
//
// From `go` on the instructions from its place come one after the other, until `stop`, which takes back those that are on the way.
//
// Latency: `go` to the first instruction 3 cycles. Throughput: an instruction a cycle. No parameters. Overflow: none; after the last place comes
// the first.
module processor_fetch
  import processor_pkg::*;
(
    input  logic         clk,
    input  logic         rst,
    input  logic         go,
    input  place_t       go_place,
    input  logic         stop,
    output logic         valid,
    output instruction_t instruction,
    output place_t       place,
    input  logic         write,         // a place of the program gets an instruction
    input  place_t       write_place,
    input  instruction_t write_instruction
);
  (* no_rw_check, ram_style = "block" *) instruction_t program_words[1<<PlaceWidth];

  logic running, read_valid;
  place_t next, read_place;
  instruction_t read;

  always_ff @(posedge clk) begin
    if (write) program_words[write_place] <= write_instruction;
    read <= program_words[next];
    instruction <= read;
    {read_place, place} <= {next, read_place};
    {read_valid, valid} <= {running, read_valid} & {2{!stop && !rst}};
    next <= go ? go_place : next + 1'b1;
    running <= (go || (running && !stop)) && !rst;
  end
endmodule
