//! Acts, and telling what came of them.

use super::{fault_words, words};
use crate::api::{
    CallOff, CloseMonth, Correct, FurtherCopy, Release, ReleaseMany, Resend, Resolve, Reveal,
    take_notice,
};
use crate::error::AppError;
use crate::model::views::{LotAnswer, MonthAnswer, News, NoticeKind};
use leptos::either::EitherOf3;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// What people can do at the desk, and what came of the last time. Shared by all pages, so that
/// every one of them reads again after an act.
#[derive(Clone, Copy)]
pub struct Acts {
    /// Sends a mail again.
    pub resend: ServerAction<Resend>,
    /// Answers what became of a mail.
    pub resolve: ServerAction<Resolve>,
    /// Lets go of a held mail.
    pub release: ServerAction<Release>,
    /// Lets go of the held mails of a list.
    pub release_many: ServerAction<ReleaseMany>,
    /// Sends a mail again to a corrected address.
    pub correct: ServerAction<Correct>,
    /// Sends a further copy.
    pub copy: ServerAction<FurtherCopy>,
    /// Calls a mail off.
    pub call_off: ServerAction<CallOff>,
    /// Shows a mail's addresses.
    pub reveal: ServerAction<Reveal>,
    /// Keeps a month's figures.
    pub close_month: ServerAction<CloseMonth>,
    /// What came of the last act, told once.
    pub notice: Resource<Result<Option<News>, AppError>>,
}

impl Acts {
    /// Provides them to everything below.
    pub fn provide() -> Acts {
        let resend = ServerAction::<Resend>::new();
        let resolve = ServerAction::<Resolve>::new();
        let release = ServerAction::<Release>::new();
        let release_many = ServerAction::<ReleaseMany>::new();
        let correct = ServerAction::<Correct>::new();
        let copy = ServerAction::<FurtherCopy>::new();
        let call_off = ServerAction::<CallOff>::new();
        let reveal = ServerAction::<Reveal>::new();
        let close_month = ServerAction::<CloseMonth>::new();
        let place = use_location();
        let acts = move || {
            resend.version().get()
                + resolve.version().get()
                + release.version().get()
                + release_many.version().get()
                + correct.version().get()
                + copy.version().get()
                + call_off.version().get()
                + reveal.version().get()
                + close_month.version().get()
        };
        let notice = Resource::new(
            move || (place.pathname.get(), acts()),
            |_| async { take_notice().await },
        );
        // Told once: the error of an act goes with the page it happened on, and out of the URL.
        Effect::new(move |before: Option<String>| {
            let here = place.pathname.get();
            if before.is_some_and(|before| before != here) {
                resend.value().set(None);
                resolve.value().set(None);
                release.value().set(None);
                release_many.value().set(None);
                correct.value().set(None);
                copy.value().set(None);
                call_off.value().set(None);
                reveal.value().set(None);
                close_month.value().set(None);
            }
            #[cfg(feature = "hydrate")]
            forget_error(&here, &place.search.get_untracked());
            here
        });
        let acts = Acts {
            resend,
            resolve,
            release,
            release_many,
            correct,
            copy,
            call_off,
            reveal,
            close_month,
            notice,
        };
        provide_context(acts);
        acts
    }

    /// Those of the page.
    pub fn of_page() -> Acts {
        use_context::<Acts>().unwrap_or_else(Acts::provide)
    }

    /// Counts the acts done, so that what is shown follows them.
    pub fn done(&self) -> usize {
        self.resend.version().get()
            + self.resolve.version().get()
            + self.release.version().get()
            + self.release_many.version().get()
            + self.correct.version().get()
            + self.copy.version().get()
            + self.call_off.version().get()
            + self.reveal.version().get()
            + self.close_month.version().get()
    }

    /// The error of the last act, where it failed.
    fn error(&self) -> Option<AppError> {
        let failed = |value: Option<Result<(), AppError>>| value.and_then(Result::err);
        failed(self.resend.value().get())
            .or_else(|| failed(self.resolve.value().get()))
            .or_else(|| failed(self.release.value().get()))
            .or_else(|| failed(self.release_many.value().get()))
            .or_else(|| failed(self.correct.value().get()))
            .or_else(|| failed(self.copy.value().get()))
            .or_else(|| failed(self.call_off.value().get()))
            .or_else(|| failed(self.reveal.value().get()))
            .or_else(|| failed(self.close_month.value().get()))
    }
}

/// Takes what a failed form post left in the address bar out of it.
#[cfg(feature = "hydrate")]
fn forget_error(path: &str, query: &str) {
    use leptos::wasm_bindgen::JsValue;
    let rest = super::without_errors(query);
    if rest == query {
        return;
    }
    let mark = if rest.is_empty() { "" } else { "?" };
    if let Ok(history) = window().history() {
        let url = format!("{path}{mark}{rest}");
        // Where the browser refuses, the error merely stays in sight.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&url));
    }
}

/// Whether it is what the person wanted.
fn good(news: &News) -> bool {
    match news {
        News::Mail(notice) => matches!(
            notice.what,
            NoticeKind::Resent
                | NoticeKind::ConfirmedSent
                | NoticeKind::ConfirmedNotSent
                | NoticeKind::Released
                | NoticeKind::Copied
                | NoticeKind::Canceled
                | NoticeKind::Revealed
        ),
        News::Lot(notice) => matches!(notice.what, LotAnswer::Released(_)),
        News::Month(notice) => notice.what == MonthAnswer::Closed,
        News::Fault(_) => false,
    }
}

/// What came of the last act.
#[component]
pub fn Told() -> impl IntoView {
    let w = words();
    let acts = Acts::of_page();
    let one = move |news: News| {
        let (class, role) = if good(&news) {
            ("say c-accepted", None)
        } else {
            ("say c-check", Some("alert"))
        };
        let copy = match &news {
            News::Mail(notice) => notice.copy,
            News::Lot(_) | News::Month(_) | News::Fault(_) => None,
        };
        view! {
            <div class=class role=role>
                <p>
                    {match &news {
                        News::Mail(notice) => (w.notice)(notice),
                        News::Lot(notice) => (w.reason.lot_notice)(notice),
                        News::Month(notice) => (w.reports.month_notice)(notice),
                        News::Fault(error) => fault_words(error).0[1].to_owned(),
                    }}
                </p>
                {copy
                    .map(|(id, number)| {
                        view! { <a href=format!("/submissions/{id}")>{(w.copy)(number)}</a> }
                    })}
            </div>
        }
    };
    view! {
        <div class="told" role="status">
            {move || {
                acts.error()
                    .map(|error| view! { <Failure error /> })
            }}
            <Transition>
                {move || Suspend::new(async move {
                    match acts.notice.await {
                        Ok(Some(News::Fault(error))) => EitherOf3::A(view! { <Failure error /> }),
                        Ok(Some(news)) => EitherOf3::B(one(news)),
                        _ => EitherOf3::C(()),
                    }
                })}
            </Transition>
        </div>
    }
    .into_any()
}

/// An act that failed.
#[component]
fn Failure(error: AppError) -> impl IntoView {
    let w = words();
    let ([_, help], reference) = fault_words(&error);
    view! {
        <div class="say c-rejected" role="alert">
            <p>
                <strong>{w.fault.act}</strong>
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
