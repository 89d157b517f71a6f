//! Every read and write of the tables.

pub mod claim;
