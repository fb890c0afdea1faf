// Collects what is found in a packet, and gives the verdict after its last beat.
//
//   what each stage finds ─ brought to stage 16 ─ kept until the packet's end ─ s17 verdict
//
// The first beat that has something counts, and of several reasons in it the first by number; a bad frame or another template in any case.
//
// Latency: 17 cycles from the packet's last beat to the verdict. Throughput: a beat a cycle. Nothing overflows.
module fast_wire_verdict
  import fast_wire_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic starts6,
    input logic nulls6,
    input logic bad_map9,
    input logic late13,
    /* verilator lint_off UNUSEDSIGNAL */
    input beat_t beat15,
    input beat_t beat16,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic open15,
    input logic ends15,
    input logic begins15,
    input logic wrong_length15,
    input logic other16,
    input logic header_bad16,
    input logic bad16,
    input logic short16,
    output logic spoilt16,  // what is found up to this beat makes the packet bad
    output verdict_t verdict
);
  logic [15:7] starts;
  logic [16:7] nulls;
  logic [16:10] maps;
  logic [16:14] late;
  logic frame16, starts16, end16, length16;

  always_ff @(posedge clk) begin
    starts <= {starts[14:7], starts6};
    nulls <= {nulls[15:7], nulls6};
    maps <= {maps[15:10], bad_map9};
    late <= {late[15:14], late13};
    frame16 <= beat15.last && beat15.err;
    end16 <= beat15.last && (open15 || !ends15);
    // An entry that begins in the last beat ends in it too.
    starts16 <= starts[15] || (beat15.last && begins15);
    length16 <= beat15.last && wrong_length15;
  end

  logic [Reasons-1:0] here, found, kept;
  always_comb begin
    here = '0;
    here[WIRE_HEADER] = header_bad16;
    here[WIRE_LATE] = late[16];
    here[WIRE_STARTS] = starts16 || short16;
    here[WIRE_NULLS] = nulls[16];
    here[WIRE_MAP] = maps[16];
    here[WIRE_VALUE] = bad16;
    here[WIRE_END] = end16;
    here[WIRE_LENGTH] = length16;
    found = kept == '0 ? here : kept;
    found[WIRE_FRAME] = frame16;
    found[WIRE_TEMPLATE] = other16;
  end
  assign spoilt16 = found != '0;

  always_ff @(posedge clk) begin
    kept <= found;
    verdict <= '{valid: beat16.last, good: found == '0, reason: WIRE_GOOD};
    for (int k = Reasons - 1; k > 0; k--) if (found[k]) verdict.reason <= reason_e'(k);
    if (beat16.last) kept <= '0;
    if (rst) begin
      kept <= '0;
      verdict.valid <= 1'b0;
    end
  end
endmodule
