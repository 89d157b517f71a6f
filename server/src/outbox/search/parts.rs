//! Mails by a part of an order number or of an address. The index of parts (`search/index.rs`) only
//! chooses candidates: what fits is decided by the rows themselves, literally.

use super::{LARGEST_SET, Piece, Search, member};
use crate::db::limited::PATIENCE;
use crate::db::{Db, DbError, Sql};
use crate::outbox::list::{self, Arg};
use crate::{on_limited, on_read};
use app::model::sought::Sought;
use app::model::views::SearchNote;

/// Rows outside the index that are looked at one by one.
const DIRECT: i64 = 2_000;

/// Whether rows wait for the index that are not looked at one by one.
pub(super) const BEHIND: Sql = Sql::same(
    "SELECT (SELECT COUNT(*) FROM settings WHERE key = 'search_backfill') \
     + (SELECT COUNT(*) FROM (SELECT 1 FROM search_due LIMIT 1 OFFSET $1) AS more)",
);

pub(super) async fn by_part(
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
        list::bind_all!(sqlx::query_scalar(&sql), &rows).fetch_one(c).await
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
            (false, false) if sought.like_address() => Some(SearchNote::Masked),
            (false, _) => None,
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
        list::bind_all!(sqlx::query_scalar(&sql), &args).fetch_optional(c).await
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
        list::bind_all!(sqlx::query_scalar(&sql), fit_args).fetch_one(c).await
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
        let mut args: Vec<Arg> = sought.order_parts().map(|order| like(order)).collect();
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
            .order_parts()
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
    for order in sought.order_parts() {
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
    let text = list::number(text, &mut last);
    db.expand(&list::with_recipient(db, &text))
}
