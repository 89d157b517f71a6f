//! `denpyo demo`: the desk on a throw-away database, with the sandbox as service.

use crate::cli::Failure;

/// Runs until the process is to stop.
pub(crate) async fn run(listen: Option<String>) -> Result<(), Failure> {
    let _ = listen;
    Err(Failure::Other("there is no demo yet".to_owned()))
}
