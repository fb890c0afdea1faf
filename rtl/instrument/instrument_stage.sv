// Says for each event which of our instruments it belongs to: one table for all users of the events.
//
//   key ───┬─ symbol ─┐
//   ahead ─┼──────────┴─ = symbols ─┬─ register ─┬── found, a cycle after each event
//          └─ locate ─── = locates ─┘   event ───┴── event, its instrument known or not
//
// The key comes a cycle before its event, where that is possible, and is compared then: so that a trade knows its instrument at once. The symbol of
// an add order may come with its last bytes: it is compared in the event's cycle (`late`). Where there is an order book (ADDS), an add's symbol is
// compared in the cycle before the event too, as its bytes stand in the decoder: then an add knows its instrument at once, and `late` says nothing
// new. One symbol is compared a cycle: 64 bits with each of the table's are the widest wires of a core. With CHARACTERS the decoder
// gives a symbol character by character, and so it is compared; the table's are in memories then: while one is written, it matches nothing.
//
// A symbol decides where there is one. In ITCH 5.0 every message has the stock locate of its instrument: it is learned from messages with one of our
// symbols, for the messages that have no symbol. What a bad frame teaches is forgotten with its verdict. A locate is forgotten in a new session of the
// feed, when the instrument is rewritten, and when the feed gives it to another instrument of ours.
//
// Latency: none; `found` 1 cycle. Throughput: a beat a cycle; an event with a key comes 2 cycles after an add, or more. Parameters: INSTRUMENTS;
// LOCATES, 1: stock locates are learned and compared; ADDS, 1: adds know their instrument; CHARACTERS, 1: as decoder_itch at W = 8. Nothing overflows.
module instrument_stage
  import tickwire_pkg::*;
#(
    parameter int INSTRUMENTS = 16,
    parameter bit LOCATES = 1'b0,
    parameter bit ADDS = 1'b0,
    parameter bit CHARACTERS = 1'b0
) (
    input logic clk,
    input logic rst,

    feed_if.listener feed,
    event_if.snk in,
    event_if.src out,
    output found_instrument_t found,  // of event 0 of the cycle before
    output instrument_write_t written,

    csr_if.stage csr  // writes the table
);
  config_if host ();
  /* verilator lint_off UNUSEDSIGNAL */  // locates, where they are not compared
  instrument_key_t key;
  event_ahead_t ahead;
  /* verilator lint_on UNUSEDSIGNAL */
  logic new_session;
  assign {key, ahead, new_session} = {feed.key, feed.ahead, feed.status.new_session};

  csr_operations csr_operations (
      .csr,
      .out(host.src)
  );

  logic write, write_used, writing;
  logic [7:0] write_index;
  logic [63:0] write_symbol;
  fix_pkg::fix_instrument_t session_unused;
  logic [3:0] decimals_unused;

  instrument_config #(
      .INSTRUMENTS(INSTRUMENTS)
  ) instrument_config (
      .clk,
      .rst,
      .host(host.snk),
      .hold(writing),
      .write,
      .index(write_index),
      .feed_used(write_used),
      .feed_symbol(write_symbol),
      .session(session_unused),
      .decimals(decimals_unused)
  );

  logic [INSTRUMENTS-1:0] used, writes;
  // Of the event of this cycle: by its symbol, by its locate. What does not decide is 0, so that they need no multiplexer.
  logic [INSTRUMENTS-1:0] symbol_equal, symbol_match, locate_match, match;
  logic adds;  // the next event is an add that the key says nothing of
  logic [INSTRUMENTS-1:0] matched, found_match;  // of the event of the cycle before

  assign written = '{valid: write, index: write_index, used: write_used, symbol: write_symbol};

  if (in.N != out.N) begin : gen_check
    $fatal(1, "instrument_stage: %0d events a beat come, %0d can leave", in.N, out.N);
  end

  always_comb for (int i = 0; i < INSTRUMENTS; i++) writes[i] = write && write_index == 8'(i);

  assign adds = ADDS && ahead.adds && !key.has_symbol;

  if (CHARACTERS) begin : gen_characters
    logic [2:0] write_place;
    logic [INSTRUMENTS-1:0] equal;  // the characters that have come
    logic [7:0] written_character;
    assign written_character = write_symbol[{~write_place, 3'b000}+:8];

    for (genvar i = 0; i < INSTRUMENTS; i++) begin : gen_symbol
      (* ram_style = "distributed" *) logic [7:0] characters[8];
      logic [7:0] character;
      assign character = characters[key.place];
      always_ff @(posedge clk) begin
        if (writing && write_index == 8'(i)) characters[write_place] <= written_character;
        if (key.coming) equal[i] <= (key.place == '0 ? used[i] : equal[i]) && character == key.character;
        if (writes[i]) {used[i], equal[i]} <= '0;
        else if (writing && write_place == '1 && write_index == 8'(i)) used[i] <= write_used;
        if (rst) used[i] <= 1'b0;
      end
    end

    always_ff @(posedge clk) begin
      writing <= (write || (writing && write_place != '1)) && !rst;
      write_place <= write ? '0 : write_place + 1'b1;
    end
    assign symbol_equal = equal;
    logic unused;
    assign unused = &{1'b0, key.symbol, ahead};
  end else begin : gen_symbols
    logic [63:0] symbols[INSTRUMENTS], symbol;
    assign symbol = ADDS && !key.has_symbol ? ahead.add_symbol : key.symbol;
    always_comb for (int i = 0; i < INSTRUMENTS; i++) symbol_equal[i] = used[i] && symbols[i] == symbol;
    always_ff @(posedge clk) begin
      for (int i = 0; i < INSTRUMENTS; i++) begin
        if (writes[i]) begin
          used[i] <= write_used;
          symbols[i] <= write_symbol;
        end
      end
      if (rst) used <= '0;
    end
    assign writing = 1'b0;
    logic unused;
    assign unused = &{1'b0, key.coming, key.place, key.character};
  end

  always_ff @(posedge clk) begin
    matched <= match;
    for (int i = 0; i < INSTRUMENTS; i++) symbol_match[i] <= (key.has_symbol || adds) && symbol_equal[i];
  end

  if (ADDS) begin : gen_adds
    assign found_match = matched;
    logic is_add;
    assign is_add = in.valid[0] && in.data[0].kind == KIND_ADD && in.data[0].has_symbol;
    assert property (@(posedge clk) disable iff (rst) !is_add || ($past(ahead.adds) && $past(ahead.add_symbol) == in.data[0].symbol));
    assert property (@(posedge clk) disable iff (rst) !in.valid[0] || is_add || !$past(ahead.adds));
  end else begin : gen_late
    logic late;
    logic [INSTRUMENTS-1:0] late_match;
    always_ff @(posedge clk) begin
      late <= key.late;
      late_match <= key.late ? symbol_equal : '0;
    end
    assign found_match = late ? late_match : matched;
  end

  if (LOCATES) begin : gen_locates
    logic [INSTRUMENTS-1:0] learned, learned_now, learned_kept, learns, loses;
    logic [15:0] locates[INSTRUMENTS], locates_now[INSTRUMENTS], locates_kept[INSTRUMENTS];  // kept: after the last good frame
    logic [15:0] locate;  // of the event
    logic [INSTRUMENTS-1:0] locate_equal;
    logic teaches, keeps, drops;  // teaches: the event has a locate, and a symbol

    assign keeps = in.verdict_valid && in.verdict_good;
    assign drops = in.verdict_valid && !in.verdict_good;
    assign loses = learns == '0 ? '0 : locate_equal & ~learns;
    always_comb for (int i = 0; i < INSTRUMENTS; i++) learns[i] = in.valid[0] && teaches && symbol_match[i];
    always_comb begin
      for (int i = 0; i < INSTRUMENTS; i++) begin
        learned_now[i] = (learned[i] && !loses[i]) || learns[i];
        locates_now[i] = learns[i] ? locate : locates[i];
      end
    end
    always_ff @(posedge clk) begin
      locate <= key.locate;
      teaches <= key.has_locate && (key.has_symbol || adds);
      for (int i = 0; i < INSTRUMENTS; i++) begin
        // What is being learned is valid for the next event already.
        locate_equal[i] <= key.has_locate && used[i] && locates_now[i] == key.locate && learned_now[i];
        locate_match[i] <= key.has_locate && !(key.has_symbol || adds) && used[i] && locates_now[i] == key.locate && learned_now[i];
        if (learns[i] || drops) locates[i] <= drops ? locates_kept[i] : locate;
        learned[i] <= drops ? learned_kept[i] : learned_now[i];
        if (keeps) {learned_kept[i], locates_kept[i]} <= {learned_now[i], locates_now[i]};
        if (writes[i]) {learned[i], learned_kept[i]} <= '0;
      end
      if (rst || new_session) {learned, learned_kept} <= '0;
    end
  end else begin : gen_no_locates
    assign locate_match = '0;
    logic unused;
    assign unused = &{1'b0, new_session, adds};
  end

  assign match = symbol_match | locate_match;

  always_comb begin
    found = '{known: |found_match, instrument: '0};
    for (int i = 0; i < INSTRUMENTS; i++) if (found_match[i]) found.instrument |= 8'(i);
    out.valid = in.valid;
    out.data = in.data;
    out.verdict_valid = in.verdict_valid;
    out.verdict_good = in.verdict_good;
    out.data[0].known = |match;
    out.data[0].instrument = '0;
    for (int i = 0; i < INSTRUMENTS; i++) if (match[i]) out.data[0].instrument |= 8'(i);  // a symbol occurs once
  end

  assert property (@(posedge clk) disable iff (rst) !in.valid[0] || $onehot0(match));
  assert property (@(posedge clk) disable iff (rst) !(key.late && key.has_symbol));
  assert property (@(posedge clk) disable iff (rst) !(in.valid[0] && in.data[0].kind == KIND_TRADE && in.data[0].has_symbol) || $past(
      key.has_symbol
  ));
endmodule
