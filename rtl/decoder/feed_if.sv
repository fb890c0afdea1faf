// What the decoder of a feed says beside its events: what is known of the next event, of the frame whose events come, and of the feed.
interface feed_if;
  import tickwire_pkg::*;
  import arbiter_pkg::arbiter_status_t;

  /* verilator lint_off UNUSEDSIGNAL */  // not every user needs all of it
  instrument_key_t key;          // of event 0 of the next cycle
  event_ahead_t    ahead;
  feed_info_t      info;         // of the frame whose events come
  feed_status_t    status;
  arbiter_status_t arbiter;
  logic            payload_end;  // the decoder is given a packet's last beat,
  logic            arbitrated;   // through the arbiter
  /* verilator lint_on UNUSEDSIGNAL */

  modport decoder(output key, ahead, info, status, arbiter, payload_end, arbitrated);
  modport listener(input key, ahead, info, status, arbiter, payload_end, arbitrated);
endinterface
