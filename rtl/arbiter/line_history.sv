// The last beats of a line, so that a packet which began while the output was busy can still be let through from its first beat.
//
//   line ─┬───────────── now ─┐
//         └─ memory ─ late ───┴─ beat
//
// Latency: 0, or as many cycles as the packet waited. Throughput: a beat a cycle. Parameters: W; CYCLES kept.
// Overflow: a packet that waited longer than CYCLES is missed.
module line_history #(
    parameter int W = 64,
    parameter int S = 64,
    parameter int CYCLES = 3
) (
    input  logic           clk,
    input  logic           rst,
    arbiter_line_if.snk    line,
    input  logic           take,      // the packet that waits, or begins now, is let through from this cycle on
    input  logic           continues, // it goes on being let through
    output logic           waits,     // it began in an earlier cycle, and all of it is still here
    output logic           missed,    // it has just waited too long
    output logic           valid,
    output logic [  W-1:0] data,
    output logic [W/8-1:0] keep,
    output logic           last,
    output logic           err,       // with last: the frame is bad, or too short
    output logic           here,      // this beat completes number and count
    output logic [  S-1:0] sequence_number,
    output logic [   15:0] count
);
  localparam int Bits = $clog2(CYCLES + 1);

  typedef struct packed {
    logic           valid;
    logic           last;
    logic           err;
    logic           here;
    logic [W/8-1:0] keep;
    logic [W-1:0]   data;
  } beat_t;

  (* no_rw_check *) beat_t memory[1<<Bits];
  beat_t now, late, beat;
  logic [Bits-1:0] write_pointer, begin_pointer, read_pointer;
  logic [$clog2(CYCLES+2)-1:0] age;
  logic direct, direct_reg;

  assign now = '{
          valid: line.valid,
          last: line.last,
          err: line.err || line.short_end,
          here: line.here,
          keep: line.keep,
          data: line.data
      };
  assign late = memory[continues?read_pointer : begin_pointer];
  assign direct = continues ? direct_reg : !waits;
  assign beat = direct ? now : late;
  assign {valid, last, err, here, keep, data} = beat;
  assign sequence_number = direct ? line.sequence_now : line.sequence_held;
  assign count = direct ? line.count_now : line.count_held;

  assign waits = age != '0;
  assign missed = waits && !take && (line.first || age == ($clog2(CYCLES + 2))'(CYCLES));

  always_ff @(posedge clk) begin
    memory[write_pointer] <= now;
    write_pointer <= write_pointer + 1'b1;
    read_pointer <= (continues ? read_pointer : begin_pointer) + 1'b1;
    direct_reg <= direct;
    // A packet can begin in the cycle in which the one before it, waiting, is taken.
    if (line.first && (!take || waits)) begin
      begin_pointer <= write_pointer;
      age <= 1;
    end else if (take || missed) age <= '0;
    else if (waits) age <= age + 1'b1;
    if (rst) begin
      write_pointer <= '0;
      age <= '0;
    end
  end
endmodule
