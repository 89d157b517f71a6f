//! Users, and one's own sign-in.

use super::{Office, admin, hide, reason_of};
use crate::db::DbError;
use crate::users::change::{ChangeError, Changed, change};
use crate::users::own::{self, Own};
use crate::users::read::{self, Listed};
use crate::users::{self, AddError, suggestion};
use crate::web::reference;
use app::desk::{NewUser, People, UserChange, UserTold};
use app::error::AppError;
use app::model::password;
use app::model::views::{
    Account, AccountAnswer, Me, SignIn, Trail, UserAnswer, UserDraft, UserForm, UserNotice,
    UserPage, UserRow, Users, written,
};
use async_trait::async_trait;
use std::net::{IpAddr, Ipv4Addr};

/// Guesses of an old password are counted by name alone: whoever makes them is signed in.
const ANYWHERE: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

fn form_of(change: UserChange<'_>) -> UserForm {
    match change {
        UserChange::Role(_) => UserForm::Role,
        UserChange::Disable | UserChange::Enable => UserForm::State,
        UserChange::Password(_) => UserForm::Password,
        UserChange::SignOut => UserForm::SignOut,
    }
}

fn done(change: UserChange<'_>) -> UserAnswer {
    match change {
        UserChange::Role(_) => UserAnswer::RoleChanged,
        UserChange::Disable => UserAnswer::Disabled,
        UserChange::Enable => UserAnswer::Enabled,
        UserChange::Password(_) => UserAnswer::PasswordSet,
        UserChange::SignOut => UserAnswer::SignedOut,
    }
}

fn hide_change(error: ChangeError) -> AppError {
    match error {
        ChangeError::Db(error) => hide(error),
        ChangeError::Hash => {
            let reference = reference();
            tracing::error!(%reference, "a password could not be hashed");
            AppError::Unavailable { reference }
        }
    }
}

impl Office {
    fn user_row(&self, me: &Me, user: Listed) -> UserRow {
        UserRow {
            id: user.id,
            role: user.role(),
            disabled: user.disabled,
            disabled_reason: user.disabled_reason,
            created_at: self.moment(user.created_at),
            signed_in_at: self.maybe(user.signed_in_at),
            sign_ins: user.sign_ins,
            version: user.version,
            me: user.name == me.name,
            name: user.name,
        }
    }

    async fn read_users(&self, me: &Me) -> Result<Users, DbError> {
        let users = read::all(&self.db).await?;
        Ok(Users {
            as_of: self.moment(self.db.now().await?),
            users: users.into_iter().map(|u| self.user_row(me, u)).collect(),
            suggestion: suggestion(),
        })
    }

    async fn read_user(&self, me: &Me, id: i64) -> Result<Option<UserPage>, DbError> {
        let Some(user) = read::one(&self.db, id).await? else {
            return Ok(None);
        };
        let user = self.user_row(me, user);
        let admin = user.role == app::model::Role::Admin && !user.disabled;
        Ok(Some(UserPage {
            as_of: self.moment(self.db.now().await?),
            last_admin: admin && !read::other_admins(&self.db, id).await?,
            user,
            suggestion: suggestion(),
        }))
    }
}

#[async_trait]
impl People for Office {
    async fn users(&self, me: &Me) -> Result<Users, AppError> {
        admin(me)?;
        self.read_users(me).await.map_err(hide)
    }

    async fn user(&self, me: &Me, id: i64) -> Result<UserPage, AppError> {
        admin(me)?;
        let page = self.read_user(me, id).await.map_err(hide)?;
        page.ok_or(AppError::NotFound)
    }

    async fn add_user(&self, me: &Me, new: NewUser<'_>) -> Result<UserTold, AppError> {
        admin(me)?;
        let name = new.name.trim();
        let again = |what| UserTold {
            id: None,
            what,
            draft: Some(UserDraft {
                form: UserForm::Add,
                name: name.chars().take(users::LONGEST_NAME).collect(),
                role: Some(new.role),
                reason: String::new(),
            }),
        };
        if let Err(fault) = password::check(new.password, name) {
            return Ok(again(UserAnswer::BadPassword(fault)));
        }
        match users::add(&self.db, &me.name, name, new.role, new.password).await {
            Ok(id) => Ok(UserTold {
                id: Some(id),
                what: UserAnswer::Added,
                draft: None,
            }),
            Err(AddError::Exists(_)) => Ok(again(UserAnswer::NameTaken)),
            Err(AddError::Name | AddError::Reserved(_)) => Ok(again(UserAnswer::BadName)),
            Err(AddError::Db(error)) => Err(hide(error)),
            Err(AddError::Hash) => Err(hide_change(ChangeError::Hash)),
            // The rules were asked first.
            Err(AddError::Empty | AddError::TooLong) => Err(AppError::BadInput),
        }
    }

    async fn change_user(
        &self,
        me: &Me,
        id: i64,
        version: i64,
        wanted: UserChange<'_>,
        reason: &str,
    ) -> Result<UserTold, AppError> {
        admin(me)?;
        let told = |what, draft| UserTold {
            id: Some(id),
            what,
            draft,
        };
        let again = |what| {
            let role = match wanted {
                UserChange::Role(role) => Some(role),
                _ => None,
            };
            let draft = UserDraft {
                form: form_of(wanted),
                name: String::new(),
                role,
                reason: written(reason),
            };
            told(what, Some(draft))
        };
        if let UserChange::Password(new) = wanted {
            let user = users::by_id(&self.db, id).await.map_err(hide)?;
            let user = user.ok_or(AppError::NotFound)?;
            if user.name == me.name {
                return Ok(told(UserAnswer::OwnPassword, None));
            }
            if let Err(fault) = password::check(new, &user.name) {
                return Ok(again(UserAnswer::BadPassword(fault)));
            }
        }
        let Some(kept) = reason_of(reason) else {
            return Ok(again(UserAnswer::ReasonMissing));
        };
        let changed = change(&self.db, &me.name, id, version, wanted, &kept)
            .await
            .map_err(hide_change)?;
        match changed {
            Changed::Done => Ok(told(done(wanted), None)),
            Changed::Same => Ok(told(UserAnswer::Same, None)),
            Changed::Stale => Ok(told(UserAnswer::Stale, None)),
            Changed::LastAdmin => Ok(told(UserAnswer::LastAdmin, None)),
            Changed::NotFound => Err(AppError::NotFound),
        }
    }

    async fn user_notice(&self, told: UserTold) -> Result<UserNotice, AppError> {
        let read = async {
            let name = match (told.id, &told.draft) {
                (Some(id), _) => users::by_id(&self.db, id).await?.map(|user| user.name),
                (None, draft) => draft.as_ref().map(|draft| draft.name.clone()),
            };
            let name = name.unwrap_or_default();
            let last = if told.what == UserAnswer::Stale {
                read::last_change(&self.db, &name).await?
            } else {
                None
            };
            let (by, at) = last.map(|(by, at)| (by, self.moment(at))).unzip();
            Ok::<_, DbError>(UserNotice {
                id: told.id,
                name,
                what: told.what,
                by,
                at,
                draft: told.draft,
            })
        };
        read.await.map_err(hide)
    }

    async fn account(&self, me: &Me, session: &str) -> Result<Account, AppError> {
        let read = async {
            let user = users::by_name(&self.db, &me.name).await?;
            let sign_ins = own::sign_ins(&self.db, &me.name, session).await?;
            Ok::<_, DbError>(Account {
                as_of: self.moment(self.db.now().await?),
                me: me.clone(),
                password: user.is_some_and(|user| user.has_password()),
                sign_ins: sign_ins
                    .into_iter()
                    .map(|(at, own)| SignIn {
                        at: self.moment(at),
                        own,
                    })
                    .collect(),
            })
        };
        read.await.map_err(hide)
    }

    async fn change_password(
        &self,
        me: &Me,
        old: &str,
        [new, again]: [&str; 2],
    ) -> Result<(AccountAnswer, Option<i64>), AppError> {
        if new != again {
            return Ok((AccountAnswer::Differ, None));
        }
        if let Err(fault) = password::check(new, &me.name) {
            return Ok((AccountAnswer::BadPassword(fault), None));
        }
        if new == old {
            return Ok((AccountAnswer::SamePassword, None));
        }
        let key = (me.name.clone(), ANYWHERE);
        // Counted before it is checked, so that many at once are slowed like many in turn.
        if !self.guesses.begin(&key) {
            return Ok((AccountAnswer::Wait, None));
        }
        let changed = own::change_password(&self.db, &me.name, old, new)
            .await
            .map_err(hide_change)?;
        match changed {
            Own::Wrong => Ok((AccountAnswer::WrongPassword, None)),
            Own::Done { epoch } => {
                self.guesses.succeeded(&key);
                Ok((AccountAnswer::PasswordChanged, Some(epoch)))
            }
        }
    }

    async fn end_others(&self, me: &Me) -> Result<i64, AppError> {
        let epoch = own::end_others(&self.db, &me.name).await.map_err(hide)?;
        // Whoever was disabled a moment ago is signed in nowhere.
        epoch.ok_or(AppError::SignedOut)
    }

    async fn trail(&self, me: &Me, query: &str) -> Result<Trail, AppError> {
        admin(me)?;
        self.read_trail(query).await.map_err(hide)
    }
}
