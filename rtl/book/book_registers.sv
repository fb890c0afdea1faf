// Registers of the order book, and the operations on it.
//
//   csr ─┬─ book_config_port ─ book, walk
//        └─ status, counters
//
// Latency: pulses are counted two cycles later; operations as book_config_port. Throughput: as csr_if. Parameters: none. Overflow: counters wrap at 2^32.
module book_registers
  import tickwire_pkg::*;
  import book_csr_pkg::*;
(
    input logic clk,
    input logic rst,
    csr_if.stage csr,
    /* verilator lint_off UNUSEDSIGNAL */  // of the strategy, too
    input book_status_t status,
    /* verilator lint_on UNUSEDSIGNAL */
    book_host_if.src book,
    book_walk_if.src walk
);
  status_t shown;
  book_level_t level;
  logic [Counters-1:0] pulse;
  config_if host ();
  csr_if part[3] ();

  csr_split #(
      .N(3)
  ) csr_split (
      .in (csr),
      .out(part)
  );

  csr_operations csr_operations (
      .csr(part[0].stage),
      .out(host.src)
  );

  csr_status #(
      .T(status_t),
      .FIELDS(StatusFields),
      .MAP(StatusMap)
  ) csr_status (
      .clk,
      .csr(part[1].stage),
      .shown(1'b1),
      .value(shown)
  );

  csr_counters #(
      .AT(CountersAt),
      .SLOTS(Counters)
  ) csr_counters (
      .clk,
      .rst,
      .csr(part[2].stage),
      .shown(1'b1),
      .pulse,
      .amount('0)
  );

  always_ff @(posedge clk) begin
    shown.book_state.tradable <= status.tradable;
    shown.book_next <= status.next;
    pulse[COUNT_BOOK_FAULT] <= status.fault;
    pulse[COUNT_BOOK_NOT_OURS] <= status.not_ours;
    pulse[COUNT_BOOK_UNDONE] <= status.undone;
    pulse[COUNT_BOOK_OVERFLOW] <= status.overflow;
    if (rst) begin
      pulse <= '0;
      {shown.book_state.tradable, shown.book_next} <= '0;
    end
  end
  assign shown.book_level = '{tick: level.tick, orders: level.orders};
  assign shown.book_level_quantity = level.shares;

  book_config_port book_config_port (
      .clk,
      .rst,
      .host(host.snk),
      .book,
      .walk,
      .level
  );
endmodule
