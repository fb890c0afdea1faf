//! The `session` section of a desk: the FIX session of the core's orders, its limits and its stops.

mod orders;

use std::net::{Ipv4Addr, SocketAddrV4};
use std::num::NonZeroU16;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use formats::Side;
use formats::fix::Version;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use session::{Config, Credentials, Resend, Role};
use toml::Spanned;

use super::traded::{Amount, Traded};
pub use orders::Orders;

/// An order session.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// Where the exchange listens.
    pub peer: SocketAddrV4,
    /// The router to it; the exchange itself if it is on the same network.
    pub next_hop: Option<Ipv4Addr>,
    /// Our port; a random one if it is left out.
    pub local_port: Option<u16>,
    /// The shortest time, in milliseconds, until TCP sends again what is not acknowledged (RFC 6298: 1000; Linux: 200): less on a line whose round
    /// trips are short. 200 if it is left out.
    pub rto_minimum_ms: Option<NonZeroU16>,
    /// How often the core's TCP sends again what is not acknowledged, or probes, each time after twice as long, until it gives the connection up: 1 to 15; 8 if it is left out. It also gives up when the FIX session does.
    #[serde(default, deserialize_with = "retries")]
    pub tcp_retries: Option<u8>,
    /// SenderCompID: our name.
    pub sender: String,
    /// TargetCompID: the exchange's.
    pub target: String,
    /// Username of the Logon.
    pub username: Option<String>,
    /// Password of the Logon.
    pub password: Option<String>,
    /// HeartBtInt, in seconds.
    #[serde(default = "heartbeat")]
    pub heartbeat: u32,
    /// Both sides begin at 1 with every Logon.
    #[serde(default)]
    pub reset_on_logon: bool,
    /// How orders are resent when the exchange asks for them.
    #[serde(default)]
    pub resend: ResendOrders,
    /// An order or replacement that left longer ago, in seconds, is not sent again when the exchange asks for it, but reported; cancels are. 60 if it is left out.
    #[serde(default = "resend_within")]
    pub resend_within_s: u32,
    /// Where numbers and messages are stored; in memory if it is left out.
    pub store: Option<PathBuf>,
    /// What the store survives.
    #[serde(default)]
    pub durability: Durability,
    /// Account (1).
    pub account: Option<String>,
    /// What ClOrdID begins with.
    #[serde(default)]
    pub client_order_id_prefix: String,
    /// Characters of OrderQty.
    #[serde(default = "quantity_width")]
    pub quantity_width: u8,
    /// Characters of Price.
    #[serde(default = "price_width")]
    pub price_width: u8,
    /// Constant fields of new orders: tag and value.
    #[serde(default)]
    pub fields: Vec<(u32, String)>,
    /// What is traded: [`Session::traded`].
    instruments: Vec<Spanned<Traded>>,
    /// Limits of all orders.
    pub limits: AllLimits,
    /// Stops that are armed from the beginning; those there is no slot for wait until one is free.
    #[serde(default)]
    pub stops: Vec<StopOrder>,
}

const fn heartbeat() -> u32 {
    30
}

const fn resend_within() -> u32 {
    60
}

/// What fits the core's register, and is not none.
fn retries<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u8>, D::Error> {
    let retries = u8::deserialize(deserializer)?;
    match retries {
        1..=15 => Ok(Some(retries)),
        _ => Err(D::Error::custom("tcp_retries: write 1 to 15")),
    }
}

const fn quantity_width() -> u8 {
    8
}

const fn price_width() -> u8 {
    13
}

/// How orders are resent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResendOrders {
    /// As they were, with PossDupFlag.
    #[default]
    Again,
    /// Not at all: a late order is worse than a lost one.
    #[serde(rename = "gap fill")]
    GapFill,
}

/// What a store survives; see [`session::Durability`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// The end of the program, however sudden; a power cut can lose the last seconds.
    #[default]
    Process,
    /// A power cut too: each commit waits for the disk.
    Power,
}

/// Limits of all orders.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllLimits {
    /// Of an order.
    pub max_quantity: u32,
    /// Of an order: price times quantity.
    pub max_notional: Amount,
    /// Orders in any `rate_ms`, at most 255.
    pub rate_orders: u8,
    /// Milliseconds.
    pub rate_ms: u32,
    /// Orders whose end the exchange has not reported.
    pub max_open_orders: u16,
    /// Milliseconds without a price or a heartbeat of the feed after which no order leaves; 0: never.
    #[serde(default)]
    pub stale_ms: u32,
}

/// A stop.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopOrder {
    /// One of the instruments.
    pub symbol: String,
    /// `buy` or `sell`.
    pub side: OrderSide,
    /// A sell fires when the last price is at or below it, a buy at or above.
    pub trigger: Amount,
    /// The order's limit; a market order if it is left out.
    pub limit: Option<Amount>,
    /// Quantity.
    pub quantity: u32,
}

/// An order's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OrderSide {
    /// `buy`.
    Buy,
    /// `sell`.
    Sell,
}

impl From<OrderSide> for Side {
    fn from(side: OrderSide) -> Self {
        match side {
            OrderSide::Buy => Side::Buy,
            OrderSide::Sell => Side::Sell,
        }
    }
}

impl Session {
    /// The instruments.
    pub fn traded(&self) -> impl Iterator<Item = &Traded> + Clone {
        self.instruments.iter().map(Spanned::get_ref)
    }

    /// Checks each instrument; `decimals`: of the feed's prices, if they are known.
    ///
    /// # Errors
    /// Where it stands, what does not fit, and what to change.
    pub fn check_instruments(&self, decimals: Option<u8>) -> Result<(), (Range<usize>, String)> {
        self.instruments.iter().try_for_each(|traded| {
            let checked = traded.get_ref().check(decimals);
            checked.map_err(|fault| (traded.span(), fault))
        })
    }

    /// Whether the core can read the names of its instruments; software reads all.
    ///
    /// # Errors
    /// One is too long.
    pub fn fits_core(&self) -> Result<(), String> {
        self.traded().try_for_each(Traded::fits_core)
    }

    /// The same for those whose prices come on the session alone.
    ///
    /// # Errors
    /// One is too long.
    pub fn session_names_fit_core(&self) -> Result<(), String> {
        let mut on_session = self.traded().filter(|traded| !traded.feed);
        on_session.try_for_each(Traded::fits_core)
    }

    /// The session's settings.
    pub fn config(&self) -> Config {
        let (sender, target) = (self.sender.as_bytes(), self.target.as_bytes());
        let mut config = Config::new(Role::Initiator, Version::Fix44, sender, target);
        config.heartbeat_interval = self.heartbeat;
        config.reset_on_logon = self.reset_on_logon;
        config.resend = match self.resend {
            ResendOrders::Again => Resend::Again,
            ResendOrders::GapFill => Resend::GapFill,
        };
        config.resend_within = Some(Duration::from_secs(self.resend_within_s.into()));
        config.logon_timeout = Duration::from_secs(30);
        if self.username.is_some() || self.password.is_some() {
            let text = |text: &Option<String>| text.clone().unwrap_or_default().into_bytes();
            config.credentials = Some(Credentials {
                username: text(&self.username),
                password: text(&self.password),
            });
        }
        config
    }

    /// What its store survives.
    pub const fn durability(&self) -> session::Durability {
        match self.durability {
            Durability::Process => session::Durability::Process,
            Durability::Power => session::Durability::Power,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const GOOD: &str = "peer = \"192.0.2.1:9880\"\nsender = \"ALICE\"\ntarget = \"EX\"\n\
        instruments = [{ symbol = \"ABC\", decimals = 2, collar = \"0.50\", position = 1000 }]\n\
        stops = [{ symbol = \"ABC\", side = \"sell\", trigger = \"10.05\", limit = \"10\", quantity = 7 }]\n\
        [limits]\nmax_quantity = 100\nmax_notional = \"1000\"\nrate_orders = 10\nrate_ms = 1000\nmax_open_orders = 5\n";

    #[test]
    fn how_long_tcp_tries_and_orders_are_sent_again_is_the_desks() {
        let read = |more: &str| {
            let read = toml::from_str::<Session>(&format!("{more}{GOOD}"));
            read.map_err(|error| error.message().to_owned())
        };
        let session = read("").unwrap();
        assert_eq!(session.tcp_retries, None);
        let within = |session: &Session| session.config().resend_within;
        assert_eq!(within(&session), Some(Duration::from_secs(60)));
        let session = read("tcp_retries = 15\nresend_within_s = 5\n").unwrap();
        assert_eq!(session.tcp_retries, Some(15));
        assert_eq!(within(&session), Some(Duration::from_secs(5)));
        for retries in [0, 16] {
            let refused = read(&format!("tcp_retries = {retries}\n")).unwrap_err();
            assert!(refused.contains("1 to 15"), "{refused}");
        }
    }

    #[test]
    fn each_fault_of_an_instrument_is_found_where_the_instrument_stands() {
        let faults = |more: &str, decimals: Option<u8>| {
            let text = GOOD.replace("position = 1000", &format!("position = 1000{more}"));
            let session: Session = toml::from_str(&text).unwrap();
            let (span, fault) = session.check_instruments(decimals).unwrap_err();
            assert!(text[span].starts_with("{ symbol = \"ABC\""), "{more}");
            fault
        };
        for (more, decimals, says) in [
            (", feed = true", Some(4), "write decimals = 4"),
            (", feed = true, id = 72057594037927936", None, "id is 2^56"),
            (", id = 7", None, "give it feed = true"),
            // 2^46; the digits before are those of 1000.
            (
                "00000000000",
                None,
                "position = 100000000000000 is too large: 70368744177663 (2^46 - 1) at most",
            ),
            (
                ", feed = true, tick = \"0.05\", window = \"10.01\"",
                Some(2),
                "window is no multiple of tick",
            ),
            // 3125 = 5^5; with one decimal less it is no whole number.
            (", feed = true, tick = \"31.25\"", Some(2), "tick size 3125"),
            // 6250 = 2 * 5^5.
            (
                ", feed = true, tick = \"62.5\"",
                Some(2),
                "with fewer decimals it would fit: decimals = 1",
            ),
        ] {
            let fault = faults(more, decimals);
            assert!(fault.contains(says), "{more}: {fault}");
        }
        assert!(!faults(", feed = true, tick = \"31.25\"", None).contains("would fit"));
    }
}
