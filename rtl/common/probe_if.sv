// What a simulation or a logic analyser sees of a core: packets that were decoded and proved good, by their numbers, and how far packets and orders come.
interface probe_if;
  import tickwire_pkg::path_t;

  logic        delivered_valid;
  logic [63:0] delivered_sequence;
  logic [15:0] delivered_messages;
  path_t       path;

  modport src(output delivered_valid, delivered_sequence, delivered_messages, path);
endinterface
