//! The search box: what a text names, as a condition of a list. Whole order numbers, addresses and
//! ids come first, by indexes of their own; parts by the index of parts (`search/index.rs`), which
//! only chooses candidates: what fits is decided by the rows themselves, literally.

pub mod index;

use super::list::Arg;
use crate::db::limited::PATIENCE;
use crate::db::{Db, DbError, Sql};
use crate::{on_limited, on_read};
use app::model::Filter;
use app::model::sought::Sought;
use app::model::views::SearchNote;

/// So many candidates are sorted; where there are more, the list is walked until a page is full.
pub(super) const LARGEST_SET: i64 = 20_000;
/// Rows outside the index that are looked at one by one.
const DIRECT: i64 = 2_000;

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
/// Whether rows wait for the index that are not looked at one by one.
const BEHIND: Sql = Sql::same(
    "SELECT (SELECT COUNT(*) FROM settings WHERE key = 'search_backfill') \
     + (SELECT COUNT(*) FROM (SELECT 1 FROM search_due LIMIT 1 OFFSET $1) AS more)",
);

pub(super) const STATEMENTS: &[(&str, Sql)] = &[
    ("search::BY_ID", BY_ID),
    ("search::BY_REF", BY_REF),
    ("search::BY_MESSAGE", BY_MESSAGE),
    ("search::ORDER", ORDER),
    ("search::ADDRESS", ADDRESS),
    ("search::ABILITIES", ABILITIES),
    ("search::BEHIND", BEHIND),
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
    by_part(db, &sought, id, addresses).await
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

async fn by_part(
    db: &Db,
    sought: &Sought,
    id: Option<i64>,
    addresses: bool,
) -> Result<Search, DbError> {
    let address = sought.address_part().filter(|_| addresses);
    let (set, mut args) = candidates(db, sought, address);
    let rows = args.clone();
    let sql = numbered(
        db,
        &format!(
            "SELECT COUNT(*) FROM ({set} LIMIT {}) AS found",
            LARGEST_SET + 1
        ),
    );
    let found: Option<i64> = on_limited!(db, PATIENCE, c => {
        super::list::bind_all!(sqlx::query_scalar(&sql), &rows).fetch_one(c).await
    })?;
    let sql = db.text(BEHIND);
    let behind: i64 = on_read!(db, c => sqlx::query_scalar(&sql).bind(DIRECT).fetch_one(c).await)?;
    let common = found.is_none_or(|n| n > LARGEST_SET);
    let (fits, fit_args) = fitting(db, sought, address, id);
    let condition = if common {
        // With everything indexed, what is newer than the newest found is passed over in the
        // list's own index, without a look at its rows.
        match behind {
            0 => match newest(db, sought, address, &(fits.clone(), fit_args.clone())).await? {
                Some(id) => {
                    let mut args = vec![Arg::Int(id)];
                    args.extend(fit_args);
                    (format!("id <= $? AND {fits}"), args)
                }
                None => (fits, fit_args),
            },
            _ => (fits, fit_args),
        }
    } else {
        let mut set = format!("{set} UNION ALL {}", due());
        if let Some(id) = id {
            set.push_str(" UNION ALL SELECT CAST($? AS bigint)");
            args.push(Arg::Int(id));
        }
        args.extend(fit_args);
        (format!("{} AND {fits}", member(db, &set)), args)
    };
    Ok(Search {
        condition: Some(condition),
        note: match (behind > 0 && !common, addresses) {
            (true, _) => Some(SearchNote::Behind),
            (false, false) => Some(SearchNote::Masked),
            (false, true) => None,
        },
        common,
        id,
        ..Search::default()
    })
}

/// The rows that wait for the index.
fn due() -> String {
    format!(
        "SELECT submission_id FROM (SELECT submission_id FROM search_due \
         ORDER BY submission_id DESC LIMIT {DIRECT}) AS due"
    )
}

/// The highest id of all that fit; none where finding it took too long.
async fn newest(
    db: &Db,
    sought: &Sought,
    address: Option<&str>,
    (fits, fit_args): &Piece,
) -> Result<Option<i64>, DbError> {
    let (set, args) = candidates(db, sought, address);
    let order = if db.is_postgres() {
        "submission_id"
    } else {
        "rowid"
    };
    let sql = numbered(db, &format!("{set} ORDER BY {order} DESC LIMIT 1"));
    let indexed: Option<Option<i64>> = on_limited!(db, PATIENCE, c => {
        super::list::bind_all!(sqlx::query_scalar(&sql), &args).fetch_optional(c).await
    })?;
    let Some(indexed) = indexed else {
        return Ok(None);
    };
    let waiting = format!(
        "SELECT MAX(id) FROM email_submissions WHERE {} AND {fits}",
        member(db, &due())
    );
    let sql = numbered(db, &waiting);
    let waiting: Option<i64> = on_read!(db, c => {
        super::list::bind_all!(sqlx::query_scalar(&sql), fit_args).fetch_one(c).await
    })?;
    Ok(indexed.max(waiting))
}

/// The rows that the index names.
fn candidates(db: &Db, sought: &Sought, address: Option<&str>) -> Piece {
    if db.is_postgres() {
        let like = |text: &str| {
            let mut pattern = String::from("%");
            for c in text.chars() {
                if matches!(c, '%' | '_' | '\\') {
                    pattern.push('\\');
                }
                pattern.push(c);
            }
            pattern.push('%');
            Arg::Text(pattern)
        };
        let mut args: Vec<Arg> = sought.orders.iter().map(|order| like(order)).collect();
        let mut any = vec!["order_id LIKE $?"; args.len()];
        if let Some(address) = address {
            args.push(like(address));
            any.push("recipient LIKE $?");
        }
        let any = any.join(" OR ");
        (
            format!("SELECT submission_id FROM search_texts WHERE {any}"),
            args,
        )
    } else {
        // A phrase: between quotes nothing but the quote has a meaning.
        let phrase =
            |column: &str, text: &str| format!("{column} : \"{}\"", text.replace('"', "\"\""));
        let mut any: Vec<String> = sought
            .orders
            .iter()
            .map(|order| phrase("order_id", order))
            .collect();
        any.extend(address.map(|address| phrase("recipient", address)));
        (
            "SELECT rowid FROM search_texts WHERE search_texts MATCH $?".to_owned(),
            vec![Arg::Text(any.join(" OR "))],
        )
    }
}

/// What a row itself must have.
fn fitting(db: &Db, sought: &Sought, address: Option<&str>, id: Option<i64>) -> Piece {
    let find = if db.is_postgres() { "strpos" } else { "instr" };
    let (mut any, mut args) = (Vec::new(), Vec::new());
    for order in &sought.orders {
        any.push(format!("{find}(order_id, $?) > 0"));
        args.push(Arg::Text(order.clone()));
    }
    if let Some(address) = address {
        any.push(format!("{find}({{recipient}}, $?) > 0"));
        args.push(Arg::Text(address.to_owned()));
    }
    if let Some(id) = id {
        any.push("id = $?".to_owned());
        args.push(Arg::Int(id));
    }
    (format!("({})", any.join(" OR ")), args)
}

/// A text with its `$?` numbered from 1.
fn numbered(db: &Db, text: &str) -> String {
    let mut last = 0;
    let text = super::list::number(text, &mut last);
    db.expand(&super::list::with_recipient(db, &text))
}
