//! The audit trail, as administrators read it.

use super::Office;
use super::pages::{pairs, params};
use crate::db::{DbError, LooseText};
use crate::outbox::trail::{self, Line};
use app::model::trail::TrailFilter;
use app::model::views::{Subject, TokenScope, Trail, TrailLine, Value};
use app::model::{ActKind, Month, Role, Status};

const PAGE: i64 = 50;

impl Office {
    pub(super) async fn read_trail(&self, query: &str) -> Result<Trail, DbError> {
        let as_of = self.moment(self.db.now().await?);
        let params = params(query);
        let (filter, hints) = TrailFilter::parse(pairs(&params), as_of.0.date_naive());
        let span = self.span(filter.from, filter.to);
        let page = trail::page(&self.db, &filter, span, PAGE).await?;
        let at = |cursor| {
            Some(TrailFilter {
                cursor: Some(cursor?),
                ..filter.clone()
            })
        };
        Ok(Trail {
            as_of,
            newer: at(page.newer),
            older: at(page.older),
            hints,
            lines: page.lines.into_iter().map(|l| self.trail_line(l)).collect(),
            names: trail::names(&self.db).await?,
            page_size: PAGE,
            filter,
        })
    }

    fn trail_line(&self, line: Line) -> TrailLine {
        let changes = changes(&line);
        let subject = subject(&line);
        TrailLine {
            id: line.id,
            at: self.moment(line.at),
            actor: line.actor,
            act: line.act,
            subject,
            attempt: line.attempt,
            reason: line.reason,
            changes,
        }
    }
}

fn changes(line: &Line) -> Vec<(Option<Value>, Option<Value>)> {
    let status = |word: &Option<String>| word.as_deref().and_then(Status::parse).map(Value::Status);
    let recipient = |text: &Option<LooseText>| {
        let text = text.as_ref()?;
        Some(Value::Recipient(text.shown().to_owned()))
    };
    let other = |text: &Option<String>| {
        let text = text.as_deref()?;
        Some(match (ActKind::parse(&line.act), text) {
            (Some(ActKind::UserRole | ActKind::UserAdd), word) => {
                Role::parse(word).map_or_else(|| Value::Other(word.to_owned()), Value::Role)
            }
            (Some(ActKind::TokenMade), word) => {
                TokenScope::parse(word).map_or_else(|| Value::Other(word.to_owned()), Value::Scope)
            }
            (_, "enabled") => Value::MaySignIn(true),
            (_, "disabled") => Value::MaySignIn(false),
            _ => Value::Other(text.to_owned()),
        })
    };
    [
        (status(&line.before_status), status(&line.after_status)),
        (
            recipient(&line.before_recipient),
            recipient(&line.after_recipient),
        ),
        (other(&line.before_value), other(&line.after_value)),
    ]
    .into_iter()
    .filter(|(before, after)| before != after)
    .collect()
}

fn subject(line: &Line) -> Option<Subject> {
    if let Some(id) = line.submission_id {
        let order = line.order_id.as_ref().map(LooseText::shown);
        return Some(Subject::Mail {
            id,
            order_id: order.unwrap_or_default().to_owned(),
            copy: line.copy.unwrap_or_default(),
            made: line.copy_id.zip(line.made),
        });
    }
    let detail = line.detail.as_deref()?;
    let other = || Subject::Other(detail.to_owned());
    Some(match ActKind::parse(&line.act) {
        Some(ActKind::CloseMonth) => Month::parse(detail).map_or_else(other, Subject::Month),
        Some(ActKind::Export | ActKind::ExportEnd) => exported(detail).unwrap_or_else(other),
        Some(
            ActKind::UserAdd
            | ActKind::UserRole
            | ActKind::UserDisable
            | ActKind::UserEnable
            | ActKind::UserPassword
            | ActKind::UserSignOut
            | ActKind::OwnPassword
            | ActKind::OwnSignOut,
        ) => Subject::User {
            id: line.user_id,
            name: detail.to_owned(),
        },
        Some(ActKind::BulkStart | ActKind::BulkStop | ActKind::BulkRevoked) => {
            let job = detail.strip_prefix("/bulk/").and_then(|id| id.parse().ok());
            job.map_or_else(other, Subject::Bulk)
        }
        _ => other(),
    })
}

/// What left as a file, as the export wrote it down.
fn exported(detail: &str) -> Option<Subject> {
    let told: serde_json::Value = serde_json::from_str(detail).ok()?;
    let query = told["filter"].as_str()?.to_owned();
    let whole = told["whole"].as_bool();
    match told["what"].as_str()? {
        "submissions" => Some(Subject::List {
            query,
            rows: told["rows"].as_i64(),
            whole,
        }),
        "report" => Some(Subject::Report { query, whole }),
        _ => None,
    }
}
