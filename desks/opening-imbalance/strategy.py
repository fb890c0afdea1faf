from tickwire import MINUTE, Book, Instrument, Price, Quantity, Side, Strategy, Time, TimeInForce, Trade, now, param, state


class OpeningImbalance(Strategy):
    """Adds up what buyers and sellers took after the first trade; when the window ends, goes once with the side that took more.

    A trade whose resting order was a sell was made by a buyer. The side must be ahead by `ahead` per cent of all that was traded.
    """

    instrument: Instrument = param()
    window: Time = param(5 * MINUTE)
    ahead: int = param(20)
    size: Quantity = param(100)

    began: bool = state(False)
    done: bool = state(False)
    start: Time = state(0)
    bought: Quantity = state(0)
    sold: Quantity = state(0)
    best_bid: Price = state(0)
    best_ask: Price = state(0)

    def on_book(self, book: Book) -> None:
        if book.instrument == self.instrument:
            self.best_bid = book.bid.price if book.tradable else Price(0)
            self.best_ask = book.ask.price if book.tradable else Price(0)

    def on_trade(self, trade: Trade) -> None:
        if trade.instrument != self.instrument or self.done:
            return
        if not self.began:
            self.began = True
            self.start = now
        if now - self.start < self.window:
            if trade.side == Side.SELL:
                self.bought += trade.quantity
            else:
                self.sold += trade.quantity
            return
        self.done = True
        margin = (self.bought + self.sold) * self.ahead
        if (self.bought - self.sold) * 100 > margin and self.best_ask != 0:
            self.buy(self.instrument, self.best_ask, self.size, time_in_force=TimeInForce.IOC)
        elif (self.sold - self.bought) * 100 > margin and self.best_bid != 0:
            self.sell(self.instrument, self.best_bid, self.size, time_in_force=TimeInForce.IOC)
