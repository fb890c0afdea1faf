// Works a strategy's instructions out: one a cycle, each with the results of all before it.
//
//   instruction ─ addresses ─┬─ memory ──────── register ─┐
//                            ├─ inputs ─ register ────────┼─ a, b ─ adder, logic, comparison ─ result ─ written
//                            └─ is it one of the last 3 results? ─┘                             └──────┘ to the next one
//
// A result is used by the next instruction from its register; by those after it in place of what the memory had. A jump over less than 6
// instructions lets them pass without effect; any other stops the fetch.
//
// Latency: an instruction to its effect 2 cycles. Throughput: an instruction a cycle. No parameters. Overflow: none.
module processor_execute
  import processor_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic         valid,
    input instruction_t instruction,
    input place_t       place,
    input value_t [Inputs-1:0] inputs,

    output address_t a_address,      // of the data memory, in the cycle of the instruction
    output address_t b_address,
    input  value_t   a_word,         // 2 cycles later
    input  value_t   b_word,
    output logic     write,
    output address_t write_address,
    output value_t   write_value,

    output logic       step,         // `operation` has its effect now, and is no jump
    output operation_e operation,
    output logic [FieldWidth-1:0] to,
    output logic [FieldWidth-1:0] b_field,
    output value_t     a,
    output value_t     b,
    output logic       stop,         // nothing after this instruction is to happen
    output logic       jump,         // with that: go on at `jump_place`
    output place_t     jump_place,
    output place_t     next_place,   // the one after it
    output logic       fault_index   // pulse
);
  localparam int Near = 5;  // cycles of a jump that stops the fetch

  typedef struct packed {
    logic writes;
    address_t address;
    value_t value;
  } result_t;

  typedef enum logic [2:0] {
    LOGIC_XOR,
    LOGIC_AND,
    LOGIC_OR,
    LOGIC_A,
    LOGIC_HALF,
    LOGIC_SELECT
  } logic_e;

  function automatic logic_e logic_of(input operation_e of);
    unique case (of)
      PROCESSOR_AND: return LOGIC_AND;
      PROCESSOR_OR: return LOGIC_OR;
      PROCESSOR_MOVE, PROCESSOR_TEST: return LOGIC_A;
      PROCESSOR_HALF: return LOGIC_HALF;
      PROCESSOR_SELECT: return LOGIC_SELECT;
      default: return LOGIC_XOR;
    endcase
  endfunction

  // ---- read: the word's addresses are in the memory -----------------------------------------------

  logic read_valid, found_valid, read_found_valid;
  instruction_t read;
  place_t read_place;
  address_t found, read_b_address;
  value_t read_input;

  assign a_address = instruction.a[AddressWidth-1:0];
  assign b_address = instruction.b[Special] ? found : instruction.b[AddressWidth-1:0];

  always_ff @(posedge clk) begin
    read_valid <= valid && !stop && !rst;
    read <= instruction;
    read_place <= place;
    read_b_address <= b_address;
    read_found_valid <= found_valid;
    read_input <= inputs[5'(instruction.a[AddressWidth-1:0])];
  end

  // ---- execute ---------------------------------------------------------------------------------------

  logic execute_valid, near, flag, executes, goes;
  logic [2:0] skip, distance;
  instruction_t now;
  place_t now_place;
  logic a_forward, b_forward, a_late, b_late;
  // Of the operation, known a cycle before.
  logic subtracts, sums, compares, halts, jumps, jumps_always, jumps_if;
  logic uses_less, uses_zero, inverts;  // of a comparison
  logic_e logic_kind;
  value_t a_value, b_value;  // other than the memory's
  result_t result, written, earlier;  // of this instruction, the one before it, and the one before that
  address_t now_address;
  logic now_writes;

  // Of the instruction being executed: what `to` names.
  assign now_address = now.to[Special] ? found : now.to[AddressWidth-1:0];
  assign now_writes = executes && writes(now.operation) && now.to != FieldWidth'(Nowhere) && (!now.to[Special] || found_valid);

  function automatic logic is_same(input logic is_written, input address_t address, input address_t wanted);
    return is_written && address == wanted;
  endfunction

  logic a_is_input, a_is_written, b_is_written, b_is_nothing;
  assign a_is_input = read.a[Special];
  assign b_is_nothing = read.b[Special] && !read_found_valid;
  assign a_is_written = is_same(written.writes, written.address, read.a[AddressWidth-1:0]);
  assign b_is_written = is_same(written.writes, written.address, read_b_address);

  always_ff @(posedge clk) begin
    execute_valid <= read_valid && !stop && !rst;
    now <= read;
    now_place <= read_place;
    subtracts <= read.operation != PROCESSOR_ADD;
    sums <= read.operation inside {PROCESSOR_ADD, PROCESSOR_SUBTRACT};
    compares <= sets_flag(read.operation);
    halts <= is_long(read.operation) || read.operation == PROCESSOR_END;
    jumps <= read.operation inside {PROCESSOR_JUMP, PROCESSOR_JUMP_IF, PROCESSOR_JUMP_UNLESS};
    jumps_always <= read.operation == PROCESSOR_JUMP;
    jumps_if <= read.operation == PROCESSOR_JUMP_IF;
    uses_less <= read.operation inside {PROCESSOR_LESS, PROCESSOR_GREATER_EQUAL, PROCESSOR_GREATER, PROCESSOR_LESS_EQUAL};
    uses_zero <= read.operation inside {PROCESSOR_TEST, PROCESSOR_EQUAL, PROCESSOR_NOT_EQUAL, PROCESSOR_GREATER, PROCESSOR_LESS_EQUAL};
    inverts <= read.operation inside {PROCESSOR_TEST, PROCESSOR_NOT_EQUAL, PROCESSOR_GREATER_EQUAL, PROCESSOR_GREATER};
    logic_kind <= logic_of(read.operation);
    near <= read.to > read_place && read.to - read_place <= PlaceWidth'(Near);
    distance <= 3'(read.to - read_place);
    a_forward <= !a_is_input && is_same(now_writes, now_address, read.a[AddressWidth-1:0]);
    b_forward <= !b_is_nothing && is_same(now_writes, now_address, read_b_address);
    a_late <= a_is_input || a_is_written || is_same(earlier.writes, earlier.address, read.a[AddressWidth-1:0]);
    b_late <= b_is_nothing || b_is_written || is_same(earlier.writes, earlier.address, read_b_address);
    a_value <= a_is_input ? read_input : a_is_written ? written.value : earlier.value;
    b_value <= b_is_nothing ? '0 : b_is_written ? written.value : earlier.value;
  end

  assign a = a_forward ? written.value : a_late ? a_value : a_word;
  assign b = b_forward ? written.value : b_late ? b_value : b_word;
  assign operation = now.operation;
  assign to = now.to;
  assign b_field = now.b;
  assign next_place = now_place + 1'b1;
  assign executes = execute_valid && skip == '0;
  assign step = executes;

  // ---- jumps

  assign goes = jumps && (jumps_always || flag == jumps_if);
  assign jump = executes && goes && !near;
  assign jump_place = now.to;
  assign stop = executes && (halts || (goes && !near));

  always_ff @(posedge clk) begin
    if (executes && goes && near) skip <= distance - 1'b1;
    else if (execute_valid && skip != '0) skip <= skip - 1'b1;
    if (rst || stop) skip <= '0;
  end

  // ---- sum, logic, comparison

  logic less, zero;
  value_t sum, combined;
  logic flag_value;

  assign sum = a + (b ^ {ValueWidth{subtracts}}) + ValueWidth'(subtracts);
  // By halves: a chain of carries through all bits, and what depends on its end, takes more than a cycle.
  localparam int Half = ValueWidth / 2;
  logic low_less, high_less, high_equal;
  assign low_less = a[Half-1:0] < b[Half-1:0];
  assign high_less = {!a[ValueWidth-1], a[ValueWidth-2:Half]} < {!b[ValueWidth-1], b[ValueWidth-2:Half]};
  assign high_equal = a[ValueWidth-1:Half] == b[ValueWidth-1:Half];
  assign less = high_less || (high_equal && low_less);

  always_comb begin
    unique case (logic_kind)
      LOGIC_AND: combined = a & b;
      LOGIC_OR: combined = a | b;
      LOGIC_A: combined = a;
      LOGIC_HALF: combined = a >>> 1;
      LOGIC_SELECT: combined = flag ? a : b;
      default: combined = a ^ b;
    endcase
    zero = combined == '0;
    flag_value = ((uses_less && less) || (uses_zero && zero)) != inverts;
    result.writes = now_writes;
    result.address = now_address;
    if (compares) result.value = value_t'({1'b0, flag_value});
    else if (sums) result.value = sum;
    else result.value = combined;
  end

  always_ff @(posedge clk) begin
    written <= result;
    earlier <= written;
    if (executes && compares) flag <= flag_value;
    if (rst) {written.writes, earlier.writes} <= '0;
  end

  assign write = written.writes;
  assign write_address = written.address;
  assign write_value = written.value;

  logic unused;
  assign unused = &{1'b0, now.a};  // it has been read

  // ---- an index

  logic inside_region;
  assign inside_region = a[ValueWidth-1:FieldWidth] == '0 && a[FieldWidth-1:0] < now.b;

  always_ff @(posedge clk) begin
    fault_index <= executes && now.operation == PROCESSOR_INDEX && !inside_region && !rst;
    if (executes && now.operation == PROCESSOR_INDEX) begin
      found <= now.to[AddressWidth-1:0] + a[AddressWidth-1:0];
      found_valid <= inside_region;
    end
  end
endmodule
