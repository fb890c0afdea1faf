// Says which line's packet line_select wants, from comparisons that take a complete cycle: the choice between them comes after registers.
//
//   is_now ──┬───────────────────────── wanted_now
//            └─ register ─┐
//   is_held ── register ──┴─ here? ──── wanted_late
//
// Latency: wanted_now 0 cycles, wanted_late 1. Throughput: a comparison a cycle. Parameters: EARLY, numbers are complete two cycles before `here`
// (arbiter_pkg::number_early): `is_now` then belongs to the number a cycle ago, and serves both. Overflow: none.
module number_wanted
  import arbiter_pkg::wanted_t;
#(
    parameter bit EARLY = 1'b0
) (
    input  logic       clk,
    input  logic       known,       // something is expected; before, every number is wanted
    /* verilator lint_off UNUSEDSIGNAL */  // with EARLY one comparison serves for both
    input  logic [1:0] here,        // by line: this cycle's beat completes number and count
    input  wanted_t [1:0] is_held,     // the packet whose number came before is wanted
    /* verilator lint_on UNUSEDSIGNAL */
    input  wanted_t [1:0] is_now,      // the one whose number is here in this cycle; with EARLY, in the cycle before
    output wanted_t [1:0] wanted_now,
    output wanted_t [1:0] wanted_late
);
  logic unknown_reg;
  always_ff @(posedge clk) unknown_reg <= !known;

  if (EARLY) begin : gen_early
    assign wanted_now  = {2 * $bits(wanted_t) {unknown_reg}} | is_now;
    assign wanted_late = wanted_now;
  end else begin : gen_now
    wanted_t [1:0] is_now_reg, is_held_reg;
    logic [1:0] here_reg;
    always_ff @(posedge clk) begin
      is_now_reg <= is_now;
      is_held_reg <= is_held;
      here_reg <= here;
    end
    assign wanted_now = {2 * $bits(wanted_t) {!known}} | is_now;
    for (genvar i = 0; i < 2; i++) begin : gen_line
      assign wanted_late[i] = unknown_reg ? '1 : here_reg[i] ? is_now_reg[i] : is_held_reg[i];
    end
  end
endmodule
