// A frame stream on the transmit side: as stream_if, with ready. Once valid, a source holds its beat until ready.
interface tx_stream_if #(
    parameter int W = 64
);
  logic           valid;
  logic           ready;
  logic [W-1:0]   data;
  logic [W/8-1:0] keep;
  logic           last;

  modport src(output valid, data, keep, last, input ready);
  modport snk(input valid, data, keep, last, output ready);
endinterface
