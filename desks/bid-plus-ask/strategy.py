from tickwire import Book, Instrument, Price, Quantity, Strategy, param, state


class BidPlusAsk(Strategy):
    """Sells at the best bid whenever bid + ask changes (system E, as its published configuration has it; the article says otherwise)."""

    instrument: Instrument = param()
    size: Quantity = param(1)
    last: Price = state(0)

    def on_book(self, book: Book) -> None:
        if book.instrument != self.instrument or not book.tradable or not book.bid.exists or not book.ask.exists:
            return
        total = book.bid.price + book.ask.price
        if total != self.last:
            self.last = total
            self.sell(book.instrument, book.bid.price, self.size)
