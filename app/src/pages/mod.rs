//! The screens, one a file.

mod days;
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
mod verdict_box;

pub use help::Help;
pub use lost::Lost;
pub use mail::OneMail;
pub use mails::Mails;
pub use overview::Overview;
pub use reports::Reports;
pub use sign_in::SignIn;
pub use stuck::Stuck;
