//! Mails through programs that nobody here wrote: mail servers of npm's, and the services' own
//! clients.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[allow(dead_code)]
#[path = "../common/certificates.rs"]
mod certificates;
#[path = "../common/mod.rs"]
mod common;
mod maildev;
mod node;
mod receiver;
#[allow(unused_macros, unused_imports)]
#[path = "../common/run.rs"]
mod run;
#[path = "../common/site.rs"]
mod site;
mod vendors;
