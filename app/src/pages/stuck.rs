//! What needs checking: why each mail is here, and the two answers a person may give.

use super::mail::attempt_words;
use crate::api::read_cases;
use crate::components::{
    Acts, Copyable, Fault, Follow, Hints, Live, ReasonFields, Shape, Waiting, fresh, kind_name,
    lead_to_told, words,
};
use crate::model::views::{Case, Cases, Draft, Form, News};
use crate::model::{Age, Moment};
use crate::words::grouped;
use leptos::either::{Either, EitherOf3};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_location;

/// The page.
#[component]
pub fn Stuck() -> impl IntoView {
    let w = words();
    let acts = Acts::of_page();
    let search = use_location().search;
    let cases = Resource::new(
        move || (search.get(), acts.done()),
        |(query, _)| read_cases(query, String::new()),
    );
    let follow = Live::of_page().follow();
    view! {
        <Title text=w.stuck.title />
        <Waiting follow />
        <Transition>
            {move || Suspend::new(async move {
                match cases.await {
                    Ok(cases) => {
                        follow.shown();
                        // What was not taken is shown again in its form.
                        let kept = match acts.notice.await.ok().flatten() {
                            Some(News::Mail(n)) => n.draft.map(|draft| (n.id, draft)),
                            _ => None,
                        };
                        Either::Left(view! { <Whole cases kept follow /> })
                    }
                    Err(error) => Either::Right(view! { <Fault error /> }),
                }
            })}
        </Transition>
    }
    .into_any()
}

/// The cases as they were read. New ones come in behind the others, and those that are settled
/// meanwhile stay where they are, without their forms: nothing moves under the pointer.
#[component]
fn Whole(cases: Cases, kept: Option<(i64, Draft)>, follow: Follow) -> impl IntoView {
    let w = words();
    let s = &w.stuck;
    let age = cases.age;
    // Those that grow older while they are looked at stay.
    let seen = StoredValue::new(String::new());
    let news = fresh(follow, move || {
        read_cases(Age::query(age), seen.get_value())
    });
    lead_to_told();
    let hints = cases.hints.clone();
    let first = StoredValue::new(cases);
    let kept = StoredValue::new(kept);
    // Every case that is or was shown, with its plan and whether it still needs checking.
    let all = Memo::new(move |before: Option<&Vec<Shown>>| {
        let shown = |cases: &Cases| -> Vec<Shown> {
            let plan = |case: &Case| (w.mail.plan)(&cases.plan(case));
            let one = |case: &Case| Shown {
                plan: plan(case),
                as_of: cases.as_of,
                counted: cases.holds(case),
                case: case.clone(),
                settled: false,
            };
            cases.cases.iter().map(one).collect()
        };
        let mut all: Vec<Shown> = match before {
            Some(before) => before.clone(),
            None => first.with_value(shown),
        };
        if let Some(now) = news.with(|news| news.as_ref().map(shown)) {
            for shown in &mut all {
                match now.iter().find(|now| now.case.row.id == shown.case.row.id) {
                    Some(now) => *shown = now.clone(),
                    None => (shown.settled, shown.counted) = (true, false),
                }
            }
            let new = |now: &Shown| all.iter().all(|shown| shown.case.row.id != now.case.row.id);
            let new: Vec<Shown> = now.iter().filter(|now| new(now)).cloned().collect();
            all.extend(new);
        }
        let open = all.iter().filter(|shown| !shown.settled);
        let open: Vec<String> = open.map(|shown| shown.case.row.id.to_string()).collect();
        seen.set_value(open.join(","));
        all
    });
    // As last read.
    let count = move |age: Option<Age>| {
        let now = news.with(|news| news.as_ref().map(|news| news.count(age)));
        now.unwrap_or_else(|| first.with_value(|first| first.count(age)))
    };
    let total = move || count(age);
    let choice = Memo::new(move |_| age.is_some() || count(None) > 0);
    let none = Memo::new(move |_| all.with(Vec::is_empty));
    let as_of = first.with_value(|first| first.as_of);
    let body = move || {
        if none.get() && count(None) > 0 {
            return EitherOf3::A(view! {
                <p class="allclear">
                    {s.none_of_age} " " <a href="/stuck">{(s.see_all)(count(None))}</a>
                </p>
            });
        }
        if none.get() {
            return EitherOf3::B(view! {
                <p class="allclear">
                    <span class="st c-accepted">
                        <Shape name="accepted" />
                    </span>
                    {s.none}
                    " "
                    <span class="muted">{(w.frame.as_of)(&as_of)}</span>
                </p>
                <p class="note">{s.none_help}</p>
            });
        }
        // What an earlier reading of the page left behind is not carried on.
        let ids = move || {
            all.with(|all| {
                all.iter()
                    .map(|one| (as_of, one.case.row.id))
                    .collect::<Vec<_>>()
            })
        };
        let rest = move || {
            let shown = all.with(|all| all.iter().filter(|shown| shown.counted).count());
            let shown = i64::try_from(shown).unwrap_or(i64::MAX);
            (shown < total()).then(|| view! { <p class="note end">{(s.shown)(shown, total())}</p> })
        };
        EitherOf3::C(view! {
            <div class="cases">
                // By id: an open form and what is typed into it must never pass to the next mail.
                <For each=ids key=|key| *key let:key>
                    <Place all id=key.1 kept />
                </For>
            </div>
            {rest}
        })
    };
    view! {
        <div class="head">
            <h1>{s.title}</h1>
            {move || (total() > 0).then(|| view! { <span class="note">{(s.count)(total())}</span> })}
        </div>
        <Hints hints />
        {move || choice.get().then(|| view! { <Ages age count /> })}
        {body}
    }
    .into_any()
}

/// Leads to those of one age and to all of them, with how many each has. `age` is the one that is shown.
#[component]
fn Ages(
    age: Option<Age>,
    count: impl Fn(Option<Age>) -> i64 + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let s = &words().stuck;
    let choices = [None].into_iter().chain(Age::ALL.map(Some));
    let links = choices
        .map(|choice| {
            let (href, name) = match choice {
                Some(age) => (format!("/stuck?{}", Age::query(choice)), (s.age)(age)),
                None => ("/stuck".to_owned(), s.every_age),
            };
            let current = (choice == age).then_some("true");
            view! {
                <a href=href aria-current=current>
                    {name}
                    " "
                    <b>{move || grouped(count(choice))}</b>
                </a>
            }
        })
        .collect_view();
    view! {
        <nav class="seg ages" aria-label=s.ages>
            {links}
        </nav>
    }
    .into_any()
}

/// A case as it is shown.
#[derive(Clone, PartialEq)]
struct Shown {
    case: Case,
    plan: String,
    /// When it was read.
    as_of: Moment,
    /// It is one of those that the page counts.
    counted: bool,
    settled: bool,
}

/// One case, which changes where it stands. `kept` is the form that was not taken, and of which mail.
#[component]
fn Place(all: Memo<Vec<Shown>>, id: i64, kept: StoredValue<Option<(i64, Draft)>>) -> impl IntoView {
    let now =
        Memo::new(move |_| all.with(|all| all.iter().find(|one| one.case.row.id == id).cloned()));
    let draft = move || {
        kept.with_value(|kept| {
            let of_this = kept.as_ref().filter(|(of, _)| *of == id);
            of_this.map(|(_, draft)| draft.clone())
        })
    };
    move || now.get().map(|shown| view! { <One shown draft=draft() /> })
}

#[component]
fn One(shown: Shown, draft: Option<Draft>) -> impl IntoView {
    let Shown {
        case,
        plan,
        as_of,
        settled,
        ..
    } = shown;
    let w = words();
    let s = &w.stuck;
    let title = (w.mail.title)(&case.row.order_id);
    let since = if case.claimed_at.same_day(&as_of) {
        case.claimed_at.clock()
    } else {
        (w.date_time)(&case.claimed_at)
    };
    let id = case.row.id;
    let went_to = case.attempt.as_ref().map(|a| a.provider.as_str());
    let early = case
        .until(as_of)
        .map(|at| (w.agent.early)(&at, &as_of, went_to));
    let example = (s.not_sent_example)(case.attempt.as_ref());
    let of = |form: Form| draft.clone().filter(|draft| draft.form == form);
    let copy = (case.row.copy > 0).then(|| format!(" {}", (w.copy)(case.row.copy)));
    view! {
        <article class="case" aria-labelledby=format!("case-{id}")>
            <div class="id">
                <h2 id=format!("case-{id}")>
                    <a href=format!("/submissions/{id}")>{title}</a>
                </h2>
                {kind_name(&case.row.kind)}
                {copy}
                <br />
                {case.row.recipient.clone()}
                <br />
                <span class="age">{(w.span)(as_of.seconds_since(&case.claimed_at))}</span>
                " "
                <time class="note" datetime=case.claimed_at.machine()>
                    {(s.since)(&since)}
                </time>
            </div>
            <div class="because">
                <h3>{s.why}</h3>
                <p>{(s.why_text)(&case)}</p>
                {case
                    .attempt
                    .as_ref()
                    .and_then(attempt_words)
                    .map(|text| view! { <p class="quoted">{text}</p> })}
                <h3 class="gap">{s.next}</h3>
                <p>{plan}</p>
                <h3 class="gap">{s.how_head}</h3>
                <p>{(s.how)(case.attempt.as_ref())}</p>
                {case
                    .message_id
                    .clone()
                    .map(|text| {
                        view! {
                            <p>
                                <Copyable text what="Message-ID".to_owned() />
                            </p>
                        }
                    })}
            </div>
            {if settled {
                Either::Left(view! { <p class="note settled">{s.settled}</p> })
            } else {
                Either::Right(
                    view! {
                        <AnswerForm
                            id
                            version=case.version
                            sent=true
                            draft=of(Form::Sent)
                            early=None
                            example=s.sent_example
                        />
                        <AnswerForm
                            id
                            version=case.version
                            sent=false
                            draft=of(Form::NotSent)
                            early
                            example
                        />
                    },
                )
            }}
        </article>
    }
    .into_any()
}

/// One of the two answers: closed it is a button, open it asks for the reason. What was written the last
/// time stays in its field. It is open only where that was nothing: after any other refusal the mail is not
/// as it was, and is to be looked at before the same is said of it.
#[component]
fn AnswerForm(
    id: i64,
    version: i64,
    sent: bool,
    /// As it was filled in, where it was not taken.
    draft: Option<Draft>,
    /// Said before anything else, where the answer would come too early.
    early: Option<String>,
    /// In the empty field.
    example: &'static str,
) -> impl IntoView {
    let s = &words().stuck;
    let acts = Acts::of_page();
    let (name, answer, note, confirm) = if sent {
        (s.sent, "sent", s.sent_note, s.confirm_sent)
    } else {
        (s.not_sent, "not_sent", s.not_sent_note, s.confirm_not_sent)
    };
    let field = format!("why-{id}-{answer}");
    let pending = acts.resolve.pending();
    let missing = draft.as_ref().is_some_and(Draft::lacks_reason);
    view! {
        <details class=format!("ask {answer}") name=format!("case-{id}") open=missing>
            <summary class="btn">{name}</summary>
            <ActionForm action=acts.resolve attr:class="answer">
                <input type="hidden" name="id" value=id.to_string() />
                <input type="hidden" name="version" value=version.to_string() />
                <input type="hidden" name="answer" value=answer />
                {early
                    .map(|text| {
                        view! {
                            <div class="say c-check early">
                                <p>{text}</p>
                            </div>
                        }
                    })}
                <p class="note">{note}</p>
                <ReasonFields
                    field
                    note=s.reason_note
                    example
                    confirm=confirm.to_owned()
                    value=draft.map(|draft| draft.reason).unwrap_or_default()
                    missing
                    pending
                />
            </ActionForm>
        </details>
    }
    .into_any()
}
