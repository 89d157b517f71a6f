//! `denpyo`: see README.md.
#[allow(dead_code)]
mod web {
    pub mod assets;
}

fn main() {}
