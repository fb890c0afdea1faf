use device::af_xdp::Unavailable;
use feed::socket::Wait;

use super::*;

const SOCKETS: [Intake; 2] = [
    Intake::Sockets(Wait::BusyPoll),
    Intake::Sockets(Wait::Blocking),
];

/// `None`, and why, where this machine does not allow AF_XDP; anything else that fails is a fault of ours.
pub(crate) fn allowed<T>(measured: Result<T, Error>) -> Option<T> {
    match measured {
        Err(Error::AfXdp(
            why @ (Unavailable::NotPermitted { .. } | Unavailable::NoSockets | Unavailable::NoIp),
        )) => {
            eprintln!("SKIPPED: {why}");
            None
        }
        measured => Some(measured.unwrap()),
    }
}

#[test]
fn each_datagram_is_answered_with_an_order_and_with_an_echo() {
    for intake in [&SOCKETS[..], &[Intake::AfXdp]].concat() {
        let measured = measure(intake, 40, &mut |_, _, _| ());
        let Some(measured) = allowed(measured) else {
            continue;
        };
        assert_eq!((measured.order_ns.count, measured.echo_ns.count), (40, 40));
        assert!(measured.over_echo > 0.0);
    }
}

/// A trade, then a new best ask a packet.
pub(crate) fn market() -> Packets {
    let mut feed = Feed::new();
    let first = feed.trade().unwrap().to_vec();
    let then = (0..200).map(|_| feed.next().unwrap().to_vec());
    let packets: Vec<_> = std::iter::once(first).chain(then).collect();
    Packets::of("market", packets.into_iter().map(|bytes| (bytes, 0, 1)))
}

/// Each order's fields, without those that the clock is in: SendingTime, TransactTime, CheckSum.
fn orders_of(intake: Intake, packets: &Packets) -> Result<Vec<Vec<String>>, Error> {
    let (trading, length) = trading()?;
    let mut orders = vec![];
    let shown = |bytes: &[u8]| {
        for order in bytes.chunks(length) {
            let text = String::from_utf8(order.to_vec()).unwrap();
            let fields = text.split('\u{1}').map(str::to_owned);
            let clock = |field: &String| {
                ["52=", "60=", "10="]
                    .iter()
                    .any(|tag| field.starts_with(tag))
            };
            orders.push(fields.filter(|field| !clock(field)).collect());
        }
    };
    let desk = InSoftware {
        trading,
        programs: || Ok(Programs::default()),
        opening: None,
        length,
    };
    let (taken, counted) = of_packets(desk, packets, intake, shown, &mut |_, _, _| ())?;
    assert_eq!((taken.len(), counted.sent), (200, 200));
    Ok(orders)
}

#[test]
fn orders_over_af_xdp_are_those_over_sockets() {
    let packets = market();
    let [busy_poll, blocking] = SOCKETS.map(|intake| orders_of(intake, &packets).unwrap());
    assert_eq!(busy_poll.len(), 200);
    // The feed's asks, up and down by a cent.
    for (order, cent) in busy_poll.iter().zip([1, 0].into_iter().cycle()) {
        let price = order.iter().find_map(|field| field.strip_prefix("44="));
        let price: f64 = price.unwrap().trim().parse().unwrap();
        assert_eq!(
            (price * 100.0).round(),
            f64::from(10_000 + cent),
            "{order:?}"
        );
    }
    assert_eq!(busy_poll, blocking);
    if let Some(af_xdp) = allowed(orders_of(Intake::AfXdp, &packets)) {
        assert_eq!(af_xdp, busy_poll);
    }
}

#[test]
fn a_packet_that_does_not_fit_into_a_frame_is_told() {
    let packets = Packets::of("long", [(vec![0; 1_473], 0, 1)]);
    let told = orders_of(Intake::AfXdp, &packets).unwrap_err();
    let sentence = "AF_XDP was not measured: a packet has a payload of 1473 bytes: at most 1472 fit into a frame of the veth devices";
    assert_eq!(told.to_string(), sentence);
}

/// Runs it in a thread that may do nothing that takes a privilege, nor may those that it starts.
pub(crate) fn without_capabilities<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let none = CapabilitySets {
                effective: CapabilitySet::empty(),
                permitted: CapabilitySet::empty(),
                inheritable: CapabilitySet::empty(),
            };
            set_capabilities(None, none).unwrap();
            run()
        });
        thread.join().unwrap()
    })
}

#[test]
fn without_permission_a_sentence_says_what_is_needed() {
    let told = without_capabilities(|| orders_of(Intake::AfXdp, &market()).unwrap_err());
    let sentence = "AF_XDP was not measured: a network namespace is not permitted: run as root (CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_NET_RAW and CAP_BPF)";
    assert_eq!(told.to_string(), sentence);
}
