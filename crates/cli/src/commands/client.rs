//! `tickwire client`: orders by hand over FIX, prices, stop orders in software; on a terminal screen, or line by line.

use std::io::{self, BufRead, IsTerminal, stdin, stdout};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use clap::Args;
use client::{EndReason, Notice, Trader, lines, screen};
use formats::fix::Version;
use session::{Config, Credentials, Durability, Durable, Memory, Role, Session, Store};

use crate::console::Console;
use crate::error::Error;
use crate::stop;

/// Send orders by hand over FIX, watch prices, hold stop orders in software
#[derive(Args, Debug)]
#[command(after_help = "\
On a terminal it is a screen: prices, stop orders, orders, messages, and a line to type in. With --lines or --json it reads the same
lines from standard input:
  buy 100 ABC 10.00            a limit order; after it `ioc` (immediate or cancel) or `fok` (fill or kill)
  sell 100 ABC market          a market order
  sell 100 ABC stop 9.50       a stop order that the exchange holds; with a limit of 9.40: stop 9.50 9.40
  stop sell 100 ABC 9.50       held here; sent at the market once the last price is 9.50 or less (buy: or more)
  stop buy 100 ABC 10.50 10.60 the same, with a limit of 10.60
  unstop 1                     forget the first stop order
  cancel NAME                  NAME is the ClOrdID that was shown when the order was sent
  replace NAME 50 10.01        another quantity (what was traded included) and another limit, or trigger of an order without a limit
  watch ABC                    best prices and the last one, from now on
  quit
At the end of its lines it waits for stop orders and for what is still to come, and logs out. Stop orders held here are gone when it ends;
orders at the exchange stay.

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
    /// The password, if the exchange requires one
    #[arg(long, value_name = "PASSWORD")]
    password: Option<String>,
    /// Store numbers and messages in this file, which survives kill -9, and resume from them; without it both numbers begin again at each logon
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// No screen: lines in from standard input, lines out
    #[arg(long)]
    lines: bool,
    /// At the end of the lines, go on until nothing came for so long
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = humantime::parse_duration)]
    linger: Duration,
}

/// Runs the command, until its input ends or a signal ends it.
///
/// # Errors
/// There is no terminal, the exchange is not there or does not let it in, the store cannot be opened, the connection breaks.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let lines = arguments.lines || console.is_json();
    if !(lines || stdin().is_terminal() && stdout().is_terminal()) {
        return Err(Error::NoTerminal);
    }
    let failed = |ended| match ended {
        EndReason::Connection(cause) => Error::Connection {
            address: arguments.connect,
            cause,
        },
        EndReason::LoggedOut(cause) => Error::LoggedOut(cause),
        EndReason::Print(cause) => Error::Print(cause),
    };
    let mut trader = Trader::log_on(arguments.connect, arguments.session()?).map_err(failed)?;
    if lines {
        let print = |notice: &Notice| match console.print(notice) {
            Err(Error::Print(cause)) => Err(cause),
            Err(other) => Err(io::Error::other(other)),
            Ok(()) => Ok(()),
        };
        return lines::run(
            &mut trader,
            &input(),
            arguments.linger,
            stop::requested,
            print,
        )
        .map_err(failed);
    }
    let (name, exchange, address) = (&arguments.name, &arguments.exchange, arguments.connect);
    let title = format!("{name} at {exchange}, {address}");
    screen::terminal::run(&mut trader, title, stop::requested).map_err(failed)?;
    let orders = trader.account().orders();
    let open = orders.iter().filter(|own| own.is_open()).count();
    if open > 0 {
        console.note(&format!("{open} open orders stay at the exchange"));
    }
    Ok(())
}

impl Arguments {
    fn session(&self) -> Result<Session<Box<dyn Store>>, Error> {
        let version = if self.fix42 {
            Version::Fix42
        } else {
            Version::Fix44
        };
        let name = self.name.as_bytes();
        let config = Config {
            credentials: self.password.as_ref().map(|password| Credentials {
                username: name.to_vec(),
                password: password.clone().into_bytes(),
            }),
            reset_on_logon: self.store.is_none(),
            ..Config::new(Role::Initiator, version, name, self.exchange.as_bytes())
        };
        let store: Box<dyn Store> = match &self.store {
            None => Box::new(Memory::default()),
            Some(path) => {
                let failed = |cause| live::Error::Store {
                    path: path.clone(),
                    cause,
                };
                Box::new(Durable::open(path, Durability::Process).map_err(failed)?)
            }
        };
        Ok(Session::new(config, store))
    }
}

/// The lines of standard input, as they come.
pub(super) fn input() -> Receiver<String> {
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
