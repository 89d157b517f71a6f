//! `denpyo`: see README.md.
fn main() {}
