// Decodes FIX out of a TCP stream, however it is cut into segments: market data to committed events, and what the exchange says about our orders.
//
//   in ─┬─ fix_prices ── events
//       └─ fix_reports ─ reports
//
// `in` is the payload, each byte once (`keep` is 0 where it is not valid), then, or with its last bytes, the verdict: a segment that proves bad (err)
// leaves no trace, whatever was in it.
//
// Latency, throughput, overflow: those of the two. Parameters: W, 8 or 64; INSTRUMENTS, EVENTS, TRADES_ONLY of fix_prices; PRICES, REPORTS: which of the two
// are there; what is not there says nothing; DETAILS: whether reports have prices and reasons.
module decoder_fix
  import tickwire_pkg::*;
  import config_pkg::*;
  import fix_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16,
    parameter int EVENTS = 64,
    parameter bit TRADES_ONLY = 1'b0,
    parameter bit PRICES = 1'b1,
    parameter bit REPORTS = 1'b0,
    parameter bit DETAILS = 1'b0
) (
    input logic       clk,
    input logic       rst,
    input logic       restart,  // the stream begins again: an open message is forgotten
    stream_if.snk     in,

    config_if.snk     host,     // writes the instruments: takes 147 cycles at W=8, 67 at W=64; and what our ClOrdIDs begin with

    committed_event_if.src              events,            // one in two cycles at most
    output logic                        event_wide,        // the price does not fit into NarrowPrice bits; W=8: never (fix_prices)
    output logic   [     FixCauses-1:0] cause,             // pulses, by fix_cause_e, when the segment has proved good
    execution_report_if.src             reports
);
  config_answer_t price_answer, report_answer;
  assign host.answer = price_answer | report_answer;

  if (PRICES) begin : gen_prices
    config_if price_host ();
    assign {price_host.valid, price_host.operation, price_host.index, price_host.operand} = {
      host.valid, host.operation, host.index, host.operand
    };
    assign host.busy = price_host.busy;
    assign price_answer = price_host.answer;

    fix_prices #(
        .W(W),
        .INSTRUMENTS(INSTRUMENTS),
        .EVENTS(EVENTS),
        .TRADES_ONLY(TRADES_ONLY)
    ) fix_prices (
        .clk,
        .rst,
        .restart,
        .in,
        .host(price_host.snk),
        .events,
        .event_wide,
        .cause
    );
  end else begin : gen_no_prices
    logic unused;
    assign unused = &{1'b0, events.ready, restart};
    assign {events.valid, events.data, event_wide, cause, host.busy, price_answer} = '0;
  end

  if (REPORTS) begin : gen_reports
    config_if report_host ();
    assign {report_host.valid, report_host.operation, report_host.index, report_host.operand} = {
      host.valid, host.operation, host.index, host.operand
    };
    assign report_answer = report_host.answer;

    fix_reports #(
        .W(W),
        .DETAILS(DETAILS)
    ) fix_reports (
        .clk,
        .rst,
        .in,
        .host(report_host.snk),
        .reports
    );
    logic unused;
    assign unused = report_host.busy;
  end else begin : gen_no_reports
    logic unused;
    assign unused = &{1'b0, clk, rst, reports.ready};
    assign report_answer = '0;
    assign {reports.valid, reports.data, reports.overflow, reports.unreadable} = '0;
  end
endmodule
