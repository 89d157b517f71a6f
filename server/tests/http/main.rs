//! The site's outside, asked over HTTP of a real process.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod acts;
mod ages;
mod api;
mod body;
#[path = "../common/certificates.rs"]
mod certificates;
mod characters;
#[path = "../common/mod.rs"]
mod common;
mod copies;
mod exports;
mod intake;
mod kept;
mod list;
mod live;
mod lookups;
mod many;
mod monitors;
mod oidc;
mod people;
mod resend;
#[path = "../common/run.rs"]
mod run;
mod search;
mod security;
mod sessions;
mod settings;
mod signer;
#[path = "../common/site.rs"]
mod site;
mod sns;
mod strangers;
mod verdict;
mod webhooks;
