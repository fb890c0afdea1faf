// Counters of what happens rarely, 32 bits each, in one RAM: from each source one cause at a time.
//
//   source 0, cause ─ waits ─┐
//   source 1, cause ─ waits ─┼ whose turn it is ─ RAM ─ + 1 ─┬─ RAM
//   host's request ── waits ─┘                               └─ answer
//
// Sources and the host take turns, a cycle each, so that no counter is read while it is on its way. After reset all counters are cleared, one a
// cycle; what comes meanwhile waits.
//
// Latency: a request is answered within SOURCES + 4 cycles, with what each source gave SOURCES + 1 cycles before or earlier. Throughput: of each source a cause in
// SOURCES + 1 cycles. Parameters: SOURCES; CAUSES of each, a power of two. Overflow: a cause that comes while its source's last one waits is not counted, which
// an assertion excludes; counters wrap at 2^32.
module cause_counters #(
    parameter int SOURCES = 2,
    parameter int CAUSES = 32
) (
    input logic clk,
    input logic rst,

    input logic [SOURCES-1:0]                     valid,
    input logic [SOURCES-1:0][$clog2(CAUSES)-1:0] cause,

    input  logic                         request,        // a pulse, after the last one's answer
    input  logic [  $clog2(SOURCES)-1:0] request_source,
    input  logic [   $clog2(CAUSES)-1:0] request_cause,
    output logic                         answer,         // a pulse
    output logic [                 31:0] answer_count
);
  localparam int Cause = $clog2(CAUSES);
  localparam int Source = $clog2(SOURCES);
  localparam int Turn = $clog2(SOURCES + 1);
  localparam int Host = SOURCES;

  (* no_rw_check, ram_style = "block" *) logic [31:0] memory[1<<(Source+Cause)];

  logic [Host:0] waits;
  logic [Host:0][Source+Cause-1:0] address;  // of what waits
  logic [Turn-1:0] turn;
  logic [Source+Cause-1:0] read_address, write_address, cleared;
  logic read_counts, write_counts, read_answers, clearing;
  logic [31:0] read, count;

  always_ff @(posedge clk) begin
    for (int i = 0; i < SOURCES; i++) begin
      if (valid[i]) address[i] <= {Source'(i), cause[i]};
      waits[i] <= valid[i] || (waits[i] && (clearing || turn != Turn'(i)));
    end
    if (request) address[Host] <= {request_source, request_cause};
    waits[Host] <= request || (waits[Host] && (clearing || turn != Turn'(Host)));

    turn <= turn == Turn'(Host) ? '0 : turn + 1'b1;
    if (clearing) begin
      cleared  <= cleared + 1'b1;
      clearing <= cleared != '1;
    end

    // Read, a cycle later add, a cycle later write.
    read <= memory[address[turn]];
    read_address <= address[turn];
    read_counts <= waits[turn] && turn != Turn'(Host) && !clearing;
    read_answers <= waits[turn] && turn == Turn'(Host) && !clearing;
    count <= read + 32'(read_counts);
    write_address <= read_address;
    write_counts <= read_counts;
    answer <= read_answers;
    if (write_counts || clearing) memory[clearing?cleared : write_address] <= clearing ? '0 : count;

    if (rst) begin
      {waits, turn, cleared, read_counts, read_answers, write_counts, answer} <= '0;
      clearing <= 1'b1;
    end
  end

  assign answer_count = count;

  for (genvar i = 0; i < SOURCES; i++) begin : gen_check
    assert property (@(posedge clk) disable iff (rst) !valid[i] || !waits[i] || turn == Turn'(i) || clearing);
  end
  assert property (@(posedge clk) disable iff (rst) !request || !(waits[Host] || read_answers || answer));
endmodule
