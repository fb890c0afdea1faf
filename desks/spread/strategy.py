from tickwire import Book, Instrument, PerInstrument, Price, Quantity, Strategy, TimeInForce, param, per_instrument, state


class Spread(Strategy):
    """Two instruments that are worth the same: buys the one and sells the other when what is between them pays more than the edge.

    Both orders take what is there, or nothing. One pair is under way at a time, and the position is limited.
    """

    first: Instrument = param()
    second: Instrument = param()
    edge: Price = param(0.05)
    size: Quantity = param(100)
    limit: Quantity = param(1000)

    bids: PerInstrument[Price] = per_instrument(0)
    asks: PerInstrument[Price] = per_instrument(0)
    pairs: int = state(0)

    def on_book(self, book: Book) -> None:
        usable = book.tradable and book.bid.exists and book.ask.exists
        self.bids[book.instrument] = book.bid.price if usable else Price(0)
        self.asks[book.instrument] = book.ask.price if usable else Price(0)
        if self.open_orders == 0:
            self.trade_if_apart(self.first, self.second)
            self.trade_if_apart(self.second, self.first)

    def trade_if_apart(self, cheap: Instrument, dear: Instrument) -> None:
        ask = self.asks[cheap]
        bid = self.bids[dear]
        room = self.position(cheap) + self.size <= self.limit and self.position(dear) - self.size >= -self.limit
        if ask != 0 and bid != 0 and bid - ask >= self.edge and room:
            self.buy(cheap, ask, self.size, time_in_force=TimeInForce.FOK)
            self.sell(dear, bid, self.size, time_in_force=TimeInForce.FOK)
            self.pairs += 1
