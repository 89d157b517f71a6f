use super::*;
use app::model::views::Outcome;

fn word(phase: Phase, reply: &str) -> Outcome {
    let (code, said) = reply.split_once(' ').unwrap_or((reply, ""));
    let code = code.parse().unwrap_or_else(|_| panic!("{reply}"));
    let reply = Reply {
        phase,
        code,
        said,
        hello: "shop_worker_1",
    };
    verdict(reply, said.to_owned(), 1).word()
}

#[test]
fn greylisting_is_temporary_whatever_its_words() {
    for reply in [
        "451 4.7.1 Greylisting in action, please come back later",
        "450 4.2.0 <a@example.jp>: Recipient address rejected: Greylisted, see http://example.org",
        "451 4.7.1 Client host rejected: Greylisted",
        "450 4.7.1 Sender address rejected: greylisted",
        "451 Temporary local problem - please try later",
        "422 The recipient's mailbox is over its storage limit",
        "421 4.7.0 Try again later, closing connection",
        "450 mailbox unavailable",
        "452 4.2.2 Mailbox full",
    ] {
        assert_eq!(word(Phase::Recipient, reply), Outcome::Temporary, "{reply}");
    }
    assert_eq!(
        word(Phase::Message, "451 4.3.0 queue error"),
        Outcome::Temporary
    );
    assert_eq!(
        word(Phase::Greeting, "421 too many connections"),
        Outcome::Temporary
    );
    assert_eq!(
        word(Phase::SignIn, "454 4.7.0 Temporary failure"),
        Outcome::Temporary
    );
}

#[test]
fn waits_grow_and_the_fifth_attempt_outlasts_greylisting() {
    let waits: Vec<_> = (1..8).map(patience).collect();
    assert_eq!(waits[..3], [None, None, None]);
    assert!(waits.is_sorted());
    assert!(waits[3] >= Some(Duration::from_secs(15 * 60)));
    assert!(waits[6] <= Some(Duration::from_secs(3600)));
}

#[test]
fn a_refused_name_pauses_the_service_and_refuses_no_mail() {
    for (phase, reply) in [
        (Phase::Greeting, "550 5.7.1 Invalid name"),
        (
            Phase::Greeting,
            "501 Syntactically invalid EHLO argument(s)",
        ),
        (Phase::Greeting, "450 4.7.1 EHLO with an underscore"),
        (Phase::Greeting, "450 Invalid name"),
        (Phase::Greeting, "504 Invalid name"),
        (
            Phase::Recipient,
            "504 5.5.2 <shop_worker_1>: Helo command rejected: need fully-qualified hostname",
        ),
        (
            Phase::Recipient,
            "450 4.7.1 <shop_worker_1>: Helo command rejected: Host not found",
        ),
        (
            Phase::Recipient,
            "550 Access denied - Invalid HELO name (See RFC2821 4.1.1.1)",
        ),
        (Phase::Recipient, "550 5.7.1 ehlo: bad name"),
        (Phase::Recipient, "450 4.7.1 <shop_worker_1>: not found"),
        (Phase::Recipient, "504 5.5.2 need a name with a dot"),
    ] {
        assert_eq!(word(phase, reply), Outcome::Account, "{reply}");
    }
}

#[test]
fn sign_in_relay_and_sender_are_about_the_account() {
    for (phase, reply) in [
        (Phase::Greeting, "554 5.7.1 No SMTP service for you"),
        (
            Phase::SignIn,
            "535 5.7.8 Authentication credentials invalid",
        ),
        (
            Phase::SignIn,
            "534 5.7.9 Please log in with your web browser",
        ),
        (Phase::Sender, "530 5.7.0 Authentication required"),
        (Phase::Sender, "550 5.7.1 not yours"),
        (Phase::Sender, "553 not allowed"),
        (Phase::Sender, "501 5.1.7 Bad sender address syntax"),
        (
            Phase::Recipient,
            "554 5.7.1 <a@example.com>: Relay access denied",
        ),
        (
            Phase::Recipient,
            "454 4.7.1 <a@example.com>: Relay access denied",
        ),
        (
            Phase::Recipient,
            "550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain",
        ),
        (Phase::Recipient, "550 relay not permitted"),
        (
            Phase::Recipient,
            "550 5.1.8 <order@example.com>: Sender address rejected: Domain not found",
        ),
        (
            Phase::Recipient,
            "553 5.7.1 <order@example.com>: Sender address rejected: not owned by user",
        ),
        (Phase::Recipient, "550 Sender verify failed"),
        (
            Phase::Recipient,
            "554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked",
        ),
        (Phase::Recipient, "503 5.5.1 Error: need MAIL command"),
        (
            Phase::Message,
            "550 5.7.60 SMTP; Client does not have permissions to send as this sender",
        ),
        (Phase::Message, "550 5.7.26 This mail has been blocked"),
        (
            Phase::Message,
            "550 5.4.5 Daily user sending quota exceeded",
        ),
    ] {
        assert_eq!(word(phase, reply), Outcome::Account, "{reply}");
    }
}

#[test]
fn recipient_and_content_refuse_the_mail() {
    for (phase, reply) in [
        (
            Phase::Recipient,
            "550 5.1.1 <a@example.com>: Recipient address rejected: User unknown",
        ),
        (Phase::Recipient, "550 No such user here"),
        (Phase::Recipient, "550"),
        (Phase::Recipient, "501 5.1.3 Bad recipient address syntax"),
        (Phase::Recipient, "553 5.1.3 bad"),
        (
            Phase::Recipient,
            "504 5.5.2 <a@b>: Recipient address rejected: need fully-qualified address",
        ),
        (Phase::Recipient, "552 5.2.2 Mailbox full"),
        (
            Phase::Recipient,
            "550 5.7.1 <a@example.com>: Recipient address rejected: Access denied",
        ),
        // What others chose does not decide.
        (Phase::Recipient, "550 5.1.1 relay01: no such user"),
        (Phase::Recipient, "550 <relay@example.com>: unknown"),
        (
            Phase::Recipient,
            "550 relay@example.com unknown at relay.example.com",
        ),
        (Phase::Recipient, "550 <\"helo\"@example.com> unknown"),
        (Phase::Sender, "552 5.3.4 Message too big"),
        (Phase::Message, "554 5.7.1 Message rejected as spam"),
        (Phase::Message, "552 5.3.4 Message too big"),
        (Phase::Message, "550 5.6.0 content not accepted"),
    ] {
        assert_eq!(word(phase, reply), Outcome::Refused, "{reply}");
    }
}

#[test]
fn the_queues_id_is_read_where_it_is_told() {
    for (said, id) in [
        ("2.0.0 Ok: queued as 4XYZ12", Some("4XYZ12")),
        ("OK id=1tAbCd-000000-AB", Some("1tAbCd-000000-AB")),
        (
            "Message queued as <abc.1@example.com>.",
            Some("abc.1@example.com"),
        ),
        ("OK", None),
        ("queued as ", None),
        ("", None),
    ] {
        assert_eq!(queued(said).as_deref(), id, "{said}");
    }
}
