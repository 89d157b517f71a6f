//! What people do: every word that `audit_events.act` holds.

use serde::{Deserialize, Serialize};

macro_rules! acts {
    ($($(#[$doc:meta])* $kind:ident = $word:literal,)+) => {
        /// A kind of act.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum ActKind {
            $($(#[$doc])* $kind,)+
        }

        impl ActKind {
            /// Every kind, in the order of the filter's menu.
            pub const ALL: &[ActKind] = &[$(ActKind::$kind,)+];

            /// The word stored, and in the URL.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(ActKind::$kind => $word,)+
                }
            }
        }
    };
}

acts! {
    /// A mail was sent again.
    Resend = "resend",
    /// A mail was said to have gone out.
    ConfirmSent = "confirm_sent",
    /// A mail was said not to have gone out.
    ConfirmNotSent = "confirm_not_sent",
    /// A held mail was let go.
    Release = "release",
    /// A further copy was decided on.
    Copy = "copy",
    /// A mail was called off.
    Cancel = "cancel",
    /// Masked addresses were shown.
    Reveal = "reveal",
    /// Many mails were to be sent again.
    BulkStart = "bulk_start",
    /// Sending many again was stopped.
    BulkStop = "bulk_stop",
    /// Sending many again stopped by itself: whoever started it may not any more.
    BulkRevoked = "bulk_revoked",
    /// A month was closed.
    CloseMonth = "close_month",
    /// A file began to leave.
    Export = "export",
    /// A file has left, or broke off.
    ExportEnd = "export_end",
    /// Somebody may sign in from now on.
    UserAdd = "user_add",
    /// A user has another role.
    UserRole = "user_role",
    /// A user may not sign in any more.
    UserDisable = "user_disable",
    /// A user may sign in again.
    UserEnable = "user_enable",
    /// A user got a new password.
    UserPassword = "user_password",
    /// All of a user's sign-ins were ended.
    UserSignOut = "user_sign_out",
    /// Somebody changed their own password.
    OwnPassword = "own_password",
    /// Somebody ended their other sign-ins.
    OwnSignOut = "own_sign_out",
    /// A token of the API was made.
    TokenMade = "token_made",
    /// A token of the API was ended.
    TokenEnded = "token_ended",
}

impl ActKind {
    /// Reads the word.
    pub fn parse(word: &str) -> Option<ActKind> {
        ActKind::ALL
            .iter()
            .copied()
            .find(|kind| kind.as_str() == word)
    }
}
