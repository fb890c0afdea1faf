from tickwire import Book, Instrument, Price, Quantity, Strategy, param, state


class BestOffer(Strategy):
    """Buys at the best ask whenever it changes, once a packet (system E, as the article has it)."""

    instrument: Instrument = param()
    size: Quantity = param(1)
    last: Price = state(0)

    def on_book(self, book: Book) -> None:
        if book.instrument == self.instrument and book.tradable and book.ask.exists and book.ask.price != self.last:
            self.last = book.ask.price
            self.buy(book.instrument, book.ask.price, self.size)
