// Selects the lanes of a field: where it is in the entry follows from the entry's presence map.
//
//   map ─ s10 bits before it are counted ─ s11 its position ─ s12 the lane at that position, before the boundary (entry that is open) or after it
//
// Latency: 3 cycles from the presence map, which is where the entry begins. Throughput: a beat a cycle. Nothing overflows.
module fast_wire_place
  import fast_wire_pkg::*;
(
    input logic clk,
    input place_t place,
    input logic [MapBits-1:0] map9,
    /* verilator lint_off UNUSEDSIGNAL */
    input beat_t beat11,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic begins11,
    input logic in_entry11,
    input logic [Lanes-1:0] stops11,
    input logic [Lanes-1:0] after11,
    input row_t [Lanes-1:0] position11,

    output logic [Lanes-1:0] old12,  // the field's token
    output logic [Lanes-1:0] new12,
    output logic [Lanes-1:0] old_next12,  // the one after it, its mantissa if it is a decimal
    output logic [Lanes-1:0] new_next12
);
  logic [3:0] low10, high10;
  logic there10, there11, there;
  row_t position, next, own11, own_next11;

  always_ff @(posedge clk) begin
    low10 <= ones(map9[6:0] & place.one[6:0]) + ones(map9[6:0] & place.two[6:0]);
    high10 <= ones(map9[13:7] & place.one[13:7]) + ones(map9[13:7] & place.two[13:7]);
    there10 <= place.used && (place.always_there || (map9 & place.bit_mask) != '0);
    own11 <= place.base + 6'(low10) + 6'(high10);
    own_next11 <= place.base + 6'd1 + 6'(low10) + 6'(high10);
    there11 <= there10;
    if (beat11.valid && begins11) begin
      position <= own11;
      next <= own_next11;
      there <= there11;
    end
    for (int j = 0; j < Lanes; j++) begin
      old12[j] <= stops11[j] && !after11[j] && in_entry11 && there && position11[j] == position;
      old_next12[j] <= stops11[j] && !after11[j] && in_entry11 && there && position11[j] == next;
      new12[j] <= stops11[j] && after11[j] && there11 && position11[j] == own11;
      new_next12[j] <= stops11[j] && after11[j] && there11 && position11[j] == own_next11;
    end
  end
endmodule
