// Stores the records of several stages, and gives them on one by one, the stages in turn.
//
//   in[0] ─ FIFO ─┐
//   in[1] ─ FIFO ─┴ the next that has one ─ valid, record ─ ready
//
// A record that is offered stays until it is taken.
//
// Latency: 1 cycle. Throughput: a record a cycle. Parameters: N, stages; DEPTH, records of each, a power of two. Overflow: a record that finds no room is lost:
// `lost` pulses, a bit for each stage, and the next one of that stage that is stored has `after_loss`.
module record_merge
  import record_pkg::*;
#(
    parameter int N = 2,
    parameter int DEPTH = 32
) (
    input  logic          clk,
    input  logic          rst,
    record_if.snk         in[N],
    output logic          valid,
    input  logic          ready,
    output record_t       record,
    output logic          after_loss,
    output logic [ N-1:0] lost
);
  localparam int Index = $clog2(N);

  logic [N-1:0] some, read;
  logic [$bits(record_t):0] from_fifo[N];

  // The stage that is chosen: from `first` on, and after the last again from 0 on. While a record waits its stage is the first, so that no other
  // takes its place.
  logic [Index-1:0] first, chosen;
  logic [N-1:0] from_first, candidates;

  for (genvar i = 0; i < N; i++) begin : gen_stage
    logic loss, empty, full_unused;
    logic [$clog2(DEPTH):0] count_unused;

    fifo #(
        .WIDTH($bits(record_t) + 1),
        .DEPTH(DEPTH)
    ) fifo (
        .clk,
        .rst,
        .write(in[i].valid),
        .write_data({loss, in[i].record}),
        .full(full_unused),
        .overflow(lost[i]),
        .read(read[i]),
        .read_data(from_fifo[i]),
        .empty,
        .count(count_unused)
    );

    assign some[i] = !empty;
    assign read[i] = ready && some[i] && chosen == Index'(i);
    always_ff @(posedge clk) if (in[i].valid || rst) loss <= lost[i] && !rst;
  end

  assign from_first = some & ({N{1'b1}} << first);
  assign candidates = from_first != '0 ? from_first : some;
  always_comb begin
    chosen = '0;
    for (int i = N - 1; i >= 0; i--) if (candidates[i]) chosen = Index'(i);
  end

  always_ff @(posedge clk) begin
    if (valid) first <= !ready ? chosen : chosen == Index'(N - 1) ? '0 : chosen + 1'b1;
    if (rst) first <= '0;
  end

  assign valid = some != '0;
  assign {after_loss, record} = from_fifo[chosen];
endmodule
