// The tables of the wire-rate FAST engine for template 3610 of desks/fast/order-log.xml with desks/fast/moex-order-log.toml, for a core that is built for it.
//
// Written by `tickwire fast compile --constants` (docs/concepts/fast-at-wire-rate.md): change the template or the map, not this file.
package fast_wire_constants_pkg;
  import fast_wire_pkg::*;

  localparam constants_t Constants = '{
      fingerprint: 32'h50a5788c,
      template_word: 151'h7c7f8007c7f08000001f900000b020070d0008,
      fields: {
        60'h820300000008272,
        60'h800300000000670,
        60'h8403f80030003ea,
        60'h8403f0000000bea,
        60'h000000000000000,
        60'h800200000010272,
        60'h800000000020242
      },
      initials: {
        96'h000000000000000000000000,
        96'h000000000000000000000000,
        96'h000000000000000000000000,
        96'h000000000000000000000000,
        96'h000000000000000000000000,
        96'h000000000000000000000000,
        96'h000000000000000000000000
      },
      headers: {10'h263, 10'h242},
      watches: {50'h2100fc0000002, 50'h2100fe000c000}
  };
endpackage
