//! The section `[arbitration]` of a desk.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::ops::Range;

use arbiter::{Output, Window};
use feed::recovery::Settings;
use feed::socket::Endpoint;
use serde::Deserialize;
use toml::Spanned;

use super::Line;

/// How the lines of a feed are made one (`docs/reference/arbitration.md`).
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Arbitration {
    /// The output that the pipeline takes.
    output: OutputName,
    /// What ends the wait for what is missing on the high-reliability output.
    window: WindowName,
    /// The time window, in nanoseconds.
    time_ns: u64,
    /// The count window, in messages.
    count: u64,
    /// Packets kept at most, shared equally between the lines; the core has 8.
    pub packets: usize,
    /// The request server for what no line brought.
    request_server: Option<Spanned<Line>>,
    /// How long it may take to answer, in nanoseconds; then the request is repeated.
    request_timeout_ns: Option<NonZeroU64>,
    /// How often the same is requested before it is given up.
    request_tries: Option<NonZeroU32>,
    /// Packets held at most after a requested gap.
    request_hold: Option<NonZeroUsize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
enum OutputName {
    #[serde(rename = "low latency")]
    LowLatency,
    #[serde(rename = "high reliability")]
    HighReliability,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
enum WindowName {
    #[serde(rename = "time")]
    Time,
    #[serde(rename = "count")]
    Count,
    #[serde(rename = "time & count")]
    TimeAndCount,
}

impl Default for Arbitration {
    fn default() -> Self {
        let window = Window::default();
        Self {
            output: OutputName::LowLatency,
            window: WindowName::TimeAndCount,
            time_ns: window.time,
            count: window.count,
            packets: 8,
            request_server: None,
            request_timeout_ns: None,
            request_tries: None,
            request_hold: None,
        }
    }
}

impl Arbitration {
    /// The output that the pipeline takes.
    pub const fn output(&self) -> Output {
        match self.output {
            OutputName::LowLatency => Output::LowLatency,
            OutputName::HighReliability => Output::HighReliability,
        }
    }

    /// Of the high-reliability output.
    pub const fn window(&self) -> Window {
        Window {
            mode: match self.window {
                WindowName::Time => arbiter::Mode::Time,
                WindowName::Count => arbiter::Mode::Count,
                WindowName::TimeAndCount => arbiter::Mode::TimeAndCount,
            },
            time: self.time_ns,
            count: self.count,
        }
    }

    /// The request server for what no line brought.
    pub fn request_server(&self) -> Option<Endpoint> {
        self.request_server.as_ref()?.get_ref().0.clone().ok()
    }

    /// How patient it is with the request server; what heartbeats announce may come within the time window.
    pub fn recovery(&self) -> Settings {
        let default = Settings::default();
        Settings {
            timeout: self
                .request_timeout_ns
                .map_or(default.timeout, NonZeroU64::get),
            tries: self.request_tries.map_or(default.tries, NonZeroU32::get),
            hold: self.request_hold.map_or(default.hold, NonZeroUsize::get),
            tail: self.time_ns,
        }
    }

    pub(super) fn check(&self) -> Result<(), (Range<usize>, String)> {
        let Some(server) = &self.request_server else {
            return Ok(());
        };
        let fault = |fault: &str| Err((server.span(), fault.to_owned()));
        match &server.get_ref().0 {
            Err(error) => fault(&error.to_string()),
            Ok(endpoint) if endpoint.address.port() == 0 => fault("port 0 is none"),
            Ok(_) if self.output == OutputName::LowLatency => fault(
                "what a request server sends comes late: it takes output = \"high reliability\"",
            ),
            Ok(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::Desk;

    const GOOD: &str = "[feed]\nitch = \"5.0\"\nlines = [\"239.77.1.1:26400\"]\n\
                        [statistics]\nsymbols = []\n[report]\nto = \"127.0.0.1:26501\"\n";

    #[test]
    fn arbitration_has_defaults_and_takes_the_words_of_the_rules() {
        let desk = Desk::parse(GOOD).unwrap();
        assert_eq!(desk.arbitration.output(), Output::LowLatency);
        assert_eq!(desk.arbitration.window(), Window::default());
        let patience = Settings {
            timeout: 20_000_000,
            tries: 5,
            hold: 4_096,
            tail: 1_000_000,
        };
        assert_eq!(desk.arbitration.recovery(), patience);
        let section = "[arbitration]\noutput = \"high reliability\"\nwindow = \"count\"\ntime_ns = 5\n\
                       count = 7\npackets = 64\nrequest_server = \"127.0.0.1:9\"\n\
                       request_timeout_ns = 8\nrequest_tries = 2\nrequest_hold = 3\n";
        let arbitration = Desk::parse(&format!("{GOOD}{section}"))
            .unwrap()
            .arbitration;
        assert_eq!(arbitration.output(), Output::HighReliability);
        let window = Window {
            mode: arbiter::Mode::Count,
            time: 5,
            count: 7,
        };
        assert_eq!((arbitration.window(), arbitration.packets), (window, 64));
        let patience = Settings {
            timeout: 8,
            tries: 2,
            hold: 3,
            tail: 5,
        };
        assert_eq!(arbitration.recovery(), patience);
        let server = arbitration.request_server().unwrap();
        assert_eq!(server.address.port(), 9);
        for (from, to, says) in [
            ("\"count\"", "\"patience\"", "unknown variant"),
            ("high reliability", "low latency", "comes late"),
            ("127.0.0.1:9", "localhost:9", "is not ADDR:PORT"),
            ("127.0.0.1:9", "127.0.0.1:0", "port 0"),
            ("packets", "pockets", "unknown field"),
            ("timeout_ns = 8", "timeout_ns = 0", "nonzero"),
            ("tries = 2", "tries = 0", "nonzero"),
            ("hold = 3", "hold = 0", "nonzero"),
        ] {
            let text = format!("{GOOD}{}", section.replacen(from, to, 1));
            let (_, fault) = Desk::parse(&text).unwrap_err();
            assert!(fault.contains(says), "{to}: {fault}");
        }
    }
}
