//! The settings in effect, and how the installation is.

use super::overview::is_silent;
use crate::api::read_settings;
use crate::components::{DateTime, Fault, Near, SettingsNav, Table, fact, heads, plain, words};
use crate::model::Moment;
use crate::model::views::{
    Alerts, Installation, Lookups, Process, Service, Setting, SettingGroup, SettingValue,
    SettingsPage, Webhook, WebhookState,
};
use crate::words::grouped;
use leptos::either::Either;
use leptos::prelude::*;
use leptos_meta::Title;

/// The page.
#[component]
pub fn Settings() -> impl IntoView {
    let s = &words().settings;
    let page = Resource::new(|| (), |()| read_settings());
    view! {
        <Title text=s.page[0] />
        <Transition>
            {move || Suspend::new(async move {
                match page.await {
                    Ok(page) => Either::Left(view! { <Whole page /> }),
                    Err(error) => Either::Right(view! { <Fault error /> }),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Whole(page: SettingsPage) -> impl IntoView {
    let w = words();
    let s = &w.settings;
    let as_of = page.as_of;
    view! {
        <div class="head">
            <h1>{s.page[0]}</h1>
            <span class="note">{(w.frame.as_of)(&as_of)}</span>
        </div>
        <SettingsNav />
        <div class="state-grid">
            <TheInstallation it=page.installation />
            <TheAlerts alerts=page.alerts />
        </div>
        <Processes processes=page.processes as_of service=page.services.iter().any(|s| s.current) />
        <Services services=page.services last_accepted=page.last_accepted />
        <div class="state-grid block">
            <TheLookups lookups=page.lookups as_of />
            <TheWebhook webhook=page.webhook />
        </div>
        <InEffect settings=page.settings file=page.file warnings=page.warnings />
    }
    .into_any()
}

#[component]
fn TheInstallation(it: Installation) -> impl IntoView {
    let s = &words().settings;
    let [name, version, database, schema, size, mails] = s.facts;
    let kind = if it.postgres { "PostgreSQL" } else { "SQLite" };
    view! {
        <section aria-labelledby="installation">
            <h2 id="installation">{s.installation}</h2>
            <dl class="facts ruled">
                {fact(name, view! { <bdi>{it.name}</bdi> })}
                {fact(version, it.version)}
                {fact(database, format!("{kind} {}", it.database_version))}
                {fact(schema, it.schema.to_string())}
                {fact(size, it.size.map_or_else(|| "—".to_owned(), s.size))}
                {fact(mails, (s.mails)(it.mails))}
            </dl>
        </section>
    }
    .into_any()
}

#[component]
fn TheAlerts(alerts: Alerts) -> impl IntoView {
    let s = &words().settings;
    let body = if alerts.standing.is_empty() {
        Either::Left(view! { <p class="nothing">{s.no_alerts}</p> })
    } else {
        let rows = alerts
            .standing
            .into_iter()
            .map(|(word, since, told)| {
                view! {
                    <tr>
                        <th scope="row" class="wrap">
                            {(s.condition)(&word)}
                        </th>
                        <td>
                            <DateTime at=since />
                        </td>
                        <td>
                            <DateTime at=told />
                        </td>
                    </tr>
                }
            })
            .collect_view();
        Either::Right(view! {
            <Table by="alerts" heads=plain(s.alert_columns)>
                <tbody>{rows}</tbody>
            </Table>
        })
    };
    view! {
        <section aria-labelledby="alerts">
            <h2 id="alerts">{s.alerts}</h2>
            {body}
            <p class="note">{(s.told)(alerts.url, alerts.slack)}</p>
        </section>
    }
    .into_any()
}

#[component]
fn Processes(processes: Vec<Process>, as_of: Moment, service: bool) -> impl IntoView {
    let w = words();
    let s = &w.settings;
    let o = &w.overview;
    let body =
        if processes.is_empty() {
            Either::Left(view! { <p class="nothing">{(o.no_workers)(service)}</p> })
        } else {
            let rows = processes
            .into_iter()
            .map(|p| {
                // What it had in flight when it fell silent, nobody knows.
                let silent = is_silent(p.seen, as_of);
                let in_flight = if silent { "—".to_owned() } else { grouped(p.in_flight) };
                view! {
                    <tr>
                        <th scope="row">
                            {p.host}
                            {p
                                .resends_only
                                .then(|| view! { <span class="tag">{o.resends_only}</span> })}
                        </th>
                        <td>{p.pid}</td>
                        <td>{if p.version.is_empty() { "—".to_owned() } else { p.version }}</td>
                        <td>
                            <Near at=p.started today=as_of />
                        </td>
                        <td>
                            <Near at=p.seen today=as_of />
                            {silent.then(|| view! { <span class="tag">{o.worker_silent}</span> })}
                        </td>
                        <td class="n">{in_flight}</td>
                    </tr>
                }
            })
            .collect_view();
            Either::Right(view! {
                <Table by="processes" heads=heads(s.process_columns, 5)>
                    <tbody>{rows}</tbody>
                </Table>
            })
        };
    view! {
        <section class="block" aria-labelledby="processes">
            <div class="cap">
                <h2 id="processes">{s.processes}</h2>
                <span class="note">{o.workers_note}</span>
            </div>
            {body}
        </section>
    }
    .into_any()
}

#[component]
fn Services(services: Vec<Service>, last_accepted: Option<(Moment, String)>) -> impl IntoView {
    let s = &words().settings;
    let body = if services.is_empty() {
        Either::Left(view! { <p class="nothing">{s.no_services}</p> })
    } else {
        let rows = services
            .into_iter()
            .map(|service| {
                let state = match &service.paused {
                    None => Either::Left(s.ready),
                    Some(p) => Either::Right(view! {
                        <strong>{(s.paused)(p.code)}</strong>
                        <br />
                        {(s.paused_times)(&p.since, &p.until)}
                    }),
                };
                view! {
                    <tr>
                        <th scope="row">
                            {service.name}
                            {(!service.current).then(|| view! { <span class="tag">{s.former}</span> })}
                        </th>
                        <td>
                            <code>{service.account}</code>
                        </td>
                        <td class="wrap">{state}</td>
                    </tr>
                }
            })
            .collect_view();
        Either::Right(view! {
            <Table by="services" heads=plain(s.service_columns)>
                <tbody>{rows}</tbody>
            </Table>
        })
    };
    let last = last_accepted.map_or_else(
        || s.never_accepted.to_owned(),
        |(at, service)| (s.last_accepted)(&at, &service),
    );
    view! {
        <section class="block" aria-labelledby="services">
            <h2 id="services">{s.services}</h2>
            {body}
            <p class="note">{last}</p>
        </section>
    }
    .into_any()
}

#[component]
fn TheLookups(lookups: Lookups, as_of: Moment) -> impl IntoView {
    let s = &words().settings;
    let [open, failing, ended, next] = s.lookup_facts;
    let next_at = match lookups.next_at {
        Some(at) => Either::Left(view! { <Near at today=as_of /> }),
        None => Either::Right(s.no_next),
    };
    let answers = if lookups.answers.is_empty() {
        Either::Left(view! { <p class="nothing">{s.no_answers}</p> })
    } else {
        let rows = lookups
            .answers
            .into_iter()
            .map(|a| {
                view! {
                    <tr>
                        <td>
                            <Near at=a.at today=as_of />
                        </td>
                        <th scope="row" class="k-order">
                            <a href=format!("/submissions/{}", a.id)>{a.order_id}</a>
                        </th>
                        <td>{(s.answer)(&a.kind)}</td>
                    </tr>
                }
            })
            .collect_view();
        Either::Right(view! {
            <Table by="answers" heads=plain(s.answer_columns)>
                <tbody>{rows}</tbody>
            </Table>
        })
    };
    view! {
        <section aria-labelledby="lookups">
            <h2 id="lookups">{s.lookups}</h2>
            <dl class="facts ruled">
                {fact(open, grouped(lookups.open))} {fact(failing, grouped(lookups.failing))}
                {fact(ended, grouped(lookups.ended))} {fact(next, next_at)}
            </dl>
            <p class="note">{(s.way)(lookups.way)}</p>
            <h3 id="answers">{s.answers}</h3>
            {answers}
        </section>
    }
    .into_any()
}

#[component]
fn TheWebhook(webhook: Webhook) -> impl IntoView {
    let s = &words().settings;
    let [address, taken, taken_at, refused, refusal, event] = s.webhook_facts;
    let posts = webhook.posts;
    let time = |at: Option<Moment>| match at {
        Some(at) => Either::Left(view! { <DateTime at /> }),
        None => Either::Right(s.none),
    };
    let facts = (!matches!(
        webhook.state,
        WebhookState::NoService | WebhookState::NotOffered
    ))
    .then(|| {
        let last_refused = match posts.refusal {
            Some((at, why)) => Either::Left(view! { <DateTime at /> <br /> {(s.refusal)(why)} }),
            None => Either::Right(s.none),
        };
        let last_event = match webhook.last_event {
            Some((at, kind)) => Either::Left(view! { <DateTime at /> " " {(s.event)(&kind)} }),
            None => Either::Right(s.none),
        };
        view! {
            <dl class="facts ruled">
                {webhook.address.map(|url| fact(address, view! { <code>{url}</code> }))}
                {fact(taken, (s.taken)(&posts))} {fact(taken_at, time(posts.taken_at))}
                {fact(refused, grouped(posts.refused))} {fact(refusal, last_refused)}
                {fact(event, last_event)}
            </dl>
            <p class="note">{s.posts_note}</p>
        }
    });
    view! {
        <section aria-labelledby="webhook">
            <h2 id="webhook">{s.webhook}</h2>
            <p class="nothing">{(s.webhook_state)(webhook.state)}</p>
            {facts}
        </section>
    }
    .into_any()
}

/// Every setting, by groups.
#[component]
fn InEffect(settings: Vec<Setting>, file: Option<String>, warnings: Vec<String>) -> impl IntoView {
    let s = &words().settings;
    let groups = SettingGroup::ALL
        .into_iter()
        .map(|group| {
            let rows = settings
                .iter()
                .filter(|setting| SettingGroup::of(&setting.name) == Some(group))
                .map(|setting| view! { <One setting=setting.clone() /> })
                .collect_view();
            view! {
                <tbody>
                    <tr class="day">
                        <th colspan="3" scope="rowgroup">
                            {(s.group)(group)}
                        </th>
                    </tr>
                    {rows}
                </tbody>
            }
        })
        .collect_view();
    let warned = (!warnings.is_empty()).then(|| {
        let lines = warnings
            .into_iter()
            .map(|text| view! { <li>{text}</li> })
            .collect_view();
        view! {
            <div class="say c-check">
                <div>
                    <h3>{s.warnings}</h3>
                    <ul lang="en">{lines}</ul>
                </div>
            </div>
        }
    });
    view! {
        <section class="block" aria-labelledby="in-effect">
            <h2 id="in-effect">{s.settings}</h2>
            <p class="note">{s.settings_note}</p>
            {file.map(|path| view! { <p class="note">{(s.file)(&path)}</p> })}
            {warned}
            <table class="tbl set" aria-labelledby="in-effect">
                <thead>
                    <tr>{plain(s.columns)}</tr>
                </thead>
                {groups}
            </table>
        </section>
    }
    .into_any()
}

#[component]
fn One(setting: Setting) -> impl IntoView {
    let s = &words().settings;
    let key = match setting.name.strip_prefix("DENPYO_") {
        Some(key) => key.to_ascii_lowercase(),
        None => "on_unknown".to_owned(),
    };
    let value = match setting.value {
        SettingValue::Text(text) => Either::Left(view! { <code>{text}</code> }),
        SettingValue::Secret => Either::Right(view! { <span>{s.secret}</span> }),
        SettingValue::Unset => Either::Right(view! { <span>{s.unset}</span> }),
    };
    view! {
        <tr>
            <th scope="row">
                <code>{setting.name}</code>
                <span class="about">{(s.about)(&key)}</span>
            </th>
            <td class="value">{value}</td>
            <td class="from">{(s.source)(setting.source)}</td>
        </tr>
    }
    .into_any()
}
