// Stores frames in block RAM: a frame is written word by word, then committed or discarded; committed frames come out.
//
// `commit` or `discard` comes once a frame, with its last word or after it, before the first of the next.
//
// Latency: commit to the frame's first beat on `out` 2 cycles. Throughput: a word in and a beat out a cycle.
// Parameters: W; WORDS of memory, beats, a power of two. Overflow: a frame of which a word was written while `full` is lost: its
// commit discards it, and `overflow` pulses. Bytes outside `keep` are what was written.
module frame_memory #(
    parameter int W = 64,
    parameter int WORDS = 2048
) (
    input  logic                     clk,
    input  logic                     rst,
    input  logic                     write,
    input  logic [            W-1:0] write_data,
    input  logic [$clog2(W / 8) : 0] write_stop,  // bytes of the frame in this word
    input  logic                     write_last,
    input  logic                     commit,
    input  logic                     discard,
    output logic                     full,        // valid while this frame has lost nothing
    output logic                     tight,       // 8 words or less were free 2 cycles ago
    output logic                     kept,        // pulses, a cycle after the commit
    output logic                     overflow,
    tx_stream_if.src                 out
);
  localparam int StopBits = $clog2(W / 8) + 1;
  localparam int Address = $clog2(WORDS);

  if (WORDS != 1 << Address) begin : gen_check
    $fatal(1, "frame_memory: WORDS is %0d; it must be a power of two", WORDS);
  end

  typedef struct packed {
    logic                last;
    logic [StopBits-1:0] stop;
    logic [W-1:0]        data;
  } word_t;

  (* no_rw_check, ram_style = "block" *)
  word_t memory[WORDS];
  logic [Address:0] write_pointer, write_next, committed, read_pointer, read_following;
  logic [Address:0] used_reg;  // words
  logic lost_reg;  // a word of this frame found no room; the rest of it is not written, though the pointer goes on
  logic commit_reg, failed_reg;  // a frame was to be committed in the cycle before; it had lost a word
  logic taken;
  word_t read_word;

  // The pointers are WORDS apart: known in the cycle before, and what changed since.
  logic no_room, last_room, none_behind_committed, took_back, wrote, freed;
  logic takes_back;  // the frame is taken back, or the part of it that was written

  assign full = (took_back ? none_behind_committed : no_room || (last_room && wrote)) && !freed;
  assign takes_back = discard || (commit && (lost_reg || (write && full)));

  always_ff @(posedge clk) begin
    no_room <= (write_pointer ^ read_pointer) == (Address + 1)'(WORDS);
    last_room <= ((write_pointer + 1'b1) ^ read_pointer) == (Address + 1)'(WORDS);
    none_behind_committed <= (committed ^ read_pointer) == (Address + 1)'(WORDS);
    took_back <= takes_back;
    wrote <= write;
    freed <= taken;
    if (rst) {no_room, last_room, took_back} <= '0;
  end

  assign kept = commit_reg && !failed_reg;
  assign overflow = commit_reg && failed_reg;
  assign write_next = write_pointer + (Address + 1)'(write);

  always_ff @(posedge clk) begin
    if (write && !full && !lost_reg)
      memory[write_pointer[Address-1:0]] <= '{last: write_last, stop: W == 8 ? '1 : write_stop, data: write_data};
    used_reg <= write_pointer - read_pointer;
    tight <= used_reg[Address] || &used_reg[Address-1:3];
    write_pointer <= write_next;
    if (write && full) lost_reg <= 1'b1;
    commit_reg <= commit;
    failed_reg <= lost_reg || (write && full);
    if (commit || discard) begin
      lost_reg <= 1'b0;
      if (takes_back) write_pointer <= committed;
      else committed <= write_next;
    end
    if (rst) begin
      write_pointer <= '0;
      committed <= '0;
      tight <= 1'b0;
      lost_reg <= 1'b0;
      commit_reg <= 1'b0;
    end
  end

  // The word at the read pointer is out of the memory when `valid` rises: `committed` comes a cycle after the write.
  assign taken = out.valid && out.ready;
  always_ff @(posedge clk) begin
    read_word <= memory[taken?read_following[Address-1:0] : read_pointer[Address-1:0]];
    out.valid <= (taken ? read_following : read_pointer) != committed;
    if (taken) begin
      read_pointer   <= read_following;
      read_following <= read_following + 1'b1;
    end
    if (rst) begin
      out.valid <= 1'b0;
      read_pointer <= '0;
      read_following <= (Address + 1)'(1);
    end
  end

  assign out.data = read_word.data;
  assign out.last = read_word.last;
  always_comb for (int i = 0; i < W / 8; i++) out.keep[i] = read_word.stop > StopBits'(i);

  assert property (@(posedge clk) disable iff (rst) (Address + 1)'(committed - read_pointer) <= (Address + 1)'(WORDS));
  assert property (@(posedge clk) disable iff (rst) !(commit && discard));
  assert property (@(posedge clk) disable iff (rst) lost_reg || full == ((write_pointer ^ read_pointer) == (Address + 1)'(WORDS)));
  assert property (@(posedge clk) disable iff (rst) W != 8 || !write || write_stop == '1);  // it is not stored
endmodule
