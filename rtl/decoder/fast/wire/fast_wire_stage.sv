// The wire-rate engine beside the microcode engine: packets in, events out, and what it cannot do goes to the microcode engine.
//
//   in ─┬─ fast_wire_engine ─ fast_wire_events ─┐
//       │                                       ├─ fast_wire_choice ─ out
//       │   microcode engine's events ──────────┘        │
//       └─ fast_wire_store ─ to_microcode                │ to the microcode engine, or dropped
//                  └─────────────────────────────────────┘
//
// While the engine has no templates, or is held, packets go to the microcode engine without a look.
//
// Where dictionaries outlive a packet (not RESET_EACH_PACKET) the microcode engine decodes every packet too, for its dictionaries; what comes of those that are
// done at wire rate nobody hears. Of one that it is too slow for it has them no more, until a Reset; a packet that is handed over meanwhile and depends on them nobody can decode: its verdict is bad.
//
// Latency, from the beat with a packet's last byte: 16 cycles to its last event and its verdict, with several templates 20, with CONSTANT 13; of several messages 17, 21 or 14 more for each but the first; what goes to the microcode engine
// begins there 2 cycles after its verdict. Throughput: a beat a cycle. Parameters: TEMPLATES, 1 to 8; STORE, beats; LONGEST, those of them that have to be free
// before a packet begins; RECORDS, the microcode engine's fields may be wanted of all packets; OUTLIVE, dictionaries may outlive a packet: without, all packets go to the microcode engine then; CONSTANT, the tables are CONSTANTS: what is loaded is compared
// with them by its fingerprint, and with others the engine stands by. Overflow: a packet that finds no room is cut, and is bad; `room` says whether one may begin.
//
// Tables are loaded while `held`.
module fast_wire_stage
  import tickwire_pkg::*;
  import fast_events_pkg::*;
  import fast_wire_pkg::*;
#(
    parameter int STORE = 512,
    parameter int LONGEST = 192,
    parameter bit RECORDS = 1'b0,
    parameter bit OUTLIVE = 1'b1,
    parameter int TEMPLATES = 1,
    parameter bit CONSTANT = 1'b0,
    parameter constants_t CONSTANTS = '0
) (
    input logic clk,
    input logic rst,
    stream_if.snk in,

    input  logic hold,
    output logic held,
    input  logic restart,
    input  logic reset_each_packet,
    input  fast_wire_pkg::load_t load,
    input  event_load_t event_load,
    input  second_t second,

    input  logic records,  // the microcode engine's fields are wanted, of all packets
    input  logic behind,   // but not of more of them now
    output logic unrecorded,  // pulse: it does not do this one

    stream_if.src to_microcode,
    output logic room,
    output logic [$clog2(STORE):0] waiting,
    output logic overflow,

    event_if.snk microcode,
    input  logic [63:0] microcode_symbol,    // of its event of the next cycle
    input  logic [63:0] microcode_order_id,
    event_if.src out,
    output logic [63:0] symbol,    // of the event, from flip-flops of their own
    output logic [63:0] order_id,
    output logic ends,  // with the verdict: it is the packet's last

    output logic done,        // pulse: a good packet of this engine
    output logic handed_over  // pulse: a packet that the microcode engine had to do
);
  localparam int UndecidedBits = 8;

  // ---- which packets ask

  logic begins, asks, asks_now, fits, active, idle, decision_valid, decision_on;
  logic [UndecidedBits-1:0] undecided;
  logic [MostTemplates-1:0] has_template;

  assign asks_now = begins ? active : asks;
  assign held = idle && undecided == '0;
  assign room = waiting < ($clog2(STORE) + 1)'(STORE - LONGEST);

  always_ff @(posedge clk) begin
    if (in.valid) begin
      begins <= in.last;
      asks   <= asks_now;
    end
    if (load.valid && load.what == WIRE_LOAD_TEMPLATE) begin
      for (int t = 0; t < MostTemplates; t++) if (load.template_at == template_at_t'(t)) has_template[t] <= load.data[$bits(template_t)-1];
    end
    // With constants one template of the set has to be theirs. The first one's words are loaded first.
    if (load.valid && load.what == WIRE_LOAD_TEMPLATE && load.template_at == '0) fits <= !CONSTANT;
    if (load.valid && load.what == WIRE_LOAD_MEMBERS && CONSTANT && load.data[159:128] == CONSTANTS.fingerprint) fits <= 1'b1;
    // Packets that come before the microcode engine has begun anew go there: it is still held.
    if (restart) active <= has_template != '0 && fits && (OUTLIVE || reset_each_packet);
    else if (hold) active <= 1'b0;
    undecided <= undecided + UndecidedBits'(in.valid && begins && asks_now) - UndecidedBits'(decision_valid);
    if (rst) begin
      begins <= 1'b1;
      {has_template, fits, active, asks, undecided} <= '0;
    end
  end

  // Both engines begin with empty dictionaries, if no packet is in the microcode engine then that came while this one did not look.
  logic went_by, begins_anew;
  assign begins_anew = restart && !went_by;
  always_ff @(posedge clk) begin
    if (load.valid) went_by <= 1'b0;
    if (in.valid && !asks_now) went_by <= 1'b1;
    if (rst) went_by <= 1'b1;
  end

  // ---- the engine

  stream_if #(.W(64)) asked ();
  logic entry_valid, entry_last, spoilt, event_valid, listens;
  value_t [EventFields-1:0] entry;
  template_at_t template_ahead2;
  value_t [1:0] texts_ahead;
  logic [EventNumbers+1:0][6:0] exponents_ahead;
  logic [1:0][63:0] header;
  logic [1:0] header_absent;
  fast_wire_pkg::verdict_t verdict, event_verdict;
  event_t event_out;
  logic [63:0] event_symbol, event_order_id;

  assign asked.valid = in.valid && asks_now;
  assign {asked.data, asked.keep, asked.last, asked.err} = {in.data, in.keep, in.last, in.err};

  fast_wire_engine #(
      .TEMPLATES(TEMPLATES),
      .NUMBERS(EventNumbers),
      .HEADERS(EventHeaders),
      .WATCHES(EventWatches),
      .MOST(STORE),
      .CONSTANT(CONSTANT),
      .CONSTANTS(CONSTANTS)
  ) engine (
      .clk,
      .rst,
      .in(asked.snk),
      .load,
      .idle,
      .restart(begins_anew),
      .forget(in.valid && !asks_now),
      .several(reset_each_packet),
      .entry_valid,
      .entry_last,
      .entry,
      .template_ahead2,
      .exponents_ahead,
      .texts_ahead,
      .header,
      .header_absent,
      .spoilt,
      .verdict
  );
  logic unused_ahead;
  assign unused_ahead = &{1'b0, exponents_ahead};

  fast_wire_events #(
      .TEMPLATES(TEMPLATES),
      .CONSTANT(CONSTANT),
      .MEMBERS (CONSTANTS.members)
  ) events (
      .clk,
      .rst,
      .load,
      .event_load,
      .second,
      .listens,
      .template_ahead2,
      .entry_valid,
      .entry_last,
      .entry,
      .texts_ahead,
      .header,
      .header_absent,
      .spoilt1(spoilt),
      .verdict,
      .valid3(event_valid),
      .event3(event_out),
      .symbol2(event_symbol),
      .order_id2(event_order_id),
      .verdict3(event_verdict)
  );

  // ---- for the records, and for its dictionaries, the microcode engine does packets too that are done at wire rate; nobody hears what comes of them

  event_if #(.N(1)) heard ();
  logic also, lost, out_muted, muted;

  if (RECORDS || OUTLIVE) begin : gen_also
    logic out_begins, none, full, flags_overflow, wanted, depends, stale;
    logic [$clog2(2*STORE):0] flags_count;

    assign depends = OUTLIVE && !reset_each_packet;
    assign wanted = decision_valid && !decision_on && ((RECORDS && records) || depends);
    assign also = wanted && !behind && !lost;
    // Its dictionaries are not those of the feed.
    assign lost = stale && !event_verdict.resets;
    always_ff @(posedge clk) begin
      unrecorded <= wanted && RECORDS && records && !also && !rst;
      // A bad frame changes no dictionary.
      if (depends && decision_valid && event_verdict.reason != WIRE_FRAME) begin
        if (wanted && !also) stale <= 1'b1;
        else if (event_verdict.resets) stale <= 1'b0;
      end
      if (to_microcode.valid) out_begins <= to_microcode.last;
      if (restart) stale <= 1'b0;
      if (rst) {out_begins, stale} <= 2'b10;
    end

    fifo #(
        .WIDTH(1),
        .DEPTH(2 * STORE)
    ) flags (
        .clk,
        .rst,
        .write(to_microcode.valid && out_begins),
        .write_data(out_muted),
        .full,
        .overflow(flags_overflow),
        .read(microcode.verdict_valid && !none),
        .read_data(muted),
        .empty(none),
        .count(flags_count)
    );

    logic unused;
    assign unused = &{1'b0, records, full, flags_count};

    assert property (@(posedge clk) disable iff (rst) !flags_overflow);
    assert property (@(posedge clk) disable iff (rst) !(none && (microcode.valid[0] || microcode.verdict_valid)));
  end else begin : gen_alone
    assign {also, lost, unrecorded, muted} = '0;
    logic unused;
    assign unused = &{1'b0, records, behind, out_muted, event_verdict.resets};
  end

  assign heard.valid[0] = microcode.valid[0] && !muted;
  assign heard.verdict_valid = microcode.verdict_valid && !muted;
  assign {heard.data, heard.verdict_good} = {microcode.data, microcode.verdict_good};

  fast_wire_choice choice (
      .clk,
      .rst,
      .passed(in.valid && begins && !asks_now),
      .wire_valid(event_valid),
      .wire_event(event_out),
      .wire_symbol(event_symbol),
      .wire_order_id(event_order_id),
      .wire_verdict(event_verdict),
      .lost,
      .microcode(heard.snk),
      .microcode_symbol,
      .microcode_order_id,
      .out,
      .symbol,
      .order_id,
      .ends,
      .decision_valid,
      .decision_on,
      .listens,
      .done,
      .handed_over
  );

  fast_wire_store #(
      .DEPTH(STORE)
  ) store (
      .clk,
      .rst,
      .in,
      .asks(asks_now),
      .decision_valid,
      .decision_on(decision_on || also),
      .decision_mute(!decision_on),
      .out(to_microcode),
      .out_muted,
      .overflow,
      .waiting
  );
endmodule
