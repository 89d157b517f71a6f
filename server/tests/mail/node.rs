//! Programs of npm's.

use crate::run::Program;
use std::path::PathBuf;
use std::process::Command;

/// A file below `end2end`. The tests that need one fail where it is not installed.
pub fn end2end(path: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../end2end")
        .join(path);
    assert!(
        file.exists(),
        "end2end/{path} is missing, and this test needs npm's packages: scripts/setup.sh browser"
    );
    file
}

/// Starts a script with Node.js.
pub fn start(script: &str, args: &[&str]) -> Program {
    end2end("node_modules/smtp-server");
    let mut command = Command::new("node");
    command.arg(end2end(script)).args(args);
    Program::start(command)
}
