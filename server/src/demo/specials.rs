//! How the odd ones came to be as they are.

use super::cases::{Case, Fate};
use super::life::{LEASE, Life, TIMEOUT};
use super::rows::{At, HOUR, MINUTE, SECOND};
use super::story::goes_out;
use app::model::Status;
use app::model::views::Cause;
use rand::rngs::StdRng;

/// Lives one of them. `fault`: what the look through its content finds.
pub(super) fn live(case: &Case, life: &mut Life, rng: &mut StdRng, now: At, fault: Option<&str>) {
    const REFUSED: &str = "Connection refused (os error 111)";
    const BUSY: &str = "too many requests";
    const SLOW: &str = "operation timed out";
    const INVALID: &str = "Does not contain a valid address.";
    const GONE: &str = "the process that had claimed it wrote no outcome before the lease ended";
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
        Fate::Held => life.hold(decided.plus(90), "復元後の確認が終わるまで"),
        Fate::Screened => life.screen_out(first, fault.unwrap_or_default()),
        Fate::NoAnswer => life.unknown(no_answer, Cause::Timeout, None, SLOW),
        Fate::Cut => {
            let detail = "Connection reset by peer (os error 104)";
            life.unknown(first.plus(412), Cause::Cut, None, detail);
        }
        Fate::ServerError => {
            life.unknown(
                first.plus(1_830),
                Cause::Answer,
                Some(503),
                "Service Unavailable",
            );
        }
        Fate::Vanished => life.unknown(first.plus(LEASE + 600), Cause::Vanished, None, GONE),
        Fate::AssumedSynced => life.assume(no_answer, Cause::Timeout, SLOW, Status::Synced),
        Fate::AssumedFailed => life.assume(no_answer, Cause::Timeout, SLOW, Status::Failed),
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
            life.unknown(first.plus(LEASE + 410), Cause::Vanished, None, GONE);
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
        (0, "Connection refused (os error 111)", Some(62_000)),
        (0, "Connection refused (os error 111)", Some(290_000)),
        (0, "Connection refused (os error 111)", None),
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
