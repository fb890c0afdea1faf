//! A bare UDP echo: the minimum that any socket handler costs, with which the bench compares the software pipeline.

use std::io;
use std::sync::atomic::AtomicBool;

use crate::socket::{Input, Next, Receiver, Sender};

/// Sends each datagram received on `receiver` to `sender`, unread, until `stop` is set; gives how many.
///
/// # Errors
/// Those of the socket calls.
pub fn run(receiver: &mut Receiver, sender: &Sender, stop: &AtomicBool) -> io::Result<u64> {
    let mut echoed = 0;
    let mut failure = None;
    receiver.run(stop, |input| {
        if let Input::Datagram { payload, .. } = input {
            if let Err(error) = sender.send(payload) {
                failure = Some(error);
                return Next::Stop;
            }
            echoed += 1;
        }
        Next::Continue
    })?;
    failure.map_or(Ok(echoed), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::socket::{Endpoint, SenderOptions, Wait};
    use std::net::{SocketAddr, UdpSocket};
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    fn endpoint(address: SocketAddr) -> Endpoint {
        address.to_string().parse().unwrap()
    }

    #[test]
    fn every_datagram_comes_back_as_it_went() {
        for wait in [Wait::Blocking, Wait::BusyPoll] {
            let mut receiver =
                Receiver::open(&["127.0.0.1:0".parse().unwrap()], wait, 1 << 16).unwrap();
            let there = receiver.local_addresses().unwrap()[0];
            let back = UdpSocket::bind("127.0.0.1:0").unwrap();
            back.set_read_timeout(Some(Duration::from_secs(10)))
                .unwrap();
            let sender = Sender::open(
                &endpoint(back.local_addr().unwrap()),
                SenderOptions::default(),
            )
            .unwrap();
            let stop = AtomicBool::new(false);
            std::thread::scope(|scope| {
                let echo = scope.spawn(|| run(&mut receiver, &sender, &stop));
                for length in [0, 1, 1000] {
                    back.send_to(&vec![7; length], there).unwrap();
                    let mut buffer = [0; 2000];
                    assert_eq!(back.recv(&mut buffer).unwrap(), length);
                }
                stop.store(true, Ordering::Relaxed);
                assert_eq!(echo.join().unwrap().unwrap(), 3);
            });
        }
    }
}
