//! What the desk says of a mail, in both languages, where a word too much would be untrue.

use super::Lang;
use crate::model::service::is_mail_server;
use crate::model::timeline::timeline;
use crate::model::unsendable::Unsendable;
use crate::model::verdict::tests::{at, attempt, mail};
use crate::model::verdict::{Answer, verdict};
use crate::model::views::{Case, Cause, Mail, Observation, Outcome, ServiceState};
use crate::model::{DeliveryState, Face, HeldBy, SettledBy, Status};

const LANGS: [Lang; 2] = [Lang::Ja, Lang::En];

/// A mail that went to a mail server, whose answer never came.
fn over_smtp(status: Status) -> Mail {
    let mut lost = attempt(1, "09:00:01", Some(Outcome::Unknown));
    lost.provider = "smtp".into();
    lost.cause = Some(Cause::Timeout);
    let mut m = mail(status, vec![lost]);
    m.provider = Some("smtp".into());
    m.message_id = Some("0123@example.jp".into());
    m.service = ServiceState::Ready {
        name: "SMTP".into(),
    };
    m.observations = vec![Observation {
        at: at("09:02:00"),
        kind: "lookup_unclear".into(),
        attempt: Some(1),
        detail: Some("no_lookup:".into()),
    }];
    m
}

/// All that its page says in sentences.
fn page(m: &Mail, lang: Lang) -> String {
    let w = &lang.words().mail;
    let v = verdict(m);
    let mut said = vec![(w.answer)(&v, m), (w.next)(&v, m)];
    said.extend(v.proofs.iter().map(|proof| (w.known)(&proof.what)));
    said.extend(m.plan().map(|plan| (w.plan)(&plan)));
    for stop in timeline(m) {
        said.push((w.stop)(&stop.what, m));
        said.push((w.stop_note)(&stop.what, m));
    }
    said.join("\n")
}

#[test]
fn each_kind_of_hold_says_what_it_is() {
    let mut m = mail(Status::Pending, vec![]);
    m.row.held = true;
    m.row.attempts = 0;
    let mut said = Vec::new();
    for (by, reason) in [
        (HeldBy::Hold, "値上げ後の金額を確かめるため"),
        (HeldBy::Hold, "restored from Tuesday 03:00"),
        (
            HeldBy::Installation,
            "DENPYO_INSTALLATION is b, the database was a's",
        ),
        (HeldBy::Age, "older than DENPYO_MAX_AGE"),
    ] {
        m.held_by = Some(by);
        m.held_reason = Some(reason.into());
        let v = verdict(&m);
        said.push(LANGS.map(|l| (l.words().mail.answer)(&v, &m)));
    }
    // A reason proves nothing: after a restore nobody says that it has not gone out.
    for [ja, en] in &said[..3] {
        assert!(
            ja.contains("わかりません") && !ja.contains("まだ送られて"),
            "{ja}"
        );
        assert!(
            en.contains("not known") && !en.contains("Not sent yet"),
            "{en}"
        );
    }
    assert_eq!(
        said.iter().collect::<std::collections::HashSet<_>>().len(),
        3
    );
}

#[test]
fn of_a_mail_server_nothing_is_said_to_have_been_asked() {
    let mut m = over_smtp(Status::Requesting);
    m.row.face = Face::NeedsChecking;
    let [ja, en] = LANGS.map(|l| page(&m, l));
    for word in ["管理画面", "照会しました", "はっきりした答え"] {
        assert!(!ja.contains(word), "{ja}");
    }
    assert!(
        ja.contains("照会の手段がない") && ja.contains("担当者が確かめる"),
        "{ja}"
    );
    for word in ["console", "Asked", "no clear answer"] {
        assert!(!en.contains(word), "{en}");
    }
    assert!(
        en.contains("no look-up") && en.contains("A person has to find out"),
        "{en}"
    );
    assert!(is_mail_server("smtp"));
    let case = Case {
        row: m.row.clone(),
        version: 1,
        claimed_at: at("09:00:01"),
        lease_until: at("09:02:00"),
        shows_by: None,
        message_id: m.message_id.clone(),
        attempt: m.attempts.first().cloned(),
        lookup: None,
        last_answer: None,
    };
    for lang in LANGS {
        let s = &lang.words().stuck;
        let attempt = case.attempt.as_ref();
        let said = (s.how)(attempt) + (s.not_sent_example)(attempt);
        assert!(
            !said.contains("管理画面") && !said.contains("console"),
            "{said}"
        );
        assert!(said.contains("Message-ID"), "{said}");
    }
}

#[test]
fn of_what_is_only_assumed_nobody_is_asked_to_find_out() {
    for (status, ja_says, en_says) in [
        (Status::Synced, "控えを送って", "send a further copy"),
        (
            Status::Failed,
            "再送するかどうか",
            "decides whether it is sent again",
        ),
    ] {
        let mut m = over_smtp(status);
        m.settled_by = Some(SettledBy::Assumed);
        m.row.assumed = true;
        let [ja, en] = LANGS.map(|l| page(&m, l));
        assert!(!ja.contains("確かめる必要") && ja.contains(ja_says), "{ja}");
        assert!(
            !en.contains("has to find out") && en.contains(en_says),
            "{en}"
        );
        // What the first one is told to do can be done.
        assert_eq!(m.standing().copy().is_ok(), status == Status::Synced);
    }
}

#[test]
fn an_id_that_nobody_knows_is_not_called_none() {
    let none = |m: &Mail| LANGS.map(|l| (l.words().mail.no_provider_id)(m));
    let open = mail(
        Status::Requesting,
        vec![attempt(1, "09:00:01", Some(Outcome::Unknown))],
    );
    assert_eq!(none(&open), ["まだわかりません", "not known yet"]);
    let refused = mail(
        Status::Rejected,
        vec![attempt(1, "09:00:01", Some(Outcome::Refused))],
    );
    assert_eq!(none(&refused), ["ありません", "none"]);
}

#[test]
fn what_became_of_a_mail_has_a_face_and_a_word_of_its_own() {
    let faces = [
        Some(DeliveryState::Delivered),
        Some(DeliveryState::Bounced),
        Some(DeliveryState::Complained),
        None,
    ]
    .map(|state| Face::of(Status::Synced, false, state));
    for lang in LANGS {
        let mut words: Vec<_> = faces.iter().map(|f| (lang.words().face)(*f)).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), faces.len(), "{words:?}");
    }
}

#[test]
fn a_refusal_without_a_code_is_no_answer_of_the_service() {
    let mut lacking = attempt(1, "09:00:01", Some(Outcome::Account));
    lacking.provider = "smtp".into();
    lacking.cause = Some(Cause::Answer);
    lacking.error = Some("the server offers no TLS".into());
    lacking.next_attempt_at = Some(at("09:01:01"));
    let m = mail(Status::Failed, vec![lacking]);
    let [ja, en] = LANGS.map(|l| page(&m, l));
    assert!(
        !ja.contains("断") && ja.contains("何も送っていません"),
        "{ja}"
    );
    assert!(
        !en.contains("refused") && en.contains("nothing was sent"),
        "{en}"
    );
    let paused = ServiceState::Paused {
        name: "SMTP".into(),
        code: None,
        since: at("09:00:01"),
        until: at("09:01:00"),
    };
    let [ja, en] = LANGS.map(|l| (l.words().frame.service)(&paused).unwrap());
    assert!(
        !ja.contains("アカウント") && !en.contains("account"),
        "{ja} {en}"
    );
}

/// Greylisting and a busy service: the mail was not refused, and nothing is wrong with it.
#[test]
fn a_temporary_answer_is_called_temporary_and_no_refusal() {
    for (provider, code, error) in [
        ("smtp", 451, "451 4.7.1 Greylisted, please come again"),
        ("smtp", 422, "422 The mailbox is over its limit"),
        ("sendgrid", 429, "429 too many requests"),
    ] {
        for last in [false, true] {
            let mut put_off = attempt(1, "09:00:01", Some(Outcome::Temporary));
            put_off.provider = provider.into();
            put_off.cause = Some(Cause::Answer);
            put_off.code = Some(code);
            put_off.error = Some(error.into());
            put_off.next_attempt_at = (!last).then(|| at("14:30:00"));
            let mut m = mail(Status::Failed, vec![put_off]);
            m.next_attempt_at = (!last).then(|| at("14:30:00"));
            m.max_attempts = 1;
            m.observations = vec![Observation {
                at: at("09:30:00"),
                kind: "late_refused".into(),
                attempt: Some(1),
                detail: Some(error.into()),
            }];
            let [ja, en] = LANGS.map(|l| page(&m, l));
            assert!(ja.contains("一時的") && !ja.contains("断"), "{ja}");
            assert!(
                en.contains("temporarily") && !en.to_lowercase().contains("refus"),
                "{en}"
            );
            // What a customer is told is no refusal either.
            let [ja, en] = LANGS.map(|l| super::reply(l, &m));
            assert!(!ja.contains("メールアドレス"), "{ja}");
            assert!(!en.contains("refused"), "{en}");
        }
    }
}

#[test]
fn every_sentence_of_the_time_line_has_its_end() {
    for outcome in Outcome::ALL {
        for code in [None, Some(429)] {
            let mut a = attempt(1, "09:00:01", Some(outcome));
            a.code = code;
            a.next_attempt_at = Some(at("09:01:01"));
            let m = mail(Status::Failed, vec![a]);
            for stop in timeline(&m) {
                let note = (Lang::Ja.words().mail.stop_note)(&stop.what, &m);
                assert!(note.is_empty() || note.ends_with('。'), "{note}");
                for code in ["429次", "429受"] {
                    assert!(!note.contains(code), "{note}");
                }
            }
        }
    }
}

#[test]
fn what_the_check_before_sending_found_is_said_and_what_helps() {
    for (fault, ja_says, en_says) in [
        (Unsendable::SubjectMissing, "件名がありません", "no subject"),
        (
            Unsendable::RecipientMissing,
            "宛先がありません",
            "no recipient",
        ),
    ] {
        let mut m = mail(Status::Rejected, vec![]);
        m.unsendable = Some(fault.to_string());
        m.error = Some(fault.to_string());
        m.observations = vec![Observation {
            at: at("09:00:02"),
            kind: "screened".into(),
            attempt: None,
            detail: Some(fault.to_string()),
        }];
        assert_eq!(verdict(&m).answer, Answer::Refused);
        let [ja, en] = LANGS.map(|l| page(&m, l));
        assert!(ja.contains(ja_says) && en.contains(en_says), "{ja}\n{en}");
        let address = fault == Unsendable::RecipientMissing;
        let reply = LANGS.map(|l| super::reply(l, &m));
        assert_eq!(reply[0].contains("メールアドレス"), address, "{}", reply[0]);
        assert_eq!(
            reply[1].contains("check your address"),
            address,
            "{}",
            reply[1]
        );
    }
}

#[test]
fn who_acted_is_called_what_they_are() {
    use crate::model::views::{ActRecord, Notice, NoticeKind};
    let act = |actor: &str, attempt| ActRecord {
        actor: actor.into(),
        attempt,
        ..crate::model::verdict::tests::act("09:10:00", "resend", Status::Requesting)
    };
    let m = mail(Status::Failed, vec![]);
    for (actor, attempt, expected) in [
        (
            "lead1",
            2,
            ["lead1 さんが再送しました", "lead1 sent it again"],
        ),
        (
            "api shop",
            2,
            ["API から再送されました", "Sent again through the API"],
        ),
        ("lead1", 1, ["lead1 さんが送信しました", "lead1 sent it"]),
    ] {
        let what = crate::model::timeline::What::Act(act(actor, Some(attempt)));
        let said =
            LANGS.map(|l| (l.words().mail.stop)(&what, &m).replace(['\u{2068}', '\u{2069}'], ""));
        assert_eq!(said, expected, "{actor} {attempt}");
    }
    for (by, ja_says) in [
        ("lead1", "lead1 さんが先に更新しています"),
        ("api", "API から先に更新されています"),
        ("web-1:4711", "送信プロセス web-1:4711 が先に更新しています"),
    ] {
        let notice = Notice {
            id: 1,
            order_id: "1001".into(),
            what: NoticeKind::Changed,
            by: Some(by.into()),
            at: Some(at("09:10:00")),
            attempt: None,
            copy: None,
            draft: None,
        };
        let ja = (Lang::Ja.words().notice)(&notice).replace(['\u{2068}', '\u{2069}'], "");
        assert!(ja.contains(ja_says), "{ja}");
    }
}

#[test]
fn where_nothing_sends_nothing_is_promised() {
    let mut m = mail(Status::Pending, vec![]);
    m.idle = true;
    let [ja, en] = LANGS.map(|l| page(&m, l));
    assert!(
        !ja.contains("自動") && ja.contains("動いている送信プロセスがない"),
        "{ja}"
    );
    assert!(
        !en.contains("by itself") && en.contains("no sending process"),
        "{en}"
    );
    m.status = Status::Failed;
    m.next_attempt_at = Some(at("14:10:00"));
    let [ja, en] = LANGS.map(|l| page(&m, l));
    assert!(!ja.contains("自動に") && !ja.contains("自動で"), "{ja}");
    assert!(!en.contains("by itself"), "{en}");
}

#[test]
fn letting_go_after_a_backup_warns_of_a_second_mail() {
    for status in [Status::Pending, Status::Failed, Status::Rejected] {
        let mut m = mail(status, vec![]);
        m.row.held = true;
        for (by, warns) in [(HeldBy::Hold, true), (HeldBy::Age, false)] {
            m.held_by = Some(by);
            let [ja, en] = LANGS.map(|l| (l.words().reason.release_note)(&m));
            assert_eq!(ja.contains("2通"), warns, "{ja}");
            assert_eq!(en.contains("twice"), warns, "{en}");
            let [ja, en] = LANGS.map(|l| page(&m, l));
            assert_eq!(ja.contains("バックアップのあと"), warns, "{ja}");
            assert_eq!(en.contains("after the backup"), warns, "{en}");
        }
    }
}
