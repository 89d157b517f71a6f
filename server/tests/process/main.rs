//! What holds when processes are killed, stopped, started together: real ones, against real
//! databases.

mod kills;
mod late;
#[path = "../common/run.rs"]
mod run;
mod several;
#[path = "../common/site.rs"]
mod site;
mod stops;
