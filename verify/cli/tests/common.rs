//! Running the command, and reading its JSON.

use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// Runs the command in the folder.
pub fn verify(folder: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("tickwire-verify").unwrap();
    command.current_dir(folder.path()).args(arguments);
    command.output().unwrap()
}

/// A folder that goes when it is dropped.
pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Runs it, which must succeed, and reads the JSON of its only line.
pub fn json(folder: &TempDir, arguments: &[&str]) -> Value {
    let output = verify(folder, &[arguments, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Runs it, which must fail with this code; gives what it says.
pub fn failure(folder: &TempDir, code: i32, arguments: &[&str]) -> String {
    let output = verify(folder, arguments);
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}
