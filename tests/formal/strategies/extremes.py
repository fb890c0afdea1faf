from tickwire import MARKET, Book, Price, Quantity, Strategy, param, state


class Extremes(Strategy):
    """Minimum, maximum, absolute value, negation, a conditional expression, market orders."""

    limit: Quantity = param(10)
    widest: Price = state(0)

    def on_book(self, book: Book) -> None:
        spread = abs(book.ask.price - book.bid.price)
        self.widest = max(self.widest, spread)
        size = min(book.ask.quantity, self.limit) if book.changed else -book.bid.quantity
        self.sell(book.instrument, MARKET, size)
