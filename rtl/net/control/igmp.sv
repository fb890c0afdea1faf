// The host's side of IGMP: reports the groups on joining and leaving them, and answers queries (RFC 3376; RFC 2236 for older routers).
//
//   bytes ─ igmp_query ─┐
//   groups ─────────────┴─ rows, one after the other, every 10 ms ─ igmp_report ─ out
//
// A row holds what is to be reported about a group, and when: a row for each group register, and one for the group that it held before. A register that
// changes leaves its old group, unless another register still has it, and joins its new one; addresses that are no group
// (not 224.0.0.0/4) and 224.0.0.1 are not reported. Joins and leaves are reported within 20 ms, and once more (robustness 2) within 1 s, in version 2
// mode 10 s. If a register changes twice within that, the first leave is not repeated.
//
// A query is answered for each group it asks for, after a pseudo-random time below the query's own, or when a report was due already if
// that is sooner. A query for a group and sources is answered for the group: all its sources are wanted.
// A general query of version 2 (or 1, answered as 2) makes this a version 2 host for OLDER seconds after the last of them (RFC 3376 7.2.1:
// 2 * 125 + 10); what was due is forgotten when the version changes. Reports from others do not suppress ours (as RFC 2236 would): switches
// want to see each port's, and a forged one would cost the feed.
//
// Rate limits: one report a group answers all queries until it is out; its delay is uniform below the query's time, at least 100 ms: so endless
// queries get 20 a second and group on average.
// Latency: see above. Throughput: a row in 5 cycles; a report of 54 bytes in 106. Parameters: OLDER.
// Overflow: none; a second query waits until the first is noted (`busy`).
module igmp
  import tickwire_pkg::*;
#(
    parameter int OLDER = 260
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic                   up,                  // local_mac and local_ip are valid and do not change
    input  logic                   hundredth,           // of a second: pulse
    input  logic                   second,              // pulse
    input  logic            [47:0] local_mac,
    input  logic            [31:0] local_ip,
    input  logic [GroupSlots-1:0][31:0] group,          // registers; 0: unused
    input  logic                   byte_valid,          // control_rx
    input  logic            [ 7:0] byte_data,
    input  logic                   byte_last,
    output logic                   busy,
    tx_stream_if.src               out,                 // 8 bits
    output logic                   received,            // pulses: a query
    output logic                   refused,
    output logic                   reported
);
  localparam int Slot = $clog2(GroupSlots);
  localparam int Older = $clog2(OLDER + 1);
  localparam logic [31:0] AllSystems = 32'he000_0001;
  localparam logic [1:0] Robustness = 2'd2;

  typedef struct packed {
    logic [31:0] group;       // 0: nothing to report
    logic [1:0]  repeats;     // reports of the change that are to come
    logic        due;         // a report is due in
    logic [7:0]  tenths;      // of a second, and
    logic [3:0]  hundredths;  // 0 to 9
  } row_t;

  typedef enum logic [3:0] {
    IDLE,
    READ,
    COMPARE,  // the row's group
    DECIDE,   // what is to be done
    ACT,
    LOOK,     // whether any register has it
    RANDOM,
    REPORT,
    WRITE
  } state_e;

  // ---- queries -----------------------------------------------------------------------------------

  logic query_valid, query_taken, query_older;
  logic [31:0] query_group;
  logic [7:0] query_tenths;

  igmp_query query (
      .clk,
      .rst,
      .local_ip,
      .byte_valid,
      .byte_data,
      .byte_last,
      .busy,
      .valid(query_valid),
      .taken(query_taken),
      .group(query_group),
      .tenths(query_tenths),
      .older(query_older),
      .received,
      .refused
  );

  // ---- version, random numbers-------------------------------------------------------------------

  logic [Older-1:0] older_reg;  // seconds that we are a version 2 host
  logic version_2_reg, forget_reg;
  logic [15:0] random_reg;
  logic tick_reg, ticking_reg, asked_reg, asking_reg, scan_end;  // asked: a query is there and the version follows it

  always_ff @(posedge clk) begin
    random_reg <= {random_reg[14:0], random_reg[15] ^ random_reg[14] ^ random_reg[12] ^ random_reg[3]};
    if (!up) random_reg <= local_mac[15:0] ^ local_ip[15:0] ^ {local_mac[23:16], local_ip[23:16]} | 16'h0001;
    if (second && older_reg != '0) older_reg <= older_reg - 1'b1;
    if (query_valid && query_older && query_group == '0) older_reg <= Older'(OLDER);
    if (rst || !up) older_reg <= '0;
  end

  // ---- rows --------------------------------------------------------------------------------------

  (* ram_style = "distributed" *)
  row_t rows[2*GroupSlots];
  state_e state;
  row_t row, stored;
  logic [Slot:0] number_reg;  // of the row; above the registers' rows, those of the groups left
  logic [Slot-1:0] slot_reg;  // register being compared
  logic wanted_reg;  // one of the registers has the group
  logic last_reg;  // that register is the last
  logic answering_reg;  // the query was noted in this row
  logic joining_reg;  // the row gets the register's group
  logic clear_reg;  // all rows are to be emptied
  logic empties_reg;  // this row is written empty
  logic leaving, report_start, report_done, write;
  logic [7:0] range_reg, mask, below;
  logic [11:0] chance_reg;
  logic fits_reg, sooner_reg;  // the random time is below its limit; the row is not due sooner
  logic [31:0] group_reg;  // of the register compared in the cycle before
  logic equal_reg, reportable_reg, asked_for_reg;  // the row's group: equals group_reg, may be reported, is the query's
  logic changed_reg, answer_reg;  // the register has another group; the query is to be noted in this row
  logic hundredths_reg, tenths_reg;  // they are not 0
  logic [1:0] wait_reg;  // as many ones as cycles until the comparisons are valid

  assign leaving = number_reg[Slot];
  assign query_taken = scan_end && asking_reg;
  assign scan_end = state == WRITE && number_reg == '1;
  assign mask = range_reg - 1'b1;
  // Tenths below the next power of two, and hundredths: tried until they are below their limits.
  assign below  = {mask[7], |mask[7:6], |mask[7:5], |mask[7:4], |mask[7:3], |mask[7:2], |mask[7:1], |mask};
  assign write = state == WRITE;

  function automatic logic reportable(input logic [31:0] address);
    return address[31:28] == 4'he && address != AllSystems;
  endfunction

  // The row of a group that was left is written after its register's row, through the same port.
  logic [Slot:0] write_number;
  logic write_left_reg;
  row_t write_row;
  assign write_number = write_left_reg ? {1'b1, number_reg[Slot-1:0]} : number_reg;
  assign write_row = write_left_reg ? '{group: row.group, repeats: Robustness, due: 1'b1, tenths: '0, hundredths: '0} :
      empties_reg ? '0 : row;
  assign stored = rows[number_reg];

  always_ff @(posedge clk) begin
    if (write || write_left_reg) rows[write_number] <= write_row;
  end

  always_ff @(posedge clk) begin
    tick_reg <= up && (tick_reg || hundredth);
    write_left_reg <= 1'b0;
    asked_reg <= query_valid && !query_taken;
    group_reg <= group[slot_reg];
    equal_reg <= row.group == group_reg;
    reportable_reg <= reportable(row.group);
    last_reg <= state == LOOK && !wait_reg[0] && slot_reg == '0;
    asked_for_reg <= query_group == '0 || query_group == row.group;
    changed_reg <= !leaving && !equal_reg;
    answer_reg <= asking_reg && !answering_reg && !leaving && reportable_reg && asked_for_reg;
    hundredths_reg <= row.hundredths != '0;
    tenths_reg <= row.tenths != '0;
    // Each random number is tried for three cycles, then the next.
    if (wait_reg[1]) chance_reg <= {random_reg[7:0] & below, random_reg[11:8]};
    fits_reg <= chance_reg[11:4] < range_reg && chance_reg[3:0] < 4'd10;
    sooner_reg <= !row.due || chance_reg < {row.tenths, row.hundredths};
    wait_reg <= wait_reg >> 1;

    unique case (state)
      IDLE: begin
        number_reg <= '0;
        slot_reg <= '0;
        version_2_reg <= older_reg != '0;
        forget_reg <= version_2_reg != (older_reg != '0);
        joining_reg <= 1'b0;
        ticking_reg <= tick_reg;
        asking_reg <= asked_reg;
        if (tick_reg) tick_reg <= hundredth;
        if (!out.valid && (clear_reg || tick_reg || asked_reg || version_2_reg != (older_reg != '0))) state <= READ;
      end
      READ: begin
        row <= clear_reg ? '0 : stored;
        if (forget_reg) {row.due, row.repeats} <= '0;
        answering_reg <= 1'b0;
        wanted_reg <= 1'b0;
        empties_reg <= 1'b0;
        state <= clear_reg ? WRITE : COMPARE;
      end
      COMPARE: state <= DECIDE;
      DECIDE: state <= ACT;
      ACT: begin
        state <= WRITE;
        wait_reg <= 2'b11;
        if (changed_reg) begin
          slot_reg <= '0;
          state <= LOOK;
        end else if (answer_reg) begin
          answering_reg <= 1'b1;
          range_reg <= query_tenths;
          state <= RANDOM;
        end else if (row.due && ticking_reg) begin
          if (hundredths_reg) row.hundredths <= row.hundredths - 1'b1;
          else if (tenths_reg) {row.tenths, row.hundredths} <= {row.tenths - 1'b1, 4'd9};
          else if (leaving) begin
            slot_reg <= '0;
            state <= LOOK;
          end else state <= REPORT;
        end
      end
      LOOK: begin
        // The first register is compared after two cycles, the last one when slot_reg has wrapped.
        slot_reg <= slot_reg + 1'b1;
        if (!wait_reg[0]) begin
          wanted_reg <= wanted_reg || equal_reg;
          if (last_reg) begin
            wait_reg <= 2'b11;
            if (leaving) begin
              empties_reg <= wanted_reg || equal_reg;
              state <= wanted_reg || equal_reg ? WRITE : REPORT;
            end else begin
              write_left_reg <= reportable_reg && !(wanted_reg || equal_reg);
              slot_reg <= number_reg[Slot-1:0];
              joining_reg <= 1'b1;
              state <= RANDOM;
            end
          end
        end
      end
      RANDOM: begin
        if (!wait_reg[0]) begin
          wait_reg <= 2'b11;
          if (joining_reg) begin
            joining_reg <= 1'b0;
            row <= '{group: group_reg, repeats: Robustness, due: reportable(group_reg), tenths: '0, hundredths: '0};
            state <= WRITE;
          end else if (fits_reg) begin
            if (sooner_reg) {row.due, row.tenths, row.hundredths} <= {1'b1, chance_reg};
            state <= answering_reg ? COMPARE : WRITE;
          end
        end
      end
      REPORT: begin
        if (report_done) begin
          row.due <= 1'b0;
          range_reg <= version_2_reg ? 8'd100 : 8'd10;
          wait_reg <= 2'b11;
          answering_reg <= 1'b0;
          if (row.repeats != '0) row.repeats <= row.repeats - 1'b1;
          state <= row.repeats > 2'd1 ? RANDOM : WRITE;
          empties_reg <= leaving && row.repeats <= 2'd1;
        end
      end
      default: begin  // WRITE
        number_reg <= number_reg + 1'b1;
        slot_reg <= number_reg[Slot-1:0] + 1'b1;
        state <= number_reg == '1 ? IDLE : READ;
        if (number_reg == '1) clear_reg <= 1'b0;
      end
    endcase
    if (rst || !up) begin
      clear_reg  <= 1'b1;
      state <= IDLE;
      write_left_reg <= 1'b0;
    end
    if (rst) begin
      tick_reg <= 1'b0;
      version_2_reg <= 1'b0;
    end
  end

  // ---- reports -----------------------------------------------------------------------------------

  logic reporting_reg;
  assign report_start = state == REPORT && !reporting_reg;

  always_ff @(posedge clk) begin
    reporting_reg <= state == REPORT && !report_done && !rst;
    reported <= report_done && !rst;
  end

  igmp_report report (
      .clk,
      .rst(rst || (!up && !out.valid)),  // a frame that has begun goes on; control_plane drops it
      .local_mac,
      .local_ip,
      .start(report_start),
      .group(row.group),
      .leave(leaving),
      .change(row.repeats != '0),
      .version_2(version_2_reg),
      .done(report_done),
      .out
  );
endmodule
