use super::*;

#[test]
fn an_endpoint_reads_as_it_prints() {
    for text in ["239.1.1.1:26400@127.0.0.1", "127.0.0.1:5"] {
        assert_eq!(text.parse::<Endpoint>().unwrap().to_string(), text);
    }
}

#[test]
fn an_endpoint_without_port_or_with_an_interface_name_says_what_to_write() {
    assert_eq!(
        "239.1.1.1".parse::<Endpoint>(),
        Err(EndpointError::Address("239.1.1.1".into()))
    );
    assert_eq!(
        "239.1.1.1:1@lo".parse::<Endpoint>(),
        Err(EndpointError::Interface("lo".into()))
    );
}

fn exchange(endpoints: &[&str], wait: Wait) {
    let endpoints: Vec<Endpoint> = endpoints.iter().map(|text| text.parse().unwrap()).collect();
    let mut receiver = Receiver::open(&endpoints, wait, DEFAULT_RECEIVE_BUFFER).unwrap();
    let bound = receiver.local_addresses().unwrap();
    for (line, address) in bound.iter().enumerate() {
        let SocketAddr::V4(address) = *address else {
            panic!("IPv4 only")
        };
        let endpoint = Endpoint {
            address,
            interface: endpoints[line].interface,
        };
        let sender = Sender::open(&endpoint, SenderOptions::default()).unwrap();
        sender.send(&[line as u8; 100]).unwrap();
        sender.send(&[line as u8 + 100]).unwrap();
    }
    let mut got = vec![Vec::new(); bound.len()];
    let mut idle = 0;
    receiver
        .run(&AtomicBool::new(false), |input| {
            match input {
                Input::Datagram { line, payload } => got[line].push(payload.to_vec()),
                Input::Idle => idle += 1,
            }
            if got.iter().all(|line| line.len() == 2) || idle > 100_000 {
                Next::Stop
            } else {
                Next::Continue
            }
        })
        .unwrap();
    for (line, datagrams) in got.iter().enumerate() {
        assert_eq!(datagrams, &[vec![line as u8; 100], vec![line as u8 + 100]]);
    }
}

#[test]
fn one_unicast_line_arrives_blocking() {
    exchange(&["127.0.0.1:0"], Wait::Blocking);
}

#[test]
fn two_unicast_lines_arrive_blocking() {
    exchange(&["127.0.0.1:0", "127.0.0.1:0"], Wait::Blocking);
}

#[test]
fn two_unicast_lines_arrive_by_busy_poll() {
    exchange(&["127.0.0.1:0", "127.0.0.1:0"], Wait::BusyPoll);
}

#[test]
fn two_multicast_groups_on_one_port_are_kept_apart() {
    let free = UdpSocket::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let groups = [
        format!("239.77.1.1:{free}@127.0.0.1"),
        format!("239.77.1.2:{free}@127.0.0.1"),
    ];
    exchange(&[&groups[0], &groups[1]], Wait::Blocking);
}

#[test]
fn a_set_stop_flag_ends_the_loop() {
    for wait in [Wait::Blocking, Wait::BusyPoll] {
        let mut receiver = Receiver::open(&["127.0.0.1:0".parse().unwrap()], wait, 65_536).unwrap();
        receiver
            .run(&AtomicBool::new(true), |_| panic!("nothing was sent"))
            .unwrap();
    }
}

#[test]
fn sending_where_nobody_listens_is_no_error() {
    let free = UdpSocket::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let sender = Sender::open(
        &format!("127.0.0.1:{free}").parse().unwrap(),
        SenderOptions::default(),
    )
    .unwrap();
    for _ in 0..10 {
        sender.send(b"into the void").unwrap();
    }
}

/// How long ten waits of 2 ms take, if nothing comes.
fn ten_waits(lines: usize, wait: Wait) -> Duration {
    let any: Endpoint = "127.0.0.1:0".parse().unwrap();
    let mut receiver = Receiver::open(&vec![any; lines], wait, 1 << 16).unwrap();
    let mut idle = 0;
    let mut began = Instant::now();
    receiver
        .run(&AtomicBool::new(false), |input| {
            assert_eq!(input, Input::Idle);
            if idle == 0 {
                // The first is before anything was asked for.
                began = Instant::now();
            }
            idle += 1;
            if idle > 10 {
                Next::Stop
            } else {
                Next::Within(Duration::from_millis(2))
            }
        })
        .unwrap();
    began.elapsed()
}

#[test]
fn a_handler_that_waits_for_something_is_called_in_time() {
    for (lines, wait) in [
        (1, Wait::Blocking),
        (2, Wait::Blocking),
        (2, Wait::BusyPoll),
    ] {
        let took = ten_waits(lines, wait);
        // Without it, blocking takes a second; a busy machine gets some slack.
        let bounds = Duration::from_millis(if wait == Wait::Blocking { 19 } else { 1 })
            ..Duration::from_millis(500);
        assert!(bounds.contains(&took), "{lines} lines, {wait:?}: {took:?}");
    }
}

#[test]
fn a_socket_that_was_added_comes_behind_the_last_line() {
    let any: Endpoint = "127.0.0.1:0".parse().unwrap();
    for wait in [Wait::Blocking, Wait::BusyPoll] {
        let mut receiver = Receiver::open(&[any], wait, 1 << 16).unwrap();
        let added = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = added.local_addr().unwrap();
        assert_eq!(receiver.add(added).unwrap(), 1);
        let to = [receiver.local_addresses().unwrap()[0], address];
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        for (line, address) in to.into_iter().enumerate() {
            sender.send_to(&[line as u8], address).unwrap();
        }
        let mut got = vec![];
        receiver
            .run(&AtomicBool::new(false), |input| {
                if let Input::Datagram { line, payload } = input {
                    assert_eq!(payload, [line as u8]);
                    got.push(line);
                }
                if got.len() == 2 {
                    Next::Stop
                } else {
                    Next::Continue
                }
            })
            .unwrap();
        got.sort_unstable();
        assert_eq!(got, [0, 1]);
    }
}
