// The last beats of a line, so that a packet which began while the output was busy can still be let through from its first beat.
//
//   line ─┬───────────── now ─┐
//         └─ memory ─ late ───┴─ beat
//
// Latency: 0, or as many cycles as the packet waited. Throughput: a beat a cycle. Parameters: W; CYCLES kept.
// Overflow: a packet that waited longer than CYCLES is missed, and one that begins while the one before it on the line is still being let through
// late (Ethernet's gap is longer than that).
module line_history #(
    parameter int W = 64,
    parameter int CYCLES = 3
) (
    input  logic           clk,
    input  logic           rst,
    arbiter_line_if.snk    line,
    input  logic           take,       // the packet that waits, or begins now, is let through from this cycle on
    input  logic           continues,  // it goes on being let through
    output logic           waits,      // it began in an earlier cycle, and all of it is still here
    output logic           missed,     // one that waited does so no more
    output logic           direct,     // the beat is that of this cycle
    output logic           direct_reg, // the same for a packet that is not in its first cycle
    output logic           valid,
    output logic [  W-1:0] data,
    output logic [W/8-1:0] keep,
    output logic           last,
    output logic           err,        // with last: the frame is bad, or too short
    output logic           here        // this beat completes number and count
);
  localparam int Bits = $clog2(CYCLES + 1);
  localparam int AgeBits = $clog2(CYCLES + 1);

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
  logic [Bits-1:0] write_pointer, read_pointer;
  logic [AgeBits-1:0] age;  // of the packet that waits
  logic expires;

  assign now = '{
          valid: line.valid,
          last: line.last,
          err: line.err || line.short_end,
          here: line.here,
          keep: line.keep,
          data: line.data
      };
  assign late = memory[read_pointer];
  assign direct = continues ? direct_reg : !waits;
  assign beat = direct ? now : late;
  assign {valid, last, err, here, keep, data} = beat;

  assign expires = age == AgeBits'(CYCLES);

  always_ff @(posedge clk) begin
    memory[write_pointer] <= now;
    write_pointer <= write_pointer + 1'b1;
    direct_reg <= direct;
    missed <= (waits && !take && (line.first || expires)) || (line.first && !direct && (continues || take));
    age <= age + 1'b1;
    if (continues || (take && waits)) begin
      read_pointer <= read_pointer + 1'b1;
      waits <= 1'b0;
    end else if (line.first) begin
      read_pointer <= write_pointer;
      waits <= !take;
      age <= AgeBits'(1);
    end else if (expires) waits <= 1'b0;
    if (rst) begin
      write_pointer <= '0;
      waits <= 1'b0;
      missed <= 1'b0;
    end
  end
endmodule
