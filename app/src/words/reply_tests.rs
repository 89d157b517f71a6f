use super::*;
use crate::model::verdict::tests::{act, at, attempt, mail};
use crate::model::views::{Outcome, ServiceState};
use crate::model::{Face, SettledBy, Status};

fn both(mail: &Mail) -> [String; 2] {
    [reply(Lang::Ja, mail), reply(Lang::En, mail)]
}

fn with(status: Status, outcome: Option<Outcome>) -> Mail {
    let attempts = match outcome {
        None => vec![],
        outcome => vec![attempt(1, "10:31:06", outcome)],
    };
    let mut m = mail(status, attempts);
    m.row.kind = "order_confirmation".into();
    m
}

fn accepted() -> Mail {
    let mut m = with(Status::Synced, Some(Outcome::Accepted));
    m.row.sent_at = Some(at("10:31:07"));
    m
}

/// Says that it is not known, and neither that it went out nor that it did not.
fn says_not_known(m: &Mail) {
    let [ja, en] = both(m);
    assert!(ja.contains("まだ確認できておりません"), "{ja}");
    assert!(en.contains("cannot confirm yet whether"), "{en}");
    for said in [
        "お送りできておりません",
        "お送りしておりません",
        "完了しており",
        "取りやめ",
        "送信済み",
    ] {
        assert!(!ja.contains(said), "{ja}");
    }
    for said in [
        "not been sent",
        "has not reached",
        "was accepted",
        "was not sent",
        "was sent",
    ] {
        assert!(!en.contains(said), "{en}");
    }
}

#[test]
fn what_was_accepted_is_told_with_its_time_and_delivery_is_not_claimed() {
    let [ja, en] = both(&accepted());
    assert_eq!(
        ja,
        "ご注文 1001 の注文確認のメールは、2026年11月29日 10:31 にメール配信サービスへの受け渡しが完了しております。お客様のメールサーバーへの配信は、まだ確認できておりません。迷惑メールのフォルダーもご確認ください。"
    );
    assert_eq!(
        en,
        "The mail “Order confirmation” for your order 1001 was accepted by our mail service on 29 Nov 2026, 10:31 JST. Its delivery to your mail server has not been confirmed yet. Please look in your spam folder as well."
    );
    // On another basis, nothing of a service's own word.
    for (by, ja_says, en_says) in [
        (SettledBy::Person, "担当者が確認", "our staff have checked"),
        (SettledBy::Imported, "以前のシステム", "earlier system"),
    ] {
        let mut m = accepted();
        m.settled_by = Some(by);
        let [ja, en] = both(&m);
        assert!(
            ja.contains(ja_says) && ja.contains("確認できておりません"),
            "{ja}"
        );
        assert!(
            en.contains(en_says) && en.contains("not been confirmed"),
            "{en}"
        );
    }
}

#[test]
fn what_became_of_it_is_told_with_its_time() {
    for (state, ja_says, en_says) in [
        (
            DeliveryState::Delivered,
            "10:36 にお客様のメールサーバーへの配信を確認",
            "confirmed on 29 Nov 2026, 10:36 JST",
        ),
        (
            DeliveryState::Bounced,
            "届かなかったとの通知",
            "did not take it",
        ),
        (
            DeliveryState::Complained,
            "迷惑メールとして扱われた",
            "treated as spam",
        ),
    ] {
        let mut m = accepted();
        m.delivery = Some(state);
        m.delivery_at = Some(at("10:36:39"));
        let [ja, en] = both(&m);
        assert!(
            ja.contains("10:31 にメール配信サービスへの受け渡しが完了し") && ja.contains(ja_says),
            "{ja}"
        );
        assert!(en.contains("10:31 JST") && en.contains(en_says), "{en}");
    }
}

#[test]
fn what_nobody_knows_is_told_as_such_whatever_the_row_says() {
    let mut open = with(Status::Requesting, Some(Outcome::Unknown));
    open.row.face = Face::NeedsChecking;
    says_not_known(&open);
    assert!(reply(Lang::Ja, &open).contains("10:31 にお送りする手続き"));
    for status in [Status::Synced, Status::Failed] {
        let mut assumed = with(status, Some(Outcome::Unknown));
        assumed.settled_by = Some(SettledBy::Assumed);
        says_not_known(&assumed);
    }
    // An earlier attempt that nobody ever cleared up, behind a refusal and behind a calling-off.
    for status in [Status::Rejected, Status::Canceled, Status::Failed] {
        let mut m = with(status, Some(Outcome::Unknown));
        m.attempts
            .push(attempt(2, "10:40:00", Some(Outcome::Refused)));
        says_not_known(&m);
    }
    // A person said no while the mail might still turn up.
    let mut early = with(Status::Failed, Some(Outcome::Unknown));
    early.settled_by = Some(SettledBy::Person);
    early.acts = vec![act("10:35:00", "confirm_not_sent", Status::Failed)];
    early.shows_by = Some(at("14:30:00"));
    says_not_known(&early);
    early.shows_by = Some(at("11:00:00"));
    assert!(reply(Lang::Ja, &early).contains("お送りできておりません"));
}

#[test]
fn what_is_known_not_to_be_sent_is_told_so() {
    let [ja, en] = both(&with(Status::Failed, Some(Outcome::NeverLeft)));
    assert!(ja.contains("お送りできておりません") && en.contains("has not reached you"));
    let [ja, en] = both(&with(Status::Rejected, Some(Outcome::Refused)));
    assert!(ja.contains("メールアドレスをご確認") && en.contains("check your address"));
    // What was never handed to the service was not refused by it.
    let [ja, en] = both(&with(Status::Rejected, None));
    assert!(
        !ja.contains("サービス") && ja.contains("お送りできておりません"),
        "{ja}"
    );
    assert!(
        !en.contains("refused") && en.contains("could not be sent"),
        "{en}"
    );
    let [ja, en] = both(&with(Status::Canceled, None));
    assert!(
        ja.contains("取りやめ") && ja.contains("お申し付けください"),
        "{ja}"
    );
    assert!(
        en.contains("stopped it before it left") && en.contains("let us know"),
        "{en}"
    );
    let mut held = with(Status::Pending, None);
    held.row.held = true;
    held.held_by = Some(crate::model::HeldBy::Age);
    let [ja, en] = both(&held);
    assert!(ja.contains("まだお送りしておりません") && en.contains("not been sent yet"));
    let mut later = with(Status::Pending, None);
    later.not_before = Some(at("18:00:00"));
    let [ja, en] = both(&later);
    assert!(ja.contains("18:00 以降") && en.contains("from 29 Nov 2026, 18:00 JST"));
    let mut sending = with(Status::Requesting, None);
    sending.attempts = vec![attempt(1, "14:02:00", None)];
    sending.lease_until = Some(at("14:04:00"));
    sending.service = ServiceState::None;
    let [ja, en] = both(&sending);
    assert!(ja.contains("手続きをしております") && en.contains("is just being handed"));
}

#[test]
fn neither_our_own_words_nor_unknown_kinds_reach_a_customer() {
    let mut m = accepted();
    m.row.kind = "weekly_news".into();
    let [ja, en] = both(&m);
    for text in [&ja, &en] {
        for word in [
            "synced",
            "Denpyo",
            "weekly_news",
            "attempt",
            "worker",
            "送信サービス",
        ] {
            assert!(!text.contains(word), "{text}");
        }
    }
    assert!(ja.starts_with("ご注文 1001 のメールは") && en.starts_with("The mail for your order"));
}

#[test]
fn what_comes_next_is_told_where_it_is_known() {
    let mut m = with(Status::Failed, Some(Outcome::Temporary));
    m.next_attempt_at = Some(at("14:10:00"));
    let [ja, en] = both(&m);
    assert!(
        ja.contains("14:10 ごろに、自動で") && ja.contains("申し訳"),
        "{ja}"
    );
    assert!(
        en.contains("around 29 Nov 2026, 14:10 JST") && en.contains("sorry"),
        "{en}"
    );
    // Nothing sends: nothing is promised.
    m.idle = true;
    let [ja, en] = both(&m);
    assert!(!ja.contains("自動") && ja.contains("改めてご連絡"), "{ja}");
    assert!(
        !en.contains("automatically") && en.contains("write again"),
        "{en}"
    );
    let mut waiting = with(Status::Pending, None);
    waiting.idle = true;
    assert!(reply(Lang::Ja, &waiting).contains("お待たせして"));
}

#[test]
fn after_a_restore_it_is_being_checked() {
    use crate::model::HeldBy::{Hold, Installation};
    for (status, by) in [
        (Status::Pending, Installation),
        (Status::Pending, Hold),
        (Status::Failed, Installation),
        (Status::Rejected, Hold),
    ] {
        let mut m = with(status, None);
        m.row.held = true;
        m.held_by = Some(by);
        // A reason is for people: it does not prove that the copy is whole.
        m.held_reason = Some("値上げ後の金額を確かめるため".into());
        let [ja, en] = both(&m);
        assert!(
            ja.contains("確認しております") && !ja.contains("おりません。"),
            "{ja}"
        );
        assert!(
            en.contains("checking whether") && !en.contains("not been sent"),
            "{en}"
        );
    }
}
