// Collects what is found in a packet, and gives the verdict after its last beat; or says that another message begins in it.
//
//   what each stage finds ─ brought to stage 14 ─ kept until the packet's end ─ s15 verdict
//
// The first beat that has something counts, and of several reasons in it the first by number; a bad frame or another template in any case. After a packet that
// is not good the dictionaries are not known, until a Reset: what depends on them is not good either.
//
// When a message has as many entries as its length says, and all is good up to there, what follows is another message (`further`): its presence map was taken for that of an entry.
// There is no verdict then; the caller drops what is in the stages.
//
// Latency: 15 cycles from the packet's last beat to the verdict; with SHORT 12 (cycle_of). Throughput: a beat a cycle. Nothing overflows.
module fast_wire_verdict
  import fast_wire_pkg::*;
#(
    parameter bit SHORT = 1'b0
) (
    input logic clk,
    input logic rst,
    input logic restart,  // pulse: the dictionaries are empty
    input logic flush,    // the beats here are none
    input logic several,  // further messages may follow
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
    input logic whole13,  // with a token of one byte
    input logic [2:0] lane13,  // there
    input logic wrong_length13,
    input logic other14,
    input logic depends14,
    input logic resets14,
    input logic header_bad14,
    input logic bad14,
    input logic short14,
    input logic ours14,
    output further_t further,  // with the beat in stage 15
    output logic spoilt14,  // what is found up to this beat makes the packet bad
    output verdict_t verdict
);
  // By cycle, from the one after it was found.
  localparam int C6 = cycle_of(6, SHORT);
  localparam int C7 = cycle_of(7, SHORT);
  localparam int C11 = cycle_of(11, SHORT);
  localparam int C13 = cycle_of(13, SHORT);
  localparam int C14 = cycle_of(14, SHORT);
  logic [C13:C6+1] starts;
  logic [C14:C6+1] nulls;
  logic [C14:C7+1] maps;
  logic [C14:C11+1] late;
  logic frame14, starts14, end14, length14, complete13, complete14, splits, dropped;
  logic [2:0] lane14;

  assign complete13 = several && beat13.valid && begins13 && whole13 && !wrong_length13;

  always_ff @(posedge clk) begin
    starts <= {starts[C13-1:C6+1], starts6};
    nulls <= {nulls[C14-1:C6+1], nulls6};
    maps <= {maps[C14-1:C7+1], bad_map7};
    late <= {late[C14-1:C11+1], late11};
    frame14 <= beat13.last && beat13.err;
    // After a message's last entry none begins. One that begins in the last beat ends in it too.
    end14 <= !complete13 && beat13.last && (open13 || !ends13);
    starts14 <= !complete13 && (starts[C13] || (beat13.last && begins13));
    length14 <= beat13.last && wrong_length13;
    complete14 <= complete13 && !flush;
    lane14 <= lane13;
  end

  logic dictionaries;  // are known
  logic [Reasons-1:0] here, found, kept;
  always_comb begin
    here = '0;
    here[WIRE_HEADER] = header_bad14;
    here[WIRE_LATE] = late[C14];
    here[WIRE_STARTS] = starts14 || short14;
    here[WIRE_NULLS] = nulls[C14];
    here[WIRE_MAP] = maps[C14] && !complete14;
    here[WIRE_VALUE] = bad14;
    here[WIRE_END] = end14;
    here[WIRE_LENGTH] = length14;
    found = kept == '0 ? here : kept;
    found[WIRE_FRAME] = frame14;
    found[WIRE_TEMPLATE] = other14 || (depends14 && !dictionaries);
  end
  // A bad frame says so at the packet's end.
  assign splits = complete14 && ours14 && (found & ~(Reasons'(1) << WIRE_FRAME)) == '0;
  assign spoilt14 = found != '0 || further.valid || dropped;

  always_ff @(posedge clk) begin
    // What was found in beats that were dropped is not of one.
    if (beat14.valid) kept <= found;
    further <= '{valid: splits, lane: lane14};
    dropped <= further.valid;
    verdict <= '{valid: beat14.last && !splits, good: found == '0, reason: WIRE_GOOD};
    for (int k = Reasons - 1; k > 0; k--) if (found[k]) verdict.reason <= reason_e'(k);
    if (beat14.last) begin
      kept <= '0;
      dictionaries <= found == '0 && (dictionaries || resets14);
    end
    if (restart) dictionaries <= 1'b1;
    if (rst) dictionaries <= 1'b0;
    if (rst || flush) begin
      kept <= '0;
      {verdict.valid, further.valid} <= '0;
    end
  end
endmodule
