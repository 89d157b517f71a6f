//! People who sign in through the provider: made at their first sign-in, and given the role of
//! their claim at each. They have no password here.

use super::Person;
use crate::db::{Db, DbError, Sql, Tx};
use crate::in_tx;
use crate::outbox::audit::{self, Matter};
use crate::users;
use app::model::{ActKind, Role};

const FIND: Sql = Sql::same(
    "SELECT id, name, role, disabled FROM users WHERE oidc_issuer = $1 AND oidc_subject = $2",
);
const INSERT: Sql = Sql::same(
    "INSERT INTO users (name, role, password_hash, oidc_issuer, oidc_subject) \
     VALUES ($1, $2, '', $3, $4) ON CONFLICT DO NOTHING",
);
const ROLE: Sql = Sql::same("UPDATE users SET role = $2, version = version + 1 WHERE id = $1");
const OUT: Sql =
    Sql::same("UPDATE users SET epoch = epoch + 1, version = version + 1 WHERE id = $1");

/// Every statement, for the test that has both databases check each.
pub const STATEMENTS: &[(&str, Sql)] = &[
    ("oidc::people::FIND", FIND),
    ("oidc::people::INSERT", INSERT),
    ("oidc::people::ROLE", ROLE),
    ("oidc::people::OUT", OUT),
];

/// In the audit trail. (No user's name has a blank.)
const ACTOR: &str = "OpenID Connect";

/// How a sign-in ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entered {
    /// As the user of this id.
    In(i64),
    /// Their claim gives them no role here.
    NoRole,
    /// They are disabled here.
    Disabled,
    /// Everything that they could be called is somebody else's name.
    NameTaken,
}

#[derive(sqlx::FromRow)]
struct Known {
    id: i64,
    name: String,
    role: String,
    disabled: bool,
}

/// Lets a person in.
pub async fn enter(db: &Db, person: &Person) -> Result<Entered, DbError> {
    let mut tx = db.begin().await?;
    if find(db, &mut tx, person).await?.is_none()
        && let Some(role) = person.role
    {
        add(db, &mut tx, person, role).await?;
    }
    let Some(known) = find(db, &mut tx, person).await? else {
        return Ok(match person.role {
            None => Entered::NoRole,
            Some(_) => Entered::NameTaken,
        });
    };
    if known.disabled {
        return Ok(Entered::Disabled);
    }
    let Some(role) = person.role else {
        // Whoever has no role any more is out of the other browsers too.
        let sql = db.text(OUT);
        in_tx!(&mut tx, c => sqlx::query(&sql).bind(known.id).execute(c).await.map(|_| ()))?;
        let act = act(ActKind::UserSignOut, &known.name, None, None);
        audit::record_matter(db, &mut tx, act).await?;
        tx.commit().await?;
        return Ok(Entered::NoRole);
    };
    if known.role != role.as_str() {
        let sql = db.text(ROLE);
        in_tx!(&mut tx, c => sqlx::query(&sql).bind(known.id).bind(role.as_str())
            .execute(c).await.map(|_| ()))?;
        let roles = (Some(known.role.as_str()), Some(role.as_str()));
        let act = act(ActKind::UserRole, &known.name, roles.0, roles.1);
        audit::record_matter(db, &mut tx, act).await?;
    }
    tx.commit().await?;
    Ok(Entered::In(known.id))
}

fn act<'a>(
    kind: ActKind,
    about: &'a str,
    before: Option<&'a str>,
    after: Option<&'a str>,
) -> Matter<'a> {
    Matter {
        actor: ACTOR,
        kind,
        about,
        reason: None,
        before,
        after,
    }
}

async fn find(db: &Db, tx: &mut Tx, person: &Person) -> Result<Option<Known>, DbError> {
    let sql = db.text(FIND);
    Ok(in_tx!(tx, c => sqlx::query_as(&sql)
        .bind(&person.issuer).bind(&person.subject).fetch_optional(c).await)?)
}

/// Makes the user, under the first of their names that is nobody's. A user of that name who has a
/// password is somebody else: whoever may choose their name at the provider must not become them.
async fn add(db: &Db, tx: &mut Tx, person: &Person, role: Role) -> Result<(), DbError> {
    let sql = db.text(INSERT);
    for name in names(person) {
        let rows = in_tx!(&mut *tx, c => sqlx::query(&sql).bind(&name).bind(role.as_str())
            .bind(&person.issuer).bind(&person.subject)
            .execute(c).await.map(|r| r.rows_affected()))?;
        if rows > 0 {
            let act = act(ActKind::UserAdd, &name, None, Some(role.as_str()));
            return audit::record_matter(db, tx, act).await;
        }
    }
    Ok(())
}

/// What somebody may be called here, the best first: what the provider calls them, the same with the
/// provider's host, and the provider's own name for them.
fn names(person: &Person) -> Vec<String> {
    let host = url::Url::parse(&person.issuer).ok();
    let host = host.as_ref().and_then(|url| url.host_str());
    let host = host.unwrap_or_default();
    let mut names = Vec::new();
    for name in [person.name.as_deref(), Some(person.subject.as_str())] {
        let Some(name) = name.map(users::normal) else {
            continue;
        };
        names.push(format!("{name}@{host}"));
        names.insert(names.len() - 1, name);
    }
    names.retain(|name| users::check_name(name).is_ok());
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_be_typed_back() {
        let of = |name: Option<&str>, subject: &str| {
            names(&Person {
                issuer: "https://id.example.jp/realm".to_owned(),
                subject: subject.to_owned(),
                name: name.map(str::to_owned),
                role: None,
            })
        };
        let all = ["sato", "sato@id.example.jp", "u1", "u1@id.example.jp"];
        assert_eq!(of(Some("sato"), "u1"), all);
        // A full name has blanks; kana typed as two are one.
        assert_eq!(of(Some("Sato Hanako"), "u1"), &all[2..]);
        assert_eq!(of(Some("か\u{3099}"), "u1")[0], "が");
        assert_eq!(of(None, &"x".repeat(65)), Vec::<String>::new());
        // In the record they stand for programs.
        assert_eq!(
            of(Some("API"), "denpyo"),
            ["API@id.example.jp", "denpyo@id.example.jp"]
        );
        assert_eq!(of(Some("vm:4711"), "u1")[0], "vm:4711@id.example.jp");
        assert_eq!(of(Some("ad\u{202e}min"), "u1"), &all[2..]);
    }
}
