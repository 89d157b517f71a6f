//! `denpyo`: see README.md.

use std::process::ExitCode;

fn main() -> ExitCode {
    denpyo::cli::main()
}
