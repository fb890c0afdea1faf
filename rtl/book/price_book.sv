// The order book of one instrument on the path: the best bid and ask of a feed that says side and price with every order, an entry a cycle.
//
//   entry ─┬─ price_levels (bids) ─┬─ best ─ top
//          ├─ price_levels (asks) ─┘
//          └─ price_ladder ─ the next levels of a side that has room
//   host ──── window, rebuild ─┴─ price_ticks ─ what finds the tick of a price, to the decoder
//
// An order that enters is one more at its price, one that leaves one less: no order is looked up, and none is stored. Nothing is taken back: after a bad frame, as
// after a gap, the book is untradable until the host has rebuilt it (book_host_if): `lost`. What the entries contradict makes it untradable too, as soon as it is found: a
// delete where no order is, more orders at a price than can be counted, a price before the better end of the window or between two ticks: a change by one of the last two is never shown as tradable.
// The number of orders at the best prices is known, their quantity is not: it is 0.
//
// The host's requests are those of book_stage, with these differences: RESTORE of a reduction does nothing; of a deletion it needs side and price; it is
// done 32 cycles later, and so is WINDOW; TRADABLE is when the best prices are read, a cycle for four ticks from the ends of the window to them, and refused if one is beyond the window.
//
// Latency: 3 cycles from an entry to `best`, 4 to `top`, also where a packet takes away all levels that are at hand: the next ones were found ahead (price_ladder says how
// many). If they were not, the best price is not known (`complete` is low), and a change with a good verdict follows when it is. Throughput: an entry a cycle.
// Parameter: K, levels of a side at hand. Overflow: none but the faults above.
module price_book
  import tickwire_pkg::*;
  import book_pkg::*;
  import price_tick_pkg::*;
#(
    parameter int K = 8
) (
    input logic clk,
    input logic rst,

    price_entry_if.snk entries,
    book_host_if.snk host,
    output book_top_t top,  // instrument 0
    output logic tradable,
    output logic fault  // pulse
);
  localparam int Count = 9;
  localparam int LevelBits = $clog2(K + 1);
  localparam int PatienceLog2 = 13;  // cycles in which all of the window has been read twice
  localparam int SettleLog2 = 5;  // cycles in which an order of the host has reached its place, and a window is known to the decoder

  // ---- levels

  logic [1:0] append_valid, append_taken, append_lost, best_valid, known, wants, begins, side_missed, side_fault;
  price_t [1:0] best;
  tick_t [1:0] edges;
  logic [1:0][Count-1:0] best_count;
  logic [1:0][LevelBits-1:0] levels;
  logic [1:0] append_none;
  logic clear, clearing, still, beyond1, ladder_fault, restore_adds;
  logic [2:0] restores;  // an order of the host enters or leaves; [2]: its tick is known
  tick_t host_tick;
  tick_t [1:0] append_rank;
  logic [1:0][Count-1:0] append_count;
  window_t window;
  price_t [1:0] first_price;  // of a bid: at a tick of all ones

  // No order is at a window's ticks before it is set.
  always_ff @(posedge clk)
    first_price <= {
      window.low_price, window.low_price + (price_t'(window.size) << WindowBits) - price_t'(window.size)
    };

  for (genvar s = 0; s < 2; s++) begin : gen_side
    price_levels #(
        .K(K),
        .BIDS(s == 0),
        .RANK(WindowBits),
        .COUNT(Count)
    ) side_levels (
        .clk,
        .rst,
        .forget(clear),
        .valid(entries.steps[s]),
        .adds(entries.steps_add[s]),
        .rank(entries.rank[s]),
        .beyond1,
        .first_price(first_price[s]),
        .size(window.size),
        .append_valid(append_valid[s]),
        .append_none(append_none[s]),
        .append_rank(append_rank[s]),
        .append_count(append_count[s]),
        .append_taken(append_taken[s]),
        .append_lost(append_lost[s]),
        .best_valid(best_valid[s]),
        .best(best[s]),
        .best_count(best_count[s]),
        .known(known[s]),
        .wants(wants[s]),
        .begins(begins[s]),
        .edge_rank(edges[s]),
        .levels(levels[s]),
        .missed(side_missed[s]),
        .fault(side_fault[s])
    );
  end

  price_ladder #(
      .LEVELS(LevelBits),
      .COUNT (Count)
  ) ladder (
      .clk,
      .rst,
      .clear,
      .clearing,
      .search(entries.listens),
      .window,
      .entry(entries.entry || restores[2]),
      .adds(entries.entry ? entries.entry_adds : restore_adds),
      .sells(entries.entry ? entries.entry_sells : host.side == SIDE_SELL),
      .price(entries.entry ? entries.entry_price : host.price),
      .tick(entries.entry ? entries.entry_tick : host_tick),
      .beyond1,
      .wants,
      .begins,
      .edges,
      .held(levels),
      .empty(~best_valid),
      .missed(side_missed),
      .lost(append_lost),
      .append_valid,
      .append_none,
      .append_rank,
      .append_count,
      .append_taken,
      .still,
      .fault(ladder_fault)
  );

  logic window_set;
  price_ticks ticks (
      .clk,
      .rst,
      .set(window_set),
      .window,
      .price(host.price),
      .tick(host_tick),
      .factor_valid(entries.factor_valid),
      .factor_at(entries.factor_at),
      .factor(entries.factor),
      .low(entries.low)
  );

  // ---- whether it can be relied on

  logic rebuilt, given_up;  // pulses: a rebuild ends; it does not, for a best price is not known
  logic rebuilding, filling, untradable, spoils, restored_wrong;  // filling: rebuilt, and the best prices not read yet
  logic [3:1] changed, wrong_at, clears_at;
  logic verdict_valid3, verdict_good3, lost3, new_session3, from_first3;  // with the best prices

  assign entries.listens = !rebuilding;
  assign spoils = wrong_at[3] || side_fault != '0 || (ladder_fault && !rebuilding) || (clears_at[3] && !(&known && best_valid == '0));
  assign tradable = !rebuilding && !filling && !untradable;

  always_ff @(posedge clk) begin
    changed <= {changed[2:1], entries.changes};
    wrong_at <= {wrong_at[2:1], entries.wrong};
    clears_at <= {clears_at[2:1], entries.clears};
    {verdict_valid3, verdict_good3} <= {entries.verdict_valid2, entries.verdict_good2};
    {lost3, new_session3, from_first3} <= {entries.lost, entries.new_session, entries.from_first};
    fault <= spoils && !untradable;
    // A feed that begins with its first message finds an empty book as it is.
    if (spoils || (!rebuilding && (lost3 || (new_session3 && !(from_first3 && &known && best_valid == '0))))) untradable <= 1'b1;
    if (clear || rebuilt) untradable <= rebuilt && (lost3 || new_session3);
    if (clear || given_up) rebuilding <= 1'b1;
    if (rebuilt) rebuilding <= 1'b0;
    filling <= rebuilt || (filling && !(&known) && !given_up);
    if (rst) begin
      rebuilding <= 1'b1;
      {changed, wrong_at, clears_at, filling, untradable, fault} <= '0;
      {verdict_valid3, lost3, new_session3} <= '0;
    end
  end

  // ---- the host

  logic [SequenceBits-1:0] missed_next, lost_reaches;
  logic settled, asked, reaches, working, stands, foreign, empty;  // foreign, empty: of a request that stands
  logic [SettleLog2-1:0] settle;
  logic [PatienceLog2-1:0] patience;

  always_ff @(posedge clk) begin
    {clear, rebuilt, given_up, window_set, host.ready, host.done} <= '0;
    restores <= {restores[1:0], 1'b0};
    // A packet that began in the cycle before has no entry here for longer than anything below takes.
    settled <= entries.between && still && !clearing && !clear;
    asked <= host.valid && !host.ready && settled;
    reaches <= host.next >= missed_next && host.next >= lost_reaches;
    restore_adds <= host.restore == RESTORE_ADD;
    settle <= working ? settle + 1'b1 : '0;
    stands <= host.valid && !host.ready;
    foreign <= host.instrument != '0;
    empty <= host.restore != RESTORE_DELETE && host.shares == '0;

    if (entries.missed || clear) missed_next <= entries.next;
    if (entries.lost) lost_reaches <= entries.lost_next;
    if (entries.new_session) begin
      missed_next <= '0;
      if (!entries.lost) lost_reaches <= '0;
    end

    if (host.valid && stands && !host.ready && !clearing && !clear) begin
      case (host.request)
        HOST_WINDOW:
        if (!rebuilding || foreign) host.ready <= 1'b1;
        else if (!working) begin
          window <= host.window;
          {window_set, working} <= '1;
        end else if (settle == '1) {host.ready, host.done, working} <= 3'b110;
        HOST_CLEAR:
        if (working) begin
          {host.ready, host.done} <= '1;
          working <= 1'b0;
        end else if (foreign) host.ready <= 1'b1;
        else if (settled) {clear, working} <= '1;
        HOST_RESTORE:
        if (!rebuilding || foreign || empty) host.ready <= 1'b1;
        else if (!working) begin
          restores[0] <= host.restore != RESTORE_REDUCE;
          {working, restored_wrong} <= 2'b10;
        end else begin
          restored_wrong <= restored_wrong || ladder_fault;
          if (settle == '1) begin
            working <= 1'b0;
            {host.ready, host.done} <= {1'b1, !restored_wrong && !ladder_fault};
          end
        end
        default:
        if (working) begin
          patience <= patience + 1'b1;
          if (!filling && !rebuilt) {host.ready, host.done, working} <= 3'b110;
          else if (patience == '1) {host.ready, given_up, working} <= 3'b110;
        end else if (settled && asked) begin
          if (rebuilding && !foreign && reaches && !entries.lost && !entries.new_session && !entries.missed) {rebuilt, working} <= '1;
          else host.ready <= 1'b1;
          patience <= '0;
        end
      endcase
    end

    if (rst) begin
      {clear, rebuilt, given_up, window_set, restores, host.ready, host.done, working} <= '0;
      {missed_next, lost_reaches} <= '0;
      window <= '0;
    end
  end

  // ---- what strategies see

  logic
      due,
      again,
      known_again;  // a good frame left a best price unknown; it is known, and nothing else comes with the next cycle: it is shown then

  assign again = due && &known && !changed[3] && !changed[2] && !entries.verdict_valid2;

  book_top_t now;
  always_comb begin
    top = now;
    top.comes = changed[3] || known_again;
    top.comes_instrument = '0;
    top.comes_bid = best_valid[0] ? best[0] : '0;
    top.comes_ask = best_valid[1] ? best[1] : '0;
  end

  logic in_frame, lacks;  // the frame has changed the book; it was good, and its last change left a best price unknown
  assign lacks = verdict_valid3 && verdict_good3 && (in_frame || changed[3]) && !(&known);
  always_ff @(posedge clk) begin
    in_frame <= (in_frame || changed[3]) && !verdict_valid3;
    due <= (lacks || (due && !changed[3] && !again)) && !rebuilding;
    known_again <= again && !rebuilding;

    now <= '0;
    now.valid <= changed[3] || known_again;
    now.tradable <= tradable && !spoils && !lost3;
    now.complete <= &known;
    if (best_valid[0]) now.bid <= '{exists: 1'b1, price: best[0], quantity: '0, orders: BookOrdersWidth'(best_count[0])};
    if (best_valid[1]) now.ask <= '{exists: 1'b1, price: best[1], quantity: '0, orders: BookOrdersWidth'(best_count[1])};
    now.verdict_valid <= verdict_valid3 || known_again;
    now.verdict_good <= (verdict_valid3 && verdict_good3) || known_again;
    now.judged <= verdict_valid3;
    if (rst) begin
      {in_frame, due, known_again} <= '0;
      {now.valid, now.verdict_valid, now.verdict_good} <= '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, host.id};

  assert property (@(posedge clk) disable iff (rst) !(entries.entry && restores != '0));
endmodule
