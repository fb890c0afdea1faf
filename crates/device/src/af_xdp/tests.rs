use std::net::{Ipv4Addr, UdpSocket};
use std::path::Path;
use std::time::{Duration, Instant};

use formats::frame::{NetConfig, classify_without_fcs};
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

use super::veth::{ADDRESS, MAC, MAX_PAYLOAD, Pair, RECEIVER, SENDER};
use super::*;

const PORT: u16 = 26_400;

/// `None`, and why, where this machine does not allow it. Anything else is a fault of ours.
fn allowed<T>(opened: Result<T, Unavailable>) -> Option<T> {
    match opened {
        Err(
            why @ (Unavailable::NotPermitted { .. } | Unavailable::NoSockets | Unavailable::NoIp),
        ) => {
            eprintln!("SKIPPED: {why}");
            None
        }
        opened => Some(opened.unwrap()),
    }
}

/// A pair of devices, the receiver at its one end and a socket at the other.
fn opened() -> Option<(Pair, Receiver, UdpSocket)> {
    let pair = allowed(Pair::new())?;
    let receiver = allowed(pair.run(|| Receiver::open(RECEIVER)).unwrap())?;
    let sender = pair.run(|| {
        let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
        socket.connect((ADDRESS, PORT)).unwrap();
        socket
    });
    Some((pair, receiver, sender.unwrap()))
}

/// Takes frames until there are so many, or for two seconds.
fn take(receiver: &mut Receiver, count: usize) -> Vec<Vec<u8>> {
    let (mut frames, began) = (vec![], Instant::now());
    while frames.len() < count && began.elapsed() < Duration::from_secs(2) {
        receiver.receive(|frame| frames.push(frame.to_vec()));
    }
    frames
}

/// Runs it in a thread that keeps `kept` of its capabilities, as do the threads and programs that it starts.
fn with_only<T: Send>(kept: CapabilitySet, run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let kept = kept & capabilities(None).unwrap().permitted;
            let sets = CapabilitySets {
                effective: kept,
                permitted: kept,
                inheritable: CapabilitySet::empty(),
            };
            set_capabilities(None, sets).unwrap();
            run()
        });
        thread.join().unwrap()
    })
}

#[test]
fn what_is_sent_on_the_pair_arrives_byte_for_byte_and_in_order() {
    let Some((_pair, mut receiver, sender)) = opened() else {
        return;
    };
    let config = NetConfig {
        local_mac: MAC,
        local_ip: ADDRESS,
        groups: [Ipv4Addr::UNSPECIFIED; 4],
        ports: [PORT, 0, 0, 0],
    };
    // Three times as many as there are buffers, so that each is used again; of every length.
    let payloads: Vec<Vec<u8>> = (0..3 * BUFFERS as usize)
        .map(|index| {
            let length = index * 7 % (MAX_PAYLOAD + 1);
            (0..length).map(|at| (index * 31 + at) as u8).collect()
        })
        .collect();
    for some in payloads.chunks(BUFFERS as usize / 2) {
        for payload in some {
            sender.send(payload).unwrap();
        }
        let frames = take(&mut receiver, some.len());
        assert_eq!(frames.len(), some.len());
        for (frame, payload) in frames.iter().zip(some) {
            // Ethernet, IPv4 and UDP, and no padding: 14 + 20 + 8.
            assert_eq!(&frame[..14], b"\x02\0\0\0\0\x02\x02\0\0\0\0\x01\x08\0");
            assert_eq!(frame.len(), 42 + payload.len());
            assert_ne!(frame[40..42], [0, 0], "a UDP checksum is there");
            let datagram = classify_without_fcs(frame, &config).unwrap();
            assert_eq!(datagram.payload, payload);
        }
    }
    assert_eq!(receiver.dropped().unwrap(), 0);
}

#[test]
fn receiving_allocates_nothing() {
    let Some((_pair, mut receiver, sender)) = opened() else {
        return;
    };
    for _ in 0..2 * BUFFERS {
        sender.send(b"tick").unwrap();
        let mut came = 0;
        let allocated = allocation_counter::measure(|| {
            let began = Instant::now();
            while came == 0 && began.elapsed() < Duration::from_secs(2) {
                came = receiver.receive(|frame| assert_eq!(frame.len(), 46));
            }
        });
        assert_eq!((came, allocated.count_total), (1, 0));
    }
}

#[test]
fn frames_that_find_no_buffer_are_counted_and_those_after_them_arrive() {
    let Some((_pair, mut receiver, sender)) = opened() else {
        return;
    };
    let sent = BUFFERS + 100;
    for index in 0..sent {
        sender.send(&index.to_be_bytes()).unwrap();
    }
    let frames = take(&mut receiver, BUFFERS as usize);
    for (index, frame) in (0_u32..).zip(&frames) {
        assert_eq!(frame[42..], index.to_be_bytes());
    }
    assert_eq!(frames.len(), BUFFERS as usize);
    assert_eq!(receiver.dropped().unwrap(), 100);
    sender.send(b"after them").unwrap();
    assert_eq!(take(&mut receiver, 1)[0][42..], *b"after them");
}

#[test]
fn the_devices_are_in_no_namespace_but_their_own() {
    let Some((pair, receiver, _sender)) = opened() else {
        return;
    };
    assert!(!Path::new("/sys/class/net").join(SENDER).exists());
    drop(receiver);
    // The first receiver is gone, and its program with it: the device takes another, once the kernel has let the first one's buffers go.
    let began = Instant::now();
    while let Err(why) = pair.run(|| Receiver::open(RECEIVER)).unwrap() {
        assert!(began.elapsed() < Duration::from_secs(5), "{why}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_device_takes_one_receiver_and_there_must_be_such_a_device() {
    let Some((pair, _receiver, _sender)) = opened() else {
        return;
    };
    let second = pair.run(|| Receiver::open(RECEIVER)).unwrap().unwrap_err();
    assert!(matches!(second, Unavailable::Refused { .. }), "{second}");
    let none = pair.run(|| Receiver::open("tick2")).unwrap().unwrap_err();
    assert_eq!(none.to_string(), "there is no network device tick2");
    // A name with a zero byte is no name.
    let none = Receiver::open("tick\0").unwrap_err();
    assert!(matches!(none, Unavailable::Device(_)), "{none}");
}

#[test]
fn without_permission_a_sentence_says_what_is_not_permitted() {
    let as_root = "run as root (CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_NET_RAW and CAP_BPF)";
    let told = with_only(CapabilitySet::empty(), Pair::new).unwrap_err();
    let sentence = format!("a network namespace is not permitted: {as_root}");
    assert_eq!(told.to_string(), sentence);

    let Some(pair) = allowed(Pair::new()) else {
        return;
    };
    let open = |kept| {
        let opened = pair.run(|| with_only(kept, || Receiver::open(RECEIVER)));
        opened.unwrap().unwrap_err().to_string()
    };
    let sentence = format!("an AF_XDP socket is not permitted: {as_root}");
    assert_eq!(open(CapabilitySet::empty()), sentence);
    // The socket, but no map and no program.
    let sentence = format!("a BPF map is not permitted: {as_root}");
    assert_eq!(open(CapabilitySet::NET_RAW), sentence);
}
