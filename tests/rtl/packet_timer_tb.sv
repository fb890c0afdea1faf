// packet_stamp and packet_timer, streams as plain ports, with DEVICE registers between them. Each has its own cycle count from outside, so that a
// test can make any latency out of the difference.
module packet_timer_tb #(
    parameter int W = 64,
    parameter int OFFSET = 0,
    parameter int DEVICE = 3
) (
    input  logic           clk,
    input  logic           rst,
    input  logic           clear,
    input  logic [   31:0] stamp_cycle,
    input  logic [   31:0] timer_cycle,
    input  logic           in_valid,
    input  logic [  W-1:0] in_data,
    input  logic [W/8-1:0] in_keep,
    input  logic           in_last,
    input  logic           in_err,
    output logic           between_valid,    // after packet_stamp
    output logic [  W-1:0] between_data,
    output logic [W/8-1:0] between_keep,
    output logic           between_last,
    output logic           between_err,
    output logic           out_valid,
    output logic [  W-1:0] out_data,
    output logic [W/8-1:0] out_keep,
    output logic           out_last,
    output logic           out_err,
    output logic           stamp_too_short,
    output logic [   31:0] latest,
    output logic [   31:0] minimum,
    output logic [   31:0] maximum,
    output logic [   31:0] packets,
    output logic [   31:0] too_short
);
  stream_if #(.W(W)) in ();
  stream_if #(.W(W)) stamped ();
  stream_if #(.W(W)) delayed ();
  stream_if #(.W(W)) out ();

  assign {in.valid, in.data, in.keep, in.last, in.err} = {in_valid, in_data, in_keep, in_last, in_err};
  assign {between_valid, between_data, between_keep, between_last, between_err} = {
    stamped.valid, stamped.data, stamped.keep, stamped.last, stamped.err
  };
  assign {out_valid, out_data, out_keep, out_last, out_err} = {out.valid, out.data, out.keep, out.last, out.err};

  packet_stamp #(
      .W(W),
      .OFFSET(OFFSET)
  ) stamp (
      .clk,
      .rst,
      .cycle(stamp_cycle),
      .in(in.snk),
      .out(stamped.src),
      .too_short(stamp_too_short)
  );

  logic [DEVICE-1:0][W+W/8+2:0] device;
  always_ff @(posedge clk) begin
    device <= (DEVICE * (W + W / 8 + 3))'({device, stamped.valid, stamped.last, stamped.err, stamped.keep, stamped.data});
    if (rst) device <= '0;
  end
  assign {delayed.valid, delayed.last, delayed.err, delayed.keep, delayed.data} = device[DEVICE-1];

  packet_timer #(
      .W(W),
      .OFFSET(OFFSET)
  ) dut (
      .clk,
      .rst,
      .clear,
      .cycle(timer_cycle),
      .in(delayed.snk),
      .out(out.src),
      .latest,
      .minimum,
      .maximum,
      .packets,
      .too_short
  );
endmodule
