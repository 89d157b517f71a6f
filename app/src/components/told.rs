//! Acts, and telling what came of them.

use super::{Copyable, fact, fault_words, words};
use crate::api::{
    AddUser, CallOff, CloseMonth, Correct, EndToken, FurtherCopy, MakeToken, OwnPassword,
    OwnSignOut, PrepareBulk, Release, ReleaseMany, Resend, Resolve, Reveal, StartBulk, StopBulk,
    UserDisable, UserEnable, UserPassword, UserRole, UserSignOut, take_notice,
};
use crate::error::AppError;
use crate::model::views::{
    BulkAnswer, Draft, LotAnswer, MonthAnswer, News, NoticeKind, TokenAnswer, UserAnswer,
};
use leptos::either::Either;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// Says each act once: everything that goes over all of them follows.
macro_rules! acts {
    ($($(#[$doc:meta])* $act:ident: $form:ident,)+) => {
        /// What people can do at the desk, and what came of the last time. Shared by all pages, so
        /// that every one of them reads again after an act.
        #[derive(Clone, Copy)]
        pub struct Acts {
            $($(#[$doc])* pub $act: ServerAction<$form>,)+
            /// What came of the last act, told once.
            pub notice: Resource<Result<Option<News>, AppError>>,
            answered: Memo<Answered>,
            done: Memo<usize>,
        }

        impl Acts {
            /// Provides them to everything below.
            pub fn provide() -> Acts {
                $(let $act = ServerAction::<$form>::new();)+
                let place = use_location();
                // What never reached the server, so far as the page knows, changed nothing: the page
                // and its open form stay, and the act can be tried again.
                let answered = Memo::new(move |before: Option<&Answered>| {
                    let versions = vec![$($act.version().get()),+];
                    let lost = [$(is_lost(&$act.value().get())),+];
                    Answered::after(before, versions, &lost)
                });
                let done = Memo::new(move |_| answered.with(|answered| answered.count));
                let notice = Resource::new(
                    move || (place.pathname.get(), done.get()),
                    |_| async { take_notice().await },
                );
                // Told once: the error of an act goes with the page it happened on, and out of
                // the URL.
                Effect::new(move |before: Option<String>| {
                    let here = place.pathname.get();
                    if before.is_some_and(|before| before != here) {
                        $($act.value().set(None);)+
                    }
                    #[cfg(feature = "hydrate")]
                    forget_error(&here, &place.search.get_untracked());
                    here
                });
                let acts = Acts { $($act,)+ notice, answered, done };
                provide_context(acts);
                acts
            }

            /// Counts the acts that the server answered, so that what is shown follows them.
            pub fn done(&self) -> usize {
                self.done.get()
            }

            /// The error of the last act, where it failed.
            fn error(&self) -> Option<AppError> {
                let values = [$(self.$act.value().get()),+];
                let mut errors = values.into_iter().map(|value| value.and_then(Result::err));
                match self.answered.with(|answered| answered.last) {
                    Some(last) => errors.nth(last).flatten(),
                    // Nothing was pressed yet: without scripts the error comes with the page.
                    None => errors.flatten().next(),
                }
            }
        }
    };
}

/// Whether no answer came.
fn is_lost(value: &Option<Result<(), AppError>>) -> bool {
    matches!(value, Some(Err(AppError::NoConnection)))
}

/// How often each act came to an end, which one was the last to, and how many of all those times the
/// server answered.
#[derive(Clone, Debug, Default, PartialEq)]
struct Answered {
    versions: Vec<usize>,
    last: Option<usize>,
    count: usize,
}

impl Answered {
    fn after(before: Option<&Answered>, versions: Vec<usize>, lost: &[bool]) -> Answered {
        let before = before.cloned().unwrap_or_default();
        let (mut last, mut count) = (before.last, before.count);
        for (i, (version, lost)) in versions.iter().zip(lost).enumerate() {
            if *version != before.versions.get(i).copied().unwrap_or(0) {
                last = Some(i);
                count += usize::from(!lost);
            }
        }
        Answered {
            versions,
            last,
            count,
        }
    }
}

acts! {
    /// Sends a mail again.
    resend: Resend,
    /// Answers what became of a mail.
    resolve: Resolve,
    /// Lets go of a held mail.
    release: Release,
    /// Lets go of the held mails of a list.
    release_many: ReleaseMany,
    /// Sends a mail again to a corrected address.
    correct: Correct,
    /// Sends a further copy.
    copy: FurtherCopy,
    /// Calls a mail off.
    call_off: CallOff,
    /// Shows a mail's addresses.
    reveal: Reveal,
    /// Keeps a month's figures.
    close_month: CloseMonth,
    /// Adds a user.
    add_user: AddUser,
    /// Gives a user another role.
    user_role: UserRole,
    /// Has a user sign in no more.
    user_disable: UserDisable,
    /// Lets a user sign in again.
    user_enable: UserEnable,
    /// Sets a user's password.
    user_password: UserPassword,
    /// Ends a user's sign-ins.
    user_sign_out: UserSignOut,
    /// Changes one's own password.
    own_password: OwnPassword,
    /// Ends one's other sign-ins.
    own_sign_out: OwnSignOut,
    /// Freezes the mails of a list.
    prepare_bulk: PrepareBulk,
    /// Starts resending many.
    start_bulk: StartBulk,
    /// Stops it.
    stop_bulk: StopBulk,
    /// Makes a token of the API.
    make_token: MakeToken,
    /// Ends a token of the API.
    end_token: EndToken,
}

impl Acts {
    /// Those of the page.
    pub fn of_page() -> Acts {
        use_context::<Acts>().unwrap_or_else(Acts::provide)
    }
}

/// Takes what a failed form post left in the address bar out of it.
#[cfg(feature = "hydrate")]
fn forget_error(path: &str, query: &str) {
    use super::wishes::{clean_address, without_errors};
    use leptos::wasm_bindgen::JsValue;
    if without_errors(query) == query {
        return;
    }
    if let Ok(history) = window().history() {
        let url = clean_address(path, query);
        // Where the browser refuses, the error merely stays in sight.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&url));
    }
}

/// Whether it is what the person wanted.
fn wanted(what: NoticeKind) -> bool {
    matches!(
        what,
        NoticeKind::Resent
            | NoticeKind::ConfirmedSent
            | NoticeKind::ConfirmedNotSent
            | NoticeKind::Released
            | NoticeKind::Copied
            | NoticeKind::Canceled
            | NoticeKind::Revealed
    )
}

/// Whether it is what the administrator wanted.
fn user_wanted(what: UserAnswer) -> bool {
    matches!(
        what,
        UserAnswer::Added
            | UserAnswer::RoleChanged
            | UserAnswer::Disabled
            | UserAnswer::Enabled
            | UserAnswer::PasswordSet
            | UserAnswer::SignedOut
    )
}

/// What came of the last act.
#[component]
pub fn Told() -> impl IntoView {
    let w = words();
    let acts = Acts::of_page();
    let one = move |news: News| {
        let mut secret = None;
        let mut typed = None;
        let (good, text, link) = match news {
            News::Mail(notice) => {
                // What may be done next is on the mail's own page.
                let answered = matches!(
                    notice.what,
                    NoticeKind::ConfirmedSent | NoticeKind::ConfirmedNotSent | NoticeKind::Changed
                );
                let link = match notice.copy {
                    Some((id, number)) => Some((id, (w.copy)(number))),
                    None => answered.then(|| (notice.id, (w.mail.title)(&notice.order_id))),
                };
                let mut text = (w.notice)(&notice);
                typed = notice.draft.filter(|_| !notice.what.mends());
                if let Some(to) = typed.as_ref().and_then(|draft| draft.theirs.as_deref()) {
                    text += w.agent.between;
                    text += &(w.agent.theirs)(to);
                }
                (wanted(notice.what), text, link)
            }
            News::Lot(notice) => {
                let good = matches!(notice.what, LotAnswer::Released(_));
                let text = (w.reason.lot_notice)(&notice);
                typed = notice.draft.filter(|draft| !draft.lacks_reason());
                (good, text, None)
            }
            News::Month(notice) => {
                let good = notice.what == MonthAnswer::Closed;
                (good, (w.reports.month_notice)(&notice), None)
            }
            News::User(notice) => {
                let good = user_wanted(notice.what);
                (good, (w.people.notice)(&notice), None)
            }
            News::Account(what) => {
                let text = (w.people.account_notice)(what).to_owned();
                (what.wanted(), text, None)
            }
            News::Bulk(answer) => {
                let good = matches!(answer, BulkAnswer::Started | BulkAnswer::Stopped);
                (good, (w.bulk.notice)(answer).to_owned(), None)
            }
            News::Token(notice) => {
                let good = matches!(notice.what, TokenAnswer::Made | TokenAnswer::Ended);
                let text = (w.tokens.notice)(&notice);
                secret = notice.secret;
                (good, text, None)
            }
            News::Fault(error) => return Either::Left(view! { <Failure error /> }),
        };
        let (class, role) = if good {
            ("say c-accepted", None)
        } else {
            ("say c-check", Some("alert"))
        };
        Either::Right(view! {
            <div class=class role=role>
                <p>{text}</p>
                {secret
                    .map(|text| {
                        view! {
                            <p class="secret">
                                <Copyable text what=w.tokens.secret.to_owned() />
                            </p>
                        }
                    })}
                {typed.map(|draft| view! { <Typed draft /> })}
                {link
                    .map(|(id, text)| {
                        view! { <a href=format!("/submissions/{id}")>{text}</a> }
                    })}
            </div>
        })
    };
    view! {
        <div class="told" id="told" role="status" tabindex="-1">
            {move || acts.error().map(|error| view! { <Failure error /> })}
            <Transition>
                {move || Suspend::new(async move {
                    acts.notice.await.ok().flatten().map(one)
                })}
            </Transition>
        </div>
    }
    .into_any()
}

/// What was written into a form that is of no use any more: to be copied from.
#[component]
fn Typed(draft: Draft) -> impl IntoView {
    let w = words();
    let line = |label: &'static str, text: String| (!text.is_empty()).then(|| fact(label, text));
    view! {
        <div class="typed">
            <p class="note">{w.agent.typed}</p>
            <dl class="facts">
                {line(w.agent.address.copy, draft.recipient)}
                {line(w.reason.reason, draft.reason)}
            </dl>
        </div>
    }
}

/// An act that failed.
#[component]
fn Failure(error: AppError) -> impl IntoView {
    let w = words();
    let ([_, help], reference) = fault_words(&error);
    let (head, help) = match error {
        AppError::NoConnection => (w.fault.act_lost[0], w.fault.act_lost[1]),
        _ => (w.fault.act, help),
    };
    view! {
        <div class="say c-rejected" role="alert">
            <p>
                <strong>{head}</strong>
                " "
                {help}
            </p>
            {reference
                .map(|r| {
                    view! {
                        <span class="ref">
                            {w.fault.reference} " " <code>{r.to_string()}</code>
                        </span>
                    }
                })}
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_act_without_an_answer_changes_nothing_and_the_next_one_counts() {
        let mut now = Answered::after(None, vec![0, 0], &[false, false]);
        let first = now.count;
        now = Answered::after(Some(&now), vec![1, 0], &[true, false]);
        now = Answered::after(Some(&now), vec![2, 0], &[true, false]);
        assert_eq!(
            (now.count, now.last),
            (first, Some(0)),
            "no answer came twice"
        );
        now = Answered::after(Some(&now), vec![2, 1], &[true, false]);
        assert_eq!(
            (now.count, now.last),
            (first + 1, Some(1)),
            "another act was answered"
        );
        now = Answered::after(Some(&now), vec![3, 1], &[false, false]);
        assert_eq!(now.count, first + 2, "and then the first");
    }
}
