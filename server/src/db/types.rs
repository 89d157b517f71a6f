//! Values that both databases read and write alike.

use chrono::{DateTime, NaiveDateTime, Utc};
use serde::{Serialize, Serializer};
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo, PgValueRef};
use sqlx::sqlite::{SqliteArgumentValue, SqliteTypeInfo, SqliteValueRef};
use sqlx::{Decode, Encode, Postgres, Sqlite, Type};

/// A point in time to the microsecond: what both databases keep. On SQLite it is UTC text of one
/// width, `2026-04-01 00:00:00.000000`, so that text order is time order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp(DateTime<Utc>);

const SQLITE_FORM: &str = "%Y-%m-%d %H:%M:%S%.6f";

impl Stamp {
    /// The time, cut to the microsecond.
    pub fn new(at: DateTime<Utc>) -> Stamp {
        // By way of the count of microseconds, which knows no leap seconds.
        Stamp(DateTime::from_timestamp_micros(at.timestamp_micros()).unwrap_or(at))
    }

    /// From microseconds since 1970; `None` outside what a calendar holds.
    pub fn from_micros(micros: i64) -> Option<Stamp> {
        DateTime::from_timestamp_micros(micros).map(Stamp)
    }

    /// Microseconds since 1970.
    pub fn micros(self) -> i64 {
        self.0.timestamp_micros()
    }

    /// In UTC.
    pub fn utc(self) -> DateTime<Utc> {
        self.0
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_rfc3339_opts(chrono::SecondsFormat::Micros, true))
    }
}

impl Type<Sqlite> for Stamp {
    fn type_info() -> SqliteTypeInfo {
        <String as Type<Sqlite>>::type_info()
    }
    fn compatible(ty: &SqliteTypeInfo) -> bool {
        <String as Type<Sqlite>>::compatible(ty)
    }
}

impl<'q> Encode<'q, Sqlite> for Stamp {
    fn encode_by_ref(&self, buf: &mut Vec<SqliteArgumentValue<'q>>) -> Result<IsNull, BoxDynError> {
        let text = self.0.format(SQLITE_FORM).to_string();
        <String as Encode<Sqlite>>::encode(text, buf)
    }
}

impl<'r> Decode<'r, Sqlite> for Stamp {
    fn decode(value: SqliteValueRef<'r>) -> Result<Self, BoxDynError> {
        let text = <&str as Decode<Sqlite>>::decode(value)?;
        Ok(Stamp(
            NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f")?.and_utc(),
        ))
    }
}

impl Type<Postgres> for Stamp {
    fn type_info() -> PgTypeInfo {
        <DateTime<Utc> as Type<Postgres>>::type_info()
    }
    fn compatible(ty: &PgTypeInfo) -> bool {
        <DateTime<Utc> as Type<Postgres>>::compatible(ty)
    }
}

impl<'q> Encode<'q, Postgres> for Stamp {
    fn encode_by_ref(&self, buf: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <DateTime<Utc> as Encode<'q, Postgres>>::encode_by_ref(&self.0, buf)
    }
}

impl<'r> Decode<'r, Postgres> for Stamp {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(Stamp(<DateTime<Utc> as Decode<Postgres>>::decode(value)?))
    }
}

/// Text that somebody else wrote. A SQLite column takes bytes of any sort; a row that holds some
/// must still be read, so that it can be set aside with its reason instead of stopping the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LooseText {
    /// Text.
    Text(String),
    /// Bytes that are no UTF-8 text.
    Unreadable,
}

impl LooseText {
    /// The text, with what cannot be read shown as such.
    pub fn shown(&self) -> &str {
        match self {
            LooseText::Text(text) => text,
            LooseText::Unreadable => "\u{fffd}",
        }
    }
}

/// Text of somebody else's that Denpyo only shows: what is no UTF-8 is replaced, so that the row is
/// read all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown(String);

impl std::ops::Deref for Shown {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl Type<Sqlite> for Shown {
    fn type_info() -> SqliteTypeInfo {
        <LooseText as Type<Sqlite>>::type_info()
    }
    fn compatible(ty: &SqliteTypeInfo) -> bool {
        <LooseText as Type<Sqlite>>::compatible(ty)
    }
}

impl<'r> Decode<'r, Sqlite> for Shown {
    fn decode(value: SqliteValueRef<'r>) -> Result<Self, BoxDynError> {
        let bytes = <&[u8] as Decode<Sqlite>>::decode(value)?;
        Ok(Shown(String::from_utf8_lossy(bytes).into_owned()))
    }
}

impl Type<Postgres> for Shown {
    fn type_info() -> PgTypeInfo {
        <String as Type<Postgres>>::type_info()
    }
    fn compatible(ty: &PgTypeInfo) -> bool {
        <String as Type<Postgres>>::compatible(ty)
    }
}

impl<'r> Decode<'r, Postgres> for Shown {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(Shown(<String as Decode<Postgres>>::decode(value)?))
    }
}

impl Serialize for LooseText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.shown())
    }
}

impl Type<Sqlite> for LooseText {
    fn type_info() -> SqliteTypeInfo {
        <String as Type<Sqlite>>::type_info()
    }
    fn compatible(_: &SqliteTypeInfo) -> bool {
        true
    }
}

impl<'r> Decode<'r, Sqlite> for LooseText {
    fn decode(value: SqliteValueRef<'r>) -> Result<Self, BoxDynError> {
        let bytes = <&[u8] as Decode<Sqlite>>::decode(value)?;
        Ok(match std::str::from_utf8(bytes) {
            Ok(text) => LooseText::Text(text.to_owned()),
            Err(_) => LooseText::Unreadable,
        })
    }
}

impl Type<Postgres> for LooseText {
    fn type_info() -> PgTypeInfo {
        <String as Type<Postgres>>::type_info()
    }
    fn compatible(ty: &PgTypeInfo) -> bool {
        <String as Type<Postgres>>::compatible(ty)
    }
}

impl<'r> Decode<'r, Postgres> for LooseText {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(LooseText::Text(<String as Decode<Postgres>>::decode(
            value,
        )?))
    }
}
