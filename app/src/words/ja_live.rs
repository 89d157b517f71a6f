//! Pages that follow the database, in Japanese.

use super::LiveWords;
use crate::model::views::MOST_NEWER;

pub(super) const LIVE: LiveWords = LiveWords {
    pause: "自動更新を止める",
    resume: "自動更新を再開する",
    still: "（更新停止中）",
    lost: "サーバーとの接続が切れています。表示は切れる前のものです。自動でつなぎ直しています。",
    ended: "サインインの期限が切れたか、サインアウトされました。この画面は更新されません。",
    elsewhere: "ほかの画面を更新しているため、この画面の更新を止めています。この画面をクリックすると再開します。",
    waiting: "入力を始めたあとに、状態が変わりました。",
    show: "いまの状態を表示する",
    newer: |n| {
        if n >= MOST_NEWER {
            format!("新着{MOST_NEWER}件以上を表示する")
        } else {
            format!("新着{n}件を表示する")
        }
    },
    newer_told: |n| {
        if n >= MOST_NEWER {
            format!("新着が{MOST_NEWER}件以上あります")
        } else {
            format!("新着が{n}件あります")
        }
    },
};
