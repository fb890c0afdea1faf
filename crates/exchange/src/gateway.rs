//! Requests of clients to orders of the engine, and what is refused on the way.

mod changes;
mod market_data;
mod orders;
mod unsupported;

use formats::Symbol;
use formats::fix::{Decimal, OrdType, TimeInForce, Timestamp, Version};

use crate::exchange::Exchange;
use crate::listing::Listing;
use crate::order::{self, Kind, Refusal};
use crate::outgoing::Outbox;
use crate::records::{Name, NameState};
use crate::report::{Pending, Reporter};

/// Why an order is refused, beyond what the engine refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum Refused {
    #[error("Unknown symbol")]
    Symbol,
    #[error("ClOrdID longer than 32 bytes")]
    Name,
    #[error("Duplicate ClOrdID")]
    Duplicate,
    #[error("Too many orders today")]
    Names,
    #[error("OrderQty missing, or not a whole number")]
    Quantity,
    #[error("Price missing, or not a multiple of the tick")]
    Price,
    #[error("StopPx missing, or not a multiple of the tick")]
    StopPrice,
    #[error("Unknown order")]
    Unknown,
    #[error("Refused on purpose")]
    Fault,
    #[error("Not taken: the exchange can store no more orders")]
    Storage,
    #[error("Too late to cancel")]
    Late,
    #[error("The order was replaced: its ClOrdID is {0} now")]
    Replaced(Name),
    #[error("Symbol or Side is not that of the order")]
    Other,
    #[error("OrdType of a replacement must be that of the order")]
    Type,
    #[error("TimeInForce of a replacement must be that of the order")]
    TimeInForce,
    #[error("OrdType or TimeInForce is not supported")]
    Unsupported,
    #[error("{0}")]
    Engine(#[from] Refusal),
}

impl Refused {
    /// OrdRejReason (103).
    const fn order_code(self, version: Version) -> u32 {
        match self {
            Refused::Symbol => 1,
            Refused::Engine(Refusal::LargeQuantity) => 3,
            Refused::Duplicate => 6,
            Refused::Unsupported if matches!(version, Version::Fix44) => 11,
            Refused::Quantity | Refused::Engine(Refusal::ZeroQuantity)
                if matches!(version, Version::Fix44) =>
            {
                13
            }
            _ if matches!(version, Version::Fix44) => 99,
            _ => 0,
        }
    }

    /// CxlRejReason (102).
    const fn cancel_code(self, version: Version) -> u32 {
        match self {
            Refused::Late => 0,
            Refused::Unknown | Refused::Engine(Refusal::Order | Refusal::Client) => 1,
            Refused::Duplicate if matches!(version, Version::Fix44) => 6,
            _ if matches!(version, Version::Fix44) => 99,
            _ => 2,
        }
    }
}

/// A symbol of the wire, if it can be one of ours.
fn symbol(text: &[u8]) -> Option<Symbol> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// `None`: one that is not implemented here.
const fn kind(order_type: OrdType) -> Option<Kind> {
    Some(match order_type {
        OrdType::Limit => Kind::Limit,
        OrdType::Market => Kind::Market,
        OrdType::Stop => Kind::Stop,
        OrdType::StopLimit => Kind::StopLimit,
        _ => return None,
    })
}

/// `None`: one that is not implemented here.
pub(crate) const fn time_in_force(of: TimeInForce) -> Option<order::TimeInForce> {
    Some(match of {
        TimeInForce::Day | TimeInForce::GoodTillCancel => order::TimeInForce::Day,
        TimeInForce::ImmediateOrCancel => order::TimeInForce::ImmediateOrCancel,
        TimeInForce::FillOrKill => order::TimeInForce::FillOrKill,
        _ => return None,
    })
}

/// An integer quantity that is not negative.
fn quantity(value: Option<Decimal>) -> Result<u64, Refused> {
    let value = value
        .and_then(|value| value.at_scale(0))
        .ok_or(Refused::Quantity)?;
    u64::try_from(value).map_err(|_| Refused::Quantity)
}

/// Limit and trigger in ticks; 0 where the kind has none.
fn prices(
    listing: &Listing,
    kind: Kind,
    price: Option<Decimal>,
    stop: Option<Decimal>,
) -> Result<(i64, i64), Refused> {
    let ticks = |wanted: bool, value: Option<Decimal>, refused| {
        if !wanted {
            return Ok(0);
        }
        value.and_then(|value| listing.ticks(value)).ok_or(refused)
    };
    Ok((
        ticks(kind.has_limit(), price, Refused::Price)?,
        ticks(kind.is_stop(), stop, Refused::StopPrice)?,
    ))
}

impl Exchange {
    fn version(&self, client: u32) -> Version {
        self.clients
            .get(client as usize)
            .map_or(Version::Fix44, |client| client.version)
    }

    /// An ExecID for what the journal does not have: it must not be one of those counted.
    fn uncounted_execution(&mut self, now: Timestamp) -> u64 {
        self.uncounted += 1;
        now.0 + self.uncounted
    }

    /// A name that was not used before.
    fn unused(&self, client: u32, text: &[u8]) -> Result<Name, Refused> {
        let name = Name::new(text).ok_or(Refused::Name)?;
        if self.records.known(client, &name) != NameState::Unknown {
            return Err(Refused::Duplicate);
        }
        if self.records.names() >= self.settings.most_names {
            return Err(Refused::Names);
        }
        Ok(name)
    }

    /// The engine, and what takes its events.
    pub(crate) fn reporter<'a>(
        &'a mut self,
        now: Timestamp,
        outbox: &'a mut dyn Outbox,
        pending: Option<Pending>,
    ) -> (&'a mut crate::Engine, Reporter<'a>) {
        let reporter = Reporter {
            records: &mut self.records,
            listings: &self.listings,
            clients: &self.clients,
            executions: &mut self.executions,
            prices: &mut self.prices,
            publishers: &mut self.publishers,
            outbox,
            now,
            pending,
        };
        (&mut self.engine, reporter)
    }
}
