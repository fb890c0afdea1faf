// The host's requests to the order book, one at a time: `valid` and its members until `ready`; with `ready`, whether it was done.
//
// WINDOW sets an instrument's window and tick size; it must be being rebuilt, and have no orders. CLEAR begins a rebuild: its orders leave, and the feed's
// events of it are not booked any more. RESTORE books an order of the snapshot, oldest first; then, one by one, what the feed has said of such orders
// since (`restore`). TRADABLE ends the rebuild; `next` is the number of the first message of the feed that is not in what was restored: it must not be
// less than that of a message of the instrument that was not booked, nor than what had come when it was cleared.
interface book_host_if;
  import book_pkg::*;
  import tickwire_pkg::side_e;

  logic                   valid;
  logic                   ready;
  logic                   done;
  host_request_e          request;
  host_restore_e          restore;
  instrument_t            instrument;
  side_e                  side;
  id_t                    id;
  shares_t                shares;
  price_t                 price;
  logic [SequenceBits-1:0] next;
  window_t                window;

  modport src(output valid, request, restore, instrument, side, id, shares, price, next, window, input ready, done);
  modport snk(input valid, request, restore, instrument, side, id, shares, price, next, window, output ready, done);
endinterface
