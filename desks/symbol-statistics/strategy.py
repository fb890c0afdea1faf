from tickwire import SECOND, PerInstrument, Price, Quantity, Strategy, Trade, instruments, per_instrument, timer

STATISTICS = 1


class SymbolStatistics(Strategy):
    """Each second, for each instrument that traded in it, a record: instrument, volume, lowest, highest and average price (as system B)."""

    volume: PerInstrument[Quantity] = per_instrument(0)
    lowest: PerInstrument[Price] = per_instrument(0)
    highest: PerInstrument[Price] = per_instrument(0)
    turnover: PerInstrument[int] = per_instrument(0)

    def on_trade(self, trade: Trade) -> None:
        i = trade.instrument
        first = self.volume[i] == 0
        self.lowest[i] = trade.price if first else min(self.lowest[i], trade.price)
        self.highest[i] = trade.price if first else max(self.highest[i], trade.price)
        self.volume[i] += trade.quantity
        self.turnover[i] += trade.price * trade.quantity

    @timer(every=SECOND)
    def on_timer(self) -> None:
        for i in instruments:
            if self.volume[i] > 0:
                average = Price.raw(self.turnover[i] // int(self.volume[i]))
                self.emit(STATISTICS, i, self.volume[i], self.lowest[i], self.highest[i], average)
            self.volume[i] = 0
            self.turnover[i] = 0
