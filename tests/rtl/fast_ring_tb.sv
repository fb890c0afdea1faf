// The FAST engine and the frames that it gets, written into a ring in host memory; with plain ports.
module fast_ring_tb
  import fast_pkg::*;
  import record_pkg::*;
#(
    parameter int W = 64,
    parameter int GROUPS = 256,
    parameter int DATA = 512,
    parameter int BUFFER = 2048 / (W / 8)
) (
    input  logic            clk,
    input  logic            rst,
    input  logic            in_valid,
    input  logic [   W-1:0] in_data,
    input  logic [ W/8-1:0] in_keep,
    input  logic            in_last,
    input  logic            in_err,
    input  logic            hold,
    output logic            held,
    input  logic            restart,
    input  logic            reset_each_packet,
    input  logic            load_valid,
    input  logic [     2:0] load_what,
    input  logic [    10:0] load_index,
    input  logic [   159:0] load_data,
    output logic            field_valid,
    output logic            verdict_valid,
    output logic            overflow,
    output logic [$clog2(BUFFER):0] waiting,

    input  logic            fields,     // what is written
    input  logic            frames,
    input  logic            enable,
    input  logic [    63:0] base,
    input  logic [     4:0] size_log2,
    input  logic [    31:0] position,
    output logic [    31:0] written,
    output logic [    31:0] lost_count,
    output logic [    31:0] error_count,
    output logic            awvalid,
    input  logic            awready,
    output logic [    63:0] awaddr,
    output logic            wvalid,
    input  logic            wready,
    output logic [DATA-1:0] wdata,
    output logic            wlast,
    input  logic            bvalid,
    input  logic [     1:0] bresp
);
  stream_if #(.W(W)) in ();
  field_t field;
  fast_verdict_t verdict;
  axi_write_if #(.DATA(DATA)) memory ();
  record_if records[2] ();
  ring_setting_t setting;
  ring_status_t status;

  assign {in.valid, in.data, in.keep, in.last, in.err} = {in_valid, in_data, in_keep, in_last, in_err};
  assign verdict_valid = verdict.valid;

  fast_engine #(
      .W(W),
      .GROUPS(GROUPS),
      .BUFFER(BUFFER)
  ) engine (
      .clk,
      .rst,
      .in(in.snk),
      .hold,
      .held,
      .restart,
      .reset_each_packet,
      .load('{valid: load_valid, what: load_e'(load_what), index: load_index, data: load_data}),
      .field_valid,
      .field,
      .verdict,
      .overflow,
      .waiting
  );

  assign setting = '{enable: enable, fields: fields, frames: frames, base: base, size_log2: size_log2, position: position, default: '0};
  assign {written, lost_count, error_count} = {status.written, status.lost, status.errors};

  feed_records #(
      .W(W)
  ) feed_records (
      .clk,
      .rst,
      .setting,
      .field_valid,
      .field,
      .verdict,
      .frame(in.snk),
      .fields(records[0]),
      .frames(records[1])
  );

  record_ring #(
      .DATA(DATA)
  ) record_ring (
      .clk,
      .rst,
      .setting,
      .records,
      .memory(memory.src),
      .status
  );

  assign {awvalid, awaddr, wvalid, wdata, wlast} = {memory.awvalid, memory.awaddr, memory.wvalid, memory.wdata, memory.wlast};
  assign {memory.awready, memory.wready, memory.bvalid, memory.bresp} = {awready, wready, bvalid, bresp};

  logic unused;
  assign unused = &{1'b0, memory.awlen, memory.bready};
endmodule
