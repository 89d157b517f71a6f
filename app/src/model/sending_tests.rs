use super::*;

fn tried(kind: &str, service: &str, status: Status, tries: i32, count: i64) -> Tried {
    Tried {
        kind: kind.into(),
        service: service.into(),
        status,
        tries,
        count,
    }
}

#[test]
fn tries_stand_by_kind_and_service_and_leave_nothing_out() {
    let lines = tries([
        tried("receipt", "ses", Status::Synced, 1, 4),
        tried("invoice", "ses", Status::Synced, 1, 90),
        tried("invoice", "ses", Status::Failed, 7, 2),
        tried("invoice", "ses", Status::Failed, 5, 1),
        tried("invoice", "smtp", Status::Requesting, 2, 3),
        tried("invoice", "", Status::Pending, 0, 5),
        tried("invoice", "", Status::Canceled, 0, 1),
    ]);
    let names: Vec<_> = lines
        .iter()
        .map(|l| (l.kind.as_str(), l.service.as_str(), l.sum()))
        .collect();
    assert_eq!(
        names,
        [
            ("invoice", "ses", 93),
            ("invoice", "smtp", 3),
            ("invoice", "", 6),
            ("receipt", "ses", 4),
        ]
    );
    assert_eq!(lines[0].histogram.bars[4].failed, 3, "5 or more");
    assert_eq!((lines[2].never, lines[2].histogram.sum()), (6, 0));
    assert_eq!(total(&lines).sum(), 106);
    assert_eq!(narrowed(&lines, None, None).sum(), 100);
    assert_eq!(narrowed(&lines, Some("invoice"), None).sum(), 96);
    assert_eq!(narrowed(&lines, None, Some("ses")).sum(), 97);
    assert_eq!(narrowed(&lines, Some("receipt"), Some("smtp")).sum(), 0);
}

#[test]
fn very_many_kinds_share_the_last_line() {
    let lines =
        tries((0..500).map(|i| tried(&format!("k{i}"), "ses", Status::Synced, 1, 1000 - i)));
    assert_eq!(lines.len(), LINES);
    assert_eq!(lines[LINES - 1].kind, "");
    assert_eq!(total(&lines).sum(), (0..500).map(|i| 1000 - i).sum::<i64>());
}

#[test]
fn hours_are_the_zones() {
    let quarter = |outcome, quarter, ahead| Quarter {
        outcome,
        quarter,
        ahead,
        count: 1,
    };
    let (tokyo, kathmandu, new_york) = (32_400, 20_700, -18_000);
    let of = |quarters: Vec<Quarter>| {
        hours(quarters)
            .iter()
            .enumerate()
            .filter(|(_, hour)| hour.sum() > 0)
            .map(|(i, hour)| (i, hour.accepted, hour.not_accepted, hour.unclear))
            .collect::<Vec<_>>()
    };
    // 15:00 UTC is midnight in Tokyo, 20:45 in Kathmandu, 10:00 in New York.
    assert_eq!(
        of(vec![quarter(Outcome::Accepted, 60, tokyo)]),
        [(0, 1, 0, 0)]
    );
    assert_eq!(
        of(vec![quarter(Outcome::Unknown, 60, kathmandu)]),
        [(20, 0, 0, 1)]
    );
    // A quarter of an hour later another hour has begun there.
    assert_eq!(
        of(vec![quarter(Outcome::Refused, 61, kathmandu)]),
        [(21, 0, 1, 0)]
    );
    assert_eq!(
        of(vec![quarter(Outcome::Account, 0, new_york)]),
        [(19, 0, 1, 0)]
    );
    assert_eq!(of(vec![quarter(Outcome::Released, 60, tokyo)]), []);
}

#[test]
fn one_failure_in_a_million_is_not_a_hundred_percent() {
    let hour = |accepted, not_accepted, unclear| Hour {
        accepted,
        not_accepted,
        unclear,
    };
    assert_eq!(hour(999_999, 1, 0).success(), Some(9_999));
    assert_eq!(hour(5, 0, 3).success(), Some(10_000));
    assert_eq!(hour(0, 2, 0).success(), Some(0));
    assert_eq!(hour(0, 0, 3).success(), None, "nothing is known of these");
}

#[test]
fn percentiles_by_nearest_rank() {
    let of = |waits: &[(i64, i64)]| {
        let d = delays(waits.iter().map(|(s, n)| ("invoice".to_owned(), *s, *n))).all;
        (d.count, d.p50, d.p95)
    };
    assert_eq!(of(&[]), (0, 0, 0));
    assert_eq!(of(&[(7, 1)]), (1, 7, 7));
    assert_eq!(of(&[(1, 1), (9, 1)]), (2, 1, 9));
    let hundred: Vec<(i64, i64)> = (1..=100).map(|s| (s, 1)).collect();
    assert_eq!(of(&hundred), (100, 50, 95));
    assert_eq!(of(&[(0, 95), (3600, 5)]), (100, 0, 0));
    assert_eq!(of(&[(0, 94), (3600, 6)]), (100, 0, 3600));
    assert_eq!(of(&[(-30, 1)]), (1, 0, 0), "brought in with a day to come");
    let both = delays([("a".to_owned(), 1, 1), ("b".to_owned(), 5, 9)]);
    let kinds: Vec<_> = both
        .kinds
        .iter()
        .map(|d| (d.kind.as_str(), d.p50))
        .collect();
    assert_eq!(kinds, [("b", 5), ("a", 1)]);
    assert_eq!((both.all.count, both.all.p50), (10, 5));
}

const DOUBT: Doubt = Doubt {
    since: 100,
    found: None,
    not_there: None,
    said_sent: None,
    said_not: None,
};

#[test]
fn proof_counts_more_than_a_word_and_the_first_ends_the_wait() {
    let found = Doubt {
        found: Some(900),
        said_not: Some(400),
        ..DOUBT
    };
    assert_eq!(found.cleared(), Some((true, 300)));
    let no = Doubt {
        not_there: Some(160),
        said_sent: Some(200),
        ..DOUBT
    };
    assert_eq!(no.cleared(), Some((false, 60)));
    let said = Doubt {
        said_sent: Some(50),
        ..DOUBT
    };
    assert_eq!(said.cleared(), Some((true, 0)), "never less than no time");
    assert_eq!(DOUBT.cleared(), None);
}

#[test]
fn each_setting_errs_in_its_own_way() {
    let cleared = |found, not_there| Doubt {
        found,
        not_there,
        ..DOUBT
    };
    let sum = unknowns([
        cleared(Some(110), None),
        cleared(Some(130), None),
        cleared(None, Some(700)),
        DOUBT,
    ]);
    assert_eq!(
        (sum.accepted, sum.not_accepted, sum.open, sum.sum()),
        (2, 1, 1, 4)
    );
    assert_eq!((sum.half_waited, sum.all_waited), (30, 600));
    let hold = sum.met(OnUnknown::Hold);
    assert_eq!((hold.twice.most, hold.none.most), (0, 0));
    assert_eq!((hold.waited, hold.waiting), (3, 1));
    let synced = sum.met(OnUnknown::Synced);
    assert_eq!((synced.none.least, synced.none.most), (1, 2));
    assert_eq!((synced.twice.most, synced.waited), (0, 0));
    let failed = sum.met(OnUnknown::Failed);
    assert_eq!((failed.twice.least, failed.twice.most), (2, 3));
    assert_eq!((failed.none.most, failed.waited), (0, 0));
}
