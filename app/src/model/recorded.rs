//! The sentences of its own that Denpyo stores in `error`, `held_reason` and in observations. They
//! are stored in English, for programs and logs; the desk reads them back and says them in the
//! reader's language. What a service or a person wrote is none of them, and is shown as stored.

use super::trouble::Told;
use super::unsendable::Unsendable;

/// A lease that ran out: the process that had claimed the row never wrote an outcome.
pub const VANISHED: &str =
    "the process that had claimed it wrote no outcome before the lease ended";
/// A look-up's no: not found, and not found again a horizon later.
pub const NOT_FOUND_TWICE: &str = "not found twice, a horizon apart";
/// A look-up's no: not found, while the service shows a later mail already.
pub const LATER_MAIL_SHOWN: &str = "not found after the horizon, while a later mail is shown";
/// A replay's no.
pub const REFUSED_AGAIN: &str = "the same request is refused now";
/// Why a row is held that is too old to be sent by itself.
pub const TOO_OLD: &str = "older than DENPYO_MAX_AGE";

/// Why rows are held after a restore: the setting's name, and the one that the database kept.
pub fn other_installation(set: &str, kept: &str) -> String {
    format!("DENPYO_INSTALLATION is {set}, the database was {kept}'s")
}

/// A stored sentence, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// Content that cannot be sent.
    Unsendable(Unsendable),
    /// What went wrong between Denpyo and a service.
    Trouble(Told),
    /// [`VANISHED`]
    Vanished,
    /// [`NOT_FOUND_TWICE`]
    NotFoundTwice,
    /// [`LATER_MAIL_SHOWN`]
    LaterMailShown,
    /// [`REFUSED_AGAIN`]
    RefusedAgain,
    /// [`TOO_OLD`]
    TooOld,
    /// [`other_installation`]
    OtherInstallation {
        /// The setting's name.
        set: String,
        /// The database's.
        kept: String,
    },
}

impl Recorded {
    /// Reads a stored text; `None` where the words are a service's or a person's.
    pub fn parse(text: &str) -> Option<Recorded> {
        Some(match text {
            VANISHED => Recorded::Vanished,
            NOT_FOUND_TWICE => Recorded::NotFoundTwice,
            LATER_MAIL_SHOWN => Recorded::LaterMailShown,
            REFUSED_AGAIN => Recorded::RefusedAgain,
            TOO_OLD => Recorded::TooOld,
            _ => match text
                .strip_prefix("DENPYO_INSTALLATION is ")
                .and_then(|rest| rest.strip_suffix("'s")?.rsplit_once(", the database was "))
            {
                Some((set, kept)) => Recorded::OtherInstallation {
                    set: set.to_owned(),
                    kept: kept.to_owned(),
                },
                None => {
                    let content = Unsendable::parse(text).map(Recorded::Unsendable);
                    return content.or_else(|| Told::parse(text).map(Recorded::Trouble));
                }
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Lang;

    #[test]
    fn own_sentences_are_said_in_the_readers_language() {
        let restored = other_installation("shop, the database was b", "old's");
        let own = [
            VANISHED,
            NOT_FOUND_TWICE,
            LATER_MAIL_SHOWN,
            REFUSED_AGAIN,
            TOO_OLD,
        ];
        for text in own.into_iter().chain([restored.as_str()]) {
            let ja = (Lang::Ja.words().mail.cause)(text);
            assert!(ja.ends_with('。') && !ja.contains(text), "{text}: {ja}");
            assert!((Lang::En.words().mail.cause)(text).ends_with('.'), "{text}");
        }
        let restored = Recorded::parse(&restored);
        assert!(
            matches!(&restored, Some(Recorded::OtherInstallation { set, .. }) if set.starts_with("shop")),
            "{restored:?}"
        );
        assert_eq!(Recorded::parse("復元後の確認が終わるまで"), None);
    }
}
