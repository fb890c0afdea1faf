//! `tickwire client`: orders by hand over FIX, prices, stop orders in software.

use std::collections::HashMap;
use std::io::{BufRead, stdin};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::Args;
use session::{
    Config, Credentials, Durable, Event, Initiator, Memory, Role, Safety, Session, Store,
};
use wire::fix::{
    BusinessMessageReject, Decimal, ExecutionReport, MarketDataIncrement, MarketDataRequest,
    MarketDataSnapshot, MdEntryType, MdUpdateAction, NewOrderSingle, OrdType, OrderCancelReject,
    OrderCancelReplaceRequest, OrderCancelRequest, RelatedSymbol, SubscriptionRequestType,
    Timestamp, Version,
};

use crate::console::Console;
use crate::error::Error;
use crate::stop;
use crate::told::Told;
use crate::trader::{self, Command, Order, Prices, Stops};

/// Send orders by hand over FIX, watch prices, hold stop orders in software
#[derive(Args, Debug)]
#[command(after_help = "\
It reads lines from standard input:
  buy 100 ABC 10.00            a limit order; `market` in place of the price; `ioc` or `fok` behind it
  sell 100 ABC market
  stop sell 100 ABC 9.50       held here; sent at the market once the last price is 9.50 or less (buy: or more)
  stop buy 100 ABC 10.50 10.60 the same, with a limit of 10.60
  unstop 1                     forget the first stop order
  cancel NAME                  NAME is ClOrdID, as it was told when the order was sent
  replace NAME 50 10.01
  watch ABC                    best prices and the last one, from now on
  quit
At the end of the input it waits for stop orders and for what is still to come, and logs out. Stop orders are gone when it ends.

Examples:
  tickwire client --name ALICE --connect 127.0.0.1:9880
  echo 'buy 100 ABC 10.00' | tickwire client --name ALICE --json")]
pub struct Arguments {
    /// Its CompID
    #[arg(long, value_name = "NAME")]
    name: String,
    /// Where the exchange listens
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:9880")]
    connect: SocketAddr,
    /// The exchange's CompID
    #[arg(long, value_name = "NAME", default_value = "TICKWIRE")]
    exchange: String,
    /// Speak FIX 4.2 instead of 4.4
    #[arg(long)]
    fix42: bool,
    /// The password, if the exchange wants one
    #[arg(long, value_name = "PASSWORD")]
    password: Option<String>,
    /// Keep numbers and messages in this file, and go on where they were; without it both numbers begin anew at each logon
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// At the end of the input, go on until nothing came for so many milliseconds
    #[arg(long, value_name = "MS", default_value_t = 500)]
    linger_ms: u64,
}

/// How long to wait for the exchange.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the input is looked at.
const TURN: Duration = Duration::from_millis(5);

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

fn now() -> Timestamp {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    Timestamp(now.unwrap_or_default().as_nanos() as u64)
}

fn whole(quantity: u64) -> Decimal {
    Decimal::new(i64::try_from(quantity).unwrap_or(i64::MAX), 0)
}

/// The client.
struct Client {
    initiator: Initiator<Box<dyn Store>>,
    console: Console,
    /// Orders by their names, as they were sent.
    orders: HashMap<String, Order>,
    prices: HashMap<String, Prices>,
    stops: Stops,
    /// Names are made of the time of the start and a number: none is used twice a day.
    start: u64,
    count: u64,
}

/// Runs the command, until its input ends or it is told to.
///
/// # Errors
/// The exchange is not there or does not let it in, the store cannot be opened, the connection breaks.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let version = if arguments.fix42 {
        Version::Fix42
    } else {
        Version::Fix44
    };
    let name = arguments.name.as_bytes();
    let config = Config {
        credentials: arguments.password.as_ref().map(|password| Credentials {
            username: name.to_vec(),
            password: password.clone().into_bytes(),
        }),
        reset_on_logon: arguments.store.is_none(),
        ..Config::new(
            Role::Initiator,
            version,
            name,
            arguments.exchange.as_bytes(),
        )
    };
    let store: Box<dyn Store> = match &arguments.store {
        None => Box::new(Memory::default()),
        Some(path) => {
            let failed = |cause| Error::Store {
                path: path.clone(),
                cause,
            };
            Box::new(Durable::open(path, Safety::Process).map_err(failed)?)
        }
    };
    let mut client = Client {
        initiator: Initiator::new(Session::new(config, store)),
        console,
        orders: HashMap::new(),
        prices: HashMap::new(),
        stops: Stops::default(),
        start: now().0 / 1_000_000_000,
        count: 0,
    };
    let failed = |cause| Error::Connection {
        address: arguments.connect,
        cause,
    };
    client
        .initiator
        .connect(arguments.connect)
        .map_err(failed)?;
    match client.initiator.wait(PATIENCE).map_err(failed)? {
        Some(Event::LoggedOn) => console.print(&Told::LoggedOn)?,
        Some(Event::Disconnect(cause)) => return Err(Error::LoggedOut(cause.to_string())),
        _ => return Err(Error::LoggedOut("no answer to Logon".into())),
    }
    client.serve(&input(), Duration::from_millis(arguments.linger_ms), failed)
}

/// The lines of standard input, as they come.
fn input() -> Receiver<String> {
    let (sender, lines) = channel();
    // It ends with its input, or with the process.
    std::thread::spawn(move || {
        for line in stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

impl Client {
    fn serve(
        &mut self,
        lines: &Receiver<String>,
        linger: Duration,
        failed: impl Fn(std::io::Error) -> Error,
    ) -> Result<(), Error> {
        let (mut open, mut logging_out, mut last) = (true, false, Instant::now());
        loop {
            while open {
                match lines.try_recv() {
                    Ok(line) if line.trim().is_empty() => {}
                    Ok(line) => {
                        last = Instant::now();
                        open = self.command(&line, &failed)?;
                    }
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => open = false,
                }
            }
            let idle = !open && self.stops.len() == 0 && last.elapsed() >= linger;
            if (idle || stop::requested()) && !logging_out {
                logging_out = true;
                self.initiator.log_out().map_err(&failed)?;
            }
            let event = self.initiator.wait(TURN).map_err(&failed)?;
            last = event.map_or(last, |_| Instant::now());
            match event {
                None => {}
                Some(Event::LoggedOn) => self.console.print(&Told::LoggedOn)?,
                Some(Event::Message { .. }) => self.message(&failed)?,
                Some(Event::Disconnect(cause)) => {
                    let cause = cause.to_string();
                    if logging_out {
                        return self.console.print(&Told::Disconnected { cause });
                    }
                    return Err(Error::LoggedOut(cause));
                }
            }
        }
    }

    fn next_name(&mut self) -> String {
        self.count += 1;
        format!("{}-{}", self.start, self.count)
    }

    /// Does what a line says; `false`: it is to end.
    fn command(
        &mut self,
        line: &str,
        failed: &impl Fn(std::io::Error) -> Error,
    ) -> Result<bool, Error> {
        let wrong = |error: String| Told::Wrong {
            line: line.to_owned(),
            error,
        };
        let command = match line.parse::<Command>() {
            Ok(command) => command,
            Err(error) => {
                self.console.print(&wrong(error))?;
                return Ok(true);
            }
        };
        match command {
            Command::Quit => {
                self.stops = Stops::default();
                return Ok(false);
            }
            Command::Order(order) => {
                let name = self.send(&order).map_err(failed)?;
                let what = line.trim().to_owned();
                self.console.print(&Told::Sent { name, what })?;
            }
            Command::Stop { trigger, order } => {
                let symbol = order.symbol.clone();
                let number = self.stops.hold(trigger, order);
                let what = line.trim().to_owned();
                self.console.print(&Told::Held { number, what })?;
                match self.prices.get(&symbol).and_then(|prices| prices.last) {
                    // The price may be there already.
                    Some(last) => self.trigger(&symbol, last, failed)?,
                    None => self.watch(&symbol).map_err(failed)?,
                }
            }
            Command::Unstop(number) => {
                if !self.stops.forget(number) {
                    self.console
                        .print(&wrong("no such stop order waits".into()))?;
                }
            }
            Command::Watch(symbol) => self.watch(&symbol).map_err(failed)?,
            Command::Cancel(old) => match self.orders.get(&old).cloned() {
                None => self
                    .console
                    .print(&wrong("no such order was sent".into()))?,
                Some(order) => {
                    let name = self.next_name();
                    let cancel = OrderCancelRequest {
                        original_client_order_id: old.as_bytes(),
                        client_order_id: name.as_bytes(),
                        symbol: order.symbol.as_bytes(),
                        side: order.side,
                        transact_time: now(),
                        quantity: Some(whole(order.quantity)),
                        ..OrderCancelRequest::default()
                    };
                    self.initiator.send(&cancel).map_err(failed)?;
                    let what = line.trim().to_owned();
                    self.console.print(&Told::Sent { name, what })?;
                }
            },
            Command::Replace {
                name: old,
                quantity,
                price,
            } => match self.orders.get(&old).cloned() {
                None => self
                    .console
                    .print(&wrong("no such order was sent".into()))?,
                Some(order) => {
                    let name = self.next_name();
                    let order = Order {
                        quantity,
                        price: Some(price),
                        ..order
                    };
                    let replace = OrderCancelReplaceRequest {
                        original_client_order_id: old.as_bytes(),
                        client_order_id: name.as_bytes(),
                        handling: Some(b'1'),
                        symbol: order.symbol.as_bytes(),
                        side: order.side,
                        transact_time: now(),
                        quantity: Some(whole(quantity)),
                        order_type: OrdType::Limit,
                        price: Some(price),
                        ..OrderCancelReplaceRequest::default()
                    };
                    self.initiator.send(&replace).map_err(failed)?;
                    self.orders.insert(name.clone(), order);
                    let what = line.trim().to_owned();
                    self.console.print(&Told::Sent { name, what })?;
                }
            },
        }
        Ok(true)
    }

    /// Sends an order, and gives its name.
    fn send(&mut self, order: &Order) -> std::io::Result<String> {
        let name = self.next_name();
        let single = NewOrderSingle {
            client_order_id: name.as_bytes(),
            handling: Some(b'1'),
            symbol: order.symbol.as_bytes(),
            side: order.side,
            transact_time: now(),
            quantity: Some(whole(order.quantity)),
            order_type: match order.price {
                Some(_) => OrdType::Limit,
                None => OrdType::Market,
            },
            price: order.price,
            time_in_force: Some(order.time_in_force),
            ..NewOrderSingle::default()
        };
        self.initiator.send(&single)?;
        self.orders.insert(name.clone(), order.clone());
        Ok(name)
    }

    /// Asks for the prices of an instrument.
    fn watch(&mut self, symbol: &str) -> std::io::Result<()> {
        let entry_types = [MdEntryType::Bid, MdEntryType::Offer, MdEntryType::Trade];
        let symbols = [RelatedSymbol {
            symbol: symbol.as_bytes(),
        }];
        let request = MarketDataRequest {
            request_id: symbol.as_bytes(),
            subscription: SubscriptionRequestType::Subscribe,
            depth: 1,
            update_type: Some(1),
            entry_types: entry_types[..].into(),
            symbols: symbols[..].into(),
            ..MarketDataRequest::default()
        };
        self.initiator.send(&request).map(drop)
    }

    /// Sends the stop orders that a price triggers.
    fn trigger(
        &mut self,
        symbol: &str,
        last: Decimal,
        failed: &impl Fn(std::io::Error) -> Error,
    ) -> Result<(), Error> {
        for (number, order) in self.stops.last_price(symbol, last) {
            let name = self.send(&order).map_err(failed)?;
            let last = trader::text(last);
            self.console
                .print(&Told::Triggered { number, name, last })?;
        }
        Ok(())
    }

    /// Deals with the message that came.
    fn message(&mut self, failed: &impl Fn(std::io::Error) -> Error) -> Result<(), Error> {
        let Some(message) = self.initiator.message() else {
            return Ok(());
        };
        let mut traded = vec![];
        let mut told = vec![];
        match message.msg_type() {
            b"8" => {
                if let Ok((_, report)) = message.read::<ExecutionReport<'_>>() {
                    told.push(Told::Report {
                        name: lossy(report.client_order_id.unwrap_or_default()),
                        execution: format!("{:?}", report.execution_type),
                        status: format!("{:?}", report.status),
                        last_quantity: report.last_quantity.map(trader::text),
                        last_price: report.last_price.map(trader::text),
                        leaves: trader::text(report.leaves_quantity),
                        text: report.text.map(lossy),
                    });
                }
            }
            b"9" => {
                if let Ok((_, reject)) = message.read::<OrderCancelReject<'_>>() {
                    told.push(Told::Refused {
                        name: lossy(reject.client_order_id),
                        text: reject.text.map(lossy).unwrap_or_default(),
                    });
                }
            }
            b"j" => {
                if let Ok((_, reject)) = message.read::<BusinessMessageReject<'_>>() {
                    told.push(Told::Refused {
                        name: lossy(reject.reference_id.unwrap_or_default()),
                        text: reject.text.map(lossy).unwrap_or_default(),
                    });
                }
            }
            b"W" => {
                if let Ok((_, snapshot)) = message.read::<MarketDataSnapshot<'_>>() {
                    let symbol = lossy(snapshot.symbol);
                    let mut prices = Prices::default();
                    for entry in &snapshot.entries {
                        prices.entry(entry.entry_type, MdUpdateAction::New, entry.price);
                    }
                    traded.extend(prices.last.map(|last| (symbol.clone(), last)));
                    told.push(Told::prices(&symbol, prices));
                    self.prices.insert(symbol, prices);
                }
            }
            b"X" => {
                if let Ok((_, increment)) = message.read::<MarketDataIncrement<'_>>() {
                    let mut changed = vec![];
                    for entry in &increment.entries {
                        let (Some(symbol), Some(what)) = (entry.symbol, entry.entry_type) else {
                            continue;
                        };
                        let symbol = lossy(symbol);
                        let prices = self.prices.entry(symbol.clone()).or_default();
                        prices.entry(what, entry.action, entry.price);
                        if what == MdEntryType::Trade {
                            traded.extend(entry.price.map(|last| (symbol.clone(), last)));
                        }
                        if !changed.contains(&symbol) {
                            changed.push(symbol);
                        }
                    }
                    for symbol in changed {
                        let prices = self.prices.get(&symbol).copied().unwrap_or_default();
                        told.push(Told::prices(&symbol, prices));
                    }
                }
            }
            _ => {}
        }
        for told in told {
            self.console.print(&told)?;
        }
        for (symbol, last) in traded {
            self.trigger(&symbol, last, failed)?;
        }
        Ok(())
    }
}
