// The time that a strategy's handlers see: the feed's latest, in nanoseconds after midnight, within a session never back.
//
//   events ─ seconds * 10^9 ─ + nanoseconds ─ latest ─┬─ memory ─ of a trade, by its number
//                                                     └─ FIFO ─── of a frame, when the book has judged it
//
// Events are far ahead of the book, so their times wait for it: of each event that may be a trade in the place with its number
// (book_top_t), of a frame until its verdict leaves the book. What a bad frame said counts for nothing. Twin: crates/pipeline,
// programs.rs, Clock; but for time that goes on while the feed is silent.
//
// Latency: an event to its frame's time 4 cycles: a verdict that comes sooner waits. Throughput: a beat a cycle. Parameters: N, events a
// beat; FRAMES in the book at once, a power of two, more than its FIFO (book_input) has words; WITH_SECONDS: 0 if the feed's nanoseconds
// are those of the day. Overflow: none: the FIFO has room for all that can be in the book.
module strategy_clock
  import tickwire_pkg::*;
#(
    parameter int N = 1,
    parameter int FRAMES = 256,
    parameter bit WITH_SECONDS = 1'b1
) (
    input logic clk,
    input logic rst,

    input logic   [N-1:0] change_valid,   // as market_if has them
    input event_t [N-1:0] change,
    input logic           verdict_valid,
    input logic           verdict_good,
    input logic           begins_session,

    input  logic      judged,       // the book's verdict on a frame
    output logic      ready,        // the time of a frame that is judged now is there in the next cycle
    output logic      frame_valid,  // pulse, for each frame: its time stands in frame_time
    output session_time_t frame_time,   // of the frame that was judged last, from the cycle after it if it was `ready`

    input  logic [TradeNumberWidth-1:0] trade_number,
    output session_time_t               trade_time,    // 2 cycles later

    input  logic            restart,  // pulse: no message has come yet
    output logic      [1:0] started,  // for each of two sessions: it has had a message in a good frame,
    output day_time_t [1:0] start     // the first one at this time
);
  // 10^9 = 2^9 * 5^9.
  localparam logic [20:0] Fives = 21'd1953125;
  localparam int DaySeconds = 17;

  if (FRAMES < 2 || FRAMES != 1 << $clog2(FRAMES)) begin : gen_check
    $fatal(1, "strategy_clock: FRAMES is %0d; it must be a power of two", FRAMES);
  end

  // ---- the time of each event --------------------------------------------------------------------------

  logic [N-1:0] valid1, valid2;
  logic any3, first_valid3, numbered1, numbered2, numbered3, begins1, begins2, begins3;
  logic [N-1:0][37:0] product1;
  day_time_t [N-1:0] nanoseconds1, time2;
  day_time_t first3, latest3, latest_of;

  always_comb begin
    latest_of = '0;
    for (int i = 0; i < N; i++) if (valid2[i] && time2[i] > latest_of) latest_of = time2[i];
  end

  always_ff @(posedge clk) begin
    for (int i = 0; i < N; i++) begin
      product1[i] <= WITH_SECONDS ? 38'(change[i].seconds[DaySeconds-1:0]) * 38'(Fives) : '0;
      nanoseconds1[i] <= change[i].nanoseconds;
      time2[i] <= nanoseconds1[i] + day_time_t'({product1[i], 9'd0});
    end
    valid1 <= change_valid;
    valid2 <= valid1;
    any3 <= |valid2;
    first_valid3 <= valid2[0];
    first3 <= time2[0];
    latest3 <= latest_of;
    {begins1, begins2, begins3} <= {begins_session, begins1, begins2};
    {numbered1, numbered2, numbered3} <= {
      change_valid[0] && is_numbered(change[0].kind), numbered1, numbered2
    };
    if (rst) {valid1, valid2, any3, numbered1, numbered2, numbered3} <= '0;
  end

  // ---- the latest --------------------------------------------------------------------------------------

  logic fresh;  // the frame has had no event
  logic waits, waits_good, waits_begins, busy, push, good, begins;
  day_time_t running, base3, with_first3, with_all3;
  session_time_t committed, ended;
  logic session, session3;  // of the frame that comes: so far, with these events
  logic [1:0] started_now, started3, started_ended;

  assign base3 = fresh && begins3 ? '0 : running;
  assign with_first3 = first_valid3 && first3 > base3 ? first3 : base3;
  assign with_all3 = latest3 > base3 ? latest3 : base3;
  assign busy = |change_valid || |valid1 || |valid2 || any3;
  assign push = (verdict_valid || waits) && !busy;
  assign good = waits ? waits_good : verdict_good;
  assign begins = waits ? waits_begins : begins_session;
  assign session3 = session ^ (fresh && begins3);
  always_comb begin
    started3 = started_now;
    started3[session3] = 1'b1;
    started_ended = started_now;
    if (fresh && begins) started_ended[!session] = 1'b0;
    ended = committed;
    if (good) ended = fresh && begins ? {!session, day_time_t'(0)} : {session, running};
  end

  always_ff @(posedge clk) begin
    if (any3) begin
      {session, running, fresh, started_now} <= {session3, with_all3, 1'b0, started3};
      if (!started_now[session3] || (fresh && begins3)) start[session3] <= first_valid3 ? with_first3 : with_all3;
    end
    if (verdict_valid) {waits_good, waits_begins} <= {verdict_good, begins_session};
    waits <= (verdict_valid || waits) && busy;
    if (push) begin
      {session, running, committed, fresh} <= {ended, ended, 1'b1};
      {started, started_now} <= good ? {2{started_ended}} : {2{started}};
    end
    if (rst || restart) {started, started_now} <= '0;
    if (rst) begin
      {session, running, committed, waits} <= '0;
      fresh <= 1'b1;
    end
  end

  // ---- for the book ------------------------------------------------------------------------------------

  (* no_rw_check *) session_time_t of_trades[1<<TradeNumberWidth];
  logic [TradeNumberWidth-1:0] number;
  session_time_t trade_read;
  always_ff @(posedge clk) begin
    if (numbered3) begin
      of_trades[number] <= {session3, with_first3};
      number <= number + 1'b1;
    end
    trade_read <= of_trades[trade_number];
    trade_time <= trade_read;
    if (rst) number <= '0;
  end

  logic wanted, empty, full, overflow;
  logic [$clog2(FRAMES):0] count;
  session_time_t head, last;

  fifo #(
      .WIDTH($bits(session_time_t)),
      .DEPTH(FRAMES)
  ) of_frames (
      .clk,
      .rst,
      .write(push),
      .write_data(ended),
      .full,
      .overflow,
      .read(frame_valid),
      .read_data(head),
      .empty,
      .count
  );

  assign ready = !waits || push;
  assign frame_valid = wanted && !empty;
  assign frame_time = wanted ? head : last;
  always_ff @(posedge clk) begin
    wanted <= judged || (wanted && empty);
    if (frame_valid) last <= head;
    if (rst) {wanted, last} <= '0;
  end

  logic unused;
  assign unused = &{1'b0, change, full, count};

  // One that waits is the newest, so nothing is judged meanwhile.
  assert property (@(posedge clk) disable iff (rst) !(judged && wanted && empty));
  assert property (@(posedge clk) disable iff (rst) !(waits && (verdict_valid || |change_valid)));
  assert property (@(posedge clk) disable iff (rst) !overflow);
endmodule
