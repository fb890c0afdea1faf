// Checks every good packet that ended: finds a new session, and passes the packet on to be kept.
//
//   ended of A, B ─ one at a time ─ near expected, candidate, old session? ─ decide ─ out
//
// Latency: 5 cycles from `ended` to `out_valid`, two more if the other line's goes first; `restart` is a cycle before `out_valid`.
// Throughput: a packet every 2 cycles. With PIPELINED, for slow parts, comparisons take two cycles, and what follows from them is remembered a cycle
// later: latencies are 2 cycles more, throughput is a packet every 4. Parameters: RECORD, bits that go with a packet; S; HOLD, cycles for which the old session is remembered; PIPELINED.
// Overflow: a packet that ends while the one before it on its line still waits pushes that one out, and `dropped` pulses with its record. Packets
// from the network are further apart.
module session_tracker #(
    parameter int S = 64,
    parameter int RECORD = 32,
    parameter int HOLD = 1 << 27,
    parameter bit PIPELINED = 1'b0,
    localparam int Compared = PIPELINED ? 1 : 0,  // the stage in which comparisons are there
    localparam int Judged = Compared + 1,
    localparam int Out = PIPELINED ? 5 : 3
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic [1:0]             ended,
    input  logic [1:0][     S-1:0] ended_number,
    input  logic [1:0][RECORD-1:0] ended_record,
    input  logic                   known,
    input  logic [            S-1:0] expected,           // on the low-latency output, whose session this is
    input  logic                   reliable_known,
    input  logic [            S-1:0] reliable_expected,  // on the high-reliability output
    output logic                   restart,
    output logic                   restart_reliable,  // with it, if the packet is far on the high-reliability output as well
    output logic [            S-1:0] restart_number,
    output logic [1:0]             far,             // pulses, by line
    output logic [1:0]             stale,
    output logic [1:0]             dropped,
    output logic [1:0][RECORD-1:0] dropped_record,
    output logic                   out_valid,
    output logic                   out_line,
    output logic [            S-1:0] out_number,
    output logic [            S-1:0] coming_number,    // what out_number is in the next cycle
    output logic [       RECORD-1:0] out_record
);
  typedef struct packed {
    logic              valid;
    logic              line;
    logic [S-1:0]      number;
    logic [RECORD-1:0] record;
  } packet_t;

  // ---- one at a time --------------------------------------------------------------------------------

  logic [1:0] waits;
  logic [1:0][S-1:0] number;
  logic [1:0][RECORD-1:0] record;
  packet_t [Out:0] stage;
  logic idle, pick;

  assign pick = !waits[0];
  assign idle = !stage[0].valid && !(PIPELINED && (stage[Compared].valid || stage[Judged].valid));

  always_ff @(posedge clk) begin
    for (int i = 0; i < 2; i++) begin
      if (ended[i]) begin
        waits[i]  <= 1'b1;
        number[i] <= ended_number[i];
        record[i] <= ended_record[i];
      end else if (idle && waits != '0 && pick == (i == 1)) waits[i] <= 1'b0;
    end
    stage[0] <= '{valid: idle && waits != '0, line: pick, number: number[pick], record: record[pick]};
    for (int i = 1; i <= Out; i++) stage[i] <= stage[i-1];
    if (rst) begin
      waits <= '0;
      for (int i = 0; i <= Out; i++) stage[i].valid <= 1'b0;
    end
  end

  assign dropped_record = record;
  always_comb for (int i = 0; i < 2; i++) dropped[i] = ended[i] && waits[i] && !(idle && pick == (i == 1));

  // ---- where the packet's number lies ------------------------------------------------------------------------

  logic [S-1:0] candidate, previous;
  logic armed, remembers;
  logic [$clog2(HOLD+1)-1:0] hold;
  // If all bits are set.
  logic [2:0] ahead, behind, candidate_ahead, candidate_behind, previous_ahead, previous_behind;
  logic [2:0] reliable_ahead, reliable_behind;
  logic [S-1:0] expected_reg, reliable_expected_reg;  // a cycle old, which is soon enough
  // Each reason separately: a comparison takes a complete cycle.
  logic [2:0] near_reg;
  logic [1:0] reliable_near_reg, previous_reg;
  logic candidate_ahead_reg, candidate_behind_reg;

  number_near #(
      .S(S),
      .PIPELINED(PIPELINED)
  ) is_ahead (
      .clk,
      .number(stage[0].number),
      .base(expected_reg),
      .near(ahead)
  );
  number_near #(
      .S(S),
      .PIPELINED(PIPELINED)
  ) is_behind (
      .clk,
      .number(expected_reg),
      .base(stage[0].number),
      .near(behind)
  );
  number_near #(
      .S(S),
      .PIPELINED(PIPELINED)
  ) is_reliable_ahead (
      .clk,
      .number(stage[0].number),
      .base(reliable_expected_reg),
      .near(reliable_ahead)
  );
  number_near #(
      .S(S),
      .PIPELINED(PIPELINED)
  ) is_reliable_behind (
      .clk,
      .number(reliable_expected_reg),
      .base(stage[0].number),
      .near(reliable_behind)
  );
  number_near #(
      .S(S),
      .PIPELINED(PIPELINED)
  ) is_candidate_ahead (
      .clk,
      .number(stage[0].number),
      .base(candidate),
      .near(candidate_ahead)
  );
  number_near #(
      .S(S),
      .PIPELINED(PIPELINED)
  ) is_candidate_behind (
      .clk,
      .number(candidate),
      .base(stage[0].number),
      .near(candidate_behind)
  );
  number_near #(
      .S(S),
      .PIPELINED(PIPELINED)
  ) is_previous_ahead (
      .clk,
      .number(stage[0].number),
      .base(previous),
      .near(previous_ahead)
  );
  number_near #(
      .S(S),
      .PIPELINED(PIPELINED)
  ) is_previous_behind (
      .clk,
      .number(previous),
      .base(stage[0].number),
      .near(previous_behind)
  );

  logic is_far, is_stale, is_reset;
  assign is_far = stage[Judged].valid && near_reg == '0;
  assign is_stale = is_far && remembers && previous_reg != '0;
  assign is_reset = is_far && !is_stale && armed && (candidate_ahead_reg || candidate_behind_reg);

  // What is remembered for the next packets. It is many flip-flops: with PIPELINED a cycle later, before the next packet is compared.
  logic renews, is_candidate;
  logic [S-1:0] candidate_next;
  if (PIPELINED) begin : gen_later
    assign {renews, is_candidate, candidate_next} = {restart, far != '0, stage[Judged+1].number};
  end else begin : gen_at_once
    assign {renews, is_candidate, candidate_next} = {is_reset, is_far && !is_stale, stage[Judged].number};
  end

  always_ff @(posedge clk) begin
    expected_reg <= expected;
    reliable_expected_reg <= reliable_expected;
    near_reg <= {!known, ahead == '1, behind == '1};
    reliable_near_reg <= {reliable_ahead == '1, reliable_behind == '1} & {2{reliable_known}};
    candidate_ahead_reg <= candidate_ahead == '1;
    candidate_behind_reg <= candidate_behind == '1;
    previous_reg <= {previous_ahead == '1, previous_behind == '1};

    far   <= is_far && !is_stale ? (stage[Judged].line ? 2'b10 : 2'b01) : 2'b00;
    stale <= is_stale ? (stage[Judged].line ? 2'b10 : 2'b01) : 2'b00;
    restart <= is_reset;
    restart_reliable <= is_reset && reliable_near_reg == '0;
    restart_number <= candidate_ahead_reg ? candidate : stage[Judged].number;
    if (hold != '0) hold <= hold - 1'b1;
    else remembers <= 1'b0;
    if (renews) begin
      previous <= expected_reg;
      remembers <= 1'b1;
      hold <= ($clog2(HOLD + 1))'(HOLD);
      armed <= 1'b0;
    end else if (is_candidate) begin
      candidate <= candidate_next;
      armed <= 1'b1;
    end
    if (rst) begin
      far <= '0;
      stale <= '0;
      restart <= 1'b0;
      restart_reliable <= 1'b0;
      remembers <= 1'b0;
      hold <= '0;
      armed <= 1'b0;
    end
  end

  assign out_valid = stage[Out].valid;
  assign out_line = stage[Out].line;
  assign out_number = stage[Out].number;
  assign coming_number = stage[Out-1].number;
  assign out_record = stage[Out].record;
endmodule
