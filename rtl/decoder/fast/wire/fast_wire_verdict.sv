// Collects what is found in a packet, and gives the verdict after its last beat.
//
//   what each stage finds ─ brought to stage 14 ─ kept until the packet's end ─ s15 verdict
//
// The first beat that has something counts, and of several reasons in it the first by number; a bad frame or another template in any case. After a packet that
// is not good the dictionaries are not known, until a Reset: what depends on them is not good either.
//
// Latency: 15 cycles from the packet's last beat to the verdict. Throughput: a beat a cycle. Nothing overflows.
module fast_wire_verdict
  import fast_wire_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic restart,  // pulse: the dictionaries are empty,
    input logic forget,   // or not known
    input logic starts6,
    input logic nulls6,
    input logic bad_map7,
    input logic late11,
    /* verilator lint_off UNUSEDSIGNAL */
    input beat_t beat13,
    input beat_t beat14,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic open13,
    input logic ends13,
    input logic begins13,
    input logic wrong_length13,
    input logic other14,
    input logic depends14,
    input logic resets14,
    input logic header_bad14,
    input logic bad14,
    input logic short14,
    output logic spoilt14,  // what is found up to this beat makes the packet bad
    output verdict_t verdict
);
  logic [13:7] starts;
  logic [14:7] nulls;
  logic [14:8] maps;
  logic [14:12] late;
  logic frame14, starts14, end14, length14;

  always_ff @(posedge clk) begin
    starts <= {starts[12:7], starts6};
    nulls <= {nulls[13:7], nulls6};
    maps <= {maps[13:8], bad_map7};
    late <= {late[13:12], late11};
    frame14 <= beat13.last && beat13.err;
    end14 <= beat13.last && (open13 || !ends13);
    // An entry that begins in the last beat ends in it too.
    starts14 <= starts[13] || (beat13.last && begins13);
    length14 <= beat13.last && wrong_length13;
  end

  logic dictionaries;  // are known
  logic [Reasons-1:0] here, found, kept;
  always_comb begin
    here = '0;
    here[WIRE_HEADER] = header_bad14;
    here[WIRE_LATE] = late[14];
    here[WIRE_STARTS] = starts14 || short14;
    here[WIRE_NULLS] = nulls[14];
    here[WIRE_MAP] = maps[14];
    here[WIRE_VALUE] = bad14;
    here[WIRE_END] = end14;
    here[WIRE_LENGTH] = length14;
    found = kept == '0 ? here : kept;
    found[WIRE_FRAME] = frame14;
    found[WIRE_TEMPLATE] = other14 || (depends14 && !dictionaries);
  end
  assign spoilt14 = found != '0;

  always_ff @(posedge clk) begin
    kept <= found;
    verdict <= '{valid: beat14.last, good: found == '0, reason: WIRE_GOOD, resets: resets14};
    for (int k = Reasons - 1; k > 0; k--) if (found[k]) verdict.reason <= reason_e'(k);
    if (beat14.last) begin
      kept <= '0;
      dictionaries <= found == '0 && (dictionaries || resets14);
    end
    if (restart) dictionaries <= 1'b1;
    if (forget) dictionaries <= 1'b0;
    if (rst) begin
      {kept, dictionaries} <= '0;
      verdict.valid <= 1'b0;
    end
  end
endmodule
