// Gathers the records of several stages, the stages in turn, and stores them until they are taken.
//
//   in[0] ─ register ─┐
//   in[1] ─ register ─┴ the next that has one ─ FIFO ─ valid, record ─ ready
//
// A record that is offered stays until it is taken.
//
// Latency: 2 cycles. Throughput: a record a cycle, of all stages together; a record may wait for one of each other stage. Parameters: N, stages; DEPTH, records that are
// stored, a power of two: block RAM has 512 of them for the price of one. Overflow: a record that comes while one of its stage still waits is lost: `lost` pulses, a bit
// for each stage, and the next one of that stage that is stored has `after_loss`.
module record_merge
  import record_pkg::*;
#(
    parameter int N = 2,
    parameter int DEPTH = 512
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

  logic [N-1:0] waits, takes, waits_after_loss;
  record_t held[N];

  // The stage that is chosen: from `first` on, and after the last again from 0 on.
  logic [Index-1:0] first, chosen;
  logic [N-1:0] from_first, candidates;
  logic empty, full, overflow_unused;
  logic [$clog2(DEPTH):0] count_unused;

  assign from_first = waits & ({N{1'b1}} << first);
  assign candidates = from_first != '0 ? from_first : waits;
  always_comb begin
    chosen = '0;
    for (int i = N - 1; i >= 0; i--) if (candidates[i]) chosen = Index'(i);
  end
  always_comb for (int i = 0; i < N; i++) takes[i] = waits[i] && chosen == Index'(i) && !full;

  for (genvar i = 0; i < N; i++) begin : gen_stage
    logic loss;

    assign lost[i] = in[i].valid && waits[i] && !takes[i];

    always_ff @(posedge clk) begin
      if (takes[i]) waits[i] <= 1'b0;
      if (in[i].valid && !lost[i]) begin
        waits[i] <= 1'b1;
        held[i] <= in[i].record;
        waits_after_loss[i] <= loss;
      end
      if (in[i].valid) loss <= lost[i];
      if (rst) {waits[i], loss} <= '0;
    end
  end

  always_ff @(posedge clk) begin
    if (takes != '0) first <= chosen == Index'(N - 1) ? '0 : chosen + 1'b1;
    if (rst) first <= '0;
  end

  fifo #(
      .WIDTH($bits(record_t) + 1),
      .DEPTH(DEPTH)
  ) fifo (
      .clk,
      .rst,
      .write(waits != '0),
      .write_data({waits_after_loss[chosen], held[chosen]}),
      .full,
      .overflow(overflow_unused),
      .read(valid && ready),
      .read_data({after_loss, record}),
      .empty,
      .count(count_unused)
  );

  assign valid = !empty;
endmodule
