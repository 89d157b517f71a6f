//! Pages by keyset on a time and an id, at full precision.

use crate::db::Stamp;
use app::model::Cursor;

/// Where the pages beside a page begin.
pub(super) struct Beside {
    /// That of newer rows.
    pub newer: Option<Cursor>,
    /// That of older rows.
    pub older: Option<Cursor>,
    /// On the first page: where rows newer than these would begin.
    pub top: Option<Cursor>,
}

/// What a page's condition compares with, where it has a place to begin at.
pub(super) fn place(cursor: Option<Cursor>) -> Option<(Stamp, i64)> {
    let cursor = cursor?;
    Some((Stamp::from_micros(cursor.micros)?, cursor.id))
}

/// Whether a page goes on to older rows.
pub(super) fn is_older(cursor: Option<Cursor>) -> bool {
    cursor.is_none_or(|cursor| cursor.older)
}

/// Puts a page's rows in order, newest first, as they were read from `cursor` on. One more than
/// `limit` says that there are others, and goes.
pub(super) fn page<T>(
    rows: &mut Vec<T>,
    cursor: Option<Cursor>,
    limit: i64,
    at: impl Fn(&T) -> (Stamp, i64),
) -> Beside {
    let older = is_older(cursor);
    let more = i64::try_from(rows.len()).unwrap_or(i64::MAX) > limit;
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    if !older {
        rows.reverse();
    }
    let (has_newer, has_older) = if older {
        (cursor.is_some(), more)
    } else {
        (more, true)
    };
    let begins = |row: Option<&T>, older| {
        let (at, id) = at(row?);
        Some(Cursor {
            older,
            micros: at.micros(),
            id,
        })
    };
    let first = begins(rows.first(), false);
    Beside {
        newer: first.filter(|_| has_newer),
        older: begins(rows.last(), true).filter(|_| has_older),
        top: first.filter(|_| !has_newer),
    }
}
