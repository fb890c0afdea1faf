// Selects the lanes of a field: where it is in the entry follows from the entry's presence map.
//
//   map ─ s8 bits before it are counted ─ s9 its position ─ s10 the lane at that position, before the boundary (entry that is open) or after it
//
// Latency: 3 cycles from the presence map, which is where the entry begins. Throughput: a beat a cycle. Parameters: MOVES, see fast_wire_later; SHORT, stage 8 takes no
// cycle. Nothing overflows.
module fast_wire_place
  import fast_wire_pkg::*;
#(
    parameter bit MOVES = 1'b0,
    parameter bit SHORT = 1'b0
) (
    input logic clk,
    input place_t place,  // of the packet in stage 7
    input logic [MapBits-1:0] map7,
    /* verilator lint_off UNUSEDSIGNAL */
    input beat_t beat9,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic begins9,
    input logic in_entry9,
    input logic [Lanes-1:0] stops9,
    input logic [Lanes-1:0] after9,
    input row_t [Lanes-1:0] position9,

    output logic [Lanes-1:0] old10,  // the field's token
    output logic [Lanes-1:0] new10,
    output logic [Lanes-1:0] old_next10,  // the one after it, its mantissa if it is a decimal
    output logic [Lanes-1:0] new_next10
);
  logic [3:0] low8, high8;
  logic there8, there9, there;
  row_t position, next, own9, own_next9, base8;

  fast_wire_later #(
      .WIDTH($bits(row_t)),
      .MOVES(MOVES)
  ) base (
      .clk,
      .word (place.base),
      .later(base8)
  );

  logic [3:0] low, high;
  logic has;
  assign low  = ones(map7[6:0] & place.one[6:0]) + ones(map7[6:0] & place.two[6:0]);
  assign high = ones(map7[13:7] & place.one[13:7]) + ones(map7[13:7] & place.two[13:7]);
  assign has  = place.used && (place.always_there || (map7 & place.bit_mask) != '0);
  if (SHORT) begin : gen_short
    assign {low8, high8, there8} = {low, high, has};
  end else begin : gen_stage8
    always_ff @(posedge clk) {low8, high8, there8} <= {low, high, has};
  end

  always_ff @(posedge clk) begin
    own9 <= base8 + 6'(low8) + 6'(high8);
    own_next9 <= base8 + 6'd1 + 6'(low8) + 6'(high8);
    there9 <= there8;
    if (beat9.valid && begins9) begin
      position <= own9;
      next <= own_next9;
      there <= there9;
    end
    for (int j = 0; j < Lanes; j++) begin
      old10[j] <= stops9[j] && !after9[j] && in_entry9 && there && position9[j] == position;
      old_next10[j] <= stops9[j] && !after9[j] && in_entry9 && there && position9[j] == next;
      new10[j] <= stops9[j] && after9[j] && there9 && position9[j] == own9;
      new_next10[j] <= stops9[j] && after9[j] && there9 && position9[j] == own_next9;
    end
  end
endmodule
