//! What is made of the command line's own description: completion, pages for man(1), help that fits a terminal.

use std::fs;
use std::process::Command;

use crate::common::{failure, folder, json, tickwire};

/// What bash completes these words to, by the script.
fn completed(words: &[&str]) -> Vec<String> {
    let folder = folder();
    let script = tickwire(&folder, &["completions", "bash"]);
    assert_eq!(script.status.code(), Some(0));
    let last = words.len() - 1;
    let text = format!(
        "{}\nCOMP_WORDS=({})\nCOMP_CWORD={last}\n_tickwire tickwire '{}' '{}'\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        String::from_utf8(script.stdout).unwrap(),
        words.join(" "),
        words[last],
        words[last - 1]
    );
    fs::write(folder.path().join("script"), text).unwrap();
    let output = Command::new("bash")
        .arg(folder.path().join("script"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_options_and_values() {
    assert_eq!(completed(&["tickwire", "inf"]), ["info"]);
    assert_eq!(completed(&["tickwire", "fast", "dec"]), ["decode"]);
    assert_eq!(completed(&["tickwire", "replay", "--spe"]), ["--speed"]);
    assert_eq!(
        completed(&["tickwire", "fast", "decode", "--framing", "pre"]),
        ["preamble"]
    );
}

#[test]
fn every_shell_has_its_script() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = tickwire(&folder(), &["completions", shell]);
        assert_eq!(output.status.code(), Some(0));
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains("backtest"), "{shell}");
    }
    failure(&folder(), 2, &["completions", "cmd"]);
}

#[test]
fn each_command_has_a_page() {
    let folder = folder();
    let written = json(&folder, &["man", "man1"]);
    let pages: Vec<_> = fs::read_dir(folder.path().join("man1")).unwrap().collect();
    assert_eq!(written["pages"], pages.len());
    for name in ["tickwire", "tickwire-info", "tickwire-fast-decode"] {
        let page = fs::read_to_string(folder.path().join(format!("man1/{name}.1"))).unwrap();
        assert!(page.contains(&format!(".TH {name} 1")), "{page}");
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
    }
    let page = fs::read_to_string(folder.path().join("man1/tickwire-info.1")).unwrap();
    assert!(page.contains("tickwire info day.itch50"), "an example");
    fs::write(folder.path().join("file"), "").unwrap();
    let said = failure(&folder, 1, &["man", "file"]);
    assert!(said.contains("file: cannot write"), "{said}");
}

/// The names of the commands in a help text.
fn commands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| line.starts_with("  "));
    let names = listed
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Every command's help is as wide as a terminal of 120 columns at most, and has an example.
fn check(path: &[String]) {
    let arguments: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
    let output = tickwire(&folder(), &arguments);
    let help = String::from_utf8(output.stdout).unwrap();
    for line in help.lines() {
        assert!(line.chars().count() <= 120, "{path:?}: {line}");
    }
    let below = commands(&help);
    let example = format!(
        "  {}",
        ["tickwire"]
            .into_iter()
            .chain(path.iter().map(String::as_str))
            .collect::<Vec<_>>()
            .join(" ")
    );
    assert!(help.contains(&example), "{path:?} has no example");
    for name in below {
        check(&[path, &[name]].concat());
    }
}

#[test]
fn help_is_wrapped_and_has_an_example_for_each_command() {
    check(&[]);
}

#[test]
fn an_error_is_json_where_results_are() {
    let output = tickwire(&folder(), &["info", "nowhere.itch50", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(error["type"], "error");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("nowhere.itch50"), "{message}");
}
