//! What of a desk involves several of its entries.

use std::ops::Range;

use feed::socket::Endpoint;
use instrument::ITCH_PRICE_SCALE;
use toml::Spanned;

use super::{Desk, SLOTS, Strategy};

impl Desk {
    /// Checks that involve several entries.
    pub(super) fn check(&self) -> Result<(), (Range<usize>, String)> {
        let lines = &self.feed.lines;
        if lines.is_empty() {
            return Err((
                0..0,
                "feed.lines is empty: name at least one line, like \"239.77.1.1:26400\"".into(),
            ));
        }
        if let Some(line) = lines.get(SLOTS) {
            return Err((
                line.span(),
                format!("more than {SLOTS} lines; the core has {SLOTS} group and port slots"),
            ));
        }
        for (index, line) in lines.iter().enumerate() {
            let endpoint = line.get_ref().0.as_ref();
            let address = endpoint
                .map_err(|error| (line.span(), error.to_string()))?
                .address;
            if address.port() == 0 {
                return Err((line.span(), format!("line {address}: port 0 is none")));
            }
            let same = |other: &Endpoint| other.address == address;
            if lines[..index]
                .iter()
                .flat_map(|other| &other.get_ref().0)
                .any(same)
            {
                return Err((line.span(), format!("line {address} is named twice")));
            }
        }
        if let Some(snapshots) = &self.feed.snapshots
            && snapshots.get_ref().port() == 0
        {
            let server = snapshots.get_ref();
            return Err((
                snapshots.span(),
                format!("snapshots {server}: port 0 is none"),
            ));
        }
        match (&self.feed.itch, &self.feed.fast) {
            (Some(_), None) => {}
            (None, Some(fast)) => {
                fast.check()?;
                let request_server = self.arbitration.request_server();
                if let Some(of_itch) = request_server
                    .map(|_| "a request server speaks MoldUDP64: leave request_server out")
                    .or_else(|| {
                        let snapshots = self.feed.snapshots.as_ref();
                        snapshots.map(|_| {
                            "feed.snapshots is a server as GLIMPSE: name the lines in feed.fast.snapshots"
                        })
                    })
                {
                    return Err((0..0, format!("the feed is FAST: {of_itch}")));
                }
            }
            _ => {
                let fault = "[feed] has either itch = \"5.0\" (or 4.1), or a section [feed.fast]";
                return Err((0..0, fault.into()));
            }
        }
        self.arbitration.check()?;
        if let Some(session) = &self.session {
            if self.feed.itch.is_some() {
                let fits = session.get_ref().fits_core();
                fits.map_err(|fault| (session.span(), fault))?;
            }
            let decimals = self.feed.itch.map(|_| ITCH_PRICE_SCALE);
            session.get_ref().check_instruments(decimals)?;
            // Lengths and scales do not depend on the clock; that of 10 GbE has more cycles.
            let orders = session.get_ref().orders(&[], 6_400);
            orders.map_err(|fault| (session.span(), fault))?;
        }
        for strategy in &self.strategy {
            let checked = strategy.get_ref().check(self.session());
            checked.map_err(|fault| (strategy.span(), fault))?;
        }
        let is_file = |one: &&Spanned<Strategy>| matches!(one.get_ref(), Strategy::File(_));
        let mut after = self.strategy.iter().skip_while(|one| !is_file(one));
        if let Some(late) = after.find(|one| !is_file(one)) {
            let fault = "a strategy with kind after one with file: put those with kind first, for their orders leave first";
            return Err((late.span(), fault.into()));
        }
        let slots = &self.statistics.symbols;
        if let Some(slot) = slots.get(instrument::MAX_INSTRUMENTS) {
            let most = instrument::MAX_INSTRUMENTS;
            return Err((slot.span(), format!("more than {most} symbols")));
        }
        for (index, slot) in slots.iter().enumerate() {
            let symbol = slot.get_ref().0;
            let symbol = symbol.map_err(|error| (slot.span(), error.to_string()))?;
            let Some(symbol) = symbol else { continue };
            if slots[..index]
                .iter()
                .any(|other| other.get_ref().0 == Ok(Some(symbol)))
            {
                return Err((slot.span(), format!("symbol {symbol} is named twice")));
            }
        }
        Ok(())
    }
}
