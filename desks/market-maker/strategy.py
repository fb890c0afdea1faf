from tickwire import (
    Book,
    Instrument,
    OrderRef,
    Price,
    Quantity,
    Report,
    ReportKind,
    Strategy,
    param,
    state,
)


class MarketMaker(Strategy):
    """Keeps a bid and an ask in the market around its middle, and moves both against its own position.

    For each lot of position both quotes go down by `skew`: who holds much would rather sell. At the limit the side that would add to it
    is taken out.
    """

    instrument: Instrument = param()
    half_spread: Price = param(0.02)
    skew: Price = param(0.01)
    lot: Quantity = param(100)
    limit: Quantity = param(500)
    # Orders have prices of this step: a bid goes down to one, an ask up.
    tick: Price = param(0.01)

    bid: OrderRef = state(0)
    ask: OrderRef = state(0)
    bid_price: Price = state(0)
    ask_price: Price = state(0)

    def on_book(self, book: Book) -> None:
        if book.instrument != self.instrument:
            return
        position = self.position(self.instrument)
        if not book.tradable or not book.bid.exists or not book.ask.exists:
            self.withdraw_bid()
            self.withdraw_ask()
            return
        middle = (book.bid.price + book.ask.price) // 2 - self.skew * (position // self.lot)
        if position < self.limit:
            bid = self.tick * ((middle - self.half_spread) // self.tick)
            self.quote_bid(min(bid, book.bid.price))
        else:
            self.withdraw_bid()
        if position > -self.limit:
            ask = self.tick * -(-(middle + self.half_spread) // self.tick)
            self.quote_ask(max(ask, book.ask.price))
        else:
            self.withdraw_ask()

    def quote_bid(self, price: Price) -> None:
        if self.bid == 0:
            self.bid = self.buy(self.instrument, price, self.lot)
            self.bid_price = price
        elif self.bid_price != 0 and price != self.bid_price:
            self.replace(self.bid, price, self.lot)
            self.bid_price = price

    def quote_ask(self, price: Price) -> None:
        if self.ask == 0:
            self.ask = self.sell(self.instrument, price, self.lot)
            self.ask_price = price
        elif self.ask_price != 0 and price != self.ask_price:
            self.replace(self.ask, price, self.lot)
            self.ask_price = price

    def withdraw_bid(self) -> None:
        if self.bid != 0 and self.bid_price != 0:
            self.cancel(self.bid)
            # No price: the cancel is under way, and the order waits for its report.
            self.bid_price = Price(0)

    def withdraw_ask(self) -> None:
        if self.ask != 0 and self.ask_price != 0:
            self.cancel(self.ask)
            self.ask_price = Price(0)

    def on_order(self, report: Report) -> None:
        match report.kind:
            case ReportKind.FILLED | ReportKind.CANCELLED | ReportKind.REFUSED | ReportKind.REJECTED if report.remaining == 0:
                # The order is gone; the next change of the book brings a new one.
                if report.order == self.bid:
                    self.bid = OrderRef(0)
                elif report.order == self.ask:
                    self.ask = OrderRef(0)
            case ReportKind.REFUSED | ReportKind.REJECTED:
                # It is in the market as it was: the next change of the book asks again.
                if report.order == self.bid:
                    self.bid_price = report.price
                elif report.order == self.ask:
                    self.ask_price = report.price
