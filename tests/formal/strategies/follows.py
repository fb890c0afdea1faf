from tickwire import Book, OrderRef, Quantity, Report, ReportKind, Strategy, param, state


class Follows(Strategy):
    """Cancel and replacement of an order, whose reports it reads."""

    size: Quantity = param(1)
    order: OrderRef = state(0)

    def on_book(self, book: Book) -> None:
        if self.order == 0:
            self.order = self.buy(book.instrument, book.bid.price, self.size)
        elif book.tradable:
            self.replace(self.order, book.bid.price, self.size)
        else:
            self.cancel(self.order)

    def on_order(self, report: Report) -> None:
        if report.order == self.order and report.kind == ReportKind.REJECTED:
            self.order = OrderRef(0)
