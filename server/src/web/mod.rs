//! Everything that answers HTTP.

mod act_body;
mod acts;
pub mod api;
pub mod assets;
pub mod body;
pub mod exports;
mod extract;
pub mod health;
pub mod lang;
pub mod limit;
pub mod live;
mod nesting;
pub mod oidc;
pub mod problem;
mod readable;
mod refusals;
pub mod security;
pub mod session;
pub mod signin;
mod verdict;
pub mod webhooks;

use crate::config::Config;
use crate::db::Db;
use crate::desk::Office;
use crate::oidc::Oidc;
use crate::sender::Sender;
use app::OidcName;
use app::desk::SharedDesk;
use app::error::Reference;
use app::model::Theme;
use app::words::Lang;
use axum::Router;
use axum::extract::{FromRef, Request};
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::http::request::Parts;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{any, get, post};
use leptos::prelude::{LeptosOptions, provide_context, use_context};
use leptos_axum::{LeptosRoutes, ResponseOptions, generate_route_list_with_exclusions};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;

/// What every handler may ask for.
#[derive(Clone)]
pub struct State {
    /// The database.
    pub db: Db,
    /// The settings.
    pub config: Arc<Config>,
    /// The desk.
    pub office: Arc<Office>,
    /// Sends, where a service is set.
    pub sender: Option<Arc<Sender>>,
    /// Where people reach this desk: scheme, host and port.
    pub base_url: Arc<str>,
    /// What Prometheus reads.
    pub metrics: metrics_exporter_prometheus::PrometheusHandle,
    /// Signs in through OpenID Connect, where that is set.
    pub oidc: Option<Arc<Oidc>>,
    /// Slows down sign-in attempts.
    pub attempts: Arc<signin::Attempts>,
    /// The last answer to "is the service there?".
    pub reachable: Arc<health::Reachable>,
    /// Tells open pages what has changed.
    pub live: Arc<live::Live>,
    options: LeptosOptions,
}

impl State {
    /// State over an open database. What lasts ends with `stopping`.
    pub fn new(
        db: Db,
        config: Arc<Config>,
        sender: Option<Arc<Sender>>,
        base_url: &str,
        metrics: metrics_exporter_prometheus::PrometheusHandle,
        stopping: CancellationToken,
        oidc: Option<Arc<Oidc>>,
    ) -> State {
        State {
            oidc,
            live: live::Live::start(db.clone(), &config, stopping),
            office: Arc::new(
                Office::new(db.clone(), Arc::clone(&config), sender.clone()).at(base_url),
            ),
            db,
            config,
            sender,
            base_url: base_url.into(),
            metrics,
            attempts: Arc::default(),
            reachable: Arc::default(),
            options: LeptosOptions::builder().output_name("denpyo").build(),
        }
    }
}

impl FromRef<State> for LeptosOptions {
    fn from_ref(state: &State) -> LeptosOptions {
        state.options.clone()
    }
}

/// A number that an error shows, and under which the log tells what happened.
pub fn reference() -> Reference {
    Reference(rand::random())
}

/// The whole site.
pub fn router(state: State) -> Router {
    let desk: SharedDesk = state.office.clone();
    let oidc = OidcName(state.oidc.as_ref().map(|oidc| oidc.name().to_owned()));
    let context = move || {
        provide_context(oidc.clone());
        provide_context(Arc::clone(&desk));
        if let Some(parts) = use_context::<Parts>() {
            provide_context(parts.extensions.get::<Lang>().copied().unwrap_or_default());
            provide_context(parts.extensions.get::<Theme>().copied().unwrap_or_default());
        }
        if let (Some(nonce), Some(response)) =
            (leptos::nonce::use_nonce(), use_context::<ResponseOptions>())
        {
            response.insert_header(CONTENT_SECURITY_POLICY, security::page_policy(&nonce));
        }
    };
    let shell = || {
        let lang = use_context::<Lang>().unwrap_or_default();
        app::shell(app::Shell {
            lang,
            theme: use_context::<Theme>().unwrap_or_default(),
            pkg: assets::hash(),
        })
    };
    let render = leptos_axum::render_app_async_with_context(context.clone(), shell);
    let not_found = move |request: Request| {
        let render = render.clone();
        async move { render(request).await }
    };
    let lost = Some(vec![app::LOST.to_owned()]);
    let routes = generate_route_list_with_exclusions(app::App, lost);
    let pages = Router::new()
        .leptos_routes_with_context(&state, routes, context, shell)
        .route("/session", post(signin::sign_in))
        .route("/session/end", post(signin::sign_out))
        .route(live::PATH, get(live::stream))
        .route("/session/oidc", get(oidc::begin))
        .route("/session/oidc/callback", get(oidc::callback))
        .route("/submissions/{id}/body", get(body::show))
        .route("/exports/submissions.csv", get(exports::mails_csv))
        .route("/exports/submissions.xlsx", get(exports::mails_xlsx))
        .route("/exports/report.csv", get(exports::report_csv))
        .route("/exports/report.xlsx", get(exports::report_xlsx))
        .fallback(not_found)
        .layer(from_fn(acts::statuses))
        .layer(from_fn_with_state(state.clone(), session::who_calls))
        .layer(from_fn(lang::choose))
        .layer(session::layer(&state))
        .layer(from_fn_with_state(state.clone(), security::same_origin))
        .layer(from_fn(limit::forms));

    let api = Router::new()
        .route("/api/v1/submissions", get(api::list).post(api::create))
        .route("/api/v1/submissions/{id}", get(api::show))
        .route("/api/v1/submissions/{id}/resend", post(api::resend))
        .route("/api/v1/submissions/{id}/copies", post(api::copies))
        .route("/api", any(api::nothing_here))
        .route("/api/", any(api::nothing_here))
        .route("/api/{*rest}", any(api::nothing_here))
        .method_not_allowed_fallback(api::wrong_method);

    let webhooks = Router::new()
        .route("/webhooks/{provider}", post(webhooks::take))
        .method_not_allowed_fallback(api::wrong_method);

    Router::new()
        .merge(api)
        .merge(webhooks)
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::metrics))
        .route("/pkg/{*path}", get(assets::serve))
        .route("/favicon.svg", get(assets::serve))
        .route("/favicon.ico", get(assets::serve))
        .route("/robots.txt", get(assets::serve))
        .fallback_service(pages.with_state(state.clone()))
        .layer(from_fn(limit::hear_out))
        .layer(from_fn(security::headers))
        .layer(CatchPanicLayer::custom(|_| -> Response {
            problem::panicked()
        }))
        .with_state(state)
}
