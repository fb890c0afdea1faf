from tickwire import Book, Report, Strategy, state


class Tells(Strategy):
    """Records of several lengths, none, one or two of an event."""

    seen: int = state(0)

    def on_book(self, book: Book) -> None:
        self.seen += 1
        if book.changed:
            self.emit(3, self.seen, book.bid.orders - book.ask.orders, -self.seen)
        self.emit(7)

    def on_order(self, report: Report) -> None:
        if report.reason != 0:
            self.emit(255, report.reason, self.seen if report.reason > 5 else 0)
