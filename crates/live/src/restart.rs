//! What a session that begins again had open and held: out of its store, or as the operator confirms it.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use device::Account;
use risk::Ledger;
use serde::Serialize;
use session::{Memory, Store};

use crate::desk::Session;
use crate::{Error, Monitor, Notice};

/// What is held, as the operator confirms it: bought less sold, by symbol. Instruments that are not named hold nothing, and no order is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Positions(Vec<(String, i64)>);

impl FromStr for Positions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Positions(vec![]));
        }
        let mut positions: Vec<(String, i64)> = vec![];
        for one in text.split(',') {
            let (symbol, quantity) = one
                .rsplit_once('=')
                .filter(|(symbol, _)| !symbol.is_empty())
                .ok_or_else(|| {
                    format!("{one:?}: write SYMBOL=QUANTITY, or none for no position at all")
                })?;
            let quantity: i64 = quantity
                .parse()
                .map_err(|_| format!("{symbol}: {quantity:?} is no whole quantity"))?;
            if quantity.unsigned_abs() > risk::MAX_POSITION {
                return Err(format!("{symbol}: {quantity} is beyond 2^46 - 1"));
            }
            if positions.iter().any(|(other, _)| other == symbol) {
                return Err(format!("{symbol} stands twice"));
            }
            positions.push((symbol.to_owned(), quantity));
        }
        Ok(Positions(positions))
    }
}

/// What counts against the limits from the beginning.
#[derive(Debug, Serialize)]
pub struct Restored {
    /// Orders whose end is not known.
    open_orders: u32,
    /// Bought less sold, where that is not nothing.
    positions: BTreeMap<String, i64>,
    /// Why it may be otherwise: no order leaves until the operator has confirmed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    unsure: Option<String>,
}

impl Restored {
    fn of(ledger: &Ledger) -> Self {
        let named = (0..=u8::MAX).zip(ledger.exposures());
        let held = named.map(|(index, (symbol, _))| (symbol.to_owned(), ledger.position(index)));
        Restored {
            open_orders: ledger.open_orders(),
            positions: held.filter(|(_, position)| *position != 0).collect(),
            unsure: ledger.unsure().map(|why| why.to_string()),
        }
    }

    fn is_nothing(&self) -> bool {
        self.open_orders == 0 && self.positions.is_empty() && self.unsure.is_none()
    }
}

impl fmt::Display for Restored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "from before: {} orders open", self.open_orders)?;
        let mut held = self.positions.iter();
        held.try_for_each(|(symbol, position)| write!(f, ", {position} {symbol} held"))?;
        match &self.unsure {
            None => write!(
                f,
                "; they count against the limits, and no strategy follows them"
            ),
            Some(why) => write!(
                f,
                "; NO ORDER LEAVES: {why}. Cancel what is open at the exchange, and start again with --confirm-positions and what it says is held (or none)"
            ),
        }
    }
}

/// Opens a session's store, and says what it has open and held. `symbols`: the instruments by index; an empty name is none.
///
/// # Errors
/// The store cannot be opened; a position is confirmed of what is not traded; what it holds cannot be printed.
pub fn open(
    session: &Session,
    symbols: Vec<String>,
    confirmed: Option<&Positions>,
    monitor: &dyn Monitor,
) -> Result<(Box<dyn Store>, Account), Error> {
    let index = |(symbol, position): &(String, i64)| {
        let place = symbols.iter().position(|known| known == symbol);
        let place = place.and_then(|place| u8::try_from(place).ok());
        let place = place
            .ok_or_else(|| Error::Session(format!("--confirm-positions: {symbol} is not traded")));
        Ok::<_, Error>((place?, *position))
    };
    let confirmed = confirmed
        .map(|Positions(confirmed)| confirmed.iter().map(index).collect::<Result<Vec<_>, _>>())
        .transpose()?;
    let (store, mut account): (Box<dyn Store>, _) = match &session.store {
        None => {
            monitor.note("the desk's session has no store: nothing remembers what is open and held when this ends");
            (Box::new(Memory::default()), Account::in_memory(symbols))
        }
        Some(path) => {
            let anew = session.reset_on_logon;
            let opened = Account::open(path, session.durability(), anew, symbols);
            let (store, account) = opened.map_err(|cause| Error::Store {
                path: path.clone(),
                cause,
            })?;
            (Box::new(store), account)
        }
    };
    if let Some(confirmed) = confirmed {
        account.confirm(&confirmed);
    }
    let restored = Restored::of(account.ledger());
    if !restored.is_nothing() {
        monitor.notice(&Notice::Restored(restored))?;
    }
    Ok((store, account))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_whole_and_stand_once() {
        let read = |text: &str| text.parse::<Positions>();
        assert_eq!(read("none"), Ok(Positions(vec![])));
        let held = vec![("ABC".to_owned(), 100), ("A=B".to_owned(), -7)];
        assert_eq!(read("ABC=100,A=B=-7"), Ok(Positions(held)));
        for (text, says) in [
            ("", "SYMBOL=QUANTITY"),
            ("ABC", "SYMBOL=QUANTITY"),
            ("=5", "SYMBOL=QUANTITY"),
            ("ABC=", "no whole quantity"),
            ("ABC=1.5", "no whole quantity"),
            ("ABC=1,ABC=2", "stands twice"),
            ("ABC=-70368744177664", "2^46"),
        ] {
            let refused = read(text).unwrap_err();
            assert!(refused.contains(says), "{text}: {refused}");
        }
    }
}
