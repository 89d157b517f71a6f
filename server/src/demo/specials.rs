//! How the odd ones came to be as they are.

use super::cases::{Case, Fate};
use super::life::{HORIZON, LEASE, Life, TIMEOUT};
use super::rows::{At, DAY, HOUR, MINUTE, SECOND};
use super::story::goes_out;
use app::model::recorded::{TOO_OLD, VANISHED};
use app::model::trouble::Trouble;
use app::model::views::Cause;
use app::model::{HeldBy, Status};
use rand::rngs::StdRng;

/// Lives one of them. `fault`: what the look through its content finds.
pub(super) fn live(case: &Case, life: &mut Life, rng: &mut StdRng, now: At, fault: Option<&str>) {
    const REFUSED: &str = Trouble::Refused.as_str();
    const BUSY: &str = "too many requests";
    const SLOW: &str = Trouble::NoAnswer.as_str();
    const INVALID: &str = "Does not contain a valid address.";
    // As `app::model::recorded::other_installation` says it.
    const RESTORED: &str = "DENPYO_INSTALLATION is tokyo, the database was osaka's";
    let decided = now.plus(-case.age);
    let first = decided.plus(740);
    let no_answer = first.plus(TIMEOUT + 3);
    // The first attempt, for most of what follows.
    let claims = !matches!(
        case.fate,
        Fate::Accepted
            | Fate::Waiting
            | Fate::Later
            | Fate::Held
            | Fate::HeldRestored
            | Fate::HeldOld
            | Fate::LetGo
            | Fate::Screened
            | Fate::CalledOff
            | Fate::Copy
    );
    if claims {
        life.claim(rng, first, "worker-1", None);
    }
    match case.fate {
        Fate::Waiting | Fate::Later | Fate::Sending | Fate::JustVanished => {}
        Fate::Accepted => goes_out(life, rng, decided, now, 0.0),
        Fate::Copy => {
            life.copied(
                decided,
                "lead1",
                "お客様から再度送ってほしいとご連絡がありました。",
            );
            goes_out(life, rng, decided, now, 0.0);
        }
        Fate::Held => {
            let reason = "値上げ後の金額を確かめ終わるまで";
            life.hold(decided.plus(90), HeldBy::Hold, reason);
        }
        Fate::HeldRestored => {
            let at = now.plus(-26 * HOUR);
            life.hold(at, HeldBy::Installation, RESTORED);
        }
        Fate::HeldOld => life.hold(decided.plus(3 * DAY + 700), HeldBy::Age, TOO_OLD),
        Fate::LetGo => {
            let reason = "消費税の端数を確かめ終わるまで";
            life.hold(decided.plus(90), HeldBy::Hold, reason);
            let at = decided.plus(50 * MINUTE);
            life.let_go(at, "lead1", "金額に間違いがないことを確かめました。");
            goes_out(life, rng, at.plus(400), now, 0.0);
        }
        Fate::Screened => life.screen_out(first, fault.unwrap_or_default()),
        Fate::NoAnswer => {
            life.unknown(no_answer, Cause::Timeout, None, SLOW);
            life.ask(now, None);
        }
        Fate::Elsewhere => {
            life.unknown(no_answer, Cause::Timeout, None, SLOW);
            life.ask_in_vain();
        }
        Fate::LookedUp => {
            life.unknown(no_answer, Cause::Timeout, None, SLOW);
            let at = first.plus(LEASE + 22 * MINUTE);
            life.ask(at, None);
            life.found(rng, at.plus(48 * SECOND));
        }
        Fate::LookedUpNot => {
            life.unknown(no_answer, Cause::Timeout, None, SLOW);
            let at = first.plus(LEASE + HORIZON);
            life.ask(at, None);
            life.not_found(at.plus(SECOND));
            let again = at.plus(2 * SECOND);
            life.claim(rng, again, "worker-2", None);
            life.accept(rng, again.plus(344));
            life.deliver(again.plus(5_200), "delivered");
        }
        Fate::AssumedWrongly => {
            life.assume(no_answer, Cause::Timeout, SLOW, Status::Synced);
            let at = first.plus(LEASE + HORIZON);
            life.ask(at, None);
            life.not_found(at.plus(SECOND));
        }
        Fate::Cut => {
            let detail = &Trouble::Cut.with("Connection reset by peer");
            life.unknown(first.plus(412), Cause::Cut, None, detail);
            life.ask(now, None);
        }
        Fate::ServerError => {
            life.unknown(
                first.plus(1_830),
                Cause::Answer,
                Some(503),
                "Service Unavailable",
            );
            life.ask(now, Some("unreachable: 503 Service Unavailable"));
        }
        Fate::Vanished => {
            life.unknown(first.plus(LEASE + 600), Cause::Vanished, None, VANISHED);
            life.ask(now, Some("refused: 403 access forbidden"));
        }
        Fate::AssumedSynced => {
            life.assume(no_answer, Cause::Timeout, SLOW, Status::Synced);
            life.ask(now, None);
        }
        Fate::AssumedFailed => {
            life.assume(no_answer, Cause::Timeout, SLOW, Status::Failed);
            life.ask(now, None);
        }
        Fate::PutOff(times) => {
            let mut at = first.plus(220);
            for n in 1..times {
                let wait = i64::from(n) * 70 * SECOND;
                life.refuse(at, 429, BUSY, Some(wait));
                life.claim(rng, at.plus(wait + 300), "worker-2", None);
                at = at.plus(wait + 510);
            }
            life.refuse(at, 429, BUSY, Some(55 * MINUTE));
        }
        Fate::SoonAgain => {
            life.refuse(first.plus(21), 0, REFUSED, Some(6_200));
            life.claim(rng, first.plus(6_900), "worker-2", None);
            life.refuse(first.plus(6_918), 0, REFUSED, Some(23_400));
            life.claim(rng, first.plus(31_100), "worker-1", None);
            life.refuse(first.plus(31_122), 0, REFUSED, Some(114 * SECOND));
        }
        Fate::UsedUp => {
            use_up(life, rng, first);
        }
        Fate::Resent => {
            let at = use_up(life, rng, first).plus(25 * MINUTE);
            life.resend(rng, at, "support1", "サービスの復旧を確かめたため。", None);
            life.accept(rng, at.plus(322));
            life.deliver(at.plus(8_400), "delivered");
        }
        Fate::Refused => life.refuse(first.plus(190), 400, INVALID, None),
        Fate::Corrected(to) => {
            life.refuse(first.plus(204), 400, INVALID, None);
            let at = first.plus(47 * MINUTE);
            let reason = "お電話で正しいアドレスをうかがいました。";
            life.resend(rng, at, "support1", reason, Some(to));
            life.accept(rng, at.plus(276));
            life.deliver(at.plus(5_900), "delivered");
        }
        Fate::CalledOff => {
            let reason = "お客様のご都合でご注文が取り消されました。";
            life.cancel(decided.plus(70 * MINUTE), "support1", reason);
        }
        Fate::CalledOffFailed => {
            let at = use_up(life, rng, first).plus(3 * HOUR);
            life.cancel(at, "lead1", "お電話でお伝えしたため、メールは不要です。");
        }
        Fate::CalledOffRefused => {
            life.refuse(first.plus(180), 400, INVALID, None);
            life.cancel(first.plus(2 * HOUR), "lead1", "請求書は郵送しました。");
        }
        Fate::FoundSent => {
            life.unknown(no_answer, Cause::Timeout, None, SLOW);
            let reason = "お客様に、届いているとお電話でうかがいました。";
            life.answer(first.plus(64 * MINUTE), "support1", true, reason);
        }
        Fate::FoundNotSent => {
            life.unknown(no_answer, Cause::Timeout, None, SLOW);
            let at = first.plus(51 * MINUTE);
            let reason = "SendGrid の記録に見当たらず、お客様にも届いていません。";
            life.answer(at, "lead1", false, reason);
            let again = at.plus(40 * SECOND);
            life.resend(
                rng,
                again,
                "lead1",
                "届いていないことを確かめたため。",
                None,
            );
            life.accept(rng, again.plus(301));
            life.deliver(again.plus(7_700), "delivered");
        }
        Fate::Twice => {
            life.unknown(first.plus(LEASE + 410), Cause::Vanished, None, VANISHED);
            let at = first.plus(20 * MINUTE);
            let reason = "SendGrid の記録に見当たりませんでした。";
            life.answer(at, "support1", false, reason);
            let again = at.plus(15 * SECOND);
            life.resend(rng, again, "support1", "お客様がお急ぎのため。", None);
            life.accept_twice(rng, again.plus(180), again.plus(420));
        }
        Fate::GivenBack => {
            life.release(first.plus(35));
            // Another process is there within seconds.
            let again = decided.plus(3_600);
            life.claim(rng, again, "worker-2", None);
            life.accept(rng, again.plus(410));
            life.deliver(again.plus(6_100), "delivered");
        }
    }
}

/// Five attempts without success; returns when the last one ended.
fn use_up(life: &mut Life, rng: &mut StdRng, first: At) -> At {
    let waits = [
        (429, "too many requests", Some(10_400)),
        (429, "too many requests", Some(60_300)),
        (0, Trouble::Refused.as_str(), Some(62_000)),
        (0, Trouble::Refused.as_str(), Some(290_000)),
        (0, Trouble::Refused.as_str(), None),
    ];
    let mut claimed = first;
    for (i, (code, detail, wait)) in waits.into_iter().enumerate() {
        if i > 0 {
            life.claim(
                rng,
                claimed,
                if i % 2 == 0 { "worker-1" } else { "worker-2" },
                None,
            );
        }
        let closed = claimed.plus(if code == 0 { 24 } else { 210 });
        life.refuse(closed, code, detail, wait);
        claimed = closed.plus(wait.unwrap_or(0) + 350);
    }
    claimed.plus(-350)
}
