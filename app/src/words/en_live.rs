//! Pages that follow the database, in English.

use super::LiveWords;
use super::en::mails;
use crate::model::views::MOST_NEWER;

pub(super) const LIVE: LiveWords = LiveWords {
    pause: "Pause updates",
    resume: "Resume updates",
    still: " (not updating)",
    lost: "The connection to the server is lost. The page shows what was known before; it reconnects by itself.",
    ended: "The session has ended or was signed out. This page is not updated any more.",
    elsewhere: "Other windows are being updated instead of this one. It goes on when you click into it.",
    waiting: "Something has changed since you opened the form.",
    show: "Show it as it is now",
    newer: |n| {
        if n >= MOST_NEWER {
            format!("Show {MOST_NEWER} or more newer")
        } else {
            format!("Show {n} newer")
        }
    },
    newer_told: |n| format!("{} newer than those shown", mails(n)),
};
