from tickwire import Book, Instrument, Price, Quantity, Strategy, param, state


class BestChange(Strategy):
    """A comparison, a conjunction, a value of the state, an order."""

    instrument: Instrument = param(0)
    size: Quantity = param(1)
    last: Price = state(0)

    def on_book(self, book: Book) -> None:
        if book.instrument == self.instrument and book.tradable and book.ask.exists and book.ask.price != self.last:
            self.last = book.ask.price
            self.buy(book.instrument, book.ask.price, self.size)
