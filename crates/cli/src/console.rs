//! What goes to standard output (results) and to the terminal (progress).

use std::fmt::Display;
use std::io::{self, IsTerminal, Write, stderr, stdout};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use live::{Monitor, Notice};
use serde::Serialize;

use crate::error::Error;

/// Where a command's words go: results to stdout, as text or as JSON, progress to stderr.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    json: bool,
}

impl Console {
    /// With `json`, results are JSON objects, one a line, and there are no progress bars.
    pub const fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether results are JSON.
    pub const fn is_json(self) -> bool {
        self.json
    }

    /// Prints a result: its text, or its members as one line of JSON.
    ///
    /// # Errors
    /// Standard output is closed or full.
    pub fn print<T: Display + Serialize>(self, result: &T) -> Result<(), Error> {
        self.write(result).map_err(Error::Print)
    }

    fn write<T: Display + Serialize>(self, result: &T) -> io::Result<()> {
        match self.json {
            true => line(&serde_json::to_string(result)?),
            false => line(&result.to_string()),
        }
    }

    /// Prints a line of JSON if the user asked for JSON.
    ///
    /// # Errors
    /// Standard output is closed or full.
    pub fn json_line<T: Serialize>(self, value: &T) -> Result<(), Error> {
        if !self.json {
            return Ok(());
        }
        let text = serde_json::to_string(value).map_err(io::Error::from);
        text.and_then(|text| line(&text)).map_err(Error::Print)
    }

    /// Prints something that is no result, on stderr; nothing with `--json`.
    pub fn note(self, text: &str) {
        if !self.json {
            // A closed stderr is no reason to stop.
            let _ = writeln!(stderr(), "{text}");
        }
    }

    /// A progress bar over bytes.
    pub fn bytes(self, what: &'static str, length: Option<u64>) -> ProgressBar {
        self.bar(
            what,
            length,
            "{msg} {wide_bar} {bytes}/{total_bytes}, {eta} left",
        )
    }

    /// A progress bar over things that are counted.
    pub fn count(self, what: &'static str, length: Option<u64>) -> ProgressBar {
        self.bar(
            what,
            length,
            "{msg} {wide_bar} {human_pos}/{human_len}, {eta} left",
        )
    }

    /// A progress bar over a job of several phases, each with its name and its own length.
    ///
    /// Where there is no terminal each phase is a line on stderr when it begins, and another one each 20 seconds.
    pub fn phases(self) -> impl FnMut(&str, u64, u64) {
        const EACH: Duration = Duration::from_secs(20);
        let bar = self.count("", Some(0));
        let began = Instant::now();
        let mut next = began;
        move |name, done, of| {
            let begins = bar.message() != name;
            if bar.is_hidden() && (begins || Instant::now() >= next) {
                next = Instant::now() + EACH;
                self.note(&format!(
                    "{:5.0} s  {name}: {done} of {of}",
                    began.elapsed().as_secs_f64()
                ));
            }
            if begins {
                bar.set_message(name.to_owned());
            }
            bar.set_length(of);
            bar.set_position(done);
        }
    }

    /// Hidden where there is no terminal, and with `--json`.
    fn bar(self, what: &'static str, length: Option<u64>, template: &str) -> ProgressBar {
        if self.json || !stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let bar = match length {
            Some(length) => {
                let style = ProgressStyle::with_template(template);
                ProgressBar::new(length)
                    .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
            }
            None => ProgressBar::new_spinner(),
        };
        bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        bar.enable_steady_tick(Duration::from_millis(200));
        bar.with_message(what)
    }
}

impl Monitor for Console {
    fn note(&self, text: &str) {
        Console::note(*self, text);
    }

    fn notice(&self, notice: &Notice) -> Result<(), live::Error> {
        self.write(notice).map_err(live::Error::Print)
    }
}

/// One line on stdout, flushed: the reader waits for it.
fn line(text: &str) -> io::Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}
