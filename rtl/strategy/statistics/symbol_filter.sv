// Finds a symbol's slot in a table the host writes while it runs: two hash functions, two block RAMs, one compare each.
//
//   symbol ─ CRC-32 ─┬─ rotate ─ bucket RAM 0 ─ register ─ = ─┬─ hit, index
//                    └─ rotate ─ bucket RAM 1 ─ register ─ = ─┘
//
// The host places the symbols so that each is in one of its two buckets (cuckoo hashing, docs/reference/symbol-table.md), so a
// lookup takes the same time for any number of symbols. 2 * SYMBOLS buckets a way: at most a quarter of the buckets is used.
//
// Latency: 6 cycles, lookup_valid to result_valid. Throughput: a lookup every 4 cycles (an add order is at least 32 bytes; asserted).
// Parameters: SYMBOLS, slots: a power of two, 16 to 256. Overflow: none.
// A lookup that reads a bucket in the cycle in which it is written may miss. The table survives rst; it powers up empty.
module symbol_filter #(
    parameter int SYMBOLS = 16
) (
    input logic clk,
    input logic rst,

    input logic        lookup_valid,
    input logic [63:0] lookup_symbol,  // first character in [63:56]

    output logic                       result_valid,
    output logic                       hit,
    output logic [$clog2(SYMBOLS)-1:0] index,         // 0 without a hit

    input logic [1:0][                4:0] hash_rotate,
    input logic                            bucket_write,
    input logic                            bucket_way,
    input logic [$clog2(2*SYMBOLS)-1:0]    bucket_address,
    input logic                            bucket_used,
    input logic [                    63:0] bucket_symbol,
    input logic [     $clog2(SYMBOLS)-1:0] bucket_index
);
  localparam int Index = $clog2(SYMBOLS);
  localparam int Address = $clog2(2 * SYMBOLS);
  localparam int Latency = 6;

  typedef struct packed {
    logic             used;
    logic [63:0]      symbol;
    logic [Index-1:0] index;
  } bucket_t;

  // Lookups are at least 4 cycles apart, so one register holds the symbol until it is compared.
  logic [Latency-1:0] busy;
  logic [63:0] symbol, wire_symbol;
  logic [31:0] hash;

  always_comb for (int i = 0; i < 8; i++) wire_symbol[8*i+:8] = lookup_symbol[56-8*i+:8];

  always_ff @(posedge clk) begin
    busy <= {busy[Latency-2:0], lookup_valid};
    if (rst) busy <= '0;
    if (lookup_valid) symbol <= lookup_symbol;
    hash <= crc32_pkg::crc32_step64('0, wire_symbol);
  end

  logic [1:0] match;
  logic [1:0][Index-1:0] match_index;

  for (genvar way = 0; way < 2; way++) begin : g_way
    (* no_rw_check *)
    logic [$bits(bucket_t)-1:0] buckets[2*SYMBOLS];
    logic [Address-1:0] address;
    logic [$bits(bucket_t)-1:0] read;
    bucket_t bucket;

    initial for (int i = 0; i < 2 * SYMBOLS; i++) buckets[i] = '0;

    always_ff @(posedge clk) begin
      // The hash rotated left is the left half of the doubled hash shifted left.
      address <= Address'(({hash, hash} << hash_rotate[way]) >> 32);
      read <= buckets[address];
      bucket <= read;
      match[way] <= bucket.used && bucket.symbol == symbol;
      match_index[way] <= bucket.index;
      if (bucket_write && bucket_way == way) buckets[bucket_address] <= {bucket_used, bucket_symbol, bucket_index};
    end
  end

  always_ff @(posedge clk) begin
    hit   <= |match;
    index <= match[0] ? match_index[0] : match[1] ? match_index[1] : '0;
  end

  assign result_valid = busy[Latency-1];

  assert property (@(posedge clk) disable iff (rst) !lookup_valid || busy[2:0] == '0);
endmodule
