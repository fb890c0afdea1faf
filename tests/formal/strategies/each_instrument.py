from tickwire import PerInstrument, Price, Quantity, Strategy, Trade, param, per_instrument


class EachInstrument(Strategy):
    """A value for each instrument, and positions; an instrument that is not there is a fault."""

    most: Quantity = param(100)
    highest: PerInstrument[Price] = per_instrument(0)

    def on_trade(self, trade: Trade) -> None:
        if trade.price > self.highest[trade.instrument]:
            self.highest[trade.instrument] = trade.price
            if self.position(trade.instrument) < self.most:
                self.sell(trade.instrument, trade.price, trade.quantity)
