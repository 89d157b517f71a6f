//! The screens, one a file.

mod account;
mod bulk;
mod days;
mod errors;
mod filters;
mod help;
mod histogram;
mod lost;
mod mail;
mod mail_acts;
mod mail_side;
mod mails;
mod overview;
mod reports;
mod sign_in;
mod stuck;
mod trail;
mod user;
mod user_forms;
mod users;
mod verdict_box;

pub use account::Account;
pub use bulk::{Bulks, NewBulk, OneBulk};
pub use errors::Errors;
pub use help::Help;
pub use lost::Lost;
pub use mail::OneMail;
pub use mails::Mails;
pub use overview::Overview;
pub use reports::Reports;
pub use sign_in::SignIn;
pub use stuck::Stuck;
pub use trail::Trail;
pub use user::OneUser;
pub use users::Users;
