//! What stands around every page: the bar, the top line, the state of sending.

use super::badge::SHAPES;
use super::live::{AsOf, LinkState};
use super::{Acts, HelpLink, Keys, LangLink, Live, ThemeLink, Told, provide_keys, words};
use crate::api::read_frame;
use crate::error::AppError;
use crate::model::Role;
use crate::model::views::{self, ServiceState};
use leptos::either::Either;
use leptos::prelude::*;
use leptos_router::components::Outlet;
use leptos_router::hooks::use_location;

type FrameResource = Resource<Result<views::Frame, AppError>>;

/// The frame with the page in it.
#[component]
pub fn Frame() -> impl IntoView {
    let w = words();
    let f = &w.frame;
    let place = use_location();
    let acts = Acts::provide();
    provide_keys();
    let as_of = RwSignal::new(None);
    let follow = Live::provide(as_of.into()).follow_all();
    let frame = Resource::new(
        move || {
            let here = (place.pathname.get(), place.search.get());
            (here, acts.done(), follow.version())
        },
        |_| read_frame(),
    );
    Effect::new(move |_| {
        if let Some(Ok(frame)) = frame.get() {
            as_of.set(Some(frame.as_of));
        }
    });
    view! {
        <svg class="symbols" aria-hidden="true" inner_html=SHAPES></svg>
        <a class="skip" href="#main" rel="external">
            {f.skip}
        </a>
        <div class="desk">
            <Rail frame />
            <Top frame />
            <main id="main" tabindex="-1">
                <Transition>
                    {move || Suspend::new(async move {
                        frame.await.ok().map(|f| view! { <Sending state=f.service /> })
                    })}
                </Transition>
                <LinkState />
                <Told />
                <Outlet />
            </main>
        </div>
        <Keys />
    }
    .into_any()
}

/// The bar: the pages, and how many mails need checking.
#[component]
fn Rail(frame: FrameResource) -> impl IntoView {
    let w = words();
    let f = &w.frame;
    let live = Live::of_page();
    let place = use_location();
    let current = move |path: &'static str| {
        move || {
            let here = place.pathname.get();
            (here == path || (path != "/" && here.starts_with(path))).then_some("page")
        }
    };
    view! {
        <nav class="rail" aria-label=f.pages>
            <div>
                <a class="mark" href="/">
                    <b>"伝票"</b>
                    <span>"Denpyo"</span>
                </a>
                <ul>
                    <li>
                        <a href="/" aria-current=current("/")>
                            {w.overview.title}
                        </a>
                    </li>
                    <li>
                        <a href="/submissions" aria-current=current("/submissions")>
                            {w.list.title}
                        </a>
                    </li>
                    <li>
                        <a href="/stuck" aria-current=current("/stuck")>
                            {w.stuck.title}
                            " "
                            <Transition>
                                {move || Suspend::new(async move {
                                    frame
                                        .await
                                        .ok()
                                        .map(|f| move || {
                                            let n = live.check(f.needs_checking, f.as_of);
                                            (n > 0)
                                                .then(|| {
                                                    view! {
                                                        <span class="count">{crate::words::grouped(n)}</span>
                                                    }
                                                })
                                        })
                                })}
                            </Transition>
                        </a>
                    </li>
                    <li>
                        <a href="/reports" aria-current=current("/reports")>
                            {w.reports.title}
                        </a>
                    </li>
                    <Transition>
                        {move || Suspend::new(async move {
                            let admin = frame.await.is_ok_and(|f| f.me.role == Role::Admin);
                            admin
                                .then(|| {
                                    view! {
                                        <li>
                                            <a
                                                href="/settings"
                                                aria-current=current("/settings")
                                            >
                                                {w.settings.title}
                                            </a>
                                        </li>
                                    }
                                })
                        })}
                    </Transition>
                </ul>
            </div>
        </nav>
    }
    .into_any()
}

/// The top line: the search box, and who reads what of when.
#[component]
fn Top(frame: FrameResource) -> impl IntoView {
    let f = &words().frame;
    let place = use_location();
    let query = move || {
        let sought = place.query.with(|q| q.get("q"));
        sought.filter(|_| place.pathname.get() == "/submissions")
    };
    view! {
        <header class="top">
            <form class="find" role="search" action="/submissions">
                <label class="vh" for="q">
                    {f.search}
                </label>
                <input
                    id="q"
                    type="search"
                    name="q"
                    value=query
                    placeholder=f.search_hint
                    autocomplete="off"
                    autocapitalize="none"
                    spellcheck="false"
                    maxlength="320"
                />
                <button class="btn small" type="submit">
                    {f.find}
                </button>
            </form>
            <HelpLink />
            <Transition>
                {move || Suspend::new(async move {
                    match frame.await {
                        Ok(frame) => Either::Left(view! { <Who frame /> }),
                        Err(_) => {
                            Either::Right(
                                view! {
                                    <LangLink />
                                    <ThemeLink />
                                },
                            )
                        }
                    }
                })}
            </Transition>
        </header>
    }
    .into_any()
}

/// When the page was read, and by whom.
#[component]
fn Who(frame: views::Frame) -> impl IntoView {
    let w = words();
    view! {
        <AsOf read=frame.as_of />
        <LangLink />
        <ThemeLink />
        <a class="who" href="/account" title=w.people.account>
            <bdi>{frame.me.name}</bdi>
            " "
            <small>{(w.role)(frame.me.role)}</small>
        </a>
        <form method="post" action="/session/end">
            <button type="submit">{w.frame.sign_out}</button>
        </form>
    }
    .into_any()
}

/// Says so where mails cannot go out.
#[component]
fn Sending(state: ServiceState) -> impl IntoView {
    let w = words();
    (w.frame.service)(&state).map(|text| {
        let (class, since) = match &state {
            ServiceState::Paused { since, .. } => ("say c-failed", Some((w.frame.since)(since))),
            _ => ("say", None),
        };
        view! {
            <div class=class>
                <p>{text}</p>
                {since.map(|s| view! { <span class="ref">{s}</span> })}
            </div>
        }
    })
}
