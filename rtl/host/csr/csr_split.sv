// One csr_if for several: of stages, or of the parts of one.
//
//   in ─┬─ out[0]     what the host says goes to all,
//       ├─ out[1]     what they answer is ORed
//       └─ ...
//
// Latency: none. Throughput: an access and an operation at a time. Parameter: N, outputs. Overflow: none.
module csr_split
  import config_pkg::*;
#(
    parameter int N = 2
) (
    csr_if.stage in,
    csr_if.host  out[N]
);
  logic [N-1:0] waits, busy;
  logic [N-1:0][31:0] answer;
  config_answer_t [N-1:0] result;

  for (genvar i = 0; i < N; i++) begin : gen_out
    assign {out[i].write, out[i].read, out[i].address, out[i].data} = {in.write, in.read, in.address, in.data};
    assign {out[i].valid, out[i].index, out[i].operand} = {in.valid, in.index, in.operand};
    assign out[i].operation = in.operation;
    assign {waits[i], busy[i], answer[i], result[i]} = {out[i].waits, out[i].busy, out[i].answer, out[i].result};
  end

  assign in.waits = waits != '0;
  assign in.busy  = busy != '0;
  always_comb begin
    {in.answer, in.result} = '0;
    for (int i = 0; i < N; i++) begin
      in.answer |= answer[i];
      in.result |= result[i];
    end
  end
endmodule
