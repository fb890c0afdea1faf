// Says whether a symbol is one of our instruments'. It is asked about entries that cannot be read, which are few: the symbols are looked at one by one.
//
//   symbols (RAM) ─ one a cycle ─ = symbol ? ─ ours
//
// Where there are no instruments, nobody has said what is ours: then every symbol is.
//
// Latency: INSTRUMENTS + 2 cycles from `start` to `done`. Throughput: a symbol at a time. Parameter: INSTRUMENTS, a power of two. Nothing overflows.
module fast_ours
  import tickwire_pkg::*;
#(
    parameter int INSTRUMENTS = 16
) (
    input logic clk,
    input logic rst,
    input instrument_write_t write,

    input  logic        start,  // not while it is busy
    input  logic [63:0] symbol,  // with it
    output logic        busy,
    output logic        done,   // pulse, in the last cycle of `busy`
    output logic        ours,   // with it
    output logic        all     // there are no instruments
);
  localparam int Bits = $clog2(INSTRUMENTS);

  (* ram_style = "distributed" *) logic [63:0] symbols[INSTRUMENTS];
  logic [INSTRUMENTS-1:0] used;
  logic [63:0] wanted, read;
  logic [Bits-1:0] at;
  logic [1:0] last;
  logic was_used, found;

  assign done = last[1];
  assign all = used == '0;
  assign ours = found || all;

  always_ff @(posedge clk) begin
    if (write.valid) begin
      symbols[write.index[Bits-1:0]] <= write.symbol;
      used[write.index[Bits-1:0]] <= write.used;
    end
    {read, was_used} <= {symbols[at], used[at]};
    found <= !start && (found || (was_used && read == wanted));
    at <= start ? '0 : at + 1'b1;
    last <= {last[0], busy && !start && &at};
    if (start) begin
      wanted <= symbol;
      was_used <= 1'b0;
      last <= '0;
    end
    busy <= start || (busy && !done);
    if (rst) {used, busy, last} <= '0;
  end

  logic unused;
  assign unused = &{1'b0, write.index};
endmodule
