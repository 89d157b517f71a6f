//! The search box: what a text names, as a condition of a list. Whole order numbers, addresses and
//! ids come first, by indexes of their own; then parts (`search/parts.rs`).

pub mod index;
mod parts;

use super::list::Arg;
use crate::db::{Db, DbError, Sql};
use crate::on_read;
use app::model::Filter;
use app::model::sought::Sought;
use app::model::views::SearchNote;

/// So many candidates are sorted; where there are more, the list is walked until a page is full.
pub(super) const LARGEST_SET: i64 = 20_000;

const BY_ID: Sql = Sql::same("SELECT id FROM email_submissions WHERE id = $1");
const BY_REF: Sql = Sql {
    sqlite: "SELECT id FROM email_submissions WHERE ref = $1",
    postgres: "SELECT id FROM email_submissions WHERE ref = CAST($1 AS uuid)",
};
/// In the words of the index.
const BY_MESSAGE: Sql = Sql::same(
    "SELECT id FROM email_submissions WHERE substr(provider_message_id, 1, 320) = $1 \
     AND provider_message_id IS NOT NULL LIMIT 2",
);
const ORDER: Sql = Sql::same(
    "SELECT COUNT(*) FROM (SELECT 1 FROM email_submissions WHERE order_id = $1 LIMIT 1) AS one",
);
const ADDRESS: Sql = Sql {
    sqlite: "SELECT COUNT(*) FROM (SELECT 1 FROM email_submissions \
             WHERE substr(lower(recipient), 1, 320) = $1 LIMIT 1) AS one",
    postgres: "SELECT COUNT(*) FROM (SELECT 1 FROM email_submissions \
               WHERE substr(lower(recipient COLLATE \"C\"), 1, 320) = $1 LIMIT 1) AS one",
};
/// Whether parts are indexed here, and services' ids.
const ABILITIES: Sql = Sql {
    sqlite: "SELECT true, true",
    postgres: "SELECT to_regclass('denpyo.search_texts_parts') IS NOT NULL, \
               COALESCE((SELECT indisvalid FROM pg_index \
               WHERE indexrelid = to_regclass('public.email_submissions_message')), false)",
};

pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("search::BY_ID", BY_ID),
    ("search::BY_REF", BY_REF),
    ("search::BY_MESSAGE", BY_MESSAGE),
    ("search::ORDER", ORDER),
    ("search::ADDRESS", ADDRESS),
    ("search::ABILITIES", ABILITIES),
    ("search::BEHIND", parts::BEHIND),
];

/// A piece of SQL and what it takes: `$?` stands for the next of them.
pub(super) type Piece = (String, Vec<Arg>);

/// What a search text came to.
#[derive(Clone, Default)]
pub struct Search {
    pub(super) condition: Option<Piece>,
    /// What is to be said of it.
    pub note: Option<SearchNote>,
    /// The one mail that it names by an id of the mail's own.
    pub straight: Option<i64>,
    /// It was found whole; parts can be asked for.
    pub parts_too: bool,
    /// Parts so common that reading a page may take long: it is given up in time.
    pub common: bool,
    /// The mail whose id it may be, among the others.
    pub id: Option<i64>,
}

impl Search {
    fn nothing(note: Option<SearchNote>) -> Search {
        Search {
            condition: Some(("1 = 0".to_owned(), Vec::new())),
            note,
            ..Search::default()
        }
    }

    fn one(id: i64) -> Search {
        Search {
            condition: Some(("id = $?".to_owned(), vec![Arg::Int(id)])),
            straight: Some(id),
            ..Search::default()
        }
    }

    /// Rows may be missing from what is found.
    pub fn incomplete(&self) -> bool {
        self.note.is_some_and(SearchNote::incomplete)
    }
}

/// Finds out what a filter's search text names. Without `addresses`, which are masked then, an
/// address is found whole and never by a part: whoever may try parts could spell it out.
pub async fn resolve(db: &Db, filter: &Filter, addresses: bool) -> Result<Search, DbError> {
    let Some(q) = &filter.q else {
        return Ok(Search::default());
    };
    if q.contains('\0') {
        // No stored text holds a NUL, and PostgreSQL does not even take the question.
        return Ok(Search::nothing(None));
    }
    let sought = Sought::parse(q);
    let (parts, messages) = abilities(db).await?;
    if !filter.part {
        if let Some(found) = by_own_id(db, &sought, messages).await? {
            return Ok(found);
        }
        if let Some(condition) = whole(db, &sought).await? {
            return Ok(Search {
                condition: Some(condition),
                parts_too: parts
                    && sought.is_part()
                    && (addresses || sought.whole_address().is_none()),
                id: sought.id,
                ..Search::default()
            });
        }
    }
    let id = match sought.id {
        Some(id) => find(db, BY_ID, id).await?,
        None => None,
    };
    if !parts || !sought.is_part() {
        let note = if sought.is_part() {
            SearchNote::NoParts
        } else {
            SearchNote::Short
        };
        return Ok(match id {
            Some(id) => Search {
                straight: None,
                id: Some(id),
                ..Search::one(id)
            },
            None => Search::nothing(Some(note)),
        });
    }
    parts::by_part(db, &sought, id, addresses).await
}

async fn abilities(db: &Db) -> Result<(bool, bool), DbError> {
    let sql = db.text(ABILITIES);
    Ok(on_read!(db, c => sqlx::query_as(&sql).fetch_one(c).await)?)
}

async fn find(db: &Db, sql: Sql, id: i64) -> Result<Option<i64>, DbError> {
    let sql = db.text(sql);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql).bind(id).fetch_optional(c).await)?)
}

async fn find_all(db: &Db, sql: Sql, text: &str) -> Result<Vec<i64>, DbError> {
    let sql = db.text(sql);
    Ok(on_read!(db, c => sqlx::query_scalar(&sql).bind(text).fetch_all(c).await)?)
}

/// By `#42`, by `ref`, by a service's id.
async fn by_own_id(db: &Db, sought: &Sought, messages: bool) -> Result<Option<Search>, DbError> {
    if let Some(id) = sought.id.filter(|_| sought.marked)
        && let Some(id) = find(db, BY_ID, id).await?
    {
        return Ok(Some(Search::one(id)));
    }
    if let Some(reference) = &sought.reference
        && let [id] = find_all(db, BY_REF, reference).await?[..]
    {
        return Ok(Some(Search::one(id)));
    }
    let Some(message) = sought.message_id.as_ref().filter(|_| messages) else {
        return Ok(None);
    };
    let message: String = message.chars().take(320).collect();
    Ok(match find_all(db, BY_MESSAGE, &message).await?[..] {
        [] => None,
        [id] => Some(Search::one(id)),
        // A service may name several mails alike.
        _ => Some(Search {
            condition: Some((
                "(provider_message_id IS NOT NULL AND substr(provider_message_id, 1, 320) = $?)"
                    .to_owned(),
                vec![Arg::Text(message)],
            )),
            ..Search::default()
        }),
    })
}

/// A whole order number or address, with the mail of that id beside it; nothing where there is
/// neither.
async fn whole(db: &Db, sought: &Sought) -> Result<Option<Piece>, DbError> {
    let count = async |sql: Sql, text: &str| -> Result<i64, DbError> {
        let sql = db.text(sql);
        Ok(on_read!(db, c => sqlx::query_scalar(&sql).bind(text).fetch_one(c).await)?)
    };
    let (mut sets, mut args) = (Vec::new(), Vec::new());
    for order in &sought.orders {
        if count(ORDER, order).await? > 0 {
            sets.push("SELECT id FROM email_submissions WHERE order_id = $?");
            args.push(Arg::Text(order.clone()));
        }
    }
    if let Some(address) = sought.whole_address() {
        let cut: String = address.chars().take(320).collect();
        if count(ADDRESS, &cut).await? > 0 {
            sets.push("SELECT id FROM email_submissions WHERE {recipient} = $?");
            args.push(Arg::Text(cut));
        }
    }
    if sets.is_empty() {
        return Ok(None);
    }
    if let Some(id) = sought.id {
        sets.push("SELECT id FROM email_submissions WHERE id = $?");
        args.push(Arg::Int(id));
    }
    Ok(Some((member(db, &sets.join(" UNION ALL ")), args)))
}

/// `id` is one of these: read first, and then each row by its id.
pub(super) fn member(db: &Db, set: &str) -> String {
    if db.is_postgres() {
        format!("id = ANY(ARRAY({set}))")
    } else {
        format!("id IN ({set})")
    }
}
