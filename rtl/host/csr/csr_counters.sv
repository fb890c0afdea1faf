// The counters of a stage, 32 bits each.
//
//   pulse, amount ─ counters ─ answer ─ csr
//
// Two or fewer have a register each; more are in a memory (counters), and the host waits for its scanner.
//
// Latency: a counter is read with every pulse up to that of the cycle of csr.read, or later. Throughput: a pulse of each kind a cycle. Parameters: AT, the
// address of the first; SLOTS, how many there are, in whose place one may be missing; AMOUNTS, AMOUNT_BITS, AMOUNT_SLOT: see counters. Overflow: counts wrap at 2^32.
module csr_counters #(
    parameter logic [8:0] AT = '0,
    parameter int SLOTS = 1,
    parameter int AMOUNTS = 0,
    parameter int AMOUNT_BITS = 1,
    localparam int MostAmounts = AMOUNTS == 0 ? 1 : AMOUNTS,
    parameter logic [MostAmounts-1:0][5:0] AMOUNT_SLOT = '0
) (
    input logic clk,
    input logic rst,
    csr_if.stage csr,
    input logic shown,  // of several stages with the same addresses this one is read
    input logic [SLOTS-1:0] pulse,  // one that never pulses costs nothing and reads 0
    input logic [MostAmounts-1:0][AMOUNT_BITS-1:0] amount  // with that slot's pulse
);
  logic here;
  assign here = shown && csr.address >= AT && csr.address < AT + 9'(SLOTS);
  assign {csr.busy, csr.result} = '0;

  logic unused;
  assign unused = &{1'b0, csr.write, csr.data, csr.valid, csr.operation, csr.index, csr.operand};

  if (SLOTS <= 2 && AMOUNTS == 0) begin : gen_registers
    logic [SLOTS-1:0][31:0] count;
    logic here_reg, second_reg;
    always_ff @(posedge clk) begin
      for (int i = 0; i < SLOTS; i++) begin
        count[i] <= count[i] + 32'(pulse[i]);
        if (rst) count[i] <= '0;
      end
      here_reg   <= here;
      second_reg <= csr.address != AT;
      csr.answer <= here_reg ? count[second_reg && SLOTS == 2] : '0;
    end
    assign csr.waits = 1'b0;
    logic unused_amount;
    assign unused_amount = &{1'b0, csr.read, amount};
  end else begin : gen_memory
    localparam int Index = SLOTS <= 8 ? 3 : $clog2(SLOTS);
    logic request, answer, answered_reg;
    logic [31:0] count;

    assign request = csr.read && here;

    counters #(
        .SLOTS(1 << Index),
        .AMOUNTS(AMOUNTS),
        .AMOUNT_BITS(AMOUNT_BITS),
        .AMOUNT_SLOT(AMOUNT_SLOT)
    ) counters (
        .clk,
        .rst,
        .pulse((1 << Index)'(pulse)),
        .amount,
        .request,
        .request_slot(csr.address[Index-1:0]),
        .answer,
        .answer_count(count)
    );

    // The answer stays until the next access.
    always_ff @(posedge clk) begin
      csr.waits <= (request || (csr.waits && !answered_reg)) && !rst;
      answered_reg <= answer;
      if (answer) csr.answer <= count;
      else if (csr.read || csr.write) csr.answer <= '0;
      if (rst) csr.answer <= '0;
    end
  end
endmodule
