// What a stage tells the host: up to seven tagged values at a time. The stage never waits: `record_merge` stores it.
interface record_if;
  logic                valid;
  record_pkg::record_t record;

  modport src(output valid, record);
  modport snk(input valid, record);
endinterface
