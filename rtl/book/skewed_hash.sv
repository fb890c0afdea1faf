// The set of each way of a skewed_table for a key: its low bits xor a linear function of the others, another one for each way.
//
// A key without other bits is its own set in every way. With a way's set and tag (the other bits) the key is known again, and so are its sets in
// the other ways.
// Latency: none. Parameters: KEY, bits of the key; SETS_LOG2; WAYS. Nothing overflows.
module skewed_hash #(
    parameter int KEY = 48,
    parameter int SETS_LOG2 = 11,
    parameter int WAYS = 8
) (
    input  logic [KEY-1:0]                 key,
    output logic [WAYS-1:0][SETS_LOG2-1:0] sets
);
  // A bit of the set, drawn from a generator of random numbers; elaboration only.
  function automatic int unsigned place(input int unsigned way, input int unsigned bit_, input int unsigned draw);
    int unsigned x;
    x = (way * 131 + bit_ * 2 + draw + 1) * 32'd2654435761;
    x = (x ^ (x >> 15)) * 32'd2246822519;
    x = x ^ (x >> 13);
    return x % SETS_LOG2;
  endfunction

  // For each bit of the set, which bits of the key are in it.
  function automatic logic [KEY-1:0] mask(input int unsigned way, input int unsigned at);
    int unsigned first, second;
    mask = '0;
    mask[at] = 1'b1;
    for (int unsigned b = SETS_LOG2; b < KEY; b++) begin
      first = place(way, b, 0);
      second = place(way, b, 1);
      if (second == first) second = (first + 1) % SETS_LOG2;
      if (first == at || second == at) mask[b] = 1'b1;
    end
  endfunction

  for (genvar w = 0; w < WAYS; w++) begin : gen_way
    for (genvar s = 0; s < SETS_LOG2; s++) begin : gen_bit
      localparam logic [KEY-1:0] Mask = mask(w, s);
      assign sets[w][s] = ^(key & Mask);
    end
  end
endmodule
