// CRC-32 of IEEE 802.3 (reflected, polynomial 0xEDB88320) over 1, 4 or 8 bytes at once, and back over 1, 2 or 3, byte 0 in [7:0].
// The state starts as all ones; the FCS is its complement, byte [7:0] first on the wire. A frame with its FCS leaves Residue.
//
// A CRC is linear: next state = matrix * (state xor data). Each row below is the mask of the bits whose parity is
// one bit of the next state, row 0 last. Written as constants because a loop over the bits is 2.7 times slower once synthesised.
package crc32_pkg;

  localparam logic [31:0] Residue = 32'hDEBB20E3;

  localparam logic [31:0][7:0] Matrix8 = {
    8'h82,
    8'hc3,
    8'he3,
    8'h71,
    8'hba,
    8'hdf,
    8'h6f,
    8'hb5,
    8'hd8,
    8'h6c,
    8'hb4,
    8'hd8,
    8'hee,
    8'h77,
    8'h3b,
    8'h1d,
    8'h8c,
    8'h46,
    8'h23,
    8'h11,
    8'h08,
    8'h04,
    8'h80,
    8'hc2,
    8'h61,
    8'h30,
    8'h9a,
    8'h4d,
    8'h26,
    8'h13,
    8'h09,
    8'h04
  };

  localparam logic [31:0][31:0] Matrix32 = {
    32'h826880ef,
    32'hc35cc098,
    32'he3c6e0a3,
    32'h71e37051,
    32'hba9938c7,
    32'hdf241c8c,
    32'h6f920e46,
    32'hb5a187cc,
    32'hd8b84309,
    32'h6c5c2184,
    32'hb446902d,
    32'hd84bc8f9,
    32'hee4d6493,
    32'h7726b249,
    32'h3b935924,
    32'h1dc9ac92,
    32'h8c8c56a6,
    32'h46462b53,
    32'h232315a9,
    32'h11918ad4,
    32'h08c8c56a,
    32'h046462b5,
    32'h805ab1b5,
    32'hc245d835,
    32'h6122ec1a,
    32'h3091760d,
    32'h9a203be9,
    32'h4d101df4,
    32'h26880efa,
    32'h1344077d,
    32'h09a203be,
    32'h04d101df
  };

  localparam logic [31:0][63:0] Matrix64 = {
    64'h826880efa40da72d,
    64'hc35cc098760b74bb,
    64'he3c6e0a39f081d70,
    64'h71e37051cf840eb8,
    64'hba9938c743cfa071,
    64'hdf241c8c05ea7715,
    64'h6f920e4602f53b8a,
    64'hb5a187cca5773ae8,
    64'hd8b84309f6b63a59,
    64'h6c5c2184fb5b1d2c,
    64'hb446902dd9a029bb,
    64'hd84bc8f948ddb3f0,
    64'hee4d649300637ed5,
    64'h7726b2498031bf6a,
    64'h3b935924c018dfb5,
    64'h1dc9ac92600c6fda,
    64'h8c8c56a6940b90c0,
    64'h46462b534a05c860,
    64'h232315a9a502e430,
    64'h11918ad4d2817218,
    64'h08c8c56a6940b90c,
    64'h046462b534a05c86,
    64'h805ab1b53e5d896e,
    64'hc245d8353b23639a,
    64'h6122ec1a9d91b1cd,
    64'h3091760d4ec8d8e6,
    64'h9a203be90369cb5e,
    64'h4d101df481b4e5af,
    64'h26880efa40da72d7,
    64'h1344077d206d396b,
    64'h09a203be90369cb5,
    64'h04d101df481b4e5a
  };

  localparam logic [31:0][7:0] Inverse8 = {
    8'h55,
    8'hff,
    8'haa,
    8'h55,
    8'h7f,
    8'hea,
    8'h75,
    8'hef,
    8'h22,
    8'h91,
    8'h9d,
    8'h1b,
    8'h58,
    8'hac,
    8'hd6,
    8'heb,
    8'ha0,
    8'hd0,
    8'h68,
    8'h34,
    8'h9a,
    8'h4d,
    8'hf3,
    8'hac,
    8'hd6,
    8'h6b,
    8'h60,
    8'hb0,
    8'h58,
    8'hac,
    8'h56,
    8'hab
  };

  localparam logic [31:0][15:0] Inverse16 = {
    16'h8d55,
    16'hcbff,
    16'h68aa,
    16'hb455,
    16'h577f,
    16'ha6ea,
    16'hd375,
    16'he4ef,
    16'h7f22,
    16'h3f91,
    16'h129d,
    16'h841b,
    16'h4f58,
    16'h27ac,
    16'h93d6,
    16'h49eb,
    16'h29a0,
    16'h94d0,
    16'h4a68,
    16'ha534,
    16'h529a,
    16'h294d,
    16'h99f3,
    16'hc1ac,
    16'h60d6,
    16'hb06b,
    16'h5560,
    16'haab0,
    16'hd558,
    16'h6aac,
    16'h3556,
    16'h1aab
  };

  localparam logic [31:0][23:0] Inverse24 = {
    24'h428d55,
    24'h63cbff,
    24'h7368aa,
    24'hb9b455,
    24'h9e577f,
    24'h8da6ea,
    24'hc6d375,
    24'ha1e4ef,
    24'h927f22,
    24'h493f91,
    24'h66129d,
    24'h71841b,
    24'h7a4f58,
    24'h3d27ac,
    24'h1e93d6,
    24'h8f49eb,
    24'h8529a0,
    24'h4294d0,
    24'ha14a68,
    24'hd0a534,
    24'h68529a,
    24'hb4294d,
    24'h9899f3,
    24'h0ec1ac,
    24'h8760d6,
    24'hc3b06b,
    24'ha35560,
    24'h51aab0,
    24'h28d558,
    24'h146aac,
    24'h0a3556,
    24'h851aab
  };

  function automatic logic [31:0] crc32_step8(input logic [31:0] state, input logic [7:0] data);
    logic [7:0] x;
    x = data ^ state[7:0];
    for (int i = 0; i < 32; i++) crc32_step8[i] = ^(x & Matrix8[i]);
    crc32_step8 ^= state >> 8;
  endfunction

  function automatic logic [31:0] crc32_step32(input logic [31:0] state, input logic [31:0] data);
    logic [31:0] x;
    x = data ^ state;
    for (int i = 0; i < 32; i++) crc32_step32[i] = ^(x & Matrix32[i]);
  endfunction

  function automatic logic [31:0] crc32_step64(input logic [31:0] state, input logic [63:0] data);
    logic [63:0] x;
    x = data ^ {32'b0, state};
    for (int i = 0; i < 32; i++) crc32_step64[i] = ^(x & Matrix64[i]);
  endfunction

  // The state before the last 1, 2 or 3 bytes, if those were 0.

  function automatic logic [31:0] crc32_unstep8(input logic [31:0] state);
    for (int i = 0; i < 32; i++) crc32_unstep8[i] = ^(state[31:24] & Inverse8[i]);
    crc32_unstep8 ^= state << 8;
  endfunction

  function automatic logic [31:0] crc32_unstep16(input logic [31:0] state);
    for (int i = 0; i < 32; i++) crc32_unstep16[i] = ^(state[31:16] & Inverse16[i]);
    crc32_unstep16 ^= state << 16;
  endfunction

  function automatic logic [31:0] crc32_unstep24(input logic [31:0] state);
    for (int i = 0; i < 32; i++) crc32_unstep24[i] = ^(state[31:8] & Inverse24[i]);
    crc32_unstep24 ^= state << 24;
  endfunction

endpackage
