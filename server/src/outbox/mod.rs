//! Every read and write of the tables: what else in this program wants to know or change
//! something of a submission asks here.

pub mod audit;
pub mod claim;
pub mod enqueue;
pub mod lapse;
pub mod operate;
pub mod pause;
pub mod read;
pub mod row;
pub mod settle;
pub mod workers;

use crate::db::Sql;

/// Every statement of fixed text, for the test that has both databases check each.
pub fn statements() -> Vec<(&'static str, Sql)> {
    [
        audit::STATEMENTS,
        claim::STATEMENTS,
        enqueue::STATEMENTS,
        lapse::STATEMENTS,
        operate::STATEMENTS,
        pause::STATEMENTS,
        read::STATEMENTS,
        settle::STATEMENTS,
        workers::STATEMENTS,
    ]
    .concat()
}
