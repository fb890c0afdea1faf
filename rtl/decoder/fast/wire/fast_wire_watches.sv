// Watches exponents that the walk does not reckon with: a null there, and what the walk took for one at another place, is late.
//
//   places, presence map ─ s10 lanes of watched exponents ─┬─ null, and not met
//                                 null exponents met ──────┴─ met, and none of them ─ s11 late
//
// Latency: 1 cycle from the selected lanes. Throughput: a beat a cycle. Parameters: WATCHES; MOVES, see fast_wire_later; SHORT, see fast_wire_place. Nothing overflows.
module fast_wire_watches
  import fast_wire_pkg::*;
#(
    parameter int WATCHES = 2,
    parameter bit MOVES = 1'b0,
    parameter bit SHORT = 1'b0
) (
    input logic clk,
    input place_t [WATCHES-1:0] watches7,
    input logic [MapBits-1:0] map7,
    input beat_t beat9,
    input logic begins9,
    input logic in_entry9,
    input logic [Lanes-1:0] stops9,
    input logic [Lanes-1:0] after9,
    input row_t [Lanes-1:0] position9,
    input logic [Lanes-1:0] met9,  // the walk took the token for a null exponent
    /* verilator lint_off UNUSEDSIGNAL */
    input beat_t beat10,
    input lane_t [Lanes-1:0] lanes10,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic guessed10,  // every null exponent has to be a watched one
    output logic late11
);
  logic [WATCHES-1:0] missed11;
  logic [WATCHES-1:0][Lanes-1:0] watched10;
  logic mistaken11;
  logic [Lanes-1:0] met10, is_null10, anywhere10;

  always_comb begin
    anywhere10 = '0;
    for (int w = 0; w < WATCHES; w++) anywhere10 |= watched10[w];
    for (int j = 0; j < Lanes; j++) is_null10[j] = lanes10[j].is_null;
  end

  always_ff @(posedge clk) begin
    met10 <= met9;
    mistaken11 <= beat10.valid && guessed10 && (met10 & ~anywhere10) != '0;
  end

  for (genvar w = 0; w < WATCHES; w++) begin : g_watches
    logic [Lanes-1:0] old10, new10;
    /* verilator lint_off UNUSEDSIGNAL */
    logic [Lanes-1:0] old_next10, new_next10;
    /* verilator lint_on UNUSEDSIGNAL */
    fast_wire_place #(
        .MOVES(MOVES),
        .SHORT(SHORT)
    ) selection (
        .clk,
        .place(watches7[w]),
        .map7,
        .beat9,
        .begins9,
        .in_entry9,
        .stops9,
        .after9,
        .position9,
        .old10,
        .new10,
        .old_next10,
        .new_next10
    );
    always_ff @(posedge clk) missed11[w] <= beat10.valid && ((old10 | new10) & is_null10 & ~met10) != '0;
    assign watched10[w] = old10;
  end

  assign late11 = missed11 != '0 || mistaken11;
endmodule
