// config_port with the decoders of every stage, and order_entry's place open, as flat ports.
module config_port_tb
  import config_pkg::*;
  import order_template_pkg::*;
  import risk_pkg::*;
  import fix_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16,
    parameter int MESSAGE = 256,
    localparam int Bytes = W / 8,
    localparam int Template = 2 + $clog2(INSTRUMENTS),
    localparam int Beat = $clog2(MESSAGE / Bytes)
) (
    input logic clk,
    input logic rst,

    input  logic         start,
    input  logic [  4:0] code,
    input  logic [ 15:0] index,
    input  logic [223:0] operand,
    output logic         busy,
    output logic         done,
    output logic [  1:0] previous,
    output logic [  1:0] text,
    output logic         refused,

    output logic       entry_valid,     // pulse
    output logic [4:0] entry_code,
    output logic [15:0] entry_index,
    input  logic       entry_busy,
    input  logic       entry_done,
    input  logic [1:0] entry_previous,
    input  logic [1:0] entry_text,

    output logic                           template_write,
    output logic [      Template+Beat-1:0] template_address,
    output logic [            9*Bytes-1:0] template_data,
    output logic                           template_set,
    output logic                           template_clear,
    output logic [           Template-1:0] template_index,
    output logic [  $bits(template_t)-1:0] template_record,
    output logic                           time_load,
    output logic [                   67:0] load_time,
    output logic [                   63:0] load_boundary,
    output logic                           date_load,
    output logic [                   31:0] load_date,
    output logic                           number_load,
    output logic [                   35:0] load_number,
    output logic                           decimals_write,
    output logic [                    3:0] decimals,
    output logic [                    7:0] instrument,
    output logic                           limit_write,
    output logic [$bits(risk_limit_t)-1:0] limit,
    output logic                           adjust_valid,
    input  logic                           adjust_ready,
    output logic [$bits(risk_adjust_t)-1:0] adjust,

    output logic        book_valid,
    input  logic        book_ready,
    input  logic        book_done,
    output logic [ 1:0] book_request,
    output logic [ 3:0] book_instrument,
    output logic        book_sell,
    output logic [47:0] book_id,
    output logic [23:0] book_shares,
    output logic [31:0] book_price,
    output logic [47:0] book_next,
    output logic [$bits(book_pkg::window_t)-1:0] book_window,
    output logic [ 1:0] book_restore,
    output logic        walk_valid,
    output logic [ 3:0] walk_instrument,
    output logic        walk_sell,
    input  logic        walk_level_valid,
    input  logic [ 3:0] walk_place,
    input  logic [13:0] walk_tick,
    input  logic [43:0] walk_level,
    input  logic        walk_done,
    input  logic [ 4:0] walk_count,
    output logic [$bits(tickwire_pkg::book_level_t)-1:0] level,

    input  logic                               session_busy,
    output logic                               session_write,
    output logic [                        7:0] session_index,
    output logic [$bits(fix_instrument_t)-1:0] session_instrument,
    output logic                               feed_write,
    output logic [                        7:0] feed_index,
    output logic                               feed_used,
    output logic [                       63:0] feed_symbol,
    output logic                               statistics_write,
    output logic [                        7:0] statistics_index,
    output logic [                       63:0] statistics_symbol
);
  config_if entry ();
  config_if feed ();
  config_if statistics ();
  config_if session ();
  config_if risk ();
  config_if order ();
  config_if book ();
  book_host_if book_host ();
  book_walk_if walk ();
  config_answer_t answer;
  template_t record;
  risk_limit_t limit_struct;
  risk_adjust_t adjust_struct;
  fix_instrument_t of_session, of_feed_unused, of_statistics_unused;
  logic used_unused, statistics_used_unused;
  logic [63:0] symbol_unused;
  logic [3:0] session_decimals_unused, feed_decimals_unused, statistics_decimals_unused;

  assign {done, previous, text} = answer;
  assign entry_valid = entry.valid;
  assign entry_code = entry.operation;
  assign entry_index = entry.index;
  assign entry.busy = entry_busy;
  assign entry.answer = {entry_done, entry_previous, entry_text};
  assign template_record = record;
  assign limit = limit_struct;
  assign adjust = adjust_struct;
  assign session_instrument = of_session;

  config_port dut (
      .clk,
      .rst,
      .start,
      .code(config_operation_e'(code)),
      .index,
      .operand,
      .busy,
      .answer,
      .refused,
      .csr(bus.operator)
  );

  csr_if bus ();
  csr_if part[7] ();

  assign {bus.write, bus.read, bus.address, bus.data} = '0;

  csr_split #(
      .N(7)
  ) csr_split (
      .in (bus.stage),
      .out(part)
  );

  csr_operations entry_operations (
      .csr(part[0].stage),
      .out(entry.src)
  );
  csr_operations feed_operations (
      .csr(part[1].stage),
      .out(feed.src)
  );
  csr_operations statistics_operations (
      .csr(part[2].stage),
      .out(statistics.src)
  );
  csr_operations session_operations (
      .csr(part[3].stage),
      .out(session.src)
  );
  csr_operations risk_operations (
      .csr(part[4].stage),
      .out(risk.src)
  );
  csr_operations order_operations (
      .csr(part[5].stage),
      .out(order.src)
  );
  csr_operations book_operations (
      .csr(part[6].stage),
      .out(book.src)
  );

  order_config_port #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS),
      .MESSAGE(MESSAGE)
  ) order_config_port (
      .clk,
      .rst,
      .host(order.snk),
      .template_write,
      .template_address,
      .template_data,
      .template_set,
      .template_clear,
      .template_index,
      .template_record(record),
      .time_load,
      .load_time,
      .load_boundary,
      .date_load,
      .load_date,
      .number_load,
      .load_number
  );

  assign book_valid = book_host.valid;
  assign {book_host.ready, book_host.done} = {book_ready, book_done};
  assign {book_request, book_instrument, book_sell} = {book_host.request, book_host.instrument, book_host.side};
  assign {book_id, book_shares, book_price, book_next} = {book_host.id, book_host.shares, book_host.price, book_host.next};
  assign book_window = book_host.window;
  assign book_restore = book_host.restore;
  assign {walk_valid, walk_instrument, walk_sell} = {walk.valid, walk.instrument, walk.side};
  assign {walk.level_valid, walk.place, walk.tick, walk.level} = {walk_level_valid, walk_place, walk_tick, walk_level};
  assign {walk.done, walk.count} = {walk_done, walk_count};

  book_config_port book_config_port (
      .clk,
      .rst,
      .host(book.snk),
      .book(book_host.src),
      .walk(walk.src),
      .level
  );

  risk_config_port #(
      .INSTRUMENTS(INSTRUMENTS)
  ) risk_config_port (
      .clk,
      .rst,
      .host(risk.snk),
      .decimals_write,
      .decimals,
      .instrument,
      .limit_write,
      .limit(limit_struct),
      .adjust_valid,
      .adjust_ready,
      .adjust(adjust_struct)
  );

  instrument_config #(
      .INSTRUMENTS(INSTRUMENTS)
  ) of_decoder (
      .clk,
      .rst,
      .host(session.snk),
      .hold(session_busy),
      .write(session_write),
      .index(session_index),
      .feed_used(used_unused),
      .feed_symbol(symbol_unused),
      .session(of_session),
      .decimals(session_decimals_unused)
  );

  instrument_config #(
      .INSTRUMENTS(INSTRUMENTS)
  ) of_instrument (
      .clk,
      .rst,
      .host(feed.snk),
      .hold(1'b0),
      .write(feed_write),
      .index(feed_index),
      .feed_used,
      .feed_symbol,
      .session(of_feed_unused),
      .decimals(feed_decimals_unused)
  );

  instrument_config #(
      .INSTRUMENTS(INSTRUMENTS)
  ) of_statistics (
      .clk,
      .rst,
      .host(statistics.snk),
      .hold(1'b0),
      .write(statistics_write),
      .index(statistics_index),
      .feed_used(statistics_used_unused),
      .feed_symbol(statistics_symbol),
      .session(of_statistics_unused),
      .decimals(statistics_decimals_unused)
  );
endmodule
