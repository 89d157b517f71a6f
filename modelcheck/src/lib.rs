//! This crate is its tests: `tests/model/` puts the protocol of `app::model::protocol` into a
//! world of workers, people, a reconciler and a mail service, and has every order of their steps
//! walked. What it shows, within which bounds and under which assumptions, is told in
//! `docs/guarantees.md`.
