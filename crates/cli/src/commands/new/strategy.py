from tickwire import Book, Instrument, Price, Quantity, Report, ReportKind, Strategy, TimeInForce, param, state

FILL = 1


class Dip(Strategy):
    """Buys when the best ask falls by `fall` or more from one change to the next, and holds `most` at most."""

    # What desk.toml sets, under [[strategy]]; here are the defaults.
    instrument: Instrument = param()
    fall: Price = param(0.05)
    size: Quantity = param(100)
    most: Quantity = param(300)

    # What the strategy remembers.
    last: Price = state(0)

    def on_book(self, book: Book) -> None:
        """After each packet that changed a book."""
        if book.instrument != self.instrument or not book.tradable or not book.ask.exists:
            return
        fell = self.last - book.ask.price
        if self.last != 0 and fell >= self.fall and self.position(self.instrument) + self.size <= self.most:
            # What is there at that price, and nothing later.
            self.buy(self.instrument, book.ask.price, self.size, time_in_force=TimeInForce.IOC)
        self.last = book.ask.price

    def on_order(self, report: Report) -> None:
        """After each report about an order of this strategy."""
        if report.kind == ReportKind.FILLED:
            self.emit(FILL, report.quantity, report.price, self.position(report.instrument))
