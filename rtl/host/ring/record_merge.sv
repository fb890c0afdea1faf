// Stores the records of several stages, and gives them on one by one, the stage with the lowest number first.
//
//   in[0] ─ FIFO ─┐
//   in[1] ─ FIFO ─┴ lowest ─ valid, record ─ ready
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
  logic [N-1:0] empty, read;
  logic [$bits(record_t):0] from_fifo[N];

  for (genvar i = 0; i < N; i++) begin : gen_stage
    logic loss, full_unused;
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
        .empty(empty[i]),
        .count(count_unused)
    );

    always_ff @(posedge clk) if (in[i].valid || rst) loss <= lost[i] && !rst;
    assign read[i] = ready && !empty[i] && (i == 0 || &(empty | N'('1 << i)));
  end

  assign valid = !(&empty);
  always_comb begin
    {after_loss, record} = from_fifo[N-1];
    for (int i = N - 2; i >= 0; i--) if (!empty[i]) {after_loss, record} = from_fifo[i];
  end
endmodule
