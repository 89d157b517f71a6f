//! What the desk says of look-ups, made and to come, in both languages.

use super::Lang;
use crate::model::plan::{Plan, Step, Why};
use crate::model::verdict::tests::at;

fn plan(not_found: i32, unclear: i32, last: Option<Why>) -> Plan {
    Plan {
        next: Step::Ask {
            at: None,
            again: true,
            not_found,
            unclear,
            last,
        },
        service: Some("sendgrid".into()),
        as_of: at("14:00:00"),
        deadline: Some(at("14:30:00")),
        resends: true,
        assumed: None,
    }
}

fn said(plan: &Plan) -> [String; 2] {
    [Lang::Ja, Lang::En].map(|l| (l.words().mail.plan)(plan))
}

#[test]
fn unclear_answers_are_not_counted_as_not_found() {
    let [ja, en] = said(&plan(2, 5, Some(Why::Unreachable)));
    assert!(
        ja.contains("7回") && ja.contains("2回は見つからず") && ja.contains("5回ははっきり"),
        "{ja}"
    );
    assert!(
        en.contains("Asked 7 times: not found twice, no clear answer 5 times"),
        "{en}"
    );
    let [ja, en] = said(&plan(3, 0, None));
    assert!(ja.contains("照会の期限（14:30:00）を過ぎても"), "{ja}");
    assert!(en.contains("after 14:30:00"), "{en}");
    assert!(ja.contains("3回照会し、まだ見つかっていません。"), "{ja}");
    assert!(en.contains("Asked 3 times; not found yet."), "{en}");
    let [ja, en] = said(&plan(0, 1, Some(Why::Refused)));
    assert!(!ja.contains("見つ") && ja.contains("1回"), "{ja}");
    assert!(!en.contains("found") && en.contains("Asked once"), "{en}");
}

#[test]
fn a_deadline_that_is_past_is_not_waited_for() {
    for not_found in [0, 2] {
        let mut plan = plan(not_found, 0, None);
        plan.as_of = at("22:54:00");
        plan.deadline = Some(at("19:11:48"));
        let [ja, en] = said(&plan);
        assert!(
            ja.contains("このあとの照会で") && !ja.contains("19:11"),
            "{ja}"
        );
        assert!(en.contains("look-up") && !en.contains("19:11"), "{en}");
        plan.as_of = at("19:00:00");
        let [ja, en] = said(&plan);
        assert!(
            ja.contains("19:11:48") && en.contains("19:11:48"),
            "{ja} {en}"
        );
    }
}
