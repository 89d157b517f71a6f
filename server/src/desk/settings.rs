//! The settings' pages, for administrators alone.

use super::{Office, admin, hide, reason_of};
use crate::db::{DbError, schema};
use crate::outbox::{self, read, state, workers};
use crate::provider::asking::Asking;
use crate::tokens::{self, TokenRow};
use app::desk::Settings;
use app::error::AppError;
use app::model::service::is_mail_server;
use app::model::views::{
    Alerts, Installation, LookupAnswer, LookupWay, Lookups, Me, Paused, Process, Service, Setting,
    SettingSource, SettingValue, SettingsPage, Token, TokenAnswer, TokenEnd, TokenNotice,
    TokenScope, Tokens, Webhook, WebhookState,
};
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Tokens that were just made, until the next page shows them: in memory alone, and not for long.
#[derive(Default)]
pub(super) struct Fresh(Mutex<HashMap<i64, (String, Instant)>>);

/// How long a token waits to be shown.
const WAITS: Duration = Duration::from_secs(300);

impl Fresh {
    fn put(&self, id: i64, token: String) {
        if let Ok(mut map) = self.0.lock() {
            map.retain(|_, (_, since)| since.elapsed() < WAITS);
            map.insert(id, (token, Instant::now()));
        }
    }

    fn take(&self, id: i64) -> Option<String> {
        let (token, since) = self.0.lock().ok()?.remove(&id)?;
        (since.elapsed() < WAITS).then_some(token)
    }
}

#[async_trait]
impl Settings for Office {
    async fn settings(&self, me: &Me) -> Result<SettingsPage, AppError> {
        admin(me)?;
        self.read_settings().await.map_err(hide)
    }

    async fn tokens(&self, me: &Me) -> Result<Tokens, AppError> {
        admin(me)?;
        let read = async {
            let rows = tokens::all(&self.db).await?;
            Ok::<_, DbError>(Tokens {
                as_of: self.moment(self.db.now().await?),
                tokens: rows.into_iter().map(|row| self.token(row)).collect(),
                by_setting: self.config.api_token.is_some(),
            })
        };
        read.await.map_err(hide)
    }

    async fn make_token(
        &self,
        me: &Me,
        name: &str,
        scope: &str,
    ) -> Result<(Option<i64>, TokenAnswer), AppError> {
        admin(me)?;
        let scope = TokenScope::parse(scope).ok_or(AppError::BadInput)?;
        let Some(name) = tokens::name(name) else {
            return Ok((None, TokenAnswer::BadName));
        };
        let made = tokens::make(&self.db, &me.name, &name, scope)
            .await
            .map_err(hide)?;
        Ok(match made {
            Some((id, token)) => {
                self.fresh.put(id, token);
                (Some(id), TokenAnswer::Made)
            }
            None => (None, TokenAnswer::NameTaken),
        })
    }

    async fn end_token(&self, me: &Me, id: i64, reason: &str) -> Result<TokenAnswer, AppError> {
        admin(me)?;
        let Some(reason) = reason_of(reason) else {
            return Ok(TokenAnswer::ReasonMissing);
        };
        let done = tokens::end(&self.db, &me.name, id, &reason)
            .await
            .map_err(hide)?;
        Ok(if done {
            TokenAnswer::Ended
        } else {
            TokenAnswer::EndedBefore
        })
    }

    async fn token_notice(
        &self,
        id: Option<i64>,
        what: TokenAnswer,
    ) -> Result<TokenNotice, AppError> {
        let row = match id {
            Some(id) => tokens::by_id(&self.db, id).await.map_err(hide)?,
            None => None,
        };
        let token = row.map(|row| self.token(row));
        Ok(TokenNotice {
            what,
            id,
            secret: match (what, id) {
                (TokenAnswer::Made, Some(id)) => self.fresh.take(id),
                _ => None,
            },
            name: token.as_ref().map(|t| t.name.clone()).unwrap_or_default(),
            ended: token.and_then(|t| t.ended),
        })
    }
}

impl Office {
    fn token(&self, row: TokenRow) -> Token {
        Token {
            id: row.id,
            scope: row.scope(),
            name: row.name,
            created_by: row.created_by,
            created_at: self.moment(row.created_at),
            used_at: self.maybe(row.used_at),
            ended: row.ended_at.map(|at| TokenEnd {
                at: self.moment(at),
                by: row.ended_by.unwrap_or_default(),
                reason: row.end_reason.unwrap_or_default(),
            }),
        }
    }

    async fn read_settings(&self) -> Result<SettingsPage, DbError> {
        let now = self.db.now().await?;
        let installation = self.the_installation().await?;
        Ok(SettingsPage {
            as_of: self.moment(now),
            file: self.config.file.as_ref().map(|p| p.display().to_string()),
            settings: self.in_effect(&installation.name),
            warnings: self.config.warnings.clone(),
            installation,
            processes: workers::seen(&self.db)
                .await?
                .into_iter()
                .map(|w| self.process(w))
                .collect(),
            services: self.services().await?,
            last_accepted: state::last_accepted(&self.db)
                .await?
                .map(|(at, service)| (self.moment(at), service)),
            lookups: self.questions().await?,
            webhook: self.webhook().await?,
            alerts: Alerts {
                url: self.config.alerts.url.is_some(),
                slack: self.config.alerts.slack_url.is_some(),
                standing: state::alerts(&self.db)
                    .await?
                    .into_iter()
                    .map(|(word, since, told)| (word, self.moment(since), self.moment(told)))
                    .collect(),
            },
        })
    }

    /// The settings, with what holds where nothing is set and only the running process knows.
    fn in_effect(&self, installation: &str) -> Vec<Setting> {
        let mut all = self.config.settings.clone();
        for setting in &mut all {
            if setting.source != SettingSource::Default {
                continue;
            }
            let known = match setting.name.as_str() {
                "DENPYO_INSTALLATION" => Some(installation.to_owned()),
                "DENPYO_BASE_URL" => self.base_url.clone(),
                "DENPYO_LOOKUP_HORIZON" => {
                    self.sender
                        .as_ref()
                        .and_then(|s| match s.provider().asking() {
                            Asking::Lookup { horizon, .. } => {
                                Some(format!("{}s", horizon.as_secs()))
                            }
                            _ => None,
                        })
                }
                _ => None,
            };
            if let Some(text) = known {
                setting.value = SettingValue::Text(text);
            }
        }
        all
    }

    async fn the_installation(&self) -> Result<Installation, DbError> {
        Ok(Installation {
            name: outbox::setting(&self.db, "installation")
                .await?
                .unwrap_or_default(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            postgres: self.db.is_postgres(),
            database_version: state::version(&self.db).await?,
            schema: schema::ours(&self.db),
            size: state::size(&self.db).await,
            mails: read::total(&self.db).await?,
        })
    }

    fn process(&self, row: workers::Seen) -> Process {
        let (host, pid) = row.name.rsplit_once(':').unwrap_or((&row.name, ""));
        Process {
            host: host.to_owned(),
            pid: pid.to_owned(),
            version: row.version,
            resends_only: row.resends_only,
            started: self.moment(row.started_at),
            seen: self.moment(row.seen_at),
            in_flight: row.in_flight,
        }
    }

    /// The service that is set, and whatever else stands paused.
    async fn services(&self) -> Result<Vec<Service>, DbError> {
        let mut pauses = state::pauses(&self.db).await?;
        let mut all = Vec::new();
        let pause = |row: &state::PauseRow| Paused {
            since: self.moment(row.paused_since),
            until: self.moment(row.paused_until),
            code: row.code,
        };
        if let Some(sender) = &self.sender {
            let who = sender.claimant();
            let own = pauses
                .iter()
                .position(|p| p.provider == who.provider && p.account == who.account);
            all.push(Service {
                name: sender.provider().label().to_owned(),
                account: who.account.clone(),
                current: true,
                paused: own.map(|i| pause(&pauses.remove(i))),
            });
        }
        all.extend(pauses.iter().map(|row| Service {
            name: row.provider.clone(),
            account: row.account.clone(),
            current: false,
            paused: Some(pause(row)),
        }));
        Ok(all)
    }

    async fn questions(&self) -> Result<Lookups, DbError> {
        let questions = state::questions(&self.db).await?;
        let answers = state::answers(&self.db).await?;
        Ok(Lookups {
            way: match self.sender.as_ref().map(|s| s.provider().asking()) {
                None => LookupWay::NoService,
                Some(Asking::Never) => LookupWay::Never,
                Some(Asking::Lookup { .. }) => LookupWay::Lookup,
                Some(Asking::Replay { .. }) => LookupWay::Replay,
            },
            open: questions.open,
            failing: questions.failing,
            ended: questions.ended,
            next_at: self.maybe(questions.next_at),
            answers: answers
                .into_iter()
                .map(|row| LookupAnswer {
                    at: self.moment(row.at),
                    id: row.submission_id,
                    order_id: row.order_id.shown().to_owned(),
                    kind: row.kind,
                })
                .collect(),
        })
    }

    async fn webhook(&self) -> Result<Webhook, DbError> {
        let service = self.sender.as_ref().map(|s| s.provider().name());
        let key = self.config.provider.as_ref().map(|p| &p.webhook_key);
        let state = match (service, key) {
            (None, _) => WebhookState::NoService,
            (Some(name), _) if is_mail_server(name) => WebhookState::NotOffered,
            (Some(_), Some(Some(_))) => WebhookState::On,
            (Some(_), _) => WebhookState::NoKey,
        };
        let base = self.base_url.as_deref().unwrap_or_default();
        Ok(Webhook {
            state,
            address: service.map(|name| format!("{base}/webhooks/{name}")),
            posts: self.posts.seen(|at| self.moment(at)),
            last_event: state::last_event(&self.db)
                .await?
                .map(|(at, kind)| (self.moment(at), kind)),
        })
    }
}
