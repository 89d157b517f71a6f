//! What there is to say of one mail, and of what needs checking.

use super::catalogue::Text;
use crate::model::plan::Plan;
use crate::model::timeline::What;
use crate::model::verdict::{Known, Verdict};
use crate::model::views::{Attempt, Case, LotNotice, Mail};
use crate::model::{Age, DeliveryState, HeldBy, Moment};

/// One mail.
pub struct MailWords {
    /// Title.
    pub title: fn(&str) -> String,
    /// Facts.
    pub kind: Text,
    /// Facts.
    pub copy: Text,
    /// Facts.
    pub occasion: Text,
    /// Facts.
    pub to: Text,
    /// Facts.
    pub subject: Text,
    /// Facts.
    pub from: Text,
    /// Facts.
    pub reply_to: Text,
    /// Facts.
    pub attempts: Text,
    /// How many, and whether that was the last.
    pub attempts_of: fn(&Mail) -> String,
    /// Facts.
    pub decided: Text,
    /// Facts.
    pub accepted: Text,
    /// In place of a time: known not to be.
    pub not_accepted: Text,
    /// In place of a time: nobody knows.
    pub accepted_unknown: Text,
    /// In place of a time: a person knows that it was, and not when.
    pub accepted_by_person: Text,
    /// Facts.
    pub delivered: fn(Option<DeliveryState>) -> Text,
    /// Facts.
    pub not_before: Text,
    /// Facts.
    pub held: Text,
    /// Facts.
    pub held_by: Text,
    /// Who holds it.
    pub holder: fn(HeldBy) -> Text,
    /// Facts.
    pub error: Text,
    /// A newer attempt was under way when an older one turned out accepted.
    pub duplicate: Text,
    /// The sentence of the verdict.
    pub answer: fn(&Verdict, &Mail) -> String,
    /// One piece of its evidence.
    pub known: fn(&Known) -> String,
    /// What follows, or why nothing may be done.
    pub next: fn(&Verdict, &Mail) -> String,
    /// What Denpyo will do by itself.
    pub plan: fn(&Plan) -> String,
    /// In the mail's frame, in place of HTML that cannot be shown; its text follows, if it has one.
    pub too_complex: Text,
    /// An attempt nobody ever cleared up.
    pub doubt: fn(i32) -> String,
    /// Of when the verdict is.
    pub judged: fn(&Moment) -> String,
    /// Button, by the attempts there were.
    pub resend: fn(i32) -> Text,
    /// The button while it works.
    pub resending: fn(i32) -> Text,
    /// Link to what needs checking.
    pub check: Text,
    /// Link that reads the page again.
    pub refresh: Text,
    /// The time-line.
    pub timeline: Text,
    /// A stop's head.
    pub stop: fn(&What, &Mail) -> String,
    /// A stop's sentence.
    pub stop_note: fn(&What, &Mail) -> String,
    /// A stored cause in the reader's language; what others wrote stays as it is.
    pub cause: fn(&str) -> String,
    /// The words of the service, quoted.
    pub quoted: fn(&str) -> String,
    /// The service's id of a mail, by the service's name.
    pub numbered: fn(Option<&str>, &str) -> String,
    /// What was written down of an attempt that the service did not answer.
    pub recorded: fn(&str) -> String,
    /// The message.
    pub body: Text,
    /// No message.
    pub no_body: Text,
    /// Other mails for the order.
    pub others: Text,
    /// Their columns: kind, status, decided.
    pub other_columns: [Text; 3],
    /// Numbers.
    pub ids: Text,
    /// Numbers.
    pub mail_id: Text,
    /// Numbers.
    pub provider_id: fn(Option<&str>) -> String,
    /// In place of the service's number: there is none, or nobody knows.
    pub no_provider_id: fn(&Mail) -> Text,
    /// Button.
    pub copy_button: Text,
    /// What it copies, for those who do not see it.
    pub copy_what: fn(&str) -> String,
    /// Button once done.
    pub copied: Text,
}

/// What needs checking.
pub struct StuckWords {
    /// Title.
    pub title: Text,
    /// How many, and what they are.
    pub count: fn(i64) -> String,
    /// How many are shown.
    pub shown: fn(i64, i64) -> String,
    /// Names the links to those of one age.
    pub ages: Text,
    /// Leads to those of every age.
    pub every_age: Text,
    /// An age.
    pub age: fn(Age) -> Text,
    /// There is none of this age.
    pub none_of_age: Text,
    /// Leads to all of them, which are so many.
    pub see_all: fn(i64) -> String,
    /// Nothing to do.
    pub none: Text,
    /// What will come here.
    pub none_help: Text,
    /// In the place of the forms, where it needs no checking any more.
    pub settled: Text,
    /// Since when.
    pub since: fn(&str) -> String,
    /// Head.
    pub why: Text,
    /// Why it is here.
    pub why_text: fn(&Case) -> String,
    /// Head.
    pub next: Text,
    /// Head.
    pub how_head: Text,
    /// How to find out.
    pub how: fn(Option<&Attempt>) -> String,
    /// Beside the field of both answers.
    pub reason_note: Text,
    /// Opens the first form.
    pub sent: Text,
    /// Opens the second form.
    pub not_sent: Text,
    /// What the first answer does.
    pub sent_note: Text,
    /// What the second answer does.
    pub not_sent_note: Text,
    /// In the empty field of the first form.
    pub sent_example: Text,
    /// In the empty field of the second form.
    pub not_sent_example: fn(Option<&Attempt>) -> Text,
    /// Button of the first form.
    pub confirm_sent: Text,
    /// Button of the second form.
    pub confirm_not_sent: Text,
}

/// Forms that want a reason, and letting go of held mails.
pub struct ReasonWords {
    /// Field.
    pub reason: Text,
    /// Beside the field when it was empty.
    pub missing: Text,
    /// A button while it works.
    pub busy: Text,
    /// Opens the form for one mail.
    pub release: Text,
    /// What it does.
    pub release_note: fn(&Mail) -> String,
    /// Beside the field of one, and of many.
    pub release_reason: Text,
    /// In its empty field.
    pub release_example: Text,
    /// Its button.
    pub release_confirm: Text,
    /// Opens the form for the held mails of a list.
    pub release_lot: fn(i64) -> String,
    /// What it does.
    pub release_lot_note: fn(i64) -> String,
    /// Its button.
    pub release_lot_confirm: fn(i64) -> String,
    /// For those whose role may not.
    pub release_lot_role: Text,
    /// More than may be let go at once.
    pub release_lot_too_many: fn(i64) -> String,
    /// What came of it.
    pub lot_notice: fn(&LotNotice) -> String,
}
