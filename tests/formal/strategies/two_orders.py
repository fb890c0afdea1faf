from tickwire import Book, OrderRef, Quantity, Side, Strategy, TimeInForce, Trade, param, state


class TwoOrders(Strategy):
    """Two intents of one handler, and two handlers with the same state."""

    size: Quantity = param(1)
    bought: OrderRef = state(0)
    active: bool = state(True)

    def on_book(self, book: Book) -> None:
        if self.active:
            self.bought = self.buy(book.instrument, book.bid.price, self.size, time_in_force=TimeInForce.IOC)
            self.sell(book.instrument, book.ask.price, self.size)

    def on_trade(self, trade: Trade) -> None:
        self.active = trade.side == Side.BUY or not self.active
