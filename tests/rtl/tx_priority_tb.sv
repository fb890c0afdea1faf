// tx_priority with its streams as plain ports; bit 0 of those of the sources is the first's.
module tx_priority_tb #(
    parameter int W = 64
) (
    input  logic                clk,
    input  logic                rst,
    input  logic [1:0]          in_valid,
    output logic [1:0]          in_ready,
    input  logic [1:0][  W-1:0] in_data,
    input  logic [1:0][W/8-1:0] in_keep,
    input  logic [1:0]          in_last,
    output logic                source,
    output logic                out_valid,
    input  logic                out_ready,
    output logic [  W-1:0]      out_data,
    output logic [W/8-1:0]      out_keep,
    output logic                out_last
);
  tx_stream_if #(.W(W)) first ();
  tx_stream_if #(.W(W)) second ();
  tx_stream_if #(.W(W)) out ();

  assign {first.valid, first.data, first.keep, first.last} = {in_valid[0], in_data[0], in_keep[0], in_last[0]};
  assign {second.valid, second.data, second.keep, second.last} = {in_valid[1], in_data[1], in_keep[1], in_last[1]};
  assign in_ready = {second.ready, first.ready};
  assign {out_valid, out_data, out_keep, out_last} = {out.valid, out.data, out.keep, out.last};
  assign out.ready = out_ready;

  tx_priority dut (
      .clk,
      .rst,
      .first(first.snk),
      .second(second.snk),
      .from_second(source),
      .out(out.src)
  );
endmodule
