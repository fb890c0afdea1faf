// A frame stream on the receive side: never waits, so it has no ready. Byte 0 of the wire is data[7:0];
// keep is contiguous from bit 0 and full on all but the last beat; err is only valid with last.
interface stream_if #(
    parameter int W = 64
);
  logic           valid;
  logic [W-1:0]   data;
  logic [W/8-1:0] keep;
  logic           last;
  logic           err;

  modport src(output valid, data, keep, last, err);
  modport snk(input valid, data, keep, last, err);
endinterface
