//! Mails through programs that nobody here wrote: mail servers of npm's, and the services' own
//! clients.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../common/certificates.rs"]
mod certificates;
#[path = "../common/mod.rs"]
mod common;
mod maildev;
mod node;
mod receiver;
#[path = "../common/run.rs"]
mod run;
#[path = "../common/site.rs"]
mod site;
mod vendors;
