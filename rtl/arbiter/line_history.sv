// Stores the last beats of a line, so that a packet that began while the output was busy can still be let through from its first beat.
//
//   line ─┬───────────── now ─┐
//         └─ memory ─ late ───┴─ register ─ beat
//
// Latency: 1 cycle, and as many more as the packet waited. Throughput: a beat a cycle. Parameters: W; S; CYCLES kept; EARLY, `wanted_*` come early
// enough (number_wanted) for their result to be registered with the beat.
// Overflow: a packet that waited longer than CYCLES is missed, and one that begins while the one before it on the line is still being let through
// late (Ethernet's gap is longer than that).
module line_history
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter int S = 64,
    parameter int CYCLES = 3,
    parameter bit EARLY = 1'b0
) (
    input  logic                 clk,
    input  logic                 rst,
    arbiter_line_if.snk          line,
    input  wanted_t              wanted_now,   // whether it is wanted: with the number in this cycle's beat,
    input  wanted_t              wanted_late,  // with one that came before
    input  logic                 taken,        // the packet that waits, or begins now, is let through, or goes on
    input  logic                 resumes,      // the same but for one that begins now: that is known later in the cycle
    output logic                 begins,       // a packet begins now
    output logic                 waits,        // one began in an earlier cycle, and all of it is still here
    output logic                 missed,       // one that waited no longer does
    // The beat of the cycle before, or one as late as its packet.
    output logic                 valid,
    output logic [        W-1:0] data,
    output logic [      W/8-1:0] keep,
    output logic                 last,
    output logic                 err,          // with last: the frame is bad, or too short
    output logic                 cut,          // it is not wanted: the packet ends here
    output logic                 ends,         // cut, or valid and last;
    output logic                 passes,       // valid and last, wanted, and not err;
    output logic                 fails,        // cut, or valid and last and err
    output logic [        S-1:0] number,       // of the packet, from that beat on
    output logic [CountBits-1:0] count
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
  beat_t now, late_beat, beat;
  logic [Bits-1:0] write_pointer, read_pointer;
  logic [AgeBits-1:0] age;  // of the packet that waits
  logic late, expires;  // late: the packet waits, or is let through late

  assign now = '{
          valid: line.valid,
          last: line.last,
          err: line.err || line.short_end,
          here: line.here,
          keep: line.keep,
          data: line.data
      };
  assign late_beat = memory[read_pointer];
  assign beat = late ? late_beat : now;
  assign begins = line.first && !late;
  assign expires = age == AgeBits'(CYCLES);

  always_ff @(posedge clk) begin
    memory[write_pointer] <= now;
    write_pointer <= write_pointer + 1'b1;
    valid <= beat.valid;
    last <= beat.last;
    err <= beat.err;
    keep <= beat.keep;
    data <= beat.data;
    if (beat.here) begin
      number <= late ? line.sequence_held : line.sequence_now;
      count  <= late ? line.count_held : line.count_now;
    end
    missed <= (waits && !resumes && (line.first || expires)) || (line.first && late && resumes);
    age <= !waits || line.first ? AgeBits'(1) : age + 1'b1;
    // For a packet that is let through at once it does not matter.
    if (late && resumes) read_pointer <= read_pointer + 1'b1;
    else if (line.first) read_pointer <= write_pointer;
    if (taken) waits <= 1'b0;
    else if (line.first) begin
      waits <= 1'b1;
      late <= 1'b1;
    end else if (!waits || expires) begin
      waits <= 1'b0;
      late  <= 1'b0;
    end
    if (rst) begin
      write_pointer <= '0;
      waits <= 1'b0;
      late <= 1'b0;
      missed <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !late || taken == resumes);
  assert property (@(posedge clk) disable iff (rst) !waits || late);

  // ---- the verdict --------------------------------------------------------------------------------

  wanted_t wanted;
  assign wanted = late ? wanted_late : wanted_now;

  if (EARLY) begin : gen_early
    logic unwanted;
    assign unwanted = beat.here && !is_wanted(wanted);
    always_ff @(posedge clk) begin
      cut <= unwanted;
      ends <= unwanted || (beat.valid && beat.last);
      passes <= !unwanted && beat.valid && beat.last && !beat.err;
      fails <= unwanted || (beat.valid && beat.last && beat.err);
    end
  end else begin : gen_now
    wanted_t wanted_reg;
    logic here_reg, last_reg, good_reg, bad_reg;
    always_ff @(posedge clk) begin
      wanted_reg <= wanted;
      here_reg <= beat.here;
      last_reg <= beat.valid && beat.last;
      good_reg <= beat.valid && beat.last && !beat.err;
      bad_reg <= beat.valid && beat.last && beat.err;
    end
    assign cut = here_reg && !is_wanted(wanted_reg);
    assign ends = cut || last_reg;
    assign passes = !cut && good_reg;
    assign fails = cut || bad_reg;
  end
endmodule
