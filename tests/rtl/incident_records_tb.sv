// incident_records, its record as plain ports.
module incident_records_tb
  import record_pkg::*;
#(
    parameter int INTERVAL = 64
) (
    input  logic              clk,
    input  logic              rst,
    input  logic              enable,
    input  logic       [32:0] incidents,
    input  logic       [63:0] time_ns,
    output logic              valid,
    output logic       [ 1:0] kind,
    output logic       [ 2:0] count,
    output logic       [ 7:0] tag,
    output logic [1:0][63:0] values
);
  record_if out ();

  incident_records #(
      .INTERVAL(INTERVAL)
  ) incident_records (
      .clk,
      .rst,
      .enable,
      .incidents(incidents_t'(incidents)),
      .time_ns,
      .out(out.src)
  );

  assign {valid, kind, count, tag} = {out.valid, out.record.kind, out.record.count, out.record.tags[0]};
  assign values = out.record.values[1:0];
  logic unused;
  assign unused = &{1'b0, out.record};
endmodule
