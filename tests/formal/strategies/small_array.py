from tickwire import Array, Book, Strategy, array, param


class SmallArray(Strategy):
    """An index that may be out of range, where it is read and where it is written."""

    which: int = param(0)
    counts: Array[int] = array(3, 0)

    def on_book(self, book: Book) -> None:
        self.counts[self.which] += book.bid.orders
